// Model: a compiled mechanism, shared by any number of Data.
#include "py_fields.h"

#include <string.h>

typedef struct model {
    dp_model *m;
    PyObject *report; ///< of the import: a tuple
} model;

const dp_model *dpy_model(PyObject *self)
{
    return ((model *)dpy_state(self))->m;
}

PyObject *dpy_model_compile(PyTypeObject *type, const dp_spec *spec, PyObject *report)
{
    dp_model *m = NULL;
    const dp_status status = dp_model_compile(&m, spec);
    if (status != DP_OK) {
        return dpy_fail(status);
    }
    PyObject *self = dpy_new(type);
    if (!self) {
        dp_model_destroy(m);
        return NULL;
    }
    model *state = dpy_state(self);
    state->m = m;
    state->report = report ? Py_NewRef(report) : PyTuple_New(0);
    return self;
}

static PyObject *import_and_compile(PyTypeObject *type, const char *path, PyObject *text,
                                    PyObject *options)
{
    PyObject *report = NULL;
    dp_spec *spec = dpy_import(&report, path, text, options);
    PyObject *self = spec ? dpy_model_compile(type, spec, report) : NULL;
    dp_spec_destroy(spec);
    Py_XDECREF(report);
    return self;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *path = NULL;
    if (!PyArg_ParseTuple(args, "O&:Model", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    PyObject *self = import_and_compile(type, PyBytes_AsString(path), NULL, kwargs);
    Py_DECREF(path);
    return self;
}

static PyObject *model_from_string(PyObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *text = NULL;
    const char *name = "model.xml";
    if (!PyArg_ParseTuple(args, "O|s:from_string", &text, &name)) {
        return NULL;
    }
    return import_and_compile((PyTypeObject *)type, name, text, kwargs);
}

static void model_dealloc(PyObject *self)
{
    model *state = dpy_state(self);
    dp_model_destroy(state->m);
    Py_XDECREF(state->report);
    dpy_free(self);
}

static PyObject *model_size(PyObject *self, void *closure)
{
    const size_t offset = (size_t)dpy_place(closure);
    return PyLong_FromLong(
        *(const int *)(const void *)((const char *)dp_model_sizes(dpy_model(self)) + offset));
}

static PyObject *model_sizes(PyObject *self, void *closure)
{
    (void)closure;
    return dpy_record(&dpy_model_size_struct, dp_model_sizes(dpy_model(self)), NULL);
}

static PyObject *model_title(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(dp_model_title(dpy_model(self)));
}

static PyObject *model_options(PyObject *self, void *closure)
{
    (void)closure;
    return dpy_record(&dpy_options_struct, dp_model_options(dpy_model(self)), self);
}

static PyObject *model_report(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((model *)dpy_state(self))->report);
}

static PyObject *model_reference(PyObject *self, void *closure)
{
    (void)closure;
    const dp_model *m = dpy_model(self);
    return dpy_vector(dp_model_q_reference(m), dp_model_sizes(m)->nq);
}

static PyObject *names_of(const dp_model *m, dpy_element kind)
{
    const int count = dpy_element_count(m, kind);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; ++i) {
        PyObject *name = PyUnicode_FromString(dpy_element_text(m, kind, i));
        if (!name || PyTuple_SetItem(names, i, name) < 0) {
            dpy_replace(&names, NULL);
        }
    }
    return names;
}

static PyObject *model_names(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *all = PyDict_New();
    for (int kind = 0; all && kind < DPY_ELEMENTS; ++kind) {
        PyObject *names = names_of(dpy_model(self), (dpy_element)kind);
        if (!names || PyDict_SetItemString(all, dpy_element_name((dpy_element)kind), names) < 0) {
            dpy_replace(&all, NULL);
        }
        Py_XDECREF(names);
    }
    return all;
}

static PyObject *info(PyObject *self, PyObject *which, dpy_element kind)
{
    int index = -1;
    return dpy_element_find(&index, dpy_model(self), kind, which)
               ? dpy_element_info(self, kind, index)
               : NULL;
}

