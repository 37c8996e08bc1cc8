// Functions that are compiled twice: for every processor, and for those with wide registers, where
// the program finds itself on one.
//
// The loops are in functions that are DP_INLINE, which a usual function and a DP_AVX2 one call.
// Neither has a fused multiply-add, so both give the same bits.
#ifndef DP_BASE_TWICE_H
#define DP_BASE_TWICE_H

#include <stdbool.h>

/// Inline wherever it is called: what is not passes its vectors through memory, and in short loops
/// that may be a third of their time.
#if defined(__GNUC__)
#define DP_INLINE static inline __attribute__((always_inline))
#else
#define DP_INLINE static inline
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define DP_AVX2 __attribute__((target("avx2")))

/// Four numbers, at any address of one.
typedef double dp_quad4 __attribute__((vector_size(32), aligned(8), may_alias));

/// Has the processor registers of four numbers?
static inline bool dp_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif

#endif
