// Contacts of a state: geoms are placed, their boxes swept and paired, pairs looked at closely.
#ifndef DP_SIM_CONTACTS_H
#define DP_SIM_CONTACTS_H

#include "assemble/rows.h"
#include "collide/broad/broad_phase.h"
#include "geom/placed.h"
#include "model/model.h"

#include <dashpot/contact.h>

/// Two geoms that have contact points.
typedef struct dp_contact_pair {
    int geom[2];
    double margin;
} dp_contact_pair;

typedef struct dp_contact_list {
    dp_contact_point *point; // npoint
    int *owner;              // npoint: the pair that a point belongs to
    dp_contact_pair *pair;   // those with points
    int npoint, npair;
    dp_query_outcome outcome;
} dp_contact_list;

/// How the geoms of a body were placed, and whether their boxes in the broad phase are those of a
/// body that stands still.
typedef struct dp_body_stand {
    double arm;    // [m] from its origin to the furthest point of its geoms; infinite with planes
    bool touches;  // one of its geoms can
    bool placed;   // its geoms ever were
    bool moved;    // since then
    bool still;    // it does not move, nor did it when its boxes were put
    bool held;     // its boxes do for this search
    dp_pose X;     // where its geoms were placed
    double around; // [m] half the margin of its boxes
} dp_body_stand;

/// What stays of a geom, and every search looks at.
typedef struct dp_contact_geom {
    double
        radius; // of a ball around its origin that holds it; infinite for planes, 0 without shape
    int body;
    bool has_shape;
} dp_contact_geom;

/// What a simulation knows of its geoms. Memory of its own, beside that of the state.
typedef struct dp_contacts {
    dp_broad_phase broad; // boxes by the numbers of geoms
    dp_contact_filter filter;
    void *filter_context;

    // ngeom each, as of the last placing
    dp_placed *placed;
    dp_bounds *box;   // around it, there
    dp_bounds *swept; // around all of its way in the last search
    dp_contact_geom *geom;
    dp_body_stand *stand; // nbody
    dp_pool pool;         // of these
    bool again;           // bodies are where they were in the last search: points of its pairs stay

    int npoint;                // room, in each list
    dp_contact_list now, next; // the answer, and the one in the making
    void *lists;               // memory of both
    size_t list_bytes;
    int needed_pairs, needed_points;
} dp_contacts;

/// Make room for the geoms of d->model, and for some contacts.
dp_status dp_contacts_create(dp_data *d);
void dp_contacts_destroy(dp_data *d);
/// dp_find_contacts for a state that is sound and up to date, and bodies that may go as they do now
/// or as V says (nbody, at their origins; NULL: as they do now).
DP_NODISCARD dp_status dp_contacts_find(dp_data *d, const dp_contact_search *search,
                                        const dp_twist *V);
/// Might a geom of the bodies first … end − 1 that can touch something go elsewhere with V than as
/// it moves now, by more than `room` [m] within so many seconds?
bool dp_bodies_may_stray(const dp_data *d, const dp_twist *V, double seconds, double room,
                         int first, int end);
/// [m] The gap of a point of two geoms so many seconds later, if bodies move with V.
double dp_gap_after(const dp_data *d, const dp_contact_point *at, const int geom[2],
                    const dp_twist *V, double seconds);
/// Where a geom is, as of the last search.
dp_pose dp_contacts_pose(const dp_data *d, int g);
/// To a simulation of the same model: the filter and as much room.
dp_status dp_contacts_copy(dp_data *to, const dp_data *from);

#endif
