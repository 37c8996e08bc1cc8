// The bodies drawn as a tree, one line each, with masses and joints beside it:
//
//     world
//     ├─ cart        1.2  slide  rail   x  -1 … 1 m
//     │  └─ pole     0.3  hinge  pivot  y
//     └─ ball        0.1  free   float
//
// Long chains would run off the page, so in a tree that is deep or too wide an only child stands
// below its parent without a branch of its own.
#include "check/checked.h"
#include "common/element_names.h"
#include "common/table.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEP = 10,    // levels beyond which chains are drawn straight down
    DEEPEST = 10, // levels that are drawn at all; what is deeper tells its level
    BYTES = 16,   // of one level's branch in UTF-8, generously
};

// The family of each body, by number; 0 for none, since nobody's child is the world.
typedef struct family {
    int *first, *last, *next; // children, from first to last by next
    int *children;            // how many
    int *level;               // on the page
} family;

static bool family_take(family *f, int nbody)
{
    f->first = calloc(5 * (size_t)nbody, sizeof *f->first); // one block, freed by its start
    if (!f->first) {
        return false;
    }
    f->last = f->first + nbody;
    f->next = f->last + nbody;
    f->children = f->next + nbody;
    f->level = f->children + nbody;
    return true;
}

// Parents come before children, so one pass finds all. @return the deepest level.
static int find_family(family *f, const dp_model *m, bool straight)
{
    const int nbody = dp_model_sizes(m)->nbody;
    memset(f->first, 0, 5 * (size_t)nbody * sizeof *f->first);
    for (int b = 1; b < nbody; ++b) {
        const int parent = dp_model_body(m, (dp_body_id){b}).parent.index;
        if (f->last[parent] == 0) {
            f->first[parent] = b;
        } else {
            f->next[f->last[parent]] = b;
        }
        f->last[parent] = b;
        ++f->children[parent];
    }
    int deepest = 0;
    for (int b = 1; b < nbody; ++b) {
        const int parent = dp_model_body(m, (dp_body_id){b}).parent.index;
        const bool follows = straight && parent > 0 && f->children[parent] == 1;
        f->level[b] = f->level[parent] + (follows ? 0 : 1);
        deepest = f->level[b] > deepest ? f->level[b] : deepest;
    }
    return deepest;
}

// The next body in the order of the page: children, then siblings, then those of the parents.
static int next_body(const family *f, const dp_model *m, int b)
{
    if (f->first[b] > 0) {
        return f->first[b];
    }
    while (b > 0 && f->next[b] == 0) {
        b = dp_model_body(m, (dp_body_id){b}).parent.index;
    }
    return b > 0 ? f->next[b] : 0;
}

// Where the drawing stands: whether a branch goes on below, level by level.
typedef struct page {
    bool open[DEEPEST + 2];
} page;

// A row's branches while they are drawn.
typedef struct stroke {
    char text[BYTES * (DEEPEST + 2)];
} stroke;

static void draw(stroke *out, const char *piece)
{
    const size_t used = strlen(out->text);
    snprintf(out->text + used, sizeof out->text - used, "%s", piece);
}

static void draw_open(stroke *out, const page *p, int levels)
{
    for (int i = 1; i <= levels && i <= DEEPEST; ++i) {
        draw(out, p->open[i] ? "│  " : "   ");
    }
}

// The branches in front of a body's name.
static void draw_branch(stroke *out, page *p, const family *f, const dp_model *m, int b)
{
    const int level = f->level[b];
    const int parent = dp_model_body(m, (dp_body_id){b}).parent.index;
    const bool follows = f->level[parent] == level; // drawn straight down
    out->text[0] = '\0';
    draw_open(out, p, follows ? level : level - 1);
    if (level > DEEPEST) {
        char number[32];
        snprintf(number, sizeof number, "(level %d) ", level);
        draw(out, number);
        return;
    }
    if (!follows) {
        draw(out, f->next[b] > 0 ? "├─ " : "└─ ");
        p->open[level] = f->next[b] > 0;
    }
}

// "x", "-y", "0.6 0 0.8"
static void describe_axis(char *out, size_t size, const dp_joint_info *joint)
{
    if (joint->kind == DP_JOINT_FREE || joint->kind == DP_JOINT_BALL) {
        snprintf(out, size, "%s", "");
        return;
    }
    const double a[3] = {joint->axis.x, joint->axis.y, joint->axis.z};
    for (int i = 0; i < 3; ++i) {
        if (fabs(a[i]) > 1.0 - 1e-9) { // a unit vector along an axis, but for round-off
            snprintf(out, size, "%s%c", a[i] < 0.0 ? "-" : "", "xyz"[i]);
            return;
        }
    }
    snprintf(out, size, "%.2g %.2g %.2g", cli_tidy(a[0]), cli_tidy(a[1]), cli_tidy(a[2]));
}

