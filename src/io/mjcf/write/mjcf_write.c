#include "io/mjcf/write/mjcf_write.h"

#include "io/mjcf/mjcf.h"

#include "base/output.h"
#include "math/v3.h"

#include <dashpot/format.h>

#include <string.h>

dp_status dp_mjcf_written(const dp_mjcf_writer *w, dp_element_kind kind, int index)
{
    const dp_status status = w->xml.status;
    if (status == DP_OK || status == DP_ERROR_MEMORY) {
        return status;
    }
    return dp_spec_fail(status, w->spec, kind, index, "%s", dp_last_error());
}

dp_status dp_mjcf_check_kind(const dp_mjcf_writer *w, dp_element_kind kind, int index,
                             const char *what, int value, int last)
{
    if (value < 0 || value > last) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, kind, index,
                            "has %s number %d (expected 0 to %d)", what, value, last);
    }
    return DP_OK;
}

dp_status dp_mjcf_write_section(dp_mjcf_writer *w, const char *element, const dp_mjcf_part *part,
                                int npart)
{
    bool begun = false;
    for (int k = 0; k < npart; ++k) {
        for (int i = 0; i < part[k].count; ++i) {
            if (!begun) {
                dp_xml_begin(&w->xml, element);
                begun = true;
            }
            DP_TRY(part[k].write(w, i));
        }
    }
    if (begun) {
        dp_xml_end(&w->xml, element);
    }
    return w->xml.status;
}

// ---- attributes

bool dp_mjcf_is_zero(double x)
{
    return x == 0.0 && !signbit(x);
}

dp_quat dp_mjcf_unit(dp_mjcf_writer *w, dp_quat q)
{
    if (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && w->xml.status == DP_OK) {
        w->xml.status =
            dp_fail(DP_ERROR_ARGUMENT, "has a zero quaternion (expected an orientation)");
    }
    const bool finite = isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
    return finite ? dp_quat_unit(q) : q; // what is not finite is refused as it is
}

void dp_mjcf_put_numbers(dp_mjcf_writer *w, const char *attribute, const double *x,
                         const double *otherwise, size_t count)
{
    if (memcmp(x, otherwise, count * sizeof *x) != 0) {
        dp_xml_put_numbers(&w->xml, attribute, x, count);
    }
}

void dp_mjcf_put_number(dp_mjcf_writer *w, const char *attribute, double x, double otherwise)
{
    dp_mjcf_put_numbers(w, attribute, &x, &otherwise, 1);
}

void dp_mjcf_put_integer(dp_mjcf_writer *w, const char *attribute, int x, int otherwise)
{
    if (x != otherwise) {
        dp_xml_put_integers(&w->xml, attribute, &x, 1);
    }
}

void dp_mjcf_put_vector(dp_mjcf_writer *w, const char *attribute, dp_v3 x, dp_v3 otherwise)
{
    double a[3], b[3];
    dp_v3_store(a, x);
    dp_v3_store(b, otherwise);
    dp_mjcf_put_numbers(w, attribute, a, b, 3);
}

void dp_mjcf_put_pose(dp_mjcf_writer *w, dp_pose pose)
{
    static const double none[4] = {1.0, 0.0, 0.0, 0.0};
    dp_mjcf_put_vector(w, "pos", pose.p, (dp_v3){0.0, 0.0, 0.0});
    double q[4];
    dp_quat_store(q, dp_mjcf_unit(w, pose.q));
    dp_mjcf_put_numbers(w, "quat", q, none, 4);
}

void dp_mjcf_put_switch(dp_mjcf_writer *w, const char *attribute, bool on)
{
    dp_xml_put_text(&w->xml, attribute, on ? "true" : "false");
}

void dp_mjcf_put_limit(dp_mjcf_writer *w, const char *limited, const char *range, bool on,
                       const double x[2])
{
    static const double none[2] = {0.0, 0.0};
    if (on || memcmp(x, none, sizeof none) != 0) {
        dp_mjcf_put_switch(w, limited, on);
    }
    dp_mjcf_put_numbers(w, range, x, none, 2);
}

void dp_mjcf_put_solver(dp_mjcf_writer *w, bool given, const double solref[2],
                        const double solimp[5])
{
    if (given) {
        dp_xml_put_numbers(&w->xml, "solref", solref, 2);
        dp_xml_put_numbers(&w->xml, "solimp", solimp, 5);
    }
}

