#include "solve/lcp/polyhedral.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stack.h"
#include "math/angle.h"
#include "problem/gradient.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/rigid.h"
#include "solve/lcp/lcp_core.h"

#include <math.h>
#include <string.h>

// What a variable of the problem is.
typedef enum variable_kind { OF_ROW, DIRECTION, SLIP } variable_kind;

typedef struct variable {
    variable_kind kind;
    int row;          // OF_ROW, DIRECTION: the (first) row that it acts on
    int count;        // rows: 1, or 2 for a direction in a plane
    double part[2];   // of each row in it
    int normal, slip; // DIRECTION, SLIP: variables of the normal impulse and of the slip speed
    double reach;     // SLIP: friction over normal impulse
} variable;

typedef struct polyhedral {
    const dp_step_problem *p;
    int directions, n, replaced;
    variable *variable;          // n
    double *LD;                  // M̃ factored
    double *W;                   // nrow × nrow
    double *u;                   // nrow: G v_free − û
    double *R;                   // nrow
    double *M, *q, *lo, *hi, *z; // of the problem
    double *force;               // nv
} polyhedral;

// ---- variables

// Without room they are only counted.
static void add(polyhedral *s, variable new)
{
    if (s->variable) {
        s->variable[s->n] = new;
    }
    s->n += 1;
}

static void add_group(polyhedral *s, const dp_friction_group *group, int first_row, int normal)
{
    const int r = group->count == 2 ? s->directions : 2, slip = s->n + r;
    for (int k = 0; k < r; ++k) {
        const double sign = k < r / 2 ? 1.0 : -1.0; // opposite to the bit
        double part[2] = {1.0, 0.0};
        if (group->count == 2) {
            dp_sincos(&part[1], &part[0], 2.0 * DP_PI * (k % (r / 2)) / r);
        }
        add(s,
            (variable){.kind = DIRECTION,
                       .row = first_row + group->first,
                       .count = group->count,
                       .part = {sign * part[0] * group->scale[0], sign * part[1] * group->scale[1]},
                       .normal = normal,
                       .slip = slip});
    }
    add(s, (variable){.kind = SLIP, .normal = normal, .slip = slip, .reach = group->reach});
}

static void list_variables(polyhedral *s)
{
    const dp_step_problem *p = s->p;
    s->n = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], rows = p->row_start[b + 1] - first, normal = s->n;
        const dp_friction *friction = dp_friction_of(p, b);
        dp_friction_group group[DP_CONTACT_GROUPS];
        const int ngroup = friction ? dp_friction_groups(group, friction, rows) : 0;
        for (int r = 0; r < (friction ? 1 : rows); ++r) {
            add(s, (variable){.kind = OF_ROW, .row = first + r, .count = 1, .part = {1.0, 0.0}});
        }
        for (int g = 0; g < ngroup; ++g) {
            if (group[g].reach > 0.0) {
                add_group(s, &group[g], first, normal);
            }
        }
    }
}

// ---- numbers

// W = G M̃⁻¹ Gᵀ, and by how much each row misses what it asks for without impulses.
static dp_status fill_rows(polyhedral *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], rows = p->row_start[b + 1] - first;
        dp_gradient_apply(s->u + first, p, b, p->v_free);
        for (int r = first; r < first + rows; ++r) {
            double *W = s->W + (size_t)r * (size_t)p->nrow;
            memset(s->force, 0, (size_t)p->nv * sizeof *s->force);
            W[r] = 1.0;
            dp_gradient_add(s->force, p, b, W + first);
            DP_TRY(dp_interrupt_check(10 * (size_t)p->nrow));
            dp_problem_solve_mass(s->force, p, s->LD);
            for (int other = 0; other < p->nblock; ++other) {
                dp_gradient_apply(W + p->row_start[other], p, other, s->force);
            }
        }
    }
    return DP_OK;
}

static void fill_law(polyhedral *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const dp_soft soft = dp_rigid_soft(row, p->h, friction, r - p->row_start[b]);
            s->replaced += soft.R < dp_row_soft(row, p->h).R;
            s->R[r] = soft.R;
            s->u[r] -= soft.u_hat;
        }
    }
}

