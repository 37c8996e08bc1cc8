// Bullet's btDbvtBroadphase, as its worlds use it: every box is set, then pairs are brought up to
// date. Compiled in single and in double precision.
#include "bench_broad.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace {

struct Boxes {
    btDbvtBroadphase broadphase;
    std::vector<btBroadphaseProxy *> proxy;
    std::vector<int> number;
    std::vector<std::pair<int, int>> pairs;
    int nmoving = 0;
};

btVector3 corner(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

long long update(void *self, const double *box)
{
    Boxes *b = static_cast<Boxes *>(self);
    for (int i = 0; i < b->nmoving; ++i) {
        b->broadphase.setAabb(b->proxy[i], corner(box + 6 * i), corner(box + 6 * i + 3), nullptr);
    }
    b->broadphase.calculateOverlappingPairs(nullptr);
    return b->broadphase.getOverlappingPairCache()->getNumOverlappingPairs();
}

int number(const btBroadphaseProxy *proxy)
{
    return *static_cast<const int *>(proxy->m_clientObject);
}

// The pairs of a cache are those of fat boxes, in the order of its hash table.
long long answer(void *self)
{
    Boxes *b = static_cast<Boxes *>(self);
    const btBroadphasePairArray &known =
        b->broadphase.getOverlappingPairCache()->getOverlappingPairArray();
    b->pairs.clear();
    for (int k = 0; k < known.size(); ++k) {
        const btBroadphaseProxy *p = known[k].m_pProxy0, *q = known[k].m_pProxy1;
        if (TestAabbAgainstAabb2(p->m_aabbMin, p->m_aabbMax, q->m_aabbMin, q->m_aabbMax)) {
            b->pairs.push_back(std::minmax({number(p), number(q)}));
        }
    }
    std::sort(b->pairs.begin(), b->pairs.end());
    return static_cast<long long>(b->pairs.size());
}

void pair(int *i, int *j, void *self, long long k)
{
    const Boxes *b = static_cast<const Boxes *>(self);
    *i = b->pairs[k].first;
    *j = b->pairs[k].second;
}

void destroy(void *self)
{
    Boxes *b = static_cast<Boxes *>(self);
    for (btBroadphaseProxy *proxy : b->proxy) {
        b->broadphase.destroyProxy(proxy, nullptr);
    }
    delete b;
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
bench_bullet_boxes(bench_boxes *out, const double *box, int n, int nmoving)
{
    Boxes *b = new Boxes;
    b->number.resize(n);
    b->nmoving = nmoving;
    for (int i = 0; i < n; ++i) {
        const bool moves = i < nmoving;
        const int group =
            moves ? btBroadphaseProxy::DefaultFilter : btBroadphaseProxy::StaticFilter;
        const int mask = moves ? btBroadphaseProxy::AllFilter
                               : btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter;
        b->number[i] = i;
        b->proxy.push_back(b->broadphase.createProxy(corner(box + 6 * i), corner(box + 6 * i + 3),
                                                     0, &b->number[i], group, mask, nullptr));
    }
    *out = {b, update, answer, pair, destroy};
}
