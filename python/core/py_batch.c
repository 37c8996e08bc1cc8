// Batch: many simulations of one model on several threads, with arrays over all of them.
#include "py_fields.h"

#include <dashpot/batch.h>

#include <string.h>

enum { Q, V, ACTIVATION, MOCAP, CONTROL, FORCE, WRENCH, SENSORS, TIME, ARRAYS };

typedef struct batch {
    PyObject *handle, *model;
    dp_batch *b;
    dp_batch_arrays arrays;
    PyObject *array[ARRAYS];
    dpy_call call;
} batch;

static void destroy_batch(void *b)
{
    dp_batch_destroy(b);
}

static dp_batch *use(PyObject *self)
{
    batch *s = dpy_state(self);
    return dpy_may_use(&s->call, "Batch") ? s->b : NULL;
}

// A simulation to begin from: a Data, or one of a Model with keywords.
static PyObject *origin(PyObject *from, PyObject *kwargs)
{
    if (!PyObject_TypeCheck(from, dpy.data)) {
        PyObject *one = PyTuple_Pack(1, from);
        PyObject *data = one ? PyObject_Call((PyObject *)dpy.data, one, kwargs) : NULL;
        Py_XDECREF(one);
        return data;
    }
    const dpy_data *s = dpy_data_state(from);
    if (kwargs && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "options belong to the Data that a Batch begins from");
        return NULL;
    }
    if (s->control_callback || s->force_callback || s->contact_filter) {
        return dpy_argument(
            "a Data with callbacks of Python cannot become a Batch: its threads run "
            "without it (write control between steps)");
    }
    return Py_NewRef(from);
}

static PyObject *make(PyTypeObject *type, PyObject *data, int count, int threads)
{
    dp_data *d = dpy_data_use(data);
    dp_batch *b = NULL;
    const dp_status status = d ? dp_batch_create(&b, d, count, threads, NULL) : DP_OK;
    if (!d || status != DP_OK) {
        return d ? dpy_fail(status) : NULL;
    }
    PyObject *model = dpy_data_state(data)->model;
    PyObject *handle = dpy_handle(b, destroy_batch, model);
    PyObject *self = handle ? dpy_new(type) : NULL;
    if (self) {
        batch *s = dpy_state(self);
        s->handle = Py_NewRef(handle);
        s->model = Py_NewRef(model);
        s->b = b;
        s->arrays = dp_batch_arrays_of(b);
        dp_batch_set_interrupt(b, dpy_interrupt, &s->call);
    }
    Py_XDECREF(handle);
    return self;
}

static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *from = NULL, *options = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    int count = 0, threads = 1;
    PyObject *given = options ? PyDict_GetItemString(options, "threads") : NULL;
    if (!options || !PyArg_ParseTuple(args, "Oi:Batch", &from, &count)) {
        Py_XDECREF(options);
        return NULL;
    }
    if (given) {
        threads = (int)PyLong_AsLong(given);
        (void)PyDict_DelItemString(options, "threads");
    }
    PyObject *data = PyErr_Occurred() ? NULL : origin(from, options);
    PyObject *self = data ? make(type, data, count, threads) : NULL;
    Py_XDECREF(data);
    Py_DECREF(options);
    return self;
}

static void batch_dealloc(PyObject *self)
{
    batch *s = dpy_state(self);
    if (s->b) {
        dp_batch_set_interrupt(s->b, NULL, NULL);
    }
    for (int i = 0; i < ARRAYS; ++i) {
        Py_XDECREF(s->array[i]);
    }
    Py_XDECREF(s->handle);
    Py_XDECREF(s->model);
    dpy_free(self);
}

// Arrays: made when they are asked for first, then the same objects each time.

static dpy_shape shape3(Py_ssize_t a, Py_ssize_t b, Py_ssize_t c)
{
    return (dpy_shape){3, {a, b, c}};
}

