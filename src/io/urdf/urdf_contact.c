// What files say of contact: <contact_coefficients mu kp kd> in a <collision>, of the format's
// first tutorials, and Bullet's <contact> in a <link> or <collision>. The schema leaves both alone;
// what is understood here is used, the rest stays ignored.
#include "io/urdf/urdf.h"

#include "base/text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A number that is a material's or a friction's.
typedef struct coefficient {
    const char *name;
    double *out;
    bool positive; // it cannot be 0
    double most;
    const char *meaning; // with its unit
    bool of_material;
} coefficient;

enum { COEFFICIENTS = 9 };

// Frictions come first.
static void list_coefficients(coefficient list[COEFFICIENTS], dp_geom_spec *geom)
{
    static const char sliding[] = "friction of the shape; the larger of two that meet counts";
    static const char torsion[] = "torsional friction [m]; the larger of two that meet counts";
    static const char rolling[] = "rolling friction [m]; the larger of two that meet counts";
    static const char stiffness[] = "stiffness of the shape [N/m], in series with what it meets";
    static const char damping[] = "damping of the shape [N s/m], in series with what it meets";
    static const char rebound[] = "restitution; the smaller of two that meet counts, as a damping";
    double *friction = geom->friction;
    dp_material *material = &geom->contact.material;
    const coefficient all[COEFFICIENTS] = {
        {"mu", &friction[0], false, (double)INFINITY, sliding, false},
        {"lateral_friction", &friction[0], false, (double)INFINITY, sliding, false},
        {"spinning_friction", &friction[1], false, (double)INFINITY, torsion, false},
        {"rolling_friction", &friction[2], false, (double)INFINITY, rolling, false},
        {"kp", &material->stiffness, true, (double)INFINITY, stiffness, true},
        {"stiffness", &material->stiffness, true, (double)INFINITY, stiffness, true},
        {"kd", &material->damping, false, (double)INFINITY, damping, true},
        {"damping", &material->damping, false, (double)INFINITY, damping, true},
        {"restitution", &material->restitution, false, 1.0, rebound, true},
    };
    memcpy(list, all, sizeof all);
}

// True where the text is one number that the coefficient can be.
static bool read_number(double *out, const coefficient *c, const char *text)
{
    double x;
    const char *at = text;
    if (dp_number_read(&x, &at) != DP_NUMBER_OK || *dp_skip_space(at) != '\0') {
        return false;
    }
    if (!(c->positive ? x > 0.0 : x >= 0.0) || x > c->most) {
        return false;
    }
    *out = x;
    return true;
}

static dp_status take(dp_urdf *u, dp_geom_spec *geom, const coefficient *c, const dp_xml_node *node,
                      const dp_xml_attribute *attribute)
{
    if (!read_number(c->out, c, attribute->value)) {
        char why[160];
        snprintf(why, sizeof why, "'%.60s' is no %s that anything has", attribute->value, c->name);
        return dp_mjcf_judge(&u->m, node, attribute, DP_IMPORT_VERDICT_IGNORED, why);
    }
    geom->contact.material_given = geom->contact.material_given || c->of_material;
    DP_TRY(dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_USED, ""));
    return dp_mjcf_judge(&u->m, node, attribute, DP_IMPORT_VERDICT_USED, c->meaning);
}

static dp_status read_bullet(dp_urdf *u, dp_geom_spec *geom, const coefficient *list,
                             const dp_xml_node *owner)
{
    const dp_xml_node *contact = dp_urdf_child(owner, "contact");
    for (const dp_xml_node *node = contact ? contact->child : NULL; node; node = node->next) {
        const dp_xml_attribute *value = dp_xml_find(node, "value");
        for (int i = 0; value && i < COEFFICIENTS; ++i) {
            if (strcmp(node->name, list[i].name) == 0) {
                DP_TRY(take(u, geom, &list[i], node, value));
                DP_TRY(dp_mjcf_judge(&u->m, contact, NULL, DP_IMPORT_VERDICT_USED, "for Bullet"));
            }
        }
    }
    return DP_OK;
}

static dp_status read_coefficients(dp_urdf *u, dp_geom_spec *geom, const coefficient *list,
                                   const dp_xml_node *collision)
{
    const dp_xml_node *node = dp_urdf_child(collision, "contact_coefficients");
    for (int k = 0; node && k < node->nattribute; ++k) {
        for (int i = 0; i < COEFFICIENTS; ++i) {
            if (strcmp(node->attribute[k].name, list[i].name) == 0) {
                DP_TRY(take(u, geom, &list[i], node, &node->attribute[k]));
            }
        }
    }
    return DP_OK;
}

dp_status dp_urdf_read_contact(dp_geom_spec *geom, dp_urdf *u, const dp_xml_node *link,
                               const dp_xml_node *collision)
{
    const dp_geom_spec usual = *geom;
    coefficient list[COEFFICIENTS];
    list_coefficients(list, geom);
    DP_TRY(read_bullet(u, geom, list, link));
    DP_TRY(read_bullet(u, geom, list, collision));
    DP_TRY(read_coefficients(u, geom, list, collision));
    const bool rolls = geom->friction[2] != usual.friction[2] && geom->friction[2] > 0.0;
    const bool turns = geom->friction[1] != usual.friction[1] && geom->friction[1] > 0.0;
    geom->contact.condim = rolls ? 6 : turns ? 4 : geom->contact.condim;
    return geom->contact.material_given ? DP_OK : dp_mjcf_judge_silent(&u->m, collision);
}
