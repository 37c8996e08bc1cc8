// Performance profiles [DolanMore2002]: for each solver the part of the problems that it solves
// within a factor of the fastest.
#include "solve/profile_folder.h"

#include "common/json.h"
#include "common/law_settings.h"
#include "common/outputs.h"
#include "common/program.h"
#include "common/progress.h"
#include "common/table.h"
#include "common/text.h"
#include "common/whole_file.h"

#include <dashpot/advanced/fc.h>
#include <dashpot/advanced/law.h>
#include <dashpot/advanced/lcp.h>
#include <dashpot/law.h>
#include <dashpot/record.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { FRICTION, STEP, COMPLEMENTARITY, KINDS } kind;

static const char *const kind_name[KINDS] = {"friction-contact problems", "step problems",
                                             "complementarity problems"};

enum { SOLVERS = 4 };

static const char *const solver_name[KINDS][SOLVERS] = {
    [FRICTION] = {"automatic", "newton", "cone"},
    [STEP] = {"compliant", "lcp", "ncp", "vi"},
    [COMPLEMENTARITY] = {"automatic", "lemke", "pivoting"},
};

typedef struct trial {
    bool applies, solved;
    double seconds, residual;
    const char *outcome;
} trial;

typedef struct result {
    char *file;
    kind kind;
    trial trial[SOLVERS];
} result;

typedef struct results {
    result *item;
    size_t count, capacity;
    dp_fc_options fc;
    bool failed;
} results;

// ---- the clock

// Short work is done again: the shortest counts. Below a tick of the clock nothing is
// distinguished.
enum { REPEATS = 5 };
static const double SHORT = 5e-3, TICK = 1e-5; // [s]

typedef bool (*work)(void *context, trial *out);

static void measure(trial *out, work run, void *context)
{
    out->seconds = (double)INFINITY;
    for (int k = 0; k < REPEATS; ++k) {
        const double began = cli_processor_clock();
        if (!run(context, out)) {
            return;
        }
        out->applies = true;
        out->seconds = fmin(out->seconds, fmax(cli_processor_clock() - began, TICK));
        if (out->seconds > SHORT) {
            return;
        }
    }
}

// ---- friction-contact problems

typedef struct fc_work {
    const dp_fc *p;
    dp_fc_options opt;
    double *numbers;
} fc_work;

static bool solve_fc(void *context, trial *out)
{
    const fc_work *w = context;
    dp_fc_info info;
    const size_t n = (size_t)w->p->dimension * (size_t)w->p->nc;
    const dp_fc_solution s = {.r = w->numbers, .u = w->numbers + n};
    if (dp_fc_solve(&s, w->p, NULL, &w->opt, NULL, &info) != DP_OK) {
        return false;
    }
    out->solved = info.outcome == DP_FC_OUTCOME_SOLVED;
    out->residual = info.residual.worst;
    out->outcome = dp_fc_outcome_name(info.outcome);
    return true;
}

static void profile_fc(trial *out, const dp_fc *p, const dp_fc_options *opt)
{
    fc_work w = {.p = p};
    w.numbers = calloc(2 * (size_t)p->dimension * (size_t)p->nc + 1, sizeof *w.numbers);
    for (dp_fc_method method = DP_FC_METHOD_AUTOMATIC; w.numbers && method <= DP_FC_METHOD_CONE;
         ++method) {
        w.opt = *opt;
        w.opt.method = method;
        measure(&out[method], solve_fc, &w);
    }
    free(w.numbers);
}

// ---- step problems

typedef struct step_work {
    const dp_step_problem *p;
    dp_law_options law;
    double *numbers;
    uint8_t *state;
} step_work;

static bool solve_step(void *context, trial *out)
{
    const step_work *w = context;
    dp_step_solution s = {w->numbers, w->numbers + w->p->nv, w->state};
    dp_solve_info info;
    if (dp_law_solve(&s, w->p, NULL, &w->law, NULL, &info) != DP_OK) {
        return false;
    }
    out->solved = info.outcome != DP_OUTCOME_CAPPED;
    out->residual = info.residual;
    out->outcome = dp_outcome_name(info.outcome);
    return true;
}

static void profile_step(trial *out, const dp_step_problem *p)
{
    step_work w = {.p = p};
    w.numbers = calloc((size_t)p->nv + (size_t)p->nrow + 1, sizeof *w.numbers);
    w.state = calloc((size_t)p->nrow + 1, sizeof *w.state);
    for (int k = 0; w.numbers && w.state && k < SOLVERS && solver_name[STEP][k]; ++k) {
        w.law = dp_law_options_default();
        if (dp_law_find(&w.law.law, solver_name[STEP][k]) == DP_OK) {
            measure(&out[k], solve_step, &w);
        }
    }
    free(w.numbers);
    free(w.state);
}