static PyObject *make_array(const batch *s, int which)
{
    const dp_batch_arrays *a = &s->arrays;
    switch (which) {
    case Q:
        return dpy_view(s->handle, a->q, "d", dpy_shape2(a->count, a->nq), true);
    case V:
        return dpy_view(s->handle, a->v, "d", dpy_shape2(a->count, a->nv), true);
    case ACTIVATION:
        return dpy_view(s->handle, a->activation, "d", dpy_shape2(a->count, a->na), true);
    case MOCAP:
        return dpy_view(s->handle, a->mocap, "d", shape3(a->count, a->nmocap, 7), true);
    case CONTROL:
        return dpy_view(s->handle, a->control, "d", dpy_shape2(a->count, a->nu), true);
    case FORCE:
        return dpy_view(s->handle, a->force, "d", dpy_shape2(a->count, a->nv), true);
    case WRENCH:
        return dpy_view(s->handle, a->wrench, "d", shape3(a->count, a->nbody, 6), true);
    case SENSORS:
        return dpy_view(s->handle, (void *)a->sensors, "d", dpy_shape2(a->count, a->nsensordata),
                        false);
    default:
        return dpy_view(s->handle, (void *)a->time, "d", dpy_shape1(a->count), false);
    }
}

static PyObject *batch_array(PyObject *self, void *closure)
{
    batch *s = dpy_state(self);
    const int which = dpy_place(closure);
    if (!s->array[which]) {
        s->array[which] = make_array(s, which);
    }
    return Py_XNewRef(s->array[which]);
}

static int batch_set_array(PyObject *self, PyObject *value, void *closure)
{
    PyObject *array = use(self) ? batch_array(self, closure) : NULL;
    int status = -1;
    if (array && value) {
        status = PyObject_SetItem(array, Py_Ellipsis, value);
    } else if (array) {
        PyErr_SetString(PyExc_AttributeError, "it cannot be deleted");
    }
    Py_XDECREF(array);
    return status;
}

static void result_at(void *out, int index, const void *results)
{
    *(dp_batch_result *)out = ((const dp_batch_result *)results)[index];
}

static PyObject *batch_result(PyObject *self, void *closure)
{
    (void)closure;
    const batch *s = dpy_state(self);
    return use(self)
               ? dpy_rows(&dpy_batch_result_struct, s->arrays.count, result_at, s->arrays.result)
               : NULL;
}

static PyObject *batch_model(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((batch *)dpy_state(self))->model);
}

static Py_ssize_t batch_length(PyObject *self)
{
    return ((batch *)dpy_state(self))->arrays.count;
}

static PyObject *batch_world(PyObject *self, PyObject *argument)
{
    batch *s = dpy_state(self);
    const long world = PyLong_AsLong(argument);
    if (world == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (world < 0 || world >= s->arrays.count) {
        return dpy_argument("world %ld does not exist (expected 0 to %d)", world,
                            s->arrays.count - 1);
    }
    return dpy_world(self, s->handle, s->model, dp_batch_world(s->b, (int)world), &s->call);
}

// Calls that run worlds

// What a call needs besides the batch and the mask.
typedef struct job {
    dp_status (*run)(dp_batch *b, const bool *mask, const struct job *job);
    int steps, key, nparameter;
    const double *values;
    const dp_parameter_id *parameter;
    const dp_batch_rollout_task *task;
} job;

static dp_status run_step(dp_batch *b, const bool *mask, const job *j)
{
    return dp_batch_step(b, j->steps, mask);
}
static dp_status run_sense(dp_batch *b, const bool *mask, const job *j)
{
    (void)j;
    return dp_batch_sense(b, mask);
}
static dp_status run_reset(dp_batch *b, const bool *mask, const job *j)
{
    return j->key < 0 ? dp_batch_reset(b, mask)
                      : dp_batch_reset_to_key(b, mask, (dp_key_id){j->key});
}
static dp_status run_states(dp_batch *b, const bool *mask, const job *j)
{
    return dp_batch_reset_to_states(b, mask, j->values);
}
static dp_status run_parameters(dp_batch *b, const bool *mask, const job *j)
{
    return dp_batch_set_parameters(b, mask, j->nparameter, j->parameter, j->values);
}
static dp_status run_rollout(dp_batch *b, const bool *mask, const job *j)
{
    return dp_batch_rollout(b, mask, j->task);
}

// Without the GIL. @param check raise what a world failed with
static PyObject *run(PyObject *self, PyObject *mask, const job *j, bool check)
{
    batch *s = dpy_state(self);
    dpy_numbers flags;
    if (!dpy_mask_read(&flags, mask, s->arrays.count)) {
        return NULL;
    }
    if (!dpy_enter(&s->call, "Batch")) {
        dpy_numbers_free(&flags);
        return NULL;
    }
    dpy_release(&s->call);
    const dp_status status = j->run(s->b, flags.flag, j);
    dpy_acquire(&s->call);
    dpy_leave(&s->call);
    dpy_numbers_free(&flags);
    const bool raises = status != DP_OK && (check || status == DP_ERROR_INTERRUPTED);
    return raises || PyErr_Occurred() ? dpy_fail(status) : Py_NewRef(Py_None);
}

static PyObject *batch_step(PyObject *self, PyObject *args, PyObject *kwargs)
{
    job j = {.run = run_step, .steps = 1};
    PyObject *mask = Py_None;
    int check = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|iOp:step",
                                     (char *[]){"steps", "mask", "check", NULL}, &j.steps, &mask,
                                     &check)) {
        return NULL;
    }
    return run(self, mask, &j, check != 0);
}

