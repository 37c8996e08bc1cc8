// The laws of the pairs of geoms that touch: mixed once, and kept as long as materials and scales
// stay.
#ifndef DP_ASSEMBLE_CONTACT_LAWS_H
#define DP_ASSEMBLE_CONTACT_LAWS_H

#include "assemble/row_sources.h"
#include "model/combine_materials.h"

static inline bool dp_is_belt(const dp_geom *g)
{
    const dp_v3 v = g->contact.material.surface_velocity;
    return v.x != 0.0 || v.y != 0.0 || v.z != 0.0;
}

/// The stiffness of a contact by Hertz, (4/3) E* √r [N/m^{3/2}].
dp_status dp_contact_find_hertz(dp_touch_law *law, const dp_rows_input *in, const dp_touching *t);

/// What laws that were mixed are for: rigid or not, and the scales of now.
int dp_contact_made_for(const dp_rows *rows, const dp_rows_input *in);
void dp_contact_look_at_scales(dp_rows *rows, const dp_options *options);

/// @param place of the pair among those that touch. @param last law of the one before, −1: none
dp_status dp_contact_mix(dp_rows *rows, const dp_rows_input *in, const dp_touching *t, int place,
                         int last);

/// Is a pair in the place that it had in the last step, and its law as it was?
static inline bool dp_contact_is_mixed(const dp_rows *rows, const dp_touching *t, int place,
                                       int made)
{
    const dp_combined_pair *known = &rows->mixed_pair[place];
    return known->geom[0] == t->geom[0] && known->geom[1] == t->geom[1] && known->pair == t->pair &&
           known->made == made && known->version == rows->mixed[known->law].version;
}

#endif
