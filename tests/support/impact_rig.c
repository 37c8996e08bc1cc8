#include "impact_rig.h"

#include "mechanism.h"

#include <stdlib.h>

double impact_rig_energy(const dp_step_problem *p, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        const double *element = p->Mt + p->Mt_start[i];
        sum += 0.5 * *element * v[i] * v[i];
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            sum += *++element * v[i] * v[j];
        }
    }
    return sum;
}

impact_rig impact_rig_strike(law_problem *lp, const double *restitution, const dp_law_options *opt)
{
    const dp_step_problem *p = &lp->p;
    const dp_step_size size = {p->nv,
                               p->ntree,
                               p->nblock,
                               p->nrow,
                               p->Mt_start[p->nv],
                               (size_t)p->col_start[p->nblock],
                               p->G_start[p->nblock]};
    impact_rig rig = {0};
    dp_carver measure = {NULL, 0};
    dp_impact_carve(&rig.impact, &measure, &size);
    rig.memory = aligned_alloc(64, (measure.used + 63) / 64 * 64 + 64);
    dp_carver carver = {rig.memory, 0};
    dp_impact_carve(&rig.impact, &carver, &size);

    const size_t bytes = dp_law_memory(&size, opt) + ((size_t)1 << 22);
    rig.scratch = malloc(bytes);
    dp_arena arena;
    dp_arena_init(&arena, rig.scratch, bytes);
    dp_law_task *task;
    dp_solve_info info;
    assert_ok(dp_law_begin(&task, p, opt, &arena, NULL));
    assert_ok(dp_law_continue(&lp->s, task, p, NULL, &info));
    uint8_t soft[64] = {0}; // rows of rigid laws
    assert_true(p->nrow <= 64);
    const dp_impact_step step = {.p = p,
                                 .found = &lp->s,
                                 .restitution = restitution,
                                 .soft = soft,
                                 .opt = opt,
                                 .gap = 1e-9,
                                 .arena = &arena};
    assert_ok(dp_impact_solve(&rig.impact, &task, &step));
    dp_arena_end(&arena);
    for (int t = 0; rig.impact.count > 0 && t < p->ntree; ++t) {
        for (int k = p->tree_start[t]; !rig.impact.struck[t] && k < p->tree_start[t + 1]; ++k) {
            rig.impact.v_after[k] = rig.impact.v_before[k]; // nothing strikes it
        }
    }
    if (rig.impact.count > 0) {
        rig.before = impact_rig_energy(p, rig.impact.v_before);
        rig.after = impact_rig_energy(p, rig.impact.v_after);
    }
    return rig;
}

void impact_rig_end(impact_rig *rig)
{
    free(rig->scratch);
    free(rig->memory);
}
