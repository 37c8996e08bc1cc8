#include "solve/cones/conic_rows.h"

#include <math.h>

// @return the row
static int add_row(dp_conic_rows *o, int of, double factor, double at)
{
    if (o->from) {
        o->from[o->m] = (dp_conic_source){of, factor, at};
    }
    return o->m++;
}

// Rows from `first` on are one.
static void add_cone(dp_conic_rows *o, int first)
{
    if (o->from) {
        o->cone[o->ncone] = (dp_interior_cone){first, o->m - first};
    }
    ++o->ncone;
}

// An unknown with a row of its own, that is `factor` times another row, too. @return its row
static int add_unknown(dp_conic_rows *o, int row, double factor, double cost)
{
    const int own = add_row(o, -1, 0.0, 0.0);
    if (o->from) {
        o->A[(size_t)own * (size_t)o->width + (size_t)o->n] = 1.0;
        o->A[(size_t)row * (size_t)o->width + (size_t)o->n] = factor;
        o->c[o->n] = cost;
    }
    ++o->n;
    return own;
}

void dp_conic_add_interval(dp_conic_rows *o, int of, double lo, double hi)
{
    const bool from_lo = isfinite(lo), from_hi = !from_lo && isfinite(hi);
    const int row = add_row(o, of, from_hi ? -1.0 : 1.0, from_lo ? lo : from_hi ? hi : 0.0);
    if (from_lo || from_hi) {
        add_cone(o, row);
    }
    if (from_lo && isfinite(hi)) { // z and what it lacks add up to hi − lo
        add_cone(o, add_unknown(o, row, 1.0, hi - lo));
    }
}

void dp_conic_add_contact(dp_conic_rows *o, int of, const dp_friction_group *group, int ngroup)
{
    const int normal = add_row(o, of, 1.0, 0.0);
    int head = normal;
    for (int g = 0; g < ngroup; ++g) {
        if (!(group[g].reach > 0.0)) {
            continue;
        }
        if (o->m > normal + 1) { // not the first: the same normal once more
            head = add_unknown(o, normal, -1.0, 0.0);
        }
        for (int k = 0; k < group[g].count; ++k) {
            const double reach = group[g].reach * group[g].scale[k];
            if (reach > 0.0) {
                (void)add_row(o, of + group[g].first + k, reach, 0.0);
            }
        }
        add_cone(o, head);
    }
    if (o->m == normal + 1) {
        add_cone(o, normal);
    }
}
