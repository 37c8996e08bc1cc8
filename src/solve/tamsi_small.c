#include "solve/tamsi_small.h"

#include "base/interrupt.h"
#include "base/twice.h"
#include "linalg/branch.h"
#include "linalg/dense.h"
#include "math/angle.h"
#include "math/pair2.h"
#include "solve/rows/compliant.h"
#include "solve/small_run.h"
#include "solve/tamsi.h"

#include <math.h>
#include <string.h>

enum { NORMAL = DP_SMALL_NORMAL, ALONG, ACROSS, ROWS };
enum { FEW_STEPS = 10 }; // beyond, every point is judged that is one

struct dp_small_row {
    int block, row, ncol;
    const int *col;
    const double *g;
    dp_soft soft;
    double w, a;
    double x, u, du;
    dp_row_slope at;
};

// ---- memory

static bool is_contact(const dp_step_problem *p, int b)
{
    return p->friction_of && p->friction_of[b] >= 0;
}

bool dp_tamsi_is_small(const dp_step_problem *p)
{
    if (p->nv > DP_SMALL_MOST || p->nv == 0 || p->links) {
        return false;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const bool moves = p->col_start[b + 1] > p->col_start[b];
        if (is_contact(p, b) && (p->row_start[b + 1] - p->row_start[b] != ROWS || !moves)) {
            return false;
        }
    }
    return true;
}

size_t dp_tamsi_small_memory(const dp_step_size *max)
{
    const size_t nblock = (size_t)max->nblock, nrow = (size_t)max->nrow;
    return dp_arena_bytes(nblock, sizeof(dp_small_run)) +
           dp_arena_bytes(nblock, sizeof(dp_small_contact)) +
           dp_arena_bytes(nrow, sizeof(dp_small_row)) +
           dp_arena_bytes(max->nG + 4 * nrow, sizeof(double)) + // with a column more, and widths
           dp_arena_bytes(max->nMt, sizeof(double));
}

// Does a block meet all velocities but one at most? Then it has a column for each.
static bool meets_all(const dp_step_problem *p, int b)
{
    return p->col_start[b + 1] - p->col_start[b] + 1 >= p->nv;
}

// Have two blocks the same columns?
static bool are_alike(const dp_step_problem *p, int a, int b)
{
    const int n = p->col_start[a + 1] - p->col_start[a];
    return (meets_all(p, a) && meets_all(p, b)) ||
           (n == p->col_start[b + 1] - p->col_start[b] &&
            memcmp(p->col + p->col_start[a], p->col + p->col_start[b],
                   (size_t)n * sizeof *p->col) == 0);
}

static int columns_of(const dp_step_problem *p, int b)
{
    return meets_all(p, b) ? p->nv : p->col_start[b + 1] - p->col_start[b];
}

static void lay_out(dp_tamsi_small *s)
{
    const dp_step_problem *p = s->p;
    double *G = s->G;
    int last = -1; // contact before
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        if (!is_contact(p, b)) {
            for (int i = 0; i < nrow; ++i) {
                s->row[s->nrow++] =
                    (dp_small_row){.block = b, .row = first + i, .ncol = ncol, .col = col};
            }
            continue;
        }
        if (last < 0 || !are_alike(p, last, b)) {
            const int n = columns_of(p, b);
            s->run[s->nrun++] = (dp_small_run){.first = s->ncontact,
                                               .ncol = n,
                                               .width = dp_small_run_width(n),
                                               .col = meets_all(p, b) ? NULL : col,
                                               .G = G};
        }
        dp_small_run *run = &s->run[s->nrun - 1];
        ++run->count;
        G += ROWS * run->width;
        int missing = 0;
        while (missing < ncol && (run->col || col[missing] == missing)) {
            ++missing;
        }
        s->contact[s->ncontact++] =
            (dp_small_contact){.block = b, .row = first, .missing = missing};
        last = b;
    }
}

