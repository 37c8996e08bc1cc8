// Compiled twice: against Bullet in single and in double precision.
//
// The world is Bullet's own with nothing in it to collide. Bullet's default damping of all motion
// and its bound on joint rates are switched off, so that it simulates the same mechanism; the
// dampers of the joints are torques set before each step, as btMultiBody leaves them to its user.
#include "bench_engine.h"

#include <btBulletDynamicsCommon.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

struct Engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btMultiBody *body = nullptr;
    btScalar h = 0;
    std::vector<bench_link> link;
    std::vector<double> q0, v0;
    bool damped = false;
    btAlignedObjectArray<btScalar> scratch_r;
    btAlignedObjectArray<btVector3> scratch_v;
    btAlignedObjectArray<btMatrix3x3> scratch_m;
};

btVector3 vector(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

btQuaternion quaternion(const double *q) // ours is w x y z
{
    return btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0]));
}

void destroy(void *self)
{
    Engine *e = static_cast<Engine *>(self);
    e->world.removeMultiBody(e->body);
    delete e->body;
    delete e;
}

void reset(void *self)
{
    Engine *e = static_cast<Engine *>(self);
    for (int i = 0; i < int(e->link.size()); ++i) {
        e->body->setJointPos(i, btScalar(e->q0[i] - e->link[i].ref));
        e->body->setJointVel(i, btScalar(e->v0[i]));
    }
}

void start(void *self, const double *q, const double *v)
{
    Engine *e = static_cast<Engine *>(self);
    e->q0.assign(q, q + e->link.size());
    e->v0.assign(v, v + e->link.size());
    reset(e);
}

bool run(void *self, int steps)
{
    Engine *e = static_cast<Engine *>(self);
    const int n = int(e->link.size());
    for (int s = 0; s < steps; ++s) {
        if (e->damped) {
            for (int i = 0; i < n; ++i) {
                e->body->addJointTorque(i, -btScalar(e->link[i].damping) * e->body->getJointVel(i));
            }
        }
        e->world.stepSimulation(e->h, 0); // one step of exactly h
    }
    for (int i = 0; i < n; ++i) {
        if (!std::isfinite(e->body->getJointVel(i))) {
            return false;
        }
    }
    return true;
}

void state(double *q, double *v, void *self)
{
    Engine *e = static_cast<Engine *>(self);
    for (int i = 0; i < int(e->link.size()); ++i) {
        q[i] = double(e->body->getJointPos(i)) + e->link[i].ref;
        v[i] = double(e->body->getJointVel(i));
    }
}

void repeat_dynamics(void *self, int times)
{
    Engine *e = static_cast<Engine *>(self);
    for (int i = 0; i < times; ++i) {
        e->body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(
            e->h, e->scratch_r, e->scratch_v, e->scratch_m, false, false, false);
    }
}

void repeat_integrate(void *self, int times)
{
    Engine *e = static_cast<Engine *>(self);
    for (int i = 0; i < times; ++i) {
        e->body->stepPositionsMultiDof(e->h);
    }
}

const bench_stage STAGES[] = {
    {"all dynamics", repeat_dynamics},
    {"integrate", repeat_integrate},
    {nullptr, nullptr},
};

// Bullet's link frame lies in the centre of mass, along the principal axes.
void add_link(Engine *e, int i)
{
    const bench_link &link = e->link[i];
    btQuaternion parent_axes(0, 0, 0, 1);
    btVector3 parent_com(0, 0, 0);
    if (link.parent >= 0) {
        parent_axes = quaternion(e->link[link.parent].principal);
        parent_com = vector(e->link[link.parent].com);
    }
    const btQuaternion to_parent = parent_axes.inverse(); // from the parent's body frame
    const btQuaternion axes = quaternion(link.principal), to_link = axes.inverse();
    const btQuaternion turn = quaternion(link.rotation);
    const btVector3 anchor = vector(link.anchor);
    const btVector3 pivot = vector(link.position) + quatRotate(turn, anchor) - parent_com;
    e->body->setupRevolute(i, btScalar(link.mass), vector(link.moments), link.parent,
                           (to_parent * turn * axes).inverse(),
                           quatRotate(to_link, vector(link.axis)), quatRotate(to_parent, pivot),
                           quatRotate(to_link, vector(link.com) - anchor), true);
    e->damped = e->damped || link.damping != 0.0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
bench_bullet_module(bench_engine *out, const bench_link *link, int nlink, const double gravity[3],
                    double h)
{
    Engine *e = new Engine;
    e->h = btScalar(h);
    e->link.assign(link, link + nlink);
    e->q0.assign(nlink, 0.0);
    e->v0.assign(nlink, 0.0);
    e->world.setGravity(vector(gravity));
    e->body = new btMultiBody(nlink, 0, btVector3(0, 0, 0), true, false);
    for (int i = 0; i < nlink; ++i) {
        add_link(e, i);
    }
    e->body->finalizeMultiDof();
    e->body->setLinearDamping(0);
    e->body->setAngularDamping(0);
    e->body->setMaxCoordinateVelocity(btScalar(1e30));
    e->body->setHasSelfCollision(false);
    e->world.addMultiBody(e->body);

    std::snprintf(out->version, sizeof out->version, "%d.%02d", BT_BULLET_VERSION / 100,
                  BT_BULLET_VERSION % 100);
    out->start = start;
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->stages = STAGES;
    out->destroy = destroy;
    out->self = e;
}
