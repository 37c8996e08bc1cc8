// The list of channels of a model: names, units, where each number is found.
//
// A channel's name is its family, the element's name and a suffix: `joint` `.elbow` `.q`. The
// suffixes of a family stand in a table below; dp_channel_each walks elements × table.
#include "record/channel.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct suffix {
    const char *text;
    const char *unit;
    dp_channel_source source;
    int component; // for q and what is numbered like v: counted from the joint's first coordinate
    bool usual;
} suffix;

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

#define ROW(...)                                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define XYZ(text, unit, source, first, usual)                                                      \
    ROW(text ".x", unit, source, (first) + 0, usual),                                              \
        ROW(text ".y", unit, source, (first) + 1, usual),                                          \
        ROW(text ".z", unit, source, (first) + 2, usual)
#define WXYZ(text, source, first, usual)                                                           \
    ROW(text ".w", "1", source, first, usual), XYZ(text, "1", source, (first) + 1, usual)
#define WRENCH(text, source)                                                                       \
    ROW(text ".fx", "N", source, 0, false), ROW(text ".fy", "N", source, 1, false),                \
        ROW(text ".fz", "N", source, 2, false), ROW(text ".tx", "N m", source, 3, false),          \
        ROW(text ".ty", "N m", source, 4, false), ROW(text ".tz", "N m", source, 5, false)

static const suffix time_channel[] = {{"time", "s", DP_CHANNEL_TIME, 0, true}};

static const suffix hinge_channels[] = {
    {".q", "rad", DP_CHANNEL_Q, 0, true},
    {".v", "rad/s", DP_CHANNEL_V, 0, true},
    {".a", "rad/s²", DP_CHANNEL_ACCELERATION, 0, false},
    {".actuation", "N m", DP_CHANNEL_ACTUATION, 0, false},
    {".passive", "N m", DP_CHANNEL_PASSIVE, 0, false},
    WRENCH(".reaction", DP_CHANNEL_JOINT_REACTION),
};

static const suffix slide_channels[] = {
    {".q", "m", DP_CHANNEL_Q, 0, true},
    {".v", "m/s", DP_CHANNEL_V, 0, true},
    {".a", "m/s²", DP_CHANNEL_ACCELERATION, 0, false},
    {".actuation", "N", DP_CHANNEL_ACTUATION, 0, false},
    {".passive", "N", DP_CHANNEL_PASSIVE, 0, false},
    WRENCH(".reaction", DP_CHANNEL_JOINT_REACTION),
};

static const suffix ball_channels[] = {
    WXYZ(".quat", DP_CHANNEL_Q, 0, true),
    XYZ(".angvel", "rad/s", DP_CHANNEL_V, 0, true),
    XYZ(".angacc", "rad/s²", DP_CHANNEL_ACCELERATION, 0, false),
    WRENCH(".reaction", DP_CHANNEL_JOINT_REACTION),
};

static const suffix free_channels[] = {
    XYZ(".pos", "m", DP_CHANNEL_Q, 0, true),
    WXYZ(".quat", DP_CHANNEL_Q, 3, true),
    XYZ(".vel", "m/s", DP_CHANNEL_V, 0, true),
    XYZ(".angvel", "rad/s", DP_CHANNEL_V, 3, true),
    XYZ(".acc", "m/s²", DP_CHANNEL_ACCELERATION, 0, false),
    XYZ(".angacc", "rad/s²", DP_CHANNEL_ACCELERATION, 3, false),
};

static const suffix body_channels[] = {
    XYZ(".pos", "m", DP_CHANNEL_BODY_POSITION, 0, false),
    WXYZ(".quat", DP_CHANNEL_BODY_ROTATION, 0, false),
    XYZ(".vel", "m/s", DP_CHANNEL_BODY_VELOCITY, 0, false),
    XYZ(".angvel", "rad/s", DP_CHANNEL_BODY_ANGULAR_VELOCITY, 0, false),
    XYZ(".com", "m", DP_CHANNEL_BODY_COM, 0, false),
    WRENCH(".reaction", DP_CHANNEL_BODY_REACTION),
};