dp_status dp_tamsi_small_begin(dp_tamsi_small *s, const dp_step_problem *p, dp_arena *scratch)
{
    *s = (dp_tamsi_small){.p = p};
    size_t ncontact = 0, nrow = 0, nG = 0;
    for (int b = 0; b < p->nblock; ++b) {
        if (is_contact(p, b)) {
            ++ncontact;
            nG += (size_t)(ROWS * dp_small_run_width(columns_of(p, b)));
        } else {
            nrow += (size_t)(p->row_start[b + 1] - p->row_start[b]);
        }
    }
    DP_TRY(dp_arena_take(&s->run, scratch, ncontact, sizeof *s->run));
    DP_TRY(dp_arena_take(&s->contact, scratch, ncontact, sizeof *s->contact));
    DP_TRY(dp_arena_take(&s->row, scratch, nrow, sizeof *s->row));
    DP_TRY(dp_arena_take(&s->G, scratch, nG, sizeof *s->G));
    DP_TRY(dp_arena_take(&s->LD, scratch, p->Mt_start[p->nv], sizeof *s->LD));
    memset(s->G, 0, nG * sizeof *s->G);
    lay_out(s);
    dp_tamsi_small_restart(s);
    return DP_OK;
}

// ---- products with the rows

static double rate_of(const dp_small_row *row, const double *v)
{
    double u = 0.0;
    for (int k = 0; k < row->ncol; ++k) {
        u += row->g[k] * v[row->col[k]];
    }
    return u;
}

// du = G v of all rows
static void take_rates(dp_tamsi_small *s, const double *v)
{
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        dp_small_run_rates(s->contact + run->first, run, v);
    }
    for (int i = 0; i < s->nrow; ++i) {
        s->row[i].du = rate_of(&s->row[i], v);
    }
}

// force += Gᵀ push of all contacts
static void add_forces(double *force, const dp_tamsi_small *s)
{
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        dp_small_run_push(force, s->contact + run->first, run);
    }
}

// ---- numbers

// The factors of M̃, NULL where it has none.
static const double *factor_mass(dp_tamsi_small *s)
{
    const dp_step_problem *p = s->p;
    if (p->LD) {
        return p->LD;
    }
    const dp_branch at = {p->nv, p->parent, p->Mt_start};
    memcpy(s->LD, p->Mt, p->Mt_start[p->nv] * sizeof *s->LD);
    return dp_branch_factor(s->LD, at) < 0 ? s->LD : NULL;
}

// @param last with the same friction, NULL: another
static void take_friction(dp_small_contact *c, const dp_small_contact *last,
                          const dp_step_problem *p)
{
    if (last) {
        c->law = last->law;
        c->reach = last->reach;
        memcpy(c->scale, last->scale, sizeof c->scale);
        return;
    }
    dp_friction_group group[DP_CONTACT_GROUPS];
    (void)dp_friction_groups(group, &p->friction[p->friction_of[c->block]], ROWS);
    c->law = dp_normal_of(p, c->block);
    c->reach = group[0].reach;
    c->scale[NORMAL] = 1.0;
    c->scale[ALONG] = group[0].scale[0];
    c->scale[ACROSS] = group[0].scale[1];
}

// w = g M̃⁻¹ gᵀ
static double mobility_of(const dp_tamsi_small *s, const dp_small_row *row)
{
    const dp_step_problem *p = s->p;
    double y[DP_SMALL_MOST];
    memset(y, 0, (size_t)p->nv * sizeof *y);
    for (int k = 0; k < row->ncol; ++k) {
        y[row->col[k]] = row->g[k];
    }
    int first = 0, t = 0; // of its trees, mostly one
    while (p->tree_start[t + 1] <= row->col[0]) {
        first = p->tree_start[++t];
    }
    while (p->tree_start[t + 1] <= row->col[row->ncol - 1]) {
        ++t;
    }
    dp_branch_solve_part(y, (dp_branch){p->nv, p->parent, p->Mt_start}, s->M, first,
                         p->tree_start[t + 1]);
    return rate_of(row, y);
}

void dp_tamsi_small_restart(dp_tamsi_small *s)
{
    const dp_step_problem *p = s->p;
    s->M = factor_mass(s);
    if (!s->M) {
        return;
    }
    double inverse[DP_SMALL_MOST];
    for (int k = 0; k < p->nv; ++k) {
        inverse[k] = 1.0 / p->Mt[p->Mt_start[k]];
    }
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        dp_small_contact *c = s->contact + run->first;
        for (int i = 0; i < run->count; ++i) {
            const bool as_before =
                i > 0 && p->friction_of[c[i].block] == p->friction_of[c[i - 1].block];
            take_friction(&c[i], as_before ? &c[i - 1] : NULL, p);
        }
        dp_small_run_take(c, run, p, inverse);
    }
    for (int i = 0; i < s->nrow; ++i) {
        dp_small_row *row = &s->row[i];
        const int within = row->row - p->row_start[row->block];
        row->g = p->G + p->G_start[row->block] + (size_t)(within * row->ncol);
        row->w = mobility_of(s, row);
    }
}

