// Meshes, terrain, contact pairs, tendons, equalities and transmissions that cannot be: each is
// refused with a status and a message that names the culprit.
//
// Every case spoils one thing of the same sound mechanism (full_spec.h).
#include "bad_mechanism.h"
#include "full_spec.h"
#include "spec_parts.h"

#include <math.h>

// Ids of the sound mechanism
enum { BALL_BALL = 2, BALL_MESH, TERRAIN, POST }; // geoms
enum { TETRA, CUBE };
enum { SUM, ROPE };
enum { PIN, GRIP, GEAR, ROPES };
enum { WINCH = 2, THRUSTER };

static dp_mesh_spec *mesh(dp_spec *s, int i)
{
    return dp_spec_mesh(s, (dp_mesh_id){i});
}

static dp_hfield_spec *hills(dp_spec *s)
{
    return dp_spec_hfield(s, (dp_hfield_id){0});
}

static dp_pair_spec *pair(dp_spec *s)
{
    return dp_spec_pair(s, (dp_pair_id){0});
}

static dp_tendon_spec *tendon(dp_spec *s, int i)
{
    return dp_spec_tendon(s, (dp_tendon_id){i});
}

static dp_equality_spec *equality(dp_spec *s, int i)
{
    return dp_spec_equality(s, (dp_equality_id){i});
}

// Give a tendon a path of up to six stations; a station without object and divisor ends it.
static void lead(dp_tendon_spec *t, bool spatial, const dp_wrap_spec path[6])
{
    static dp_wrap_spec kept[6];
    t->spatial = spatial;
    t->wrap = kept;
    for (t->nwrap = 0; t->nwrap < 6; ++t->nwrap) {
        kept[t->nwrap] = path[t->nwrap];
        if (!path[t->nwrap].object && path[t->nwrap].kind != DP_WRAP_PULLEY) {
            break;
        }
    }
}

// clang-format off
#define SITE(name) {.kind = DP_WRAP_SITE, .object = (name)}
#define GEOM(name) {.kind = DP_WRAP_GEOM, .object = (name)}
#define JOINT(name) {.kind = DP_WRAP_JOINT, .object = (name), .coefficient = 1.0}
#define PULLEY(divisor) {.kind = DP_WRAP_PULLEY, .coefficient = (divisor)}
// clang-format on

// Meshes

static dp_status geom_of_an_unknown_mesh(dp_spec *s)
{
    geom(s, BALL_MESH)->mesh = "tetr";
    return DP_OK;
}

static dp_status geom_without_a_mesh(dp_spec *s)
{
    geom(s, BALL_MESH)->mesh = NULL;
    return DP_OK;
}

static dp_status mesh_without_a_name(dp_spec *s)
{
    dp_mesh_spec m = *mesh(s, CUBE);
    m.name = "";
    m.where = (dp_location){"robot.xml", 4};
    return dp_spec_add_mesh(NULL, s, &m);
}

static dp_status two_meshes_of_one_name(dp_spec *s)
{
    const dp_mesh_spec m = *mesh(s, CUBE);
    return dp_spec_add_mesh(NULL, s, &m);
}

static dp_status mesh_with_three_vertices(dp_spec *s)
{
    mesh(s, CUBE)->nvertex = 3;
    return DP_OK;
}

static dp_status mesh_without_vertices(dp_spec *s)
{
    mesh(s, CUBE)->vertex = NULL;
    return DP_OK;
}

static dp_status mesh_with_a_face_beyond_its_vertices(dp_spec *s)
{
    static const int face[12] = {0, 2, 1, 0, 1, 4, 0, 3, 2, 1, 2, 3};
    mesh(s, TETRA)->face = face;
    mesh(s, TETRA)->where = (dp_location){"robot.xml", 4};
    return DP_OK;
}

static dp_status mesh_with_a_negative_vertex_number(dp_spec *s)
{
    static const int face[12] = {0, 2, 1, 0, 1, -3, 0, 3, 2, 1, 2, 3};
    mesh(s, TETRA)->face = face;
    return DP_OK;
}

static dp_status mesh_with_a_vertex_not_a_number(dp_spec *s)
{
    static const double vertex[12] = {0.0, 0.0, 0.0, 1.0, NAN};
    mesh(s, TETRA)->vertex = vertex;
    return DP_OK;
}

