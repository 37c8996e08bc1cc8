// Links and joints form a tree: every link but one is the child of exactly one joint.
#include "io/urdf/urdf.h"

#include <string.h>

static dp_name_list link_names(const dp_urdf *u)
{
    return (dp_name_list){u->nlink > 0 ? &u->link[0].name : NULL, sizeof *u->link, u->nlink};
}

static dp_name_list joint_names(const dp_urdf *u)
{
    return (dp_name_list){u->njoint > 0 ? &u->joint[0].name : NULL, sizeof *u->joint, u->njoint};
}

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

// ---- who there is

static dp_status enter_name(dp_name_index *index, dp_name_list list, int i, const dp_xml_node *node,
                            int first_line)
{
    if (dp_name_at(list, i)[0] == '\0') {
        return dp_mjcf_fail(node, "found an empty name (expected a name)");
    }
    if (first_line > 0) {
        return dp_mjcf_fail(node, "found a second one of this name (the first is in line %d)",
                            first_line);
    }
    dp_name_insert(index, list, i);
    return DP_OK;
}

static dp_status enter_link(dp_urdf *u, dp_xml_node *node, const char *name)
{
    dp_urdf_link *link = &u->link[u->nlink];
    *link = (dp_urdf_link){.name = name,
                           .node = node,
                           .joint = -1,
                           .first = -1,
                           .last = -1,
                           .mover = -1,
                           .pose = DP_IDENTITY_POSE};
    const int same = dp_name_find(&u->link_index, link_names(u), link->name);
    ++u->nlink;
    return enter_name(&u->link_index, link_names(u), u->nlink - 1, node,
                      same >= 0 ? u->link[same].node->line : 0);
}

static dp_status enter_joint(dp_urdf *u, dp_xml_node *node)
{
    dp_urdf_joint *joint = &u->joint[u->njoint];
    *joint = (dp_urdf_joint){.name = dp_xml_value(node, "name", ""),
                             .node = node,
                             .kind = (dp_urdf_kind)dp_xml_find(node, "type")->keyword,
                             .next = -1};
    const int same = dp_name_find(&u->joint_index, joint_names(u), joint->name);
    ++u->njoint;
    return enter_name(&u->joint_index, joint_names(u), u->njoint - 1, node,
                      same >= 0 ? u->joint[same].node->line : 0);
}

// <parent link="world"/> where no link has this name: the world itself, as in Drake. NULL: not so.
static dp_xml_node *find_implied_world(const dp_urdf *u)
{
    dp_xml_node *found = NULL;
    for (const dp_xml_node *node = u->robot->child; node; node = node->next) {
        if (is(node, "link") && strcmp(dp_xml_value(node, "name", ""), "world") == 0) {
            return NULL;
        }
        dp_xml_node *parent = is(node, "joint") ? dp_urdf_child(node, "parent") : NULL;
        if (parent && !found && strcmp(dp_xml_value(parent, "link", ""), "world") == 0) {
            found = parent;
        }
    }
    return found;
}

static dp_status enter_implied_world(dp_urdf *u, const dp_xml_node *parent)
{
    dp_xml_node *node;
    DP_TRY(dp_mjcf_judge(&u->m, parent, dp_xml_find(parent, "link"), DP_IMPORT_VERDICT_APPROXIMATED,
                         "no link has this name: the world itself, as in Drake"));
    DP_TRY(dp_pool_take(&node, &u->m.pool, 1, sizeof *node));
    *node = (dp_xml_node){.name = "link", .file = parent->file, .line = parent->line, .item = -1};
    return enter_link(u, node, "world");
}

static dp_status make_index(dp_name_index *index, dp_urdf *u, int count)
{
    index->nslot = dp_name_slots(count);
    return dp_pool_take(&index->slot, &u->m.pool, index->nslot, sizeof *index->slot);
}

static dp_status enter_all(dp_urdf *u)
{
    int nlink = 0, njoint = 0;
    for (const dp_xml_node *node = u->robot->child; node; node = node->next) {
        nlink += is(node, "link");
        njoint += is(node, "joint");
    }
    if (nlink == 0) {
        return dp_mjcf_fail(
            u->robot, "found no <link> (expected at least one; of a file of macros, xacro makes "
                      "one with links)");
    }
    const dp_xml_node *world = find_implied_world(u);
    nlink += world != NULL;
    DP_TRY(dp_pool_take(&u->link, &u->m.pool, (size_t)nlink, sizeof *u->link));
    DP_TRY(dp_pool_take(&u->joint, &u->m.pool, (size_t)njoint, sizeof *u->joint));
    DP_TRY(make_index(&u->link_index, u, nlink));
    DP_TRY(make_index(&u->joint_index, u, njoint));
    for (dp_xml_node *node = u->robot->child; node; node = node->next) {
        if (is(node, "link")) {
            DP_TRY(enter_link(u, node, dp_xml_value(node, "name", "")));
        } else if (is(node, "joint")) {
            DP_TRY(enter_joint(u, node));
        }
    }
    return world ? enter_implied_world(u, world) : DP_OK;
}

