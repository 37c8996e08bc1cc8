// Shapes without a mechanism: how far apart are they, where do they touch, what does a ray meet?
#include <dashpot/advanced/collide.h>

#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", dp_last_error());
    return 1;
}

int main(void)
{
    // listing: shapes
    const dp_shape brick = {.kind = DP_GEOM_BOX, .size = {0.10, 0.05, 0.03}};
    const dp_shape pipe = {.kind = DP_GEOM_CYLINDER, .size = {0.04, 0.20}};
    const dp_pose at_brick = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.03}};
    const dp_pose at_pipe = {{0.8, 0.0, 0.6, 0.0}, {0.05, 0.0, 0.30}}; // leans over the brick

    dp_distance d;
    if (dp_shapes_distance(&d, &brick, at_brick, &pipe, at_pipe, 1.0, NULL) != DP_OK) {
        return fail();
    }
    printf("gap %.6f m along (%.3f, %.3f, %.3f)\n", d.gap, d.normal.x, d.normal.y, d.normal.z);
    // end

    // A second brick on the first, pressed in by a tenth of a millimetre: four corners touch.
    const dp_pose above = {{1.0, 0.0, 0.0, 0.0}, {0.05, 0.0, 0.0899}};
    dp_contact_point point[DP_PATCH_POINTS];
    dp_contact_buffer contacts = {.point = point, .capacity = DP_PATCH_POINTS};
    if (dp_shapes_contacts(&contacts, &brick, at_brick, &brick, above, 0.001, NULL) != DP_OK) {
        return fail();
    }
    for (int i = 0; i < contacts.count; ++i) {
        const dp_contact_point *c = &point[i];
        printf("contact at (%6.3f, %6.3f, %6.3f) m, gap %.4f m, weight %.2f\n", c->point.x,
               c->point.y, c->point.z, c->gap, c->weight);
    }

    const dp_v3 eye = {0.0, 0.0, 1.0}, down = {0.0, 0.0, -1.0};
    dp_ray_hit hit;
    if (dp_shape_ray(&hit, &brick, at_brick, eye, down, 10.0) != DP_OK) {
        return fail();
    }
    printf("a ray from above meets the brick %s", hit.hit ? "after " : "never\n");
    if (hit.hit) {
        printf("%.3f m\n", hit.distance);
    }
    return 0;
}
