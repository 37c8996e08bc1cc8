#include "friction_siconos.h"

#include "bench_clock.h"

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <stdlib.h>
#include <string.h>

// Their proximal method and their Newton methods are 5 to 20 times faster with sparse matrices;
// sweeps want blocks.
const char *const friction_siconos_name[FRICTION_SICONOS] = {"Siconos PROX", "Siconos NSN_AC",
                                                             "Siconos NSGS"};
static const int ids[FRICTION_SICONOS] = {SICONOS_FRICTION_3D_PROX, SICONOS_FRICTION_3D_NSN_AC,
                                          SICONOS_FRICTION_3D_NSGS};

static NumericsMatrix *sparse(const dp_sparse *W)
{
    NumericsMatrix *M = NM_create(NM_SPARSE, W->rows, W->columns);
    NM_triplet_alloc(M, W->start[W->columns]);
    M->matrix2->origin = NSM_TRIPLET;
    for (int j = 0; j < W->columns; ++j) {
        for (int k = W->start[j]; k < W->start[j + 1]; ++k) {
            NM_entry(M, W->row[k], j, W->value[k]);
        }
    }
    return M;
}

static NumericsMatrix *blocks(const dp_sparse *W)
{
    NumericsMatrix *M = NM_create(NM_SPARSE_BLOCK, W->rows, W->columns), *S = sparse(W);
    SBM_from_csparse(3, NM_csc(S), M->matrix1);
    NM_clear(S);
    free(S);
    return M;
}

bool friction_siconos_solve(double *r, double *seconds, const dp_fc *p, int solver)
{
    const int n = 3 * p->nc;
    double *q = malloc((size_t)n * sizeof *q), *mu = malloc((size_t)p->nc * sizeof *mu);
    double *u = calloc((size_t)n, sizeof *u);
    if (!q || !mu || !u) {
        free(q);
        free(mu);
        free(u);
        return false;
    }
    memcpy(q, p->q, (size_t)n * sizeof *q);
    memcpy(mu, p->mu, (size_t)p->nc * sizeof *mu);
    memset(r, 0, (size_t)n * sizeof *r);
    NumericsMatrix *M = solver == 2 ? blocks(&p->W) : sparse(&p->W);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(3, p->nc, M, q, mu);
    SolverOptions *options = solver_options_create(ids[solver]);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-8;
    if (solver == 2) {
        options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000; // until the clock ends it
    }
    const double began = bench_cpu();
    const int info = fc3d_driver(problem, r, u, options);
    *seconds = bench_cpu() - began;
    solver_options_delete(options);
    frictionContactProblem_free(problem);
    free(u);
    return info == 0;
}
