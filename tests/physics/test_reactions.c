// Which reactions rigid statics determines: structures whose answers are known.
#include "mechanism.h"

#include <dashpot/advanced/statics.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81;

typedef struct scene {
    mechanism x;
    dp_statics *s;
} scene;

static mechanism parse(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene.xml", NULL));
    return mechanism_from(spec);
}

static scene examine(const char *text)
{
    scene out = {.x = parse(text)};
    assert_ok(dp_statics_create(&out.s, out.x.d, NULL, NULL));
    return out;
}

static void end(scene *s)
{
    dp_statics_destroy(s->s);
    mechanism_end(&s->x);
}

// The component of a joint, by body, or of an equality, whose direction has this element: 0 … 2
// forces along x, y, z, 3 … 5 moments.
static const dp_reaction *component(const scene *s, bool joint, int of, int direction)
{
    for (int i = 0; i < dp_statics_count(s->s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s->s, i);
        const dp_v3 v = direction < 3 ? r->direction.f : r->direction.t;
        const double along[3] = {v.x, v.y, v.z};
        if (r->joint == joint && (joint ? r->on.index : r->element) == of &&
            r->moment == (direction >= 3) && fabs(along[direction % 3]) > 0.999) {
            return r;
        }
    }
    fail_msg("no such component");
    return NULL;
}

// The normal force on a geom.
static const dp_reaction *normal_of(const scene *s, const char *geom)
{
    dp_geom_id id;
    assert_ok(dp_model_find_geom(&id, s->x.m, geom));
    for (int i = 0; i < dp_statics_count(s->s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s->s, i);
        if (!r->joint && r->source == DP_ROW_SOURCE_CONTACT && r->component == 0 &&
            (r->geom[0].index == id.index || r->geom[1].index == id.index)) {
            return r;
        }
    }
    fail_msg("%s touches nothing", geom);
    return NULL;
}

static void assert_range(const dp_reaction *r, double low, double high, double tolerance)
{
    assert_true(r->range_known);
    assert_near(r->lowest, low, tolerance);
    assert_near(r->highest, high, tolerance);
}

static void assert_boundless(const dp_reaction *r)
{
    assert_true(r->range_known);
    assert_true(isinf(r->lowest) && r->lowest < 0.0);
    assert_true(isinf(r->highest) && r->highest > 0.0);
}

// ---- an independent pseudo-inverse

enum { MOST = 64 };

// Gᵀ from what the report tells of each component, scaled by the length of its norm.
typedef struct equations {
    int n, m;
    double A[MOST][MOST]; // m × n
    double f[MOST];
    int of[MOST]; // component of each column
} equations;

static void add_wrench(equations *e, int column, const scene *s, int body, double sign,
                       const dp_reaction *r)
{
    const dp_body_info info = dp_model_body(s->x.m, (dp_body_id){body});
    if (body <= 0 || info.tree < 0) {
        return;
    }
    const dp_v3 c = dp_inertial_pose(s->x.d, (dp_body_id){body}).p;
    const dp_v3 a = {r->point.x - c.x, r->point.y - c.y, r->point.z - c.z}, f = r->direction.f;
    const dp_v3 t = {r->direction.t.x + a.y * f.z - a.z * f.y,
                     r->direction.t.y + a.z * f.x - a.x * f.z,
                     r->direction.t.z + a.x * f.y - a.y * f.x};
    const double length = dp_statics_info_of(s->s)->length, unit = r->moment ? length : 1.0;
    const double six[6] = {f.x, f.y, f.z, t.x / length, t.y / length, t.z / length};
    for (int k = 0; k < 6; ++k) {
        e->A[6 * (body - 1) + k][column] += sign * unit * six[k];
    }
}

// Bodies are numbered from 1 and all of them move; at rest, under gravity alone.
static void assemble(equations *e, const scene *s)
{
    const dp_model *m = s->x.m;
    memset(e, 0, sizeof *e);
    e->m = 6 * (dp_model_sizes(m)->nbody - 1);
    for (int i = 0; i < dp_statics_count(s->s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s->s, i);
        add_wrench(e, e->n, s, r->on.index, 1.0, r);
        add_wrench(e, e->n, s, r->by.index, -1.0, r);
        e->of[e->n++] = i;
    }
    for (int b = 1; b < dp_model_sizes(m)->nbody; ++b) {
        e->f[6 * (b - 1) + 2] = dp_model_body(m, (dp_body_id){b}).inertial.mass * g;
    }
}

