// Records: structs of the library as objects of Python, by the tables of their members.
#include "py_fields.h"

#include <stdio.h>
#include <string.h>

// What a record refers to: `base`, or what fetch() returns, and the place in it.
typedef struct record {
    dpy_struct *type;
    PyObject *owner; ///< keeps the memory alive
    PyObject *keep;  ///< keeps alive what strings point to; of live records a list
    char *base;
    dpy_fetch fetch;
    int kind, index;
    size_t offset;
    size_t given; ///< where the bool is that says that a member was set; 0: none
    bool writable;
} record;

static char *root_of(const record *r)
{
    return r->fetch ? r->fetch(r->owner, r->kind, r->index) : r->base;
}

static PyObject *new_record(const record *like)
{
    PyObject *self = dpy_new(like->type->type);
    if (self) {
        record *r = dpy_state(self);
        *r = *like;
        Py_XINCREF(r->owner);
        Py_XINCREF(r->keep);
    }
    return self;
}

static void record_dealloc(PyObject *self)
{
    record *r = dpy_state(self);
    Py_XDECREF(r->owner);
    Py_XDECREF(r->keep);
    dpy_free(self);
}

// Reading

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
                : Py_NewRef(Py_None);
}

static PyObject *read_texts(const char *const *text, int count)
{
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i) {
        PyObject *one = text_or_none(text[i]);
        if (!one || PyTuple_SetItem(out, i, one) < 0) {
            Py_CLEAR(out);
        }
    }
    return out;
}

static PyObject *read_ints(const int *value, int count)
{
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i) {
        PyObject *one = PyLong_FromLong(value[i]);
        if (!one || PyTuple_SetItem(out, i, one) < 0) {
            Py_CLEAR(out);
        }
    }
    return out;
}

static PyObject *read_floats(const float *value, int count)
{
    double wide[8] = {0.0};
    for (int i = 0; i < count && i < 8; ++i) {
        wide[i] = (double)value[i];
    }
    return dpy_vector(wide, count);
}

// A copy of what a pointer and a counter say.
static PyObject *read_pointed(const dpy_field *f, const char *base)
{
    const char *memory = *(const char *const *)(const void *)(base + f->offset);
    int counted = 0;
    memcpy(&counted, base + f->counter, sizeof counted);
    const Py_ssize_t count = memory ? (Py_ssize_t)counted : 0;
    int columns = f->count;
    if (f->kind == DPY_GRID) {
        memcpy(&columns, base + f->counter + sizeof(int), sizeof columns);
    }
    if (f->kind == DPY_WHOLES) {
        PyObject *bytes = PyByteArray_FromStringAndSize(memory, count * f->count * 4);
        PyObject *array = bytes ? dpy_view(bytes, PyByteArray_AsString(bytes), "i",
                                           dpy_shape2(count, f->count), true)
                                : NULL;
        Py_XDECREF(bytes);
        return array;
    }
    double *values = NULL;
    PyObject *array =
        dpy_array(&values, columns == 1 ? dpy_shape1(count) : dpy_shape2(count, columns));
    if (array && count > 0) {
        memcpy(values, memory, (size_t)(count * columns) * sizeof(double));
    }
    return array;
}

static PyObject *read_structs(const dpy_field *f, const char *base, PyObject *keep)
{
    dpy_struct *type = f->of;
    const char *memory = *(const char *const *)(const void *)(base + f->offset);
    int counted = 0;
    memcpy(&counted, base + f->counter, sizeof counted);
    PyObject *out = PyTuple_New(memory ? counted : 0);
    for (int i = 0; out && memory && i < counted; ++i) {
        PyObject *one = dpy_record(type, memory + (size_t)i * type->size, keep);
        if (!one || PyTuple_SetItem(out, i, one) < 0) {
            Py_CLEAR(out);
        }
    }
    return out;
}

static PyObject *read_enum(const dpy_enum *type, int value)
{
    if (value < 0 || value >= type->count) {
        return PyUnicode_FromFormat("%d", value);
    }
    return PyUnicode_FromString(type->text(value));
}

static PyObject *read_plain(const dpy_field *f, const char *at)
{
    const void *p = at;
    switch (f->kind) {
    case DPY_BOOL:
        return PyBool_FromLong(*(const bool *)p);
    case DPY_INT:
    case DPY_ID:
        return PyLong_FromLong(*(const int *)p);
    case DPY_LONG:
        return PyLong_FromLongLong(*(const long long *)p);
    case DPY_INT64:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)p);
    case DPY_DOUBLE:
        return PyFloat_FromDouble(*(const double *)p);
    case DPY_NAME:
        return text_or_none(p);
    case DPY_TEXT:
        return text_or_none(*(const char *const *)p);
    case DPY_ENUM:
        return read_enum(f->of, *(const int *)p);
    case DPY_VECTOR:
        return dpy_vector(p, f->count);
    case DPY_FLOATS:
        return read_floats(p, f->count);
    case DPY_INTS:
        return read_ints(p, f->count);
    case DPY_TEXTS:
        return read_texts(p, f->count);
    default:
        break;
    }
    PyErr_Format(PyExc_SystemError, "%s has no such kind", f->name);
    return NULL;
}

