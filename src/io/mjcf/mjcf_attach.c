// <attach> puts a body of another model, or all of it, in its place. The other model is read on its
// own, by its own settings and classes, into a spec of its own; the body and all that belongs to it
// alone are then copied, with names that begin with the prefix.
#include "io/mjcf/mjcf.h"

#include "math/v3.h"
#include "model/spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_MODEL = 20, MOST_COPIES = 300000 };

// ---- the other model

/// A <model> of <asset>.
struct dp_mjcf_model {
    const char *name;  // NULL: that of the file
    dp_xml_node *node; // <model>
    dp_mjcf *read;     // NULL: not yet
    dp_mjcf_model *next;
};

dp_status dp_mjcf_list_models(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "asset", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (strcmp(node->name, "model") != 0) {
                continue;
            }
            dp_mjcf_model *model;
            DP_TRY(dp_pool_take(&model, &m->pool, 1, sizeof *model));
            *model = (dp_mjcf_model){dp_xml_value(node, "name", NULL), node, NULL, m->model};
            m->model = model;
        }
    }
    return DP_OK;
}

void dp_mjcf_close_models(dp_mjcf *m)
{
    for (dp_mjcf_model *model = m->model; model; model = model->next) {
        if (model->read) {
            dp_mjcf_close_models(model->read); // no deeper than DEEPEST_MODEL
            dp_spec_destroy(model->read->spec);
            dp_pool_destroy(&model->read->pool);
        }
    }
}

static dp_status check_cycle(const dp_mjcf *m, const dp_xml_node *node, const dp_mjcf_file *file)
{
    int depth = 0;
    for (const dp_mjcf *up = m; up; up = up->above) {
        char real[DP_MJCF_PATH];
        if (realpath(up->root->file, real) && strcmp(real, file->real) == 0) {
            return dp_mjcf_fail(node, "found '%s', which attaches itself (expected no cycle)",
                                file->path);
        }
        ++depth;
    }
    if (depth > DEEPEST_MODEL) {
        return dp_mjcf_fail(node, "found models in models more than %d deep (expected fewer)",
                            DEEPEST_MODEL);
    }
    return DP_OK;
}

// Settings of the other model that have no say here.
static dp_status overrule(dp_mjcf *other)
{
    static const char *const section[] = {"option", "keyframe"};
    static const char *const why[] = {"of an attached model: those of the main model count",
                                      "of an attached model: left out"};
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(other, "compiler", s));) {
        const dp_xml_attribute *total = dp_xml_find(s, "settotalmass");
        if (total) {
            DP_TRY(dp_mjcf_judge(other, s, total, DP_IMPORT_VERDICT_IGNORED,
                                 "of an attached model: that of the main model counts"));
        }
    }
    for (int i = 0; i < 2; ++i) {
        for (dp_xml_node *s = NULL; (s = dp_mjcf_section(other, section[i], s));) {
            for (dp_xml_node *node = s; node; node = dp_xml_next(s, node, false)) {
                DP_TRY(dp_mjcf_judge_all(other, node, DP_IMPORT_VERDICT_IGNORED, why[i]));
            }
        }
    }
    return DP_OK;
}

static void take_over_refusals(dp_mjcf *m, const dp_mjcf *other)
{
    if (m->nrefused == 0 && other->nrefused > 0) {
        memcpy(m->first_refusal, other->first_refusal, sizeof m->first_refusal);
        m->first_feature = other->first_feature;
    }
    m->nrefused += other->nrefused;
    m->lost_feature = other->lost_feature ? other->lost_feature : m->lost_feature;
}

static dp_status read_other(dp_mjcf_model *model, dp_mjcf *m)
{
    dp_mjcf_file file;
    DP_TRY(dp_mjcf_find_file(&file, m, model->node, "", dp_xml_value(model->node, "file", "")));
    DP_TRY(check_cycle(m, model->node, &file));
    dp_mjcf *other;
    DP_TRY(dp_pool_take(&other, &m->pool, 1, sizeof *other));
    *other = (dp_mjcf){.options = m->options,
                       .report = m->report,
                       .above = m,
                       .folder = m->folder,
                       .disabled = m->disabled};
    dp_pool_init(&other->pool, &m->pool.allocator);
    model->read = other;
    DP_TRY(dp_spec_create(&other->spec, &m->pool.allocator));

    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, file.path, &m->pool.allocator));
    dp_status status = dp_mjcf_read_tree(other, text, bytes, file.path);
    dp_release(&m->pool.allocator, text, bytes + 1, 1);
    DP_TRY(status);
    DP_TRY(dp_mjcf_read_content(other));
    DP_TRY(overrule(other));
    take_over_refusals(m, other);
    return DP_OK;
}

