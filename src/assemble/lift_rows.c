// A long tree whose rows are about one link or one velocity each: contacts with what does not move,
// limits, friction and drives of joints. M̃ and the gradients of such rows grow with the square of
// the length of its branches; its links and what rows see of them do not.
#include "assemble/row_sources.h"

#include <string.h>

// Velocities on the way to a root, on average, from where on links are the less work.
static const double LONG = 12.0;

void dp_lift_carve(dp_rows *rows, dp_carver *c, const dp_model *m)
{
    dp_lift *lift = &rows->lift;
    const size_t nbody = (size_t)m->size.nbody, nv = (size_t)m->size.nv;
    const size_t nblock = (size_t)rows->max_block;
    lift->parent = dp_carve(c, nbody, sizeof *lift->parent);
    lift->first = dp_carve(c, nbody + 1, sizeof *lift->first);
    lift->of = dp_carve(c, nbody, sizeof *lift->of);
    lift->offset = dp_carve(c, nbody, sizeof *lift->offset);
    lift->inertia = dp_carve(c, 10 * nbody, sizeof *lift->inertia);
    lift->motion = dp_carve(c, nv, sizeof *lift->motion);
    lift->diagonal = dp_carve(c, nv, sizeof *lift->diagonal);
    lift->on = dp_carve(c, nblock, sizeof *lift->on);
    lift->along = dp_carve(c, (size_t)rows->max_row, sizeof *lift->along);
    lift->V = dp_carve(c, nbody, sizeof *lift->V);
    lift->composite = dp_carve(c, nbody, sizeof *lift->composite);
    lift->mass = dp_carve(c, nv, sizeof *lift->mass);
    lift->matrices = (dp_unfolded){
        .Mt = dp_carve(c, m->dof_packed[m->size.nv], sizeof(double)),
        .G = rows->G,
        .col_start = dp_carve(c, nblock + 1, sizeof(int)),
        .col = dp_carve(c, rows->max_col, sizeof(int)),
        .G_start = dp_carve(c, nblock + 1, sizeof(size_t)),
        .link_of = dp_carve(c, nv, sizeof(int)),
        .composite = lift->composite,
    };
}

static bool is_long(const dp_model *m, int tree)
{
    const int first = m->tree_start[tree], end = m->tree_start[tree + 1];
    return (double)(m->dof_packed[end] - m->dof_packed[first]) > LONG * (end - first);
}

static int tree_of_velocity(const dp_model *m, int dof)
{
    return m->body[m->dof_body[dof]].tree;
}

bool dp_lift_is_possible(const dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    if (!in->may_lift || !m->depth_first) {
        return false;
    }
    int tree = -1; // of all of them
    for (int i = 0; i < in->ntouching; ++i) {
        const dp_touching *t = &in->touching[i];
        const int a = m->body[m->geom[t->geom[0]].body].tree;
        const int b = m->body[m->geom[t->geom[1]].body].tree;
        const int own = a >= 0 ? a : b;
        if (t->dropped) {
            continue;
        }
        if ((a >= 0 && b >= 0) || own < 0 || (tree >= 0 && own != tree)) {
            return false;
        }
        tree = own;
    }
    if (tree < 0 || !is_long(m, tree)) {
        return false;
    }
    for (int b = 0; b < rows->nblock; ++b) {
        if (rows->row_start[b + 1] - rows->row_start[b] != 1 ||
            rows->col_start[b + 1] - rows->col_start[b] != 1 ||
            tree_of_velocity(m, rows->col[rows->col_start[b]]) != tree) {
            return false;
        }
    }
    return true;
}

void dp_lift_reserved(dp_rows *rows, const dp_model *m, const int body[2])
{
    const int block = rows->nblock - 1, moves = body[m->body[body[1]].tree >= 0];
    rows->col[rows->col_start[block]] = dp_last_dof(m, moves);
    rows->lift.on[block] = moves;
}

void dp_lift_contact(dp_rows *rows, const dp_rows_input *in, int block, const dp_v3 direction[3])
{
    const dp_model *m = in->start.m;
    const dp_touching *t = &in->touching[rows->owner[block].element];
    const int first = rows->row_start[block], nrow = rows->row_start[block + 1] - first;
    const int body = rows->lift.on[block];
    const double sign = body == m->geom[t->geom[1]].body ? 1.0 : -1.0;
    const dp_v3 arm = dp_v3_sub(t->at.point, in->start.kin->link[body].X.p);
    const dp_v3 none = {0.0, 0.0, 0.0};
    dp_wrench *along = rows->lift.along + first;
    for (int i = 0; i < nrow; ++i) {
        const dp_v3 d = dp_v3_scale(direction[i % 3], sign);
        along[i] = i < 3 ? (dp_wrench){dp_v3_cross(arm, d), d} : (dp_wrench){d, none};
    }
}

