// Compiled twice, as engine_bullet.cpp is.
//
// Distances are asked of Bullet's general detector, GJK with EPA behind it; contacts of the
// algorithm that its dispatcher chooses for the two shapes, with clipping for hulls. Bullet rounds
// hulls by a margin that it takes off distances; it is added again, so that gaps are those of the
// hull.
#include "collide_engine.h"

#include <btBulletCollisionCommon.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

namespace {

struct Engine {
    bench_collide_setup setup;
    std::unique_ptr<btCollisionShape> shape[2];
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btCollisionObject object[2];
    btCollisionAlgorithm *algorithm = nullptr;
    btDispatcherInfo info;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    double rounding = 0.0;

    ~Engine()
    {
        if (algorithm) {
            algorithm->~btCollisionAlgorithm();
            dispatcher.freeCollisionAlgorithm(algorithm);
        }
    }
};

btTransform transform(const bench_pose &x)
{
    return btTransform(
        btQuaternion(btScalar(x.q[1]), btScalar(x.q[2]), btScalar(x.q[3]), btScalar(x.q[0])),
        btVector3(btScalar(x.p[0]), btScalar(x.p[1]), btScalar(x.p[2])));
}

std::unique_ptr<btCollisionShape> make_shape(const bench_shape &s, bool features)
{
    const btScalar x = btScalar(s.size[0]), y = btScalar(s.size[1]), z = btScalar(s.size[2]);
    switch (s.kind) {
    case BENCH_PLANE:
        return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
    case BENCH_SPHERE:
        return std::make_unique<btSphereShape>(x);
    case BENCH_CAPSULE:
        return std::make_unique<btCapsuleShapeZ>(x, 2 * y);
    case BENCH_CYLINDER:
        return std::make_unique<btCylinderShapeZ>(btVector3(x, x, y));
    case BENCH_BOX:
        return std::make_unique<btBoxShape>(btVector3(x, y, z));
    case BENCH_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < s.nvertex; ++i) {
            const double *v = s.vertex + 3 * i;
            hull->addPoint(btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2])), false);
        }
        hull->recalcLocalAabb();
        if (features) {
            hull->initializePolyhedralFeatures();
        }
        return hull;
    }
    default:
        return nullptr; // it has no ellipsoids
    }
}

void distances(Engine *e, const bench_pose *pose, int n, double *gap, int *points)
{
    const auto *a = static_cast<const btConvexShape *>(e->shape[0].get());
    const auto *b = static_cast<const btConvexShape *>(e->shape[1].get());
    btGjkPairDetector detector(a, b, &e->simplex, &e->epa);
    for (int i = 0; i < n; ++i) {
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = transform(pose[2 * i]);
        input.m_transformB = transform(pose[2 * i + 1]);
        if (!e->setup.coherent) {
            detector.setCachedSeparatingAxis(btVector3(0, 1, 0));
        }
        btPointCollector found;
        detector.getClosestPoints(input, found, nullptr);
        gap[i] = found.m_hasResult ? double(found.m_distance) + e->rounding
                                   : std::numeric_limits<double>::infinity();
        points[i] = found.m_hasResult;
    }
}

void contacts(Engine *e, const bench_pose *pose, int n, double *gap, int *points)
{
    btManifoldArray manifolds;
    for (int i = 0; i < n; ++i) {
        e->object[0].setWorldTransform(transform(pose[2 * i]));
        e->object[1].setWorldTransform(transform(pose[2 * i + 1]));
        btCollisionObjectWrapper a(nullptr, e->shape[0].get(), &e->object[0],
                                   e->object[0].getWorldTransform(), -1, -1);
        btCollisionObjectWrapper b(nullptr, e->shape[1].get(), &e->object[1],
                                   e->object[1].getWorldTransform(), -1, -1);
        if (!e->algorithm) {
            e->algorithm =
                e->dispatcher.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
        }
        if (!e->setup.coherent && manifolds.size() > 0) {
            manifolds[0]->clearManifold();
        }
        btManifoldResult result(&a, &b);
        e->algorithm->processCollision(&a, &b, e->info, &result);
        if (manifolds.size() == 0) {
            e->algorithm->getAllContactManifolds(manifolds);
        }
        gap[i] = std::numeric_limits<double>::infinity();
        points[i] = 0;
        if (manifolds.size() > 0) {
            points[i] = manifolds[0]->getNumContacts();
            for (int k = 0; k < points[i]; ++k) {
                gap[i] = std::fmin(gap[i], double(manifolds[0]->getContactPoint(k).getDistance()) +
                                               e->rounding);
            }
        }
    }
}

void run(void *self, const bench_pose *pose, int n, int times, double *gap, int *points)
{
    Engine *e = static_cast<Engine *>(self);
    for (int k = 0; k < times; ++k) {
        (e->setup.task == BENCH_DISTANCE ? distances : contacts)(e, pose, n, gap, points);
    }
}

void destroy(void *self)
{
    delete static_cast<Engine *>(self);
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
bench_bullet_collide_module(bench_collide_engine *out, const bench_collide_setup *setup)
{
    *out = bench_collide_engine{};
    std::snprintf(out->name, sizeof out->name, sizeof(btScalar) == 8 ? "bullet64" : "bullet32");
    out->run = run;
    out->destroy = destroy;
    if (setup->task == BENCH_OVERLAP) {
        return; // it answers by a distance
    }
    auto e = std::make_unique<Engine>();
    e->setup = *setup;
    for (int i = 0; i < 2; ++i) {
        const bench_shape &s = setup->shape[i];
        if (s.kind == BENCH_PLANE && setup->task == BENCH_DISTANCE) {
            return; // its planes are no convex shapes
        }
        e->shape[i] = make_shape(s, setup->task == BENCH_CONTACTS);
        if (!e->shape[i]) {
            return;
        }
        if (s.kind == BENCH_HULL) {
            e->rounding += double(e->shape[i]->getMargin());
        }
        e->object[i].setCollisionShape(e->shape[i].get());
    }
    out->self = e.release();
}
