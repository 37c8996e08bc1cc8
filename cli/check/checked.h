// The parts of `dashpot check`.
#ifndef DASHPOT_CLI_CHECKED_H
#define DASHPOT_CLI_CHECKED_H

#include "common/json.h"
#include "common/scene.h"
#include "report/overlaps.h"
#include "report/warnings.h"

#include <dashpot/advanced/statics.h>
#include <dashpot/sim.h>

/// Everything that was found out about a model.
typedef struct cli_checked {
    const char *path;
    const cli_allow *allow;
    cli_scene scene;
    cli_missing missing;
    cli_warning_list warnings;
    dp_data *data;         // at the reference configuration, or at a keyframe
    cli_overlaps overlaps; // there
    bool strict, all;
    bool contacts;        // were found, at the keyframe or the start
    double margin;        // [m] of them
    dp_statics *forces;   // NULL: nobody asked
    const char *keyframe; // NULL: the reference configuration
    int objections;       // of --strict
    bool printed;
    dp_status status; // of a file that could not be read
} cli_checked;

// Tables: print nothing where there is nothing. check_tables.c
void cli_print_bodies(const dp_model *m);
void cli_print_joints(const dp_model *m);
void cli_print_actuators(const dp_model *m, dp_spec *spec);
void cli_print_sensors(const dp_model *m, dp_spec *spec);
void cli_print_assets(const dp_model *m); // meshes and height fields
/// By what geoms touch that show a mesh: "hull", "triangles", "both" or "-".
const char *cli_mesh_touches_by(const dp_model *m, int mesh);
/// Tendons, equalities and rows; after dp_forward.
void cli_print_constraints(const dp_model *m, const dp_data *d);

/// The bodies as a tree, with masses, joints and their ranges. check_tree.c
void cli_print_tree(const dp_model *m, dp_spec *spec);

/// What geoms are made of, how materials combine, and what may touch. check_materials.c
void cli_print_materials(const dp_model *m);
void cli_json_materials(cli_json *json, const dp_model *m);

/// What touches what: found with the margin of `c`, then reported. check_contacts.c
dp_status cli_find_contacts(cli_checked *c);
void cli_print_contacts(const cli_checked *c);
void cli_json_contacts(cli_json *json, const cli_checked *c);

/// Reactions, and which of them are determined. check_forces.c
dp_status cli_find_forces(cli_checked *c, double length);
void cli_print_forces(const cli_checked *c);
void cli_json_forces(cli_json *json, const cli_checked *c);

/// One object with everything. check_json.c
void cli_print_check_json(const cli_checked *c, bool channels, bool parameters);
/// An object with nothing but the error of a file that could not be examined.
void cli_print_check_json_refusal(dp_status status);

/// "hinge" coordinates in degrees, others in metres: "-90° … 45°", "0 … 0.1 m". shared
void cli_describe_range(char *out, size_t size, dp_joint_kind kind, const double range[2]);
/// Less than a picometre looks like what it is: nothing.
double cli_tidy(double x);

#endif
