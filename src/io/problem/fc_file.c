// Friction-contact problems that own their arrays, and where they come from.
#include "io/problem/fc_file.h"

#include "io/problem/text_line.h"
#include "problem/fc/fc_reduced.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/rigid.h"

#include <string.h>

dp_status dp_fc_file_new(dp_fc_file **out, const dp_allocator *a)
{
    DP_TRY(dp_allocate(out, a, 1, sizeof **out));
    dp_pool_init(&(*out)->pool, a);
    (*out)->title = "";
    return DP_OK;
}

void dp_fc_destroy(dp_fc_file *file)
{
    if (file) {
        const dp_allocator a = file->pool.allocator;
        dp_pool_destroy(&file->pool);
        dp_release(&a, file, 1, sizeof *file);
    }
}

const dp_fc *dp_fc_of(const dp_fc_file *file)
{
    return &file->p;
}

const double *dp_fc_stored(const dp_fc_file *file)
{
    return file->r;
}

const char *dp_fc_title(const dp_fc_file *file)
{
    return file->title;
}

dp_status dp_fc_file_keep(const double **out, dp_fc_file *file, const double *x, size_t count)
{
    double *copy;
    DP_TRY(dp_pool_take(&copy, &file->pool, count + 1, sizeof *copy));
    if (count > 0) {
        memcpy(copy, x, count * sizeof *copy);
    }
    *out = copy;
    return DP_OK;
}

// ---- files of either kind

static const char HDF5[8] = {(char)0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

dp_fc_format dp_fc_format_of(const char *bytes, size_t count)
{
    if (count >= sizeof HDF5 && memcmp(bytes, HDF5, sizeof HDF5) == 0) {
        return DP_FC_FORMAT_FCLIB;
    }
    size_t at = 0;
    while (at < count && (bytes[at] == ' ' || (bytes[at] >= '\t' && bytes[at] <= '\r'))) {
        ++at;
    }
    return at < count && bytes[at] >= '0' && bytes[at] <= '9' ? DP_FC_FORMAT_SICONOS
                                                              : DP_FC_FORMAT_NONE;
}

dp_status dp_fc_load(dp_fc_file **out, const char *path, const dp_allocator *allocator)
{
    *out = NULL;
    const dp_allocator a = dp_allocator_or_default(allocator);
    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, path, &a));
    const dp_status status = dp_fc_format_of(text, bytes) == DP_FC_FORMAT_FCLIB
                                 ? dp_fclib_load(out, path, &a)
                                 : dp_fc_parse(out, text, bytes, path, &a);
    dp_release(&a, text, bytes + 1, 1);
    return status;
}

// ---- from the current problem

static dp_status copy_into(dp_fc_file *file, const dp_fc *p)
{
    dp_fc *to = &file->p;
    *to = *p;
    const size_t n = (size_t)p->dimension * (size_t)p->nc, nl = (size_t)p->nl;
    DP_TRY(dp_fc_file_keep(&to->mu, file, p->mu, (size_t)p->nc));
    if (p->form == DP_FC_FORM_LOCAL) {
        DP_TRY(dp_sparse_copy(&to->W, &file->pool, &p->W));
        DP_TRY(dp_fc_file_keep(&to->q, file, p->q, n));
        if (nl > 0) {
            DP_TRY(dp_sparse_copy(&to->V, &file->pool, &p->V));
            DP_TRY(dp_sparse_copy(&to->R, &file->pool, &p->R));
            DP_TRY(dp_fc_file_keep(&to->s, file, p->s, nl));
        }
        return DP_OK;
    }
    DP_TRY(dp_sparse_copy(&to->M, &file->pool, &p->M));
    DP_TRY(dp_sparse_copy(&to->H, &file->pool, &p->H));
    DP_TRY(dp_fc_file_keep(&to->f, file, p->f, (size_t)p->M.rows));
    DP_TRY(dp_fc_file_keep(&to->w, file, p->w, n));
    if (nl > 0) {
        DP_TRY(dp_sparse_copy(&to->G, &file->pool, &p->G));
        DP_TRY(dp_fc_file_keep(&to->b, file, p->b, nl));
    }
    return DP_OK;
}

typedef dp_status (*fill)(dp_fc_file *file, void *context, const dp_allocator *a);

