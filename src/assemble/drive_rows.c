// Drives whose force is held within a range: bounded rows along what they drive.
//
// The row's impulse within its range is γ = −h (k φ + b b_ref) − h (h k + b) G v. With k and b the
// drive's stiffness and damping it is h times the drive's force where k φ + b b_ref = −force: one
// of φ and b_ref carries the force, the other is zero. A drive that is beyond its range at both
// ends of the step is a given force in it, and no row.
#include "assemble/row_sources.h"

#include <math.h>

bool dp_drive_possible(const dp_actuator *a)
{
    return a->muscle_gain || a->muscle_bias || a->bias[1] != 0.0 || a->bias[2] != 0.0 ||
           a->gain[1] != 0.0 || a->gain[2] != 0.0;
}

void dp_drive_room(dp_rows_room *room, const dp_model *m)
{
    for (int u = 0; u < m->size.nu; ++u) {
        if (dp_drive_possible(&m->actuator[u])) {
            dp_room_add(room, 1, dp_transmission_max_dofs(m, u));
        }
    }
}

// A drive that yields to motion; the others are forces.
static bool is_drive(const dp_rows_input *in, int u)
{
    return in->drive && in->transmission->count[u] > 0 &&
           dp_drive_possible(&in->start.m->actuator[u]) &&
           (in->drive[u].stiffness > 0.0 || in->drive[u].damping > 0.0);
}

bool dp_drive_is_at_end(const dp_rows_input *in, int u, double gamma)
{
    return is_drive(in, u) &&
           (gamma <= in->h * in->drive[u].lo || gamma >= in->h * in->drive[u].hi);
}

void dp_drive_expect(dp_rows *rows, const dp_rows_input *in, const double *v)
{
    for (int u = 0; u < in->start.m->size.nu; ++u) {
        if (!is_drive(in, u)) {
            continue;
        }
        const double rate = dp_transmission_rate(in->transmission, u, v);
        const dp_drive_law *law = &in->drive[u];
        const double force = law->force - (in->h * law->stiffness + law->damping) * rate;
        if (force < law->lo || force > law->hi) {
            rows->drive[u] = force < law->lo ? DP_STANDS_AT_LO : DP_STANDS_AT_HI;
        }
    }
}

void dp_drive_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_transmission_set *set = in->transmission;
    for (int u = 0; u < in->start.m->size.nu; ++u) {
        if (rows->drive[u] != DP_STANDS_AS_ROW || !is_drive(in, u)) {
            continue;
        }
        const dp_row_owner owner = {.source = DP_ROW_SOURCE_DRIVE, .element = u};
        const int *dof = set->dof + set->start[u];
        const double *moment = set->moment + set->start[u];
        dp_row *row;
        if (set->count[u] == 1) {
            row = dp_block_single(rows, owner, dof[0], moment[0]);
        } else {
            dp_block_open(rows, 1);
            dp_block_add_sparse(rows, 0, 1.0, set->count[u], dof, moment);
            row = dp_block_close(rows, owner);
        }
        DP_ASSERT(row); // is_drive: it moves something
        const dp_drive_law *law = &in->drive[u];
        row->k = law->stiffness;
        row->b = law->damping;
        if (in->h * law->stiffness >= law->damping) {
            row->phi = -law->force / law->stiffness;
        } else {
            row->b_ref = -law->force / law->damping;
        }
        row->lo = in->h * law->lo;
        row->hi = in->h * law->hi;
    }
}
