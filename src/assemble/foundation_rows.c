// Elastic foundations: a face tiled with one-sided springs over a plane.
//
// With n the normal of the plane, o a point of it, c the centre of the face and a, b the vectors
// from there to the middles of its edges, the spring at (x, y) ∈ [−1, 1]² has the gap
//
//     φ = n · (c − o) + x n · a + y n · b,                                               (FO 1)
//
// and, since the plane turns and moves as well, φ̇ = n · v + x (a × n) · ω + y (b × n) · ω, with the
// velocity v of c against the plane and the angular velocity ω against it. Both are affine in
// (x, y): three gradients make those of all springs, which share their columns and are one block.
#include "assemble/row_sources.h"

#include <math.h>

// [m] A plane that is passed by less than this is not: round-off of positions up to 1000.
static const double PASSED = 1e-12;

// (FO 1)
typedef struct stand {
    int body[2]; // of the plane and of the face
    dp_v3 normal, centre, half[2];
    double height, slope[2];
} stand;

// @param fixed where bodies are that no joint moves
static stand stand_over(int foundation, const dp_moment *at, const dp_kin *fixed)
{
    const dp_model *m = at->m;
    const dp_foundation *f = &m->foundation[foundation];
    stand s = {.body = {m->geom[f->plane].body, m->geom[f->geom].body}};
    const dp_link *link[2];
    for (int k = 0; k < 2; ++k) {
        link[k] = (m->body[s.body[k]].tree < 0 ? fixed : at->kin)->link + s.body[k];
    }
    const dp_link *ground = link[0], *top = link[1];
    const dp_v3 up = dp_quat_rotate(f->plane_pose.q, (dp_v3){0.0, 0.0, 1.0});
    const dp_v3 origin = dp_v3_add(ground->X.p, dp_m3_apply(&ground->R, f->plane_pose.p));
    s.normal = dp_m3_apply(&ground->R, up);
    s.centre = dp_v3_add(top->X.p, dp_m3_apply(&top->R, f->centre));
    s.height = dp_v3_dot(s.normal, dp_v3_sub(s.centre, origin));
    for (int k = 0; k < 2; ++k) {
        s.half[k] = dp_m3_apply(&top->R, f->half[k]);
        s.slope[k] = dp_v3_dot(s.normal, s.half[k]);
    }
    return s;
}

static stand stand_at(int foundation, const dp_moment *at)
{
    return stand_over(foundation, at, at->kin);
}

// With what moves by itself in the step, a mocap body, where it is at the end.
static stand stand_moved(int foundation, const dp_rows_input *in)
{
    return stand_over(foundation, &in->start, in->moved ? in->moved : in->start.kin);
}

void dp_foundation_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.nfoundation; ++i) {
        const dp_foundation *f = &m->foundation[i];
        dp_room_add(room, f->nx * f->ny,
                    dp_chain_length(m, m->geom[f->geom].body) +
                        dp_chain_length(m, m->geom[f->plane].body));
    }
}

// ---- on demand

// The gap of the lowest corner of the face, no spring is below.
static double lowest(const stand *s)
{
    return s->height - fabs(s->slope[0]) - fabs(s->slope[1]);
}

void dp_foundation_recall(dp_rows *rows, int foundation, int count, const double *gamma)
{
    for (int i = 0; i < count && !rows->foundation[foundation]; ++i) {
        rows->foundation[foundation] = gamma[i] > 0.0;
    }
}

// What a body's velocity is for other generalised velocities than those of `kin`, the walk of
// dp_block_add_points.
static dp_twist velocity_of(const dp_moment *at, int body, dp_v3 point, const double *v)
{
    dp_twist V = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = dp_last_dof(at->m, body); k >= 0; k = at->m->dof_parent[k]) {
        const dp_v3 arm = dp_v3_sub(point, at->kin->link[at->m->dof_body[k]].X.p);
        V = dp_twist_madd(V, v[k], dp_twist_shift(at->kin->S[k], arm));
    }
    return V;
}

// How far the lowest corner can come down within h.
static double descent(const stand *s, const dp_rows_input *in, const double *v)
{
    const dp_moment *at = &in->start;
    const dp_twist ground = velocity_of(at, s->body[0], s->centre, v);
    const dp_twist top = velocity_of(at, s->body[1], s->centre, v);
    const dp_v3 turning = dp_v3_sub(top.w, ground.w);
    double rate = -dp_v3_dot(s->normal, dp_v3_sub(top.v, ground.v));
    for (int k = 0; k < 2; ++k) {
        rate += fabs(dp_v3_dot(turning, dp_v3_cross(s->half[k], s->normal)));
    }
    const double gravity = in->options->disable_gravity ? 0.0 : dp_v3_norm(in->options->gravity);
    return in->h * rate + in->h * in->h * gravity;
}

