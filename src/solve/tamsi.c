#include "solve/tamsi.h"

#include "solve/contact/operator.h"

#include "base/interrupt.h"
#include "base/twice.h"
#include "linalg/branch.h"
#include "linalg/dense.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 100, // factorizations, before the searches of coulomb.h take over
    PLAIN_STEPS = 30, // of Newton's method as it is
    HALVINGS = 40,    // of the interval that holds a zero of the power, at most
    DENSE = 32,       // velocities, not of a single tree: up to here H is dense
    WIDE = DENSE + 4, // numbers of its rows
};
// Proximal compliance over mobility of rows that are rigid, or no more compliant than RIGID. The
// least gives all digits at once; after a step that was held back, many rows stand at the ends of
// their ranges, and more of it takes them apart.
static const double RIGID = 1e-11, SHIFT = 1e-8, MORE_SHIFT = 1e-2, LESS_SHIFT = 0.1;
static const double TURNS = 0.25;     // of a slip: a step that leaves less turns it
static const double NEAR = 100.0;     // times the tolerance: what a row may be off to be judged
static const double LEFT = 0.5;       // of the power: what a whole step may leave,
static const double LEFT_OVER = 0.01; // and what a search along it may

// ---- transitions

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

// The share t of ds at which the slip s has turned as far as it may; 1: it does not in a step.
static double share_of_turn(const double s[2], const double ds[2], dp_turn_limit most)
{
    const double sine = s[0] * ds[1] - s[1] * ds[0] < 0.0 ? -most.sine : most.sine;
    const double to[2] = {most.cosine * s[0] - sine * s[1], sine * s[0] + most.cosine * s[1]};
    const double across = ds[0] * to[1] - ds[1] * to[0]; // s + t ds along `to` has none of it
    const double t = (s[1] * to[0] - s[0] * to[1]) / across;
    return t > 0.0 && t < 1.0 ? t : 1.0;
}

double dp_transition_step(const double s[2], const double ds[2], double v_s, dp_turn_limit most)
{
    const double end[2] = {s[0] + ds[0], s[1] + ds[1]};
    const double disc = v_s * v_s, length = dot(ds, ds), along = dot(s, ds);
    if (dot(s, s) <= disc || dot(end, end) <= disc) {
        return 1.0;
    }
    if (along < 0.0 && -along < length) { // the nearest point to rest lies between
        const double t = -along / length;
        const double at[2] = {s[0] + t * ds[0], s[1] + t * ds[1]};
        if (dot(at, at) <= disc) {
            return t;
        }
    }
    const bool turns = dot(s, end) < most.cosine * sqrt(dot(s, s) * dot(end, end));
    return turns ? share_of_turn(s, ds, most) : 1.0;
}

// ---- the one-way scheme

// [N s] What a normal gives at the start of the step, if it stays so.
static double first_push(const dp_coulomb *c, int b, double u)
{
    const dp_row *row = &c->p->row[c->p->row_start[b]];
    const double rate = -(u + row->phi_t), h = c->p->h;
    if (c->block[b].normal) {
        return h * dp_normal_force_at(c->block[b].normal, row->k, -row->phi, rate).force;
    }
    return row->phi < 0.0 ? fmax(h * (-row->k * row->phi - row->b * (u + row->b_ref)), 0.0) : 0.0;
}

// Normals that push as at the start, whatever happens: springs so soft that nothing moves them.
static void freeze_normals(dp_coulomb *c)
{
    const double softest = 1e12, never = -1e30;
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    for (int b = 0; b < c->p->nblock; ++b) {
        const int r = c->p->row_start[b];
        if (c->block[b].ngroup > 0) {
            const double push = first_push(c, b, c->du[r]), R = softest * c->a[r];
            c->soft[r] = (dp_soft){R, push > 0.0 ? R * push : never, (double)INFINITY};
            c->block[b].normal = NULL;
        }
    }
}

// They have their laws again.
static void thaw_normals(dp_coulomb *c)
{
    c->law.frozen = false;
    for (int b = 0; b < c->p->nblock; ++b) {
        c->block[b].normal = c->block[b].ngroup > 0 ? dp_normal_of(c->p, b) : NULL;
    }
}

