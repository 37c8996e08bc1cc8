// Spec → model: check, number, copy. What can go wrong is refused here, with the name of the
// culprit, so that nothing later has to.
#include "model/compile/compile.h"

#include "base/memory.h"
#include "model/derive/parameter.h"
#include "model/touch.h"

#include <string.h>

// Copy the name index of one kind, and refuse names that have become equal since they were added.
static dp_status index_names(dp_compiler *c, dp_element_kind kind)
{
    const dp_name_list names = dp_spec_names(c->spec, kind);
    dp_name_index *index = &c->m->name_index[kind];
    index->nslot = dp_name_slots(names.count);
    DP_TRY(dp_pool_take(&index->slot, &c->m->pool, index->nslot, sizeof *index->slot));
    for (int i = 0; i < names.count; ++i) {
        const int same = dp_name_find(index, names, dp_name_at(names, i));
        if (same >= 0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, kind, i,
                                "has the same name as number %d (expected different names)", same);
        }
        dp_name_insert(index, names, i);
    }
    return DP_OK;
}

// Room for the elements of one kind, with names. `out` is the address of a typed pointer; `name`
// says where in an element its name is.
static dp_status take(void *out, int *count, dp_compiler *c, dp_element_kind kind, size_t size,
                      size_t name)
{
    const dp_name_list names = dp_spec_names(c->spec, kind);
    *count = names.count;
    char *elements;
    DP_TRY(dp_pool_take(&elements, &c->m->pool, (size_t)names.count, size));
    memcpy(out, &elements, sizeof elements);
    DP_TRY(index_names(c, kind));
    for (int i = 0; i < names.count; ++i) {
        const char *copy;
        DP_TRY(dp_pool_text(&copy, &c->m->pool, dp_name_at(names, i)));
        memcpy(elements + (size_t)i * size + name, &copy, sizeof copy);
    }
    return DP_OK;
}

#define TAKE(type, field, count, kind)                                                             \
    do {                                                                                           \
        DP_TRY(take(&c->field, &m->size.count, c, kind, sizeof(type), offsetof(type, name)));      \
        m->field = c->field;                                                                       \
    } while (0)

static dp_status take_elements(dp_compiler *c)
{
    dp_model *m = c->m;
    TAKE(dp_body, body, nbody, DP_ELEMENT_BODY);
    TAKE(dp_joint, joint, njoint, DP_ELEMENT_JOINT);
    TAKE(dp_geom, geom, ngeom, DP_ELEMENT_GEOM);
    TAKE(dp_site, site, nsite, DP_ELEMENT_SITE);
    TAKE(dp_actuator, actuator, nactuator, DP_ELEMENT_ACTUATOR);
    TAKE(dp_sensor, sensor, nsensor, DP_ELEMENT_SENSOR);
    TAKE(dp_mesh_asset, mesh, nmesh, DP_ELEMENT_MESH);
    TAKE(dp_hfield, hfield, nhfield, DP_ELEMENT_HFIELD);
    TAKE(dp_pair, pair, npair, DP_ELEMENT_PAIR);
    TAKE(dp_exclude, exclude, nexclude, DP_ELEMENT_EXCLUDE);
    TAKE(dp_tendon, tendon, ntendon, DP_ELEMENT_TENDON);
    TAKE(dp_equality, equality, nequality, DP_ELEMENT_EQUALITY);
    TAKE(dp_key, key, nkey, DP_ELEMENT_KEY);
    TAKE(dp_force, force, nforce, DP_ELEMENT_FORCE);
    TAKE(dp_motion, motion, nmotion, DP_ELEMENT_MOTION);
    m->size.nu = m->size.nactuator;
    return DP_OK;
}

