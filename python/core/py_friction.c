// Friction-contact problems on arrays of NumPy, dense or by columns as SciPy's csc_matrix has them.
#include "py_fields.h"

#include <dashpot/advanced/fc.h>

#include <string.h>

// A matrix that was given: its numbers by columns, borrowed or made.
typedef struct sparse {
    dpy_numbers start, row, value;
    int *made_start, *made_row;
    double *made_value;
} sparse;

static void sparse_free(sparse *s)
{
    dpy_numbers_free(&s->start);
    dpy_numbers_free(&s->row);
    dpy_numbers_free(&s->value);
    PyMem_Free(s->made_start);
    PyMem_Free(s->made_row);
    PyMem_Free(s->made_value);
}

static bool read_part(dpy_numbers *out, PyObject *object, const char *name, const char *what,
                      bool whole)
{
    PyObject *part = PyObject_GetAttrString(object, name);
    const bool read = part && (whole ? dpy_integers_read(out, part, what, dpy_shape1(DPY_ANY))
                                     : dpy_numbers_read(out, part, what, dpy_shape1(DPY_ANY)));
    Py_XDECREF(part);
    return read;
}

// SciPy: anything that has tocsc().
static bool read_csc(sparse *s, dp_sparse *out, PyObject *object, const char *what)
{
    PyObject *method = PyUnicode_FromString("tocsc");
    PyObject *sort = PyUnicode_FromString("sort_indices");
    PyObject *csc = NULL, *sorted = NULL, *shape = NULL;
    PyObject *function = method ? PyObject_GetAttr(object, method) : NULL;
    csc = function ? PyObject_CallFunction(function, "(i)", 1) : NULL; // a copy
    Py_XDECREF(function);
    function = csc && sort ? PyObject_GetAttr(csc, sort) : NULL;
    sorted = function ? PyObject_CallFunctionObjArgs(function, NULL) : NULL;
    Py_XDECREF(function);
    shape = sorted ? PyObject_GetAttrString(csc, "shape") : NULL;
    int rows = 0, columns = 0;
    const bool read = shape && PyArg_ParseTuple(shape, "ii", &rows, &columns) &&
                      read_part(&s->start, csc, "indptr", what, true) &&
                      read_part(&s->row, csc, "indices", what, true) &&
                      read_part(&s->value, csc, "data", what, false);
    if (read && (s->start.count != (Py_ssize_t)columns + 1 || s->row.count != s->value.count ||
                 s->start.whole[columns] != s->value.count)) {
        dpy_argument("%s: expected a csc matrix whose arrays fit each other", what);
        columns = -1;
    }
    *out = (dp_sparse){rows, columns, s->start.whole, s->row.whole, s->value.value};
    Py_XDECREF(method);
    Py_XDECREF(sort);
    Py_XDECREF(csc);
    Py_XDECREF(sorted);
    Py_XDECREF(shape);
    return read && columns >= 0;
}

// Dense: all numbers by columns.
static bool read_dense(sparse *s, dp_sparse *out, PyObject *object, const char *what)
{
    if (!dpy_numbers_read(&s->value, object, what, dpy_shape2(DPY_ANY, DPY_ANY))) {
        return false;
    }
    const Py_ssize_t rows = s->value.rows, columns = s->value.columns;
    if (rows * columns > INT32_MAX) {
        dpy_argument("%s: expected a sparse matrix (scipy.sparse), this one is too large", what);
        return false;
    }
    s->made_start = PyMem_Calloc((size_t)columns + 1, sizeof(int));
    s->made_row = PyMem_Calloc((size_t)(rows * columns) + 1, sizeof(int));
    s->made_value = PyMem_Calloc((size_t)(rows * columns) + 1, sizeof(double));
    if (!s->made_start || !s->made_row || !s->made_value) {
        PyErr_NoMemory();
        return false;
    }
    int count = 0;
    for (Py_ssize_t j = 0; j < columns; ++j) {
        for (Py_ssize_t i = 0; i < rows; ++i) {
            const double value = s->value.value[i * columns + j];
            if (value != 0.0) {
                s->made_row[count] = (int)i;
                s->made_value[count++] = value;
            }
        }
        s->made_start[j + 1] = count;
    }
    *out = (dp_sparse){(int)rows, (int)columns, s->made_start, s->made_row, s->made_value};
    return true;
}

