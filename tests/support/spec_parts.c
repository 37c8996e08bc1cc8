#include "spec_parts.h"

dp_body_spec *body(dp_spec *s, int i)
{
    return dp_spec_body(s, (dp_body_id){i});
}

dp_joint_spec *joint(dp_spec *s, int i)
{
    return dp_spec_joint(s, (dp_joint_id){i});
}

dp_geom_spec *geom(dp_spec *s, int i)
{
    return dp_spec_geom(s, (dp_geom_id){i});
}

dp_site_spec *site(dp_spec *s, int i)
{
    return dp_spec_site(s, (dp_site_id){i});
}

dp_actuator_spec *actuator(dp_spec *s, int i)
{
    return dp_spec_actuator(s, (dp_actuator_id){i});
}
