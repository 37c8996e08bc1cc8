// What can be asked about elastic foundations.
#include "sim/data.h"

// The first of the geom's pairs with planes; NULL: it has none.
static const dp_foundation *foundation_of(const dp_data *d, dp_geom_id geom)
{
    const dp_model *m = d->model;
    for (int i = 0; i < m->size.nfoundation; ++i) {
        if (m->foundation[i].geom == geom.index) {
            return &m->foundation[i];
        }
    }
    return NULL;
}

const double *dp_foundation_pressure(const dp_data *d, dp_geom_id geom, int *nx, int *ny)
{
    const dp_foundation *f = foundation_of(d, geom);
    const bool there = f && d->rows.possible;
    if (nx) {
        *nx = there ? f->nx : 0;
    }
    if (ny) {
        *ny = there ? f->ny : 0;
    }
    return there ? d->rows.pressure + f->first : NULL;
}

dp_foundation_load dp_foundation_sum(const dp_data *d, dp_geom_id geom)
{
    int nx, ny;
    const double *pressure = dp_foundation_pressure(d, geom, &nx, &ny);
    dp_foundation_load load = {.force = 0.0};
    if (!pressure) {
        return load;
    }
    const dp_foundation *f = foundation_of(d, geom);
    double x_sum = 0.0, y_sum = 0.0;
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            const double p = pressure[i + nx * j];
            load.pressure = fmax(load.pressure, p);
            load.force += p * f->area;
            x_sum += p * f->area * dp_grid_place(i, nx);
            y_sum += p * f->area * dp_grid_place(j, ny);
        }
    }
    dp_v3 centre = f->centre;
    if (load.force > 0.0) {
        centre = dp_v3_madd(centre, x_sum / load.force, f->half[0]);
        centre = dp_v3_madd(centre, y_sum / load.force, f->half[1]);
    }
    load.centre = dp_pose_apply(dp_pose_inverse(d->model->geom[geom.index].pose), centre);
    return load;
}
