// Overlap and depth beside libccd (GJK and EPA, in double precision), on shapes of size 1.
//
// libccd stops where its expansion changes by less than its tolerance, and now and then loses its
// way; where the two disagree the reference decides.
#include "shape_draw.h"

#include <ccd/ccd.h>
#include <math.h>

enum { DRAWS = 240, MOST_ITERATIONS = 500 };

// [m] of shapes of size 1: what libccd is asked for, and what its answer is trusted to.
static const double TOLERANCE = 1e-8, TRUST = 1e-3;

static void ccd_support(const void *body, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const reference_body *s = body;
    const wide_v3 n = {direction->v[0], direction->v[1], direction->v[2]};
    const wide_v3 x = reference_support(s, n);
    ccdVec3Set(out, (double)(s->p.x + x.x), (double)(s->p.y + x.y), (double)(s->p.z + x.z));
}

typedef struct score {
    int overlaps, apart, depths, disagreements;
} score;

static void compare(score *out, const drawn_pair *pair)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd_support;
    ccd.support2 = ccd_support;
    ccd.max_iterations = MOST_ITERATIONS;
    ccd.epa_tolerance = TOLERANCE;
    dp_distance d;
    assert_int_equal(dp_shapes_distance(&d, &pair->shape[0], pair->pose[0], &pair->shape[1],
                                        pair->pose[1], (double)INFINITY, NULL),
                     DP_OK);
    if (fabs(d.gap) < TRUST) {
        return;
    }
    double depth = 0.0;
    ccd_vec3_t direction, position;
    const bool meets =
        ccdGJKPenetration(&pair->body[0], &pair->body[1], &ccd, &depth, &direction, &position) == 0;
    const bool agree =
        meets == (d.gap < 0.0) && (!meets || fabs(depth + d.gap) <= TRUST * pair->size);
    ++*(d.gap < 0.0 ? &out->overlaps : &out->apart);
    out->depths += meets && agree;
    if (!agree) {
        ++out->disagreements;
        // What our normal sees is ours, and no direction is better.
        const reference_body *a = &pair->body[0], *b = &pair->body[1];
        const double near = 1e-9 * pair->size;
        assert_near((double)reference_gap_along(a, b, wide_from(d.normal)), d.gap, near);
        reference_search how = reference_search_default(a, b);
        how.known = d.gap;
        how.tolerance = near;
        how.most_evaluations = 20000;
        assert_near((double)reference_gap(a, b, &how).gap, d.gap, near);
    }
}

static void overlap_and_depth_agree_with_libccd_or_the_reference_sides_with_us(void **state)
{
    (void)state;
    random_source r = {6};
    static const draw_situation situation[] = {
        DRAW_ANY, DRAW_SHALLOW, DRAW_DEEP, DRAW_NESTED, DRAW_CONCENTRIC, DRAW_PARALLEL, DRAW_EDGES};
    score sum = {0};
    for (int a = DP_GEOM_SPHERE; a <= DP_GEOM_MESH; ++a) {
        for (int b = a; b <= DP_GEOM_MESH; ++b) {
            for (int i = 0; i < DRAWS; ++i) {
                drawn_pair pair;
                draw_pair(&pair, (const dp_geom_kind[2]){(dp_geom_kind)a, (dp_geom_kind)b},
                          situation[i % (int)(sizeof situation / sizeof *situation)], &r);
                compare(&sum, &pair);
            }
        }
    }
    print_message("%d overlap (%d depths alike), %d apart, %d times libccd says otherwise\n",
                  sum.overlaps, sum.depths, sum.apart, sum.disagreements);
    assert_true(sum.overlaps > 1000 && sum.apart > 500);
    assert_true(2 * sum.depths > sum.overlaps); // else the comparison says little
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlap_and_depth_agree_with_libccd_or_the_reference_sides_with_us),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