static dp_status make(dp_fc_file **out, fill fill_in, void *context, const dp_allocator *allocator)
{
    *out = NULL;
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_fc_file *file;
    DP_TRY(dp_fc_file_new(&file, &a));
    const dp_status status = fill_in(file, context, &a);
    if (status != DP_OK) {
        dp_fc_destroy(file);
        return status;
    }
    *out = file;
    return DP_OK;
}

static dp_status fill_copy(dp_fc_file *file, void *context, const dp_allocator *a)
{
    (void)a;
    const dp_fc *p = *(const dp_fc **)context;
    DP_TRY(dp_fc_check(p));
    return copy_into(file, p);
}

dp_status dp_fc_copy(dp_fc_file **out, const dp_fc *p, const dp_allocator *allocator)
{
    return make(out, fill_copy, &p, allocator);
}

// ---- the local form

static dp_status take_triplets(dp_triplets *t, dp_pool *pool, size_t count)
{
    DP_TRY(dp_pool_take(&t->row, pool, count, sizeof *t->row));
    DP_TRY(dp_pool_take(&t->column, pool, count, sizeof *t->column));
    return dp_pool_take(&t->value, pool, count, sizeof *t->value);
}

static void add(dp_triplets *t, int row, int column, double value)
{
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

static dp_status localise(dp_fc_file *file, const dp_fc_reduced *w)
{
    const dp_fc *p = w->p;
    const int dimension = p->dimension, n = dimension * p->nc;
    dp_triplets t = {.rows = n, .columns = n};
    DP_TRY(take_triplets(&t, &file->pool, 9 * (size_t)w->start[w->nc] + 1));
    for (int i = 0; i < w->nc; ++i) {
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            for (int k = 0; k < dimension * dimension; ++k) {
                const int row = k / dimension, column = k % dimension;
                add(&t, dimension * i + row, dimension * w->column[e] + column,
                    w->block[9 * (ptrdiff_t)e + 3 * row + column]);
            }
        }
    }
    double *q;
    DP_TRY(dp_pool_take(&q, &file->pool, (size_t)n + 1, sizeof *q));
    dp_fc_narrow(q, p, w->q);
    file->p = (dp_fc){.form = DP_FC_FORM_LOCAL, .dimension = dimension, .nc = p->nc, .q = q};
    DP_TRY(dp_fc_file_keep(&file->p.mu, file, p->mu, (size_t)p->nc));
    return dp_sparse_build(&file->p.W, &file->pool, &t);
}

static dp_status fill_local(dp_fc_file *file, void *context, const dp_allocator *a)
{
    const dp_fc *p = *(const dp_fc **)context;
    DP_TRY(dp_fc_check(p));
    dp_fc_reduced w;
    dp_status status = dp_fc_reduce(&w, p, true, a);
    if (status == DP_OK) {
        status = localise(file, &w);
    }
    dp_fc_reduced_end(&w);
    return status;
}

dp_status dp_fc_localise(dp_fc_file **out, const dp_fc *p, const dp_allocator *allocator)
{
    return make(out, fill_local, &p, allocator);
}

// ---- step problems

typedef struct step {
    const dp_step_problem *p;
    int dropped;
    int *contact;  // nblock: of its first row, −1
    int *equation; // nrow: −1
} step;

static bool is_two_sided(const dp_row *row)
{
    return isinf(row->lo) && isinf(row->hi);
}

static dp_status name_rows(step *s, dp_fc *to, dp_pool *pool)
{
    const dp_step_problem *p = s->p;
    DP_TRY(dp_pool_take(&s->contact, pool, (size_t)p->nblock + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&s->equation, pool, (size_t)p->nrow + 1, sizeof(int)));
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], rows = p->row_start[b + 1] - first;
        const bool touches = dp_friction_of(p, b) != NULL;
        s->contact[b] =
            touches || (rows == 1 && dp_row_is_one_sided(&p->row[first])) ? to->nc++ : -1;
        s->dropped += touches && rows > 3 ? rows - 3 : 0;
        for (int r = first; r < first + rows; ++r) {
            const bool both = s->contact[b] < 0 && is_two_sided(&p->row[r]);
            s->equation[r] = both ? to->nl++ : -1;
            s->dropped += s->contact[b] < 0 && !both;
        }
    }
    return DP_OK;
}