static PyObject *record_get(PyObject *self, void *closure)
{
    const dpy_field *f = closure;
    record *r = dpy_state(self);
    char *root = root_of(r);
    if (!root) {
        return NULL;
    }
    const char *base = root + r->offset;
    switch (f->kind) {
    case DPY_STRUCT: {
        record nested = *r;
        nested.type = f->of;
        nested.offset += f->offset;
        nested.given = f->counter ? r->offset + f->counter : r->given;
        return new_record(&nested);
    }
    case DPY_STRUCTS:
        return read_structs(f, base, r->keep ? r->keep : r->owner);
    case DPY_DOUBLES:
    case DPY_GRID:
    case DPY_WHOLES:
        return read_pointed(f, base);
    default:
        return read_plain(f, base + f->offset);
    }
}

// Writing: py_write.c

static int record_set(PyObject *self, PyObject *value, void *closure)
{
    const dpy_field *f = closure;
    record *r = dpy_state(self);
    if (!value) {
        PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", f->name);
        return -1;
    }
    if (!r->writable) {
        PyErr_Format(PyExc_AttributeError, "%s is a copy and cannot be set", f->name);
        return -1;
    }
    PyObject *keep = r->keep ? Py_NewRef(r->keep) : PyList_New(0);
    char *root = keep ? root_of(r) : NULL;
    const bool written = root && dpy_write(r->type, f, root + r->offset, value, keep);
    if (written && r->given) {
        root[r->given] = 1;
    }
    Py_XDECREF(keep);
    return written ? 0 : -1;
}

const void *dpy_record_memory(PyObject *self)
{
    const record *r = dpy_state(self);
    const char *root = root_of(r);
    return root ? root + r->offset : NULL;
}

// Types

static PyObject *record_asdict(PyObject *self, PyObject *unused)
{
    (void)unused;
    record *r = dpy_state(self);
    PyObject *out = PyDict_New();
    for (int i = 0; out && i < r->type->nfield; ++i) {
        const dpy_field *f = &r->type->field[i];
        PyObject *value = record_get(self, (void *)f);
        if (value && f->kind == DPY_STRUCT) {
            dpy_replace(&value, record_asdict(value, NULL));
        }
        if (!value || PyDict_SetItemString(out, f->name, value) < 0) {
            Py_CLEAR(out);
        }
        Py_XDECREF(value);
    }
    return out;
}

static PyObject *record_repr(PyObject *self)
{
    record *r = dpy_state(self);
    PyObject *out = PyUnicode_FromFormat("%s(", r->type->name);
    for (int i = 0; out && i < r->type->nfield; ++i) {
        const dpy_field *f = &r->type->field[i];
        PyObject *value = record_get(self, (void *)f);
        dpy_replace(&out,
                    value ? PyUnicode_FromFormat("%U%s%s=%R", out, i ? ", " : "", f->name, value)
                          : NULL);
        Py_XDECREF(value);
    }
    if (out) {
        dpy_replace(&out, PyUnicode_FromFormat("%U)", out));
    }
    return out;
}

static PyMethodDef record_methods[] = {
    {"asdict", record_asdict, METH_NOARGS,
     "asdict($self, /)\n--\n\n-> dict[str, Any]\nAll members by name, nested ones as dicts."},
    {NULL, NULL, 0, NULL},
};

static const char *python_type(const dpy_field *f)
{
    switch (f->kind) {
    case DPY_BOOL:
        return "bool";
    case DPY_INT:
    case DPY_LONG:
    case DPY_INT64:
    case DPY_ID:
        return "int";
    case DPY_DOUBLE:
        return "float";
    case DPY_TEXT:
        return "str | None";
    case DPY_ENUM:
    case DPY_NAME:
        return "str";
    case DPY_INTS:
        return "tuple[int, ...]";
    case DPY_TEXTS:
        return "tuple[str | None, ...]";
    case DPY_STRUCT:
        return ((const dpy_struct *)f->of)->name;
    case DPY_STRUCTS:
        return "tuple[Any, ...]";
    default:
        return "ndarray";
    }
}

// Texts of types must live as long as the interpreter.
static char *lasting(const char *a, const char *b, const char *c)
{
    const size_t bytes = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = PyMem_Malloc(bytes);
    if (text) {
        (void)snprintf(text, bytes, "%s%s%s", a, b, c);
    }
    return text;
}