static const suffix site_channels[] = {
    XYZ(".pos", "m", DP_CHANNEL_SITE_POSITION, 0, false),
    WXYZ(".quat", DP_CHANNEL_SITE_ROTATION, 0, false),
};

// Of joints with a limit or dry friction.
static const suffix hinge_limit[] = {{".limit_force", "N m", DP_CHANNEL_LIMIT_FORCE, 0, false}};
static const suffix slide_limit[] = {{".limit_force", "N", DP_CHANNEL_LIMIT_FORCE, 0, false}};
static const suffix hinge_friction[] = {
    {".friction_force", "N m", DP_CHANNEL_FRICTION_FORCE, 0, false}};
static const suffix slide_friction[] = {
    {".friction_force", "N", DP_CHANNEL_FRICTION_FORCE, 0, false}};
static const suffix ball_friction[] = {
    XYZ(".friction_force", "N m", DP_CHANNEL_FRICTION_FORCE, 0, false)};
static const suffix free_friction[] = {WRENCH(".friction_force", DP_CHANNEL_FRICTION_FORCE)};

static const suffix weld_channels[] = {
    XYZ(".gap", "m", DP_CHANNEL_EQUALITY_GAP, 0, false),
    {".gap.rx", "rad", DP_CHANNEL_EQUALITY_GAP, 3, false},
    {".gap.ry", "rad", DP_CHANNEL_EQUALITY_GAP, 4, false},
    {".gap.rz", "rad", DP_CHANNEL_EQUALITY_GAP, 5, false},
    XYZ(".force", "N", DP_CHANNEL_EQUALITY_FORCE, 0, false),
    {".force.tx", "N m", DP_CHANNEL_EQUALITY_FORCE, 3, false},
    {".force.ty", "N m", DP_CHANNEL_EQUALITY_FORCE, 4, false},
    {".force.tz", "N m", DP_CHANNEL_EQUALITY_FORCE, 5, false},
};

static const suffix connect_channels[] = {
    XYZ(".gap", "m", DP_CHANNEL_EQUALITY_GAP, 0, false),
    XYZ(".force", "N", DP_CHANNEL_EQUALITY_FORCE, 0, false),
};

static const suffix linear_equality_channels[] = {
    {".gap", "m", DP_CHANNEL_EQUALITY_GAP, 0, false},
    {".force", "N", DP_CHANNEL_EQUALITY_FORCE, 0, false},
};

static const suffix angular_equality_channels[] = {
    {".gap", "rad", DP_CHANNEL_EQUALITY_GAP, 0, false},
    {".force", "N m", DP_CHANNEL_EQUALITY_FORCE, 0, false},
};

// Of motions of joints.
static const suffix hinge_motion[] = {
    {".gap", "rad", DP_CHANNEL_MOTION_GAP, 0, false},
    {".force", "N m", DP_CHANNEL_MOTION_FORCE, 0, false},
};

static const suffix slide_motion[] = {
    {".gap", "m", DP_CHANNEL_MOTION_GAP, 0, false},
    {".force", "N", DP_CHANNEL_MOTION_FORCE, 0, false},
};

static const suffix ball_motion[] = {
    XYZ(".gap", "rad", DP_CHANNEL_MOTION_GAP, 0, false),
    XYZ(".force", "N m", DP_CHANNEL_MOTION_FORCE, 0, false),
};

static const suffix tendon_channels[] = {
    {".length", "m", DP_CHANNEL_TENDON_LENGTH, 0, false},
    {".velocity", "m/s", DP_CHANNEL_TENDON_VELOCITY, 0, false},
    {".force", "N", DP_CHANNEL_TENDON_FORCE, 0, false},
};

