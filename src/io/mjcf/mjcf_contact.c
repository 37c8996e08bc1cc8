// <contact>: pairs of geoms that touch by numbers of their own, and bodies that never touch.
#include "io/mjcf/mjcf.h"

#include "model/spec/spec.h"

#include <stddef.h>
#include <string.h>

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

// ---- which geoms pairs name

static dp_name_list names_of(const dp_mjcf_names *list)
{
    return (dp_name_list){list->name, sizeof *list->name, list->count};
}

static void add_name(dp_mjcf_names *list, const char *name)
{
    if (dp_name_find(&list->index, names_of(list), name) < 0) {
        list->name[list->count++] = name;
        dp_name_insert(&list->index, names_of(list), list->count - 1);
    }
}

dp_status dp_mjcf_list_pairs(dp_mjcf *m)
{
    dp_mjcf_names *list = &m->paired;
    int n = 0;
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "contact", s));) {
        for (const dp_xml_node *node = s->child; node; node = node->next) {
            n += is(node, "pair") ? 2 : 0;
        }
    }
    DP_TRY(dp_pool_take(&list->name, &m->pool, (size_t)n, sizeof *list->name));
    list->index.nslot = dp_name_slots(n);
    DP_TRY(dp_pool_take(&list->index.slot, &m->pool, list->index.nslot, sizeof(int)));
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "contact", s));) {
        for (const dp_xml_node *node = s->child; node; node = node->next) {
            if (is(node, "pair")) {
                add_name(list, dp_xml_value(node, "geom1", ""));
                add_name(list, dp_xml_value(node, "geom2", ""));
            }
        }
    }
    return DP_OK;
}

bool dp_mjcf_is_paired(const dp_mjcf *m, const char *geom)
{
    return geom && dp_name_find(&m->paired.index, names_of(&m->paired), geom) >= 0;
}

// ---- materials

typedef struct material_number {
    const char *name;
    size_t offset;
    bool decides; // the author who gives it means the material, not solref and solimp
    bool of_foundation;
} material_number;

static const material_number material_numbers[] = {
    {"dp:stiffness", offsetof(dp_material, stiffness), true, false},
    {"dp:damping", offsetof(dp_material, damping), true, true},
    {"dp:youngs_modulus", offsetof(dp_material, youngs_modulus), true, true},
    {"dp:poisson", offsetof(dp_material, poisson), false, false},
    {"dp:dissipation", offsetof(dp_material, dissipation), true, false},
    {"dp:restitution", offsetof(dp_material, restitution), true, false},
};
enum { MATERIAL_NUMBERS = sizeof material_numbers / sizeof material_numbers[0] };

static bool read_material(dp_material *material, const dp_mjcf_view *view, bool founded)
{
    bool given = false;
    for (int i = 0; i < MATERIAL_NUMBERS; ++i) {
        const material_number *n = &material_numbers[i];
        if (!(founded && n->of_foundation)) {
            char *at = (char *)material + n->offset;
            double number;
            memcpy(&number, at, sizeof number);
            number = dp_mjcf_number(view, n->name, number);
            memcpy(at, &number, sizeof number);
            given = given || (n->decides && dp_mjcf_find(view, n->name));
        }
    }
    return given;
}

dp_status dp_mjcf_read_contact(dp_contact_spec *contact, const dp_mjcf_view *view, bool founded)
{
    contact->condim = dp_mjcf_integer(view, "condim", contact->condim);
    contact->priority = dp_mjcf_integer(view, "priority", contact->priority);
    contact->solmix = dp_mjcf_number(view, "solmix", contact->solmix);
    contact->margin = dp_mjcf_number(view, "margin", contact->margin);
    contact->gap = dp_mjcf_number(view, "gap", contact->gap);
    const bool solref = dp_mjcf_numbers(contact->solref, view, "solref");
    const bool solimp = dp_mjcf_numbers(contact->solimp, view, "solimp");
    contact->solver_given = solref || solimp;
    contact->material_given = read_material(&contact->material, view, founded);
    if (contact->condim != 1 && contact->condim != 3 && contact->condim != 4 &&
        contact->condim != 6) {
        return dp_mjcf_fail(view->node, "found condim %d (expected 1, 3, 4 or 6)", contact->condim);
    }
    return DP_OK;
}

dp_status dp_mjcf_judge_silent(dp_mjcf *m, const dp_xml_node *node)
{
    return dp_mjcf_judge(m, node, NULL, DP_IMPORT_VERDICT_USED,
                         "default material: 2e7 N/m, 2e4 N s/m; MuJoCo's is softer");
}

static dp_status judge_solver(dp_mjcf *m, const dp_mjcf_view *view, bool direct)
{
    DP_TRY(dp_mjcf_judge_given(
        m, view, "solimp", DP_IMPORT_VERDICT_APPROXIMATED,
        "stiffness and damping grow with depth as the impedance says, without its added mass"));
    return dp_mjcf_judge_given(
        m, view, "solref", DP_IMPORT_VERDICT_APPROXIMATED,
        direct ? "by the spring k = -solref[0] m/(1 - d) and the damper b = -solref[1] "
                 "m/(1 - d) beyond the width of solimp, where m is the inertia it meets and d = "
                 "solimp[1]"
               : "by the spring k = m/((1 - d) T^2 z^2) and the damper b = 2 m/((1 - d) "
                 "T) beyond the width of solimp, where T z = solref, m is the inertia it meets and "
                 "d = solimp[1]");
}