// dᵀ W d between two variables that act on rows
static double coupling(const polyhedral *s, const variable *a, const variable *b)
{
    double sum = 0.0;
    for (int i = 0; i < a->count; ++i) {
        for (int j = 0; j < b->count; ++j) {
            sum += a->part[i] * b->part[j] *
                   s->W[(size_t)(a->row + i) * (size_t)s->p->nrow + (size_t)(b->row + j)];
        }
    }
    return sum;
}

static void fill_problem(polyhedral *s)
{
    const size_t n = (size_t)s->n;
    for (int i = 0; i < s->n; ++i) {
        const variable *a = &s->variable[i];
        double *M = s->M + (size_t)i * n;
        s->lo[i] = 0.0;
        s->hi[i] = (double)INFINITY;
        if (a->kind == SLIP) { // (PF 3)
            M[a->normal] = a->reach;
            for (int j = 0; j < s->n; ++j) {
                if (s->variable[j].kind == DIRECTION && s->variable[j].slip == i) {
                    M[j] = -1.0;
                }
            }
            continue;
        }
        for (int j = 0; j < s->n; ++j) {
            M[j] = s->variable[j].kind == SLIP ? 0.0 : coupling(s, a, &s->variable[j]);
        }
        for (int k = 0; k < a->count; ++k) {
            s->q[i] += a->part[k] * s->u[a->row + k];
        }
        if (a->kind == DIRECTION) { // (PF 2)
            M[a->slip] = 1.0;
            continue;
        }
        const dp_row *row = &s->p->row[a->row];
        const bool idle = s->R[a->row] == (double)INFINITY; // nothing holds it
        M[i] += idle ? 0.0 : s->R[a->row];
        s->q[i] = idle ? 0.0 : s->q[i];
        s->lo[i] = idle ? 0.0 : row->lo;
        s->hi[i] = idle ? 0.0 : row->hi;
    }
}

// ---- back

static void gather_impulses(dp_step_solution *out, const polyhedral *s)
{
    const dp_step_problem *p = s->p;
    for (int r = 0; r < p->nrow; ++r) {
        out->gamma[r] = 0.0;
        out->state[r] = DP_ROW_STATE_OPEN;
    }
    for (int i = 0; i < s->n; ++i) {
        const variable *a = &s->variable[i];
        const double z = s->z[i];
        if (a->kind == OF_ROW) {
            const bool open = dp_row_is_one_sided(&p->row[a->row]) && z == 0.0;
            out->state[a->row] = open            ? DP_ROW_STATE_OPEN
                                 : z == s->lo[i] ? DP_ROW_STATE_AT_LO
                                 : z == s->hi[i] ? DP_ROW_STATE_AT_HI
                                                 : DP_ROW_STATE_ACTIVE;
        }
        const bool pushes = a->kind == DIRECTION && s->z[a->normal] > 0.0;
        for (int k = 0; k < a->count; ++k) { // none of a slip speed
            out->gamma[a->row + k] += a->part[k] * z;
            if (pushes) {
                out->state[a->row + k] =
                    s->z[a->slip] > 0.0 ? DP_ROW_STATE_SLIP : DP_ROW_STATE_STICK;
            }
        }
    }
}

// v = v_free + M̃⁻¹ Gᵀ γ
static void move(dp_step_solution *out, const polyhedral *s)
{
    const dp_step_problem *p = s->p;
    memset(s->force, 0, (size_t)p->nv * sizeof *s->force);
    for (int b = 0; b < p->nblock; ++b) {
        dp_gradient_add(s->force, p, b, out->gamma + p->row_start[b]);
    }
    dp_problem_solve_mass(s->force, p, s->LD);
    for (int j = 0; j < p->nv; ++j) {
        out->v[j] = p->v_free[j] + s->force[j];
    }
}

// ---- memory

static void carve(polyhedral *s, dp_carver *c)
{
    const size_t nv = (size_t)s->p->nv, nrow = (size_t)s->p->nrow, n = (size_t)s->n;
    double **const of_n[] = {&s->q, &s->lo, &s->hi, &s->z};
    s->variable = dp_carve(c, n, sizeof *s->variable);
    s->LD = dp_carve(c, s->p->Mt_start[nv], sizeof(double));
    s->W = dp_carve(c, nrow * nrow, sizeof(double));
    s->u = dp_carve(c, nrow, sizeof(double));
    s->R = dp_carve(c, nrow, sizeof(double));
    s->force = dp_carve(c, nv, sizeof(double));
    s->M = dp_carve(c, n * n, sizeof(double));
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; ++k) {
        *of_n[k] = dp_carve(c, n, sizeof(double));
    }
}

