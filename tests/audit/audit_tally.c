// One run, what it adds to the tally, and how that is printed.
#include "audit_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// [s] of processor time, after which a run makes no more steps
static const double CUT_SECONDS = 0.5;

const char *audit_any_claim_name(int claim)
{
    return claim == AUDIT_CLAIM_STEPS  ? "steps are made"
           : claim == AUDIT_CLAIM_ENDS ? "runs end"
                                       : audit_claim_name((audit_claim)claim);
}

const char *audit_any_claim_text(int claim)
{
    return claim == AUDIT_CLAIM_STEPS  ? "every step is made"
           : claim == AUDIT_CLAIM_ENDS ? "no run crashes, and none takes more than 20 s of "
                                         "processor time"
                                       : audit_claim_text((audit_claim)claim);
}

// Error control may refuse to go on, a differential equation a rigid end once it is reached, a
// compliant law a pair of materials once it touches, and any law where joints lock; an explicit
// integrator reports that it diverges. That is no defect.
static bool gave_up(const audit_scene *s, const audit_recording *r)
{
    return strstr(r->message, "substeps") ||
           strstr(r->message, "a differential equation has no force for that") ||
           strstr(r->message, "and a Young's modulus or a dissipation") ||
           (r->nstep >= 0 &&
            (audit_joints_lock(s, &r->sample[r->nstep]) ||
             ((strstr(r->message, "a smaller step may help") ||
               strstr(r->message, "an explicit integrator may need a smaller step")) &&
              audit_diverges(s, &r->sample[0], &r->sample[r->nstep]))));
}

static void add_finding(audit_tally *t, const audit_finding *f)
{
    if (t->nfinding < AUDIT_KEPT) {
        t->finding[t->nfinding++] = *f;
    }
}

void audit_add_failure(audit_tally *t, const audit_finding *f, int64_t steps)
{
    if (t->scenes[f->law][f->claim]++ == 0) {
        t->first_seed[f->law][f->claim] = f->seed;
    }
    t->failed[f->law][f->claim] += steps;
    add_finding(t, f);
}

bool audit_wants_hashes(uint64_t seed)
{
    return seed % 3 == 0;
}

static void note_coverage(audit_tally *t, const audit_scene *s, const audit_recording *r)
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

uint64_t audit_examine(audit_tally *t, const audit_settings *o, const audit_scene *s, bool hashes)
{
    static audit_recording recording;
    static audit_report report;
    const audit_law law = s->option.law;
    uint64_t failed = 0;
    char *text = audit_write_mjcf(s, NULL);
    audit_record(&recording, s, text, CUT_SECONDS, hashes);
    free(text);
    audit_finding f = {.seed = s->seed, .law = law, .step = recording.nstep};
    t->runs[law]++;
    t->steps[law] += recording.nstep;
    t->cut[law] += recording.cut;
    t->tested[law][AUDIT_CLAIM_STEPS] += recording.nstep;
    t->tested[law][AUDIT_CLAIM_ENDS]++;
    if (recording.end == AUDIT_REFUSED) {
        t->refused[law]++;
        if (o->refusals) {
            printf("seed %llu, %s: refused: %s\n", (unsigned long long)s->seed, audit_law_name(law),
                   recording.message);
        }
    } else if (recording.end == AUDIT_BROKEN ||
               (recording.end == AUDIT_FAILED && !gave_up(s, &recording))) {
        f.claim = AUDIT_CLAIM_STEPS;
        f.value = 1.0;
        (void)snprintf(f.text, sizeof f.text, "%.159s", recording.message);
        failed |= UINT64_C(1) << AUDIT_CLAIM_STEPS;
        audit_add_failure(t, &f, 1);
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
            audit_add_failure(t, &f, report.failed[v->claim]);
        }
    }
    audit_recording_free(&recording);
    return failed;
}

