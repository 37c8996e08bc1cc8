#include "report/conserved.h"

#include "common/element_names.h"
#include "common/scene.h"

#include <dashpot/contact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static dp_v3 add(dp_v3 a, double s, dp_v3 b)
{
    return (dp_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static dp_v3 cross(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double norm(dp_v3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// A body that moves on a parent that does not.
static bool is_root(const dp_model *m, int body)
{
    const dp_body_info info = dp_model_body(m, (dp_body_id){body});
    return body > 0 && info.tree >= 0 && dp_model_body(m, info.parent).tree < 0;
}

static bool is_fixed(const dp_model *m, int body)
{
    return dp_model_body(m, (dp_body_id){body}).tree < 0;
}

// A spatial tendon through a site or around a geom that does not move.
static bool reaches_world(const dp_model *m, dp_tendon_id tendon)
{
    for (int k = 0; k < dp_model_tendon(m, tendon).nwrap; ++k) {
        const dp_wrap_info wrap = dp_model_tendon_wrap(m, tendon, k);
        if ((wrap.kind == DP_WRAP_SITE &&
             is_fixed(m, dp_model_site(m, (dp_site_id){wrap.object}).body.index)) ||
            (wrap.kind == DP_WRAP_GEOM &&
             is_fixed(m, dp_model_geom(m, (dp_geom_id){wrap.object}).body.index))) {
            return true;
        }
    }
    return false;
}

dp_momentum cli_total_momentum(const dp_model *m, const dp_data *d)
{
    dp_momentum sum = {0};
    dp_v3 first_moment = {0.0, 0.0, 0.0};
    const int nbody = dp_model_sizes(m)->nbody;
    for (int b = 0; b < nbody; ++b) {
        if (is_root(m, b)) {
            const dp_momentum tree = dp_body_momentum(d, (dp_body_id){b});
            sum.mass += tree.mass;
            sum.linear = add(sum.linear, 1.0, tree.linear);
            first_moment = add(first_moment, tree.mass, tree.com);
        }
    }
    if (sum.mass > 0.0) {
        sum.com = add(sum.com, 1.0 / sum.mass, first_moment);
    }
    for (int b = 0; b < nbody; ++b) {
        if (is_root(m, b)) {
            const dp_momentum tree = dp_body_momentum(d, (dp_body_id){b});
            const dp_v3 arm = add(tree.com, -1.0, sum.com);
            sum.angular = add(sum.angular, 1.0, tree.angular);
            sum.angular = add(sum.angular, 1.0, cross(arm, tree.linear));
        }
    }
    return sum;
}

// The first geom that moves and could touch one that does not.
static bool meets_world(char *why, size_t size, const dp_model *m, const dp_options *options)
{
    const int ngeom = options->disable_contact ? 0 : dp_model_sizes(m)->ngeom;
    for (int a = 0; a < ngeom; ++a) {
        if (!is_fixed(m, dp_model_geom(m, (dp_geom_id){a}).body.index)) {
            continue;
        }
        for (int b = 0; b < ngeom; ++b) {
            if (dp_model_may_touch(m, (dp_geom_id){a}, (dp_geom_id){b})) {
                snprintf(why, size, "%s may touch the world",
                         cli_geom_label(m, (dp_geom_id){b}).text);
                return true;
            }
        }
    }
    return false;
}

// Joints to the world, and what pulls along them. Each of these functions returns whether it has
// written why momentum is not conserved.
static bool joints_reach_world(char *why, size_t size, const dp_model *m, const dp_options *options)
{
    const dp_model_size *n = dp_model_sizes(m);
    for (int j = 0; j < n->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        if (!is_root(m, joint.body.index)) {
            continue;
        }
        const cli_name name = cli_joint_name(m, (dp_joint_id){j});
        if (joint.kind != DP_JOINT_FREE) {
            snprintf(why, size, "%s holds on to the world", name.text);
            return true;
        }
        if ((joint.damping > 0.0 && !options->disable_dampers) ||
            (joint.stiffness > 0.0 && !options->disable_springs)) {
            snprintf(why, size, "%s has a spring or damper to the world", name.text);
            return true;
        }
        if (joint.armature > 0.0) {
            snprintf(why, size, "%s has armature", name.text);
            return true;
        }
    }
    for (int a = 0; a < n->nactuator && !options->disable_actuation; ++a) {
        const dp_actuator_info actuator = dp_model_actuator(m, (dp_actuator_id){a});
        if (actuator.transmission == DP_TRANSMISSION_JOINT &&
            dp_model_joint(m, actuator.joint).kind == DP_JOINT_FREE) {
            snprintf(why, size, "%s pulls at the world",
                     cli_actuator_name(m, (dp_actuator_id){a}).text);
            return true;
        }
    }
    return false;
}

// Equalities and foundations.
static bool rows_reach_world(char *why, size_t size, const dp_model *m, const dp_options *options)
{
    const dp_model_size *n = dp_model_sizes(m);
    for (int i = 0; i < n->nequality && !options->disable_equality; ++i) {
        const dp_equality_info e = dp_model_equality(m, (dp_equality_id){i});
        const bool bodies = e.kind != DP_EQUALITY_JOINT && e.kind != DP_EQUALITY_TENDON;
        if (e.active && bodies && (is_fixed(m, e.object[0]) || is_fixed(m, e.object[1]))) {
            snprintf(why, size, "%s holds on to the world",
                     cli_equality_name(m, (dp_equality_id){i}).text);
            return true;
        }
    }
    for (int i = 0; i < n->nfoundation && !options->disable_contact; ++i) {
        const dp_foundation_info f = dp_model_foundation(m, i);
        if (is_fixed(m, dp_model_geom(m, f.geom).body.index) ||
            is_fixed(m, dp_model_geom(m, f.plane).body.index)) {
            snprintf(why, size, "%s may stand on the world", cli_geom_label(m, f.geom).text);
            return true;
        }
    }
    return false;
}

void cli_momentum_exchange(char *why, size_t size, const dp_model *m, const dp_options *options)
{
    const dp_model_size *n = dp_model_sizes(m);
    why[0] = '\0';
    if (n->nforce + n->nmotion > 0) {
        snprintf(why, size, "expressions push or move the mechanism");
        return;
    }
    if (joints_reach_world(why, size, m, options) || rows_reach_world(why, size, m, options) ||
        meets_world(why, size, m, options)) {
        return;
    }
    for (int i = 0; i < n->ntendon; ++i) {
        if (reaches_world(m, (dp_tendon_id){i})) {
            snprintf(why, size, "%s reaches to the world",
                     cli_tendon_name(m, (dp_tendon_id){i}).text);
            return;
        }
    }
    for (int b = 1; b < n->nbody && !options->disable_gravity; ++b) {
        const dp_body_info body = dp_model_body(m, (dp_body_id){b});
        if (body.tree >= 0 && body.gravity_compensation != 0.0) {
            snprintf(why, size, "%s is held against gravity",
                     cli_body_name(m, (dp_body_id){b}).text);
            return;
        }
    }
}

// Can there be rows?
static bool has_rows(const dp_model *m, const dp_options *options)
{
    const dp_model_size *n = dp_model_sizes(m);
    bool joints = false;
    for (int j = 0; j < n->njoint; ++j) {
        const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
        joints = joints || (joint.limited && !options->disable_limits) || joint.friction_loss > 0.0;
    }
    return joints || n->nequality > 0 || n->ntendon > 0 ||
           (!options->disable_contact && (n->ntouch != 0 || n->nfoundation > 0));
}

void cli_energy_exchange(char *why, size_t size, const dp_model *m, const dp_options *options)
{
    const dp_model_size *n = dp_model_sizes(m);
    bool dampers = false;
    for (int j = 0; j < n->njoint && !options->disable_dampers; ++j) {
        dampers = dampers || dp_model_joint(m, (dp_joint_id){j}).damping > 0.0;
    }
    const struct {
        bool works;
        const char *name;
    } by[] = {{dampers, "dampers"},
              {n->nactuator > 0 && !options->disable_actuation, "actuators"},
              {n->nforce > 0, "forces given by expressions"},
              {n->nmotion > 0, "motions given by expressions"},
              {dp_options_is_ode(options) && has_rows(m, options),
               "contacts, springs and friction of rows, which are not counted by that integrator"}};
    why[0] = '\0';
    for (size_t i = 0; i < sizeof by / sizeof by[0]; ++i) {
        const size_t used = strlen(why);
        if (by[i].works) {
            snprintf(why + used, size - used, "%s%s", used > 0 ? " and " : "", by[i].name);
        }
    }
}

void cli_momentum_drift(double drift[2], const dp_momentum *first, const dp_momentum *last,
                        const dp_options *options, double seconds)
{
    const double weight = options->disable_gravity ? 0.0 : first->mass * seconds;
    const dp_v3 linear = add(add(last->linear, -1.0, first->linear), -weight, options->gravity);
    const dp_v3 angular = add(last->angular, -1.0, first->angular);
    drift[0] = norm(linear);
    drift[1] = norm(angular);
}
