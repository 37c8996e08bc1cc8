#include "model/label.h"
#include "model/model.h"

#include <stdio.h>

dp_label dp_joint_label(const dp_model *m, int joint)
{
    const char *name = m->joint[joint].name;
    const int body = m->joint[joint].body;
    const char *owner = m->body[body].name;
    dp_label label;
    if (name[0] != '\0') {
        snprintf(label.text, sizeof label.text, "joint '%s'", name);
    } else if (owner[0] != '\0') {
        snprintf(label.text, sizeof label.text, "joint %d (unnamed) of body '%s'", joint, owner);
    } else {
        snprintf(label.text, sizeof label.text, "joint %d (unnamed) of body %d (unnamed)", joint,
                 body);
    }
    return label;
}

dp_label dp_position_label(const dp_model *m, int i)
{
    int joint = 0;
    while (i < m->joint[joint].q_index || i >= m->joint[joint].q_index + m->joint[joint].nq) {
        ++joint;
    }
    return dp_joint_label(m, joint);
}
