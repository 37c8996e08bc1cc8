// What touches what, rays and other questions to the scene of a Data; reactions at one moment.
#include "py_fields.h"

#include <dashpot/advanced/statics.h>

#include <math.h>

static void contact_at(void *out, int index, const void *d)
{
    *(dp_contact *)out = dp_data_contact(d, index);
}

static PyObject *data_contacts(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = dpy_data_use(self);
    return d ? dpy_rows(&dpy_contact_struct, dp_data_contact_count(d), contact_at, d) : NULL;
}

static void row_at(void *out, int index, const void *d)
{
    *(dp_row_info *)out = dp_data_row(d, index);
}

static PyObject *data_rows(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = dpy_data_use(self);
    return d ? dpy_rows(&dpy_row_info_struct, dp_data_row_count(d), row_at, d) : NULL;
}

static void body_at(void *out, int index, const void *data)
{
    const dp_data *d = data;
    const dp_body_id b = {index};
    dpy_body_state *state = out;
    state->pose = dp_body_pose(d, b);
    state->inertial = dp_inertial_pose(d, b);
    state->velocity = dp_body_velocity(d, b);
    state->contact = dp_contact_on_body(d, b, state->inertial.p);
}

static PyObject *data_bodies(PyObject *self, void *closure)
{
    (void)closure;
    const dp_data *d = dpy_data_use(self);
    return d ? dpy_rows(&dpy_body_state_struct, dp_model_sizes(dp_data_model(d))->nbody, body_at, d)
             : NULL;
}

PyGetSetDef dpy_query_getset[] = {
    {"bodies", data_bodies, NULL,
     "ndarray: all bodies, a structured array (a copy) with the members of BodyState", NULL},
    {"contacts", data_contacts, NULL,
     "ndarray: contact points of the last step, a structured array (a copy) with the members of "
     "Contact: geom, point, normal, gap, force, state, …",
     NULL},
    {"rows", data_rows, NULL,
     "ndarray: rows of the last step, a structured array (a copy) with the members of RowInfo",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static void found_at(void *out, int index, const void *d)
{
    *(dp_found_contact *)out = dp_data_found_contact(d, index);
}

static PyObject *data_find_contacts(PyObject *self, PyObject *args, PyObject *kwargs)
{
    dp_contact_search search = {0};
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTupleAndKeywords(args, kwargs, "|dd:find_contacts",
                                           (char *[]){"margin", "seconds", NULL}, &search.margin,
                                           &search.seconds)) {
        return NULL;
    }
    dp_status status = dp_find_contacts(d, &search);
    for (int tries = 0; status == DP_ERROR_CAPACITY && tries < 4; ++tries) { // as a step does
        const dp_contact_room room = dp_data_contact_room(d);
        const int more = room.needed_points > room.npoint ? room.needed_points : room.npoint;
        const int pairs = room.needed_pairs > room.npair ? room.needed_pairs : room.npair;
        status = dp_data_reserve_contacts(d, pairs + pairs / 2 + 1, more + more / 2 + 1);
        if (status == DP_OK) {
            status = dp_find_contacts(d, &search);
        }
    }
    if (status != DP_OK) {
        return dpy_fail(status);
    }
    return dpy_rows(&dpy_found_contact_struct, dp_data_found_contact_count(d), found_at, d);
}

static PyObject *data_ray(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *from = NULL, *along = NULL, *without = Py_None;
    double limit = INFINITY;
    unsigned groups = UINT32_MAX;
    dp_v3 origin, direction;
    dp_data *d = dpy_data_use(self);
    dp_scene_filter filter = dp_scene_filter_default();
    if (!d ||
        !PyArg_ParseTupleAndKeywords(
            args, kwargs, "OO|dOI:ray",
            (char *[]){"origin", "direction", "limit", "without", "groups", NULL}, &from, &along,
            &limit, &without, &groups) ||
        !dpy_v3_read(&origin, from, "origin") || !dpy_v3_read(&direction, along, "direction") ||
        (without != Py_None &&
         !dpy_element_find(&filter.without.index, dp_data_model(d), DPY_BODY, without))) {
        return NULL;
    }
    filter.groups = groups;
    dp_scene_hit hit;
    dp_status status = dp_place_geoms(d);
    if (status == DP_OK) {
        status = dp_scene_ray(&hit, d, origin, direction, limit, &filter);
    }
    if (status != DP_OK) {
        return dpy_fail(status);
    }
    if (hit.geom.index < 0) {
        return Py_NewRef(Py_None);
    }
    PyObject *at = dpy_record(&dpy_ray_hit_struct, &hit.at, NULL);
    PyObject *out = at ? Py_BuildValue("(iO)", hit.geom.index, at) : NULL;
    Py_XDECREF(at);
    return out;
}

static bool two_geoms(dp_geom_id out[2], const dp_data *d, PyObject *a, PyObject *b)
{
    return dpy_element_find(&out[0].index, dp_data_model(d), DPY_GEOM, a) &&
           dpy_element_find(&out[1].index, dp_data_model(d), DPY_GEOM, b);
}

static PyObject *data_distance(PyObject *self, PyObject *args)
{
    PyObject *a = NULL, *b = NULL;
    double limit = INFINITY;
    dp_geom_id geom[2];
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "OO|d:distance", &a, &b, &limit) ||
        !two_geoms(geom, d, a, b)) {
        return NULL;
    }
    dp_distance distance;
    const dp_status status = dp_geoms_distance(&distance, d, geom[0], geom[1], limit);
    return status == DP_OK ? dpy_record(&dpy_distance_struct, &distance, NULL) : dpy_fail(status);
}

