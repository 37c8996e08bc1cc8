// Contacts that push although their geoms pass each other by.
#ifndef DP_SIM_FALSE_CONTACTS_H
#define DP_SIM_FALSE_CONTACTS_H

#include "sim/data.h"

/// After a solve that ends at s->q1: the first time in an attempt, leave out the points of geoms
/// that would pass each other by; later, take in again those that would meet after all.
/// @return how many points that are: the attempt is to be solved again
int dp_false_contacts_find(dp_data *d, const dp_attempt *s);

#endif