// Of geoms with an elastic foundation over a plane.
static const suffix foundation_channels[] = {
    {".force", "N", DP_CHANNEL_FOUNDATION, DP_CHANNEL_FOUNDATION_FORCE, false},
    {".pressure_max", "Pa", DP_CHANNEL_FOUNDATION, DP_CHANNEL_PRESSURE_MAX, false},
    XYZ(".pressure_centre", "m", DP_CHANNEL_FOUNDATION, DP_CHANNEL_PRESSURE_CENTRE, false),
};

static const suffix system_channels[] = {
    {"energy.kinetic", "J", DP_CHANNEL_ENERGY, DP_CHANNEL_KINETIC, true},
    {"energy.gravity", "J", DP_CHANNEL_ENERGY, DP_CHANNEL_GRAVITY, false},
    {"energy.spring", "J", DP_CHANNEL_ENERGY, DP_CHANNEL_SPRING, false},
    {"energy.potential", "J", DP_CHANNEL_ENERGY, DP_CHANNEL_POTENTIAL, true},
    {"energy.total", "J", DP_CHANNEL_ENERGY, DP_CHANNEL_TOTAL, true},
    {"energy.elastic", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_ELASTIC, false},
    {"energy.applied", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_APPLIED, false},
    {"energy.drives", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_DRIVES, false},
    {"energy.moved", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_MOVED, false},
    {"energy.corrected", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_CORRECTED, false},
    {"energy.damped", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_DAMPED, false},
    {"energy.friction", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_FRICTION, false},
    {"energy.impacts", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_IMPACTS, false},
    {"energy.remainder", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_REMAINDER, false},
    {"energy.contact", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_CONTACT, false},
    {"energy.contact_damped", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_CONTACT_DAMPED, false},
    {"energy.contact_friction", "J", DP_CHANNEL_LEDGER, DP_CHANNEL_CONTACT_FRICTION, false},
    XYZ("momentum.linear", "kg m/s", DP_CHANNEL_LINEAR_MOMENTUM, 0, false),
    XYZ("momentum.angular", "kg m²/s", DP_CHANNEL_ANGULAR_MOMENTUM, 0, false),
    XYZ("com", "m", DP_CHANNEL_COM, 0, false),
    {"step.evaluations", "1", DP_CHANNEL_STEP, DP_CHANNEL_EVALUATIONS, false},
    {"step.substeps", "1", DP_CHANNEL_STEP, DP_CHANNEL_SUBSTEPS, false},
    {"step.rejected", "1", DP_CHANNEL_STEP, DP_CHANNEL_REJECTED, false},
    {"step.transported", "1", DP_CHANNEL_STEP, DP_CHANNEL_TRANSPORTED, false},
    {"step.limited", "1", DP_CHANNEL_STEP, DP_CHANNEL_LIMITED, false},
    {"step.asleep", "1", DP_CHANNEL_STEP, DP_CHANNEL_ASLEEP, false},
    {"cert.momentum", "N s", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_MOMENTUM, false},
    {"cert.normal_law", "m/s", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_NORMAL_LAW, false},
    {"cert.complementarity", "J", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_COMPLEMENTARITY, false},
    {"cert.cone", "N s", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_CONE, false},
    {"cert.friction_power", "W", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_FRICTION_POWER, false},
    {"cert.penetration", "m", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_PENETRATION, false},
    {"cert.lift_off", "m", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_LIFT_OFF, false},
    {"cert.creep", "m/s", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_CREEP, false},
    {"cert.drift", "m", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_DRIFT, false},
    {"cert.gap_error", "m", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_GAP_ERROR, false},
    {"cert.correction", "m/s", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_CORRECTION, false},
    {"cert.heading", "rad", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_HEADING, false},
    {"cert.shortfall", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_SHORTFALL, false},
    {"cert.fallbacks", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_FALLBACKS, false},
    {"cert.within_error", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_WITHIN_ERROR, false},
    {"cert.dropped", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_DROPPED, false},
    {"cert.rows", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_ROWS, false},
    {"cert.passes", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_PASSES, false},
    {"cert.iterations", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_ITERATIONS, false},
    {"cert.factorizations", "1", DP_CHANNEL_CERTIFICATE, DP_CHANNEL_FACTORIZATIONS, false},
};

