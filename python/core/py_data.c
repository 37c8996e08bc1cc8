// Data: the state of one simulation. Its arrays are the library's own memory.
#include "py_fields.h"

#include <string.h>

dpy_data *dpy_data_state(PyObject *self)
{
    return dpy_state(self);
}

dp_data *dpy_data_use(PyObject *self)
{
    dpy_data *s = dpy_state(self);
    return dpy_may_use(s->call, "Data") ? s->d : NULL;
}

// Arrays on the memory of a Data. To add one: a row here and one in data_getset.

static void *q_of(dp_data *d)
{
    return dp_data_q(d);
}
static void *v_of(dp_data *d)
{
    return dp_data_v(d);
}
static void *activation_of(dp_data *d)
{
    return dp_data_activation(d);
}
static void *control_of(dp_data *d)
{
    return dp_data_control(d);
}
static void *force_of(dp_data *d)
{
    return dp_data_force(d);
}
static void *wrench_of(dp_data *d)
{
    return dp_data_wrench(d, DP_WORLD);
}
static void *mocap_of(dp_data *d)
{
    return dp_data_mocap(d, 0);
}
static void *acceleration_of(dp_data *d)
{
    return (void *)dp_data_acceleration(d);
}
static void *actuator_force_of(dp_data *d)
{
    return (void *)dp_data_actuator_force(d);
}
static void *actuation_of(dp_data *d)
{
    return (void *)dp_data_actuation(d);
}
static void *passive_of(dp_data *d)
{
    return (void *)dp_data_passive(d);
}
static void *sensors_of(dp_data *d)
{
    return (void *)dp_data_sensors(d);
}

typedef struct lent {
    const char *name;
    void *(*memory)(dp_data *d);
    size_t rows; ///< where dp_model_size counts them
    int columns; ///< 0: a vector
    bool writable;
} lent;
enum {
    Q,
    V,
    ACTIVATION,
    CONTROL,
    FORCE,
    WRENCH,
    MOCAP,
    ACCELERATION,
    ACTUATOR_FORCE,
    ACTUATION,
    PASSIVE,
    SENSORS,
};
static const lent arrays[] = {
    [Q] = {"q", q_of, offsetof(dp_model_size, nq), 0, true},
    [V] = {"v", v_of, offsetof(dp_model_size, nv), 0, true},
    [ACTIVATION] = {"activation", activation_of, offsetof(dp_model_size, na), 0, true},
    [CONTROL] = {"control", control_of, offsetof(dp_model_size, nu), 0, true},
    [FORCE] = {"force", force_of, offsetof(dp_model_size, nv), 0, true},
    [WRENCH] = {"wrench", wrench_of, offsetof(dp_model_size, nbody), 6, true},
    [MOCAP] = {"mocap", mocap_of, offsetof(dp_model_size, nmocap), 7, true},
    [ACCELERATION] = {"acceleration", acceleration_of, offsetof(dp_model_size, nv), 0, false},
    [ACTUATOR_FORCE] = {"actuator_force", actuator_force_of, offsetof(dp_model_size, nu), 0, false},
    [ACTUATION] = {"actuation", actuation_of, offsetof(dp_model_size, nv), 0, false},
    [PASSIVE] = {"passive", passive_of, offsetof(dp_model_size, nv), 0, false},
    [SENSORS] = {"sensors", sensors_of, offsetof(dp_model_size, nsensordata), 0, false},
};

static PyObject *make_array(dpy_data *s, const lent *a)
{
    int rows = 0;
    memcpy(&rows, (const char *)dp_model_sizes(dpy_model(s->model)) + a->rows, sizeof rows);
    return dpy_view(s->handle, a->memory(s->d), "d",
                    a->columns ? dpy_shape2(rows, a->columns) : dpy_shape1(rows), a->writable);
}

// Made when it is asked for first; then the same object each time.
static PyObject *data_array(PyObject *self, void *closure)
{
    dpy_data *s = dpy_state(self);
    const int which = dpy_place(closure);
    if (!s->array[which]) {
        s->array[which] = make_array(s, &arrays[which]);
    }
    return Py_XNewRef(s->array[which]);
}

