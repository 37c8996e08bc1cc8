// Is a problem one that a law can take? In this order: sizes, starts, places, numbers; each check
// relies on those before it, so nothing is read where nothing need be.
#include "problem/problem_check.h"

#include "linalg/tree_ldl.h"
#include "problem/laws/normal_law.h"
#include "problem/laws/row_law.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static dp_status check_sizes(const dp_step_problem *p)
{
    const struct {
        const char *name;
        int value;
    } size[] = {{"nv", p->nv},
                {"ntree", p->ntree},
                {"nblock", p->nblock},
                {"nrow", p->nrow},
                {"nfriction", p->nfriction}};
    for (size_t i = 0; i < sizeof size / sizeof *size; ++i) {
        if (size[i].value < 0) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s is %d (expected 0 or more)", size[i].name,
                           size[i].value);
        }
    }
    if (!(p->h > 0.0 && isfinite(p->h))) {
        return dp_fail(DP_ERROR_ARGUMENT, "h is %g (expected a step above 0)", p->h);
    }
    return DP_OK;
}

static dp_status check_arrays(const dp_step_problem *p)
{
    const struct {
        const char *name;
        const void *array;
        bool needed;
    } array[] = {
        {"tree_start", p->tree_start, p->ntree > 0 || p->nv > 0},
        {"parent", p->parent, p->nv > 0},
        {"Mt_start", p->Mt_start, p->nv > 0},
        {"Mt", p->Mt, p->nv > 0},
        {"v0", p->v0, p->nv > 0},
        {"v_free", p->v_free, p->nv > 0},
        {"row_start", p->row_start, p->nblock > 0 || p->nrow > 0},
        {"id", p->id, p->nblock > 0},
        {"col_start", p->col_start, p->nblock > 0},
        {"G_start", p->G_start, p->nblock > 0},
        {"row", p->row, p->nrow > 0},
        {"friction_of", p->friction_of, p->nfriction > 0},
        {"friction", p->friction, p->nfriction > 0},
    };
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) {
        if (array[i].needed && !array[i].array) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s is NULL (expected an array)", array[i].name);
        }
    }
    return DP_OK;
}

dp_status dp_problem_check_starts(const int *start, int n, int end, const char *name)
{
    if (start[0] != 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s[0] is %d (expected 0)", name, start[0]);
    }
    for (int i = 0; i < n; ++i) {
        if (start[i + 1] < start[i]) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s[%d] is %d (expected %d or more)", name, i + 1,
                           start[i + 1], start[i]);
        }
    }
    if (end >= 0 && start[n] != end) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s[%d] is %d (expected %d, the number of them)", name, n,
                       start[n], end);
    }
    return DP_OK;
}

static dp_status check_finite(const double *x, size_t n, const char *name)
{
    for (size_t i = 0; i < n; ++i) {
        if (!isfinite(x[i])) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s[%zu] is %g (expected a finite number)", name, i,
                           x[i]);
        }
    }
    return DP_OK;
}

static dp_status check_parents(const dp_step_problem *p)
{
    for (int t = 0; t < p->ntree; ++t) {
        const int first = p->tree_start[t];
        for (int i = first; i < p->tree_start[t + 1]; ++i) {
            if (p->parent[i] != -1 && (p->parent[i] < first || p->parent[i] >= i)) {
                return dp_fail(DP_ERROR_ARGUMENT,
                               "parent[%d] is %d (expected -1, or one before it in its tree, which "
                               "begins at %d)",
                               i, p->parent[i], first);
            }
        }
    }
    return DP_OK;
}

static dp_status check_columns(const dp_step_problem *p, int block)
{
    int least = 0;
    for (int c = p->col_start[block]; c < p->col_start[block + 1]; ++c) {
        if (p->col[c] < least || p->col[c] >= p->nv) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "col[%d] is %d (expected a velocity from %d to %d: those of a block "
                           "ascend)",
                           c, p->col[c], least, p->nv - 1);
        }
        least = p->col[c] + 1;
    }
    return DP_OK;
}

static dp_status check_ids(const uint64_t *id, int n)
{
    for (int i = 1; i < n; ++i) {
        if (id[i] <= id[i - 1]) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "id[%d] is %" PRIx64 " (expected more than %" PRIx64 ": ids ascend)", i,
                           id[i], id[i - 1]);
        }
    }
    return DP_OK;
}

