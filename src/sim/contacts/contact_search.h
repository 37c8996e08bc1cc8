// What the parts of a search for contacts share.
#ifndef DP_SIM_CONTACT_SEARCH_H
#define DP_SIM_CONTACT_SEARCH_H

#include "sim/data.h"

#include <stdatomic.h>

/// A search for contacts, of some geoms or pairs.
typedef struct dp_searching {
    dp_data *d;
    const dp_contact_search *search;
    const dp_twist *V; // of all bodies: they may go so, too; NULL: as they move now
    const dp_id_pair *near;
    struct narrow *part; // of the pairs
    int nparts, npair;
    atomic_bool *loose; // a body is not within its box
} dp_searching;

// So many geoms, or pairs of them, take as long as it takes to wake a thread, or longer.
enum { DP_GEOMS_WORTHWHILE = 64 };

/// Place the geoms; the boxes that no longer hold them are put anew.
dp_status dp_geoms_settle(dp_searching *s);
/// The box of a geom within the search, as the broad phase would have it without ease.
dp_bounds dp_swept_bounds(const dp_searching *s, int g);
/// How far from the origin a plane is along its normal, with room around it [m].
double dp_plane_offset(const dp_data *d, int g, double around);
/// Look at the pairs that are near, into d->contacts.next.
dp_status dp_pairs_look(const dp_searching *s);

static inline bool dp_can_touch(const dp_model *m, int g)
{
    return m->geom[g].contype != 0 || m->geom[g].conaffinity != 0 || m->paired[g];
}

static inline bool dp_is_fixed_geom(const dp_model *m, int g)
{
    return m->weld[m->geom[g].body] == 0;
}

/// The velocity of body b at p. @param V of all bodies; NULL: as they move now
static inline dp_twist dp_body_moves(const dp_data *d, const dp_twist *V, int b, dp_v3 p)
{
    const dp_link *link = &d->kin.link[b];
    return dp_twist_shift(V ? V[b] : link->V, dp_v3_sub(p, link->X.p));
}

static inline dp_v3 dp_plane_normal(const dp_data *d, int g)
{
    return dp_m3_column(&d->contacts.placed[g].R, 2);
}

static inline double dp_room_around(const dp_searching *s, int g)
{
    return s->d->model->reach[g] + 0.5 * s->search->margin;
}

#endif