static int data_set_array(PyObject *self, PyObject *value, void *closure)
{
    const lent *a = &arrays[dpy_place(closure)];
    if (!value) {
        PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", a->name);
        return -1;
    }
    dp_data *d = dpy_data_use(self);
    int rows = 0;
    memcpy(&rows, (const char *)dp_model_sizes(dpy_model(dpy_data_state(self)->model)) + a->rows,
           sizeof rows);
    dpy_numbers n;
    if (!d || !dpy_numbers_read(&n, value, a->name,
                                a->columns ? dpy_shape2(rows, a->columns) : dpy_shape1(rows))) {
        return -1;
    }
    if (n.count > 0) {
        memmove(a->memory(d), n.value, (size_t)n.count * sizeof(double));
    }
    dpy_numbers_free(&n);
    return 0;
}

// Making and ending

static void destroy_data(void *d)
{
    dp_data_destroy(d);
}

static bool set_option(dp_data *d, const char *name, PyObject *value)
{
    PyObject *text = PyBool_Check(value) ? PyUnicode_FromString(value == Py_True ? "true" : "false")
                                         : PyObject_Str(value);
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const dp_status status = utf8 ? dp_options_set(dp_data_options(d), name, utf8) : DP_OK;
    if (status != DP_OK) {
        dpy_fail(status);
    }
    Py_XDECREF(text);
    return utf8 && status == DP_OK;
}

static bool reset_to(PyObject *self, PyObject *keyframe)
{
    dpy_data *s = dpy_state(self);
    int key = -1;
    if (!keyframe || keyframe == Py_None) {
        dp_data_reset(s->d);
        return true;
    }
    if (!dpy_element_find(&key, dpy_model(s->model), DPY_KEY, keyframe)) {
        return false;
    }
    const dp_status status = dp_data_reset_to_key(s->d, (dp_key_id){key});
    if (status != DP_OK) {
        dpy_fail(status);
    }
    return status == DP_OK;
}

// law, keyframe and threads; all other keywords are names of options.
static bool apply_keywords(PyObject *self, PyObject *kwargs)
{
    dpy_data *s = dpy_state(self);
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name) {
            return false;
        }
        if (strcmp(name, "keyframe") == 0) {
            if (!reset_to(self, value)) {
                return false;
            }
        } else if (strcmp(name, "threads") == 0) {
            const long threads = PyLong_AsLong(value);
            if (threads == -1 && PyErr_Occurred()) {
                return false;
            }
            const dp_status status =
                dp_data_set_threads(s->d, threads < 0 || threads > INT32_MAX ? -1 : (int)threads);
            if (status != DP_OK) {
                dpy_fail(status);
                return false;
            }
        } else if (value != Py_None && !set_option(s->d, name, value)) {
            return false;
        }
    }
    return true;
}

// A step of many bodies takes longer than letting go of the GIL and taking it again.
static bool is_long(const dp_model *m)
{
    const dp_model_size *n = dp_model_sizes(m);
    return n->nv > 12 || (n->nv > 6 && n->ntouch != 0) || n->nequality > 4;
}

static PyObject *make_data(PyTypeObject *type, PyObject *model)
{
    PyObject *self = dpy_new(type);
    if (!self) {
        return NULL;
    }
    dpy_data *s = dpy_state(self);
    s->model = Py_NewRef(model);
    dp_data *d = NULL;
    const dp_status status = dp_data_create(&d, dpy_model(model), NULL);
    if (status != DP_OK) {
        Py_DECREF(self);
        return dpy_fail(status);
    }
    s->d = d;
    s->handle = dpy_handle(d, destroy_data, model);
    if (!s->handle) {
        Py_DECREF(self);
        return NULL;
    }
    s->long_step = is_long(dpy_model(model));
    s->call = &s->own_call;
    dp_data_set_interrupt(d, dpy_interrupt, s->call);
    return self;
}

PyObject *dpy_world(PyObject *batch, PyObject *handle, PyObject *model, dp_data *d, dpy_call *call)
{
    PyObject *self = dpy_new(dpy.data);
    if (self) {
        dpy_data *s = dpy_state(self);
        s->model = Py_NewRef(model);
        s->handle = Py_NewRef(handle);
        s->batch = Py_NewRef(batch);
        s->d = d;
        s->call = call;
        s->long_step = is_long(dpy_model(model));
    }
    return self;
}

