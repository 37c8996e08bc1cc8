// libFuzzer target: any bytes as a problem file. Reading must end with a problem that passes its
// check and can be written and certified, or with a message. tests/fuzz/README.md says how to run
// it.
#include <dashpot/advanced/problem.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void certify(const dp_step_problem *p, const dp_step_solution *s)
{
    double *scratch = malloc(((size_t)p->nv + 1) * sizeof *scratch);
    check(scratch != NULL);
    dp_certificate c;
    dp_problem_certify(&c, p, s, scratch);
    check(c.nrow == p->nrow && c.nactive <= c.nrow);
    free(scratch);
}

// What was read can be written, and reads back to the same bits.
static void round_trip(const dp_problem_file *file)
{
    static char path[] = "/tmp/fuzz_problem_XXXXXX";
    static bool made;
    if (!made) {
        const int descriptor = mkstemp(path);
        check(descriptor >= 0);
        close(descriptor);
        made = true;
    }
    const dp_step_problem *p = dp_problem_of(file);
    check(dp_problem_save(path, p, dp_problem_warm(file), dp_problem_solution(file),
                          dp_problem_notes_of(file)) == DP_OK);
    dp_problem_file *again;
    check(dp_problem_load(&again, path, NULL) == DP_OK);
    const dp_step_problem *q = dp_problem_of(again);
    check(q->nv == p->nv && q->nrow == p->nrow && q->nblock == p->nblock);
    check(memcmp(q->row, p->row, (size_t)p->nrow * sizeof *p->row) == 0);
    check(memcmp(q->Mt, p->Mt, p->Mt_start[p->nv] * sizeof *p->Mt) == 0);
    dp_problem_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    dp_problem_file *file;
    if (dp_problem_parse(&file, (const char *)bytes, count, "fuzz", NULL) != DP_OK) {
        check(file == NULL && dp_last_error()[0] != '\0');
        return 0;
    }
    check(dp_problem_check(dp_problem_of(file), NULL) == DP_OK);
    if (dp_problem_solution(file)->v) {
        certify(dp_problem_of(file), dp_problem_solution(file));
    }
    round_trip(file);
    dp_problem_destroy(file);
    return 0;
}
