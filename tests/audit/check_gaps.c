// Gaps by the auditor's own geometry: at the start of a step, at its end, and on the way.
//
// Start. A contact point reports a gap along its normal n. For convex shapes no point can be nearer
// than g(n) (audit_geometry.c, (GE 1)), g(n) is no more than the true gap, and the deepest point
// has it. So, with the true gap between bounds `lower` and `upper`:
//     g(n) ≥ lower − tol   (n is the direction of the shortest way),   lower − tol ≤ min φ₀ ≤ upper
//     + tol.
//
// End. Within a step a gap changes as velocities at its start say: φ₁ = φ₀ + h u. Places of the two
// shapes that stay apart need no contact point. So the shapes end no nearer than the deepest φ₁
// reports, or 0 if that is open, less
//     E = 4 Σ_{A,B} (hω)² (r + R) + 2 h² |J̇ v| + 4 hω_rel h|u_t| + 0.4 hω_rel r (cylinders) (AG 1)
// r the reach of a shape, R the largest radius of curvature of an ellipsoid (its support function
// in turned directions has H″ = R − H). Points of a polyhedron turn by hω × r, off their tangents
// by ½ (hω)² r; J̇ v is the acceleration of a frame that others carry; normals turn with the shapes,
// hω h|u_t|; the circle of a cylinder has six or more points, between which it reaches lower by r
// (1 − cos 30°) of the tilt. Points are those that the velocities at the start bring near: where a
// step corrects positions, a pair may tilt otherwise, about the points that it has, by |θ − hω₀| of
// its turn θ, and its other corners meet in the next step. Where E is not small beside the shapes,
// or where bodies turn by more than 0.2 rad, documents promise nothing.
//
// Between. Poses are interpolated; shapes that are apart at both ends and have no contact do not
// overlap by more than E in between.
#include "check_parts.h"

#include "audit_geometry.h"
#include "audit_promises.h"

#include <math.h>
#include <string.h>

typedef struct placed_geom {
    shape s;
    pose X0, X1;
    double reach, curvature;
    bool usable;
} placed_geom;

// |θ − hω₀| r: how much deeper a geom may reach by turning otherwise than at the
// start of the step.
static double turned_otherwise(const audit_case *c, const placed_geom *geom, int body)
{
    const m3 R0 = m3_transpose(&geom->X0.R), turn = m3_multiply(&geom->X1.R, &R0);
    return v3_norm(v3_madd(m3_log(&turn), -c->h, c->k0.body[body].w)) * geom->reach;
}

static bool is_static(const audit_scene *s, int body)
{
    for (; body > 0; body = s->body[body].parent) {
        for (int j = 0; j < s->njoint; ++j) {
            if (s->joint[j].body == body) {
                return false;
            }
        }
        if (s->body[body].mocap >= 0) {
            return false;
        }
    }
    return true;
}

static void place_geom(placed_geom *out, const audit_case *c, int g, double *heights)
{
    const audit_scene *s = c->scene;
    const audit_geom *geom = &s->geom[g];
    static const shape_kind kinds[] = {
        [AUDIT_PLANE] = SHAPE_PLANE,         [AUDIT_SPHERE] = SHAPE_SPHERE,
        [AUDIT_CAPSULE] = SHAPE_CAPSULE,     [AUDIT_CYLINDER] = SHAPE_CYLINDER,
        [AUDIT_ELLIPSOID] = SHAPE_ELLIPSOID, [AUDIT_BOX] = SHAPE_BOX,
        [AUDIT_MESH] = SHAPE_POLYHEDRON,     [AUDIT_HFIELD] = SHAPE_HEIGHTS};
    *out = (placed_geom){.s = {.kind = kinds[geom->kind]}, .usable = true};
    memcpy(out->s.size, geom->size, sizeof geom->size);
    const pose local = pose_of(geom->pos, geom->quat);
    out->X0 = pose_compose(&c->k0.body[geom->body].X, &local);
    out->X1 = pose_compose(&c->k1.body[geom->body].X, &local);
    if (geom->kind == AUDIT_MESH) {
        const audit_mesh *m = &s->mesh[geom->mesh];
        out->s.point = &m->vertex[0][0];
        out->s.npoint = m->nvertex;
        bool moves = c->k0.body[geom->body].moves || audit_is_mocap(s, geom->body);
        if (m->nface > 0 && !moves) {
            out->s.kind = SHAPE_TRIANGLES;
            out->s.face = &m->face[0][0];
            out->s.nface = m->nface;
        }
    } else if (geom->kind == AUDIT_HFIELD) {
        const audit_hfield *h = &s->hfield;
        out->s.nrow = h->nrow;
        out->s.ncol = h->ncol;
        out->s.half_x = h->size[0];
        out->s.half_y = h->size[1];
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < h->nrow * h->ncol; ++i) {
            low = fmin(low, h->elevation[i]);
            high = fmax(high, h->elevation[i]);
        }
        for (int i = 0; i < h->nrow * h->ncol; ++i) { // MJCF: from 0 to the height given
            const double share = high > low ? (h->elevation[i] - low) / (high - low) : 0.0;
            heights[i] = h->size[2] * share;
        }
        out->s.height = heights;
    }
    out->reach = shape_is_convex(&out->s) ? shape_reach(&out->s) : 0.0;
    if (geom->kind == AUDIT_ELLIPSOID) {
        const double *a = geom->size, most = fmax(a[0], fmax(a[1], a[2])),
                     least = fmin(a[0], fmin(a[1], a[2]));
        out->curvature = most * most / least;
    }
}

