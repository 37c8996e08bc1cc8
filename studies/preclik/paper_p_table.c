#include "preclik/paper_p_table.h"

#include "common/signals.h"
#include "methods/pseudo_inverse.h"

#include <stdio.h>
#include <string.h>

// What a unit of load on each leg does, with the friction that belongs to it.
typedef struct legs {
    double arm[CLI_LEGS][3];    // world axes
    double force[CLI_LEGS][3];  // x, y, z
    double moment[CLI_LEGS][3]; // about the centre of mass
} legs;

static void lay_out(legs *o, const cli_table_body *b, double yaw, const double v[3])
{
    const double c = cos(yaw), s = sin(yaw);
    for (int i = 0; i < CLI_LEGS; ++i) {
        const double *r0 = b->arm[i];
        const double r[3] = {c * r0[0] - s * r0[1], s * r0[0] + c * r0[1], r0[2]};
        const double slip[2] = {v[0] - v[2] * r[1], v[1] + v[2] * r[0]};
        const double speed = hypot(slip[0], slip[1]);
        const double mu = speed > 0.0 ? b->mu[i] / speed : 0.0;
        const double f[3] = {-mu * slip[0], -mu * slip[1], 1.0};
        const double t[3] = {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2],
                             r[0] * f[1] - r[1] * f[0]};
        memcpy(o->arm[i], r, sizeof r);
        memcpy(o->force[i], f, sizeof f);
        memcpy(o->moment[i], t, sizeof t);
    }
}

// --- loads ------------------------------------------------------------------------------------

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// The null vector of E, 3 × 4, has its minors as elements.
static void find_null(double z[CLI_LEGS], double E[3][CLI_LEGS], const double D[CLI_LEGS])
{
    double size = 0.0;
    for (int i = 0; i < CLI_LEGS; ++i) {
        double minor[3][3];
        for (int r = 0; r < 3; ++r) {
            for (int k = 0, c = 0; k < CLI_LEGS; ++k) {
                if (k != i) {
                    minor[r][c++] = E[r][k];
                }
            }
        }
        z[i] = (i % 2 == 0 ? 1.0 : -1.0) * determinant(minor[0], minor[1], minor[2]);
        size += D[i] * z[i] * z[i];
    }
    for (int i = 0; i < CLI_LEGS; ++i) {
        z[i] /= sqrt(size);
    }
}

static void fill_equations(double E[3][CLI_LEGS], const legs *o)
{
    for (int i = 0; i < CLI_LEGS; ++i) {
        E[0][i] = o->force[i][2];
        E[1][i] = o->moment[i][0];
        E[2][i] = o->moment[i][1];
    }
}

// N = D⁻¹ Eᵀ (E D⁻¹ Eᵀ)⁻¹ e, e = (m g, 0, 0), by Cramer's rule.
static void find_least(double N[CLI_LEGS], double E[3][CLI_LEGS], const double D[CLI_LEGS],
                       double weight)
{
    double S[3][3] = {{0}};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            for (int i = 0; i < CLI_LEGS; ++i) {
                S[r][c] += E[r][i] * E[c][i] / D[i];
            }
        }
    }
    const double whole = determinant(S[0], S[1], S[2]);
    double y[3];
    for (int c = 0; c < 3; ++c) {
        double T[3][3];
        memcpy(T, S, sizeof T);
        memset(T[c], 0, sizeof T[c]);
        T[c][0] = weight; // S is symmetric: a row in the place of a column
        y[c] = determinant(T[0], T[1], T[2]) / whole;
    }
    for (int i = 0; i < CLI_LEGS; ++i) {
        N[i] = (E[0][i] * y[0] + E[1][i] * y[1] + E[2][i] * y[2]) / D[i];
    }
}

bool cli_table_solve(cli_table_loads *out, const cli_table_body *b, double yaw, const double v[3])
{
    legs o = {0};
    double E[3][CLI_LEGS];
    lay_out(&o, b, yaw, v);
    fill_equations(E, &o);
    find_null(out->null, E, b->D);
    find_least(out->least, E, b->D, b->mass * b->g);
    out->lo = -INFINITY;
    out->hi = INFINITY;
    for (int i = 0; i < CLI_LEGS; ++i) {
        const double z = out->null[i], t = -out->least[i] / z; // where leg i has no load
        if (z > 0.0) {
            out->lo = fmax(out->lo, t);
        } else if (z < 0.0) {
            out->hi = fmin(out->hi, t);
        }
    }
    return out->lo <= out->hi;
}

