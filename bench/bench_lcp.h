// What an island costs under the law `lcp`, beside `compliant`.
#ifndef BENCH_LCP_H
#define BENCH_LCP_H

#include <stdbool.h>

/// Print a table. @return false when a scene cannot be made, reported on stderr
bool bench_lcp(bool quick);

#endif
