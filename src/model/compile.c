// Spec → model: check, number, copy. What can go wrong is refused here, with the name of the
// culprit, so that nothing later has to.
#include "model/compile.h"

#include "base/memory.h"

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

static dp_status copy_name(const char **out, dp_compiler *c, dp_element_kind kind, int i)
{
    return dp_pool_text(out, &c->m->pool, dp_name_at(dp_spec_names(c->spec, kind), i));
}

// Room for every element, and names.
static dp_status take_elements(dp_compiler *c)
{
    dp_model *m = c->m;
    const dp_spec *spec = c->spec;
    m->size.nbody = dp_spec_body_count(spec);
    m->size.njoint = dp_spec_joint_count(spec);
    m->size.ngeom = dp_spec_geom_count(spec);
    m->size.nsite = dp_spec_site_count(spec);
    m->size.nactuator = dp_spec_actuator_count(spec);
    m->size.nsensor = dp_spec_sensor_count(spec);
    m->size.nkey = dp_spec_key_count(spec);
    m->size.nu = m->size.nactuator;

    dp_pool *pool = &m->pool;
    DP_TRY(dp_pool_take(&c->body, pool, (size_t)m->size.nbody, sizeof *c->body));
    DP_TRY(dp_pool_take(&c->joint, pool, (size_t)m->size.njoint, sizeof *c->joint));
    DP_TRY(dp_pool_take(&c->geom, pool, (size_t)m->size.ngeom, sizeof *c->geom));
    DP_TRY(dp_pool_take(&c->site, pool, (size_t)m->size.nsite, sizeof *c->site));
    DP_TRY(dp_pool_take(&c->actuator, pool, (size_t)m->size.nactuator, sizeof *c->actuator));
    DP_TRY(dp_pool_take(&c->sensor, pool, (size_t)m->size.nsensor, sizeof *c->sensor));
    DP_TRY(dp_pool_take(&c->key, pool, (size_t)m->size.nkey, sizeof *c->key));
    m->body = c->body;
    m->joint = c->joint;
    m->geom = c->geom;
    m->site = c->site;
    m->actuator = c->actuator;
    m->sensor = c->sensor;
    m->key = c->key;

    for (int kind = 0; kind < DP_ELEMENT_KINDS; ++kind) {
        DP_TRY(index_names(c, (dp_element_kind)kind));
    }
    for (int i = 0; i < m->size.nbody; ++i) {
        DP_TRY(copy_name(&c->body[i].name, c, DP_ELEMENT_BODY, i));
    }
    for (int i = 0; i < m->size.njoint; ++i) {
        DP_TRY(copy_name(&c->joint[i].name, c, DP_ELEMENT_JOINT, i));
    }
    for (int i = 0; i < m->size.ngeom; ++i) {
        DP_TRY(copy_name(&c->geom[i].name, c, DP_ELEMENT_GEOM, i));
    }
    for (int i = 0; i < m->size.nsite; ++i) {
        DP_TRY(copy_name(&c->site[i].name, c, DP_ELEMENT_SITE, i));
    }
    for (int i = 0; i < m->size.nactuator; ++i) {
        DP_TRY(copy_name(&c->actuator[i].name, c, DP_ELEMENT_ACTUATOR, i));
    }
    for (int i = 0; i < m->size.nsensor; ++i) {
        DP_TRY(copy_name(&c->sensor[i].name, c, DP_ELEMENT_SENSOR, i));
    }
    for (int i = 0; i < m->size.nkey; ++i) {
        DP_TRY(copy_name(&c->key[i].name, c, DP_ELEMENT_KEY, i));
    }
    return DP_OK;
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
    for (int j = 0; j < n->njoint; ++j) {
        h = hash_int(hash_int(h, (int)m->joint[j].kind), m->joint[j].body);
    }
    for (int b = 0; b < n->nbody; ++b) {
        h = hash_int(h, m->body[b].parent);
    }
    return h;
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
    DP_TRY(dp_compile_inertia(c));
    DP_TRY(dp_compile_actuators(c));
    DP_TRY(dp_compile_sensors(c));
    DP_TRY(dp_compile_keys(c));
    DP_TRY(dp_refuse_unsupported(c));
    c->m->signature = signature(c->m);
    return DP_OK;
}

dp_status dp_model_compile(dp_model **out, const dp_spec *spec)
{
    *out = NULL;
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
    dp_pool_destroy(&m->pool);
    dp_release(&a, m, 1, sizeof *m);
}
