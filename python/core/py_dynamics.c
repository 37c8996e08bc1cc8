// Equations of motion at the present state: M(q) v̇ + c(q, v) = τ.
#include "py_fields.h"

static int nv_of(const dp_data *d)
{
    return dp_model_sizes(dp_data_model(d))->nv;
}

static PyObject *finish(PyObject *out, dp_status status)
{
    if (status != DP_OK) {
        Py_XDECREF(out);
        return dpy_fail(status);
    }
    return out;
}

static PyObject *data_mass_matrix(PyObject *self, PyObject *unused)
{
    (void)unused;
    dp_data *d = dpy_data_use(self);
    double *M = NULL;
    PyObject *out = d ? dpy_array(&M, dpy_shape2(nv_of(d), nv_of(d))) : NULL;
    return out ? finish(out, dp_mass_matrix(M, d)) : NULL;
}

static PyObject *data_bias(PyObject *self, PyObject *unused)
{
    (void)unused;
    dp_data *d = dpy_data_use(self);
    double *c = NULL;
    PyObject *out = d ? dpy_array(&c, dpy_shape1(nv_of(d))) : NULL;
    return out ? finish(out, dp_bias_force(c, d)) : NULL;
}

// A vector of nv numbers from another.
static PyObject *map(PyObject *self, PyObject *argument, const char *what,
                     dp_status (*function)(double *out, dp_data *d, const double *in))
{
    dp_data *d = dpy_data_use(self);
    dpy_numbers in;
    double *values = NULL;
    if (!d || !dpy_numbers_read(&in, argument, what, dpy_shape1(nv_of(d)))) {
        return NULL;
    }
    PyObject *out = dpy_array(&values, dpy_shape1(nv_of(d)));
    if (out) {
        out = finish(out, function(values, d, in.value));
    }
    dpy_numbers_free(&in);
    return out;
}

static PyObject *data_inverse_dynamics(PyObject *self, PyObject *a)
{
    return map(self, a, "acceleration", dp_inverse_dynamics);
}

static PyObject *data_forward_dynamics(PyObject *self, PyObject *tau)
{
    return map(self, tau, "tau", dp_forward_dynamics);
}

static PyObject *data_mass_solve(PyObject *self, PyObject *b)
{
    return map(self, b, "b", dp_mass_solve);
}

static PyObject *data_jacobian(PyObject *self, PyObject *args)
{
    PyObject *which = NULL, *point = Py_None;
    int body = -1;
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "O|O:jacobian", &which, &point) ||
        !dpy_element_find(&body, dp_data_model(d), DPY_BODY, which)) {
        return NULL;
    }
    dp_v3 p = dp_body_pose(d, (dp_body_id){body}).p;
    if (point != Py_None && !dpy_v3_read(&p, point, "point")) {
        return NULL;
    }
    double *J = NULL;
    PyObject *out = dpy_array(&J, dpy_shape2(6, nv_of(d)));
    if (out) {
        dp_body_jacobian(J, d, (dp_body_id){body}, p);
    }
    return out;
}

static PyObject *data_momentum(PyObject *self, PyObject *args)
{
    PyObject *which = NULL;
    int body = 0;
    dp_data *d = dpy_data_use(self);
    if (!d || !PyArg_ParseTuple(args, "|O:momentum", &which) ||
        (which && !dpy_element_find(&body, dp_data_model(d), DPY_BODY, which))) {
        return NULL;
    }
    const dp_momentum momentum = dp_body_momentum(d, (dp_body_id){body});
    return dpy_record(&dpy_momentum_struct, &momentum, NULL);
}

PyMethodDef dpy_dynamics_methods[] = {
    {"mass_matrix", data_mass_matrix, METH_NOARGS,
     "mass_matrix($self, /)\n--\n\n-> ndarray\nM, (nv, nv), armature included."},
    {"bias", data_bias, METH_NOARGS,
     "bias($self, /)\n--\n\n-> ndarray\nc, (nv,): Coriolis, centrifugal and gravity terms."},
    {"inverse_dynamics", data_inverse_dynamics, METH_O,
     "inverse_dynamics($self, acceleration: ArrayLike, /)\n--\n\n-> ndarray\n"
     "What actuators would have to supply for an acceleration, (nv,)."},
    {"forward_dynamics", data_forward_dynamics, METH_O,
     "forward_dynamics($self, tau: ArrayLike, /)\n--\n\n-> ndarray\n"
     "The acceleration for generalised forces, without contacts and limits, (nv,)."},
    {"mass_solve", data_mass_solve, METH_O,
     "mass_solve($self, b: ArrayLike, /)\n--\n\n-> ndarray\nx with M x = b, in time linear in nv."},
    {"jacobian", data_jacobian, METH_VARARGS,
     "jacobian($self, body: str | int, point: ArrayLike | None = None, /)\n--\n\n-> ndarray\n"
     "(6, nv), angular rows first: J v is the twist of the body about a world point, by default "
     "its "
     "origin."},
    {"momentum", data_momentum, METH_VARARGS,
     "momentum($self, body: str | int = 0, /)\n--\n\n-> Momentum\n"
     "Mass, centre of mass and momentum of a body and everything below it."},
    {NULL, NULL, 0, NULL},
};