static dp_status find_model(dp_mjcf_model **out, dp_mjcf *m, const dp_xml_node *node)
{
    const char *name = dp_xml_value(node, "model", "");
    for (dp_mjcf_model *model = m->model; model; model = model->next) {
        if (model->name && strcmp(model->name, name) != 0) {
            continue;
        }
        if (!model->read) {
            DP_TRY(read_other(model, m));
        }
        if (model->name || strcmp(dp_xml_value(model->read->root, "model", ""), name) == 0) {
            *out = model;
            return DP_OK;
        }
    }
    return dp_mjcf_fail(node, "found model '%.60s' (expected a <model> of <asset>)", name);
}

// ---- what is copied

/// One <attach>.
typedef struct dp_mjcf_graft graft;
struct dp_mjcf_graft {
    dp_mjcf *m;
    const dp_mjcf *other;
    dp_spec *from;
    const char *prefix, *suffix;
    const dp_mjcf_scope *in;
    int first, end;    // bodies of the other model
    bool whole;        // and what its world has
    int base;          // body `first` is this one here
    bool *tendon;      // copied
    bool *actuator;    // copied
    dp_xml_node *node; // <attach>
    graft *next;       // in the order of the file
};

// The name here. NULL and "" are no names.
static dp_status rename_it(const char **name, graft *g)
{
    if (!*name || **name == '\0') {
        *name = NULL;
        return DP_OK;
    }
    const size_t bytes = strlen(g->prefix) + strlen(*name) + strlen(g->suffix) + 1;
    char *text;
    DP_TRY(dp_pool_take(&text, &g->m->pool, bytes, 1));
    snprintf(text, bytes, "%s%s%s", g->prefix, *name, g->suffix);
    *name = text;
    return DP_OK;
}

// References: the world keeps its name.
static dp_status rename_reference(const char **name, graft *g)
{
    return *name && strcmp(*name, "world") == 0 ? DP_OK : rename_it(name, g);
}

static bool has_body(const graft *g, int body)
{
    return (body >= g->first && body < g->end) || (body == 0 && g->whole);
}

static int find(const dp_spec *spec, dp_element_kind kind, const char *name)
{
    return name ? dp_name_find(&spec->list[kind].index, dp_spec_names(spec, kind), name) : -1;
}

// Whether what is named so comes along. Nothing does always.
static bool has(const graft *g, dp_element_kind kind, const char *name)
{
    if (!name || *name == '\0') {
        return true;
    }
    const int i = find(g->from, kind, name);
    if (i < 0) {
        return false;
    }
    switch (kind) {
    case DP_ELEMENT_BODY:
        return i == 0 || has_body(g, i);
    case DP_ELEMENT_JOINT:
        return has_body(g, dp_spec_joints(g->from)[i].body);
    case DP_ELEMENT_GEOM:
        return has_body(g, dp_spec_geoms(g->from)[i].body);
    case DP_ELEMENT_SITE:
        return has_body(g, dp_spec_sites(g->from)[i].body);
    case DP_ELEMENT_TENDON:
        return g->tendon[i];
    case DP_ELEMENT_ACTUATOR:
        return g->actuator[i];
    default:
        return false;
    }
}

static dp_status count_copy(graft *g)
{
    dp_mjcf *top = g->m;
    while (top->above) {
        top = top->above;
    }
    if (++top->ncopy > MOST_COPIES) {
        return dp_mjcf_fail(g->node, "found more than %d copies by <attach> (expected fewer)",
                            MOST_COPIES);
    }
    return DP_OK;
}

static dp_body_id body_here(const graft *g, int body)
{
    return body == 0 ? g->in->body : (dp_body_id){g->base + body - g->first};
}

// ---- the tree

static dp_status copy_bodies(graft *g)
{
    g->base = dp_spec_body_count(g->m->spec);
    for (int b = g->first; b < g->end; ++b) {
        const dp_body_entry *from = &dp_spec_bodies(g->from)[b];
        dp_body_spec body = from->spec;
        const bool top = from->parent == 0 || b == g->first;
        DP_TRY(count_copy(g));
        DP_TRY(rename_it(&body.name, g));
        if (top) {
            body.pose = dp_mjcf_place(g->in, body.pose);
        }
        const dp_body_id parent = body_here(g, top ? 0 : from->parent);
        DP_TRY(dp_spec_add_body(NULL, g->m->spec, parent, &body));
    }
    return DP_OK;
}