// ---- the law at given velocities

// The impulse of a row without friction at the velocity u, and −dγ/du. Rigid rows, and dashpots
// that end where the gap does, have a proximal compliance about c->centre.
static double row_impulse(double *C, const dp_coulomb *c, int r, double shift, double u)
{
    const dp_row *row = &c->p->row[r];
    const dp_soft soft = c->soft[r];
    const double least = shift * c->a[r], centre = c->centre[r];
    const bool is_law = soft.R > RIGID * c->a[r] && !(soft.u_stop < soft.u_hat);
    const double E = is_law ? soft.R : soft.R + least;
    double x = (soft.u_hat - u + (is_law ? 0.0 : least * centre)) / E;
    *C = 1.0 / E;
    if (!is_law && centre - (u - soft.u_stop) / least < x) {
        x = centre - (u - soft.u_stop) / least;
        *C = 1.0 / least;
    }
    if (x <= row->lo || x >= row->hi) {
        *C = 0.0;
        return x <= row->lo ? row->lo : row->hi;
    }
    return x;
}

// The slip of a group of friction at the velocities u of its block.
static inline void slip_of(double s[2], const dp_coulomb *c, const dp_friction_group *g, int first,
                           const double *u)
{
    s[0] = u[g->first] - c->soft[first + g->first].u_hat;
    s[1] = g->count == 2 ? u[g->first + 1] - c->soft[first + g->first + 1].u_hat : 0.0;
}

// (TA 1) of a group of friction next to a normal that pushes by x[0]. @param C rows of −dγ/du,
// where C[0] is that of the normal; NULL: not asked for
static inline void friction_impulse(double *x, double *C, const dp_coulomb *c,
                                    const dp_friction_group *g, int first, int nrow,
                                    const double *u, const dp_tamsi_slopes *of)
{
    double s[2];
    slip_of(s, c, g, first, u);
    const double v_s = dp_coulomb_slip_speed(c, first + g->first), square = dot(s, s);
    const bool slips = square > v_s * v_s;
    const double over = 1.0 / (slips ? sqrt(square) : v_s), hold = g->reach * x[0] * over;
    const double m[2] = {s[0] * over, s[1] * over};
    bool along = slips; // is there no slope along the slip?
    DP_ASSERT(g->count == 1 || g->count == 2);
    if (C && slips && of->ahead > 0.0) {
        const double *du = c->du + first + g->first;
        const double ds[2] = {du[0], g->count == 2 ? du[1] : 0.0};
        along = square + of->ahead * dot(s, ds) > TURNS * square;
    }
    for (int k = 0; k < g->count; ++k) {
        const int i = g->first + k;
        x[i] = -g->reach * x[0] * m[k];
        for (int l = 0; C && l < g->count; ++l) {
            C[i * nrow + g->first + l] = hold * ((k == l) - (along ? m[k] * m[l] : 0.0));
        }
        if (C) {
            C[i * nrow] = of->coupled ? -g->reach * m[k] * C[0] : 0.0;
        }
    }
}

// The impulses x of a block at the velocities u of its rows. @param C of its rows, zeros but what
// the law has; NULL: not asked for
static void block_impulses(double *x, double *C, const dp_coulomb *c, int b, const double *u,
                           const dp_tamsi_slopes *of)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
    double slope;
    if (block->ngroup == 0) {
        for (int i = 0; i < nrow; ++i) {
            x[i] = row_impulse(C ? C + i : &slope, c, first + i, of->shift, u[i]);
        }
        return;
    }
    x[0] = block->normal
               ? dp_normal_impulse(&slope, block->normal, &c->p->row[first], c->p->h, u[0])
               : row_impulse(&slope, c, first, of->shift, u[0]);
    if (C) {
        C[0] = slope;
    }
    for (int g = 0; g < block->ngroup; ++g) {
        friction_impulse(x, C, c, &block->group[g], first, nrow, u, of);
    }
}

