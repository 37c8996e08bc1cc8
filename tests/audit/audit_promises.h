// What each law promises, in one table.
#ifndef AUDIT_PROMISES_H
#define AUDIT_PROMISES_H

#include "audit_check.h"

// Does the law promise the claim?
bool audit_promised(audit_law law, audit_claim claim);

// Numbers that bounds are made of.
enum { AUDIT_ROUND_OFF_DIGITS = 9 };
extern const double AUDIT_BALANCE_TOLERANCE; // [1] of the sum of the terms of a balance
extern const double AUDIT_LAW_TOLERANCE;     // [m/s] residual of a row that counts as solved
extern const double AUDIT_GAP_TOLERANCE;     // [m] gaps of loops at the end of a step

#endif
