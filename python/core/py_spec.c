// Spec: the editable description of a mechanism.
#include "py_fields.h"

#include <stdlib.h>
#include <string.h>

typedef struct spec {
    dp_spec *s;
    PyObject *strings; ///< a list: what members that were set in place point to
    PyObject *report;
} spec;

static dp_spec *spec_of(PyObject *self)
{
    return ((spec *)dpy_state(self))->s;
}

// One row for each kind of element: how it is described at first, added, counted and found.
typedef struct described {
    void (*start)(void *out);
    dp_status (*add)(int *out, dp_spec *s, int parent, const void *element);
    void *(*at)(dp_spec *s, int index);
    int (*count)(const dp_spec *s);
    bool on_body; ///< it belongs to a body
} described;

#define DPY_DESCRIBED(element)                                                                     \
    static void start_##element(void *out)                                                         \
    {                                                                                              \
        const dp_##element##_spec first = dp_##element##_spec_default();                           \
        memcpy(out, &first, sizeof first);                                                         \
    }                                                                                              \
    static void *at_##element(dp_spec *s, int index)                                               \
    {                                                                                              \
        return dp_spec_##element(s, (dp_##element##_id){index});                                   \
    }
#define DPY_ADDED(element)                                                                         \
    DPY_DESCRIBED(element)                                                                         \
    static dp_status add_##element(int *out, dp_spec *s, int parent, const void *as)               \
    {                                                                                              \
        (void)parent;                                                                              \
        dp_##element##_id id = {-1};                                                               \
        const dp_status status = dp_spec_add_##element(&id, s, as);                                \
        *out = id.index;                                                                           \
        return status;                                                                             \
    }
#define DPY_ADDED_TO_BODY(element)                                                                 \
    DPY_DESCRIBED(element)                                                                         \
    static dp_status add_##element(int *out, dp_spec *s, int parent, const void *as)               \
    {                                                                                              \
        dp_##element##_id id = {-1};                                                               \
        const dp_status status = dp_spec_add_##element(&id, s, (dp_body_id){parent}, as);          \
        *out = id.index;                                                                           \
        return status;                                                                             \
    }
DPY_ADDED_TO_BODY(body)
DPY_ADDED_TO_BODY(joint)
DPY_ADDED_TO_BODY(geom)
DPY_ADDED_TO_BODY(site)
DPY_ADDED(actuator)
DPY_ADDED(sensor)
DPY_ADDED(mesh)
DPY_ADDED(hfield)
DPY_ADDED(pair)
DPY_ADDED(exclude)
DPY_ADDED(tendon)
DPY_ADDED(equality)
DPY_ADDED(force)
DPY_ADDED(motion)
DPY_ADDED(key)

#define DPY_ROW(element, on_body)                                                                  \
    {                                                                                              \
        start_##element, add_##element, at_##element, dp_spec_##element##_count, on_body           \
    }
static const described elements[DPY_ELEMENTS] = {
    [DPY_BODY] = DPY_ROW(body, true),          [DPY_JOINT] = DPY_ROW(joint, true),
    [DPY_GEOM] = DPY_ROW(geom, true),          [DPY_SITE] = DPY_ROW(site, true),
    [DPY_ACTUATOR] = DPY_ROW(actuator, false), [DPY_SENSOR] = DPY_ROW(sensor, false),
    [DPY_MESH] = DPY_ROW(mesh, false),         [DPY_HFIELD] = DPY_ROW(hfield, false),
    [DPY_PAIR] = DPY_ROW(pair, false),         [DPY_EXCLUDE] = DPY_ROW(exclude, false),
    [DPY_TENDON] = DPY_ROW(tendon, false),     [DPY_EQUALITY] = DPY_ROW(equality, false),
    [DPY_FORCE] = DPY_ROW(force, false),       [DPY_MOTION] = DPY_ROW(motion, false),
    [DPY_KEY] = DPY_ROW(key, false),
};

// Room for the description of any element.
typedef union any_spec {
    dp_body_spec body;
    dp_joint_spec joint;
    dp_geom_spec geom;
    dp_site_spec site;
    dp_actuator_spec actuator;
    dp_sensor_spec sensor;
    dp_mesh_spec mesh;
    dp_hfield_spec hfield;
    dp_pair_spec pair;
    dp_exclude_spec exclude;
    dp_tendon_spec tendon;
    dp_equality_spec equality;
    dp_force_spec force;
    dp_motion_spec motion;
    dp_key_spec key;
} any_spec;

