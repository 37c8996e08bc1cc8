#include "model/derive/variant.h"

#include <math.h>
#include <string.h>

// ---- memory

// The arrays of a model that may be written in a variant: own ones, as long as those shared.
static dp_status take_tables(dp_variant *v)
{
    const dp_model_size *n = &v->shared->size;
    dp_tables *t = &v->tables;
    dp_model *m = &v->model;
    dp_pool *pool = &v->pool;
#define TAKE(array, count)                                                                         \
    do {                                                                                           \
        DP_TRY(dp_pool_take(&t->array, pool, (size_t)(count), sizeof *t->array));                  \
        m->array = t->array;                                                                       \
    } while (0)
    TAKE(body, n->nbody);
    TAKE(joint, n->njoint);
    TAKE(joint_ratio, n->njoint);
    TAKE(geom, n->ngeom);
    TAKE(pair, n->npair);
    TAKE(actuator, n->nactuator);
    TAKE(tendon, n->ntendon);
    TAKE(equality, n->nequality);
    TAKE(foundation, n->nfoundation);
    TAKE(fluid, v->shared->nfluid);
    TAKE(dof_armature, n->nv);
    TAKE(dof_damping, n->nv);
    TAKE(dof_stiffness, n->nv);
    TAKE(q_spring, n->nq);
#undef TAKE
    return DP_OK;
}

static dp_status fill(dp_variant *v, const dp_allocator *allocator)
{
    const dp_model *shared = v->shared;
    const size_t nparameter = (size_t)shared->nparameter;
    v->model = *shared;
    dp_pool_init(&v->model.pool, allocator);
    dp_pool_init(&v->pool, allocator);
    DP_TRY(take_tables(v));
    DP_TRY(dp_pool_take(&v->value, &v->pool, nparameter, sizeof *v->value));
    DP_TRY(dp_pool_take(&v->given, &v->pool, nparameter, sizeof *v->given));
    DP_TRY(dp_pool_take(&v->value_before, &v->pool, nparameter, sizeof *v->value_before));
    DP_TRY(dp_pool_take(&v->given_before, &v->pool, nparameter, sizeof *v->given_before));
    DP_TRY(dp_pool_take(&v->cluster, &v->pool, (size_t)shared->size.nbody, sizeof *v->cluster));
    return dp_reference_take(&v->reference, shared, &v->pool);
}

dp_status dp_variant_create(dp_variant **out, const dp_model *shared, const dp_allocator *allocator)
{
    *out = NULL;
    dp_variant *v;
    DP_TRY(dp_allocate(&v, allocator, 1, sizeof *v));
    v->shared = shared;
    const dp_status status = fill(v, allocator);
    if (status != DP_OK) {
        dp_variant_destroy(v);
        return status;
    }
    *out = v;
    return DP_OK;
}

void dp_variant_destroy(dp_variant *v)
{
    if (v) {
        const dp_allocator a = v->pool.allocator;
        dp_pool_destroy(&v->pool);
        dp_release(&a, v, 1, sizeof *v);
    }
}

// ---- values

static void copy_elements(dp_variant *v)
{
    const dp_model *from = v->shared;
    const dp_model_size *n = &from->size;
    const dp_tables *t = &v->tables;
#define COPY(array, count)                                                                         \
    do {                                                                                           \
        if ((count) > 0) {                                                                         \
            memcpy(t->array, from->array, (size_t)(count) * sizeof *t->array);                     \
        }                                                                                          \
    } while (0)
    COPY(body, n->nbody);
    COPY(joint, n->njoint);
    COPY(joint_ratio, n->njoint);
    COPY(geom, n->ngeom);
    COPY(pair, n->npair);
    COPY(actuator, n->nactuator);
    COPY(tendon, n->ntendon);
    COPY(equality, n->nequality);
    COPY(foundation, n->nfoundation);
    COPY(fluid, from->nfluid);
    COPY(q_spring, n->nq);
#undef COPY
}

// The six numbers of a body's inertia, of which parameter i is one. They follow each other.
static void gather_tensor(double tensor[6], const dp_variant *v, int i)
{
    int first = i;
    while (first > 0 &&
           v->shared->parameter[first - 1].element == v->shared->parameter[i].element &&
           dp_parameter_quantity(v->shared->parameter[first - 1])->effect == DP_EFFECT_TENSOR) {
        --first;
    }
    for (int k = 0; k < 6; ++k) {
        tensor[k] = v->given[first + k]
                        ? v->value[first + k]
                        : dp_parameter_value(v->shared, v->shared->parameter[first + k]);
    }
}

