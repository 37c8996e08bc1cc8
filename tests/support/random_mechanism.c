#include "random_mechanism.h"

#include "test_random.h"

#include <dashpot/base.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BODIES = 64, MAX_JOINTS_OF_BODY = 3, MAX_JOINTS = MAX_BODIES * MAX_JOINTS_OF_BODY };

typedef enum joint_kind { JOINT_FREE, JOINT_BALL, JOINT_HINGE, JOINT_SLIDE } joint_kind;

static const char *const joint_kind_name[] = {"free", "ball", "hinge", "slide"};

typedef struct joint {
    joint_kind kind;
    char name[16];
} joint;

typedef struct writer {
    random_source random;
    random_mechanism_options options;
    char *text;
    size_t length, capacity;
    double angle_unit; // how many of the file's angle units make one radian
    bool unbalanced;   // given moments may violate the triangle inequality
    bool from_geoms;   // given inertias do not count
    bool grouped;      // geoms of groups 2 and 3 do not count
    int nbody;
    int parent[MAX_BODIES]; // −1: the world
    int ngeom[MAX_BODIES];  // geoms that have names: "g<body>_<k>"
    int nsite[MAX_BODIES];  // "s<body>_<k>"
    joint joints[MAX_JOINTS];
    int njoint, nactuator, nactivation;
    // For tendons: sites "t<k>" anywhere; spheres and cylinders "w<k>" with a site "c<k>" inside
    int nstation, nobstacle, ntendon;
} writer;

random_mechanism_options random_mechanism_default(uint64_t seed)
{
    return (random_mechanism_options){.seed = seed, .max_bodies = 20};
}

// --- text

static void put(writer *w, const char *format, ...) DP_PRINTF(2, 3);
static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const size_t needed = (size_t)vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (w->length + needed + 1 > w->capacity) {
        w->capacity = 2 * (w->length + needed + 1);
        w->text = realloc(w->text, w->capacity);
        if (w->text == NULL) {
            exit(EXIT_FAILURE);
        }
    }
    vsnprintf(w->text + w->length, needed + 1, format, again);
    va_end(again);
    w->length += needed;
}

/// ` name="x0 x1 …"` with all digits.
static void put_numbers(writer *w, const char *name, int n, const double *x)
{
    put(w, " %s=\"", name);
    for (int i = 0; i < n; ++i) {
        put(w, i == 0 ? "%.17g" : " %.17g", x[i]);
    }
    put(w, "\"");
}

static void put_number(writer *w, const char *name, double x)
{
    put_numbers(w, name, 1, &x);
}

static double between(writer *w, double lo, double hi)
{
    return random_between(&w->random, lo, hi);
}

static bool chance(writer *w, double probability)
{
    return random_chance(&w->random, probability);
}

static int below(writer *w, int n)
{
    return random_below(&w->random, n);
}

static void put_between(writer *w, const char *name, double lo, double hi)
{
    put_number(w, name, between(w, lo, hi));
}

static void put_vector(writer *w, const char *name, double size)
{
    const double x[3] = {between(w, -size, size), between(w, -size, size), between(w, -size, size)};
    put_numbers(w, name, 3, x);
}

static void put_range(writer *w, const char *name, double size)
{
    const double x[2] = {between(w, -size, -0.1 * size), between(w, 0.1 * size, size)};
    put_numbers(w, name, 2, x);
}

/// One of the five ways to turn a frame, or none.
static void put_orientation(writer *w)
{
    double x[6];
    switch (below(w, 6)) {
    case 0:
        random_direction(x, 4, &w->random);
        for (int i = 0; i < 4; ++i) {
            x[i] *= 1.7; // need not be a unit quaternion
        }
        put_numbers(w, "quat", 4, x);
        break;
    case 1:
        random_direction(x, 3, &w->random);
        x[3] = between(w, -3.0, 3.0) * w->angle_unit;
        put_numbers(w, "axisangle", 4, x);
        break;
    case 2:
        for (int i = 0; i < 3; ++i) {
            x[i] = between(w, -3.0, 3.0) * w->angle_unit;
        }
        put_numbers(w, "euler", 3, x);
        break;
    case 3: // neither of unit length nor at right angles
        random_direction(x, 3, &w->random);
        do {
            random_direction(x + 3, 3, &w->random);
        } while (fabs(x[0] * x[3] + x[1] * x[4] + x[2] * x[5]) > 0.9);
        for (int i = 0; i < 6; ++i) {
            x[i] *= 0.6;
        }
        put_numbers(w, "xyaxes", 6, x);
        break;
    case 4:
        random_direction(x, 3, &w->random);
        put_numbers(w, "zaxis", 3, x);
        break;
    default:
        break;
    }
}

