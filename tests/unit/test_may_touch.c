// Who may touch whom, asked pair by pair, against the count that the compiler makes without
// visiting the pairs.
#include "full_spec.h"
#include "mechanism.h"
#include "random_spec.h"
#include "test_random.h"

#include <dashpot/contact.h>
#include <dashpot/format.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static long long count_pairs(const dp_model *m)
{
    const int n = dp_model_sizes(m)->ngeom;
    long long count = 0;
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            const bool may = dp_model_may_touch(m, (dp_geom_id){a}, (dp_geom_id){b});
            assert_int_equal(may, dp_model_may_touch(m, (dp_geom_id){b}, (dp_geom_id){a}));
            count += may && a < b;
            assert_false(may && a == b);
        }
    }
    return count;
}

// As it is, and with all geoms of one class, so that there is something to count.
static void check_file(const char *path)
{
    dp_spec *spec;
    dp_import_options options = dp_import_options_default();
    const char *allow[] = {"contact"};
    options.allow = allow;
    options.nallow = 1;
    assert_ok(dp_model_file_load(&spec, NULL, path, &options));
    for (int round = 0; round < 2; ++round) {
        dp_model *m;
        assert_ok(dp_model_compile(&m, spec));
        const dp_model_size *n = dp_model_sizes(m);
        assert_int_equal(dp_model_options(m)->disable_contact ? 0 : count_pairs(m), n->ntouch);
        dp_model_destroy(m);
        dp_spec_options(spec)->disable_contact = false;
        for (int g = 0; g < dp_spec_geom_count(spec); ++g) {
            dp_geom_spec *geom = dp_spec_geom(spec, (dp_geom_id){g});
            geom->contype = geom->conaffinity = 1;
        }
    }
    dp_spec_destroy(spec);
}

static void every_shipped_scene_has_as_many_pairs_as_it_says(void **state)
{
    (void)state;
    const char *folder[] = {DP_SCENES, DP_SCENES "/paper", DP_SCENES "/urdf"};
    int files = 0;
    for (int f = 0; f < 3; ++f) {
        DIR *dir = opendir(folder[f]);
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir));) {
            const char *dot = strrchr(entry->d_name, '.');
            if (dot && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".urdf") == 0)) {
                char path[1024];
                snprintf(path, sizeof path, "%s/%s", folder[f], entry->d_name);
                check_file(path);
                ++files;
            }
        }
        closedir(dir);
    }
    assert_true(files > 20);
}

static int random_mask(random_source *r)
{
    return random_below(r, 4) == 0 ? 0 : 1 << random_below(r, 3);
}

static void add_random_contact(dp_spec *spec, random_source *r)
{
    const int nbody = dp_spec_body_count(spec);
    for (int b = 0; b < nbody; ++b) {
        for (int k = random_below(r, 3); k > 0; --k) {
            dp_geom_spec geom = dp_geom_spec_default();
            char name[32];
            snprintf(name, sizeof name, "c%d", dp_spec_geom_count(spec));
            geom.name = name;
            geom.kind = random_below(r, 5) == 0 ? DP_GEOM_PLANE : DP_GEOM_SPHERE;
            geom.size[0] = geom.size[1] = 0.1;
            geom.mass = 0.0;
            geom.contype = random_mask(r);
            geom.conaffinity = random_mask(r);
            assert_ok(dp_spec_add_geom(NULL, spec, (dp_body_id){b}, &geom));
        }
    }
    for (int k = random_below(r, 5); k > 0; --k) {
        dp_exclude_spec exclude = dp_exclude_spec_default();
        for (int i = 0; i < 2; ++i) {
            exclude.body[i] = dp_spec_body(spec, (dp_body_id){random_below(r, nbody)})->name;
        }
        assert_ok(dp_spec_add_exclude(NULL, spec, &exclude));
    }
    const int ngeom = dp_spec_geom_count(spec);
    for (int k = random_below(r, 6); k > 0 && ngeom > 1; --k) {
        dp_pair_spec pair = dp_pair_spec_default();
        const int a = random_below(r, ngeom), b = (a + 1 + random_below(r, ngeom - 1)) % ngeom;
        pair.geom[0] = dp_spec_geom(spec, (dp_geom_id){a})->name;
        pair.geom[1] = dp_spec_geom(spec, (dp_geom_id){b})->name;
        if (pair.geom[0] && pair.geom[1] && *pair.geom[0] && *pair.geom[1]) {
            assert_ok(dp_spec_add_pair(NULL, spec, &pair));
        }
    }
}

static void random_masks_excludes_and_pairs_are_counted_alike(void **state)
{
    (void)state;
    long long pairs = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
        random_spec_options o = random_spec_default(seed);
        dp_spec *spec = random_spec(&o);
        random_source r = {seed};
        assert_ok(dp_spec_allow(spec, "contact"));
        add_random_contact(spec, &r);
        dp_model *m;
        assert_ok(dp_model_compile(&m, spec));
        assert_int_equal(count_pairs(m), dp_model_sizes(m)->ntouch);
        pairs += dp_model_sizes(m)->ntouch;
        dp_model_destroy(m);
        dp_spec_destroy(spec);
    }
    assert_true(pairs > 1000);
}

static void a_given_pair_touches_whatever_the_masks_say(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_ok(full_spec_create(&spec, NULL));
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    dp_geom_id ball, cart, post;
    assert_ok(dp_model_find_geom(&ball, m, "ball_ball"));
    assert_ok(dp_model_find_geom(&cart, m, "cart_box"));
    assert_ok(dp_model_find_geom(&post, m, "post"));
    assert_int_equal(dp_model_geom(m, ball).contype, 0);
    assert_true(dp_model_may_touch(m, ball, cart));
    assert_false(dp_model_may_touch(m, ball, ball));
    assert_false(dp_model_may_touch(m, ball, (dp_geom_id){-1}));
    assert_false(dp_model_may_touch(m, (dp_geom_id){1000}, cart));
    assert_int_equal(count_pairs(m), dp_model_sizes(m)->ntouch);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_scene_has_as_many_pairs_as_it_says),
        cmocka_unit_test(random_masks_excludes_and_pairs_are_counted_alike),
        cmocka_unit_test(a_given_pair_touches_whatever_the_masks_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