// An unnamed element goes by its number. Should another element be *named* like a number, the
// numbers get one '#' more than any such name has: `joint.#3.q`.
static int hashes_for_numbers(int so_far, const char *name)
{
    const size_t hashes = strspn(name, "#");
    const size_t digits = strspn(name + hashes, "0123456789");
    const bool looks_like_number = digits > 0 && name[hashes + digits] == '\0';
    return looks_like_number && (int)hashes + 1 > so_far ? (int)hashes + 1 : so_far;
}

typedef struct walk {
    dp_channel_visitor visit;
    void *context;
    bool stopped;
    char name[DP_CHANNEL_NAME];
} walk;

// Begin a name with the family and the element; `finish_name` replaces what follows.
static size_t begin_name(walk *w, const char *family, const char *element, int index, int hashes)
{
    enum { LONGEST_SUFFIX = 32, LONGEST_ELEMENT = DP_CHANNEL_NAME - 2 * LONGEST_SUFFIX };
    int n = 0;
    if (element[0] != '\0' && strlen(element) <= LONGEST_ELEMENT) {
        n = snprintf(w->name, sizeof w->name, "%s.%s", family, element);
    } else {
        const int mark = hashes < LONGEST_ELEMENT ? hashes : LONGEST_ELEMENT;
        char text[DP_CHANNEL_NAME];
        memset(text, '#', (size_t)mark);
        text[mark] = '\0';
        n = snprintf(w->name, sizeof w->name, "%s.%s%d", family, text, index);
    }
    return n > 0 ? (size_t)n : 0;
}

static void visit_one(walk *w, size_t stem, const char *text, const char *unit, dp_channel channel)
{
    if (!w->stopped) {
        snprintf(w->name + stem, sizeof w->name - stem, "%s", text);
        w->stopped = !w->visit(w->context, &channel, w->name, unit);
    }
}

static void visit_table(walk *w, size_t stem, const suffix *table, int count, int element)
{
    for (int i = 0; i < count && !w->stopped; ++i) {
        visit_one(w, stem, table[i].text, table[i].unit,
                  (dp_channel){table[i].source, element, table[i].component, table[i].usual});
    }
}

static void visit_joint(walk *w, size_t stem, const dp_joint *joint, int index)
{
    const suffix *table = NULL;
    int count = 0;
    switch (joint->kind) {
    case DP_JOINT_FREE:
        table = free_channels;
        count = COUNT(free_channels);
        break;
    case DP_JOINT_BALL:
        table = ball_channels;
        count = COUNT(ball_channels);
        break;
    case DP_JOINT_HINGE:
        table = hinge_channels;
        count = COUNT(hinge_channels);
        break;
    case DP_JOINT_SLIDE:
        table = slide_channels;
        count = COUNT(slide_channels);
        break;
    }
    for (int i = 0; i < count && !w->stopped; ++i) {
        dp_channel channel = {table[i].source, index, table[i].component, table[i].usual};
        if (channel.source == DP_CHANNEL_Q) {
            channel.component += joint->q_index;
        } else if (channel.source == DP_CHANNEL_V || channel.source == DP_CHANNEL_ACCELERATION ||
                   channel.source == DP_CHANNEL_ACTUATION || channel.source == DP_CHANNEL_PASSIVE) {
            channel.component += joint->v_index;
        }
        visit_one(w, stem, table[i].text, table[i].unit, channel);
    }
}

