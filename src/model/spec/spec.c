// The editable mechanism. Structure (parents, names) is checked as elements are added, numbers when
// the spec is compiled.
#include "model/spec/spec.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// Elements of each kind

static const size_t entry_bytes[DP_ELEMENT_KINDS] = {
    [DP_ELEMENT_BODY] = sizeof(dp_body_entry),
    [DP_ELEMENT_JOINT] = sizeof(dp_joint_entry),
    [DP_ELEMENT_GEOM] = sizeof(dp_geom_entry),
    [DP_ELEMENT_SITE] = sizeof(dp_site_entry),
    [DP_ELEMENT_ACTUATOR] = sizeof(dp_actuator_spec),
    [DP_ELEMENT_SENSOR] = sizeof(dp_sensor_spec),
    [DP_ELEMENT_MESH] = sizeof(dp_mesh_spec),
    [DP_ELEMENT_HFIELD] = sizeof(dp_hfield_spec),
    [DP_ELEMENT_PAIR] = sizeof(dp_pair_spec),
    [DP_ELEMENT_EXCLUDE] = sizeof(dp_exclude_spec),
    [DP_ELEMENT_TENDON] = sizeof(dp_tendon_spec),
    [DP_ELEMENT_EQUALITY] = sizeof(dp_equality_spec),
    [DP_ELEMENT_KEY] = sizeof(dp_key_spec),
    [DP_ELEMENT_FORCE] = sizeof(dp_force_spec),
    [DP_ELEMENT_MOTION] = sizeof(dp_motion_spec),
};

// dp_name_list reads the name at the start of each entry.
_Static_assert(offsetof(dp_body_entry, spec.name) == 0, "the name comes first");
_Static_assert(offsetof(dp_joint_entry, spec.name) == 0, "the name comes first");
_Static_assert(offsetof(dp_geom_entry, spec.name) == 0, "the name comes first");
_Static_assert(offsetof(dp_site_entry, spec.name) == 0, "the name comes first");
_Static_assert(offsetof(dp_actuator_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_sensor_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_mesh_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_hfield_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_pair_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_exclude_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_tendon_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_equality_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_key_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_force_spec, name) == 0, "the name comes first");
_Static_assert(offsetof(dp_motion_spec, name) == 0, "the name comes first");

dp_name_list dp_spec_names(const dp_spec *spec, dp_element_kind kind)
{
    const dp_element_list *list = &spec->list[kind];
    return (dp_name_list){list->at, entry_bytes[kind], list->count};
}

void *dp_spec_entry(dp_spec *spec, dp_element_kind kind, int index)
{
    dp_element_list *list = &spec->list[kind];
    if (index < 0 || index >= list->count) {
        return NULL;
    }
    return (char *)list->at + (size_t)index * entry_bytes[kind];
}

void dp_spec_destroy(dp_spec *spec)
{
    if (!spec) {
        return;
    }
    const dp_allocator a = spec->allocator;
    for (int kind = 0; kind < DP_ELEMENT_KINDS; ++kind) {
        dp_element_list *list = &spec->list[kind];
        dp_release(&a, list->at, list->capacity, entry_bytes[kind]);
        dp_release(&a, list->index.slot, list->index.nslot, sizeof *list->index.slot);
    }
    dp_release(&a, (void *)spec->feature, spec->feature_capacity, sizeof *spec->feature);
    dp_pool_destroy(&spec->pool);
    dp_release(&a, spec, 1, sizeof *spec);
}

dp_options *dp_spec_options(dp_spec *spec)
{
    return &spec->options;
}

dp_status dp_spec_set_title(dp_spec *spec, const char *title)
{
    const char *copy;
    DP_TRY(dp_pool_text(&copy, &spec->pool, title ? title : ""));
    spec->title = copy;
    return DP_OK;
}

const char *dp_spec_title(const dp_spec *spec)
{
    return spec->title;
}

