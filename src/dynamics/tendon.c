// A spatial tendon is a sequence of spans from site to site, straight or bent around a geom. A
// force along the line by which a span leaves a body acts anywhere on that line, so a bent span
// needs no points of contact: it pulls the geom at the sites, in the directions in which it leaves
// the one and arrives at the other. That the points of contact move does not change the length,
// which is least there.
#include "dynamics/tendon.h"

#include "dynamics/wrap.h"

#include <string.h>

// The straight part of a span that joins two bodies: l̇ = along · (v_to − v_from) at the point.
typedef struct leg {
    int from, to;
    dp_v3 at, along; // along: a unit vector, or zero for a leg without length
} leg;

typedef struct span {
    double length;
    double weight; // what its length counts in the tendon's
    leg leg[2];
    int nleg;
} span;

// How far the path of a tendon has been followed.
typedef struct walk {
    const dp_tendon *tendon;
    int station;
    double weight;
} walk;

static walk walk_along(const dp_tendon *tendon)
{
    return (walk){tendon, 0, 1.0};
}

// Go on to the next span, which leads from station to station + 1, or + 2 with a geom between.
static bool find_span(const dp_wrap **first, walk *w)
{
    const dp_wrap *wrap = w->tendon->wrap;
    for (; w->station + 1 < w->tendon->nwrap; ++w->station) {
        if (wrap[w->station].kind == DP_WRAP_PULLEY) {
            w->weight = 1.0 / wrap[w->station].coefficient;
        } else if (wrap[w->station + 1].kind != DP_WRAP_PULLEY) {
            *first = &wrap[w->station];
            w->station += (*first)[1].kind == DP_WRAP_GEOM ? 2 : 1;
            return true;
        }
    }
    return false;
}

static dp_v3 site_position(const dp_kin *kin, const dp_model *m, int site)
{
    const dp_link *link = &kin->link[m->site[site].body];
    return dp_v3_add(link->X.p, dp_m3_apply(&link->R, m->site[site].pose.p));
}

static bool bend(dp_bent_path *out, dp_v3 x0, dp_v3 x1, const dp_kin *kin, const dp_model *m,
                 const dp_wrap *station)
{
    const dp_geom *geom = &m->geom[station->object];
    const dp_obstacle obstacle = {
        .X = dp_pose_mul(kin->link[geom->body].X, geom->pose),
        .radius = geom->size[0],
        .is_cylinder = geom->kind == DP_CYLINDER,
    };
    dp_v3 side = {0.0, 0.0, 0.0};
    if (station->side >= 0) {
        side = site_position(kin, m, station->side);
    }
    return dp_wrap_path(out, x0, x1, &obstacle, station->side >= 0 ? &side : NULL);
}

static bool next_span(span *out, walk *w, const dp_kin *kin, const dp_model *m)
{
    const dp_wrap *first;
    if (!find_span(&first, w)) {
        return false;
    }
    const bool has_geom = first[1].kind == DP_WRAP_GEOM;
    const int site0 = first->object, site1 = first[has_geom ? 2 : 1].object;
    const int body0 = m->site[site0].body, body1 = m->site[site1].body;
    const dp_v3 x0 = site_position(kin, m, site0), x1 = site_position(kin, m, site1);
    out->weight = w->weight;
    dp_bent_path path;
    if (has_geom && bend(&path, x0, x1, kin, m, &first[1])) {
        const int between = m->geom[first[1].object].body;
        out->length = path.length;
        out->leg[0] = (leg){body0, between, x0, path.leave};
        out->leg[1] = (leg){between, body1, x1, path.arrive};
        out->nleg = 2;
        return true;
    }
    const dp_v3 d = dp_v3_sub(x1, x0);
    out->length = dp_v3_norm(d);
    out->leg[0] = (leg){body0, body1, x0, d};
    if (out->length > 0.0) { // else it has no direction
        out->leg[0].along = dp_v3_scale(d, 1.0 / out->length);
    }
    out->nleg = 1;
    return true;
}

// --- which degrees of freedom

static int station_body(const dp_model *m, const dp_wrap *station)
{
    return station->kind == DP_WRAP_GEOM ? m->geom[station->object].body
                                         : m->site[station->object].body;
}

// Does a spatial tendon lead from station k to the next?
static bool leads_on(const dp_tendon *tendon, int k)
{
    return tendon->wrap[k].kind != DP_WRAP_PULLEY && tendon->wrap[k + 1].kind != DP_WRAP_PULLEY;
}

int dp_tendon_max_dofs(const dp_model *m, int tendon)
{
    const dp_tendon *t = &m->tendon[tendon];
    const int nv = m->size.nv;
    int count = t->spatial ? 0 : t->nwrap;
    for (int k = 0; t->spatial && k + 1 < t->nwrap && count < nv; ++k) {
        if (leads_on(t, k)) {
            count += dp_relative_count(m, station_body(m, &t->wrap[k]),
                                       station_body(m, &t->wrap[k + 1]));
        }
    }
    return count < nv ? count : nv;
}

void dp_tendon_carve(dp_tendon_set *set, dp_carver *c, const dp_model *m)
{
    const size_t n = (size_t)m->size.ntendon;
    size_t room = 0;
    for (int i = 0; i < m->size.ntendon; ++i) {
        room += (size_t)dp_tendon_max_dofs(m, i);
    }
    set->length = dp_carve(c, n, sizeof *set->length);
    set->start = dp_carve(c, n + 1, sizeof *set->start);
    set->count = dp_carve(c, n, sizeof *set->count);
    set->dof = dp_carve(c, room, sizeof *set->dof);
    set->gradient = dp_carve(c, room, sizeof *set->gradient);
    set->reference = dp_carve(c, n, sizeof *set->reference);
    set->spring_range = dp_carve(c, n, sizeof *set->spring_range);
    set->pattern = dp_carve(c, room, sizeof *set->pattern);
    dp_dof_sum_carve(&set->sum, c, m);
}