static dp_status mesh_with_a_negative_number_of_faces(dp_spec *s)
{
    mesh(s, TETRA)->nface = -1;
    return DP_OK;
}

static dp_status flat_mesh_with_mass(dp_spec *s)
{
    static const double vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    mesh(s, TETRA)->vertex = vertex;
    mesh(s, TETRA)->inertia = DP_MESH_INERTIA_CONVEX;
    mesh(s, TETRA)->where = (dp_location){"robot.xml", 4};
    return DP_OK;
}

static dp_status mesh_in_one_point(dp_spec *s)
{
    static const double vertex[24] = {0.0};
    mesh(s, CUBE)->vertex = vertex;
    geom(s, BALL_MESH)->mesh = "cube";
    return DP_OK;
}

static dp_status open_mesh_with_exact_mass(dp_spec *s)
{
    mesh(s, TETRA)->nface = 3;
    return DP_OK;
}

static dp_status mesh_inside_out(dp_spec *s)
{
    static const int face[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    mesh(s, TETRA)->face = face;
    return DP_OK;
}

static dp_status unknown_kind_of_mesh_inertia(dp_spec *s)
{
    mesh(s, CUBE)->inertia = (dp_mesh_inertia)5;
    return DP_OK;
}

static dp_status hollow_geom_of_a_mesh(dp_spec *s)
{
    geom(s, BALL_MESH)->shell = true;
    return DP_OK;
}

// Height fields

static dp_status geom_of_an_unknown_hfield(dp_spec *s)
{
    geom(s, TERRAIN)->hfield = "hill";
    return DP_OK;
}

static dp_status hfield_without_a_name(dp_spec *s)
{
    dp_hfield_spec h = *hills(s);
    h.name = NULL;
    return dp_spec_add_hfield(NULL, s, &h);
}

static dp_status hfield_with_one_row(dp_spec *s)
{
    hills(s)->nrow = 1;
    return DP_OK;
}

static dp_status hfield_without_width(dp_spec *s)
{
    hills(s)->size[1] = 0.0;
    return DP_OK;
}

static dp_status hfield_with_negative_depth(dp_spec *s)
{
    hills(s)->size[3] = -0.1;
    return DP_OK;
}

static dp_status hfield_size_infinite(dp_spec *s)
{
    hills(s)->size[2] = INFINITY;
    return DP_OK;
}

static dp_status hfield_elevation_above_one(dp_spec *s)
{
    static const double elevation[6] = {0.0, 0.5, 0.5, 1.5, 0.0, 0.0};
    hills(s)->elevation = elevation;
    return DP_OK;
}

static dp_status hfield_elevation_not_a_number(dp_spec *s)
{
    static const double elevation[6] = {NAN};
    hills(s)->elevation = elevation;
    return DP_OK;
}

static dp_status hfield_on_a_moving_body(dp_spec *s)
{
    geom(s, BALL_MESH)->kind = DP_GEOM_HFIELD;
    geom(s, BALL_MESH)->hfield = "hills";
    return DP_OK;
}

// Contact

static dp_status condim_two(dp_spec *s)
{
    geom(s, BALL_BALL)->contact.condim = 2;
    return DP_OK;
}

static dp_status negative_solmix(dp_spec *s)
{
    geom(s, BALL_BALL)->contact.solmix = -1.0;
    return DP_OK;
}

static dp_status mixed_solref_of_a_geom(dp_spec *s)
{
    geom(s, BALL_BALL)->contact.solver_given = true;
    geom(s, BALL_BALL)->contact.solref[1] = -1.0;
    return DP_OK;
}

static dp_status margin_not_a_number(dp_spec *s)
{
    geom(s, BALL_BALL)->contact.margin = NAN;
    return DP_OK;
}

static dp_status pair_of_an_unknown_geom(dp_spec *s)
{
    pair(s)->geom[1] = "cart_bx";
    return DP_OK;
}

static dp_status pair_of_one_geom(dp_spec *s)
{
    dp_pair_spec p = dp_pair_spec_default();
    p.name = "single";
    p.geom[0] = "cart_box";
    return dp_spec_add_pair(NULL, s, &p);
}

static dp_status pair_of_a_geom_with_itself(dp_spec *s)
{
    pair(s)->geom[1] = "ball_ball";
    return DP_OK;
}

static dp_status pair_with_condim_five(dp_spec *s)
{
    pair(s)->contact.condim = 5;
    return DP_OK;
}

static dp_status pair_friction_infinite(dp_spec *s)
{
    pair(s)->friction[4] = INFINITY;
    return DP_OK;
}

static dp_status two_pairs_of_one_name(dp_spec *s)
{
    const dp_pair_spec p = *pair(s);
    return dp_spec_add_pair(NULL, s, &p);
}

static dp_status exclude_of_an_unknown_body(dp_spec *s)
{
    dp_spec_exclude(s, (dp_exclude_id){0})->body[0] = "carts";
    return DP_OK;
}

static dp_status exclude_of_one_body(dp_spec *s)
{
    dp_exclude_spec e = dp_exclude_spec_default();
    e.body[1] = "cart";
    return dp_spec_add_exclude(NULL, s, &e);
}

static dp_status two_excludes_of_one_name(dp_spec *s)
{
    const dp_exclude_spec e = *dp_spec_exclude(s, (dp_exclude_id){0});
    return dp_spec_add_exclude(NULL, s, &e);
}

// Tendons

static dp_status tendon_without_a_path(dp_spec *s)
{
    tendon(s, SUM)->nwrap = 0;
    return DP_OK;
}

static dp_status fixed_tendon_through_a_site(dp_spec *s)
{
    lead(tendon(s, SUM), false, (dp_wrap_spec[6]){JOINT("slider"), SITE("tip_site")});
    return DP_OK;
}

static dp_status fixed_tendon_over_an_unknown_joint(dp_spec *s)
{
    lead(tendon(s, SUM), false, (dp_wrap_spec[6]){JOINT("slidr")});
    return DP_OK;
}

static dp_status fixed_tendon_over_a_free_joint(dp_spec *s)
{
    lead(tendon(s, SUM), false, (dp_wrap_spec[6]){JOINT("pivot"), JOINT("flight")});
    return DP_OK;
}

static dp_status tendon_coefficient_not_a_number(dp_spec *s)
{
    lead(tendon(s, SUM), false, (dp_wrap_spec[6]){JOINT("pivot"), JOINT("slider")});
    ((dp_wrap_spec *)tendon(s, SUM)->wrap)[1].coefficient = NAN;
    return DP_OK;
}

static dp_status spatial_tendon_over_a_joint(dp_spec *s)
{
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){SITE("tip_site"), JOINT("pivot")});
    return DP_OK;
}

