// What each source of rows can do; rows.c calls them in the order of dp_row_source.
//
// make: append its blocks. room: add what it may need at most. gap: φ of one block at another
// moment, for the rows that are not linear in v. wrench: what forces λ of one block do to bodies by
// themselves.
#ifndef DP_CONSTRAINT_ROW_SOURCES_H
#define DP_CONSTRAINT_ROW_SOURCES_H

#include "assemble/block.h"

// ---- equality_rows.c

void dp_equality_room(dp_rows_room *room, const dp_model *m);
void dp_equality_make(dp_rows *rows, const dp_rows_input *in);
/// @param phi one value per row of the block
void dp_equality_gap(double *phi, const dp_rows_input *in, int equality, const dp_moment *at);
void dp_equality_wrench(dp_wrench *wrench, const dp_rows_input *in, int equality,
                        const double *lambda);
/// The tension of a tendon by the force of an equality; 0 where it does not hold that tendon.
double dp_equality_tension(const dp_rows_input *in, int equality, int tendon, double lambda);

// ---- limit_rows.c

bool dp_limits_possible(const dp_model *m);
void dp_joint_limit_room(dp_rows_room *room, const dp_model *m);
void dp_tendon_limit_room(dp_rows_room *room, const dp_model *m);
/// Take in the ends that would be passed at the end of a step with velocities v.
void dp_limits_expect(dp_rows *rows, const dp_rows_input *in, const double *v);
/// Take in the ends that are passed at `end`. @return how many are new
int dp_limits_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end);
void dp_joint_limit_make(dp_rows *rows, const dp_rows_input *in);
void dp_tendon_limit_make(dp_rows *rows, const dp_rows_input *in);
/// @param feature DP_LOWER or DP_UPPER
double dp_joint_limit_gap(const dp_rows_input *in, int joint, int feature, const dp_moment *at);
double dp_tendon_limit_gap(const dp_rows_input *in, int tendon, int feature, const dp_moment *at);

enum { DP_LOWER = 0, DP_UPPER = 1 };

// ---- tendon_rows.c

/// Add scale · gradient of a tendon's length to a row of the open block.
void dp_tendon_add(dp_rows *rows, int row, double scale, const dp_tendon_set *set, int tendon);

void dp_tendon_spring_room(dp_rows_room *room, const dp_model *m);
void dp_tendon_spring_make(dp_rows *rows, const dp_rows_input *in);
double dp_tendon_spring_gap(const dp_rows_input *in, int tendon, int feature, const dp_moment *at);

/// A force λ of a tendon's row pulls with tension sign · λ.
double dp_tendon_pull_sign(dp_row_source source, int feature);

// ---- friction_rows.c

bool dp_joint_friction_possible(const dp_model *m);
void dp_joint_friction_room(dp_rows_room *room, const dp_model *m);
/// A limit pushed at an end of a joint's range: leave its friction out if the joint rests there.
void dp_joint_friction_rest(dp_rows *rows, const dp_rows_input *in, int joint, int feature);
/// Take in what was left out of joints that do not rest at `end`. @return how many
int dp_joint_friction_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end);
void dp_joint_friction_make(dp_rows *rows, const dp_rows_input *in);
void dp_tendon_friction_room(dp_rows_room *room, const dp_model *m);
void dp_tendon_friction_make(dp_rows *rows, const dp_rows_input *in);

// ---- drive_rows.c

/// May the actuator become a row: does its force depend on length or velocity?
bool dp_drive_possible(const dp_actuator *a);
void dp_drive_room(dp_rows_room *room, const dp_model *m);
/// Put the drives whose force at velocities v is beyond its range at the end of it.
void dp_drive_expect(dp_rows *rows, const dp_rows_input *in, const double *v);
/// Is an impulse of the last step at an end of the drive's range?
bool dp_drive_is_at_end(const dp_rows_input *in, int u, double gamma);
void dp_drive_make(dp_rows *rows, const dp_rows_input *in);

// ---- motion_rows.c

void dp_motion_room(dp_rows_room *room, const dp_model *m);
void dp_motion_make(dp_rows *rows, const dp_rows_input *in);
/// Of a ball, at the end of the step. @param phi three values
void dp_motion_gap(double *phi, const dp_rows_input *in, int motion, const dp_moment *end);

// ---- user_rows.c

DP_NODISCARD dp_status dp_user_make(dp_rows *rows, const dp_rows_input *in);
DP_NODISCARD dp_status dp_user_gap(double *phi, dp_rows *rows, const dp_rows_input *in, int index);

// ---- foundation_rows.c

void dp_foundation_room(dp_rows_room *room, const dp_model *m);
/// Take in the foundation where one of its springs pushed. @param gamma count impulses
void dp_foundation_recall(dp_rows *rows, int foundation, int count, const double *gamma);
/// Take in those that would reach their plane in a step with velocities v.
void dp_foundation_expect(dp_rows *rows, const dp_rows_input *in, const double *v);
/// Take in those that are below their plane at `end`. @return how many are new
int dp_foundation_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end);
void dp_foundation_make(dp_rows *rows, const dp_rows_input *in);
/// @param phi one value per spring
void dp_foundation_gap(double *phi, int foundation, const dp_moment *at);
void dp_foundation_wrench(dp_wrench *wrench, const dp_rows_input *in, int foundation,
                          const double *lambda);

// ---- lift_rows.c

void dp_lift_carve(dp_rows *rows, dp_carver *c, const dp_model *m);
/// Could the blocks that there are, and contacts, be about links of one long tree?
bool dp_lift_is_possible(const dp_rows *rows, const dp_rows_input *in);
/// The last block, of a contact of two bodies, has its place: note which of them moves.
void dp_lift_reserved(dp_rows *rows, const dp_model *m, const int body[2]);
/// The rows of a contact block, whose place is reserved, about its link.
void dp_lift_contact(dp_rows *rows, const dp_rows_input *in, int block, const dp_v3 direction[3]);
/// tau (nv of the model) += Gᵀ λ of a block
void dp_lift_add_block(double *tau, const dp_rows *rows, int block, const double *lambda);

// ---- contact_rows.c

/// Room for so many points.
void dp_contact_room_for(dp_rows_room *room, const dp_model *m, int most);
DP_NODISCARD dp_status dp_contact_make(dp_rows *rows, const dp_rows_input *in);
/// @param nrow of the block of contact point `contact`
void dp_contact_wrench(dp_wrench *wrench, const dp_rows *rows, const dp_rows_input *in, int contact,
                       int nrow, const double *lambda);

#endif
