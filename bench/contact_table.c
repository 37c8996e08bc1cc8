#include "contact_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double G = 9.81;          // [m/s²]
static const double RELAXATION = 1e-3; // [s] damping over stiffness of all surfaces: little rebound

void contact_scene_free(contact_scene *scene)
{
    free(scene->body);
    free(scene->geom);
    free(scene->text);
    *scene = (contact_scene){0};
}

// A scene without bodies, with room for so many bodies and geoms.
static bool begin(contact_scene *out, double h, const char *name, int nbody, int ngeom)
{
    *out = (contact_scene){
        .h = h, .gravity = {0.0, 0.0, -G}, .friction = 0.5, .upright = 0.025, .tolerance = 1e-4};
    snprintf(out->name, sizeof out->name, "%s", name);
    out->body = calloc((size_t)nbody, sizeof *out->body);
    out->geom = calloc((size_t)ngeom, sizeof *out->geom);
    if (!out->body || !out->geom) {
        contact_scene_free(out);
        return false;
    }
    return true;
}

static void set_stiffness(contact_scene *s, double stiffness)
{
    s->stiffness = stiffness;
    s->damping = RELAXATION * stiffness;
}

static contact_body *add_body(contact_scene *s, double mass, double x, double y, double z)
{
    contact_body *b = &s->body[s->nbody++];
    *b = (contact_body){.mass = mass, .position = {x, y, z}, .end = {x, y, z}, .geom = s->ngeom};
    s->nfixed += mass == 0.0;
    return b;
}

// To the body that was added last.
static void add_geom(contact_scene *s, contact_geom geom)
{
    s->geom[s->ngeom++] = geom;
    ++s->body[s->nbody - 1].ngeom;
}

static void add_floor(contact_scene *s)
{
    add_body(s, 0.0, 0.0, 0.0, 0.0);
    add_geom(s, (contact_geom){.shape = CONTACT_PLANE});
}

static void add_ball(contact_scene *s, double radius, double density, double x, double y, double z)
{
    const double mass = density * 4.0 / 3.0 * PI * radius * radius * radius;
    contact_body *b = add_body(s, mass, x, y, z);
    b->moments[0] = b->moments[1] = b->moments[2] = 0.4 * mass * radius * radius;
    add_geom(s, (contact_geom){.shape = CONTACT_SPHERE, .size = {radius}});
}

// The moments of a solid box of half lengths a.
static void set_box_moments(contact_body *b, const double a[3])
{
    for (int i = 0; i < 3; ++i) {
        const double u = a[(i + 1) % 3], w = a[(i + 2) % 3];
        b->moments[i] = b->mass / 3.0 * (u * u + w * w);
    }
}

static contact_body *add_box(contact_scene *s, const double a[3], double mass, double x, double y,
                             double z)
{
    contact_body *b = add_body(s, mass, x, y, z);
    set_box_moments(b, a);
    add_geom(s, (contact_geom){.shape = CONTACT_BOX, .size = {a[0], a[1], a[2]}});
    return b;
}

// The ball that was added last yields to its load of n balls, and to what those below it do when
// there are so many.
static void sink_on(contact_scene *s, int below, int n)
{
    contact_body *b = &s->body[s->nbody - 1];
    const double sink = b->mass * G * n / s->stiffness;
    b->end[2] -= sink + (below > 0 ? b[-1].position[2] - b[-1].end[2] : 0.0);
}

bool contact_stack(contact_scene *out, int n, double h)
{
    const double radius = 0.05, density = 1000.0;
    char name[32];
    snprintf(name, sizeof name, "stack_%d", n);
    if (!begin(out, h > 0.0 ? h : 0.01, name, n + 1, n + 1)) {
        return false;
    }
    out->seconds = 5.0;
    out->most_contacts = 2 * n + 10;
    set_stiffness(out, 1e10);
    add_floor(out);
    for (int i = 0; i < n; ++i) {
        add_ball(out, radius, density, 0.0, 0.0, radius + 2.0 * radius * i);
        sink_on(out, i, n - i);
    }
    return true;
}

bool contact_pairs(contact_scene *out, int n, double h)
{
    const double radius = 0.05, density = 1000.0, far = 0.5;
    char name[32];
    snprintf(name, sizeof name, "pairs_%d", n);
    if (!begin(out, h > 0.0 ? h : 0.01, name, 2 * n + 1, 2 * n + 1)) {
        return false;
    }
    const int side = (int)ceil(sqrt((double)n));
    out->seconds = 1.0;
    out->most_contacts = 4 * n + 10;
    set_stiffness(out, 1e10);
    add_floor(out);
    for (int i = 0; i < 2 * n; ++i) {
        const int k = i / 2;
        add_ball(out, radius, density, far * (k % side), far * (k / side),
                 i % 2 ? 3.0 * radius : radius);
        sink_on(out, i % 2, 2 - i % 2);
    }
    return true;
}

