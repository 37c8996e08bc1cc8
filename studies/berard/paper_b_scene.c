#include "berard/paper_b_scene.h"

#include "common/signals.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>

enum { BLOCK, ROD, LOWER };

static bool refuse(cli_bars_scene *o)
{
    return cli_paper_refuse(
        o->p, "bodies C (but for b-4.1), A and B in the plane x, z with joints 'A x', "
              "'A z', 'A turn', ..., pins O and P and feet 'left' and 'right', as in "
              "the scene of the figure");
}

// --- reading ----------------------------------------------------------------------------------

static bool find_bodies(cli_bars_scene *o, bool block)
{
    const dp_model *m = o->scene.model;
    o->body[BLOCK] = (dp_body_id){-1};
    return (!block || dp_model_find_body(&o->body[BLOCK], m, "C") == DP_OK) &&
           dp_model_find_body(&o->body[ROD], m, "A") == DP_OK &&
           dp_model_find_body(&o->body[LOWER], m, "B") == DP_OK;
}

static double mass_of(const cli_bars_scene *o, int which)
{
    return dp_model_body(o->scene.model, o->body[which]).inertial.mass;
}

// About the y axis: the frame of the inertia must be that of the body.
static double inertia_of(const cli_bars_scene *o, int which)
{
    return dp_model_body(o->scene.model, o->body[which]).inertial.moments.y;
}

static bool is_centred(const cli_bars_scene *o, int which)
{
    const dp_pose frame = dp_model_body(o->scene.model, o->body[which]).inertial.frame;
    return fabs(frame.p.x) + fabs(frame.p.y) + fabs(frame.p.z) < 1e-12 &&
           fabs(frame.q.w) > 1 - 1e-12;
}

static bool find_pin(dp_equality_info *out, const cli_bars_scene *o, const char *name)
{
    dp_equality_id id;
    if (dp_model_find_equality(&id, o->scene.model, name) != DP_OK) {
        return false;
    }
    *out = dp_model_equality(o->scene.model, id);
    return out->kind == DP_EQUALITY_CONNECT;
}

static dp_v3 anchor_on(const dp_equality_info *pin, dp_body_id body)
{
    return pin->frame[pin->object[0] == body.index ? 0 : 1].p;
}

static bool read_rods(cli_bars_scene *o, bool on_spring)
{
    cli_bars *s = &o->start;
    dp_equality_info top, middle;
    dp_site_id site;
    if (!find_pin(&top, o, "O") || !is_centred(o, ROD) || !is_centred(o, LOWER)) {
        return false;
    }
    o->pin[0] = anchor_on(&top, o->body[ROD]);
    if (on_spring) {
        dp_tendon_id tendon;
        if (dp_model_find_site(&site, o->scene.model, "P") != DP_OK ||
            dp_model_find_tendon(&tendon, o->scene.model, "spring") != DP_OK) {
            return false;
        }
        const dp_tendon_info info = dp_model_tendon(o->scene.model, tendon);
        o->pin[1] = dp_model_site(o->scene.model, site).pose.p;
        s->stiffness = info.stiffness;
        s->damping = info.damping;
        s->rest = info.spring_range[0];
    } else if (!find_pin(&middle, o, "P")) {
        return false;
    } else {
        const dp_v3 on_b = anchor_on(&middle, o->body[LOWER]);
        o->pin[1] = anchor_on(&middle, o->body[ROD]);
        o->pin_on_b = hypot(on_b.x, on_b.z);
    }
    const dp_v3 a = o->pin[0], b = o->pin[1];
    s->length[0] = hypot(b.x - a.x, b.z - a.z);
    s->length[1] = 2.0 * o->pin_on_b;
    for (int i = 0; i < 2; ++i) {
        s->mass[i] = mass_of(o, ROD + i);
        s->inertia[i] = inertia_of(o, ROD + i);
    }
    return fabs(a.x + b.x) + fabs(a.z + b.z) < 1e-12;
}

