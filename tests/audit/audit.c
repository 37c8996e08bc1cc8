// The auditor: random scenes under every law, and what is claimed of them. See README.md.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "audit_driver.h"
#include "audit_promises.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// A scene in which nothing depends on the law, as the Runge–Kutta methods have it.
static bool ignores_law(const audit_scene *s)
{
    return s->option.integrator != AUDIT_SEMI_IMPLICIT;
}

// The seed of the next draw: workers share it, so that none waits for another.
typedef _Atomic uint64_t seed_counter;

// A run has so much processor time, so that a busy machine does not matter. One that is blocked
// uses none: the wall clock ends it after ten times as long.
static void limit_time(int seconds)
{
    const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    (void)setitimer(ITIMER_PROF, &limit, NULL);
    (void)alarm(10U * (unsigned)seconds);
}

static void examine_laws(audit_tally *t, const audit_settings *o, uint64_t seed, int first)
{
    static audit_scene s;
    audit_generate(&s, seed);
    for (int law = first; law < AUDIT_LAWS; ++law) {
        if ((o->law >= 0 && law != o->law) || (ignores_law(&s) && law != AUDIT_COMPLIANT) ||
            o->done[law]) {
            continue;
        }
        t->at = seed;
        t->law = law;
        t->busy = true;
        s.option.law = (audit_law)law;
        limit_time(AUDIT_RUN_SECONDS);
        (void)audit_examine(t, o, &s, audit_wants_hashes(seed));
        limit_time(0);
    }
    t->busy = false;
}

static void work(audit_tally *t, const audit_settings *o, seed_counter *next)
{
    if (t->busy) { // behind the run that ended the worker before this one
        examine_laws(t, o, t->at, t->law + 1);
    }
    const uint64_t end = o->seed + o->draws;
    for (uint64_t seed; (seed = atomic_fetch_add(next, 1)) < end;) {
        examine_laws(t, o, seed, 0);
    }
}

static void *shared_memory(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("audit: mmap");
        exit(2);
    }
    return at;
}

static pid_t start_worker(audit_tally *t, const audit_settings *o, seed_counter *next)
{
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        perror("audit: fork");
        exit(2);
    }
    if (pid == 0) {
        work(t, o, next);
        (void)fflush(NULL);
        _exit(0);
    }
    return pid;
}

// @param signal 0: none
static const char *how_it_ended(int signal)
{
    return signal == 0         ? "the auditor gave up"
           : signal == SIGPROF ? "took more than 20 s of processor time"
           : signal == SIGALRM ? "did not end"
                               : strsignal(signal);
}

// All draws, on `jobs` processes. One that crashes or hangs is started again behind that run.
static void run_draws(audit_tally **t, const audit_settings *o, seed_counter *next)
{
    pid_t pid[AUDIT_JOBS];
    int running = o->jobs;
    atomic_store(next, o->seed);
    for (int w = 0; w < o->jobs; ++w) {
        t[w]->busy = false;
        pid[w] = start_worker(t[w], o, next);
    }
    while (running > 0) {
        int status;
        const pid_t ended = wait(&status);
        if (ended < 0 && errno == EINTR) {
            continue;
        }
        for (int w = 0; w < o->jobs; ++w) {
            if (pid[w] != ended) {
                continue;
            }
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
                pid[w] = -1;
                --running;
                continue;
            }
            audit_finding f = {
                .seed = t[w]->at, .law = (audit_law)t[w]->law, .claim = AUDIT_CLAIM_ENDS};
            f.value = 1.0;
            (void)snprintf(f.text, sizeof f.text, "%s",
                           how_it_ended(WIFSIGNALED(status) ? WTERMSIG(status) : 0));
            audit_add_failure(t[w], &f, 1);
            pid[w] = start_worker(t[w], o, next);
        }
    }
}

static int by_seed(const void *a, const void *b)
{
    const audit_finding *x = a, *y = b;
    if (x->claim != y->claim) {
        return x->claim < y->claim ? -1 : 1;
    }
    if (x->law != y->law) {
        return x->law < y->law ? -1 : 1;
    }
    return x->seed < y->seed ? -1 : x->seed > y->seed;
}

static void print_claims(void)
{
    for (int i = 0; i < AUDIT_ALL_CLAIMS; ++i) {
        printf("%-24s %s\n%-24s", audit_any_claim_name(i), audit_any_claim_text(i), "");
        for (int law = 0; law < AUDIT_LAWS; ++law) {
            if (i >= AUDIT_CLAIMS || audit_promised((audit_law)law, (audit_claim)i)) {
                printf(" %s", audit_law_name((audit_law)law));
            }
        }
        printf("\n");
    }
}

static int usage(void)
{
    (void)fprintf(
        stderr,
        "usage: audit [--draws N | --steps N] [--seed S] [--law L] [--jobs J] [--verbose]\n"
        "             [--refusals] [--coverage]\n"
        "             [--out DIR [--shrink SECONDS] [--each N]] [--resume FILE] [--claims]\n"
        "             [--scene]\n"
        "       audit [--verbose] --files FILE...\n"
        "Draws N scenes from seed S on, runs them under every law, and prints how often each "
        "claim\n"
        "was violated per 1e5 scene-steps. --steps: as many draws as it takes until every law has\n"
        "made N steps. --out: reduce the first N violations of each claim and\n"
        "law to small files there. --resume: what was found and the seed to go on with are kept "
        "in\n"
        "FILE, every 200 draws. --scene:\n"
        "print the text of seed S and stop. --files: audit files that --out left, each for the "
        "claim\n"
        "that it names. Ends with 1 where a claim was violated, with 3 where runs were too slow "
        "and\n"
        "nothing else is wrong.\n");
    return 2;
}

