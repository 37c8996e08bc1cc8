// The checksum of saved states.
#ifndef DP_BASE_CHECKSUM_H
#define DP_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// The checksum of saved states, over little-endian words of 64 bits on every machine (the last one
/// filled up with zeros): h ← (h ⊕ word) · p with the prime p of FNV-1a, then h ← h ⊕ (h >> 32),
/// from the offset basis of FNV-1a ⊕ count. Each step is a bijection of h, so a change within one
/// word always changes the result; the shift keeps changes of high bits from cancelling.
uint64_t dp_checksum64(const void *bytes, size_t count);

#endif