void cli_describe_range(char *out, size_t size, dp_joint_kind kind, const double range[2])
{
    const double degrees = 57.29577951308232; // per radian
    if (kind == DP_JOINT_SLIDE) {
        snprintf(out, size, "%.4g … %.4g m", range[0], range[1]);
    } else if (kind == DP_JOINT_BALL) {
        snprintf(out, size, "up to %.4g°", range[1] * degrees);
    } else {
        snprintf(out, size, "%.4g° … %.4g°", range[0] * degrees, range[1] * degrees);
    }
}

static void add_joint_cells(cli_table *t, const dp_model *m, dp_spec *spec, int j)
{
    const dp_joint_info joint = dp_model_joint(m, (dp_joint_id){j});
    const dp_joint_spec *details = dp_spec_joint(spec, (dp_joint_id){j});
    char axis[64], range[64] = "";
    describe_axis(axis, sizeof axis, &joint);
    if (details->limited && joint.kind != DP_JOINT_FREE) {
        cli_describe_range(range, sizeof range, joint.kind, details->range);
    }
    cli_cell(t, "%s", dp_joint_kind_name(joint.kind));
    cli_cell(t, "%s", cli_label("joint", joint.name, j).text);
    cli_cell(t, "%s", axis);
    cli_cell(t, "%s", range);
}

// A body that has no joints: how it is held.
static void add_still_cells(cli_table *t, const dp_body_info *body)
{
    cli_cell(t, "%s", body->mocap >= 0 ? "mocap" : body->tree < 0 ? "fixed" : "welded");
    cli_cell(t, "%s", "");
    cli_cell(t, "%s", "");
    cli_cell(t, "%s", "");
}

static void add_body(cli_table *t, page *p, const family *f, const dp_model *m, dp_spec *spec,
                     int b)
{
    const dp_body_info body = dp_model_body(m, (dp_body_id){b});
    stroke branch;
    draw_branch(&branch, p, f, m, b);
    cli_cell(t, "%s%s", branch.text, cli_label("body", body.name, b).text);
    cli_cell(t, "%.4g", body.inertial.mass);
    if (body.njoint == 0) {
        add_still_cells(t, &body);
    }
    for (int k = 0; k < body.njoint; ++k) {
        if (k > 0) { // below the first, beside the branches that go on
            branch.text[0] = '\0';
            draw_open(&branch, p, f->level[b]);
            const int child = f->first[b];
            draw(&branch, child > 0 && f->level[child] > f->level[b] ? "│" : "");
            cli_cell(t, "%s", branch.text);
            cli_cell(t, "%s", "");
        }
        add_joint_cells(t, m, spec, dp_model_body_joint(m, (dp_body_id){b}, k).index);
    }
}

static cli_table draw_tree(const family *f, const dp_model *m, dp_spec *spec)
{
    static const char *const heading[] = {"~body", ">mass [kg]", "joint", "~name", "axis", "range"};
    cli_table t = cli_table_new(6, heading);
    cli_cell(&t, "world");
    for (int i = 1; i < 6; ++i) {
        cli_cell(&t, "%s", "");
    }
    page p = {{false}};
    for (int b = next_body(f, m, 0); b > 0; b = next_body(f, m, b)) {
        add_body(&t, &p, f, m, spec, b);
    }
    return t;
}

void cli_print_tree(const dp_model *m, dp_spec *spec)
{
    family f;
    if (!family_take(&f, dp_model_sizes(m)->nbody)) {
        return;
    }
    bool straight = find_family(&f, m, false) > DEEP;
    if (straight) {
        find_family(&f, m, true);
    }
    cli_table t = draw_tree(&f, m, spec);
    const bool wide = !cli_table_fits(&t, CLI_PAGE); // unless names are cut
    if (wide && !straight) {
        straight = true;
        find_family(&f, m, true);
        cli_table_destroy(&t);
        t = draw_tree(&f, m, spec);
    }
    cli_table_print(&t);
    if (straight) {
        puts("  (without a branch of its own: the only one that hangs on the line above)");
    }
    free(f.first);
}
