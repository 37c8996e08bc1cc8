// Counts and elements of a spec, typed.
#include "model/spec/spec.h"

// For reading

const dp_body_entry *dp_spec_bodies(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_BODY].at;
}

const dp_joint_entry *dp_spec_joints(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_JOINT].at;
}

const dp_geom_entry *dp_spec_geoms(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_GEOM].at;
}

const dp_site_entry *dp_spec_sites(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_SITE].at;
}

const dp_actuator_spec *dp_spec_actuators(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_ACTUATOR].at;
}

const dp_sensor_spec *dp_spec_sensors(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_SENSOR].at;
}

const dp_mesh_spec *dp_spec_meshes(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_MESH].at;
}

const dp_hfield_spec *dp_spec_hfields(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_HFIELD].at;
}

const dp_pair_spec *dp_spec_pairs(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_PAIR].at;
}

const dp_exclude_spec *dp_spec_excludes(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_EXCLUDE].at;
}

const dp_tendon_spec *dp_spec_tendons(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_TENDON].at;
}

const dp_equality_spec *dp_spec_equalities(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_EQUALITY].at;
}

const dp_key_spec *dp_spec_keys(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_KEY].at;
}

const dp_force_spec *dp_spec_forces(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_FORCE].at;
}

const dp_motion_spec *dp_spec_motions(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_MOTION].at;
}

// Counts

int dp_spec_body_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_BODY].count;
}

int dp_spec_joint_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_JOINT].count;
}

int dp_spec_geom_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_GEOM].count;
}

int dp_spec_site_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_SITE].count;
}

int dp_spec_actuator_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_ACTUATOR].count;
}

int dp_spec_sensor_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_SENSOR].count;
}

int dp_spec_mesh_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_MESH].count;
}

int dp_spec_hfield_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_HFIELD].count;
}

int dp_spec_pair_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_PAIR].count;
}

int dp_spec_exclude_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_EXCLUDE].count;
}

int dp_spec_tendon_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_TENDON].count;
}

int dp_spec_equality_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_EQUALITY].count;
}

int dp_spec_key_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_KEY].count;
}

int dp_spec_force_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_FORCE].count;
}

int dp_spec_motion_count(const dp_spec *spec)
{
    return spec->list[DP_ELEMENT_MOTION].count;
}

// For changing in place

dp_body_spec *dp_spec_body(dp_spec *spec, dp_body_id body)
{
    return dp_spec_entry(spec, DP_ELEMENT_BODY, body.index);
}

dp_joint_spec *dp_spec_joint(dp_spec *spec, dp_joint_id joint)
{
    return dp_spec_entry(spec, DP_ELEMENT_JOINT, joint.index);
}

dp_geom_spec *dp_spec_geom(dp_spec *spec, dp_geom_id geom)
{
    return dp_spec_entry(spec, DP_ELEMENT_GEOM, geom.index);
}

dp_site_spec *dp_spec_site(dp_spec *spec, dp_site_id site)
{
    return dp_spec_entry(spec, DP_ELEMENT_SITE, site.index);
}

dp_actuator_spec *dp_spec_actuator(dp_spec *spec, dp_actuator_id actuator)
{
    return dp_spec_entry(spec, DP_ELEMENT_ACTUATOR, actuator.index);
}

dp_sensor_spec *dp_spec_sensor(dp_spec *spec, dp_sensor_id sensor)
{
    return dp_spec_entry(spec, DP_ELEMENT_SENSOR, sensor.index);
}

dp_mesh_spec *dp_spec_mesh(dp_spec *spec, dp_mesh_id mesh)
{
    return dp_spec_entry(spec, DP_ELEMENT_MESH, mesh.index);
}

dp_hfield_spec *dp_spec_hfield(dp_spec *spec, dp_hfield_id hfield)
{
    return dp_spec_entry(spec, DP_ELEMENT_HFIELD, hfield.index);
}

dp_pair_spec *dp_spec_pair(dp_spec *spec, dp_pair_id pair)
{
    return dp_spec_entry(spec, DP_ELEMENT_PAIR, pair.index);
}

dp_exclude_spec *dp_spec_exclude(dp_spec *spec, dp_exclude_id exclude)
{
    return dp_spec_entry(spec, DP_ELEMENT_EXCLUDE, exclude.index);
}

dp_tendon_spec *dp_spec_tendon(dp_spec *spec, dp_tendon_id tendon)
{
    return dp_spec_entry(spec, DP_ELEMENT_TENDON, tendon.index);
}

dp_equality_spec *dp_spec_equality(dp_spec *spec, dp_equality_id equality)
{
    return dp_spec_entry(spec, DP_ELEMENT_EQUALITY, equality.index);
}

dp_key_spec *dp_spec_key(dp_spec *spec, dp_key_id key)
{
    return dp_spec_entry(spec, DP_ELEMENT_KEY, key.index);
}

dp_force_spec *dp_spec_force(dp_spec *spec, dp_force_id force)
{
    return dp_spec_entry(spec, DP_ELEMENT_FORCE, force.index);
}

dp_motion_spec *dp_spec_motion(dp_spec *spec, dp_motion_id motion)
{
    return dp_spec_entry(spec, DP_ELEMENT_MOTION, motion.index);
}
