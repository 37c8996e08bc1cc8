// What MuJoCo does not have: in its words, or left out with a note.
//
// A point of contact with solref −k −b and the impedance d at all depths bears a steady load like a
// spring of stiffness k/((1 − d) A), with the mobility A [1/kg] of the two bodies; it moves like
// one of damping ratio b/(2 √k). For the stiffness K and the damping B of ours, which the n points
// of a flat side share, and s = 1 − d,
//
//     k = s A K/n,      b = 2 ζ √k,      ζ = ½ B √(A/K)                                    (WM 1)
//
// has the same stiffness and the same damping ratio, if ζ ≥ 1 or a restitution is given. MuJoCo
// integrates k and b explicitly: s is such that k ≤ 1/(4 h²), and b ≤ 1/h, in its steps of h.
//
// Numbers of a contact are those of its geoms. They are on the geom that moves, for what is the
// softest contact with ground that it may have, or with one of its own kind where there is none.
// Ground has none: its share in a mixture is 0.
#include "io/mjcf/write/mjcf_write.h"

#include "model/combine_materials.h"

void dp_mjcf_note_lacking(dp_mjcf_writer *w, dp_element_kind kind, int index, const char *what)
{
    dp_import_report *notes = w->notes;
    if (!notes || w->xml.status != DP_OK) {
        return;
    }
    dp_label label = {"option"};
    if (index >= 0) {
        label = dp_spec_label(w->spec, kind, index);
    }
    dp_import_item item = {DP_IMPORT_VERDICT_REFUSED, "", 0, "", "", "", "", ""};
    int at = 0;
    dp_status status = dp_report_text(&item.element, notes, label.text);
    if (status == DP_OK) {
        status = dp_report_add(&at, notes, &item);
    }
    if (status == DP_OK) {
        status = dp_report_set(notes, at, DP_IMPORT_VERDICT_REFUSED, NULL, "%s", what);
    }
    w->xml.status = status;
}

// How many points MuJoCo finds where a shape lies on a plane.
static int points_of(dp_geom_kind kind)
{
    switch (kind) {
    case DP_GEOM_CAPSULE:
        return 2;
    case DP_GEOM_CYLINDER:
        return 3;
    case DP_GEOM_BOX:
    case DP_GEOM_MESH:
        return 4;
    default:
        return 1;
    }
}

// ζ of (WM 1), and 1 at least where nothing is to rebound: steps of Dashpot are implicit, in those
// of MuJoCo what bounces by less than g h² goes on for ever.
static double damping_ratio(const dp_touch_law *law, double A)
{
    const double zeta =
        isfinite(law->stiffness) ? 0.5 * law->damping * sqrt(A / law->stiffness) : 1.0;
    return law->restitution < 0.0 ? fmax(zeta, 1.0) : zeta;
}

// (WM 1). What no number can say is noted of the element.
static void put_softness(dp_mjcf_writer *w, dp_element_kind kind, int index,
                         const dp_touch_law *law, double A, int points)
{
    const double most = 0.1, least = 1e-4; // of s: MuJoCo's usual impedance, and its greatest
    const double h = w->spec->options.step, stiffest = 1.0 / (4.0 * h * h);
    const double wanted = A * law->stiffness / points;
    const double s = fmin(most, fmax(least, stiffest / wanted));
    const double k = fmin(s * wanted, stiffest);
    const double zeta = damping_ratio(law, A);
    const double solref[2] = {-k, -fmin(2.0 * zeta * sqrt(k), 1.0 / h)};
    const double solimp[5] = {1.0 - s, 1.0 - s, 0.001, 0.5, 2.0};
    if (law->normal.kind != DP_NORMAL_SPRING) {
        dp_mjcf_note_lacking(w, kind, index,
                             "the law of its normal force (a linear spring instead)");
    }
    if (k < s * wanted) {
        dp_mjcf_note_lacking(w, kind, index, "stiffness that steps of MuJoCo do not resolve");
    }
    dp_mjcf_put_solver(w, true, solref, solimp);
}

static double mobility(const dp_model *m, int geom)
{
    return m->body[m->geom[geom].body].give;
}

static bool is_ground(const dp_model *m, int geom)
{
    return !(mobility(m, geom) > 0.0);
}

// Does the file give solref and solimp, which a material would overrule?
static bool is_ratio(const dp_contact_spec *contact)
{
    return contact->solver_given && !contact->material_given;
}

// The softest contact with ground; −1: there is none.
static int find_ground(dp_touch_law *out, const dp_model *m, int geom)
{
    int best = -1;
    for (int g = 0; g < m->size.ngeom; ++g) {
        dp_touch_law law;
        if (g == geom || !is_ground(m, g) || !dp_may_touch(m, g, geom)) {
            continue;
        }
        dp_combine(&law, m, g, geom, -1);
        if (best < 0 || law.stiffness < out->stiffness) {
            *out = law;
            best = g;
        }
    }
    return best;
}

void dp_mjcf_put_geom_softness(dp_mjcf_writer *w, int geom)
{
    const dp_model *m = w->model;
    const dp_geom *g = &m->geom[geom];
    const dp_contact_spec *contact = &dp_spec_geoms(w->spec)[geom].spec.contact;
    if (is_ratio(contact)) {
        dp_mjcf_put_solver(w, true, contact->solref, contact->solimp);
        return;
    }
    if (is_ground(m, geom)) {
        if (contact->priority > 0) {
            dp_mjcf_note_lacking(w, DP_ELEMENT_GEOM, geom, "the priority of its material");
        }
        return;
    }
    if (m->options.disable_contact || (g->contype == 0 && g->conaffinity == 0)) {
        return;
    }
    dp_touch_law law;
    double A = mobility(m, geom);
    if (find_ground(&law, m, geom) < 0) {
        dp_combine(&law, m, geom, geom, -1);
        A *= 2.0;
    }
    put_softness(w, DP_ELEMENT_GEOM, geom, &law, A, points_of(g->kind));
}

double dp_mjcf_solmix(const dp_mjcf_writer *w, int geom)
{
    const dp_contact_spec *contact = &dp_spec_geoms(w->spec)[geom].spec.contact;
    return w->model && is_ground(w->model, geom) && !is_ratio(contact) ? 0.0 : contact->solmix;
}

void dp_mjcf_put_pair_softness(dp_mjcf_writer *w, int pair)
{
    const dp_model *m = w->model;
    const int a = m->pair[pair].geom[0], b = m->pair[pair].geom[1];
    const dp_contact_spec *contact = &dp_spec_pairs(w->spec)[pair].contact;
    const double A = mobility(m, a) + mobility(m, b);
    if (is_ratio(contact)) {
        dp_mjcf_put_solver(w, true, contact->solref, contact->solimp);
    } else if (A > 0.0) {
        dp_touch_law law;
        dp_combine(&law, m, a, b, pair);
        const int first = points_of(m->geom[a].kind), second = points_of(m->geom[b].kind);
        put_softness(w, DP_ELEMENT_PAIR, pair, &law, A, first > second ? first : second);
    }
}
