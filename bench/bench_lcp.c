#include "bench_lcp.h"

#include "bench_clock.h"
#include "contact_dashpot.h"

#include <math.h>
#include <stdio.h>

// An island of balls on top of each other, or of feet of one body: n contacts, r + 2 variables
// each.
typedef struct island {
    const char *name;
    contact_generator *make;
    int size[6]; // ascending, 0 ends
} island;

static const island ISLANDS[] = {
    {"stack of balls", contact_stack, {1, 3, 10, 30, 100}},
    {"feet of a body", contact_feet, {4, 9, 25, 64, 100}},
};
enum { NISLAND = sizeof ISLANDS / sizeof *ISLANDS, NSIZE = 6 };

// The laws that are compared.
typedef struct law {
    const char *name;
    int directions; // 0: compliant
    dp_polyhedral_method method;
} law;

static const law LAWS[] = {
    {"compliant", 0, DP_POLYHEDRAL_METHOD_AUTOMATIC},
    {"lcp, r = 4", 4, DP_POLYHEDRAL_METHOD_AUTOMATIC},
    {"lcp, r = 8", 8, DP_POLYHEDRAL_METHOD_AUTOMATIC},
    {"lcp, r = 16", 16, DP_POLYHEDRAL_METHOD_AUTOMATIC},
    {"by Lemke, 8", 8, DP_POLYHEDRAL_METHOD_LEMKE},
};
enum { NLAW = sizeof LAWS / sizeof *LAWS };

typedef struct measured {
    double us;       // a step; NAN: not measured
    double residual; // [m/s] worst
    int fallbacks;
} measured;

// Steps from where the scene stands, until `least` seconds are spent.
static bool measure(measured *out, const dp_model *m, const law *by, double least)
{
    enum { SKIP = 3, MOST = 2000 };
    dp_data *d = NULL;
    *out = (measured){.us = (double)NAN};
    bool fine = dp_data_create(&d, m, NULL) == DP_OK;
    if (fine && by->directions > 0) {
        dp_data_options(d)->solver.law = DP_LAW_LCP;
        dp_data_options(d)->solver.lcp.directions = by->directions;
        dp_data_options(d)->solver.lcp.method = by->method;
    }
    double start = 0.0;
    int steps = 0;
    for (; fine && steps < MOST; ++steps) {
        if (steps == SKIP) {
            start = bench_cpu();
        }
        if (steps > SKIP && bench_cpu() - start > least) {
            break;
        }
        fine = dp_step(d) == DP_OK;
        if (fine) {
            out->residual = fmax(out->residual, dp_data_report(d)->certificate.normal_law);
            out->fallbacks += dp_data_report(d)->certificate.fallbacks;
        }
    }
    if (fine) {
        out->us = 1e6 * (bench_cpu() - start) / (steps - SKIP);
    } else {
        fprintf(stderr, "dashpot_bench: %s\n", dp_last_error());
    }
    dp_data_destroy(d);
    return fine;
}

static bool print_law(const island *what, const law *by, bool quick)
{
    const double longest = quick ? 2e5 : 2e6; // [us] of a step; beyond, nobody waits for the next
    double size[NSIZE], us[NSIZE], worst = 0.0;
    int n = 0, fallbacks = 0;
    printf("  %-13s", by->name);
    for (int k = 0; k < NSIZE && what->size[k] > 0; ++k) {
        contact_scene scene;
        dp_model *m = NULL;
        measured found = {.us = (double)NAN};
        const bool skip = n > 0 && (us[n - 1] > longest || (quick && k > 2));
        if (skip) {
            printf(" %9s", "");
            continue;
        }
        bool fine = what->make(&scene, what->size[k], 0.0);
        if (fine) {
            fine = contact_dashpot_model(&m, &scene) == DP_OK &&
                   measure(&found, m, by, quick ? 0.02 : 0.3);
            dp_model_destroy(m);
            contact_scene_free(&scene);
        }
        if (!fine) {
            return false;
        }
        size[n] = what->size[k];
        us[n++] = found.us;
        worst = fmax(worst, found.residual);
        fallbacks += found.fallbacks;
        printf(" %9.4g", found.us);
    }
    printf(" %8.2f %9.1e %9d\n", n > 1 ? bench_exponent(size, us, n) : (double)NAN, worst,
           fallbacks);
    return true;
}

bool bench_lcp(bool quick)
{
    for (int k = 0; k < NISLAND; ++k) {
        printf("\nOne island, %s: us per step\n  %-13s", ISLANDS[k].name, "contacts");
        for (int i = 0; i < NSIZE && ISLANDS[k].size[i] > 0; ++i) {
            printf(" %9d", ISLANDS[k].size[i]);
        }
        printf(" exponent residual fallbacks\n");
        for (int i = 0; i < NLAW; ++i) {
            if (!print_law(&ISLANDS[k], &LAWS[i], quick)) {
                return false;
            }
            fflush(stdout);
        }
    }
    return true;
}
