#include "assemble/row_sources.h"

#include <math.h>
#include <string.h>

// ---- memory

static dp_rows_room room_for(const dp_model *m, dp_rows_most most)
{
    dp_rows_room room = {.nv = m->size.nv};
    dp_equality_room(&room, m);
    dp_joint_limit_room(&room, m);
    dp_tendon_limit_room(&room, m);
    dp_tendon_spring_room(&room, m);
    dp_joint_friction_room(&room, m);
    dp_tendon_friction_room(&room, m);
    dp_drive_room(&room, m);
    for (int i = 0; i < most.nuser; ++i) {
        dp_room_add(&room, 1, m->size.nv);
    }
    dp_motion_room(&room, m);
    dp_foundation_room(&room, m);
    dp_contact_room_for(&room, m, most.ncontact);
    return room;
}

bool dp_rows_possible(const dp_model *m, dp_rows_most most)
{
    return m->size.nv > 0 && room_for(m, most).nblock > 0;
}

bool dp_rows_only_drives(const dp_model *m, dp_rows_most most)
{
    dp_rows_room drives = {.nv = m->size.nv};
    dp_drive_room(&drives, m);
    bool single = true;
    for (int u = 0; u < m->size.nu; ++u) {
        const int joint = m->actuator[u].joint;
        single = single && joint >= 0 && m->joint[joint].nv == 1;
    }
    return single && room_for(m, most).nblock == drives.nblock;
}

bool dp_rows_have_room(const dp_rows *rows, const dp_model *m, dp_rows_most most)
{
    const dp_rows_room room = room_for(m, most);
    return rows->max_block == room.nblock && rows->max_row == room.nrow &&
           rows->max_col == room.ncol && rows->max_G == room.nG;
}

void dp_rows_forget_laws(dp_rows *rows)
{
    rows->scale[0] = 0.0; // of none: pairs are mixed again
    rows->layout.kept = false;
}

void dp_rows_carve(dp_rows *rows, dp_carver *c, const dp_model *m, dp_rows_most most)
{
    const size_t nv = (size_t)m->size.nv, ntree = (size_t)m->size.ntree;
    const dp_rows_room room = room_for(m, most);
    const size_t nblock = (size_t)room.nblock;
    rows->nv = m->size.nv;
    rows->layout = (dp_contact_layout){.kept = false};
    rows->max_block = room.nblock;
    rows->max_row = room.nrow;
    rows->max_col = room.ncol;
    rows->max_G = room.nG;
    rows->any_limit = dp_limits_possible(m);
    rows->any_friction_loss = dp_joint_friction_possible(m);

    rows->joint_limit = dp_carve(c, (size_t)m->size.njoint, sizeof *rows->joint_limit);
    rows->tendon_limit = dp_carve(c, (size_t)m->size.ntendon, sizeof *rows->tendon_limit);
    rows->joint_rests = dp_carve(c, (size_t)m->size.njoint, sizeof *rows->joint_rests);
    rows->drive = dp_carve(c, (size_t)m->size.nu, sizeof *rows->drive);
    rows->foundation = dp_carve(c, (size_t)m->size.nfoundation, sizeof *rows->foundation);

    rows->owner = dp_carve(c, nblock, sizeof *rows->owner);
    rows->id = dp_carve(c, nblock, sizeof *rows->id);
    rows->row_start = dp_carve(c, nblock + 1, sizeof *rows->row_start);
    rows->col_start = dp_carve(c, nblock + 1, sizeof *rows->col_start);
    rows->G_start = dp_carve(c, nblock + 1, sizeof *rows->G_start);
    rows->col = dp_carve(c, room.ncol, sizeof *rows->col);
    rows->renumbered = dp_carve(c, room.ncol, sizeof *rows->renumbered);
    rows->G = dp_carve(c, room.nG, sizeof *rows->G);
    rows->row = dp_carve(c, (size_t)room.nrow, sizeof *rows->row);
    rows->friction_of = dp_carve(c, nblock, sizeof *rows->friction_of);
    rows->friction = dp_carve(c, (size_t)room.nfriction, sizeof *rows->friction);
    rows->tangent = dp_carve(c, (size_t)most.ncontact, sizeof *rows->tangent);
    rows->mixed_pair = dp_carve(c, (size_t)most.ncontact, sizeof *rows->mixed_pair);
    rows->mixed_version = 0;
    rows->mixed = dp_carve(c, (size_t)most.ncontact, sizeof *rows->mixed);
    rows->mixed_of = dp_carve(c, (size_t)most.ncontact, sizeof *rows->mixed_of);
    rows->pair_of = dp_carve(c, (size_t)most.ncontact, sizeof *rows->pair_of);
    rows->normal = dp_carve(c, (size_t)room.nfriction, sizeof *rows->normal);

    rows->tree_index = dp_carve(c, ntree, sizeof *rows->tree_index);
    rows->tree = dp_carve(c, ntree, sizeof *rows->tree);
    rows->tree_start = dp_carve(c, ntree + 1, sizeof *rows->tree_start);
    rows->parent = dp_carve(c, nv, sizeof *rows->parent);
    rows->Mt_start = dp_carve(c, nv + 1, sizeof *rows->Mt_start);
    rows->Mt = dp_carve(c, m->dof_packed[nv], sizeof *rows->Mt);
    rows->v0 = dp_carve(c, nv, sizeof *rows->v0);
    rows->v_free = dp_carve(c, nv, sizeof *rows->v_free);

    rows->gradient = dp_carve(c, DP_BLOCK_ROWS * nv, sizeof *rows->gradient);
    rows->touched = dp_carve(c, nv, sizeof *rows->touched);
    rows->is_touched = dp_carve(c, nv, sizeof *rows->is_touched);
    rows->gap = dp_carve(c, (size_t)room.most_rows, sizeof *rows->gap);
    dp_lift_carve(rows, c, m);
}

