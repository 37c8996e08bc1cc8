#include "bench_chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double LENGTH = 0.1, RADIUS = 0.02, HALF = 0.03, MASS = 0.08, DAMPING = 0.02;

static double height(int links)
{
    return LENGTH * links + 0.5;
}

static dp_status add_link(dp_body_id *body, dp_spec *spec, int i, int links)
{
    char name[32];
    snprintf(name, sizeof name, "link_%d", i);
    dp_body_spec link = dp_body_spec_default();
    link.name = name;
    link.pose.p = i == 1 ? (dp_v3){0.0, 0.0, height(links)} : (dp_v3){LENGTH, 0.0, 0.0};
    dp_status status = dp_spec_add_body(body, spec, *body, &link);

    dp_joint_spec hinge = dp_joint_spec_default();
    hinge.axis = i % 2 == 1 ? (dp_v3){0.0, 1.0, 0.0} : (dp_v3){0.0, 0.0, 1.0};
    hinge.damping = DAMPING;
    status = status != DP_OK ? status : dp_spec_add_joint(NULL, spec, *body, &hinge);

    dp_geom_spec rod = dp_geom_spec_default();
    rod.kind = DP_GEOM_CAPSULE;
    rod.size[0] = RADIUS;
    rod.size[1] = HALF;
    rod.pose = (dp_pose){{sqrt(0.5), 0.0, sqrt(0.5), 0.0}, {0.5 * LENGTH, 0.0, 0.0}};
    rod.mass = MASS;
    return status != DP_OK ? status : dp_spec_add_geom(NULL, spec, *body, &rod);
}

dp_status bench_chain_spec(dp_spec **out, int links)
{
    dp_status status = dp_spec_create(out, NULL);
    if (status != DP_OK) {
        return status;
    }
    dp_spec_options(*out)->disable_contact = true;
    dp_body_id body = DP_WORLD;
    for (int i = 1; i <= links && status == DP_OK; ++i) {
        status = add_link(&body, *out, i, links);
    }
    if (status != DP_OK) {
        dp_spec_destroy(*out);
        *out = NULL;
    }
    return status;
}

enum { LINKS_PER_PART = 50 };

char *bench_chain_mjcf(int links, int part)
{
    const int first = part * LINKS_PER_PART + 1;
    const int last = first + LINKS_PER_PART - 1 < links ? first + LINKS_PER_PART - 1 : links;
    if (first > links) {
        return NULL;
    }
    const size_t room = 1000 + 300 * LINKS_PER_PART;
    char *text = malloc(room);
    if (!text) {
        return NULL;
    }
    size_t n = 0;
    n += (size_t)snprintf(text + n, room - n, "%s",
                          part > 0 ? "<mujocoinclude>\n"
                                   : "<mujoco>\n<compiler angle=\"radian\"/>\n<option>"
                                     "<flag contact=\"disable\"/></option>\n<worldbody>\n");
    for (int i = first; i <= last; ++i) {
        n += (size_t)snprintf(
            text + n, room - n,
            "<body pos=\"%.17g 0 %.17g\"><joint axis=\"0 %d %d\" damping=\"%.17g\"/>"
            "<geom type=\"capsule\" fromto=\"%.17g 0 0 %.17g 0 0\" size=\"%.17g\" "
            "mass=\"%.17g\"/>\n",
            i == 1 ? 0.0 : LENGTH, i == 1 ? height(links) : 0.0, i % 2 == 1, i % 2 == 0, DAMPING,
            0.5 * LENGTH - HALF, 0.5 * LENGTH + HALF, RADIUS, MASS);
    }
    if (last < links) {
        n += (size_t)snprintf(text + n, room - n, "<include file=\"chain_part_%d.xml\"/>\n",
                              part + 1);
    }
    for (int i = first; i <= last; ++i) {
        n += (size_t)snprintf(text + n, room - n, "</body>");
    }
    snprintf(text + n, room - n, "%s",
             part > 0 ? "\n</mujocoinclude>\n" : "\n</worldbody>\n</mujoco>\n");
    return text;
}

void bench_chain_start(double *q, int links)
{
    for (int i = 1; i <= links; ++i) {
        q[i - 1] = i == 1 ? 1.2 : i % 2 == 1 ? 0.03 : i % 10 < 5 ? -0.2 : 0.2;
    }
}