void dp_mjcf_put_bearing(dp_mjcf_writer *w, dp_element_kind kind, int index,
                         const char *const name[2], bool given, const double solref[2],
                         const double solimp[5], const dp_bearing *bearing)
{
    if (given) {
        dp_xml_put_numbers(&w->xml, name[0], solref, 2);
        dp_xml_put_numbers(&w->xml, name[1], solimp, 5);
    } else if (bearing->stiffness != INFINITY && w->model) {
        dp_mjcf_note_lacking(w, kind, index, "its stiffness and damping");
    } else if (bearing->stiffness != INFINITY) {
        dp_mjcf_put_namespace(w);
        dp_xml_put_numbers(&w->xml, "dp:stiffness", &bearing->stiffness, 1);
        dp_mjcf_put_number(w, "dp:damping", bearing->damping, 0.0);
    }
}

void dp_mjcf_put_namespace(dp_mjcf_writer *w)
{
    if (!w->xml.declares) {
        dp_xml_put_text(&w->xml, "xmlns:dp", "dashpot");
        w->xml.declares = true;
    }
}

// ---- settings

// Mass counts for all groups, also those that a reader leaves out unless asked to.
static void put_groups(dp_mjcf_writer *w)
{
    int range[2] = {0, 5};
    const dp_geom_entry *geom = dp_spec_geoms(w->spec);
    for (int i = 0; i < dp_spec_geom_count(w->spec); ++i) {
        const int group = geom[i].spec.group;
        range[0] = group < range[0] ? group : range[0];
        range[1] = group > range[1] ? group : range[1];
    }
    if (range[0] < 0 || range[1] > 5) {
        dp_xml_put_integers(&w->xml, "inertiagrouprange", range, 2);
    }
}

static void write_compiler(dp_mjcf_writer *w)
{
    dp_xml_begin(&w->xml, "compiler");
    dp_xml_put_text(&w->xml, "angle", "radian");
    dp_mjcf_put_switch(w, "autolimits", false);
    put_groups(w);
    dp_xml_end(&w->xml, "compiler");
}

static void write_flags(dp_mjcf_writer *w, const dp_options *o)
{
    const struct {
        const char *name;
        bool disabled;
    } flag[] = {
        {"contact", o->disable_contact},     {"limit", o->disable_limits},
        {"equality", o->disable_equality},   {"spring", o->disable_springs},
        {"damper", o->disable_dampers},      {"gravity", o->disable_gravity},
        {"actuation", o->disable_actuation}, {"clampctrl", o->disable_clamp_control},
    };
    bool begun = false;
    for (size_t i = 0; i < sizeof flag / sizeof flag[0]; ++i) {
        if (!flag[i].disabled) {
            continue;
        }
        if (!begun) {
            dp_xml_begin(&w->xml, "flag");
            begun = true;
        }
        dp_xml_put_text(&w->xml, flag[i].name, "disable");
    }
    if (begun) {
        dp_xml_end(&w->xml, "flag");
    }
}

static void write_option(dp_mjcf_writer *w, const dp_options *o, const dp_options *usual)
{
    double gravity[3];
    dp_v3_store(gravity, o->gravity);
    dp_xml_begin(&w->xml, "option");
    dp_xml_put_numbers(&w->xml, "timestep", &o->step, 1);
    dp_xml_put_numbers(&w->xml, "gravity", gravity, 3);
    dp_mjcf_put_vector(w, "magnetic", o->magnetic, usual->magnetic);
    dp_mjcf_put_vector(w, "wind", o->wind, usual->wind);
    dp_mjcf_put_number(w, "density", o->fluid_density, usual->fluid_density);
    dp_mjcf_put_number(w, "viscosity", o->fluid_viscosity, usual->fluid_viscosity);
    dp_xml_put_text(&w->xml, "integrator", o->integrator == DP_INTEGRATOR_RK4 ? "RK4" : NULL);
    dp_xml_put_text(&w->xml, "cone", w->model ? "elliptic" : NULL);
    write_flags(w, o);
    dp_xml_end(&w->xml, "option");
}

enum { OPTION_BYTES = 64 };

