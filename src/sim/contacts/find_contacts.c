#include "sim/contacts/contact_search.h"

static dp_status check_search(const dp_contact_search *search)
{
    if (!(search->margin >= 0.0) || !isfinite(search->margin)) {
        return dp_fail(DP_ERROR_ARGUMENT, "the margin is %g m (expected a number ≥ 0)",
                       search->margin);
    }
    if (!(search->seconds >= 0.0) || !isfinite(search->seconds)) {
        return dp_fail(DP_ERROR_ARGUMENT, "contacts within %g s (expected a number ≥ 0)",
                       search->seconds);
    }
    return DP_OK;
}

dp_status dp_contacts_find(dp_data *d, const dp_contact_search *search, const dp_twist *V)
{
    dp_contacts *c = &d->contacts;
    dp_searching s = {.d = d, .search = search, .V = V};
    s.known = c->again ? &c->now : NULL;
    DP_TRY(dp_geoms_settle(&s));
    c->needed_pairs = c->needed_points = 0;
    if (!d->options.disable_contact) {
        DP_TRY(dp_broad_pairs(&s.near, &c->needed_pairs, &c->broad));
    }
    s.npair = c->needed_pairs;
    DP_TRY(dp_pairs_look(&s));
    const dp_contact_list before = c->now;
    c->now = c->next;
    c->next = before;
    return DP_OK;
}

dp_status dp_find_contacts(dp_data *d, const dp_contact_search *search)
{
    const dp_contact_search now = {0.0, 0.0};
    search = search ? search : &now;
    DP_TRY(check_search(search));
    DP_TRY(dp_data_check(d));
    dp_data_refresh(d);
    d->sleep.ignored = true; // they touch, too
    const dp_status status = dp_contacts_find(d, search, NULL);
    d->sleep.ignored = false;
    return status;
}

int dp_data_found_contact_count(const dp_data *d)
{
    return d->contacts.now.npoint;
}

dp_query_outcome dp_data_found_contact_outcome(const dp_data *d)
{
    return d->contacts.now.outcome;
}

dp_found_contact dp_data_found_contact(const dp_data *d, int index)
{
    const dp_model *m = d->model;
    const dp_contact_list *list = &d->contacts.now;
    if (index < 0 || index >= list->npoint) {
        return (dp_found_contact){.geom = {{-1}, {-1}}, .body = {{-1}, {-1}}, .pair = {-1}};
    }
    const dp_contact_pair *pair = &list->pair[list->owner[index]];
    const int a = pair->geom[0], b = pair->geom[1];
    return (dp_found_contact){.geom = {{a}, {b}},
                              .body = {{m->geom[a].body}, {m->geom[b].body}},
                              .pair = {dp_pair_map_find(&m->given, a, b)},
                              .margin = pair->margin,
                              .at = list->point[index]};
}