// What a geom of mesh or height field shows.
static dp_status resolve_asset(dp_compiler *c, int i)
{
    const dp_geom_spec *from = &dp_spec_geoms(c->spec)[i].spec;
    dp_geom *geom = &c->geom[i];
    geom->mesh = geom->hfield = -1;
    if (geom->kind == DP_GEOM_MESH) {
        if (from->mesh_contact == DP_MESH_CONTACT_TRIANGLES && c->weld[geom->body] != 0) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_GEOM, i,
                                "touches by the triangles of a mesh and is on %s, which moves "
                                "(expected a fixed body, or its hull)",
                                dp_spec_label(c->spec, DP_ELEMENT_BODY, geom->body).text);
        }
        return dp_resolve(&geom->mesh, c, DP_ELEMENT_GEOM, i, DP_ELEMENT_MESH, from->mesh);
    }
    if (geom->kind != DP_GEOM_HFIELD) {
        return DP_OK;
    }
    if (c->weld[geom->body] != 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_GEOM, i,
                            "is a height field on %s, which moves (expected a fixed body)",
                            dp_spec_label(c->spec, DP_ELEMENT_BODY, geom->body).text);
    }
    return dp_resolve(&geom->hfield, c, DP_ELEMENT_GEOM, i, DP_ELEMENT_HFIELD, from->hfield);
}

static dp_status compile_geoms(dp_compiler *c)
{
    const dp_geom_entry *entry = dp_spec_geoms(c->spec);
    for (int i = 0; i < c->m->size.ngeom; ++i) {
        const dp_geom_spec *from = &entry[i].spec;
        dp_geom *geom = &c->geom[i];
        geom->kind = from->kind;
        geom->body = entry[i].body;
        geom->pose = from->pose;
        if (!dp_normalise_quat(&geom->pose.q)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_GEOM, i,
                                "has a zero quaternion (expected an orientation)");
        }
        DP_TRY(resolve_asset(c, i));
        geom->shell = from->shell;
        geom->contact = from->contact;
        geom->foundation = from->foundation;
        geom->contype = from->contype;
        geom->conaffinity = from->conaffinity;
        geom->group = from->group;
        for (int k = 0; k < 3; ++k) {
            geom->size[k] = from->size[k];
            geom->friction[k] = from->friction[k];
        }
        for (int k = 0; k < 4; ++k) {
            geom->rgba[k] = from->rgba[k];
        }
    }
    return DP_OK;
}

static dp_status compile_sites(dp_compiler *c)
{
    const dp_site_entry *entry = dp_spec_sites(c->spec);
    for (int i = 0; i < c->m->size.nsite; ++i) {
        dp_site *site = &c->site[i];
        site->body = entry[i].body;
        site->pose = entry[i].spec.pose;
        site->shape.kind = entry[i].spec.kind;
        memcpy(site->shape.size, entry[i].spec.size, sizeof site->shape.size);
        if (!dp_normalise_quat(&site->pose.q)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SITE, i,
                                "has a zero quaternion (expected an orientation)");
        }
    }
    return DP_OK;
}

dp_status dp_resolve(int *out, const dp_compiler *c, dp_element_kind kind, int index,
                     dp_element_kind wanted, const char *name)
{
    const dp_name_list names = dp_spec_names(c->spec, wanted);
    *out = dp_name_find(&c->m->name_index[wanted], names, name);
    if (*out >= 0) {
        return DP_OK;
    }
    const dp_status status = dp_name_fail(names, dp_element_kind_name(wanted), name);
    const dp_location where = dp_spec_where(c->spec, kind, index);
    const dp_label label = dp_spec_label(c->spec, kind, index);
    if (where.file) {
        return dp_fail_context(status, "%s:%d: %s: ", where.file, where.line, label.text);
    }
    return dp_fail_context(status, "%s: ", label.text);
}

// FNV-1a over integers, byte by byte from the lowest, so that it is the same on every machine.
static uint64_t hash_int(uint64_t h, int value)
{
    const uint32_t bits = (uint32_t)value;
    for (int shift = 0; shift < 32; shift += 8) {
        h = (h ^ ((bits >> shift) & 0xffu)) * 0x100000001b3u;
    }
    return h;
}

