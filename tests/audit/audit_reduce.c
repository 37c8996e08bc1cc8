// Violations reduced to small files, and such files audited again.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "audit_driver.h"
#include "audit_shrink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
        static audit_tally own;
        static audit_scene copy;
        const audit_settings quiet = {.law = -1};
        copy = *scene;
        (void)alarm(AUDIT_RUN_SECONDS);
        const uint64_t failed = audit_examine(&own, &quiet, &copy, r->hashes);
        _exit((failed >> r->claim) & 1 ? 1 : 0);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return false;
    }
    return r->claim == AUDIT_CLAIM_ENDS ? WIFSIGNALED(status)
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
        (void)alarm(AUDIT_RUN_SECONDS);
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
static void describe(audit_finding *out, const audit_scene *s, int claim, bool hashes)
{
    static audit_tally own;
    const audit_settings quiet = {.law = -1};
    memset(&own, 0, sizeof own);
    memset(out, 0, sizeof *out);
    if (claim == AUDIT_CLAIM_ENDS) {
        return;
    }
    (void)audit_examine(&own, &quiet, s, hashes);
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

static void reduce(const audit_settings *o, const audit_finding *f)
{
    static audit_scene s;
    audit_generate(&s, f->seed);
    s.option.law = f->law;
    reduction r = {f->claim, f->law,
                   f->claim >= AUDIT_CLAIM_HASH_AGAIN && f->claim <= AUDIT_CLAIM_HASH_THREAD,
                   time(NULL) + (time_t)o->shrink_seconds};
    if (!still_fails(&r, &s)) {
        r.hashes = audit_wants_hashes(f->seed);
    }
    audit_shrink(&s, still_fails, start_later, out_of_time, &r);
    audit_finding now;
    describe(&now, &s, f->claim, r.hashes);
    char comment[1024], path[512], name[64];
    dashed(name, audit_any_claim_name(f->claim));
    (void)snprintf(comment, sizeof comment,
                   "audit: claim %s, law %s, seed %llu, steps %d\n     %s.\n     Step %d: %.6g %s, "
                   "allowed %.6g: %s",
                   name, audit_law_name(f->law), (unsigned long long)f->seed, s.nsteps,
                   audit_any_claim_text(f->claim), now.step, now.value, now.unit, now.bound,
                   now.text);
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

void audit_reduce_all(const audit_settings *o, const audit_tally *t)
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
    for (int i = 0; at && i < AUDIT_ALL_CLAIMS; ++i) {
        char name[64];
        dashed(name, audit_any_claim_name(i));
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
    static audit_tally t;
    const audit_settings quiet = {.law = -1, .refusals = true};
    char *text = whole_text(path);
    const char *problem = audit_read_mjcf(&s, text);
    const int claim = claim_of_text(text);
    free(text);
    if (problem) {
        printf("%s: %s\n", path, problem);
        return false;
    }
    memset(&t, 0, sizeof t);
    const uint64_t failed = audit_examine(&t, &quiet, &s, true);
    const bool holds = claim >= 0 ? !((failed >> claim) & 1) : failed == 0;
    printf("%s: %s: %s\n", path, claim >= 0 ? audit_any_claim_name(claim) : "all claims",
           holds ? "holds" : "VIOLATED");
    for (int i = 0; i < t.nfinding; ++i) {
        if (verbose || (t.finding[i].claim == claim) || claim < 0) {
            printf("  ");
            audit_print_finding(&t.finding[i]);
        }
    }
    return holds && t.refused[s.option.law] == 0;
}

int audit_files(char **path, int n, bool verbose)
{
    int violated = 0;
    for (int i = 0; i < n; ++i) {
        violated += !file_holds(path[i], verbose);
    }
    return violated > 0 ? 1 : 0;
}