static bool read_matrix(sparse *s, dp_sparse *out, PyObject *object, const char *what)
{
    return PyObject_HasAttrString(object, "tocsc") ? read_csc(s, out, object, what)
                                                   : read_dense(s, out, object, what);
}

typedef struct given {
    sparse matrix[3];
    dpy_numbers vector[5];
} given;

static void given_free(given *g)
{
    for (int i = 0; i < 3; ++i) {
        sparse_free(&g->matrix[i]);
    }
    for (int i = 0; i < 5; ++i) {
        dpy_numbers_free(&g->vector[i]);
    }
}

static PyObject *solve(const dp_fc *p, const double *start, const dp_fc_options *options)
{
    const int n = p->dimension * p->nc;
    double *r = NULL, *u = NULL, *v = NULL;
    PyObject *impulses = dpy_array(&r, dpy_shape1(n));
    PyObject *velocities = dpy_array(&u, dpy_shape1(n));
    PyObject *bodies = dpy_array(&v, dpy_shape1(p->form == DP_FC_FORM_GLOBAL ? p->M.rows : 0));
    PyObject *out = NULL;
    if (impulses && velocities && bodies) {
        const dp_fc_solution solution = {
            .r = r, .u = u, .v = p->form == DP_FC_FORM_GLOBAL ? v : NULL};
        dp_fc_info info = {0};
        dp_status status = DP_OK;
        Py_BEGIN_ALLOW_THREADS status = dp_fc_solve(&solution, p, start, options, NULL, &info);
        Py_END_ALLOW_THREADS PyObject *record =
            status == DP_OK ? dpy_record(&dpy_fc_info_struct, &info, NULL) : dpy_fail(status);
        out = !record                        ? NULL
              : p->form == DP_FC_FORM_GLOBAL ? PyTuple_Pack(4, impulses, velocities, bodies, record)
                                             : PyTuple_Pack(3, impulses, velocities, record);
        Py_XDECREF(record);
    }
    Py_XDECREF(impulses);
    Py_XDECREF(velocities);
    Py_XDECREF(bodies);
    return out;
}

static bool read_options(dp_fc_options *options, const char *method, double tolerance, int work)
{
    *options = dp_fc_options_default();
    options->tolerance = tolerance;
    options->max_factorizations = work;
    const dp_status status = dp_fc_options_set(options, "fc.method", method);
    if (status != DP_OK) {
        dpy_fail(status);
    }
    return status == DP_OK;
}

// The dimension follows from the number of contacts and of rows.
static bool read_friction(dp_fc *p, dpy_numbers *mu, PyObject *object, Py_ssize_t n)
{
    if (!dpy_numbers_read(mu, object, "mu", dpy_shape1(DPY_ANY))) {
        return false;
    }
    if (mu->count == 0 || (n != 3 * mu->count && n != 2 * mu->count)) {
        dpy_argument("mu: expected a third (or, in the plane, half) as many numbers as q has, %zd, "
                     "got %zd",
                     n, mu->count);
        return false;
    }
    p->nc = (int)mu->count;
    p->dimension = (int)(n / mu->count);
    p->mu = mu->value;
    return true;
}