static dp_status spatial_tendon_to_an_unknown_site(dp_spec *s)
{
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_tap")});
    return DP_OK;
}

static dp_status spatial_tendon_of_one_site(dp_spec *s)
{
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){SITE("tip_site")});
    return DP_OK;
}

static dp_status branch_of_one_site(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_top"), PULLEY(2.0), SITE("cart_site")});
    return DP_OK;
}

static dp_status site_twice_in_a_row(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_top"), SITE("post_top")});
    return DP_OK;
}

static dp_status tendon_around_a_box(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), GEOM("cart_box"), SITE("post_top")});
    return DP_OK;
}

static dp_status tendon_around_an_unknown_geom(dp_spec *s)
{
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){SITE("tip_site"), GEOM("pst"), SITE("post_top")});
    return DP_OK;
}

static dp_status tendon_that_ends_at_a_geom(dp_spec *s)
{
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){SITE("tip_site"), GEOM("post")});
    return DP_OK;
}

static dp_status geom_behind_a_pulley(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_top"), PULLEY(2.0), GEOM("post"),
                           SITE("cart_site")});
    return DP_OK;
}

static dp_status two_geoms_in_a_row(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), GEOM("post"), GEOM("ball_ball"), SITE("post_top")});
    return DP_OK;
}

static dp_status unknown_side_site(dp_spec *s)
{
    dp_wrap_spec path[6] = {SITE("tip_site"), GEOM("post"), SITE("post_top")};
    path[1].side = "post_sid";
    lead(tendon(s, ROPE), true, path);
    return DP_OK;
}

static dp_status pulley_without_divisor(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_top"), PULLEY(0.0), SITE("cart_site"),
                           SITE("post_top")});
    return DP_OK;
}

static dp_status pulley_at_the_end(dp_spec *s)
{
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_top"), PULLEY(2.0)});
    return DP_OK;
}

