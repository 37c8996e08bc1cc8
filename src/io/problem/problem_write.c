#include "base/output.h"
#include "io/problem/problem_text.h"
#include "problem/links/links.h"

#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/problem.h>

#include <inttypes.h>
#include <string.h>

const char *const dp_row_state_word[DP_ROW_STATES] = {"open", "active", "lo",
                                                      "hi",   "stick",  "slip"};

static void write_reals(FILE *file, const char *name, const double *x, size_t n)
{
    fprintf(file, "%s %zu", name, n);
    for (size_t i = 0; i < n; ++i) {
        fputc(' ', file);
        dp_output_number(file, x[i]);
    }
    fputc('\n', file);
}

static void write_integers(FILE *file, const char *name, const int *x, int n)
{
    fprintf(file, "%s %d", name, n);
    for (int i = 0; i < n; ++i) {
        fprintf(file, " %d", x[i]);
    }
    fputc('\n', file);
}

// n + 1 starts; without an array there is nothing to start.
static void write_starts(FILE *file, const char *name, const int *x, int n)
{
    static const int nothing = 0;
    write_integers(file, name, x ? x : &nothing, x ? n + 1 : 1);
}

static void write_ids(FILE *file, const uint64_t *id, int n)
{
    fprintf(file, "id %d", n);
    for (int i = 0; i < n; ++i) {
        fprintf(file, " %" PRIx64, id[i]);
    }
    fputc('\n', file);
}

// One number of every row.
static void write_rows(FILE *file, const char *name, const dp_row *row, int n, size_t offset)
{
    fprintf(file, "%s %d", name, n);
    for (int i = 0; i < n; ++i) {
        double x;
        memcpy(&x, (const char *)&row[i] + offset, sizeof x);
        fputc(' ', file);
        dp_output_number(file, x);
    }
    fputc('\n', file);
}

static void write_problem(FILE *file, const dp_step_problem *p)
{
    fputs("\nproblem\n", file);
    write_reals(file, "h", &p->h, 1);
    write_starts(file, "tree_start", p->tree_start, p->ntree);
    write_integers(file, "parent", p->parent, p->nv);
    write_reals(file, "Mt", p->Mt, p->nv > 0 ? p->Mt_start[p->nv] : 0);
    write_reals(file, "v0", p->v0, (size_t)p->nv);
    write_reals(file, "v_free", p->v_free, (size_t)p->nv);
    write_starts(file, "row_start", p->row_start, p->nblock);
    write_ids(file, p->id, p->nblock);
    write_starts(file, "col_start", p->col_start, p->nblock);
    write_integers(file, "col", p->col, p->nblock > 0 ? p->col_start[p->nblock] : 0);
    write_reals(file, "G", p->G, p->nblock > 0 ? p->G_start[p->nblock] : 0);
    write_rows(file, "phi", p->row, p->nrow, offsetof(dp_row, phi));
    write_rows(file, "phi_t", p->row, p->nrow, offsetof(dp_row, phi_t));
    write_rows(file, "k", p->row, p->nrow, offsetof(dp_row, k));
    write_rows(file, "b", p->row, p->nrow, offsetof(dp_row, b));
    write_rows(file, "b_ref", p->row, p->nrow, offsetof(dp_row, b_ref));
    write_rows(file, "lo", p->row, p->nrow, offsetof(dp_row, lo));
    write_rows(file, "hi", p->row, p->nrow, offsetof(dp_row, hi));
    write_rows(file, "len", p->row, p->nrow, offsetof(dp_row, len));
}

