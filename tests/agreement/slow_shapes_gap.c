// Every pair of convex shapes in every situation against the definition of the gap
// (shape_reference.h), 100 000 draws a pair.
//
// An answer says: this normal, these points, this gap. The height of the gap along the normal is a
// lower bound of the truth, whatever the normal is. Where the shapes are apart, the distance of the
// points, if they belong to the shapes, is an upper bound: together they prove the answer. Where
// they overlap, a sample is proved by searching all directions for a better one.
//
// In the environment DP_TABLE=1 prints the worst error of every pair in every situation,
// DP_PAIR=box-hull tests this pair alone, and DP_DRAWS says how often.
#include "shape_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWS = 100000,
    PROVED_EVERY = 53, // of those that overlap
    MOST_SHOWN = 12,
};

// What is asked: relative to the sizes of the two shapes together.
static const double ACCURACY = 1e-9;

typedef struct tally {
    double gap;     // |f(normal) − gap|
    double points;  // gap·normal against the points, and the points against the supports
    double outside; // of the points
    double proof;   // by how much a better direction was found, at most
    double unit;    // | |normal| − 1 |
    int queries, proved, undecided, capped, ambiguous, refused, wrongly_ambiguous, shown;
} tally;

static tally tallies[DRAW_KINDS][DRAW_KINDS][DRAW_SITUATIONS];

static double part(long double error, double scale)
{
    return isfinite(error) ? (double)fabsl(error) / scale : INFINITY;
}

static void raise_to(double *worst, double value)
{
    *worst = value <= *worst ? *worst : value; // not a number is the worst of all
}

static void show(const drawn_pair *pair, int a, int b, int s, int draw, const char *what,
                 const dp_distance *d, double value)
{
    tally *t = &tallies[a][b][s];
    if (t->shown++ >= MOST_SHOWN || !getenv("DP_TABLE")) {
        return;
    }
    print_message("%s–%s %s #%d: %s %.3g (gap %.17g, size %g, normal %.9g %.9g %.9g, outcome %d, "
                  "%d iterations%s)\n",
                  KIND[a], KIND[b], DRAW_NAME[s], draw, what, value, d->gap, pair->size,
                  d->normal.x, d->normal.y, d->normal.z, (int)d->outcome, d->iterations,
                  d->ambiguous ? ", ambiguous" : "");
}

// No direction is better than the one given: a search that begins with what is known.
static void prove(tally *t, const drawn_pair *pair, const dp_distance *d, double scale)
{
    reference_search how = reference_search_default(&pair->body[0], &pair->body[1]);
    how.known = d->gap;
    how.tolerance = 0.1 * ACCURACY * scale;
    how.most_evaluations = 10000;
    const reference_answer best = reference_gap(&pair->body[0], &pair->body[1], &how);
    raise_to(&t->proof, part(best.gap - d->gap, scale));
    ++*(best.bound - d->gap <= ACCURACY * scale ? &t->proved : &t->undecided);
}

// Is there another normal, at 5e-4 rad or more from this one, as good to within what is asked?
static bool has_another_normal(const drawn_pair *pair, const dp_distance *d, double scale)
{
    reference_search how = reference_search_default(&pair->body[0], &pair->body[1]);
    how.known = -INFINITY;
    how.tolerance = 0.1 * ACCURACY * scale;
    how.apart_from = wide_from(d->normal);
    how.cos_angle = cos(5e-4);
    how.most_evaluations = 10000;
    const reference_answer best = reference_gap(&pair->body[0], &pair->body[1], &how);
    return best.bound >= d->gap - ACCURACY * scale;
}

static void judge(int a, int b, int s, int draw, random_source *r)
{
    tally *t = &tallies[a][b][s];
    drawn_pair pair;
    draw_pair(&pair, (const dp_geom_kind[2]){(dp_geom_kind)a, (dp_geom_kind)b}, (draw_situation)s,
              r);
    dp_distance d;
    ++t->queries;
    if (dp_shapes_distance(&d, &pair.shape[0], pair.pose[0], &pair.shape[1], pair.pose[1],
                           (double)INFINITY, NULL) != DP_OK) {
        ++t->refused;
        return;
    }
    t->capped += d.outcome == DP_QUERY_OUTCOME_CAPPED;
    t->ambiguous += d.ambiguous;

    const double scale = pair.size + fabs(d.gap);
    const wide_v3 n = wide_from(d.normal);
    const wide_v3 x[2] = {wide_from(d.point[0]), wide_from(d.point[1])};
    raise_to(&t->unit, (double)fabsl(wide_norm(n) - 1.0L));
    const double gap = part(reference_gap_along(&pair.body[0], &pair.body[1], n) - d.gap, scale);
    raise_to(&t->gap, gap);
    if (!(gap <= ACCURACY)) {
        show(&pair, a, b, s, draw, "gap off by", &d, gap);
    }
    const wide_v3 between = wide_sub(wide_sub(x[1], x[0]), wide_scale(n, d.gap));
    raise_to(&t->points, part(wide_norm(between), scale));
    double beyond = 0.0;
    for (int i = 0; i < 2; ++i) {
        beyond += part(drawn_outside(&pair, i, d.point[i]), scale);
        if (pair.body[i].kind != DP_GEOM_PLANE) {
            const wide_v3 out = wide_scale(n, i == 0 ? 1.0L : -1.0L);
            const long double height = wide_dot(out, reference_support(&pair.body[i], out));
            const long double reached = wide_dot(out, wide_sub(x[i], pair.body[i].p));
            raise_to(&t->points, part(height - reached, scale));
        }
    }
    raise_to(&t->outside, beyond);
    if (!(beyond <= ACCURACY)) {
        show(&pair, a, b, s, draw, "points outside by", &d, beyond);
    }
    const bool plane = a == DP_GEOM_PLANE || b == DP_GEOM_PLANE;
    if (d.gap < 0.0 && !plane && draw % PROVED_EVERY == 0) {
        prove(t, &pair, &d, scale);
        if (!(t->proof <= ACCURACY)) {
            show(&pair, a, b, s, draw, "a better normal by up to", &d, t->proof);
        }
    }
    if (d.ambiguous && (plane || (t->ambiguous < 20 && !has_another_normal(&pair, &d, scale)))) {
        ++t->wrongly_ambiguous;
        show(&pair, a, b, s, draw, "ambiguous without reason", &d, 0.0);
    }
}

