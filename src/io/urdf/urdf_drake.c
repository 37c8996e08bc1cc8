// Drake's extensions that act between points of two links: <drake:ball_constraint> holds the points
// together, <drake:linear_spring_damper> is a spring and a damper between them. Each point becomes
// a site.
#include "io/urdf/urdf.h"

#include "math/v3.h"

#include <stdio.h>
#include <string.h>

typedef struct ends {
    char site[2][64]; // their names
} ends;

// The link that <prefix_body_A name="…"/> names.
static dp_status find_link(const dp_urdf_link **out, const dp_urdf *u, const dp_xml_node *node)
{
    const dp_name_list names = {&u->link[0].name, sizeof *u->link, u->nlink};
    const char *name = dp_xml_value(node, "name", "");
    const int link = dp_name_find(&u->link_index, names, name);
    if (link < 0) {
        return dp_mjcf_located(node, dp_name_fail(names, "link", name));
    }
    *out = &u->link[link];
    return DP_OK;
}

static dp_status need_part(dp_xml_node **out, const dp_xml_node *node, const char *part)
{
    char name[96];
    snprintf(name, sizeof name, "%s_%s", node->name, part);
    return dp_urdf_need(out, node, name);
}

static dp_status need_number(double *out, const dp_xml_node *node, const char *part)
{
    dp_xml_node *child;
    DP_TRY(need_part(&child, node, part));
    *out = dp_urdf_number(child, "value", 0.0);
    if (!(*out >= 0.0)) {
        return dp_mjcf_fail(child, "found value %g (expected 0 or more)", *out);
    }
    return DP_OK;
}

// A site at the point P of body A and at the point Q of body B.
static dp_status add_ends(ends *out, dp_urdf *u, const dp_xml_node *node, int number)
{
    static const char *const body[] = {"body_A", "body_B"};
    static const char *const point[] = {"p_AP", "p_BQ"};
    const dp_urdf_link *link[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
        dp_xml_node *part;
        DP_TRY(need_part(&part, node, body[k]));
        DP_TRY(find_link(&link[k], u, part));
        DP_ASSERT(link[k]);
        DP_TRY(need_part(&part, node, point[k]));
        dp_site_spec site = dp_site_spec_default();
        snprintf(out->site[k], sizeof out->site[k], "%s %d %c", node->name + strlen("drake:"),
                 number, "PQ"[k]);
        site.name = out->site[k];
        site.where = dp_mjcf_where(node);
        site.pose.p = dp_v3_load(dp_xml_find(part, "value")->number);
        DP_TRY(dp_mjcf_located(node, dp_spec_add_site(NULL, u->m.spec, link[k]->body, &site)));
    }
    if (link[0] == link[1]) {
        return dp_mjcf_fail(node, "found link '%s' twice (expected two links)", link[0]->name);
    }
    return DP_OK;
}

static dp_status read_ball(dp_urdf *u, const dp_xml_node *node, int number)
{
    ends at;
    DP_TRY(add_ends(&at, u, node, number));
    dp_equality_spec equality = dp_equality_spec_default();
    equality.kind = DP_EQUALITY_CONNECT;
    equality.object_kind = DP_OBJECT_SITE;
    equality.object[0] = at.site[0];
    equality.object[1] = at.site[1];
    equality.where = dp_mjcf_where(node);
    return dp_mjcf_located(node, dp_spec_add_equality(NULL, u->m.spec, &equality));
}

static dp_status read_spring(dp_urdf *u, const dp_xml_node *node, int number)
{
    ends at;
    DP_TRY(add_ends(&at, u, node, number));
    const dp_wrap_spec wrap[] = {{.kind = DP_WRAP_SITE, .object = at.site[0]},
                                 {.kind = DP_WRAP_SITE, .object = at.site[1]}};
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.spatial = true;
    tendon.wrap = wrap;
    tendon.nwrap = 2;
    tendon.where = dp_mjcf_where(node);
    DP_TRY(need_number(&tendon.spring_range[0], node, "free_length"));
    DP_TRY(need_number(&tendon.stiffness, node, "stiffness"));
    DP_TRY(need_number(&tendon.damping, node, "damping"));
    tendon.spring_range[1] = tendon.spring_range[0];
    return dp_mjcf_located(node, dp_spec_add_tendon(NULL, u->m.spec, &tendon));
}

dp_status dp_urdf_read_drake(dp_urdf *u)
{
    int balls = 0, springs = 0;
    for (const dp_xml_node *node = u->robot->child; node; node = node->next) {
        if (strcmp(node->name, "drake:ball_constraint") == 0) {
            DP_TRY(u->m.disabled.equality
                       ? dp_mjcf_judge(&u->m, node, NULL, DP_IMPORT_VERDICT_IGNORED,
                                       "equalities are switched off")
                       : read_ball(u, node, ++balls));
        } else if (strcmp(node->name, "drake:linear_spring_damper") == 0) {
            DP_TRY(read_spring(u, node, ++springs));
        }
    }
    return DP_OK;
}
