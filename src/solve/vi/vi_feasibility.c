// An island as a program (CI 1): x = √diag M̃ (v − v_free), rows G v − û with those of friction
// times their coefficient μ, so that cones are those of Lorentz, and z = γ, with γ_t/μ.
//
// A contact with several groups of friction holds G v − û in the sum of their cones: the normal row
// is shared out among them by a variable for each group but the first. A row with two ends lo and
// hi has a variable t ≥ 0 that costs hi − lo, by which it is beyond hi.
#include "solve/vi/vi_feasibility.h"

#include "base/memory.h"
#include "linalg/vector.h"
#include "problem/contact_law.h"
#include "problem/feasibility.h"
#include "solve/vi/interior_point.h"

#include <math.h>
#include <string.h>

enum { MOST_UNKNOWNS = 600 };      // 6 MB
static const double ROW = 1500.0;  // multiplications: what a search takes for a row and iteration
static const double SOLVED = 1e-6; // what the method leaves, over the speeds at hand
static const double GROWN = 1e4;   // impulses over those that single rows take
static const double MISSED = 3e-3; // size × off: what is missing falls only as impulses grow
static const double FAST = 10.0;   // of the speeds at hand: beyond, large impulses make such speeds
static const double IDLE = 1e-3;   // dp_ray_certificate.effect of a direction in which they grow

// Where a row of the program comes from: γ = at + factor z of a row of the island.
typedef struct source {
    int row; // −1: none
    double factor;
} source;

typedef struct build {
    const dp_step_problem *p;
    dp_certify_view view;
    int n, m, ncone;  // of the program
    int nx, nrow, nk; // of them, what is there by now
    bool fills;       // else they are counted
    double *P, *c, *A, *b, *R;
    double *x, *z, *ray;
    double *root; // nv: √diag M̃
    double *at;   // nrow of the island
    double *scratch;
    source *from; // m
    dp_interior_cone *cone;
} build;

static double *row_of(const build *o, int i)
{
    return o->A + (size_t)i * (size_t)o->n;
}

// Rows from `first` on are one.
static void add_cone(build *o, int first)
{
    if (o->fills) {
        o->cone[o->nk] = (dp_interior_cone){first, o->nrow - first};
    }
    ++o->nk;
}

// factor (G v − û + R γ) of a row of the island, γ = at + factor z.
static void add_row(build *o, int block, int r, dp_soft soft, double factor, double at)
{
    const int i = o->nrow++;
    if (!o->fills) {
        return;
    }
    const dp_step_problem *p = o->p;
    const int *col = p->col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    const double *G = p->G + p->G_start[block] + (size_t)(r - p->row_start[block]) * (size_t)ncol;
    double u = 0.0;
    for (int k = 0; k < ncol; ++k) {
        row_of(o, i)[col[k]] = factor * G[k] / o->root[col[k]];
        o->c[col[k]] -= at * G[k] / o->root[col[k]];
        u += G[k] * p->v_free[col[k]];
    }
    o->b[i] = factor * (soft.u_hat - u - soft.R * at);
    o->R[i] = factor * factor * soft.R;
    o->from[i] = (source){r, factor};
    o->at[r] = at;
}

// A variable of the program, with a row of its own. @return its number
static int add_variable(build *o)
{
    if (o->fills) {
        row_of(o, o->nrow)[o->nx] = 1.0;
        o->from[o->nrow] = (source){.row = -1};
    }
    ++o->nrow;
    return o->nx++;
}

static void add_contact(build *o, int block)
{
    const dp_step_problem *p = o->p;
    const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup = dp_friction_groups(group, &p->friction[p->friction_of[block]], nrow);
    const int normal = o->nrow;
    int head = normal, ncone = 0;
    add_row(o, block, first, dp_view_soft(p, &o->view, first), 1.0, 0.0);
    for (int g = 0; g < ngroup; ++g) {
        if (!(group[g].reach > 0.0)) {
            continue;
        }
        if (ncone++ > 0) { // its share of the normal row
            head = o->nrow;
            const int share = add_variable(o);
            if (o->fills) {
                row_of(o, normal)[share] = -1.0;
            }
        }
        for (int k = 0; k < group[g].count; ++k) {
            const int r = first + group[g].first + k;
            const double mu = group[g].reach * group[g].scale[k];
            if (mu > 0.0) {
                add_row(o, block, r, dp_view_soft(p, &o->view, r), mu, 0.0);
            }
        }
        add_cone(o, head);
    }
    if (ncone == 0) {
        add_cone(o, normal);
    }
}

static void add_plain(build *o, int block, int r)
{
    const dp_row *row = &o->p->row[r];
    const dp_soft soft = dp_view_soft(o->p, &o->view, r);
    const bool lo = isfinite(row->lo), hi = isfinite(row->hi);
    const int first = o->nrow;
    if (soft.R == (double)INFINITY) { // nothing holds it
        return;
    }
    add_row(o, block, r, soft, lo || !hi ? 1.0 : -1.0, lo ? row->lo : hi ? row->hi : 0.0);
    if (lo || hi) {
        add_cone(o, first);
    }
    if (lo && hi) {
        const int beyond = add_variable(o);
        add_cone(o, first + 1);
        if (o->fills) {
            row_of(o, first)[beyond] = 1.0;
            o->c[beyond] += row->hi - row->lo;
        }
    }
}

static void add_blocks(build *o, bool fills)
{
    const dp_step_problem *p = o->p;
    o->fills = fills;
    o->nx = p->nv;
    o->nrow = o->nk = 0;
    for (int b = 0; b < p->nblock; ++b) {
        if (p->friction_of && p->friction_of[b] >= 0) {
            add_contact(o, b);
            continue;
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            add_plain(o, b, r);
        }
    }
}