// ---- complementarity problems

typedef struct lcp_work {
    const dp_lcp *p;
    dp_lcp_options opt;
    double *z;
} lcp_work;

static bool solve_lcp(void *context, trial *out)
{
    const lcp_work *w = context;
    dp_lcp_info info;
    if (dp_lcp_solve(&(dp_lcp_solution){.z = w->z}, w->p, &w->opt, NULL, &info) != DP_OK) {
        return false;
    }
    out->solved = info.outcome == DP_LCP_OUTCOME_SOLVED;
    out->residual = info.residual;
    out->outcome = dp_lcp_outcome_name(info.outcome);
    return true;
}

static void profile_lcp(trial *out, const dp_lcp *p)
{
    lcp_work w = {.p = p, .opt = dp_lcp_options_default()};
    w.z = calloc((size_t)p->n + 1, sizeof *w.z);
    for (dp_lcp_method m = DP_LCP_METHOD_AUTOMATIC; w.z && m <= DP_LCP_METHOD_PIVOTING; ++m) {
        w.opt.method = m;
        measure(&out[m], solve_lcp, &w);
    }
    free(w.z);
}

// ---- files

static result *add(results *all, const char *file, kind is)
{
    if (all->count == all->capacity) {
        const size_t capacity = 2 * all->capacity + 16;
        result *more = realloc(all->item, capacity * sizeof *more);
        if (!more) {
            all->failed = true;
            return NULL;
        }
        all->item = more;
        all->capacity = capacity;
    }
    char *name = malloc(strlen(file) + 1);
    if (!name) {
        all->failed = true;
        return NULL;
    }
    memcpy(name, file, strlen(file) + 1);
    all->item[all->count] = (result){.file = name, .kind = is};
    return &all->item[all->count++];
}

static void add_fc(results *all, const char *name, const dp_fc_file *file)
{
    result *r = add(all, name, FRICTION);
    if (r) {
        profile_fc(r->trial, dp_fc_of(file), &all->fc);
    }
}

static void add_lcp(results *all, const char *name, const dp_lcp_file *file)
{
    result *r = add(all, name, COMPLEMENTARITY);
    if (r) {
        profile_lcp(r->trial, dp_lcp_of(file));
    }
}

// By the laws, and as rigid contacts by the solvers of these.
static void add_step(results *all, const char *name, const dp_problem_file *file)
{
    const dp_step_problem *p = dp_problem_of(file);
    result *r = add(all, name, STEP);
    if (r) {
        profile_step(r->trial, p);
    }
    dp_fc_file *contacts;
    int dropped;
    if (dp_fc_from_step(&contacts, &dropped, p, NULL) == DP_OK) {
        if (dp_fc_of(contacts)->nc > 0) {
            add_fc(all, name, contacts);
        }
        dp_fc_destroy(contacts);
    }
}