static void visit_joint_rows(walk *w, size_t stem, const dp_joint *joint, int index)
{
    const bool slides = joint->kind == DP_JOINT_SLIDE;
    if (joint->limited && joint->kind != DP_JOINT_FREE) {
        visit_table(w, stem, slides ? slide_limit : hinge_limit, 1, index);
    }
    if (!(joint->friction_loss > 0.0)) {
        return;
    }
    if (joint->nv == 1) {
        visit_table(w, stem, slides ? slide_friction : hinge_friction, 1, index);
    } else if (joint->kind == DP_JOINT_BALL) {
        visit_table(w, stem, ball_friction, COUNT(ball_friction), index);
    } else {
        visit_table(w, stem, free_friction, COUNT(free_friction), index);
    }
}

static void visit_equality(walk *w, size_t stem, const dp_model *m, int index)
{
    const dp_equality *e = &m->equality[index];
    switch (e->kind) {
    case DP_EQUALITY_WELD:
        if (e->torque_scale > 0.0) {
            visit_table(w, stem, weld_channels, COUNT(weld_channels), index);
            return;
        }
        visit_table(w, stem, connect_channels, COUNT(connect_channels), index);
        return;
    case DP_EQUALITY_CONNECT:
        visit_table(w, stem, connect_channels, COUNT(connect_channels), index);
        return;
    case DP_EQUALITY_JOINT:
        if (m->joint[e->object[0]].kind != DP_JOINT_SLIDE) {
            visit_table(w, stem, angular_equality_channels, COUNT(angular_equality_channels),
                        index);
            return;
        }
        break;
    case DP_EQUALITY_TENDON:
    case DP_EQUALITY_DISTANCE:
    case DP_EQUALITY_PLANE:
        break;
    }
    visit_table(w, stem, linear_equality_channels, COUNT(linear_equality_channels), index);
}

// The coordinate that an actuator drives, as far as it has one unit.
typedef struct drive_units {
    const char *length, *rate, *force;
} drive_units;

static drive_units drive_units_of(const dp_model *m, const dp_actuator *actuator)
{
    const drive_units linear = {"m", "m/s", "N"}, angular = {"rad", "rad/s", "N m"};
    const double *gear = actuator->gear;
    const bool pulls = gear[0] != 0.0 || gear[1] != 0.0 || gear[2] != 0.0;
    if (actuator->joint < 0) { // a tendon, or a wrench on a site
        return actuator->tendon >= 0 || actuator->body >= 0 || pulls ? linear : angular;
    }
    switch (m->joint[actuator->joint].kind) {
    case DP_JOINT_SLIDE:
        return linear;
    case DP_JOINT_FREE:
        return pulls ? linear : angular;
    case DP_JOINT_BALL:
    case DP_JOINT_HINGE:
        break;
    }
    return angular;
}

// What the gain multiplies: a force for a plain motor, a target for a servo, else a pure number.
static const char *input_unit(const dp_actuator *actuator, drive_units units)
{
    const double *gain = actuator->gain, *bias = actuator->bias;
    if (actuator->muscle_gain) {
        return "1";
    }
    const bool constant_gain = gain[1] == 0.0 && gain[2] == 0.0;
    if (constant_gain && bias[1] != 0.0 && bias[1] == -gain[0]) {
        return units.length;
    }
    if (constant_gain && bias[1] == 0.0 && bias[2] != 0.0 && bias[2] == -gain[0]) {
        return units.rate;
    }
    if (constant_gain && gain[0] == 1.0 && bias[1] == 0.0 && bias[2] == 0.0) {
        return units.force;
    }
    return "1";
}

static const char *rate_of_unit(const char *unit)
{
    static const char *const pairs[][2] = {{"m", "m/s"},        {"rad", "rad/s"}, {"m/s", "m/s²"},
                                           {"rad/s", "rad/s²"}, {"N", "N/s"},     {"N m", "N m/s"}};
    for (int i = 0; i < COUNT(pairs); ++i) {
        if (strcmp(unit, pairs[i][0]) == 0) {
            return pairs[i][1];
        }
    }
    return "1/s";
}

