// How well a solution meets its problem, from the two alone.
//
// The residual of a row needs a = w + R with w = G M̃⁻¹ Gᵀ, and M̃ is not factored here. Only the
// unit in which an impulse counts as a velocity depends on it, and zero is zero for every a > 0, so
// the diagonal of M̃ stands for M̃: w = Σ G²/diag M̃.
#include "base/error.h"
#include "math/angle.h"
#include "problem/gradient.h"
#include "problem/island.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/friction_cone.h"
#include "problem/laws/normal_law.h"
#include "problem/laws/rigid.h"
#include "problem/links/links.h"
#include "problem/step_error.h"

#include <float.h>
#include <math.h>

// The larger one, or the one that is no number.
static double worse(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = worse(most, fabs(x[i]));
    }
    return most;
}

// M̃(v − v_free) − Gᵀγ, largest element.
static double momentum_error(const dp_step_problem *p, const dp_step_solution *s, double *defect)
{
    for (int i = 0; i < p->nv; ++i) {
        const double *element = p->Mt + p->Mt_start[i];
        const double dv = s->v[i] - p->v_free[i];
        double sum = *element * dv;
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            ++element;
            sum += *element * (s->v[j] - p->v_free[j]);
            defect[j] -= *element * dv;
        }
        defect[i] = -sum;
    }
    for (int block = 0; block < p->nblock; ++block) {
        dp_gradient_add(defect, p, block, s->gamma + p->row_start[block]);
    }
    return largest(defect, p->nv);
}

// |γ · slack|, γ counted from the end of its range that the slack points to.
static double slack_work(const dp_row *row, double gamma, double slack)
{
    const double end = slack > 0.0 ? row->lo : row->hi;
    return fabs((isfinite(end) ? gamma - end : gamma) * slack);
}

// The end of the step of a one-sided row.
static void certify_gap(dp_certificate *out, const dp_row *row, double h, double gamma, double u)
{
    const double end = (row->phi + h * (u + row->phi_t)) * row->len;
    out->penetration = worse(out->penetration, -end);
    if (gamma > 0.0) {
        out->lift_off = worse(out->lift_off, end);
    }
}

static double round_off(const dp_row *row, double w, double gamma)
{
    return 4.0 * DBL_EPSILON * w * fabs(gamma) * row->len;
}

bool dp_certificate_is_solved(const dp_certificate *certificate, double tolerance)
{
    return certificate->beyond_error <= fmax(tolerance, certificate->round_off);
}

// @param allowed of it, by the error of the step
static void add_residual(dp_certificate *out, double residual, double allowed)
{
    out->normal_law = worse(out->normal_law, residual);
    out->beyond_error = worse(out->beyond_error, residual - allowed);
}

static bool is_vanishing(const dp_certify_view *view, int row)
{
    return view->vanishing && view->vanishing[view->row_of ? view->row_of[row] : row];
}

// Row number r of the problem with u = G v and w = Σ G²/diag M̃.
static void certify_row(dp_certificate *out, const dp_row *row, double h,
                        const dp_certify_view *view, int r, double w, double gamma, double u)
{
    dp_soft soft = view->rigid ? dp_rigid_soft(row, h, NULL, 0) : dp_row_soft(row, h);
    soft.R = is_vanishing(view, r) ? 0.0 : soft.R;
    const double slack = dp_soft_slack(soft, gamma, u);
    const double a = w + soft.R > 0.0 ? w + soft.R : 1.0; // a rigid row that moves nothing
    const double residual = dp_soft_residual(soft, row->lo, row->hi, a, gamma, u);
    add_residual(out, residual * row->len, 0.0);
    out->round_off = worse(out->round_off, round_off(row, w, gamma));
    if (dp_row_is_one_sided(row)) {
        certify_gap(out, row, h, gamma, u);
    }
    if (isinf(row->lo) && isinf(row->hi)) {
        out->drift = worse(out->drift, h * fabs(slack) * row->len); // |φ₁| where R = 0
    } else {
        out->complementarity += slack_work(row, gamma, slack);
    }
    out->nactive += gamma != 0.0;
}

// [m/s] Slower slip has no heading to speak of.
static const double LEAST_SLIP = 1e-3;

// Sliding friction x against the slip: the angle between them and what is missing of its size.
// @param slip scaled as x is. @param radius of the disc
static void certify_slip(dp_certificate *out, const double x[2], const double slip[2],
                         double radius)
{
    const double size = sqrt(x[0] * x[0] + x[1] * x[1]);
    const double angle =
        dp_atan2(fabs(x[0] * slip[1] - x[1] * slip[0]), -(x[0] * slip[0] + x[1] * slip[1]));
    out->heading = worse(out->heading, angle);
    out->shortfall = worse(out->shortfall, 1.0 - size / radius);
}

