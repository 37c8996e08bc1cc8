// libFuzzer target: any bytes as a complementarity file. Reading must end with a problem that
// passes its check and comes back from a file, or with a message; solving it must end with finite
// numbers within their bounds and the truth about them. tests/fuzz/README.md says how to run it.
#include <dashpot/advanced/lcp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MOST = 24 }; // variables: the fuzzer looks for numbers, not for patience

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void solve(const dp_lcp *p, dp_lcp_method method)
{
    double z[MOST + 1], w[MOST + 1];
    uint8_t state[MOST + 1];
    dp_lcp_options opt = dp_lcp_options_default();
    opt.method = method;
    opt.max_pivots = 200;
    int scratch[4 * MOST + 1];
    dp_lcp_info info;
    check(dp_lcp_solve(&(dp_lcp_solution){z, w, state}, p, &opt, NULL, &info) == DP_OK);
    check(info.residual >= 0.0 && info.residual <= 1.0 + 1e-12);
    check(info.outcome != DP_LCP_OUTCOME_SOLVED || info.residual <= opt.tolerance);
    check(info.residual == dp_lcp_residual(p, z, NULL, scratch));
    for (int i = 0; i < p->n; ++i) {
        check(isfinite(z[i]) && isfinite(w[i]) && state[i] <= DP_LCP_STATE_DEPENDENT);
        check(z[i] >= (p->lo ? p->lo[i] : 0.0) && (!p->hi || z[i] <= p->hi[i]));
    }
}

// What was read can be written, and reads back to the same bits.
static void round_trip(const dp_lcp_file *file)
{
    static char path[] = "/tmp/fuzz_lcp_XXXXXX";
    static bool made;
    if (!made) {
        const int descriptor = mkstemp(path);
        check(descriptor >= 0);
        close(descriptor);
        made = true;
    }
    const dp_lcp *p = dp_lcp_of(file);
    const size_t n = (size_t)p->n;
    check(dp_lcp_save(path, p, dp_lcp_stored(file), dp_lcp_notes(file)) == DP_OK);
    dp_lcp_file *again;
    check(dp_lcp_load(&again, path, NULL) == DP_OK);
    const dp_lcp *q = dp_lcp_of(again);
    check(q->n == p->n && dp_lcp_notes(again)->noption == dp_lcp_notes(file)->noption);
    check(n == 0 || (memcmp(q->M, p->M, n * n * sizeof *p->M) == 0 &&
                     memcmp(q->q, p->q, n * sizeof *p->q) == 0));
    dp_lcp_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    dp_lcp_file *file;
    if (dp_lcp_parse(&file, (const char *)bytes, count, "fuzz", NULL) != DP_OK) {
        check(file == NULL && dp_last_error()[0] != '\0');
        return 0;
    }
    const dp_lcp *p = dp_lcp_of(file);
    check(dp_lcp_check(p) == DP_OK);
    if (p->n <= MOST) {
        for (dp_lcp_method method = DP_LCP_METHOD_AUTOMATIC; method <= DP_LCP_METHOD_PIVOTING;
             ++method) {
            solve(p, method);
        }
    }
    round_trip(file);
    dp_lcp_destroy(file);
    return 0;
}