bool contact_towers(contact_scene *out, int n, double h)
{
    enum { HIGH = 4 };
    const double half[3] = {0.1, 0.1, 0.1}, mass = 8.0, far = 0.5;
    char name[32];
    snprintf(name, sizeof name, "towers_%d", n);
    if (!begin(out, h > 0.0 ? h : 0.01, name, HIGH * n + 1, HIGH * n + 1)) {
        return false;
    }
    const int side = (int)ceil(sqrt((double)n));
    out->seconds = 1.0;
    out->most_contacts = 4 * HIGH * n + 10;
    set_stiffness(out, 1e8);
    add_floor(out);
    for (int i = 0; i < HIGH * n; ++i) {
        const int k = i / HIGH;
        add_box(out, half, mass, far * (k % side), far * (k / side),
                (2 * (i % HIGH) + 1) * half[2]);
    }
    return true;
}

bool contact_ramp(contact_scene *out, int n, double h)
{
    (void)n;
    const double half[3] = {0.1, 0.1, 0.05}, mass = 1.0, slope = 20.0 * PI / 180.0;
    if (!begin(out, h > 0.0 ? h : 0.01, "ramp", 2, 2)) {
        return false;
    }
    out->seconds = 2.0;
    out->friction = 0.48;
    out->most_contacts = 20;
    out->gravity[0] = G * sin(slope); // the floor is level and down is aslant: the same motion
    out->gravity[2] = -G * cos(slope);
    set_stiffness(out, 1e8);
    add_floor(out);
    contact_body *b = add_box(out, half, mass, 0.0, 0.0, half[2]);
    b->force[1] = mass * out->gravity[0]; // as much sideways: 45° between the axes
    // Coulomb's friction against the motion; what a method with the velocity first makes of it.
    const double rate = out->gravity[0] + out->friction * out->gravity[2] / sqrt(2.0);
    const double steps = round(out->seconds / out->h);
    b->end[0] = b->end[1] = 0.5 * rate * out->h * out->h * steps * (steps + 1.0);
    b->end[2] += mass * out->gravity[2] / out->stiffness;
    out->moves = true;
    out->tolerance = 0.01 * b->end[0];
    return true;
}

static const double BRICK[3] = {0.1, 0.05, 0.05}; // [m] half lengths
static const double CLAY = 1800.0;                // [kg/m³]

static void add_brick(contact_scene *s, double half_length, double x, double z)
{
    const double half[3] = {half_length, BRICK[1], BRICK[2]};
    add_box(s, half, 8.0 * CLAY * half[0] * half[1] * half[2], x, 0.0, z);
}

static void set_masonry(contact_scene *s)
{
    s->seconds = 2.0;
    s->friction = 0.6;
    s->most_contacts = 10 * s->nbody + 100;
    set_stiffness(s, 1e8);
}

// Every second course begins and ends with half a brick.
bool contact_wall(contact_scene *out, int n, double h)
{
    enum { LENGTH = 10 };
    const double joint = 0.001; // [m] of air
    const int bricks = LENGTH * n + n / 2;
    char name[32];
    snprintf(name, sizeof name, "wall_%d", bricks);
    if (!begin(out, h > 0.0 ? h : 1.0 / 240.0, name, bricks + 1, bricks + 1)) {
        return false;
    }
    const double pitch = 2.0 * BRICK[0] + joint;
    add_floor(out);
    for (int course = 0; course < n; ++course) {
        const double z = BRICK[2] * (2 * course + 1);
        const bool odd = course % 2 == 1;
        for (int i = 0; i < LENGTH - odd; ++i) {
            add_brick(out, BRICK[0], pitch * (i + 0.5 * odd), z);
        }
        if (odd) { // ends flush with the courses above and below
            const double half = 0.5 * (BRICK[0] - 0.5 * joint);
            add_brick(out, half, -BRICK[0] + half, z);
            add_brick(out, half, pitch * (LENGTH - 1) + BRICK[0] - half, z);
        }
    }
    set_masonry(out);
    return true;
}

bool contact_pyramid(contact_scene *out, int n, double h)
{
    const double pitch = 2.0 * BRICK[0] + 0.01;
    const int bricks = n * (n + 1) / 2;
    char name[32];
    snprintf(name, sizeof name, "pyramid_%d", bricks);
    if (!begin(out, h > 0.0 ? h : 1.0 / 240.0, name, bricks + 1, bricks + 1)) {
        return false;
    }
    add_floor(out);
    for (int course = 0; course < n; ++course) {
        for (int i = 0; i < n - course; ++i) {
            add_brick(out, BRICK[0], pitch * (i + 0.5 * course), BRICK[2] * (2 * course + 1));
        }
    }
    set_masonry(out);
    return true;
}