// How far a contact is from its law, as a velocity; all arrays scaled.
static double judge_contact(dp_certify_view view, const dp_soft *soft,
                            const dp_friction_group *group, int ngroup, const double *a,
                            const double *len, const double *x, const double *u)
{
    double bound[DP_CONTACT_ROWS] = {0.0};
    switch (view.set) {
    case DP_FRICTION_SET_CONE:
        return dp_cone_residual(soft, group, ngroup, a, len, x, u);
    case DP_FRICTION_SET_GIVEN:
        for (int g = 0; g < ngroup; ++g) {
            const int i = group[g].first;
            const double across = group[g].count == 2 ? x[i + 1] : 0.0;
            bound[i] = sqrt(x[i] * x[i] + across * across);
        }
        return dp_contact_residual_bound(soft, group, ngroup, bound, a, len, x, u);
    default:
        return dp_contact_residual_polygon(soft, group, ngroup, view.corners, a, len, x, u);
    }
}

// A contact of nrow rows, the first of which is number r of the problem; all arrays from its first
// row on, state too. @return its residual
static double certify_contact(dp_certificate *out, const dp_friction *friction,
                              const dp_normal *normal, const dp_row *row, int nrow, double h,
                              dp_certify_view view, int r, const double *w, const double *gamma,
                              const double *u, const uint8_t *state)
{
    DP_ASSERT(nrow >= 3 && nrow <= DP_CONTACT_ROWS);
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup = dp_friction_groups(group, friction, nrow);
    dp_soft soft[DP_CONTACT_ROWS];
    double a[DP_CONTACT_ROWS], x[DP_CONTACT_ROWS], scaled[DP_CONTACT_ROWS], len[DP_CONTACT_ROWS];
    for (int i = 0; i < nrow; ++i) {
        soft[i] = view.rigid         ? dp_rigid_soft(&row[i], h, friction, i)
                  : i == 0 && normal ? dp_normal_exact(normal, row, h, gamma[0])
                                     : dp_row_soft(&row[i], h);
        soft[i].R = is_vanishing(&view, r + i) ? 0.0 : soft[i].R;
        x[i] = gamma[i];
        scaled[i] = u[i];
        a[i] = w[i] + soft[i].R > 0.0 ? w[i] + soft[i].R : 1.0;
        len[i] = row[i].len;
        out->nactive += gamma[i] != 0.0;
        out->round_off = worse(out->round_off, round_off(&row[i], w[i], gamma[i]));
    }
    double power = 0.0;
    for (int g = 0; g < ngroup; ++g) {
        double size = 0.0, slip = 0.0, passing[2] = {0.0, 0.0};
        const int first = group[g].first;
        for (int k = 0; k < group[g].count; ++k) {
            const int i = first + k;
            const double scale = group[g].scale[k];
            const double speed = u[i] + row[i].b_ref;
            power += gamma[i] * speed / h;
            slip += speed * speed;
            passing[k] = scale * speed;
            x[i] = scale > 0.0 ? gamma[i] / scale : 0.0;
            scaled[i] = scale * u[i];
            soft[i].R = view.slip_speed > 0.0 ? dp_friction_give(view.slip_speed / len[i], w[i],
                                                                 group[g].reach * gamma[0])
                                              : soft[i].R * scale * scale;
            soft[i].u_hat *= scale;
            size += scale > 0.0 ? x[i] * x[i] : gamma[i] * gamma[i];
        }
        if (group[g].count == 2) {
            a[first] = a[first + 1] = 0.5 * (a[first] + a[first + 1]);
        }
        out->cone = worse(out->cone, (sqrt(size) - group[g].reach * gamma[0]) / len[first]);
        if (state && state[first] == DP_ROW_STATE_STICK) {
            out->creep = worse(out->creep, sqrt(slip) * len[first]);
        }
        if (g == 0 && slip > LEAST_SLIP * LEAST_SLIP && group[g].reach * gamma[0] > 0.0) {
            certify_slip(out, x + first, passing, group[g].reach * gamma[0]);
        }
    }
    out->friction_power = worse(out->friction_power, power);
    double work = slack_work(row, gamma[0], dp_soft_slack(soft[0], gamma[0], u[0]));
    if (view.set == DP_FRICTION_SET_CONE) { // of the whole: where it slides, the normal works, too
        double sum = gamma[0] * dp_soft_slack(soft[0], gamma[0], u[0]);
        for (int i = 1; i < nrow; ++i) {
            sum += x[i] * (scaled[i] - soft[i].u_hat + soft[i].R * x[i]);
        }
        work = fabs(sum);
    }
    out->complementarity += work;
    certify_gap(out, row, h, gamma[0], u[0]);
    return judge_contact(view, soft, group, ngroup, a, len, x, scaled);
}

void dp_certificate_add(dp_certificate *sum, const dp_certificate *part)
{
    sum->momentum = worse(sum->momentum, part->momentum);
    sum->normal_law = worse(sum->normal_law, part->normal_law);
    sum->beyond_error = worse(sum->beyond_error, part->beyond_error);
    sum->round_off = worse(sum->round_off, part->round_off);
    sum->complementarity += part->complementarity;
    sum->penetration = worse(sum->penetration, part->penetration);
    sum->lift_off = worse(sum->lift_off, part->lift_off);
    sum->cone = worse(sum->cone, part->cone);
    sum->friction_power = worse(sum->friction_power, part->friction_power);
    sum->creep = worse(sum->creep, part->creep);
    sum->drift = worse(sum->drift, part->drift);
    sum->heading = worse(sum->heading, part->heading);
    sum->shortfall = worse(sum->shortfall, part->shortfall);
    sum->fallbacks += part->fallbacks;
    sum->within_error += part->within_error;
    sum->painleve += part->painleve;
    sum->impacts += part->impacts;
    sum->correction = worse(sum->correction, part->correction);
    sum->replaced += part->replaced;
    sum->frictionless += part->frictionless;
    sum->nrow += part->nrow;
    sum->nactive += part->nactive;
}

