// [AnitescuPotraStewart1998], section 2.4: "one can solve a large number of small systems, which
// will take O(n) time instead of O(n³) time".
//
// The step problem of sixteen piles of boxes that slide is put together as one mixed
// complementarity problem, (34) of [Berard2006]. Its variables fall into islands that no element of
// the matrix joins. The first 1, 2, 4, … of them are solved at once and one by one, by the same
// method. Beside the time stands the work, which no machine changes: pivots times the square of the
// variables, the elements that a pivot of Lemke's method touches.
#include "berard/mixed_step.h"
#include "common/progress.h"
#include "common/signals.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 5 };

typedef struct piles {
    cli_scene scene;
    cli_mixed_run run;
    int *island; // of each variable, by the order of their first variables
    int islands;
} piles;

// --- islands ----------------------------------------------------------------------------------

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static bool split(piles *o)
{
    const cli_mixed *m = &o->run.mixed;
    const size_t n = (size_t)m->n;
    int *parent = malloc(n * sizeof *parent);
    o->island = malloc(n * sizeof *o->island);
    if (!parent || !o->island) {
        free(parent);
        o->run.p->out_of_memory = true;
        return false;
    }
    for (int i = 0; i < m->n; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < m->n; ++i) {
        for (int j = 0; j < m->n; ++j) {
            if (m->M[(size_t)i * n + (size_t)j] != 0.0) {
                const int a = root_of(parent, i), b = root_of(parent, j);
                parent[a > b ? a : b] = a > b ? b : a;
            }
        }
    }
    o->islands = 0;
    for (int i = 0; i < m->n; ++i) {
        const int root = root_of(parent, i);
        o->island[i] = root == i ? o->islands++ : o->island[root];
    }
    free(parent);
    return true;
}

// --- solving some of it -----------------------------------------------------------------------

typedef struct part {
    int n;
    double *M, *q, *lo, *hi, *z;
    int *variable; // which of the whole
} part;

static void part_end(part *s)
{
    free(s->M);
    free(s->q);
    free(s->variable);
}

// The islands from `first` on, as one problem.
static bool part_of(part *s, const piles *o, int first, int count)
{
    const cli_mixed *m = &o->run.mixed;
    *s = (part){.variable = malloc((size_t)m->n * sizeof *s->variable)};
    if (!s->variable) {
        return false;
    }
    for (int i = 0; i < m->n; ++i) {
        if (o->island[i] >= first && o->island[i] < first + count) {
            s->variable[s->n++] = i;
        }
    }
    if (s->n == 0) {
        return false;
    }
    const size_t n = (size_t)s->n;
    s->M = malloc(n * n * sizeof *s->M);
    s->q = malloc(4 * n * sizeof *s->q);
    if (!s->M || !s->q) {
        return false;
    }
    s->lo = s->q + n;
    s->hi = s->lo + n;
    s->z = s->hi + n;
    for (size_t i = 0; i < n; ++i) {
        const size_t row = (size_t)s->variable[i];
        s->q[i] = m->q[row];
        s->lo[i] = m->lo[row];
        s->hi[i] = m->hi[row];
        for (size_t j = 0; j < n; ++j) {
            s->M[i * n + j] = m->M[row * (size_t)m->n + (size_t)s->variable[j]];
        }
    }
    return true;
}

typedef struct cost {
    int n, pivots;
    double seconds, work;
    int unsolved;
} cost;

