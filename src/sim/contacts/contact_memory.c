// Memory of contacts, and what stays of geoms.
#include "geom/bounds.h"
#include "sim/contacts/contact_search.h"

#include <limits.h>
#include <string.h>

// What stays as it is.
static void describe_geoms(dp_contacts *c, const dp_model *m)
{
    for (int g = 0; g < m->size.ngeom; ++g) {
        const dp_pose *own = &m->geom[g].pose;
        dp_body_stand *stand = &c->stand[m->geom[g].body];
        const double radius = dp_has_shape(m, g) ? dp_shape_radius(&m->shape[g]) : 0.0;
        c->geom[g] = (dp_contact_geom){
            .radius = radius, .body = m->geom[g].body, .has_shape = dp_has_shape(m, g)};
        if (dp_has_shape(m, g)) {
            stand->arm = fmax(stand->arm, dp_v3_norm(own->p) + radius);
            stand->touches = stand->touches || dp_can_touch(m, g);
        }
    }
}

static bool may_touch(const void *context, int a, int b)
{
    return dp_may_touch(context, a, b);
}

// Cubes stacked face to face have thirteen neighbours each, counted once, and twelve points.
enum { USUAL = 16 };

// So many pairs of each geom, and no more than there can be.
static int usual_pairs(const dp_model_size *n)
{
    const long long usual = (long long)USUAL * n->ngeom + 64;
    const long long most = n->ntouch >= 0 && n->ntouch < usual ? n->ntouch : usual;
    return most > INT_MAX ? INT_MAX : (int)most;
}

dp_status dp_contacts_create(dp_data *d)
{
    const dp_model *m = d->model;
    dp_contacts *c = &d->contacts;
    const size_t ngeom = (size_t)m->size.ngeom, nbody = (size_t)m->size.nbody;
    dp_pool_init(&c->pool, &d->allocator);
    DP_TRY(dp_pool_take(&c->placed, &c->pool, ngeom, sizeof *c->placed));
    DP_TRY(dp_pool_take(&c->box, &c->pool, ngeom, sizeof *c->box));
    DP_TRY(dp_pool_take(&c->swept, &c->pool, ngeom, sizeof *c->swept));
    DP_TRY(dp_pool_take(&c->geom, &c->pool, ngeom, sizeof *c->geom));
    DP_TRY(dp_pool_take(&c->stand, &c->pool, nbody, sizeof *c->stand));
    describe_geoms(c, m);
    DP_TRY(dp_broad_create(&c->broad, m->size.ngeom, 0, may_touch, m, &d->allocator));
    const int pairs = usual_pairs(&m->size);
    const long long points = pairs == 0 ? 0 : (long long)USUAL * m->size.ngeom + 512;
    return dp_data_reserve_contacts(d, pairs, points > INT_MAX ? INT_MAX : (int)points);
}

void dp_contacts_destroy(dp_data *d)
{
    dp_contacts *c = &d->contacts;
    dp_release(&d->allocator, c->lists, 1, c->list_bytes);
    if (c->broad.allocator.release) {
        dp_broad_destroy(&c->broad);
    }
    dp_pool_destroy(&c->pool);
}

static void carve_lists(dp_contact_list list[2], dp_carver *at, int room)
{
    for (int i = 0; i < 2; ++i) {
        list[i].point = dp_carve(at, (size_t)room, sizeof *list->point);
        list[i].owner = dp_carve(at, (size_t)room, sizeof *list->owner);
        list[i].pair = dp_carve(at, (size_t)room, sizeof *list->pair);
    }
}

static void move_list(dp_contact_list *to, const dp_contact_list *from)
{
    to->npoint = from->npoint;
    to->npair = from->npair;
    to->outcome = from->outcome;
    if (from->npoint > 0) {
        memcpy(to->point, from->point, (size_t)from->npoint * sizeof *to->point);
        memcpy(to->owner, from->owner, (size_t)from->npoint * sizeof *to->owner);
        memcpy(to->pair, from->pair, (size_t)from->npair * sizeof *to->pair);
    }
}

dp_status dp_data_reserve_contacts(dp_data *d, int npair, int npoint)
{
    dp_contacts *c = &d->contacts;
    if (npair < 0 || npoint < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "room for %d pairs and %d points (expected numbers ≥ 0)",
                       npair, npoint);
    }
    DP_TRY(dp_broad_reserve(&c->broad, npair));
    if (npoint <= c->npoint) {
        return DP_OK;
    }
    dp_contact_list list[2] = {{.point = NULL}, {.point = NULL}};
    dp_carver at = {NULL, 0};
    carve_lists(list, &at, npoint);
    const size_t bytes = dp_carve_room(at.used);
    void *block;
    DP_TRY(dp_allocate_unset(&block, &d->allocator, 1, bytes));
    at = dp_carve_in(block, 0);
    carve_lists(list, &at, npoint);
    move_list(&list[0], &c->now);
    dp_release(&d->allocator, c->lists, 1, c->list_bytes);
    c->lists = block;
    c->list_bytes = bytes;
    c->now = list[0];
    c->next = list[1];
    c->npoint = npoint;
    return DP_OK;
}

dp_status dp_contacts_copy(dp_data *to, const dp_data *from)
{
    const dp_contacts *c = &from->contacts;
    DP_TRY(dp_data_reserve_contacts(to, c->broad.pair_capacity, c->npoint));
    to->contacts.filter = c->filter;
    to->contacts.filter_context = c->filter_context;
    return DP_OK;
}

dp_contact_room dp_data_contact_room(const dp_data *d)
{
    const dp_contacts *c = &d->contacts;
    return (dp_contact_room){c->broad.pair_capacity, c->npoint, c->needed_pairs, c->needed_points};
}

void dp_data_set_contact_filter(dp_data *d, dp_contact_filter filter, void *context)
{
    d->contacts.filter = filter;
    d->contacts.filter_context = context;
}