static dp_status two_pulleys_in_a_row(dp_spec *s)
{
    lead(tendon(s, ROPE), true,
         (dp_wrap_spec[6]){SITE("tip_site"), SITE("post_top"), PULLEY(2.0), PULLEY(2.0),
                           SITE("cart_site"), SITE("post_top")});
    return DP_OK;
}

static dp_status unknown_kind_of_station(dp_spec *s)
{
    dp_wrap_spec path[6] = {SITE("tip_site"), SITE("post_top")};
    path[1].kind = (dp_wrap_kind)8;
    lead(tendon(s, ROPE), true, path);
    return DP_OK;
}

static dp_status reversed_tendon_range(dp_spec *s)
{
    tendon(s, ROPE)->range[0] = 4.0;
    return DP_OK;
}

static dp_status zero_solref_of_a_tendon_limit(dp_spec *s)
{
    tendon(s, ROPE)->limit_solref[0] = tendon(s, ROPE)->limit_solref[1] = 0.0;
    return DP_OK;
}

static dp_status negative_tendon_stiffness(dp_spec *s)
{
    tendon(s, SUM)->stiffness = -1.0;
    return DP_OK;
}

static dp_status negative_tendon_damping(dp_spec *s)
{
    tendon(s, SUM)->damping = -1.0;
    return DP_OK;
}

static dp_status negative_tendon_friction_loss(dp_spec *s)
{
    tendon(s, SUM)->friction_loss = -1.0;
    return DP_OK;
}

static dp_status negative_tendon_armature(dp_spec *s)
{
    tendon(s, SUM)->armature = -1.0;
    return DP_OK;
}

static dp_status reversed_spring_length(dp_spec *s)
{
    tendon(s, SUM)->spring_range[0] = 0.5;
    tendon(s, SUM)->spring_range[1] = 0.25;
    return DP_OK;
}

static dp_status tendon_margin_not_a_number(dp_spec *s)
{
    tendon(s, SUM)->margin = NAN;
    return DP_OK;
}

static dp_status two_tendons_of_one_name(dp_spec *s)
{
    const dp_tendon_spec t = *tendon(s, SUM);
    return dp_spec_add_tendon(NULL, s, &t);
}

// Equalities

static dp_status equality_of_nothing(dp_spec *s)
{
    dp_equality_spec e = dp_equality_spec_default();
    e.name = "empty";
    e.kind = DP_EQUALITY_WELD;
    return dp_spec_add_equality(NULL, s, &e);
}

static dp_status connect_of_an_unknown_body(dp_spec *s)
{
    equality(s, PIN)->object[1] = "hnad";
    return DP_OK;
}

static dp_status connect_of_a_body_with_itself(dp_spec *s)
{
    equality(s, PIN)->object[1] = "ball";
    return DP_OK;
}

static dp_status world_connected_to_itself(dp_spec *s)
{
    equality(s, PIN)->object[0] = "world";
    equality(s, PIN)->object[1] = NULL;
    return DP_OK;
}

static dp_status connect_of_geoms(dp_spec *s)
{
    equality(s, PIN)->object_kind = DP_OBJECT_GEOM;
    return DP_OK;
}

static dp_status weld_of_one_site(dp_spec *s)
{
    equality(s, GRIP)->object[1] = NULL;
    return DP_OK;
}

static dp_status weld_of_an_unknown_site(dp_spec *s)
{
    equality(s, GRIP)->object[0] = "cart";
    return DP_OK;
}

static dp_status weld_with_a_zero_quaternion(dp_spec *s)
{
    equality(s, PIN)->kind = DP_EQUALITY_WELD;
    equality(s, PIN)->relative_given = true;
    equality(s, PIN)->relative.q.w = 0.0;
    return DP_OK;
}

static dp_status distance_of_zero(dp_spec *s)
{
    equality(s, PIN)->kind = DP_EQUALITY_DISTANCE;
    equality(s, PIN)->distance = 0.0;
    return DP_OK;
}

static dp_status distance_of_one_point(dp_spec *s)
{
    equality(s, GRIP)->kind = DP_EQUALITY_DISTANCE;
    dp_site_id site;
    dp_site_spec same = dp_site_spec_default();
    same.name = "same";
    same.pose = dp_spec_site(s, (dp_site_id){0})->pose;
    const dp_status status = dp_spec_add_site(&site, s, DP_WORLD, &same);
    same.name = "there too";
    equality(s, GRIP)->object[0] = "same";
    equality(s, GRIP)->object[1] = "there too";
    return status ? status : dp_spec_add_site(&site, s, DP_WORLD, &same);
}

