// Springs and dampers along tendons, and what all rows of tendons share.
//
// A spring with one rest length is a two-sided row with k and b. One that is slack between two
// lengths is a pair of one-sided rows with k alone, which pull beyond the upper and push below the
// lower end, beside a two-sided row with b alone: dampers are never slack. Armature a resists the
// change of the rate by −a (l̇₁ − l̇₀)/h, with l̇₁ = J₀ v₁ + δ: a damper of a/h against the rate
// l̇₀ − δ. δ, the change of the rate while no force acts, is 0 in a step, which ends with it
// (SI 4), and h J̇ v for the forces at its start.
#include "assemble/row_sources.h"

#include <math.h>

enum { PUSHES_BELOW = 0, PULLS_BEYOND = 1, DAMPS = 2, CARRIES = DP_TENDON_INERTIA }; // features

void dp_tendon_add(dp_rows *rows, int row, double scale, const dp_tendon_set *set, int tendon)
{
    const size_t start = set->start[tendon];
    dp_block_add_sparse(rows, row, scale, set->count[tendon], set->dof + start,
                        set->gradient + start);
}

void dp_tendon_spring_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.ntendon; ++i) {
        const dp_tendon *t = &m->tendon[i];
        const bool slack = t->spring_range[0] != t->spring_range[1];
        const int nblock = t->stiffness > 0.0 && slack ? 2 + (t->damping > 0.0)
                                                       : t->stiffness > 0.0 || t->damping > 0.0;
        for (int k = 0; k < nblock + (t->armature > 0.0); ++k) {
            dp_room_add(room, 1, dp_tendon_max_dofs(m, i));
        }
    }
}

double dp_tendon_spring_gap(const dp_rows_input *in, int tendon, int feature, const dp_moment *at)
{
    const double *rest = in->start.tendon->spring_range[tendon];
    const double length = at->tendon->length[tendon];
    switch (feature) {
    case PUSHES_BELOW:
        return length - rest[0];
    case PULLS_BEYOND:
        return rest[1] - length;
    default:
        return 0.0; // no spring
    }
}

double dp_tendon_pull_sign(dp_row_source source, int feature)
{
    const bool grows_when_short =
        (source == DP_ROW_SOURCE_TENDON_SPRING && feature == PULLS_BEYOND) ||
        (source == DP_ROW_SOURCE_TENDON_LIMIT && feature == DP_UPPER);
    return grows_when_short ? 1.0 : -1.0;
}

static void make_row(dp_rows *rows, const dp_rows_input *in, int i, int feature, bool one_sided,
                     double k, double b)
{
    const bool far = feature == PULLS_BEYOND;
    dp_block_open(rows, 1);
    dp_tendon_add(rows, 0, far ? -1.0 : 1.0, in->start.tendon, i);
    dp_row *row =
        dp_block_close(rows, (dp_row_owner){.source = DP_ROW_SOURCE_TENDON_SPRING,
                                            .feature = (uint8_t)feature,
                                            .nonlinear = in->start.m->tendon[i].spatial && k > 0.0,
                                            .element = i});
    if (!row) {
        return;
    }
    row->phi = dp_tendon_spring_gap(in, i, feature, &in->start);
    row->lo = one_sided ? 0.0 : -INFINITY;
    row->k = k;
    row->b = b;
}

static void make_springs(dp_rows *rows, const dp_rows_input *in, int i)
{
    const dp_tendon *t = &in->start.m->tendon[i];
    const double k = in->options->disable_springs ? 0.0 : t->stiffness;
    const double b = in->options->disable_dampers ? 0.0 : t->damping;
    const double *rest = in->start.tendon->spring_range[i];
    if (k > 0.0 && rest[0] < rest[1]) {
        make_row(rows, in, i, PUSHES_BELOW, true, k, 0.0);
        make_row(rows, in, i, PULLS_BEYOND, true, k, 0.0);
        if (b > 0.0) {
            make_row(rows, in, i, DAMPS, false, 0.0, b);
        }
    } else if (k > 0.0) {
        make_row(rows, in, i, PUSHES_BELOW, false, k, b); // two-sided: it pulls as well
    } else if (b > 0.0) {
        make_row(rows, in, i, DAMPS, false, 0.0, b);
    }
}

static void make_armature(dp_rows *rows, const dp_rows_input *in, int i)
{
    const double armature = in->start.m->tendon[i].armature;
    if (armature > 0.0) {
        const int before = rows->nrow;
        make_row(rows, in, i, CARRIES, false, 0.0, armature / in->h);
        if (rows->nrow > before) {
            const double rate = dp_tendon_rate(in->start.tendon, i, in->start.v);
            rows->row[before].b_ref = (in->tendon_ahead[i] - rate) - rate;
        }
    }
}

void dp_tendon_spring_make(dp_rows *rows, const dp_rows_input *in)
{
    for (int i = 0; i < in->start.m->size.ntendon; ++i) {
        make_springs(rows, in, i);
        make_armature(rows, in, i);
    }
}