// --- settings and defaults

static void put_settings(writer *w)
{
    static const char *const sequence[] = {"xyz", "XYZ", "zyx", "ZYX", "zxz", "XyZ", "yxY"};
    const bool degree = chance(w, 0.5);
    w->angle_unit = degree ? 180.0 / 3.14159265358979323846 : 1.0;
    put(w, "  <compiler angle=\"%s\" eulerseq=\"%s\"", degree ? "degree" : "radian",
        sequence[below(w, 7)]);
    if (chance(w, 0.2)) {
        put(w, " boundmass=\"0.2\" boundinertia=\"0.002\"");
    }
    if (chance(w, 0.1)) {
        put_between(w, "settotalmass", 5.0, 50.0);
    }
    w->unbalanced = chance(w, 0.1);
    if (w->unbalanced) {
        put(w, " balanceinertia=\"true\"");
    }
    w->from_geoms = chance(w, 0.1);
    if (w->from_geoms) {
        put(w, " inertiafromgeom=\"true\"");
    }
    w->grouped = chance(w, 0.1);
    if (w->grouped) {
        put(w, " inertiagrouprange=\"0 1\"");
    }
    put(w, "/>\n  <option timestep=\"0.002\"");
    put_vector(w, "gravity", 10.0);
    put_vector(w, "magnetic", 0.5);
    put(w, ">\n    <flag contact=\"disable\"");
    if (chance(w, 0.1)) {
        put(w, " gravity=\"disable\"");
    }
    if (chance(w, 0.1)) {
        put(w, " passive=\"disable\"");
    }
    if (chance(w, 0.1)) {
        put(w, " actuation=\"disable\"");
    }
    if (chance(w, 0.1)) {
        put(w, " clampctrl=\"disable\"");
    }
    put(w, "/>\n  </option>\n");
}

/// All kinds of actuators share one set of defaults: what a <position> sets there, a <general>
/// gets.
static void put_actuator_default(writer *w)
{
    switch (below(w, 4)) {
    case 0:
        put(w, "<motor");
        put_between(w, "gear", -3.0, 3.0);
        break;
    case 1:
        put(w, "<position");
        put_between(w, "kp", 0.5, 10.0);
        break;
    case 2:
        put(w, "<velocity");
        put_between(w, "kv", 0.1, 2.0);
        break;
    default: {
        const double prm[3] = {between(w, -3.0, 3.0), between(w, -3.0, 3.0), between(w, -1.0, 0.0)};
        put(w, "<general biastype=\"affine\" gaintype=\"affine\"");
        put_numbers(w, "gainprm", 3, prm);
        put_numbers(w, "biasprm", 3, prm);
        break;
    }
    }
    put(w, "/>\n");
}

/// Classes: main ⊃ heavy ⊃ springy; main ⊃ slim. A property set in an outer class reaches the inner
/// ones.
static void put_defaults(writer *w)
{
    put(w, "  <default>\n    <joint");
    put_between(w, "damping", 0.0, 0.2);
    put(w, "/>\n    <geom");
    put_between(w, "density", 500.0, 2000.0);
    put(w, "/>\n    <default class=\"heavy\">\n      <geom");
    put_between(w, "density", 2000.0, 4000.0);
    put(w, "/>\n      <joint");
    put_between(w, "armature", 0.05, 0.5);
    put(w, " type=\"%s\"/>\n      ", chance(w, 0.5) ? "slide" : "hinge");
    put_actuator_default(w);
    put(w, "      <default class=\"springy\">\n        <joint");
    put_between(w, "stiffness", 1.0, 20.0);
    put_between(w, "springref", -0.5, 0.5);
    put_between(w, "damping", 0.0, 1.0);
    put(w, "/>\n      </default>\n    </default>\n    <default class=\"slim\">\n      <geom");
    put(w, " type=\"capsule\"");
    const double size[2] = {between(w, 0.03, 0.06), between(w, 0.1, 0.3)};
    put_numbers(w, "size", 2, size);
    put(w, "/>\n      <joint");
    put_vector(w, "axis", 1.0);
    put(w, "/>\n      <site");
    put_vector(w, "pos", 0.2);
    put(w, "/>\n      ");
    put_actuator_default(w);
    put(w, "    </default>\n  </default>\n");
}

