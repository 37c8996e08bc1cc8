// MuJoCo's side of robots.py: what is in a scene, and the CPU time of its steps, as one JSON line.
//   robots_mujoco SCENE.xml                  sizes, floor, lowest point; and writes SCENE.mjb
//   robots_mujoco SCENE.mjb KEY STEPS RUNS   a measurement; KEY −1: the start of the file
// For load_models.py:
//   robots_mujoco --bodies FILE              how many bodies it has beside the world
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool collides(const mjModel *m, int geom)
{
    return m->geom_contype[geom] || m->geom_conaffinity[geom];
}

// [m] Lowest point of bounding boxes of moving geoms that may touch something.
static double lowest_point(const mjModel *m, const mjData *d)
{
    double lowest = INFINITY;
    for (int g = 0; g < m->ngeom; ++g) {
        const double *box = m->geom_aabb + 6 * g, *R = d->geom_xmat + 9 * g;
        if (collides(m, g) && m->body_weldid[m->geom_bodyid[g]] != 0) {
            double z = d->geom_xpos[3 * g + 2];
            for (int k = 0; k < 3; ++k) {
                z += R[6 + k] * box[k] - fabs(R[6 + k]) * box[3 + k];
            }
            lowest = fmin(lowest, z);
        }
    }
    return lowest;
}

static int floors(const mjModel *m)
{
    int count = 0;
    for (int g = 0; g < m->ngeom; ++g) {
        const int type = m->geom_type[g];
        count += collides(m, g) && m->body_weldid[m->geom_bodyid[g]] == 0 &&
                 (type == mjGEOM_PLANE || type == mjGEOM_HFIELD);
    }
    return count;
}

static int free_joints(const mjModel *m, int *height) // and where in qpos the last one's height is
{
    int count = 0;
    for (int j = 0; j < m->njnt; ++j) {
        if (m->jnt_type[j] == mjJNT_FREE) {
            *height = m->jnt_qposadr[j] + 2;
            ++count;
        }
    }
    return count;
}

static int servos(const mjModel *m)
{
    int count = 0;
    for (int a = 0; a < m->nu; ++a) {
        count +=
            m->actuator_biastype[a] == mjBIAS_AFFINE && m->actuator_biasprm[mjNBIAS * a + 1] != 0.0;
    }
    return count;
}

static void start(const mjModel *m, mjData *d, int key)
{
    if (key >= 0 && key < m->nkey) {
        mj_resetDataKeyframe(m, d, key);
    } else {
        mj_resetData(m, d);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// [s] CPU time of a step: the median of the runs. The first one, which is not timed, looks on.
static void measure(const mjModel *m, mjData *d, int key, int steps, int runs)
{
    double *seconds = malloc((size_t)runs * sizeof *seconds);
    double kinetic = 0.0, contacts = 0.0, rows = 0.0;
    int most = 0;
    for (int r = -1; r < runs; ++r) {
        start(m, d, key);
        const clock_t begin = clock();
        for (int i = 0; i < steps; ++i) {
            mj_step(m, d);
            if (r < 0) {
                most = d->ncon > most ? d->ncon : most;
                contacts += (double)d->ncon / steps;
                rows += (double)d->nefc / steps;
                mj_energyVel(m, d);
                kinetic = fmax(kinetic, d->energy[1]);
            }
        }
        if (r >= 0) {
            seconds[r] = (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
        }
    }
    qsort(seconds, (size_t)runs, sizeof *seconds, ascending);
    printf(", \"seconds\": %.9g, \"contacts\": %.4g, \"most_contacts\": %d, \"rows\": %.4g, "
           "\"kinetic\": %.4g, \"unstable\": %d",
           seconds[runs / 2], contacts, most, rows, kinetic,
           d->warning[mjWARN_BADQACC].number + d->warning[mjWARN_BADQVEL].number +
               d->warning[mjWARN_BADQPOS].number);
    free(seconds);
}

static void print_facts(const mjModel *m, const mjData *d)
{
    int height = -1;
    const int nfree = free_joints(m, &height);
    const double lowest = lowest_point(m, d);
    printf(", \"floors\": %d, \"free\": %d, \"height\": %d, \"servos\": %d", floors(m), nfree,
           height, servos(m));
    if (isfinite(lowest)) {
        printf(", \"lowest\": %.9g", lowest);
    }
    for (int i = 0; i < m->nq; ++i) {
        printf("%s%.17g", i ? ", " : ", \"qpos\": [", d->qpos[i]);
    }
    printf("]");
}

static mjModel *load(const char *path, char *error, int size)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".mjb") == 0 ? mj_loadModel(path, NULL)
                                           : mj_loadXML(path, NULL, error, size);
}

static void save(const mjModel *m, const char *path)
{
    char binary[4096];
    snprintf(binary, sizeof binary, "%.*s.mjb", (int)strlen(path) - 4, path);
    mj_saveModel(m, binary, NULL, 0);
}

static int print_bodies(const char *path)
{
    char error[1000] = "";
    mjModel *m = load(path, error, sizeof error);
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    printf("{\"bodies\": %d}\n", (int)m->nbody - 1);
    mj_deleteModel(m);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--bodies") == 0) {
        return print_bodies(argv[2]);
    }
    if (argc != 2 && argc != 5) {
        fprintf(stderr, "usage: robots_mujoco SCENE [KEY STEPS RUNS] | --bodies FILE\n");
        return 2;
    }
    char error[1000] = "";
    mjModel *m = load(argv[1], error, sizeof error);
    mjData *d = m ? mj_makeData(m) : NULL;
    if (!d) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    start(m, d, argc == 5 ? atoi(argv[2]) : 0);
    mj_forward(m, d);
    printf("{\"nv\": %d, \"step\": %.9g", (int)m->nv, m->opt.timestep);
    if (argc == 5) {
        measure(m, d, atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    } else {
        print_facts(m, d);
        save(m, argv[1]);
    }
    puts("}");
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
