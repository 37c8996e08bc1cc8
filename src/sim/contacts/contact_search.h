// What the parts of a search for contacts share.
#ifndef DP_SIM_CONTACT_SEARCH_H
#define DP_SIM_CONTACT_SEARCH_H

#include "sim/data.h"

/// A search for contacts, of some geoms or pairs.
typedef struct dp_searching {
    dp_data *d;
    const dp_contact_search *search;
    const dp_twist *V; // of all bodies: they may go so, too; NULL: as they move now
    const dp_id_pair *near;
    const dp_contact_list *known; // what was found with bodies at the same places; NULL: nothing
    struct narrow *part;          // of the pairs
    int nparts, npair;
} dp_searching;

// So many geoms, or pairs of them, take as long as it takes to wake a thread, or longer.
enum { DP_GEOMS_WORTHWHILE = 64 };

/// Place the geoms, and put the boxes that hold them all through the search.
dp_status dp_geoms_settle(dp_searching *s);
/// Look at the pairs that are near, into d->contacts.next.
dp_status dp_pairs_look(const dp_searching *s);

/// The velocity of body b at p. @param V of all bodies; NULL: as they move now
static inline dp_twist dp_body_moves(const dp_data *d, const dp_twist *V, int b, dp_v3 p)
{
    const dp_link *link = &d->kin.link[b];
    return dp_twist_shift(V ? V[b] : link->V, dp_v3_sub(p, link->X.p));
}

#endif
