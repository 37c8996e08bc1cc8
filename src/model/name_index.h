// From a name to the number of an element: a hash table over names that live in an array of
// structs.
#ifndef DP_MODEL_NAME_INDEX_H
#define DP_MODEL_NAME_INDEX_H

#include "base/memory.h"

/// The names of `count` structs of `stride` bytes; `first` is the address of the name (a const char
/// *) in the first struct. A name that is NULL or "" is no name.
typedef struct dp_name_list {
    const void *first;
    size_t stride;
    int count;
} dp_name_list;

/// The i-th name; "" when it has none.
const char *dp_name_at(dp_name_list list, int i);

/// Open addressing: a slot holds an element's number plus one, or 0. At most half of the slots are
/// taken.
typedef struct dp_name_index {
    int *slot;
    size_t nslot; // a power of two, or 0
    size_t used;
} dp_name_index;

/// How many slots serve `count` names.
size_t dp_name_slots(int count);
/// Enter element `i` of the list; the slots must suffice. Unnamed elements are left out.
void dp_name_insert(dp_name_index *index, dp_name_list list, int i);
/// The number of the element called `name`, −1 when there is none.
int dp_name_find(const dp_name_index *index, dp_name_list list, const char *name);

/// Record the failure of a look-up: "no joint 'kne' (did you mean 'knee'?)".
dp_status dp_name_fail(dp_name_list list, const char *kind, const char *name);

#endif