dp_status dp_spec_allow(dp_spec *spec, const char *feature)
{
    if (!feature || !*feature) {
        return dp_fail(DP_ERROR_ARGUMENT, "the name of the feature to go on without is missing");
    }
    if (dp_spec_allows(spec, feature)) {
        return DP_OK;
    }
    DP_TRY(dp_grow(&spec->feature, &spec->feature_capacity, (size_t)spec->nfeature,
                   sizeof *spec->feature, &spec->allocator));
    DP_TRY(dp_pool_text(&spec->feature[spec->nfeature], &spec->pool, feature));
    ++spec->nfeature;
    return DP_OK;
}

bool dp_spec_allows(const dp_spec *spec, const char *feature)
{
    for (int i = 0; i < spec->nfeature; ++i) {
        if (strcmp(spec->feature[i], feature) == 0) {
            return true;
        }
    }
    return false;
}

// Adding

// How a message calls an element that has no number yet.
static dp_label new_label(dp_element_kind kind, const char *name)
{
    dp_label label;
    if (name && *name) {
        snprintf(label.text, sizeof label.text, "%s '%s'", dp_element_kind_name(kind), name);
    } else {
        snprintf(label.text, sizeof label.text, "unnamed %s", dp_element_kind_name(kind));
    }
    return label;
}

static dp_status check_owner(const dp_spec *spec, dp_element_kind kind, const char *name,
                             dp_location where, dp_body_id owner)
{
    const int nbody = spec->list[DP_ELEMENT_BODY].count;
    if (owner.index >= 0 && owner.index < nbody) {
        return DP_OK;
    }
    return dp_fail_at(DP_ERROR_ARGUMENT, where, "%s: its %s %d does not exist (expected 0 to %d)",
                      new_label(kind, name).text, kind == DP_ELEMENT_BODY ? "parent" : "body",
                      owner.index, nbody - 1);
}

static dp_status grow_index(dp_spec *spec, dp_element_kind kind)
{
    dp_element_list *list = &spec->list[kind];
    if (2 * (list->index.used + 1) <= list->index.nslot) {
        return DP_OK;
    }
    dp_name_index grown = {.nslot = dp_name_slots(2 * (list->count + 1))};
    DP_TRY(dp_allocate(&grown.slot, &spec->allocator, grown.nslot, sizeof *grown.slot));
    for (int i = 0; i < list->count; ++i) {
        dp_name_insert(&grown, dp_spec_names(spec, kind), i);
    }
    dp_release(&spec->allocator, list->index.slot, list->index.nslot, sizeof *list->index.slot);
    list->index = grown;
    return DP_OK;
}

// Everything that can fail before an element is put at the end of its list. Name, file and the
// strings it refers to are replaced by copies that the spec owns.
static dp_status prepare(dp_spec *spec, dp_element_kind kind, const char **name, dp_location *where)
{
    dp_element_list *list = &spec->list[kind];
    const int same = dp_name_find(&list->index, dp_spec_names(spec, kind), *name);
    if (same >= 0) {
        const dp_location first = dp_spec_where(spec, kind, same);
        if (first.file) {
            return dp_fail_at(DP_ERROR_ARGUMENT, *where, "%s is already defined at %s:%d",
                              new_label(kind, *name).text, first.file, first.line);
        }
        return dp_fail_at(DP_ERROR_ARGUMENT, *where,
                          "%s is already defined (expected a name that no other %s has)",
                          new_label(kind, *name).text, dp_element_kind_name(kind));
    }
    if (list->count == INT_MAX) {
        return dp_fail(DP_ERROR_CAPACITY, "more than %d elements of one kind", INT_MAX);
    }
    DP_TRY(dp_grow(&list->at, &list->capacity, (size_t)list->count, entry_bytes[kind],
                   &spec->allocator));
    DP_TRY(grow_index(spec, kind));
    DP_TRY(dp_pool_text(name, &spec->pool, *name));
    if (where->file) {
        if (!spec->last_file || strcmp(spec->last_file, where->file) != 0) {
            DP_TRY(dp_pool_text(&spec->last_file, &spec->pool, where->file));
        }
        where->file = spec->last_file;
    }
    return DP_OK;
}