static dp_status distance_not_a_number(dp_spec *s)
{
    equality(s, PIN)->distance = NAN;
    return DP_OK;
}

static dp_status plane_with_a_zero_quaternion(dp_spec *s)
{
    equality(s, PIN)->kind = DP_EQUALITY_PLANE;
    equality(s, PIN)->relative_given = true;
    equality(s, PIN)->relative.q.w = 0.0;
    return DP_OK;
}

static dp_status plane_of_one_site(dp_spec *s)
{
    equality(s, GRIP)->kind = DP_EQUALITY_PLANE;
    equality(s, GRIP)->object[1] = NULL;
    return DP_OK;
}

static dp_status negative_torque_scale(dp_spec *s)
{
    equality(s, GRIP)->torque_scale = -1.0;
    return DP_OK;
}

static dp_status equality_of_an_unknown_joint(dp_spec *s)
{
    equality(s, GEAR)->object[0] = "pivots";
    return DP_OK;
}

static dp_status equality_of_a_free_joint(dp_spec *s)
{
    equality(s, GEAR)->object[1] = "flight";
    return DP_OK;
}

static dp_status equality_of_a_joint_with_itself(dp_spec *s)
{
    equality(s, GEAR)->object[1] = "pivot";
    return DP_OK;
}

static dp_status equality_of_an_unknown_tendon(dp_spec *s)
{
    equality(s, ROPES)->object[1] = "som";
    return DP_OK;
}

static dp_status polynomial_not_a_number(dp_spec *s)
{
    equality(s, GEAR)->polynomial[3] = NAN;
    return DP_OK;
}

static dp_status zero_solref_of_an_equality(dp_spec *s)
{
    equality(s, PIN)->solver_given = true;
    equality(s, PIN)->solref[0] = equality(s, PIN)->solref[1] = 0.0;
    return DP_OK;
}

static dp_status unknown_kind_of_equality(dp_spec *s)
{
    equality(s, PIN)->kind = (dp_equality_kind)7;
    return DP_OK;
}

static dp_status two_equalities_of_one_name(dp_spec *s)
{
    const dp_equality_spec e = *equality(s, GEAR);
    return dp_spec_add_equality(NULL, s, &e);
}

// Transmissions

static dp_status actuator_without_a_tendon(dp_spec *s)
{
    dp_actuator_spec a = *actuator(s, WINCH);
    a.name = "idle";
    a.tendon = NULL;
    a.joint = "pivot"; // of no use to it
    return dp_spec_add_actuator(NULL, s, &a);
}

static dp_status actuator_without_a_site(dp_spec *s)
{
    dp_actuator_spec a = *actuator(s, THRUSTER);
    a.name = "idle";
    a.site = "";
    return dp_spec_add_actuator(NULL, s, &a);
}

static dp_status actuator_of_an_unknown_tendon(dp_spec *s)
{
    actuator(s, WINCH)->tendon = "ropes";
    return DP_OK;
}

static dp_status actuator_of_an_unknown_site(dp_spec *s)
{
    actuator(s, THRUSTER)->site = "tip";
    return DP_OK;
}

static dp_status actuator_of_an_unknown_reference_site(dp_spec *s)
{
    actuator(s, THRUSTER)->reference_site = "post";
    return DP_OK;
}

static dp_status zero_gear_on_a_tendon(dp_spec *s)
{
    actuator(s, WINCH)->gear[0] = 0.0;
    actuator(s, WINCH)->gear[1] = 1.0;
    return DP_OK;
}

static dp_status zero_gear_on_a_site(dp_spec *s)
{
    actuator(s, THRUSTER)->gear[2] = 0.0;
    return DP_OK;
}

static dp_status unknown_transmission(dp_spec *s)
{
    actuator(s, WINCH)->transmission = (dp_transmission)4;
    return DP_OK;
}

static dp_status sensor_of_an_unknown_tendon(dp_spec *s)
{
    dp_spec_sensor(s, (dp_sensor_id){2})->object = "roe";
    return DP_OK;
}

#define CASE(name) #name, name, DP_ERROR_ARGUMENT