static PyObject *data_contact_wrench(PyObject *self, PyObject *args)
{
    PyObject *a = NULL, *b = NULL, *about = NULL;
    int body[2] = {-1, -1};
    dp_v3 point;
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "OOO:contact_wrench", &a, &b, &about) ||
        !dpy_element_find(&body[0], dp_data_model(d), DPY_BODY, a) ||
        !dpy_element_find(&body[1], dp_data_model(d), DPY_BODY, b) ||
        !dpy_v3_read(&point, about, "about")) {
        return NULL;
    }
    const dp_wrench w =
        dp_contact_between_bodies(d, (dp_body_id){body[0]}, (dp_body_id){body[1]}, point);
    return dpy_twist((dp_twist){w.t, w.f});
}

static PyObject *data_normal_force(PyObject *self, PyObject *args)
{
    PyObject *a = NULL, *b = NULL;
    dp_geom_id geom[2];
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "OO:normal_force", &a, &b) || !two_geoms(geom, d, a, b)) {
        return NULL;
    }
    return PyFloat_FromDouble(dp_contact_normal_force(d, geom[0], geom[1]));
}

PyMethodDef dpy_query_methods[] = {
    {"find_contacts", (PyCFunction)(void (*)(void))data_find_contacts, METH_VARARGS | METH_KEYWORDS,
     "find_contacts($self, /, margin: float = 0.0, seconds: float = 0.0)\n--\n\n-> ndarray\n"
     "What touches at the present state, or is nearer than `margin`, or may meet within `seconds`: "
     "a structured array with the members of FoundContact."},
    {"ray", (PyCFunction)(void (*)(void))data_ray, METH_VARARGS | METH_KEYWORDS,
     "ray($self, /, origin: ArrayLike, direction: ArrayLike, limit: float = ..., without: str | "
     "int "
     "| None = None, groups: int = ...)\n--\n\n-> tuple[int, RayHit] | None\n"
     "The geom that a ray meets first, and where. `without`: a body that is not seen."},
    {"distance", data_distance, METH_VARARGS,
     "distance($self, a: str | int, b: str | int, limit: float = ..., /)\n--\n\n-> Distance\n"
     "The signed distance of two geoms as of the last kinematics()."},
    {"contact_wrench", data_contact_wrench, METH_VARARGS,
     "contact_wrench($self, a: str | int, b: str | int, about: ArrayLike, /)\n--\n\n-> ndarray\n"
     "(6,) what contacts with body a do to body b: moment about a world point, force."},
    {"normal_force", data_normal_force, METH_VARARGS,
     "normal_force($self, a: str | int, b: str | int, /)\n--\n\n-> float\n"
     "[N] The sum of the normal forces between two geoms."},
    {NULL, NULL, 0, NULL},
};

// Statics

static void reaction_at(void *out, int index, const void *statics)
{
    *(dp_reaction *)out = *dp_statics_reaction(statics, index);
}

static PyObject *data_statics(PyObject *self, PyObject *args, PyObject *kwargs)
{
    dp_statics_options options = dp_statics_options_default();
    int ranges = options.ranges;
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTupleAndKeywords(
                  args, kwargs, "|pddd:statics",
                  (char *[]){"ranges", "length", "tolerance", "touch", NULL}, &ranges,
                  &options.length, &options.tolerance, &options.touch)) {
        return NULL;
    }
    options.ranges = ranges != 0;
    dp_statics *statics = NULL;
    const dp_status status = dp_statics_create(&statics, d, &options, NULL);
    if (status != DP_OK) {
        return dpy_fail(status);
    }
    PyObject *info = dpy_record(&dpy_statics_info_struct, dp_statics_info_of(statics), NULL);
    PyObject *rows =
        dpy_rows(&dpy_reaction_struct, dp_statics_count(statics), reaction_at, statics);
    dp_statics_destroy(statics);
    PyObject *out = info && rows ? PyTuple_Pack(2, info, rows) : NULL;
    Py_XDECREF(info);
    Py_XDECREF(rows);
    return out;
}

PyMethodDef dpy_statics_methods[] = {
    {"statics", (PyCFunction)(void (*)(void))data_statics, METH_VARARGS | METH_KEYWORDS,
     "statics($self, /, ranges: bool = True, length: float = 0.0, tolerance: float = 1e-9, touch: "
     "float = 1e-7)\n--\n\n-> tuple[StaticsInfo, ndarray]\n"
     "Reactions at this moment: which of them equilibrium determines, and the smallest and largest "
     "values of all. A report, and a structured array with the members of Reaction."},
    {NULL, NULL, 0, NULL},
};
