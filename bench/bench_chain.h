// Open chains of any length: the links of scenes/make_chain.sh, without a file.
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include <dashpot/dashpot.h>

/// A chain for Dashpot (dp_spec_destroy).
dp_status bench_chain_spec(dp_spec **out, int links);

/// The same as MJCF. The nesting is too deep for some readers of XML, so every 50 links the rest is
/// a file of its own: `part` 0 is the scene, each part includes "chain_part_<part + 1>.xml".
/// @return text that the caller frees; NULL: there is no such part
char *bench_chain_mjcf(int links, int part);

/// The keyframe `swaying`, links values.
void bench_chain_start(double *q, int links);

#endif
