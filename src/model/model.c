// What can be asked of a compiled mechanism.
#include "model/model.h"

#include <string.h>

const dp_model_size *dp_model_sizes(const dp_model *m)
{
    return &m->size;
}

const char *dp_model_title(const dp_model *m)
{
    return m->title;
}

const dp_options *dp_model_options(const dp_model *m)
{
    return &m->options;
}

const double *dp_model_q_reference(const dp_model *m)
{
    return m->q_reference;
}

// Names

dp_name_list dp_model_names(const dp_model *m, dp_element_kind kind)
{
    switch (kind) {
    case DP_ELEMENT_BODY:
        return (dp_name_list){&m->body->name, sizeof *m->body, m->size.nbody};
    case DP_ELEMENT_JOINT:
        return (dp_name_list){&m->joint->name, sizeof *m->joint, m->size.njoint};
    case DP_ELEMENT_GEOM:
        return (dp_name_list){&m->geom->name, sizeof *m->geom, m->size.ngeom};
    case DP_ELEMENT_SITE:
        return (dp_name_list){&m->site->name, sizeof *m->site, m->size.nsite};
    case DP_ELEMENT_ACTUATOR:
        return (dp_name_list){&m->actuator->name, sizeof *m->actuator, m->size.nactuator};
    case DP_ELEMENT_SENSOR:
        return (dp_name_list){&m->sensor->name, sizeof *m->sensor, m->size.nsensor};
    case DP_ELEMENT_MESH:
        return (dp_name_list){&m->mesh->name, sizeof *m->mesh, m->size.nmesh};
    case DP_ELEMENT_HFIELD:
        return (dp_name_list){&m->hfield->name, sizeof *m->hfield, m->size.nhfield};
    case DP_ELEMENT_PAIR:
        return (dp_name_list){&m->pair->name, sizeof *m->pair, m->size.npair};
    case DP_ELEMENT_EXCLUDE:
        return (dp_name_list){&m->exclude->name, sizeof *m->exclude, m->size.nexclude};
    case DP_ELEMENT_TENDON:
        return (dp_name_list){&m->tendon->name, sizeof *m->tendon, m->size.ntendon};
    case DP_ELEMENT_EQUALITY:
        return (dp_name_list){&m->equality->name, sizeof *m->equality, m->size.nequality};
    case DP_ELEMENT_KEY:
        return (dp_name_list){&m->key->name, sizeof *m->key, m->size.nkey};
    case DP_ELEMENT_FORCE:
        return (dp_name_list){&m->force->name, sizeof *m->force, m->size.nforce};
    case DP_ELEMENT_MOTION:
        return (dp_name_list){&m->motion->name, sizeof *m->motion, m->size.nmotion};
    case DP_ELEMENT_KINDS:
        break;
    }
    return (dp_name_list){NULL, 0, 0};
}

static dp_status find(int *out, const dp_model *m, dp_element_kind kind, const char *name)
{
    const dp_name_list list = dp_model_names(m, kind);
    const int i = dp_name_find(&m->name_index[kind], list, name);
    if (i < 0) {
        return dp_name_fail(list, dp_element_kind_name(kind), name);
    }
    *out = i;
    return DP_OK;
}

dp_status dp_model_find_body(dp_body_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_BODY, name);
}

dp_status dp_model_find_joint(dp_joint_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_JOINT, name);
}

dp_status dp_model_find_geom(dp_geom_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_GEOM, name);
}

dp_status dp_model_find_site(dp_site_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_SITE, name);
}

dp_status dp_model_find_actuator(dp_actuator_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_ACTUATOR, name);
}

dp_status dp_model_find_sensor(dp_sensor_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_SENSOR, name);
}

dp_status dp_model_find_mesh(dp_mesh_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_MESH, name);
}

dp_status dp_model_find_hfield(dp_hfield_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_HFIELD, name);
}

dp_status dp_model_find_pair(dp_pair_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_PAIR, name);
}

dp_status dp_model_find_exclude(dp_exclude_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_EXCLUDE, name);
}

dp_status dp_model_find_tendon(dp_tendon_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_TENDON, name);
}

dp_status dp_model_find_equality(dp_equality_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_EQUALITY, name);
}

dp_status dp_model_find_key(dp_key_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_KEY, name);
}

dp_status dp_model_find_force(dp_force_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_FORCE, name);
}

dp_status dp_model_find_motion(dp_motion_id *out, const dp_model *m, const char *name)
{
    return find(&out->index, m, DP_ELEMENT_MOTION, name);
}

// Elements

static bool exists(int index, int count)
{
    return index >= 0 && index < count;
}

dp_body_info dp_model_body(const dp_model *m, dp_body_id body)
{
    if (!exists(body.index, m->size.nbody)) {
        return (dp_body_info){.name = ""};
    }
    const dp_body *b = &m->body[body.index];
    return (dp_body_info){.name = b->name,
                          .parent = {b->parent},
                          .pose = b->pose,
                          .inertial = b->inertial,
                          .gravity_compensation = b->gravity_compensation,
                          .njoint = b->njoint,
                          .v_index = b->dof_start,
                          .nv = b->ndof,
                          .tree = b->tree,
                          .mocap = b->mocap};
}

