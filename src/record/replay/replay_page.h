// The viewer's page, made part of the library by the build: what comes before the data of a run and
// what comes behind it. viewer/README.md says how it is made.
#ifndef DP_RECORD_REPLAY_PAGE_H
#define DP_RECORD_REPLAY_PAGE_H

#include <stddef.h>

extern const unsigned char dp_replay_page_head[], dp_replay_page_tail[];
extern const size_t dp_replay_page_head_bytes, dp_replay_page_tail_bytes;

#endif