static void put_class(writer *w, const char *attribute, double probability)
{
    static const char *const name[] = {"heavy", "springy", "slim", "main"};
    if (chance(w, probability)) {
        put(w, " %s=\"%s\"", attribute, name[below(w, 4)]);
    }
}

// --- bodies

/// Moments of inertia of some distribution of mass: a sum of two second moments each.
static void draw_moments(double *I, writer *w)
{
    const double a = between(w, 0.001, 0.05), b = between(w, 0.001, 0.05),
                 c = between(w, 0.001, 0.05);
    I[0] = b + c;
    I[1] = a + c;
    I[2] = a + b + (w->unbalanced && chance(w, 0.3) ? 0.2 : 0.0);
}

static void put_inertial(writer *w)
{
    put(w, "<inertial");
    put_vector(w, "pos", 0.2);
    put_between(w, "mass", 0.1, 5.0);
    double I[3];
    draw_moments(I, w);
    if (chance(w, 0.5)) {
        put_numbers(w, "diaginertia", 3, I);
        put_orientation(w);
    } else { // R diag(I) Rᵀ with R = 1 − 2 n nᵀ, the reflection along n
        double n[3], full[3][3];
        random_direction(n, 3, &w->random);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                full[i][j] = 0.0;
                for (int k = 0; k < 3; ++k) {
                    const double R_ik = (i == k ? 1.0 : 0.0) - 2.0 * n[i] * n[k];
                    const double R_jk = (j == k ? 1.0 : 0.0) - 2.0 * n[j] * n[k];
                    full[i][j] += R_ik * I[k] * R_jk;
                }
            }
        }
        const double x[6] = {full[0][0], full[1][1], full[2][2],
                             full[0][1], full[0][2], full[1][2]};
        put_numbers(w, "fullinertia", 6, x);
    }
    put(w, "/>\n");
}

static void put_shape(writer *w)
{
    const double size[3] = {between(w, 0.04, 0.15), between(w, 0.04, 0.15), between(w, 0.04, 0.15)};
    const double ends[6] = {between(w, -0.2, -0.1), between(w, -0.2, 0.2), between(w, -0.2, 0.2),
                            between(w, 0.1, 0.2),   between(w, -0.2, 0.2), between(w, -0.2, 0.2)};
    static const char *const name[] = {"sphere", "capsule", "cylinder", "ellipsoid", "box"};
    static const int nsize[] = {1, 2, 2, 3, 3};
    const int kind = below(w, 5);
    put(w, " type=\"%s\"", name[kind]);
    if (kind != 0 && chance(w, 0.4)) { // between two points
        put_numbers(w, "size", 1, size);
        put_numbers(w, "fromto", 6, ends);
    } else {
        put_numbers(w, "size", nsize[kind], size);
        put_vector(w, "pos", 0.2);
        put_orientation(w);
    }
}

static void put_geom(writer *w, int body, bool first)
{
    put(w, "<geom");
    if (w->grouped && !first) {
        put(w, " group=\"%d\"", below(w, 4));
    }
    if (chance(w, 0.8)) {
        put(w, " name=\"g%d_%d\"", body, w->ngeom[body]++);
    }
    if (chance(w, 0.15)) {
        put(w, " class=\"slim\""); // a capsule of the size given there
        put_vector(w, "pos", 0.2);
        put_orientation(w);
    } else {
        put_class(w, "class", 0.15);
        put_shape(w);
    }
    switch (below(w, 4)) {
    case 0:
        put_between(w, "mass", 0.1, 4.0);
        break;
    case 1:
        put_between(w, "density", 300.0, 3000.0);
        break;
    default:
        break;
    }
    put(w, "/>\n");
}