static polyhedral count(const dp_step_problem *p, int directions)
{
    polyhedral s = {.p = p, .directions = directions};
    list_variables(&s);
    return s;
}

static size_t bytes_of(polyhedral s)
{
    dp_carver measure = {NULL, 0};
    carve(&s, &measure);
    return measure.used;
}

int dp_polyhedral_variables(const dp_step_problem *p, int directions)
{
    return count(p, directions).n;
}

size_t dp_polyhedral_memory(const dp_step_problem *p, int directions)
{
    const polyhedral s = count(p, directions);
    int extra = 0;
    for (int b = 0; b < p->nblock; ++b) { // of contacts, normals alone are variables
        const int first = p->row_start[b];
        const int end = dp_friction_of(p, b) ? first + 1 : p->row_start[b + 1];
        for (int r = first; r < end; ++r) {
            const bool lo = isfinite(p->row[r].lo), hi = isfinite(p->row[r].hi);
            extra += lo == hi;
        }
    }
    return DP_STACK_ALIGNMENT + dp_stack_bytes(bytes_of(s), 1) + dp_lcp_memory(s.n, extra);
}

static dp_status solve(dp_step_solution *out, polyhedral *s, const dp_lcp_options *opt,
                       const dp_allocator *a, dp_polyhedral_info *info)
{
    list_variables(s);
    DP_TRY(dp_problem_factor_mass(s->LD, s->p));
    DP_TRY(fill_rows(s));
    fill_law(s);
    fill_problem(s);
    const dp_lcp problem = {s->n, s->M, s->q, s->lo, s->hi};
    const dp_lcp_solution found = {.z = s->z};
    DP_TRY(dp_lcp_solve(&found, &problem, opt, a, &info->lcp));
    info->n = s->n;
    info->replaced = s->replaced;
    gather_impulses(out, s);
    move(out, s);
    return DP_OK;
}

int dp_polyhedral_sliding(const dp_step_problem *p, const dp_step_solution *s, double still)
{
    int count = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const dp_friction *friction = dp_friction_of(p, b);
        if (!friction) {
            continue;
        }
        dp_friction_group group[DP_CONTACT_GROUPS];
        double u[DP_CONTACT_ROWS] = {0.0};
        const int ngroup = dp_friction_groups(group, friction, nrow);
        dp_gradient_apply(u, p, b, s->v);
        const dp_row *normal = &p->row[first];
        const double opens = (u[0] + normal->phi_t + normal->phi / p->h) * normal->len;
        if (!(s->gamma[first] > 0.0) && opens > still) {
            continue;
        }
        for (int g = 0; g < ngroup; ++g) {
            double square = 0.0;
            for (int k = 0; k < group[g].count; ++k) {
                const int i = group[g].first + k;
                const double slip =
                    group[g].scale[k] * (u[i] + p->row[first + i].b_ref) * p->row[first + i].len;
                square += slip * slip;
            }
            count += group[g].reach > 0.0 && square > still * still;
        }
    }
    return count;
}

dp_status dp_directions_check(int directions)
{
    return dp_directions_are_sound(directions)
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT, "directions is %d (expected an even number, %d to %d)",
                         directions, DP_LEAST_DIRECTIONS, DP_MOST_DIRECTIONS);
}

dp_status dp_polyhedral_solve(dp_step_solution *out, const dp_step_problem *p, int directions,
                              const dp_lcp_options *opt, const dp_allocator *allocator,
                              dp_polyhedral_info *info)
{
    *info = (dp_polyhedral_info){0};
    DP_TRY(dp_directions_check(directions));
    const dp_allocator a = dp_allocator_or_default(allocator);
    polyhedral s = count(p, directions);
    const size_t bytes = bytes_of(s);
    char *memory;
    DP_TRY(dp_allocate(&memory, &a, bytes, 1));
    dp_carver carver = {memory, 0};
    carve(&s, &carver);
    const dp_status status = solve(out, &s, opt, &a, info);
    dp_release(&a, memory, bytes, 1);
    return status;
}
