// Bodies that are welded together form one cluster, named by the body that moves it (0: fixed). The
// parts of a cluster do not touch each other, nor those of the cluster it hangs from, unless that
// is the world. Excluded bodies do not touch. A pair that is given touches whatever else is said,
// as long as its geoms can move against each other.
//
// Geoms with equal masks form a class. Scenes have a few; so what a geom could touch is counted by
// class: all geoms, less those of its own cluster and its neighbours, less those of excluded
// bodies.
//
// Elastic foundations on planes are simulated: these pairs are found apart and do not count.
#include "model/touch.h"

// What decides whether a geom may touch another, apart from the bodies they are on.
typedef struct mask {
    int contype, conaffinity;
    bool flat;    // without thickness or end: these do not touch each other
    bool plane;   // one that foundations rest on
    bool founded; // a box with a foundation
} mask;

static mask mask_of(const dp_model *m, int g)
{
    const dp_geom *geom = &m->geom[g];
    return (mask){geom->contype, geom->conaffinity,
                  geom->kind == DP_GEOM_PLANE || geom->kind == DP_GEOM_HFIELD ||
                      m->shape[g].surface,
                  geom->kind == DP_GEOM_PLANE, geom->foundation.nx > 0};
}

static bool bits_meet(mask a, mask b)
{
    return (a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0;
}

// Never, or by a foundation.
static bool without_contact(mask a, mask b)
{
    return (a.flat && b.flat) || (a.founded && b.plane) || (a.plane && b.founded);
}

static bool masks_meet(mask a, mask b)
{
    return !without_contact(a, b) && bits_meet(a, b);
}

static int cluster_of(const dp_model *m, int geom)
{
    return m->weld[m->geom[geom].body];
}

// The cluster that a cluster hangs from; 0 for those on the world and for the world.
static int parent_cluster(const dp_model *m, int cluster)
{
    return cluster == 0 ? 0 : m->weld[m->body[cluster].parent];
}

static bool clusters_meet(const dp_model *m, int a, int b)
{
    const bool neighbours = parent_cluster(m, a) == b || parent_cluster(m, b) == a;
    return a != b && (a == 0 || b == 0 || !neighbours);
}

static bool is_excluded(const dp_model *m, int i, int j)
{
    return dp_pair_map_find(&m->excluded, m->geom[i].body, m->geom[j].body) >= 0;
}

static bool masks_let_touch(const dp_model *m, int i, int j)
{
    return masks_meet(mask_of(m, i), mask_of(m, j)) &&
           clusters_meet(m, cluster_of(m, i), cluster_of(m, j)) && !is_excluded(m, i, j);
}

bool dp_may_touch(const dp_model *m, int i, int j)
{
    if (cluster_of(m, i) == cluster_of(m, j) || without_contact(mask_of(m, i), mask_of(m, j))) {
        return false;
    }
    return masks_let_touch(m, i, j) || dp_pair_map_find(&m->given, i, j) >= 0;
}

dp_status dp_compile_touch(dp_compiler *c)
{
    dp_model *m = c->m;
    DP_TRY(dp_pair_map_take(&m->excluded, m->size.nexclude, &m->pool));
    DP_TRY(dp_pair_map_take(&m->given, m->size.npair, &m->pool));
    for (int i = 0; i < m->size.nexclude; ++i) {
        dp_pair_map_add(&m->excluded, c->exclude[i].body[0], c->exclude[i].body[1], i);
    }
    for (int i = 0; i < m->size.npair; ++i) {
        dp_pair_map_add(&m->given, c->pair[i].geom[0], c->pair[i].geom[1], i);
    }
    return DP_OK;
}

enum { MAX_CLASSES = 16 };

// How many geoms of each class there are: [nbody][nclass] each, but for the whole.
typedef struct census {
    mask mask[MAX_CLASSES];
    int nclass;
    int *class; // ngeom
    long long whole[MAX_CLASSES];
    int *own;      // on a body itself
    int *cluster;  // in a cluster
    int *below;    // in the clusters that hang from a cluster
    int *excluded; // on bodies that could be touched, were they not excluded
} census;

// False when there are too many classes.
static bool classify(census *all, const dp_compiler *c)
{
    for (int g = 0; g < c->m->size.ngeom; ++g) {
        const mask own = mask_of(c->m, g);
        int k = 0;
        while (k < all->nclass &&
               !(all->mask[k].contype == own.contype && all->mask[k].flat == own.flat &&
                 all->mask[k].plane == own.plane && all->mask[k].founded == own.founded &&
                 all->mask[k].conaffinity == own.conaffinity)) {
            ++k;
        }
        if (k == MAX_CLASSES) {
            return false;
        }
        if (k == all->nclass) {
            all->mask[all->nclass++] = own;
        }
        all->class[g] = k;
        ++all->whole[k];
    }
    return true;
}

// The numbers of one body or cluster.
static int *row(int *counts, const census *all, int body)
{
    return counts + (size_t)body * (size_t)all->nclass;
}

static void add_row(int *to, const int *from, const census *all)
{
    for (int k = 0; k < all->nclass; ++k) {
        to[k] += from[k];
    }
}

static void count_members(census *all, const dp_compiler *c)
{
    for (int g = 0; g < c->m->size.ngeom; ++g) {
        const int body = c->geom[g].body;
        ++row(all->own, all, body)[all->class[g]];
        ++row(all->cluster, all, c->weld[body])[all->class[g]];
    }
    for (int b = 1; b < c->m->size.nbody; ++b) {
        if (c->weld[b] == b) {
            add_row(row(all->below, all, parent_cluster(c->m, b)), row(all->cluster, all, b), all);
        }
    }
}

// Each pair of excluded bodies counts once.
static void count_excluded(census *all, const dp_compiler *c)
{
    for (int i = 0; i < c->m->size.nexclude; ++i) {
        const int a = c->exclude[i].body[0], b = c->exclude[i].body[1];
        const bool first = dp_pair_map_find(&c->m->excluded, a, b) == i;
        if (first && clusters_meet(c->m, c->weld[a], c->weld[b])) {
            add_row(row(all->excluded, all, a), row(all->own, all, b), all);
            add_row(row(all->excluded, all, b), row(all->own, all, a), all);
        }
    }
}

// How many geoms a geom could touch.
static long long count_partners(const census *all, const dp_compiler *c, int g)
{
    const int cluster = cluster_of(c->m, g), parent = parent_cluster(c->m, cluster);
    long long count = 0;
    for (int k = 0; k < all->nclass; ++k) {
        if (masks_meet(all->mask[all->class[g]], all->mask[k])) {
            count += all->whole[k] - row(all->cluster, all, cluster)[k] -
                     row(all->excluded, all, c->geom[g].body)[k];
            if (cluster != 0) {
                count -= row(all->below, all, cluster)[k];
                count -= parent != 0 ? row(all->cluster, all, parent)[k] : 0;
            }
        }
    }
    return count;
}

static dp_status take_census(census *all, dp_compiler *c)
{
    const size_t count = (size_t)c->m->size.nbody * (size_t)all->nclass;
    DP_TRY(dp_pool_take(&all->own, &c->scratch, count, sizeof *all->own));
    DP_TRY(dp_pool_take(&all->cluster, &c->scratch, count, sizeof *all->cluster));
    DP_TRY(dp_pool_take(&all->below, &c->scratch, count, sizeof *all->below));
    return dp_pool_take(&all->excluded, &c->scratch, count, sizeof *all->excluded);
}

// Do the masks of any two geoms meet? Pair by pair: for masks that are too many to be counted.
static bool any_touch(const dp_compiler *c)
{
    const int ngeom = c->m->size.ngeom;
    for (int i = 0; i < ngeom; ++i) {
        for (int j = i + 1; j < ngeom; ++j) {
            if (masks_let_touch(c->m, i, j)) {
                return true;
            }
        }
    }
    return false;
}

// Pairs that are given and that masks would not let touch.
static long long count_given_pairs(const dp_compiler *c)
{
    long long count = 0;
    for (int i = 0; i < c->m->size.npair; ++i) {
        const int a = c->pair[i].geom[0], b = c->pair[i].geom[1];
        const bool first = dp_pair_map_find(&c->m->given, a, b) == i;
        count += first && dp_may_touch(c->m, a, b) && !masks_let_touch(c->m, a, b);
    }
    return count;
}

dp_status dp_count_touch(long long *out, dp_compiler *c)
{
    const int ngeom = c->m->size.ngeom;
    census all = {.nclass = 0};
    DP_TRY(dp_pool_take(&all.class, &c->scratch, (size_t)ngeom, sizeof *all.class));
    if (!classify(&all, c)) {
        *out = any_touch(c) ? -1 : count_given_pairs(c);
        return DP_OK;
    }
    DP_TRY(take_census(&all, c));
    count_members(&all, c);
    count_excluded(&all, c);
    long long partners = 0; // every pair from both sides
    for (int g = 0; g < ngeom; ++g) {
        partners += count_partners(&all, c, g);
    }
    *out = partners / 2 + count_given_pairs(c);
    return DP_OK;
}

dp_status dp_find_stands(dp_stand **out, int *count, dp_compiler *c)
{
    const dp_model_size *n = &c->m->size;
    size_t nfounded = 0, nplane = 0;
    for (int g = 0; g < n->ngeom; ++g) {
        nfounded += mask_of(c->m, g).founded;
        nplane += mask_of(c->m, g).plane;
    }
    *count = 0;
    DP_TRY(dp_pool_take(out, &c->scratch, nfounded * nplane, sizeof **out));
    for (int i = 0; i < n->ngeom && nfounded * nplane > 0; ++i) {
        const mask own = mask_of(c->m, i);
        for (int j = 0; j < n->ngeom && own.founded; ++j) {
            const mask other = mask_of(c->m, j);
            const int a = cluster_of(c->m, i), b = cluster_of(c->m, j);
            const bool meet =
                bits_meet(own, other) && clusters_meet(c->m, a, b) && !is_excluded(c->m, i, j);
            const bool given = dp_pair_map_find(&c->m->given, i, j) >= 0;
            if (other.plane && a != b && (meet || given)) {
                (*out)[(*count)++] = (dp_stand){i, j};
            }
        }
    }
    return DP_OK;
}
