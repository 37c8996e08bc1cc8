// Structured arrays: many structs of the library at once, with a dtype from the table of members.
#include "py_fields.h"

#include <string.h>

static PyObject *dtype_of(dpy_struct *type);

// What NumPy calls the type of a member; NULL, without an exception, where it has none: strings.
static PyObject *member_dtype(const dpy_field *f)
{
    switch (f->kind) {
    case DPY_BOOL:
        return PyUnicode_FromString("?");
    case DPY_INT:
    case DPY_ENUM:
    case DPY_ID:
        return PyUnicode_FromString("i4");
    case DPY_LONG:
    case DPY_INT64:
        return PyUnicode_FromString("i8");
    case DPY_DOUBLE:
        return PyUnicode_FromString("f8");
    case DPY_VECTOR:
        return PyUnicode_FromFormat("(%d,)f8", f->count);
    case DPY_FLOATS:
        return PyUnicode_FromFormat("(%d,)f4", f->count);
    case DPY_INTS:
        return PyUnicode_FromFormat("(%d,)i4", f->count);
    case DPY_STRUCT:
        return Py_XNewRef(dtype_of(f->of));
    default:
        return NULL;
    }
}

static bool append(PyObject *list, PyObject *stolen)
{
    const bool appended = stolen && PyList_Append(list, stolen) == 0;
    Py_XDECREF(stolen);
    return appended;
}

static PyObject *make_dtype(dpy_struct *type)
{
    PyObject *names = PyList_New(0), *formats = PyList_New(0), *offsets = PyList_New(0);
    bool made = names && formats && offsets;
    for (int i = 0; made && i < type->nfield; ++i) {
        const dpy_field *f = &type->field[i];
        PyObject *format = member_dtype(f);
        if (format) {
            made = append(formats, format) && append(names, PyUnicode_FromString(f->name)) &&
                   append(offsets, PyLong_FromSize_t(f->offset));
        }
        made = made && !PyErr_Occurred();
    }
    PyObject *dtype = NULL;
    if (made) {
        PyObject *all = Py_BuildValue("{sOsOsOsn}", "names", names, "formats", formats, "offsets",
                                      offsets, "itemsize", (Py_ssize_t)type->size);
        dtype = all ? PyObject_CallFunctionObjArgs(dpy.dtype, all, NULL) : NULL;
        Py_XDECREF(all);
    }
    Py_XDECREF(names);
    Py_XDECREF(formats);
    Py_XDECREF(offsets);
    return dtype;
}

static PyObject *dtype_of(dpy_struct *type)
{
    if (!type->dtype) {
        type->dtype = make_dtype(type);
    }
    return type->dtype;
}

PyObject *dpy_rows(dpy_struct *type, int count, dpy_get get, const void *context)
{
    PyObject *dtype = dtype_of(type);
    PyObject *bytes =
        dtype ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)count * (Py_ssize_t)type->size)
              : NULL;
    if (!bytes) {
        return NULL;
    }
    char *memory = PyByteArray_AsString(bytes);
    for (int i = 0; i < count; ++i) {
        get(memory + (size_t)i * type->size, i, context);
    }
    PyObject *shape = Py_BuildValue("(i)", count);
    PyObject *array =
        shape ? PyObject_CallFunctionObjArgs(dpy.ndarray, shape, dtype, bytes, NULL) : NULL;
    Py_XDECREF(shape);
    Py_DECREF(bytes);
    return array;
}