static void visit_actuator(walk *w, size_t stem, const dp_model *m, int index)
{
    const dp_actuator *actuator = &m->actuator[index];
    const drive_units units = drive_units_of(m, actuator);
    const char *input = input_unit(actuator, units);
    const bool integrates = actuator->dynamics == DP_ACTUATOR_DYNAMICS_INTEGRATOR;
    visit_one(w, stem, ".force", units.force,
              (dp_channel){.source = DP_CHANNEL_ACTUATOR_FORCE, .element = index});
    visit_one(w, stem, ".control", integrates ? rate_of_unit(input) : input,
              (dp_channel){.source = DP_CHANNEL_CONTROL, .element = index, .usual = true});
    if (actuator->activation_index >= 0) {
        visit_one(w, stem, ".activation", input,
                  (dp_channel){.source = DP_CHANNEL_ACTIVATION,
                               .element = index,
                               .component = actuator->activation_index});
    }
}

static const char *sensor_unit(const dp_model *m, const dp_sensor *sensor)
{
    const bool of_joint = sensor->object_kind == DP_OBJECT_JOINT && sensor->object >= 0;
    const bool of_actuator = sensor->object_kind == DP_OBJECT_ACTUATOR && sensor->object >= 0;
    drive_units units = {"rad", "rad/s", "N m"};
    if (of_joint && m->joint[sensor->object].kind == DP_JOINT_SLIDE) {
        units = (drive_units){"m", "m/s", "N"};
    } else if (of_actuator) {
        units = drive_units_of(m, &m->actuator[sensor->object]);
    }
    const char *unit = dp_sensor_unit(sensor->kind);
    return strcmp(unit, "q") == 0   ? units.length
           : strcmp(unit, "v") == 0 ? units.rate
           : strcmp(unit, "f") == 0 ? units.force
                                    : unit;
}

// One value has no suffix; three are x y z, four are w x y z.
static void visit_sensor(walk *w, size_t stem, const dp_model *m, int index)
{
    static const char *const vector[] = {".x", ".y", ".z"}, *const quaternion[] = {".w", ".x", ".y",
                                                                                   ".z"};
    const dp_sensor *sensor = &m->sensor[index];
    const char *unit = sensor_unit(m, sensor);
    for (int i = 0; i < sensor->ndata && !w->stopped; ++i) {
        char number[16];
        snprintf(number, sizeof number, ".%d", i);
        const char *text = sensor->ndata == 1   ? ""
                           : sensor->ndata == 3 ? vector[i]
                           : sensor->ndata == 4 ? quaternion[i]
                                                : number;
        visit_one(w, stem, text, unit,
                  (dp_channel){.source = DP_CHANNEL_SENSOR,
                               .usual = true,
                               .element = index,
                               .component = sensor->data_index + i});
    }
}

static void visit_foundation(walk *w, size_t stem, const dp_foundation *f)
{
    visit_table(w, stem, foundation_channels, COUNT(foundation_channels), f->geom);
    for (int j = 0; j < f->ny; ++j) {
        for (int i = 0; i < f->nx && !w->stopped; ++i) {
            char text[48];
            snprintf(text, sizeof text, ".pressure.%d.%d", i, j);
            visit_one(w, stem, text, "Pa",
                      (dp_channel){.source = DP_CHANNEL_PRESSURE,
                                   .element = f->geom,
                                   .component = i + f->nx * j});
        }
    }
}

static void visit_joint_and_rows(walk *w, size_t stem, const dp_model *m, int i)
{
    visit_joint(w, stem, &m->joint[i], i);
    visit_joint_rows(w, stem, &m->joint[i], i);
}

