// Members of structs from values of Python, by the tables of the members.
#include "py_fields.h"

#include <string.h>

static bool expected(const dpy_field *f, const char *what, PyObject *value)
{
    PyObject *name = PyType_GetQualName(Py_TYPE(value));
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: expected %s, got %U", f->name, what, name);
    Py_XDECREF(name);
    return false;
}

static bool write_double(const dpy_field *f, void *at, PyObject *value)
{
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        return expected(f, "a number", value);
    }
    *(double *)at = number;
    return true;
}

static bool write_integer(const dpy_field *f, void *at, PyObject *value)
{
    const long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred()) {
        return expected(f, "a whole number", value);
    }
    if (f->kind == DPY_LONG) {
        *(long long *)at = number;
        return true;
    }
    if (f->kind == DPY_INT64) {
        *(uint64_t *)at = (uint64_t)number;
        return true;
    }
    if (number < INT32_MIN || number > INT32_MAX) {
        dpy_argument("%s: %lld is out of range", f->name, number);
        return false;
    }
    *(int *)at = (int)number;
    return true;
}

static bool write_text(const dpy_field *f, const char **at, PyObject *value, PyObject *keep)
{
    if (value == Py_None) {
        *at = NULL;
        return true;
    }
    if (!PyUnicode_Check(value)) {
        return expected(f, "a string or None", value);
    }
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (!text) {
        return false;
    }
    if (strlen(text) != (size_t)size) {
        dpy_argument("%s: a string with a zero in it", f->name);
        return false;
    }
    *at = text;
    return PyList_Append(keep, value) == 0;
}

static bool write_texts(const dpy_field *f, const char **at, PyObject *value, PyObject *keep)
{
    const Py_ssize_t count = PyUnicode_Check(value) ? -1 : PySequence_Size(value);
    if (count < 0 || count > f->count) {
        PyErr_Clear();
        dpy_argument("%s: expected a sequence of up to %d strings", f->name, f->count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *one = PySequence_GetItem(value, i);
        const bool written = one && write_text(f, &at[i], one, keep);
        Py_XDECREF(one);
        if (!written) {
            return false;
        }
    }
    return true;
}

static bool write_enum(const dpy_field *f, int *at, PyObject *value)
{
    const dpy_enum *type = f->of;
    const char *name = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    PyErr_Clear();
    for (int i = 0; name && i < type->count; ++i) {
        if (strcmp(name, type->text(i)) == 0) {
            *at = i;
            return true;
        }
    }
    const long number = PyLong_Check(value) ? PyLong_AsLong(value) : -1;
    PyErr_Clear();
    if (number >= 0 && number < type->count) {
        *at = (int)number;
        return true;
    }
    PyObject *names = PyUnicode_FromString("");
    for (int i = 0; names && i < type->count; ++i) {
        dpy_replace(&names, PyUnicode_FromFormat("%U%s'%s'", names, i ? ", " : "", type->text(i)));
    }
    if (names) {
        dpy_argument("%s: expected one of %U, got %R", f->name, names, value);
    }
    Py_XDECREF(names);
    return false;
}

// As many numbers as there are given, up to those of the field: sizes of a sphere, one friction.
static bool write_numbers(const dpy_field *f, void *at, PyObject *value)
{
    dpy_numbers n;
    if (!dpy_numbers_read_infinite(&n, value, f->name, dpy_shape1(DPY_ANY))) {
        return false;
    }
    const bool fits = n.count <= f->count && n.count > 0;
    for (Py_ssize_t i = 0; fits && i < n.count; ++i) {
        if (f->kind == DPY_FLOATS) {
            ((float *)at)[i] = (float)n.value[i];
        } else {
            ((double *)at)[i] = n.value[i];
        }
    }
    if (!fits) {
        dpy_argument("%s: expected %d numbers, got %zd", f->name, f->count, n.count);
    }
    dpy_numbers_free(&n);
    return fits;
}

static bool write_ints(const dpy_field *f, int *at, PyObject *value)
{
    dpy_numbers n;
    if (!dpy_integers_read(&n, value, f->name, dpy_shape1(f->count))) {
        return false;
    }
    memcpy(at, n.whole, (size_t)f->count * sizeof(int));
    dpy_numbers_free(&n);
    return true;
}

// A pointer and its counter. The numbers live in a bytes object that is kept.
static bool write_pointed(const dpy_field *f, char *base, PyObject *value, PyObject *keep)
{
    const bool whole = f->kind == DPY_WHOLES;
    const bool grid = f->kind == DPY_GRID;
    const dpy_shape shape = grid            ? dpy_shape2(DPY_ANY, DPY_ANY)
                            : f->count == 1 ? dpy_shape1(DPY_ANY)
                                            : dpy_shape2(DPY_ANY, f->count);
    dpy_numbers n;
    if (!(whole ? dpy_integers_read(&n, value, f->name, shape)
                : dpy_numbers_read(&n, value, f->name, shape))) {
        return false;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(n.buffer.buf, n.buffer.len);
    bool written = bytes && PyList_Append(keep, bytes) == 0 && n.rows <= INT32_MAX;
    if (written) {
        const char *memory = PyBytes_AsString(bytes);
        memcpy(base + f->offset, &memory, sizeof memory);
        const int counted[2] = {(int)n.rows, (int)n.columns};
        memcpy(base + f->counter, counted, grid ? sizeof counted : sizeof counted[0]);
    }
    Py_XDECREF(bytes);
    dpy_numbers_free(&n);
    return written;
}

static bool write_structs(const dpy_field *f, char *base, PyObject *value, PyObject *keep)
{
    dpy_struct *type = f->of;
    const Py_ssize_t count = PySequence_Size(value);
    if (count < 0) {
        return expected(f, "a sequence of dicts", value);
    }
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, count * (Py_ssize_t)type->size + 1);
    if (!bytes || PyList_Append(keep, bytes) < 0) {
        Py_XDECREF(bytes);
        return false;
    }
    char *memory = PyByteArray_AsString(bytes);
    Py_DECREF(bytes); // the list has it
    memset(memory, 0, (size_t)count * type->size + 1);
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *one = PySequence_GetItem(value, i);
        const bool written = one && dpy_write_all(type, memory + (size_t)i * type->size, one, keep);
        Py_XDECREF(one);
        if (!written) {
            return false;
        }
    }
    memcpy(base + f->offset, &memory, sizeof memory);
    const int counted = (int)count;
    memcpy(base + f->counter, &counted, sizeof counted);
    return true;
}

