// Boxes and balls on a floor, in a few lines.
#ifndef DP_TESTS_CONTACT_SCENE_H
#define DP_TESTS_CONTACT_SCENE_H

#include "mechanism.h"

#include <dashpot/contact.h>

/// What things are made of. Zeros beyond mu: rigid without damping.
typedef struct contact_stuff {
    double mu, torsion, roll; // friction, as in MJCF
    double stiffness;         // [N/m] of one geom; 0: rigid
    double damping;           // [N s/m]
    int condim;               // 0: 3
} contact_stuff;

/// A floor z = 0, rigid, with friction as given.
mechanism contact_scene_begin(contact_stuff floor, dp_v3 gravity, double h);
/// A body with a free joint at z = `height`. Boxes are cubes of edge 2·`half`, spheres have the
/// radius `half`.
dp_body_id contact_scene_add(mechanism *x, const char *name, dp_geom_kind kind, double half,
                             double mass, double height, contact_stuff stuff);

/// A ball of 2 kg that cannot turn, 0.1 m wide each way, `height` above the floor: q and v are
/// those of its centre. Compiled. @param restitution negative: none is given
mechanism contact_scene_slider(double mu, double h, double restitution, double height);

/// The sum of all normal forces [N].
double contact_scene_load(const dp_data *d);

#endif
