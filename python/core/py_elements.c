// One element of a Data by name: data.body("hand").position. To add a property: a function, and a
// row in the list of its kind.
#include "py_fields.h"

typedef struct element {
    PyObject *data;
    int index;
} element;

static PyTypeObject *types[DPY_ELEMENTS];

static PyObject *make(PyObject *self, dpy_element kind, PyObject *which)
{
    int index = -1;
    dpy_data *s = dpy_data_state(self);
    if (!dpy_element_find(&index, dpy_model(s->model), kind, which)) {
        return NULL;
    }
    PyObject *out = dpy_new(types[kind]);
    if (out) {
        *(element *)dpy_state(out) = (element){Py_NewRef(self), index};
    }
    return out;
}

static void element_dealloc(PyObject *self)
{
    Py_XDECREF(((element *)dpy_state(self))->data);
    dpy_free(self);
}

static int index_of(PyObject *self)
{
    return ((element *)dpy_state(self))->index;
}

static dp_data *data_of(PyObject *self)
{
    return dpy_data_use(((element *)dpy_state(self))->data);
}

static const dp_model *model_of(PyObject *self)
{
    return dp_data_model(dpy_data_state(((element *)dpy_state(self))->data)->d);
}

static PyObject *get_index(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(index_of(self));
}

static PyObject *get_name(PyObject *self, void *closure)
{
    return PyUnicode_FromString(
        dpy_element_text(model_of(self), (dpy_element)dpy_place(closure), index_of(self)));
}

static PyObject *get_info(PyObject *self, void *closure)
{
    element *e = dpy_state(self);
    return dpy_element_info(dpy_data_state(e->data)->model, (dpy_element)dpy_place(closure),
                            e->index);
}

// A piece of one of the arrays of the Data: a view, so that it is live.
static PyObject *slice(PyObject *self, const char *array, int start, int count)
{
    PyObject *whole = PyObject_GetAttrString(((element *)dpy_state(self))->data, array);
    PyObject *out = whole ? PySequence_GetSlice(whole, start, start + count) : NULL;
    Py_XDECREF(whole);
    return out;
}

static PyObject *item(PyObject *self, const char *array, int index)
{
    PyObject *whole = PyObject_GetAttrString(((element *)dpy_state(self))->data, array);
    PyObject *out = whole ? PySequence_GetItem(whole, index) : NULL;
    Py_XDECREF(whole);
    return out;
}

// element.q = value: into the view, or into one number of an array.
static int assign(PyObject *view, PyObject *value)
{
    int status = -1;
    if (view && value) {
        status = PyObject_SetItem(view, Py_Ellipsis, value);
    } else if (view) {
        PyErr_SetString(PyExc_AttributeError, "it cannot be deleted");
    }
    Py_XDECREF(view);
    return status;
}

static int set_item(PyObject *self, const char *array, int index, PyObject *value)
{
    PyObject *whole = PyObject_GetAttrString(((element *)dpy_state(self))->data, array);
    int status = -1;
    if (whole && value) {
        status = PySequence_SetItem(whole, index, value);
    } else if (whole) {
        PyErr_SetString(PyExc_AttributeError, "it cannot be deleted");
    }
    Py_XDECREF(whole);
    return status;
}

// Poses, of bodies, geoms, sites and inertial frames

static dp_pose pose_of_body(const dp_data *d, int index)
{
    return dp_body_pose(d, (dp_body_id){index});
}
static dp_pose pose_of_inertia(const dp_data *d, int index)
{
    return dp_inertial_pose(d, (dp_body_id){index});
}
static dp_pose pose_of_geom(const dp_data *d, int index)
{
    return dp_geom_pose(d, (dp_geom_id){index});
}
static dp_pose pose_of_site(const dp_data *d, int index)
{
    return dp_site_pose(d, (dp_site_id){index});
}

typedef struct posed {
    dp_pose (*pose)(const dp_data *d, int index);
} posed;
static const posed body_frame = {pose_of_body}, inertial_frame = {pose_of_inertia},
                   geom_frame = {pose_of_geom}, site_frame = {pose_of_site};

static PyObject *get_position(PyObject *self, void *closure)
{
    const dp_data *d = data_of(self);
    return d ? dpy_v3(((const posed *)closure)->pose(d, index_of(self)).p) : NULL;
}

static PyObject *get_quaternion(PyObject *self, void *closure)
{
    const dp_data *d = data_of(self);
    return d ? dpy_quat(((const posed *)closure)->pose(d, index_of(self)).q) : NULL;
}