// As scenes/contact/balls_in_bin.xml: layers of 36, each turned against the one below, so that they
// do not stack.
bool contact_balls(contact_scene *out, int n, double h)
{
    const double radius = 0.05, pitch = 0.11, turn = 31.0 * PI / 180.0;
    if (!begin(out, h > 0.0 ? h : 0.005, "balls", n + 5, n + 5)) {
        return false;
    }
    out->moves = true;
    out->seconds = 2.0;
    out->most_contacts = 3 * n + 50;
    set_stiffness(out, 1e7);
    add_floor(out);
    for (int i = 0; i < 4; ++i) { // walls: inner faces at ±0.5
        const double sign = i % 2 ? -1.0 : 1.0;
        const double x = i < 2 ? 0.55 * sign : 0.0, y = i < 2 ? 0.0 : 0.55 * sign;
        add_body(out, 0.0, x, y, 0.75);
        add_geom(out, (contact_geom){.shape = CONTACT_BOX,
                                     .size = {i < 2 ? 0.05 : 0.5, i < 2 ? 0.6 : 0.05, 0.75}});
    }
    for (int i = 0; i < n; ++i) {
        const int layer = i / 36, place = i % 36;
        const double c = cos(turn * layer), s = sin(turn * layer);
        const double x = pitch * (place % 6 - 2.5), y = pitch * (place / 6 - 2.5);
        add_ball(out, radius, 1000.0, c * x - s * y, s * x + c * y, 0.06 + pitch * layer);
        out->body[out->nbody - 1].end[0] = (double)NAN;
    }
    return true;
}

bool contact_feet(contact_scene *out, int n, double h)
{
    const double half[3] = {0.5, 0.5, 0.5}, radius = 0.002, mass = 8.0;
    const int side = (int)ceil(sqrt((double)n));
    char name[32];
    snprintf(name, sizeof name, "cube_%d", n);
    if (!begin(out, h > 0.0 ? h : 0.01, name, 2, n + 1)) {
        return false;
    }
    out->seconds = 1.0;
    out->most_contacts = n + 100;
    set_stiffness(out, 1e5);
    add_floor(out);
    set_box_moments(add_body(out, mass, 0.0, 0.0, half[2]), half);
    for (int i = 0; i < n; ++i) {
        const double x = (i % side + 0.5) / side - 0.5, y = (i / side + 0.5) / side - 0.5;
        add_geom(out, (contact_geom){
                          .shape = CONTACT_SPHERE,
                          .size = {radius},
                          .position = {2.0 * half[0] * x, 2.0 * half[1] * y, radius - half[2]}});
    }
    if (side * side == n) { // otherwise it tilts
        out->body[1].end[2] -= mass * G / (n * out->stiffness);
    }
    return true;
}

bool contact_heavy(contact_scene *out, int n, double h)
{
    const double half[3] = {0.05, 0.05, 0.05};
    char name[32];
    snprintf(name, sizeof name, "heavy_%d", n);
    if (!begin(out, h > 0.0 ? h : 0.01, name, 3, 3)) {
        return false;
    }
    out->seconds = 5.0;
    out->most_contacts = 50;
    set_stiffness(out, 1e11);
    add_floor(out);
    contact_body *light = add_box(out, half, 1.0, 0.0, 0.0, half[2]);
    contact_body *heavy = add_box(out, half, n, 0.0, 0.0, 3.0 * half[2]);
    light->end[2] -= (n + 1.0) * G / out->stiffness;
    heavy->end[2] -= (2.0 * n + 1.0) * G / out->stiffness;
    return true;
}

bool contact_hard(contact_scene *out, int n, double h)
{
    (void)n;
    const double half[3] = {0.05, 0.05, 0.05}, above = 0.01;
    if (!begin(out, h > 0.0 ? h : 0.01, "hard_1e11", 2, 2)) {
        return false;
    }
    out->seconds = 5.0;
    out->most_contacts = 20;
    out->springs = true;
    set_stiffness(out, 1e11);
    add_floor(out);
    add_box(out, half, 1.0, 0.0, 0.0, half[2] + above)->end[2] = half[2] - G / out->stiffness;
    return true;
}

static bool make_chain(contact_scene *out, double h, const char *what, int n)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", what, n);
    if (!begin(out, h > 0.0 ? h : 0.01, name, 1, 1)) {
        return false;
    }
    out->seconds = 1.0;
    out->links = n;
    set_stiffness(out, 1e7);
    return true;
}

bool contact_chain(contact_scene *out, int n, double h)
{
    return make_chain(out, h, "chain", n);
}

bool contact_tip(contact_scene *out, int n, double h)
{
    const bool made = make_chain(out, h, "tip", n);
    out->tip_only = true;
    return made;
}
