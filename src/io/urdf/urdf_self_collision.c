// Which links of a robot may touch each other, as planners have it.
//
// Links that a joint connects reach into each other by construction, whether the one that it hangs
// from is fixed or not: they never touch. Floating and planar joints connect nothing with what is
// fixed. Others that overlap with all joints at zero would be pushed apart from the first step on,
// so they do not touch either, unless that is asked for; the report lists them. Bodies that are
// welded together do not touch anyway, nor do a moving body and its parent, so what is left becomes
// excludes of the spec.
//
// A link called world is scenery, and touches whatever it meets.
#include "io/urdf/urdf.h"

#include "base/interrupt.h"
#include "model/spec/spec.h"

#include <dashpot/advanced/collide.h>

#include <math.h>
#include <stdio.h>

// Numbers in files are rounded: overlaps that are no deeper [m] are none.
static const double ROUNDED = 1e-6;

// A shape of a link that touches.
typedef struct part {
    int link;
    dp_geom_spec geom;
    dp_pose pose; // in the world, all joints at zero
    int mesh;     // −1: none
    dp_bounds box;
} part;

typedef struct parts {
    dp_urdf *u;
    part *item;     // by links, in their order
    int *start;     // nlink + 1, into item
    dp_hull **hull; // nmesh, made where they are needed
} parts;

// ---- shapes