static int judge_all(void **state)
{
    stock_fill(state);
    const char *draws = getenv("DP_DRAWS");
    const int per_situation = (draws ? (int)strtol(draws, NULL, 10) : DRAWS) / DRAW_SITUATIONS;
    for (int a = 0; a < DRAW_KINDS; ++a) {
        for (int b = a > 0 ? a : 1; b < DRAW_KINDS; ++b) {
            for (int s = 0; s < DRAW_SITUATIONS && pair_wanted(a, b); ++s) {
                random_source own = {(uint64_t)(1000 * a + 100 * b + s)};
                for (int draw = 0; draw < per_situation; ++draw) {
                    judge(a, b, s, draw, &own);
                }
            }
        }
    }
    if (getenv("DP_TABLE")) {
        print_message("%-19s %-10s %8s %8s %8s %8s %6s %6s %6s %6s %6s %6s\n", "pair", "situation",
                      "gap", "points", "outside", "better", "proved", "open", "capped", "ambig",
                      "wrong", "refus");
        for (int i = 0; i < DRAW_KINDS * DRAW_KINDS * DRAW_SITUATIONS; ++i) {
            const int a = i / DRAW_SITUATIONS / DRAW_KINDS, b = i / DRAW_SITUATIONS % DRAW_KINDS;
            const int s = i % DRAW_SITUATIONS;
            const tally *t = &tallies[a][b][s];
            if (b >= a && pair_wanted(a, b)) {
                print_message("%-19s %-10s %8.1e %8.1e %8.1e %8.1e %6d %6d %6d %6d %6d %6d\n",
                              name_of_pair(a, b).text, DRAW_NAME[s], t->gap, t->points, t->outside,
                              t->proof, t->proved, t->undecided, t->capped, t->ambiguous,
                              t->wrongly_ambiguous, t->refused);
            }
        }
    }
    return 0;
}

// One number of all tallies, the worst of them named when it is too large.
static double worst(size_t offset)
{
    double most = 0.0;
    for (int a = 0; a < DRAW_KINDS; ++a) {
        for (int b = 0; b < DRAW_KINDS; ++b) {
            for (int s = 0; s < DRAW_SITUATIONS; ++s) {
                double value;
                memcpy(&value, (const char *)&tallies[a][b][s] + offset, sizeof value);
                if (!(value <= ACCURACY)) {
                    print_error("%s–%s %s: %g\n", KIND[a], KIND[b], DRAW_NAME[s], value);
                }
                raise_to(&most, value);
            }
        }
    }
    return most;
}

static long total(size_t offset)
{
    long sum = 0;
    for (int i = 0; i < DRAW_KINDS * DRAW_KINDS * DRAW_SITUATIONS; ++i) {
        int value;
        memcpy(&value, (const char *)&tallies[0][0][0] + (size_t)i * sizeof(tally) + offset,
               sizeof value);
        sum += value;
    }
    return sum;
}

static void no_pair_is_refused(void **state)
{
    (void)state;
    assert_int_equal(total(offsetof(tally, refused)), 0);
}

static void the_gap_is_what_the_normal_sees(void **state)
{
    (void)state;
    assert_near(worst(offsetof(tally, gap)), 0.0, ACCURACY);
    assert_near(worst(offsetof(tally, unit)), 0.0, 1e-14); // round-off of a normalisation
}

static void the_points_belong_to_the_shapes_and_face_each_other(void **state)
{
    (void)state;
    assert_near(worst(offsetof(tally, points)), 0.0, ACCURACY);
    assert_near(worst(offsetof(tally, outside)), 0.0, ACCURACY);
}

static void no_other_direction_is_a_shorter_way_out(void **state)
{
    (void)state;
    assert_near(worst(offsetof(tally, proof)), 0.0, ACCURACY);
    // Rings of equal directions, as of a cylinder in a cylinder, cannot be searched to the end.
    const long proved = total(offsetof(tally, proved)), open = total(offsetof(tally, undecided));
    assert_true(proved > 9 * open);
}

static void only_answers_that_have_another_normal_are_called_ambiguous(void **state)
{
    (void)state;
    assert_int_equal(total(offsetof(tally, wrongly_ambiguous)), 0);
}

static void hardly_any_query_is_stopped(void **state)
{
    (void)state;
    const double capped = (double)total(offsetof(tally, capped));
    assert_true(capped < 1e-5 * (double)total(offsetof(tally, queries)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_is_refused),
        cmocka_unit_test(the_gap_is_what_the_normal_sees),
        cmocka_unit_test(the_points_belong_to_the_shapes_and_face_each_other),
        cmocka_unit_test(no_other_direction_is_a_shorter_way_out),
        cmocka_unit_test(only_answers_that_have_another_normal_are_called_ambiguous),
        cmocka_unit_test(hardly_any_query_is_stopped),
    };
    return cmocka_run_group_tests(tests, judge_all, stock_clear);
}