static bool find(int *out, PyObject *self, dpy_element kind, PyObject *which)
{
    const described *e = &elements[kind];
    const char *what = dpy_element_name(kind);
    const int count = e->count(spec_of(self));
    const char *wanted = PyUnicode_Check(which) ? PyUnicode_AsUTF8AndSize(which, NULL) : NULL;
    for (int i = 0; wanted && i < count; ++i) {
        const char *name = *(const char **)e->at(spec_of(self), i); // first member of each
        if (name && strcmp(name, wanted) == 0) {
            *out = i;
            return true;
        }
    }
    if (wanted) {
        dpy_argument("there is no %s '%s'", what, wanted);
        return false;
    }
    const Py_ssize_t index = PyNumber_AsSsize_t(which, NULL);
    if (index == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected a name or a number", what);
        return false;
    }
    if (index < 0 || index >= count) {
        dpy_argument("%s %zd does not exist (expected 0 to %d)", what, index, count - 1);
        return false;
    }
    *out = (int)index;
    return true;
}

static PyObject *add(PyObject *self, dpy_element kind, PyObject *args, PyObject *kwargs)
{
    const described *e = &elements[kind];
    PyObject *parent = NULL;
    int body = 0, index = -1;
    if (!PyArg_ParseTuple(args, e->on_body ? "O:add" : ":add", &parent) ||
        (parent && !find(&body, self, DPY_BODY, parent))) {
        return NULL;
    }
    any_spec description;
    e->start(&description);
    PyObject *keep = PyList_New(0);
    bool set =
        keep && (!kwargs || dpy_write_all(dpy_spec_struct[kind], &description, kwargs, keep));
    if (set && kind == DPY_BODY && kwargs && PyDict_GetItemString(kwargs, "inertial") &&
        !PyDict_GetItemString(kwargs, "inertia_source")) {
        description.body.inertia_source = DP_INERTIA_SOURCE_GIVEN;
    }
    dp_status status = DP_OK;
    if (set) {
        status = e->add(&index, spec_of(self), body, &description);
        if (status != DP_OK) { // who catches this has seen to it
            dpy_fail(status);
            dp_spec_clear_error(spec_of(self));
        }
    }
    Py_XDECREF(keep);
    return set && status == DP_OK ? PyLong_FromLong(index) : NULL;
}

static void *fetch(PyObject *owner, int kind, int index)
{
    void *element = elements[kind].at(spec_of(owner), index);
    if (!element) {
        dpy_argument("this %s does not exist any more", dpy_element_name((dpy_element)kind));
    }
    return element;
}

static PyObject *element(PyObject *self, dpy_element kind, PyObject *which)
{
    int index = -1;
    if (!find(&index, self, kind, which)) {
        return NULL;
    }
    spec *state = dpy_state(self);
    return dpy_record_fetched(dpy_spec_struct[kind], fetch, self, kind, index, state->strings);
}

// spec.add_joint("arm", name="elbow") and spec.joint("elbow"): two methods for each kind.
#define DPY_SPEC_METHODS(element_, KIND)                                                           \
    static PyObject *spec_add_##element_(PyObject *self, PyObject *args, PyObject *kwargs)         \
    {                                                                                              \
        return add(self, KIND, args, kwargs);                                                      \
    }                                                                                              \
    static PyObject *spec_##element_(PyObject *self, PyObject *which)                              \
    {                                                                                              \
        return element(self, KIND, which);                                                         \
    }
DPY_SPEC_METHODS(body, DPY_BODY)
DPY_SPEC_METHODS(joint, DPY_JOINT)
DPY_SPEC_METHODS(geom, DPY_GEOM)
DPY_SPEC_METHODS(site, DPY_SITE)
DPY_SPEC_METHODS(actuator, DPY_ACTUATOR)
DPY_SPEC_METHODS(sensor, DPY_SENSOR)
DPY_SPEC_METHODS(mesh, DPY_MESH)
DPY_SPEC_METHODS(hfield, DPY_HFIELD)
DPY_SPEC_METHODS(pair, DPY_PAIR)
DPY_SPEC_METHODS(exclude, DPY_EXCLUDE)
DPY_SPEC_METHODS(tendon, DPY_TENDON)
DPY_SPEC_METHODS(equality, DPY_EQUALITY)
DPY_SPEC_METHODS(force, DPY_FORCE)
DPY_SPEC_METHODS(motion, DPY_MOTION)
DPY_SPEC_METHODS(key, DPY_KEY)