static void put_site(writer *w, int body)
{
    put(w, "<site name=\"s%d_%d\"", body, w->nsite[body]++);
    put_class(w, "class", 0.1);
    if (chance(w, 0.8)) {
        put_vector(w, "pos", 0.3);
    }
    put_orientation(w);
    put(w, "/>\n");
}

static void put_station(writer *w, double size)
{
    put(w, "<site name=\"t%d\"", w->nstation++);
    put_vector(w, "pos", size);
    put_orientation(w);
    put(w, "/>\n");
}

/// A sphere or cylinder for tendons to go around, and a site in it for those that go through.
static void put_obstacle(writer *w, double size)
{
    const double radius[2] = {between(w, 0.05, size), between(w, 0.05, size)};
    const double pos[3] = {between(w, -size, size), between(w, -size, size),
                           between(w, -size, size)};
    const bool sphere = chance(w, 0.5);
    put(w, "<geom name=\"w%d\" type=\"%s\"", w->nobstacle, sphere ? "sphere" : "cylinder");
    put_numbers(w, "size", sphere ? 1 : 2, radius);
    put_numbers(w, "pos", 3, pos);
    put_orientation(w);
    put(w, "/>\n<site name=\"c%d\"", w->nobstacle++);
    put_numbers(w, "pos", 3, pos);
    put(w, "/>\n");
}

static void put_stations(writer *w, double size)
{
    if (w->options.tendons) {
        put_station(w, size);
        put_station(w, size);
        put_obstacle(w, size);
    }
}

/// `several`: on one body, whose axes may line up; armature then keeps the inertia matrix far from
/// singular.
static void put_joint(writer *w, int body, int k, joint_kind kind, bool several)
{
    joint *j = &w->joints[w->njoint++];
    j->kind = kind;
    snprintf(j->name, sizeof j->name, "j%d_%d", body, k);
    if (kind == JOINT_FREE && chance(w, 0.5)) {
        put(w, "<freejoint name=\"%s\"/>\n", j->name); // takes nothing from the defaults
        return;
    }
    put(w, "<joint name=\"%s\"", j->name);
    put_class(w, "class", 0.2);
    put(w, " type=\"%s\"", joint_kind_name[kind]);
    if (kind != JOINT_FREE && chance(w, 0.7)) {
        put_vector(w, "pos", 0.3);
    }
    if (kind == JOINT_HINGE || kind == JOINT_SLIDE) {
        const double unit = kind == JOINT_HINGE ? w->angle_unit : 1.0;
        double axis[3];
        random_direction(axis, 3, &w->random);
        for (int i = 0; i < 3; ++i) {
            axis[i] *= 2.5;
        }
        put_numbers(w, "axis", 3, axis);
        if (chance(w, 0.3)) {
            put_between(w, "ref", -0.8 * unit, 0.8 * unit);
        }
        if (chance(w, 0.3)) {
            put_between(w, "springref", -0.8 * unit, 0.8 * unit);
        }
    }
    if (chance(w, 0.4)) {
        put_between(w, "stiffness", 0.5, 30.0);
    }
    if (chance(w, 0.4)) {
        put_between(w, "damping", 0.0, 2.0);
    }
    if (several || chance(w, 0.3)) {
        put_between(w, "armature", 0.02, 0.5);
    }
    put(w, "/>\n");
}

/// No joint, one, or several: any mixture in which a ball is the last rotation.
static int put_joints(writer *w, int body)
{
    if (w->parent[body] < 0 && !w->options.scalar_joints && chance(w, 0.3)) {
        put_joint(w, body, 0, JOINT_FREE, false);
        return 1;
    }
    const double draw = between(w, 0.0, 1.0);
    const int n = draw < 0.15 ? 0 : draw < 0.65 ? 1 : draw < 0.85 ? 2 : 3;
    bool ball = false;
    for (int k = 0; k < n; ++k) {
        joint_kind kind = chance(w, 0.7) ? JOINT_HINGE : JOINT_SLIDE;
        if (kind == JOINT_HINGE && !w->options.scalar_joints && chance(w, 0.25)) {
            kind = JOINT_BALL;
        }
        if (ball && kind != JOINT_SLIDE) {
            kind = JOINT_SLIDE;
        }
        ball = ball || kind == JOINT_BALL;
        put_joint(w, body, k, kind, n > 1);
    }
    return n;
}

