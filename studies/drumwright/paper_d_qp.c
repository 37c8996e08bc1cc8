// The least ½ xᵀx with A x ≥ r, x ≥ 0 is what n particles of mass 1 do that start at rest and meet
// the rigid one-sided rows A x ≥ r and x ≥ 0: their velocities are x, and the impulses of the rows
// the multipliers. So the program is itself a step problem, and a law solves it.
#include "drumwright/paper_d_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_qp_end(cli_qp *q)
{
    free(q->memory);
    *q = (cli_qp){0};
}

typedef struct build {
    const dp_step_problem *p;
    int n, held;        // one-sided rows, two-sided rows
    int *place, *joint; // n, held: their rows
    int *block_of;      // nrow
    dp_soft *soft;      // nrow
    double *L;          // nv × nv: the factor of M̃
    double *Y;          // nrow × nv: what an impulse of each row does to v, two-sided rows holding
    double *S;          // held × held: the factor of W + R of the two-sided rows
    double *answer;     // held
    double *v;          // nv: without the impulses that are looked for
} build;

// A = L Lᵀ in its lower half. False: A has no inverse
static bool factor(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= A[i * n + k] * A[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    }
    return true;
}

static void back_substitute(const double *L, int n, double *x)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

static bool list_rows(build *b)
{
    const dp_step_problem *p = b->p;
    for (int block = 0; block < p->nblock; ++block) {
        if (p->friction_of && p->friction_of[block] >= 0) {
            return false;
        }
        for (int r = p->row_start[block]; r < p->row_start[block + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const bool one_sided = row->lo == 0.0 && isinf(row->hi);
            if (!one_sided && !(isinf(row->lo) && isinf(row->hi))) {
                return false;
            }
            b->block_of[r] = block;
            b->soft[r] = dp_row_soft(row, p->h);
            if (one_sided) {
                b->place[b->n++] = r;
            } else {
                b->joint[b->held++] = r;
            }
        }
    }
    return true;
}

static bool factor_mass(build *b)
{
    const dp_step_problem *p = b->p;
    for (int i = 0; i < p->nv; ++i) {
        size_t at = p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            b->L[i * p->nv + j] = p->Mt[at++];
        }
    }
    return factor(b->L, p->nv);
}

static const double *gradient_of(const build *b, int r, const int **col, int *columns)
{
    const dp_step_problem *p = b->p;
    const int block = b->block_of[r];
    *col = p->col + p->col_start[block];
    *columns = p->col_start[block + 1] - p->col_start[block];
    return p->G + p->G_start[block] + (size_t)(r - p->row_start[block]) * (size_t)*columns;
}

// G v of a row
static double rate(const build *b, int r, const double *v)
{
    const int *col;
    int columns;
    const double *G = gradient_of(b, r, &col, &columns);
    double sum = 0.0;
    for (int c = 0; c < columns; ++c) {
        sum += G[c] * v[col[c]];
    }
    return sum;
}

static double *effect_of(const build *b, int r)
{
    return b->Y + (size_t)r * (size_t)b->p->nv;
}

static void add_effect(const build *b, double *v, int r, double impulse)
{
    const double *Y = effect_of(b, r);
    for (int j = 0; j < b->p->nv; ++j) {
        v[j] += impulse * Y[j];
    }
}

// Let the two-sided rows answer to velocities v: v += M̃⁻¹ Gᵀ γ with R γ + G v = û.
static void hold(const build *b, double *v, double with_targets)
{
    for (int k = 0; k < b->held; ++k) {
        const int r = b->joint[k];
        b->answer[k] = with_targets * b->soft[r].u_hat - rate(b, r, v);
    }
    back_substitute(b->S, b->held, b->answer);
    for (int k = 0; k < b->held; ++k) {
        add_effect(b, v, b->joint[k], b->answer[k]);
    }
}

static bool find_effects(build *b)
{
    const dp_step_problem *p = b->p;
    for (int r = 0; r < p->nrow; ++r) {
        const int *col;
        int columns;
        const double *G = gradient_of(b, r, &col, &columns);
        for (int c = 0; c < columns; ++c) {
            effect_of(b, r)[col[c]] = G[c];
        }
        back_substitute(b->L, p->nv, effect_of(b, r));
    }
    for (int k = 0; k < b->held; ++k) {
        for (int l = 0; l < b->held; ++l) {
            b->S[k * b->held + l] = rate(b, b->joint[k], effect_of(b, b->joint[l])) +
                                    (k == l ? b->soft[b->joint[k]].R : 0.0);
        }
    }
    if (!factor(b->S, b->held)) {
        return false;
    }
    memcpy(b->v, p->v_free, (size_t)p->nv * sizeof *b->v);
    hold(b, b->v, 1.0);
    for (int a = 0; a < b->n; ++a) {
        hold(b, effect_of(b, b->place[a]), 0.0);
    }
    return true;
}

// The program as a step problem, and what it takes.
typedef struct particles {
    dp_step_problem p;
    dp_step_solution found;
    int *parent, *tree_start, *row_start, *col_start, *col;
    size_t *Mt_start, *G_start;
    double *Mt, *zeros, *A;
    uint64_t *id;
    dp_row *row;
} particles;