// x = A⁺ f by Gram–Schmidt on the rows, the longest first: A = L Q, L with independent columns.
static void pseudo_solve(double *x, equations *e)
{
    double Q[MOST][MOST], rest[MOST][MOST], y[MOST];
    double f[MOST];
    int rank = 0;
    memcpy(rest, e->A, sizeof rest);
    memcpy(f, e->f, sizeof f);
    memset(x, 0, (size_t)e->n * sizeof *x);
    while (rank < e->m) {
        int longest = 0;
        double most = 0.0;
        for (int i = 0; i < e->m; ++i) {
            double square = 0.0;
            for (int k = 0; k < e->n; ++k) {
                square += rest[i][k] * rest[i][k];
            }
            if (square > most) {
                most = square;
                longest = i;
            }
        }
        if (most < 1e-20) {
            break;
        }
        for (int k = 0; k < e->n; ++k) {
            Q[rank][k] = rest[longest][k] / sqrt(most);
        }
        // the row says: Q·x = what is left of its load, over its length
        y[rank] = f[longest] / sqrt(most);
        for (int i = 0; i < e->m; ++i) {
            double along = 0.0;
            for (int k = 0; k < e->n; ++k) {
                along += rest[i][k] * Q[rank][k];
            }
            for (int k = 0; k < e->n; ++k) {
                rest[i][k] -= along * Q[rank][k];
            }
            f[i] -= along * y[rank];
        }
        ++rank;
    }
    for (int i = 0; i < e->m; ++i) { // the load can be held
        assert_near(f[i], 0.0, 1e-9);
    }
    for (int r = 0; r < rank; ++r) {
        for (int k = 0; k < e->n; ++k) {
            x[k] += y[r] * Q[r][k];
        }
    }
}

static void assert_least_norm_is_that_of_a_pseudo_inverse(const scene *s)
{
    static equations e;
    double x[MOST];
    assemble(&e, s);
    pseudo_solve(x, &e);
    for (int k = 0; k < e.n; ++k) {
        const dp_reaction *r = dp_statics_reaction(s->s, e.of[k]);
        const double unit = r->moment ? dp_statics_info_of(s->s)->length : 1.0;
        assert_close(r->least_norm, unit * x[k], 1e-10);
    }
}

// ---- structures

#define HEAD                                                                                       \
    "<mujoco><option gravity='0 0 -9.81'/><default><geom contype='0' conaffinity='0'/>"            \
    "<default class='touch'><geom contype='1' conaffinity='1' condim='1'/></default></default>"

// Four hinges, twenty components, three bodies; with the fourth as a body of its own that is
// welded to the ground, six components and six equations more.
static const char four_bar[] =
    HEAD "<worldbody><body name='crank'><joint axis='0 1 0'/>"
         "<inertial pos='0 0 .1' mass='1' diaginertia='.01 .01 .01'/>"
         "<body name='coupler' pos='0 0 .2'><joint axis='0 1 0'/>"
         "<inertial pos='.3 0 .05' mass='2' diaginertia='.02 .02 .02'/>"
         "<body name='rocker' pos='.6 0 .1'><joint axis='0 1 0'/>"
         "<inertial pos='0 0 -.15' mass='1.5' diaginertia='.01 .01 .01'/>"
         "<body name='pin' pos='0 0 -.3'><joint axis='0 1 0'/>"
         "<inertial pos='0 0 0' mass='.1' diaginertia='.001 .001 .001'/>"
         "</body></body></body></body></worldbody>"
         "<equality><weld body1='pin'/></equality></mujoco>";

static void a_planar_four_bar_has_three_redundant_components(void **state)
{
    (void)state;
    scene s = examine(four_bar);
    const dp_statics_info *info = dp_statics_info_of(s.s);
    assert_int_equal(info->nequation, 24);
    assert_int_equal(info->ncomponent, 26);
    assert_int_equal(info->nullity, 3);
    assert_int_equal(info->mobility, 1);
    assert_true(info->smallest > 1e-3 && info->largest_zero < 1e-14); // a clear decision
    for (int b = 1; b <= 4; ++b) {
        // in the plane all is determined, across it nothing is
        assert_true(component(&s, true, b, 0)->determined);
        assert_true(component(&s, true, b, 2)->determined);
        static const int across[] = {1, 3, 5};
        for (int k = 0; k < 3; ++k) {
            const dp_reaction *r = component(&s, true, b, across[k]);
            assert_false(r->determined);
            assert_boundless(r);
            assert_near(r->least_norm, 0.0, 1e-12); // the load is in the plane
        }
    }
    end(&s);
}

#define LEG(name, x, y) "<geom class='touch' name='" name "' size='.1' pos='" x " " y " -.9'/>"
#define TABLE(condim, legs)                                                                        \
    HEAD "<worldbody><geom class='touch' name='floor' type='plane' size='5 5 1' condim='" condim   \
         "'/><body pos='0 0 1'><freejoint/>"                                                       \
         "<inertial pos='0 0 -.5' mass='10' diaginertia='1 1 1'/>" legs                            \
         "</body></worldbody></mujoco>"

static void a_table_on_four_legs_has_one_redundant_normal(void **state)
{
    (void)state;
    scene s = examine(TABLE("1", LEG("a", ".5", ".5") LEG("b", "-.5", ".5") LEG("c", "-.5", "-.5")
                                     LEG("d", ".5", "-.5")));
    const dp_statics_info *info = dp_statics_info_of(s.s);
    assert_int_equal(info->ncomponent, 4);
    assert_int_equal(info->nullity, 1);
    assert_int_equal(info->nundetermined, 4);
    static const char *const leg[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; ++i) {
        const dp_reaction *r = normal_of(&s, leg[i]);
        assert_near(r->least_norm, 10.0 * g / 4.0, 1e-10);
        assert_range(r, 0.0, 10.0 * g / 2.0, 1e-8); // two legs across carry all
    }
    assert_least_norm_is_that_of_a_pseudo_inverse(&s);
    end(&s);
}