// Put the prepared entry at the end of its list and tell its number where it is asked for. Never
// fails.
static dp_status append(int *number, dp_spec *spec, dp_element_kind kind, const void *entry)
{
    dp_element_list *list = &spec->list[kind];
    const int index = list->count++;
    memcpy((char *)list->at + (size_t)index * entry_bytes[kind], entry, entry_bytes[kind]);
    dp_name_insert(&list->index, dp_spec_names(spec, kind), index);
    if (number) {
        *number = index;
    }
    return DP_OK;
}

static dp_status add_body(dp_body_id *out, dp_spec *spec, int parent, const dp_body_spec *body)
{
    dp_body_entry entry = {*body, parent};
    DP_TRY(prepare(spec, DP_ELEMENT_BODY, &entry.spec.name, &entry.spec.where));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_BODY, &entry);
}

dp_status dp_spec_create(dp_spec **out, const dp_allocator *allocator)
{
    *out = NULL;
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_spec *spec;
    DP_TRY(dp_allocate(&spec, &a, 1, sizeof *spec));
    spec->allocator = a;
    spec->options = dp_options_default();
    spec->title = "";
    dp_pool_init(&spec->pool, &a);

    dp_body_spec world = dp_body_spec_default();
    world.name = "world";
    const dp_status status = add_body(NULL, spec, -1, &world);
    if (status != DP_OK) {
        dp_spec_destroy(spec);
        return status;
    }
    *out = spec;
    return DP_OK;
}

// The first failure stays with the spec until it is compiled. @param call what adds an element,
// out: its id or NULL
#define SPEC_TRY(call)                                                                             \
    do {                                                                                           \
        const dp_status status_ = (call);                                                          \
        if (status_ != DP_OK) {                                                                    \
            if (out) {                                                                             \
                out->index = -1;                                                                   \
            }                                                                                      \
            return keep_first(spec, status_);                                                      \
        }                                                                                          \
    } while (0)

static dp_status keep_first(dp_spec *spec, dp_status status)
{
    if (spec->failed == DP_OK) {
        spec->failed = status;
        snprintf(spec->failure, sizeof spec->failure, "%s", dp_last_error());
    }
    return status;
}

dp_status dp_spec_error(const dp_spec *spec)
{
    return spec->failed == DP_OK ? DP_OK : dp_fail(spec->failed, "%s", spec->failure);
}

void dp_spec_clear_error(dp_spec *spec)
{
    spec->failed = DP_OK;
}

dp_status dp_spec_add_body(dp_body_id *out, dp_spec *spec, dp_body_id parent,
                           const dp_body_spec *body)
{
    SPEC_TRY(check_owner(spec, DP_ELEMENT_BODY, body->name, body->where, parent));
    SPEC_TRY(add_body(out, spec, parent.index, body));
    return DP_OK;
}

dp_status dp_spec_add_joint(dp_joint_id *out, dp_spec *spec, dp_body_id body,
                            const dp_joint_spec *joint)
{
    dp_joint_entry entry = {*joint, body.index};
    SPEC_TRY(check_owner(spec, DP_ELEMENT_JOINT, joint->name, joint->where, body));
    SPEC_TRY(prepare(spec, DP_ELEMENT_JOINT, &entry.spec.name, &entry.spec.where));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_JOINT, &entry);
}

dp_status dp_spec_add_geom(dp_geom_id *out, dp_spec *spec, dp_body_id body,
                           const dp_geom_spec *geom)
{
    dp_geom_entry entry = {*geom, body.index};
    SPEC_TRY(check_owner(spec, DP_ELEMENT_GEOM, geom->name, geom->where, body));
    SPEC_TRY(prepare(spec, DP_ELEMENT_GEOM, &entry.spec.name, &entry.spec.where));
    SPEC_TRY(dp_pool_text(&entry.spec.mesh, &spec->pool, entry.spec.mesh));
    SPEC_TRY(dp_pool_text(&entry.spec.hfield, &spec->pool, entry.spec.hfield));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_GEOM, &entry);
}