static double positive(double a)
{
    return a > 0.0 ? a : 1.0;
}

// What rows ask for, and impulses to begin with.
DP_INLINE void aim(dp_tamsi_small *s, const double *warm, double slip_speed)
{
    const dp_step_problem *p = s->p;
    for (int i = 0; i < s->ncontact; ++i) {
        dp_small_contact *c = &s->contact[i];
        const dp_row *row = &p->row[c->row];
        if (!c->law) {
            c->soft = dp_row_soft(row, p->h);
            c->a = positive(c->w[NORMAL] + c->soft.R);
            c->x[NORMAL] = warm ? warm[c->row] : 0.0;
        }
        c->len = row->len;
        c->slip_speed = slip_speed / row[ALONG].len;
        for (int k = ALONG; k < ROWS; ++k) { // a dashpot without end, mostly
            const bool rigid = row[k].b == (double)INFINITY && row[k].k < (double)INFINITY;
            c->rest[k] = (rigid ? -row[k].b_ref : dp_row_soft(&row[k], p->h).u_hat) * c->scale[k];
        }
    }
    for (int i = 0; i < s->nrow; ++i) {
        dp_small_row *row = &s->row[i];
        row->soft = dp_row_soft(&p->row[row->row], p->h);
        row->a = positive(row->w + row->soft.R);
        row->x = warm ? warm[row->row] : 0.0;
    }
}

// ---- the law

DP_INLINE void take_contact_law(dp_small_contact *c, const dp_row *row, double h)
{
    double normal, rubs;
    if (c->law) {
        normal = rubs = dp_normal_impulse(&c->c, c->law, row, h, c->u[NORMAL]);
    } else {
        const dp_row_slope at = dp_tamsi_row_slope(row, c->soft, c->a, c->x[NORMAL], c->u[NORMAL]);
        normal = c->x[NORMAL] + at.q;
        rubs = at.spring ? normal : c->x[NORMAL];
        c->c = at.C;
    }
    const double slip[2] = {c->u[ALONG] - c->rest[ALONG], c->u[ACROSS] - c->rest[ACROSS]};
    const double square = slip[0] * slip[0] + slip[1] * slip[1];
    c->slips = square > c->slip_speed * c->slip_speed;
    const double over = 1.0 / (c->slips ? sqrt(square) : c->slip_speed);
    c->m[0] = slip[0] * over;
    c->m[1] = slip[1] * over;
    c->hold = rubs > 0.0 && c->c != 0.0 ? c->reach * rubs * over : 0.0; // what opens does not rub
    c->push[NORMAL] = normal;
    c->push[ALONG] = -c->reach * normal * c->m[0];
    c->push[ACROSS] = -c->reach * normal * c->m[1];
}

// Are the impulses at hand, which a step took a contact to, as near to what its law says there as a
// velocity of `most` makes? So much is known before they are confined and judged.
DP_INLINE bool is_contact_near(const dp_small_contact *c, double most)
{
    const double normal = fabs(c->push[NORMAL] - c->x[NORMAL]);
    const double along = c->push[ALONG] - c->x[ALONG], across = c->push[ACROSS] - c->x[ACROSS];
    const double square = along * along + across * across, hold = most * c->hold;
    const double w = c->w[ALONG] > c->w[ACROSS] ? c->w[ALONG] : c->w[ACROSS];
    return (c->c > 0.0 ? normal <= most * c->c : c->w[NORMAL] * normal <= most) &&
           (c->slips || c->hold == 0.0 ? w * w * square <= most * most : square <= hold * hold);
}

static bool is_row_near(const dp_small_row *row, double most)
{
    const double off = fabs(row->at.q);
    return row->at.C > 0.0 ? off <= most * row->at.C : row->w * off <= most;
}

static void take_row_law(dp_small_row *row, const dp_step_problem *p)
{
    row->at = dp_tamsi_row_slope(&p->row[row->row], row->soft, row->a, row->x, row->u);
}

// The laws at the velocities of the rows.
static void take_laws(dp_tamsi_small *s)
{
    const dp_step_problem *p = s->p;
    for (int i = 0; i < s->ncontact; ++i) {
        take_contact_law(&s->contact[i], &p->row[s->contact[i].row], p->h);
    }
    for (int i = 0; i < s->nrow; ++i) {
        take_row_law(&s->row[i], p);
    }
}

