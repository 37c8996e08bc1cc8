// Exceptions: one hierarchy, by the status of the library, with its message.
#include "py_core.h"

#include <stdarg.h>

dpy_module dpy;
char dpy_places[256];

// Each is also the exception of Python that fits, for code that knows nothing of Dashpot.
static const struct {
    dp_status status;
    const char *name;
    const char *base;
    const char *doc;
} exceptions[] = {
    {DP_ERROR_ARGUMENT, "ArgumentError", "ValueError",
     "Impossible input: wrong shapes and names, a moving body without mass."},
    {DP_ERROR_PARSE, "ParseError", "ValueError", "A file says what its format does not allow."},
    {DP_ERROR_UNSUPPORTED, "UnsupportedError", "NotImplementedError",
     "Meaningful input that Dashpot cannot simulate."},
    {DP_ERROR_IO, "FileError", "OSError", "A file could not be read or written."},
    {DP_ERROR_MEMORY, "OutOfMemoryError", "MemoryError", "There is no memory."},
    {DP_ERROR_CAPACITY, "CapacityError", "RuntimeError", "A fixed reserve is too small."},
    {DP_ERROR_NUMERIC, "NumericError", "ArithmeticError",
     "Not a finite number, or an error control that cannot go on."},
    {DP_ERROR_CALLBACK, "CallbackError", "RuntimeError", "A callback reported failure."},
    {DP_ERROR_INTERRUPTED, "InterruptedError", "RuntimeError", "A call was asked to end."},
};

static PyObject *add_exception(PyObject *module, const char *name, const char *doc, PyObject *bases)
{
    PyObject *qualified = PyUnicode_FromFormat("dashpot.%s", name);
    const char *text = qualified ? PyUnicode_AsUTF8AndSize(qualified, NULL) : NULL;
    PyObject *made = text ? PyErr_NewExceptionWithDoc(text, doc, bases, NULL) : NULL;
    Py_XDECREF(qualified);
    if (made && PyModule_AddObjectRef(module, name, made) < 0) {
        Py_CLEAR(made);
    }
    return made;
}

static PyObject *derived(PyObject *module, const char *name, const char *base, const char *doc)
{
    PyObject *builtins = PyImport_ImportModule("builtins");
    PyObject *python = builtins ? PyObject_GetAttrString(builtins, base) : NULL;
    PyObject *bases = python ? PyTuple_Pack(2, dpy.error, python) : NULL;
    PyObject *made = bases ? add_exception(module, name, doc, bases) : NULL;
    Py_XDECREF(builtins);
    Py_XDECREF(python);
    Py_XDECREF(bases);
    return made;
}

bool dpy_errors_init(PyObject *module)
{
    dpy.error = add_exception(module, "Error", "The root of all exceptions of Dashpot.", NULL);
    if (!dpy.error) {
        return false;
    }
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; ++i) {
        PyObject *made = derived(module, exceptions[i].name, exceptions[i].base, exceptions[i].doc);
        if (!made) {
            return false;
        }
        dpy.status_error[exceptions[i].status] = made;
    }
    dpy.busy_error = derived(module, "BusyError", "RuntimeError",
                             "An object is in use: by another thread, or by the step around a "
                             "callback.");
    return dpy.busy_error != NULL;
}

PyObject *dpy_fail(dp_status status)
{
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *exception = dpy.status_error[status] ? dpy.status_error[status] : dpy.error;
    const char *message = dp_last_error();
    PyErr_SetString(exception, message[0] ? message : dp_status_name(status));
    return NULL;
}

PyObject *dpy_argument(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(dpy.status_error[DP_ERROR_ARGUMENT], format, arguments);
    va_end(arguments);
    return NULL;
}

PyTypeObject *dpy_add_type(PyObject *module, PyType_Spec *spec)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, type) < 0) {
        Py_DECREF(type);
        return NULL;
    }
    return type;
}

PyObject *dpy_new(PyTypeObject *type)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

void dpy_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}
