// Shapes by themselves: distances, contacts and rays without a model.
#include "py_fields.h"

#include <dashpot/advanced/collide.h>

#include <math.h>
#include <string.h>

typedef struct shape {
    dp_shape s;
    dp_hull *hull;
} shape;

static PyTypeObject *shape_type;

static void shape_dealloc(PyObject *self)
{
    dp_hull_destroy(((shape *)dpy_state(self))->hull);
    dpy_free(self);
}

static bool read_kind(dp_geom_kind *out, const char *name)
{
    for (int i = DP_GEOM_PLANE; i <= DP_GEOM_MESH; ++i) {
        if (strcmp(name, dp_geom_kind_name((dp_geom_kind)i)) == 0) {
            *out = (dp_geom_kind)i;
            return true;
        }
    }
    dpy_argument(
        "there is no shape '%s' (expected plane, sphere, capsule, cylinder, ellipsoid, box "
        "or mesh)",
        name);
    return false;
}

static bool read_size(shape *s, PyObject *size)
{
    dpy_numbers n;
    if (!dpy_numbers_read(&n, size, "size", dpy_shape1(DPY_ANY))) {
        return false;
    }
    const bool fits = n.count <= 3;
    for (Py_ssize_t i = 0; fits && i < n.count; ++i) {
        s->s.size[i] = n.value[i];
    }
    if (!fits) {
        dpy_argument("size: expected up to 3 numbers, got %zd", n.count);
    }
    dpy_numbers_free(&n);
    return fits;
}

static bool read_vertices(shape *s, PyObject *vertices)
{
    dpy_numbers n;
    if (!dpy_numbers_read(&n, vertices, "vertices", dpy_shape2(DPY_ANY, 3))) {
        return false;
    }
    const dp_status status = dp_hull_create(&s->hull, n.value, (int)n.rows, NULL);
    dpy_numbers_free(&n);
    s->s.hull = s->hull;
    if (status != DP_OK) {
        dpy_fail(status);
    }
    return status == DP_OK;
}

static PyObject *shape_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *kind = NULL;
    PyObject *size = Py_None, *vertices = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|OO:Shape",
                                     (char *[]){"kind", "size", "vertices", NULL}, &kind, &size,
                                     &vertices)) {
        return NULL;
    }
    PyObject *self = dpy_new(type);
    shape *s = self ? dpy_state(self) : NULL;
    if (s && (!read_kind(&s->s.kind, kind) || (size != Py_None && !read_size(s, size)) ||
              (vertices != Py_None && !read_vertices(s, vertices)))) {
        dpy_replace(&self, NULL);
    } else if (s && s->s.kind == DP_GEOM_MESH && !s->hull) {
        dpy_replace(&self, NULL);
        dpy_argument("a mesh needs vertices");
    }
    return self;
}

// Two shapes and where they are.
typedef struct two {
    PyObject *shape[2], *position[2], *quaternion[2];
    dp_pose pose[2];
} two;

static const dp_shape *shape_of(const two *t, int i)
{
    return &((shape *)dpy_state(t->shape[i]))->s;
}

static bool poses(two *t)
{
    return dpy_pose_read(&t->pose[0], t->position[0], t->quaternion[0]) &&
           dpy_pose_read(&t->pose[1], t->position[1], t->quaternion[1]);
}

static char *two_names[] = {
    "a", "b", "position_a", "position_b", "quaternion_a", "quaternion_b", "limit", NULL};

static PyObject *shapes_distance(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    two t = {.shape = {NULL}};
    double limit = INFINITY;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!|OOOOd:distance", two_names, shape_type,
                                     &t.shape[0], shape_type, &t.shape[1], &t.position[0],
                                     &t.position[1], &t.quaternion[0], &t.quaternion[1], &limit) ||
        !poses(&t)) {
        return NULL;
    }
    dp_distance distance;
    const dp_status status = dp_shapes_distance(&distance, shape_of(&t, 0), t.pose[0],
                                                shape_of(&t, 1), t.pose[1], limit, NULL);
    return status == DP_OK ? dpy_record(&dpy_distance_struct, &distance, NULL) : dpy_fail(status);
}

