// What a mechanism may ask for and is not simulated: contact, joint limits, dry friction of joints.
// Each is refused unless the spec allows to go on without it.
#include "model/compile.h"

#include <stdio.h>

static dp_status refuse_limits(const dp_spec *spec)
{
    if (spec->options.disable_limits || dp_spec_allows(spec, "limit")) {
        return DP_OK;
    }
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        const dp_joint_spec *joint = &dp_spec_joints(spec)[j].spec;
        if (joint->limited && joint->kind != DP_FREE) {
            return dp_spec_fail(
                DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_JOINT, j,
                "is limited to [%g, %g], and joint limits are not simulated yet (to go on "
                "without them: allow \"limit\", --allow limit)",
                joint->range[0], joint->range[1]);
        }
    }
    return DP_OK;
}

static dp_status refuse_friction_loss(const dp_spec *spec)
{
    if (dp_spec_allows(spec, "frictionloss")) {
        return DP_OK;
    }
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        const dp_joint_spec *joint = &dp_spec_joints(spec)[j].spec;
        if (joint->friction_loss > 0.0) {
            return dp_spec_fail(
                DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_JOINT, j,
                "has frictionloss %g, and dry friction of joints is not simulated yet (to "
                "go on without it: allow \"frictionloss\", --allow frictionloss)",
                joint->friction_loss);
        }
    }
    return DP_OK;
}

// What decides whether a geom may touch another, apart from the bodies they are on.
typedef struct mask {
    int contype, conaffinity;
    bool plane;
} mask;

static mask mask_of(const dp_geom *geom)
{
    return (mask){geom->contype, geom->conaffinity, geom->kind == DP_PLANE};
}

static bool masks_meet(mask a, mask b)
{
    return !(a.plane && b.plane) &&
           ((a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0);
}

// Bodies that are welded together form one cluster, named by the body that moves it (0: fixed). The
// parts of a cluster do not touch each other, nor those of the cluster it hangs from, unless that
// is the world.
static int parent_cluster(const dp_compiler *c, int cluster)
{
    return cluster == 0 ? 0 : c->weld[c->body[cluster].parent];
}

static bool may_touch(const dp_compiler *c, int i, int j)
{
    const int a = c->weld[c->geom[i].body], b = c->weld[c->geom[j].body];
    if (a == b) {
        return false;
    }
    if (a != 0 && b != 0 && (parent_cluster(c, a) == b || parent_cluster(c, b) == a)) {
        return false;
    }
    return masks_meet(mask_of(&c->geom[i]), mask_of(&c->geom[j]));
}

enum { MAX_CLASSES = 16 };

// Geoms with equal masks form a class. Scenes have a few; so pairs can be counted without visiting
// them.
typedef struct classes {
    mask mask[MAX_CLASSES];
    int count;
    int *members; // [nbody][MAX_CLASSES]: geoms of each class in each cluster
} classes;

// False when there are too many classes.
static bool classify(classes *all, const dp_compiler *c)
{
    for (int g = 0; g < c->m->size.ngeom; ++g) {
        const mask own = mask_of(&c->geom[g]);
        int k = 0;
        while (k < all->count &&
               !(all->mask[k].contype == own.contype && all->mask[k].plane == own.plane &&
                 all->mask[k].conaffinity == own.conaffinity)) {
            ++k;
        }
        if (k == MAX_CLASSES) {
            return false;
        }
        if (k == all->count) {
            all->mask[all->count++] = own;
        }
        ++all->members[(size_t)c->weld[c->geom[g].body] * MAX_CLASSES + (size_t)k];
    }
    return true;
}

// Pairs between two groups of geoms, given how many each has of every class.
static long long pairs_between(const classes *all, const long long *a, const int *b)
{
    long long pairs = 0;
    for (int i = 0; i < all->count; ++i) {
        for (int k = 0; k < all->count; ++k) {
            pairs += masks_meet(all->mask[i], all->mask[k]) ? a[i] * b[k] : 0;
        }
    }
    return pairs;
}

// Every pair of clusters is met once: when the later one joins those before it. Pairs of a cluster
// with the one it hangs from are taken out again.
static long long count_pairs(const classes *all, const dp_compiler *c)
{
    long long before[MAX_CLASSES] = {0}, pairs = 0;
    for (int b = 0; b < c->m->size.nbody; ++b) {
        if (c->weld[b] != b) {
            continue;
        }
        const int *own = all->members + (size_t)b * MAX_CLASSES;
        pairs += pairs_between(all, before, own);
        const int parent = parent_cluster(c, b);
        if (parent != 0) {
            long long above[MAX_CLASSES];
            for (int k = 0; k < MAX_CLASSES; ++k) {
                above[k] = all->members[(size_t)parent * MAX_CLASSES + (size_t)k];
            }
            pairs -= pairs_between(all, above, own);
        }
        for (int k = 0; k < MAX_CLASSES; ++k) {
            before[k] += own[k];
        }
    }
    return pairs;
}

static dp_status refuse_contact(dp_compiler *c)
{
    const dp_spec *spec = c->spec;
    const int ngeom = c->m->size.ngeom;
    if (spec->options.disable_contact || dp_spec_allows(spec, "contact") || ngeom == 0) {
        return DP_OK;
    }
    classes all = {.count = 0};
    DP_TRY(dp_pool_take(&all.members, &c->scratch, (size_t)c->m->size.nbody * MAX_CLASSES,
                        sizeof *all.members));
    const long long pairs = classify(&all, c) ? count_pairs(&all, c) : -1; // −1: not known
    if (pairs == 0) {
        return DP_OK;
    }
    char others[64] = "";
    if (pairs > 1) {
        snprintf(others, sizeof others, " (%lld pairs of geoms in all)", pairs);
    }
    for (int i = 0; i < ngeom; ++i) {
        for (int j = i + 1; j < ngeom; ++j) {
            if (!may_touch(c, i, j)) {
                continue;
            }
            const dp_label other = dp_spec_label(spec, DP_ELEMENT_GEOM, i);
            const dp_label one = dp_spec_label(spec, DP_ELEMENT_GEOM, j);
            return dp_fail_at(
                DP_ERROR_UNSUPPORTED, dp_spec_where(spec, DP_ELEMENT_GEOM, j),
                "%s could touch %s%s, and contact is not simulated yet (to go on without it: "
                "allow \"contact\", --allow contact, disable contact in the options, or "
                "set contype and conaffinity to 0)",
                one.text, other.text, others);
        }
    }
    return DP_OK;
}

dp_status dp_refuse_unsupported(dp_compiler *c)
{
    DP_TRY(refuse_limits(c->spec));
    DP_TRY(refuse_friction_loss(c->spec));
    return refuse_contact(c);
}