static void put_body(writer *w, int body)
{
    put(w, "<body name=\"b%d\"", body);
    put_class(w, "childclass", 0.25);
    put_vector(w, "pos", 0.5);
    put_orientation(w);
    int njoint = 0;
    if (w->parent[body] < 0 && chance(w, 0.07)) {
        put(w, " mocap=\"true\">\n");
    } else {
        put(w, ">\n");
        njoint = put_joints(w, body);
    }
    const bool given = chance(w, 0.4);
    if (given) {
        put_inertial(w);
    }
    const int least = njoint > 0 && (!given || w->from_geoms) ? 1 : 0; // what moves has mass
    const int ngeom = least + below(w, given ? 2 : 3);
    for (int k = 0; k < ngeom; ++k) {
        put_geom(w, body, k == 0);
    }
    if (chance(w, 0.6)) {
        put_site(w, body);
    }
    put_stations(w, 0.3);
    for (int child = body + 1; child < w->nbody; ++child) {
        if (w->parent[child] == body) {
            put_body(w, child);
        }
    }
    if (chance(w, 0.1)) { // a late geom: in the file it follows those of the children
        put_geom(w, body, false);
    }
    put(w, "</body>\n");
}

static void put_bodies(writer *w)
{
    w->nbody =
        1 + below(w, w->options.max_bodies < MAX_BODIES ? w->options.max_bodies : MAX_BODIES);
    const double branching = between(w, 0.0, 0.6);
    for (int i = 0; i < w->nbody; ++i) {
        w->parent[i] = i == 0 ? -1 : chance(w, branching) ? below(w, i + 1) - 1 : i - 1;
    }
    put(w, "  <worldbody>\n<geom name=\"ground\" type=\"plane\" size=\"1 1 1\"/>\n");
    put(w, "<site name=\"origin\" pos=\"0.1 0.2 0.3\"/>\n");
    put_stations(w, 0.8);
    for (int i = 0; i < w->nbody; ++i) {
        if (w->parent[i] < 0) {
            put_body(w, i);
        }
    }
    put(w, "  </worldbody>\n");
}

// --- tendons

/// Another site than the last; −1: none.
static int put_path_site(writer *w, int last)
{
    const int draw = below(w, w->nstation - (last < 0 ? 0 : 1));
    const int site = last >= 0 && draw >= last ? draw + 1 : draw;
    put(w, "      <site site=\"t%d\"/>\n", site);
    return site;
}

static void put_branch(writer *w)
{
    int site = put_path_site(w, -1);
    for (int k = 1 + below(w, 3); k > 0; --k) {
        if (chance(w, 0.7)) {
            const int obstacle = below(w, w->nobstacle);
            put(w, "      <geom geom=\"w%d\"", obstacle);
            switch (below(w, 4)) {
            case 0:
                put(w, " sidesite=\"c%d\"", obstacle);
                break;
            case 1:
                put(w, " sidesite=\"t%d\"", below(w, w->nstation));
                break;
            default:
                break;
            }
            put(w, "/>\n");
        }
        site = put_path_site(w, site);
    }
}

static void put_spatial(writer *w)
{
    put(w, "    <spatial name=\"l%d\">\n", w->ntendon++);
    put_branch(w);
    for (int k = below(w, 3); k > 0; --k) {
        put(w, "      <pulley");
        put_between(w, "divisor", 0.5, 3.0);
        put(w, "/>\n");
        put_branch(w);
    }
    put(w, "    </spatial>\n");
}

static void put_fixed(writer *w)
{
    int first = 0;
    while (first < w->njoint && w->joints[first].kind < JOINT_HINGE) {
        ++first;
    }
    if (first == w->njoint) {
        return; // no joint that a fixed tendon could measure
    }
    put(w, "    <fixed name=\"l%d\">\n", w->ntendon++);
    for (int j = first; j < w->njoint; ++j) {
        if (j == first || (w->joints[j].kind >= JOINT_HINGE && chance(w, 0.4))) {
            put(w, "      <joint joint=\"%s\"", w->joints[j].name);
            put_between(w, "coef", -2.0, 2.0);
            put(w, "/>\n");
        }
    }
    put(w, "    </fixed>\n");
}