static bool write_struct(const dpy_field *f, char *at, PyObject *value, PyObject *keep)
{
    dpy_struct *type = f->of;
    if (Py_TYPE(value) == type->type) {
        const void *from = dpy_record_memory(value);
        if (from) {
            memmove(at, from, type->size);
        }
        return from && PyList_Append(keep, value) == 0;
    }
    return dpy_write_all(type, at, value, keep);
}

static bool write_member(const dpy_field *f, char *base, PyObject *value, PyObject *keep)
{
    char *at = base + f->offset;
    void *p = at;
    switch (f->kind) {
    case DPY_BOOL: {
        const int truth = PyObject_IsTrue(value);
        *(bool *)p = truth > 0;
        return truth >= 0;
    }
    case DPY_INT:
    case DPY_ID:
    case DPY_LONG:
    case DPY_INT64:
        return write_integer(f, p, value);
    case DPY_DOUBLE:
        return write_double(f, p, value);
    case DPY_TEXT:
        return write_text(f, p, value, keep);
    case DPY_ENUM:
        return write_enum(f, p, value);
    case DPY_VECTOR:
    case DPY_FLOATS:
        return write_numbers(f, p, value);
    case DPY_INTS:
        return write_ints(f, p, value);
    case DPY_NAME:
        break; // in reports only
    case DPY_TEXTS:
        return write_texts(f, p, value, keep);
    case DPY_STRUCT:
        return write_struct(f, at, value, keep);
    case DPY_STRUCTS:
        return write_structs(f, base, value, keep);
    case DPY_DOUBLES:
    case DPY_GRID:
    case DPY_WHOLES:
        return write_pointed(f, base, value, keep);
    }
    return false;
}

static bool counts(const dpy_field *f) // is `counter` a count, and not a `given`?
{
    return f->kind == DPY_STRUCTS || f->kind == DPY_DOUBLES || f->kind == DPY_WHOLES ||
           f->kind == DPY_GRID;
}

// Into a copy first: a member that cannot be written leaves the struct as it was.
bool dpy_write(dpy_struct *type, const dpy_field *f, char *base, PyObject *value, PyObject *keep)
{
    char *copy = PyMem_Malloc(type->size);
    if (!copy) {
        PyErr_NoMemory();
        return false;
    }
    memcpy(copy, base, type->size);
    const bool written = write_member(f, copy, value, keep);
    if (written) {
        if (f->counter && !counts(f)) {
            copy[f->counter] = 1;
        }
        memcpy(base, copy, type->size);
    }
    PyMem_Free(copy);
    return written;
}

static const dpy_field *find_field(const dpy_struct *type, const char *name)
{
    for (int i = 0; i < type->nfield; ++i) {
        if (strcmp(type->field[i].name, name) == 0) {
            return &type->field[i];
        }
    }
    return NULL;
}

bool dpy_write_all(dpy_struct *type, void *memory, PyObject *values, PyObject *keep)
{
    if (!PyDict_Check(values)) {
        PyObject *name = PyType_GetQualName(Py_TYPE(values));
        PyErr_Format(PyExc_TypeError, "expected a dict or a %s, got %U", type->name, name);
        Py_XDECREF(name);
        return false;
    }
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (PyDict_Next(values, &at, &key, &value)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        const dpy_field *f = name ? find_field(type, name) : NULL;
        if (!f) {
            PyErr_Clear();
            dpy_argument("%s has no member %R", type->name, key);
            return false;
        }
        if (!dpy_write(type, f, memory, value, keep)) {
            return false;
        }
    }
    return true;
}