void audit_add_tally(audit_tally *sum, const audit_tally *t)
{
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        sum->runs[law] += t->runs[law];
        sum->refused[law] += t->refused[law];
        sum->given_up[law] += t->given_up[law];
        sum->steps[law] += t->steps[law];
        sum->cut[law] += t->cut[law];
        for (int i = 0; i < AUDIT_ALL_CLAIMS; ++i) {
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

void audit_print_finding(const audit_finding *f)
{
    printf("%s, %s, seed %llu, step %d: %.3g %s (allowed %.3g): %s\n",
           audit_any_claim_name(f->claim), audit_law_name(f->law), (unsigned long long)f->seed,
           f->step, f->value, f->unit, f->bound, f->text);
}

// What the draws have reached, in contact points and rows that pushed.
void audit_print_coverage(const audit_tally *t)
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

static void print_share(const char *name, const audit_tally *t, const int64_t *count)
{
    printf("\n%-24s", name);
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        printf(" %9.1f%%",
               t->runs[law] > 0 ? 100.0 * (double)count[law] / (double)t->runs[law] : 0.0);
    }
}

bool audit_print_table(const audit_tally *t)
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
    print_share("given up", t, t->given_up);
    print_share("cut short after 0.5 s", t, t->cut);
    printf("\n%-24s", "scene-steps");
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        printf(" %10lld", (long long)t->steps[law]);
    }
    printf("\nviolations per 1e5 scene-steps (-: not promised, or never tested)\n");
    for (int i = 0; i < AUDIT_ALL_CLAIMS; ++i) {
        printf("%-24s", audit_any_claim_name(i));
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

static int64_t all_violations(const audit_tally *t, int law)
{
    int64_t sum = 0;
    for (int i = 0; i < AUDIT_ALL_CLAIMS; ++i) {
        sum += i == AUDIT_CLAIM_ENDS ? 0 : t->failed[law][i];
    }
    return sum;
}

void audit_print_totals(const audit_tally *t)
{
    printf("%-12s %12s %12s %12s %16s\n", "law", "scene-steps", "violations", "per 1e5",
           "runs not ended");
    for (int law = 0; law < AUDIT_LAWS; ++law) {
        const int64_t failed = all_violations(t, law), steps = t->steps[law];
        printf("%-12s %12lld %12lld %12.4g %16lld\n", audit_law_name((audit_law)law),
               (long long)steps, (long long)failed,
               steps > 0 ? 1e5 * (double)failed / (double)steps : 0.0,
               (long long)t->failed[law][AUDIT_CLAIM_ENDS]);
    }
}

// ---- tallies in files

typedef struct tally_head {
    char name[16];
    uint64_t size, seed;
} tally_head;

static tally_head head_of(uint64_t seed)
{
    return (tally_head){.name = "audit tally 1", .size = sizeof(audit_tally), .seed = seed};
}

bool audit_load_tally(audit_tally *t, uint64_t *seed, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    tally_head head;
    const bool read = fread(&head, sizeof head, 1, file) == 1 && fread(t, sizeof *t, 1, file) == 1;
    const tally_head own = head_of(head.seed);
    (void)fclose(file);
    if (!read || memcmp(head.name, own.name, sizeof own.name) != 0 || head.size != own.size) {
        (void)fprintf(stderr,
                      "audit: %s is no tally of this auditor (expected a file that "
                      "--resume left, or none)\n",
                      path);
        exit(2);
    }
    *seed = head.seed;
    return true;
}

// The old file stays until the new one is whole.
void audit_save_tally(const audit_tally *t, uint64_t seed, const char *path)
{
    char next[4096];
    const int length = snprintf(next, sizeof next, "%s.next", path);
    const tally_head head = head_of(seed);
    FILE *file = length > 0 && (size_t)length < sizeof next ? fopen(next, "wb") : NULL;
    bool written =
        file && fwrite(&head, sizeof head, 1, file) == 1 && fwrite(t, sizeof *t, 1, file) == 1;
    written = file && fclose(file) == 0 && written;
    if (!written || rename(next, path) != 0) {
        perror(path);
        exit(2);
    }
}