dp_status dp_spec_add_site(dp_site_id *out, dp_spec *spec, dp_body_id body,
                           const dp_site_spec *site)
{
    dp_site_entry entry = {*site, body.index};
    SPEC_TRY(check_owner(spec, DP_ELEMENT_SITE, site->name, site->where, body));
    SPEC_TRY(prepare(spec, DP_ELEMENT_SITE, &entry.spec.name, &entry.spec.where));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_SITE, &entry);
}

static bool is_missing(const char *name)
{
    return !name || !*name;
}

dp_status dp_spec_add_actuator(dp_actuator_id *out, dp_spec *spec, const dp_actuator_spec *actuator)
{
    dp_actuator_spec entry = *actuator;
    const char *target = entry.transmission == DP_TRANSMISSION_TENDON ? entry.tendon
                         : entry.transmission == DP_TRANSMISSION_SITE ? entry.site
                         : entry.transmission == DP_TRANSMISSION_BODY ? entry.body
                                                                      : entry.joint;
    if (is_missing(target)) {
        const char *kind_name = dp_transmission_name(entry.transmission);
        SPEC_TRY(dp_fail_at(DP_ERROR_ARGUMENT, entry.where,
                            "%s: the %s it drives is missing (expected the name of a %s)",
                            new_label(DP_ELEMENT_ACTUATOR, entry.name).text, kind_name, kind_name));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_ACTUATOR, &entry.name, &entry.where));
    SPEC_TRY(dp_pool_text(&entry.joint, &spec->pool, entry.joint));
    SPEC_TRY(dp_pool_text(&entry.tendon, &spec->pool, entry.tendon));
    SPEC_TRY(dp_pool_text(&entry.site, &spec->pool, entry.site));
    SPEC_TRY(dp_pool_text(&entry.body, &spec->pool, entry.body));
    SPEC_TRY(dp_pool_text(&entry.reference_site, &spec->pool, entry.reference_site));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_ACTUATOR, &entry);
}

dp_status dp_spec_add_sensor(dp_sensor_id *out, dp_spec *spec, const dp_sensor_spec *sensor)
{
    dp_sensor_spec entry = *sensor;
    if (dp_sensor_object_kind(entry.kind) != DP_OBJECT_NONE && is_missing(entry.object)) {
        SPEC_TRY(dp_fail_at(
            DP_ERROR_ARGUMENT, entry.where,
            "%s of kind %s: the object it is attached to is missing (expected a name)",
            new_label(DP_ELEMENT_SENSOR, entry.name).text, dp_sensor_kind_name(entry.kind)));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_SENSOR, &entry.name, &entry.where));
    SPEC_TRY(dp_pool_text(&entry.object, &spec->pool, entry.object));
    SPEC_TRY(dp_pool_text(&entry.reference, &spec->pool, entry.reference));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_SENSOR, &entry);
}

// A copy of `count` elements of `size` bytes that the spec owns. An array without any is none.
// `out` is the address of a pointer.
static dp_status copy_array(void *out, dp_spec *spec, const void *from, size_t count, size_t size)
{
    void *copy = NULL;
    if (from && count > 0) {
        DP_TRY(dp_pool_take(&copy, &spec->pool, count, size));
        memcpy(copy, from, count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return DP_OK;
}

static size_t count_of(int n)
{
    return n > 0 ? (size_t)n : 0;
}

static dp_status copy_numbers(const double **array, int count, dp_spec *spec)
{
    return copy_array(array, spec, *array, count_of(count), sizeof **array);
}

static dp_status missing_name(dp_element_kind kind, dp_location where)
{
    return dp_fail_at(DP_ERROR_ARGUMENT, where,
                      "%s: its name is missing (expected one, for geoms to refer to)",
                      new_label(kind, NULL).text);
}

dp_status dp_spec_add_mesh(dp_mesh_id *out, dp_spec *spec, const dp_mesh_spec *mesh)
{
    dp_mesh_spec entry = *mesh;
    if (is_missing(entry.name)) {
        SPEC_TRY(missing_name(DP_ELEMENT_MESH, entry.where));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_MESH, &entry.name, &entry.where));
    SPEC_TRY(copy_array(&entry.vertex, spec, mesh->vertex, 3 * count_of(mesh->nvertex),
                        sizeof *mesh->vertex));
    SPEC_TRY(
        copy_array(&entry.face, spec, mesh->face, 3 * count_of(mesh->nface), sizeof *mesh->face));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_MESH, &entry);
}