static PyObject *data_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *model = NULL;
    if (!PyArg_ParseTuple(args, "O!:Data", dpy.model, &model)) {
        return NULL;
    }
    PyObject *self = make_data(type, model);
    if (self && !apply_keywords(self, kwargs)) {
        dpy_replace(&self, NULL);
    }
    return self;
}

static int data_traverse(PyObject *self, visitproc visit, void *arg)
{
    dpy_data *s = dpy_state(self);
    Py_VISIT(s->control_callback);
    Py_VISIT(s->force_callback);
    Py_VISIT(s->contact_filter);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int data_clear(PyObject *self)
{
    dpy_data *s = dpy_state(self);
    Py_CLEAR(s->control_callback);
    Py_CLEAR(s->force_callback);
    Py_CLEAR(s->contact_filter);
    return 0;
}

// What arrays still refer to lives on in the handle, without the callbacks that mean this object.
static void data_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    dpy_data *s = dpy_state(self);
    if (s->d && !s->batch) {
        dp_data_set_control_callback(s->d, NULL, NULL);
        dp_data_set_force_callback(s->d, NULL, NULL);
        dp_data_set_contact_filter(s->d, NULL, NULL);
        dp_data_set_interrupt(s->d, NULL, NULL);
    }
    (void)data_clear(self);
    for (size_t i = 0; i < sizeof s->array / sizeof s->array[0]; ++i) {
        Py_XDECREF(s->array[i]);
    }
    Py_XDECREF(s->force_array);
    Py_XDECREF(s->handle);
    Py_XDECREF(s->model);
    Py_XDECREF(s->batch);
    dpy_free(self);
}

// State

static PyObject *data_reset(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *key = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:reset", (char *[]){"keyframe", NULL},
                                     &key) ||
        !dpy_data_use(self) || !reset_to(self, key)) {
        return NULL;
    }
    return Py_NewRef(Py_None);
}

static PyObject *data_save(PyObject *self, PyObject *unused)
{
    (void)unused;
    dp_data *d = dpy_data_use(self);
    if (!d) {
        return NULL;
    }
    const size_t bytes = dp_state_bytes(d);
    PyObject *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    const dp_status status = out ? dp_state_save(PyBytes_AsString(out), bytes, d) : DP_OK;
    if (status != DP_OK) {
        Py_DECREF(out);
        return dpy_fail(status);
    }
    return out;
}

static PyObject *data_restore(PyObject *self, PyObject *saved)
{
    char *memory = NULL;
    Py_ssize_t bytes = 0;
    dp_data *d = dpy_data_use(self);
    if (!d || PyBytes_AsStringAndSize(saved, &memory, &bytes) < 0) {
        return NULL;
    }
    const dp_status status = dp_state_restore(d, memory, (size_t)bytes);
    return status == DP_OK ? Py_NewRef(Py_None) : dpy_fail(status);
}

static PyObject *data_copy(PyObject *self, PyObject *unused)
{
    (void)unused;
    dpy_data *s = dpy_state(self);
    dp_data *d = dpy_data_use(self);
    PyObject *other = d ? make_data(Py_TYPE(self), s->model) : NULL;
    if (!other) {
        return NULL;
    }
    dpy_data *o = dpy_state(other);
    const dp_status status = dp_data_copy(o->d, d);
    dp_data_set_control_callback(o->d, NULL, NULL); // those of this object are called with it
    dp_data_set_force_callback(o->d, NULL, NULL);
    dp_data_set_contact_filter(o->d, NULL, NULL);
    if (status != DP_OK) {
        Py_DECREF(other);
        return dpy_fail(status);
    }
    PyObject *callback[] = {s->control_callback, s->force_callback};
    const char *name[] = {"control_callback", "force_callback"};
    for (int i = 0; i < 2; ++i) {
        if (callback[i] && PyObject_SetAttrString(other, name[i], callback[i]) < 0) {
            Py_DECREF(other);
            return NULL;
        }
    }
    return other;
}

static PyObject *data_set(PyObject *self, PyObject *args)
{
    const char *name = NULL;
    PyObject *value = NULL;
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "sO:set_option", &name, &value) ||
        !set_option(d, name, value)) {
        return NULL;
    }
    return Py_NewRef(Py_None);
}