void dp_tamsi_linearise(dp_coulomb *c, const double *at, const dp_tamsi_slopes *of)
{
    const dp_step_problem *p = c->p;
    c->symmetric = true;
    memset(c->C, 0, c->op.nC * sizeof *c->C);
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b];
        double *C = c->C + c->block[b].C;
        block_impulses(c->q + first, C, c, b, at + first, of);
        c->symmetric = c->symmetric && !(of->coupled && c->block[b].ngroup > 0 && C[0] != 0.0);
    }
}

// ---- the search along a step

// Where Newton's method stands, and a step from there: dv, c->du = G dv, and the impulses at its
// end in c->dx.
typedef struct search {
    dp_coulomb *c;
    double *v, *u;        // nv, nrow: velocities, and those of the rows
    double *dv;           // nv
    double work, inertia; // dxᵀ du, dvᵀ M̃ dv
    dp_tamsi_slopes of;
    int budget; // of c->work.factorizations
    bool solved;
} search;

// P(t) of (TA 4). At the end of a step M̃ (v + dv − v_free) = Gᵀ x, so that rows and dvᵀ M̃ dv do.
static double power_at(const search *s, double t)
{
    const dp_coulomb *c = s->c;
    double power = s->work - (1.0 - t) * s->inertia;
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b], end = c->p->row_start[b + 1];
        double few[2 * DP_CONTACT_ROWS] = {0.0}, *x = few, *u = few + DP_CONTACT_ROWS;
        if (end - first > DP_CONTACT_ROWS) {
            x = c->F + first;
            u = c->trial + first;
        }
        for (int r = first; r < end; ++r) {
            u[r - first] = s->u[r] + t * c->du[r];
        }
        block_impulses(x, NULL, c, b, u, &s->of);
        for (int r = first; r < end; ++r) {
            power -= x[r - first] * c->du[r];
        }
    }
    return power;
}

// What is taken of a step such that no slip passes by the disc or turns further than it may.
static double step_to_transition(const search *s, dp_turn_limit most)
{
    const dp_coulomb *c = s->c;
    double step = 1.0;
    for (int b = 0; b < c->p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = c->p->row_start[b];
        for (int g = 0; c->dx[first] > 0.0 && g < block->ngroup; ++g) {
            const dp_friction_group *group = &block->group[g];
            const double v_s = dp_coulomb_slip_speed(c, first + group->first);
            const double *du = c->du + first + group->first;
            const double ds[2] = {du[0], group->count == 2 ? du[1] : 0.0};
            double from[2];
            slip_of(from, c, group, first, s->u + first);
            step = fmin(step, dp_transition_step(from, ds, v_s, most));
        }
    }
    return step;
}

// The share of a step at which its power is next to 0. @param start, end its power there
static double share_of_balance(const search *s, double start, double end)
{
    double low = 0.0, high = 1.0, t = 1.0, below = start, above = end;
    for (int k = 0; k < HALVINGS; ++k) {
        // Halves and secants take turns: laws have kinks, and slopes of every size.
        t = k % 2 ? 0.5 * (low + high) : low + (high - low) * (below / (below - above));
        const double power = power_at(s, t);
        if (fabs(power) <= LEFT_OVER * fabs(start)) {
            break;
        }
        if (power > 0.0) {
            high = t;
            above = power;
        } else {
            low = t;
            below = power;
        }
    }
    return t;
}

// ---- Newton's method

// What the law says at the end of a step, in c->F. @return its work along the step
static double take_end(const search *s)
{
    const dp_coulomb *c = s->c;
    double work = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        c->trial[r] = s->u[r] + c->du[r];
    }
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b];
        block_impulses(c->F + first, NULL, c, b, c->trial + first, &s->of);
    }
    for (int r = 0; r < c->p->nrow; ++r) {
        work += c->F[r] * c->du[r];
    }
    return work;
}

