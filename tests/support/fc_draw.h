// Friction-contact problems for tests and benchmarks: walls, piles, networks of bodies, in the
// global form.
#ifndef DP_TESTS_FC_DRAW_H
#define DP_TESTS_FC_DRAW_H

#include "near.h"

#include <dashpot/advanced/fc.h>

/// A problem with arrays of its own: fc_free.
typedef struct drawn_fc {
    dp_fc p;
    int bodies;
    int capacity; // contacts
    double *mu, *f, *w, *M_value, *H_value;
    int *M_start, *M_row, *H_start, *H_row;
    double *mass, *inertia; // of each body: one number
    double *v;              // 6 of each body: where it would go, turning first
} drawn_fc;

drawn_fc fc_new(int bodies, int contacts);
void fc_free(drawn_fc *x);
/// A contact at p between bodies a and b (−1: the world), centres at ca and cb, n from a to b.
void fc_touch(drawn_fc *x, int a, int b, dp_v3 ca, dp_v3 cb, dp_v3 p, dp_v3 n, double mu);
/// f = M v, once all is set.
void fc_finish(drawn_fc *x);

/// Bricks in running bond, pushed sideways at the top: four contacts for each pair of faces.
drawn_fc fc_wall(int rows, int columns, double mu, double push);
/// Balls in a box, in a dense grid that random displacements and weights disturb.
drawn_fc fc_pile(int nx, int ny, int nz, double mu, uint64_t seed);
/// Contacts between bodies drawn at random, masses over `decades`.
drawn_fc fc_network(int bodies, int contacts, double decades, double mu, uint64_t seed);

/// Solve from 0. @param r 3 nc
dp_fc_info fc_solve(const dp_fc *p, double *r, const dp_fc_options *opt);

#endif