static void friction_adds_what_legs_may_do_to_each_other(void **state)
{
    (void)state;
    scene s = examine(TABLE("3", LEG("a", ".5", ".5") LEG("b", "-.5", ".5") LEG("c", "-.5", "-.5")
                                     LEG("d", ".5", "-.5")));
    const dp_statics_info *info = dp_statics_info_of(s.s);
    assert_int_equal(info->ncomponent, 12);
    assert_int_equal(info->nullity, 6);
    assert_near(normal_of(&s, "a")->least_norm, 10.0 * g / 4.0, 1e-10);
    assert_range(normal_of(&s, "a"), 0.0, 10.0 * g / 2.0, 1e-7);
    assert_least_norm_is_that_of_a_pseudo_inverse(&s);
    end(&s);
}

static void a_tripod_is_determined(void **state)
{
    (void)state;
    scene s =
        examine(TABLE("1", LEG("a", ".5", "0") LEG("b", "-.25", ".4") LEG("c", "-.25", "-.4")));
    const dp_statics_info *info = dp_statics_info_of(s.s);
    assert_int_equal(info->nullity, 0);
    assert_int_equal(info->nundetermined, 0);
    assert_near(normal_of(&s, "a")->least_norm, 10.0 * g / 3.0, 1e-10);
    for (int i = 0; i < dp_statics_count(s.s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s.s, i);
        assert_true(r->determined);
        assert_near(r->lowest, r->highest, 0.0);
    }
    end(&s);
}

#define BEAM(com)                                                                                  \
    HEAD "<worldbody><geom class='touch' name='floor' type='plane' size='5 5 1'/>"                 \
         "<body pos='0 0 .1'><freejoint/><inertial pos='" com " 0 0' mass='10' "                   \
         "diaginertia='1 1 1'/><geom class='touch' name='left' size='.1' pos='-1 0 0'/>"           \
         "<geom class='touch' name='middle' size='.1'/>"                                           \
         "<geom class='touch' name='right' size='.1' pos='1 0 0'/></body></worldbody></mujoco>"

static void a_beam_on_three_supports_has_a_middle_reaction_between_nothing_and_most(void **state)
{
    (void)state;
    const double W = 10.0 * g;
    scene s = examine(BEAM("0.3"));
    assert_int_equal(dp_statics_info_of(s.s)->nullity, 1);
    // l + m + r = W, r − l = 0.3 W, none of them below 0
    assert_range(normal_of(&s, "left"), 0.0, 0.35 * W, 1e-8);
    assert_range(normal_of(&s, "middle"), 0.0, 0.7 * W, 1e-8);
    assert_range(normal_of(&s, "right"), 0.3 * W, 0.65 * W, 1e-8);
    // of minimum norm: W/3 each, and ∓0.15 W for the moment
    assert_near(normal_of(&s, "left")->least_norm, W / 3.0 - 0.15 * W, 1e-10);
    assert_near(normal_of(&s, "middle")->least_norm, W / 3.0, 1e-10);
    assert_near(normal_of(&s, "right")->least_norm, W / 3.0 + 0.15 * W, 1e-10);
    assert_least_norm_is_that_of_a_pseudo_inverse(&s);
    end(&s);
}

static void the_least_norm_lets_no_support_pull(void **state)
{
    (void)state;
    const double W = 10.0 * g;
    scene s = examine(BEAM("0.9")); // a pseudo-inverse would give W/3 − 0.45 W on the left
    assert_near(normal_of(&s, "left")->least_norm, 0.0, 1e-10);
    assert_near(normal_of(&s, "middle")->least_norm, 0.1 * W, 1e-10);
    assert_near(normal_of(&s, "right")->least_norm, 0.9 * W, 1e-10);
    assert_range(normal_of(&s, "left"), 0.0, 0.05 * W, 1e-8);
    end(&s);
}

// A hinge, and a second one as a hinge on a body that is welded to the wall.
static const char door[] =
    HEAD "<worldbody><body name='door'><joint name='top' axis='0 0 1' pos='0 0 1'/>"
         "<inertial pos='.4 0 .5' mass='20' diaginertia='1 1 1'/>"
         "<body name='bracket'><joint name='bottom' axis='0 0 1'/>"
         "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></body></worldbody>"
         "<equality><weld name='wall' body1='bracket'/></equality></mujoco>";

static void the_axial_load_of_a_door_on_two_hinges_is_anybodys_guess(void **state)
{
    (void)state;
    scene s = examine(door);
    const dp_reaction *top = component(&s, true, 1, 2), *bottom = component(&s, true, 2, 2);
    // five components of one hinge too many: axial force, radial forces against moments
    assert_int_equal(dp_statics_info_of(s.s)->nullity, 5);
    assert_boundless(top);
    assert_boundless(bottom);
    assert_false(top->determined || bottom->determined);
    // what the two carry together, and the bracket's weight beside it, is no guess
    assert_near(top->least_norm - bottom->least_norm, 20.0 * g, 1e-10);
    assert_least_norm_is_that_of_a_pseudo_inverse(&s);
    end(&s);
}