static uint64_t signature(const dp_model *m)
{
    const dp_model_size *n = &m->size;
    const int size[] = {n->nbody,   n->njoint, n->ngeom, n->nsite,      n->nactuator,
                        n->nsensor, n->nkey,   n->nq,    n->nv,         n->na,
                        n->nu,      n->nmocap, n->ntree, n->nsensordata};
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof size / sizeof *size; ++i) {
        h = hash_int(h, size[i]);
    }
    for (int i = 0; i < n->nfoundation; ++i) {
        h = hash_int(hash_int(h, m->foundation[i].nx), m->foundation[i].ny);
    }
    for (int j = 0; j < n->njoint; ++j) {
        h = hash_int(hash_int(h, (int)m->joint[j].kind), m->joint[j].body);
    }
    for (int b = 0; b < n->nbody; ++b) {
        h = hash_int(h, m->body[b].parent);
    }
    return h;
}

// What follows from the numbers of elements. A failure says where its joint was written.
static dp_status derive(dp_compiler *c)
{
    const dp_tables tables = {.body = c->body,
                              .joint = c->joint,
                              .joint_ratio = c->joint_ratio,
                              .geom = c->geom,
                              .pair = c->pair,
                              .actuator = c->actuator,
                              .tendon = c->tendon,
                              .equality = c->equality,
                              .foundation = c->foundation,
                              .fluid = c->fluid,
                              .dof_armature = c->dof_armature,
                              .dof_damping = c->dof_damping,
                              .dof_stiffness = c->dof_stiffness,
                              .q_spring = c->q_spring};
    dp_reference r;
    DP_TRY(dp_reference_take(&r, c->m, &c->scratch));
    int joint = 0;
    const dp_status status = dp_derive(c->m, &tables, &r, &joint);
    const dp_location where =
        status == DP_OK ? (dp_location){NULL, 0} : dp_spec_where(c->spec, DP_ELEMENT_JOINT, joint);
    return where.file ? dp_fail_context(status, "%s:%d: ", where.file, where.line) : status;
}

static dp_status compile(dp_compiler *c)
{
    DP_TRY(dp_check_numbers(c->spec));
    c->m->options = c->spec->options;
    DP_TRY(dp_pool_text(&c->m->title, &c->m->pool, c->spec->title));
    DP_TRY(take_elements(c));
    DP_TRY(dp_compile_topology(c));
    DP_TRY(compile_geoms(c));
    DP_TRY(compile_sites(c));
    DP_TRY(dp_compile_pairs(c));
    DP_TRY(dp_compile_excludes(c));
    DP_TRY(dp_compile_hfields(c));
    DP_TRY(dp_compile_meshes(c));
    DP_TRY(dp_compile_inertia(c));
    DP_TRY(dp_compile_fluid(c));
    DP_TRY(dp_compile_tendons(c));
    DP_TRY(dp_compile_equalities(c));
    DP_TRY(dp_compile_actuators(c));
    DP_TRY(dp_compile_sensors(c));
    DP_TRY(dp_compile_keys(c));
    DP_TRY(dp_compile_forces(c));
    DP_TRY(dp_compile_motions(c));
    DP_TRY(dp_compile_shapes(c));
    DP_TRY(dp_compile_foundations(c));
    DP_TRY(derive(c));
    DP_TRY(dp_compile_parameters(c->m));
    if (!c->spec->options.disable_contact) {
        DP_TRY(dp_count_touch(&c->m->size.ntouch, c));
        DP_TRY(dp_check_hertz(c));
    }
    c->m->signature = signature(c->m);
    return DP_OK;
}

dp_status dp_model_compile(dp_model **out, const dp_spec *spec)
{
    *out = NULL;
    DP_TRY(dp_spec_error(spec));
    dp_model *m;
    DP_TRY(dp_allocate(&m, &spec->allocator, 1, sizeof *m));
    dp_pool_init(&m->pool, &spec->allocator);

    dp_compiler c = {.spec = spec, .m = m};
    dp_pool_init(&c.scratch, &spec->allocator);
    const dp_status status = compile(&c);
    dp_pool_destroy(&c.scratch);
    if (status != DP_OK) {
        dp_model_destroy(m);
        return status;
    }
    *out = m;
    return DP_OK;
}

void dp_model_destroy(dp_model *m)
{
    if (!m) {
        return;
    }
    const dp_allocator a = m->pool.allocator;
    dp_destroy_expressions(m);
    dp_pool_destroy(&m->pool);
    dp_release(&a, m, 1, sizeof *m);
}
