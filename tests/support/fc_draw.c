#include "fc_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

drawn_fc fc_new(int bodies, int contacts)
{
    const size_t nv = 6 * (size_t)bodies, nc = (size_t)contacts;
    drawn_fc x = {.bodies = bodies, .capacity = contacts};
    double **of_numbers[] = {&x.mu, &x.f, &x.w, &x.M_value, &x.H_value, &x.mass, &x.inertia, &x.v};
    const size_t numbers[] = {nc, nv, 3 * nc, nv, 36 * nc, nv, nv, nv};
    for (size_t k = 0; k < sizeof of_numbers / sizeof *of_numbers; ++k) {
        *of_numbers[k] = calloc(numbers[k] + 1, sizeof(double));
        assert_non_null(*of_numbers[k]);
    }
    int **of_integers[] = {&x.M_start, &x.M_row, &x.H_start, &x.H_row};
    const size_t integers[] = {nv, nv, 3 * nc, 36 * nc};
    for (size_t k = 0; k < sizeof of_integers / sizeof *of_integers; ++k) {
        *of_integers[k] = calloc(integers[k] + 1, sizeof(int));
        assert_non_null(*of_integers[k]);
    }
    for (int i = 0; i < bodies; ++i) {
        x.mass[i] = 1.0;
        x.inertia[i] = 0.1;
    }
    return x;
}

void fc_free(drawn_fc *x)
{
    void *all[] = {x->mu,    x->f,       x->w,     x->M_value, x->H_value, x->M_start,
                   x->M_row, x->H_start, x->H_row, x->mass,    x->inertia, x->v};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        free(all[k]);
    }
}

static dp_v3 cross(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static dp_v3 unit(dp_v3 a)
{
    const double size = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return (dp_v3){a.x / size, a.y / size, a.z / size};
}

static dp_v3 minus(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void push(drawn_fc *x, int *at, int body, dp_v3 arm, dp_v3 along, double sign)
{
    const dp_v3 turn = cross(arm, along);
    const double value[6] = {turn.x, turn.y, turn.z, along.x, along.y, along.z};
    for (int k = 0; body >= 0 && k < 6; ++k) {
        x->H_row[*at] = 6 * body + k;
        x->H_value[(*at)++] = sign * value[k];
    }
}

void fc_touch(drawn_fc *x, int a, int b, dp_v3 ca, dp_v3 cb, dp_v3 p, dp_v3 n, double mu)
{
    const int i = x->p.nc++;
    assert_true(i < x->capacity && a != b);
    const dp_v3 normal = unit(n);
    const dp_v3 least = fabs(normal.x) < 0.6 ? (dp_v3){1.0, 0.0, 0.0} : (dp_v3){0.0, 1.0, 0.0};
    const dp_v3 t = unit(cross(normal, least)), o = cross(normal, t);
    const dp_v3 along[3] = {normal, t, o};
    x->mu[i] = mu;
    for (int k = 0; k < 3; ++k) {
        int at = x->H_start[3 * i + k];
        const bool first = a < b;
        push(x, &at, first ? a : b, minus(p, first ? ca : cb), along[k], first ? -1.0 : 1.0);
        push(x, &at, first ? b : a, minus(p, first ? cb : ca), along[k], first ? 1.0 : -1.0);
        x->H_start[3 * i + k + 1] = at;
    }
}

void fc_finish(drawn_fc *x)
{
    const int nv = 6 * x->bodies;
    for (int i = 0; i < nv; ++i) {
        x->M_start[i + 1] = i + 1;
        x->M_row[i] = i;
        x->M_value[i] = i % 6 < 3 ? x->inertia[i / 6] : x->mass[i / 6];
        x->f[i] = x->M_value[i] * x->v[i];
    }
    x->p.form = DP_FC_FORM_GLOBAL;
    x->p.dimension = 3;
    x->p.mu = x->mu;
    x->p.M = (dp_sparse){nv, nv, x->M_start, x->M_row, x->M_value};
    x->p.H = (dp_sparse){nv, 3 * x->p.nc, x->H_start, x->H_row, x->H_value};
    x->p.f = x->f;
    x->p.w = x->w;
}

static const double FALL = -0.0981; // [m/s] gravity in 10 ms

drawn_fc fc_wall(int rows, int columns, double mu, double push)
{
    static const double length = 0.4, depth = 0.2, height = 0.15;
    drawn_fc x = fc_new(rows * columns, 12 * rows * columns);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            const int body = r * columns + c;
            const double shift = r % 2 == 0 ? 0.0 : 0.5 * length;
            const dp_v3 centre = {c * length + shift, 0.0, (r + 0.5) * height};
            x.mass[body] = 24.0;
            x.inertia[body] = 0.3;
            x.v[6 * body + 5] = FALL;
            if (r == rows - 1) {
                x.v[6 * body + 4] = push;
            }
            for (int side = -1; side <= 1; ++side) { // those below, or the floor
                const int other = r % 2 == 0 ? c + (side - 1) / 2 : c + (side + 1) / 2;
                if (r > 0 && (side == 0 || other < 0 || other >= columns)) {
                    continue;
                }
                if (r == 0 && side != 0) {
                    continue;
                }
                const dp_v3 below = {other * length + (r % 2 == 0 ? 0.5 * length : 0.0), 0.0,
                                     (r - 0.5) * height};
                const double from = r == 0 || side < 0 ? centre.x - 0.5 * length : centre.x;
                const double to = r == 0 || side > 0 ? centre.x + 0.5 * length : centre.x;
                for (int k = 0; k < 4; ++k) {
                    const dp_v3 p = {k % 2 == 0 ? from : to,
                                     k / 2 == 0 ? -0.5 * depth : 0.5 * depth, r * height};
                    fc_touch(&x, r > 0 ? (r - 1) * columns + other : -1, body,
                             r > 0 ? below : (dp_v3){0.0, 0.0, 0.0}, centre, p,
                             (dp_v3){0.0, 0.0, 1.0}, mu);
                }
            }
        }
    }
    fc_finish(&x);
    return x;
}