// Are the impulses of a step so near to what the law says at its end that they are worth judging?
static bool is_near(const dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b], nrow = c->p->row_start[b + 1] - first;
        const int next = c->block[b].ngroup > 0 ? nrow + 1 : 1; // on the diagonal
        const double *C = c->C + c->block[b].C;
        for (int r = first; r < first + nrow; ++r) {
            const double off = c->w[r] * fabs(c->F[r] - c->dx[r]);
            if (!(off <= NEAR * c->tol.solved * fmax(c->w[r] * C[(r - first) * next], 1.0))) {
                return false;
            }
        }
    }
    return true;
}

// Within their ranges and discs, impulses may be the answer.
static void confine(const dp_coulomb *c, double *x)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b];
        for (int r = first; r < c->p->row_start[b + 1]; ++r) {
            x[r] = fmin(fmax(x[r], c->p->row[r].lo), c->p->row[r].hi);
        }
        for (int g = 0; g < c->block[b].ngroup; ++g) {
            const dp_friction_group *group = &c->block[b].group[g];
            double *y = x + first + group->first;
            const double radius = group->reach * x[first];
            const double square = y[0] * y[0] + (group->count == 2 ? y[1] * y[1] : 0.0);
            const double shrink = square > radius * radius ? radius / sqrt(square) : 1.0;
            for (int k = 0; k < group->count; ++k) {
                y[k] *= shrink;
            }
        }
    }
}

// [m/s] How far c->x and c->u of a contact are from its law, no less than the certificate has it:
// laws of normals need not be inverted for that.
static double contact_residual(const dp_coulomb *c, int b)
{
    const dp_coulomb_block *block = &c->block[b];
    const int first = c->p->row_start[b];
    const dp_row *row = &c->p->row[first];
    const double w = c->w[first] > 0.0 ? c->w[first] : 1.0, x = c->x[first], u = c->u[first];
    double worst = c->law.frozen ? 0.0
                   : block->normal
                       ? dp_normal_bound(block->normal, row, c->p->h, w, x, u)
                       : dp_soft_residual(c->soft[first], row->lo, row->hi, c->a[first], x, u);
    worst *= c->len[first];
    for (int g = 0; g < block->ngroup; ++g) {
        const dp_friction_group *group = &block->group[g];
        const int r = first + group->first;
        const double radius = group->reach * x;
        const double R = dp_friction_give(dp_coulomb_slip_speed(c, r), c->w[r], radius);
        double y[2] = {0.0, 0.0}, slack[2];
        slip_of(slack, c, group, first, c->u + first);
        for (int k = 0; k < group->count; ++k) {
            y[k] = c->x[r + k];
            slack[k] += R * y[k];
        }
        worst = dp_worse(worst, dp_disc_residual(y, slack, radius, c->a[r]) * c->len[r]);
    }
    return worst;
}

static double residual_of(const dp_coulomb *c)
{
    double worst = 0.0;
    for (int b = 0; b < c->p->nblock; ++b) {
        if (c->block[b].ngroup > 0) {
            worst = dp_worse(worst, contact_residual(c, b));
            continue;
        }
        for (int r = c->p->row_start[b]; r < c->p->row_start[b + 1]; ++r) {
            const dp_row *row = &c->p->row[r];
            const double own =
                dp_soft_residual(c->soft[r], row->lo, row->hi, c->a[r], c->x[r], c->u[r]);
            worst = dp_worse(worst, own * c->len[r]);
        }
    }
    return worst;
}

// What contacts do at the best point. Other rows are known.
static void take_states(uint8_t *state, const dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        const int first = c->p->row_start[b];
        for (int g = 0; g < c->block[b].ngroup; ++g) {
            const dp_friction_group *group = &c->block[b].group[g];
            const int r = first + group->first;
            const double v_s = dp_coulomb_slip_speed(c, r);
            double s[2];
            slip_of(s, c, group, first, c->best.u + first);
            const bool slips = dot(s, s) > v_s * v_s || !(group->reach > 0.0);
            for (int k = 0; k < group->count; ++k) {
                state[r + k] = !(c->best.x[first] > 0.0) ? DP_ROW_OPEN
                               : slips                   ? DP_ROW_SLIP
                                                         : DP_ROW_STICK;
            }
        }
    }
}