static PyObject *data_equality(PyObject *self, PyObject *args)
{
    PyObject *which = NULL;
    int active = -1, index = -1;
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "O|p:equality_active", &which, &active) ||
        !dpy_element_find(&index, dp_data_model(d), DPY_EQUALITY, which)) {
        return NULL;
    }
    if (active >= 0) {
        dp_data_set_equality_active(d, (dp_equality_id){index}, active != 0);
    }
    return PyBool_FromLong(dp_data_equality_active(d, (dp_equality_id){index}));
}

static PyObject *data_model(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(dpy_data_state(self)->model);
}

static PyObject *data_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(dp_data_time(dpy_data_state(self)->d));
}

static int data_set_time(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    const double time = value ? PyFloat_AsDouble(value) : -1.0;
    dp_data *d = dpy_data_use(self);
    if (!d || !value || (time == -1.0 && PyErr_Occurred())) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_AttributeError, "time cannot be deleted");
        }
        return -1;
    }
    dp_data_set_time(d, time);
    return 0;
}

static PyObject *data_options(PyObject *self, void *closure)
{
    (void)closure;
    dpy_data *s = dpy_state(self);
    return dpy_record_live(&dpy_options_struct, dp_data_options(s->d), s->handle);
}

static PyObject *data_report(PyObject *self, void *closure)
{
    (void)closure;
    dp_data *d = dpy_data_use(self);
    return d ? dpy_record(&dpy_step_report_struct, dp_data_report(d), NULL) : NULL;
}

static PyObject *data_certificate(PyObject *self, void *closure)
{
    (void)closure;
    dp_data *d = dpy_data_use(self);
    return d ? dpy_record(&dpy_certificate_struct, &dp_data_report(d)->certificate, NULL) : NULL;
}

static PyObject *data_energy(PyObject *self, void *closure)
{
    (void)closure;
    dp_data *d = dpy_data_use(self);
    if (!d) {
        return NULL;
    }
    const dp_energy e = dp_data_energy(d);
    const dpy_energy energy = {e.kinetic, e.gravity, e.spring, e.kinetic + e.gravity + e.spring};
    return dpy_record(&dpy_energy_struct, &energy, NULL);
}

static PyObject *data_ledger(PyObject *self, void *closure)
{
    (void)closure;
    dp_data *d = dpy_data_use(self);
    return d ? dpy_record(&dpy_ledger_struct, dp_data_ledger(d), NULL) : NULL;
}

static PyObject *data_hash(PyObject *self, void *closure)
{
    (void)closure;
    dp_data *d = dpy_data_use(self);
    return d ? PyLong_FromUnsignedLongLong(dp_state_hash(d)) : NULL;
}

static PyObject *data_repr(PyObject *self)
{
    dpy_data *s = dpy_state(self);
    PyObject *time = PyFloat_FromDouble(dp_data_time(s->d));
    PyObject *out = time ? PyUnicode_FromFormat("<Data of '%s' at t = %R s>",
                                                dp_model_title(dpy_model(s->model)), time)
                         : NULL;
    Py_XDECREF(time);
    return out;
}

#define DPY_LENT(name, which, doc)                                                                 \
    {                                                                                              \
        name, data_array, data_set_array, "ndarray (settable): " doc, DPY_PLACE(which)             \
    }
#define DPY_READ(name, which, doc)                                                                 \
    {                                                                                              \
        name, data_array, NULL, "ndarray: " doc, DPY_PLACE(which)                                  \
    }
