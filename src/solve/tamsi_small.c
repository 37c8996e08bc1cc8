#include "solve/tamsi_small.h"

#include "linalg/branch.h"
#include "linalg/dense.h"
#include "math/angle.h"
#include "math/pair2.h"
#include "solve/compliant.h"
#include "solve/tamsi.h"

#include <math.h>
#include <string.h>

enum { NORMAL, ALONG, ACROSS, ROWS }; // of a contact
enum { FEW_STEPS = 10 };              // beyond, every point is judged that is one

struct dp_small_contact {
    int block, row;       // and its first
    int missing;          // the column of its run that it does not meet, or the end of its own
    const dp_normal *law; // NULL: that of the row
    dp_soft soft;         // then
    double a;             // and its mobility with that
    double reach, slip_speed;
    double scale[ROWS], w[ROWS];
    double rest[ROWS]; // tangents: what the slip is counted from
    double len;
    double x[ROWS]; // impulses of the last step
    double u[ROWS], du[ROWS];
    // The law at u:
    double push[ROWS];
    double c;    // −dN/du
    double m[2]; // m(s) of (TA 1)
    double hold; // reach γ_n/max(v_s, |s|)
    bool slips;
};

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

bool dp_tamsi_is_small(const dp_step_problem *p, const dp_law_options *opt)
{
    if (!dp_law_is_regularised(opt->law) || p->nv > DP_SMALL_MOST || p->nv == 0 || p->links) {
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
           dp_arena_bytes(max->nG + 2 * nrow, sizeof(double)) + // widths are even
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
                                               .width = n + n % 2,
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
            const int ncol = columns_of(p, b);
            ++ncontact;
            nG += (size_t)(ROWS * (ncol + ncol % 2));
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

// ---- products with the rows of a contact, `width` apart
//
// Most runs have one of a few widths: loops of a length that the compiler knows.

static void gather(double *out, const dp_small_run *run, const double *v)
{
    out[run->width - 1] = 0.0;
    for (int k = 0; k < run->ncol; ++k) {
        out[k] = run->col ? v[run->col[k]] : v[k];
    }
}

static double rate_of(const dp_small_row *row, const double *v)
{
    double u = 0.0;
    for (int k = 0; k < row->ncol; ++k) {
        u += row->g[k] * v[row->col[k]];
    }
    return u;
}

static inline void rates_of_run(dp_small_contact *c, const dp_small_run *run, const int width,
                                const double *v)
{
    const double *G = run->G;
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        dp_pair2 n = dp_pair2_zero(), t1 = n, t2 = n;
        for (int k = 0; k < width; k += 2) {
            const dp_pair2 v_k = dp_pair2_load(v + k);
            n = dp_pair2_madd(n, dp_pair2_load(G + k), v_k);
            t1 = dp_pair2_madd(t1, dp_pair2_load(G + width + k), v_k);
            t2 = dp_pair2_madd(t2, dp_pair2_load(G + 2 * width + k), v_k);
        }
        c->du[NORMAL] = dp_pair2_sum(n);
        c->du[ALONG] = dp_pair2_sum(t1);
        c->du[ACROSS] = dp_pair2_sum(t2);
    }
}

// du = G v of all rows
static void take_rates(dp_tamsi_small *s, const double *v)
{
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        dp_small_contact *c = s->contact + run->first;
        double own[DP_SMALL_MOST];
        gather(own, run, v);
        switch (run->width) {
        case 6:
            rates_of_run(c, run, 6, own);
            break;
        case 8:
            rates_of_run(c, run, 8, own);
            break;
        case 10:
            rates_of_run(c, run, 10, own);
            break;
        default:
            rates_of_run(c, run, run->width, own);
        }
    }
    for (int i = 0; i < s->nrow; ++i) {
        s->row[i].du = rate_of(&s->row[i], v);
    }
}