void dp_foundation_expect(dp_rows *rows, const dp_rows_input *in, const double *v)
{
    for (int i = 0; i < in->start.m->size.nfoundation; ++i) {
        if (!rows->foundation[i]) {
            const stand s = stand_moved(i, in);
            rows->foundation[i] = lowest(&s) - descent(&s, in, v) < 0.0;
        }
    }
}

int dp_foundation_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end)
{
    int found = 0;
    for (int i = 0; i < in->start.m->size.nfoundation; ++i) {
        if (!rows->foundation[i]) {
            const stand s = stand_at(i, end);
            rows->foundation[i] = lowest(&s) < -PASSED;
            found += rows->foundation[i];
        }
    }
    return found;
}

// ---- rows

static void measure(double *phi, const dp_foundation *f, const stand *s)
{
    for (int j = 0; j < f->ny; ++j) {
        for (int i = 0; i < f->nx; ++i) {
            *phi++ = s->height + dp_grid_place(i, f->nx) * s->slope[0] +
                     dp_grid_place(j, f->ny) * s->slope[1];
        }
    }
}

void dp_foundation_gap(double *phi, int foundation, const dp_moment *at)
{
    const stand s = stand_at(foundation, at);
    measure(phi, &at->m->foundation[foundation], &s);
}

static void set_rows(dp_row *row, dp_rows *rows, const dp_rows_input *in, int foundation)
{
    const dp_foundation *f = &in->start.m->foundation[foundation];
    const int n = f->nx * f->ny;
    const double scale = in->options->contact_stiffness_scale;
    const double stiffness = scale * f->stiffness, damping = sqrt(scale) * f->damping;
    dp_foundation_gap(rows->gap, foundation, &in->start);
    for (int r = 0; r < n; ++r) {
        row[r].phi = rows->gap[r];
        row[r].k = stiffness;
        row[r].b = damping;
        row[r].lo = 0.0;
    }
    if (in->moved) {
        const stand s = stand_moved(foundation, in);
        measure(rows->gap, f, &s);
        for (int r = 0; r < n; ++r) {
            row[r].phi_t = row[r].b_ref = (rows->gap[r] - row[r].phi) / in->h;
        }
    }
}

void dp_foundation_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int i = 0; i < m->size.nfoundation; ++i) {
        if (!rows->foundation[i]) {
            continue;
        }
        const dp_foundation *f = &m->foundation[i];
        const stand s = stand_at(i, &in->start);
        const dp_two_points at = {{s.body[0], s.body[1]}, {s.centre, s.centre}};
        dp_block_open(rows, 3);
        dp_block_add_points(rows, 0, 1, &s.normal, &at, in->start.kin, m);
        for (int k = 0; k < 2; ++k) {
            const dp_v3 axis = dp_v3_cross(s.half[k], s.normal);
            dp_block_add_turns(rows, 1 + k, 1, &axis, s.body, in->start.kin, m);
        }
        dp_row *row = dp_block_close_grid(
            rows,
            (dp_row_owner){.source = DP_ROW_SOURCE_FOUNDATION, .nonlinear = true, .element = i},
            f->nx, f->ny);
        if (row) {
            set_rows(row, rows, in, i);
        }
    }
}

void dp_foundation_wrench(dp_wrench *wrench, const dp_rows_input *in, int foundation,
                          const double *lambda)
{
    const dp_moment *at = &in->start;
    const dp_foundation *f = &at->m->foundation[foundation];
    const stand s = stand_at(foundation, at);
    double sum = 0.0, x_sum = 0.0, y_sum = 0.0;
    for (int j = 0; j < f->ny; ++j) {
        for (int i = 0; i < f->nx; ++i) {
            const double force = *lambda++;
            sum += force;
            x_sum += force * dp_grid_place(i, f->nx);
            y_sum += force * dp_grid_place(j, f->ny);
        }
    }
    const dp_v3 force = dp_v3_scale(s.normal, sum);
    const dp_v3 arms = dp_v3_madd(dp_v3_scale(s.half[0], x_sum), y_sum, s.half[1]);
    const dp_v3 moment = dp_v3_cross(arms, s.normal); // about the centre of the face
    for (int k = 0; k < 2; ++k) {
        const dp_v3 arm = dp_v3_sub(s.centre, at->kin->link[s.body[k]].X.p);
        const dp_wrench w = {dp_v3_add(moment, dp_v3_cross(arm, force)), force};
        dp_wrench *to = &wrench[s.body[k]];
        *to = dp_wrench_madd(*to, k ? 1.0 : -1.0, w);
    }
}