static PyGetSetDef data_getset[] = {
    DPY_LENT("q", Q, "(nq,) generalised positions [m, rad]; live"),
    DPY_LENT("v", V, "(nv,) generalised velocities; live"),
    DPY_LENT("activation", ACTIVATION, "(na,) activations; live"),
    DPY_LENT("control", CONTROL, "(nu,) controls; live"),
    DPY_LENT("force", FORCE, "(nv,) generalised forces of the user [N m, N]; live"),
    DPY_LENT(
        "wrench", WRENCH,
        "(nbody, 6) external wrenches, world axes, about centres of mass: moment, force; live"),
    DPY_LENT("mocap", MOCAP, "(nmocap, 7) poses of mocap bodies: w x y z, then x y z [m]; live"),
    DPY_READ("acceleration", ACCELERATION, "(nv,) as of the last forward or sense; live"),
    DPY_READ("actuator_force", ACTUATOR_FORCE, "(nu,) as of the last forward or sense; live"),
    DPY_READ("actuation", ACTUATION, "(nv,) of all actuators; live"),
    DPY_READ("passive", PASSIVE, "(nv,) springs, dampers, gravity compensation; live"),
    DPY_READ("sensors", SENSORS, "(nsensordata,) as of the last sense; live"),
    {"model", data_model, NULL, "Model: the model that this is a state of", NULL},
    {"time", data_time, data_set_time, "float (settable): [s]", NULL},
    {"options", data_options, NULL, "Options: settings of this simulation, to be changed in place",
     NULL},
    {"report", data_report, NULL, "StepReport: how the last step went", NULL},
    {"certificate", data_certificate, NULL, "Certificate: how well the last step met its rows",
     NULL},
    {"energy", data_energy, NULL, "Energy: at the present state [J]", NULL},
    {"ledger", data_ledger, NULL, "Ledger: where energy came from and went (options.ledger)", NULL},
    {"hash", data_hash, NULL, "int: of the bits of the state", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef data_methods[] = {
    {"reset", (PyCFunction)(void (*)(void))data_reset, METH_VARARGS | METH_KEYWORDS,
     "reset($self, /, keyframe: str | int | None = None)\n--\n\n-> None\n"
     "Back to the reference configuration at rest, or to a keyframe."},
    {"save", data_save, METH_NOARGS,
     "save($self, /)\n--\n\n-> bytes\nThe state, to the bit: positions, velocities, activations, "
     "time, impulses of the last step."},
    {"restore", data_restore, METH_O,
     "restore($self, saved: bytes, /)\n--\n\n-> None\nBack to a state of save()."},
    {"copy", data_copy, METH_NOARGS,
     "copy($self, /)\n--\n\n-> Self\nAnother simulation in the same state, with the same options, "
     "inputs and callbacks."},
    {"set_option", data_set, METH_VARARGS,
     "set_option($self, name: str, value: Any, /)\n--\n\n-> None\n"
     "Set an option by its name: set_option('gravity', '0,0,-1.62')."},
    {"equality_active", data_equality, METH_VARARGS,
     "equality_active($self, which: str | int, active: bool = ..., /)\n--\n\n-> bool\n"
     "Is an equality in force? With `active`, after it has been switched."},
    {NULL, NULL, 0, NULL},
};

// One list from the lists of several files, which ends with a row of zeros.
static PyMethodDef *all_methods(void)
{
    static PyMethodDef all[96];
    PyMethodDef *const part[] = {
        data_methods,        dpy_step_methods,    dpy_dynamics_methods,  dpy_query_methods,
        dpy_element_methods, dpy_statics_methods, dpy_parameter_methods, dpy_step_problem_methods};
    size_t count = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        for (const PyMethodDef *m = part[i]; m->ml_name && count < 95; ++m) {
            all[count++] = *m;
        }
    }
    return all;
}

static PyGetSetDef *all_getset(void)
{
    static PyGetSetDef all[64];
    PyGetSetDef *const part[] = {data_getset, dpy_step_getset, dpy_query_getset};
    size_t count = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        for (const PyGetSetDef *m = part[i]; m->name && count < 63; ++m) {
            all[count++] = *m;
        }
    }
    return all;
}

bool dpy_data_init(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_new, data_new},
        {Py_tp_dealloc, data_dealloc},
        {Py_tp_traverse, data_traverse},
        {Py_tp_clear, data_clear},
        {Py_tp_repr, data_repr},
        {Py_tp_getset, all_getset()},
        {Py_tp_methods, all_methods()},
        {Py_tp_doc,
         "Data(model: Model, /, *, law: str | None = None, keyframe: str | int | None = "
         "None, threads: int = 1, **options: Any)\n--\n\n"
         "One simulation of a model: state, inputs, and what can be asked about a moment "
         "in time. Options are those of Options by name: step=1e-3, integrator='rk4'."},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "dashpot._core.Data",
        .basicsize = DPY_HEAD + sizeof(dpy_data),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    dpy.data = dpy_add_type(module, &spec);
    return dpy.data != NULL;
}