// Block 0 holds the rows A x ≥ r, the others one x_i ≥ 0 each.
static void lay_out(particles *o, int n, double h)
{
    o->row_start[1] = o->col_start[1] = n;
    o->G_start[1] = (size_t)n * (size_t)n;
    for (int i = 0; i < n; ++i) {
        o->parent[i] = -1;
        o->tree_start[i + 1] = i + 1;
        o->Mt_start[i + 1] = (size_t)i + 1;
        o->Mt[i] = 1.0;
        o->col[i] = o->col[n + i] = i;
        o->row_start[i + 2] = o->col_start[i + 2] = n + i + 1;
        o->G_start[i + 2] = (size_t)n * (size_t)n + (size_t)i + 1;
        o->A[(size_t)n * (size_t)n + (size_t)i] = 1.0;
        o->id[i + 1] = (uint64_t)i + 1;
    }
    o->p = (dp_step_problem){.h = h,
                             .nv = n,
                             .ntree = n,
                             .tree_start = o->tree_start,
                             .parent = o->parent,
                             .Mt_start = o->Mt_start,
                             .Mt = o->Mt,
                             .v0 = o->zeros,
                             .v_free = o->zeros,
                             .nblock = n + 1,
                             .nrow = 2 * n,
                             .row_start = o->row_start,
                             .id = o->id,
                             .col_start = o->col_start,
                             .col = o->col,
                             .G_start = o->G_start,
                             .G = o->A,
                             .row = o->row};
}

static void fill(particles *o, const build *b)
{
    const int n = b->n;
    for (int i = 0; i < 2 * n; ++i) {
        o->row[i] = (dp_row){.k = (double)INFINITY, .hi = (double)INFINITY, .len = 1.0};
    }
    for (int i = 0; i < n; ++i) {
        const int r = b->place[i];
        for (int j = 0; j < n; ++j) {
            o->A[(size_t)i * (size_t)n + (size_t)j] =
                rate(b, r, effect_of(b, b->place[j])) + (i == j ? b->soft[r].R : 0.0);
        }
        o->row[i].phi = -b->p->h * (b->soft[r].u_hat - rate(b, r, b->v));
    }
}

// All arrays are pieces of one block of memory; without one, it is counted how large it must be.
typedef struct room {
    char *at;
    size_t bytes;
} room;

static void *take(room *r, size_t count, size_t size)
{
    const size_t bytes = (count * size + 15) / 16 * 16;
    void *piece = r->at ? r->at + r->bytes : NULL;
    r->bytes += bytes;
    return piece;
}

static void carve(cli_qp *q, build *b, particles *o, room *r, int n)
{
    const size_t nv = (size_t)b->p->nv, nrow = (size_t)b->p->nrow, m = (size_t)n;
    q->v = take(r, nv, sizeof(double));
    q->gamma = take(r, nrow, sizeof(double));
    b->place = take(r, nrow, sizeof(int));
    b->joint = take(r, nrow, sizeof(int));
    b->block_of = take(r, nrow, sizeof(int));
    b->soft = take(r, nrow, sizeof(dp_soft));
    b->L = take(r, nv * nv, sizeof(double));
    b->Y = take(r, nrow * nv, sizeof(double));
    b->S = take(r, (nrow - m) * (nrow - m), sizeof(double));
    b->answer = take(r, nrow - m, sizeof(double));
    b->v = take(r, nv, sizeof(double));
    o->parent = take(r, m, sizeof(int));
    o->tree_start = take(r, m + 1, sizeof(int));
    o->row_start = take(r, m + 2, sizeof(int));
    o->col_start = take(r, m + 2, sizeof(int));
    o->col = take(r, 2 * m, sizeof(int));
    o->Mt_start = take(r, m + 1, sizeof(size_t));
    o->G_start = take(r, m + 2, sizeof(size_t));
    o->Mt = take(r, m, sizeof(double));
    o->zeros = take(r, m, sizeof(double));
    o->A = take(r, m * m + m, sizeof(double));
    o->id = take(r, m + 1, sizeof(uint64_t));
    o->row = take(r, 2 * m, sizeof(dp_row));
    o->found.v = take(r, m, sizeof(double));
    o->found.gamma = take(r, 2 * m, sizeof(double));
    o->found.state = take(r, 2 * m, sizeof(uint8_t));
}

static int count_one_sided(const dp_step_problem *p)
{
    int count = 0;
    for (int r = 0; r < p->nrow; ++r) {
        count += p->row[r].lo == 0.0 && isinf(p->row[r].hi);
    }
    return count;
}

static void move(cli_qp *q, const build *b, const double *x)
{
    memcpy(q->v, b->v, (size_t)b->p->nv * sizeof *q->v);
    for (int a = 0; a < b->n; ++a) {
        q->gamma[b->place[a]] = fmax(x[a], 0.0);
        add_effect(b, q->v, b->place[a], q->gamma[b->place[a]]);
    }
}

bool cli_qp_solve(cli_qp *q, const dp_step_problem *p)
{
    cli_qp_end(q);
    build b = {.p = p};
    particles o = {0};
    const int n = count_one_sided(p);
    room r = {0};
    carve(q, &b, &o, &r, n);
    r = (room){.at = calloc(1, r.bytes + 16)};
    *q = (cli_qp){.memory = r.at};
    if (!r.at) {
        return false;
    }
    carve(q, &b, &o, &r, n);
    if (!list_rows(&b) || !factor_mass(&b) || !find_effects(&b)) {
        return false;
    }
    lay_out(&o, n, p->h);
    fill(&o, &b);
    const dp_law_options law = dp_law_options_default();
    if (n > 0 && dp_law_solve(&o.found, &o.p, NULL, &law, NULL, &q->found) != DP_OK) {
        return false;
    }
    move(q, &b, o.found.v);
    return true;
}
