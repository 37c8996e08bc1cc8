// What the parts of the generator share.
#ifndef AUDIT_DRAW_H
#define AUDIT_DRAW_H

#include "audit_kinematics.h"
#include "audit_random.h"
#include "audit_scene.h"

// What is common to a scene.
typedef struct audit_theme {
    audit_random r;
    double length, mass, speed, duration; // [m], [kg], [m/s], [s] usual ones
    double p_child;                       // a body hangs from the one before it
    double p_free;                        // a body that does not is free
    double p_joint_extra;                 // springs, limits … of a joint
    bool geoms, ground, round;            // round: for Hertz
    bool flat;                            // bodies are drawn upright
    bool spins;                           // free bodies may turn
    audit_material material;
    int condim;
    int nsupport; // geoms of the world that things can lie on
    int support[4];
} audit_theme;

// Numbers (audit_draw.c)
void audit_set3(double *x, double a, double b, double c);
void audit_set_identity(double *quat);
void audit_draw_direction(audit_random *r, double *x);
void audit_quat_about(double *quat, const double *axis, double angle);
void audit_draw_quaternion(audit_random *r, double *quat);
void audit_draw_attitude(audit_theme *t, double *quat);
void audit_draw_axis(audit_theme *t, double *axis);
void audit_draw_point(audit_theme *t, double *x, double reach);

// Materials, shapes and ground (audit_draw_shapes.c)
audit_material audit_draw_material(audit_theme *t);
void audit_draw_shape(audit_scene *s, audit_theme *t, int body, double size);
double audit_reach_of(const audit_scene *s, const audit_geom *g, v3 d);
double audit_body_reach(const audit_scene *s, int body, const m3 *R, v3 d);
void audit_draw_ground(audit_scene *s, audit_theme *t);

// Bodies, joints and how they start (audit_draw_bodies.c)
void audit_draw_range(audit_theme *t, bool ball, double q, double width, double range[2]);
audit_bearing audit_draw_bearing(audit_theme *t, double inertia);
void audit_draw_joint_limits(audit_scene *s, audit_theme *t);
void audit_draw_body(audit_scene *s, audit_theme *t);
void audit_set_reference(audit_scene *s);
void audit_draw_start(audit_scene *s, audit_theme *t, bool elsewhere);

// What acts on bodies and joints, and ties them to each other (audit_draw_couplings.c)
void audit_draw_tendon(audit_scene *s, audit_theme *t, audit_kinematics *k);
void audit_draw_equality(audit_scene *s, audit_theme *t, const audit_kinematics *described);
void audit_draw_actuator(audit_scene *s, audit_theme *t);
void audit_draw_force(audit_scene *s, audit_theme *t, const audit_kinematics *k);
void audit_draw_motions(audit_scene *s, audit_theme *t);
void audit_draw_pairs(audit_scene *s, audit_theme *t);

#endif