dp_status dp_spec_add_hfield(dp_hfield_id *out, dp_spec *spec, const dp_hfield_spec *hfield)
{
    dp_hfield_spec entry = *hfield;
    if (is_missing(entry.name)) {
        SPEC_TRY(missing_name(DP_ELEMENT_HFIELD, entry.where));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_HFIELD, &entry.name, &entry.where));
    SPEC_TRY(copy_array(&entry.elevation, spec, hfield->elevation,
                        count_of(hfield->nrow) * count_of(hfield->ncol),
                        sizeof *hfield->elevation));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_HFIELD, &entry);
}

// Pairs, excludes: two names that must be there.
static dp_status copy_two(const char *name[2], dp_spec *spec)
{
    DP_TRY(dp_pool_text(&name[0], &spec->pool, name[0]));
    return dp_pool_text(&name[1], &spec->pool, name[1]);
}

static dp_status missing_one_of_two(dp_element_kind kind, const char *name, dp_location where,
                                    const char *wanted)
{
    return dp_fail_at(
        DP_ERROR_ARGUMENT, where, "%s: a %s is missing (expected the names of two %s)",
        new_label(kind, name).text, wanted, kind == DP_ELEMENT_PAIR ? "geoms" : "bodies");
}

dp_status dp_spec_add_pair(dp_pair_id *out, dp_spec *spec, const dp_pair_spec *pair)
{
    dp_pair_spec entry = *pair;
    if (is_missing(entry.geom[0]) || is_missing(entry.geom[1])) {
        SPEC_TRY(missing_one_of_two(DP_ELEMENT_PAIR, entry.name, entry.where, "geom"));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_PAIR, &entry.name, &entry.where));
    SPEC_TRY(copy_two(entry.geom, spec));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_PAIR, &entry);
}

dp_status dp_spec_add_exclude(dp_exclude_id *out, dp_spec *spec, const dp_exclude_spec *exclude)
{
    dp_exclude_spec entry = *exclude;
    if (is_missing(entry.body[0]) || is_missing(entry.body[1])) {
        SPEC_TRY(missing_one_of_two(DP_ELEMENT_EXCLUDE, entry.name, entry.where, "body"));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_EXCLUDE, &entry.name, &entry.where));
    SPEC_TRY(copy_two(entry.body, spec));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_EXCLUDE, &entry);
}

dp_status dp_spec_add_tendon(dp_tendon_id *out, dp_spec *spec, const dp_tendon_spec *tendon)
{
    dp_tendon_spec entry = *tendon;
    SPEC_TRY(prepare(spec, DP_ELEMENT_TENDON, &entry.name, &entry.where));
    dp_wrap_spec *wrap;
    SPEC_TRY(copy_array(&wrap, spec, tendon->wrap, count_of(tendon->nwrap), sizeof *wrap));
    for (int i = 0; wrap && i < tendon->nwrap; ++i) {
        SPEC_TRY(dp_pool_text(&wrap[i].object, &spec->pool, wrap[i].object));
        SPEC_TRY(dp_pool_text(&wrap[i].side, &spec->pool, wrap[i].side));
    }
    entry.wrap = wrap;
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_TENDON, &entry);
}