dp_joint_id dp_model_body_joint(const dp_model *m, dp_body_id body, int k)
{
    if (!exists(body.index, m->size.nbody) || !exists(k, m->body[body.index].njoint)) {
        return (dp_joint_id){-1};
    }
    return (dp_joint_id){m->body_joint[m->body[body.index].joint_start + k]};
}

dp_joint_info dp_model_joint(const dp_model *m, dp_joint_id joint)
{
    if (!exists(joint.index, m->size.njoint)) {
        return (dp_joint_info){.name = ""};
    }
    const dp_joint *j = &m->joint[joint.index];
    return (dp_joint_info){.name = j->name,
                           .kind = j->kind,
                           .body = {j->body},
                           .q_index = j->q_index,
                           .nq = j->nq,
                           .v_index = j->v_index,
                           .nv = j->nv,
                           .anchor = j->anchor,
                           .axis = j->axis,
                           .ref = j->ref,
                           .armature = j->armature,
                           .damping = j->damping,
                           .stiffness = j->stiffness,
                           .spring_ref = j->spring_ref,
                           .friction_loss = j->friction_loss,
                           .limited = j->limited,
                           .range = {j->range[0], j->range[1]},
                           .limit = j->limit};
}

static dp_mesh_contact mesh_contact(const dp_shape *shape)
{
    return shape->surface ? DP_MESH_CONTACT_TRIANGLES
           : shape->hull  ? DP_MESH_CONTACT_HULL
                          : DP_MESH_CONTACT_AUTO;
}

dp_geom_info dp_model_geom(const dp_model *m, dp_geom_id geom)
{
    if (!exists(geom.index, m->size.ngeom)) {
        return (dp_geom_info){.name = ""};
    }
    const dp_geom *g = &m->geom[geom.index];
    return (dp_geom_info){.name = g->name,
                          .kind = g->kind,
                          .body = {g->body},
                          .size = {g->size[0], g->size[1], g->size[2]},
                          .pose = g->pose,
                          .group = g->group,
                          .rgba = {g->rgba[0], g->rgba[1], g->rgba[2], g->rgba[3]},
                          .mesh = {g->mesh},
                          .mesh_contact = mesh_contact(&m->shape[geom.index]),
                          .hfield = {g->hfield},
                          .shell = g->shell,
                          .contype = g->contype,
                          .conaffinity = g->conaffinity,
                          .friction = {g->friction[0], g->friction[1], g->friction[2]},
                          .contact = g->contact,
                          .foundation = g->foundation};
}

dp_foundation_info dp_model_foundation(const dp_model *m, int index)
{
    if (!exists(index, m->size.nfoundation)) {
        return (dp_foundation_info){.geom = {-1}, .plane = {-1}};
    }
    const dp_foundation *f = &m->foundation[index];
    return (dp_foundation_info){
        {f->geom}, {f->plane}, .stiffness = f->stiffness, .area = f->area, .friction = f->friction};
}

dp_site_info dp_model_site(const dp_model *m, dp_site_id site)
{
    if (!exists(site.index, m->size.nsite)) {
        return (dp_site_info){.name = ""};
    }
    const dp_site *s = &m->site[site.index];
    return (dp_site_info){.name = s->name,
                          .body = {s->body},
                          .kind = s->shape.kind,
                          .size = {s->shape.size[0], s->shape.size[1], s->shape.size[2]},
                          .pose = s->pose};
}

dp_actuator_info dp_model_actuator(const dp_model *m, dp_actuator_id actuator)
{
    if (!exists(actuator.index, m->size.nactuator)) {
        return (dp_actuator_info){.name = ""};
    }
    const dp_actuator *a = &m->actuator[actuator.index];
    return (dp_actuator_info){.name = a->name,
                              .transmission = a->transmission,
                              .joint = {a->joint},
                              .tendon = {a->tendon},
                              .site = {a->site},
                              .reference_site = {a->reference_site},
                              .body = {a->body},
                              .activation_index = a->activation_index,
                              .control_limited = a->control_limited,
                              .control_range = {a->control_range[0], a->control_range[1]}};
}

dp_sensor_info dp_model_sensor(const dp_model *m, dp_sensor_id sensor)
{
    if (!exists(sensor.index, m->size.nsensor)) {
        return (dp_sensor_info){.name = ""};
    }
    const dp_sensor *s = &m->sensor[sensor.index];
    return (dp_sensor_info){
        .name = s->name, .kind = s->kind, .data_index = s->data_index, .ndata = s->ndata};
}

dp_mesh_info dp_model_mesh(const dp_model *m, dp_mesh_id mesh)
{
    if (!exists(mesh.index, m->size.nmesh)) {
        return (dp_mesh_info){.name = ""};
    }
    const dp_mesh_asset *a = &m->mesh[mesh.index];
    return (dp_mesh_info){.name = a->name,
                          .vertex = a->own.vertex,
                          .nvertex = a->own.nvertex,
                          .face = a->own.face,
                          .nface = a->own.nface,
                          .hull_vertex = a->hull.vertex,
                          .nhull_vertex = a->hull.nvertex,
                          .hull_face = a->hull.face,
                          .nhull_face = a->hull.nface,
                          .inertia = a->inertia,
                          .measure = a->moments.measure};
}

