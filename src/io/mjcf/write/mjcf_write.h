// How a spec becomes MJCF text. Reading order: mjcf_write.c, then the files in the order of its
// calls.
//
// Every number has the fewest digits that read back to the same bits; what has the value that a
// reader assumes anyway is left out, and there are no classes. Bodies stand in the order of the
// tree, so after reading all ids are those of a walk through it, depth first.
#ifndef DP_FORMAT_MJCF_WRITE_H
#define DP_FORMAT_MJCF_WRITE_H

#include "io/codec/xml_write.h"
#include "io/report.h"
#include "model/model.h"
#include "model/spec/spec.h"

typedef struct dp_mjcf_writer {
    const dp_spec *spec;
    const dp_model *model;   // for MuJoCo, without words of ours. NULL: for our own reader
    dp_import_report *notes; // what that leaves out or changes. May be NULL
    dp_xml_writer xml;
    dp_pool scratch;
} dp_mjcf_writer;

// ---- mjcf_write.c

/// How the writing went so far; a failure is reported of the element that is being written.
dp_status dp_mjcf_written(const dp_mjcf_writer *w, dp_element_kind kind, int index);
/// Refuse a value that an enumeration does not have.
dp_status dp_mjcf_check_kind(const dp_mjcf_writer *w, dp_element_kind kind, int index,
                             const char *what, int value, int last);
/// Fail for what a spec can say of an element and MJCF cannot.
#define dp_mjcf_cannot_say(w, kind, index, ...)                                                    \
    dp_spec_fail(DP_ERROR_UNSUPPORTED, (w)->spec, kind, index, __VA_ARGS__)

// ---- mjcf_write_mujoco.c

/// Note what MuJoCo does not have of an element, or of the options, whose index is −1.
void dp_mjcf_note_lacking(dp_mjcf_writer *w, dp_element_kind kind, int index, const char *what);
/// The share of a geom in mixed numbers: none of ground.
double dp_mjcf_solmix(const dp_mjcf_writer *w, int geom);
/// Materials as solref and solimp: of a geom on what it may touch, of a pair.
void dp_mjcf_put_geom_softness(dp_mjcf_writer *w, int geom);
void dp_mjcf_put_pair_softness(dp_mjcf_writer *w, int pair);

// ---- mjcf_write.c, continued

/// Elements of one kind, and how one is written.
typedef struct dp_mjcf_part {
    int count;
    dp_status (*write)(dp_mjcf_writer *w, int index);
} dp_mjcf_part;
/// A section with all elements of its parts; none where there are no elements.
dp_status dp_mjcf_write_section(dp_mjcf_writer *w, const char *element, const dp_mjcf_part *part,
                                int npart);

/// Whether the bits are those of 0, not of −0.
bool dp_mjcf_is_zero(double x);
/// A quaternion as it is written and read: of unit length. Zero is refused.
dp_quat dp_mjcf_unit(dp_mjcf_writer *w, dp_quat q);

// Attributes that are left out where a reader assumes the same bits.
void dp_mjcf_put_numbers(dp_mjcf_writer *w, const char *attribute, const double *x,
                         const double *otherwise, size_t count);
void dp_mjcf_put_number(dp_mjcf_writer *w, const char *attribute, double x, double otherwise);
void dp_mjcf_put_integer(dp_mjcf_writer *w, const char *attribute, int x, int otherwise);
void dp_mjcf_put_vector(dp_mjcf_writer *w, const char *attribute, dp_v3 x, dp_v3 otherwise);
/// pos and quat.
void dp_mjcf_put_pose(dp_mjcf_writer *w, dp_pose pose);

/// "true" or "false", always.
void dp_mjcf_put_switch(dp_mjcf_writer *w, const char *attribute, bool on);
/// Whether a range counts, and the range; nothing where there is neither.
void dp_mjcf_put_limit(dp_mjcf_writer *w, const char *limited, const char *range, bool on,
                       const double x[2]);
/// solref and solimp, where `given`.
void dp_mjcf_put_solver(dp_mjcf_writer *w, bool given, const double solref[2],
                        const double solimp[5]);

/// The same by the names of these attributes; without them dp:stiffness and dp:damping, where it is
/// not rigid.
void dp_mjcf_put_bearing(dp_mjcf_writer *w, dp_element_kind kind, int index,
                         const char *const name[2], bool given, const double solref[2],
                         const double solimp[5], const dp_bearing *bearing);
/// The numbers of a material that differ from the default, or one of them where it is given all the
/// same.
/// @param founded damping and Young's modulus are those of a foundation: these cannot be said
dp_status dp_mjcf_put_material(dp_mjcf_writer *w, dp_element_kind kind, int index,
                               const dp_contact_spec *contact, bool founded);
/// Declare dp: on the element that begins to need it, once.
void dp_mjcf_put_namespace(dp_mjcf_writer *w);

// ---- the sections

dp_status dp_mjcf_write_assets(dp_mjcf_writer *w);   // mjcf_write_asset.c
dp_status dp_mjcf_write_bodies(dp_mjcf_writer *w);   // mjcf_write_body.c
dp_status dp_mjcf_write_contacts(dp_mjcf_writer *w); // mjcf_write_constraint.c
dp_status dp_mjcf_write_equalities(dp_mjcf_writer *w);
dp_status dp_mjcf_write_tendons(dp_mjcf_writer *w);
dp_status dp_mjcf_write_actuators(dp_mjcf_writer *w); // mjcf_write_device.c
dp_status dp_mjcf_write_timed(dp_mjcf_writer *w);     // mjcf_write_timed.c
dp_status dp_mjcf_write_sensors(dp_mjcf_writer *w);
dp_status dp_mjcf_write_keyframes(dp_mjcf_writer *w);

#endif