// Links on ball joints, the last one held by a pin: forces are determined, but for the ends of a
// straight chain, which may pull at each other.
static void write_chain(char *out, size_t size, double sag)
{
    int used = snprintf(out, size, HEAD "<worldbody>");
    for (int i = 0; i < 4; ++i) {
        used += snprintf(out + used, size - (size_t)used,
                         "<body pos='%.17g 0 %.17g'><joint type='ball'/>"
                         "<inertial pos='.5 0 %.17g' mass='1' diaginertia='.1 .1 .1'/>",
                         i == 0 ? 0.0 : 1.0,
                         i == 0   ? 0.0
                         : i <= 2 ? -sag
                                  : sag,
                         i < 2 ? -0.5 * sag : 0.5 * sag);
    }
    snprintf(out + used, size - (size_t)used,
             "</body></body></body></body></worldbody><equality><connect body1='body_3' "
             "anchor='1 0 %.17g'/></equality></mujoco>",
             sag);
}

static void a_taut_chain_hung_at_both_ends_may_have_any_tension(void **state)
{
    (void)state;
    for (int taut = 0; taut < 2; ++taut) {
        char text[2048];
        write_chain(text, sizeof text, taut ? 0.0 : 0.2);
        // unnamed bodies: the last one by its name
        char *last = strstr(text, "body_3");
        assert_non_null(last);
        char named[2200];
        char *inner = text;
        for (int i = 0; i < 4; ++i) {
            inner = strstr(inner + 1, "<body pos");
        }
        snprintf(named, sizeof named, "%.*s<body name='body_3' pos%s", (int)(inner - text), text,
                 inner + strlen("<body pos"));
        scene s = examine(named);
        const dp_statics_info *info = dp_statics_info_of(s.s);
        // four bodies, five pins of three components; taut: the tension is open
        assert_int_equal(info->ncomponent, 15);
        assert_int_equal(info->nullity, taut);
        const dp_reaction *pull = component(&s, true, 1, 0);
        assert_int_equal(pull->determined, !taut);
        if (taut) {
            assert_boundless(pull);
            assert_near(pull->least_norm, 0.0, 1e-9);
        }
        end(&s);
    }
}

// A portal of three welded bars on two welded feet: three bodies, and one weld too many.
static const char portal[] =
    HEAD "<worldbody><body name='base'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
         "<joint type='slide' axis='1 0 0' range='0 1' limited='true'/>"
         "<body name='left'><inertial pos='0 0 1' mass='2' diaginertia='1 1 1'/>"
         "<body name='beam' pos='0 0 2'><inertial pos='.7 .1 0' mass='5' diaginertia='1 1 1'/>"
         "<body name='right' pos='2 0 0'><inertial pos='0 0 -1' mass='2' diaginertia='1 1 1'/>"
         "</body></body></body></body></worldbody>"
         "<equality><weld body1='right'/></equality></mujoco>";

static void a_portal_frame_has_the_six_redundancies_of_a_closed_ring(void **state)
{
    (void)state;
    scene s = examine(portal);
    // The slide's direction is one component less, and nothing can move.
    assert_int_equal(dp_statics_info_of(s.s)->mobility, 0);
    assert_int_equal(dp_statics_info_of(s.s)->nullity, dp_statics_info_of(s.s)->ncomponent - 24);
    end(&s);
}

// ---- loads

// A free body on a pin, turning: the pin carries m g + m ω² l below it, and m ω² l sideways.
static void a_turning_body_on_a_pin_pulls_with_its_centrifugal_force(void **state)
{
    (void)state;
    scene s = {.x = parse(HEAD "<worldbody><body name='bob' pos='0 0 -.5'><freejoint/>"
                               "<inertial pos='0 0 0' mass='2' diaginertia='.1 .1 .1'/></body>"
                               "</worldbody><equality><connect body1='bob' anchor='0 0 .5'/>"
                               "</equality></mujoco>")};
    const double w = 3.0;
    const double v[6] = {-w * 0.5, 0.0, 0.0, 0.0, w, 0.0}; // about y through the pin
    mechanism_set(&s.x, dp_data_q(s.x.d), v);
    assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
    assert_int_equal(dp_statics_info_of(s.s)->nullity, 0);
    // β by central differences over 1e-5 rad: 1e-10 of it
    assert_near(component(&s, false, 0, 2)->least_norm, 2.0 * (g + w * w * 0.5), 1e-8);
    assert_near(component(&s, false, 0, 0)->least_norm, 0.0, 1e-8);
    end(&s);
}

