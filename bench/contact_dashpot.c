#include "contact_dashpot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct engine {
    dp_model *m;
    dp_data *d;
    const contact_scene *scene;
} engine;

// Two geoms act in series, so that each gets twice what a pair has.
static dp_geom_spec make_geom(const contact_scene *scene, const contact_geom *geom)
{
    static const dp_geom_kind KIND[] = {[CONTACT_PLANE] = DP_GEOM_PLANE,
                                        [CONTACT_SPHERE] = DP_GEOM_SPHERE,
                                        [CONTACT_BOX] = DP_GEOM_BOX};
    dp_geom_spec g = dp_geom_spec_default();
    g.kind = KIND[geom->shape];
    memcpy(g.size, geom->size, sizeof g.size);
    if (geom->shape == CONTACT_PLANE) {
        g.size[0] = g.size[1] = g.size[2] = 1.0; // to draw
    }
    g.pose.p = (dp_v3){geom->position[0], geom->position[1], geom->position[2]};
    g.friction[0] = scene->friction;
    g.contact.material_given = true;
    g.contact.material.stiffness = 2.0 * scene->stiffness;
    g.contact.material.damping = 2.0 * scene->damping;
    return g;
}

static dp_status add_body(dp_spec *spec, const contact_scene *scene, const contact_body *body)
{
    dp_body_spec b = dp_body_spec_default();
    b.pose.p = (dp_v3){body->position[0], body->position[1], body->position[2]};
    if (body->mass > 0.0) {
        b.inertia_source = DP_INERTIA_SOURCE_GIVEN;
        b.inertial.mass = body->mass;
        b.inertial.moments = (dp_v3){body->moments[0], body->moments[1], body->moments[2]};
    }
    dp_body_id id;
    dp_status status = dp_spec_add_body(&id, spec, DP_WORLD, &b);
    if (status == DP_OK && body->mass > 0.0) {
        dp_joint_spec loose = dp_joint_spec_default();
        loose.kind = DP_JOINT_FREE;
        status = dp_spec_add_joint(NULL, spec, id, &loose);
    }
    for (int i = 0; i < body->ngeom && status == DP_OK; ++i) {
        const dp_geom_spec g = make_geom(scene, &scene->geom[body->geom + i]);
        status = dp_spec_add_geom(NULL, spec, id, &g);
    }
    return status;
}

static dp_status add_table(dp_spec *spec, const contact_scene *scene)
{
    dp_status status = DP_OK;
    for (int i = 0; i < scene->nbody && status == DP_OK; ++i) {
        status = add_body(spec, scene, &scene->body[i]);
    }
    return status;
}

// Links on hinges across, each with a ball that lies on the floor.
static dp_status add_chain(dp_spec *spec, const contact_scene *scene)
{
    const double pitch = 0.1;
    const contact_geom flat = {.shape = CONTACT_PLANE};
    const contact_geom ball = {.shape = CONTACT_SPHERE, .size = {0.04}};
    dp_geom_spec g = make_geom(scene, &flat);
    dp_status status = dp_spec_add_geom(NULL, spec, DP_WORLD, &g);
    dp_body_id parent = DP_WORLD;
    for (int i = 0; i < scene->links && status == DP_OK; ++i) {
        dp_body_spec b = dp_body_spec_default();
        b.pose.p = i > 0 ? (dp_v3){pitch, 0.0, 0.0} : (dp_v3){0.0, 0.0, ball.size[0]};
        dp_joint_spec hinge = dp_joint_spec_default();
        hinge.axis = (dp_v3){0.0, 1.0, 0.0};
        hinge.damping = 1e-3;
        g = make_geom(scene, &ball);
        g.mass = 0.1;
        if (scene->tip_only && i + 1 < scene->links) {
            g.contype = g.conaffinity = 0;
        }
        status = dp_spec_add_body(&parent, spec, parent, &b);
        status = status != DP_OK ? status : dp_spec_add_joint(NULL, spec, parent, &hinge);
        status = status != DP_OK ? status : dp_spec_add_geom(NULL, spec, parent, &g);
    }
    return status;
}

dp_status contact_dashpot_model(dp_model **out, const contact_scene *scene)
{
    dp_spec *spec = NULL;
    dp_status status;
    *out = NULL;
    if (scene->text) {
        const dp_import_options options = dp_import_options_default();
        status =
            dp_mjcf_parse(&spec, NULL, scene->text, strlen(scene->text), scene->name, &options);
    } else {
        status = dp_spec_create(&spec, NULL);
        if (status == DP_OK) {
            status = scene->links > 0 ? add_chain(spec, scene) : add_table(spec, scene);
            dp_spec_options(spec)->gravity =
                (dp_v3){scene->gravity[0], scene->gravity[1], scene->gravity[2]};
        }
    }
    if (status == DP_OK) {
        dp_spec_options(spec)->step = scene->h;
        if (scene->exact) {
            dp_spec_options(spec)->solver.error_share = 0.0;
        }
        status = dp_model_compile(out, spec);
    }
    dp_spec_destroy(spec);
    return status;
}

static void destroy(void *self)
{
    engine *e = self;
    dp_data_destroy(e->d);
    dp_model_destroy(e->m);
    free(e);
}

static void reset(void *self)
{
    engine *e = self;
    dp_data_reset(e->d);
    dp_key_id key;
    if (e->scene->keyframe && dp_model_find_key(&key, e->m, e->scene->keyframe) == DP_OK) {
        (void)!dp_data_reset_to_key(e->d, key);
    }
    for (int i = 0; i < e->scene->nbody; ++i) { // body 0 is the world
        const double *f = e->scene->body[i].force;
        dp_data_wrench(e->d, (dp_body_id){i + 1})->f = (dp_v3){f[0], f[1], f[2]};
    }
}

static bool run(void *self, int steps)
{
    engine *e = self;
    for (int i = 0; i < steps; ++i) {
        if (dp_step(e->d) != DP_OK) {
            return false;
        }
    }
    return true;
}

static void state(double *q, void *self)
{
    const engine *e = self;
    memcpy(q, dp_data_q(e->d), (size_t)dp_model_sizes(e->m)->nq * sizeof *q);
}

static int contacts(void *self)
{
    return dp_data_contact_count(((const engine *)self)->d);
}

uint64_t contact_dashpot_hash(const contact_engine *dashpot)
{
    return dp_state_hash(((const engine *)dashpot->self)->d);
}

void contact_dashpot(contact_engine *out, const contact_scene *scene, int variant)
{
    *out = (contact_engine){.self = NULL};
    snprintf(out->version, sizeof out->version, "%s", dp_version());
    engine *e = calloc(1, sizeof *e);
    if (!e) {
        return;
    }
    e->scene = scene;
    if (contact_dashpot_model(&e->m, scene) != DP_OK ||
        dp_data_create(&e->d, e->m, NULL) != DP_OK || dp_data_set_threads(e->d, variant) != DP_OK) {
        snprintf(out->why, sizeof out->why, "%.120s", dp_last_error());
        destroy(e);
        return;
    }
    out->self = e;
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->contacts = contacts;
    out->destroy = destroy;
    reset(e);
}
