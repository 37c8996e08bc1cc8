#include "test_random.h"

#include <math.h>

int random_below(random_source *r, int n)
{
    return (int)(random_bits(r) % (uint64_t)n);
}

bool random_chance(random_source *r, double probability)
{
    return random_between(r, 0.0, 1.0) < probability;
}

void random_direction(double *x, int n, random_source *r)
{
    double square;
    do { // a point of the ball, not too near to its centre, pushed out to the sphere
        square = 0.0;
        for (int i = 0; i < n; ++i) {
            x[i] = random_between(r, -1.0, 1.0);
            square += x[i] * x[i];
        }
    } while (square > 1.0 || square < 0.01);
    for (int i = 0; i < n; ++i) {
        x[i] /= sqrt(square);
    }
}
