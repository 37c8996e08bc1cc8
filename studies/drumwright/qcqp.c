#include "drumwright/qcqp.h"

#include <stdlib.h>

typedef cli_twofold real;

void cli_qcqp_end(cli_qcqp *q)
{
    free(q->memory);
    *q = (cli_qcqp){0};
}

// --- what the rows are ------------------------------------------------------------------------

typedef enum part { OUT, HELD, NORMAL, TANGENT } part;

// A row that takes part, and the force that it is.
typedef struct active {
    int block, row;
    part kind;
    double mu;    // of a tangent
    int normal;   // of a tangent: the place of its normal
    int variable; // −1: none
    dp_soft soft;
} active;

typedef struct build {
    const dp_step_problem *p;
    const cli_qcqp_options *o;
    active *row;
    int count, held, n, cones, linear;
    real *L; // nv × nv: the factor of M̃
    real *Y; // count × nv: what an impulse of each row does to v
    real *S; // held × held
    real *v; // nv: velocities without the forces that are looked for
    real *H, *g, *C, *d, *T, *t, *x, *z;
} build;

static const double *gradient_of(const dp_step_problem *p, const active *a, int *columns)
{
    *columns = p->col_start[a->block + 1] - p->col_start[a->block];
    return p->G + p->G_start[a->block] +
           (size_t)(a->row - p->row_start[a->block]) * (size_t)*columns;
}

static const dp_friction *friction_of(const dp_step_problem *p, int block)
{
    const int f = p->friction_of ? p->friction_of[block] : -1;
    return f >= 0 ? &p->friction[f] : NULL;
}

// The normal as a linear spring.
static dp_soft soft_of(const build *b, int block, int row)
{
    const int f = b->p->friction_of ? b->p->friction_of[block] : -1;
    dp_row linear = b->p->row[row];
    if (f >= 0 && b->p->normal && b->p->normal[f].kind != DP_NORMAL_SPRING) {
        linear.k = b->o->stiffness;
        linear.b = b->o->damping;
    }
    return dp_row_soft(&linear, b->p->h);
}

static void add_contact(build *b, int block, const dp_friction *f)
{
    const int first = b->p->row_start[block], normal = b->count;
    if (b->p->row[first].phi > b->o->reach) {
        return;
    }
    b->row[b->count++] = (active){.block = block,
                                  .row = first,
                                  .kind = NORMAL,
                                  .variable = b->n++,
                                  .soft = soft_of(b, block, first)};
    ++b->linear;
    const bool rubs = f->mu[0] > 0.0 || f->mu[1] > 0.0;
    for (int t = 0; t < 2; ++t) {
        b->row[b->count++] = (active){.block = block,
                                      .row = first + 1 + t,
                                      .kind = TANGENT,
                                      .mu = f->mu[t],
                                      .normal = normal,
                                      .variable = f->mu[t] > 0.0 ? b->n++ : -1};
    }
    b->cones += rubs;
    b->linear += !rubs;
}

static bool add_plain(build *b, int block, int row)
{
    const dp_row *r = &b->p->row[row];
    const bool one_sided = r->lo == 0.0 && isinf(r->hi);
    if (!one_sided && !(isinf(r->lo) && isinf(r->hi))) {
        return false;
    }
    if (one_sided && r->phi > b->o->reach) {
        return true;
    }
    b->row[b->count++] = (active){.block = block,
                                  .row = row,
                                  .kind = one_sided ? NORMAL : HELD,
                                  .variable = one_sided ? b->n++ : -1,
                                  .soft = soft_of(b, block, row)};
    b->linear += 2 * one_sided;
    b->held += !one_sided;
    return true;
}

static bool list_rows(build *b)
{
    for (int block = 0; block < b->p->nblock; ++block) {
        const dp_friction *f = friction_of(b->p, block);
        if (f && b->p->row_start[block + 1] - b->p->row_start[block] != 3) {
            return false;
        }
        if (f) {
            add_contact(b, block, f);
        }
        for (int r = b->p->row_start[block]; !f && r < b->p->row_start[block + 1]; ++r) {
            if (!add_plain(b, block, r)) {
                return false;
            }
        }
    }
    return true;
}

