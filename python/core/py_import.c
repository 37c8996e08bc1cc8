// Model files into specs, with the report of what was made of them.
#include "py_fields.h"

#include <string.h>

// The options of an import, from keywords. Strings are borrowed from their objects.
typedef struct import {
    dp_import_options options;
    PyObject *allow, *package_path; ///< tuples
    const char **texts[2];
} import;

static bool read_strings(const char *what, PyObject *value, PyObject **tuple, const char ***texts,
                         int *count)
{
    *tuple = PyUnicode_Check(value) ? PyTuple_Pack(1, value) : PySequence_Tuple(value);
    const Py_ssize_t n = *tuple ? PyTuple_Size(*tuple) : -1;
    *texts = n >= 0 ? PyMem_Calloc((size_t)n + 1, sizeof **texts) : NULL;
    for (Py_ssize_t i = 0; *texts && i < n; ++i) {
        PyObject *one = PyTuple_GetItem(*tuple, i);
        (*texts)[i] = PyUnicode_Check(one) ? PyUnicode_AsUTF8AndSize(one, NULL) : NULL;
        if (!(*texts)[i]) {
            PyErr_Format(PyExc_TypeError, "%s: expected strings, got %R", what, one);
            return false;
        }
    }
    *count = (int)n;
    return *texts != NULL;
}

static bool read_self_collision(dp_self_collision *out, PyObject *value)
{
    static const char *const names[] = {"auto", "all", "none"};
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    for (int i = 0; text && i < 3; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (dp_self_collision)i;
            return true;
        }
    }
    dpy_argument("urdf_self_collision: expected 'auto', 'all' or 'none', got %R", value);
    return false;
}

static bool read_option(import *in, const char *name, PyObject *value)
{
    dp_import_options *o = &in->options;
    if (strcmp(name, "allow") == 0 && !in->allow) {
        const bool read = read_strings(name, value, &in->allow, &in->texts[0], &o->nallow);
        o->allow = in->texts[0];
        return read;
    }
    if (strcmp(name, "package_path") == 0 && !in->package_path) {
        const bool read =
            read_strings(name, value, &in->package_path, &in->texts[1], &o->npackage_path);
        o->package_path = in->texts[1];
        return read;
    }
    if (strcmp(name, "urdf_self_collision") == 0) {
        return read_self_collision(&o->urdf_self_collision, value);
    }
    const int truth = PyObject_IsTrue(value);
    if (strcmp(name, "repair") == 0) {
        o->repair = truth > 0;
        return truth >= 0;
    }
    if (strcmp(name, "allow_outside") == 0) {
        o->allow_outside = truth > 0;
        return truth >= 0;
    }
    if (strcmp(name, "urdf_floating_base") == 0) {
        o->urdf_floating_base = truth > 0;
        return truth >= 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "unknown option %s (expected allow, allow_outside, package_path, repair, "
                 "urdf_floating_base or urdf_self_collision)",
                 name);
    return false;
}

static bool read_options(import *in, PyObject *options)
{
    *in = (import){.options = dp_import_options_default()};
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (options && PyDict_Next(options, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name || !read_option(in, name, value)) {
            return false;
        }
    }
    return true;
}

static void free_options(import *in)
{
    Py_XDECREF(in->allow);
    Py_XDECREF(in->package_path);
    PyMem_Free(in->texts[0]);
    PyMem_Free(in->texts[1]);
}

static void destroy_report(void *report)
{
    dp_import_report_destroy(report);
}

// Items of a report that is handed over.
static PyObject *items_of(dp_import_report *report)
{
    PyObject *owner = dpy_handle(report, destroy_report, NULL);
    const int count = owner ? dp_import_report_count(report) : 0;
    PyObject *items = owner ? PyTuple_New(count) : NULL;
    for (int i = 0; items && i < count; ++i) {
        const dp_import_item item = dp_import_report_item(report, i);
        PyObject *one = dpy_record(&dpy_import_item_struct, &item, owner);
        if (!one || PyTuple_SetItem(items, i, one) < 0) {
            dpy_replace(&items, NULL);
        }
    }
    Py_XDECREF(owner);
    return items;
}

static bool signals_wait(void *unused)
{
    (void)unused;
    return PyErr_CheckSignals() < 0;
}

static dp_status parse(dp_spec **spec, dp_import_report **report, const char *name, PyObject *text,
                       const dp_import_options *options)
{
    Py_ssize_t bytes = 0;
    if (PyUnicode_Check(text)) {
        const char *utf8 = PyUnicode_AsUTF8AndSize(text, &bytes);
        return utf8 ? dp_model_file_parse(spec, report, utf8, (size_t)bytes, name, options)
                    : DP_ERROR_ARGUMENT;
    }
    char *memory = NULL;
    if (PyBytes_AsStringAndSize(text, &memory, &bytes) < 0) {
        return DP_ERROR_ARGUMENT; // with a TypeError
    }
    return dp_model_file_parse(spec, report, memory, (size_t)bytes, name, options);
}

dp_spec *dpy_import(PyObject **out, const char *path, PyObject *text, PyObject *options)
{
    *out = NULL;
import in;
    if (!read_options(&in, options)) {
        free_options(&in);
        return NULL;
    }
    in.options.interrupt = signals_wait;
    dp_import_report *report = NULL;
    dp_spec *spec = NULL;
    const dp_status status = text ? parse(&spec, &report, path, text, &in.options)
                                  : dp_model_file_load(&spec, &report, path, &in.options);
    free_options(&in);
    if (status != DP_OK) {
        dpy_fail(status);
        dp_import_report_destroy(report);
        return NULL;
    }
    *out = items_of(report);
    if (!*out) {
        dp_spec_destroy(spec);
        return NULL;
    }
    return spec;
}
