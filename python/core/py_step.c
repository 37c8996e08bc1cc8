// Steps: without the GIL where it pays, ended by Ctrl-C, one thread at a time; callbacks.
#include "py_fields.h"

#include <string.h>

static dp_status step_many(dpy_data *s, long count, long *made)
{
    dp_status status = DP_OK;
    *made = 0;
    while (*made < count && status == DP_OK) {
        status = dp_step(s->d);
        if (status == DP_OK) {
            ++*made;
            if (count > 1 && dpy_interrupt(s->call)) {
                status = DP_ERROR_INTERRUPTED;
            }
        }
    }
    return status;
}

static PyObject *failed_after(dp_status status, long made, long count)
{
    if (count <= 1 || PyErr_Occurred()) {
        return dpy_fail(status);
    }
    PyObject *exception = dpy.status_error[status];
    PyErr_Format(exception ? exception : dpy.error, "step %ld of %ld: %s", made + 1, count,
                 dp_last_error());
    return NULL;
}

static PyObject *data_step(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    dpy_data *s = dpy_state(self);
    long count = 1;
    if (nargs > 1) {
        PyErr_Format(PyExc_TypeError, "step: expected up to 1 argument, got %zd", nargs);
        return NULL;
    }
    if (nargs == 1) {
        count = PyLong_AsLong(args[0]);
        if (count == -1 && PyErr_Occurred()) {
            return NULL;
        }
        if (count < 0) {
            return dpy_argument("step: expected a number of steps of 0 or more, got %ld", count);
        }
    }
    if (!dpy_enter(s->call, "Data")) {
        return NULL;
    }
    long made = 0;
    const bool calls_python = s->control_callback || s->force_callback || s->contact_filter;
    dp_status status = DP_OK;
    if (calls_python || !(s->long_step || count > 1)) {
        status = step_many(s, count, &made);
    } else {
        dpy_release(s->call);
        status = step_many(s, count, &made);
        dpy_acquire(s->call);
    }
    dpy_leave(s->call);
    return status == DP_OK ? Py_NewRef(Py_None) : failed_after(status, made, count);
}

// forward and the like: evaluations of the present state, which may call callbacks.
static PyObject *evaluate(PyObject *self, dp_status (*function)(dp_data *d))
{
    dp_data *d = dpy_data_use(self);
    if (!d) {
        return NULL;
    }
    const dp_status status = function(d);
    return status == DP_OK ? Py_NewRef(Py_None) : dpy_fail(status);
}

static PyObject *data_kinematics(PyObject *self, PyObject *unused)
{
    (void)unused;
    return evaluate(self, dp_kinematics);
}

static PyObject *data_forward(PyObject *self, PyObject *unused)
{
    (void)unused;
    return evaluate(self, dp_forward);
}

static PyObject *data_sense(PyObject *self, PyObject *unused)
{
    (void)unused;
    return evaluate(self, dp_sense);
}