// --- velocities -------------------------------------------------------------------------------

// A = L Lᵀ in its lower half. False: A has no inverse
static bool factor(real *A, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            real sum = A[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum = cli_minus(sum, cli_times(A[i * n + k], A[j * n + k]));
            }
            if (i == j && !(cli_rounded(sum) > 0.0)) {
                return false;
            }
            A[i * n + j] = i == j ? cli_root(sum) : cli_over(sum, A[j * n + j]);
        }
    }
    return true;
}

static void back_substitute(const real *L, int n, real *b)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            b[i] = cli_minus(b[i], cli_times(L[i * n + k], b[k]));
        }
        b[i] = cli_over(b[i], L[i * n + i]);
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            b[i] = cli_minus(b[i], cli_times(L[k * n + i], b[k]));
        }
        b[i] = cli_over(b[i], L[i * n + i]);
    }
}

static bool factor_masses(const build *b)
{
    const int nv = b->p->nv;
    for (int i = 0; i < nv; ++i) {
        size_t k = b->p->Mt_start[i];
        for (int j = i; j >= 0; j = b->p->parent[j]) {
            b->L[i * nv + j] = cli_twofold_of(b->p->Mt[k++]);
        }
    }
    return factor(b->L, nv);
}

// G v of a row
static real rate(const build *b, int i, const real *v)
{
    int columns;
    const double *G = gradient_of(b->p, &b->row[i], &columns);
    const int *col = b->p->col + b->p->col_start[b->row[i].block];
    real sum = {0.0, 0.0};
    for (int c = 0; c < columns; ++c) {
        sum = cli_plus(sum, cli_times(cli_twofold_of(G[c]), v[col[c]]));
    }
    return sum;
}

// Let the held rows answer to velocities v: v += M̃⁻¹ G_bᵀ γ_b with R γ_b + G_b v = û.
static void hold(const build *b, real *v, real *impulse, double with_targets)
{
    for (int i = 0, k = 0; i < b->count; ++i) {
        if (b->row[i].kind == HELD) {
            impulse[k++] =
                cli_minus(cli_twofold_of(with_targets * b->row[i].soft.u_hat), rate(b, i, v));
        }
    }
    back_substitute(b->S, b->held, impulse);
    for (int i = 0, k = 0; i < b->count; ++i) {
        if (b->row[i].kind != HELD) {
            continue;
        }
        for (int j = 0; j < b->p->nv; ++j) {
            v[j] = cli_plus(v[j], cli_times(impulse[k], b->Y[i * b->p->nv + j]));
        }
        ++k;
    }
}

static bool find_answers(const build *b, real *impulse)
{
    const int nv = b->p->nv;
    for (int i = 0; i < b->count; ++i) {
        int columns;
        const double *G = gradient_of(b->p, &b->row[i], &columns);
        const int *col = b->p->col + b->p->col_start[b->row[i].block];
        for (int c = 0; c < columns; ++c) {
            b->Y[i * nv + col[c]] = cli_twofold_of(G[c]);
        }
        back_substitute(b->L, nv, b->Y + i * nv);
    }
    for (int i = 0, k = 0; i < b->count; ++i) {
        for (int j = 0, l = 0; b->row[i].kind == HELD && j < b->count; ++j) {
            if (b->row[j].kind == HELD) {
                b->S[k * b->held + l] = rate(b, i, b->Y + j * nv);
                l += 1;
            }
        }
        if (b->row[i].kind == HELD) {
            real *own = &b->S[k * b->held + k];
            *own = cli_plus(*own, cli_twofold_of(b->row[i].soft.R));
            ++k;
        }
    }
    if (!factor(b->S, b->held)) { // joints that depend on each other
        return false;
    }
    for (int j = 0; j < nv; ++j) {
        b->v[j] = cli_twofold_of(b->p->v_free[j]);
    }
    hold(b, b->v, impulse, 1.0); // c of (190), and with it d and e
    for (int i = 0; i < b->count; ++i) {
        if (b->row[i].kind != HELD) {
            hold(b, b->Y + i * nv, impulse, 0.0);
        }
    }
    return true;
}

