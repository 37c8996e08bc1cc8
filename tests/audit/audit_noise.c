// What round-off leaves of the velocities at rows. A step ends with v = v* + M̃⁻¹ Σ Gᵀ γ. Impulses
// that press against each other, such as those of a stiff loop and of a limit, all but cancel, and
// their last digits are in v whatever the method: a row with the mobility w = G M̃⁻¹ Gᵀ moves by w
// γ, and nothing can be solved better than the largest of these is known. A law that meets its rows
// to
//
//     4 ε max w_j |γ_j| len_j                                                              (AN 1)
//
// over the rows of an island has solved them (docs/laws/lcp.md, judgement), law.tolerance or not.
#include "check_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// M ← its Cholesky factor, lower. False: M is singular to round-off.
static bool factor(double *M, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = M[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= M[i * n + k] * M[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            M[i * n + j] = i == j ? sqrt(sum) : sum / M[j * n + j];
        }
    }
    return true;
}

// G M⁻¹ Gᵀ = |L⁻¹ Gᵀ|².
static double mobility(const double *L, const double *G, int n)
{
    double y[AUDIT_NV], sum = 0.0;
    for (int i = 0; i < n; ++i) {
        y[i] = G[i];
        for (int k = 0; k < i; ++k) {
            y[i] -= L[i * n + k] * y[k];
        }
        y[i] /= L[i * n + i];
        sum += y[i] * y[i];
    }
    return sum;
}

// The greatest noise of the trees that a row meets goes to all of them. @return whether one had
// less
static bool share(double *noise, const audit_case *c, const double *G)
{
    double most = 0.0;
    bool more = false;
    for (int i = 0; i < c->scene->nv; ++i) {
        most = G[i] != 0.0 ? fmax(most, noise[c->k0.tree_of_dof[i]]) : most;
    }
    for (int i = 0; i < c->scene->nv; ++i) {
        double *of = &noise[c->k0.tree_of_dof[i]];
        more = more || (G[i] != 0.0 && *of < most);
        *of = G[i] != 0.0 ? most : *of;
    }
    return more;
}

void audit_find_noise(audit_case *c)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    const int nv = c->scene->nv;
    memset(c->law_noise, 0, sizeof c->law_noise);
    audit_implicit_mass(M, c);
    if (c->now->nrow == 0 || !factor(M, nv)) {
        return;
    }
    for (int r = 0; r < c->now->nrow; ++r) {
        const audit_row *row = &c->now->row[r];
        const double *G = row->jacobian >= 0 ? c->now->G + row->jacobian : NULL;
        const double own =
            G ? 4.0 * DBL_EPSILON * mobility(M, G, nv) * fabs(row->impulse) * row->len : 0.0;
        for (int i = 0; G && i < nv; ++i) {
            double *of = &c->law_noise[c->k0.tree_of_dof[i]];
            *of = G[i] != 0.0 ? fmax(*of, own) : *of;
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (int r = 0; r < c->now->nrow; ++r) {
            const int G = c->now->row[r].jacobian;
            more = (G >= 0 && share(c->law_noise, c, c->now->G + G)) || more;
        }
    }
}

double audit_row_noise(const audit_case *c, const audit_row *row)
{
    double most = 0.0;
    for (int i = 0; row && row->jacobian >= 0 && i < c->scene->nv; ++i) {
        const bool meets = c->now->G[row->jacobian + i] != 0.0;
        most = meets ? fmax(most, c->law_noise[c->k0.tree_of_dof[i]]) : most;
    }
    return most;
}

double audit_contact_noise(const audit_case *c, const audit_contact *contact)
{
    double most = 0.0;
    for (int side = 0; side < 2; ++side) {
        const int t = c->k0.body[contact->body[side]].tree;
        most = t >= 0 ? fmax(most, c->law_noise[t]) : most;
    }
    return most;
}
