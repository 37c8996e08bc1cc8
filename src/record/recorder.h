// The table behind dp_recorder, as its writers see it.
#ifndef DP_RECORD_RECORDER_H
#define DP_RECORD_RECORDER_H

#include "base/memory.h"
#include "record/channel.h"

#include <dashpot/record.h>

typedef struct dp_column {
    dp_channel channel;
    const char *name, *unit; // owned by the recorder's pool
} dp_column;

struct dp_recorder {
    dp_pool pool;
    const dp_model *model;
    dp_column *column; // the first is time
    size_t columns, column_capacity;
    dp_channel *channel; // columns: the same channels once more, as dp_channel_read takes them
    double *values;      // rows × columns
    size_t rows, row_capacity;
};

#endif
