// libFuzzer target: any bytes as the text of Siconos, for friction or complementarity. Reading must
// end with a problem that passes its check and comes back from a file, or with a message; solving
// it must end with finite numbers and the truth about them. tests/fuzz/README.md says how to run
// it.
#include <dashpot/advanced/fc.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MOST = 6, MOST_VELOCITIES = 24 }; // numbers are looked for, not patience

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void solve(const dp_fc *p, dp_fc_method method)
{
    double r[3 * MOST + 1], u[3 * MOST + 1];
    dp_fc_options opt = dp_fc_options_default();
    opt.method = method;
    opt.max_factorizations = 20;
    dp_fc_info info;
    const dp_status status =
        dp_fc_solve(&(dp_fc_solution){.r = r, .u = u}, p, NULL, &opt, NULL, &info);
    check(status == DP_OK || (status == DP_ERROR_ARGUMENT && p->form == DP_FC_FORM_GLOBAL));
    for (int i = 0; status == DP_OK && i < p->dimension * p->nc; ++i) {
        check(isfinite(r[i]));
    }
    check(status != DP_OK || info.outcome != DP_FC_OUTCOME_SOLVED ||
          info.residual.worst <= opt.tolerance);
}

static const char *scratch(void)
{
    static char path[] = "/tmp/fuzz_fc_XXXXXX";
    static bool made;
    if (!made) {
        const int descriptor = mkstemp(path);
        check(descriptor >= 0);
        close(descriptor);
        made = true;
    }
    return path;
}

static void same(const double *a, const double *b, size_t n)
{
    check(n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

static void round_trip(const dp_fc *p)
{
    dp_fc_file *again;
    check(dp_fc_save(scratch(), p) == DP_OK);
    check(dp_fc_load(&again, scratch(), NULL) == DP_OK);
    const dp_fc *q = dp_fc_of(again);
    const size_t n = (size_t)p->dimension * (size_t)p->nc;
    check(q->form == p->form && q->nc == p->nc && q->dimension == p->dimension);
    same(q->mu, p->mu, (size_t)p->nc);
    if (p->form == DP_FC_FORM_LOCAL) {
        same(q->q, p->q, n);
    } else {
        same(q->f, p->f, (size_t)p->M.rows);
        same(q->w, p->w, n);
        same(q->H.value, p->H.value, n > 0 ? (size_t)p->H.start[n] : 0);
    }
    dp_fc_destroy(again);
}

static void read_lcp(const char *text, size_t count)
{
    dp_lcp_file *file;
    if (dp_lcp_parse_siconos(&file, text, count, "fuzz", NULL) != DP_OK) {
        check(file == NULL && dp_last_error()[0] != '\0');
        return;
    }
    check(dp_lcp_check(dp_lcp_of(file)) == DP_OK);
    check(dp_lcp_save_siconos(scratch(), dp_lcp_of(file)) == DP_OK);
    dp_lcp_destroy(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    const char *text = (const char *)bytes;
    dp_fc_file *file;
    if (dp_lcp_is_siconos(text, count)) {
        read_lcp(text, count);
        return 0;
    }
    if (dp_fc_parse(&file, text, count, "fuzz", NULL) != DP_OK) {
        check(file == NULL && dp_last_error()[0] != '\0');
        return 0;
    }
    const dp_fc *p = dp_fc_of(file);
    check(dp_fc_check(p) == DP_OK);
    if (p->nc <= MOST && (p->form == DP_FC_FORM_LOCAL || p->M.rows <= MOST_VELOCITIES)) {
        for (dp_fc_method method = DP_FC_METHOD_AUTOMATIC; method <= DP_FC_METHOD_CONE; ++method) {
            solve(p, method);
        }
    }
    round_trip(p);
    dp_fc_destroy(file);
    return 0;
}