// --- the program ------------------------------------------------------------------------------

// u of row i for a unit force j.
static real per_force(const build *b, int i, int j)
{
    return cli_times(cli_twofold_of(b->p->h), rate(b, i, b->Y + j * b->p->nv));
}

// (QC 1): β = T λ + t
static void fill_objective(const build *b)
{
    const int n = b->n;
    int betas = 0;
    for (int i = 0; i < b->count; ++i) {
        const active *a = &b->row[i];
        if (a->variable >= 0) {
            b->H[a->variable * n + a->variable] =
                cli_twofold_of(a->kind == NORMAL ? b->o->zeta : 1.0);
        }
        if (a->kind != TANGENT) {
            continue;
        }
        const real B = cli_twofold_of(b->o->damper);
        real *T = b->T + betas * n;
        for (int j = 0; j < b->count; ++j) {
            if (b->row[j].variable >= 0) {
                T[b->row[j].variable] = cli_times(B, per_force(b, i, j));
            }
        }
        if (a->variable >= 0) {
            T[a->variable] = cli_plus(T[a->variable], cli_twofold_of(1.0));
        }
        const real slip = cli_plus(rate(b, i, b->v), cli_twofold_of(b->p->row[a->row].b_ref));
        b->t[betas++] = cli_times(B, slip);
    }
    for (int k = 0; k < betas; ++k) {
        const real *T = b->T + k * n;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                b->H[i * n + j] = cli_plus(b->H[i * n + j], cli_times(T[i], T[j]));
            }
            b->g[i] = cli_plus(b->g[i], cli_times(T[i], b->t[k]));
        }
    }
}

// R γ + u ≥ û, scaled so that its largest coefficient is 1.
static void fill_spring(const build *b, int i, real *C, real *d)
{
    const active *a = &b->row[i];
    double most = 0.0;
    for (int j = 0; j < b->count; ++j) {
        if (b->row[j].variable >= 0) {
            C[b->row[j].variable] = per_force(b, i, j);
        }
    }
    C[a->variable] = cli_plus(C[a->variable], cli_two_product(b->p->h, a->soft.R));
    for (int j = 0; j < b->n; ++j) {
        most = fmax(most, fabs(C[j].hi));
    }
    const real scale = cli_twofold_of(most > 0.0 ? most : 1.0);
    for (int j = 0; j < b->n; ++j) {
        C[j] = cli_over(C[j], scale);
    }
    *d = cli_over(cli_minus(cli_twofold_of(a->soft.u_hat), rate(b, i, b->v)), scale);
}

// (QC 2)
static void fill_conditions(const build *b)
{
    const int n = b->n;
    int line = 0, cone = b->linear;
    for (int i = 0; i < b->count; ++i) {
        const active *a = &b->row[i];
        if (a->kind != NORMAL) {
            continue;
        }
        fill_spring(b, i, b->C + line * n, b->d + line);
        ++line;
        const bool contact = i + 2 < b->count && b->row[i + 1].kind == TANGENT;
        const active *const t = contact ? &b->row[i + 1] : NULL;
        const double mu = t ? fmax(t[0].mu, t[1].mu) : 0.0;
        if (!t || !(mu > 0.0)) { // λ_n ≥ 0, which a cone says as well
            b->C[line++ * n + a->variable] = cli_twofold_of(1.0);
            continue;
        }
        b->C[cone * n + a->variable] = cli_twofold_of(mu);
        for (int k = 0; k < 2; ++k) {
            if (t[k].variable >= 0) {
                b->C[(cone + 1 + k) * n + t[k].variable] = cli_twofold_of(mu / t[k].mu);
            }
        }
        cone += 3;
    }
}