// @param settable specs and options, and what is in them
static bool add_struct(PyObject *module, dpy_struct *type, bool settable)
{
    if (type->type) {
        return true;
    }
    PyGetSetDef *getset = PyMem_Calloc((size_t)type->nfield + 1, sizeof *getset);
    char *name = lasting("dashpot._core.", type->name, "");
    if (!getset || !name) {
        PyErr_NoMemory();
        PyMem_Free(getset);
        PyMem_Free(name);
        return false;
    }
    for (int i = 0; i < type->nfield; ++i) {
        const dpy_field *f = &type->field[i];
        getset[i] = (PyGetSetDef){
            f->name, record_get, settable ? record_set : NULL,
            lasting(python_type(f), settable ? " (settable): " : ": ", f->doc), (void *)f};
    }
    PyType_Slot slots[] = {
        {Py_tp_dealloc, record_dealloc}, {Py_tp_repr, record_repr},      {Py_tp_getset, getset},
        {Py_tp_methods, record_methods}, {Py_tp_doc, (void *)type->doc}, {0, NULL},
    };
    PyType_Spec spec = {
        .name = name,
        .basicsize = DPY_HEAD + sizeof(record),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    type->type = dpy_add_type(module, &spec);
    for (int i = 0; type->type && i < type->nfield; ++i) {
        const dpy_kind kind = type->field[i].kind;
        if ((kind == DPY_STRUCT || kind == DPY_STRUCTS) &&
            !add_struct(module, type->field[i].of, settable)) {
            return false;
        }
    }
    return type->type != NULL;
}

static bool add_enums(PyObject *module)
{
    PyObject *all = PyDict_New();
    for (int i = 0; all && dpy_enums[i]; ++i) {
        const dpy_enum *type = dpy_enums[i];
        PyObject *names = PyTuple_New(type->count);
        for (int k = 0; names && k < type->count; ++k) {
            PyObject *text = PyUnicode_FromString(type->text(k));
            if (!text || PyTuple_SetItem(names, k, text) < 0) {
                Py_CLEAR(names);
            }
        }
        if (!names || PyDict_SetItemString(all, type->name, names) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(names);
    }
    const bool added = all && PyModule_AddObjectRef(module, "_enumerations", all) == 0;
    Py_XDECREF(all);
    return added;
}

bool dpy_fields_init(PyObject *module)
{
    static dpy_struct *const plain[] = {
        &dpy_certificate_struct,
        &dpy_step_work_struct,
        &dpy_step_report_struct,
        &dpy_energy_struct,
        &dpy_ledger_struct,
        &dpy_momentum_struct,
        &dpy_friction_struct,
        &dpy_normal_struct,
        &dpy_contact_struct,
        &dpy_row_info_struct,
        &dpy_foundation_load_struct,
        &dpy_parameter_info_struct,
        &dpy_batch_result_struct,
        &dpy_body_state_struct,
        &dpy_lcp_info_struct,
        &dpy_fc_residual_struct,
        &dpy_fc_info_struct,
        &dpy_solve_info_struct,
        &dpy_ray_certificate_struct,
        &dpy_row_struct,
        &dpy_statics_info_struct,
        &dpy_reaction_struct,
        &dpy_import_item_struct,
        &dpy_contact_point_struct,
        &dpy_distance_struct,
        &dpy_found_contact_struct,
        &dpy_ray_hit_struct,
        &dpy_model_size_struct,
        &dpy_inertial_struct,
        &dpy_bearing_struct,
        &dpy_material_struct,
        &dpy_muscle_struct,
        &dpy_rigid_options_struct,
        &dpy_impact_options_struct,
        &dpy_polyhedral_options_struct,
        &dpy_vi_options_struct,
        &dpy_regularised_options_struct,
        &dpy_tamsi_options_struct,

        &dpy_law_options_struct,

    };
    bool added = add_struct(module, &dpy_options_struct, true);
    for (int kind = 0; added && kind < DPY_ELEMENTS; ++kind) {
        added = add_struct(module, dpy_spec_struct[kind], true);
    }
    for (int kind = 0; added && kind < DPY_ELEMENTS; ++kind) {
        added = !dpy_info_struct[kind] || add_struct(module, dpy_info_struct[kind], false);
    }
    for (size_t i = 0; added && i < sizeof plain / sizeof plain[0]; ++i) {
        added = add_struct(module, plain[i], false);
    }
    return added && add_enums(module);
}

PyObject *dpy_record(dpy_struct *type, const void *value, PyObject *keep)
{
    PyObject *bytes = PyBytes_FromStringAndSize(value, (Py_ssize_t)type->size);
    if (!bytes) {
        return NULL;
    }
    const record r = {.type = type, .owner = bytes, .keep = keep, .base = PyBytes_AsString(bytes)};
    PyObject *self = new_record(&r);
    Py_DECREF(bytes);
    return self;
}

PyObject *dpy_record_live(dpy_struct *type, void *memory, PyObject *owner)
{
    const record r = {.type = type, .owner = owner, .base = memory, .writable = true};
    return new_record(&r);
}

PyObject *dpy_record_fetched(dpy_struct *type, dpy_fetch fetch, PyObject *owner, int kind,
                             int index, PyObject *strings)
{
    const record r = {.type = type,
                      .owner = owner,
                      .keep = strings,
                      .fetch = fetch,
                      .kind = kind,
                      .index = index,
                      .writable = true};
    return new_record(&r);
}