static PyObject *batch_sense(PyObject *self, PyObject *args, PyObject *kwargs)
{
    const job j = {.run = run_sense};
    PyObject *mask = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:sense", (char *[]){"mask", NULL}, &mask)) {
        return NULL;
    }
    return run(self, mask, &j, true);
}

static PyObject *batch_reset(PyObject *self, PyObject *args, PyObject *kwargs)
{
    job j = {.run = run_reset, .key = -1};
    PyObject *mask = Py_None, *key = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:reset",
                                     (char *[]){"mask", "keyframe", NULL}, &mask, &key) ||
        (key != Py_None &&
         !dpy_element_find(&j.key, dpy_model(((batch *)dpy_state(self))->model), DPY_KEY, key))) {
        return NULL;
    }
    return run(self, mask, &j, true);
}

static PyObject *batch_states(PyObject *self, PyObject *unused)
{
    (void)unused;
    const batch *s = dpy_state(self);
    double *values = NULL;
    PyObject *out =
        use(self) ? dpy_array(&values,
                              dpy_shape2(s->arrays.count, dp_batch_state_size(dpy_model(s->model))))
                  : NULL;
    if (out) {
        dp_batch_states(values, s->b);
    }
    return out;
}

static PyObject *batch_reset_to_states(PyObject *self, PyObject *args)
{
    batch *s = dpy_state(self);
    PyObject *states = NULL, *mask = Py_None;
    dpy_numbers n;
    if (!PyArg_ParseTuple(args, "O|O:reset_to_states", &states, &mask) ||
        !dpy_numbers_read(&n, states, "states",
                          dpy_shape2(s->arrays.count, dp_batch_state_size(dpy_model(s->model))))) {
        return NULL;
    }
    const job j = {.run = run_states, .values = n.value};
    PyObject *out = run(self, mask, &j, true);
    dpy_numbers_free(&n);
    return out;
}

static PyObject *batch_set_parameters(PyObject *self, PyObject *args)
{
    batch *s = dpy_state(self);
    PyObject *names = NULL, *values = NULL, *mask = Py_None;
    if (!PyArg_ParseTuple(args, "OO|O:set_parameters", &names, &values, &mask)) {
        return NULL;
    }
    Py_ssize_t count = 0;
    dp_parameter_id *id = dpy_parameters_find(&count, dpy_model(s->model), names);
    dpy_numbers n = {.count = 0};
    PyObject *out = NULL;
    if (id && dpy_numbers_read_infinite(&n, values, "values", dpy_shape2(s->arrays.count, count))) {
        const job j = {
            .run = run_parameters, .nparameter = (int)count, .parameter = id, .values = n.value};
        out = run(self, mask, &j, true);
    }
    dpy_numbers_free(&n);
    PyMem_Free(id);
    return out;
}

static PyObject *batch_rollout(PyObject *self, PyObject *args)
{
    batch *s = dpy_state(self);
    const dp_batch_arrays *a = &s->arrays;
    PyObject *control = NULL, *mask = Py_None;
    dpy_numbers n;
    if (!PyArg_ParseTuple(args, "O|O:rollout", &control, &mask) ||
        !dpy_numbers_read(&n, control, "control", (dpy_shape){3, {a->count, DPY_ANY, a->nu}})) {
        return NULL;
    }
    dp_batch_rollout_task task = {.steps = (int)n.columns, .control = n.value};
    PyObject *states = dpy_array(
        &task.states, shape3(a->count, task.steps, dp_batch_state_size(dpy_model(s->model))));
    PyObject *sensors = dpy_array(&task.sensors, shape3(a->count, task.steps, a->nsensordata));
    const job j = {.run = run_rollout, .task = &task};
    PyObject *done = states && sensors ? run(self, mask, &j, true) : NULL;
    PyObject *out = done ? PyTuple_Pack(2, states, sensors) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(states);
    Py_XDECREF(sensors);
    dpy_numbers_free(&n);
    return out;
}