static int find_law(const char *name)
{
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        if (strcmp(name, audit_law_name((audit_law)law)) == 0) {
            return law;
        }
    }
    (void)fprintf(stderr, "audit: no law '%s'\n", name);
    exit(2);
}

// Is all that was found that runs take too long?
static bool only_slow(const audit_tally *t)
{
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        for (int i = 0; i < AUDIT_ALL_CLAIMS; ++i) {
            if (i != AUDIT_CLAIM_ENDS && t->failed[law][i] > 0) {
                return false;
            }
        }
    }
    for (int i = 0; i < t->nfinding; ++i) {
        if (strcmp(t->finding[i].text, how_it_ended(SIGPROF)) != 0) {
            return false;
        }
    }
    return true;
}

// Has every law that is asked for made its steps?
static bool are_done(audit_settings *o, const audit_tally *t)
{
    bool all = true;
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        o->done[law] = o->steps > 0 && t->steps[law] >= o->steps;
        all = all && (o->done[law] || (o->law >= 0 && law != o->law));
    }
    return all;
}

// In pieces, so that a long audit can be taken up again: after each one the tally is kept.
static void run_pieces(audit_tally *sum, const audit_settings *settings)
{
    enum { PIECE = 200 };
    audit_settings o = *settings;
    audit_tally *t[AUDIT_JOBS];
    seed_counter *next = shared_memory(sizeof *next);
    for (int w = 0; w < o.jobs; ++w) {
        t[w] = shared_memory(sizeof *t[w]);
    }
    const uint64_t end = o.steps > 0 ? UINT64_MAX : o.seed + o.draws;
    if (o.resume) {
        (void)audit_load_tally(sum, &o.seed, o.resume);
    }
    while (!are_done(&o, sum) && o.seed < end) {
        o.draws = end - o.seed < PIECE ? end - o.seed : PIECE;
        for (int w = 0; w < o.jobs; ++w) {
            memset(t[w], 0, sizeof *t[w]);
        }
        run_draws(t, &o, next);
        o.seed += o.draws;
        for (int w = 0; w < o.jobs; ++w) {
            audit_add_tally(sum, t[w]);
        }
        if (o.resume) {
            audit_save_tally(sum, o.seed, o.resume);
        }
        if (o.steps > 0) {
            printf("seeds up to %llu\n", (unsigned long long)(o.seed - 1));
            audit_print_totals(sum);
            (void)fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    audit_settings o = {
        .seed = 1, .draws = 200, .law = -1, .shrink_seconds = 20.0, .shrink_most = 1};
    o.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    bool scene = false;
    for (int i = 1; i < argc; ++i) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--verbose") == 0) {
            o.verbose = true;
        } else if (strcmp(name, "--refusals") == 0) {
            o.refusals = true;
        } else if (strcmp(name, "--coverage") == 0) {
            o.coverage = true;
        } else if (strcmp(name, "--scene") == 0) {
            scene = true;
        } else if (strcmp(name, "--files") == 0) {
            return audit_files(argv + i + 1, argc - i - 1, o.verbose);
        } else if (strcmp(name, "--claims") == 0) {
            print_claims();
            return 0;
        } else if (!value) {
            return usage();
        } else {
            ++i;
            if (strcmp(name, "--draws") == 0) {
                o.draws = strtoull(value, NULL, 10);
            } else if (strcmp(name, "--steps") == 0) {
                o.steps = strtoll(value, NULL, 10);
            } else if (strcmp(name, "--seed") == 0) {
                o.seed = strtoull(value, NULL, 10);
            } else if (strcmp(name, "--law") == 0) {
                o.law = find_law(value);
            } else if (strcmp(name, "--jobs") == 0) {
                o.jobs = atoi(value);
            } else if (strcmp(name, "--out") == 0) {
                o.out = value;
            } else if (strcmp(name, "--shrink") == 0) {
                o.shrink_seconds = atof(value);
            } else if (strcmp(name, "--each") == 0) {
                o.shrink_most = atoi(value);
            } else if (strcmp(name, "--resume") == 0) {
                o.resume = value;
            } else {
                return usage();
            }
        }
    }
    o.jobs = o.jobs < 1 ? 1 : o.jobs > AUDIT_JOBS ? AUDIT_JOBS : o.jobs;
    if (scene) {
        static audit_scene s;
        audit_generate(&s, o.seed);
        s.option.law = o.law >= 0 ? (audit_law)o.law : AUDIT_COMPLIANT;
        char *text = audit_write_mjcf(&s, NULL);
        (void)fputs(text, stdout);
        free(text);
        return 0;
    }
    static audit_tally sum;
    run_pieces(&sum, &o);
    qsort(sum.finding, (size_t)sum.nfinding, sizeof *sum.finding, by_seed);
    for (int i = 0; o.verbose && i < sum.nfinding; ++i) {
        audit_print_finding(&sum.finding[i]);
    }
    const bool violated = audit_print_table(&sum);
    audit_print_totals(&sum);
    for (int i = 0; i < sum.nfinding && !o.verbose; ++i) { // one of each claim and law
        const bool again = i > 0 && sum.finding[i].claim == sum.finding[i - 1].claim &&
                           sum.finding[i].law == sum.finding[i - 1].law;
        if (!again) {
            audit_print_finding(&sum.finding[i]);
        }
    }
    if (o.coverage) {
        audit_print_coverage(&sum);
    }
    (void)fflush(stdout);
    if (o.out) {
        audit_reduce_all(&o, &sum);
    }
    return violated ? (only_slow(&sum) ? 3 : 1) : 0;
}
