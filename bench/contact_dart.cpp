// DART with its defaults, with its own collision detector (the one that gives boxes several
// points). It knows no planes: the floor is a large box.
#include "contact_engine.h"

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using dart::dynamics::BodyNode;

struct Engine {
    const contact_scene *scene;
    dart::simulation::WorldPtr world;
    std::vector<BodyNode *> body; // that move
};

Eigen::Vector3d vector(const double *x)
{
    return Eigen::Vector3d(x[0], x[1], x[2]);
}

void add_geom(BodyNode *body, const contact_geom &g, double friction)
{
    const double wide = 100.0, deep = 1.0; // [m]
    dart::dynamics::ShapePtr shape;
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = vector(g.position);
    switch (g.shape) {
    case CONTACT_PLANE:
        shape = std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(wide, wide, deep));
        at.translation().z() -= 0.5 * deep;
        break;
    case CONTACT_SPHERE:
        shape = std::make_shared<dart::dynamics::SphereShape>(g.size[0]);
        break;
    default:
        shape = std::make_shared<dart::dynamics::BoxShape>(2.0 * vector(g.size));
    }
    auto *node =
        body->createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(
            shape);
    node->setRelativeTransform(at);
    node->getDynamicsAspect()->setFrictionCoeff(friction);
}

template <class Joint> BodyNode *add_body(const Engine &e, const contact_body &b, int number)
{
    auto skeleton = dart::dynamics::Skeleton::create("body" + std::to_string(number));
    auto pair = skeleton->createJointAndBodyNodePair<Joint>();
    BodyNode *body = pair.second;
    if (b.mass > 0.0) {
        body->setInertia(dart::dynamics::Inertia(b.mass, Eigen::Vector3d::Zero(),
                                                 vector(b.moments).asDiagonal()));
    }
    for (int i = 0; i < b.ngeom; ++i) {
        add_geom(body, e.scene->geom[b.geom + i], e.scene->friction);
    }
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = vector(b.position);
    pair.first->setTransformFromParentBodyNode(at);
    e.world->addSkeleton(skeleton);
    return body;
}

// A new world remembers nothing.
void reset(void *self)
{
    Engine *e = static_cast<Engine *>(self);
    e->world = dart::simulation::World::create();
    e->world->setTimeStep(e->scene->h);
    e->world->setGravity(vector(e->scene->gravity));
    e->world->getConstraintSolver()->setCollisionDetector(
        dart::collision::DARTCollisionDetector::create());
    e->world->getConstraintSolver()->getCollisionOption().maxNumContacts = 100000;
    e->body.clear();
    for (int i = 0; i < e->scene->nbody; ++i) {
        const contact_body &b = e->scene->body[i];
        if (b.mass > 0.0) {
            e->body.push_back(add_body<dart::dynamics::FreeJoint>(*e, b, i));
        } else {
            add_body<dart::dynamics::WeldJoint>(*e, b, i);
        }
    }
}

bool run(void *self, int steps)
{
    Engine *e = static_cast<Engine *>(self);
    for (int s = 0; s < steps; ++s) {
        for (size_t i = 0; i < e->body.size(); ++i) {
            e->body[i]->addExtForce(vector(e->scene->body[e->scene->nfixed + int(i)].force));
        }
        e->world->step();
    }
    for (const BodyNode *b : e->body) {
        if (!std::isfinite(b->getWorldTransform().translation().z())) {
            return false;
        }
    }
    return true;
}

void state(double *q, void *self)
{
    for (const BodyNode *b : static_cast<Engine *>(self)->body) {
        const Eigen::Vector3d p = b->getWorldTransform().translation();
        const Eigen::Quaterniond r(b->getWorldTransform().linear());
        const double all[7] = {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()};
        for (double value : all) {
            *q++ = value;
        }
    }
}

int contacts(void *self)
{
    return int(static_cast<Engine *>(self)->world->getLastCollisionResult().getNumContacts());
}

void destroy(void *self)
{
    delete static_cast<Engine *>(self);
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
contact_dart_module(contact_engine *out, const contact_scene *scene, int variant)
{
    (void)variant;
    std::snprintf(out->version, sizeof out->version, "%d.%d.%d", DART_MAJOR_VERSION,
                  DART_MINOR_VERSION, DART_PATCH_VERSION);
    if (scene->text) {
        std::snprintf(out->why, sizeof out->why, "joints and servos are not translated");
        return;
    }
    out->self = new Engine{scene, nullptr, {}};
    out->reset = reset;
    out->run = run;
    out->state = state;
    out->contacts = contacts;
    out->destroy = destroy;
    reset(out->self);
}
