// The auditor: random scenes under every law, and what is claimed of them. See README.md.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "audit_check.h"
#include "audit_promises.h"
#include "audit_recording.h"
#include "audit_scene.h"
#include "audit_shrink.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CLAIM_STEPS = AUDIT_CLAIMS, // every step is made
    CLAIM_ENDS,                 // no run crashes or hangs
    CLAIMS,
    KEPT = 2000, // violations that are listed
    JOBS = 64,
    RUN_SECONDS = 20, // a run that takes longer hangs
};
static const double CUT_SECONDS = 0.5; // of processor time, after which a run makes no more steps

// A violation that was found.
typedef struct finding {
    uint64_t seed;
    audit_law law;
    int claim, step;
    double value, bound;
    char unit[16], text[160];
} finding;

// What the workers add up, in memory that they share with the one that waits for them.
typedef struct tally {
    int64_t runs[AUDIT_LAWS], refused[AUDIT_LAWS], given_up[AUDIT_LAWS], steps[AUDIT_LAWS];
    int64_t cut[AUDIT_LAWS];
    int64_t tested[AUDIT_LAWS][CLAIMS], failed[AUDIT_LAWS][CLAIMS], scenes[AUDIT_LAWS][CLAIMS];
    double worst[AUDIT_LAWS][CLAIMS];
    uint64_t first_seed[AUDIT_LAWS][CLAIMS];
    int64_t touched[8][8], rows[AUDIT_ROW_SOURCES]; // that pushed: kinds of geoms, sources of rows
    int nfinding;
    finding finding[KEPT];
    uint64_t next; // seed that the worker goes on with
    uint64_t at;   // seed and law that it is at
    int law;
    bool busy;
} tally;

typedef struct settings {
    uint64_t seed, draws;
    int law; // −1: all
    int jobs;
    bool verbose, refusals, coverage;
    const char *out, *resume;
    double shrink_seconds;
    int shrink_most; // of one claim under one law
} settings;

static const char *claim_name(int claim)
{
    return claim == CLAIM_STEPS  ? "steps are made"
           : claim == CLAIM_ENDS ? "runs end"
                                 : audit_claim_name((audit_claim)claim);
}

static const char *claim_text(int claim)
{
    return claim == CLAIM_STEPS  ? "every step is made"
           : claim == CLAIM_ENDS ? "no run crashes, and none takes more than 20 s"
                                 : audit_claim_text((audit_claim)claim);
}

// Error control may refuse to go on: that is no defect.
static bool gave_up(const audit_recording *r)
{
    return strstr(r->message, "substeps") || strstr(r->message, "max_substeps");
}

static void add_finding(tally *t, const finding *f)
{
    if (t->nfinding < KEPT) {
        t->finding[t->nfinding++] = *f;
    }
}

static void add_failure(tally *t, const finding *f, int64_t steps)
{
    if (t->scenes[f->law][f->claim]++ == 0) {
        t->first_seed[f->law][f->claim] = f->seed;
    }
    t->failed[f->law][f->claim] += steps;
    add_finding(t, f);
}

static bool wants_hashes(uint64_t seed)
{
    return seed % 3 == 0;
}

static void note_coverage(tally *t, const audit_scene *s, const audit_recording *r)
{
    for (int i = 0; i < r->nstep; ++i) {
        const audit_step *step = &r->step[i];
        for (int k = 0; k < step->ncontact; ++k) {
            const audit_contact *c = &step->contact[k];
            const int a = (int)s->geom[c->geom[0]].kind, b = (int)s->geom[c->geom[1]].kind;
            t->touched[a < b ? a : b][a < b ? b : a] += c->normal_impulse > 0.0;
        }
        for (int k = 0; k < step->nrow; ++k) {
            t->rows[step->row[k].source] += step->row[k].impulse != 0.0;
        }
    }
}

