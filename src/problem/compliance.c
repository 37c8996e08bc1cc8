#include "problem/compliance.h"

#include "base/union_find.h"
#include "problem/laws/contact_law.h"
#include "problem/laws/normal_law.h"
#include "problem/laws/rigid.h"

#include <math.h>
#include <string.h>

static int tree_of(const dp_step_problem *p, int velocity)
{
    int low = 0, high = p->ntree; // tree_start[low] ≤ velocity < tree_start[high]
    while (high - low > 1) {
        const int mid = (low + high) / 2;
        if (p->tree_start[mid] <= velocity) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

// The tree by which a block finds its island; without columns it may stand anywhere.
static int tree_of_block(const dp_step_problem *p, int block)
{
    const int first = p->col_start[block];
    return first < p->col_start[block + 1] ? tree_of(p, p->col[first]) : 0;
}

// The sums of the island that a block belongs to.
static double *sums_of(const dp_compliance *by, const dp_step_problem *p, int block)
{
    const int island = dp_union_lowest(by->island, tree_of_block(p, block));
    return by->sum + (ptrdiff_t)DP_COMPLIANCE_SUMS * island;
}

static void join_trees(const dp_compliance *by, const dp_step_problem *p)
{
    for (int t = 0; t < p->ntree; ++t) {
        by->island[t] = t;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const int first = tree_of_block(p, b);
        for (int c = p->col_start[b]; c < p->col_start[b + 1]; ++c) {
            dp_union_join(by->island, first, tree_of(p, p->col[c]));
        }
    }
}

static bool is_linear(const dp_step_problem *p, int block)
{
    const dp_normal *normal = dp_normal_of(p, block);
    return !normal || normal->kind != DP_NORMAL_HERTZ;
}

static bool is_stiffness(double k)
{
    return k > 0.0 && k < (double)INFINITY;
}

// 1/k of a row as a length over a force, 0: it says none. @param normal the k of its contact
static double give_of(const dp_row *row, double normal)
{
    const double k = is_stiffness(row->k) ? row->k : normal;
    return is_stiffness(k) ? row->len * row->len / k : 0.0;
}

// The k of a contact's normal, 0 of other blocks.
static double normal_stiffness(const dp_row *row, const dp_step_problem *p, int block)
{
    return dp_friction_of(p, block) && is_linear(p, block) ? row[p->row_start[block]].k : 0.0;
}

static bool gets_some(const dp_row *row, const dp_step_problem *p, int block)
{
    return dp_friction_of(p, block) || dp_row_is_one_sided(row) || dp_row_soft(row, p->h).R == 0.0;
}

// w = Σ G²/diag M̃ of a row with these gradients.
static double mobility_of(const double *G, const int *col, int ncol, const dp_step_problem *p)
{
    double w = 0.0;
    for (int k = 0; k < ncol; ++k) {
        w += G[k] * G[k] / p->Mt[p->Mt_start[col[k]]];
    }
    return w;
}

// Of an island: rows, Σ w, rows that say a stiffness, Σ 1/k.
static void add_sums(const dp_compliance *by, const dp_row *row, const dp_step_problem *p)
{
    memset(by->sum, 0, (size_t)p->ntree * DP_COMPLIANCE_SUMS * sizeof *by->sum);
    for (int b = 0; b < p->nblock; ++b) {
        double *sum = sums_of(by, p, b);
        const double normal = normal_stiffness(row, p, b);
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            if (!gets_some(&row[r], p, b)) {
                continue;
            }
            const double give = give_of(&row[r], normal), w = mobility_of(G, col, ncol, p);
            sum[0] += 1.0;
            sum[1] += w * row[r].len * row[r].len;
            sum[2] += give > 0.0;
            sum[3] += give;
        }
    }
}

// R of a row, of which dp_rigid_rows has not taken the k yet. @param scale of contact_law.h
static double compliance_of(const dp_compliance *by, const double *sum, const dp_row *row,
                            double normal, double scale)
{
    const double least = 1e-3; // a row that hardly does anything
    const double give = by->equal ? 0.0 : give_of(row, normal);
    const double ratio = give > 0.0 ? give * sum[2] / sum[3] : 1.0;
    const double by_scale = row->len * (scale > least ? scale : 1.0);
    return by->s * (sum[1] / sum[0]) * ratio / (by_scale * by_scale);
}

// The scale of each row of a block.
static void find_scales(double *scale, const dp_step_problem *p, int block)
{
    const dp_friction *friction = dp_friction_of(p, block);
    const int nrow = p->row_start[block + 1] - p->row_start[block];
    dp_friction_group group[DP_CONTACT_GROUPS];
    const int ngroup = friction ? dp_friction_groups(group, friction, nrow) : 0;
    for (int i = 0; i < DP_CONTACT_ROWS; ++i) {
        scale[i] = 1.0;
    }
    for (int g = 0; g < ngroup; ++g) {
        for (int k = 0; k < group[g].count; ++k) {
            scale[group[g].first + k] = group[g].scale[k];
        }
    }
}

// R γ + G v = û, where û is that of the rigid row.
static void soften(dp_row *row, double R, double h, bool in_velocity)
{
    const double k = 1.0 / (h * h * R), b = 1.0 / (h * R);
    if (R > 0.0 && k < (double)INFINITY && k > 0.0) {
        row->k = in_velocity ? 0.0 : k;
        row->b = in_velocity ? b : 0.0;
    }
}

int dp_compliant_rows(dp_row *row, const dp_step_problem *p, const dp_compliance *by)
{
    join_trees(by, p);
    add_sums(by, row, p);
    int replaced = 0;
    for (int b = 0; b < p->nblock; ++b) {
        const double *sum = sums_of(by, p, b);
        const double normal = normal_stiffness(row, p, b);
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        double scale[DP_CONTACT_ROWS];
        find_scales(scale, p, b);
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
            const bool gets = gets_some(&row[r], p, b);
            if (by->given) {
                by->given[r] = gets;
            }
            if (gets) {
                const int place = r - p->row_start[b];
                const double own = place < DP_CONTACT_ROWS ? scale[place] : 1.0;
                double R = compliance_of(by, sum, &row[r], normal, own);
                if (by->limit && !dp_friction_of(p, b) && !dp_row_is_one_sided(&row[r])) {
                    R = fmin(R, 0.5 * DP_UNEVEN * by->s * mobility_of(G, col, ncol, p));
                }
                replaced += dp_rigid_row(&row[r], p, b, place);
                soften(&row[r], R, p->h, row[r].k < (double)INFINITY);
            }
        }
    }
    return replaced;
}