static void put_tendons(writer *w)
{
    put(w, "  <tendon>\n");
    for (int k = 0; k < 6; ++k) {
        put_spatial(w);
    }
    for (int k = 0; k < 2; ++k) {
        put_fixed(w);
    }
    put(w, "  </tendon>\n");
}

// --- actuators

/// Motors on tendons and sites.
static void put_drives(writer *w)
{
    for (int k = 0; k < 6; ++k) {
        double gear[6];
        for (int i = 0; i < 6; ++i) {
            gear[i] = between(w, -2.0, 2.0);
        }
        put(w, "    <general name=\"a%d\"", w->nactuator++);
        if (k < 2) {
            put(w, " tendon=\"l%d\"", below(w, w->ntendon));
        } else {
            put(w, " site=\"t%d\"", below(w, w->nstation));
        }
        if (k > 3) {
            put(w, " refsite=\"t%d\"", below(w, w->nstation));
        }
        put_numbers(w, "gear", k == 5 ? 3 : 6, gear); // the last: a force alone
        put(w, "/>\n");
    }
}

static void put_gear(writer *w, joint_kind kind)
{
    static const int n[] = {6, 3, 1, 1};
    double gear[6];
    for (int i = 0; i < 6; ++i) {
        gear[i] = between(w, -3.0, 3.0);
    }
    put_numbers(w, "gear", n[kind], gear);
}

static void put_limits(writer *w, bool activation)
{
    const bool control = chance(w, 0.4), force = chance(w, 0.3);
    put(w, " ctrllimited=\"%s\"", control ? "true" : "false");
    if (control) {
        put_range(w, "ctrlrange", 1.0);
    }
    put(w, " forcelimited=\"%s\"", force ? "true" : "false");
    if (force) {
        put_range(w, "forcerange", 5.0);
    }
    if (activation) {
        const bool limited = chance(w, 0.4);
        put(w, " actlimited=\"%s\"", limited ? "true" : "false");
        if (limited) {
            put_range(w, "actrange", 1.0);
        }
    }
}

static void put_general(writer *w, bool stateful)
{
    static const char *const dynamics[] = {"none", "integrator", "filter"};
    const int d = stateful ? 1 + below(w, 2) : 0;
    put(w, " dyntype=\"%s\"", dynamics[d]);
    if (d == 2) {
        put_between(w, "dynprm", 0.01, 0.5);
    }
    w->nactivation += d != 0 ? 1 : 0;
    const double gain[3] = {between(w, -5.0, 5.0), between(w, -5.0, 5.0), between(w, -2.0, 2.0)};
    const double bias[3] = {between(w, -5.0, 5.0), between(w, -5.0, 5.0), between(w, -2.0, 2.0)};
    if (chance(w, 0.7)) {
        put(w, " gaintype=\"%s\"", chance(w, 0.5) ? "fixed" : "affine");
        put_numbers(w, "gainprm", 3, gain);
    }
    if (chance(w, 0.7)) {
        put(w, " biastype=\"%s\"", chance(w, 0.3) ? "none" : "affine");
        put_numbers(w, "biasprm", 3, bias);
    }
    put_limits(w, d != 0);
}

typedef enum actuator_kind {
    ACTUATOR_MOTOR,
    ACTUATOR_POSITION,
    ACTUATOR_VELOCITY,
    ACTUATOR_DAMPER,
    ACTUATOR_GENERAL,
    ACTUATOR_INTEGRATED_VELOCITY,
    ACTUATOR_CYLINDER,
} actuator_kind;

