#include "random_urdf.h"

#include "test_random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct writer {
    FILE *out;
    random_source r;
} writer;

static double between(writer *w, double low, double high)
{
    return random_between(&w->r, low, high);
}

static void put_origin(writer *w)
{
    if (random_chance(&w->r, 0.1)) {
        return;
    }
    fprintf(w->out, "<origin");
    if (random_chance(&w->r, 0.9)) {
        fprintf(w->out, " xyz='%.17g %.17g %.17g'", between(w, -1, 1), between(w, -1, 1),
                between(w, -1, 1));
    }
    if (random_chance(&w->r, 0.9)) {
        fprintf(w->out, " rpy='%.17g %.17g %.17g'", between(w, -3, 3), between(w, -3, 3),
                between(w, -3, 3));
    }
    fprintf(w->out, "/>");
}

// Any mass of three points has an inertia that a body can have: Σ mᵢ (|rᵢ|² 1 − rᵢ rᵢᵀ).
static void put_inertial(writer *w)
{
    double I[6] = {0.0}; // xx yy zz xy xz yz
    for (int k = 0; k < 4; ++k) {
        const double m = between(w, 0.1, 1.0);
        const double x = between(w, -1, 1), y = between(w, -1, 1), z = between(w, -1, 1);
        I[0] += m * (y * y + z * z);
        I[1] += m * (x * x + z * z);
        I[2] += m * (x * x + y * y);
        I[3] -= m * x * y;
        I[4] -= m * x * z;
        I[5] -= m * y * z;
    }
    fprintf(w->out, "<inertial>");
    put_origin(w);
    fprintf(w->out,
            "<mass value='%.17g'/><inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' "
            "ixz='%.17g' iyz='%.17g'/></inertial>\n",
            between(w, 0.5, 5.0), I[0], I[1], I[2], I[3], I[4], I[5]);
}

static void put_shape(writer *w, const char *tag)
{
    fprintf(w->out, "<%s>", tag);
    put_origin(w);
    switch (random_below(&w->r, 3)) {
    case 0:
        fprintf(w->out, "<geometry><box size='%.17g %.17g %.17g'/></geometry>", between(w, 0.1, 1),
                between(w, 0.1, 1), between(w, 0.1, 1));
        break;
    case 1:
        fprintf(w->out, "<geometry><cylinder radius='%.17g' length='%.17g'/></geometry>",
                between(w, 0.1, 1), between(w, 0.1, 1));
        break;
    default:
        fprintf(w->out, "<geometry><sphere radius='%.17g'/></geometry>", between(w, 0.1, 1));
        break;
    }
    fprintf(w->out, "</%s>\n", tag);
}

static void put_link(writer *w, int index)
{
    fprintf(w->out, "<link name='l%d'>\n", index);
    put_inertial(w);
    static const char *const tag[] = {"visual", "collision"};
    const int count = random_below(&w->r, 4);
    for (int k = 0; k < count; ++k) {
        put_shape(w, tag[random_below(&w->r, 2)]);
    }
    fprintf(w->out, "</link>\n");
}

static void put_joint(writer *w, int child)
{
    static const char *const type[] = {"revolute", "continuous", "prismatic", "planar", "fixed"};
    const int kind = random_below(&w->r, 5);
    fprintf(w->out, "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/>", child,
            type[kind], random_below(&w->r, child), child);
    put_origin(w);
    if (random_chance(&w->r, 0.8)) {
        double axis[3];
        random_direction(axis, 3, &w->r);
        const double length = random_chance(&w->r, 0.5) ? 1.0 : between(w, 0.5, 3.0);
        fprintf(w->out, "<axis xyz='%.17g %.17g %.17g'/>", length * axis[0], length * axis[1],
                length * axis[2]);
    } else if (random_chance(&w->r, 0.5)) {
        fprintf(w->out, "<axis xyz='0 0 %d'/>", random_chance(&w->r, 0.5) ? 1 : -1);
    }
    if (kind != 4 && random_chance(&w->r, 0.7)) {
        fprintf(w->out, "<dynamics damping='%.17g'/>", between(w, 0.0, 1.0));
    }
    if (kind == 0 || kind == 2) {
        fprintf(w->out, "<limit lower='%.17g' upper='%.17g' effort='10' velocity='1'/>",
                between(w, -2, -0.1), between(w, 0.1, 2));
    }
    fprintf(w->out, "</joint>\n");
}

char *random_urdf(uint64_t seed)
{
    char *text = NULL;
    size_t bytes = 0;
    writer w = {open_memstream(&text, &bytes), {seed * 7919u + 1u}};
    if (!w.out) {
        return NULL;
    }
    fprintf(w.out,
            "<?xml version='1.0'?>\n<robot name='robot %llu'>\n"
            "<mujoco><compiler fusestatic='false' discardvisual='false'/><option><flag "
            "constraint='disable'/></option></mujoco>\n",
            (unsigned long long)seed);
    if (seed % 3 == 0) {
        fprintf(w.out, "<link name='world'/>\n<joint name='float' type='floating'><parent "
                       "link='world'/><child link='l0'/>");
        put_origin(&w);
        fprintf(w.out, "</joint>\n");
    }
    const int count = 1 + random_below(&w.r, 12);
    for (int i = 0; i < count; ++i) {
        put_link(&w, i);
    }
    for (int i = 1; i < count; ++i) {
        put_joint(&w, i);
    }
    if (random_chance(&w.r, 0.5)) { // a frame
        fprintf(w.out,
                "<link name='frame'/><joint name='mount' type='fixed'><parent link='l%d'/>"
                "<child link='frame'/>",
                random_below(&w.r, count));
        put_origin(&w);
        fprintf(w.out, "</joint>\n");
    }
    fprintf(w.out, "</robot>\n");
    fclose(w.out);
    return text;
}
