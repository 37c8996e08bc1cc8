// A linear complementarity problem without any mechanism: a block slides on a floor, normal impulse
// and friction are unknown, and the slip speed is what friction is complementary to.
#include <dashpot/advanced/lcp.h>

#include <stdio.h>

int main(void)
{
    // listing: solve
    const double M[] = {0.5, 0.0,  0.0,  0.0,  // rate of the normal: impulse over 2 kg
                        0.0, 0.5,  -0.5, 1.0,  // along +x, not below the slip speed backwards
                        0.0, -0.5, 0.5,  1.0,  // along −x
                        0.5, -1.0, -1.0, 0.0}; // friction within 0.5 times the normal impulse
    const double q[] = {-1.0, 3.0, -3.0, 0.0}; // falls at 1 m/s, slides at 3 m/s
    const dp_lcp problem = {.n = 4, .M = M, .q = q};

    double z[4], w[4];
    dp_lcp_info info;
    if (dp_lcp_solve(&(dp_lcp_solution){.z = z, .w = w}, &problem, NULL, NULL, &info) != DP_OK) {
        fprintf(stderr, "%s\n", dp_last_error());
        return 1;
    }
    printf("%s, residual %.1g: normal %g N s, friction %g N s, then %g m/s\n",
           dp_lcp_outcome_name(info.outcome), info.residual, z[0], z[1] - z[2], z[3]);
    // end
    return info.outcome == DP_LCP_OUTCOME_SOLVED ? 0 : 1;
}
