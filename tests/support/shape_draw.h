// Pairs of convex shapes at random, in the situations where distances go wrong.
#ifndef DP_TESTS_SHAPE_DRAW_H
#define DP_TESTS_SHAPE_DRAW_H

#include "shape_reference.h"
#include "test_random.h"

#include <dashpot/advanced/collide.h>

/// A hull with the points it was made of.
typedef struct drawn_hull {
    dp_hull *hull;
    double *vertex;
    int nvertex;
} drawn_hull;

enum { STOCK_PLAIN = 40, STOCK_SLENDER = 24, STOCK_DECADES = 13, STOCK_PER_DECADE = 4 };

/// Hulls to choose from: making one takes longer than asking it a question.
typedef struct hull_stock {
    drawn_hull plain[STOCK_PLAIN];                      // of size 1: clouds, prisms, boxes
    drawn_hull slender[STOCK_SLENDER];                  // up to 1 : 1e4
    drawn_hull scaled[STOCK_DECADES][STOCK_PER_DECADE]; // of sizes 1e-6 … 1e6
} hull_stock;
/// The stock of a group of tests, and what fills and clears it: cmocka's set-up and tear-down.
extern hull_stock stock;
int stock_fill(void **state);
int stock_clear(void **state);

typedef enum draw_situation {
    DRAW_ANY,        // anywhere between deep and well apart
    DRAW_TOUCHING,   // gap of some round-off, either sign
    DRAW_SHALLOW,    // gap between ±1e-10 and ±1e-2 of the size
    DRAW_DEEP,       // places close to each other
    DRAW_NESTED,     // one is much smaller and inside
    DRAW_CONCENTRIC, // at one place, turned at random or not at all
    DRAW_PARALLEL,   // axes along each other: faces on faces
    DRAW_EDGES,      // the normal is across an axis of each
    DRAW_SLENDER,    // up to 1 : 1e4
    DRAW_SCALES,     // both of a size between 1e-6 and 1e6 m
    DRAW_MIXED,      // each of its own size between 1e-6 and 1e6 m
    DRAW_SITUATIONS
} draw_situation;
extern const char *const DRAW_NAME[DRAW_SITUATIONS];

typedef struct drawn_pair {
    dp_shape shape[2];
    dp_pose pose[2];
    reference_body body[2]; // the same for the reference
    double size;            // [m] radius of one plus radius of the other
} drawn_pair;

/// `kind` up to DP_GEOM_MESH, which is a hull; not two planes. Hulls come from the stock.
void draw_pair(drawn_pair *out, const dp_geom_kind kind[2], draw_situation situation,
               random_source *r);

/// What the kinds up to DP_GEOM_MESH are called, and what a pair is: "box-hull".
enum { DRAW_KINDS = DP_GEOM_MESH + 1 };
extern const char *const KIND[DRAW_KINDS];
typedef struct pair_name {
    char text[40];
} pair_name;
pair_name name_of_pair(int a, int b);
/// Is this pair asked for? DP_PAIR=box-hull in the environment asks for that one alone.
bool pair_wanted(int a, int b);

dp_quat random_rotation(random_source *r);

/// Are both the same shape at the same place? Then nothing tells which is A, and no answer can be
/// mirrored when they are swapped.
bool drawn_twice(const drawn_pair *pair);

/// The poses have changed: let the reference know.
void drawn_pair_replace(drawn_pair *pair, dp_pose X_WA, dp_pose X_WB);

/// How far `x` is outside of shape `i`, zero inside: of hulls the distance beyond the furthest
/// face.
long double drawn_outside(const drawn_pair *pair, int i, dp_v3 x);

#endif