static bool read_block(cli_bars_scene *o)
{
    cli_bars *s = &o->start;
    dp_geom_id left, right, floor;
    const dp_model *m = o->scene.model;
    if (dp_model_find_geom(&left, m, "left") != DP_OK ||
        dp_model_find_geom(&right, m, "right") != DP_OK ||
        dp_model_find_geom(&floor, m, "floor") != DP_OK || !is_centred(o, BLOCK)) {
        return false;
    }
    const dp_geom_info one = dp_model_geom(m, left), two = dp_model_geom(m, right);
    const dp_geom_info ground = dp_model_geom(m, floor);
    o->foot[0] = two.pose.p.x;
    o->foot[1] = two.pose.p.z;
    o->foot_radius = two.size[0];
    s->has_block = true;
    s->block_mass = mass_of(o, BLOCK);
    s->half_length = two.pose.p.x;
    s->half_height = two.size[0] - two.pose.p.z;
    s->mu = fmax(two.friction[0], ground.friction[0]);
    s->belt = ground.contact.material.surface_velocity.x;
    return one.kind == DP_GEOM_SPHERE && two.kind == DP_GEOM_SPHERE &&
           ground.kind == DP_GEOM_PLANE && one.size[0] == two.size[0] &&
           one.pose.p.x == -two.pose.p.x && one.pose.p.z == two.pose.p.z;
}

static bool read_pusher(cli_bars_scene *o)
{
    cli_bars *s = &o->start;
    const dp_model *m = o->scene.model;
    dp_geom_id block;
    dp_motion_id motion;
    if (dp_model_find_geom(&o->pusher, m, "pusher") != DP_OK ||
        dp_model_find_geom(&block, m, "C") != DP_OK ||
        dp_model_find_motion(&motion, m, "push") != DP_OK) {
        return false;
    }
    const dp_geom_info one = dp_model_geom(m, o->pusher), two = dp_model_geom(m, block);
    const dp_motion_info info = dp_model_motion(m, motion);
    s->has_pusher = true;
    s->pusher_mu = fmax(one.friction[0], two.friction[0]);
    s->pusher_radius = one.size[0];
    s->push[0] = info.position[0];
    s->push[1] = info.position[2];
    return one.kind == DP_GEOM_SPHERE && two.kind == DP_GEOM_BOX && two.size[0] == s->half_length &&
           s->push[0] && s->push[1];
}

static dp_v3 place_on(const dp_data *d, dp_body_id body, dp_v3 p)
{
    const dp_pose X = dp_body_pose(d, body);
    const dp_v3 u = {X.q.x, X.q.y, X.q.z};
    const dp_v3 t = {2.0 * (u.y * p.z - u.z * p.y), 2.0 * (u.z * p.x - u.x * p.z),
                     2.0 * (u.x * p.y - u.y * p.x)};
    return (dp_v3){X.p.x + p.x + X.q.w * t.x + u.y * t.z - u.z * t.y,
                   X.p.y + p.y + X.q.w * t.y + u.z * t.x - u.x * t.z,
                   X.p.z + p.z + X.q.w * t.z + u.x * t.y - u.y * t.x};
}

static void read_start(cli_bars_scene *o)
{
    cli_bars *s = &o->start;
    const dp_v3 top = place_on(o->data, o->body[ROD], o->pin[0]);
    const dp_v3 end = place_on(o->data, o->body[ROD], o->pin[1]);
    const dp_v3 lower = dp_inertial_pose(o->data, o->body[LOWER]).p;
    o->height = top.z;
    s->y[0] = top.x;
    s->y[1] = atan2(end.z - top.z, end.x - top.x);
    if (s->on_spring) {
        s->y[2] = lower.x;
        s->y[3] = lower.z - top.z;
    } else {
        s->y[2] = atan2(lower.z - end.z, lower.x - end.x);
    }
}

bool cli_bars_open(cli_bars_scene *o, cli_paper *p, int number)
{
    *o = (cli_bars_scene){.p = p};
    if (!cli_paper_open(&o->scene, p, NAN)) {
        return false;
    }
    o->start.g = -dp_model_options(o->scene.model)->gravity.z;
    if (dp_model_options(o->scene.model)->solver.law != DP_LAW_LCP) {
        return cli_paper_refuse(p, "the law lcp: <dp:option law=\"lcp\"/>");
    }
    o->start.on_spring = number == 6;
    const int nv = dp_model_sizes(o->scene.model)->nv;
    if (nv != (number == 1   ? 6
               : number == 6 ? 8
                             : 9) ||
        !find_bodies(o, number > 1) || !read_rods(o, number == 6) ||
        (number > 1 && !read_block(o)) || (number > 3 && !read_pusher(o))) {
        return refuse(o);
    }
    if (!cli_paper_works(p, cli_data_create(&o->data, o->scene.model)) ||
        !cli_paper_works(p, dp_kinematics(o->data))) {
        return false;
    }
    o->run = (cli_mixed_run){.p = p, .data = o->data, .directions = 2};
    read_start(o);
    return true;
}

