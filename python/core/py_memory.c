// Handles own what the library made; memory objects lend a piece of it to NumPy.
#include "py_core.h"

#include <string.h>

typedef struct handle {
    void *pointer;
    void (*destroy)(void *);
    PyObject *keep;
} handle;

static void handle_dealloc(PyObject *self)
{
    handle *h = dpy_state(self);
    if (h->pointer) {
        h->destroy(h->pointer);
    }
    Py_XDECREF(h->keep);
    dpy_free(self);
}

static PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, handle_dealloc},
    {Py_tp_doc, "Owns an object of the library."},
    {0, NULL},
};
static PyType_Spec handle_spec = {
    .name = "dashpot._core._Handle",
    .basicsize = DPY_HEAD + sizeof(handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = handle_slots,
};

PyObject *dpy_handle(void *pointer, void (*destroy)(void *), PyObject *keep)
{
    PyObject *self = dpy_new(dpy.handle);
    if (!self) {
        destroy(pointer);
        return NULL;
    }
    *(handle *)dpy_state(self) = (handle){pointer, destroy, keep};
    Py_XINCREF(keep);
    return self;
}

// A piece of memory with a shape, for the buffer protocol.
typedef struct memory {
    PyObject *owner;
    void *start;
    const char *format;
    Py_ssize_t item;
    dpy_shape shape;
    Py_ssize_t stride[3];
    bool writable;
} memory;

static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    memory *m = dpy_state(self);
    if ((flags & PyBUF_WRITABLE) && !m->writable) {
        PyErr_SetString(PyExc_BufferError, "this memory is read-only");
        return -1;
    }
    Py_ssize_t count = 1;
    for (int i = 0; i < m->shape.ndim; ++i) {
        count *= m->shape.n[i];
    }
    static char nothing[8];
    *view = (Py_buffer){
        .obj = Py_NewRef(self),
        .buf = m->start ? m->start : nothing, // of no elements
        .len = count * m->item,
        .itemsize = m->item,
        .readonly = !m->writable,
        .ndim = m->shape.ndim,
        .format = flags & PyBUF_FORMAT ? (char *)m->format : NULL,
        .shape = m->shape.n,
        .strides = m->stride,
    };
    return 0;
}

static void memory_dealloc(PyObject *self)
{
    Py_XDECREF(((memory *)dpy_state(self))->owner);
    dpy_free(self);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, memory_dealloc},
    {Py_bf_getbuffer, memory_getbuffer},
    {Py_tp_doc, "Memory of the library, and what keeps it alive."},
    {0, NULL},
};
static PyType_Spec memory_spec = {
    .name = "dashpot._core._Memory",
    .basicsize = DPY_HEAD + sizeof(memory),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = memory_slots,
};

static PyObject *dtype_of(const char *name)
{
    return PyObject_CallFunction(dpy.dtype, "s", name);
}

bool dpy_memory_init(PyObject *module)
{
    dpy.handle = dpy_add_type(module, &handle_spec);
    dpy.memory = dpy_add_type(module, &memory_spec);
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!dpy.handle || !dpy.memory || !numpy) {
        Py_XDECREF(numpy);
        return false;
    }
    dpy.ndarray = PyObject_GetAttrString(numpy, "ndarray");
    dpy.dtype = PyObject_GetAttrString(numpy, "dtype");
    dpy.ascontiguousarray = PyObject_GetAttrString(numpy, "ascontiguousarray");
    Py_DECREF(numpy);
    if (!dpy.ndarray || !dpy.dtype || !dpy.ascontiguousarray) {
        return false;
    }
    dpy.float64 = dtype_of("float64");
    dpy.int32 = dtype_of("int32");
    dpy.boolean = dtype_of("bool");
    return dpy.float64 && dpy.int32 && dpy.boolean;
}

dpy_shape dpy_shape1(Py_ssize_t n)
{
    return (dpy_shape){1, {n, 1, 1}};
}

dpy_shape dpy_shape2(Py_ssize_t rows, Py_ssize_t columns)
{
    return (dpy_shape){2, {rows, columns, 1}};
}

static Py_ssize_t format_size(const char *format)
{
    switch (format[0]) {
    case 'd':
    case 'q':
        return 8;
    case 'f':
    case 'i':
        return 4;
    default:
        return 1;
    }
}

// numpy.ndarray(shape, dtype, buffer)
static PyObject *as_array(PyObject *buffer, PyObject *dtype, dpy_shape shape)
{
    PyObject *n = shape.ndim == 1   ? Py_BuildValue("(n)", shape.n[0])
                  : shape.ndim == 2 ? Py_BuildValue("(nn)", shape.n[0], shape.n[1])
                                    : Py_BuildValue("(nnn)", shape.n[0], shape.n[1], shape.n[2]);
    PyObject *array = n ? PyObject_CallFunctionObjArgs(dpy.ndarray, n, dtype, buffer, NULL) : NULL;
    Py_XDECREF(n);
    return array;
}

PyObject *dpy_view(PyObject *owner, void *start, const char *format, dpy_shape shape, bool writable)
{
    PyObject *self = dpy_new(dpy.memory);
    if (!self) {
        return NULL;
    }
    memory *m = dpy_state(self);
    *m = (memory){Py_NewRef(owner), start, format, format_size(format), shape, {0}, writable};
    Py_ssize_t stride = m->item;
    for (int i = shape.ndim - 1; i >= 0; --i) {
        m->stride[i] = stride;
        stride *= shape.n[i];
    }
    PyObject *dtype = format[0] == 'd'   ? Py_NewRef(dpy.float64)
                      : format[0] == 'i' ? Py_NewRef(dpy.int32)
                                         : PyObject_CallFunction(dpy.dtype, "s", format);
    PyObject *array = dtype ? as_array(self, dtype, shape) : NULL;
    Py_XDECREF(dtype);
    Py_DECREF(self);
    return array;
}

PyObject *dpy_array(double **values, dpy_shape shape)
{
    Py_ssize_t count = 1;
    for (int i = 0; i < shape.ndim; ++i) {
        count *= shape.n[i];
    }
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double));
    if (!bytes) {
        return NULL;
    }
    *values = (double *)(void *)PyByteArray_AsString(bytes);
    if (count > 0) {
        memset(*values, 0, (size_t)count * sizeof(double));
    }
    PyObject *array = as_array(bytes, dpy.float64, shape);
    Py_DECREF(bytes);
    return array;
}

PyObject *dpy_vector(const double *values, int count)
{
    double *out = NULL;
    PyObject *array = dpy_array(&out, dpy_shape1(count));
    if (array && count > 0) {
        memcpy(out, values, (size_t)count * sizeof(double));
    }
    return array;
}

PyObject *dpy_v3(dp_v3 v)
{
    return dpy_vector((const double[3]){v.x, v.y, v.z}, 3);
}

PyObject *dpy_quat(dp_quat q)
{
    return dpy_vector((const double[4]){q.w, q.x, q.y, q.z}, 4);
}

PyObject *dpy_twist(dp_twist t)
{
    return dpy_vector((const double[6]){t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z}, 6);
}
