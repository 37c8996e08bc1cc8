#include "berard/mixed.h"

#include <math.h>
#include <stdlib.h>

void cli_mixed_end(cli_mixed *m)
{
    free(m->M);
    free(m->q);
    *m = (cli_mixed){0};
}

// --- what the rows are ------------------------------------------------------------------------

typedef enum row_kind { IDLE, SOFT, JOINT, NORMAL, FRICTION } row_kind;

static int columns_of(const dp_step_problem *p, int block)
{
    return p->col_start[block + 1] - p->col_start[block];
}

static const double *gradient_of(const dp_step_problem *p, int block, int row)
{
    const size_t at = (size_t)(row - p->row_start[block]) * (size_t)columns_of(p, block);
    return p->G + p->G_start[block] + at;
}

static const dp_friction *friction_of(const dp_step_problem *p, int block)
{
    const int f = p->friction_of ? p->friction_of[block] : -1;
    return f >= 0 ? &p->friction[f] : NULL;
}

// Does any velocity meet the row? Tangents across the plane of a planar mechanism are round-off.
static bool is_met(const dp_step_problem *p, int block, int row)
{
    const double *G = gradient_of(p, block, row);
    double largest = 0.0;
    for (int c = 0; c < columns_of(p, block); ++c) {
        largest = fmax(largest, fabs(G[c]));
    }
    return largest > 1e-14;
}

static row_kind kind_of(const dp_step_problem *p, int block, int row)
{
    if (!is_met(p, block, row)) {
        return IDLE;
    }
    const dp_row *r = &p->row[row];
    if (friction_of(p, block) && row > p->row_start[block]) {
        return row - p->row_start[block] < 3 ? FRICTION : IDLE;
    }
    if (r->lo == 0.0) {
        return NORMAL;
    }
    return dp_row_soft(r, p->h).R > 0.0 ? SOFT : JOINT;
}

// The directions of friction of a contact: pairs of opposites.
static int directions_of(const dp_step_problem *p, int block, int directions)
{
    const dp_friction *f = friction_of(p, block);
    const int first = p->row_start[block];
    if (!f || !(f->mu[0] > 0.0) || p->row_start[block + 1] - first < 3 ||
        kind_of(p, block, first) != NORMAL) {
        return 0;
    }
    const int met = is_met(p, block, first + 1) + is_met(p, block, first + 2);
    return met == 2 ? directions : 2 * met;
}

static bool count(cli_mixed *m, const dp_step_problem *p, int directions)
{
    m->velocities = p->nv;
    m->joints = m->normals = m->along = m->slips = m->springs = 0;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const row_kind kind = kind_of(p, b, r);
            m->joints += kind == JOINT;
            m->springs += kind == SOFT;
            m->normals += kind == NORMAL;
            const dp_row *row = &p->row[r];
            if (kind != IDLE && kind != FRICTION && kind != NORMAL &&
                (!isinf(row->lo) || !isinf(row->hi))) {
                return false; // a drive or dry friction
            }
        }
        const int along = directions_of(p, b, directions);
        m->along += along;
        m->slips += along > 0;
    }
    m->n = m->velocities + m->joints + m->normals + m->along + m->slips;
    return true;
}

static bool make_room(cli_mixed *m)
{
    const size_t n = (size_t)m->n;
    if (m->n > m->capacity) {
        free(m->M);
        free(m->q);
        m->M = malloc(n * n * sizeof *m->M);
        m->q = malloc(5 * n * sizeof *m->q);
        m->capacity = m->M && m->q ? m->n : 0;
    }
    if (!m->M || !m->q) {
        return m->n == 0;
    }
    m->lo = m->q + n;
    m->hi = m->lo + n;
    m->z = m->hi + n;
    m->w = m->z + n;
    for (size_t i = 0; i < n * n; ++i) {
        m->M[i] = 0.0;
    }
    for (size_t i = 0; i < n; ++i) {
        m->q[i] = 0.0;
        m->lo[i] = (int)i < m->velocities + m->joints ? -INFINITY : 0.0;
        m->hi[i] = INFINITY;
    }
    return true;
}

// --- filling it -------------------------------------------------------------------------------

static double *at(const cli_mixed *m, int row, int column)
{
    return &m->M[(size_t)row * (size_t)m->n + (size_t)column];
}

// M̃ between two velocities of one branch, from the packed rows.
static void fill_masses(const cli_mixed *m, const dp_step_problem *p)
{
    for (int i = 0; i < p->nv; ++i) {
        size_t k = p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            *at(m, i, j) = *at(m, j, i) = p->Mt[k++];
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        for (int j = 0; j < p->nv; ++j) {
            m->q[i] -= *at(m, i, j) * p->v_free[j];
        }
    }
}