// A ball on top of a ball: N = m g − m v²/(R + r).
static void a_ball_that_passes_over_a_ball_weighs_less(void **state)
{
    (void)state;
    scene s = {.x = parse(HEAD "<worldbody><geom class='touch' name='hill' size='1'/>"
                               "<body pos='0 0 1.5'><freejoint/>"
                               "<inertial pos='0 0 0' mass='2' diaginertia='.1 .1 .1'/>"
                               "<geom class='touch' name='ball' size='.5'/></body></worldbody>"
                               "</mujoco>")};
    const double v[6] = {1.2, 0.0, 0.0, 0.0, 0.0, 0.0};
    mechanism_set(&s.x, dp_data_q(s.x.d), v);
    assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
    assert_near(normal_of(&s, "ball")->least_norm, 2.0 * (g - 1.2 * 1.2 / 1.5), 1e-7);
    end(&s);
}

static void a_falling_body_weighs_nothing(void **state)
{
    (void)state;
    scene s = examine(HEAD "<worldbody><body><joint type='slide' axis='0 0 1'/>"
                           "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
                           "<body pos='.3 0 0'><inertial pos='0 0 0' mass='1' "
                           "diaginertia='1 1 1'/></body></body></worldbody></mujoco>");
    for (int i = 0; i < dp_statics_count(s.s); ++i) {
        assert_true(dp_statics_reaction(s.s, i)->determined);
        assert_near(dp_statics_reaction(s.s, i)->least_norm, 0.0, 1e-12);
    }
    end(&s);
}

// Where all is determined the report and the recursion of inverse dynamics are two ways to one
// number: joints of all kinds, in motion.
static void in_a_tree_reactions_are_those_of_inverse_dynamics(void **state)
{
    (void)state;
    scene s = {.x = parse(HEAD "<worldbody><body><joint axis='0 .6 .8' damping='.1' armature='.2'/>"
                               "<inertial pos='.1 .2 .3' mass='1' diaginertia='.1 .2 .15'/>"
                               "<body pos='.3 0 .1'><joint type='ball' pos='.05 0 0'/>"
                               "<inertial pos='0 .1 0' mass='2' diaginertia='.1 .1 .1'/>"
                               "<body pos='0 .2 .2'><joint type='slide' axis='1 0 0'/>"
                               "<joint axis='0 1 0' pos='.1 0 .2'/><joint axis='0 0 1'/>"
                               "<inertial pos='0 0 .1' mass='.5' diaginertia='.1 .1 .1'/>"
                               "<body pos='.1 .1 .1'><inertial pos='.1 0 0' mass='.3' "
                               "diaginertia='.01 .01 .01'/></body></body></body></body>"
                               "</worldbody></mujoco>")};
    const double q[8] = {0.4, 0.8, 0.6, 0.0, 0.0, 0.1, 0.3, -0.5};
    const double v[7] = {1.0, -0.5, 2.0, 0.3, 0.7, -1.0, 0.6};
    mechanism_set(&s.x, q, v);
    assert_ok(dp_forward(s.x.d));
    assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
    assert_int_equal(dp_statics_info_of(s.s)->nullity, 0);
    assert_int_equal(dp_statics_info_of(s.s)->mobility, 7);
    assert_int_equal(dp_statics_count(s.s), 5 + 3 + 3 + 6);
    for (int i = 0; i < dp_statics_count(s.s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s.s, i);
        const dp_wrench w = dp_body_reaction(s.x.d, r->on);
        const dp_v3 o = dp_body_pose(s.x.d, r->on).p;
        const dp_v3 a = {o.x - r->point.x, o.y - r->point.y, o.z - r->point.z}, f = w.f;
        const dp_v3 t = {w.t.x + a.y * f.z - a.z * f.y, w.t.y + a.z * f.x - a.x * f.z,
                         w.t.z + a.x * f.y - a.y * f.x}; // about the point
        const dp_wrench d = r->direction;
        const bool pure = r->moment || (d.t.x == 0.0 && d.t.y == 0.0 && d.t.z == 0.0);
        const double force = f.x * d.f.x + f.y * d.f.y + f.z * d.f.z;
        const double moment = t.x * d.t.x + t.y * d.t.y + t.z * d.t.z;
        if (pure) { // the third body's hinges lie beside each other: force and moment at once
            assert_near(r->least_norm, r->moment ? moment : force, 1e-11);
        }
    }
    end(&s);
}

// Motors and applied forces are loads: a slide that is pushed against a wall.
static void drives_and_applied_forces_are_loads(void **state)
{
    (void)state;
    scene s = {.x = parse(HEAD "<worldbody><geom class='touch' type='plane' size='1 1 1' "
                               "quat='.7071067811865476 0 .7071067811865476 0'/><body pos='.1 0 0'>"
                               "<joint name='s' type='slide' axis='1 0 0'/>"
                               "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
                               "<geom class='touch' name='ball' size='.1'/></body></worldbody>"
                               "<actuator><motor joint='s' gear='10'/></actuator></mujoco>")};
    dp_data_control(s.x.d)[0] = -0.5;
    dp_data_wrench(s.x.d, (dp_body_id){1})->f.x = -3.0;
    assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
    assert_near(normal_of(&s, "ball")->least_norm, 8.0, 1e-10);
    assert_near(component(&s, true, 1, 2)->least_norm, 2.0 * g, 1e-10);
    end(&s);
}