static void point_at(void *out, int index, const void *points)
{
    *(dp_contact_point *)out = ((const dp_contact_point *)points)[index];
}

static PyObject *shapes_contacts(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    two t = {.shape = {NULL}};
    double margin = 0.0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!|OOOOd:contacts", two_names, shape_type,
                                     &t.shape[0], shape_type, &t.shape[1], &t.position[0],
                                     &t.position[1], &t.quaternion[0], &t.quaternion[1], &margin) ||
        !poses(&t)) {
        return NULL;
    }
    dp_contact_point room[DP_PATCH_POINTS];
    dp_contact_buffer buffer = {.point = room, .capacity = DP_PATCH_POINTS};
    const dp_status status = dp_shapes_contacts(&buffer, shape_of(&t, 0), t.pose[0],
                                                shape_of(&t, 1), t.pose[1], margin, NULL);
    return status == DP_OK ? dpy_rows(&dpy_contact_point_struct, buffer.count, point_at, room)
                           : dpy_fail(status);
}

static PyObject *shape_ray(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    PyObject *which = NULL, *from = NULL, *along = NULL, *position = NULL, *quaternion = NULL;
    double limit = INFINITY;
    dp_v3 origin, direction;
    dp_pose pose;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!OO|OOd:ray",
            (char *[]){"shape", "origin", "direction", "position", "quaternion", "limit", NULL},
            shape_type, &which, &from, &along, &position, &quaternion, &limit) ||
        !dpy_v3_read(&origin, from, "origin") || !dpy_v3_read(&direction, along, "direction") ||
        !dpy_pose_read(&pose, position, quaternion)) {
        return NULL;
    }
    dp_ray_hit hit;
    const dp_status status =
        dp_shape_ray(&hit, &((shape *)dpy_state(which))->s, pose, origin, direction, limit);
    return status == DP_OK ? dpy_record(&dpy_ray_hit_struct, &hit, NULL) : dpy_fail(status);
}

#define DPY_TWO                                                                                    \
    "a: Shape, b: Shape, position_a: ArrayLike | None = None, position_b: ArrayLike | None = "     \
    "None, "                                                                                       \
    "quaternion_a: ArrayLike | None = None, quaternion_b: ArrayLike | None = None, "
PyMethodDef dpy_shape_functions[] = {
    {"shapes_distance", (PyCFunction)(void (*)(void))shapes_distance, METH_VARARGS | METH_KEYWORDS,
     "shapes_distance(" DPY_TWO "limit: float = ...)\n--\n\n-> Distance\n"
     "The signed distance of two shapes and their nearest points."},
    {"shapes_contacts", (PyCFunction)(void (*)(void))shapes_contacts, METH_VARARGS | METH_KEYWORDS,
     "shapes_contacts(" DPY_TWO "limit: float = 0.0)\n--\n\n-> ndarray\n"
     "Where two shapes are nearer than `limit`: a structured array with the members of "
     "ContactPoint."},
    {"shape_ray", (PyCFunction)(void (*)(void))shape_ray, METH_VARARGS | METH_KEYWORDS,
     "shape_ray(shape: Shape, origin: ArrayLike, direction: ArrayLike, position: ArrayLike | None "
     "= "
     "None, quaternion: ArrayLike | None = None, limit: float = ...)\n--\n\n-> RayHit\n"
     "The first point of a shape on a ray."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot shape_slots[] = {
    {Py_tp_new, shape_new},
    {Py_tp_dealloc, shape_dealloc},
    {Py_tp_doc, "Shape(kind: str, size: ArrayLike | None = None, vertices: ArrayLike | None = None)"
                "\n--\n\nA shape in its own frame: 'box' with three half lengths, 'sphere' with a "
                "radius, …; 'mesh': the convex hull of vertices."},
    {0, NULL},
};
static PyType_Spec shape_spec = {
    .name = "dashpot._core.Shape",
    .basicsize = DPY_HEAD + sizeof(shape),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = shape_slots,
};

bool dpy_shapes_init(PyObject *module)
{
    shape_type = dpy_add_type(module, &shape_spec);
    return shape_type != NULL;
}