int cli_table_pseudo_inverse(double N[CLI_LEGS], const cli_table_body *b, double yaw,
                             const double v[3])
{
    legs o = {0};
    lay_out(&o, b, yaw, v);
    double B[CLI_LEGS * CLI_LEGS], c[CLI_LEGS]; // J_n M⁻¹ Jᵀ K and what gravity does to the gaps
    for (int i = 0; i < CLI_LEGS; ++i) {
        const double *r = o.arm[i];
        c[i] = b->g;
        for (int k = 0; k < CLI_LEGS; ++k) {
            const double *t = o.moment[k];
            // Of the unit inertia of the paper all axes are alike.
            B[CLI_LEGS * i + k] =
                o.force[k][2] / b->mass + (t[0] * r[1] - t[1] * r[0]) / b->inertia;
        }
    }
    return cli_pseudo_inverse(N, NULL, CLI_LEGS, CLI_LEGS, B, c, 1e-9);
}

// --- steps ------------------------------------------------------------------------------------

double cli_table_energy(const cli_table_body *b, const double v[3])
{
    return 0.5 * b->mass * (v[0] * v[0] + v[1] * v[1]) + 0.5 * b->inertia * v[2] * v[2];
}

// What loads do to the velocities in h.
static void push(double dv[3], const legs *o, const cli_table_body *b, const double N[CLI_LEGS],
                 double h)
{
    memset(dv, 0, 3 * sizeof *dv);
    for (int i = 0; i < CLI_LEGS; ++i) {
        dv[0] += h * N[i] * o->force[i][0] / b->mass;
        dv[1] += h * N[i] * o->force[i][1] / b->mass;
        dv[2] += h * N[i] * o->moment[i][2] / b->inertia;
    }
}

static double product(const cli_table_body *b, const double a[3], const double c[3])
{
    return b->mass * (a[0] * c[0] + a[1] * c[1]) + b->inertia * a[2] * c[2];
}

// The energy of v + dv + t dz is a parabola in t, open above.
static double best_energy(const cli_table_loads *l, const legs *o, const cli_table_body *b,
                          const double v[3], double h, bool most)
{
    double start[3], dv[3], dz[3];
    push(dv, o, b, l->least, h);
    push(dz, o, b, l->null, h);
    for (int k = 0; k < 3; ++k) {
        start[k] = v[k] + dv[k];
    }
    const double a = 0.5 * product(b, dz, dz), c = product(b, start, dz);
    const double at_lo = l->lo * (c + a * l->lo), at_hi = l->hi * (c + a * l->hi);
    if (most) {
        return at_lo > at_hi ? l->lo : l->hi;
    }
    return a > 0.0 ? fmin(l->hi, fmax(l->lo, -0.5 * c / a)) : l->lo;
}

// Springs under a level table: N_i D_i is affine in the place of the leg, in other words orthogonal
// to the null vector of the normal rows alone, which has the minors of (1, x, y).
static double of_springs(const cli_table_loads *l, const legs *o, const cli_table_body *b)
{
    double P[3][CLI_LEGS], y[CLI_LEGS], above = 0.0, below = 0.0;
    const double one[CLI_LEGS] = {1.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < CLI_LEGS; ++i) {
        P[0][i] = 1.0;
        P[1][i] = o->arm[i][0];
        P[2][i] = o->arm[i][1];
    }
    find_null(y, P, one);
    for (int i = 0; i < CLI_LEGS; ++i) {
        above += y[i] * b->D[i] * l->least[i];
        below += y[i] * b->D[i] * l->null[i];
    }
    return -above / below;
}

static bool choose(double N[CLI_LEGS], double dv[3], const cli_table_body *b, cli_table_rule rule,
                   double yaw, const double slip[3], const double v[3], double h)
{
    cli_table_loads l;
    legs o = {0};
    if (!cli_table_solve(&l, b, yaw, slip)) {
        return false;
    }
    lay_out(&o, b, yaw, slip);
    double t = 0.0;
    if (rule == CLI_TABLE_SPRINGS) {
        t = of_springs(&l, &o, b);
    } else if (rule != CLI_TABLE_LEAST_NORM) {
        t = best_energy(&l, &o, b, v, h, rule == CLI_TABLE_MOST_ENERGY);
    }
    if (t < l.lo || t > l.hi) {
        return false; // a leg would have to pull
    }
    for (int i = 0; i < CLI_LEGS; ++i) {
        N[i] = fmax(0.0, l.least[i] + t * l.null[i]); // round-off at the ends
    }
    push(dv, &o, b, N, h);
    return true;
}

