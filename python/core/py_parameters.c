// Parameters by name: numbers of a model that each simulation may have values of its own for.
#include "py_fields.h"

static bool find(dp_parameter_id *out, const dp_model *m, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text) {
        PyErr_Format(PyExc_TypeError, "expected the name of a parameter, got %R", name);
        return false;
    }
    const dp_status status = dp_model_find_parameter(out, m, text);
    if (status != DP_OK) {
        dpy_fail(status);
    }
    return status == DP_OK;
}

dp_parameter_id *dpy_parameters_find(Py_ssize_t *count, const dp_model *m, PyObject *names)
{
    PyObject *one = PyUnicode_Check(names) ? PyTuple_Pack(1, names) : PySequence_Tuple(names);
    *count = one ? PyTuple_Size(one) : -1;
    dp_parameter_id *id = *count >= 0 ? PyMem_Calloc((size_t)*count + 1, sizeof *id) : NULL;
    for (Py_ssize_t i = 0; id && i < *count; ++i) {
        if (!find(&id[i], m, PyTuple_GetItem(one, i))) {
            PyMem_Free(id);
            id = NULL;
        }
    }
    Py_XDECREF(one);
    return id;
}

PyObject *dpy_model_parameter(PyObject *model, PyObject *name)
{
    dp_parameter_id id = {-1};
    if (!find(&id, dpy_model(model), name)) {
        return NULL;
    }
    const dp_parameter_info info = dp_model_parameter(dpy_model(model), id);
    return dpy_record(&dpy_parameter_info_struct, &info, model);
}

PyObject *dpy_model_parameters(PyObject *model, void *closure)
{
    (void)closure;
    const dp_model *m = dpy_model(model);
    const int count = dp_model_parameter_count(m);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; ++i) {
        PyObject *name = PyUnicode_FromString(dp_model_parameter(m, (dp_parameter_id){i}).name);
        if (!name || PyTuple_SetItem(names, i, name) < 0) {
            dpy_replace(&names, NULL);
        }
    }
    return names;
}

static PyObject *data_parameter(PyObject *self, PyObject *name)
{
    dp_parameter_id id = {-1};
    dp_data *d = dpy_data_use(self);
    return d && find(&id, dp_data_model(d), name) ? PyFloat_FromDouble(dp_data_parameter(d, id))
                                                  : NULL;
}

static PyObject *data_set_parameters(PyObject *self, PyObject *args)
{
    PyObject *names = NULL, *values = NULL;
    dpy_data *s = dpy_data_state(self);
    if (!PyArg_ParseTuple(args, "OO:set_parameters", &names, &values)) {
        return NULL;
    }
    Py_ssize_t count = 0;
    dp_parameter_id *id = dpy_parameters_find(&count, dpy_model(s->model), names);
    dpy_numbers n = {.count = 0};
    PyObject *out = NULL;
    if (id && dpy_numbers_read_infinite(&n, values, "values", dpy_shape1(count)) &&
        dpy_enter(s->call, "Data")) { // not from a callback
        const dp_status status = dp_data_set_parameters(s->d, (int)count, id, n.value);
        dpy_leave(s->call);
        out = status == DP_OK ? Py_NewRef(Py_None) : dpy_fail(status);
    }
    dpy_numbers_free(&n);
    PyMem_Free(id);
    return out;
}

static PyObject *data_reset_parameters(PyObject *self, PyObject *unused)
{
    (void)unused;
    dpy_data *s = dpy_data_state(self);
    if (!dpy_enter(s->call, "Data")) {
        return NULL;
    }
    const dp_status status = dp_data_reset_parameters(s->d);
    dpy_leave(s->call);
    return status == DP_OK ? Py_NewRef(Py_None) : dpy_fail(status);
}

PyMethodDef dpy_parameter_methods[] = {
    {"parameter", data_parameter, METH_O,
     "parameter($self, name: str, /)\n--\n\n-> float\nThe value of a parameter in this "
     "simulation."},
    {"set_parameters", data_set_parameters, METH_VARARGS,
     "set_parameters($self, names: str | Sequence[str], values: ArrayLike, /)\n--\n\n-> None\n"
     "Set several at once: bounds are checked when all are set."},
    {"reset_parameters", data_reset_parameters, METH_NOARGS,
     "reset_parameters($self, /)\n--\n\n-> None\nGive all the values of the model again."},
    {NULL, NULL, 0, NULL},
};