void cli_bars_close(cli_bars_scene *o)
{
    cli_mixed_run_end(&o->run);
    dp_data_destroy(o->data);
    cli_scene_destroy(&o->scene);
}

// --- states -----------------------------------------------------------------------------------

static double *joint_q(const cli_bars_scene *o, dp_body_id body, int which)
{
    const dp_body_info info = dp_model_body(o->scene.model, body);
    return dp_data_q(o->data) + info.v_index + which; // slides and hinges: as many q as v
}

// The centre of a body goes to (x, z); it turns by `turn` from the pose as described.
static void put(const cli_bars_scene *o, dp_body_id body, double x, double z, double turn)
{
    const dp_v3 home = dp_model_body(o->scene.model, body).pose.p;
    joint_q(o, body, 0)[0] = x - home.x;
    joint_q(o, body, 0)[1] = z - home.z;
    if (dp_model_body(o->scene.model, body).nv == 3) {
        joint_q(o, body, 0)[2] = turn;
    }
}

// Where the centre of the block is when its left face, turned, touches the pusher.
static double beside_pusher(const cli_bars_scene *o, double z, double c, double n)
{
    const dp_v3 at = dp_geom_pose(o->data, o->pusher).p;
    const double along = -(o->start.pusher_radius + o->start.half_length);
    return at.x - (along - n * (at.z - z)) / c;
}

void cli_bars_put(cli_bars_scene *o, const cli_bars_place *place)
{
    const cli_bars *s = &o->start;
    const double c = cos(place->tilt), n = sin(place->tilt);
    const double lowest = fmin(c * o->foot[1] + n * o->foot[0], c * o->foot[1] - n * o->foot[0]);
    const double z = s->has_block ? o->foot_radius - lowest : o->height;
    const double x = isnan(place->x) ? beside_pusher(o, z, c, n) : place->x;
    const double end[2] = {x + s->length[0] * cos(place->a), z + s->length[0] * sin(place->a)};
    if (s->has_block) {
        put(o, o->body[BLOCK], x, z, place->tilt);
    }
    put(o, o->body[ROD], 0.5 * (x + end[0]), 0.5 * (z + end[1]), place->a - s->y[1]);
    const double hangs = s->rest + s->mass[1] * s->g / s->stiffness; // on a spring
    const double below = s->on_spring ? hangs : o->pin_on_b;
    put(o, o->body[LOWER], end[0] + below * cos(place->b), end[1] + below * sin(place->b),
        place->b - s->y[2]);
    double *v = dp_data_v(o->data);
    for (int i = 0; i < CLI_BARS_POINTS; ++i) {
        if (o->body[i].index >= 0) {
            v[dp_model_body(o->scene.model, o->body[i]).v_index] = place->speed;
        }
    }
}

bool cli_bars_restart(cli_bars_scene *o, double h)
{
    dp_data_reset(o->data);
    dp_data_options(o->data)->step = h;
    return cli_paper_works(o->p, dp_kinematics(o->data));
}

// --- steps ------------------------------------------------------------------------------------

bool cli_bars_compare(double *off, cli_bars_scene *o)
{
    enum { MOST_VELOCITIES = 16, MOST_ROWS = 64 };
    dp_step_problem problem = *dp_data_problem(o->data);
    double v[MOST_VELOCITIES], gamma[MOST_ROWS];
    uint8_t state[MOST_ROWS];
    dp_row row[MOST_ROWS];
    if (problem.nv > MOST_VELOCITIES || problem.nrow > MOST_ROWS || problem.nrow > o->run.gaps) {
        return refuse(o);
    }
    for (int i = 0; i < problem.nrow; ++i) { // as at the start of the step
        row[i] = problem.row[i];
        row[i].phi = o->run.gap[i];
        row[i].b_ref = isfinite(row[i].b) ? row[i].phi_t : row[i].b_ref;
    }
    problem.row = row;
    dp_step_solution solution = {.v = v, .gamma = gamma, .state = state};
    const dp_law_options *law = &dp_model_options(o->scene.model)->solver;
    dp_solve_info info;
    if (!cli_paper_works(o->p, dp_law_solve(&solution, &problem, NULL, law, NULL, &info))) {
        return false;
    }
    *off = 0.0;
    for (int i = 0; i < problem.nv; ++i) {
        *off = fmax(*off, fabs(v[i] - o->run.mixed.z[i]));
    }
    return true;
}