static PyObject *get_rotation(PyObject *self, void *closure)
{
    const dp_data *d = data_of(self);
    double *R = NULL;
    PyObject *out = d ? dpy_array(&R, dpy_shape2(3, 3)) : NULL;
    if (out) {
        const dp_quat q = ((const posed *)closure)->pose(d, index_of(self)).q;
        const double w = q.w, x = q.x, y = q.y, z = q.z;
        const double rows[9] = {
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y),
        };
        for (int i = 0; i < 9; ++i) {
            R[i] = rows[i];
        }
    }
    return out;
}

// Bodies

static PyObject *body_velocity(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? dpy_v3(dp_body_velocity(d, (dp_body_id){index_of(self)}).v) : NULL;
}

static PyObject *body_angular_velocity(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? dpy_v3(dp_body_velocity(d, (dp_body_id){index_of(self)}).w) : NULL;
}

static PyObject *body_acceleration(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? dpy_twist(dp_body_acceleration(d, (dp_body_id){index_of(self)})) : NULL;
}

static PyObject *body_reaction(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    if (!d) {
        return NULL;
    }
    const dp_wrench w = dp_body_reaction(d, (dp_body_id){index_of(self)});
    return dpy_twist((dp_twist){w.t, w.f});
}

static PyObject *body_contact_wrench(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    if (!d) {
        return NULL;
    }
    const dp_body_id body = {index_of(self)};
    const dp_wrench w = dp_contact_on_body(d, body, dp_inertial_pose(d, body).p);
    return dpy_twist((dp_twist){w.t, w.f});
}

static PyObject *body_wrench(PyObject *self, void *closure)
{
    (void)closure;
    return item(self, "wrench", index_of(self));
}

static int body_set_wrench(PyObject *self, PyObject *value, void *closure)
{
    return assign(body_wrench(self, closure), value);
}

static PyObject *body_asleep(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? PyBool_FromLong(dp_body_is_asleep(d, (dp_body_id){index_of(self)})) : NULL;
}

static PyObject *body_wake(PyObject *self, PyObject *unused)
{
    (void)unused;
    dp_data *d = data_of(self);
    if (!d) {
        return NULL;
    }
    dp_body_wake(d, (dp_body_id){index_of(self)});
    return Py_NewRef(Py_None);
}

// Joints

static dp_joint_info joint_info(PyObject *self)
{
    return dp_model_joint(model_of(self), (dp_joint_id){index_of(self)});
}

static PyObject *joint_q(PyObject *self, void *closure)
{
    (void)closure;
    const dp_joint_info joint = joint_info(self);
    return joint.nq == 1 ? item(self, "q", joint.q_index)
                         : slice(self, "q", joint.q_index, joint.nq);
}

static int joint_set_q(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    const dp_joint_info joint = joint_info(self);
    return joint.nq == 1 ? set_item(self, "q", joint.q_index, value)
                         : assign(slice(self, "q", joint.q_index, joint.nq), value);
}

// The arrays over velocities: v, force, acceleration, passive, actuation.
static PyObject *joint_part(PyObject *self, void *closure)
{
    const dp_joint_info joint = joint_info(self);
    return joint.nv == 1 ? item(self, closure, joint.v_index)
                         : slice(self, closure, joint.v_index, joint.nv);
}

static int joint_set_part(PyObject *self, PyObject *value, void *closure)
{
    const dp_joint_info joint = joint_info(self);
    return joint.nv == 1 ? set_item(self, closure, joint.v_index, value)
                         : assign(slice(self, closure, joint.v_index, joint.nv), value);
}

static PyObject *joint_anchor(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? dpy_v3(dp_joint_anchor(d, (dp_joint_id){index_of(self)})) : NULL;
}

static PyObject *joint_axis(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? dpy_v3(dp_joint_axis(d, (dp_joint_id){index_of(self)})) : NULL;
}

// Actuators, sensors, tendons, foundations

static PyObject *actuator_part(PyObject *self, void *closure)
{
    return item(self, closure, index_of(self));
}

static int actuator_set_part(PyObject *self, PyObject *value, void *closure)
{
    return set_item(self, closure, index_of(self), value);
}

static PyObject *sensor_value(PyObject *self, void *closure)
{
    (void)closure;
    const dp_sensor_info sensor = dp_model_sensor(model_of(self), (dp_sensor_id){index_of(self)});
    return sensor.ndata == 1 ? item(self, "sensors", sensor.data_index)
                             : slice(self, "sensors", sensor.data_index, sensor.ndata);
}

static PyObject *tendon_length(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? PyFloat_FromDouble(dp_tendon_length(d, (dp_tendon_id){index_of(self)})) : NULL;
}

static PyObject *tendon_velocity(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? PyFloat_FromDouble(dp_tendon_velocity(d, (dp_tendon_id){index_of(self)})) : NULL;
}

static PyObject *tendon_tension(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    return d ? PyFloat_FromDouble(dp_tendon_tension(d, (dp_tendon_id){index_of(self)})) : NULL;
}

