// Linear complementarity problems on arrays of NumPy.
#include "py_fields.h"

#include <dashpot/advanced/lcp.h>

// Options of a solver by name.
static bool set_options(void *options, PyObject *kwargs,
                        dp_status (*set)(void *options, const char *name, const char *value))
{
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
        PyObject *text = PyObject_Str(value);
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        const dp_status status = name && utf8 ? set(options, name, utf8) : DP_OK;
        Py_XDECREF(text);
        if (status != DP_OK) {
            dpy_fail(status);
        }
        if (PyErr_Occurred()) {
            return false;
        }
    }
    return true;
}

static dp_status set_lcp_option(void *options, const char *name, const char *value)
{
    return dp_lcp_options_set(options, name, value);
}

static bool read_problem(dpy_numbers n[4], dp_lcp *p, PyObject *const argument[4])
{
    static const char *const what[] = {"M", "q", "lo", "hi"};
    if (!dpy_numbers_read(&n[0], argument[0], what[0], dpy_shape2(DPY_ANY, DPY_ANY))) {
        return false;
    }
    const Py_ssize_t size = n[0].rows;
    if (n[0].columns != size || size > INT32_MAX) {
        dpy_argument("M: expected a square matrix, got %zd by %zd", size, n[0].columns);
        return false;
    }
    for (int i = 1; i < 4; ++i) {
        if (argument[i] != Py_None &&
            !(i == 1 ? dpy_numbers_read(&n[i], argument[i], what[i], dpy_shape1(size))
                     : dpy_numbers_read_infinite(&n[i], argument[i], what[i], dpy_shape1(size)))) {
            return false;
        }
    }
    *p = (dp_lcp){(int)size, n[0].value, n[1].value, n[2].value, n[3].value};
    return true;
}

static PyObject *solve_problem(const dp_lcp *p, const dp_lcp_options *options)
{
    dp_lcp_solution solution = {0};
    dp_lcp_info info = {0};
    PyObject *z = dpy_array(&solution.z, dpy_shape1(p->n));
    PyObject *w = dpy_array(&solution.w, dpy_shape1(p->n));
    PyObject *out = NULL;
    if (z && w) {
        dp_status status = DP_OK;
        Py_BEGIN_ALLOW_THREADS status = dp_lcp_solve(&solution, p, options, NULL, &info);
        Py_END_ALLOW_THREADS PyObject *record =
            status == DP_OK ? dpy_record(&dpy_lcp_info_struct, &info, NULL) : dpy_fail(status);
        out = record ? PyTuple_Pack(3, z, w, record) : NULL;
        Py_XDECREF(record);
    }
    Py_XDECREF(z);
    Py_XDECREF(w);
    return out;
}

static PyObject *solve_lcp(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    PyObject *argument[4] = {NULL, NULL, Py_None, Py_None};
    if (!PyArg_ParseTuple(args, "OO|OO:solve_lcp", &argument[0], &argument[1], &argument[2],
                          &argument[3])) {
        return NULL;
    }
    if ((argument[2] == Py_None) != (argument[3] == Py_None)) {
        return dpy_argument("lo and hi: expected both or none");
    }
    dp_lcp_options options = dp_lcp_options_default();
    dpy_numbers n[4] = {{.count = 0}};
    dp_lcp p;
    PyObject *out = NULL;
    if (set_options(&options, kwargs, set_lcp_option) && read_problem(n, &p, argument)) {
        out = solve_problem(&p, &options);
    }
    for (int i = 0; i < 4; ++i) {
        dpy_numbers_free(&n[i]);
    }
    return out;
}

PyMethodDef dpy_problem_functions[] = {
    {"solve_lcp", (PyCFunction)(void (*)(void))solve_lcp, METH_VARARGS | METH_KEYWORDS,
     "solve_lcp(M: ArrayLike, q: ArrayLike, lo: ArrayLike | None = None, hi: ArrayLike | None = "
     "None, /, **options: Any)\n--\n\n-> tuple[ndarray, ndarray, LcpInfo]\n"
     "z, w = M z + q and how it went: w ≥ 0 where z = lo, w = 0 between, w ≤ 0 where z = hi; "
     "without "
     "bounds 0 ≤ w ⊥ z ≥ 0. Options: method, tolerance, max_pivots, restarts, seed, threshold."},
    {NULL, NULL, 0, NULL},
};