// Which blocks are contacts, and the friction of each.
static void write_friction(FILE *file, const dp_step_problem *p)
{
    int count = 0;
    for (int b = 0; p->friction_of && b < p->nblock; ++b) {
        count += p->friction_of[b] >= 0;
    }
    if (count == 0) {
        return;
    }
    const struct {
        const char *name;
        size_t offset, numbers;
    } part[] = {{"mu", offsetof(dp_friction, mu), 2},
                {"torsion", offsetof(dp_friction, torsion), 1},
                {"roll", offsetof(dp_friction, roll), 2}};
    fprintf(file, "\nfriction\nblock %d", count);
    for (int b = 0; b < p->nblock; ++b) {
        if (p->friction_of[b] >= 0) {
            fprintf(file, " %d", b);
        }
    }
    fputc('\n', file);
    for (size_t f = 0; f < sizeof part / sizeof *part; ++f) {
        fprintf(file, "%s %zu", part[f].name, (size_t)count * part[f].numbers);
        for (int b = 0; b < p->nblock; ++b) {
            if (p->friction_of[b] < 0) {
                continue;
            }
            const dp_friction *of = &p->friction[p->friction_of[b]];
            for (size_t k = 0; k < part[f].numbers; ++k) {
                double x;
                memcpy(&x, (const char *)of + part[f].offset + k * sizeof x, sizeof x);
                fputc(' ', file);
                dp_output_number(file, x);
            }
        }
        fputc('\n', file);
    }
}

static void write_normals(FILE *file, const dp_step_problem *p)
{
    int count = 0;
    for (int b = 0; p->normal && p->friction_of && b < p->nblock; ++b) {
        count += p->friction_of[b] >= 0;
    }
    if (count == 0) {
        return;
    }
    fprintf(file, "\nnormal\nkind %d", count);
    for (int b = 0; b < p->nblock; ++b) {
        if (p->friction_of[b] >= 0) {
            fprintf(file, " %d", (int)p->normal[p->friction_of[b]].kind);
        }
    }
    fprintf(file, "\ndissipation %d", count);
    for (int b = 0; b < p->nblock; ++b) {
        if (p->friction_of[b] >= 0) {
            fputc(' ', file);
            dp_output_number(file, p->normal[p->friction_of[b]].dissipation);
        }
    }
    fputc('\n', file);
}

static void write_vector(FILE *file, dp_v3 a)
{
    const double x[] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; ++i) {
        fputc(' ', file);
        dp_output_number(file, x[i]);
    }
}

static void write_links(FILE *file, const dp_step_problem *p)
{
    const dp_links *l = p->links;
    fputs("\nlinks\n", file);
    write_integers(file, "parent", l->parent, l->n);
    write_integers(file, "first", l->first, l->n + 1);
    fprintf(file, "offset %d", 3 * l->n);
    for (int i = 0; i < l->n; ++i) {
        write_vector(file, l->offset[i]);
    }
    fputc('\n', file);
    write_reals(file, "inertia", l->inertia, 10 * (size_t)l->n);
    fprintf(file, "motion %d", 6 * p->nv);
    for (int k = 0; k < p->nv; ++k) {
        write_vector(file, l->motion[k].w);
        write_vector(file, l->motion[k].v);
    }
    fputc('\n', file);
    write_reals(file, "diagonal", l->diagonal, (size_t)p->nv);
    write_integers(file, "on", l->on, p->nblock);
    fprintf(file, "along %d", 6 * p->nrow);
    for (int r = 0; r < p->nrow; ++r) {
        write_vector(file, l->along[r].t);
        write_vector(file, l->along[r].f);
    }
    fputc('\n', file);
}

static void write_warm(FILE *file, const dp_warm *warm)
{
    fputs("\nwarm\n", file);
    write_ids(file, warm->id, warm->nblock);
    write_starts(file, "row_start", warm->row_start, warm->nblock);
    const size_t nrow = warm->nblock > 0 ? (size_t)warm->row_start[warm->nblock] : 0;
    write_reals(file, "gamma", warm->gamma, nrow);
    if (warm->change) {
        write_reals(file, "change", warm->change, nrow);
    }
}

static void write_solution(FILE *file, const dp_step_solution *s, const dp_step_problem *p)
{
    fputs("\nsolution\n", file);
    write_reals(file, "v", s->v, (size_t)p->nv);
    write_reals(file, "gamma", s->gamma, (size_t)p->nrow);
    fprintf(file, "state %d", p->nrow);
    for (int i = 0; i < p->nrow; ++i) {
        fprintf(file, " %s", dp_row_state_word[s->state[i]]);
    }
    fputc('\n', file);
}