static void put_values(dp_variant *v)
{
    for (int i = 0; i < v->shared->nparameter; ++i) {
        const dp_parameter p = v->shared->parameter[i];
        if (v->given[i] && p.kind != DP_PARAMETER_OF_OPTIONS) {
            double tensor[6];
            if (dp_parameter_quantity(p)->effect == DP_EFFECT_TENSOR) {
                gather_tensor(tensor, v, i);
            }
            dp_parameter_put(&v->tables, p, v->value[i], tensor);
        }
    }
}

// ---- checks of several numbers together

static dp_status check_range(const char *name, const double range[2], bool may_be_equal)
{
    const bool fine = may_be_equal ? range[0] <= range[1] : range[0] < range[1];
    return fine ? DP_OK
                : dp_fail(DP_ERROR_ARGUMENT,
                          "has %s [%g, %g] (expected the first number %s the second)", name,
                          range[0], range[1], may_be_equal ? "at most" : "below");
}

static dp_status check_material(const dp_contact_spec *contact)
{
    const dp_material *m = &contact->material;
    if (m->restitution >= 0.0 && (m->youngs_modulus > 0.0 || m->dissipation > 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "has a restitution and a %s (expected one of them: with it, what is thrown "
                       "back depends on the speed)",
                       m->youngs_modulus > 0.0 ? "Young's modulus" : "dissipation");
    }
    return DP_OK;
}

static dp_status check_joint(const dp_joint *joint)
{
    if (joint->limited && joint->kind == DP_JOINT_BALL) {
        return check_range("range", joint->range, true);
    }
    return joint->limited ? check_range("range", joint->range, false) : DP_OK;
}

static dp_status check_tendon(const dp_tendon *tendon)
{
    DP_TRY(check_range("spring length", tendon->spring_range, true));
    return tendon->limited ? check_range("range", tendon->range, false) : DP_OK;
}

static dp_status check_actuator(const dp_model *m, const dp_actuator *a)
{
    const bool one = a->tendon >= 0 || (a->joint >= 0 && m->joint[a->joint].nv == 1);
    if (one && a->gear[0] == 0.0) {
        return dp_fail(DP_ERROR_ARGUMENT, "has gear 0 (expected a number that is not 0)");
    }
    DP_TRY(a->force_limited ? check_range("force range", a->force_range, false) : DP_OK);
    return a->control_limited ? check_range("control range", a->control_range, false) : DP_OK;
}

static dp_status check_element(const dp_model *m, dp_parameter p)
{
    switch (p.kind) {
    case DP_ELEMENT_BODY:
        return dp_inertial_check(&m->body[p.element].inertial);
    case DP_ELEMENT_JOINT:
        return check_joint(&m->joint[p.element]);
    case DP_ELEMENT_GEOM:
        return check_material(&m->geom[p.element].contact);
    case DP_ELEMENT_PAIR:
        return check_material(&m->pair[p.element].contact);
    case DP_ELEMENT_TENDON:
        return check_tendon(&m->tendon[p.element]);
    case DP_ELEMENT_ACTUATOR:
        return check_actuator(m, &m->actuator[p.element]);
    default:
        return DP_OK;
    }
}

static dp_status blame(dp_status status, const dp_model *m, dp_parameter p)
{
    char element[DP_PARAMETER_LABEL];
    dp_parameter_element(element, m, p);
    return dp_fail_context(status, "%s ", element);
}

static dp_status check_values(dp_variant *v)
{
    const dp_model *m = &v->model;
    bool any_body = false;
    for (int i = 0; i < m->nparameter; ++i) {
        const dp_parameter p = m->parameter[i];
        if (v->given[i]) {
            const dp_status status = check_element(m, p);
            if (status != DP_OK) {
                return blame(status, m, p);
            }
            any_body = any_body || p.kind == DP_ELEMENT_BODY;
        }
    }
    int body = 0;
    const dp_status status = any_body ? dp_moving_bodies_check(m, v->cluster, &body) : DP_OK;
    const dp_parameter of = {.kind = DP_ELEMENT_BODY, .element = body};
    return status == DP_OK ? DP_OK : blame(status, m, of);
}

dp_status dp_variant_apply(dp_variant *v)
{
    copy_elements(v);
    put_values(v);
    DP_TRY(check_values(v));
    int joint = 0; // is in the message
    return dp_derive(&v->model, &v->tables, &v->reference, &joint);
}

bool dp_variant_differs(const dp_variant *v)
{
    return memchr(v->given, 1, (size_t)v->shared->nparameter) != NULL;
}