// ---- the Newton step

static void add_runs(double *H, int stride, const dp_tamsi_small *s)
{
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        const dp_small_contact *c = s->contact + run->first;
        const int ncol = run->ncol, width = run->width;
        if (!run->col) {
            dp_small_run_add(H, stride, c, run);
            continue;
        }
        double K[DP_SMALL_MOST * DP_SMALL_MOST];
        memset(K, 0, (size_t)(ncol * width) * sizeof *K);
        dp_small_run_add(K, width, c, run);
        for (int k = 0; k < ncol; ++k) {
            double *row = H + run->col[k] * stride;
            for (int l = 0; l < ncol; ++l) {
                row[run->col[l]] += K[k * width + l];
            }
        }
    }
}

// (TS 1), the right side as the last column. @param M dense, rows as far apart, zeros behind
DP_INLINE void assemble(double *H, int stride, const dp_tamsi_small *s, const double *M,
                        const double *v)
{
    const dp_step_problem *p = s->p;
    const int nv = p->nv;
    double force[DP_SMALL_MOST + 2];
    memcpy(H, M, (size_t)(nv * stride) * sizeof *H);
    for (int k = 0; k < nv; k += 2) { // rows of M are its columns
        dp_pair2 sum = dp_pair2_zero();
        for (int l = 0; l < nv; ++l) {
            sum = dp_pair2_madd(sum, dp_pair2_load(M + l * stride + k),
                                dp_pair2_both(p->v_free[l] - v[l]));
        }
        dp_pair2_store(force + k, sum);
    }
    add_runs(H, stride, s);
    add_forces(force, s);
    for (int i = 0; i < s->nrow; ++i) {
        const dp_small_row *row = &s->row[i];
        for (int k = 0; k < row->ncol; ++k) {
            const double g = row->g[k], by = row->at.C * g;
            force[row->col[k]] += g * (row->x + row->at.q);
            for (int l = 0; l < row->ncol; ++l) {
                H[row->col[k] * stride + row->col[l]] += by * row->g[l];
            }
        }
    }
    for (int k = 0; k < nv; ++k) {
        H[k * stride + nv] = force[k];
    }
}

// The share of a step that is taken.
DP_INLINE double look_ahead(const dp_tamsi_small *s, dp_turn_limit most)
{
    double step = 1.0;
    for (int i = 0; i < s->ncontact; ++i) {
        const dp_small_contact *c = &s->contact[i];
        if (c->slips && c->push[NORMAL] - c->c * c->du[NORMAL] > 0.0) {
            const double slip[2] = {c->u[ALONG] - c->rest[ALONG], c->u[ACROSS] - c->rest[ACROSS]};
            const double *ds = c->du + ALONG;
            if (dp_transition_is_far(ds[0] * ds[0] + ds[1] * ds[1],
                                     slip[0] * slip[0] + slip[1] * slip[1], c->slip_speed, most)) {
                continue;
            }
            const double own = dp_transition_step(slip, ds, c->slip_speed, most);
            step = own < step ? own : step;
        }
    }
    return step;
}

// A contact goes a share of a step, with the impulses of the linear law.
DP_INLINE void move_contact(dp_small_contact *c, double share)
{
    const double *du = c->du, give = c->c * du[NORMAL];
    const double along = c->slips ? c->m[0] * du[ALONG] + c->m[1] * du[ACROSS] : 0.0;
    const double to[ROWS] = {
        c->push[NORMAL] - give,
        c->push[ALONG] + c->reach * c->m[0] * give - c->hold * (du[ALONG] - along * c->m[0]),
        c->push[ACROSS] + c->reach * c->m[1] * give - c->hold * (du[ACROSS] - along * c->m[1])};
    for (int k = 0; k < ROWS; ++k) {
        c->x[k] = share < 1.0 ? c->x[k] + share * (to[k] - c->x[k]) : to[k];
        c->u[k] += share * du[k];
    }
}

