// What geoms are made of. Geoms with equal numbers share a material.
#include "check/checked.h"
#include "common/element_names.h"
#include "common/table.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Friction, condim, priority, solmix, given, solref, solimp, margin, gap; of the material given,
// stiffness, damping, modulus, ratio, dissipation, restitution, velocity.
enum { KEYS = 26 };

typedef struct sample {
    double key[KEYS];
    int geom;
} sample;

typedef struct materials {
    sample *at;   // by material, then by geom
    int *start;   // of each material in `at`; one more than there are
    int *of_geom; // −1: it touches nothing
    int count;
    int ngeom, idle; // geoms that touch nothing
} materials;

static sample sample_of(const dp_geom_info *geom, int g)
{
    const dp_contact_spec *c = &geom->contact;
    sample s = {.geom = g};
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        s.key[n++] = geom->friction[i];
    }
    s.key[n++] = c->condim;
    s.key[n++] = c->priority;
    s.key[n++] = c->solmix;
    s.key[n++] = c->solver_given ? 1.0 : 0.0;
    for (int i = 0; i < 2; ++i) {
        s.key[n++] = c->solver_given ? c->solref[i] : 0.0;
    }
    for (int i = 0; i < 5; ++i) {
        s.key[n++] = c->solver_given ? c->solimp[i] : 0.0;
    }
    s.key[n++] = c->margin;
    s.key[n++] = c->gap;
    const dp_material *m = &c->material;
    const double number[] = {c->material_given ? 1.0 : 0.0,
                             m->stiffness,
                             m->damping,
                             m->youngs_modulus,
                             m->poisson,
                             m->dissipation,
                             m->restitution,
                             m->surface_velocity.x,
                             m->surface_velocity.y,
                             m->surface_velocity.z};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i) {
        s.key[n++] = number[i];
    }
    return s;
}