bool dp_problem_is_word(const char *text)
{
    if (!text || text[0] == '\0') {
        return false;
    }
    for (const char *c = text; *c != '\0'; ++c) {
        if ((unsigned char)*c <= ' ' || *c == 0x7f) {
            return false;
        }
    }
    return true;
}

static dp_status check_notes(const dp_problem_notes *notes)
{
    if (notes->law && !dp_problem_is_word(notes->law)) {
        return dp_fail(DP_ERROR_ARGUMENT, "law is '%s' (expected one word)", notes->law);
    }
    for (int i = 0; i < notes->noption; ++i) {
        const dp_problem_option *option = &notes->option[i];
        if (!dp_problem_is_word(option->name) || !dp_problem_is_word(option->value)) {
            return dp_fail(DP_ERROR_ARGUMENT, "option %d is '%s' = '%s' (expected one word each)",
                           i, option->name ? option->name : "", option->value ? option->value : "");
        }
    }
    return DP_OK;
}

static dp_status check_states(const dp_step_solution *s, const dp_step_problem *p)
{
    for (int i = 0; i < p->nrow; ++i) {
        if (s->state[i] > DP_ROW_STATE_SLIP) {
            return dp_fail(DP_ERROR_ARGUMENT, "state[%d] is %d (expected a dp_row_state)", i,
                           s->state[i]);
        }
    }
    return DP_OK;
}

static void write_notes(FILE *file, const dp_problem_notes *notes)
{
    const char *line = notes->comment;
    while (line && *line != '\0') {
        const size_t length = strcspn(line, "\n");
        fprintf(file, "# %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (notes->law) {
        fprintf(file, "law %s\n", notes->law);
    }
    for (int i = 0; i < notes->noption; ++i) {
        fprintf(file, "option %s %s\n", notes->option[i].name, notes->option[i].value);
    }
}

dp_status dp_problem_save(const char *path, const dp_step_problem *p, const dp_warm *warm,
                          const dp_step_solution *solution, const dp_problem_notes *notes)
{
    const bool solved = solution && (solution->v || solution->gamma);
    if (notes) {
        DP_TRY(check_notes(notes));
    }
    if (solved) {
        DP_TRY(check_states(solution, p));
    }
    const dp_allocator a = dp_allocator_default();
    dp_output out;
    DP_TRY(dp_output_open(&out, path, &a));
    fputs(DP_PROBLEM_MAGIC " " DP_PROBLEM_VERSION "\n", out.file);
    if (notes) {
        write_notes(out.file, notes);
    }
    write_problem(out.file, p);
    write_friction(out.file, p);
    write_normals(out.file, p);
    if (p->links) {
        write_links(out.file, p);
    }
    if (warm && warm->nblock > 0) {
        write_warm(out.file, warm);
    }
    if (solved) {
        write_solution(out.file, solution, p);
    }
    return dp_output_close(&out);
}

dp_status dp_lcp_save(const char *path, const dp_lcp *p, const double *z,
                      const dp_problem_notes *notes)
{
    const size_t n = (size_t)p->n;
    dp_problem_notes kept = {0};
    if (notes) {
        kept = *notes;
        kept.law = NULL; // there is one way to read them
        DP_TRY(check_notes(&kept));
    }
    const dp_allocator a = dp_allocator_default();
    dp_output out;
    DP_TRY(dp_output_open(&out, path, &a));
    fputs(DP_LCP_MAGIC " " DP_LCP_VERSION "\n", out.file);
    write_notes(out.file, &kept);
    write_reals(out.file, "M", p->M, n * n);
    write_reals(out.file, "q", p->q, n);
    const struct {
        const char *name;
        const double *value;
    } optional[] = {{"lo", p->lo}, {"hi", p->hi}, {"z", z}};
    for (size_t k = 0; k < sizeof optional / sizeof *optional; ++k) {
        if (optional[k].value) {
            write_reals(out.file, optional[k].name, optional[k].value, n);
        }
    }
    return dp_output_close(&out);
}