drawn_fc fc_pile(int nx, int ny, int nz, double mu, uint64_t seed)
{
    static const double radius = 0.05;
    random_source random = {.state = seed};
    const int bodies = nx * ny * nz;
    drawn_fc x = fc_new(bodies, 7 * bodies + 10);
    dp_v3 *centre = calloc((size_t)bodies, sizeof *centre);
    assert_non_null(centre);
    for (int i = 0; i < bodies; ++i) {
        const int at[3] = {i % nx, i / nx % ny, i / nx / ny};
        double away[3];
        for (int k = 0; k < 3; ++k) {
            away[k] = random_between(&random, -0.002, 0.002);
        }
        const double heavy = random_between(&random, 0.5, 2.0);
        centre[i] = (dp_v3){2.0 * radius * at[0] + away[0], 2.0 * radius * at[1] + away[1],
                            2.0 * radius * at[2] + radius + away[2]};
        x.mass[i] = 4.0 * heavy;
        x.inertia[i] = 0.4 * x.mass[i] * radius * radius;
        for (int k = 3; k < 6; ++k) {
            x.v[6 * i + k] = (k == 5 ? FALL : 0.0) + random_between(&random, -0.05, 0.05);
        }
    }
    for (int i = 0; i < bodies; ++i) {
        const int at[3] = {i % nx, i / nx % ny, i / nx / ny}, size[3] = {nx, ny, nz};
        const int step[3] = {1, nx, nx * ny};
        for (int k = 0; k < 3; ++k) {
            const dp_v3 axis = {k == 0, k == 1, k == 2};
            if (at[k] + 1 < size[k]) {
                const int j = i + step[k];
                const dp_v3 n = unit(minus(centre[j], centre[i]));
                const dp_v3 p = {centre[i].x + radius * n.x, centre[i].y + radius * n.y,
                                 centre[i].z + radius * n.z};
                fc_touch(&x, i, j, centre[i], centre[j], p, n, mu);
            }
            if (at[k] == 0) {
                const dp_v3 p = {centre[i].x - radius * axis.x, centre[i].y - radius * axis.y,
                                 centre[i].z - radius * axis.z};
                fc_touch(&x, -1, i, p, centre[i], p, axis, mu);
            }
            if (k < 2 && at[k] + 1 == size[k]) {
                const dp_v3 p = {centre[i].x + radius * axis.x, centre[i].y + radius * axis.y,
                                 centre[i].z};
                fc_touch(&x, -1, i, p, centre[i], p, (dp_v3){-axis.x, -axis.y, 0.0}, mu);
            }
        }
    }
    free(centre);
    fc_finish(&x);
    return x;
}

static dp_v3 draw_v3(random_source *random, double size)
{
    dp_v3 out;
    out.x = random_between(random, -size, size);
    out.y = random_between(random, -size, size);
    out.z = random_between(random, -size, size);
    return out;
}

drawn_fc fc_network(int bodies, int contacts, double decades, double mu, uint64_t seed)
{
    random_source random = {.state = seed};
    drawn_fc x = fc_new(bodies, contacts);
    dp_v3 *centre = calloc((size_t)bodies + 1, sizeof *centre);
    assert_non_null(centre);
    for (int i = 0; i < bodies; ++i) {
        centre[i] = draw_v3(&random, 1.0);
        x.mass[i] = pow(10.0, random_between(&random, -0.5 * decades, 0.5 * decades));
        x.inertia[i] = 0.1 * x.mass[i];
        for (int k = 0; k < 6; ++k) {
            x.v[6 * i + k] = random_between(&random, -1.0, 1.0);
        }
    }
    for (int c = 0; c < contacts; ++c) {
        const int b = (int)(random_bits(&random) % (uint64_t)bodies);
        const int other = (int)(random_bits(&random) % (uint64_t)(bodies + 1)) - 1;
        const int a = other == b ? -1 : other;
        const dp_v3 arm = draw_v3(&random, 0.3);
        const dp_v3 p = {centre[b].x + arm.x, centre[b].y + arm.y, centre[b].z + arm.z};
        // Away from the middle, so that all can move apart.
        const dp_v3 ca = a >= 0 ? centre[a] : (dp_v3){0.0, 0.0, -2.0};
        const dp_v3 tilt = draw_v3(&random, 0.3), apart = minus(centre[b], ca);
        const dp_v3 n = {apart.x + tilt.x, apart.y + tilt.y, apart.z + tilt.z};
        fc_touch(&x, a, b, ca, centre[b], p, n, mu);
    }
    free(centre);
    fc_finish(&x);
    return x;
}

dp_fc_info fc_solve(const dp_fc *p, double *r, const dp_fc_options *opt)
{
    dp_fc_info info;
    double *u = calloc((size_t)p->dimension * (size_t)p->nc + 1, sizeof *u);
    assert_non_null(u);
    assert_int_equal(dp_fc_solve(&(dp_fc_solution){.r = r, .u = u}, p, NULL, opt, NULL, &info),
                     DP_OK);
    free(u);
    return info;
}
