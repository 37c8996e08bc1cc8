// The files of FCLIB: friction-contact problems in HDF5.
//
//     /fclib_local    spacedim, W [V R], vectors/ q mu [s], info/ title description math_info
//     /fclib_global   spacedim, M H [G], vectors/ f w mu [b], info/ …
//     /solution       r u [v l]
//     a matrix        nzmax m n nz p i x: nz ≥ 0 triplets (i the row, p the column), −1 by columns
//                     (p starts, i rows), −2 by rows (p starts, i columns)
//
// HDF5 is known to the plugin dashpot_hdf5 alone.
#include "io/problem/fc_file.h"

#include "base/plugin.h"
#include "io/problem/hdf5_plugin.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const dp_hdf5 *find_plugin(void)
{
    return dp_plugin("dashpot_hdf5", DP_HDF5_VERSION);
}

bool dp_fc_has_hdf5(void)
{
    return find_plugin() != NULL;
}

static dp_status refuse_without_plugin(const char *path)
{
    (void)dp_fail(DP_ERROR_UNSUPPORTED,
                  "%s: found HDF5, and there is no plugin dashpot_hdf5.so (expected the text of "
                  "Siconos; to read and write FCLIB, build with libhdf5-dev)",
                  path);
    return dp_fail_feature(DP_ERROR_UNSUPPORTED, "hdf5");
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
    const dp_hdf5 *hdf5;
    const dp_hdf5_file *file;
    const char *path;
    dp_fc_file *to;
} reader;

static bool exists(const reader *r, const char *name)
{
    return r->hdf5->exists(r->file, name);
}

// All numbers of a set. @param size of one @param least how many there must be
static dp_status read_all(void *out, const reader *r, path_name name, dp_hdf5_kind kind,
                          size_t size, size_t least)
{
    char **to = out;
    *to = NULL;
    const char *numbers = kind == DP_HDF5_INT ? "integers" : "numbers";
    const int64_t found = r->hdf5->count(r->file, name.text, kind);
    if (found >= 0) {
        DP_TRY(dp_pool_take(to, &r->to->pool, (size_t)found + 1, size));
    }
    if (found < 0 || !r->hdf5->read(*to, r->file, name.text, kind)) {
        return dp_fail(DP_ERROR_PARSE, "%s:%s: found nothing that can be read (expected %s)",
                       r->path, name.text, numbers);
    }
    return (size_t)found < least ? dp_fail(DP_ERROR_PARSE, "%s:%s: found %zu %s (expected %zu)",
                                           r->path, name.text, (size_t)found, numbers, least)
                                 : DP_OK;
}

static dp_status read_integers(int **out, const reader *r, path_name name, size_t least)
{
    return read_all(out, r, name, DP_HDF5_INT, sizeof **out, least);
}

static dp_status read_reals(const double **out, const reader *r, path_name name, size_t least)
{
    return read_all(out, r, name, DP_HDF5_DOUBLE, sizeof **out, least);
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
    if (exists(r, "/fclib_local/V") && exists(r, "/fclib_local/R")) {
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
    if (exists(r, "/fclib_global/G")) {
        DP_TRY(read_matrix(&p->G, r, join(root, "G")));
        p->nl = p->G.columns;
        DP_TRY(read_reals(&p->b, r, join(root, "vectors/b"), (size_t)p->nl));
    }
    return DP_OK;
}

// The title; none where it cannot be read.
static dp_status read_title(const reader *r, const char *name)
{
    enum { MOST = 1 << 16 };
    const int64_t size = r->hdf5->count(r->file, name, DP_HDF5_CHAR);
    if (size < 0 || size >= MOST) {
        return DP_OK;
    }
    char *text;
    DP_TRY(dp_pool_take(&text, &r->to->pool, (size_t)size + 1, 1));
    if (r->hdf5->read(text, r->file, name, DP_HDF5_CHAR)) {
        for (char *c = text; *c; ++c) {
            *c = (unsigned char)*c < ' ' ? ' ' : *c; // one line
        }
        r->to->title = text;
    }
    return DP_OK;
}

static dp_status read_file(const reader *r)
{
    const bool local = exists(r, "/fclib_local");
    if (!local && !exists(r, "/fclib_global")) {
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
    if (exists(r, "/solution/r") && read_reals(&r->to->r, r, join("/solution", "r"), n) != DP_OK) {
        r->to->r = NULL; // the problem is what counts
    }
    return read_title(r, local ? "/fclib_local/info/title" : "/fclib_global/info/title");
}

static dp_status open_and_read(dp_fc_file *to, const char *path, const dp_hdf5 *hdf5)
{
    dp_hdf5_file file;
    if (!hdf5->open(&file, path, false)) {
        return dp_fail(DP_ERROR_PARSE, "%s: found no HDF5 that can be read (expected it whole)",
                       path);
    }
    const dp_status status = read_file(&(reader){hdf5, &file, path, to});
    (void)hdf5->close(&file);
    return status;
}

dp_status dp_fclib_load(dp_fc_file **out, const char *path, const dp_allocator *a)
{
    dp_fc_file *file;
    *out = NULL;
    const dp_hdf5 *hdf5 = find_plugin();
    if (!hdf5) {
        return refuse_without_plugin(path);
    }
    DP_TRY(dp_fc_file_new(&file, a));
    const dp_status status = open_and_read(file, path, hdf5);
    if (status != DP_OK) {
        dp_fc_destroy(file);
        return status;
    }
    *out = file;
    return DP_OK;
}

// ---- writing

typedef struct writer {
    const dp_hdf5 *hdf5;
    const dp_hdf5_file *file;
    bool failed;
} writer;

static void make_group(writer *w, const char *name)
{
    w->failed = !w->hdf5->make_group(w->file, name) || w->failed;
}

static void write_set(writer *w, path_name name, dp_hdf5_kind kind, const void *x, size_t count)
{
    w->failed = !w->hdf5->write(w->file, name.text, kind, x, count) || w->failed;
}

static void write_reals(writer *w, path_name name, const double *x, size_t count)
{
    write_set(w, name, DP_HDF5_DOUBLE, x, count);
}

static void write_one(writer *w, path_name name, int x)
{
    write_set(w, name, DP_HDF5_INT, &x, 1);
}

static void write_text(writer *w, path_name name, const char *text)
{
    write_set(w, name, DP_HDF5_CHAR, text, strlen(text) + 1);
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
    write_set(w, join(at, "p"), DP_HDF5_INT, A->start, (size_t)A->columns + 1);
    write_set(w, join(at, "i"), DP_HDF5_INT, A->row, (size_t)count);
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
    const dp_hdf5 *hdf5 = find_plugin();
    if (!hdf5) {
        return refuse_without_plugin(path);
    }
    DP_TRY(dp_fc_check(p));
    dp_hdf5_file file;
    bool written = hdf5->open(&file, path, true);
    if (written) {
        writer w = {hdf5, &file, false};
        write_problem(&w, p, title);
        if (solution && solution->r && solution->u) {
            write_solution(&w, p, solution);
        }
        written = hdf5->close(&file) && !w.failed;
    }
    return written ? DP_OK : dp_fail(DP_ERROR_IO, "%s: HDF5 could not write it", path);
}
