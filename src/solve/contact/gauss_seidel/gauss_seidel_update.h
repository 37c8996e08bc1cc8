// Updates of eight points at once. What is in here is compiled twice (base/simd_dispatch.h), and so
// the file has no guard: gauss_seidel_simd.c says what these are before it includes it.
//
//     EIGHT, EIGHT_(add), …    eight numbers, and what is done with them
//     UPDATE(name)              the names of the functions
//     UPDATE_FOR                the processors that they are for

// Velocities of one body of each of eight points.
UPDATE_FOR DP_INLINE void UPDATE(load_bodies)(EIGHT z[DP_FREE_BODY], const float *from,
                                              const int *body)
{
    const float *at[DP_AT_ONCE];
    for (int i = 0; i < DP_AT_ONCE; ++i) {
        at[i] = from + body[i];
    }
    for (int i = 0; i < 4; ++i) {
        z[i] = EIGHT_(load_fours)(at[i], at[i + 4]);
    }
    z[4] = EIGHT_(load_twos)(at[0] + 4, at[1] + 4, at[4] + 4, at[5] + 4);
    z[5] = EIGHT_(load_twos)(at[2] + 4, at[3] + 4, at[6] + 4, at[7] + 4);
    EIGHT_(transpose)(z);
    EIGHT_(split)(z + 4);
}

UPDATE_FOR DP_INLINE void UPDATE(store_bodies)(float *to, const int *body, EIGHT z[DP_FREE_BODY])
{
    float *at[DP_AT_ONCE];
    for (int i = 0; i < DP_AT_ONCE; ++i) {
        at[i] = to + body[i];
    }
    EIGHT_(transpose)(z);
    EIGHT_(join)(z + 4);
    for (int i = 0; i < 4; ++i) {
        EIGHT_(store_fours)(at[i], at[i + 4], z[i]);
    }
    EIGHT_(store_twos)(at[0] + 4, at[1] + 4, at[4] + 4, at[5] + 4, z[4]);
    EIGHT_(store_twos)(at[2] + 4, at[3] + 4, at[6] + 4, at[7] + 4, z[5]);
}

UPDATE_FOR DP_INLINE EIGHT UPDATE(sum_of_three)(float y[][DP_AT_ONCE], const EIGHT *z)
{
    const EIGHT two = EIGHT_(madd)(EIGHT_(mul)(EIGHT_(load)(y[0]), z[0]), EIGHT_(load)(y[1]), z[1]);
    return EIGHT_(madd)(two, EIGHT_(load)(y[2]), z[2]);
}

UPDATE_FOR DP_INLINE EIGHT UPDATE(velocity_of)(float y[][DP_FREE_BODY][DP_AT_ONCE],
                                               EIGHT z[][DP_FREE_BODY])
{
    const EIGHT one =
        EIGHT_(add)(UPDATE(sum_of_three)(y[0], z[0]), UPDATE(sum_of_three)(y[0] + 3, z[0] + 3));
    const EIGHT other =
        EIGHT_(add)(UPDATE(sum_of_three)(y[1], z[1]), UPDATE(sum_of_three)(y[1] + 3, z[1] + 3));
    return EIGHT_(add)(one, other);
}

// z += y of three rows, times what their impulses change by
UPDATE_FOR DP_INLINE void UPDATE(push)(EIGHT z[][DP_FREE_BODY], dp_points *p, const EIGHT *went)
{
    for (int m = 0; m < 2; ++m) {
        for (int k = 0; k < DP_FREE_BODY; ++k) {
            const EIGHT across = EIGHT_(madd)(EIGHT_(mul)(EIGHT_(load)(p->y[1][m][k]), went[1]),
                                              EIGHT_(load)(p->y[2][m][k]), went[2]);
            z[m][k] =
                EIGHT_(add)(EIGHT_(madd)(z[m][k], EIGHT_(load)(p->y[0][m][k]), went[0]), across);
        }
    }
}

// What the law makes of velocities: slack of the normal as in dp_soft_slack, and creep.
UPDATE_FOR DP_INLINE void UPDATE(take_slack)(EIGHT slack[3], dp_points *p, const EIGHT *change,
                                             EIGHT z[][DP_FREE_BODY])
{
    for (int i = 0; i < 3; ++i) {
        EIGHT asked = EIGHT_(madd)(EIGHT_(load)(p->off[i]), EIGHT_(load)(p->R[i]), change[i]);
        if (i == 0) {
            asked = EIGHT_(max)(asked, EIGHT_(load)(p->stop));
        }
        slack[i] = EIGHT_(add)(UPDATE(velocity_of)(p->y[i], z), asked);
    }
}

// Where friction goes from x: no further than to its disc.
UPDATE_FOR DP_INLINE void UPDATE(slide)(EIGHT *went, const EIGHT *x, const EIGHT *creep,
                                        EIGHT radius)
{
    const EIGHT held[2] = {EIGHT_(sub)(x[0], creep[0]), EIGHT_(sub)(x[1], creep[1])};
    const EIGHT square = EIGHT_(madd)(EIGHT_(mul)(held[0], held[0]), held[1], held[1]);
    const EIGHT shrink = EIGHT_(div)(radius, EIGHT_(sqrt)(square));
    for (int i = 0; i < 2; ++i) {
        went[i] = EIGHT_(where)(square, EIGHT_(mul)(radius, radius),
                                EIGHT_(sub)(EIGHT_(all)(0.0F), creep[i]),
                                EIGHT_(sub)(EIGHT_(mul)(held[i], shrink), x[i]));
    }
}