// Do the impulses of the last step, confined, meet the tolerance where they lead?
static bool is_solved(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    memcpy(c->x, c->dx, (size_t)p->nrow * sizeof *c->x);
    confine(c, c->x);
    c->op.use->respond(c, c->v, NULL, c->x);
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] = p->v_free[i] + c->v[i];
    }
    dp_coulomb_row_velocities(c, c->u, c->force);
    const double residual = residual_of(c);
    if (residual < c->best.residual) {
        dp_coulomb_keep(c, c->x, c->u, residual);
    }
    return residual <= c->tol.solved;
}

// force = Jᵀ of what impulses y do to links
static void links_forces(const dp_coulomb *c, double *force, const double *y)
{
    const dp_links *l = c->p->links;
    memset(c->op.wrench, 0, (size_t)l->n * sizeof *c->op.wrench);
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; l->on[b] >= 0 && r < c->p->row_start[b + 1]; ++r) {
            c->op.wrench[l->on[b]] =
                dp_wrench_madd(c->op.wrench[l->on[b]], c->scale[r] * y[r], l->along[r]);
        }
    }
    dp_links_gather(force, l, c->op.wrench);
    for (int b = 0; b < c->p->nblock; ++b) {
        for (int r = c->p->row_start[b]; l->on[b] < 0 && r < c->p->row_start[b + 1]; ++r) {
            force[-1 - l->on[b]] += l->along[r].t.x * (c->scale[r] * y[r]);
        }
    }
}

// ---- few velocities

// H += Gᵀ C G of n rows of a block that C couples with no others. Rows are as wide as those of H:
// no length is left over that registers do not fit.
DP_INLINE void add_rows(double *H, int stride, const dp_coulomb *c, int b, int row, const double *C,
                        int step, const int n)
{
    const dp_step_problem *p = c->p;
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b] + (ptrdiff_t)(row - p->row_start[b]) * ncol;
    double g[DP_CONTACT_ROWS][DENSE], y[DP_CONTACT_ROWS][WIDE];
    for (int i = 0; i < n; ++i) {
        memset(y[i], 0, (size_t)stride * sizeof *y[i]);
        for (int k = 0; k < ncol; ++k) {
            g[i][k] = c->scale[row + i] * G[i * ncol + k];
        }
    }
    for (int k = 0; k < ncol; ++k) {
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) {
                sum += C[i * step + j] * g[j][k];
            }
            y[i][col[k]] = sum;
        }
    }
    for (int l = 0; l < ncol; ++l) {
        double *restrict to = H + col[l] * stride;
        for (int k = 0; k < stride; k += 4) {
            for (int m = k; m < k + 4; ++m) {
                double sum = to[m];
                for (int i = 0; i < n; ++i) {
                    sum += g[i][l] * y[i][m];
                }
                to[m] = sum;
            }
        }
    }
}

DP_INLINE bool eliminate(double *dv, const dp_coulomb *c, const double *force)
{
    const dp_step_problem *p = c->p;
    const int nv = p->nv, stride = (nv + 4) / 4 * 4;
    double H[DENSE * WIDE];
    memset(H, 0, (size_t)(nv * stride) * sizeof *H);
    for (int i = 0; i < nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            H[i * stride + j] = H[j * stride + i] = *M++;
        }
        H[i * stride + nv] = force[i];
    }
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const double *C = c->C + c->block[b].C;
        if (c->block[b].ngroup == 0) {
            for (int i = 0; i < nrow; ++i) {
                if (C[i] != 0.0) {
                    add_rows(H, stride, c, b, first + i, C + i, 1, 1);
                }
            }
        } else if (C[0] != 0.0 && nrow == 3) { // what opens does not rub
            add_rows(H, stride, c, b, first, C, 3, 3);
        } else if (C[0] != 0.0) {
            add_rows(H, stride, c, b, first, C, nrow, nrow);
        }
    }
    return dp_rows_eliminate(dv, H, nv, stride);
}

#ifdef DP_AVX2
DP_AVX2 static bool eliminate_wide(double *dv, const dp_coulomb *c, const double *force)
{
    return eliminate(dv, c, force);
}
#endif