static dp_status copy_joints(graft *g)
{
    for (int i = 0; i < dp_spec_joint_count(g->from); ++i) {
        const dp_joint_entry *from = &dp_spec_joints(g->from)[i];
        if (has_body(g, from->body)) {
            dp_joint_spec joint = from->spec;
            DP_TRY(count_copy(g));
            DP_TRY(rename_it(&joint.name, g));
            DP_TRY(dp_spec_add_joint(NULL, g->m->spec, body_here(g, from->body), &joint));
        }
    }
    return DP_OK;
}

// A mesh or height field comes with the first geom that shows it.
static dp_status copy_assets(graft *g, dp_geom_spec *geom)
{
    const int mesh = find(g->from, DP_ELEMENT_MESH, geom->mesh);
    const int hfield = find(g->from, DP_ELEMENT_HFIELD, geom->hfield);
    DP_TRY(rename_it(&geom->mesh, g));
    DP_TRY(rename_it(&geom->hfield, g));
    if (mesh >= 0 && find(g->m->spec, DP_ELEMENT_MESH, geom->mesh) < 0) {
        dp_mesh_spec copy = dp_spec_meshes(g->from)[mesh];
        copy.name = geom->mesh;
        DP_TRY(dp_spec_add_mesh(NULL, g->m->spec, &copy));
    }
    if (hfield >= 0 && find(g->m->spec, DP_ELEMENT_HFIELD, geom->hfield) < 0) {
        dp_hfield_spec copy = dp_spec_hfields(g->from)[hfield];
        copy.name = geom->hfield;
        DP_TRY(dp_spec_add_hfield(NULL, g->m->spec, &copy));
    }
    return DP_OK;
}

static dp_status copy_geoms(graft *g)
{
    for (int i = 0; i < dp_spec_geom_count(g->from); ++i) {
        const dp_geom_entry *from = &dp_spec_geoms(g->from)[i];
        if (!has_body(g, from->body)) {
            continue;
        }
        dp_geom_spec geom = from->spec;
        DP_TRY(count_copy(g));
        DP_TRY(rename_it(&geom.name, g));
        DP_TRY(copy_assets(g, &geom));
        if (from->body == 0) {
            geom.pose = dp_mjcf_place(g->in, geom.pose);
        }
        DP_TRY(dp_spec_add_geom(NULL, g->m->spec, body_here(g, from->body), &geom));
    }
    return DP_OK;
}

static dp_status copy_sites(graft *g)
{
    for (int i = 0; i < dp_spec_site_count(g->from); ++i) {
        const dp_site_entry *from = &dp_spec_sites(g->from)[i];
        if (!has_body(g, from->body)) {
            continue;
        }
        dp_site_spec site = from->spec;
        DP_TRY(count_copy(g));
        DP_TRY(rename_it(&site.name, g));
        if (from->body == 0) {
            site.pose = dp_mjcf_place(g->in, site.pose);
        }
        DP_TRY(dp_spec_add_site(NULL, g->m->spec, body_here(g, from->body), &site));
    }
    return DP_OK;
}

// ---- what refers to it

static dp_status copy_contacts(graft *g)
{
    for (int i = 0; i < dp_spec_pair_count(g->from); ++i) {
        dp_pair_spec pair = dp_spec_pairs(g->from)[i];
        if (has(g, DP_ELEMENT_GEOM, pair.geom[0]) && has(g, DP_ELEMENT_GEOM, pair.geom[1])) {
            DP_TRY(rename_it(&pair.name, g));
            DP_TRY(rename_it(&pair.geom[0], g));
            DP_TRY(rename_it(&pair.geom[1], g));
            DP_TRY(dp_spec_add_pair(NULL, g->m->spec, &pair));
        }
    }
    for (int i = 0; i < dp_spec_exclude_count(g->from); ++i) {
        dp_exclude_spec exclude = dp_spec_excludes(g->from)[i];
        if (has(g, DP_ELEMENT_BODY, exclude.body[0]) && has(g, DP_ELEMENT_BODY, exclude.body[1])) {
            DP_TRY(rename_it(&exclude.name, g));
            DP_TRY(rename_reference(&exclude.body[0], g));
            DP_TRY(rename_reference(&exclude.body[1], g));
            DP_TRY(dp_spec_add_exclude(NULL, g->m->spec, &exclude));
        }
    }
    return DP_OK;
}

