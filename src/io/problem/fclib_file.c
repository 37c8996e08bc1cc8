// The files of FCLIB: friction-contact problems in HDF5.
//
//     /fclib_local    spacedim, W [V R], vectors/ q mu [s], info/ title description math_info
//     /fclib_global   spacedim, M H [G], vectors/ f w mu [b], info/ …
//     /solution       r u [v l]
//     a matrix        nzmax m n nz p i x: nz ≥ 0 triplets (i the row, p the column), −1 by columns
//                     (p starts, i rows), −2 by rows (p starts, i columns)
//
// The only file that knows HDF5. Without DP_HDF5 it knows how to say so.
#include "io/problem/fc_file.h"

#ifndef DP_HDF5

bool dp_fc_has_hdf5(void)
{
    return false;
}

static dp_status missing(const char *path)
{
    (void)dp_fail(DP_ERROR_UNSUPPORTED,
                  "%s: found HDF5, which this library was built without (expected the text of "
                  "Siconos; to read FCLIB, build with libhdf5)",
                  path);
    return dp_fail_feature(DP_ERROR_UNSUPPORTED, "hdf5");
}

dp_status dp_fclib_load(dp_fc_file **out, const char *path, const dp_allocator *a)
{
    (void)a;
    *out = NULL;
    return missing(path);
}

dp_status dp_fc_save_hdf5(const char *path, const dp_fc *p, const dp_fc_solution *solution,
                          const char *title)
{
    (void)p;
    (void)solution;
    (void)title;
    return missing(path);
}

#else

#include <hdf5.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool dp_fc_has_hdf5(void)
{
    return true;
}

// HDF5 prints what fails unless told not to; the caller's wish is restored.
typedef struct quiet {
    H5E_auto2_t print;
    void *data;
} quiet;