dp_step_size dp_rows_size(const dp_rows *rows, const dp_model *m)
{
    return (dp_step_size){.nv = m->size.nv,
                          .ntree = m->size.ntree,
                          .nblock = rows->max_block,
                          .nrow = rows->max_row,
                          .nMt = m->dof_packed[m->size.nv],
                          .ncol = rows->max_col,
                          .nG = rows->max_G};
}

// ---- on demand

// What the last step had, where it acted.
static void recall(dp_rows *rows, const dp_rows_input *in, const dp_warm *warm)
{
    const dp_model_size *n = &in->start.m->size;
    for (int b = 0; b < warm->nblock; ++b) {
        const unsigned source = (unsigned)(warm->id[b] >> 56);
        if (source == DP_ROW_SOURCE_CONTACT) {
            break; // nor are those that follow asked for
        }
        const uint32_t element = (uint32_t)(warm->id[b] >> 8);
        const unsigned feature = (unsigned)(warm->id[b] & 0xff);
        const double gamma = warm->gamma[warm->row_start[b]];
        if (source == DP_ROW_SOURCE_JOINT_LIMIT && element < (uint32_t)n->njoint && gamma > 0.0) {
            rows->joint_limit[element] |= (uint8_t)(1u << (feature & 1u));
            dp_joint_friction_rest(rows, in, (int)element, (int)(feature & 1u));
        } else if (source == DP_ROW_SOURCE_TENDON_LIMIT && element < (uint32_t)n->ntendon &&
                   gamma > 0.0) {
            rows->tendon_limit[element] |= (uint8_t)(1u << (feature & 1u));
        } else if (source == DP_ROW_SOURCE_DRIVE && element < (uint32_t)n->nu &&
                   dp_drive_is_at_end(in, (int)element, gamma)) {
            rows->drive[element] = DP_STANDS_AS_ROW;
        } else if (source == DP_ROW_SOURCE_FOUNDATION && element < (uint32_t)n->nfoundation) {
            const int count = warm->row_start[b + 1] - warm->row_start[b];
            dp_foundation_recall(rows, (int)element, count, warm->gamma + warm->row_start[b]);
        }
    }
}

