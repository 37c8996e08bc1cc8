// A spatial tendon is a sequence of spans from site to site, straight or bent around a geom. A
// force along the line by which a span leaves a body acts anywhere on that line, so a bent span
// needs no points of contact: it pulls the geom at the sites, in the directions in which it leaves
// the one and arrives at the other. That the points of contact move does not change the length,
// which is least there.
#include "dynamics/tendons/tendon.h"

#include "dynamics/tendons/wrap.h"

#include <string.h>

// The straight part of a span that joins two bodies: l̇ = along · (v_to − v_from) at the point.
typedef struct leg {
    int from, to;
    dp_v3 at, along; // along: a unit vector, or zero for a leg without length
} leg;

// How it moves: l̇ = along · rel, and both factors change while velocities stay as they are.
typedef struct leg_motion {
    dp_v3 rel, rel_rate, along_rate;
} leg_motion;

typedef struct span {
    double length;
    double weight; // what its length counts in the tendon's
    leg leg[2];
    int nleg;
    leg_motion motion[2]; // where it is asked for
} span;

// How far the path of a tendon has been followed.
typedef struct walk {
    const dp_tendon *tendon;
    int station;
    double weight;
    bool moving; // spans with their motion
} walk;

static walk walk_along(const dp_tendon *tendon)
{
    return (walk){tendon, 0, 1.0, false};
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

// The motion of the point of a body that is at x; a: its acceleration for v̇ = 0, with −gravity.
typedef struct point_motion {
    dp_v3 v, a;
} point_motion;

static point_motion motion_at(const dp_link *link, dp_v3 x)
{
    const dp_v3 r = dp_v3_sub(x, link->X.p), w = link->V.w;
    const dp_v3 turning = dp_v3_cross(w, r), v = dp_v3_add(link->V.v, turning);
    const dp_v3 a = dp_v3_add(dp_v3_add(link->A0.v, dp_v3_cross(link->A0.w, r)), dp_v3_cross(w, v));
    return (point_motion){v, a};
}

// @param rates NULL: not wanted; those of what is seen in the world
static bool bend(dp_bent_path *out, dp_bent_rates *rates, dp_v3 x0, dp_v3 x1, int body0, int body1,
                 const dp_kin *kin, const dp_model *m, const dp_wrap *station)
{
    const dp_geom *geom = &m->geom[station->object];
    const dp_link *link = &kin->link[geom->body];
    const dp_obstacle obstacle = {
        .X = dp_pose_mul(link->X, geom->pose),
        .radius = geom->size[0],
        .is_cylinder = geom->kind == DP_GEOM_CYLINDER,
    };
    dp_v3 side = {0.0, 0.0, 0.0};
    if (station->side >= 0) {
        side = site_position(kin, m, station->side);
    }
    const dp_v3 *by = station->side >= 0 ? &side : NULL;
    if (!rates) {
        return dp_wrap_path(out, x0, x1, &obstacle, by);
    }
    const dp_v3 v0 = dp_v3_sub(motion_at(&kin->link[body0], x0).v, motion_at(link, x0).v);
    const dp_v3 v1 = dp_v3_sub(motion_at(&kin->link[body1], x1).v, motion_at(link, x1).v);
    if (!dp_wrap_path_moving(out, rates, x0, x1, &obstacle, by, v0, v1)) {
        return false;
    }
    rates->leave = dp_v3_add(rates->leave, dp_v3_cross(link->V.w, out->leave));
    rates->arrive = dp_v3_add(rates->arrive, dp_v3_cross(link->V.w, out->arrive));
    return true;
}

// The motion of a bent span's leg, which ends at a site of `body`: the one that it leaves, or the
// one that it leads to.
static leg_motion motion_of_bent(const leg *l, dp_v3 along_rate, const dp_kin *kin, int body)
{
    const dp_link *from = &kin->link[l->from], *to = &kin->link[l->to];
    const point_motion site = motion_at(&kin->link[body], l->at);
    const point_motion f = motion_at(from, l->at), t = motion_at(to, l->at);
    const dp_v3 passing_f = dp_v3_cross(from->V.w, dp_v3_sub(site.v, f.v));
    const dp_v3 passing_t = dp_v3_cross(to->V.w, dp_v3_sub(site.v, t.v));
    return (leg_motion){
        .rel = dp_v3_sub(t.v, f.v),
        .rel_rate = dp_v3_sub(dp_v3_add(t.a, passing_t), dp_v3_add(f.a, passing_f)),
        .along_rate = along_rate,
    };
}

static leg_motion motion_of_straight(const leg *l, dp_v3 end, double length, const dp_kin *kin)
{
    const point_motion f = motion_at(&kin->link[l->from], l->at);
    const point_motion t = motion_at(&kin->link[l->to], end);
    leg_motion out = {.rel = dp_v3_sub(t.v, f.v), .rel_rate = dp_v3_sub(t.a, f.a)};
    if (length > 0.0) { // else it has no direction
        const dp_v3 across = dp_v3_madd(out.rel, -dp_v3_dot(out.rel, l->along), l->along);
        out.along_rate = dp_v3_scale(across, 1.0 / length);
    }
    return out;
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
    dp_bent_rates rates;
    if (has_geom &&
        bend(&path, w->moving ? &rates : NULL, x0, x1, body0, body1, kin, m, &first[1])) {
        const int between = m->geom[first[1].object].body;
        out->length = path.length;
        out->leg[0] = (leg){body0, between, x0, path.leave};
        out->leg[1] = (leg){between, body1, x1, path.arrive};
        out->nleg = 2;
        if (w->moving) {
            out->motion[0] = motion_of_bent(&out->leg[0], rates.leave, kin, body0);
            out->motion[1] = motion_of_bent(&out->leg[1], rates.arrive, kin, body1);
        }
        return true;
    }
    const dp_v3 d = dp_v3_sub(x1, x0);
    out->length = dp_v3_norm(d);
    out->leg[0] = (leg){body0, body1, x0, d};
    if (out->length > 0.0) { // else it has no direction
        out->leg[0].along = dp_v3_scale(d, 1.0 / out->length);
    }
    out->nleg = 1;
    if (w->moving) {
        out->motion[0] = motion_of_straight(&out->leg[0], x1, out->length, kin);
    }
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

dp_tendon_motion dp_tendon_move(const dp_kin *kin, const dp_model *m, int tendon, const double *v)
{
    const dp_tendon *t = &m->tendon[tendon];
    dp_tendon_motion out = {0.0, 0.0};
    for (int k = 0; !t->spatial && k < t->nwrap; ++k) {
        out.rate += t->wrap[k].coefficient * v[m->joint[t->wrap[k].object].v_index];
    }
    span s;
    walk w = walk_along(t);
    w.moving = true;
    while (t->spatial && next_span(&s, &w, kin, m)) {
        for (int k = 0; k < s.nleg; ++k) {
            const leg_motion *motion = &s.motion[k];
            const dp_v3 along = s.leg[k].along;
            out.rate += s.weight * dp_v3_dot(along, motion->rel);
            out.bias += s.weight * (dp_v3_dot(motion->along_rate, motion->rel) +
                                    dp_v3_dot(along, motion->rel_rate));
        }
    }
    return out;
}

double dp_tendon_spring_energy(const dp_tendon_set *set, const dp_kin *kin, const dp_model *m,
                               const double *q)
{
    double twice = 0.0;
    for (int i = 0; i < m->size.ntendon; ++i) {
        const double k = m->tendon[i].stiffness, *rest = set->spring_range[i];
        if (k > 0.0) {
            const double length = measure(NULL, kin, m, &m->tendon[i], q);
            const double e = length > rest[1]   ? length - rest[1]
                             : length < rest[0] ? length - rest[0]
                                                : 0.0;
            twice += k * e * e;
        }
    }
    return 0.5 * twice;
}

double dp_tendon_kinetic_energy(const dp_kin *kin, const dp_model *m, const double *v)
{
    double twice = 0.0;
    for (int i = 0; i < m->size.ntendon; ++i) {
        if (m->tendon[i].armature > 0.0) {
            const double rate = dp_tendon_move(kin, m, i, v).rate;
            twice += m->tendon[i].armature * rate * rate;
        }
    }
    return 0.5 * twice;
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