// Run and check a scene as it is. @return the claims that failed, as bits
static uint64_t examine(tally *t, const settings *o, const audit_scene *s, bool hashes)
{
    static audit_recording recording;
    static audit_report report;
    const audit_law law = s->option.law;
    uint64_t failed = 0;
    char *text = audit_write_mjcf(s, NULL);
    audit_record(&recording, s, text, CUT_SECONDS, hashes);
    free(text);
    finding f = {.seed = s->seed, .law = law, .step = recording.nstep};
    t->runs[law]++;
    t->steps[law] += recording.nstep;
    t->cut[law] += recording.cut;
    t->tested[law][CLAIM_STEPS] += recording.nstep;
    t->tested[law][CLAIM_ENDS]++;
    if (recording.end == AUDIT_REFUSED) {
        t->refused[law]++;
        if (o->refusals) {
            printf("seed %llu, %s: refused: %s\n", (unsigned long long)s->seed, audit_law_name(law),
                   recording.message);
        }
    } else if (recording.end == AUDIT_BROKEN ||
               (recording.end == AUDIT_FAILED && !gave_up(&recording))) {
        f.claim = CLAIM_STEPS;
        f.value = 1.0;
        (void)snprintf(f.text, sizeof f.text, "%.159s", recording.message);
        failed |= UINT64_C(1) << CLAIM_STEPS;
        add_failure(t, &f, 1);
    } else if (recording.end == AUDIT_FAILED) {
        t->given_up[law]++;
    }
    note_coverage(t, s, &recording);
    if (recording.end != AUDIT_REFUSED && recording.end != AUDIT_BROKEN) {
        audit_check(&report, s, &recording);
        for (int i = 0; i < AUDIT_CLAIMS; ++i) {
            t->tested[law][i] += report.tested[i];
            if (report.worst[i] > t->worst[law][i]) {
                t->worst[law][i] = report.worst[i];
            }
        }
        bool seen[AUDIT_CLAIMS] = {false};
        for (int i = 0; i < report.nviolation; ++i) {
            const audit_violation *v = &report.violation[i];
            if (seen[v->claim]) {
                continue;
            }
            seen[v->claim] = true;
            failed |= UINT64_C(1) << v->claim;
            f.claim = (int)v->claim;
            f.step = v->step;
            f.value = v->value;
            f.bound = v->bound;
            (void)snprintf(f.unit, sizeof f.unit, "%s", v->unit ? v->unit : "");
            (void)snprintf(f.text, sizeof f.text, "%s", v->text);
            add_failure(t, &f, report.failed[v->claim]);
        }
    }
    audit_recording_free(&recording);
    return failed;
}

// A scene in which nothing depends on the law, as the Runge–Kutta methods have it.
static bool ignores_law(const audit_scene *s)
{
    return s->option.integrator != AUDIT_SEMI_IMPLICIT;
}

static void work(tally *t, const settings *o, int worker)
{
    static audit_scene s;
    const uint64_t end = o->seed + o->draws;
    for (uint64_t seed = t->next; seed < end; seed += (uint64_t)o->jobs) {
        audit_generate(&s, seed);
        for (int law = 0; law < AUDIT_LAWS; ++law) {
            if ((o->law >= 0 && law != o->law) || (ignores_law(&s) && law != AUDIT_COMPLIANT)) {
                continue;
            }
            if (seed == t->at && t->busy && law <= t->law) {
                continue; // the one that ended the worker before this one
            }
            t->at = seed;
            t->law = law;
            t->busy = true;
            t->next = seed;
            s.option.law = (audit_law)law;
            (void)alarm(RUN_SECONDS);
            (void)examine(t, o, &s, wants_hashes(seed));
            (void)alarm(0);
        }
        t->busy = false;
        t->next = seed + (uint64_t)o->jobs;
    }
    (void)worker;
}

static tally *shared_tally(void)
{
    void *at = mmap(NULL, sizeof(tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("audit: mmap");
        exit(2);
    }
    return at;
}

static pid_t start_worker(tally *t, const settings *o, int worker)
{
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        perror("audit: fork");
        exit(2);
    }
    if (pid == 0) {
        work(t, o, worker);
        (void)fflush(NULL);
        _exit(0);
    }
    return pid;
}