bool cli_bars_step(cli_bars_scene *o, cli_bars_scheme scheme)
{
    if (scheme == CLI_BARS_LAW) {
        dp_data_options(o->data)->solver = dp_model_options(o->scene.model)->solver;
        return cli_paper_works(o->p, dp_step(o->data)) &&
               cli_paper_works(o->p, dp_kinematics(o->data));
    }
    return cli_mixed_run_step(&o->run, scheme == CLI_BARS_MIXED ? CLI_WITH_GAPS : CLI_WITHOUT_GAPS);
}

// --- what is seen -----------------------------------------------------------------------------

void cli_bars_points(double out[CLI_BARS_POINTS][2], const cli_bars_scene *o)
{
    const dp_v3 end = place_on(o->data, o->body[ROD], o->pin[1]);
    const dp_v3 lower = dp_inertial_pose(o->data, o->body[LOWER]).p;
    const dp_v3 block = o->start.has_block ? dp_inertial_pose(o->data, o->body[BLOCK]).p
                                           : place_on(o->data, o->body[ROD], o->pin[0]);
    const dp_v3 point[CLI_BARS_POINTS] = {block, end, lower};
    for (int i = 0; i < CLI_BARS_POINTS; ++i) {
        out[i][0] = point[i].x;
        out[i][1] = point[i].z;
    }
}

void cli_bars_points_of(double out[CLI_BARS_POINTS][2], const cli_bars_scene *o,
                        const cli_bars *reference)
{
    const double *y = reference->y, l = reference->length[0];
    out[0][0] = y[0];
    out[0][1] = o->height;
    out[1][0] = y[0] + l * cos(y[1]);
    out[1][1] = o->height + l * sin(y[1]);
    if (reference->on_spring) {
        out[2][0] = y[2];
        out[2][1] = o->height + y[3];
    } else {
        out[2][0] = out[1][0] + o->pin_on_b * cos(y[2]);
        out[2][1] = out[1][1] + o->pin_on_b * sin(y[2]);
    }
}

cli_bars_gaps cli_bars_look(const cli_bars_scene *o)
{
    cli_bars_gaps g = {.depth = 0.0};
    const dp_model *m = o->scene.model;
    for (int i = 0; i < dp_model_sizes(m)->nequality; ++i) {
        const dp_equality_info e = dp_model_equality(m, (dp_equality_id){i});
        const dp_v3 a = place_on(o->data, (dp_body_id){e.object[0]}, e.frame[0].p);
        const dp_v3 b = place_on(o->data, (dp_body_id){e.object[1]}, e.frame[1].p);
        g.drift = fmax(g.drift, hypot(a.x - b.x, a.z - b.z));
    }
    if (o->start.has_block) {
        for (int i = 0; i < 2; ++i) {
            const double x = i == 0 ? -o->foot[0] : o->foot[0];
            const dp_v3 foot = place_on(o->data, o->body[BLOCK], (dp_v3){x, 0.0, o->foot[1]});
            g.foot[i] = foot.z - o->foot_radius;
            g.depth = fmax(g.depth, -g.foot[i]);
        }
    }
    if (o->start.has_pusher) { // its distance from the left face, along the normal of that
        const dp_pose X = dp_body_pose(o->data, o->body[BLOCK]);
        const dp_v3 at = dp_geom_pose(o->data, o->pusher).p;
        const double turn = -2.0 * atan2(X.q.y, X.q.w); // about −y
        const double along = cos(turn) * (at.x - X.p.x) + sin(turn) * (at.z - X.p.z);
        g.depth = fmax(g.depth, o->start.pusher_radius + o->start.half_length + along);
    }
    return g;
}
