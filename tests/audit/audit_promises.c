#include "audit_promises.h"

// docs/laws: law.tolerance and gap_tolerance are left at their defaults by every scene.
const double AUDIT_BALANCE_TOLERANCE = 1e-8;
const double AUDIT_LAW_TOLERANCE = 1e-9;
const double AUDIT_GAP_TOLERANCE = 1e-10;

enum {
    C = 1 << AUDIT_COMPLIANT,
    L = 1 << AUDIT_LCP,
    N = 1 << AUDIT_NCP,
    V = 1 << AUDIT_VI,
    T = 1 << AUDIT_TAMSI,
    O = 1 << AUDIT_ODE,
    RIGID = L | N | V,
    STEP = C | L | N | V | T, // laws that solve a step problem
    ALL = STEP | O,
};

static const int PROMISED[AUDIT_CLAIMS] = {
    [AUDIT_CLAIM_FINITE] = ALL,         [AUDIT_CLAIM_UNIT] = ALL,
    [AUDIT_CLAIM_POSE] = ALL,           [AUDIT_CLAIM_TWIST] = ALL,
    [AUDIT_CLAIM_TENDON] = ALL,         [AUDIT_CLAIM_DRIFT] = STEP,
    [AUDIT_CLAIM_HASH_AGAIN] = ALL,     [AUDIT_CLAIM_HASH_SAVED] = ALL,
    [AUDIT_CLAIM_HASH_THREAD] = ALL,    [AUDIT_CLAIM_BALANCE] = STEP,
    [AUDIT_CLAIM_LINEAR] = STEP, // ode reports no contacts: what touches the world is not known
    [AUDIT_CLAIM_ANGULAR] = STEP,       [AUDIT_CLAIM_IMPACT_MOMENTUM] = STEP,
    [AUDIT_CLAIM_JACOBIAN] = STEP,      [AUDIT_CLAIM_ENERGY] = STEP,
    [AUDIT_CLAIM_IMPACT_ENERGY] = STEP, // with the rule `expedient`
    [AUDIT_CLAIM_LEDGER] = STEP,        [AUDIT_CLAIM_CORRECTION] = STEP,
    [AUDIT_CLAIM_GAP] = STEP,           [AUDIT_CLAIM_REPORT] = STEP,
    [AUDIT_CLAIM_RECOVERY] = STEP,      [AUDIT_CLAIM_MISSED] = STEP,
    [AUDIT_CLAIM_PENETRATION] = STEP,   [AUDIT_CLAIM_TUNNEL] = STEP,
    [AUDIT_CLAIM_PUSH] = STEP,
    [AUDIT_CLAIM_DISTANCE] = STEP, // h μ v is allowed under vi with cones
    [AUDIT_CLAIM_NORMAL] = STEP,        [AUDIT_CLAIM_MATERIAL] = STEP,
    [AUDIT_CLAIM_CONE] = STEP,
    [AUDIT_CLAIM_SLIP] = STEP,  // up to π/r under lcp
    [AUDIT_CLAIM_CREEP] = STEP, // up to v_s under tamsi
    [AUDIT_CLAIM_REBOUND] = STEP,       [AUDIT_CLAIM_ROW] = STEP,
    [AUDIT_CLAIM_LIMIT] = STEP,         [AUDIT_CLAIM_LOOP] = STEP,
    [AUDIT_CLAIM_PRESENT] = STEP,
};

bool audit_promised(audit_law law, audit_claim claim)
{
    return (PROMISED[claim] >> law) & 1;
}