// M̃ in full, and M̃ v_free.
static dp_status take_mass(dp_fc_file *file, const dp_step_problem *p)
{
    dp_triplets t = {.rows = p->nv, .columns = p->nv};
    const size_t count = p->nv > 0 ? p->Mt_start[p->nv] : 0;
    DP_TRY(take_triplets(&t, &file->pool, 2 * count + 1));
    double *f;
    DP_TRY(dp_pool_take(&f, &file->pool, (size_t)p->nv + 1, sizeof *f));
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        for (int j = i, k = 0; j >= 0; j = p->parent[j], ++k) {
            add(&t, i, j, M[k]);
            f[i] += M[k] * p->v_free[j];
            if (j != i) {
                add(&t, j, i, M[k]);
                f[j] += M[k] * p->v_free[i];
            }
        }
    }
    file->p.f = f;
    return dp_sparse_build(&file->p.M, &file->pool, &t);
}

static dp_status take_rows(dp_fc_file *file, const step *s)
{
    const dp_step_problem *p = s->p;
    dp_fc *to = &file->p;
    const size_t numbers = p->nblock > 0 ? p->G_start[p->nblock] : 0;
    dp_triplets H = {.rows = p->nv, .columns = 3 * to->nc}, G = {.rows = p->nv, .columns = to->nl};
    DP_TRY(take_triplets(&H, &file->pool, numbers + 1));
    DP_TRY(take_triplets(&G, &file->pool, numbers + 1));
    double *mu, *w, *b_of;
    DP_TRY(dp_pool_take(&mu, &file->pool, (size_t)to->nc + 1, sizeof *mu));
    DP_TRY(dp_pool_take(&w, &file->pool, 3 * (size_t)to->nc + 1, sizeof *w));
    DP_TRY(dp_pool_take(&b_of, &file->pool, (size_t)to->nl + 1, sizeof *b_of));
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        const int first = p->row_start[b], rows = p->row_start[b + 1] - first;
        const int columns = p->col_start[b + 1] - p->col_start[b];
        dp_friction_group group[DP_CONTACT_GROUPS] = {{.scale = {1.0, 1.0}}};
        if (friction && rows >= 3) {
            (void)dp_friction_groups(group, friction, rows);
            mu[s->contact[b]] = group[0].reach;
        }
        for (int k = 0; k < rows; ++k) {
            const bool touches = s->contact[b] >= 0 && k < 3;
            const int column = touches ? 3 * s->contact[b] + k : s->equation[first + k];
            if (column < 0 || (s->contact[b] >= 0 && k >= 3)) {
                continue;
            }
            const dp_soft soft = dp_rigid_soft(&p->row[first + k], p->h, friction, k);
            const double scale = touches && k > 0 ? group[0].scale[k - 1] : 1.0;
            (touches ? w : b_of)[column] = -scale * soft.u_hat;
            const double *row = p->G + p->G_start[b] + (size_t)k * (size_t)columns;
            for (int c = 0; c < columns; ++c) {
                if (row[c] != 0.0) {
                    add(touches ? &H : &G, p->col[p->col_start[b] + c], column, scale * row[c]);
                }
            }
        }
    }
    to->mu = mu;
    to->w = w;
    to->b = b_of;
    DP_TRY(dp_sparse_build(&to->H, &file->pool, &H));
    return dp_sparse_build(&to->G, &file->pool, &G);
}

static dp_status fill_step(dp_fc_file *file, void *context, const dp_allocator *a)
{
    step *s = context;
    DP_TRY(dp_problem_check(s->p, a));
    file->p = (dp_fc){.form = DP_FC_FORM_GLOBAL, .dimension = 3};
    DP_TRY(name_rows(s, &file->p, &file->pool));
    DP_TRY(take_mass(file, s->p));
    DP_TRY(take_rows(file, s));
    return dp_fc_check(&file->p);
}

dp_status dp_fc_from_step(dp_fc_file **out, int *dropped, const dp_step_problem *p,
                          const dp_allocator *allocator)
{
    step s = {.p = p};
    const dp_status status = make(out, fill_step, &s, allocator);
    *dropped = s.dropped;
    return status;
}