static quiet hush(void)
{
    quiet q = {NULL, NULL};
    (void)H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void speak(quiet q)
{
    (void)H5Eset_auto2(H5E_DEFAULT, q.print, q.data);
}

enum { NAME = 64 };
typedef struct path_name {
    char text[NAME];
} path_name;

static path_name join(const char *group, const char *name)
{
    path_name out;
    (void)snprintf(out.text, sizeof out.text, "%.40s/%.20s", group, name);
    return out;
}

// ---- reading

typedef struct reader {
    hid_t file;
    const char *path;
    dp_fc_file *to;
} reader;

static bool exists(hid_t file, const char *name)
{
    char part[NAME] = "";
    const size_t length = strlen(name);
    for (size_t k = 1; k <= length && k < sizeof part; ++k) { // each folder on the way
        if (name[k] == '/' || name[k] == '\0') {
            memcpy(part, name, k);
            part[k] = '\0';
            if (H5Lexists(file, part, H5P_DEFAULT) <= 0) {
                return false;
            }
        }
    }
    return true;
}

static dp_status lacks(const reader *r, const char *name, const char *expected)
{
    return dp_fail(DP_ERROR_PARSE, "%s:%s: found nothing that can be read (expected %s)", r->path,
                   name, expected);
}

// What claims to be larger than its file, packed as well as can be, is not believed.
static bool is_stored(hid_t set, hsize_t points, hid_t type)
{
    enum { PACKED = 1100 };
    const hid_t plan = H5Dget_create_plist(set);
    const bool chunks = plan >= 0 && H5Pget_layout(plan) == H5D_CHUNKED;
    if (plan >= 0) {
        (void)H5Pclose(plan);
    }
    return points * H5Tget_size(type) <= (chunks ? PACKED : 1) * H5Dget_storage_size(set);
}

// All numbers of a dataset. @param type in memory, of `size` bytes
static dp_status read_all(void *out, size_t *count, const reader *r, const char *name, hid_t type,
                          size_t size, const char *expected)
{
    char **to = out;
    *to = NULL;
    *count = 0;
    const hid_t set = exists(r->file, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    if (set < 0) {
        return lacks(r, name, expected);
    }
    dp_status status = DP_OK;
    const hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    const hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const H5T_class_t class = stored >= 0 ? H5Tget_class(stored) : H5T_NO_CLASS;
    const bool fits = class == (type == H5T_NATIVE_INT ? H5T_INTEGER : H5T_FLOAT);
    if (points < 0 || points > INT_MAX || !fits || !is_stored(set, (hsize_t)points, stored)) {
        status = lacks(r, name, expected);
    } else {
        status = dp_pool_take(to, &r->to->pool, (size_t)points + 1, size);
        if (status == DP_OK && points > 0 &&
            H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *to) < 0) {
            status = lacks(r, name, expected);
        }
        *count = (size_t)points;
    }
    if (stored >= 0) {
        (void)H5Tclose(stored);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    (void)H5Dclose(set);
    return status;
}

static dp_status read_integers(int **out, const reader *r, path_name name, size_t count)
{
    size_t found;
    DP_TRY(read_all(out, &found, r, name.text, H5T_NATIVE_INT, sizeof **out, "integers"));
    return found < count ? dp_fail(DP_ERROR_PARSE, "%s:%s: found %zu integers (expected %zu)",
                                   r->path, name.text, found, count)
                         : DP_OK;
}

static dp_status read_reals(const double **out, const reader *r, path_name name, size_t count)
{
    size_t found;
    double *x;
    DP_TRY(read_all(&x, &found, r, name.text, H5T_NATIVE_DOUBLE, sizeof *x, "numbers"));
    *out = x;
    return found < count ? dp_fail(DP_ERROR_PARSE, "%s:%s: found %zu numbers (expected %zu)",
                                   r->path, name.text, found, count)
                         : DP_OK;
}

static dp_status read_one(int *out, const reader *r, path_name name)
{
    int *x;
    DP_TRY(read_integers(&x, r, name, 1));
    *out = x[0];
    return DP_OK;
}

static dp_status bad_place(const reader *r, path_name name, int k, int found, int most)
{
    return dp_fail(DP_ERROR_PARSE, "%s:%s: found %d at %d (expected 0 to %d)", r->path, name.text,
                   found, k, most);
}

// By columns or by rows: starts and what lies across them.
static dp_status take_compressed(dp_triplets *t, const reader *r, path_name p_name,
                                 path_name i_name, const int *p, const int *i, int nz, size_t nzmax)
{
    const int lines = nz == -1 ? t->columns : t->rows, across = nz == -1 ? t->rows : t->columns;
    for (int j = 0; j < lines; ++j) {
        if (p[0] != 0 || p[j + 1] < p[j] || (size_t)p[j + 1] > nzmax) {
            return bad_place(r, p_name, j + 1, p[j + 1], (int)nzmax);
        }
        for (int k = p[j]; k < p[j + 1]; ++k) {
            if (i[k] < 0 || i[k] >= across) {
                return bad_place(r, i_name, k, i[k], across - 1);
            }
            t->row[k] = nz == -1 ? i[k] : j;
            t->column[k] = nz == -1 ? j : i[k];
        }
    }
    t->count = lines > 0 ? (size_t)p[lines] : 0;
    return DP_OK;
}

static dp_status take_triplets(dp_triplets *t, const reader *r, path_name p_name, path_name i_name,
                               const int *p, const int *i, int nz)
{
    for (int k = 0; k < nz; ++k) {
        if (i[k] < 0 || i[k] >= t->rows) {
            return bad_place(r, i_name, k, i[k], t->rows - 1);
        }
        if (p[k] < 0 || p[k] >= t->columns) {
            return bad_place(r, p_name, k, p[k], t->columns - 1);
        }
        t->row[k] = i[k];
        t->column[k] = p[k];
    }
    t->count = (size_t)nz;
    return DP_OK;
}

static dp_status read_matrix(dp_sparse *out, const reader *r, path_name group)
{
    dp_triplets t = {0};
    int nz, *p, *i;
    const char *at = group.text;
    DP_TRY(read_one(&t.rows, r, join(at, "m")));
    DP_TRY(read_one(&t.columns, r, join(at, "n")));
    DP_TRY(read_one(&nz, r, join(at, "nz")));
    if (t.rows < 0 || t.columns < 0 || t.rows > INT_MAX / 16 || t.columns > INT_MAX / 16 ||
        nz < -2) {
        return dp_fail(DP_ERROR_PARSE, "%s:%s: found %d × %d with nz %d (expected a matrix)",
                       r->path, at, t.rows, t.columns, nz);
    }
    size_t lines = nz >= 0 ? (size_t)nz : (size_t)(nz == -1 ? t.columns : t.rows) + 1;
    const double *x;
    DP_TRY(read_integers(&p, r, join(at, "p"), lines));
    const size_t count = nz >= 0 ? (size_t)nz : p[lines - 1] > 0 ? (size_t)p[lines - 1] : 0;
    DP_TRY(read_integers(&i, r, join(at, "i"), count));
    DP_TRY(read_reals(&x, r, join(at, "x"), count));
    DP_TRY(dp_pool_take(&t.row, &r->to->pool, count + 1, sizeof *t.row));
    DP_TRY(dp_pool_take(&t.column, &r->to->pool, count + 1, sizeof *t.column));
    DP_TRY(dp_pool_take(&t.value, &r->to->pool, count + 1, sizeof *t.value));
    memcpy(t.value, x, count * sizeof *x);
    DP_TRY(nz >= 0 ? take_triplets(&t, r, join(at, "p"), join(at, "i"), p, i, nz)
                   : take_compressed(&t, r, join(at, "p"), join(at, "i"), p, i, nz, count));
    return dp_sparse_build(out, &r->to->pool, &t);
}

static dp_status read_local(const reader *r)
{
    static const char *const root = "/fclib_local";
    dp_fc *p = &r->to->p;
    p->form = DP_FC_FORM_LOCAL;
    DP_TRY(read_one(&p->dimension, r, join(root, "spacedim")));
    if (p->dimension != 2 && p->dimension != 3) {
        return dp_fail(DP_ERROR_PARSE, "%s:%s/spacedim: found %d (expected 2 or 3)", r->path, root,
                       p->dimension);
    }
    DP_TRY(read_matrix(&p->W, r, join(root, "W")));
    p->nc = p->W.rows / p->dimension;
    DP_TRY(read_reals(&p->q, r, join(root, "vectors/q"), (size_t)p->W.rows));
    DP_TRY(read_reals(&p->mu, r, join(root, "vectors/mu"), (size_t)p->nc));
    if (exists(r->file, "/fclib_local/V") && exists(r->file, "/fclib_local/R")) {
        DP_TRY(read_matrix(&p->V, r, join(root, "V")));
        DP_TRY(read_matrix(&p->R, r, join(root, "R")));
        p->nl = p->R.rows;
        DP_TRY(read_reals(&p->s, r, join(root, "vectors/s"), (size_t)p->nl));
    }
    return DP_OK;
}

static dp_status read_global(const reader *r)
{
    static const char *const root = "/fclib_global";
    dp_fc *p = &r->to->p;
    p->form = DP_FC_FORM_GLOBAL;
    DP_TRY(read_one(&p->dimension, r, join(root, "spacedim")));
    if (p->dimension != 2 && p->dimension != 3) {
        return dp_fail(DP_ERROR_PARSE, "%s:%s/spacedim: found %d (expected 2 or 3)", r->path, root,
                       p->dimension);
    }
    DP_TRY(read_matrix(&p->M, r, join(root, "M")));
    DP_TRY(read_matrix(&p->H, r, join(root, "H")));
    p->nc = p->H.columns / p->dimension;
    DP_TRY(read_reals(&p->f, r, join(root, "vectors/f"), (size_t)p->M.rows));
    DP_TRY(read_reals(&p->w, r, join(root, "vectors/w"), (size_t)p->H.columns));
    DP_TRY(read_reals(&p->mu, r, join(root, "vectors/mu"), (size_t)p->nc));
    if (exists(r->file, "/fclib_global/G")) {
        DP_TRY(read_matrix(&p->G, r, join(root, "G")));
        p->nl = p->G.columns;
        DP_TRY(read_reals(&p->b, r, join(root, "vectors/b"), (size_t)p->nl));
    }
    return DP_OK;
}

// The title, of whatever kind of text; none where it cannot be read.
static dp_status read_title(const reader *r, const char *name)
{
    const hid_t set = exists(r->file, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    if (set < 0) {
        return DP_OK;
    }
    enum { MOST = 1 << 16 };
    dp_status status = DP_OK;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const bool single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) {
        H5Sclose(space);
    }
    if (single && type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        const size_t size = H5Tget_size(type);
        char *text;
        status = size < MOST ? dp_pool_take(&text, &r->to->pool, size + 1, 1) : DP_OK;
        if (status == DP_OK && size < MOST &&
            H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            for (char *c = text; *c; ++c) {
                *c = (unsigned char)*c < ' ' ? ' ' : *c; // one line
            }
            r->to->title = text;
        }
    }
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    (void)H5Dclose(set);
    return status;
}

static dp_status read_file(const reader *r)
{
    const bool local = exists(r->file, "/fclib_local");
    if (!local && !exists(r->file, "/fclib_global")) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: found no problem (expected /fclib_local or /fclib_global)", r->path);
    }
    DP_TRY(local ? read_local(r) : read_global(r));
    const dp_status status = dp_fc_check(&r->to->p);
    if (status != DP_OK) {
        return status == DP_ERROR_ARGUMENT ? dp_fail_context(DP_ERROR_PARSE, "%s: ", r->path)
                                           : status;
    }
    const size_t n = (size_t)r->to->p.dimension * (size_t)r->to->p.nc;
    if (exists(r->file, "/solution/r") &&
        read_reals(&r->to->r, r, join("/solution", "r"), n) != DP_OK) {
        r->to->r = NULL; // the problem is what counts
    }
    return read_title(r, local ? "/fclib_local/info/title" : "/fclib_global/info/title");
}

static dp_status open_and_read(dp_fc_file *to, const char *path)
{
    const quiet q = hush();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dp_status status;
    if (file < 0) {
        status =
            dp_fail(DP_ERROR_PARSE, "%s: found no HDF5 that can be read (expected it whole)", path);
    } else {
        const reader r = {file, path, to};
        status = read_file(&r);
        (void)H5Fclose(file);
    }
    speak(q);
    return status;
}

dp_status dp_fclib_load(dp_fc_file **out, const char *path, const dp_allocator *a)
{
    dp_fc_file *file;
    *out = NULL;
    DP_TRY(dp_fc_file_new(&file, a));
    const dp_status status = open_and_read(file, path);
    if (status != DP_OK) {
        dp_fc_destroy(file);
        return status;
    }
    *out = file;
    return DP_OK;
}

// ---- writing

typedef struct writer {
    hid_t file;
    bool failed;
} writer;

static void make_group(writer *w, const char *name)
{
    const hid_t group = H5Gcreate2(w->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    w->failed = w->failed || group < 0;
    if (group >= 0) {
        (void)H5Gclose(group);
    }
}

static void write_set(writer *w, const char *name, hid_t type, hid_t space, const void *x,
                      bool empty)
{
    const hid_t set = H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    w->failed = w->failed || set < 0 ||
                (!empty && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0);
    if (set >= 0) {
        (void)H5Dclose(set);
    }
}

static void write_numbers(writer *w, path_name name, hid_t type, const void *x, size_t count)
{
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    w->failed = w->failed || space < 0;
    if (space >= 0) {
        write_set(w, name.text, type, space, x, count == 0);
        (void)H5Sclose(space);
    }
}

static void write_reals(writer *w, path_name name, const double *x, size_t count)
{
    write_numbers(w, name, H5T_NATIVE_DOUBLE, x, count);
}

static void write_one(writer *w, path_name name, int x)
{
    write_numbers(w, name, H5T_NATIVE_INT, &x, 1);
}

static void write_text(writer *w, path_name name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    w->failed = w->failed || type < 0 || space < 0 || H5Tset_size(type, strlen(text) + 1) < 0;
    if (!w->failed) {
        write_set(w, name.text, type, space, text, false);
    }
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
}

static void write_matrix(writer *w, path_name group, const dp_sparse *A)
{
    enum { COLUMNS = -1 };
    const char *at = group.text;
    const int count = A->start[A->columns];
    make_group(w, at);
    write_one(w, join(at, "nzmax"), count);
    write_one(w, join(at, "m"), A->rows);
    write_one(w, join(at, "n"), A->columns);
    write_one(w, join(at, "nz"), COLUMNS);
    write_numbers(w, join(at, "p"), H5T_NATIVE_INT, A->start, (size_t)A->columns + 1);
    write_numbers(w, join(at, "i"), H5T_NATIVE_INT, A->row, (size_t)count);
    write_reals(w, join(at, "x"), A->value, (size_t)count);
}

static void write_problem(writer *w, const dp_fc *p, const char *title)
{
    const bool local = p->form == DP_FC_FORM_LOCAL;
    const char *const root = local ? "/fclib_local" : "/fclib_global";
    const size_t n = (size_t)p->dimension * (size_t)p->nc, nl = (size_t)p->nl;
    make_group(w, root);
    write_one(w, join(root, "spacedim"), p->dimension);
    make_group(w, join(root, "vectors").text);
    write_reals(w, join(root, "vectors/mu"), p->mu, (size_t)p->nc);
    if (local) {
        write_matrix(w, join(root, "W"), &p->W);
        write_reals(w, join(root, "vectors/q"), p->q, n);
        if (nl > 0) {
            write_matrix(w, join(root, "V"), &p->V);
            write_matrix(w, join(root, "R"), &p->R);
            write_reals(w, join(root, "vectors/s"), p->s, nl);
        }
    } else {
        write_matrix(w, join(root, "M"), &p->M);
        write_matrix(w, join(root, "H"), &p->H);
        write_reals(w, join(root, "vectors/f"), p->f, (size_t)p->M.rows);
        write_reals(w, join(root, "vectors/w"), p->w, n);
        if (nl > 0) {
            write_matrix(w, join(root, "G"), &p->G);
            write_reals(w, join(root, "vectors/b"), p->b, nl);
        }
    }
    if (title) {
        make_group(w, join(root, "info").text);
        write_text(w, join(root, "info/title"), title);
        write_text(w, join(root, "info/description"), "written by Dashpot");
        write_text(w, join(root, "info/math_info"), "");
    }
}

static void write_solution(writer *w, const dp_fc *p, const dp_fc_solution *s)
{
    static const char *const root = "/solution";
    const size_t n = (size_t)p->dimension * (size_t)p->nc;
    make_group(w, root);
    write_reals(w, join(root, "r"), s->r, n);
    write_reals(w, join(root, "u"), s->u, n);
    if (p->form == DP_FC_FORM_GLOBAL && s->v) {
        write_reals(w, join(root, "v"), s->v, (size_t)p->M.rows);
    }
    if (p->nl > 0 && s->lambda) {
        write_reals(w, join(root, "l"), s->lambda, (size_t)p->nl);
    }
}

dp_status dp_fc_save_hdf5(const char *path, const dp_fc *p, const dp_fc_solution *solution,
                          const char *title)
{
    DP_TRY(dp_fc_check(p));
    const quiet q = hush();
    writer w = {.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    w.failed = w.file < 0;
    if (w.file >= 0) {
        write_problem(&w, p, title);
        if (solution && solution->r && solution->u) {
            write_solution(&w, p, solution);
        }
        w.failed = H5Fclose(w.file) < 0 || w.failed;
    }
    speak(q);
    return w.failed ? dp_fail(DP_ERROR_IO, "%s: HDF5 could not write it", path) : DP_OK;
}

#endif