dp_status dp_problem_check_places(const dp_step_problem *p)
{
    DP_TRY(check_sizes(p));
    if (p->tree_start) {
        DP_TRY(dp_problem_check_starts(p->tree_start, p->ntree, p->nv, "tree_start"));
        DP_TRY(check_parents(p));
    }
    if (p->row_start) {
        DP_TRY(dp_problem_check_starts(p->row_start, p->nblock, p->nrow, "row_start"));
    }
    if (p->nblock == 0) {
        return DP_OK;
    }
    DP_TRY(dp_problem_check_starts(p->col_start, p->nblock, -1, "col_start"));
    DP_TRY(check_ids(p->id, p->nblock));
    if (p->col_start[p->nblock] > 0 && !p->col) {
        return dp_fail(DP_ERROR_ARGUMENT, "col is NULL (expected an array)");
    }
    for (int i = 0; i < p->nblock; ++i) {
        DP_TRY(check_columns(p, i));
    }
    return DP_OK;
}

dp_status dp_warm_check(const dp_warm *warm)
{
    DP_TRY(check_ids(warm->id, warm->nblock));
    DP_TRY(dp_problem_check_starts(warm->row_start, warm->nblock, -1, "row_start"));
    const size_t nrow = (size_t)warm->row_start[warm->nblock];
    DP_TRY(check_finite(warm->gamma, nrow, "gamma"));
    return warm->change ? check_finite(warm->change, nrow, "change") : DP_OK;
}

size_t dp_problem_tree_row(const dp_step_problem *p, const size_t *Mt_start, int i)
{
    const int parent = p->parent[i];
    return 1 + (parent < 0 ? 0 : Mt_start[parent + 1] - Mt_start[parent]);
}

size_t dp_problem_block_elements(const dp_step_problem *p, int block)
{
    return (size_t)(p->row_start[block + 1] - p->row_start[block]) *
           (size_t)(p->col_start[block + 1] - p->col_start[block]);
}

// `start` against the number of elements of each piece.
static dp_status check_next(const size_t *start, int i, size_t elements, const char *name)
{
    if (start[i + 1] != start[i] + elements) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s[%d] is %zu (expected %zu: %zu elements from %zu on)",
                       name, i + 1, start[i + 1], start[i] + elements, elements, start[i]);
    }
    return DP_OK;
}

static dp_status check_matrices(const dp_step_problem *p)
{
    if (p->nv > 0 && p->Mt_start[0] != 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "Mt_start[0] is %zu (expected 0)", p->Mt_start[0]);
    }
    for (int i = 0; i < p->nv; ++i) {
        DP_TRY(check_next(p->Mt_start, i, dp_problem_tree_row(p, p->Mt_start, i), "Mt_start"));
    }
    if (p->nv > 0) {
        DP_TRY(check_finite(p->Mt, p->Mt_start[p->nv], "Mt"));
        DP_TRY(check_finite(p->v0, (size_t)p->nv, "v0"));
        DP_TRY(check_finite(p->v_free, (size_t)p->nv, "v_free"));
    }
    if (p->nblock == 0) {
        return DP_OK;
    }
    if (p->G_start[0] != 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "G_start[0] is %zu (expected 0)", p->G_start[0]);
    }
    for (int i = 0; i < p->nblock; ++i) {
        DP_TRY(check_next(p->G_start, i, dp_problem_block_elements(p, i), "G_start"));
    }
    if (p->G_start[p->nblock] > 0 && !p->G) {
        return dp_fail(DP_ERROR_ARGUMENT, "G is NULL (expected an array)");
    }
    return check_finite(p->G, p->G_start[p->nblock], "G");
}

static dp_status bad_row(int i, const char *name, double found, const char *expected)
{
    return dp_fail(DP_ERROR_ARGUMENT, "row[%d].%s is %g (expected %s)", i, name, found, expected);
}

static dp_status check_row(const dp_row *row, int i, double h)
{
    const struct {
        const char *name;
        double value;
    } finite[] = {{"phi", row->phi}, {"phi_t", row->phi_t}, {"b_ref", row->b_ref}};
    for (size_t f = 0; f < sizeof finite / sizeof *finite; ++f) {
        if (!isfinite(finite[f].value)) {
            return bad_row(i, finite[f].name, finite[f].value, "a finite number");
        }
    }
    if (!(row->k >= 0.0)) {
        return bad_row(i, "k", row->k, "0 or more");
    }
    if (!(row->b >= 0.0)) {
        return bad_row(i, "b", row->b, "0 or more");
    }
    if (!(row->lo <= 0.0)) {
        return bad_row(i, "lo", row->lo, "0 or less");
    }
    if (!(row->hi >= 0.0)) {
        return bad_row(i, "hi", row->hi, "0 or more");
    }
    if (!(row->len > 0.0 && isfinite(row->len))) {
        return bad_row(i, "len", row->len, "a length above 0");
    }
    const dp_soft soft = dp_row_soft(row, h);
    if (!isfinite(soft.R)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "row[%d].k is %g and b is %g (expected one of them to hold the row: "
                       "1/(h² k + h b) is not finite)",
                       i, row->k, row->b);
    }
    if (!isfinite(-row->phi / h - row->phi_t)) {
        return bad_row(i, "phi", row->phi, "a gap that a finite velocity can close in a step");
    }
    return DP_OK;
}