static void visit_body(walk *w, size_t stem, const dp_model *m, int i)
{
    (void)m;
    if (i > 0) { // 0 is the world, which does nothing
        visit_table(w, stem, body_channels, COUNT(body_channels), i);
    }
}

static void visit_site(walk *w, size_t stem, const dp_model *m, int i)
{
    (void)m;
    visit_table(w, stem, site_channels, COUNT(site_channels), i);
}

static void visit_tendon(walk *w, size_t stem, const dp_model *m, int i)
{
    (void)m;
    visit_table(w, stem, tendon_channels, COUNT(tendon_channels), i);
}

static void visit_motion(walk *w, size_t stem, const dp_model *m, int i)
{
    const int joint = m->motion[i].joint;
    if (joint < 0) {
        return; // mocap bodies have the channels of bodies
    }
    if (m->joint[joint].kind == DP_JOINT_BALL) {
        visit_table(w, stem, ball_motion, COUNT(ball_motion), i);
    } else {
        const bool slides = m->joint[joint].kind == DP_JOINT_SLIDE;
        visit_table(w, stem, slides ? slide_motion : hinge_motion, COUNT(hinge_motion), i);
    }
}

// The foundation of a geom, whatever planes it may rest on.
static void visit_geom(walk *w, size_t stem, const dp_model *m, int geom)
{
    for (int i = 0; i < m->size.nfoundation; ++i) {
        if (m->foundation[i].geom == geom) {
            visit_foundation(w, stem, &m->foundation[i]);
            return;
        }
    }
}

typedef void (*element_visitor)(walk *w, size_t stem, const dp_model *m, int i);

// All elements of a kind. @param name where that of the first is; the others follow at `bytes`
static void visit_elements(walk *w, const dp_model *m, const char *kind, const void *name,
                           size_t bytes, int count, element_visitor visit)
{
    int hashes = 0;
    for (int i = 0; i < count; ++i) {
        const char *const *at = (const void *)((const char *)name + (size_t)i * bytes);
        hashes = hashes_for_numbers(hashes, *at);
    }
    for (int i = 0; i < count && !w->stopped; ++i) {
        const char *const *at = (const void *)((const char *)name + (size_t)i * bytes);
        visit(w, begin_name(w, kind, *at, i, hashes), m, i);
    }
}

void dp_channel_each(const dp_model *m, dp_channel_visitor visit, void *context)
{
    walk w = {.visit = visit, .context = context};
    const dp_model_size *n = &m->size;
    const struct {
        const char *kind;
        const void *name;
        size_t bytes;
        int count;
        element_visitor visit;
    } elements[] = {
        {"joint", &m->joint->name, sizeof *m->joint, n->njoint, visit_joint_and_rows},
        {"body", &m->body->name, sizeof *m->body, n->nbody, visit_body},
        {"site", &m->site->name, sizeof *m->site, n->nsite, visit_site},
        {"actuator", &m->actuator->name, sizeof *m->actuator, n->nactuator, visit_actuator},
        {"tendon", &m->tendon->name, sizeof *m->tendon, n->ntendon, visit_tendon},
        {"equality", &m->equality->name, sizeof *m->equality, n->nequality, visit_equality},
        {"motion", &m->motion->name, sizeof *m->motion, n->nmotion, visit_motion},
        {"geom", &m->geom->name, sizeof *m->geom, n->nfoundation > 0 ? n->ngeom : 0, visit_geom},
        {"sensor", &m->sensor->name, sizeof *m->sensor, n->nsensor, visit_sensor},
    };
    visit_table(&w, 0, time_channel, COUNT(time_channel), 0);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
        if (elements[i].count > 0) {
            visit_elements(&w, m, elements[i].kind, elements[i].name, elements[i].bytes,
                           elements[i].count, elements[i].visit);
        }
        if (i == 0) { // behind the joints
            visit_table(&w, 0, system_channels, COUNT(system_channels), 0);
        }
    }
}