// Σ Gᵀ push of the contacts of a run
static inline void push_run(double *force, const dp_small_contact *c, const dp_small_run *run,
                            const int width)
{
    const double *G = run->G;
    dp_pair2 sum[DP_SMALL_MOST / 2];
    for (int k = 0; k < width / 2; ++k) {
        sum[k] = dp_pair2_zero();
    }
    for (int i = 0; i < run->count; ++i, ++c, G += ROWS * width) {
        const dp_pair2 n = dp_pair2_both(c->push[NORMAL]), t1 = dp_pair2_both(c->push[ALONG]),
                       t2 = dp_pair2_both(c->push[ACROSS]);
        for (int k = 0; k < width; k += 2) {
            dp_pair2 more = dp_pair2_madd(sum[k / 2], n, dp_pair2_load(G + k));
            more = dp_pair2_madd(more, t1, dp_pair2_load(G + width + k));
            sum[k / 2] = dp_pair2_madd(more, t2, dp_pair2_load(G + 2 * width + k));
        }
    }
    for (int k = 0; k < width; k += 2) {
        dp_pair2_store(force + k, sum[k / 2]);
    }
}

// force += Gᵀ push of all contacts
static void add_forces(double *force, const dp_tamsi_small *s)
{
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        const dp_small_contact *c = s->contact + run->first;
        double own[DP_SMALL_MOST];
        switch (run->width) {
        case 6:
            push_run(own, c, run, 6);
            break;
        case 8:
            push_run(own, c, run, 8);
            break;
        case 10:
            push_run(own, c, run, 10);
            break;
        default:
            push_run(own, c, run, run->width);
        }
        for (int k = 0; k < run->ncol; ++k) {
            force[run->col ? run->col[k] : k] += own[k];
        }
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

// Rows of G, scaled, and their mobilities. Zeros are there already. @param inverse of the diagonal
// of M̃, by column
static inline void take_gradients(dp_small_contact *c, double *G, const int width,
                                  const dp_step_problem *p, const double *inverse)
{
    const int ncol = p->col_start[c->block + 1] - p->col_start[c->block];
    const double *from = p->G + p->G_start[c->block];
    const double along = c->scale[ALONG], across = c->scale[ACROSS]; // and 1
    for (int k = 0; k < ncol; ++k, ++from) {
        double *to = G + k + (k >= c->missing);
        to[0] = from[0];
        to[width] = along * from[ncol];
        to[2 * width] = across * from[2 * ncol];
    }
    dp_pair2 w[ROWS] = {dp_pair2_zero(), dp_pair2_zero(), dp_pair2_zero()};
    for (int k = 0; k < width; k += 2) {
        const dp_pair2 over = dp_pair2_load(inverse + k);
        for (int i = 0; i < ROWS; ++i) {
            const dp_pair2 g = dp_pair2_load(G + i * width + k);
            w[i] = dp_pair2_madd(w[i], dp_pair2_mul(g, g), over);
        }
    }
    for (int i = 0; i < ROWS; ++i) {
        c->w[i] = dp_pair2_sum(w[i]);
    }
}

// w = g M̃⁻¹ gᵀ
static double mobility_of(const dp_tamsi_small *s, const dp_small_row *row)
{
    const dp_step_problem *p = s->p;
    double y[DP_SMALL_MOST] = {0.0};
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
        double own[DP_SMALL_MOST];
        gather(own, run, inverse);
        for (int i = 0; i < run->count; ++i) {
            dp_small_contact *c = &s->contact[run->first + i];
            const bool as_before = i > 0 && p->friction_of[c->block] == p->friction_of[c[-1].block];
            take_friction(c, as_before ? c - 1 : NULL, p);
            double *G = run->G + i * ROWS * run->width;
            if (run->width == 8) {
                take_gradients(c, G, 8, p, own);
            } else {
                take_gradients(c, G, run->width, p, own);
            }
        }
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
static void aim(dp_tamsi_small *s, const double *warm, double slip_speed)
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

static void take_contact_law(dp_small_contact *c, const dp_row *row, double h)
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
static inline bool is_contact_near(const dp_small_contact *c, double most)
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

// The laws at the velocities of the rows. @return whether the impulses at hand are near to them
static bool take_laws(dp_tamsi_small *s, double most)
{
    const dp_step_problem *p = s->p;
    bool near = true;
    for (int i = 0; i < s->ncontact; ++i) {
        dp_small_contact *c = &s->contact[i];
        take_contact_law(c, &p->row[c->row], p->h);
        near = near && is_contact_near(c, most);
    }
    for (int i = 0; i < s->nrow; ++i) {
        dp_small_row *row = &s->row[i];
        row->at = dp_tamsi_row_slope(&p->row[row->row], row->soft, row->a, row->x, row->u);
        near = near && is_row_near(row, most);
    }
    return near;
}

// ---- the Newton step

enum { AT_ONCE = 8 }; // contacts

// (TS 2) of a contact as products lᵀ r, of two pairs of rows or of three, each l before its r.
// @return the place after them
static inline double *split(double *room, const dp_small_contact *c, const double *G,
                            const int width)
{
    const double *along = G + width, *across = along + width;
    double *pull = room, *normal = room + width, *one = normal + width, *two = one + width;
    double *three = two + width, *four = three + width;
    const dp_pair2 m1 = dp_pair2_both(c->m[0]), m2 = dp_pair2_both(c->m[1]);
    const dp_pair2 hold = dp_pair2_both(c->hold), reach = dp_pair2_both(c->reach);
    const dp_pair2 slope = dp_pair2_both(c->c);
    for (int k = 0; k < width; k += 2) {
        const dp_pair2 n = dp_pair2_load(G + k), t1 = dp_pair2_load(along + k),
                       t2 = dp_pair2_load(across + k);
        const dp_pair2 t = dp_pair2_madd(dp_pair2_mul(m1, t1), m2, t2);
        dp_pair2_store(pull + k, dp_pair2_msub(n, reach, t));
        dp_pair2_store(normal + k, dp_pair2_mul(slope, n));
        if (c->slips) { // I − ττᵀ is what is across
            const dp_pair2 side = dp_pair2_msub(dp_pair2_mul(m1, t2), m2, t1);
            dp_pair2_store(one + k, side);
            dp_pair2_store(two + k, dp_pair2_mul(hold, side));
        } else {
            dp_pair2_store(one + k, t1);
            dp_pair2_store(two + k, dp_pair2_mul(hold, t1));
            dp_pair2_store(three + k, t2);
            dp_pair2_store(four + k, dp_pair2_mul(hold, t2));
        }
    }
    return c->slips ? three : four + width;
}

// K += Σ lᵀ r, two rows of K at once
static inline void add_products(double *K, int stride, const double *room, const double *end,
                                int ncol, const int width)
{
    for (int k = 0; k < ncol; k += 2) {
        const int next = k + 1 < ncol; // else the same again
        double *row = K + k * stride, *other = row + next * stride;
        dp_pair2 sum[DP_SMALL_MOST / 2], more[DP_SMALL_MOST / 2];
        for (int j = 0; j < width / 2; ++j) {
            sum[j] = dp_pair2_load(row + 2 * j);
            more[j] = dp_pair2_load(other + 2 * j);
        }
        for (const double *l = room; l < end; l += 2 * width) {
            const dp_pair2 left = dp_pair2_both(l[k]), beside = dp_pair2_both(l[k + next]);
            for (int j = 0; j < width / 2; ++j) {
                const dp_pair2 r = dp_pair2_load(l + width + 2 * j);
                sum[j] = dp_pair2_madd(sum[j], left, r);
                more[j] = dp_pair2_madd(more[j], beside, r);
            }
        }
        for (int j = 0; j < width / 2; ++j) {
            dp_pair2_store(row + 2 * j, sum[j]);
            dp_pair2_store(other + 2 * j, more[j]);
        }
    }
}

static inline void add_run_of(double *K, int stride, const dp_small_contact *c,
                              const dp_small_run *run, const int width)
{
    const double *G = run->G;
    for (int i = 0; i < run->count;) {
        double room[AT_ONCE * 2 * ROWS * DP_SMALL_MOST], *end = room;
        for (int k = 0; k < AT_ONCE && i < run->count; ++k, ++i, ++c, G += ROWS * width) {
            end = c->c == 0.0 ? end : split(end, c, G, width);
        }
        add_products(K, stride, room, end, run->ncol, width);
    }
}

// K += Σ (TS 2) of the contacts of a run
static void add_run(double *K, int stride, const dp_small_contact *c, const dp_small_run *run)
{
    switch (run->width) {
    case 6:
        add_run_of(K, stride, c, run, 6);
        break;
    case 8:
        add_run_of(K, stride, c, run, 8);
        break;
    case 10:
        add_run_of(K, stride, c, run, 10);
        break;
    default:
        add_run_of(K, stride, c, run, run->width);
    }
}

static void add_runs(double *H, int stride, const dp_tamsi_small *s)
{
    for (int r = 0; r < s->nrun; ++r) {
        const dp_small_run *run = &s->run[r];
        const dp_small_contact *c = s->contact + run->first;
        const int ncol = run->ncol, width = run->width;
        if (!run->col) {
            add_run(H, stride, c, run);
            continue;
        }
        double K[DP_SMALL_MOST * DP_SMALL_MOST];
        memset(K, 0, (size_t)(ncol * width) * sizeof *K);
        add_run(K, width, c, run);
        for (int k = 0; k < ncol; ++k) {
            double *row = H + run->col[k] * stride;
            for (int l = 0; l < ncol; ++l) {
                row[run->col[l]] += K[k * width + l];
            }
        }
    }
}

// (TS 1), the right side as the last column. @param M dense, rows as far apart, zeros behind
static void assemble(double *H, int stride, const dp_tamsi_small *s, const double *M,
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
static double look_ahead(const dp_tamsi_small *s, dp_turn_limit most)
{
    double step = 1.0;
    for (int i = 0; i < s->ncontact; ++i) {
        const dp_small_contact *c = &s->contact[i];
        if (c->slips && c->push[NORMAL] - c->c * c->du[NORMAL] > 0.0) {
            const double slip[2] = {c->u[ALONG] - c->rest[ALONG], c->u[ACROSS] - c->rest[ACROSS]};
            const double own = dp_transition_step(slip, c->du + ALONG, c->slip_speed, most);
            step = own < step ? own : step;
        }
    }
    return step;
}

// The impulses of the linear law at the end of a step of which a share is taken.
static void advance(dp_tamsi_small *s, double share)
{
    for (int i = 0; i < s->ncontact; ++i) {
        dp_small_contact *c = &s->contact[i];
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
    for (int i = 0; i < s->nrow; ++i) {
        dp_small_row *row = &s->row[i];
        row->x += share * (row->at.q - row->at.C * row->du);
        row->u += share * row->du;
    }
}

// ---- the end

// Within their ranges and discs, impulses may be the answer.
static void confine(double x[ROWS], const dp_small_contact *c)
{
    x[NORMAL] = c->x[NORMAL] > 0.0 ? c->x[NORMAL] : 0.0;
    const double radius = c->reach * x[NORMAL];
    const double square = c->x[ALONG] * c->x[ALONG] + c->x[ACROSS] * c->x[ACROSS];
    const double shrink = square > radius * radius ? radius / sqrt(square) : 1.0;
    x[ALONG] = shrink * c->x[ALONG];
    x[ACROSS] = shrink * c->x[ACROSS];
}

// [m/s] How far a contact is from its law, as the certificate has it.
static double judge(const dp_small_contact *c, const dp_row *row, double h, const double *x,
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

static void tell_contact(dp_step_solution *out, const dp_small_contact *c, const double *x,
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
static double conclude(dp_step_solution *out, dp_tamsi_small *s)
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

bool dp_tamsi_small_solve(dp_step_solution *out, dp_tamsi_small *s, const double *warm,
                          const dp_law_options *opt, dp_solve_info *info)
{
    const int nv = s->p->nv, stride = (nv + 2) / 2 * 2;
    const double tolerance = dp_tamsi_tolerance(opt);
    const bool held_back = opt->tamsi_search == DP_TAMSI_TRANSITION;
    double M[DP_SMALL_MOST * (DP_SMALL_MOST + 2)], H[DP_SMALL_MOST * (DP_SMALL_MOST + 2)];
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
    (void)take_laws(s, 0.0);
    while (info->iterations < DP_TAMSI_STEPS) {
        assemble(H, stride, s, M, v);
        if (!dp_rows_eliminate(dv, H, nv, stride)) {
            return false;
        }
        info->factorizations = ++info->iterations;
        take_rates(s, dv);
        const double share = held_back ? look_ahead(s, most) : 1.0;
        advance(s, share);
        if (!move(v, dv, share, nv)) {
            return false;
        }
        const bool near = take_laws(s, 2.0 * tolerance) || info->iterations > FEW_STEPS;
        if (share == 1.0 && near) {
            info->residual = conclude(out, s);
            if (info->residual <= tolerance) {
                info->outcome = DP_CONVERGED;
                return true;
            }
            (void)take_laws(s, 0.0); // `push` was confined
        }
    }
    return false;
}