// All draws, on `jobs` processes. One that crashes or hangs is started again behind that run.
static void run_draws(tally **t, const settings *o)
{
    pid_t pid[JOBS];
    int running = o->jobs;
    for (int w = 0; w < o->jobs; ++w) {
        t[w]->next = o->seed + (uint64_t)w;
        t[w]->busy = false;
        pid[w] = start_worker(t[w], o, w);
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
            finding f = {.seed = t[w]->at, .law = (audit_law)t[w]->law, .claim = CLAIM_ENDS};
            f.value = 1.0;
            (void)snprintf(f.text, sizeof f.text, "%s",
                           WIFSIGNALED(status) ? WTERMSIG(status) == SIGALRM
                                                     ? "took more than 20 s"
                                                     : strsignal(WTERMSIG(status))
                                               : "the auditor gave up");
            add_failure(t[w], &f, 1);
            pid[w] = start_worker(t[w], o, w);
        }
    }
}

static void add_tally(tally *sum, const tally *t)
{
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        sum->runs[law] += t->runs[law];
        sum->refused[law] += t->refused[law];
        sum->given_up[law] += t->given_up[law];
        sum->steps[law] += t->steps[law];
        sum->cut[law] += t->cut[law];
        for (int i = 0; i < CLAIMS; ++i) {
            sum->tested[law][i] += t->tested[law][i];
            sum->failed[law][i] += t->failed[law][i];
            if (t->scenes[law][i] > 0 &&
                (sum->scenes[law][i] == 0 || t->first_seed[law][i] < sum->first_seed[law][i])) {
                sum->first_seed[law][i] = t->first_seed[law][i];
            }
            sum->scenes[law][i] += t->scenes[law][i];
            if (t->worst[law][i] > sum->worst[law][i]) {
                sum->worst[law][i] = t->worst[law][i];
            }
        }
    }
    for (int a = 0; a < 8; ++a) {
        for (int b = 0; b < 8; ++b) {
            sum->touched[a][b] += t->touched[a][b];
        }
    }
    for (int i = 0; i < AUDIT_ROW_SOURCES; ++i) {
        sum->rows[i] += t->rows[i];
    }
    for (int i = 0; i < t->nfinding; ++i) {
        add_finding(sum, &t->finding[i]);
    }
}

static int by_seed(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    if (x->claim != y->claim) {
        return x->claim < y->claim ? -1 : 1;
    }
    if (x->law != y->law) {
        return x->law < y->law ? -1 : 1;
    }
    return x->seed < y->seed ? -1 : x->seed > y->seed;
}

static void print_finding(const finding *f)
{
    printf("%s, %s, seed %llu, step %d: %.3g %s (allowed %.3g): %s\n", claim_name(f->claim),
           audit_law_name(f->law), (unsigned long long)f->seed, f->step, f->value, f->unit,
           f->bound, f->text);
}

// What the draws have reached, in contact points and rows that pushed.
static void print_coverage(const tally *t)
{
    static const char *const kind[] = {"plane",     "sphere", "capsule", "cylinder",
                                       "ellipsoid", "box",    "mesh",    "hfield"};
    static const char *const source[] = {"equality",      "joint limit",    "tendon limit",
                                         "tendon spring", "joint friction", "tendon friction",
                                         "drive",         "user row",       "motion",
                                         "foundation",    "contact"};
    for (int a = 0; a < 8; ++a) {
        printf("%-10s", kind[a]);
        for (int b = 0; b < 8; ++b) {
            printf(" %9lld", (long long)(b < a ? t->touched[b][a] : t->touched[a][b]));
        }
        printf("\n");
    }
    for (int i = 0; i < AUDIT_ROW_SOURCES; ++i) {
        printf("%-16s %9lld\n", source[i], (long long)t->rows[i]);
    }
}

static void print_share(const char *name, const tally *t, const int64_t *count)
{
    printf("\n%-24s", name);
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        printf(" %9.1f%%",
               t->runs[law] > 0 ? 100.0 * (double)count[law] / (double)t->runs[law] : 0.0);
    }
}