static PyObject *geom_foundation(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    if (!d) {
        return NULL;
    }
    const dp_foundation_load load = dp_foundation_sum(d, (dp_geom_id){index_of(self)});
    return dpy_record(&dpy_foundation_load_struct, &load, NULL);
}

static PyObject *geom_pressure(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = data_of(self);
    if (!d) {
        return NULL;
    }
    int nx = 0, ny = 0;
    const double *pressure = dp_foundation_pressure(d, (dp_geom_id){index_of(self)}, &nx, &ny);
    double *values = NULL;
    PyObject *out = dpy_array(&values, dpy_shape2(ny, nx));
    for (int i = 0; out && pressure && i < nx * ny; ++i) {
        values[i] = pressure[i];
    }
    return out;
}

#define DPY_COMMON(kind, type)                                                                     \
    {"index", get_index, NULL, "int: its number", NULL},                                           \
        {"name", get_name, NULL, "str: '' where it has none", DPY_PLACE(kind)},                    \
    {                                                                                              \
        "info", get_info, NULL, type ": what the model knows of it", DPY_PLACE(kind)               \
    }
#define DPY_POSE(frame, what)                                                                      \
    {"position", get_position, NULL, "ndarray: (3,) " what " [m], world", (void *)&frame},         \
        {"quaternion", get_quaternion, NULL, "ndarray: (4,) w x y z of " what, (void *)&frame},    \
    {                                                                                              \
        "rotation", get_rotation, NULL, "ndarray: (3, 3) axes of " what " in world",               \
            (void *)&frame                                                                         \
    }
#define DPY_END                                                                                    \
    {                                                                                              \
        NULL, NULL, NULL, NULL, NULL                                                               \
    }