dp_hfield_info dp_model_hfield(const dp_model *m, dp_hfield_id hfield)
{
    if (!exists(hfield.index, m->size.nhfield)) {
        return (dp_hfield_info){.name = ""};
    }
    const dp_hfield *f = &m->hfield[hfield.index];
    return (dp_hfield_info){.name = f->name,
                            .nrow = f->nrow,
                            .ncol = f->ncol,
                            .elevation = f->elevation,
                            .size = {f->size[0], f->size[1], f->size[2], f->size[3]}};
}

dp_pair_info dp_model_pair(const dp_model *m, dp_pair_id pair)
{
    if (!exists(pair.index, m->size.npair)) {
        return (dp_pair_info){.name = ""};
    }
    const dp_pair *p = &m->pair[pair.index];
    dp_pair_info info = {.name = p->name,
                         .geom = {{p->geom[0]}, {p->geom[1]}},
                         .contact = p->contact,
                         .contact_given = p->contact_given};
    memcpy(info.friction, p->friction, sizeof info.friction);
    return info;
}

dp_exclude_info dp_model_exclude(const dp_model *m, dp_exclude_id exclude)
{
    if (!exists(exclude.index, m->size.nexclude)) {
        return (dp_exclude_info){.name = ""};
    }
    const dp_exclude *e = &m->exclude[exclude.index];
    return (dp_exclude_info){.name = e->name, .body = {{e->body[0]}, {e->body[1]}}};
}

dp_tendon_info dp_model_tendon(const dp_model *m, dp_tendon_id tendon)
{
    if (!exists(tendon.index, m->size.ntendon)) {
        return (dp_tendon_info){.name = ""};
    }
    const dp_tendon *t = &m->tendon[tendon.index];
    return (dp_tendon_info){.name = t->name,
                            .spatial = t->spatial,
                            .nwrap = t->nwrap,
                            .limited = t->limited,
                            .range = {t->range[0], t->range[1]},
                            .limit = t->limit,
                            .stiffness = t->stiffness,
                            .damping = t->damping,
                            .friction_loss = t->friction_loss,
                            .armature = t->armature,
                            .spring_range = {t->spring_range[0], t->spring_range[1]}};
}

dp_wrap_info dp_model_tendon_wrap(const dp_model *m, dp_tendon_id tendon, int k)
{
    if (!exists(tendon.index, m->size.ntendon) || !exists(k, m->tendon[tendon.index].nwrap)) {
        return (dp_wrap_info){.object = -1, .side = {-1}};
    }
    const dp_wrap *w = &m->tendon[tendon.index].wrap[k];
    return (dp_wrap_info){
        .kind = w->kind, .object = w->object, .side = {w->side}, .coefficient = w->coefficient};
}

dp_equality_info dp_model_equality(const dp_model *m, dp_equality_id equality)
{
    if (!exists(equality.index, m->size.nequality)) {
        return (dp_equality_info){.name = ""};
    }
    const dp_equality *e = &m->equality[equality.index];
    dp_equality_info info = {.name = e->name,
                             .kind = e->kind,
                             .object = {e->object[0], e->object[1]},
                             .frame = {e->frame[0], e->frame[1]},
                             .distance = e->distance,
                             .torque_scale = e->torque_scale,
                             .bearing = e->bearing,
                             .turning = e->turning,
                             .active = e->active};
    memcpy(info.polynomial, e->polynomial, sizeof info.polynomial);
    return info;
}

dp_force_info dp_model_force(const dp_model *m, dp_force_id force)
{
    if (!exists(force.index, m->size.nforce)) {
        return (dp_force_info){.name = ""};
    }
    const dp_force *f = &m->force[force.index];
    return (dp_force_info){.name = f->name,
                           .body = {f->body},
                           .joint = {f->joint},
                           .frame = f->frame,
                           .local = f->local,
                           .force = {f->force[0], f->force[1], f->force[2]},
                           .torque = {f->torque[0], f->torque[1], f->torque[2]}};
}

dp_motion_info dp_model_motion(const dp_model *m, dp_motion_id motion)
{
    if (!exists(motion.index, m->size.nmotion)) {
        return (dp_motion_info){.name = ""};
    }
    const dp_motion *o = &m->motion[motion.index];
    return (dp_motion_info){.name = o->name,
                            .joint = {o->joint},
                            .body = {o->mocap < 0 ? -1 : m->mocap_body[o->mocap]},
                            .position = {o->position[0], o->position[1], o->position[2]},
                            .rotation = {o->rotation[0], o->rotation[1], o->rotation[2]},
                            .bearing = o->bearing};
}

const char *dp_model_key_name(const dp_model *m, dp_key_id key)
{
    return exists(key.index, m->size.nkey) ? m->key[key.index].name : "";
}
