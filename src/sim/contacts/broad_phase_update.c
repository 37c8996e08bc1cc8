// Where geoms are, and the boxes that hold them all through a search.
#include "geom/bounds.h"
#include "geom/mesh/box_tree.h"
#include "sim/contacts/contact_search.h"
#include "sim/query/query.h"

#include <string.h>

dp_pose dp_contacts_pose(const dp_data *d, int g)
{
    const dp_pose *X = &d->contacts.stand[d->contacts.geom[g].body].X;
    return (dp_pose){dp_quat_mul(X->q, d->model->geom[g].pose.q), d->contacts.placed[g].p};
}

static double room_around(const dp_searching *s, int g)
{
    return s->d->model->reach[g] + 0.5 * s->search->margin;
}

// The box of a geom from now until so many seconds later, with room around it. A turn moves no
// point further than the turn times its distance from the origin; and no further than to the other
// side.
static dp_bounds sweep(const dp_data *d, const dp_twist *V, int g, double around, double seconds)
{
    const dp_contacts *c = &d->contacts;
    dp_bounds box = c->box[g];
    const dp_twist own = dp_body_moves(d, V, d->model->geom[g].body, c->placed[g].p);
    const dp_v3 way = dp_v3_scale(own.v, seconds);
    const double angle = seconds * dp_v3_norm(own.w), turn = angle < 2.0 ? angle : 2.0;
    const double wide = around + (turn > 0.0 ? turn * c->geom[g].radius : 0.0);
    box.low.x += (way.x < 0.0 ? way.x : 0.0) - wide;
    box.low.y += (way.y < 0.0 ? way.y : 0.0) - wide;
    box.low.z += (way.z < 0.0 ? way.z : 0.0) - wide;
    box.high.x += (way.x > 0.0 ? way.x : 0.0) + wide;
    box.high.y += (way.y > 0.0 ? way.y : 0.0) + wide;
    box.high.z += (way.z > 0.0 ? way.z : 0.0) + wide;
    return box;
}

// Whichever way it goes: as now, or as V says.
static dp_bounds sweep_both(const dp_data *d, const dp_twist *V, int g, double around,
                            double seconds)
{
    const dp_bounds now = sweep(d, NULL, g, around, seconds);
    return V ? dp_bounds_join(now, sweep(d, V, g, around, seconds)) : now;
}

// [m] How far from the origin a plane is along its normal, with room around it.
static double plane_offset(const dp_data *d, int g, dp_v3 normal, double around)
{
    const dp_v3 p = d->contacts.placed[g].p;
    // Of the sum that says how far below a box reaches: six roundings.
    const double round_off =
        0x1p-49 * (fabs(normal.x * p.x) + fabs(normal.y * p.y) + fabs(normal.z * p.z) + around);
    return dp_v3_dot(normal, p) + around + round_off;
}

// [m] How far a point of a body's geoms may go with this, at most.
static double way_of(const dp_body_stand *stand, const dp_twist *V, double seconds)
{
    const double turn = dp_v3_norm(V->w);
    return seconds * (dp_v3_norm(V->v) + (turn > 0.0 ? turn * stand->arm : 0.0));
}

static bool stands(dp_twist V)
{
    return dp_v3_dot(V.w, V.w) + dp_v3_dot(V.v, V.v) == 0.0;
}

// Which bodies have moved, and whose boxes hold: those of what stands still.
static dp_status look_at_bodies(void *job, int first, int end)
{
    const dp_searching *s = job;
    const dp_data *d = s->d;
    const double around = 0.5 * s->search->margin;
    for (int b = first; b < end; ++b) {
        dp_body_stand *stand = &d->contacts.stand[b];
        const dp_link *link = &d->kin.link[b];
        const bool still = stands(link->V) && (!s->V || stands(s->V[b]));
        stand->moved = !stand->placed || memcmp(&stand->X, &link->X, sizeof link->X) != 0;
        stand->held = !stand->moved && still && stand->still && around == stand->around;
        stand->X = link->X;
        stand->placed = true;
        stand->still = still;
        stand->around = around;
    }
    return DP_OK;
}

static dp_status sweep_geoms(void *job, int first, int end)
{
    const dp_searching *s = job;
    dp_data *d = s->d;
    for (int g = first; g < end; ++g) {
        const dp_contact_geom *geom = &d->contacts.geom[g];
        const dp_body_stand *stand = &d->contacts.stand[geom->body];
        if (!geom->has_shape) {
            continue;
        }
        if (stand->moved) {
            d->contacts.placed[g] =
                dp_place(&d->model->shape[g], dp_object_pose(d, DP_OBJECT_GEOM, g));
            d->contacts.box[g] = dp_placed_bounds_quick(&d->contacts.placed[g]);
        }
        if (!stand->held) {
            d->contacts.swept[g] = sweep_both(d, s->V, g, room_around(s, g), s->search->seconds);
        }
    }
    return DP_OK;
}

static dp_status put_geoms(const dp_searching *s)
{
    dp_data *d = s->d;
    const dp_model *m = d->model;
    dp_contacts *c = &d->contacts;
    for (int g = 0; g < m->size.ngeom; ++g) {
        const dp_body_stand *stand = &c->stand[c->geom[g].body];
        if (stand->held || !c->geom[g].has_shape) {
            continue;
        }
        const dp_broad_kind kind = !dp_can_touch(m, g)      ? DP_BROAD_QUIET
                                   : dp_is_fixed_geom(m, g) ? DP_BROAD_FIXED
                                                            : DP_BROAD_MOVING;
        if (m->shape[g].kind == DP_GEOM_PLANE && kind == DP_BROAD_FIXED) {
            const dp_v3 normal = dp_m3_column(&c->placed[g].R, 2);
            DP_TRY(dp_broad_put_plane(&c->broad, g, normal,
                                      plane_offset(d, g, normal, room_around(s, g))));
        } else {
            DP_TRY(dp_broad_put(&c->broad, g, kind, c->swept[g]));
        }
    }
    return DP_OK;
}

dp_status dp_geoms_settle(dp_searching *s)
{
    dp_data *d = s->d;
    dp_status status = dp_thread_pool_spread(d->workers, d->model->size.nbody, DP_GEOMS_WORTHWHILE,
                                             look_at_bodies, s);
    status = status != DP_OK ? status
                             : dp_thread_pool_spread(d->workers, d->model->size.ngeom,
                                                     DP_GEOMS_WORTHWHILE, sweep_geoms, s);
    status = status == DP_OK ? put_geoms(s) : status;
    for (int b = 0; status != DP_OK && b < d->model->size.nbody; ++b) { // who knows which
        d->contacts.stand[b].placed = false;
    }
    return status;
}

dp_status dp_place_geoms(dp_data *d)
{
    DP_TRY(dp_data_check(d));
    dp_data_refresh(d);
    const dp_contact_search here = {0.0, 0.0};
    dp_searching s = {.d = d, .search = &here};
    return dp_geoms_settle(&s);
}

bool dp_bodies_may_stray(const dp_data *d, const dp_twist *V, double seconds, double room,
                         int first, int end)
{
    const dp_model *m = d->model;
    bool may = false;
    for (int b = first; b < end && !may; ++b) {
        const dp_body_stand *stand = &d->contacts.stand[b];
        const dp_twist now = d->kin.link[b].V;
        const dp_twist change = {dp_v3_sub(V[b].w, now.w), dp_v3_sub(V[b].v, now.v)};
        may = m->body[b].tree >= 0 && stand->touches && !(way_of(stand, &change, seconds) <= room);
    }
    return may;
}