// All of them do, and laws are taken where they arrive. @return whether the impulses are near to
// what these say
DP_INLINE bool advance(dp_tamsi_small *s, double share, double most)
{
    const dp_step_problem *p = s->p;
    bool near = true;
    for (int i = 0; i < s->ncontact; ++i) {
        dp_small_contact *c = &s->contact[i];
        move_contact(c, share);
        take_contact_law(c, &p->row[c->row], p->h);
        near = near && is_contact_near(c, most);
    }
    for (int i = 0; i < s->nrow; ++i) {
        dp_small_row *row = &s->row[i];
        row->x += share * (row->at.q - row->at.C * row->du);
        row->u += share * row->du;
        take_row_law(row, p);
        near = near && is_row_near(row, most);
    }
    return near;
}

// ---- the end

// Within their ranges and discs, impulses may be the answer.
DP_INLINE void confine(double x[ROWS], const dp_small_contact *c)
{
    x[NORMAL] = c->x[NORMAL] > 0.0 ? c->x[NORMAL] : 0.0;
    const double radius = c->reach * x[NORMAL];
    const double square = c->x[ALONG] * c->x[ALONG] + c->x[ACROSS] * c->x[ACROSS];
    const double shrink = square > radius * radius ? radius / sqrt(square) : 1.0;
    x[ALONG] = shrink * c->x[ALONG];
    x[ACROSS] = shrink * c->x[ACROSS];
}

// [m/s] How far a contact is from its law, as the certificate has it.
DP_INLINE double judge(const dp_small_contact *c, const dp_row *row, double h, const double *x,
                       const double *u)
{
    const double w = c->w[NORMAL], across = 0.5 * (c->w[ALONG] + c->w[ACROSS]);
    const double normal =
        c->law ? dp_normal_bound(c->law, row, h, positive(w), x[NORMAL], u[NORMAL])
               : dp_soft_residual(c->soft, 0.0, (double)INFINITY, c->a, x[NORMAL], u[NORMAL]);
    const double radius = c->reach * x[NORMAL];
    const double R = dp_friction_give(c->slip_speed, c->w[ALONG], radius);
    const double slack[2] = {u[ALONG] - c->rest[ALONG] + R * x[ALONG],
                             u[ACROSS] - c->rest[ACROSS] + R * x[ACROSS]};
    const double friction = dp_disc_residual(x + ALONG, slack, radius, positive(across));
    return dp_worse(normal * c->len, friction);
}

DP_INLINE void tell_contact(dp_step_solution *out, const dp_small_contact *c, const double *x,
                            const double *u)
{
    const double slip[2] = {u[ALONG] - c->rest[ALONG], u[ACROSS] - c->rest[ACROSS]};
    const bool slips = slip[0] * slip[0] + slip[1] * slip[1] > c->slip_speed * c->slip_speed;
    const bool pushes = x[NORMAL] > 0.0;
    for (int k = 0; k < ROWS; ++k) {
        out->gamma[c->row + k] = c->scale[k] * x[k];
        out->state[c->row + k] = !pushes                      ? DP_ROW_OPEN
                                 : k == NORMAL                ? DP_ROW_ACTIVE
                                 : slips || !(c->reach > 0.0) ? DP_ROW_SLIP
                                                              : DP_ROW_STICK;
    }
}

static dp_row_state state_of(const dp_row *row, double x)
{
    return x <= row->lo   ? (dp_row_is_one_sided(row) ? DP_ROW_OPEN : DP_ROW_AT_LO)
           : x >= row->hi ? DP_ROW_AT_HI
                          : DP_ROW_ACTIVE;
}

// The impulses at hand as an answer, with the velocities that they make. @return its residual
DP_INLINE double conclude(dp_step_solution *out, dp_tamsi_small *s)
{
    const dp_step_problem *p = s->p;
    double worst = 0.0;
    for (int i = 0; i < s->ncontact; ++i) {
        confine(s->contact[i].push, &s->contact[i]);
    }
    memset(out->v, 0, (size_t)p->nv * sizeof *out->v);
    add_forces(out->v, s);
    for (int i = 0; i < s->nrow; ++i) {
        const dp_small_row *row = &s->row[i];
        const dp_row *law = &p->row[row->row];
        const double x = fmin(fmax(row->x, law->lo), law->hi);
        out->gamma[row->row] = x;
        for (int k = 0; k < row->ncol; ++k) {
            out->v[row->col[k]] += row->g[k] * x;
        }
    }
    dp_branch_solve(out->v, (dp_branch){p->nv, p->parent, p->Mt_start}, s->M, out->v);
    for (int k = 0; k < p->nv; ++k) {
        out->v[k] += p->v_free[k];
    }
    take_rates(s, out->v);
    for (int i = 0; i < s->ncontact; ++i) {
        const dp_small_contact *c = &s->contact[i];
        worst = dp_worse(worst, judge(c, &p->row[c->row], p->h, c->push, c->du));
        tell_contact(out, c, c->push, c->du);
    }
    for (int i = 0; i < s->nrow; ++i) {
        const dp_small_row *row = &s->row[i];
        const dp_row *law = &p->row[row->row];
        const double x = out->gamma[row->row];
        worst = dp_worse(worst, dp_soft_residual(row->soft, law->lo, law->hi, row->a, x, row->du) *
                                    law->len);
        out->state[row->row] = (uint8_t)state_of(law, x);
    }
    return worst;
}