static void touch_all(dp_dof_sum *sum, const dp_model *m, const dp_tendon *tendon)
{
    if (!tendon->spatial) {
        for (int k = 0; k < tendon->nwrap; ++k) {
            sum->touched[m->joint[tendon->wrap[k].object].v_index] = 1;
        }
        return;
    }
    for (int k = 0; k + 1 < tendon->nwrap; ++k) {
        if (leads_on(tendon, k)) {
            dp_relative_touch(sum, m, station_body(m, &tendon->wrap[k]),
                              station_body(m, &tendon->wrap[k + 1]));
        }
    }
}

void dp_tendon_init(dp_tendon_set *set, const dp_model *m)
{
    dp_dof_sum_clear(&set->sum, m);
    size_t used = 0;
    for (int i = 0; i < m->size.ntendon; ++i) {
        set->start[i] = used;
        set->count[i] = 0;
        touch_all(&set->sum, m, &m->tendon[i]);
        used += (size_t)dp_dof_sum_list(set->pattern + used, &set->sum, m);
    }
    set->start[m->size.ntendon] = used;
}

// --- lengths and gradients

static double fixed_length(const dp_model *m, const dp_tendon *tendon, const double *q)
{
    double length = 0.0;
    for (int k = 0; k < tendon->nwrap; ++k) {
        const dp_wrap *wrap = &tendon->wrap[k];
        length += wrap->coefficient * q[m->joint[wrap->object].q_index];
    }
    return length;
}

static void add_fixed_gradient(dp_dof_sum *sum, const dp_model *m, const dp_tendon *tendon)
{
    for (int k = 0; k < tendon->nwrap; ++k) {
        const int at = m->joint[tendon->wrap[k].object].v_index;
        sum->value[at] += tendon->wrap[k].coefficient;
        sum->touched[at] = 1;
    }
}

// @param sum NULL: the length alone
static double measure(dp_dof_sum *sum, const dp_kin *kin, const dp_model *m,
                      const dp_tendon *tendon, const double *q)
{
    if (!tendon->spatial) {
        if (sum) {
            add_fixed_gradient(sum, m, tendon);
        }
        return fixed_length(m, tendon, q);
    }
    double length = 0.0;
    span s;
    for (walk w = walk_along(tendon); next_span(&s, &w, kin, m);) {
        length += s.weight * s.length;
        for (int k = 0; sum && k < s.nleg; ++k) {
            const dp_wrench unit = {{0.0, 0.0, 0.0}, dp_v3_scale(s.leg[k].along, s.weight)};
            dp_relative_add(sum, kin, m, s.leg[k].from, s.leg[k].to, unit, s.leg[k].at);
        }
    }
    return length;
}

void dp_tendon_update(dp_tendon_set *set, const dp_kin *kin, const dp_model *m, const double *q)
{
    for (int i = 0; i < m->size.ntendon; ++i) {
        const size_t at = set->start[i];
        const int room = (int)(set->start[i + 1] - at);
        set->length[i] = measure(&set->sum, kin, m, &m->tendon[i], q);
        set->count[i] =
            dp_dof_sum_take(set->dof + at, set->gradient + at, &set->sum, set->pattern + at, room);
    }
}

void dp_tendon_lengths(double *length, const dp_kin *kin, const dp_model *m, const double *q)
{
    for (int i = 0; i < m->size.ntendon; ++i) {
        length[i] = measure(NULL, kin, m, &m->tendon[i], q);
    }
}

void dp_tendon_rest(dp_tendon_set *set, dp_kin *kin, const dp_model *m, const dp_pose *mocap)
{
    const double *no_motion = set->sum.value; // nv zeros
    dp_kin_fix(kin, m, mocap, (dp_v3){0.0, 0.0, 0.0});
    dp_kin_update(kin, m, m->q_spring, no_motion);
    dp_tendon_lengths(set->length, kin, m, m->q_spring);
    for (int i = 0; i < m->size.ntendon; ++i) {
        const double *given = m->tendon[i].spring_range;
        const bool at_rest_there = given[0] == -1.0 && given[1] == -1.0;
        for (int end = 0; end < 2; ++end) {
            set->spring_range[i][end] = at_rest_there ? set->length[i] : given[end];
        }
    }
    dp_kin_update(kin, m, m->q_reference, no_motion);
    dp_tendon_lengths(set->reference, kin, m, m->q_reference);
    if (m->size.ntendon > 0) {
        memcpy(set->length, set->reference, (size_t)m->size.ntendon * sizeof *set->length);
    }
}

void dp_tendon_pull(dp_wrench *wrench, const dp_kin *kin, const dp_model *m, int tendon,
                    double tension)
{
    if (!m->tendon[tendon].spatial) {
        return;
    }
    span s;
    for (walk w = walk_along(&m->tendon[tendon]); next_span(&s, &w, kin, m);) {
        for (int k = 0; k < s.nleg; ++k) {
            const dp_wrench pull = {{0.0, 0.0, 0.0},
                                    dp_v3_scale(s.leg[k].along, -tension * s.weight)};
            dp_relative_push(wrench, kin, s.leg[k].from, s.leg[k].to, pull, s.leg[k].at);
        }
    }
}