static void *make_room(build *b, cli_qcqp *q)
{
    const size_t nv = (size_t)b->p->nv, n = (size_t)b->n, count = (size_t)b->count;
    const size_t rows = (size_t)b->linear + 3 * (size_t)b->cones, held = (size_t)b->held;
    const size_t length[] = {nv * nv, count * nv, held * held, nv,    n * n, n,   rows * n,
                             rows,    count * n,  count,       n + 1, rows,  held};
    real **const place[] = {&b->L, &b->Y, &b->S, &b->v, &b->H, &b->g, &b->C,
                            &b->d, &b->T, &b->t, &b->x, &b->z, NULL};
    const size_t plain = nv + 2 * (size_t)b->p->nrow;
    size_t total = plain / 2 + 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; ++i) {
        total += length[i];
    }
    real *const memory = calloc(total, sizeof *memory);
    real *at = memory;
    for (size_t i = 0; memory && i < sizeof length / sizeof *length; ++i) {
        if (place[i]) {
            *place[i] = at;
        }
        at += length[i];
    }
    q->memory = calloc(plain + 1, sizeof *q->v);
    if (!memory || !q->memory) {
        free(memory);
        return NULL;
    }
    q->v = q->memory;
    q->force = q->v + nv;
    q->gap_rate = q->force + b->p->nrow;
    return memory;
}

static void read_answer(cli_qcqp *q, const build *b)
{
    const double h = b->p->h;
    for (int i = 0; i < b->count; ++i) {
        const active *a = &b->row[i];
        if (a->variable < 0) {
            continue;
        }
        q->force[a->row] = cli_rounded(b->x[a->variable]);
        q->normals += a->kind == NORMAL;
        q->tangents += a->kind == TANGENT;
        const real given = cli_times(cli_twofold_of(h), b->x[a->variable]);
        for (int j = 0; j < b->p->nv; ++j) {
            b->v[j] = cli_plus(b->v[j], cli_times(given, b->Y[i * b->p->nv + j]));
        }
    }
    for (int j = 0; j < b->p->nv; ++j) {
        q->v[j] = cli_rounded(b->v[j]);
    }
    for (int i = 0; i < b->count; ++i) {
        const active *a = &b->row[i];
        q->gap_rate[a->row] = cli_rounded(rate(b, i, b->v));
        q->contacts += a->kind == TANGENT && b->row[i - 1].kind == NORMAL;
    }
}

bool cli_qcqp_solve(cli_qcqp *q, const dp_step_problem *p, const cli_qcqp_options *o)
{
    cli_qcqp_end(q);
    build b = {.p = p, .o = o, .row = malloc((size_t)(p->nrow + 1) * sizeof *b.row)};
    real *memory = b.row && list_rows(&b) ? make_room(&b, q) : NULL;
    bool fine = memory && factor_masses(&b) &&
                find_answers(&b, b.z + b.linear + 3 * b.cones); // which is scratch here
    if (fine) {
        fill_objective(&b);
        fill_conditions(&b);
        const cli_cone_program program = {.n = b.n,
                                          .linear = b.linear,
                                          .cones = b.cones,
                                          .H = b.H,
                                          .g = b.g,
                                          .C = b.C,
                                          .d = b.d,
                                          .convexity = fmin(o->zeta, 1.0)};
        cli_cone_solution s = {.x = b.x, .z = b.z};
        if (b.n > 0) {
            fine = o->plain ? cli_cone_solve_plain(&s, &program, o->tolerance)
                            : cli_cone_solve(&s, &program, o->tolerance);
        }
        q->iterations = s.iterations;
        q->residual = s.residual;
        read_answer(q, &b);
    }
    free(memory);
    free(b.row);
    return fine;
}