// Velocities across are found together with that along the normal, before it changes, so that
// nothing waits for it. @param on how far impulses go on before they are updated, of `turn`.
// @param by how far an update takes them. @param agrees turn · went so far
UPDATE_FOR DP_INLINE EIGHT UPDATE(visit)(float *to, dp_points *p, EIGHT on, EIGHT by, EIGHT agrees)
{
    EIGHT x[3], turn[3], change[3], slack[3], went[3], z[2][DP_FREE_BODY];
    for (int i = 0; i < 3; ++i) {
        const EIGHT more = EIGHT_(mul)(on, EIGHT_(load)(p->turn[i]));
        turn[i] = EIGHT_(add)(more, EIGHT_(load)(p->went[i]));
        x[i] = EIGHT_(add)(EIGHT_(load)(p->x[i]), more);
        change[i] = EIGHT_(add)(EIGHT_(load)(p->change[i]), more);
        EIGHT_(store)(p->turn[i], turn[i]);
    }
    UPDATE(load_bodies)(z[0], to, p->body[0]);
    UPDATE(load_bodies)(z[1], to, p->body[1]);
    UPDATE(take_slack)(slack, p, change, z);
    const EIGHT less = EIGHT_(min)(EIGHT_(mul)(by, slack[0]), x[0]);
    went[0] = EIGHT_(sub)(EIGHT_(all)(0.0F), less);
    for (int i = 1; i < 3; ++i) {
        slack[i] = EIGHT_(mul)(by, EIGHT_(madd)(slack[i], EIGHT_(load)(p->beside[i - 1]), went[0]));
    }
    UPDATE(slide)
    (went + 1, x + 1, slack + 1, EIGHT_(mul)(EIGHT_(load)(p->reach), EIGHT_(sub)(x[0], less)));
    UPDATE(push)(z, p, went);
    UPDATE(store_bodies)(to, p->body[0], z[0]);
    UPDATE(store_bodies)(to, p->body[1], z[1]);
    for (int i = 0; i < 3; ++i) {
        EIGHT_(store)(p->x[i], EIGHT_(add)(x[i], went[i]));
        EIGHT_(store)(p->change[i], EIGHT_(add)(change[i], went[i]));
        EIGHT_(store)(p->went[i], went[i]);
        agrees = EIGHT_(madd)(agrees, went[i], turn[i]);
    }
    return agrees;
}

// Velocities go on as impulses do.
UPDATE_FOR DP_INLINE void UPDATE(go_on)(const motion *of, EIGHT on)
{
    for (int i = 0; i < of->n; i += DP_AT_ONCE) {
        const EIGHT more = EIGHT_(mul)(on, EIGHT_(load)(of->drift + i));
        const EIGHT z = EIGHT_(load)(of->z + i);
        const EIGHT went = EIGHT_(sub)(z, EIGHT_(load)(of->before + i));
        const EIGHT next = EIGHT_(add)(z, more);
        EIGHT_(store)(of->drift + i, EIGHT_(add)(more, went));
        EIGHT_(store)(of->z + i, next);
        EIGHT_(store)(of->before + i, next);
    }
}

// @return whether it goes the way that the last ones went
UPDATE_FOR static bool UPDATE(iterate)(const dp_coulomb *c, const motion *of, const momentum *at,
                                       bool forwards)
{
    const int n = c->gs.npoints, way = forwards ? 1 : -1;
    const EIGHT on = EIGHT_(all)((float)at->on), by = EIGHT_(all)((float)at->by);
    dp_points *points = c->gs.points + (forwards ? 0 : n - 1);
    EIGHT agrees = EIGHT_(all)(0.0F);
    UPDATE(go_on)(of, on);
    for (int k = 0; k < n; ++k, points += way) {
        agrees = UPDATE(visit)(of->z, points, on, by, agrees);
    }
    float part[DP_AT_ONCE];
    EIGHT_(store)(part, agrees);
    float sum = 0.0F;
    for (int k = 0; k < DP_AT_ONCE; ++k) {
        sum += part[k];
    }
    return sum > 0.0F;
}

// As dp_coulomb_residual has it, of eight points: are they no more than enough?
UPDATE_FOR DP_INLINE bool UPDATE(is_within)(const float *from, dp_points *p)
{
    EIGHT x[3], change[3], slack[3], went[2], z[2][DP_FREE_BODY];
    for (int i = 0; i < 3; ++i) {
        x[i] = EIGHT_(load)(p->x[i]);
        change[i] = EIGHT_(load)(p->change[i]);
    }
    UPDATE(load_bodies)(z[0], from, p->body[0]);
    UPDATE(load_bodies)(z[1], from, p->body[1]);
    UPDATE(take_slack)(slack, p, change, z);
    const EIGHT normal = EIGHT_(min)(slack[0], x[0]);
    UPDATE(slide)(went, x + 1, slack + 1, EIGHT_(mul)(EIGHT_(load)(p->reach), x[0]));
    return EIGHT_(are_within)(EIGHT_(mul)(normal, normal), EIGHT_(load)(p->enough[0])) &&
           EIGHT_(are_within)(EIGHT_(madd)(EIGHT_(mul)(went[0], went[0]), went[1], went[1]),
                              EIGHT_(load)(p->enough[1]));
}

// Are all? @param worst where to begin, since it was not; where that ends
UPDATE_FOR static bool UPDATE(are_within)(const dp_coulomb *c, const motion *of, int *worst)
{
    for (int k = 0; k < c->gs.npoints; ++k) {
        if (!UPDATE(is_within)(of->z, &c->gs.points[*worst])) {
            return false;
        }
        *worst = *worst + 1 < c->gs.npoints ? *worst + 1 : 0;
    }
    return true;
}
