// An island as a program (CI 1): x = √diag M̃ (v − v_free), rows G v − û of the variables γ
// (conic_rows.h), with those of friction times their coefficient μ. A row with two ends lo and hi
// has an unknown t ≥ 0 that costs hi − lo, by which it is beyond hi.
#include "solve/vi/vi_feasibility.h"

#include "base/memory.h"
#include "linalg/vector.h"
#include "problem/feasibility.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/rigid.h"
#include "solve/cones/conic_rows.h"

#include <math.h>
#include <string.h>

enum { MOST_UNKNOWNS = 600 };      // 6 MB
static const double ROW = 1500.0;  // multiplications: what a search takes for a row and iteration
static const double GROWN = 6e3;   // impulses over those that single rows take
static const double MISSED = 3e-3; // size × off: what is missing falls only as impulses grow
static const double FAST = 10.0;   // of the current speeds: beyond, large impulses make such speeds
static const double IDLE = 1e-3;   // dp_ray_certificate.effect of a direction in which they grow

typedef struct build {
    const dp_step_problem *p;
    dp_certify_view view;
    dp_conic_rows rows;
    int n, m, ncone; // of the program
    double *P, *b, *R;
    double *x, *z, *ray;
    double *root; // nv: √diag M̃
    double *scratch;
} build;

static double *row_of(const build *o, int i)
{
    return o->rows.A + (size_t)i * (size_t)o->n;
}

// All rows but those that nothing holds.
static void add_rows(build *o)
{
    const dp_step_problem *p = o->p;
    o->rows.n = p->nv;
    o->rows.m = o->rows.ncone = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], end = p->row_start[b + 1];
        const dp_friction *friction = dp_friction_of(p, b);
        dp_friction_group group[DP_CONTACT_GROUPS];
        if (friction) {
            const int ngroup = dp_friction_groups(group, friction, end - first);
            dp_conic_add_contact(&o->rows, first, group, ngroup);
        }
        for (int r = first; !friction && r < end; ++r) {
            if (dp_view_soft(p, &o->view, r).R < (double)INFINITY) {
                dp_conic_add_interval(&o->rows, r, p->row[r].lo, p->row[r].hi);
            }
        }
    }
}

// factor (G v − û + R γ) of the row of the island that row i comes from, γ = at + factor z.
static void fill_row(build *o, int i, int block)
{
    const dp_step_problem *p = o->p;
    const dp_conic_source *from = &o->rows.from[i];
    const dp_soft soft = dp_view_soft(p, &o->view, from->of);
    const int *col = p->col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    const double *G =
        p->G + p->G_start[block] + (size_t)(from->of - p->row_start[block]) * (size_t)ncol;
    double u = 0.0;
    for (int k = 0; k < ncol; ++k) {
        row_of(o, i)[col[k]] = from->factor * G[k] / o->root[col[k]];
        o->rows.c[col[k]] -= from->at * G[k] / o->root[col[k]];
        u += G[k] * p->v_free[col[k]];
    }
    o->b[i] = from->factor * (soft.u_hat - u - soft.R * from->at);
    o->R[i] = from->factor * from->factor * soft.R;
}

static void fill_rows(build *o)
{
    for (int i = 0, block = 0; i < o->m; ++i) {
        const int r = o->rows.from[i].of;
        while (r >= o->p->row_start[block + 1]) {
            ++block;
        }
        if (r >= 0) {
            fill_row(o, i, block);
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
        const dp_interior_cone *cone = &o->rows.cone[k];
        const bool begins = k < o->ncone && cone->first == i;
        const int end = begins ? i + cone->size : i + 1;
        k += begins;
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
            o->rows.from[i].factor *= by;
        }
    }
    const double largest = dp_largest(o->rows.c, o->n, dp_largest(o->b, o->m, 0.0));
    for (int i = 0; largest > 0.0 && i < o->m; ++i) {
        o->b[i] /= largest;
    }
    for (int j = 0; largest > 0.0 && j < o->n; ++j) {
        o->rows.c[j] /= largest;
    }
    return largest;
}

// Impulses of the island that belong to z.
static void gather(double *gamma, const build *o, const double *z, double size, bool direction)
{
    memset(gamma, 0, (size_t)o->p->nrow * sizeof *gamma);
    for (int i = 0; i < o->m; ++i) {
        const dp_conic_source *from = &o->rows.from[i];
        if (from->of >= 0) {
            gamma[from->of] = (direction ? 0.0 : from->at) + size * from->factor * z[i];
        }
    }
}

static void *lay_out(build *o, dp_carver *c)
{
    const size_t n = (size_t)o->n, m = (size_t)o->m, nv = (size_t)o->p->nv;
    o->rows.width = o->n;
    o->P = dp_carve(c, n * n, sizeof(double));
    o->rows.A = dp_carve(c, m * n, sizeof(double));
    o->rows.c = dp_carve(c, n, sizeof(double));
    o->x = dp_carve(c, n, sizeof(double));
    double **of_m[] = {&o->b, &o->R, &o->z, &o->ray};
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; ++k) {
        *of_m[k] = dp_carve(c, m, sizeof(double));
    }
    o->root = dp_carve(c, nv, sizeof(double));
    o->scratch = dp_carve(c, nv, sizeof(double));
    o->rows.from = dp_carve(c, m, sizeof *o->rows.from);
    o->rows.cone = dp_carve(c, (size_t)o->ncone, sizeof *o->rows.cone);
    return dp_carve(c, dp_interior_memory(o->n, o->m, o->ncone), 1);
}

static build count(const dp_step_problem *p, dp_certify_view view)
{
    build o = {.p = p, .view = view};
    add_rows(&o);
    o.n = o.rows.n;
    o.m = o.rows.m;
    o.ncone = o.rows.ncone;
    return o;
}

size_t dp_vi_feasible_memory(const dp_step_problem *p)
{
    build o = count(p, (dp_certify_view){.set = DP_FRICTION_SET_CONE});
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
    add_rows(&o);
    fill_rows(&o);
    const double size = scale_rows(&o);
    const dp_interior_program program = {o.n, o.m,         o.P,     o.rows.c, o.rows.A, o.b,
                                         o.R, o.rows.cone, o.ncone, 0.0,      1e3};
    dp_interior_result found = {.x = o.x, .z = o.z, .ray = o.ray};
    dp_interior_solve(&found, &program, room);
    gather(out->gamma, &o, o.z, size, false);
    gather(out->ray, &o, o.ray, 1.0, true);
    dp_problem_certify_ray_as(&out->certificate, p, out->ray, view, o.scratch);
    const bool grows = found.size > GROWN && found.size * found.off > MISSED &&
                       found.proof < FAST && out->certificate.effect <= IDLE;
    out->iterations = found.iterations;
    out->work = (int)(found.iterations * work_of(&o));
    out->verdict = out->certificate.proven ? DP_VI_INFEASIBLE
                   : grows                 ? DP_VI_WEAKLY_INFEASIBLE
                                           : DP_VI_SOLVABLE;
}