// Who may touch (docs/collision.md).
static bool may_touch(const audit_scene *s, int a, int b)
{
    const audit_geom *x = &s->geom[a], *y = &s->geom[b];
    const int wx = audit_weld_root(s, x->body), wy = audit_weld_root(s, y->body);
    if (wx == wy || (is_static(s, x->body) && is_static(s, y->body))) {
        return false;
    }
    const bool fixed_x = is_static(s, x->body) || audit_is_mocap(s, x->body),
               fixed_y = is_static(s, y->body) || audit_is_mocap(s, y->body);
    if (fixed_x && fixed_y) {
        return false;
    }
    for (int i = 0; i < s->npair; ++i) {
        const int *g = s->pair[i].geom;
        if ((g[0] == a && g[1] == b) || (g[0] == b && g[1] == a)) {
            return true;
        }
    }
    if (!((x->contype & y->conaffinity) || (y->contype & x->conaffinity))) {
        return false;
    }
    for (int i = 0; i < s->nexclude; ++i) {
        const int *e = s->exclude[i];
        if ((e[0] == x->body && e[1] == y->body) || (e[0] == y->body && e[1] == x->body)) {
            return false;
        }
    }
    // A body and its parent do not touch, unless the parent is fixed.
    const int px = wx > 0 ? audit_weld_root(s, s->body[wx].parent) : -1,
              py = wy > 0 ? audit_weld_root(s, s->body[wy].parent) : -1;
    if ((px == wy && wy > 0) || (py == wx && wx > 0)) {
        return false;
    }
    const bool foundation = (x->foundation[0] > 0 && y->kind == AUDIT_PLANE) ||
                            (y->foundation[0] > 0 && x->kind == AUDIT_PLANE);
    return !foundation;
}

static double spin_of(const audit_case *c, int body)
{
    return fmax(v3_norm(c->k0.body[body].w), v3_norm(c->k1.body[body].w));
}

// (AG 1).
static double way_error(const audit_case *c, const placed_geom *g, int a, int b, double slide)
{
    const audit_scene *s = c->scene;
    const int body[2] = {s->geom[a].body, s->geom[b].body}, geom[2] = {a, b};
    double sum = 0.0, turn = 0.0, round = 0.0;
    for (int side = 0; side < 2; ++side) {
        const placed_geom *x = &g[geom[side]];
        const m3 back = m3_transpose(&x->X0.R), turned = m3_multiply(&back, &x->X1.R);
        const double angle = fmax(c->h * spin_of(c, body[side]), v3_norm(m3_log(&turned)));
        // A body's place is that of its frame: a geom is carried round it.
        const double arm = v3_norm(v3_load(s->geom[geom[side]].pos));
        sum += 4.0 * angle * angle * (x->reach + x->curvature + arm);
        // In a tree the frame itself is carried round others: ½ h² of its acceleration at rates
        // that stay.
        const double bend =
            fmax(v3_norm(c->k0.body[body[side]].a), v3_norm(c->k1.body[body[side]].a));
        sum += 2.0 * c->h * c->h * bend;
        turn += angle;
        round += s->geom[geom[side]].kind == AUDIT_CYLINDER ? x->reach : 0.0;
    }
    return sum + turn * (0.4 * round + 4.0 * slide);
}