static dp_status copy_tendon(graft *g, int i)
{
    dp_tendon_spec tendon = dp_spec_tendons(g->from)[i];
    dp_wrap_spec *wrap;
    DP_TRY(dp_pool_take(&wrap, &g->m->pool, (size_t)tendon.nwrap, sizeof *wrap));
    for (int k = 0; k < tendon.nwrap; ++k) {
        static const dp_element_kind element[] = {[DP_WRAP_JOINT] = DP_ELEMENT_JOINT,
                                                  [DP_WRAP_SITE] = DP_ELEMENT_SITE,
                                                  [DP_WRAP_GEOM] = DP_ELEMENT_GEOM,
                                                  [DP_WRAP_PULLEY] = DP_ELEMENT_BODY};
        wrap[k] = tendon.wrap[k];
        if (!has(g, element[wrap[k].kind], wrap[k].object) ||
            !has(g, DP_ELEMENT_SITE, wrap[k].side)) {
            return DP_OK;
        }
        DP_TRY(rename_it(&wrap[k].object, g));
        DP_TRY(rename_it(&wrap[k].side, g));
    }
    tendon.wrap = wrap;
    g->tendon[i] = true;
    DP_TRY(rename_it(&tendon.name, g));
    return dp_spec_add_tendon(NULL, g->m->spec, &tendon);
}

static dp_status copy_equality(graft *g, int i)
{
    dp_equality_spec e = dp_spec_equalities(g->from)[i];
    const dp_element_kind kind = e.kind == DP_EQUALITY_JOINT    ? DP_ELEMENT_JOINT
                                 : e.kind == DP_EQUALITY_TENDON ? DP_ELEMENT_TENDON
                                                                : dp_object_element(e.object_kind);
    if (!has(g, kind, e.object[0]) || !has(g, kind, e.object[1])) {
        return DP_OK;
    }
    DP_TRY(rename_it(&e.name, g));
    DP_TRY(rename_reference(&e.object[0], g));
    DP_TRY(rename_reference(&e.object[1], g));
    return dp_spec_add_equality(NULL, g->m->spec, &e);
}

static dp_status copy_actuator(graft *g, int i)
{
    dp_actuator_spec a = dp_spec_actuators(g->from)[i];
    if (!has(g, DP_ELEMENT_JOINT, a.joint) || !has(g, DP_ELEMENT_TENDON, a.tendon) ||
        !has(g, DP_ELEMENT_SITE, a.site) || !has(g, DP_ELEMENT_SITE, a.reference_site) ||
        !has(g, DP_ELEMENT_BODY, a.body)) {
        return DP_OK;
    }
    g->actuator[i] = true;
    DP_TRY(rename_it(&a.name, g));
    DP_TRY(rename_it(&a.joint, g));
    DP_TRY(rename_it(&a.tendon, g));
    DP_TRY(rename_it(&a.site, g));
    DP_TRY(rename_it(&a.reference_site, g));
    DP_TRY(rename_it(&a.body, g));
    return dp_spec_add_actuator(NULL, g->m->spec, &a);
}

// Sensors of nothing (the clock, energies) stay where they are.
static dp_status copy_sensor(graft *g, int i)
{
    dp_sensor_spec s = dp_spec_sensors(g->from)[i];
    if ((!s.object && !s.reference) || !has(g, dp_object_element(s.object_kind), s.object) ||
        !has(g, dp_object_element(s.reference_kind), s.reference)) {
        return DP_OK;
    }
    DP_TRY(rename_it(&s.name, g));
    DP_TRY(rename_reference(&s.object, g));
    DP_TRY(rename_reference(&s.reference, g));
    return dp_spec_add_sensor(NULL, g->m->spec, &s);
}

// Expressions stay what they are: the world is that of the main model.
static dp_status copy_force(graft *g, int i)
{
    dp_force_spec f = dp_spec_forces(g->from)[i];
    if (!has(g, DP_ELEMENT_BODY, f.body) || !has(g, DP_ELEMENT_SITE, f.site) ||
        !has(g, DP_ELEMENT_JOINT, f.joint)) {
        return DP_OK;
    }
    DP_TRY(rename_it(&f.name, g));
    DP_TRY(rename_reference(&f.body, g));
    DP_TRY(rename_it(&f.site, g));
    DP_TRY(rename_it(&f.joint, g));
    return dp_spec_add_force(NULL, g->m->spec, &f);
}

static dp_status copy_motion(graft *g, int i)
{
    dp_motion_spec o = dp_spec_motions(g->from)[i];
    if (!has(g, DP_ELEMENT_BODY, o.body) || !has(g, DP_ELEMENT_JOINT, o.joint)) {
        return DP_OK;
    }
    DP_TRY(rename_it(&o.name, g));
    DP_TRY(rename_reference(&o.body, g));
    DP_TRY(rename_it(&o.joint, g));
    return dp_spec_add_motion(NULL, g->m->spec, &o);
}