static bool print_table(const tally *t)
{
    bool violated = false;
    printf("%-24s", "");
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        printf(" %10s", audit_law_name((audit_law)law));
    }
    printf("\n%-24s", "runs");
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        printf(" %10lld", (long long)t->runs[law]);
    }
    print_share("refused", t, t->refused);
    print_share("too many substeps", t, t->given_up);
    print_share("cut short after 0.5 s", t, t->cut);
    printf("\n%-24s", "scene-steps");
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        printf(" %10lld", (long long)t->steps[law]);
    }
    printf("\nviolations per 1e5 scene-steps (-: not promised, or never tested)\n");
    for (int i = 0; i < CLAIMS; ++i) {
        printf("%-24s", claim_name(i));
        for (int law = 0; law < AUDIT_LAWS; ++law) {
            if (t->tested[law][i] == 0 && t->failed[law][i] == 0) {
                printf(" %10s", "-");
            } else if (t->failed[law][i] == 0) {
                printf(" %10s", "0");
            } else {
                violated = true;
                printf(" %10.4g", 1e5 * (double)t->failed[law][i] /
                                      (double)(t->steps[law] > 0 ? t->steps[law] : 1));
            }
        }
        printf("\n");
    }
    return violated;
}

// Reduction

typedef struct reduction {
    int claim;
    audit_law law;
    bool hashes;
    time_t until;
} reduction;

// In a process of its own: it may crash.
static bool still_fails(void *context, const audit_scene *scene)
{
    const reduction *r = context;
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        static tally own;
        static audit_scene copy;
        const settings quiet = {.law = -1};
        copy = *scene;
        (void)alarm(RUN_SECONDS);
        const uint64_t failed = examine(&own, &quiet, &copy, r->hashes);
        _exit((failed >> r->claim) & 1 ? 1 : 0);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return false;
    }
    return r->claim == CLAIM_ENDS ? WIFSIGNALED(status)
                                  : WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static bool out_of_time(void *context)
{
    const reduction *r = context;
    return time(NULL) > r->until;
}

static audit_wave later(audit_wave w, double t)
{
    w.constant += w.rate * t;
    w.phase += w.frequency * t;
    return w;
}

// The state after some steps, in a process of its own.
static bool start_later(void *context, audit_scene *s, int steps)
{
    (void)context;
    double *state = mmap(NULL, sizeof(double) * (1 + AUDIT_NQ + AUDIT_NV), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED) {
        return false;
    }
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        audit_recording r;
        s->nsteps = steps;
        char *text = audit_write_mjcf(s, NULL);
        (void)alarm(RUN_SECONDS);
        audit_record(&r, s, text, 10.0, false);
        if (r.end == AUDIT_RAN) {
            memcpy(state + 1, r.sample[steps].q, sizeof r.sample[steps].q);
            memcpy(state + 1 + AUDIT_NQ, r.sample[steps].v, sizeof r.sample[steps].v);
            state[0] = 1.0;
        }
        _exit(0);
    }
    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
    }
    const bool ok = state[0] == 1.0;
    if (ok) {
        const double t = s->option.step * steps;
        memcpy(s->q, state + 1, (size_t)s->nq * sizeof(double));
        memcpy(s->v, state + 1 + AUDIT_NQ, (size_t)s->nv * sizeof(double));
        for (int i = 0; i < s->nforce; ++i) {
            for (int k = 0; k < 3; ++k) {
                s->force[i].force[k] = later(s->force[i].force[k], t);
                s->force[i].torque[k] = later(s->force[i].torque[k], t);
            }
        }
        for (int i = 0; i < s->nmotion; ++i) {
            for (int k = 0; k < 3; ++k) {
                s->motion[i].position[k] = later(s->motion[i].position[k], t);
                s->motion[i].rotation[k] = later(s->motion[i].rotation[k], t);
            }
        }
    }
    (void)munmap(state, sizeof(double) * (1 + AUDIT_NQ + AUDIT_NV));
    return ok;
}