dp_status dp_mjcf_judge_contact(dp_mjcf *m, const dp_mjcf_view *view,
                                const dp_contact_spec *contact, bool founded)
{
    if (contact->margin != 0.0) {
        DP_TRY(dp_mjcf_judge_given(
            m, view, "margin", DP_IMPORT_VERDICT_APPROXIMATED,
            "contacts are found that early; the force sets in where surfaces meet"));
    }
    if (contact->material_given) {
        DP_TRY(dp_mjcf_judge_given(m, view, "solref", DP_IMPORT_VERDICT_IGNORED,
                                   "its material counts"));
        return dp_mjcf_judge_given(m, view, "solimp", DP_IMPORT_VERDICT_IGNORED,
                                   "its material counts");
    }
    if (contact->solver_given) {
        return judge_solver(m, view, contact->solref[0] <= 0.0);
    }
    return founded ? DP_OK : dp_mjcf_judge_silent(m, view->node);
}

// ---- reading them

static const dp_geom_spec *find_geom(const dp_mjcf *m, const char *name)
{
    const dp_name_index *index = &m->spec->list[DP_ELEMENT_GEOM].index;
    const int i = dp_name_find(index, dp_spec_names(m->spec, DP_ELEMENT_GEOM), name);
    return i < 0 ? NULL : &dp_spec_geoms(m->spec)[i].spec;
}

// A foundation on a plane.
static bool is_founded(const dp_mjcf *m, const dp_pair_spec *pair)
{
    const dp_geom_spec *a = find_geom(m, pair->geom[0]), *b = find_geom(m, pair->geom[1]);
    return a && b &&
           ((a->foundation.nx > 0 && b->kind == DP_GEOM_PLANE) ||
            (b->foundation.nx > 0 && a->kind == DP_GEOM_PLANE));
}

// A foundation has no use for the numbers of a pair.
static dp_status judge_founded(dp_mjcf *m, const dp_xml_node *node)
{
    static const char *const used[] = {"name", "class", "geom1", "geom2"};
    for (int i = 0; i < node->nattribute; ++i) {
        bool known = false;
        for (size_t k = 0; k < sizeof used / sizeof used[0]; ++k) {
            known = known || strcmp(node->attribute[i].name, used[k]) == 0;
        }
        if (!known) {
            DP_TRY(dp_mjcf_judge(m, node, &node->attribute[i], DP_IMPORT_VERDICT_IGNORED,
                                 "the foundation counts"));
        }
    }
    return DP_OK;
}

// Pairs take nothing from their geoms, as in MuJoCo 3: what they do not say are constants.
static dp_status read_pair(dp_mjcf *m, dp_xml_node *node)
{
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, node, DP_MJCF_PAIR, m->main));
    dp_pair_spec pair = dp_pair_spec_default();
    pair.name = dp_xml_value(node, "name", NULL);
    pair.where = dp_mjcf_where(node);
    const double usual[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001};
    memcpy(pair.friction, usual, sizeof usual);
    dp_mjcf_numbers(pair.friction, &view, "friction");
    DP_TRY(dp_mjcf_read_contact(&pair.contact, &view, false));
    pair.contact_given = true;
    for (int i = 0; i < 2; ++i) {
        pair.geom[i] = dp_xml_value(node, i == 0 ? "geom1" : "geom2", NULL);
        const char *missing = dp_mjcf_left_out(m, DP_OBJECT_GEOM, pair.geom[i]);
        if (missing) {
            return dp_mjcf_refuse(m, node, NULL, missing, "what it refers to is left out");
        }
    }
    if (m->disabled.contact) {
        DP_TRY(dp_mjcf_judge_all(m, node, DP_IMPORT_VERDICT_IGNORED, "contact is switched off"));
    } else if (is_founded(m, &pair)) {
        DP_TRY(judge_founded(m, node));
    } else {
        DP_TRY(dp_mjcf_judge_contact(m, &view, &pair.contact, false));
    }
    return dp_mjcf_located(node, dp_spec_add_pair(NULL, m->spec, &pair));
}

static dp_status read_exclude(dp_mjcf *m, dp_xml_node *node)
{
    dp_exclude_spec exclude = dp_exclude_spec_default();
    exclude.name = dp_xml_value(node, "name", NULL);
    exclude.where = dp_mjcf_where(node);
    for (int i = 0; i < 2; ++i) {
        exclude.body[i] = dp_xml_value(node, i == 0 ? "body1" : "body2", NULL);
        const char *missing = dp_mjcf_left_out(m, DP_OBJECT_BODY, exclude.body[i]);
        if (missing) {
            return dp_mjcf_refuse(m, node, NULL, missing, "what it refers to is left out");
        }
    }
    return dp_mjcf_located(node, dp_spec_add_exclude(NULL, m->spec, &exclude));
}

dp_status dp_mjcf_read_contacts(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "contact", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (is(node, "pair")) {
                DP_TRY(read_pair(m, node));
            } else if (is(node, "exclude")) {
                DP_TRY(read_exclude(m, node));
            }
        }
    }
    return DP_OK;
}