static void check_pair(audit_case *c, const placed_geom *g, int a, int b, int first, int count)
{
    const audit_scene *s = c->scene;
    const audit_contact *k = count > 0 ? &c->now->contact[first] : NULL;
    const placed_geom *A = &g[a], *B = &g[b];
    const bool convex = (shape_is_convex(&A->s) || A->s.kind == SHAPE_PLANE) &&
                        (shape_is_convex(&B->s) || B->s.kind == SHAPE_PLANE);
    const double size = fmax(A->reach, B->reach);
    // A bound of how near they come without looking.
    if (count == 0 && shape_is_convex(&A->s) && shape_is_convex(&B->s)) {
        const double d0 = v3_norm(v3_sub(A->X0.p, B->X0.p)), d1 = v3_norm(v3_sub(A->X1.p, B->X1.p));
        const double way = v3_norm(v3_sub(A->X0.p, A->X1.p)) + v3_norm(v3_sub(B->X0.p, B->X1.p));
        if (fmin(d0, d1) - way > A->reach + B->reach) {
            return;
        }
    }
    const double places = v3_norm(A->X0.p) + v3_norm(B->X0.p) + size;
    const double tol = 1e-7 * size + 1e-12 * places;
    const separation at0 = shape_separation(&A->s, &A->X0, &B->s, &B->X0, 0.1 * tol);
    if (k && convex) {
        double least = INFINITY;
        for (int i = 0; i < count; ++i) {
            least = fmin(least, k[i].start_gap);
        }
        audit_test(c, AUDIT_CLAIM_GAP, at0.lower - least, tol, "m",
                   "gap %.9g of g%d, g%d (expected at least %.9g)", least, a, b, at0.lower);
        audit_test(c, AUDIT_CLAIM_GAP, least - at0.upper, tol, "m",
                   "gap %.9g of g%d, g%d (expected at most %.9g)", least, a, b, at0.upper);
        if (A->s.kind != SHAPE_PLANE && B->s.kind != SHAPE_PLANE) {
            const double along =
                shape_gap_along(&A->s, &A->X0, &B->s, &B->X0, v3_load(k[0].normal));
            audit_test(c, AUDIT_CLAIM_GAP, at0.lower - along, tol, "m",
                       "normal of g%d, g%d proves %.9g (expected %.9g)", a, b, along, at0.lower);
        }
    } else if (k && at0.signed_ && at0.lower > tol &&
               (A->s.kind == SHAPE_HEIGHTS || B->s.kind == SHAPE_HEIGHTS)) {
        double least = INFINITY;
        for (int i = 0; i < count; ++i) {
            least = fmin(least, k[i].start_gap);
        }
        audit_test(c, AUDIT_CLAIM_GAP, fabs(at0.lower - least), 10.0 * tol, "m",
                   "gap %.9g of terrain g%d, g%d (expected %.9g)", least, a, b, at0.lower);
    }
    const bool heights = A->s.kind == SHAPE_HEIGHTS || B->s.kind == SHAPE_HEIGHTS;
    if (!k && (convex || heights) && c->now->dropped == 0 && audit_step_is_whole(c)) {
        // Overlaps of what rotation brings about within the step are seen by the next one.
        const double margin = tol + way_error(c, g, a, b, 0.0);
        if (at0.signed_ || !heights) {
            audit_test(c, AUDIT_CLAIM_MISSED, -at0.upper, tol, "m",
                       "g%d, g%d overlap at the start without a contact", a, b);
        }
        const separation at1 = shape_separation(&A->s, &A->X1, &B->s, &B->X1, 0.1 * tol);
        if (at1.signed_ && margin < 0.05 * size) {
            audit_test(c, AUDIT_CLAIM_MISSED, -at1.upper, margin, "m",
                       "g%d, g%d overlap at the end without a contact", a, b);
        }
        if (at0.upper > 0.0 && at1.upper > 0.0 && convex && margin < 0.05 * size) {
            enum { PLACES = 8 };
            for (int i = 1; i < PLACES; ++i) {
                const pose XA = pose_between(&A->X0, &A->X1, (double)i / PLACES),
                           XB = pose_between(&B->X0, &B->X1, (double)i / PLACES);
                const separation on = shape_separation(&A->s, &XA, &B->s, &XB, tol);
                audit_test(c, AUDIT_CLAIM_TUNNEL, -on.upper, margin, "m",
                           "g%d, g%d overlap at %d/%d of the way", a, b, i, PLACES);
            }
        }
    }
    if (k && convex && audit_step_is_plain(c) && c->now->recovering == 0 && c->now->unsolved == 0) {
        const int trees[2] = {c->k0.body[s->geom[a].body].tree, c->k0.body[s->geom[b].body].tree};
        if ((trees[0] >= 0 && c->mode[trees[0]] == TREE_UNKNOWN) ||
            (trees[1] >= 0 && c->mode[trees[1]] == TREE_UNKNOWN)) {
            return;
        }
        // Shapes that are deep in each other may find another separating direction. Gaps of belts
        // are those of the claim "reported motion".
        const double *va = s->geom[a].surface_velocity, *vb = s->geom[b].surface_velocity;
        if (v3_norm(v3_load(va)) + v3_norm(v3_load(vb)) > 0.0) {
            return;
        }
        if (at0.lower < -0.1 * fmin(A->reach > 0.0 ? A->reach : INFINITY,
                                    B->reach > 0.0 ? B->reach : INFINITY)) {
            return;
        }
        double least = INFINITY, slide = 0.0;
        for (int i = 0; i < count; ++i) {
            const v3 at = v3_load(k[i].point);
            const v3 d = v3_sub(audit_kin_point_velocity(&c->k1, s->geom[b].body, at),
                                audit_kin_point_velocity(&c->k1, s->geom[a].body, at));
            least = fmin(least, k[i].gap);
            slide = fmax(slide, c->h * v3_norm(d));
        }
        // Mocap bodies have no velocity of their own: their way.
        for (int side = 0; side < 2; ++side) {
            const placed_geom *x = side == 0 ? A : B;
            if (audit_is_mocap(s, s->geom[side == 0 ? a : b].body)) {
                slide += v3_norm(v3_sub(x->X1.p, x->X0.p));
            }
        }
        double error = way_error(c, g, a, b, slide) + tol;
        if (c->corrects) {
            error +=
                turned_otherwise(c, A, s->geom[a].body) + turned_otherwise(c, B, s->geom[b].body);
        }
        const separation at1 = shape_separation(&A->s, &A->X1, &B->s, &B->X1, 0.1 * tol);
        if (error < 0.05 * size) {
            audit_test(c, AUDIT_CLAIM_PENETRATION, fmin(least, 0.0) - at1.upper, error, "m",
                       "g%d, g%d end %.6g m apart (reported %.6g)", a, b, at1.upper, least);
        }
    }
}