static dp_status copy_references(graft *g, dp_element_kind kind)
{
    dp_status (*copy)(graft *, int) = NULL;
    switch (kind) {
    case DP_ELEMENT_TENDON:
        copy = copy_tendon;
        break;
    case DP_ELEMENT_EQUALITY:
        copy = copy_equality;
        break;
    case DP_ELEMENT_ACTUATOR:
        copy = copy_actuator;
        break;
    case DP_ELEMENT_SENSOR:
        copy = copy_sensor;
        break;
    case DP_ELEMENT_FORCE:
        copy = copy_force;
        break;
    case DP_ELEMENT_MOTION:
        copy = copy_motion;
        break;
    default:
        return copy_contacts(g);
    }
    for (int i = 0; i < g->from->list[kind].count; ++i) {
        DP_TRY(count_copy(g));
        DP_TRY(copy(g, i));
    }
    return DP_OK;
}

dp_status dp_mjcf_attach_references(dp_mjcf *m, dp_element_kind kind)
{
    for (graft *g = m->graft; g; g = g->next) {
        DP_TRY(dp_mjcf_located(g->node, copy_references(g, kind)));
    }
    return DP_OK;
}

// What the other model left out is left out here, under its name here.
static dp_status copy_absent(graft *g)
{
    for (int i = 0; i < DP_MJCF_BUCKETS; ++i) {
        for (const dp_mjcf_absent *a = g->other->absent_bucket[i]; a; a = a->next) {
            const char *name = a->name;
            DP_TRY(count_copy(g));
            DP_TRY(rename_it(&name, g));
            DP_TRY(dp_mjcf_leave_out_name(g->m, a->kind, name, a->feature));
        }
    }
    return DP_OK;
}

void dp_mjcf_mark_attached(bool *marks, const dp_mjcf *m)
{
    for (const graft *g = m->graft; g; g = g->next) {
        for (int b = g->first; b < g->end; ++b) {
            marks[g->base + b - g->first] = true;
        }
    }
}

// ---- <attach>

static dp_status find_part(graft *g)
{
    const char *name = dp_xml_value(g->node, "body", NULL);
    const int nbody = dp_spec_body_count(g->from);
    if (!name) {
        g->first = 1;
        g->end = nbody;
        g->whole = true;
        return DP_OK;
    }
    const dp_name_list names = dp_spec_names(g->from, DP_ELEMENT_BODY);
    g->first = dp_name_find(&g->from->list[DP_ELEMENT_BODY].index, names, name);
    if (g->first < 1) {
        return dp_mjcf_located(g->node, dp_name_fail(names, "body", name));
    }
    g->end = g->first + 1; // bodies come depth first
    while (g->end < nbody && dp_spec_bodies(g->from)[g->end].parent >= g->first) {
        ++g->end;
    }
    return DP_OK;
}

static dp_status take_marks(graft *g)
{
    const size_t ntendon = (size_t)dp_spec_tendon_count(g->from);
    const size_t nu = (size_t)dp_spec_actuator_count(g->from);
    DP_TRY(dp_pool_take(&g->tendon, &g->m->pool, ntendon, sizeof *g->tendon));
    return dp_pool_take(&g->actuator, &g->m->pool, nu, sizeof *g->actuator);
}

dp_status dp_mjcf_attach(dp_mjcf *m, dp_xml_node *node, const dp_mjcf_scope *in)
{
    if (!dp_xml_find(node, "model")) {
        return dp_mjcf_refuse(m, node, NULL, "attach",
                              "attaching a part of the model to itself is not done");
    }
    if (dp_xml_find(node, "frame")) {
        return DP_OK; // refused by the schema
    }
    dp_mjcf_model *model = NULL;
    DP_TRY(find_model(&model, m, node));
    DP_ASSERT(model);
    graft *g;
    DP_TRY(dp_pool_take(&g, &m->pool, 1, sizeof *g));
    *g = (graft){.m = m,
                 .other = model->read,
                 .from = model->read->spec,
                 .prefix = dp_xml_value(node, "prefix", ""),
                 .suffix = dp_xml_value(node, "dp:suffix", ""),
                 .in = in,
                 .node = node};
    *(m->last_graft ? &m->last_graft->next : &m->graft) = g;
    m->last_graft = g;
    DP_TRY(find_part(g));
    DP_TRY(take_marks(g));
    dp_status status = copy_bodies(g);
    status = status == DP_OK ? copy_joints(g) : status;
    status = status == DP_OK ? copy_geoms(g) : status;
    status = status == DP_OK ? copy_sites(g) : status;
    DP_TRY(dp_mjcf_located(node, status));
    return copy_absent(g);
}
