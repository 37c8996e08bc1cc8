// Scenes of bodies that touch, as one table that every engine builds its own world from.
#ifndef CONTACT_TABLE_H
#define CONTACT_TABLE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum contact_shape {
    CONTACT_PLANE,  ///< z = 0 of a fixed body; no size
    CONTACT_SPHERE, ///< size[0]: radius
    CONTACT_BOX,    ///< size: half lengths
} contact_shape;

/// A shape on a body, along its axes.
typedef struct contact_geom {
    contact_shape shape;
    double size[3];     ///< [m]
    double position[3]; ///< [m] from the body's centre of mass
} contact_geom;

/// A rigid body, at rest and along the world's axes at first. Those that move come after all that
/// are fixed.
typedef struct contact_body {
    double mass;        ///< [kg]; 0: fixed
    double moments[3];  ///< [kg m²] about the centre of mass, along the axes
    double position[3]; ///< [m] of the centre of mass
    double force[3];    ///< [N] at the centre of mass, always
    double end[3];      ///< [m] where the law takes it by the end of the run; NAN: not known
    int geom, ngeom;    ///< the first of its geoms, and how many there are
} contact_body;

/// What is simulated. Surfaces are the same everywhere.
typedef struct contact_scene {
    char name[32];
    double h;          ///< [s]
    double seconds;    ///< [s] of a run
    double gravity[3]; ///< [m/s²]
    double friction;   ///< [1]
    double stiffness;  ///< [N/m] of a pair that touches
    double damping;    ///< [N s/m] the same
    bool springs;      ///< engines that know springs take these; otherwise they keep their defaults
    bool moves;        ///< its bodies are not meant to stay
    bool exact;        ///< Dashpot solves heaps to all digits, however they move
    double upright;    ///< [m] a body that overlaps more, or has left its place by more, has fallen
    double tolerance;  ///< [m] from `end`, for the time that accuracy takes
    int most_contacts; ///< room to be made by engines that must know it
    int links;         ///< > 0: no bodies, but a chain of so many links that lies on a floor
    bool tip_only;     ///< of which the last link alone can touch
    int nbody, nfixed, ngeom;
    contact_body *body;
    contact_geom *geom;
    char *text;           ///< MJCF of a mechanism; then there are no bodies above
    const char *keyframe; ///< where that starts
} contact_scene;

void contact_scene_free(contact_scene *scene);

/// Scenes of size n (ignored where there is one size only) with steps of h; 0: the scene's own.
/// False: no memory
typedef bool contact_generator(contact_scene *out, int n, double h);

contact_generator contact_stack;   ///< n balls on top of each other
contact_generator contact_pairs;   ///< n pairs of balls, far from each other
contact_generator contact_towers;  ///< n towers of four boxes, the same
contact_generator contact_ramp;    ///< a box on a slope that is pushed sideways; slides at 45°
contact_generator contact_wall;    ///< bricks: n courses
contact_generator contact_pyramid; ///< bricks: n in the lowest course, n courses
contact_generator contact_balls;   ///< balls that fall into a bin, n at most
contact_generator contact_feet;    ///< a cube on n small balls that are fixed to it
contact_generator contact_heavy;   ///< a box of n kg on one of 1 kg
contact_generator contact_hard;    ///< a box falls on a floor with springs of 1e11 N/m
contact_generator contact_chain;   ///< n links that lie on a floor
contact_generator contact_tip;     ///< the same, but only the last link touches

#ifdef __cplusplus
}
#endif
#endif