static const bad_mechanism bad[] = {
    {CASE(geom_of_an_unknown_mesh), {"geom 'ball_mesh': no mesh 'tetr' (did you mean 'tetra'?)"}},
    {CASE(geom_without_a_mesh), {"geom 'ball_mesh': the name of a mesh is missing"}},
    {CASE(mesh_without_a_name), {"robot.xml:4: unnamed mesh: its name is missing"}},
    {CASE(two_meshes_of_one_name), {"mesh 'cube' is already defined"}},
    {CASE(mesh_with_three_vertices), {"mesh 'cube' has 3 vertices (expected at least 4)"}},
    {CASE(mesh_without_vertices), {"mesh 'cube' has 0 vertices"}},
    {CASE(mesh_with_a_face_beyond_its_vertices), {"robot.xml:4: mesh 'tetra': face 1", "vertex 4"}},
    {CASE(mesh_with_a_negative_vertex_number), {"mesh 'tetra': face 1", "vertex -3"}},
    {CASE(mesh_with_a_vertex_not_a_number), {"mesh 'tetra': vertex 1"}},
    {CASE(mesh_with_a_negative_number_of_faces), {"mesh 'tetra' has -1 faces"}},
    {CASE(flat_mesh_with_mass), {"robot.xml:4: mesh 'tetra': all 4 vertices", "plane"}},
    {CASE(mesh_in_one_point), {"mesh 'cube': all 8 vertices"}},
    {CASE(open_mesh_with_exact_mass), {"mesh 'tetra'", "3", "edge"}},
    {CASE(mesh_inside_out), {"mesh 'tetra'", "volume"}},
    {CASE(unknown_kind_of_mesh_inertia), {"mesh 'cube' has inertia number 5"}},
    {CASE(hollow_geom_of_a_mesh), {"geom 'ball_mesh' is a mesh and a shell"}},

    {CASE(geom_of_an_unknown_hfield), {"geom 'terrain': no hfield 'hill' (did you mean 'hills'?)"}},
    {CASE(hfield_without_a_name), {"unnamed hfield: its name is missing"}},
    {CASE(hfield_with_one_row), {"hfield 'hills' has 1 rows and 2 columns"}},
    {CASE(hfield_without_width), {"hfield 'hills' has size 0 at place 2"}},
    {CASE(hfield_with_negative_depth), {"hfield 'hills' has size -0.1 at place 4"}},
    {CASE(hfield_size_infinite), {"hfield 'hills' has inf in its size"}},
    {CASE(hfield_elevation_above_one), {"hfield 'hills' has elevation 1.5 in row 2, column 2"}},
    {CASE(hfield_elevation_not_a_number), {"hfield 'hills' has elevation", "row 1, column 1"}},
    {CASE(hfield_on_a_moving_body),
     {"geom 'ball_mesh' is a height field on body 'ball', which moves"}},

    {CASE(condim_two), {"geom 'ball_ball' has condim 2 (expected 1, 3, 4 or 6)"}},
    {CASE(negative_solmix), {"geom 'ball_ball' has solmix -1"}},
    {CASE(mixed_solref_of_a_geom), {"geom 'ball_ball' has solref 0.02 -1"}},
    {CASE(margin_not_a_number), {"geom 'ball_ball' has", "margin"}},
    {CASE(pair_of_an_unknown_geom), {"pair 'grip': no geom 'cart_bx' (did you mean 'cart_box'?)"}},
    {CASE(pair_of_one_geom),
     {"pair 'single': a geom is missing (expected the names of two geoms)"}},
    {CASE(pair_of_a_geom_with_itself), {"pair 'grip' has geom 'ball_ball' twice"}},
    {CASE(pair_with_condim_five), {"pair 'grip' has condim 5"}},
    {CASE(pair_friction_infinite), {"pair 'grip' has inf in its friction"}},
    {CASE(two_pairs_of_one_name), {"pair 'grip' is already defined"}},
    {CASE(exclude_of_an_unknown_body), {"exclude 'apart': no body 'carts' (did you mean 'cart'?)"}},
    {CASE(exclude_of_one_body),
     {"unnamed exclude: a body is missing (expected the names of two bodies)"}},
    {CASE(two_excludes_of_one_name), {"exclude 'apart' is already defined"}},

    {CASE(tendon_without_a_path), {"tendon 'sum' has an empty path (expected joints)"}},
    {CASE(fixed_tendon_through_a_site), {"tendon 'sum' is fixed but has a site at station 2"}},
    {CASE(fixed_tendon_over_an_unknown_joint),
     {"tendon 'sum': no joint 'slidr' (did you mean 'slider'?)"}},
    {CASE(fixed_tendon_over_a_free_joint),
     {"tendon 'sum' has joint 'flight' in its path, a free joint"}},
    {CASE(tendon_coefficient_not_a_number), {"tendon 'sum' has coefficient", "station 2"}},
    {CASE(spatial_tendon_over_a_joint), {"tendon 'rope' is spatial but has a joint at station 2"}},
    {CASE(spatial_tendon_to_an_unknown_site),
     {"tendon 'rope': no site 'post_tap' (did you mean 'post_top'?)"}},
    {CASE(spatial_tendon_of_one_site), {"tendon 'rope' has a branch with site 'tip_site' alone"}},
    {CASE(branch_of_one_site), {"tendon 'rope' has a branch with site 'cart_site' alone"}},
    {CASE(site_twice_in_a_row), {"tendon 'rope' goes from site 'post_top' to itself"}},
    {CASE(tendon_around_a_box), {"tendon 'rope' goes around geom 'cart_box', a box"}},
    {CASE(tendon_around_an_unknown_geom), {"tendon 'rope': no geom 'pst' (did you mean 'post'?)"}},
    {CASE(tendon_that_ends_at_a_geom),
     {"tendon 'rope' goes around geom 'post' at station 2", "a site after"}},
    {CASE(geom_behind_a_pulley), {"tendon 'rope' goes around geom 'post' at station 4"}},
    {CASE(two_geoms_in_a_row), {"tendon 'rope' goes around geom 'post' at station 2"}},
    {CASE(unknown_side_site), {"tendon 'rope': no site 'post_sid' (did you mean 'post_side'?)"}},
    {CASE(pulley_without_divisor), {"tendon 'rope' has a pulley with divisor 0 at station 3"}},
    {CASE(pulley_at_the_end), {"tendon 'rope' has a pulley at station 3", "no site after it"}},
    {CASE(two_pulleys_in_a_row), {"tendon 'rope' has a pulley at station 3", "no site after it"}},
    {CASE(unknown_kind_of_station), {"tendon 'rope' has kind number 8 at station 2"}},
    {CASE(reversed_tendon_range), {"tendon 'rope' has range [4, 3]"}},
    {CASE(zero_solref_of_a_tendon_limit), {"tendon 'rope' has solref 0 0"}},
    {CASE(negative_tendon_stiffness), {"tendon 'sum' has stiffness -1"}},
    {CASE(negative_tendon_damping), {"tendon 'sum' has damping -1"}},
    {CASE(negative_tendon_friction_loss), {"tendon 'sum' has frictionloss -1"}},
    {CASE(negative_tendon_armature), {"tendon 'sum' has armature -1"}},
    {CASE(reversed_spring_length), {"tendon 'sum' has spring length [0.5, 0.25]"}},
    {CASE(tendon_margin_not_a_number), {"tendon 'sum' has", "margin"}},
    {CASE(two_tendons_of_one_name), {"tendon 'sum' is already defined"}},

    {CASE(equality_of_nothing), {"equality 'empty' of kind weld: what it holds is missing"}},
    {CASE(connect_of_an_unknown_body), {"equality 'pin': no body 'hnad' (did you mean 'hand'?)"}},
    {CASE(connect_of_a_body_with_itself), {"equality 'pin' holds body 'ball' to itself"}},
    {CASE(world_connected_to_itself), {"equality 'pin' holds the world to itself"}},
    {CASE(connect_of_geoms), {"equality 'pin' is a connect of object kind 'geom'"}},
    {CASE(weld_of_one_site), {"equality 'grip' holds site 'tip_site' to nothing"}},
    {CASE(weld_of_an_unknown_site), {"equality 'grip': no site 'cart'"}},
    {CASE(weld_with_a_zero_quaternion), {"equality 'pin' has a zero quaternion"}},
    {CASE(distance_of_zero),
     {"equality 'pin' holds two points at distance 0 (expected > 0; a connect"}},
    {CASE(distance_of_one_point), {"equality 'grip' holds two points at distance 0 as described"}},
    {CASE(distance_not_a_number), {"equality 'pin' has", "distance"}},
    {CASE(plane_with_a_zero_quaternion), {"equality 'pin' has a zero quaternion"}},
    {CASE(plane_of_one_site), {"to nothing (expected a second site)"}},
    {CASE(negative_torque_scale), {"equality 'grip' has torque scale -1"}},
    {CASE(equality_of_an_unknown_joint),
     {"equality 'gear': no joint 'pivots' (did you mean 'pivot'?)"}},
    {CASE(equality_of_a_free_joint), {"equality 'gear' holds joint 'flight', a free joint"}},
    {CASE(equality_of_a_joint_with_itself), {"equality 'gear' holds joint 'pivot' to itself"}},
    {CASE(equality_of_an_unknown_tendon),
     {"equality 'ropes': no tendon 'som' (did you mean 'sum'?)"}},
    {CASE(polynomial_not_a_number), {"equality 'gear' has", "polynomial"}},
    {CASE(zero_solref_of_an_equality), {"equality 'pin' has solref 0 0"}},
    {CASE(unknown_kind_of_equality), {"equality 'pin' has kind number 7"}},
    {CASE(two_equalities_of_one_name), {"equality 'gear' is already defined"}},

    {CASE(actuator_without_a_tendon),
     {"actuator 'idle': the tendon it drives is missing (expected the name of a tendon)"}},
    {CASE(actuator_without_a_site), {"actuator 'idle': the site it drives is missing"}},
    {CASE(actuator_of_an_unknown_tendon),
     {"actuator 'winch': no tendon 'ropes' (did you mean 'rope'?)"}},
    {CASE(actuator_of_an_unknown_site), {"actuator 'thruster': no site 'tip'"}},
    {CASE(actuator_of_an_unknown_reference_site), {"actuator 'thruster': no site 'post'"}},
    {CASE(zero_gear_on_a_tendon), {"actuator 'winch' has gear 0 on its tendon"}},
    {CASE(zero_gear_on_a_site), {"actuator 'thruster' has zero gear on its site"}},
    {CASE(unknown_transmission), {"actuator 'winch' has transmission number 4"}},
    {CASE(sensor_of_an_unknown_tendon),
     {"sensor 'length': no tendon 'roe' (did you mean 'rope'?)"}},
};
enum { CASES = sizeof bad / sizeof *bad };

