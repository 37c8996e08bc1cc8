// Many contacts that meet at once, with friction, at random: the default rule gains no energy, the
// others may, and tell when they do.
#include "impact_rig.h"
#include "mechanism.h"

#include <math.h>

// Trees of several velocities and contacts between them and with the floor, all closed.
static law_problem random_impact(random_source *r)
{
    const int ntree = 1 + random_below(r, 3), ncontact = 1 + random_below(r, 4);
    law_problem lp = law_problem_create(1e-3, 18, 12);
    for (int t = 0; t < ntree; ++t) {
        law_problem_tree(&lp, 6, random_chance(r, 0.5), random_between(r, 0.1, 10.0), r);
    }
    for (int i = 0; i < lp.p.nv; ++i) {
        lp.v0[i] = lp.v_free[i] = random_between(r, -2.0, 2.0);
    }
    for (int c = 0; c < ncontact; ++c) {
        const int low = random_below(r, ntree),
                  ncol = low + 1 < ntree && random_chance(r, 0.7) ? 12 : 6;
        int col[12];
        double G[3 * 12];
        for (int k = 0; k < ncol; ++k) {
            col[k] = 6 * low + k;
        }
        for (int k = 0; k < 3 * ncol; ++k) {
            G[k] = random_between(r, -1.0, 1.0);
        }
        double u = 0.0; // normals such that all of them close
        for (int k = 0; k < ncol; ++k) {
            u += G[k] * lp.v0[col[k]];
        }
        for (int k = 0; k < ncol && u > 0.0; ++k) {
            G[k] = -G[k];
        }
        const double mu = random_chance(r, 0.2) ? 0.0 : random_between(r, 0.0, 1.5);
        law_problem_contact(&lp, 3, ncol, col, G, &(dp_friction){{mu, mu}, 0.0, {0.0, 0.0}});
    }
    return lp;
}

typedef struct tally {
    int struck, gained, told, missing;
} tally;

static tally strike_many(dp_impact_rule rule, int draws)
{
    tally seen = {0, 0, 0, 0};
    for (int draw = 0; draw < draws; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        law_problem lp = random_impact(&r);
        double e[4];
        for (int b = 0; b < 4; ++b) {
            e[b] = random_between(&r, 0.05, 1.0);
        }
        dp_law_options opt = dp_law_options_default();
        opt.law = DP_LAW_LCP;
        opt.impact.rule = rule;
        impact_rig rig = impact_rig_strike(&lp, e, &opt);
        if (rig.impact.count > 0) {
            const double start = impact_rig_energy(&lp.p, lp.v0);
            assert_true(rig.impact.solved);
            assert_near(rig.before - rig.after, rig.impact.rebound,
                        1e-11 * (start + fabs(rig.after)));
            for (int i = 0; i < lp.p.nv; ++i) {
                assert_true(isfinite(rig.impact.v[i]));
            }
            ++seen.struck;
            seen.gained += rig.after > rig.before * (1.0 + 1e-10);
            seen.missing += rig.impact.fallbacks > 0;
            seen.told += rig.impact.gains > 0;
        }
        impact_rig_end(&rig);
        law_problem_destroy(&lp);
    }
    return seen;
}

static void the_default_rule_never_gains_energy_in_ten_thousand_impacts(void **state)
{
    (void)state;
    const tally seen = strike_many(DP_IMPACT_RULE_EXPEDIENT, 10000);
    assert_true(seen.struck > 9000);
    assert_int_equal(seen.gained, 0);
    assert_int_equal(seen.told, 0);
    assert_int_equal(seen.missing, 0);
}

static void every_gain_of_the_other_rules_is_told(void **state)
{
    (void)state;
    const dp_impact_rule rules[] = {DP_IMPACT_RULE_POISSON, DP_IMPACT_RULE_NEWTON};
    for (int k = 0; k < 2; ++k) {
        const tally seen = strike_many(rules[k], 1000);
        assert_true(seen.gained > 0); // normal and tangent couple
        assert_true(seen.told >= seen.gained);
        assert_true(seen.told < seen.struck);
        assert_true(seen.missing < seen.struck / 50); // Newton's may ask for what there is not
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_rule_never_gains_energy_in_ten_thousand_impacts),
        cmocka_unit_test(every_gain_of_the_other_rules_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