// model.body("hand"): one method for each kind.
#define DPY_INFO_METHOD(element, KIND)                                                             \
    static PyObject *model_##element(PyObject *self, PyObject *which)                              \
    {                                                                                              \
        return info(self, which, KIND);                                                            \
    }
DPY_INFO_METHOD(body, DPY_BODY)
DPY_INFO_METHOD(joint, DPY_JOINT)
DPY_INFO_METHOD(geom, DPY_GEOM)
DPY_INFO_METHOD(site, DPY_SITE)
DPY_INFO_METHOD(actuator, DPY_ACTUATOR)
DPY_INFO_METHOD(sensor, DPY_SENSOR)
DPY_INFO_METHOD(mesh, DPY_MESH)
DPY_INFO_METHOD(hfield, DPY_HFIELD)
DPY_INFO_METHOD(pair, DPY_PAIR)
DPY_INFO_METHOD(exclude, DPY_EXCLUDE)
DPY_INFO_METHOD(tendon, DPY_TENDON)
DPY_INFO_METHOD(equality, DPY_EQUALITY)
DPY_INFO_METHOD(force, DPY_FORCE)
DPY_INFO_METHOD(motion, DPY_MOTION)

static PyObject *model_index(PyObject *self, PyObject *args)
{
    const char *wanted = NULL;
    PyObject *which = NULL;
    if (!PyArg_ParseTuple(args, "sO:index", &wanted, &which)) {
        return NULL;
    }
    for (int kind = 0; kind < DPY_ELEMENTS; ++kind) {
        if (strcmp(wanted, dpy_element_name((dpy_element)kind)) == 0) {
            int index = -1;
            return dpy_element_find(&index, dpy_model(self), (dpy_element)kind, which)
                       ? PyLong_FromLong(index)
                       : NULL;
        }
    }
    return dpy_argument(
        "there is no kind '%s' (expected body, joint, geom or another, as in names)", wanted);
}

static PyObject *model_may_touch(PyObject *self, PyObject *args)
{
    PyObject *a = NULL, *b = NULL;
    int geom[2] = {-1, -1};
    const dp_model *m = dpy_model(self);
    if (!PyArg_ParseTuple(args, "OO:may_touch", &a, &b) ||
        !dpy_element_find(&geom[0], m, DPY_GEOM, a) ||
        !dpy_element_find(&geom[1], m, DPY_GEOM, b)) {
        return NULL;
    }
    return PyBool_FromLong(dp_model_may_touch(m, (dp_geom_id){geom[0]}, (dp_geom_id){geom[1]}));
}

static bool add_channel(void *context, const char *name, const char *unit)
{
    PyObject *text = PyUnicode_FromString(unit);
    const bool added = text && PyDict_SetItemString(context, name, text) == 0;
    Py_XDECREF(text);
    return added;
}

static PyObject *model_channels(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *all = PyDict_New();
    if (all) {
        dp_channel_list(dpy_model(self), add_channel, all);
    }
    if (PyErr_Occurred()) {
        Py_CLEAR(all);
    }
    return all;
}

static PyObject *model_repr(PyObject *self)
{
    const dp_model *m = dpy_model(self);
    const dp_model_size *n = dp_model_sizes(m);
    return PyUnicode_FromFormat("<Model '%s': %d bodies, %d joints, %d geoms, nq=%d, nv=%d, nu=%d>",
                                dp_model_title(m), n->nbody, n->njoint, n->ngeom, n->nq, n->nv,
                                n->nu);
}

#define DPY_SIZE(member, doc)                                                                      \
    {                                                                                              \
#member, model_size, NULL, "int: " doc, DPY_PLACE(offsetof(dp_model_size, member))         \
    }