static void the_mechanism_that_the_cases_spoil_is_sound(void **state)
{
    (void)state;
    assert_sound(full_spec_create);
}

static void every_bad_coupling_is_refused_with_a_message_that_names_the_culprit(void **state)
{
    (void)state;
    assert_refused(full_spec_create, bad, CASES);
}

static void messages_say_what_was_expected(void **state)
{
    (void)state;
    assert_helpful(full_spec_create, bad, CASES);
}

static void numbers_that_do_not_apply_are_ignored(void **state)
{
    (void)state;
    dp_spec *s;
    dp_model *m;
    assert_int_equal(full_spec_create(&s, NULL), DP_OK);
    tendon(s, SUM)->range[0] = 5.0;        // not limited
    tendon(s, SUM)->limit_solref[0] = 0.0; // nor this
    equality(s, PIN)->solref[0] = 0.0;     // not given
    geom(s, BALL_BALL)->contact.solref[0] = 0.0;
    geom(s, POST)->mesh = "no such mesh";            // a cylinder
    equality(s, GEAR)->object_kind = DP_OBJECT_GEOM; // joints anyway
    pair(s)->contact.condim = 0;
    pair(s)->contact_given = false;
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

static void a_path_may_begin_with_a_pulley(void **state)
{
    (void)state;
    dp_spec *s;
    dp_model *m;
    assert_int_equal(full_spec_create(&s, NULL), DP_OK);
    lead(tendon(s, ROPE), true, (dp_wrap_spec[6]){PULLEY(3.0), SITE("tip_site"), SITE("post_top")});
    assert_int_equal(dp_model_compile(&m, s), DP_OK);
    dp_model_destroy(m);
    dp_spec_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mechanism_that_the_cases_spoil_is_sound),
        cmocka_unit_test(every_bad_coupling_is_refused_with_a_message_that_names_the_culprit),
        cmocka_unit_test(messages_say_what_was_expected),
        cmocka_unit_test(numbers_that_do_not_apply_are_ignored),
        cmocka_unit_test(a_path_may_begin_with_a_pulley),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