// ---- friction and bounds

// A ball in a groove of 90°: on each wall N + t = W/√2, t along the wall and |t| ≤ μ N.
static void a_ball_in_a_groove_is_squeezed_as_far_as_friction_lets_it(void **state)
{
    (void)state;
#define WALL(turn)                                                                                 \
    "<geom class='touch' condim='3' friction='.4' type='plane' size='1 1 1' "                      \
    "quat='.9238795325112867 0 " turn " 0'/>"
    scene s = examine(HEAD "<worldbody>" WALL(".3826834323650898") WALL(
        "-.3826834323650898") "<body pos='0 0 .1414213562373095'><freejoint/>"
                              "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
                              "<geom class='touch' condim='3' friction='.4' name='ball' size='.1'/>"
                              "</body></worldbody></mujoco>");
    const double half = 2.0 * g / sqrt(2.0);
    assert_int_equal(dp_statics_info_of(s.s)->nullity, 1);
    assert_range(normal_of(&s, "ball"), half / 1.4, half / 0.6, 1e-7);
    end(&s);
}

// A wheel on an axle that can only slide up and down and turn: friction along the axle is open, up
// to μ N.
static void friction_against_a_guide_reaches_the_rim_of_its_cone(void **state)
{
    (void)state;
    scene s = examine(HEAD "<worldbody><geom class='touch' condim='3' friction='.3' type='plane' "
                           "size='1 1 1'/><body pos='0 0 .2'><joint type='slide' axis='0 0 1'/>"
                           "<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/>"
                           "<geom class='touch' condim='3' friction='.3' name='ball' size='.2'/>"
                           "</body></worldbody></mujoco>");
    const double N = 3.0 * g;
    assert_true(normal_of(&s, "ball")->determined);
    assert_near(normal_of(&s, "ball")->least_norm, N, 1e-10);
    for (int i = 0; i < dp_statics_count(s.s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s.s, i);
        if (!r->joint && r->component > 0) {
            assert_range(r, -0.3 * N, 0.3 * N, 1e-7);
        } else if (r->joint && r->moment) { // friction 0.2 m below the axle
            assert_true(r->highest <= 0.3 * N * 0.2 + 1e-7);
        }
    }
    end(&s);
}

static void friction_that_slides_follows_its_normal(void **state)
{
    (void)state;
#define SMOOTH "' friction='.2"
    scene s = {.x = parse(TABLE("3" SMOOTH,
                                LEG("a" SMOOTH, ".5", ".5") LEG("b" SMOOTH, "-.5", ".5")
                                    LEG("c" SMOOTH, "-.5", "-.5") LEG("d" SMOOTH, ".5", "-.5")))};
    const double v[6] = {0.6, 0.8, 0.0, 0.0, 0.0, 0.0};
    mechanism_set(&s.x, dp_data_q(s.x.d), v);
    assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
    double along = 0.0, normal = 0.0;
    int follow = 0;
    for (int i = 0; i < dp_statics_count(s.s); ++i) {
        const dp_reaction *r = dp_statics_reaction(s.s, i);
        if (r->component == 0) {
            normal = r->least_norm;
        } else {
            assert_int_equal(r->bound, DP_REACTION_BOUND_FOLLOWS);
            const double way = 0.6 * r->direction.f.x + 0.8 * r->direction.f.y;
            along += way * r->least_norm / normal;
            ++follow;
        }
    }
    assert_int_equal(follow, 8);
    assert_near(along, -4.0 * 0.2, 1e-8); // μ N against the slip, on each leg
    end(&s);
}

// The table of [PreclikRuedePopa2011, §3], of unit mass and gravity on legs of friction μ, that
// slides along x. Friction pitches it: the legs in front carry (1 + μ)/2 together, where all have
// the same.
static scene slide_table(const char *rough, const char *smooth)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 -1'/><worldbody><geom type='plane' size='9 9 1' "
             "friction='0'/><body pos='0 0 .5'><freejoint/><inertial pos='0 0 0' mass='1' "
             "diaginertia='1 1 1'/>"
             "<geom name='a' size='.1' pos='.5 .5 -.4' friction='%s'/>"
             "<geom name='b' size='.1' pos='-.5 .5 -.4' friction='%s'/>"
             "<geom name='c' size='.1' pos='-.5 -.5 -.4' friction='%s'/>"
             "<geom name='d' size='.1' pos='.5 -.5 -.4' friction='%s'/>"
             "</body></worldbody></mujoco>",
             rough, smooth, rough, smooth);
    scene s = {.x = parse(text)};
    const double v[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    mechanism_set(&s.x, dp_data_q(s.x.d), v);
    assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
    return s;
}