// What the first violation of a claim says.
static void describe(finding *out, const audit_scene *s, int claim, bool hashes)
{
    static tally own;
    const settings quiet = {.law = -1};
    memset(&own, 0, sizeof own);
    memset(out, 0, sizeof *out);
    if (claim == CLAIM_ENDS) {
        return;
    }
    (void)examine(&own, &quiet, s, hashes);
    for (int i = 0; i < own.nfinding; ++i) {
        if (own.finding[i].claim == claim) {
            *out = own.finding[i];
        }
    }
}

static void dashed(char *out, const char *text)
{
    for (; *text; ++text) {
        *out++ = *text == ' ' ? '_' : *text;
    }
    *out = '\0';
}

static void reduce(const settings *o, const finding *f)
{
    static audit_scene s;
    audit_generate(&s, f->seed);
    s.option.law = f->law;
    reduction r = {f->claim, f->law,
                   f->claim >= AUDIT_CLAIM_HASH_AGAIN && f->claim <= AUDIT_CLAIM_HASH_THREAD,
                   time(NULL) + (time_t)o->shrink_seconds};
    if (!still_fails(&r, &s)) {
        r.hashes = wants_hashes(f->seed);
    }
    audit_shrink(&s, still_fails, start_later, out_of_time, &r);
    finding now;
    describe(&now, &s, f->claim, r.hashes);
    char comment[1024], path[512], name[64];
    dashed(name, claim_name(f->claim));
    (void)snprintf(comment, sizeof comment,
                   "audit: claim %s, law %s, seed %llu, steps %d\n     %s.\n     Step %d: %.6g %s, "
                   "allowed %.6g: %s",
                   name, audit_law_name(f->law), (unsigned long long)f->seed, s.nsteps,
                   claim_text(f->claim), now.step, now.value, now.unit, now.bound, now.text);
    for (char *c = comment; (c = strstr(c, "--"));) {
        *c = '~'; // comments have none
    }
    (void)snprintf(path, sizeof path, "%s/%s_%s_%llu.xml", o->out, name, audit_law_name(f->law),
                   (unsigned long long)f->seed);
    char *text = audit_write_mjcf(&s, comment);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
    } else {
        printf("%s: %s\n", path, now.text);
    }
    free(text);
    (void)fflush(stdout);
}

static void reduce_all(const settings *o, tally *t)
{
    if (mkdir(o->out, 0777) != 0 && errno != EEXIST) {
        perror(o->out);
        exit(2);
    }
    int same = 0;
    for (int i = 0; i < t->nfinding; ++i) {
        const bool again = i > 0 && t->finding[i].claim == t->finding[i - 1].claim &&
                           t->finding[i].law == t->finding[i - 1].law;
        same = again ? same + 1 : 0;
        if (same < o->shrink_most) {
            reduce(o, &t->finding[i]);
        }
    }
}

// Files

static char *whole_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    if (!text) {
        perror(path);
        exit(2);
    }
    (void)fclose(file);
    return text;
}

// The claim that a file was kept for; −1: it names none.
static int claim_of_text(const char *text)
{
    const char *at = strstr(text, "audit: claim ");
    for (int i = 0; at && i < CLAIMS; ++i) {
        char name[64];
        dashed(name, claim_name(i));
        const char *given = at + strlen("audit: claim ");
        if (strncmp(given, name, strlen(name)) == 0 && given[strlen(name)] == ',') {
            return i;
        }
    }
    return -1;
}

// Audit one file that this program wrote. Where it names a claim, that is the one that counts.
static bool file_holds(const char *path, bool verbose)
{
    static audit_scene s;
    static tally t;
    const settings quiet = {.law = -1, .refusals = true};
    char *text = whole_text(path);
    const char *problem = audit_read_mjcf(&s, text);
    const int claim = claim_of_text(text);
    free(text);
    if (problem) {
        printf("%s: %s\n", path, problem);
        return false;
    }
    memset(&t, 0, sizeof t);
    const uint64_t failed = examine(&t, &quiet, &s, true);
    const bool holds = claim >= 0 ? !((failed >> claim) & 1) : failed == 0;
    printf("%s: %s: %s\n", path, claim >= 0 ? claim_name(claim) : "all claims",
           holds ? "holds" : "VIOLATED");
    for (int i = 0; i < t.nfinding; ++i) {
        if (verbose || (t.finding[i].claim == claim) || claim < 0) {
            printf("  ");
            print_finding(&t.finding[i]);
        }
    }
    return holds && t.refused[s.option.law] == 0;
}