static PyObject *wrap(PyTypeObject *type, dp_spec *s, PyObject *report)
{
    PyObject *self = dpy_new(type);
    if (!self) {
        dp_spec_destroy(s);
        return NULL;
    }
    spec *state = dpy_state(self);
    *state = (spec){s, PyList_New(0), report ? Py_NewRef(report) : PyTuple_New(0)};
    if (!state->strings || !state->report) {
        dpy_replace(&self, NULL);
    }
    return self;
}

static PyObject *spec_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *title = "";
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|s:Spec", (char *[]){"title", NULL}, &title)) {
        return NULL;
    }
    dp_spec *s = NULL;
    dp_status status = dp_spec_create(&s, NULL);
    if (status == DP_OK) {
        status = dp_spec_set_title(s, title);
    }
    if (status != DP_OK) {
        dp_spec_destroy(s);
        return dpy_fail(status);
    }
    return wrap(type, s, NULL);
}

static PyObject *load(PyObject *type, const char *path, PyObject *text, PyObject *options)
{
    PyObject *report = NULL;
    dp_spec *s = dpy_import(&report, path, text, options);
    PyObject *self = s ? wrap((PyTypeObject *)type, s, report) : NULL;
    Py_XDECREF(report);
    return self;
}

static PyObject *spec_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *path = NULL;
    if (!PyArg_ParseTuple(args, "O&:load", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    PyObject *self = load(type, PyBytes_AsString(path), NULL, kwargs);
    Py_DECREF(path);
    return self;
}

static PyObject *spec_from_string(PyObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *text = NULL;
    const char *name = "model.xml";
    if (!PyArg_ParseTuple(args, "O|s:from_string", &text, &name)) {
        return NULL;
    }
    return load(type, name, text, kwargs);
}

static void spec_dealloc(PyObject *self)
{
    spec *state = dpy_state(self);
    dp_spec_destroy(state->s);
    Py_XDECREF(state->strings);
    Py_XDECREF(state->report);
    dpy_free(self);
}

static PyObject *spec_compile(PyObject *self, PyObject *unused)
{
    (void)unused;
    return dpy_model_compile(dpy.model, spec_of(self), ((spec *)dpy_state(self))->report);
}

static PyObject *spec_to_mjcf(PyObject *self, PyObject *unused)
{
    (void)unused;
    char *text = NULL;
    size_t bytes = 0;
    const dp_status status = dp_mjcf_write(&text, &bytes, spec_of(self), NULL);
    if (status != DP_OK) {
        return dpy_fail(status);
    }
    PyObject *out = PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, "replace");
    free(text);
    return out;
}

static PyObject *spec_attach(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *part = NULL, *position = NULL, *quaternion = NULL;
    const char *prefix = "";
    dp_pose pose;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|OOs:attach",
                                     (char *[]){"part", "position", "quaternion", "prefix", NULL},
                                     dpy.spec, &part, &position, &quaternion, &prefix) ||
        !dpy_pose_read(&pose, position, quaternion)) {
        return NULL;
    }
    const dp_status status = dp_spec_attach(spec_of(self), spec_of(part), pose, prefix);
    if (status != DP_OK) {
        dpy_fail(status);
        dp_spec_clear_error(spec_of(self));
        return NULL;
    }
    return Py_NewRef(Py_None);
}

static PyObject *spec_options(PyObject *self, void *closure)
{
    (void)closure;
    return dpy_record_live(&dpy_options_struct, dp_spec_options(spec_of(self)), self);
}

static PyObject *spec_title(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(dp_spec_title(spec_of(self)));
}

static int spec_set_title(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    const char *title =
        value && PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    if (!title) {
        PyErr_SetString(PyExc_TypeError, "title: expected a string");
        return -1;
    }
    const dp_status status = dp_spec_set_title(spec_of(self), title);
    if (status != DP_OK) {
        dpy_fail(status);
    }
    return status == DP_OK ? 0 : -1;
}

static PyObject *spec_report(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((spec *)dpy_state(self))->report);
}