static void a_sliding_table_with_unequal_friction_has_its_motion_open(void **state)
{
    (void)state;
    scene same = slide_table("0.1", "0.1"), unequal = slide_table("0.1", "0.05");
    assert_int_equal(dp_statics_info_of(same.s)->nullity, 1);
    assert_false(dp_statics_info_of(same.s)->motion_open);
    assert_near(normal_of(&same, "a")->least_norm, 0.275, 1e-9);
    assert_near(normal_of(&same, "b")->least_norm, 0.225, 1e-9);
    assert_range(normal_of(&same, "a"), 0.05, 0.5, 1e-7); // b, then d, carries nothing
    assert_int_equal(dp_statics_info_of(unequal.s)->nullity, 1);
    assert_true(dp_statics_info_of(unequal.s)->motion_open);
    // With c lifted: a + b + d = 1, a + b − d = 0 and ½ (a + d − b) = ½ (0.1 a + 0.05 (b + d)),
    // hence d = ½, b = ½ − a, 1.95 a = 0.05
    assert_near(normal_of(&unequal, "a")->lowest, 0.05 / 1.95, 1e-7);
    assert_near(normal_of(&unequal, "b")->highest, 0.5 - 0.05 / 1.95, 1e-7);
    end(&same);
    end(&unequal);
}

// ---- the report itself

static void ranges_enclose_the_least_norm(void **state)
{
    (void)state;
    static const char *const all[] = {four_bar,
                                      door,
                                      portal,
                                      BEAM("0.3"),
                                      BEAM("0.9"),
                                      TABLE("3", LEG("a", ".5", ".5") LEG("b", "-.5", ".5")
                                                     LEG("c", "-.5", "-.5") LEG("d", ".5", "-.5")),
                                      TABLE("6", LEG("a", ".5", ".5") LEG("b", "-.5", ".5")
                                                     LEG("c", "-.5", "-.4") LEG("d", ".5", "-.5")
                                                         LEG("e", "0", "0"))};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        scene s = examine(all[k]);
        assert_int_equal(dp_statics_info_of(s.s)->unknown_ranges, 0);
        assert_true(dp_statics_info_of(s.s)->admissible);
        for (int i = 0; i < dp_statics_count(s.s); ++i) {
            const dp_reaction *r = dp_statics_reaction(s.s, i);
            assert_true(r->lowest <= r->least_norm && r->least_norm <= r->highest);
            assert_true(r->determined || r->highest > r->lowest);
        }
        end(&s);
    }
}

// Rows in another order: other rotations, other pivots, the same answer.
static void the_order_of_rows_does_not_matter(void **state)
{
    (void)state;
    scene one = examine(TABLE("3", LEG("a", ".5", ".5") LEG("b", "-.4", ".5") LEG("c", "-.5", "-.5")
                                       LEG("d", ".5", "-.5") LEG("e", ".1", "-.2")));
    scene two = examine(TABLE("3", LEG("e", ".1", "-.2") LEG("c", "-.5", "-.5") LEG("a", ".5", ".5")
                                       LEG("d", ".5", "-.5") LEG("b", "-.4", ".5")));
    static const char *const leg[] = {"a", "b", "c", "d", "e"};
    assert_int_equal(dp_statics_info_of(one.s)->nullity, dp_statics_info_of(two.s)->nullity);
    for (int i = 0; i < 5; ++i) {
        const dp_reaction *p = normal_of(&one, leg[i]), *q = normal_of(&two, leg[i]);
        for (int k = 0; k < 3; ++k) { // its friction comes next
            assert_near(p[k].least_norm, q[k].least_norm, 1e-9);
            assert_near(p[k].freedom, q[k].freedom, 1e-9);
            // ranges: to the gap that is reported
            const double gap = dp_statics_info_of(one.s)->range_gap;
            assert_true(gap < 1e-6);
            assert_near(p[k].lowest, q[k].lowest, 1e-9 + 2.0 * gap);
            assert_near(p[k].highest, q[k].highest, 1e-9 + 2.0 * gap);
        }
    }
    end(&one);
    end(&two);
}

static void the_length_decides_what_a_moment_counts(void **state)
{
    (void)state;
    scene s = {.x = parse(door)};
    double moment[2];
    for (int k = 0; k < 2; ++k) {
        dp_statics_options options = dp_statics_options_default();
        options.length = k == 0 ? 0.01 : 100.0;
        assert_ok(dp_statics_create(&s.s, s.x.d, &options, NULL));
        assert_near(dp_statics_info_of(s.s)->length, options.length, 0.0);
        moment[k] = fabs(component(&s, true, 1, 4)->least_norm);
        assert_least_norm_is_that_of_a_pseudo_inverse(&s);
        dp_statics_destroy(s.s);
    }
    assert_true(moment[0] < 0.1 && moment[1] > 10.0); // dear, cheap
    mechanism_end(&s.x);
}

static void the_state_is_not_touched(void **state)
{
    (void)state;
    mechanism x = parse(BEAM("0.3"));
    mechanism_steps(&x, 5);
    const uint64_t before = dp_state_hash(x.d);
    dp_statics *s;
    assert_ok(dp_statics_create(&s, x.d, NULL, NULL));
    assert_true(dp_state_hash(x.d) == before);
    dp_statics_destroy(s);
    mechanism_end(&x);
}