static PyObject *solve_local(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    PyObject *W = NULL, *q = NULL, *mu = NULL, *start = Py_None;
    const char *method = "automatic";
    dp_fc_options options = dp_fc_options_default();
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "OOO|Osdi:solve_friction",
            (char *[]){"W", "q", "mu", "start", "method", "tolerance", "max_factorizations", NULL},
            &W, &q, &mu, &start, &method, &options.tolerance, &options.max_factorizations) ||
        !read_options(&options, method, options.tolerance, options.max_factorizations)) {
        return NULL;
    }
    given g = {0};
    dp_fc p = {.form = DP_FC_FORM_LOCAL};
    PyObject *out = NULL;
    if (dpy_numbers_read(&g.vector[0], q, "q", dpy_shape1(DPY_ANY)) &&
        read_friction(&p, &g.vector[1], mu, g.vector[0].count) &&
        read_matrix(&g.matrix[0], &p.W, W, "W") &&
        (start == Py_None ||
         dpy_numbers_read(&g.vector[2], start, "start", dpy_shape1(g.vector[0].count)))) {
        p.q = g.vector[0].value;
        if (p.W.rows != (int)g.vector[0].count || p.W.columns != p.W.rows) {
            dpy_argument("W: expected %zd by %zd, got %d by %d", g.vector[0].count,
                         g.vector[0].count, p.W.rows, p.W.columns);
        } else {
            out = solve(&p, g.vector[2].value, &options);
        }
    }
    given_free(&g);
    return out;
}

static PyObject *solve_global(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    PyObject *M = NULL, *H = NULL, *f = NULL, *w = NULL, *mu = NULL;
    const char *method = "automatic";
    dp_fc_options options = dp_fc_options_default();
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "OOOOO|sdi:solve_friction_global",
            (char *[]){"M", "H", "f", "w", "mu", "method", "tolerance", "max_factorizations", NULL},
            &M, &H, &f, &w, &mu, &method, &options.tolerance, &options.max_factorizations) ||
        !read_options(&options, method, options.tolerance, options.max_factorizations)) {
        return NULL;
    }
    given g = {0};
    dp_fc p = {.form = DP_FC_FORM_GLOBAL};
    PyObject *out = NULL;
    if (dpy_numbers_read(&g.vector[0], w, "w", dpy_shape1(DPY_ANY)) &&
        dpy_numbers_read(&g.vector[1], f, "f", dpy_shape1(DPY_ANY)) &&
        read_friction(&p, &g.vector[2], mu, g.vector[0].count) &&
        read_matrix(&g.matrix[0], &p.M, M, "M") && read_matrix(&g.matrix[1], &p.H, H, "H")) {
        p.w = g.vector[0].value;
        p.f = g.vector[1].value;
        const int nv = (int)g.vector[1].count, n = (int)g.vector[0].count;
        if (p.M.rows != nv || p.M.columns != nv) {
            dpy_argument("M: expected %d by %d, got %d by %d", nv, nv, p.M.rows, p.M.columns);
        } else if (p.H.rows != nv || p.H.columns != n) {
            dpy_argument("H: expected %d by %d, got %d by %d", nv, n, p.H.rows, p.H.columns);
        } else {
            out = solve(&p, NULL, &options);
        }
    }
    given_free(&g);
    return out;
}

PyMethodDef dpy_fc_functions[] = {
    {"solve_friction", (PyCFunction)(void (*)(void))solve_local, METH_VARARGS | METH_KEYWORDS,
     "solve_friction(W: Any, q: ArrayLike, mu: ArrayLike, start: ArrayLike | None = None, method: "
     "str "
     "= 'automatic', tolerance: float = 1e-8, max_factorizations: int = 4000)\n--\n\n"
     "-> tuple[ndarray, ndarray, FcInfo]\n"
     "Rigid contacts with Coulomb's cone: impulses r, velocities u = W r + q, and how it went. "
     "Contact by contact, normal first. W is dense or of scipy.sparse."},
    {"solve_friction_global", (PyCFunction)(void (*)(void))solve_global,
     METH_VARARGS | METH_KEYWORDS,
     "solve_friction_global(M: Any, H: Any, f: ArrayLike, w: ArrayLike, mu: ArrayLike, method: str "
     "= "
     "'automatic', tolerance: float = 1e-8, max_factorizations: int = 4000)\n--\n\n"
     "-> tuple[ndarray, ndarray, ndarray, FcInfo]\n"
     "The same with M v = H r + f, u = Hᵀ v + w: impulses r, velocities u and v, how it went."},
    {NULL, NULL, 0, NULL},
};
