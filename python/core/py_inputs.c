// Numbers from Python: anything that NumPy takes for an array, checked before the library sees it.
#include "py_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// "(3,)", "(n, 2)" of a shape where DPY_ANY is n.
static void shape_text(char *out, size_t bytes, int ndim, const Py_ssize_t *n)
{
    size_t at = (size_t)snprintf(out, bytes, "(");
    for (int i = 0; i < ndim && at < bytes; ++i) {
        const char *end = ndim == 1 ? ",)" : i == ndim - 1 ? ")" : ", ";
        at += n[i] == DPY_ANY ? (size_t)snprintf(out + at, bytes - at, "n%s", end)
                              : (size_t)snprintf(out + at, bytes - at, "%zd%s", n[i], end);
    }
    if (ndim == 0 && at < bytes) {
        (void)snprintf(out + at, bytes - at, ")");
    }
}

static bool shape_fits(const Py_buffer *found, dpy_shape expected)
{
    bool fits = found->ndim == expected.ndim;
    for (int i = 0; fits && i < expected.ndim; ++i) {
        fits = expected.n[i] == DPY_ANY || expected.n[i] == found->shape[i];
    }
    return fits;
}

// Replace an exception of NumPy's by one that says what was expected.
static bool refuse(PyObject *object, const char *what, const char *numbers, const char *shape)
{
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ||
        PyErr_ExceptionMatches(PyExc_MemoryError)) {
        return false;
    }
    PyErr_Clear();
    PyObject *name = PyType_GetQualName(Py_TYPE(object));
    PyErr_Format(PyExc_TypeError, "%s: expected %s of shape %s, got %U", what, numbers, shape,
                 name);
    Py_XDECREF(name);
    return false;
}

// Complex numbers and texts would be turned into numbers with no more than a warning.
static bool is_real(PyObject *object, const char *kinds)
{
    PyObject *array = PyObject_CallFunctionObjArgs(dpy.ascontiguousarray, object, NULL);
    PyObject *dtype = array ? PyObject_GetAttrString(array, "dtype") : NULL;
    PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
    const char *text = kind ? PyUnicode_AsUTF8AndSize(kind, NULL) : NULL;
    const bool real = text && strchr(kinds, text[0]) != NULL;
    Py_XDECREF(array);
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    PyErr_Clear();
    return real;
}

static bool read_numbers(dpy_numbers *out, PyObject *object, const char *what, dpy_shape shape,
                         PyObject *dtype, const char *numbers, const char *kinds)
{
    char expected[96], found[96];
    *out = (dpy_numbers){0};
    shape_text(expected, sizeof expected, shape.ndim, shape.n);
    if (!is_real(object, kinds)) {
        return refuse(object, what, numbers, expected);
    }
    out->array = PyObject_CallFunctionObjArgs(dpy.ascontiguousarray, object, dtype, NULL);
    if (!out->array) {
        return refuse(object, what, numbers, expected);
    }
    if (PyObject_GetBuffer(out->array, &out->buffer, PyBUF_ND | PyBUF_FORMAT) < 0) {
        Py_CLEAR(out->array);
        return refuse(object, what, numbers, expected);
    }
    if (!shape_fits(&out->buffer, shape)) {
        shape_text(found, sizeof found, out->buffer.ndim > 4 ? 4 : out->buffer.ndim,
                   out->buffer.shape);
        dpy_argument("%s: expected shape %s, got %s", what, expected, found);
        dpy_numbers_free(out);
        return false;
    }
    out->rows = out->buffer.shape[0];
    out->columns = shape.ndim > 1 ? out->buffer.shape[1] : 1;
    out->count = out->buffer.len / out->buffer.itemsize;
    return true;
}

bool dpy_numbers_read_infinite(dpy_numbers *out, PyObject *object, const char *what,
                               dpy_shape shape)
{
    if (!read_numbers(out, object, what, shape, dpy.float64, "real numbers", "buif")) {
        return false;
    }
    out->value = out->buffer.buf;
    for (Py_ssize_t i = 0; i < out->count; ++i) {
        if (isnan(out->value[i])) {
            dpy_argument("%s: number %zd is not a number", what, i);
            dpy_numbers_free(out);
            return false;
        }
    }
    return true;
}

bool dpy_numbers_read(dpy_numbers *out, PyObject *object, const char *what, dpy_shape shape)
{
    if (!dpy_numbers_read_infinite(out, object, what, shape)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < out->count; ++i) {
        if (!isfinite(out->value[i])) {
            dpy_argument("%s: number %zd is infinite (expected finite numbers)", what, i);
            dpy_numbers_free(out);
            return false;
        }
    }
    return true;
}

bool dpy_integers_read(dpy_numbers *out, PyObject *object, const char *what, dpy_shape shape)
{
    if (!read_numbers(out, object, what, shape, dpy.int32, "whole numbers", "bui")) {
        return false;
    }
    out->whole = out->buffer.buf;
    return true;
}

bool dpy_mask_read(dpy_numbers *out, PyObject *object, Py_ssize_t n)
{
    *out = (dpy_numbers){0};
    if (!object || object == Py_None) {
        return true;
    }
    if (!read_numbers(out, object, "mask", dpy_shape1(n), dpy.boolean, "flags", "b")) {
        return false;
    }
    out->flag = out->buffer.buf;
    return true;
}

void dpy_numbers_free(dpy_numbers *n)
{
    if (n->array) {
        PyBuffer_Release(&n->buffer);
        Py_DECREF(n->array);
    }
    *n = (dpy_numbers){0};
}

bool dpy_v3_read(dp_v3 *out, PyObject *object, const char *what)
{
    dpy_numbers n;
    if (!dpy_numbers_read(&n, object, what, dpy_shape1(3))) {
        return false;
    }
    *out = (dp_v3){n.value[0], n.value[1], n.value[2]};
    dpy_numbers_free(&n);
    return true;
}

bool dpy_pose_read(dp_pose *out, PyObject *position, PyObject *quaternion)
{
    *out = DP_IDENTITY_POSE;
    if (position && position != Py_None && !dpy_v3_read(&out->p, position, "position")) {
        return false;
    }
    if (!quaternion || quaternion == Py_None) {
        return true;
    }
    dpy_numbers n;
    if (!dpy_numbers_read(&n, quaternion, "quaternion", dpy_shape1(4))) {
        return false;
    }
    const double *w = n.value;
    const double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    if (length > 0.0) {
        out->q = (dp_quat){w[0] / length, w[1] / length, w[2] / length, w[3] / length};
    } else {
        dpy_argument("quaternion: expected a length above 0");
    }
    dpy_numbers_free(&n);
    return length > 0.0;
}