static PyGetSetDef body_getset[] = {
    DPY_COMMON(DPY_BODY, "BodyInfo"),
    DPY_POSE(body_frame, "the body frame"),
    {"com", get_position, NULL, "ndarray: (3,) centre of mass [m], world", (void *)&inertial_frame},
    {"inertial_quaternion", get_quaternion, NULL, "ndarray: (4,) of its principal axes",
     (void *)&inertial_frame},
    {"velocity", body_velocity, NULL, "ndarray: (3,) of its origin [m/s], world", NULL},
    {"angular_velocity", body_angular_velocity, NULL, "ndarray: (3,) [rad/s], world", NULL},
    {"acceleration", body_acceleration, NULL,
     "ndarray: (6,) angular, then of the origin, gravity not subtracted, as of forward()", NULL},
    {"reaction", body_reaction, NULL,
     "ndarray: (6,) wrench of the parent on it about its origin, as of forward()", NULL},
    {"contact_wrench", body_contact_wrench, NULL,
     "ndarray: (6,) wrench of all its contacts about its centre of mass", NULL},
    {"wrench", body_wrench, body_set_wrench,
     "ndarray (settable): (6,) external wrench about its centre of mass: moment, force; live",
     NULL},
    {"asleep", body_asleep, NULL, "bool: is it left out of steps until something disturbs it?",
     NULL},
    DPY_END,
};
static PyGetSetDef joint_getset[] = {
    DPY_COMMON(DPY_JOINT, "JointInfo"),
    {"q", joint_q, joint_set_q, "Any (settable): a number, or a live array of ball and free joints",
     NULL},
    {"v", joint_part, joint_set_part, "Any (settable): its velocity, likewise", "v"},
    {"force", joint_part, joint_set_part, "Any (settable): generalised force of the user", "force"},
    {"acceleration", joint_part, NULL, "Any: as of forward()", "acceleration"},
    {"passive", joint_part, NULL, "Any: springs and dampers", "passive"},
    {"actuation", joint_part, NULL, "Any: of all actuators", "actuation"},
    {"anchor", joint_anchor, NULL, "ndarray: (3,) [m], world", NULL},
    {"axis", joint_axis, NULL, "ndarray: (3,) world; zero for ball and free joints", NULL},
    DPY_END,
};
static PyGetSetDef geom_getset[] = {
    DPY_COMMON(DPY_GEOM, "GeomInfo"),
    DPY_POSE(geom_frame, "the geom"),
    {"foundation", geom_foundation, NULL, "FoundationLoad: of its elastic foundation", NULL},
    {"pressure", geom_pressure, NULL, "ndarray: (ny, nx) [Pa] of its elastic foundation", NULL},
    DPY_END,
};
static PyGetSetDef site_getset[] = {
    DPY_COMMON(DPY_SITE, "SiteInfo"),
    DPY_POSE(site_frame, "the site"),
    DPY_END,
};
static PyGetSetDef actuator_getset[] = {
    DPY_COMMON(DPY_ACTUATOR, "ActuatorInfo"),
    {"control", actuator_part, actuator_set_part, "float (settable): its control", "control"},
    {"force", actuator_part, NULL, "float: as of forward()", "actuator_force"},
    DPY_END,
};
static PyGetSetDef sensor_getset[] = {
    DPY_COMMON(DPY_SENSOR, "SensorInfo"),
    {"value", sensor_value, NULL, "Any: a number or a live array, as of sense()", NULL},
    DPY_END,
};
static PyGetSetDef tendon_getset[] = {
    DPY_COMMON(DPY_TENDON, "TendonInfo"),
    {"length", tendon_length, NULL, "float: [m], as of forward()", NULL},
    {"velocity", tendon_velocity, NULL, "float: [m/s]", NULL},
    {"tension", tendon_tension, NULL, "float: [N] > 0 pulls its ends together", NULL},
    DPY_END,
};
static PyMethodDef body_methods[] = {
    {"wake", body_wake, METH_NOARGS,
     "wake($self, /)\n--\n\n-> None\nWake it and all that fell "
     "asleep with it."},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef no_methods[] = {{NULL, NULL, 0, NULL}};

static PyObject *element_repr(PyObject *self)
{
    PyObject *name = PyObject_GetAttrString(self, "name");
    PyObject *type = PyType_GetName(Py_TYPE(self));
    PyObject *out =
        name && type ? PyUnicode_FromFormat("<%U %d %R>", type, index_of(self), name) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(type);
    return out;
}

static const struct {
    dpy_element kind;
    const char *name, *doc;
    PyGetSetDef *getset;
    PyMethodDef *methods;
} kinds[] = {
    {DPY_BODY, "dashpot._core.Body", "A body of a simulation.", body_getset, body_methods},
    {DPY_JOINT, "dashpot._core.Joint", "A joint of a simulation.", joint_getset, no_methods},
    {DPY_GEOM, "dashpot._core.Geom", "A geom of a simulation.", geom_getset, no_methods},
    {DPY_SITE, "dashpot._core.Site", "A site of a simulation.", site_getset, no_methods},
    {DPY_ACTUATOR, "dashpot._core.Actuator", "An actuator of a simulation.", actuator_getset,
     no_methods},
    {DPY_SENSOR, "dashpot._core.Sensor", "A sensor of a simulation.", sensor_getset, no_methods},
    {DPY_TENDON, "dashpot._core.Tendon", "A tendon of a simulation.", tendon_getset, no_methods},
};

bool dpy_elements_init(PyObject *module)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        PyType_Slot slots[] = {
            {Py_tp_dealloc, element_dealloc},  {Py_tp_repr, element_repr},
            {Py_tp_getset, kinds[i].getset},   {Py_tp_methods, kinds[i].methods},
            {Py_tp_doc, (void *)kinds[i].doc}, {0, NULL},
        };
        PyType_Spec spec = {
            .name = kinds[i].name,
            .basicsize = DPY_HEAD + sizeof(element),
            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
            .slots = slots,
        };
        types[kinds[i].kind] = dpy_add_type(module, &spec);
        if (!types[kinds[i].kind]) {
            return false;
        }
    }
    return true;
}

static PyObject *data_body(PyObject *self, PyObject *which)
{
    return make(self, DPY_BODY, which);
}
static PyObject *data_joint(PyObject *self, PyObject *which)
{
    return make(self, DPY_JOINT, which);
}
static PyObject *data_geom(PyObject *self, PyObject *which)
{
    return make(self, DPY_GEOM, which);
}
static PyObject *data_site(PyObject *self, PyObject *which)
{
    return make(self, DPY_SITE, which);
}
static PyObject *data_actuator(PyObject *self, PyObject *which)
{
    return make(self, DPY_ACTUATOR, which);
}
static PyObject *data_sensor(PyObject *self, PyObject *which)
{
    return make(self, DPY_SENSOR, which);
}
static PyObject *data_tendon(PyObject *self, PyObject *which)
{
    return make(self, DPY_TENDON, which);
}

#define DPY_BY_NAME(kind, type)                                                                    \
    {                                                                                              \
#kind, data_##kind, METH_O,                                                                \
            #kind "($self, which: str | int, /)\n--\n\n-> " type "\nBy name or number."            \
    }
PyMethodDef dpy_element_methods[] = {
    DPY_BY_NAME(body, "Body"),         DPY_BY_NAME(joint, "Joint"),
    DPY_BY_NAME(geom, "Geom"),         DPY_BY_NAME(site, "Site"),
    DPY_BY_NAME(actuator, "Actuator"), DPY_BY_NAME(sensor, "Sensor"),
    DPY_BY_NAME(tendon, "Tendon"),     {NULL, NULL, 0, NULL},
};