static void put_actuator(writer *w, bool stateful)
{
    static const char *const element[] = {"motor",   "position",    "velocity", "damper",
                                          "general", "intvelocity", "cylinder"};
    const joint *j = &w->joints[below(w, w->njoint)];
    const actuator_kind kind =
        (actuator_kind)(stateful ? ACTUATOR_GENERAL + below(w, 3) : below(w, 5));
    put(w, "    <%s name=\"a%d\"", element[kind], w->nactuator++);
    if (kind != ACTUATOR_POSITION && kind != ACTUATOR_INTEGRATED_VELOCITY) {
        put_class(w, "class", 0.3); // MuJoCo 3, unlike 2, lets these servos inherit damping
    }
    put(w, " %s=\"%s\"", chance(w, 0.7) ? "joint" : "jointinparent", j->name);
    if (j->kind == JOINT_FREE || j->kind == JOINT_BALL || chance(w, 0.5)) {
        put_gear(w, j->kind);
    }
    if (kind == ACTUATOR_POSITION || kind == ACTUATOR_INTEGRATED_VELOCITY) {
        put_between(w, "kp", 0.5, 20.0);
    } else if (kind == ACTUATOR_VELOCITY || kind == ACTUATOR_DAMPER) {
        put_between(w, "kv", 0.1, 3.0);
    }
    switch (kind) {
    case ACTUATOR_DAMPER: // controls are never negative
        put(w, " ctrlrange=\"0 %.17g\"", between(w, 0.5, 2.0));
        break;
    case ACTUATOR_GENERAL:
        put_general(w, stateful);
        break;
    case ACTUATOR_INTEGRATED_VELOCITY:
        ++w->nactivation;
        put_limits(w, false);
        put_range(w, "actrange", 1.0);
        break;
    case ACTUATOR_CYLINDER:
        ++w->nactivation;
        put_between(w, "timeconst", 0.01, 0.5);
        put_between(w, chance(w, 0.5) ? "area" : "diameter", 0.5, 2.0);
        put_vector(w, "bias", 1.0);
        put_limits(w, false);
        break;
    default:
        put_limits(w, false);
        break;
    }
    put(w, "/>\n");
}

static void put_actuators(writer *w)
{
    if (w->njoint == 0) {
        return;
    }
    put(w, "  <actuator>\n");
    if (w->options.tendons) {
        put_drives(w);
    }
    const int n = below(w, w->njoint + 2);
    const int nstateless = below(w, n + 1);
    for (int k = 0; k < n; ++k) {
        put_actuator(w, k >= nstateless); // MuJoCo 2 wants actuators with activations last
    }
    put(w, "  </actuator>\n");
}

// --- sensors

static void put_sensor(writer *w, int *count, const char *element)
{
    put(w, "    <%s name=\"n%d\"", element, (*count)++);
}

/// Unit vectors and quaternions cannot be cut off.
static void end_sensor(writer *w, bool may_cut)
{
    if (may_cut && chance(w, 0.1)) {
        put_between(w, "cutoff", 0.05, 2.0);
    }
    put(w, "/>\n");
}

/// ` objtype="…" objname="…"` for a body, its inertial frame, a geom or a site.
static void put_object(writer *w, const char *kind_attribute, const char *name_attribute)
{
    const int body = below(w, w->nbody);
    const int draw = below(w, 4);
    if (draw == 0 && w->ngeom[body] > 0) {
        put(w, " %s=\"geom\" %s=\"g%d_%d\"", kind_attribute, name_attribute, body,
            below(w, w->ngeom[body]));
    } else if (draw == 1 && w->nsite[body] > 0) {
        put(w, " %s=\"site\" %s=\"s%d_%d\"", kind_attribute, name_attribute, body,
            below(w, w->nsite[body]));
    } else {
        put(w, " %s=\"%s\" %s=\"b%d\"", kind_attribute, draw == 2 ? "body" : "xbody",
            name_attribute, body);
    }
}