// What is none of our problems is passed by.
static void read_problem(results *all, const char *name, const char *path)
{
    size_t bytes = 0;
    char *text;
    if (dp_file_read(&text, &bytes, path, NULL) != DP_OK) {
        return;
    }
    const bool numbers = dp_fc_format_of(text, bytes) != DP_FC_FORMAT_NONE;
    dp_lcp_file *lcp = NULL;
    dp_fc_file *fc = NULL;
    dp_problem_file *step = NULL;
    dp_status status = DP_OK;
    if (dp_lcp_is_text(text, bytes)) {
        status = dp_lcp_parse(&lcp, text, bytes, path, NULL);
    } else if (numbers && dp_lcp_is_siconos(text, bytes)) {
        status = dp_lcp_parse_siconos(&lcp, text, bytes, path, NULL);
    } else if (numbers) {
        status = dp_fc_load(&fc, path, NULL);
    } else if (strncmp(text, "dashpot-problem", 15) == 0) {
        status = dp_problem_parse(&step, text, bytes, path, NULL);
    }
    if (status != DP_OK) {
        cli_complain("note: left out: %s", dp_last_error());
    }
    if (lcp) {
        add_lcp(all, name, lcp);
    } else if (fc) {
        add_fc(all, name, fc);
    } else if (step) {
        add_step(all, name, step);
    }
    dp_lcp_destroy(lcp);
    dp_fc_destroy(fc);
    dp_problem_destroy(step);
    free(text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **list_files(size_t *count, const char *folder)
{
    DIR *found = opendir(folder);
    if (!found) {
        cli_complain("--profile: '%s' cannot be read: %s", folder, strerror(errno));
        return NULL;
    }
    char **name = malloc(sizeof *name);
    *count = 0;
    for (const struct dirent *e = readdir(found); name && e; e = readdir(found)) {
        if (e->d_name[0] == '.') {
            continue;
        }
        char **more = realloc(name, (*count + 2) * sizeof *more);
        if (!more) {
            break;
        }
        name = more;
        const size_t bytes = strlen(e->d_name) + 1;
        char *copy = malloc(bytes);
        if (!copy) {
            break;
        }
        memcpy(copy, e->d_name, bytes);
        name[(*count)++] = copy;
    }
    closedir(found);
    if (name) {
        qsort(name, *count, sizeof *name, by_name);
    }
    return name;
}

static bool read_folder(results *all, const char *folder, bool quiet)
{
    size_t count;
    char **name = list_files(&count, folder);
    if (!name) {
        return false;
    }
    cli_progress progress = cli_progress_start(quiet);
    const double began = cli_clock();
    for (size_t k = 0; k < count; ++k) {
        const size_t bytes = strlen(folder) + strlen(name[k]) + 2;
        char *path = malloc(bytes);
        if (path) {
            snprintf(path, bytes, "%s/%s", folder, name[k]);
            read_problem(all, name[k], path);
        }
        free(path);
        free(name[k]);
        cli_progress_show(&progress, (double)(k + 1) / (double)count, cli_clock() - began);
    }
    cli_progress_end(&progress);
    free(name);
    return true;
}

// ---- profiles

static double best_of(const result *r)
{
    double best = (double)INFINITY;
    for (int s = 0; s < SOLVERS; ++s) {
        if (r->trial[s].applies && r->trial[s].solved) {
            best = fmin(best, r->trial[s].seconds);
        }
    }
    return best;
}

static int within(const results *all, kind is, int solver, double factor)
{
    int count = 0;
    for (size_t k = 0; k < all->count; ++k) {
        const trial *t = &all->item[k].trial[solver];
        count += all->item[k].kind == is && t->applies && t->solved &&
                 t->seconds <= factor * best_of(&all->item[k]) * (1.0 + 1e-12);
    }
    return count;
}

static int problems_of(const results *all, kind is, int solver)
{
    int count = 0;
    for (size_t k = 0; k < all->count; ++k) {
        count += all->item[k].kind == is && (solver < 0 || all->item[k].trial[solver].applies);
    }
    return count;
}

static double seconds_of(const results *all, kind is, int solver)
{
    double sum = 0.0;
    for (size_t k = 0; k < all->count; ++k) {
        const trial *t = &all->item[k].trial[solver];
        sum += all->item[k].kind == is && t->applies ? t->seconds : 0.0;
    }
    return sum;
}

static const double factor[] = {1.0, 2.0, 10.0, 100.0};
enum { FACTORS = sizeof factor / sizeof *factor };

static void print_tables(const results *all)
{
    static const char *const heading[] = {"solver", ">solved", ">of",    ">seconds",
                                          ">best",  ">by 2",   ">by 10", ">by 100"};
    for (kind is = FRICTION; is < KINDS; ++is) {
        const int problems = problems_of(all, is, -1);
        if (problems == 0) {
            continue;
        }
        cli_print("%d %s\n", problems, kind_name[is]);
        cli_table t = cli_table_new(8, heading);
        for (int s = 0; s < SOLVERS && solver_name[is][s]; ++s) {
            if (problems_of(all, is, s) == 0) {
                continue;
            }
            cli_cell(&t, "%s", solver_name[is][s]);
            cli_cell(&t, "%d", within(all, is, s, (double)INFINITY));
            cli_cell(&t, "%d", problems_of(all, is, s));
            cli_cell(&t, "%.4g", seconds_of(all, is, s));
            for (int f = 0; f < FACTORS; ++f) {
                cli_cell(&t, "%d", within(all, is, s, factor[f]));
            }
        }
        cli_table_print(&t);
    }
}

static void print_json(const results *all, const char *folder)
{
    cli_json j = {0};
    cli_json_open(&j, NULL);
    cli_json_text(&j, "version", dp_version());
    cli_json_text(&j, "folder", folder);
    cli_json_array(&j, "trials");
    for (size_t k = 0; k < all->count; ++k) {
        const result *r = &all->item[k];
        for (int s = 0; s < SOLVERS; ++s) {
            if (r->trial[s].applies) {
                cli_json_open(&j, NULL);
                cli_json_text(&j, "file", r->file);
                cli_json_text(&j, "kind", kind_name[r->kind]);
                cli_json_text(&j, "solver", solver_name[r->kind][s]);
                cli_json_text(&j, "outcome", r->trial[s].outcome);
                cli_json_bool(&j, "solved", r->trial[s].solved);
                cli_json_number(&j, "seconds", r->trial[s].seconds);
                cli_json_number(&j, "residual", r->trial[s].residual);
                cli_json_close(&j);
            }
        }
    }
    cli_json_end(&j);
    cli_json_close(&j);
}

static bool write_csv(const results *all, const char *path)
{
    cli_whole_file whole;
    if (!cli_whole_open(&whole, path)) {
        return false;
    }
    FILE *file = whole.file;
    fputs("file,kind,solver,outcome,solved,seconds,residual\n", file);
    for (size_t k = 0; k < all->count; ++k) {
        const result *r = &all->item[k];
        for (int s = 0; s < SOLVERS; ++s) {
            const trial *t = &r->trial[s];
            if (t->applies) {
                fprintf(file, "\"%s\",%s,%s,%s,%d,%.6g,%.6g\n", r->file, kind_name[r->kind],
                        solver_name[r->kind][s], t->outcome, t->solved, t->seconds, t->residual);
            }
        }
    }
    return cli_whole_close(&whole, true);
}

// ---- the picture

enum { POINTS = 200 };

static bool draw(const results *all, const char *path)
{
    double(*x)[POINTS] = calloc((size_t)KINDS * SOLVERS * 2, sizeof *x);
    if (!x) {
        cli_complain("out of memory");
        return false;
    }
    dp_plot_series series[KINDS][SOLVERS];
    dp_plot_panel panel[KINDS];
    int npanel = 0, at = 0;
    static const double furthest = 1e4;
    for (kind is = FRICTION; is < KINDS; ++is) {
        int count = 0;
        for (int s = 0; s < SOLVERS && solver_name[is][s]; ++s) {
            const int problems = problems_of(all, is, s);
            if (problems == 0) {
                continue;
            }
            double *a = x[at++], *b = x[at++];
            for (int k = 0; k < POINTS; ++k) {
                a[k] = pow(furthest, (double)k / (POINTS - 1));
                b[k] = (double)within(all, is, s, a[k]) / (double)problems;
            }
            const dp_plot_series curve = {
                .name = solver_name[is][s], .x = a, .y = b, .count = POINTS};
            series[is][count++] = curve;
        }
        if (count > 0) {
            const dp_plot_panel one = {
                .title = kind_name[is],
                .x = {.name = "time over that of the fastest", .unit = "1", .log = true},
                .y = {.name = "part solved", .unit = "1", .lo = 0.0, .hi = 1.05},
                .series = series[is],
                .nseries = count};
            panel[npanel++] = one;
        }
    }
    const dp_plot plot = {.title = "Performance profile", .panel = panel, .npanel = npanel};
    const dp_status status = dp_plot_write_svg(path, &plot, NULL);
    if (status != DP_OK) {
        cli_complain("--plot: %s", dp_last_error());
    }
    free(x);
    return status == DP_OK;
}

// ---- the call

static bool choose(dp_fc_options *opt, const cli_profile_options *o)
{
    *opt = dp_fc_options_default();
    for (int i = 0; i < o->settings.count; ++i) {
        char name[CLI_NAME_BYTES];
        const char *value = cli_split_assignment(name, o->settings.item[i]);
        if (!value) {
            return false;
        }
        if (dp_fc_options_set(opt, name, value) != DP_OK) {
            cli_complain("--set %s", dp_last_error());
            return false;
        }
    }
    return true;
}

int cli_profile_folder(const cli_profile_options *o)
{
    results all = {0};
    int code = CLI_USAGE;
    const cli_outputs outputs = {.csv = o->csv, .plot = o->plot};
    if (!choose(&all.fc, o) || !cli_outputs_check(&outputs, (const char *const[]){NULL}) ||
        !read_folder(&all, o->folder, o->json)) {
        goto cleanup;
    }
    if (all.failed) {
        cli_complain("out of memory");
        code = CLI_FAILED;
        goto cleanup;
    }
    if (all.count == 0) {
        cli_complain("--profile: found no problem in '%s' (expected step, complementarity or "
                     "friction-contact problems)",
                     o->folder);
        goto cleanup;
    }
    if (o->json) {
        print_json(&all, o->folder);
    } else {
        print_tables(&all);
    }
    code = CLI_OK;
    for (size_t k = 0; k < all.count; ++k) {
        code = isfinite(best_of(&all.item[k])) ? code : CLI_FAILED;
    }
    if ((o->csv && !write_csv(&all, o->csv)) || (o->plot && !draw(&all, o->plot))) {
        code = CLI_FAILED;
    }

cleanup:
    for (size_t k = 0; k < all.count; ++k) {
        free(all.item[k].file);
    }
    free(all.item);
    return code;
}