static PyGetSetDef model_getset[] = {
    DPY_SIZE(nq, "generalised positions"),
    DPY_SIZE(nv, "generalised velocities (degrees of freedom)"),
    DPY_SIZE(nu, "controls, one for each actuator"),
    DPY_SIZE(na, "activations"),
    DPY_SIZE(nbody, "bodies, the world included"),
    DPY_SIZE(njoint, "joints"),
    DPY_SIZE(ngeom, "geoms"),
    DPY_SIZE(nsensordata, "numbers that all sensors give"),
    {"sizes", model_sizes, NULL, "ModelSize: how many there are of everything", NULL},
    {"title", model_title, NULL, "str: title of the scene", NULL},
    {"names", model_names, NULL,
     "dict[str, tuple[str, ...]]: names by kind (body, joint, geom, …), '' where there is none",
     NULL},
    {"options", model_options, NULL, "Options: the settings that the model says, a copy", NULL},
    {"import_report", model_report, NULL,
     "tuple[ImportItem, ...]: what was made of the file, item by item", NULL},
    {"q_reference", model_reference, NULL,
     "ndarray: the configuration as described: all joints at their reference", NULL},
    {"channels", model_channels, NULL,
     "dict[str, str]: names of channels that can be recorded, with their units", NULL},
    {"parameters", dpy_model_parameters, NULL,
     "tuple[str, ...]: names of the numbers that a simulation may have values of its own for",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define DPY_INFO(element, type, doc)                                                               \
    {                                                                                              \
#element, model_##element, METH_O,                                                         \
            #element "($self, which: str | int, /)\n--\n\n-> " type "\n" doc                       \
    }
static PyMethodDef model_methods[] = {
    {"from_string", (PyCFunction)(void (*)(void))model_from_string,
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_string($type, text: str | bytes, name: str = 'model.xml', /, **options: Any)\n--\n\n-> "
     "Self\n"
     "Read MJCF or URDF from memory. Files that it names are looked up beside `name`."},
    DPY_INFO(body, "BodyInfo", "What is known of a body, by name or number."),
    DPY_INFO(joint, "JointInfo", "What is known of a joint."),
    DPY_INFO(geom, "GeomInfo", "What is known of a geom."),
    DPY_INFO(site, "SiteInfo", "What is known of a site."),
    DPY_INFO(actuator, "ActuatorInfo", "What is known of an actuator."),
    DPY_INFO(sensor, "SensorInfo", "What is known of a sensor."),
    DPY_INFO(mesh, "MeshInfo", "A mesh."),
    DPY_INFO(hfield, "HfieldInfo", "A height field."),
    DPY_INFO(pair, "PairInfo", "A pair of geoms with numbers of its own."),
    DPY_INFO(exclude, "ExcludeInfo", "Two bodies that do not touch."),
    DPY_INFO(tendon, "TendonInfo", "What is known of a tendon."),
    DPY_INFO(equality, "EqualityInfo", "What is known of an equality."),
    DPY_INFO(force, "ForceInfo", "A force given by expressions."),
    DPY_INFO(motion, "MotionInfo", "A motion given by expressions."),
    {"index", model_index, METH_VARARGS,
     "index($self, kind: str, which: str | int, /)\n--\n\n-> int\n"
     "The number of an element: index('joint', 'elbow')."},
    {"parameter", dpy_model_parameter, METH_O,
     "parameter($self, name: str, /)\n--\n\n-> ParameterInfo\n"
     "A parameter by name, 'body.torso.mass': unit, value, bounds."},
    {"may_touch", model_may_touch, METH_VARARGS,
     "may_touch($self, a: str | int, b: str | int, /)\n--\n\n-> bool\n"
     "May two geoms touch, wherever they are?"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_repr, model_repr},
    {Py_tp_getset, model_getset},
    {Py_tp_methods, model_methods},
    {Py_tp_doc, "Model(path: str | PathLike[str], /, **options: Any)\n--\n\n"
                "A mechanism from an MJCF or URDF file: topology, inertias, shapes, options. "
                "Constant, so that any number of Data may share it, in any thread.\n\n"
                "Options of the import: allow=('feature', …), allow_outside=False, "
                "package_path=('folder', …), repair=False, urdf_floating_base=False, "
                "urdf_self_collision='auto'."},
    {0, NULL},
};
static PyType_Spec model_spec = {
    .name = "dashpot._core.Model",
    .basicsize = DPY_HEAD + sizeof(model),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = model_slots,
};

bool dpy_model_init(PyObject *module)
{
    dpy.model = dpy_add_type(module, &model_spec);
    return dpy.model != NULL;
}
