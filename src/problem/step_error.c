// The bodies at a contact that are at rest relative to each other, or move together, need no more
// than one step to be where they should be. Else the contact goes by h u₀ within the step, u₀ = G
// v₀, and where on that way it opens, closes or comes to stick is not resolved: half of it, in
// terms of velocities
//
//     e_t = ½ max |u₀|                                                                     (SE 1)
//
// over the contacts of a tree t. What one free body is off by shows in the impulses of its
// neighbours: it is passed on through contacts,
//
//     e_t ← max(e_t, 0.8 e_s)   for s and t in contact,                                    (SE 2)
//
// and fades with the distance. At half of it the slow bodies of a pile of rigid balls, whose
// impulses depend on those of the fast ones, take 36 factorizations a step instead of 1.5. A
// mechanism passes on nothing: its joints bear what one of its contacts is off by. The error is a
// continuous function of the state before the step.
#include "problem/step_error.h"

#include "problem/gradient.h"
#include "problem/laws/contact_law.h"

#include <math.h>
#include <string.h>

enum { PASSES = 4, FREE_BODY = 6 };
static const double PASSED_ON = 0.8;

static bool is_contact(const dp_step_problem *p, int block)
{
    return p->friction_of && p->friction_of[block] >= 0;
}

static int tree_of(const dp_step_problem *p, int velocity)
{
    int low = 0, high = p->ntree;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(p->tree_start[middle] <= velocity ? &low : &high) = middle;
    }
    return low;
}

// Columns k … @return of a block that belong to the tree of the first one.
static int end_of_tree(const dp_step_problem *p, int block, int k, int tree)
{
    const int *col = p->col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    while (k < ncol && col[k] < p->tree_start[tree + 1]) {
        ++k;
    }
    return k;
}

// The errors of the trees of a block to e, if they are less. @param all else those of free bodies
static void raise(double *error, const dp_step_problem *p, int block, double e, bool all)
{
    const int *col = p->col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    for (int from = 0, end; from < ncol; from = end) {
        const int tree = tree_of(p, col[from]);
        end = end_of_tree(p, block, from, tree);
        if (all || p->tree_start[tree + 1] - p->tree_start[tree] == FREE_BODY) {
            error[tree] = fmax(error[tree], e);
        }
    }
}

// ½ |u₀|, the largest of its rows
static double half_speed(const dp_step_problem *p, int block)
{
    double u[DP_CONTACT_ROWS], most = 0.0;
    const int first = p->row_start[block], nrow = p->row_start[block + 1] - first;
    dp_gradient_apply(u, p, block, p->v0);
    for (int i = 0; i < nrow; ++i) {
        most = fmax(most, 0.5 * fabs(u[i]) * p->row[first + i].len);
    }
    return most;
}

void dp_step_errors(double *error, const dp_step_problem *p)
{
    memset(error, 0, (size_t)p->ntree * sizeof *error);
    for (int b = 0; b < p->nblock; ++b) {
        if (is_contact(p, b)) {
            raise(error, p, b, half_speed(p, b), true);
        }
    }
    for (int k = 0; k < PASSES; ++k) {
        for (int i = 0; i < p->nblock; ++i) {
            const int b = k % 2 == 0 ? i : p->nblock - 1 - i;
            if (is_contact(p, b)) {
                raise(error, p, b, PASSED_ON * dp_step_error_of(p, b, error), false);
            }
        }
    }
}

double dp_step_error_of(const dp_step_problem *p, int block, const double *error)
{
    const int *col = p->col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    double most = 0.0;
    for (int from = 0; is_contact(p, block) && from < ncol;) {
        const int tree = tree_of(p, col[from]);
        most = fmax(most, error[tree]);
        from = end_of_tree(p, block, from, tree);
    }
    return most;
}