// Is an option of a law another than usual? @param text OPTION_BYTES: it is, as text
static bool is_unusual(char *text, const dp_law_options *o, const dp_law_options *usual, int i)
{
    char other[OPTION_BYTES];
    dp_law_options_text(text, OPTION_BYTES, o, i);
    dp_law_options_text(other, sizeof other, usual, i);
    return strcmp(text, other) != 0;
}

// A setting that other readers of MJCF do not know: <dp:option> begins with the first. @return
// whether it is to be written
static bool begin_own(dp_mjcf_writer *w, bool *begun, const char *name)
{
    if (w->model) {
        dp_mjcf_note_lacking(w, DP_ELEMENT_BODY, -1, name);
    } else if (!*begun) {
        dp_xml_begin(&w->xml, "dp:option");
        dp_mjcf_put_namespace(w);
        *begun = true;
    }
    return *begun;
}

static void write_law_options(dp_mjcf_writer *w, bool *begun, const dp_law_options *o,
                              const dp_law_options *usual)
{
    char text[OPTION_BYTES];
    for (int i = 0; i < dp_law_options_name_count(); ++i) {
        const char *name = dp_law_options_name(i);
        if (is_unusual(text, o, usual, i) && begin_own(w, begun, name)) {
            dp_xml_put_text(&w->xml, name, text);
        }
    }
}

// What other readers of MJCF do not know is there only where it is needed.
static void write_own_option(dp_mjcf_writer *w, const dp_options *o, const dp_options *usual)
{
    const bool rk4 =
        o->integrator == DP_INTEGRATOR_RK4 && !w->model &&
        (dp_mjcf_find_rows(w->spec) || dp_mjcf_has_masks(w->spec)); // else it says so itself
    const struct {
        const char *name;
        double value, usual;
    } number[] = {
        {"relative_tolerance", o->relative_tolerance, usual->relative_tolerance},
        {"absolute_tolerance", o->absolute_tolerance, usual->absolute_tolerance},
        {"ode.stiffness", o->ode_stiffness, usual->ode_stiffness},
        {"large_rotation", o->large_rotation, usual->large_rotation},
        {"gap_tolerance", o->gap_tolerance, usual->gap_tolerance},
        {"correction_speed", o->correction_speed, usual->correction_speed},
        {"accuracy", o->accuracy, usual->accuracy},
        {"sleep_speed", o->sleep_speed, usual->sleep_speed},
        {"sleep_time", o->sleep_time, usual->sleep_time},
        {"contact_stiffness_scale", o->contact_stiffness_scale, usual->contact_stiffness_scale},
        {"contact_friction_scale", o->contact_friction_scale, usual->contact_friction_scale},
    };
    const struct {
        const char *name;
        int value, usual;
    } count[] = {
        {"max_substeps", o->max_substeps, usual->max_substeps},
        {"max_passes", o->max_passes, usual->max_passes},
        {"patch_points", o->patch_points, usual->patch_points},
        {"max_halvings", o->max_halvings, usual->max_halvings},
    };
    const struct {
        const char *name, *value; // NULL: usual
    } word[] = {
        {"integrator", dp_options_is_ode(o) || rk4 ? dp_integrator_name(o->integrator) : NULL},
        {"law", o->solver.law != usual->solver.law ? dp_law_name(o->solver.law) : NULL},
        {"ledger", o->ledger ? "true" : NULL},
    };
    enum {
        NUMBERS = sizeof number / sizeof *number,
        COUNTS = sizeof count / sizeof *count,
        WORDS = sizeof word / sizeof *word
    };
    bool begun = false;
    for (int i = 0; i < WORDS; ++i) {
        if (word[i].value && begin_own(w, &begun, word[i].name)) {
            dp_xml_put_text(&w->xml, word[i].name, word[i].value);
        }
    }
    for (int i = 0; i < NUMBERS; ++i) {
        if (memcmp(&number[i].value, &number[i].usual, sizeof(double)) != 0 &&
            begin_own(w, &begun, number[i].name)) {
            dp_xml_put_numbers(&w->xml, number[i].name, &number[i].value, 1);
        }
    }
    for (int i = 0; i < COUNTS; ++i) {
        if (count[i].value != count[i].usual && begin_own(w, &begun, count[i].name)) {
            dp_xml_put_integers(&w->xml, count[i].name, &count[i].value, 1);
        }
    }
    write_law_options(w, &begun, &o->solver, &usual->solver);
    if (begun) {
        dp_xml_end(&w->xml, "dp:option");
    }
}