static int compare_keys(const sample *a, const sample *b)
{
    for (int i = 0; i < KEYS; ++i) {
        if (a->key[i] != b->key[i]) {
            return a->key[i] < b->key[i] ? -1 : 1;
        }
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const sample *s = a, *t = b;
    const int order = compare_keys(s, t);
    return order != 0 ? order : (s->geom > t->geom) - (s->geom < t->geom);
}

static void mark_pairs(bool *touches, const dp_model *m)
{
    for (int i = 0; i < dp_model_sizes(m)->npair; ++i) {
        const dp_pair_info pair = dp_model_pair(m, (dp_pair_id){i});
        touches[pair.geom[0].index] = true;
        touches[pair.geom[1].index] = true;
    }
}

static void destroy(materials *all)
{
    free(all->at);
    free(all->start);
    free(all->of_geom);
}

// False: out of memory.
static bool find_materials(materials *all, const dp_model *m)
{
    const int ngeom = dp_model_sizes(m)->ngeom;
    const size_t room = (size_t)ngeom + 1;
    bool *touches = calloc(room, sizeof *touches);
    *all = (materials){calloc(room, sizeof *all->at),
                       calloc(room, sizeof *all->start),
                       calloc(room, sizeof *all->of_geom),
                       0,
                       ngeom,
                       0};
    if (!touches || !all->at || !all->start || !all->of_geom) {
        free(touches);
        return false;
    }
    mark_pairs(touches, m);
    int n = 0;
    for (int g = 0; g < ngeom; ++g) {
        const dp_geom_info geom = dp_model_geom(m, (dp_geom_id){g});
        all->of_geom[g] = -1;
        if (touches[g] || geom.contype != 0 || geom.conaffinity != 0) {
            all->at[n++] = sample_of(&geom, g);
        }
    }
    all->idle = ngeom - n;
    qsort(all->at, (size_t)n, sizeof *all->at, by_key);
    for (int i = 0; i < n; ++i) {
        if (i == 0 || compare_keys(&all->at[i - 1], &all->at[i]) != 0) {
            all->start[all->count++] = i;
        }
        all->of_geom[all->at[i].geom] = all->count - 1;
    }
    all->start[all->count] = n;
    free(touches);
    return true;
}

// --- text ---------------------------------------------------------------------------------------

// "floor, foot, geom 12 of hand and 8 more"
static void list_geoms(char *out, size_t size, const dp_model *m, const materials *all, int k)
{
    enum { COLUMNS = 24 };
    const int first = all->start[k], count = all->start[k + 1] - first;
    size_t n = 0;
    int told = 0;
    out[0] = '\0';
    while (told < count && n < COLUMNS) {
        const cli_name label = cli_geom_label(m, (dp_geom_id){all->at[first + told].geom});
        n += (size_t)snprintf(out + n, size - n, "%s%.60s", told > 0 ? ", " : "", label.text);
        ++told;
    }
    if (told < count) {
        snprintf(out + n, size - n, " and %d more", count - told);
    }
}

static dp_geom_info first_geom(const dp_model *m, const materials *all, int k)
{
    return dp_model_geom(m, (dp_geom_id){all->at[all->start[k]].geom});
}

static bool any(bool (*has)(const dp_contact_spec *), const dp_model *m, const materials *all)
{
    for (int k = 0; k < all->count; ++k) {
        const dp_geom_info geom = first_geom(m, all, k);
        if (has(&geom.contact)) {
            return true;
        }
    }
    return false;
}

static bool has_margin(const dp_contact_spec *c)
{
    return c->margin != 0.0 || c->gap != 0.0;
}

static bool has_solver(const dp_contact_spec *c)
{
    return c->solver_given;
}

static bool has_belt(const dp_contact_spec *c)
{
    const dp_v3 v = c->material.surface_velocity;
    return v.x != 0.0 || v.y != 0.0 || v.z != 0.0;
}

// solref and solimp have a say unless a material is given.
static bool by_solver(const dp_contact_spec *c)
{
    return c->solver_given && !c->material_given;
}

static void cell_solver(cli_table *t, const dp_contact_spec *c)
{
    if (c->solver_given) {
        cli_cell(t, "%s %s, %s %s %s", cli_short(3, c->solref[0]).text,
                 cli_short(3, c->solref[1]).text, cli_short(3, c->solimp[0]).text,
                 cli_short(3, c->solimp[1]).text, cli_short(3, c->solimp[2]).text);
    } else {
        cli_cell(t, "not given");
    }
}

// "E 1e9 Pa, Poisson 0.3, belt 1 0 0 m/s"
static void print_more(const char *geoms, const dp_contact_spec *c)
{
    const dp_material *m = &c->material;
    char text[256] = "";
    size_t n = 0;
    if (m->youngs_modulus > 0.0) {
        n += (size_t)snprintf(text + n, sizeof text - n, ", E %s Pa, Poisson %s",
                              cli_short(3, m->youngs_modulus).text, cli_short(3, m->poisson).text);
    }
    if (m->dissipation > 0.0) {
        n += (size_t)snprintf(text + n, sizeof text - n, ", dissipation %s s/m",
                              cli_short(3, m->dissipation).text);
    }
    if (m->restitution >= 0.0) {
        n += (size_t)snprintf(text + n, sizeof text - n, ", restitution %s",
                              cli_short(3, m->restitution).text);
    }
    if (has_belt(c)) {
        snprintf(text + n, sizeof text - n, ", belt %s %s %s m/s",
                 cli_short(3, m->surface_velocity.x).text, cli_short(3, m->surface_velocity.y).text,
                 cli_short(3, m->surface_velocity.z).text);
    }
    if (text[0]) {
        cli_print("  %s: %s\n", geoms, text + 2);
    }
}

static void print_table(const dp_model *m, const materials *all)
{
    const bool solvers = any(has_solver, m, all), margins = any(has_margin, m, all);
    const char *heading[8] = {"~geoms",    ">friction", ">condim",
                              ">priority", ">k [N/m]",  ">b [N s/m]"};
    int columns = 6;
    const char *const extra[2] = {"solref, solimp", "margin, gap"};
    const bool wanted[2] = {solvers, margins};
    for (int i = 0; i < 2; ++i) {
        if (wanted[i]) {
            heading[columns++] = extra[i];
        }
    }
    cli_table t = cli_table_new(columns, heading);
    for (int k = 0; k < all->count; ++k) {
        const dp_geom_info geom = first_geom(m, all, k);
        const dp_contact_spec *c = &geom.contact;
        char names[256];
        list_geoms(names, sizeof names, m, all, k);
        cli_cell(&t, "%s", names);
        cli_cell(&t, "%s %s %s", cli_short(3, geom.friction[0]).text,
                 cli_short(3, geom.friction[1]).text, cli_short(3, geom.friction[2]).text);
        cli_cell(&t, "%d", c->condim);
        cli_cell(&t, "%d", c->priority);
        if (by_solver(c)) {
            cli_cell(&t, "by solref");
            cli_cell(&t, "by solref");
        } else {
            cli_cell(&t, "%s", cli_short(3, c->material.stiffness).text);
            cli_cell(&t, "%s", cli_short(3, c->material.damping).text);
        }
        if (solvers) {
            cell_solver(&t, c);
        }
        if (margins) {
            cli_cell(&t, "%s, %s", cli_short(3, c->margin).text, cli_short(3, c->gap).text);
        }
    }
    cli_table_print(&t);
    for (int k = 0; k < all->count; ++k) {
        const dp_geom_info geom = first_geom(m, all, k);
        char names[256];
        list_geoms(names, sizeof names, m, all, k);
        print_more(names, &geom.contact);
    }
}

static void print_law(const dp_model *m)
{
    const dp_law_kind law = dp_model_options(m)->solver.law;
    if (dp_law_is_rigid(law)) {
        cli_print(
            "  the law %s is rigid: k, b, moduli and dissipations of contacts are not used; a "
            "restitution acts by the impact rule\n",
            dp_law_name(law));
    }
}

static void print_pairs(const dp_model *m)
{
    const dp_model_size *n = dp_model_sizes(m);
    if (dp_model_options(m)->disable_contact) {
        puts("  nothing touches: contact is switched off");
        return;
    }
    const long long all = (long long)n->ngeom * (n->ngeom - 1) / 2;
    if (n->ntouch < 0) {
        cli_print("  some of %lld pairs of geoms could touch", all);
    } else {
        cli_print("  %lld of %lld pairs of geoms could touch", n->ntouch, all);
    }
    cli_print(", by masks, neighbours, %d exclude%s and %d given pair%s\n", n->nexclude,
              n->nexclude == 1 ? "" : "s", n->npair, n->npair == 1 ? "" : "s");
}

static void print_foundations(const dp_model *m)
{
    const int most = 8, count = dp_model_sizes(m)->nfoundation;
    for (int i = 0; i < count && i < most; ++i) {
        const dp_foundation_info f = dp_model_foundation(m, i);
        const dp_foundation_spec spec = dp_model_geom(m, f.geom).foundation;
        cli_print("  %s may stand on %s by %d x %d springs of %s N/m\n",
                  cli_geom_label(m, f.geom).text, cli_geom_label(m, f.plane).text, spec.nx, spec.ny,
                  cli_short(4, f.stiffness).text);
    }
    if (count > most) {
        cli_print("  and %d more foundations on planes\n", count - most);
    }
}

void cli_print_materials(const dp_model *m)
{
    if (dp_model_sizes(m)->ngeom == 0) {
        return;
    }
    materials all;
    if (find_materials(&all, m)) {
        puts("\nMaterials");
        if (all.count > 0) {
            print_table(m, &all);
            print_law(m);
        }
        if (all.idle > 0) {
            cli_print("  %d of %d geoms touch nothing (contype and conaffinity 0)\n", all.idle,
                      all.ngeom);
        }
        if (all.count > 0 && !dp_model_options(m)->disable_contact) {
            puts(
                "  friction: sliding [1], torsional [m], rolling [m]; where two touch, the geom of "
                "higher priority\n  decides, else each number and condim is the larger of the two"
                "\n  k, b: stiffness and damping of each geom; two act in series");
        }
        print_pairs(m);
        print_foundations(m);
    }
    destroy(&all);
}

// --- JSON ---------------------------------------------------------------------------------------

static void json_foundation(cli_json *json, const dp_model *m, int i)
{
    const dp_foundation_info f = dp_model_foundation(m, i);
    const dp_foundation_spec spec = dp_model_geom(m, f.geom).foundation;
    cli_json_open(json, NULL);
    cli_json_count(json, "geom", f.geom.index);
    cli_json_count(json, "plane", f.plane.index);
    cli_json_count(json, "nx", spec.nx);
    cli_json_count(json, "ny", spec.ny);
    cli_json_number(json, "stiffness", f.stiffness);
    cli_json_number(json, "damping", spec.damping);
    cli_json_number(json, "area", f.area);
    cli_json_close(json);
}

static void json_material(cli_json *json, const dp_model *m, const materials *all, int k)
{
    const dp_geom_info geom = first_geom(m, all, k);
    const dp_contact_spec *c = &geom.contact;
    cli_json_open(json, NULL);
    cli_json_count(json, "id", k);
    cli_json_numbers(json, "friction", geom.friction, 3);
    cli_json_count(json, "condim", c->condim);
    cli_json_count(json, "priority", c->priority);
    cli_json_number(json, "solmix", c->solmix);
    if (c->solver_given) {
        cli_json_numbers(json, "solref", c->solref, 2);
        cli_json_numbers(json, "solimp", c->solimp, 5);
    } else {
        cli_json_null(json, "solref");
        cli_json_null(json, "solimp");
    }
    cli_json_number(json, "margin", c->margin);
    cli_json_number(json, "gap", c->gap);
    const dp_v3 belt = c->material.surface_velocity;
    cli_json_bool(json, "material_given", c->material_given);
    cli_json_number(json, "stiffness", c->material.stiffness);
    cli_json_number(json, "damping", c->material.damping);
    cli_json_number(json, "youngs_modulus", c->material.youngs_modulus);
    cli_json_number(json, "poisson", c->material.poisson);
    cli_json_number(json, "dissipation", c->material.dissipation);
    cli_json_number(json, "restitution", c->material.restitution);
    cli_json_numbers(json, "surface_velocity", (const double[]){belt.x, belt.y, belt.z}, 3);
    cli_json_count(json, "geom_count", all->start[k + 1] - all->start[k]);
    cli_json_close(json);
}

static void json_geom(cli_json *json, const dp_model *m, const materials *all, int g)
{
    const dp_geom_info geom = dp_model_geom(m, (dp_geom_id){g});
    cli_json_open(json, NULL);
    cli_json_count(json, "id", g);
    cli_json_text(json, "name", geom.name);
    cli_json_text(json, "kind", dp_geom_kind_name(geom.kind));
    cli_json_count(json, "body", geom.body.index);
    cli_json_count(json, "contype", geom.contype);
    cli_json_count(json, "conaffinity", geom.conaffinity);
    if (all->of_geom[g] >= 0) {
        cli_json_count(json, "material", all->of_geom[g]);
    } else {
        cli_json_null(json, "material");
    }
    cli_json_close(json);
}

void cli_json_materials(cli_json *json, const dp_model *m)
{
    materials all;
    const bool fine = find_materials(&all, m);
    cli_json_array(json, "geoms");
    for (int g = 0; fine && g < all.ngeom; ++g) {
        json_geom(json, m, &all, g);
    }
    cli_json_end(json);
    cli_json_array(json, "materials");
    for (int k = 0; fine && k < all.count; ++k) {
        json_material(json, m, &all, k);
    }
    cli_json_end(json);
    destroy(&all);

    const dp_model_size *n = dp_model_sizes(m);
    cli_json_open(json, "contact");
    cli_json_bool(json, "disabled", dp_model_options(m)->disable_contact);
    cli_json_text(json, "friction_rule", "higher priority, else maximum");
    cli_json_text(json, "condim_rule", "higher priority, else maximum");
    if (n->ntouch >= 0) {
        cli_json_count(json, "pairs_that_could_touch", n->ntouch);
    } else {
        cli_json_null(json, "pairs_that_could_touch");
    }
    cli_json_count(json, "given_pairs", n->npair);
    cli_json_count(json, "excludes", n->nexclude);
    cli_json_array(json, "foundations");
    for (int i = 0; i < n->nfoundation; ++i) {
        json_foundation(json, m, i);
    }
    cli_json_end(json);
    cli_json_close(json);
}