// Rows of one block with u = G v and w, both nrow of the block. @param allowed [m/s] what a contact
// may leave by the error of the step
static void certify_block(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                          dp_certify_view view, int block, const double *u, const double *w,
                          double allowed)
{
    const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
    const int friction = p->friction_of ? p->friction_of[block] : -1;
    if (friction >= 0) {
        const double residual = certify_contact(
            out, &p->friction[friction], dp_normal_of(p, block), p->row + first, nrow, p->h, view,
            first, w, s->gamma + first, u, s->state ? s->state + first : NULL);
        add_residual(out, residual, allowed);
        return;
    }
    for (int i = 0; i < nrow; ++i) {
        certify_row(out, &p->row[first + i], p->h, &view, first + i, w[i], s->gamma[first + i],
                    u[i]);
    }
}

void dp_problem_certify_as(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                           dp_certify_view view, double *scratch)
{
    *out = (dp_certificate){.nrow = p->nrow};
    const bool within_error = view.error_share > 0.0;
    double *error = scratch, *inverse = scratch; // of trees, or of diag M̃
    if (within_error) {
        dp_step_errors(error, p);
    }
    for (int i = 0; !within_error && i < p->nv; ++i) {
        inverse[i] = 1.0 / p->Mt[p->Mt_start[i]];
    }
    for (int block = 0; block < p->nblock; ++block) {
        const int *col = p->col + p->col_start[block];
        const int ncol = p->col_start[block + 1] - p->col_start[block];
        const double *G = p->G + p->G_start[block];
        const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
        const bool contact = p->friction_of && p->friction_of[block] >= 0;
        double of_contact[2][DP_CONTACT_ROWS] = {{0.0}, {0.0}}; // u and w
        for (int i = 0; i < nrow; ++i, G += ncol) {
            double u = 0.0, w = 0.0;
            for (int k = 0; k < ncol; ++k) {
                u += G[k] * s->v[col[k]];
                w += G[k] * G[k] *
                     (within_error ? 1.0 / p->Mt[p->Mt_start[col[k]]] : inverse[col[k]]);
            }
            if (contact) {
                of_contact[0][i] = u;
                of_contact[1][i] = w;
            } else {
                certify_row(out, &p->row[first + i], p->h, &view, first + i, w, s->gamma[first + i],
                            u);
            }
        }
        if (contact) {
            const double allowed =
                within_error ? view.error_share * dp_step_error_of(p, block, error) : 0.0;
            certify_block(out, p, s, view, block, of_contact[0], of_contact[1], allowed);
        }
    }
    out->momentum = momentum_error(p, s, scratch);
}

void dp_problem_certify(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                        double *scratch)
{
    dp_problem_certify_as(out, p, s, (dp_certify_view){.rigid = false}, scratch);
}

void dp_links_certify(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                      const dp_links_scratch *at)
{
    const dp_links *l = p->links;
    double *inverse = at->velocity, *defect = at->velocity; // one after the other
    *out = (dp_certificate){.nrow = p->nrow};
    dp_links_diagonal(inverse, l, at->composite);
    for (int i = 0; i < p->nv; ++i) {
        inverse[i] = 1.0 / inverse[i];
    }
    dp_links_mobility(at->omega, l, inverse, NULL);
    dp_links_move(at->V, l, s->v);
    for (int block = 0; block < p->nblock; ++block) {
        const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
        const int on = l->on[block];
        double u[DP_CONTACT_ROWS], w[DP_CONTACT_ROWS];
        DP_ASSERT(nrow <= DP_CONTACT_ROWS);
        for (int i = 0; i < nrow; ++i) {
            const dp_wrench along = l->along[first + i];
            u[i] = dp_links_rate(l, block, first + i, at->V, s->v);
            w[i] = on >= 0 ? dp_links_row_mobility(at->omega + 36 * (ptrdiff_t)on, along)
                           : along.t.x * along.t.x * inverse[-1 - on];
        }
        certify_block(out, p, s, (dp_certify_view){.rigid = false}, block, u, w, 0.0);
    }
    double *gained = at->other;
    dp_links_push(gained, p, s->gamma, at->F);
    for (int i = 0; i < p->nv; ++i) {
        at->third[i] = s->v[i] - p->v_free[i];
    }
    dp_links_apply(defect, l, at->third, at->V, at->F);
    for (int i = 0; i < p->nv; ++i) {
        defect[i] = gained[i] - defect[i];
    }
    out->momentum = largest(defect, p->nv);
}