// dv = (M̃ + Gᵀ C G)⁻¹ force, dense. @return false: singular
static bool solve_dense(double *dv, dp_coulomb *c, const double *force)
{
    const size_t nv = (size_t)c->p->nv;
    ++c->work.factorizations;
    if (dp_interrupted(nv * nv * nv)) {
        return false;
    }
#ifdef DP_AVX2
    if (dp_has_avx2()) {
        return eliminate_wide(dv, c, force);
    }
#endif
    return eliminate(dv, c, force);
}

// The step dv = (M̃ + Gᵀ C G)⁻¹ (M̃ (v_free − v) + Gᵀ γ), and x = γ − C G dv. @return false: singular
static bool step_from(search *s, bool coupled)
{
    dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    const dp_branch tree = {p->nv, p->parent, p->Mt_start};
    const bool dense = p->nv <= DENSE && !c->op.one_tree;
    s->of.coupled = coupled;
    dp_tamsi_linearise(c, s->u, &s->of);
    if (!dense && !dp_coulomb_factor(c)) {
        return false;
    }
    for (int i = 0; i < p->nv; ++i) {
        c->v[i] = p->v_free[i] - s->v[i];
    }
    if (c->op.by_links) {
        dp_links_apply(s->dv, p->links, c->v, c->op.motion, c->op.wrench);
        links_forces(c, c->force, c->q);
    } else {
        dp_branch_apply(s->dv, tree, p->Mt, c->v);
        dp_coulomb_forces(c, c->force, c->q);
    }
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] += s->dv[i];
    }
    if (c->op.by_links) {
        memset(c->op.wrench, 0, (size_t)p->links->n * sizeof *c->op.wrench);
        dp_link_factor_solve(s->dv, &c->op.matrix, p->links, c->force, c->op.motion, c->op.wrench);
    } else if (!dense) {
        dp_coulomb_solve_factored(c, s->dv, c->force);
    } else if (!solve_dense(s->dv, c, c->force)) {
        return false;
    }
    dp_coulomb_row_velocities(c, c->du, s->dv);
    s->work = 0.0;
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const double *C = c->C + c->block[b].C, *du = c->du + first;
        for (int i = 0; i < nrow; ++i) {
            double give = c->block[b].ngroup > 0 ? 0.0 : C[i] * du[i];
            for (int j = 0; c->block[b].ngroup > 0 && j < nrow; ++j) {
                give += C[i * nrow + j] * du[j];
            }
            c->dx[first + i] = c->q[first + i] - give;
            s->work += c->dx[first + i] * du[i];
        }
    }
    return true;
}

// dvᵀ M̃ dv of the step
static double inertia_of(const search *s)
{
    const dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    const dp_branch tree = {p->nv, p->parent, p->Mt_start};
    return c->op.by_links ? dp_links_square(p->links, s->dv, c->op.motion)
                          : dp_branch_square(tree, p->Mt, s->dv, 0, p->nv);
}

// The power at the start of a step.
static double start_of(search *s)
{
    const dp_coulomb *c = s->c;
    double work = 0.0; // of the impulses there
    for (int r = 0; r < c->p->nrow; ++r) {
        work += c->q[r] * c->du[r];
    }
    s->inertia = inertia_of(s);
    return s->work - s->inertia - work;
}

// A step, and the share of it that is taken. @return 0: there is none
static double find_step(search *s, bool held_back, dp_turn_limit most)
{
    if (!step_from(s, true)) {
        return 0.0;
    }
    double end = s->work - take_end(s);
    s->solved = is_near(s->c) && is_solved(s->c);
    if (s->solved || !held_back) {
        return 1.0;
    }
    double start = start_of(s);
    if (!(start < 0.0) && s->c->work.factorizations < s->budget) {
        // Uphill: with friction that stays as it is, it leads down.
        if (!step_from(s, false)) {
            return 0.0;
        }
        end = s->work - take_end(s);
        start = start_of(s);
    }
    return start < 0.0 && end > LEFT * -start ? share_of_balance(s, start, end)
                                              : step_to_transition(s, most);
}