static PyGetSetDef spec_getset[] = {
    {"options", spec_options, NULL, "Options: the settings, to be changed in place", NULL},
    {"title", spec_title, spec_set_title, "str (settable): title of the scene", NULL},
    {"import_report", spec_report, NULL, "tuple[ImportItem, ...]: what was made of the file", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define DPY_WITH_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))
#define DPY_SPEC_ROWS(element_, type, parent, doc)                                                 \
    {"add_" #element_, DPY_WITH_KEYWORDS(spec_add_##element_), METH_VARARGS | METH_KEYWORDS,       \
     "add_" #element_ "($self, " parent "**members: Any)\n--\n\n-> int\nAdd " doc                  \
     "; members are those of " type ". Its number."},                                              \
    {                                                                                              \
#element_, spec_##element_, METH_O,                                                        \
            #element_ "($self, which: str | int, /)\n--\n\n-> " type "\nHow " doc                  \
                      " is described, to be changed in place."                                     \
    }
#define DPY_ON_BODY "body: str | int, /, "
static PyMethodDef spec_methods[] = {
    {"load", DPY_WITH_KEYWORDS(spec_load), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, path: str | PathLike[str], /, **options: Any)\n--\n\n-> Self\n"
     "Read an MJCF or URDF file; options as of Model."},
    {"from_string", DPY_WITH_KEYWORDS(spec_from_string), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_string($type, text: str | bytes, name: str = 'model.xml', /, **options: Any)\n--\n\n"
     "-> Self\nThe same from memory."},
    {"compile", spec_compile, METH_NOARGS,
     "compile($self, /)\n--\n\n-> Model\nThe model that this describes. The spec may change after "
     "it."},
    {"to_mjcf", spec_to_mjcf, METH_NOARGS,
     "to_mjcf($self, /)\n--\n\n-> str\nThe mechanism as MJCF: reading it gives the same numbers."},
    {"attach", DPY_WITH_KEYWORDS(spec_attach), METH_VARARGS | METH_KEYWORDS,
     "attach($self, /, part: Spec, position: ArrayLike | None = None, quaternion: ArrayLike | None "
     "= "
     "None, prefix: str = '')\n--\n\n-> None\n"
     "Add everything that is in another spec, its world placed at a pose, with a prefix to its "
     "names."},
    DPY_SPEC_ROWS(body, "BodySpec", DPY_ON_BODY, "a body"),
    DPY_SPEC_ROWS(joint, "JointSpec", DPY_ON_BODY, "a joint"),
    DPY_SPEC_ROWS(geom, "GeomSpec", DPY_ON_BODY, "a geom"),
    DPY_SPEC_ROWS(site, "SiteSpec", DPY_ON_BODY, "a site"),
    DPY_SPEC_ROWS(actuator, "ActuatorSpec", "", "an actuator"),
    DPY_SPEC_ROWS(sensor, "SensorSpec", "", "a sensor"),
    DPY_SPEC_ROWS(mesh, "MeshSpec", "", "a mesh"),
    DPY_SPEC_ROWS(hfield, "HfieldSpec", "", "a height field"),
    DPY_SPEC_ROWS(pair, "PairSpec", "", "a pair of geoms"),
    DPY_SPEC_ROWS(exclude, "ExcludeSpec", "", "two bodies that do not touch"),
    DPY_SPEC_ROWS(tendon, "TendonSpec", "", "a tendon"),
    DPY_SPEC_ROWS(equality, "EqualitySpec", "", "an equality"),
    DPY_SPEC_ROWS(force, "ForceSpec", "", "a force by expressions"),
    DPY_SPEC_ROWS(motion, "MotionSpec", "", "a motion by expressions"),
    DPY_SPEC_ROWS(key, "KeySpec", "", "a keyframe"),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot spec_slots[] = {
    {Py_tp_new, spec_new},
    {Py_tp_dealloc, spec_dealloc},
    {Py_tp_getset, spec_getset},
    {Py_tp_methods, spec_methods},
    {Py_tp_doc, "Spec(title: str = '')\n--\n\nThe editable description of a mechanism: the world "
                "and nothing else at first. Body 0, or 'world', is the world."},
    {0, NULL},
};
static PyType_Spec spec_type = {
    .name = "dashpot._core.Spec",
    .basicsize = DPY_HEAD + sizeof(spec),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = spec_slots,
};

bool dpy_spec_init(PyObject *module)
{
    dpy.spec = dpy_add_type(module, &spec_type);
    return dpy.spec != NULL;
}