void dp_rows_expect(dp_rows *rows, const dp_rows_input *in, const dp_warm *warm, const double *v)
{
    const dp_model_size *n = &in->start.m->size;
    if (!dp_rows_on_demand(rows, in->start.m)) {
        return;
    }
    memset(rows->joint_limit, 0, (size_t)n->njoint * sizeof *rows->joint_limit);
    memset(rows->tendon_limit, 0, (size_t)n->ntendon * sizeof *rows->tendon_limit);
    memset(rows->joint_rests, 0, (size_t)n->njoint * sizeof *rows->joint_rests);
    memset(rows->drive, 0, (size_t)n->nu * sizeof *rows->drive);
    memset(rows->foundation, 0, (size_t)n->nfoundation * sizeof *rows->foundation);
    if (warm) {
        recall(rows, in, warm);
    }
    if (rows->any_limit && !in->options->disable_limits) {
        dp_limits_expect(rows, in, v);
    }
    if (!in->options->disable_actuation) {
        dp_drive_expect(rows, in, v);
    }
    if (!in->options->disable_contact) {
        dp_foundation_expect(rows, in, v);
    }
}

int dp_rows_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end)
{
    const bool limits = rows->any_limit && !in->options->disable_limits;
    return (limits ? dp_limits_miss(rows, in, end) : 0) +
           (rows->any_friction_loss ? dp_joint_friction_miss(rows, in, end) : 0) +
           (in->options->disable_contact ? 0 : dp_foundation_miss(rows, in, end));
}

// ---- blocks

dp_status dp_rows_make(dp_rows *rows, const dp_rows_input *in)
{
    rows->nblock = rows->nrow = rows->nfriction = 0;
    rows->has_normals = rows->lifted = false;
    rows->contacts.count = rows->contacts.nparts = 0;
    const bool kept = rows->layout.kept;
    rows->layout.kept = rows->layout.taken = false; // until they come: others may be in its place
    rows->row_start[0] = rows->col_start[0] = 0;
    rows->G_start[0] = 0;
    dp_equality_make(rows, in);
    if (rows->any_limit) {
        dp_joint_limit_make(rows, in);
        dp_tendon_limit_make(rows, in);
    }
    dp_tendon_spring_make(rows, in);
    if (rows->any_friction_loss) {
        dp_joint_friction_make(rows, in);
    }
    dp_tendon_friction_make(rows, in);
    if (!in->options->disable_actuation) {
        dp_drive_make(rows, in);
    }
    DP_TRY(dp_user_make(rows, in));
    dp_motion_make(rows, in);
    if (!in->options->disable_contact) {
        dp_foundation_make(rows, in);
        rows->layout.kept = kept;
        DP_TRY(dp_contact_make(rows, in));
    }
    return DP_OK;
}

typedef struct sharing {
    const dp_contact_parts *parts;
    dp_rows_work work;
    void *job;
} sharing;

static dp_status do_part(void *job, int part, int hand)
{
    (void)hand;
    const sharing *s = job;
    const dp_contact_parts *p = s->parts;
    const long long count = p->count;
    return s->work(s->job, part + 1, p->first + (int)(count * part / p->nparts),
                   p->first + (int)(count * (part + 1) / p->nparts));
}

dp_status dp_rows_share_among(const dp_rows *rows, dp_thread_pool *workers, dp_rows_work work,
                              void *job)
{
    const dp_contact_parts *p = &rows->contacts;
    const int others = rows->nblock - p->count;
    if (others > 0) {
        DP_TRY(work(job, 0, 0, others));
    }
    sharing s = {p, work, job};
    return dp_thread_pool_run_by(workers, p->nparts, p->key, do_part, &s);
}

static int tree_of(const dp_model *m, int dof)
{
    return m->body[m->dof_body[dof]].tree;
}

