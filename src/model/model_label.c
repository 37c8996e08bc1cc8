#include "model/label.h"
#include "model/model.h"

#include <stdio.h>

// @param what "joint", "geom"
static dp_label label_of(const dp_model *m, const char *what, const char *name, int index, int body)
{
    const char *owner = m->body[body].name;
    dp_label label;
    if (name[0] != '\0') {
        snprintf(label.text, sizeof label.text, "%s '%s'", what, name);
    } else if (owner[0] != '\0') {
        snprintf(label.text, sizeof label.text, "%s %d (unnamed) of body '%s'", what, index, owner);
    } else {
        snprintf(label.text, sizeof label.text, "%s %d (unnamed) of body %d (unnamed)", what, index,
                 body);
    }
    return label;
}

dp_label dp_joint_label(const dp_model *m, int joint)
{
    return label_of(m, "joint", m->joint[joint].name, joint, m->joint[joint].body);
}

dp_label dp_geom_label(const dp_model *m, int geom)
{
    return label_of(m, "geom", m->geom[geom].name, geom, m->geom[geom].body);
}

dp_label dp_position_label(const dp_model *m, int i)
{
    int joint = 0;
    while (i < m->joint[joint].q_index || i >= m->joint[joint].q_index + m->joint[joint].nq) {
        ++joint;
    }
    return dp_joint_label(m, joint);
}