// ---- who hangs on whom

// The link that <parent> or <child> names.
static dp_status find_end(int *out, const dp_urdf *u, const dp_urdf_joint *joint, const char *which)
{
    dp_xml_node *end;
    DP_TRY(dp_urdf_need(&end, joint->node, which));
    const char *name = dp_xml_value(end, "link", "");
    *out = dp_name_find(&u->link_index, link_names(u), name);
    if (*out >= 0) {
        return DP_OK;
    }
    const dp_status status = dp_name_fail(link_names(u), "link", name);
    return dp_mjcf_located(end,
                           dp_fail_context(status, "%s of joint '%.100s': ", which, joint->name));
}

static dp_status connect(dp_urdf *u, int j)
{
    dp_urdf_joint *joint = &u->joint[j];
    DP_TRY(find_end(&joint->parent, u, joint, "parent"));
    DP_TRY(find_end(&joint->child, u, joint, "child"));
    dp_urdf_link *parent = &u->link[joint->parent], *child = &u->link[joint->child];
    if (parent == child) {
        return dp_mjcf_fail(joint->node, "found link '%s' as parent and child (expected two links)",
                            child->name);
    }
    if (child->joint >= 0) {
        return dp_mjcf_fail(joint->node,
                            "found child '%s', which is the child of joint '%s' already (expected "
                            "one joint per child; loops are not part of URDF)",
                            child->name, u->joint[child->joint].name);
    }
    child->joint = j;
    if (parent->last >= 0) {
        u->joint[parent->last].next = j;
    } else {
        parent->first = j;
    }
    parent->last = j;
    return DP_OK;
}

static dp_status find_root(dp_urdf *u)
{
    u->root = -1;
    for (int i = 0; i < u->nlink; ++i) {
        if (u->link[i].joint >= 0) {
            continue;
        }
        if (u->root >= 0) {
            return dp_mjcf_fail(u->link[i].node,
                                "found no joint with this link as its child, and none for link "
                                "'%s' either (expected one root; connect one of them by a joint)",
                                u->link[u->root].name);
        }
        u->root = i;
    }
    if (u->root < 0) {
        return dp_mjcf_fail(u->robot, "found joints in a circle: every link is the child of one "
                                      "(expected one link that is not)");
    }
    return DP_OK;
}

// Depth first, the children of a link in the order of their joints: as MuJoCo counts.
static dp_status find_order(dp_urdf *u)
{
    DP_TRY(dp_pool_take(&u->order, &u->m.pool, (size_t)u->nlink, sizeof *u->order));
    int count = 0, at = u->root;
    while (at >= 0) {
        u->order[count++] = at;
        int joint = u->link[at].first;
        while (joint < 0 && at != u->root) { // up to the next brother of an ancestor
            joint = u->joint[u->link[at].joint].next;
            at = u->joint[u->link[at].joint].parent;
        }
        at = joint >= 0 ? u->joint[joint].child : -1;
    }
    if (count == u->nlink) {
        return DP_OK;
    }
    bool *reached;
    DP_TRY(dp_pool_take(&reached, &u->m.pool, (size_t)u->nlink, sizeof *reached));
    for (int i = 0; i < count; ++i) {
        reached[u->order[i]] = true;
    }
    int lost = 0;
    while (reached[lost]) {
        ++lost;
    }
    return dp_mjcf_fail(u->link[lost].node,
                        "found in a circle of joints (expected a tree that hangs from the root "
                        "link '%s')",
                        u->link[u->root].name);
}

dp_status dp_urdf_read_tree(dp_urdf *u)
{
    DP_TRY(enter_all(u));
    for (int j = 0; j < u->njoint; ++j) {
        DP_TRY(connect(u, j));
    }
    DP_TRY(find_root(u));
    u->moves = u->m.options->urdf_floating_base;
    for (int j = 0; j < u->njoint; ++j) {
        u->moves = u->moves || u->joint[j].kind != DP_URDF_FIXED;
    }
    return find_order(u);
}