#define DPY_LIVE(name, which, doc)                                                                 \
    {                                                                                              \
        name, batch_array, batch_set_array, "ndarray (settable): " doc "; live", DPY_PLACE(which)  \
    }
#define DPY_READ(name, which, doc)                                                                 \
    {                                                                                              \
        name, batch_array, NULL, "ndarray: " doc "; live", DPY_PLACE(which)                        \
    }
static PyGetSetDef batch_getset[] = {
    DPY_LIVE("q", Q, "(N, nq) generalised positions"),
    DPY_LIVE("v", V, "(N, nv) generalised velocities"),
    DPY_LIVE("activation", ACTIVATION, "(N, na) activations"),
    DPY_LIVE("mocap", MOCAP, "(N, nmocap, 7) poses of mocap bodies: w x y z, x y z"),
    DPY_LIVE("control", CONTROL, "(N, nu) controls"),
    DPY_LIVE("force", FORCE, "(N, nv) generalised forces of the user"),
    DPY_LIVE("wrench", WRENCH, "(N, nbody, 6) external wrenches: moment, force"),
    DPY_READ("sensors", SENSORS, "(N, nsensordata) as of the last sense()"),
    DPY_READ("time", TIME, "(N,) [s]"),
    {"result", batch_result, NULL,
     "ndarray: how each world went in the last call, a structured array with the members of "
     "BatchResult",
     NULL},
    {"model", batch_model, NULL, "Model: the model of all worlds", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define DPY_MASK "mask: ArrayLike | None = None"
static PyMethodDef batch_methods[] = {
    {"step", (PyCFunction)(void (*)(void))batch_step, METH_VARARGS | METH_KEYWORDS,
     "step($self, /, steps: int = 1, " DPY_MASK ", check: bool = True)\n--\n\n-> None\n"
     "Advance the worlds of the mask. Worlds that fail keep their last state and the others go on; "
     "then the first failure is raised or, with check=False, left to `result`."},
    {"sense", (PyCFunction)(void (*)(void))batch_sense, METH_VARARGS | METH_KEYWORDS,
     "sense($self, /, " DPY_MASK ")\n--\n\n-> None\nEvaluate all sensors."},
    {"reset", (PyCFunction)(void (*)(void))batch_reset, METH_VARARGS | METH_KEYWORDS,
     "reset($self, /, " DPY_MASK ", keyframe: str | int | None = None)\n--\n\n-> None\n"
     "Back to the reference configuration at rest, or to a keyframe."},
    {"states", batch_states, METH_NOARGS,
     "states($self, /)\n--\n\n-> ndarray\n(N, n) the numbers of all states: t, q, v, activations."},
    {"reset_to_states", batch_reset_to_states, METH_VARARGS,
     "reset_to_states($self, states: ArrayLike, " DPY_MASK ", /)\n--\n\n-> None\n"
     "Reset, then put states as states() gives them."},
    {"set_parameters", batch_set_parameters, METH_VARARGS,
     "set_parameters($self, names: str | Sequence[str], values: ArrayLike, " DPY_MASK
     ", /)\n--\n\n-> None\nGive each world values of its own, (N, n)."},
    {"rollout", batch_rollout, METH_VARARGS,
     "rollout($self, control: ArrayLike, " DPY_MASK ", /)\n--\n\n-> tuple[ndarray, ndarray]\n"
     "Steps by controls that are known before, (N, steps, nu): states and sensors after each."},
    {"world", batch_world, METH_O,
     "world($self, index: int, /)\n--\n\n-> Data\nOne world, for all that a simulation can be "
     "asked."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot batch_slots[] = {
    {Py_tp_new, batch_new},
    {Py_tp_dealloc, batch_dealloc},
    {Py_tp_getset, batch_getset},
    {Py_tp_methods, batch_methods},
    {Py_sq_length, batch_length},
    {Py_tp_doc,
     "Batch(origin: Model | Data, count: int, /, *, threads: int = 1, **options: Any)\n--\n\n"
     "Worlds: so many simulations of one model, each with all of its state. They begin as "
     "copies of a Data, or of one of a Model with options as of Data. No bit of a world "
     "depends on how many worlds and threads there are."},
    {0, NULL},
};
static PyType_Spec batch_spec = {
    .name = "dashpot._core.Batch",
    .basicsize = DPY_HEAD + sizeof(batch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = batch_slots,
};

bool dpy_batch_init(PyObject *module)
{
    return dpy_add_type(module, &batch_spec) != NULL;
}