void audit_check_gaps(audit_case *c)
{
    const audit_scene *s = c->scene;
    static _Thread_local placed_geom g[AUDIT_GEOMS];
    static _Thread_local double heights[AUDIT_GRID];
    if (s->option.disable_contact || s->option.integrator != AUDIT_SEMI_IMPLICIT ||
        c->recording->law == AUDIT_ODE || c->now->asleep > 0 || !audit_step_is_whole(c)) {
        return;
    }
    for (int i = 0; i < s->ngeom; ++i) {
        place_geom(&g[i], c, i, heights);
    }
    for (int a = 0; a < s->ngeom; ++a) {
        for (int b = a + 1; b < s->ngeom; ++b) {
            int first = 0, count = 0;
            while (first < c->now->ncontact &&
                   !(c->now->contact[first].geom[0] == a && c->now->contact[first].geom[1] == b)) {
                ++first;
            }
            while (first + count < c->now->ncontact &&
                   c->now->contact[first + count].geom[0] == a &&
                   c->now->contact[first + count].geom[1] == b) {
                ++count;
            }
            const bool allowed = may_touch(s, a, b);
            if (count > 0 && !allowed) {
                audit_test(c, AUDIT_CLAIM_MISSED, 1.0, 0.0, "1",
                           "g%d, g%d have a contact and may not touch", a, b);
            }
            if (allowed && (shape_is_convex(&g[a].s) || shape_is_convex(&g[b].s))) {
                check_pair(c, g, a, b, first, count);
            }
        }
    }
}
