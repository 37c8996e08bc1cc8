#include "dynamics/relative.h"

#include <string.h>

void dp_dof_sum_carve(dp_dof_sum *sum, dp_carver *c, const dp_model *m)
{
    sum->value = dp_carve(c, (size_t)m->size.nv, sizeof *sum->value);
    sum->touched = dp_carve(c, (size_t)m->size.nv, sizeof *sum->touched);
}

void dp_dof_sum_clear(dp_dof_sum *sum, const dp_model *m)
{
    const size_t nv = (size_t)m->size.nv;
    if (nv > 0) {
        memset(sum->value, 0, nv * sizeof *sum->value);
        memset(sum->touched, 0, nv * sizeof *sum->touched);
    }
}

static int count_up(const dp_model *m, int from, int until_above)
{
    int count = 0;
    for (int i = from; !dp_body_carries(m, i, until_above); i = m->body[i].parent) {
        count += m->body[i].ndof;
    }
    return count;
}

int dp_relative_count(const dp_model *m, int from, int to)
{
    return count_up(m, from, to) + count_up(m, to, from);
}

static void touch_up(dp_dof_sum *sum, const dp_model *m, int from, int until_above)
{
    for (int i = from; !dp_body_carries(m, i, until_above); i = m->body[i].parent) {
        const dp_body *body = &m->body[i];
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            sum->touched[k] = 1;
        }
    }
}

void dp_relative_touch(dp_dof_sum *sum, const dp_model *m, int from, int to)
{
    touch_up(sum, m, from, to);
    touch_up(sum, m, to, from);
}

static void add_up(dp_dof_sum *sum, const dp_kin *kin, const dp_model *m, int from, int until_above,
                   double sign, dp_wrench w, dp_v3 p)
{
    for (int i = from; !dp_body_carries(m, i, until_above); i = m->body[i].parent) {
        const dp_body *body = &m->body[i];
        const dp_wrench at_origin = dp_wrench_shift(w, dp_v3_sub(p, kin->link[i].X.p));
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            sum->value[k] += sign * dp_power(kin->S[k], at_origin);
            sum->touched[k] = 1;
        }
    }
}

void dp_relative_add(dp_dof_sum *sum, const dp_kin *kin, const dp_model *m, int from, int to,
                     dp_wrench w, dp_v3 p)
{
    add_up(sum, kin, m, to, from, 1.0, w, p);
    add_up(sum, kin, m, from, to, -1.0, w, p);
}

void dp_relative_push(dp_wrench *wrench, const dp_kin *kin, int from, int to, dp_wrench w, dp_v3 p)
{
    if (from == to) {
        return;
    }
    const dp_wrench on_to = dp_wrench_shift(w, dp_v3_sub(p, kin->link[to].X.p));
    const dp_wrench on_from = dp_wrench_shift(w, dp_v3_sub(p, kin->link[from].X.p));
    wrench[to] = dp_wrench_add(wrench[to], on_to);
    wrench[from] = dp_wrench_sub(wrench[from], on_from);
}

int dp_dof_sum_take(int *dof, double *value, dp_dof_sum *sum, const int *among, int count)
{
    int taken = 0;
    for (int i = 0; i < count; ++i) {
        const int k = among[i];
        if (sum->touched[k]) {
            dof[taken] = k;
            value[taken++] = sum->value[k];
            sum->value[k] = 0.0;
            sum->touched[k] = 0;
        }
    }
    return taken;
}

int dp_dof_sum_list(int *dof, dp_dof_sum *sum, const dp_model *m)
{
    int count = 0;
    for (int k = 0; k < m->size.nv; ++k) {
        if (sum->touched[k]) {
            dof[count++] = k;
            sum->touched[k] = 0;
        }
    }
    return count;
}