static int audit_files(char **path, int n, bool verbose)
{
    int violated = 0;
    for (int i = 0; i < n; ++i) {
        violated += !file_holds(path[i], verbose);
    }
    return violated > 0 ? 1 : 0;
}

static void print_claims(void)
{
    for (int i = 0; i < CLAIMS; ++i) {
        printf("%-24s %s\n%-24s", claim_name(i), claim_text(i), "");
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
        "usage: audit [--draws N] [--seed S] [--law L] [--jobs J] [--verbose] [--refusals]\n"
        "             [--coverage]\n"
        "             [--out DIR [--shrink SECONDS] [--each N]] [--resume FILE] [--claims]\n"
        "             [--scene]\n"
        "       audit [--verbose] --files FILE...\n"
        "Draws N scenes from seed S on, runs them under every law, and prints how often each "
        "claim\n"
        "was violated per 1e5 scene-steps. --out: reduce the first N violations of each claim and\n"
        "law to small files there. --resume: the seed to go on with is kept in FILE. --scene:\n"
        "print the text of seed S and stop. --files: audit files that --out left, each for the "
        "claim\n"
        "that it names. Ends with 1 where a claim was violated.\n");
    return 2;
}

static uint64_t seed_of_file(const char *path, uint64_t seed)
{
    FILE *file = fopen(path, "r");
    unsigned long long at = seed;
    if (file) {
        if (fscanf(file, "%llu", &at) != 1) {
            at = seed;
        }
        (void)fclose(file);
    }
    return at;
}

static void keep_seed(const char *path, uint64_t seed)
{
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%llu\n", (unsigned long long)seed) < 0 || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
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

int main(int argc, char **argv)
{
    settings o = {.seed = 1, .draws = 200, .law = -1, .shrink_seconds = 20.0, .shrink_most = 1};
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
    o.jobs = o.jobs < 1 ? 1 : o.jobs > JOBS ? JOBS : o.jobs;
    if (scene) {
        static audit_scene s;
        audit_generate(&s, o.seed);
        s.option.law = o.law >= 0 ? (audit_law)o.law : AUDIT_COMPLIANT;
        char *text = audit_write_mjcf(&s, NULL);
        (void)fputs(text, stdout);
        free(text);
        return 0;
    }
    static tally sum;
    tally *t[JOBS];
    for (int w = 0; w < o.jobs; ++w) {
        t[w] = shared_tally();
    }
    const uint64_t end = o.seed + o.draws;
    if (o.resume) {
        o.seed = seed_of_file(o.resume, o.seed);
    }
    while (o.seed < end) { // in pieces, so that a long audit can be taken up again
        settings piece = o;
        piece.draws = end - o.seed < 1000 ? end - o.seed : 1000;
        run_draws(t, &piece);
        o.seed += piece.draws;
        if (o.resume) {
            keep_seed(o.resume, o.seed);
        }
    }
    for (int w = 0; w < o.jobs; ++w) {
        add_tally(&sum, t[w]);
    }
    qsort(sum.finding, (size_t)sum.nfinding, sizeof *sum.finding, by_seed);
    for (int i = 0; o.verbose && i < sum.nfinding; ++i) {
        print_finding(&sum.finding[i]);
    }
    const bool violated = print_table(&sum);
    for (int i = 0; i < sum.nfinding && !o.verbose; ++i) { // one of each claim and law
        const bool again = i > 0 && sum.finding[i].claim == sum.finding[i - 1].claim &&
                           sum.finding[i].law == sum.finding[i - 1].law;
        if (!again) {
            print_finding(&sum.finding[i]);
        }
    }
    if (o.coverage) {
        print_coverage(&sum);
    }
    (void)fflush(stdout);
    if (o.out) {
        reduce_all(&o, &sum);
    }
    return violated ? 1 : 0;
}
