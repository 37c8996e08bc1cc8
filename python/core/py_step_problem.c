// The step problem of a simulation as arrays: what the last step asked of its law, and the answer.
#include "py_fields.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>

#include <string.h>

// Put a new reference into a dict, and let go of it.
static bool put(PyObject *dict, const char *name, PyObject *stolen)
{
    const bool done = stolen && PyDict_SetItemString(dict, name, stolen) == 0;
    Py_XDECREF(stolen);
    return done;
}

// M̃ in full, from the rows of its lower triangle along the trees.
static PyObject *mass_of(const dp_step_problem *p)
{
    double *M = NULL;
    PyObject *out = dpy_array(&M, dpy_shape2(p->nv, p->nv));
    for (int i = 0; out && p->Mt && i < p->nv; ++i) {
        int j = i;
        for (size_t k = p->Mt_start[i]; k < p->Mt_start[i + 1] && j >= 0; ++k) {
            M[(size_t)i * (size_t)p->nv + (size_t)j] = p->Mt[k];
            M[(size_t)j * (size_t)p->nv + (size_t)i] = p->Mt[k];
            j = p->parent[j];
        }
    }
    return out;
}

// G in full, from its blocks.
static PyObject *gradients_of(const dp_step_problem *p)
{
    double *G = NULL;
    PyObject *out = dpy_array(&G, dpy_shape2(p->nrow, p->nv));
    for (int b = 0; out && p->G && b < p->nblock; ++b) {
        const double *block = p->G + p->G_start[b];
        for (int row = p->row_start[b]; row < p->row_start[b + 1]; ++row) {
            for (int c = p->col_start[b]; c < p->col_start[b + 1]; ++c) {
                G[(size_t)row * (size_t)p->nv + (size_t)p->col[c]] = *block++;
            }
        }
    }
    return out;
}

static void row_at(void *out, int index, const void *rows)
{
    *(dp_row *)out = ((const dp_row *)rows)[index];
}

static void friction_at(void *out, int index, const void *friction)
{
    *(dp_friction *)out = ((const dp_friction *)friction)[index];
}

static PyObject *data_step_problem(PyObject *self, PyObject *unused)
{
    (void)unused;
    const dp_data *d = dpy_data_use(self);
    PyObject *out = d ? PyDict_New() : NULL;
    if (!out) {
        return NULL;
    }
    const dp_step_problem *p = dp_data_problem(d);
    const dp_step_solution *s = dp_data_solution(d);
    const int nrow = p->nrow, nv = nrow > 0 ? p->nv : 0;
    const bool made = put(out, "h", PyFloat_FromDouble(p->h)) &&
                      put(out, "v0", dpy_vector(p->v0, nv)) &&
                      put(out, "v_free", dpy_vector(p->v_free, nv)) &&
                      put(out, "rows", dpy_rows(&dpy_row_struct, nrow, row_at, p->row)) &&
                      put(out, "friction",
                          dpy_rows(&dpy_friction_struct, p->nfriction, friction_at, p->friction)) &&
                      put(out, "v", dpy_vector(s->v, s->v ? nv : 0)) &&
                      put(out, "gamma", dpy_vector(s->gamma, s->gamma ? nrow : 0)) &&
                      (nrow == 0 || !p->Mt || put(out, "M", mass_of(p))) &&
                      (nrow == 0 || !p->G || put(out, "G", gradients_of(p)));
    if (!made) {
        dpy_replace(&out, NULL);
    }
    return out;
}

static PyObject *data_save_step_problem(PyObject *self, PyObject *argument)
{
    PyObject *path = NULL;
    const dp_data *d = dpy_data_use(self);
    if (!d || !PyUnicode_FSConverter(argument, &path)) {
        return NULL;
    }
    const dp_status status = dp_problem_save(PyBytes_AsString(path), dp_data_problem(d),
                                             dp_data_warm(d), dp_data_solution(d), NULL);
    Py_DECREF(path);
    return status == DP_OK ? Py_NewRef(Py_None) : dpy_fail(status);
}