// Rigid statics has no springs and no polygons.
static void the_report_is_the_same_for_every_law(void **state)
{
    (void)state;
    double load[2] = {0.0, 0.0};
    static const dp_law_kind laws[] = {DP_LAW_COMPLIANT, DP_LAW_LCP, DP_LAW_NCP, DP_LAW_VI};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        scene s = {.x = parse(BEAM("0.3"))};
        dp_data_options(s.x.d)->solver.law = laws[k];
        assert_ok(dp_statics_create(&s.s, s.x.d, NULL, NULL));
        double sum[2] = {0.0, 0.0};
        for (int i = 0; i < dp_statics_count(s.s); ++i) {
            sum[0] += dp_statics_reaction(s.s, i)->least_norm;
            sum[1] += fmin(dp_statics_reaction(s.s, i)->highest, 1e9);
        }
        for (int i = 0; i < 2; ++i) {
            assert_true(k == 0 || sum[i] == load[i]);
            load[i] = sum[i];
        }
        assert_true(load[0] > 0.0);
        end(&s);
    }
}

static void options_without_sense_are_refused(void **state)
{
    (void)state;
    mechanism x = parse(BEAM("0.3"));
    static const struct {
        double length, tolerance, touch;
        const char *message;
    } bad[] = {{-1.0, 1e-9, 0.0, "length is -1 m"},
               {(double)NAN, 1e-9, 0.0, "length is"},
               {0.0, 0.0, 0.0, "tolerance is 0"},
               {0.0, 2.0, 0.0, "tolerance is 2"},
               {0.0, 1e-9, -1.0, "touch is -1 m"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        dp_statics_options options = dp_statics_options_default();
        options.length = bad[k].length;
        options.tolerance = bad[k].tolerance;
        options.touch = bad[k].touch;
        dp_statics *s;
        assert_int_equal(dp_statics_create(&s, x.d, &options, NULL), DP_ERROR_ARGUMENT);
        assert_null(s);
        assert_non_null(strstr(dp_last_error(), bad[k].message));
    }
    mechanism_end(&x);
}

// Two bodies of 1 kg, one on the other, fall with 2 g/14: armature resists with 12 kg along their
// way.
static void reactions_know_the_armature_of_tendons(void **state)
{
    (void)state;
    static const char *const tendon[2] = {
        "<fixed armature='3'><joint joint='j' coef='2'/></fixed>",
        "<spatial armature='12'><site site='above'/><site site='on'/></spatial>",
    };
    for (int kind = 0; kind < 2; ++kind) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<mujoco><option gravity='0 0 -9.81'/><worldbody><site name='above' pos='0 0 2'/>"
            "<body><joint name='j' type='slide' axis='0 0 1'/>"
            "<geom size='0.1' mass='1' contype='0' conaffinity='0'/><site name='on'/>"
            "<body pos='0 0 0.2'><geom size='0.1' mass='1' contype='0' conaffinity='0'/></body>"
            "</body></worldbody><tendon>%s</tendon></mujoco>",
            tendon[kind]);
        scene s = examine(text);
        const dp_reaction *r = component(&s, true, 2, 2);
        assert_true(r->determined);
        assert_near(fabs(r->least_norm), g * (1.0 - 2.0 / 14.0), 1e-9);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planar_four_bar_has_three_redundant_components),
        cmocka_unit_test(a_table_on_four_legs_has_one_redundant_normal),
        cmocka_unit_test(friction_adds_what_legs_may_do_to_each_other),
        cmocka_unit_test(a_tripod_is_determined),
        cmocka_unit_test(a_beam_on_three_supports_has_a_middle_reaction_between_nothing_and_most),
        cmocka_unit_test(the_least_norm_lets_no_support_pull),
        cmocka_unit_test(the_axial_load_of_a_door_on_two_hinges_is_anybodys_guess),
        cmocka_unit_test(a_taut_chain_hung_at_both_ends_may_have_any_tension),
        cmocka_unit_test(a_portal_frame_has_the_six_redundancies_of_a_closed_ring),
        cmocka_unit_test(a_turning_body_on_a_pin_pulls_with_its_centrifugal_force),
        cmocka_unit_test(a_ball_that_passes_over_a_ball_weighs_less),
        cmocka_unit_test(a_falling_body_weighs_nothing),
        cmocka_unit_test(in_a_tree_reactions_are_those_of_inverse_dynamics),
        cmocka_unit_test(drives_and_applied_forces_are_loads),
        cmocka_unit_test(a_ball_in_a_groove_is_squeezed_as_far_as_friction_lets_it),
        cmocka_unit_test(friction_against_a_guide_reaches_the_rim_of_its_cone),
        cmocka_unit_test(friction_that_slides_follows_its_normal),
        cmocka_unit_test(a_sliding_table_with_unequal_friction_has_its_motion_open),
        cmocka_unit_test(ranges_enclose_the_least_norm),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(the_length_decides_what_a_moment_counts),
        cmocka_unit_test(the_state_is_not_touched),
        cmocka_unit_test(the_report_is_the_same_for_every_law),
        cmocka_unit_test(options_without_sense_are_refused),
        cmocka_unit_test(reactions_know_the_armature_of_tendons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