dp_status dp_spec_add_equality(dp_equality_id *out, dp_spec *spec, const dp_equality_spec *equality)
{
    dp_equality_spec entry = *equality;
    if (is_missing(entry.object[0])) {
        SPEC_TRY(dp_fail_at(DP_ERROR_ARGUMENT, entry.where,
                            "%s of kind %s: what it holds is missing (expected a name)",
                            new_label(DP_ELEMENT_EQUALITY, entry.name).text,
                            dp_equality_kind_name(entry.kind)));
    }
    SPEC_TRY(prepare(spec, DP_ELEMENT_EQUALITY, &entry.name, &entry.where));
    SPEC_TRY(copy_two(entry.object, spec));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_EQUALITY, &entry);
}

dp_status dp_spec_add_key(dp_key_id *out, dp_spec *spec, const dp_key_spec *key)
{
    dp_key_spec entry = *key;
    SPEC_TRY(prepare(spec, DP_ELEMENT_KEY, &entry.name, &entry.where));
    SPEC_TRY(copy_numbers(&entry.q, entry.nq, spec));
    SPEC_TRY(copy_numbers(&entry.v, entry.nv, spec));
    SPEC_TRY(copy_numbers(&entry.activation, entry.na, spec));
    SPEC_TRY(copy_numbers(&entry.control, entry.nu, spec));
    SPEC_TRY(copy_numbers(&entry.mocap_position, entry.nmocap_position, spec));
    SPEC_TRY(copy_numbers(&entry.mocap_quaternion, entry.nmocap_quaternion, spec));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_KEY, &entry);
}

// Forces, motions: three expressions, of which any may be missing.
static dp_status copy_three(const char *text[3], dp_spec *spec)
{
    for (int k = 0; k < 3; ++k) {
        DP_TRY(dp_pool_text(&text[k], &spec->pool, text[k]));
    }
    return DP_OK;
}

// Exactly one of the targets must be there.
static dp_status check_targets(dp_element_kind kind, const char *name, dp_location where, int given,
                               const char *expected)
{
    if (given == 1) {
        return DP_OK;
    }
    return dp_fail_at(
        DP_ERROR_ARGUMENT, where, "%s: %s (expected the name of %s)", new_label(kind, name).text,
        given == 0 ? "what it acts on is missing" : "it acts on several things", expected);
}

dp_status dp_spec_add_force(dp_force_id *out, dp_spec *spec, const dp_force_spec *force)
{
    dp_force_spec entry = *force;
    const int given = !is_missing(entry.site) + !is_missing(entry.body) + !is_missing(entry.joint);
    SPEC_TRY(
        check_targets(DP_ELEMENT_FORCE, entry.name, entry.where, given, "one body, site or joint"));
    SPEC_TRY(prepare(spec, DP_ELEMENT_FORCE, &entry.name, &entry.where));
    SPEC_TRY(dp_pool_text(&entry.site, &spec->pool, entry.site));
    SPEC_TRY(dp_pool_text(&entry.body, &spec->pool, entry.body));
    SPEC_TRY(dp_pool_text(&entry.joint, &spec->pool, entry.joint));
    SPEC_TRY(copy_three(entry.force, spec));
    SPEC_TRY(copy_three(entry.torque, spec));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_FORCE, &entry);
}

dp_status dp_spec_add_motion(dp_motion_id *out, dp_spec *spec, const dp_motion_spec *motion)
{
    dp_motion_spec entry = *motion;
    const int given = !is_missing(entry.joint) + !is_missing(entry.body);
    SPEC_TRY(check_targets(DP_ELEMENT_MOTION, entry.name, entry.where, given,
                           "one joint or mocap body"));
    SPEC_TRY(prepare(spec, DP_ELEMENT_MOTION, &entry.name, &entry.where));
    SPEC_TRY(dp_pool_text(&entry.joint, &spec->pool, entry.joint));
    SPEC_TRY(dp_pool_text(&entry.body, &spec->pool, entry.body));
    SPEC_TRY(copy_three(entry.position, spec));
    SPEC_TRY(copy_three(entry.rotation, spec));
    return append(out ? &out->index : NULL, spec, DP_ELEMENT_MOTION, &entry);
}
