#include "tendon_rig.h"

#include "mechanism.h"
#include "random_mechanism.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void carve(tendon_rig *rig, dp_carver *c)
{
    const dp_model *m = rig->m;
    dp_kin_carve(&rig->kin, c, m);
    dp_tendon_carve(&rig->tendon, c, m);
    dp_transmission_carve(&rig->transmission, c, m);
    rig->mocap = dp_carve(c, (size_t)m->size.nmocap, sizeof *rig->mocap);
    rig->no_velocity = dp_carve(c, (size_t)m->size.nv, sizeof *rig->no_velocity);
    rig->row = dp_carve(c, (size_t)m->size.nv, sizeof *rig->row);
    rig->wrench = dp_carve(c, (size_t)m->size.nbody, sizeof *rig->wrench);
}

void rig_open(tendon_rig *rig, const dp_model *m)
{
    *rig = (tendon_rig){.m = m};
    dp_carver measure = {NULL, 0};
    carve(rig, &measure);
    rig->memory = calloc(measure.used + 64, 1);
    assert_non_null(rig->memory);
    dp_carver c = {rig->memory, 0};
    carve(rig, &c);
    for (int i = 0; i < m->size.nmocap; ++i) {
        rig->mocap[i] = m->body[m->mocap_body[i]].pose;
    }
    dp_tendon_init(&rig->tendon, m);
    dp_transmission_init(&rig->transmission, m);
    dp_tendon_rest(&rig->tendon, &rig->kin, m, rig->mocap);
}

void rig_close(tendon_rig *rig)
{
    free(rig->memory);
    *rig = (tendon_rig){.m = NULL};
}

void rig_move(tendon_rig *rig, const double *q)
{
    dp_kin_fix(&rig->kin, rig->m, rig->mocap, (dp_v3){0.0, 0.0, 0.0});
    dp_kin_update(&rig->kin, rig->m, q, rig->no_velocity);
    dp_tendon_update(&rig->tendon, &rig->kin, rig->m, q);
    dp_transmission_update(&rig->transmission, &rig->kin, rig->m, q, &rig->tendon);
}

static const double *spread(tendon_rig *rig, const int *dof, const double *value, int count)
{
    memset(rig->row, 0, (size_t)rig->m->size.nv * sizeof *rig->row);
    for (int k = 0; k < count; ++k) {
        assert_in_range(dof[k], k == 0 ? 0 : dof[k - 1] + 1, rig->m->size.nv - 1); // ascending
        rig->row[dof[k]] = value[k];
    }
    return rig->row;
}

const double *rig_gradient(tendon_rig *rig, int tendon)
{
    const dp_tendon_set *t = &rig->tendon;
    assert_true(t->start[tendon] + (size_t)t->count[tendon] <= t->start[tendon + 1]);
    return spread(rig, t->dof + t->start[tendon], t->gradient + t->start[tendon], t->count[tendon]);
}

const double *rig_moment(tendon_rig *rig, int actuator)
{
    const dp_transmission_set *t = &rig->transmission;
    assert_true(t->start[actuator] + (size_t)t->count[actuator] <= t->start[actuator + 1]);
    return spread(rig, t->dof + t->start[actuator], t->moment + t->start[actuator],
                  t->count[actuator]);
}

dp_model *random_tendon_model(uint64_t seed)
{
    random_mechanism_options options = random_mechanism_default(seed);
    options.tendons = true;
    char *text = random_mechanism(&options);
    char path[512];
    snprintf(path, sizeof path, "%s/random_tendons_%ld.xml", DP_SCRATCH, (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(text);
    dp_spec *spec = NULL;
    assert_ok(dp_mjcf_load(&spec, NULL, path, NULL));
    remove(path);
    dp_model *m = NULL;
    assert_ok(dp_model_compile(&m, spec));
    dp_spec_destroy(spec);
    return m;
}