// Which trees have rows, and where their velocities start. Returns how many.
static int number_trees(dp_rows *rows, const dp_model *m)
{
    for (int t = 0; t < m->size.ntree; ++t) {
        rows->tree_index[t] = -1;
    }
    int first = 0, end = 0; // of the velocities of the last tree
    int missing = m->size.ntree;
    for (int b = 0; b < rows->nblock && missing > 0; ++b) {
        const int *col = rows->col + rows->col_start[b];
        const int ncol = rows->col_start[b + 1] - rows->col_start[b];
        if (col[0] >= first && col[ncol - 1] < end) { // they ascend
            continue;
        }
        for (int i = 0; i < ncol;) {
            const int t = tree_of(m, col[i]);
            first = m->tree_start[t];
            end = m->tree_start[t + 1];
            const int n = end - first;
            missing -= rows->tree_index[t] < 0;
            rows->tree_index[t] = 0;
            if (i + n <= ncol && col[i] == first && col[i + n - 1] == end - 1) {
                i += n;
                continue;
            }
            while (i < ncol && col[i] < end) {
                ++i;
            }
        }
    }
    int ntree = 0;
    rows->tree_start[0] = 0;
    for (int t = 0; t < m->size.ntree; ++t) {
        if (rows->tree_index[t] == 0) {
            rows->tree_index[t] = ntree;
            rows->tree[ntree] = t;
            rows->tree_start[ntree + 1] =
                rows->tree_start[ntree] + (m->tree_start[t + 1] - m->tree_start[t]);
            ++ntree;
        }
    }
    return ntree;
}

// Tree t of the model as tree i of the problem.
static void copy_tree(dp_rows *rows, const dp_model *m, int i, const double *Mt, const double *v0,
                      const double *v_free)
{
    const int from = m->tree_start[rows->tree[i]], to = rows->tree_start[i];
    const int n = rows->tree_start[i + 1] - to;
    const size_t first = m->dof_packed[from], at = rows->Mt_start[to];
    for (int k = 0; k < n; ++k) {
        const int parent = m->dof_parent[from + k];
        rows->parent[to + k] = parent < 0 ? -1 : parent - from + to;
        rows->Mt_start[to + k + 1] = at + (m->dof_packed[from + k + 1] - first);
    }
    if (!rows->lifted) {
        memcpy(rows->Mt + at, Mt + first, (m->dof_packed[from + n] - first) * sizeof *Mt);
    }
    memcpy(rows->v0 + to, v0 + from, (size_t)n * sizeof *v0);
    memcpy(rows->v_free + to, v_free + from, (size_t)n * sizeof *v_free);
}

// Some trees have no rows.
static void number_anew(dp_step_problem *p, dp_rows *rows, const dp_model *m, const double *Mt,
                        const double *v0, const double *v_free)
{
    rows->Mt_start[0] = 0;
    for (int i = 0; i < p->ntree; ++i) {
        copy_tree(rows, m, i, Mt, v0, v_free);
    }
    for (int i = 0; i < rows->col_start[rows->nblock]; ++i) {
        const int t = tree_of(m, rows->col[i]);
        rows->renumbered[i] =
            rows->col[i] - m->tree_start[t] + rows->tree_start[rows->tree_index[t]];
    }
    p->parent = rows->parent;
    p->Mt_start = rows->Mt_start;
    p->Mt = rows->Mt;
    p->col = rows->renumbered;
}

typedef struct copying {
    dp_rows *rows;
    const double *v0, *v_free;
} copying;

static dp_status copy_velocities(void *job, int first, int end)
{
    const copying *s = job;
    const size_t bytes = (size_t)(end - first) * sizeof(double);
    memcpy(s->rows->v0 + first, s->v0 + first, bytes);
    memcpy(s->rows->v_free + first, s->v_free + first, bytes);
    return DP_OK;
}

// So many numbers take as long to copy as it takes to wake a thread, or longer.
enum { WORTHWHILE = 1024 };

