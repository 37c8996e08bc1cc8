// Contact sensors: match, reduce, report. A contact counts where its surfaces are within the margin
// of the pair, or where it pushes.
#include "sim/query/sense.h"

#include <math.h>
#include <string.h>

static bool is_below(const dp_model *m, int body, int root)
{
    const int order = m->body[body].order;
    return order >= m->body[root].order && order < m->body[root].order_end;
}

// Is geom g, or its body, what an object means?
static bool matches(const dp_model *m, dp_object_kind kind, int object, int g)
{
    switch (kind) {
    case DP_OBJECT_GEOM:
        return g == object;
    case DP_OBJECT_BODY:
        return m->geom[g].body == object;
    case DP_OBJECT_SUBTREE:
        return is_below(m, m->geom[g].body, object);
    default:
        return true; // any, or a site, which places decide
    }
}

// A contact from the first object to the second.
typedef struct sensed {
    dp_contact c;
    double order; // less: reported before
} sensed;

static void turn(dp_contact *c)
{
    const dp_body_id body = c->body[0];
    c->body[0] = c->body[1];
    c->body[1] = body;
    c->normal = dp_v3_scale(c->normal, -1.0);
    c->tangent[0] = dp_v3_scale(c->tangent[0], -1.0); // the second tangent stays
    c->force = dp_v3_scale(c->force, -1.0);
    c->torque = dp_v3_scale(c->torque, -1.0);
}

static dp_status match(bool *out, dp_contact *c, const dp_data *d, const dp_sensor *s)
{
    const dp_model *m = d->model;
    const int a = c->geom[0].index, b = c->geom[1].index;
    *out = false;
    if (!(c->start_gap <= dp_pair_margin(m, a, b)) && !(c->normal_force > 0.0)) {
        return DP_OK;
    }
    const bool ahead =
        matches(m, s->object_kind, s->object, a) && matches(m, s->reference_kind, s->reference, b);
    const bool back =
        matches(m, s->object_kind, s->object, b) && matches(m, s->reference_kind, s->reference, a);
    if (!ahead && back) {
        turn(c);
    }
    *out = ahead || back;
    return *out && s->object_kind == DP_OBJECT_SITE ? dp_site_contains(out, d, s->object, c->point)
                                                    : DP_OK;
}

static double order_of(const dp_contact *c, dp_contact_reduction reduction, int place)
{
    return reduction == DP_CONTACT_REDUCTION_DEEPEST     ? c->start_gap
           : reduction == DP_CONTACT_REDUCTION_STRONGEST ? -dp_v3_norm(c->force)
                                                         : place;
}

// One in the place of all: the sum of their forces, in the axes of the world.
static dp_contact sum_of(const dp_contact *c, const dp_contact *sum, double *weight)
{
    const double share = dp_v3_norm(c->force), total = *weight + share;
    dp_contact out = *sum;
    *weight = total;
    const dp_v3 way = dp_v3_sub(c->point, sum->point);
    out.point = dp_v3_madd(sum->point, total > 0.0 ? share / total : 0.0, way);
    out.force = dp_v3_add(sum->force, c->force);
    out.torque =
        dp_v3_add(dp_v3_add(sum->torque, dp_v3_cross(dp_v3_sub(sum->point, out.point), sum->force)),
                  dp_v3_add(c->torque, dp_v3_cross(dp_v3_sub(c->point, out.point), c->force)));
    return out;
}

static dp_v3 in_frame(const dp_contact *c, dp_v3 x)
{
    return (dp_v3){dp_v3_dot(c->normal, x), dp_v3_dot(c->tangent[0], x),
                   dp_v3_dot(c->tangent[1], x)};
}

static void report(double *out, const dp_data *d, unsigned data, const dp_contact *c, int found)
{
    dp_put_number(&out, data, DP_CONTACT_FIELD_FOUND, found);
    dp_put_v3(&out, data, DP_CONTACT_FIELD_FORCE, in_frame(c, c->force));
    dp_put_v3(&out, data, DP_CONTACT_FIELD_TORQUE, in_frame(c, c->torque));
    dp_put_number(&out, data, DP_CONTACT_FIELD_DISTANCE, c->start_gap);
    dp_put_v3(&out, data, DP_CONTACT_FIELD_POINT, c->point);
    dp_put_v3(&out, data, DP_CONTACT_FIELD_NORMAL, c->normal);
    dp_put_v3(&out, data, DP_CONTACT_FIELD_TANGENT, c->tangent[0]);
    const unsigned motion = DP_CONTACT_FIELD_LINEAR_VELOCITY | DP_CONTACT_FIELD_ANGULAR_VELOCITY;
    if (data & motion) {
        const dp_twist a = dp_velocity_at(d, c->body[0].index, c->point);
        const dp_twist b = dp_velocity_at(d, c->body[1].index, c->point);
        const dp_v3 v = in_frame(c, dp_v3_sub(b.v, a.v)), w = in_frame(c, dp_v3_sub(b.w, a.w));
        dp_put_v3(&out, data, DP_CONTACT_FIELD_LINEAR_VELOCITY, v);
        dp_put_v3(&out, data, DP_CONTACT_FIELD_ANGULAR_VELOCITY, w);
    }
}

static dp_status sense_sum(double *out, const dp_data *d, const dp_sensor *s)
{
    const dp_v3 none = {0.0, 0.0, 0.0};
    dp_contact sum = {.normal = {1.0, 0.0, 0.0}, .tangent = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    sum.point = sum.force = sum.torque = none;
    double weight = 0.0;
    int found = 0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        dp_contact c = dp_data_contact(d, i);
        bool counts;
        DP_TRY(match(&counts, &c, d, s));
        if (counts) {
            ++found;
            sum = sum_of(&c, &sum, &weight);
        }
    }
    if (found > 0) {
        report(out, d, s->data, &sum, found);
    }
    return DP_OK;
}

// The next in the order of the sensor after what was reported last; false: there is none. Looked
// for anew each time, so that nothing is stored.
static dp_status find_next(bool *any, sensed *best, int *at, int *found, const dp_data *d,
                           const dp_sensor *s, const sensed *last, int last_at)
{
    *any = false;
    *found = 0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        sensed now = {.c = dp_data_contact(d, i)};
        bool counts;
        DP_TRY(match(&counts, &now.c, d, s));
        if (!counts) {
            continue;
        }
        ++*found;
        now.order = order_of(&now.c, s->reduction, i);
        const bool after =
            last_at < 0 || now.order > last->order || (now.order == last->order && i > last_at);
        if (after && (!*any || now.order < best->order)) {
            *best = now;
            *at = i;
            *any = true;
        }
    }
    return DP_OK;
}

dp_status dp_sense_contacts(double *out, const dp_data *d, const dp_sensor *s)
{
    memset(out, 0, (size_t)s->ndata * sizeof *out);
    if (s->reduction == DP_CONTACT_REDUCTION_SUM) {
        return sense_sum(out, d, s);
    }
    const int width = s->ndata / s->count;
    sensed last = {.order = 0.0};
    int last_at = -1;
    for (int slot = 0; slot < s->count; ++slot) {
        bool any;
        sensed next = last;
        int at = last_at, found;
        DP_TRY(find_next(&any, &next, &at, &found, d, s, &last, last_at));
        if (!any) {
            break;
        }
        report(out + slot * width, d, s->data, &next.c, found);
        last = next;
        last_at = at;
    }
    return DP_OK;
}
