// The page of a replay: the viewer, and the data of the run as JSON within it (docs/replay.md).
#include "record/replay/replay.h"

#include "base/output.h"
#include "record/replay/coarse_mesh.h"
#include "record/replay/replay_pack.h"
#include "record/replay/replay_page.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    dp_json_page j;
    const dp_replay *r;
    const dp_model *m;
} writer;

static void put_v3(writer *w, const char *key, dp_v3 v)
{
    dp_json_numbers(&w->j, key, (double[]){v.x, v.y, v.z}, 3);
}

static void put_pose(writer *w, dp_pose X)
{
    put_v3(w, "pos", X.p);
    dp_json_numbers(&w->j, "quat", (double[]){X.q.w, X.q.x, X.q.y, X.q.z}, 4);
}

static void put_bodies(writer *w)
{
    dp_json_open(&w->j, "bodies", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->nbody; ++i) {
        const dp_body_info b = dp_model_body(w->m, (dp_body_id){i});
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", b.name);
        dp_json_count(&w->j, "parent", b.parent.index);
        dp_json_count(&w->j, "tree", b.tree);
        dp_json_number(&w->j, "mass", b.inertial.mass);
        put_v3(w, "moments", b.inertial.moments);
        put_pose(w, b.inertial.frame);
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

static void put_joints(writer *w)
{
    static const char *const kind[] = {[DP_JOINT_FREE] = "free",
                                       [DP_JOINT_BALL] = "ball",
                                       [DP_JOINT_SLIDE] = "slide",
                                       [DP_JOINT_HINGE] = "hinge"};
    dp_json_open(&w->j, "joints", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->njoint; ++i) {
        const dp_joint_info joint = dp_model_joint(w->m, (dp_joint_id){i});
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", joint.name);
        dp_json_text(&w->j, "kind", kind[joint.kind]);
        dp_json_count(&w->j, "body", joint.body.index);
        put_v3(w, "anchor", joint.anchor);
        put_v3(w, "axis", joint.axis);
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

static void put_geoms(writer *w)
{
    static const char *const kind[] = {[DP_GEOM_PLANE] = "plane",
                                       [DP_GEOM_HFIELD] = "hfield",
                                       [DP_GEOM_SPHERE] = "sphere",
                                       [DP_GEOM_CAPSULE] = "capsule",
                                       [DP_GEOM_BOX] = "box",
                                       [DP_GEOM_CYLINDER] = "cylinder",
                                       [DP_GEOM_ELLIPSOID] = "ellipsoid",
                                       [DP_GEOM_MESH] = "mesh"};
    dp_json_open(&w->j, "geoms", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->ngeom; ++i) {
        const dp_geom_info g = dp_model_geom(w->m, (dp_geom_id){i});
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", g.name);
        dp_json_text(&w->j, "kind", kind[g.kind]);
        dp_json_count(&w->j, "body", g.body.index);
        dp_json_numbers(&w->j, "size", g.size, 3);
        put_pose(w, g.pose);
        const double rgba[4] = {g.rgba[0], g.rgba[1], g.rgba[2], g.rgba[3]};
        dp_json_numbers(&w->j, "rgba", rgba, 4);
        dp_json_count(&w->j, "group", g.group);
        dp_json_bool(&w->j, "touches", g.contype != 0 || g.conaffinity != 0);
        if (g.kind == DP_GEOM_MESH || g.kind == DP_GEOM_HFIELD) {
            dp_json_count(&w->j, "asset", g.kind == DP_GEOM_MESH ? g.mesh.index : g.hfield.index);
        }
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

static void put_sites(writer *w)
{
    dp_json_open(&w->j, "sites", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->nsite; ++i) {
        const dp_site_info site = dp_model_site(w->m, (dp_site_id){i});
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", site.name);
        dp_json_count(&w->j, "body", site.body.index);
        put_pose(w, site.pose);
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

// The sites that a spatial tendon passes, branch by branch. What it bends around is left out.
static void put_tendons(writer *w)
{
    dp_json_open(&w->j, "tendons", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->ntendon; ++i) {
        const dp_tendon_info tendon = dp_model_tendon(w->m, (dp_tendon_id){i});
        if (!tendon.spatial) {
            continue;
        }
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", tendon.name);
        dp_json_open(&w->j, "branches", '[');
        dp_json_open(&w->j, NULL, '[');
        for (int k = 0; k < tendon.nwrap; ++k) {
            const dp_wrap_info wrap = dp_model_tendon_wrap(w->m, (dp_tendon_id){i}, k);
            if (wrap.kind == DP_WRAP_SITE) {
                dp_json_count(&w->j, NULL, wrap.object);
            } else if (wrap.kind == DP_WRAP_PULLEY) {
                dp_json_close(&w->j, ']');
                dp_json_open(&w->j, NULL, '[');
            }
        }
        dp_json_close(&w->j, ']');
        dp_json_close(&w->j, ']');
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

// --- arrays of bytes

// Floats and integers of 32 bits, the lowest bytes of all first.
static void put_words(writer *w, const char *key, const uint32_t *word, size_t count)
{
    unsigned char *bytes = NULL;
    if (w->j.status == DP_OK) {
        w->j.status = dp_allocate(&bytes, &w->r->allocator, count, 4);
    }
    for (size_t i = 0; w->j.status == DP_OK && i < count; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            bytes[k * count + i] = (unsigned char)(word[i] >> (8 * k) & 0xff);
        }
    }
    dp_json_bytes(&w->j, key, bytes, w->j.status == DP_OK ? 4 * count : 0);
    dp_release(&w->r->allocator, bytes, count, 4);
}

static uint32_t bits_of(double x)
{
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

typedef double (*number_at)(const void *context, size_t index);

static void put_floats(writer *w, const char *key, number_at number, const void *context,
                       size_t count)
{
    uint32_t *word = NULL;
    if (w->j.status == DP_OK) {
        w->j.status = dp_allocate(&word, &w->r->allocator, count, sizeof *word);
    }
    for (size_t i = 0; w->j.status == DP_OK && i < count; ++i) {
        word[i] = bits_of(number(context, i));
    }
    put_words(w, key, word, w->j.status == DP_OK ? count : 0);
    dp_release(&w->r->allocator, word, count, sizeof *word);
}

static double number_of_array(const void *context, size_t index)
{
    return ((const double *)context)[index];
}

static double time_of_frame(const void *context, size_t index)
{
    return ((const dp_replay *)context)->frame[index].time;
}

static void put_integers(writer *w, const char *key, const int *x, size_t count)
{
    uint32_t *word = NULL;
    if (w->j.status == DP_OK) {
        w->j.status = dp_allocate(&word, &w->r->allocator, count, sizeof *word);
    }
    for (size_t i = 0; w->j.status == DP_OK && i < count; ++i) {
        word[i] = (uint32_t)x[i];
    }
    put_words(w, key, word, w->j.status == DP_OK ? count : 0);
    dp_release(&w->r->allocator, word, count, sizeof *word);
}

static void put_faces(writer *w, const double *vertex, int nvertex, const int *face, int nface)
{
    put_floats(w, "vertices", number_of_array, vertex, 3 * (size_t)nvertex);
    put_integers(w, "faces", face, 3 * (size_t)nface);
}

static void put_coarse(writer *w, const dp_mesh_info *mesh)
{
    dp_coarse_mesh coarse;
    const dp_status status = dp_coarse_mesh_make(&coarse, mesh->vertex, mesh->nvertex, mesh->face,
                                                 mesh->nface, &w->r->allocator);
    w->j.status = w->j.status == DP_OK ? status : w->j.status;
    if (w->j.status == DP_OK) {
        put_faces(w, coarse.vertex, coarse.nvertex, coarse.face, coarse.nface);
    }
    dp_coarse_mesh_destroy(&coarse);
}

static bool is_only_seen(const dp_model *m, int mesh)
{
    for (int i = 0; i < dp_model_sizes(m)->ngeom; ++i) {
        const dp_geom_info g = dp_model_geom(m, (dp_geom_id){i});
        if (g.kind == DP_GEOM_MESH && g.mesh.index == mesh &&
            (g.contype != 0 || g.conaffinity != 0)) {
            return false;
        }
    }
    return true;
}

static void put_meshes(writer *w)
{
    dp_json_open(&w->j, "meshes", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->nmesh; ++i) {
        const dp_mesh_info mesh = dp_model_mesh(w->m, (dp_mesh_id){i});
        const bool hull = mesh.nface == 0;
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", mesh.name);
        if (hull) {
            put_faces(w, mesh.hull_vertex, mesh.nhull_vertex, mesh.hull_face, mesh.nhull_face);
        } else if (mesh.nface > DP_COARSE_FACES && is_only_seen(w->m, i)) {
            put_coarse(w, &mesh);
        } else {
            put_faces(w, mesh.vertex, mesh.nvertex, mesh.face, mesh.nface);
        }
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

static void put_hfields(writer *w)
{
    dp_json_open(&w->j, "hfields", '[');
    for (int i = 0; i < dp_model_sizes(w->m)->nhfield; ++i) {
        const dp_hfield_info h = dp_model_hfield(w->m, (dp_hfield_id){i});
        const size_t count = h.elevation ? (size_t)h.nrow * (size_t)h.ncol : 0;
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", h.name);
        dp_json_count(&w->j, "nrow", h.nrow);
        dp_json_count(&w->j, "ncol", h.ncol);
        dp_json_numbers(&w->j, "size", h.size, 4);
        put_floats(w, "elevation", number_of_array, h.elevation, count); // none: flat
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

// --- frames

static float pose_at(const dp_replay *r, size_t frame, size_t body, int k)
{
    return r->pose[(frame * r->nbody + body) * 7 + (size_t)k];
}

// The range of a coordinate of a body's origin over all frames.
static void range_of(double *low, double *span, const dp_replay *r, size_t body, int k)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t f = 0; f < r->frames; ++f) {
        least = fmin(least, pose_at(r, f, body, k));
        most = fmax(most, pose_at(r, f, body, k));
    }
    *low = r->frames > 0 ? least : 0.0;
    *span = r->frames > 0 ? most - least : 0.0;
}

// Seven series for each body. Quaternions keep their sign from frame to frame.
static void add_body(dp_series_pack *pack, const dp_replay *r, size_t body)
{
    for (int k = 0; k < 3; ++k) {
        double low, span;
        uint16_t before = 0;
        range_of(&low, &span, r, body, k);
        for (size_t f = 0; f < r->frames; ++f) {
            const uint16_t x = dp_quantise(pose_at(r, f, body, k), low, span);
            dp_series_add(pack, x, before);
            before = x;
        }
    }
    for (int k = 3; k < 7; ++k) {
        double sign = 1.0;
        uint16_t before = 0;
        for (size_t f = 0; f < r->frames; ++f) {
            double along = 0.0;
            for (int i = 3; f > 0 && i < 7; ++i) {
                along += (double)pose_at(r, f, body, i) * (double)pose_at(r, f - 1, body, i);
            }
            sign = along < 0.0 ? -sign : sign;
            const uint16_t x = dp_quantise(sign * (double)pose_at(r, f, body, k), -1.0, 2.0);
            dp_series_add(pack, x, before);
            before = x;
        }
    }
}

static void put_motion(writer *w)
{
    const dp_replay *r = w->r;
    dp_json_open(&w->j, "motion", '{');
    put_floats(w, "times", time_of_frame, r, r->frames);
    for (int which = 0; which < 2; ++which) {
        dp_json_open(&w->j, which == 0 ? "low" : "span", '[');
        for (size_t b = 0; b < r->nbody; ++b) {
            for (int k = 0; k < 3; ++k) {
                double range[2];
                range_of(&range[0], &range[1], r, b, k);
                dp_json_number(&w->j, NULL, range[which]);
            }
        }
        dp_json_close(&w->j, ']');
    }
    dp_series_pack pack = {.count = 0};
    if (w->j.status == DP_OK) {
        w->j.status = dp_series_begin(&pack, r->frames * r->nbody * 7, &r->allocator);
    }
    if (w->j.status == DP_OK) {
        for (size_t b = 0; b < r->nbody; ++b) {
            add_body(&pack, r, b);
        }
        dp_series_end(&pack, &w->j, "poses", &r->allocator);
    }
    dp_json_close(&w->j, '}');
}

// --- contacts

// So many points of contacts keep a page small. Where there are more, they are there for every n-th
// frame only, and the page says so.
static const size_t MOST_CONTACTS = 120000;

enum { CONTACT_SERIES = 12 }; // point 3, normal 3, force 3, gap, geoms 2

static size_t contact_stride(const dp_replay *r)
{
    size_t every = 1;
    for (;; ++every) {
        size_t count = 0;
        for (size_t f = 0; f < r->frames; f += every) {
            count += r->frame[f].ncontact;
        }
        if (count <= MOST_CONTACTS || every >= r->frames) {
            return every;
        }
    }
}

static uint16_t contact_number(const dp_replay_contact *c, int series, const double *low,
                               const double *span)
{
    switch (series) {
    case 0:
    case 1:
    case 2:
        return dp_quantise(c->point[series], low[series], span[series]);
    case 3:
    case 4:
    case 5:
        return dp_quantise(c->normal[series - 3], -1.0, 2.0);
    case 6:
    case 7:
    case 8:
        return dp_half_of(c->force[series - 6]);
    case 9:
        return dp_half_of(c->gap);
    default:
        return (uint16_t)c->geom[series - 10];
    }
}

// One series after the other, over all frames that are kept; each number beside that of the point
// with the same number in the frame before.
static void add_contacts(dp_series_pack *pack, const dp_replay *r, size_t every, const double *low,
                         const double *span)
{
    for (int s = 0; s < CONTACT_SERIES; ++s) {
        const dp_replay_frame *last = NULL;
        for (size_t f = 0; f < r->frames; f += every) {
            const dp_replay_frame *frame = &r->frame[f];
            for (size_t i = 0; i < frame->ncontact; ++i) {
                const bool known = last && i < last->ncontact;
                const uint16_t before =
                    known ? contact_number(&r->contact[last->contact + i], s, low, span) : 0;
                dp_series_add(pack, contact_number(&r->contact[frame->contact + i], s, low, span),
                              before);
            }
            last = frame;
        }
    }
}

static void put_contact_counts(writer *w, size_t every, size_t *total)
{
    const dp_replay *r = w->r;
    const size_t kept = r->frames == 0 ? 0 : (r->frames - 1) / every + 1;
    int *count = NULL;
    *total = 0;
    if (w->j.status == DP_OK) {
        w->j.status = dp_allocate(&count, &r->allocator, kept, sizeof *count);
    }
    for (size_t i = 0; w->j.status == DP_OK && i < kept; ++i) {
        count[i] = (int)r->frame[i * every].ncontact;
        *total += r->frame[i * every].ncontact;
    }
    put_integers(w, "counts", count, w->j.status == DP_OK ? kept : 0);
    dp_release(&r->allocator, count, kept, sizeof *count);
}

static void put_contact_states(writer *w, size_t every, size_t total)
{
    const dp_replay *r = w->r;
    unsigned char *state = NULL;
    if (w->j.status == DP_OK) {
        w->j.status = dp_allocate(&state, &r->allocator, total, 1);
    }
    size_t at = 0;
    for (size_t f = 0; w->j.status == DP_OK && f < r->frames; f += every) {
        for (size_t i = 0; i < r->frame[f].ncontact; ++i) {
            state[at++] = r->contact[r->frame[f].contact + i].state == DP_CONTACT_STATE_SLIP;
        }
    }
    dp_json_bytes(&w->j, "slips", state, at);
    dp_release(&r->allocator, state, total, 1);
}

static void put_contacts(writer *w)
{
    const dp_replay *r = w->r;
    const size_t every = contact_stride(r);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < r->contacts; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], r->contact[i].point[k]);
            high[k] = fmax(high[k], r->contact[i].point[k]);
        }
    }
    double span[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = r->contacts > 0 ? low[k] : 0.0;
        span[k] = r->contacts > 0 ? high[k] - low[k] : 0.0;
    }
    dp_json_open(&w->j, "contacts", '{');
    dp_json_count(&w->j, "every", (long long)every);
    dp_json_numbers(&w->j, "low", low, 3);
    dp_json_numbers(&w->j, "span", span, 3);
    size_t total;
    put_contact_counts(w, every, &total);
    put_contact_states(w, every, total);
    dp_series_pack pack = {.count = 0};
    if (w->j.status == DP_OK) {
        w->j.status = dp_series_begin(&pack, total * CONTACT_SERIES, &r->allocator);
    }
    if (w->j.status == DP_OK) {
        add_contacts(&pack, r, every, low, span);
        dp_series_end(&pack, &w->j, "series", &r->allocator);
    }
    dp_json_close(&w->j, '}');
}

// --- foundations

static void put_foundations(writer *w)
{
    const dp_replay *r = w->r;
    dp_json_open(&w->j, "foundations", '[');
    for (int g = 0; g < dp_model_sizes(w->m)->ngeom; ++g) {
        const dp_foundation_spec f = dp_model_geom(w->m, (dp_geom_id){g}).foundation;
        if (f.nx > 0) {
            dp_json_open(&w->j, NULL, '{');
            dp_json_count(&w->j, "geom", g);
            dp_json_count(&w->j, "nx", f.nx);
            dp_json_count(&w->j, "ny", f.ny);
            dp_json_count(&w->j, "face", (long long)f.face);
            dp_json_close(&w->j, '}');
        }
    }
    dp_json_close(&w->j, ']');
    double most = 0.0;
    for (size_t i = 0; i < r->frames * r->nspring; ++i) {
        most = fmax(most, r->pressure[i]);
    }
    dp_json_number(&w->j, "most_pressure", most);
    dp_series_pack pack = {.count = 0};
    if (w->j.status == DP_OK) {
        w->j.status = dp_series_begin(&pack, r->frames * r->nspring, &r->allocator);
    }
    if (w->j.status != DP_OK) {
        return;
    }
    for (size_t s = 0; s < r->nspring; ++s) {
        uint16_t before = 0;
        for (size_t f = 0; f < r->frames; ++f) {
            const uint16_t x = dp_quantise(r->pressure[f * r->nspring + s], 0.0, most);
            dp_series_add(&pack, x, before);
            before = x;
        }
    }
    dp_series_end(&pack, &w->j, "pressures", &r->allocator);
}

// --- plots and words

typedef struct column {
    const dp_recorder *recorder;
    int number;
} column;

static double value_of(const void *context, size_t row)
{
    const column *c = context;
    return dp_recorder_value(c->recorder, row, c->number);
}

static void put_channels(writer *w, const dp_recorder *recorder)
{
    dp_json_open(&w->j, "channels", '[');
    const int columns = recorder ? dp_recorder_columns(recorder) : 0;
    for (int i = 0; i < columns; ++i) {
        const column c = {recorder, i};
        dp_json_open(&w->j, NULL, '{');
        dp_json_text(&w->j, "name", dp_recorder_name(recorder, i));
        dp_json_text(&w->j, "unit", dp_recorder_unit(recorder, i));
        put_floats(w, "values", value_of, &c, dp_recorder_rows(recorder));
        dp_json_close(&w->j, '}');
    }
    dp_json_close(&w->j, ']');
}

static void put_words_of(writer *w, const dp_replay_page *page)
{
    dp_json_text(&w->j, "version", dp_version());
    dp_json_text(&w->j, "title", page->title ? page->title : "");
    dp_json_open(&w->j, "facts", '[');
    for (int i = 0; i < page->nfact; ++i) {
        dp_json_open(&w->j, NULL, '[');
        dp_json_text(&w->j, NULL, page->fact[i].name);
        dp_json_text(&w->j, NULL, page->fact[i].value);
        dp_json_close(&w->j, ']');
    }
    dp_json_close(&w->j, ']');
}

static dp_status write_page(const dp_byte_buffer *json, const char *path,
                            const dp_allocator *allocator)
{
    dp_output out;
    DP_TRY(dp_output_open(&out, path, allocator));
    fwrite(dp_replay_page_head, 1, dp_replay_page_head_bytes, out.file);
    fwrite(json->byte, 1, json->count, out.file);
    fwrite(dp_replay_page_tail, 1, dp_replay_page_tail_bytes, out.file);
    return dp_output_close(&out);
}

// The data of a run, as one JSON object.
static dp_status collect(dp_byte_buffer *out, const dp_replay *r, const dp_replay_page *page)
{
    writer w = {.j = {.out = {.allocator = r->allocator}, .status = DP_OK}, .r = r, .m = r->model};
    dp_json_open(&w.j, NULL, '{');
    put_words_of(&w, page);
    put_bodies(&w);
    put_joints(&w);
    put_geoms(&w);
    put_sites(&w);
    put_tendons(&w);
    put_meshes(&w);
    put_hfields(&w);
    put_motion(&w);
    put_contacts(&w);
    put_foundations(&w);
    put_channels(&w, page->channels);
    dp_json_close(&w.j, '}');
    *out = w.j.out;
    return w.j.status;
}

dp_status dp_replay_write_html(const dp_replay *r, const char *path, const dp_replay_page *page)
{
    dp_byte_buffer json;
    dp_status status = collect(&json, r, page);
    if (status == DP_OK) {
        status = write_page(&json, path, &r->allocator);
    }
    dp_byte_buffer_release(&json);
    return status;
}

// Pieces as one zero-terminated text, which is of the size that was asked for.
static dp_status join(char **out, size_t *bytes, const dp_allocator *a, const void *const *piece,
                      const size_t *count, int npiece)
{
    *out = NULL;
    *bytes = 0;
    size_t total = 0;
    for (int i = 0; i < npiece; ++i) {
        total += count[i];
    }
    char *text;
    DP_TRY(dp_allocate(&text, a, total + 1, 1));
    size_t at = 0;
    for (int i = 0; i < npiece; ++i) {
        if (count[i] > 0) {
            memcpy(text + at, piece[i], count[i]);
        }
        at += count[i];
    }
    text[total] = '\0';
    *out = text;
    *bytes = total;
    return DP_OK;
}

dp_status dp_replay_write_json(char **out, size_t *bytes, const dp_replay *r,
                               const dp_replay_page *page, const dp_allocator *allocator)
{
    *out = NULL;
    *bytes = 0;
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_byte_buffer json;
    dp_status status = collect(&json, r, page);
    if (status == DP_OK) {
        const void *const piece[] = {json.byte};
        status = join(out, bytes, &a, piece, &json.count, 1);
    }
    dp_byte_buffer_release(&json);
    return status;
}

dp_status dp_replay_viewer(char **out, size_t *bytes, const char *data,
                           const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    const void *const piece[] = {dp_replay_page_head, data, dp_replay_page_tail};
    const size_t count[] = {dp_replay_page_head_bytes, strlen(data), dp_replay_page_tail_bytes};
    return join(out, bytes, &a, piece, count, 3);
}
