// What touches what in a scene, and what a ray from above meets first.
#include <dashpot/dashpot.h>

#include <stdio.h>

static void print_contacts(const dp_model *m, const dp_data *d)
{
    for (int i = 0; i < dp_data_found_contact_count(d); ++i) {
        const dp_found_contact c = dp_data_found_contact(d, i);
        printf("%-6s and %-6s gap %8.5f m, weight %.2f\n", dp_model_geom(m, c.geom[0]).name,
               dp_model_geom(m, c.geom[1]).name, c.at.gap, c.at.weight);
    }
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "scenes/contact/shelf.xml";
    const char *allow[] = {"contact"}; // found, but without force so far
    dp_import_options options = dp_import_options_default();
    options.allow = allow;
    options.nallow = 1;
    dp_spec *spec = NULL;
    dp_model *m = NULL;
    dp_data *d = NULL;
    bool ok = dp_model_file_load(&spec, NULL, file, &options) == DP_OK &&
              dp_model_compile(&m, spec) == DP_OK && dp_data_create(&d, m, NULL) == DP_OK;

    // listing: contacts
    const dp_contact_search search = {.margin = 0.001};
    ok = ok && dp_find_contacts(d, &search) == DP_OK;
    if (ok) {
        print_contacts(m, d);
    }

    const dp_v3 eye = {0.1, 0.0, 2.0}, down = {0.0, 0.0, -1.0};
    dp_scene_hit hit;
    ok = ok && dp_scene_ray(&hit, d, eye, down, 10.0, NULL) == DP_OK;
    if (ok && hit.at.hit) {
        printf("the ray meets %s after %.3f m\n", dp_model_geom(m, hit.geom).name, hit.at.distance);
    }
    // end

    if (!ok) {
        fprintf(stderr, "%s\n", dp_last_error());
    }
    dp_data_destroy(d);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
    return ok ? 0 : 1;
}