// Solve a part; velocities go to `v` by their numbers in the whole.
static bool solve_part(cost *sum, double *v, const piles *o, int first, int count)
{
    part s;
    bool fine = part_of(&s, o, first, count);
    if (!fine) {
        o->run.p->out_of_memory = true;
    } else {
        const dp_lcp problem = {.n = s.n, .M = s.M, .q = s.q, .lo = s.lo, .hi = s.hi};
        const dp_lcp_options options = {.method = DP_LCP_METHOD_LEMKE,
                                        .tolerance = 1e-10,
                                        .threshold = 1e-8,
                                        .restarts = 4,
                                        .seed = 1};
        dp_lcp_info info;
        const double before = cli_processor_clock();
        fine = cli_paper_works(
            o->run.p, dp_lcp_solve(&(dp_lcp_solution){.z = s.z}, &problem, &options, NULL, &info));
        sum->seconds += cli_processor_clock() - before;
        if (fine) {
            sum->n += s.n;
            sum->pivots += info.pivots;
            sum->work += (double)info.pivots * s.n * s.n;
            sum->unsolved += info.outcome != DP_LCP_OUTCOME_SOLVED;
            for (int i = 0; i < s.n; ++i) {
                if (s.variable[i] < o->run.mixed.velocities) {
                    v[s.variable[i]] = s.z[i];
                }
            }
        }
    }
    part_end(&s);
    return fine;
}

// --- rows -------------------------------------------------------------------------------------

typedef struct curves {
    cli_curve *seconds[2], *work[2], *slope[2];
} curves;

static bool tell_size(const piles *o, int count, curves *c)
{
    cli_paper *p = o->run.p;
    const int nv = o->run.mixed.velocities;
    double *v[2] = {calloc((size_t)nv, sizeof **v), calloc((size_t)nv, sizeof **v)};
    cost at_once = {0}, one_by_one = {0};
    bool fine = v[0] && v[1] && solve_part(&at_once, v[0], o, 0, count);
    for (int i = 0; i < count && fine; ++i) {
        fine = solve_part(&one_by_one, v[1], o, i, 1);
    }
    double off = 0.0;
    for (int i = 0; i < nv && fine; ++i) {
        off = fmax(off, fabs(v[0][i] - v[1][i]));
    }
    free(v[0]);
    free(v[1]);
    if (!fine) {
        return false;
    }
    char of[32];
    snprintf(of, sizeof of, "%d %s", count, count == 1 ? "island" : "islands");
    cli_paper_tell(p, of, "variables at once", "1", NAN, at_once.n, "%s", "");
    cli_paper_tell(p, of, "pivots at once", "1", NAN, at_once.pivots, "%s", "");
    cli_paper_tell(p, of, "pivots one by one", "1", NAN, one_by_one.pivots, "%s", "");
    cli_paper_tell(p, of, "work at once over one by one", "1", NAN, at_once.work / one_by_one.work,
                   "pivots times the square of the variables");
    cli_paper_tell(p, of, "time at once", "s", NAN, at_once.seconds, "of this machine");
    cli_paper_tell(p, of, "time one by one", "s", NAN, one_by_one.seconds, "of this machine");
    cli_paper_tell(p, of, "largest difference of a velocity", "m/s", NAN, off,
                   "where corners are redundant Coulomb's law has several solutions, and paths end "
                   "in one or another");
    cli_paper_tell(p, of, "not solved", "1", NAN, at_once.unsolved + one_by_one.unsolved, "%s", "");
    const cost *both[2] = {&at_once, &one_by_one};
    for (int i = 0; i < 2; ++i) {
        cli_curve_add(p, c->seconds[i], at_once.n, both[i]->seconds);
        cli_curve_add(p, c->work[i], at_once.n, both[i]->work);
    }
    return true;
}

static double exponent(const cli_curve *c)
{
    const size_t n = c->count;
    return n < 2 ? NAN : log(c->y[n - 1] / c->y[n - 2]) / log(c->x[n - 1] / c->x[n - 2]);
}

static void tell_exponents(cli_paper *p, const curves *c)
{
    static const char *const of[2] = {"at once", "one by one"};
    for (int i = 0; i < 2; ++i) {
        cli_paper_tell(p, of[i], "exponent of the work in n", "1", i == 0 ? 3.0 : 1.0,
                       exponent(c->work[i]),
                       i == 0 ? "from the last doubling. The paper's is that of linear equations; "
                                "Lemke's method takes about n pivots of n² each"
                              : "from the last doubling");
        cli_paper_tell(p, of[i], "exponent of the time in n", "1", i == 0 ? 3.0 : 1.0,
                       exponent(c->seconds[i]), "from the last doubling, of this machine");
    }
}