// All trees have rows.
static void keep_numbers(dp_step_problem *p, dp_rows *rows, const dp_model *m, const double *Mt,
                         const double *v0, const double *v_free, dp_thread_pool *workers)
{
    copying s = {rows, v0, v_free};
    const dp_status status =
        dp_thread_pool_spread(workers, m->size.nv, WORTHWHILE, copy_velocities, &s);
    DP_ASSERT(status == DP_OK);
    (void)status;
    p->parent = m->dof_parent;
    p->Mt_start = m->dof_packed;
    p->Mt = Mt;
    p->col = rows->col;
}

void dp_rows_problem(dp_step_problem *out, dp_rows *rows, const dp_model *m, double h,
                     const double *Mt, const double *v0, const double *v_free,
                     dp_thread_pool *workers)
{
    dp_contact_layout *layout = &rows->layout;
    const int ntree = layout->taken && layout->ntree > 0 ? layout->ntree : number_trees(rows, m);
    layout->ntree = rows->contacts.count == rows->nblock ? ntree : 0;
    out->h = h; // one by one: a literal would be made elsewhere and copied
    out->nv = rows->tree_start[ntree];
    out->ntree = ntree;
    out->tree_start = rows->tree_start;
    out->v0 = rows->v0;
    out->v_free = rows->v_free;
    out->nblock = rows->nblock;
    out->nrow = rows->nrow;
    out->row_start = rows->row_start;
    out->id = rows->id;
    out->col_start = rows->col_start;
    out->G_start = rows->G_start;
    out->G = rows->G;
    out->row = rows->row;
    out->nfriction = rows->nfriction;
    out->friction_of = rows->nfriction > 0 ? rows->friction_of : NULL;
    out->friction = rows->friction;
    out->normal = rows->has_normals ? rows->normal : NULL;
    out->links = NULL;
    out->mass_factor = NULL;
    if (ntree < m->size.ntree) {
        number_anew(out, rows, m, Mt, v0, v_free);
    } else {
        keep_numbers(out, rows, m, Mt, v0, v_free, workers);
    }
    rows->problem_col = out->col;
}

// ---- after a solve

static dp_status gap_at(double *phi, dp_rows *rows, const dp_rows_input *in,
                        const dp_row_owner *owner, const dp_moment *end)
{
    switch ((dp_row_source)owner->source) {
    case DP_ROW_SOURCE_EQUALITY:
        dp_equality_gap(phi, in, owner->element, end);
        break;
    case DP_ROW_SOURCE_JOINT_LIMIT:
        phi[0] = dp_joint_limit_gap(in, owner->element, owner->feature, end);
        break;
    case DP_ROW_SOURCE_TENDON_LIMIT:
        phi[0] = dp_tendon_limit_gap(in, owner->element, owner->feature, end);
        break;
    case DP_ROW_SOURCE_TENDON_SPRING:
        phi[0] = dp_tendon_spring_gap(in, owner->element, owner->feature, end);
        break;
    case DP_ROW_SOURCE_MOTION:
        dp_motion_gap(phi, in, owner->element, end);
        break;
    case DP_ROW_SOURCE_USER:
        return dp_user_gap(phi, rows, in, owner->element);
    case DP_ROW_SOURCE_FOUNDATION:
        dp_foundation_gap(phi, owner->element, end);
        break;
    case DP_ROW_SOURCE_JOINT_FRICTION:
    case DP_ROW_SOURCE_TENDON_FRICTION:
    case DP_ROW_SOURCE_DRIVE:
    case DP_ROW_SOURCE_CONTACT:
    case DP_ROW_SOURCES:
        DP_ASSERT(false); // linear
        break;
    }
    return DP_OK;
}

