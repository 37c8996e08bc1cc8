// What is in the file and not in the spec, so that what refers to it can follow.
#include "io/mjcf/mjcf.h"

#include "model/spec/spec.h"

#include <string.h>

static unsigned bucket_of(const char *name)
{
    unsigned hash = 2166136261u; // FNV-1a
    for (; *name; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash % DP_MJCF_BUCKETS;
}

dp_status dp_mjcf_leave_out(dp_mjcf *m, dp_object_kind kind, const dp_xml_node *node,
                            const char *feature)
{
    return dp_mjcf_leave_out_name(m, kind, dp_xml_value(node, "name", ""), feature);
}

dp_status dp_mjcf_leave_out_name(dp_mjcf *m, dp_object_kind kind, const char *name,
                                 const char *feature)
{
    if (!name || name[0] == '\0') {
        return DP_OK; // nothing can refer to it
    }
    dp_mjcf_absent *absent, **bucket = &m->absent_bucket[bucket_of(name)];
    DP_TRY(dp_pool_take(&absent, &m->pool, 1, sizeof *absent));
    *absent = (dp_mjcf_absent){kind, name, feature, *bucket};
    *bucket = absent;
    return DP_OK;
}

static bool is_in_spec(const dp_mjcf *m, dp_object_kind kind, const char *name)
{
    static const dp_element_kind element[] = {
        [DP_OBJECT_NONE] = DP_ELEMENT_KINDS,        [DP_OBJECT_BODY] = DP_ELEMENT_BODY,
        [DP_OBJECT_INERTIAL] = DP_ELEMENT_BODY,     [DP_OBJECT_JOINT] = DP_ELEMENT_JOINT,
        [DP_OBJECT_GEOM] = DP_ELEMENT_GEOM,         [DP_OBJECT_SITE] = DP_ELEMENT_SITE,
        [DP_OBJECT_ACTUATOR] = DP_ELEMENT_ACTUATOR, [DP_OBJECT_TENDON] = DP_ELEMENT_TENDON,
        [DP_OBJECT_SUBTREE] = DP_ELEMENT_BODY,
    };
    const dp_element_kind wanted = element[kind];
    return wanted == DP_ELEMENT_KINDS ||
           dp_name_find(&m->spec->list[wanted].index, dp_spec_names(m->spec, wanted), name) >= 0;
}

const char *dp_mjcf_left_out(const dp_mjcf *m, dp_object_kind kind, const char *name)
{
    if (!name) {
        return NULL;
    }
    for (const dp_mjcf_absent *a = m->absent_bucket[bucket_of(name)]; a; a = a->next) {
        if (a->kind == kind && strcmp(a->name, name) == 0) {
            return a->feature;
        }
    }
    return m->lost_feature && !is_in_spec(m, kind, name) ? m->lost_feature : NULL;
}