static bool read_piles(piles *o, cli_paper *p)
{
    *o = (piles){.run = {.p = p, .directions = 4}};
    if (!cli_paper_open(&o->scene, p, NAN)) {
        return false;
    }
    const dp_model *m = o->scene.model;
    if (dp_model_sizes(m)->ntouch == 0 || dp_model_sizes(m)->nv % 6 != 0 ||
        dp_model_sizes(m)->nv == 0) {
        return cli_paper_refuse(p, "free bodies that touch");
    }
    if (!cli_paper_works(p, cli_data_create(&o->run.data, m))) {
        return false;
    }
    double *v = dp_data_v(o->run.data);
    for (int i = 0; i < dp_model_sizes(m)->nv; i += 6) { // every body slides its own way
        v[i] = 0.5 + 0.1 * (i % 5);
        v[i + 1] = 0.2 * (i % 4) - 0.3;
    }
    if (!cli_mixed_run_build(&o->run, CLI_WITH_GAPS) || !split(o)) {
        return false;
    }
    return o->islands > 1 || cli_paper_refuse(p, "bodies that do not all touch each other");
}

static bool draw(cli_paper *p, curves *c)
{
    const double first = c->work[0]->x[0], last = c->work[0]->x[c->work[0]->count - 1];
    const double y = 0.5 * c->work[0]->y[0];
    cli_curve_add(p, c->slope[0], first, y);
    cli_curve_add(p, c->slope[0], last, y * pow(last / first, 3.0));
    cli_curve_add(p, c->slope[1], first, y);
    cli_curve_add(p, c->slope[1], last, y * last / first);
    const dp_plot_axis n = {.name = "variables n", .unit = "1", .log = true};
    const dp_plot_series works[] = {
        cli_curve_series(c->slope[0], "slopes 3 and 1", DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->slope[1], NULL, DP_PLOT_STYLE_REFERENCE, 0),
        cli_curve_series(c->work[0], "at once", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(c->work[1], "one by one", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_series times[] = {
        cli_curve_series(c->seconds[0], "at once", DP_PLOT_STYLE_MARKED, 2),
        cli_curve_series(c->seconds[1], "one by one", DP_PLOT_STYLE_MARKED, 1)};
    const dp_plot_panel panel[] = {
        {"pivots times n²", n, {.name = "work", .unit = "1", .log = true}, works, 4},
        {"time", n, {.name = "time", .unit = "s", .log = true}, times, 2},
    };
    const dp_plot plot = {"Islands at once and one by one", panel, 2, 2};
    return cli_paper_draw(p, &plot);
}

bool cli_paper_islands(cli_paper *p)
{
    static const int counts[SIZES] = {1, 2, 4, 8, 16};
    piles o;
    curves c;
    for (int i = 0; i < 2; ++i) {
        c.seconds[i] = cli_paper_curve(p);
        c.work[i] = cli_paper_curve(p);
        c.slope[i] = cli_paper_curve(p);
    }
    bool fine = read_piles(&o, p);
    if (fine) {
        cli_paper_tell(p, "the scene", "islands", "1", NAN, o.islands,
                       "parts of the matrix that no element joins");
        cli_paper_tell(p, "the scene", "variables", "1", NAN, o.run.mixed.n,
                       "velocities, normal impulses, impulses along four directions, slip speeds");
    }
    for (int i = 0; i < (p->quick ? SIZES - 2 : SIZES) && fine && counts[i] <= o.islands; ++i) {
        fine = tell_size(&o, counts[i], &c);
    }
    if (fine) {
        tell_exponents(p, &c);
    }
    fine = fine && draw(p, &c);
    dp_data *data = o.run.data;
    cli_mixed_run_end(&o.run);
    free(o.island);
    dp_data_destroy(data);
    cli_scene_destroy(&o.scene);
    return fine;
}