static dp_status check_friction(const dp_friction *f, int i)
{
    const struct {
        const char *name;
        double value;
    } number[] = {{"mu[0]", f->mu[0]},
                  {"mu[1]", f->mu[1]},
                  {"torsion", f->torsion},
                  {"roll[0]", f->roll[0]},
                  {"roll[1]", f->roll[1]}};
    for (size_t k = 0; k < sizeof number / sizeof *number; ++k) {
        if (!(number[k].value >= 0.0 && isfinite(number[k].value))) {
            return dp_fail(DP_ERROR_ARGUMENT, "friction[%d].%s is %g (expected 0 or more, finite)",
                           i, number[k].name, number[k].value);
        }
    }
    return DP_OK;
}

static dp_status check_normal(const dp_normal *n, int i)
{
    if ((int)n->kind < DP_NORMAL_SPRING || (int)n->kind > DP_NORMAL_HERTZ) {
        return dp_fail(DP_ERROR_ARGUMENT, "normal[%d].kind is %d (expected %d to %d)", i,
                       (int)n->kind, DP_NORMAL_SPRING, DP_NORMAL_HERTZ);
    }
    if (!(n->dissipation >= 0.0 && isfinite(n->dissipation))) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "normal[%d].dissipation is %g (expected 0 or more, finite)", i,
                       n->dissipation);
    }
    return DP_OK;
}

// A contact has a one-sided normal and two-sided rows of friction behind it.
static dp_status check_contact(const dp_step_problem *p, int block)
{
    const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
    if (p->friction_of[block] >= p->nfriction || p->friction_of[block] < -1) {
        return dp_fail(DP_ERROR_ARGUMENT, "friction_of[%d] is %d (expected -1 to %d)", block,
                       p->friction_of[block], p->nfriction - 1);
    }
    if (p->friction_of[block] < 0) {
        return DP_OK;
    }
    if (nrow != 3 && nrow != 4 && nrow != 6) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "block[%d] has %d rows (expected 3, 4 or 6, as it has friction)", block,
                       nrow);
    }
    if (p->row[first].lo != 0.0) {
        return bad_row(first, "lo", p->row[first].lo, "0, as it is the normal of a contact");
    }
    if (!isinf(p->row[first].hi)) {
        return bad_row(first, "hi", p->row[first].hi, "inf, as it is the normal of a contact");
    }
    if (dp_normal_of(p, block) && !(p->row[first].k > 0.0 && isfinite(p->row[first].k))) {
        return bad_row(first, "k", p->row[first].k, "above 0 and finite, for a law of its own");
    }
    if (dp_normal_of(p, block) && p->row[first].b != 0.0) {
        return bad_row(first, "b", p->row[first].b, "0, for a normal with a law of its own");
    }
    for (int r = first + 1; r < first + nrow; ++r) {
        if (!isinf(p->row[r].lo)) {
            return bad_row(r, "lo", p->row[r].lo, "-inf: friction has its own range");
        }
        if (!isinf(p->row[r].hi)) {
            return bad_row(r, "hi", p->row[r].hi, "inf: friction has its own range");
        }
    }
    return DP_OK;
}

static dp_status check_definite(const dp_step_problem *p, const dp_allocator *a)
{
    if (p->nv == 0) {
        return DP_OK;
    }
    const size_t n = p->Mt_start[p->nv];
    double *LD;
    DP_TRY(dp_allocate(&LD, a, n, sizeof *LD));
    memcpy(LD, p->Mt, n * sizeof *LD);
    const int bad = dp_tree_ldl_factor(LD, (dp_tree_ldl){p->nv, p->parent, p->Mt_start});
    const double pivot = bad < 0 ? 1.0 : LD[p->Mt_start[bad]];
    dp_release(a, LD, n, sizeof *LD);
    if (bad >= 0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "Mt is not positive definite (found the pivot %g at velocity %d, expected "
                       "more than 0)",
                       pivot, bad);
    }
    return DP_OK;
}

dp_status dp_problem_check(const dp_step_problem *p, const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    DP_TRY(check_sizes(p));
    DP_TRY(check_arrays(p));
    DP_TRY(dp_problem_check_places(p));
    DP_TRY(check_matrices(p));
    for (int i = 0; i < p->nrow; ++i) {
        DP_TRY(check_row(&p->row[i], i, p->h));
    }
    for (int i = 0; i < p->nfriction; ++i) {
        DP_TRY(check_friction(&p->friction[i], i));
        DP_TRY(p->normal ? check_normal(&p->normal[i], i) : DP_OK);
    }
    for (int i = 0; p->friction_of && i < p->nblock; ++i) {
        DP_TRY(check_contact(p, i));
    }
    DP_TRY(check_definite(p, &a));
    return p->links ? dp_links_check(p, &a) : DP_OK;
}