PyMethodDef dpy_step_problem_methods[] = {
    {"step_problem", data_step_problem, METH_NOARGS,
     "step_problem($self, /)\n--\n\n-> dict[str, Any]\n"
     "What the last step asked of its law: h, v0, v_free, M, G, rows (the members of Row), "
     "friction, "
     "and the answer: v, gamma. Of long chains M and G are not made in full and left out."},
    {"save_step_problem", data_save_step_problem, METH_O,
     "save_step_problem($self, path: str | PathLike[str], /)\n--\n\n-> None\n"
     "Write it as text, to the bit, for solve_step_problem and `dashpot solve`."},
    {NULL, NULL, 0, NULL},
};

static PyObject *solve(const dp_problem_file *file, const dp_law_options *options)
{
    const dp_step_problem *p = dp_problem_of(file);
    double *v = NULL, *gamma = NULL, *scratch = NULL;
    PyObject *velocities = dpy_array(&v, dpy_shape1(p->nv));
    PyObject *impulses = dpy_array(&gamma, dpy_shape1(p->nrow));
    PyObject *memory = dpy_array(&scratch, dpy_shape1(p->nv));
    uint8_t *state = PyMem_Calloc((size_t)p->nrow + 1, 1);
    PyObject *out = NULL;
    if (velocities && impulses && memory && state) {
        dp_step_solution solution = {v, gamma, state};
        dp_solve_info info;
        dp_certificate certificate;
        dp_status status = dp_law_solve(&solution, p, dp_problem_warm(file), options, NULL, &info);
        if (status == DP_OK) {
            status = dp_law_judge(&certificate, p, &solution, options, &info, scratch, NULL);
        }
        PyObject *how =
            status == DP_OK ? dpy_record(&dpy_solve_info_struct, &info, NULL) : dpy_fail(status);
        PyObject *judged = how ? dpy_record(&dpy_certificate_struct, &certificate, NULL) : NULL;
        out = judged ? PyTuple_Pack(4, velocities, impulses, how, judged) : NULL;
        Py_XDECREF(how);
        Py_XDECREF(judged);
    }
    PyMem_Free(state);
    Py_XDECREF(velocities);
    Py_XDECREF(impulses);
    Py_XDECREF(memory);
    return out;
}

static bool read_options(dp_law_options *options, const dp_problem_file *file, PyObject *kwargs)
{
    *options = dp_law_options_default();
    const dp_problem_notes *notes = dp_problem_notes_of(file);
    dp_status status = notes->law ? dp_law_find(&options->law, notes->law) : DP_OK;
    for (int i = 0; status == DP_OK && i < notes->noption; ++i) {
        status = dp_law_options_set(options, notes->option[i].name, notes->option[i].value);
    }
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (status == DP_OK && kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
        PyObject *text = PyObject_Str(value);
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        if (name && utf8) {
            status = strcmp(name, "law") == 0 ? dp_law_find(&options->law, utf8)
                                              : dp_law_options_set(options, name, utf8);
        }
        Py_XDECREF(text);
        if (!name || !utf8) {
            return false;
        }
    }
    if (status != DP_OK) {
        dpy_fail(status);
    }
    return status == DP_OK;
}

static PyObject *solve_step_problem(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    PyObject *path = NULL;
    if (!PyArg_ParseTuple(args, "O&:solve_step_problem", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    dp_problem_file *file = NULL;
    const dp_status status = dp_problem_load(&file, PyBytes_AsString(path), NULL);
    Py_DECREF(path);
    if (status != DP_OK) {
        return dpy_fail(status);
    }
    dp_law_options options;
    PyObject *out = read_options(&options, file, kwargs) ? solve(file, &options) : NULL;
    dp_problem_destroy(file);
    return out;
}

PyMethodDef dpy_step_problem_functions[] = {
    {"solve_step_problem", (PyCFunction)(void (*)(void))solve_step_problem,
     METH_VARARGS | METH_KEYWORDS,
     "solve_step_problem(path: str | PathLike[str], /, **options: Any)\n--\n\n"
     "-> tuple[ndarray, ndarray, SolveInfo, Certificate]\n"
     "Solve a step problem of a file: velocities v, impulses gamma, how it went, and how well it "
     "is "
     "met. Options: law='ncp', and those of laws, **{'law.tolerance': 1e-10}."},
    {NULL, NULL, 0, NULL},
};
