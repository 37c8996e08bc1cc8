// The module dashpot._core.
#include "py_fields.h"

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(dp_version());
}

static PyObject *names(int count, const char *(*name)(int))
{
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i) {
        PyObject *one = PyUnicode_FromString(name(i));
        if (!one || PyTuple_SetItem(out, i, one) < 0) {
            dpy_replace(&out, NULL);
        }
    }
    return out;
}

static PyObject *option_names(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return names(dp_options_name_count(), dp_options_name);
}

static PyObject *evaluate(PyObject *module, PyObject *args)
{
    (void)module;
    const char *text = NULL;
    double t = 0.0, value[3] = {0.0};
    if (!PyArg_ParseTuple(args, "s|d:evaluate", &text, &t)) {
        return NULL;
    }
    dp_expression *e = NULL;
    dp_status status = dp_expression_parse(&e, text, NULL);
    if (status == DP_OK) {
        status = dp_expression_eval(e, t, &value[0], &value[1], &value[2]);
    }
    dp_expression_destroy(e);
    return status == DP_OK ? Py_BuildValue("(ddd)", value[0], value[1], value[2])
                           : dpy_fail(status);
}

PyMethodDef dpy_plain_functions[] = {
    {"version", version, METH_NOARGS, "version()\n--\n\n-> str\nThe version of the library."},
    {"option_names", option_names, METH_NOARGS,
     "option_names()\n--\n\n-> tuple[str, ...]\nThe names that Data(…, name=value) and set_option "
     "take."},
    {"evaluate", evaluate, METH_VARARGS,
     "evaluate(expression: str, t: float = 0.0, /)\n--\n\n-> tuple[float, float, float]\n"
     "An expression in the time t as in model files: its value and first two derivatives."},
    {NULL, NULL, 0, NULL},
};

static unsigned long main_thread(void)
{
    PyObject *threading = PyImport_ImportModule("threading");
    PyObject *function = threading ? PyObject_GetAttrString(threading, "main_thread") : NULL;
    PyObject *thread = function ? PyObject_CallFunctionObjArgs(function, NULL) : NULL;
    PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    const unsigned long id = ident ? PyLong_AsUnsignedLong(ident) : 0;
    Py_XDECREF(threading);
    Py_XDECREF(function);
    Py_XDECREF(thread);
    Py_XDECREF(ident);
    return id;
}

// Types and exceptions are kept by the process: one interpreter may have them.
static int start(PyObject *module)
{
    if (dpy.error) {
        PyErr_SetString(PyExc_ImportError, "dashpot._core can be imported once in a process");
        return -1;
    }
    dpy.main_thread = main_thread();
    if (PyErr_Occurred()) {
        return -1;
    }
    PyMethodDef *const functions[] = {dpy_plain_functions, dpy_problem_functions, dpy_fc_functions,
                                      dpy_shape_functions, dpy_step_problem_functions};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        if (PyModule_AddFunctions(module, functions[i]) < 0) {
            return -1;
        }
    }
    return dpy_errors_init(module) && dpy_memory_init(module) && dpy_fields_init(module) &&
                   dpy_model_init(module) && dpy_spec_init(module) && dpy_data_init(module) &&
                   dpy_elements_init(module) && dpy_recorder_init(module) &&
                   dpy_shapes_init(module) && dpy_batch_init(module)
               ? 0
               : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, start}, {0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "dashpot._core",
    .m_doc = "Dashpot's C library for Python. Import dashpot, not this.",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