static PyObject *data_step_sampled(PyObject *self, PyObject *argument)
{
    dpy_data *s = dpy_state(self);
    const long count = PyLong_AsLong(argument);
    if (count == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (count < 1 || count > 1000000) {
        return dpy_argument("step_sampled: expected 1 to 1000000 samples, got %ld", count);
    }
    const dp_model_size *n = dp_model_sizes(dpy_model(s->model));
    double *q = NULL, *v = NULL;
    PyObject *qs = dpy_array(&q, dpy_shape2(count, n->nq));
    PyObject *vs = dpy_array(&v, dpy_shape2(count, n->nv));
    PyObject *out = NULL;
    if (qs && vs && dpy_enter(s->call, "Data")) {
        const dp_status status = dp_step_sampled(s->d, (int)count, q, v);
        dpy_leave(s->call);
        out = status == DP_OK ? PyTuple_Pack(2, qs, vs) : dpy_fail(status);
    }
    Py_XDECREF(qs);
    Py_XDECREF(vs);
    return out;
}

// Callbacks

static dp_status call_control(void *context, dp_data *d)
{
    (void)d;
    PyObject *self = context;
    dpy_data *s = dpy_state(self);
    PyObject *callback = Py_NewRef(s->control_callback);
    PyObject *result = PyObject_CallFunctionObjArgs(callback, self, NULL);
    Py_DECREF(callback);
    Py_XDECREF(result);
    return result ? DP_OK : DP_ERROR_CALLBACK;
}

static dp_status call_force(void *context, dp_data *d, double *force)
{
    PyObject *self = context;
    dpy_data *s = dpy_state(self);
    const size_t bytes = (size_t)dp_model_sizes(dp_data_model(d))->nv * sizeof(double);
    if (bytes > 0) {
        memset(s->force_values, 0, bytes);
    }
    PyObject *callback = Py_NewRef(s->force_callback);
    PyObject *array = Py_NewRef(s->force_array);
    PyObject *result = PyObject_CallFunctionObjArgs(callback, self, array, NULL);
    if (bytes > 0) {
        memcpy(force, s->force_values, bytes);
    }
    Py_DECREF(callback);
    Py_DECREF(array);
    Py_XDECREF(result);
    return result ? DP_OK : DP_ERROR_CALLBACK;
}

static bool call_filter(void *context, const dp_data *d, dp_geom_id a, dp_geom_id b)
{
    (void)d;
    dpy_data *s = dpy_state(context);
    if (PyErr_Occurred()) {
        return true;
    }
    PyObject *callback = Py_NewRef(s->contact_filter);
    PyObject *result = PyObject_CallFunction(callback, "ii", a.index, b.index);
    const int truth = result ? PyObject_IsTrue(result) : -1;
    Py_DECREF(callback);
    Py_XDECREF(result);
    if (truth < 0) {
        PyErr_WriteUnraisable(context); // a filter has no way to fail
    }
    return truth != 0;
}

enum { CONTROL_CALLBACK, FORCE_CALLBACK, CONTACT_FILTER };

static PyObject **callback_of(dpy_data *s, void *closure)
{
    switch (dpy_place(closure)) {
    case CONTROL_CALLBACK:
        return &s->control_callback;
    case FORCE_CALLBACK:
        return &s->force_callback;
    default:
        return &s->contact_filter;
    }
}

static PyObject *get_callback(PyObject *self, void *closure)
{
    PyObject *callback = *callback_of(dpy_state(self), closure);
    return Py_NewRef(callback ? callback : Py_None);
}

static int set_callback(PyObject *self, PyObject *value, void *closure)
{
    dpy_data *s = dpy_state(self);
    PyObject *callback = value == Py_None ? NULL : value;
    if (callback && !PyCallable_Check(callback)) {
        PyErr_Format(PyExc_TypeError, "expected a function or None, got %R", callback);
        return -1;
    }
    if (atomic_load(&s->call->busy) != 0) {
        PyErr_SetString(dpy.busy_error, "callbacks cannot be changed during a step");
        return -1;
    }
    if (s->batch && callback) {
        dpy_argument("a world of a Batch has no callbacks of Python's: its threads run without it");
        return -1;
    }
    const int which = dpy_place(closure);
    if (which == FORCE_CALLBACK && callback && !s->force_array) {
        s->force_array =
            dpy_array(&s->force_values, dpy_shape1(dp_model_sizes(dpy_model(s->model))->nv));
        if (!s->force_array) {
            return -1;
        }
    }
    dpy_replace(callback_of(s, closure), Py_XNewRef(callback));
    switch (which) {
    case CONTROL_CALLBACK:
        dp_data_set_control_callback(s->d, callback ? call_control : NULL, self);
        break;
    case FORCE_CALLBACK:
        dp_data_set_force_callback(s->d, callback ? call_force : NULL, self);
        break;
    default:
        dp_data_set_contact_filter(s->d, callback ? call_filter : NULL, self);
        break;
    }
    return 0;
}

PyGetSetDef dpy_step_getset[] = {
    {"control_callback", get_callback, set_callback,
     "Callable[[Data], object] | None (settable): called whenever forces are evaluated: writes "
     "data.control",
     DPY_PLACE(CONTROL_CALLBACK)},
    {"force_callback", get_callback, set_callback,
     "Callable[[Data, ndarray], object] | None (settable): called whenever forces are evaluated: "
     "adds to the "
     "generalised forces that it is given",
     DPY_PLACE(FORCE_CALLBACK)},
    {"contact_filter", get_callback, set_callback,
     "Callable[[int, int], bool] | None (settable): called with geoms that are near: False keeps "
     "them apart",
     DPY_PLACE(CONTACT_FILTER)},
    {NULL, NULL, NULL, NULL, NULL},
};

PyMethodDef dpy_step_methods[] = {
    {"step", (PyCFunction)(void (*)(void))data_step, METH_FASTCALL,
     "step($self, count: int = 1, /)\n--\n\n-> None\n"
     "Advance by `count` steps of options.step. A step that fails leaves the state as it was."},
    {"step_sampled", data_step_sampled, METH_O,
     "step_sampled($self, count: int, /)\n--\n\n-> tuple[ndarray, ndarray]\n"
     "One step of a method with error control: q and v at `count` moments in it."},
    {"kinematics", data_kinematics, METH_NOARGS,
     "kinematics($self, /)\n--\n\n-> None\nBring poses and velocities up to date after q or v were "
     "written."},
    {"forward", data_forward, METH_NOARGS,
     "forward($self, /)\n--\n\n-> None\nEvaluate forces and accelerations of the present state."},
    {"sense", data_sense, METH_NOARGS,
     "sense($self, /)\n--\n\n-> None\nEvaluate all sensors at the present state."},
    {NULL, NULL, 0, NULL},
};
