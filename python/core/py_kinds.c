// Elements of a model by name or number: one row for each kind.
#include "py_fields.h"

#include <string.h>

typedef struct kind {
    const char *name;
    size_t count; ///< where dp_model_size counts them
    dp_status (*find)(int *out, const dp_model *m, const char *name);
    void (*info)(void *out, const dp_model *m, int index); ///< its struct begins with the name
} kind;

// Ids are distinct types in C: these give all kinds one form.
#define DPY_KIND_FUNCTIONS(element)                                                                \
    static dp_status find_##element(int *out, const dp_model *m, const char *name)                 \
    {                                                                                              \
        dp_##element##_id id = {-1};                                                               \
        const dp_status status = dp_model_find_##element(&id, m, name);                            \
        *out = id.index;                                                                           \
        return status;                                                                             \
    }
#define DPY_INFO_FUNCTION(element)                                                                 \
    static void info_##element(void *out, const dp_model *m, int index)                            \
    {                                                                                              \
        const dp_##element##_info info = dp_model_##element(m, (dp_##element##_id){index});        \
        memcpy(out, &info, sizeof info);                                                           \
    }
DPY_KIND_FUNCTIONS(body)
DPY_KIND_FUNCTIONS(joint)
DPY_KIND_FUNCTIONS(geom)
DPY_KIND_FUNCTIONS(site)
DPY_KIND_FUNCTIONS(actuator)
DPY_KIND_FUNCTIONS(sensor)
DPY_KIND_FUNCTIONS(mesh)
DPY_KIND_FUNCTIONS(hfield)
DPY_KIND_FUNCTIONS(pair)
DPY_KIND_FUNCTIONS(exclude)
DPY_KIND_FUNCTIONS(tendon)
DPY_KIND_FUNCTIONS(equality)
DPY_KIND_FUNCTIONS(force)
DPY_KIND_FUNCTIONS(motion)
DPY_KIND_FUNCTIONS(key)
DPY_INFO_FUNCTION(body)
DPY_INFO_FUNCTION(joint)
DPY_INFO_FUNCTION(geom)
DPY_INFO_FUNCTION(site)
DPY_INFO_FUNCTION(actuator)
DPY_INFO_FUNCTION(sensor)
DPY_INFO_FUNCTION(mesh)
DPY_INFO_FUNCTION(hfield)
DPY_INFO_FUNCTION(pair)
DPY_INFO_FUNCTION(exclude)
DPY_INFO_FUNCTION(tendon)
DPY_INFO_FUNCTION(equality)
DPY_INFO_FUNCTION(force)
DPY_INFO_FUNCTION(motion)

static void info_key(void *out, const dp_model *m, int index)
{
    const char *name = dp_model_key_name(m, (dp_key_id){index});
    memcpy(out, &name, sizeof name);
}

#define DPY_KIND(element)                                                                          \
    {                                                                                              \
#element, offsetof(dp_model_size, n##element), find_##element, info_##element              \
    }
static const kind kinds[DPY_ELEMENTS] = {
    [DPY_BODY] = DPY_KIND(body),         [DPY_JOINT] = DPY_KIND(joint),
    [DPY_GEOM] = DPY_KIND(geom),         [DPY_SITE] = DPY_KIND(site),
    [DPY_ACTUATOR] = DPY_KIND(actuator), [DPY_SENSOR] = DPY_KIND(sensor),
    [DPY_MESH] = DPY_KIND(mesh),         [DPY_HFIELD] = DPY_KIND(hfield),
    [DPY_PAIR] = DPY_KIND(pair),         [DPY_EXCLUDE] = DPY_KIND(exclude),
    [DPY_TENDON] = DPY_KIND(tendon),     [DPY_EQUALITY] = DPY_KIND(equality),
    [DPY_FORCE] = DPY_KIND(force),       [DPY_MOTION] = DPY_KIND(motion),
    [DPY_KEY] = DPY_KIND(key),
};

// Room for what is known of an element of any kind.
typedef union any_info {
    const char *name; // the first member of each
    dp_body_info body;
    dp_joint_info joint;
    dp_geom_info geom;
    dp_equality_info equality;
    dp_mesh_info mesh;
    dp_tendon_info tendon;
    dp_pair_info pair;
    dp_force_info force;
    dp_motion_info motion;
    dp_actuator_info actuator;
    dp_site_info site;
    dp_hfield_info hfield;
    dp_sensor_info sensor;
    dp_exclude_info exclude;
} any_info;

const char *dpy_element_name(dpy_element element)
{
    return kinds[element].name;
}

int dpy_element_count(const dp_model *m, dpy_element element)
{
    int count = 0;
    memcpy(&count, (const char *)dp_model_sizes(m) + kinds[element].count, sizeof count);
    return count;
}

const char *dpy_element_text(const dp_model *m, dpy_element element, int index)
{
    any_info info = {0};
    kinds[element].info(&info, m, index);
    return info.name;
}

bool dpy_element_find(int *out, const dp_model *m, dpy_element element, PyObject *object)
{
    const kind *k = &kinds[element];
    if (PyUnicode_Check(object)) {
        const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
        const dp_status status = name ? k->find(out, m, name) : DP_OK;
        if (status != DP_OK) {
            dpy_fail(status);
        }
        return name && status == DP_OK;
    }
    const Py_ssize_t index = PyNumber_AsSsize_t(object, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        PyObject *type = PyType_GetQualName(Py_TYPE(object));
        PyErr_Format(PyExc_TypeError, "%s: expected a name or a number, got %U", k->name, type);
        Py_XDECREF(type);
        return false;
    }
    const int count = dpy_element_count(m, element);
    if (index < 0 || index >= count) {
        dpy_argument("%s %zd does not exist (expected 0 to %d)", k->name, index, count - 1);
        return false;
    }
    *out = (int)index;
    return true;
}

PyObject *dpy_element_info(PyObject *model, dpy_element element, int index)
{
    if (!dpy_info_struct[element]) {
        return dpy_argument("nothing is known of a %s but its name", kinds[element].name);
    }
    any_info info = {0};
    kinds[element].info(&info, dpy_model(model), index);
    return dpy_record(dpy_info_struct[element], &info, model);
}