// A spring and a dashpot at the end of the step: γ = (û − G v)/R.
static void add_spring(const cli_mixed *m, const dp_step_problem *p, int block, int row,
                       dp_soft soft)
{
    const double *G = gradient_of(p, block, row);
    const int *col = p->col + p->col_start[block];
    const int columns = columns_of(p, block);
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j < columns; ++j) {
            *at(m, col[i], col[j]) += G[i] * G[j] / soft.R;
        }
        m->q[col[i]] -= G[i] * soft.u_hat / soft.R;
    }
}

// A variable that acts along `part` of a row and hears from it.
static void couple(const cli_mixed *m, const dp_step_problem *p, int block, int row, int variable,
                   double part)
{
    const double *G = gradient_of(p, block, row);
    const int *col = p->col + p->col_start[block];
    for (int c = 0; c < columns_of(p, block); ++c) {
        *at(m, col[c], variable) -= part * G[c];
        *at(m, variable, col[c]) += part * G[c];
    }
}

typedef struct next_variable {
    int joint, normal, along, slip;
} next_variable;

static void add_friction(const cli_mixed *m, const dp_step_problem *p, int block, int directions,
                         int normal, next_variable *next)
{
    const double tau = 6.283185307179586;
    const dp_friction *f = friction_of(p, block);
    const int first = p->row_start[block], count = directions_of(p, block, directions);
    if (count == 0) {
        return;
    }
    const bool planar = count == 2, second = planar && !is_met(p, block, first + 1);
    const int slip = next->slip++;
    for (int k = 0; k < count; ++k) {
        const double angle = second ? 0.25 * tau : 0.0;
        const int half = k % (count / 2); // opposites to the bit
        const double sign = k < count / 2 ? 1.0 : -1.0;
        const double part[2] = {sign * (second ? 0.0 : cos(tau * half / count + angle)),
                                sign * (planar && !second ? 0.0 : sin(tau * half / count + angle))};
        const int variable = next->along++;
        for (int t = 0; t < 2; ++t) {
            if (part[t] != 0.0) {
                couple(m, p, block, first + 1 + t, variable, part[t]);
                m->q[variable] += part[t] * p->row[first + 1 + t].b_ref;
            }
        }
        *at(m, variable, slip) = 1.0;
        *at(m, slip, variable) = -1.0;
    }
    *at(m, slip, normal) = f->mu[second ? 1 : 0];
}

static void add_rows(const cli_mixed *m, const dp_step_problem *p, const cli_mixed_options *o,
                     int block, next_variable *next)
{
    const int normal = next->normal;
    for (int r = p->row_start[block]; r < p->row_start[block + 1]; ++r) {
        dp_row row = p->row[r];
        row.phi = o->gap[r];
        const row_kind kind = kind_of(p, block, r);
        const bool touches = kind == JOINT || row.phi <= 0.0;
        const bool kept = o->stabilise == CLI_WITH_GAPS || !touches;
        if (kind == SOFT) {
            row.b_ref = row.phi_t;
            add_spring(m, p, block, r, dp_row_soft(&row, p->h));
        } else if (kind == JOINT || kind == NORMAL) {
            const int variable = kind == JOINT ? next->joint++ : next->normal++;
            couple(m, p, block, r, variable, 1.0);
            m->q[variable] = (kept ? row.phi / p->h : 0.0) + row.phi_t;
        }
    }
    add_friction(m, p, block, o->directions, normal, next);
}

bool cli_mixed_build(cli_mixed *m, const dp_step_problem *p, const cli_mixed_options *o)
{
    if (!count(m, p, o->directions) || !make_room(m)) {
        return false;
    }
    fill_masses(m, p);
    next_variable next = {.joint = m->velocities};
    next.normal = next.joint + m->joints;
    next.along = next.normal + m->normals;
    next.slip = next.along + m->along;
    for (int b = 0; b < p->nblock; ++b) {
        add_rows(m, p, o, b, &next);
    }
    return true;
}

dp_status cli_mixed_solve(cli_mixed *m)
{
    const dp_lcp problem = {.n = m->n, .M = m->M, .q = m->q, .lo = m->lo, .hi = m->hi};
    const dp_lcp_solution out = {.z = m->z, .w = m->w};
    return dp_lcp_solve(&out, &problem, NULL, NULL, &m->info);
}