bool cli_table_step(cli_table_state *s, double N[CLI_LEGS], const cli_table_body *b,
                    cli_table_rule rule, double h, bool implicit)
{
    double slip[3], dv[3] = {0};
    memcpy(slip, s->v, sizeof slip);
    // Directions change by h μ g/|v| in a step, and so little does each pass leave of the last.
    for (int pass = 0; pass < (implicit ? 200 : 1); ++pass) {
        if (!choose(N, dv, b, rule, s->at[2], slip, s->v, h)) {
            return false;
        }
        double change = 0.0;
        for (int k = 0; k < 3; ++k) {
            change = fmax(change, fabs(s->v[k] + dv[k] - slip[k]));
            slip[k] = s->v[k] + dv[k];
        }
        if (change < 1e-16) {
            break;
        }
    }
    for (int k = 0; k < 3; ++k) {
        s->v[k] += dv[k];
        s->at[k] += h * s->v[k];
    }
    return true;
}

// --- the scene --------------------------------------------------------------------------------

int cli_table_leg(const char *name)
{
    const bool is = strncmp(name, "leg", 3) == 0 && name[3] >= '1' && name[3] <= '0' + CLI_LEGS;
    return is && name[4] == '\0' ? name[3] - '1' : -1;
}

bool cli_table_open(cli_scene *scene, dp_data **data, cli_paper *p, double k,
                    const double soft[CLI_LEGS])
{
    if (!cli_paper_load(scene, p)) {
        return false;
    }
    for (int i = 0; i < dp_spec_geom_count(scene->spec); ++i) {
        dp_geom_spec *geom = dp_spec_geom(scene->spec, (dp_geom_id){i});
        const int leg = cli_table_leg(geom->name);
        if (leg >= 0) {
            double *stiffness = &geom->contact.material.stiffness;
            *stiffness = (isnan(k) ? *stiffness : k) / soft[leg];
        }
    }
    p->bad_input = dp_model_compile(&scene->model, scene->spec) != DP_OK;
    return cli_paper_works(p, p->bad_input ? DP_ERROR_ARGUMENT : DP_OK) &&
           cli_paper_works(p, cli_data_create(data, scene->model)) &&
           cli_paper_works(p, dp_data_reset_to_key(*data, (dp_key_id){0}));
}

bool cli_table_read(cli_table_body *out, cli_paper *p, const cli_scene *scene)
{
    const dp_model *m = scene->model;
    const char *expected = "a free body 'table' with level legs 'leg1' … 'leg4' of frictions above "
                           "that of a geom 'floor', and a keyframe with its velocity";
    const dp_model_size *size = dp_model_sizes(m);
    dp_body_id body;
    dp_geom_id floor;
    if (size->nv != 6 || size->nkey < 1 || dp_model_find_body(&body, m, "table") != DP_OK ||
        dp_model_find_geom(&floor, m, "floor") != DP_OK) {
        return cli_paper_refuse(p, expected);
    }
    const dp_inertial inertial = dp_model_body(m, body).inertial;
    *out = (cli_table_body){
        .mass = inertial.mass, .inertia = inertial.moments.z, .g = -dp_model_options(m)->gravity.z};
    for (int i = 0; i < CLI_LEGS; ++i) {
        char name[16];
        snprintf(name, sizeof name, "leg%d", i + 1);
        dp_geom_id leg;
        if (dp_model_find_geom(&leg, m, name) != DP_OK) {
            return cli_paper_refuse(p, expected);
        }
        const dp_geom_info g = dp_model_geom(m, leg);
        out->mu[i] = fmax(g.friction[0], dp_model_geom(m, floor).friction[0]);
        out->D[i] = 1.0;
        out->arm[i][0] = g.pose.p.x;
        out->arm[i][1] = g.pose.p.y;
        out->arm[i][2] = g.pose.p.z - g.size[0];
    }
    return true;
}
