// Compiled twice, as engine_bullet.cpp is. The world and its solver have their defaults, without
// sleep, damping and sub-steps. A pair multiplies its two coefficients of friction.
#include "contact_engine.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

btVector3 vector(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> body;

    ~World()
    {
        for (auto &b : body) {
            world.removeRigidBody(b.get());
        }
    }
};

struct Engine {
    const contact_scene *scene;
    std::unique_ptr<World> w;
};

btCollisionShape *add_shape(World &w, btCollisionShape *shape)
{
    w.shape.emplace_back(shape);
    return shape;
}

btCollisionShape *make_shape(World &w, const contact_geom &g)
{
    switch (g.shape) {
    case CONTACT_PLANE:
        return add_shape(w, new btStaticPlaneShape(btVector3(0, 0, 1), 0));
    case CONTACT_SPHERE:
        return add_shape(w, new btSphereShape(btScalar(g.size[0])));
    default:
        return add_shape(w, new btBoxShape(vector(g.size)));
    }
}

void add_body(World &w, const contact_scene &scene, const contact_body &b)
{
    const contact_geom *g = scene.geom + b.geom;
    btCollisionShape *shape;
    if (b.ngeom == 1) {
        shape = make_shape(w, *g);
    } else {
        auto *compound = new btCompoundShape;
        add_shape(w, compound);
        for (int i = 0; i < b.ngeom; ++i) {
            compound->addChildShape(btTransform(btQuaternion::getIdentity(), vector(g[i].position)),
                                    make_shape(w, g[i]));
        }
        shape = compound;
    }
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, shape,
                                                  vector(b.moments));
    info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), vector(b.position));
    info.m_friction = btScalar(std::sqrt(scene.friction));
    w.body.emplace_back(new btRigidBody(info));
    btRigidBody *body = w.body.back().get();
    body->setActivationState(DISABLE_DEACTIVATION);
    if (scene.springs) { // two act in series
        body->setContactStiffnessAndDamping(btScalar(2 * scene.stiffness),
                                            btScalar(2 * scene.damping));
    }
    w.world.addRigidBody(body);
}

// A new world remembers nothing.
void reset(void *self)
{
    Engine *e = static_cast<Engine *>(self);
    e->w = std::make_unique<World>();
    e->w->world.setGravity(vector(e->scene->gravity));
    for (int i = 0; i < e->scene->nbody; ++i) {
        add_body(*e->w, *e->scene, e->scene->body[i]);
    }
}

bool run(void *self, int steps)
{
    Engine *e = static_cast<Engine *>(self);
    for (int s = 0; s < steps; ++s) {
        for (int i = e->scene->nfixed; i < e->scene->nbody; ++i) {
            e->w->body[i]->applyCentralForce(vector(e->scene->body[i].force));
        }
        e->w->world.stepSimulation(btScalar(e->scene->h), 0); // one step of exactly h
    }
    for (const auto &b : e->w->body) {
        if (!std::isfinite(b->getWorldTransform().getOrigin().z())) {
            return false;
        }
    }
    return true;
}

void state(double *q, void *self)
{
    Engine *e = static_cast<Engine *>(self);
    for (int i = e->scene->nfixed; i < e->scene->nbody; ++i) {
        const btTransform &x = e->w->body[i]->getWorldTransform();
        const btQuaternion r = x.getRotation();
        const double all[7] = {
            x.getOrigin().x(), x.getOrigin().y(), x.getOrigin().z(), r.w(), r.x(), r.y(), r.z()};
        for (double value : all) {
            *q++ = value;
        }
    }
}

int contacts(void *self)
{
    Engine *e = static_cast<Engine *>(self);
    int sum = 0;
    for (int i = 0; i < e->w->dispatcher.getNumManifolds(); ++i) {
        sum += e->w->dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
    }
    return sum;
}

void destroy(void *self)
{
    delete static_cast<Engine *>(self);
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
contact_bullet_module(contact_engine *out, const contact_scene *scene, int variant)
{
    (void)variant;
    std::snprintf(out->version, sizeof out->version, "%d.%02d", BT_BULLET_VERSION / 100,
                  BT_BULLET_VERSION % 100);
    if (scene->text) {
        std::snprintf(out->why, sizeof out->why, "joints and servos are not translated");
        return;
    }
    out->self = new Engine{scene, nullptr};
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->contacts = contacts;
    out->destroy = destroy;
    reset(out->self);
}
