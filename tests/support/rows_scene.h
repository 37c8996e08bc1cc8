// The rows of a mechanism at one moment, with kinematics of their own: no step, no law.
#ifndef DP_TESTS_ROWS_SCENE_H
#define DP_TESTS_ROWS_SCENE_H

#include "mechanism.h"
#include "random_spec.h"

#include "assemble/rows.h"

#include <dashpot/advanced/problem.h>

/// Everything that belongs to a configuration.
typedef struct scene_moment {
    double *q, *v;
    dp_kin kin;
    dp_tendon_set tendon;
    dp_moment at; // of the above
} scene_moment;

typedef struct rows_scene {
    mechanism x;
    const dp_model *m;
    dp_rows rows;
    scene_moment start, end;
    dp_transmission_set transmission;
    dp_drive_law *drive; // nu
    uint8_t *active;     // nequality
    dp_user_rows user;
    dp_rows_input in;
    dp_options options;
    int ncontact;        // room for so many points
    double *Mt, *v_free; // what dp_rows_problem is given: M̃ = 1, zeros
    void *memory;
    size_t bytes;
} rows_scene;

/// The rows of what the spec says, at its reference configuration, with step h. The spec is owned.
/// Limits, equalities, friction and tendons are allowed. @param user NULL: none
void rows_scene_begin(rows_scene *s, dp_spec *spec, double h, const dp_user_rows *user);
/// The same with room for contacts: in.touching is the caller's to set.
void rows_scene_begin_touching(rows_scene *s, dp_spec *spec, double h, int ncontact);
void rows_scene_end(rows_scene *s);

/// Bring a moment up to date with its q and v.
void rows_scene_place(rows_scene *s, scene_moment *at);
/// The end of a step from the start with velocities v: q ⊕ t v.
void rows_scene_advance(rows_scene *s, const double *v, double t);

/// Take in every limit, drive and foundation.
void rows_scene_take_all(rows_scene *s);
/// Make the rows and pose the problem.
dp_step_problem rows_scene_make(rows_scene *s);

/// φ̇ = G v of a row, v of the model.
double rows_scene_rate(const rows_scene *s, int row, const double *v);
/// The block of a row.
int rows_scene_block(const rows_scene *s, int row);
/// The block with that source, element and feature; −1: there is none.
int rows_scene_find(const rows_scene *s, dp_row_source source, int element, int feature);

/// A random mechanism (random_spec) with all kinds of rows: every joint limited and rubbing,
/// equalities of all kinds between random bodies, tendons through random joints and sites, servos
/// on joints.
dp_spec *random_rows_spec(uint64_t seed);
/// A random state at the start, velocities up to `speed`.
void rows_scene_randomise(rows_scene *s, random_source *r, double speed);

#endif