// The bodies of the tree, in order, as links.
static void take_links(dp_lift *lift, const dp_kin *kin, const dp_model *m, const double *diagonal)
{
    const int base = m->tree_start[lift->tree];
    int n = 0;
    lift->first[0] = 0;
    for (int i = m->tree_body[lift->tree]; i < m->size.nbody; ++i) {
        const dp_body *body = &m->body[i];
        if (body->tree > lift->tree) {
            break;
        }
        if (body->tree != lift->tree) { // fixed to the world
            continue;
        }
        const dp_rigid_inertia *J = &kin->link[i].J;
        double *I = lift->inertia + 10 * (ptrdiff_t)n;
        I[0] = J->m;
        dp_v3_store(I + 1, J->h);
        I[4] = J->I.xx;
        I[5] = J->I.yy;
        I[6] = J->I.zz;
        I[7] = J->I.xy;
        I[8] = J->I.xz;
        I[9] = J->I.yz;
        lift->parent[n] = m->body[body->parent].tree < 0 ? -1 : lift->of[body->parent];
        lift->offset[n] = kin->link[i].r;
        DP_ASSERT(body->ndof == 0 || body->dof_start == base + lift->first[n]);
        for (int k = lift->first[n]; k < lift->first[n] + body->ndof; ++k) {
            lift->motion[k] = kin->S[base + k];
            lift->diagonal[k] = diagonal[base + k];
        }
        lift->first[n + 1] = lift->first[n] + body->ndof;
        lift->of[i] = n++;
    }
    lift->links = (dp_links){.n = n,
                             .parent = lift->parent,
                             .first = lift->first,
                             .offset = lift->offset,
                             .inertia = lift->inertia,
                             .motion = lift->motion,
                             .diagonal = lift->diagonal,
                             .on = lift->on,
                             .along = lift->along};
}

void dp_rows_lift(dp_step_problem *p, dp_rows *rows, const dp_kin *kin, const dp_model *m,
                  const double *diagonal)
{
    dp_lift *lift = &rows->lift;
    DP_ASSERT(rows->lifted && p->ntree == 1);
    lift->tree = rows->tree[0];
    take_links(lift, kin, m, diagonal);
    const int contacts = rows->contacts.first;
    for (int b = 0; b < rows->nblock; ++b) {
        if (b >= contacts) {
            lift->on[b] = lift->of[lift->on[b]];
        } else {
            const int velocity = p->col[p->col_start[b]];
            const dp_v3 none = {0.0, 0.0, 0.0};
            lift->on[b] = -1 - velocity;
            lift->along[p->row_start[b]] = (dp_wrench){{p->G[p->G_start[b]], 0.0, 0.0}, none};
        }
    }
    dp_links_diagonal(lift->mass, &lift->links, lift->composite);
    p->links = &lift->links;
}

void dp_rows_unfold(dp_step_problem *out, const dp_step_problem *p, const dp_rows *rows)
{
    const dp_unfolded *to = &rows->lift.matrices;
    dp_links_unfold(p, to);
    *out = *p;
    out->Mt = to->Mt;
    out->col_start = to->col_start;
    out->col = to->col;
    out->G_start = to->G_start;
    out->G = to->G;
}

void dp_lift_add_block(double *tau, const dp_rows *rows, int block, const double *lambda)
{
    const dp_lift *lift = &rows->lift;
    const dp_links *l = &lift->links;
    const int first = rows->row_start[block], on = l->on[block];
    const int base = rows->col[rows->col_start[0]] - rows->problem_col[rows->col_start[0]];
    if (on < 0) {
        tau[base - 1 - on] += l->along[first].t.x * lambda[first];
        return;
    }
    dp_wrench F = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int r = first; r < rows->row_start[block + 1]; ++r) {
        F = dp_wrench_madd(F, lambda[r], l->along[r]);
    }
    for (int i = on; i >= 0; i = l->parent[i]) {
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            tau[base + k] += dp_power(l->motion[k], F);
        }
        F = dp_wrench_shift(F, l->offset[i]);
    }
}