static dp_status write_settings(dp_mjcf_writer *w)
{
    const dp_options *o = &w->spec->options;
    const dp_options usual = dp_options_default();
    if ((unsigned)o->integrator > DP_INTEGRATOR_CVODE) {
        return dp_fail(DP_ERROR_ARGUMENT, "option: integrator number %d (expected 0 to %d)",
                       (int)o->integrator, DP_INTEGRATOR_CVODE);
    }
    write_compiler(w);
    write_option(w, o, &usual);
    write_own_option(w, o, &usual);
    if (w->xml.status != DP_OK && w->xml.status != DP_ERROR_MEMORY) {
        return dp_fail_context(w->xml.status, "the model ");
    }
    return w->xml.status;
}

static dp_status write_model(dp_mjcf_writer *w)
{
    dp_xml_begin(&w->xml, "mujoco");
    dp_xml_put_text(&w->xml, "model", w->spec->title);
    DP_TRY(write_settings(w));
    DP_TRY(dp_mjcf_write_assets(w));
    DP_TRY(dp_mjcf_write_bodies(w));
    DP_TRY(dp_mjcf_write_contacts(w));
    DP_TRY(dp_mjcf_write_equalities(w));
    DP_TRY(dp_mjcf_write_tendons(w));
    DP_TRY(dp_mjcf_write_actuators(w));
    DP_TRY(dp_mjcf_write_sensors(w));
    DP_TRY(dp_mjcf_write_keyframes(w));
    DP_TRY(dp_mjcf_write_timed(w));
    dp_xml_end(&w->xml, "mujoco");
    return w->xml.status;
}

static dp_status write_text(char **out, size_t *bytes, dp_mjcf_writer *w,
                            const dp_allocator *allocator)
{
    *out = NULL;
    *bytes = 0;
    dp_xml_writer_init(&w->xml, allocator);
    dp_pool_init(&w->scratch, allocator);
    dp_status status = write_model(w);
    if (status == DP_OK) {
        status = dp_xml_writer_finish(out, bytes, &w->xml);
    } else {
        dp_xml_writer_release(&w->xml);
    }
    dp_pool_destroy(&w->scratch);
    return status;
}

dp_status dp_mjcf_write(char **out, size_t *bytes, const dp_spec *spec,
                        const dp_allocator *allocator)
{
    dp_mjcf_writer w = {.spec = spec};
    return write_text(out, bytes, &w, allocator);
}

dp_status dp_mjcf_write_mujoco(char **out, size_t *bytes, dp_import_report **notes,
                               const dp_spec *spec, const dp_allocator *allocator)
{
    *out = NULL;
    *bytes = 0;
    dp_mjcf_writer w = {.spec = spec};
    dp_model *m = NULL;
    dp_status status = notes ? dp_report_create(&w.notes, allocator) : DP_OK;
    if (status == DP_OK) {
        status = dp_model_compile(&m, spec);
    }
    if (status == DP_OK) {
        w.model = m;
        status = write_text(out, bytes, &w, allocator);
    }
    dp_model_destroy(m);
    if (notes) {
        *notes = w.notes;
    }
    return status;
}

// `text` is given back.
static dp_status save(const char *path, char *text, size_t bytes, const dp_allocator *a)
{
    dp_output file;
    dp_status status = dp_output_open(&file, path, a);
    if (status == DP_OK) {
        fwrite(text, 1, bytes, file.file);
        status = dp_output_close(&file);
    }
    dp_release(a, text, bytes + 1, 1);
    return status;
}

dp_status dp_mjcf_save(const char *path, const dp_spec *spec)
{
    char *text;
    size_t bytes;
    DP_TRY(dp_mjcf_write(&text, &bytes, spec, &spec->allocator));
    return save(path, text, bytes, &spec->allocator);
}

dp_status dp_mjcf_save_mujoco(const char *path, dp_import_report **notes, const dp_spec *spec)
{
    char *text;
    size_t bytes;
    DP_TRY(dp_mjcf_write_mujoco(&text, &bytes, notes, spec, &spec->allocator));
    return save(path, text, bytes, &spec->allocator);
}