static void put_sensors(writer *w)
{
    static const char *const of_site[] = {"accelerometer", "velocimeter", "gyro",
                                          "force",         "torque",      "magnetometer"};
    static const char *const of_frame[] = {"framepos",    "framequat",   "framexaxis",
                                           "frameyaxis",  "framezaxis",  "framelinvel",
                                           "frameangvel", "framelinacc", "frameangacc"};
    static const char *const of_body[] = {"subtreecom", "subtreelinvel", "subtreeangmom"};
    static const char *const of_actuator[] = {"actuatorpos", "actuatorvel", "actuatorfrc"};
    int n = 0;
    put(w, "  <sensor>\n");
    for (int k = 0; k < 6; ++k) {
        const int body = below(w, w->nbody);
        if (k == 4 && w->nsite[body] == 0) {
            continue; // MuJoCo adds up moments on the world about different points
        }
        put_sensor(w, &n, of_site[k]);
        if (w->nsite[body] > 0) {
            put(w, " site=\"s%d_%d\"", body, below(w, w->nsite[body]));
        } else {
            put(w, " site=\"origin\"");
        }
        end_sensor(w, true);
    }
    for (int k = 0; k < 9; ++k) {
        put_sensor(w, &n, of_frame[k]);
        put_object(w, "objtype", "objname");
        if (k < 7 && chance(w, 0.5)) { // accelerations are always relative to the world
            put_object(w, "reftype", "refname");
        }
        end_sensor(w, k == 0 || k > 4);
    }
    for (int k = 0; k < 3; ++k) {
        put_sensor(w, &n, of_body[k]);
        put(w, " body=\"b%d\"", below(w, w->nbody));
        end_sensor(w, true);
    }
    for (int k = 0; k < w->njoint; ++k) {
        const joint *j = &w->joints[k];
        if (j->kind == JOINT_FREE) {
            continue;
        }
        const bool ball = j->kind == JOINT_BALL;
        put_sensor(w, &n, ball ? "ballquat" : "jointpos");
        put(w, " joint=\"%s\"", j->name);
        end_sensor(w, !ball);
        put_sensor(w, &n, ball ? "ballangvel" : "jointvel");
        put(w, " joint=\"%s\"", j->name);
        end_sensor(w, true);
    }
    for (int k = 0; k < w->nactuator; ++k) {
        for (int i = 0; i < 3; ++i) {
            put_sensor(w, &n, of_actuator[i]);
            put(w, " actuator=\"a%d\"", k);
            end_sensor(w, true);
        }
    }
    put_sensor(w, &n, "clock");
    put(w, "/>\n  </sensor>\n");
}

// --- keyframe

/// q in the order of the joints, with quaternions that are not quite of unit length.
static void put_key_positions(writer *w)
{
    put(w, " qpos=\"");
    for (int k = 0; k < w->njoint; ++k) {
        const joint_kind kind = w->joints[k].kind;
        double x[7];
        int n = 0;
        if (kind == JOINT_FREE) {
            for (; n < 3; ++n) {
                x[n] = between(w, -1.0, 1.0);
            }
        }
        if (kind == JOINT_FREE || kind == JOINT_BALL) {
            random_direction(x + n, 4, &w->random);
            n += 4;
        } else {
            x[n++] = between(w, -1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            put(w, " %.17g", x[i]);
        }
    }
    put(w, "\"");
}

static void put_key_numbers(writer *w, const char *name, int n)
{
    put(w, " %s=\"", name);
    for (int i = 0; i < n; ++i) {
        put(w, " %.17g", between(w, -1.0, 1.0));
    }
    put(w, "\"");
}

static void put_keyframes(writer *w)
{
    if (w->njoint == 0) {
        return;
    }
    static const int nv[] = {6, 3, 1, 1};
    int sum = 0;
    for (int k = 0; k < w->njoint; ++k) {
        sum += nv[w->joints[k].kind];
    }
    put(w, "  <keyframe>\n    <key name=\"k0\" time=\"0.25\"");
    put_key_positions(w);
    put(w, "/>\n    <key name=\"k1\"");
    put_key_numbers(w, "qvel", sum);
    if (w->nactuator > 0) {
        put_key_numbers(w, "ctrl", w->nactuator);
    }
    if (w->nactivation > 0) {
        put_key_numbers(w, "act", w->nactivation);
    }
    put(w, "/>\n  </keyframe>\n");
}

char *random_mechanism(const random_mechanism_options *options)
{
    writer w = {.random = {options->seed}, .options = *options};
    put(&w, "<mujoco model=\"random_%llu\">\n", (unsigned long long)options->seed);
    put_settings(&w);
    put_defaults(&w);
    put_bodies(&w);
    if (options->tendons) {
        put_tendons(&w);
    }
    put_actuators(&w);
    put_sensors(&w);
    put_keyframes(&w);
    put(&w, "</mujoco>\n");
    return w.text;
}