dp_status dp_rows_refresh(double *worst, dp_rows *rows, const dp_rows_input *in,
                          const dp_moment *end, const double *v)
{
    double most = 0.0;
    for (int b = 0; b < rows->nblock; ++b) {
        if (!rows->owner[b].nonlinear) {
            continue;
        }
        double *phi = rows->gap;
        DP_TRY(gap_at(phi, rows, in, &rows->owner[b], end));
        const int *col = rows->problem_col + rows->col_start[b];
        const int ncol = rows->col_start[b + 1] - rows->col_start[b];
        const double *G = rows->G + rows->G_start[b];
        for (int r = rows->row_start[b]; r < rows->row_start[b + 1]; ++r) {
            dp_row *row = &rows->row[r];
            double rate = row->phi_t;
            if (rows->lifted) {
                rate += dp_links_rate_alone(&rows->lift.links, b, r, v);
            }
            for (int j = 0; !rows->lifted && j < ncol; ++j) {
                rate += *G++ * v[col[j]];
            }
            const double next = phi[r - rows->row_start[b]] - in->h * rate;
            const double change = fabs(next - row->phi) * row->len;
            most = change > most ? change : most;
            row->phi = next;
        }
    }
    *worst = most;
    return DP_OK;
}

void dp_rows_add_block(double *tau, const dp_rows *rows, int block, const double *lambda)
{
    const int *col = rows->col + rows->col_start[block];
    const int ncol = rows->col_start[block + 1] - rows->col_start[block];
    const double *G = rows->G + rows->G_start[block];
    if (rows->lifted) {
        dp_lift_add_block(tau, rows, block, lambda);
        return;
    }
    for (int r = rows->row_start[block]; r < rows->row_start[block + 1]; ++r) {
        for (int j = 0; j < ncol; ++j) {
            tau[col[j]] += *G++ * lambda[r];
        }
    }
}

void dp_rows_add_forces(double *tau, const dp_rows *rows, const double *lambda)
{
    for (int b = 0; b < rows->nblock; ++b) {
        dp_rows_add_block(tau, rows, b, lambda);
    }
}

void dp_rows_add_wrenches(dp_wrench *wrench, const dp_rows *rows, const dp_rows_input *in,
                          const double *lambda)
{
    const dp_moment *at = &in->start;
    for (int b = 0; b < rows->nblock; ++b) {
        const dp_row_owner *owner = &rows->owner[b];
        const dp_row_source source = (dp_row_source)owner->source;
        const double *force = lambda + rows->row_start[b];
        switch (source) {
        case DP_ROW_SOURCE_EQUALITY:
            dp_equality_wrench(wrench, in, owner->element, force);
            break;
        case DP_ROW_SOURCE_TENDON_LIMIT:
        case DP_ROW_SOURCE_TENDON_SPRING:
        case DP_ROW_SOURCE_TENDON_FRICTION:
            dp_tendon_pull(wrench, at->kin, at->m, owner->element,
                           dp_tendon_pull_sign(source, owner->feature) * force[0]);
            break;
        case DP_ROW_SOURCE_FOUNDATION:
            dp_foundation_wrench(wrench, in, owner->element, force);
            break;
        case DP_ROW_SOURCE_CONTACT:
            dp_contact_wrench(wrench, rows, in, owner->element,
                              rows->row_start[b + 1] - rows->row_start[b], force);
            break;
        case DP_ROW_SOURCE_JOINT_LIMIT:
        case DP_ROW_SOURCE_JOINT_FRICTION:
        case DP_ROW_SOURCE_DRIVE:
        case DP_ROW_SOURCE_USER:
        case DP_ROW_SOURCE_MOTION:
        case DP_ROW_SOURCES:
            break;
        }
    }
}

double dp_rows_tension(const dp_rows *rows, const dp_rows_input *in, const double *lambda,
                       int tendon)
{
    double tension = 0.0;
    for (int b = 0; b < rows->nblock; ++b) {
        const dp_row_owner *owner = &rows->owner[b];
        const dp_row_source source = (dp_row_source)owner->source;
        const double force = lambda[rows->row_start[b]];
        if (source == DP_ROW_SOURCE_EQUALITY) {
            tension += dp_equality_tension(in, owner->element, tendon, force);
        } else if (owner->element == tendon &&
                   (source == DP_ROW_SOURCE_TENDON_LIMIT || source == DP_ROW_SOURCE_TENDON_SPRING ||
                    source == DP_ROW_SOURCE_TENDON_FRICTION)) {
            tension += dp_tendon_pull_sign(source, owner->feature) * force;
        }
    }
    return tension;
}
