// Proved normals of two curved shapes that overlap: what is claimed about the normals around them.
#include "convex_trial.h"

#include "collide/convex/minkowski.h"

#include <math.h>

// s(n), whatever the normal is for.
static double gap_along(dp_difference *m, dp_v3 n)
{
    dp_corner c;
    dp_difference_support(&c, m, dp_v3_back(n));
    return dp_v3_dot(n, c.w);
}

static dp_v3 random_unit(random_source *r)
{
    double x[3];
    random_direction(x, 3, r);
    return dp_v3_load(x);
}

// A normal that makes an angle with n: any, but often near the greatest.
static dp_v3 turned_by(dp_v3 n, double most, random_source *r)
{
    const double angle = most * sqrt(random_between(r, 0.0, 1.0));
    const dp_v3 t = dp_v3_unit(dp_v3_cross(n, random_unit(r)));
    return dp_v3_madd(dp_v3_scale(n, cos(angle)), sin(angle), t);
}

static void no_normal_within_the_angle_of_a_proved_one_gives_more(void **state)
{
    (void)state;
    static const dp_geom_kind kinds[] = {DP_GEOM_SPHERE,    DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                         DP_GEOM_ELLIPSOID, DP_GEOM_BOX,     DP_GEOM_MESH};
    static const situation some[] = {ANYHOW, DEEP, SLENDER, PARALLEL, TOUCHING};
    const dp_simplex none = {.count = 0};
    random_source r = {21};
    int narrow = 0, wide = 0, all = 0;
    for (int k = 0; k < 12000; ++k) {
        convex_trial t;
        convex_trial_begin(&t, &r, k % 2 == 0 ? DP_GEOM_CYLINDER : DP_GEOM_ELLIPSOID,
                           kinds[k / 2 % 6], some[k / 12 % 5], 1.0);
        const dp_placed a = dp_place(&t.shape[0], t.pose[0]), b = dp_place(&t.shape[1], t.pose[1]);
        dp_difference m = dp_difference_of(&a, &b);
        for (int i = 0; i < 4; ++i) {
            dp_refined_normal p;
            if (!dp_newton_refine(&p, &m, &none, random_unit(&r)) || !(p.gap < 0.0) ||
                p.cosine > 1.0) {
                continue;
            }
            all += p.only;
            narrow += p.cosine > 0.0;
            wide += p.cosine <= 0.0 && !p.only;
            for (int j = 0; j < 40; ++j) {
                const dp_v3 n = turned_by(p.normal, acos(p.cosine), &r);
                // A proof is good to 1e-13 of the size.
                assert_true(gap_along(&m, n) <= p.gap + 1e-12 * m.size);
            }
        }
        convex_trial_end(&t);
    }
    assert_true(narrow > 4000);
    assert_true(wide > 200);
    assert_true(all > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_normal_within_the_angle_of_a_proved_one_gives_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