static void start_at(dp_tamsi_small *s, const double *v)
{
    take_rates(s, v);
    for (int i = 0; i < s->ncontact; ++i) {
        memcpy(s->contact[i].u, s->contact[i].du, sizeof s->contact[i].u);
    }
    for (int i = 0; i < s->nrow; ++i) {
        s->row[i].u = s->row[i].du;
    }
}

// v += share dv. @return whether it is still a motion
static bool move(double *v, const double *dv, double share, int nv)
{
    double largest = 0.0;
    for (int k = 0; k < nv; ++k) {
        v[k] += share * dv[k];
        largest = dp_worse(largest, fabs(v[k]));
    }
    return largest < DP_COULOMB_HUGE;
}

// M̃ dense, zeros behind its rows
static void expand_mass(double *M, int stride, const dp_step_problem *p)
{
    memset(M, 0, (size_t)(p->nv * stride) * sizeof *M);
    for (int i = 0; i < p->nv; ++i) {
        const double *from = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            M[i * stride + j] = M[j * stride + i] = *from++;
        }
    }
}

DP_INLINE bool solve(dp_step_solution *out, dp_tamsi_small *s, const double *warm,
                     const dp_law_options *opt, dp_solve_info *info)
{
    const int nv = s->p->nv, stride = dp_small_run_width(nv + 1);
    const double tolerance = dp_tamsi_tolerance(opt);
    const bool held_back = opt->tamsi_search == DP_TAMSI_TRANSITION;
    double M[DP_SMALL_MOST * (DP_SMALL_MOST + 4)], H[DP_SMALL_MOST * (DP_SMALL_MOST + 4)];
    double v[DP_SMALL_MOST], dv[DP_SMALL_MOST];
    dp_turn_limit most;
    dp_sincos(&most.sine, &most.cosine, opt->slip_turn);
    *info = (dp_solve_info){.outcome = DP_CAPPED, .islands = 1};
    if (!s->M) {
        return false;
    }
    expand_mass(M, stride, s->p);
    aim(s, warm, opt->slip_speed);
    memcpy(v, s->p->v0, (size_t)nv * sizeof *v);
    start_at(s, v);
    take_laws(s);
    while (info->iterations < DP_TAMSI_STEPS &&
           !dp_interrupted((size_t)nv * (size_t)nv * (size_t)(nv + s->p->nrow))) {
        assemble(H, stride, s, M, v);
        if (!dp_rows_eliminate(dv, H, nv, stride)) {
            return false;
        }
        info->factorizations = ++info->iterations;
        take_rates(s, dv);
        const double share = held_back ? look_ahead(s, most) : 1.0;
        const bool near = advance(s, share, 2.0 * tolerance) || info->iterations > FEW_STEPS;
        if (!move(v, dv, share, nv)) {
            return false;
        }
        if (share == 1.0 && near) {
            info->residual = conclude(out, s);
            if (info->residual <= tolerance) {
                info->outcome = DP_CONVERGED;
                return true;
            }
            take_laws(s); // `push` was confined
        }
    }
    return false;
}

#ifdef DP_AVX2
DP_AVX2 static bool solve_wide(dp_step_solution *out, dp_tamsi_small *s, const double *warm,
                               const dp_law_options *opt, dp_solve_info *info)
{
    return solve(out, s, warm, opt, info);
}
#endif

bool dp_tamsi_small_solve(dp_step_solution *out, dp_tamsi_small *s, const double *warm,
                          const dp_law_options *opt, dp_solve_info *info)
{
#ifdef DP_AVX2
    if (dp_has_avx2()) {
        return solve_wide(out, s, warm, opt, info);
    }
#endif
    return solve(out, s, warm, opt, info);
}
