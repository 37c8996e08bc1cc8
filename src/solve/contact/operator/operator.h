// What the searches need of linear algebra, behind one interface: products with the rows G, the
// response M̃⁻¹ Gᵀ, and factors of H = M̃ + Gᵀ C G. A way of linear algebra is one table of
// functions. Vectors by row are scaled as the contacts say.
#ifndef DP_SOLVE_CONTACT_OPERATOR_H
#define DP_SOLVE_CONTACT_OPERATOR_H

#include "solve/contact/coulomb.h"

#include <dashpot/advanced/law.h>

struct dp_operator {
    const char *name;
    /// Memory, and what follows from the structure of the problem.
    dp_status (*take)(dp_coulomb *c, dp_arena *scratch);
    /// Factor M̃ of other numbers. @return DP_ERROR_NUMERIC
    dp_status (*restart)(dp_coulomb *c);
    /// c->w = the diagonal of W = G M̃⁻¹ Gᵀ
    void (*mobilities)(dp_coulomb *c);
    /// u = G v
    void (*row_velocities)(const dp_coulomb *c, double *u, const double *v);
    /// v = M̃⁻¹ Gᵀ x and u = G v. @param u NULL: not asked for
    void (*respond)(dp_coulomb *c, double *v, double *u, const double *x);
    /// c->v = M̃⁻¹ Gᵀ of one row alone, not scaled, on the trees that its block acts on
    void (*respond_to_row)(dp_coulomb *c, int block, int row);
    /// Factor H with C as it is. @return false: it is singular, or there is no room
    /// (c->room.status)
    bool (*factor)(dp_coulomb *c);
    /// v = H⁻¹ Gᵀ q and u = G v, by these factors
    void (*answer)(dp_coulomb *c, double *v, double *u, const double *q);
};

extern const dp_operator dp_links_operator; ///< one tree of links, articulated: operator_links.c
extern const dp_operator dp_trees_operator; ///< trees, by branches or blocks: operator_trees.c

dp_status dp_operator_refuse_mass(int velocity);

// Of trees: row_products.c, mass_products.c

void dp_trees_mobilities(dp_coulomb *c);
void dp_trees_row_velocities(const dp_coulomb *c, double *u, const double *v);
void dp_trees_respond_to_row(dp_coulomb *c, int block, int row);

#endif