static dp_bounds no_bounds(void)
{
    return (dp_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void widen(dp_bounds *box, dp_v3 x)
{
    box->low = (dp_v3){fmin(box->low.x, x.x), fmin(box->low.y, x.y), fmin(box->low.z, x.z)};
    box->high = (dp_v3){fmax(box->high.x, x.x), fmax(box->high.y, x.y), fmax(box->high.z, x.z)};
}

static dp_status bound(part *p, const dp_spec *spec)
{
    p->mesh = -1;
    if (p->geom.kind != DP_GEOM_MESH) {
        const double *size = p->geom.size;
        const dp_shape shape = {.kind = p->geom.kind, .size = {size[0], size[1], size[2]}};
        return dp_shape_bounds(&p->box, &shape, p->pose);
    }
    p->mesh = dp_name_find(&spec->list[DP_ELEMENT_MESH].index, dp_spec_names(spec, DP_ELEMENT_MESH),
                           p->geom.mesh);
    DP_ASSERT(p->mesh >= 0);
    const dp_mesh_spec *mesh = &dp_spec_meshes(spec)[p->mesh];
    const dp_m3 R = dp_m3_from_quat(p->pose.q);
    p->box = no_bounds();
    for (int i = 0; i < mesh->nvertex; ++i) {
        const dp_v3 x = dp_v3_load(mesh->vertex + 3 * (size_t)i);
        widen(&p->box, dp_v3_add(p->pose.p, dp_m3_apply(&R, x)));
    }
    return dp_interrupt_check((size_t)mesh->nvertex * 20);
}

// Planes have no inside that links could be in by design.
static bool is_part(const dp_urdf_link *link, const dp_geom_spec *geom)
{
    return link->body.index != DP_WORLD.index && geom->contype != 0 && geom->kind != DP_GEOM_PLANE;
}

static dp_status list_parts(parts *all, dp_urdf *u)
{
    const dp_spec *spec = u->m.spec;
    const int ngeom = dp_spec_geom_count(spec), nbody = dp_spec_body_count(spec);
    int *link_of; // nbody
    all->u = u;
    DP_TRY(dp_pool_take(&link_of, &u->m.pool, (size_t)nbody, sizeof *link_of));
    DP_TRY(dp_pool_take(&all->item, &u->m.pool, (size_t)ngeom, sizeof *all->item));
    DP_TRY(dp_pool_take(&all->start, &u->m.pool, (size_t)u->nlink + 2, sizeof *all->start));
    DP_TRY(dp_pool_take(&all->hull, &u->m.pool, (size_t)dp_spec_mesh_count(spec) + 1,
                        sizeof *all->hull));
    for (int i = 0; i < u->nlink; ++i) {
        link_of[u->link[i].body.index] = i;
    }
    for (int g = 0; g < ngeom; ++g) {
        const dp_geom_entry *entry = &dp_spec_geoms(spec)[g];
        const int i = link_of[entry->body];
        all->start[i + 2] += is_part(&u->link[i], &entry->spec);
    }
    for (int i = 0; i < u->nlink; ++i) {
        all->start[i + 2] += all->start[i + 1];
    }
    for (int g = 0; g < ngeom; ++g) {
        const dp_geom_entry *entry = &dp_spec_geoms(spec)[g];
        const int i = link_of[entry->body];
        if (is_part(&u->link[i], &entry->spec)) {
            part *p = &all->item[all->start[i + 1]++];
            *p = (part){.link = i, .geom = entry->spec};
            p->pose = dp_pose_mul(u->link[i].pose, p->geom.pose);
            p->pose.q = dp_quat_unit(p->pose.q);
            DP_TRY(bound(p, spec));
        }
    }
    return DP_OK;
}

static void release(parts *all)
{
    for (int i = 0; all->hull && i < dp_spec_mesh_count(all->u->m.spec); ++i) {
        dp_hull_destroy(all->hull[i]);
    }
}

// ---- overlaps

static bool boxes_overlap(const dp_bounds *a, const dp_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// False: it is flat, which is reported when the spec is compiled.
static bool shape_of(dp_shape *out, parts *all, const part *p)
{
    const double *size = p->geom.size;
    *out = (dp_shape){.kind = p->geom.kind, .size = {size[0], size[1], size[2]}};
    if (p->mesh < 0) {
        return true;
    }
    const dp_mesh_spec *mesh = &dp_spec_meshes(all->u->m.spec)[p->mesh];
    dp_hull **hull = &all->hull[p->mesh];
    if (!*hull &&
        dp_hull_create(hull, mesh->vertex, mesh->nvertex, all->u->m.options->allocator) != DP_OK) {
        return false;
    }
    out->hull = *hull;
    return true;
}

// How deep two links are in each other, at the deepest. 0: they are apart.
static double depth_of(parts *all, int i, int j)
{
    double depth = 0.0;
    for (int a = all->start[i]; a < all->start[i + 1]; ++a) {
        for (int b = all->start[j]; b < all->start[j + 1]; ++b) {
            const part *p = &all->item[a], *q = &all->item[b];
            dp_shape s, t;
            dp_distance between;
            if (boxes_overlap(&p->box, &q->box) && shape_of(&s, all, p) && shape_of(&t, all, q) &&
                dp_shapes_distance(&between, &s, p->pose, &t, q->pose, 0.0, NULL) == DP_OK) {
                depth = fmax(depth, -between.gap);
            }
        }
    }
    return depth;
}

// ---- excludes

// Does a joint connect the fixed links with what moves link i?
static bool hangs_from_fixed(const dp_urdf *u, int i)
{
    const int joint = u->link[u->link[i].mover].joint;
    return joint >= 0 && u->link[u->joint[joint].parent].mover < 0 &&
           u->joint[joint].kind != DP_URDF_FLOATING && u->joint[joint].kind != DP_URDF_PLANAR;
}

// Does a joint connect what moves link i with that of link j, on which it hangs?
static bool hangs_from(const dp_urdf *u, int i, int j)
{
    const int joint = u->link[i].mover >= 0 ? u->link[u->link[i].mover].joint : -1;
    return joint >= 0 && u->link[u->joint[joint].parent].mover == u->link[j].mover;
}

// Are they adjacent, but so that only an exclude keeps them from touching?
static bool are_at_a_fixed_joint(const dp_urdf *u, int i, int j)
{
    const bool fixed_i = u->link[i].mover < 0, fixed_j = u->link[j].mover < 0;
    return fixed_i != fixed_j && hangs_from_fixed(u, fixed_i ? j : i);
}

static dp_status exclude(dp_urdf *u, int i, int j)
{
    dp_exclude_spec out = dp_exclude_spec_default();
    out.body[0] = u->link[i].name;
    out.body[1] = u->link[j].name;
    out.where = dp_mjcf_where(u->link[i].node);
    return dp_mjcf_located(u->link[i].node, dp_spec_add_exclude(NULL, u->m.spec, &out));
}

static dp_status report(dp_urdf *u, int i, int j, double depth)
{
    char words[400];
    snprintf(words, sizeof words,
             "does not touch link '%.200s': with all joints at zero they overlap by %.3g m",
             u->link[j].name, depth);
    const dp_xml_node *node = u->link[i].node;
    dp_import_item item = {.verdict = DP_IMPORT_VERDICT_APPROXIMATED,
                           .file = node->file,
                           .line = node->line,
                           .element = "link",
                           .attribute = "",
                           .name = u->link[i].name,
                           .feature = ""};
    DP_TRY(dp_report_text(&item.note, u->m.report, words));
    DP_TRY(dp_report_text(&item.name, u->m.report, u->link[i].name));
    int index;
    return dp_report_add(&index, u->m.report, &item);
}

static dp_status judge_links(parts *all, int i, int j)
{
    dp_urdf *u = all->u;
    const dp_self_collision rule = u->m.options->urdf_self_collision;
    DP_TRY(dp_interrupt_check(200));
    if (u->link[i].mover == u->link[j].mover) {
        return DP_OK; // welded together
    }
    if (rule == DP_SELF_COLLISION_NONE || are_at_a_fixed_joint(u, i, j)) {
        return exclude(u, i, j);
    }
    if (rule == DP_SELF_COLLISION_ALL || (u->link[i].mover >= 0 && u->link[j].mover >= 0 &&
                                          (hangs_from(u, i, j) || hangs_from(u, j, i)))) {
        return DP_OK;
    }
    const double depth = depth_of(all, i, j);
    if (depth <= ROUNDED) {
        return dp_interrupt_status();
    }
    DP_TRY(exclude(u, i, j));
    return report(u, i, j, depth);
}

static dp_status judge_pairs(parts *all)
{
    const dp_urdf *u = all->u;
    for (int i = 0; i < u->nlink; ++i) {
        for (int j = i + 1; j < u->nlink; ++j) {
            if (all->start[i] < all->start[i + 1] && all->start[j] < all->start[j + 1]) {
                DP_TRY(judge_links(all, i, j));
            }
        }
    }
    return DP_OK;
}

dp_status dp_urdf_exclude_links(dp_urdf *u)
{
    parts all = {.u = u};
    dp_status status = list_parts(&all, u);
    status = status == DP_OK ? judge_pairs(&all) : status;
    release(&all);
    return status;
}