// From the velocities at the start of the step. @return whether it met the tolerance
static bool solve_by_newton(search *s, bool held_back, dp_turn_limit most)
{
    dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    memcpy(s->v, p->v0, (size_t)p->nv * sizeof *s->v);
    dp_coulomb_row_velocities(c, s->u, s->v);
    while (c->work.factorizations < s->budget && !dp_coulomb_is_interrupted(c)) {
        ++c->work.iterations;
        const double step = find_step(s, held_back, most);
        if (s->solved) {
            return true;
        }
        double largest = 0.0;
        for (int r = 0; r < p->nrow; ++r) {
            s->u[r] += step * c->du[r];
            c->centre[r] = step < 1.0 ? c->centre[r] + step * (c->dx[r] - c->centre[r]) : c->dx[r];
            largest = fmax(largest, fabs(s->u[r]));
        }
        for (int i = 0; i < p->nv; ++i) {
            s->v[i] += step * s->dv[i];
        }
        s->of.ahead = 1.0 - step;
        s->of.shift =
            step < 1.0 ? fmax(s->of.shift, MORE_SHIFT) : fmax(s->of.shift * LESS_SHIFT, SHIFT);
        if (!(step > 0.0) || !(largest < DP_COULOMB_HUGE)) {
            return false;
        }
    }
    return is_solved(c);
}

// What rows ask for, and the impulses that proximal terms begin with.
static void begin(dp_coulomb *c, const double *warm, double tolerance)
{
    c->work.iterations = c->work.factorizations = c->work.spared = 0;
    c->gs.by_points = c->found.unbounded = c->found.wedged = false;
    c->found.inconsistent = 0.0;
    c->tol.solved = c->tol.strict = tolerance;
    c->best.residual = (double)INFINITY; // of no impulses, until there are some
    memset(c->best.x, 0, (size_t)c->p->nrow * sizeof *c->best.x);
    memset(c->best.u, 0, (size_t)c->p->nrow * sizeof *c->best.u);
    memset(c->best.v, 0, (size_t)c->p->nv * sizeof *c->best.v);
    c->best.v_known = true;
    if (c->p->normal) { // tangents of their laws look at them
        dp_coulomb_row_velocities(c, c->u_free, c->p->v_free);
    }
    dp_coulomb_take_targets(c);
    for (int r = 0; r < c->p->nrow; ++r) {
        c->centre[r] = warm && c->scale[r] > 0.0 ? warm[r] / c->scale[r] : 0.0;
    }
}

void dp_tamsi_solve(dp_step_solution *out, dp_coulomb *c, double *room, const double *warm,
                    const dp_law_options *opt, dp_solve_info *info)
{
    dp_law_options own = *opt;
    own.tolerance = dp_tamsi_tolerance(opt);
    const bool one_way = opt->tamsi_scheme == DP_TAMSI_ONE_WAY;
    const bool plain = opt->tamsi_search == DP_TAMSI_PLAIN;
    if (c->law.frozen) {
        thaw_normals(c);
    }
    begin(c, warm, own.tolerance);
    c->law.frozen = one_way;
    if (one_way) {
        freeze_normals(c);
    }
    dp_turn_limit most;
    dp_sincos(&most.sine, &most.cosine, opt->slip_turn);
    const int steps = plain ? PLAIN_STEPS : MOST_STEPS;
    search s = {.c = c,
                .v = room,
                .u = c->u_trial,
                .dv = room + c->p->nv,
                .of = {.shift = SHIFT},
                .budget = steps < opt->max_factorizations ? steps : opt->max_factorizations};
    const bool solved = solve_by_newton(&s, !plain, most);
    if (solved || one_way || plain || c->work.factorizations >= opt->max_factorizations) {
        dp_coulomb_conclude(out, c, solved, info);
        take_states(out->state, c);
        return;
    }
    const int iterations = c->work.iterations, factorizations = c->work.factorizations;
    own.max_factorizations = opt->max_factorizations - factorizations;
    dp_coulomb_solve(out, c, warm, &own, info);
    info->iterations += iterations;
    info->factorizations += factorizations;
}