static void fill_mass(build *o)
{
    const dp_step_problem *p = o->p;
    const size_t n = (size_t)o->n;
    for (int i = 0; i < p->nv; ++i) {
        o->root[i] = sqrt(p->Mt[p->Mt_start[i]]);
    }
    for (int i = 0; i < p->nv; ++i) {
        const double *element = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            const double value = *element++ / (o->root[i] * o->root[j]);
            o->P[(size_t)i * n + (size_t)j] = o->P[(size_t)j * n + (size_t)i] = value;
        }
    }
}

// Rows of a cone, and equations, are divided by the size of the largest, z multiplied; then all of
// b and c by theirs, and with them x and z. @return that size; 0: nothing is asked for
static double scale_rows(build *o)
{
    for (int i = 0, k = 0; i < o->m;) {
        const int end = k < o->nk && o->cone[k].first == i ? i + o->cone[k++].size : i + 1;
        double most = 0.0;
        for (int r = i; r < end; ++r) {
            most = fmax(most, dp_norm(row_of(o, r), o->p->nv));
        }
        for (const double by = most > 0.0 ? 1.0 / most : 1.0; i < end; ++i) {
            for (int j = 0; j < o->n; ++j) {
                row_of(o, i)[j] *= by;
            }
            o->b[i] *= by;
            o->R[i] *= by * by;
            o->from[i].factor *= by;
        }
    }
    const double largest = dp_largest(o->c, o->n, dp_largest(o->b, o->m, 0.0));
    for (int i = 0; largest > 0.0 && i < o->m; ++i) {
        o->b[i] /= largest;
    }
    for (int j = 0; largest > 0.0 && j < o->n; ++j) {
        o->c[j] /= largest;
    }
    return largest;
}

// Impulses of the island that belong to z.
static void gather(double *gamma, const build *o, const double *z, double size, bool direction)
{
    for (int r = 0; r < o->p->nrow; ++r) {
        gamma[r] = direction ? 0.0 : o->at[r];
    }
    for (int i = 0; i < o->m; ++i) {
        if (o->from[i].row >= 0) {
            gamma[o->from[i].row] += size * o->from[i].factor * z[i];
        }
    }
}

static void *lay_out(build *o, dp_carver *c)
{
    const size_t n = (size_t)o->n, m = (size_t)o->m, nv = (size_t)o->p->nv;
    o->P = dp_carve(c, n * n, sizeof(double));
    o->A = dp_carve(c, m * n, sizeof(double));
    o->c = dp_carve(c, n, sizeof(double));
    o->x = dp_carve(c, n, sizeof(double));
    double **of_m[] = {&o->b, &o->R, &o->z, &o->ray};
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; ++k) {
        *of_m[k] = dp_carve(c, m, sizeof(double));
    }
    o->root = dp_carve(c, nv, sizeof(double));
    o->scratch = dp_carve(c, nv, sizeof(double));
    o->at = dp_carve(c, (size_t)o->p->nrow, sizeof(double));
    o->from = dp_carve(c, m, sizeof *o->from);
    o->cone = dp_carve(c, (size_t)o->ncone, sizeof *o->cone);
    return dp_carve(c, dp_interior_memory(o->n, o->m, o->ncone), 1);
}

static build count(const dp_step_problem *p, dp_certify_view view)
{
    build o = {.p = p, .view = view};
    add_blocks(&o, false);
    o.n = o.nx;
    o.m = o.nrow;
    o.ncone = o.nk;
    return o;
}

size_t dp_vi_feasible_memory(const dp_step_problem *p)
{
    build o = count(p, (dp_certify_view){.set = DP_FRICTION_CONE});
    if (p->links || o.n + o.m > MOST_UNKNOWNS) {
        return 0;
    }
    dp_carver measure = {NULL, 0};
    (void)lay_out(&o, &measure);
    return measure.used;
}

// One iteration factors a dense matrix of all unknowns.
static double work_of(const build *o)
{
    const double N = o->n + o->m;
    return fmax(1.0, N * N * N / (ROW * o->p->nrow));
}

void dp_vi_feasible(dp_vi_decision *out, const dp_step_problem *p, dp_certify_view view,
                    void *memory)
{
    build o = count(p, view);
    dp_carver carver = {memory, 0};
    void *room = lay_out(&o, &carver);
    memset(memory, 0, (size_t)((char *)room - (char *)memory));
    fill_mass(&o);
    add_blocks(&o, true);
    const double size = scale_rows(&o);
    const dp_interior_program program = {o.n, o.m, o.P, o.c, o.A, o.b, o.R, o.cone, o.ncone};
    dp_interior_result found = {.x = o.x, .z = o.z, .ray = o.ray};
    dp_interior_solve(&found, &program, room);
    gather(out->gamma, &o, o.z, size, false);
    gather(out->ray, &o, o.ray, 1.0, true);
    dp_problem_certify_ray_as(&out->certificate, p, out->ray, view, o.scratch);
    const bool grows = found.size > GROWN && found.size * found.off > MISSED &&
                       found.proof < FAST && out->certificate.effect <= IDLE;
    out->iterations = found.iterations;
    out->work = (int)(found.iterations * work_of(&o));
    out->off = found.off;
    out->verdict = out->certificate.proven ? DP_VI_INFEASIBLE
                   : grows                 ? DP_VI_WEAKLY_INFEASIBLE
                   : found.off <= SOLVED   ? DP_VI_SOLVABLE
                                           : DP_VI_UNDECIDED;
}
