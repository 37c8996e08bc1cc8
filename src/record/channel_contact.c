// Channels of two that may touch: bodies by their names, geoms where no body has their name.
#include "model/model.h"
#include "record/channel.h"

#include <dashpot/contact.h>

#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    dp_channel_contact component;
} suffix[] = {{"fn", DP_CHANNEL_CONTACT_FN},
              {"fx", DP_CHANNEL_CONTACT_FX},
              {"fy", DP_CHANNEL_CONTACT_FY},
              {"fz", DP_CHANNEL_CONTACT_FZ}};

typedef struct walk {
    dp_channel_visitor visit;
    void *context;
    bool stopped;
} walk;

static void visit_pair(walk *w, dp_channel_source source, int a, const char *name_a, int b,
                       const char *name_b, int nsuffix)
{
    for (int k = 0; k < nsuffix && !w->stopped; ++k) {
        char name[DP_CHANNEL_NAME];
        const int length =
            snprintf(name, sizeof name, "contact.%s.%s.%s", name_a, name_b, suffix[k].text);
        const dp_channel channel = {.source = source,
                                    .element = a,
                                    .component =
                                        b * DP_CHANNEL_CONTACTS + (int)suffix[k].component};
        if (length > 0 && (size_t)length < sizeof name) {
            w->stopped = !w->visit(w->context, &channel, name, "N");
        }
    }
}

static const char *body_name(const dp_model *m, int body)
{
    return body == 0 ? "world" : m->body[body].name;
}

static bool is_body(const dp_model *m, const char *name)
{
    dp_body_id body;
    return strcmp(name, "world") == 0 || dp_model_find_body(&body, m, name) == DP_OK;
}

// Two bodies with several geoms are visited several times.
static void visit_bodies(walk *w, const dp_model *m, int a, int b)
{
    const char *name_a = body_name(m, a), *name_b = body_name(m, b);
    if (name_a[0] != '\0' && name_b[0] != '\0') {
        visit_pair(w, DP_CHANNEL_CONTACT_OF_BODIES, a, name_a, b, name_b, DP_CHANNEL_CONTACTS);
    }
}

static void visit_geoms(walk *w, const dp_model *m, int a, int b)
{
    const char *name_a = m->geom[a].name, *name_b = m->geom[b].name;
    const bool named = name_a[0] != '\0' && name_b[0] != '\0';
    if (named && !(is_body(m, name_a) && is_body(m, name_b))) {
        visit_pair(w, DP_CHANNEL_CONTACT_OF_GEOMS, a, name_a, b, name_b, 1);
    }
}

void dp_channel_each_contact(const dp_model *m, dp_channel_visitor visit, void *context)
{
    walk w = {.visit = visit, .context = context};
    for (int geoms = 0; geoms < 2; ++geoms) { // bodies come first
        for (int a = 0; a < m->size.ngeom; ++a) {
            for (int b = 0; b < m->size.ngeom && !w.stopped; ++b) {
                if (a == b || !dp_may_touch(m, a < b ? a : b, a < b ? b : a)) {
                    continue;
                }
                if (geoms) {
                    visit_geoms(&w, m, a, b);
                } else {
                    visit_bodies(&w, m, m->geom[a].body, m->geom[b].body);
                }
            }
        }
    }
}

static double normal_between_bodies(const dp_data *d, int a, int b)
{
    double sum = 0.0;
    for (int i = 0; i < dp_data_contact_count(d); ++i) {
        const dp_contact c = dp_data_contact(d, i);
        const int first = c.body[0].index, second = c.body[1].index;
        sum += (first == a && second == b) || (first == b && second == a) ? c.normal_force : 0.0;
    }
    return sum;
}

double dp_channel_read_contact(const dp_data *d, const dp_channel *c)
{
    const int a = c->element, b = c->component / DP_CHANNEL_CONTACTS;
    if (c->source == DP_CHANNEL_CONTACT_OF_GEOMS) {
        return dp_contact_normal_force(d, (dp_geom_id){a}, (dp_geom_id){b});
    }
    const int component = c->component % DP_CHANNEL_CONTACTS;
    if (component == DP_CHANNEL_CONTACT_FN) {
        return normal_between_bodies(d, a, b);
    }
    const dp_v3 f =
        dp_contact_between_bodies(d, (dp_body_id){a}, (dp_body_id){b}, (dp_v3){0.0, 0.0, 0.0}).f;
    return component == DP_CHANNEL_CONTACT_FX   ? f.x
           : component == DP_CHANNEL_CONTACT_FY ? f.y
                                                : f.z;
}
