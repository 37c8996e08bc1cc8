#include "assemble/block.h"

#include "base/simd_dispatch.h"
#include "math/f64x2.h"

#include <math.h>
#include <string.h>

#ifdef DP_AVX2
#include <immintrin.h>
#endif

void dp_block_open(dp_rows *rows, int nrow)
{
    DP_ASSERT(rows->ntouched == 0 && nrow <= DP_BLOCK_ROWS);
    rows->open_rows = nrow;
}

static double *touch(dp_rows *rows, int dof)
{
    if (!rows->is_touched[dof]) {
        rows->is_touched[dof] = 1;
        rows->touched[rows->ntouched++] = dof;
    }
    return rows->gradient + dof;
}

void dp_block_add(dp_rows *rows, int row, int dof, double value)
{
    touch(rows, dof)[(size_t)row * (size_t)rows->nv] += value;
}

void dp_block_add_sparse(dp_rows *rows, int row, double scale, int count, const int *dof,
                         const double *value)
{
    for (int i = 0; i < count; ++i) {
        dp_block_add(rows, row, dof[i], scale * value[i]);
    }
}

int dp_last_dof(const dp_model *m, int body)
{
    while (body > 0 && m->body[body].ndof == 0) {
        body = m->body[body].parent;
    }
    return body > 0 ? m->body[body].dof_start + m->body[body].ndof - 1 : -1;
}

// Degrees of freedom on the way from one to the root: its row of M holds them all.
static int count_chain(const dp_model *m, int dof)
{
    return dof < 0 ? 0 : (int)(m->dof_packed[dof + 1] - m->dof_packed[dof]);
}

static double size_of(dp_v3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z);
}

// The unit motion of a degree of freedom at a point that it moves. @param size of its terms
static dp_v3 motion_at(double *size, const dp_kin *kin, const dp_model *m, int dof, dp_v3 point)
{
    const dp_v3 arm = dp_v3_sub(point, kin->link[m->dof_body[dof]].X.p);
    *size = size_of(kin->S[dof].v) + size_of(kin->S[dof].w) * size_of(arm);
    return dp_twist_shift(kin->S[dof], arm).v;
}

static const double ROUND_OFF = 1e-14;

// What is left where terms of this size cancel is round-off of the chain, and no gradient: a row
// must not find a lever in it.
static double gradient_of(double rate, double size)
{
    return fabs(rate) > ROUND_OFF * size ? rate : 0.0;
}

// @param direction n, of about unit length
static void add_dots(dp_rows *rows, int first, int n, const dp_v3 *direction, int dof, dp_v3 x,
                     double size)
{
    const size_t nv = (size_t)rows->nv;
    double *gradient = touch(rows, dof) + (size_t)first * nv;
    if (!direction) {
        gradient[0] += gradient_of(x.x, size);
        gradient[nv] += gradient_of(x.y, size);
        gradient[2 * nv] += gradient_of(x.z, size);
        return;
    }
    for (int i = 0; i < n; ++i) {
        gradient[(size_t)i * nv] += gradient_of(dp_v3_dot(direction[i], x), size);
    }
}

// Both walks go down the chains of the two bodies, always on the side of the higher number, until
// the chains meet: columns come in descending order, and from there on everything moves both.

void dp_block_add_points(dp_rows *rows, int first, int n, const dp_v3 *direction,
                         const dp_two_points *at, const dp_kin *kin, const dp_model *m)
{
    int dof[2] = {dp_last_dof(m, at->body[0]), dp_last_dof(m, at->body[1])};
    while (dof[0] != dof[1]) {
        const int side = dof[1] > dof[0];
        double size;
        const dp_v3 v = motion_at(&size, kin, m, dof[side], at->point[side]);
        add_dots(rows, first, n, direction, dof[side], side ? v : dp_v3_scale(v, -1.0), size);
        dof[side] = m->dof_parent[dof[side]];
    }
    const dp_v3 gap = dp_v3_sub(at->point[1], at->point[0]);
    const double size = size_of(at->point[0]);
    for (int k = dof[0]; k >= 0; k = m->dof_parent[k]) { // v₁ − v₀ = ω × gap
        add_dots(rows, first, n, direction, k, dp_v3_cross(kin->S[k].w, gap), size);
    }
}

void dp_block_add_turns(dp_rows *rows, int first, int n, const dp_v3 *direction, const int body[2],
                        const dp_kin *kin, const dp_model *m)
{
    int dof[2] = {dp_last_dof(m, body[0]), dp_last_dof(m, body[1])};
    while (dof[0] != dof[1]) {
        const int side = dof[1] > dof[0];
        const dp_v3 w = kin->S[dof[side]].w;
        add_dots(rows, first, n, direction, dof[side], side ? w : dp_v3_scale(w, -1.0), 1.0);
        dof[side] = m->dof_parent[dof[side]];
    }
}

static void reverse(int *x, int n)
{
    for (int i = 0, j = n - 1; i < j; ++i, --j) {
        const int swap = x[i];
        x[i] = x[j];
        x[j] = swap;
    }
}

static void sift_down(int *x, int i, int n)
{
    const int value = x[i];
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && x[child + 1] > x[child];
        if (x[child] <= value) {
            break;
        }
        x[i] = x[child];
        i = child;
    }
    x[i] = value;
}

// Ascending. What chains and sparse gradients give is sorted one way or the other; only sums of
// several of them need a real sort.
static void sort(int *x, int n)
{
    if (n > 1 && x[0] > x[n - 1]) {
        reverse(x, n);
    }
    int sorted = 1;
    while (sorted < n && x[sorted - 1] < x[sorted]) {
        ++sorted;
    }
    if (sorted >= n) {
        return;
    }
    for (int i = n / 2 - 1; i >= 0; --i) {
        sift_down(x, i, n);
    }
    for (int end = n - 1; end > 0; --end) {
        const int largest = x[0];
        x[0] = x[end];
        x[end] = largest;
        sift_down(x, 0, end);
    }
}

// Room for a block of nrow rows over the columns that were touched, ascending; the scratch of the
// columns is then free. @return the number of columns; 0: it is left out
static int begin_close(dp_rows *rows, int nrow)
{
    const int ncol = rows->ntouched, b = rows->nblock;
    rows->ntouched = 0;
    rows->open_rows = 0;
    if (ncol == 0) {
        return 0;
    }
    dp_block_place(rows, nrow, ncol);
    sort(rows->touched, ncol);
    int *col = rows->col + rows->col_start[b];
    for (int j = 0; j < ncol; ++j) {
        col[j] = rows->touched[j];
        rows->is_touched[col[j]] = 0;
    }
    return ncol;
}

static void clear_rows(dp_row *row, int n)
{
    for (int i = 0; i < n; ++i) {
        row[i] = (dp_row){.k = INFINITY, .lo = -INFINITY, .hi = INFINITY, .len = 1.0};
    }
}

static dp_row *end_close(dp_rows *rows, dp_row_owner owner, int nrow)
{
    dp_row *row = rows->row + rows->nrow;
    clear_rows(row, nrow);
    rows->id[rows->nblock] = dp_row_id((dp_row_source)owner.source, owner.element, owner.feature);
    rows->owner[rows->nblock++] = owner;
    rows->nrow += nrow;
    return row;
}

dp_row *dp_block_close(dp_rows *rows, dp_row_owner owner)
{
    const int nrow = rows->open_rows, ncol = begin_close(rows, nrow);
    if (ncol == 0) {
        return NULL;
    }
    const int *col = rows->col + rows->col_start[rows->nblock];
    double *G = rows->G + rows->G_start[rows->nblock];
    for (int i = 0; i < nrow; ++i) {
        double *gradient = rows->gradient + (size_t)i * (size_t)rows->nv;
        for (int j = 0; j < ncol; ++j) {
            *G++ = gradient[col[j]];
            gradient[col[j]] = 0.0;
        }
    }
    return end_close(rows, owner, nrow);
}

// How a body that floats freely moves a point, and whatever is welded to it, in closed form:
// velocities along the axes of the world, then turns about its own, d · (R_k × arm) = (Rᵀ arm × Rᵀ
// d)_k.
static inline void write_free(double *restrict G, int ncol, int nrow, const dp_v3 *way,
                              const dp_v3 *seen, dp_v3 point, const dp_link *link)
{
    const dp_v3 arm = dp_v3_sub(point, link->X.p), own = dp_m3_apply_transposed(&link->R, arm);
    const double reach = ROUND_OFF * size_of(arm);
    const dp_f64x2 least = dp_f64x2_both(reach), yz = dp_f64x2_of(own.y, own.z),
                   zx = dp_f64x2_of(own.z, own.x);
    for (int i = 0; i < nrow; ++i, G += ncol) {
        const dp_v3 d = seen[i];
        const dp_f64x2 turn = dp_f64x2_sub(dp_f64x2_mul(yz, dp_f64x2_of(d.z, d.x)),
                                           dp_f64x2_mul(zx, dp_f64x2_of(d.y, d.z)));
        const double last = own.x * d.y - own.y * d.x;
        dp_v3_store(G, way[i]);
        dp_f64x2_store(G + 3, dp_f64x2_beyond(turn, least));
        G[5] = fabs(last) > reach ? last : 0.0;
    }
}

// A vector for each of two points, component by component.
typedef struct two_v3 {
    dp_f64x2 x, y, z;
} two_v3;

static inline two_v3 beside(dp_v3 a, dp_v3 b)
{
    return (two_v3){dp_f64x2_of(a.x, b.x), dp_f64x2_of(a.y, b.y), dp_f64x2_of(a.z, b.z)};
}

static inline dp_v3 first_of(two_v3 v)
{
    return (dp_v3){dp_f64x2_first(v.x), dp_f64x2_first(v.y), dp_f64x2_first(v.z)};
}

static inline dp_v3 second_of(two_v3 v)
{
    return (dp_v3){dp_f64x2_second(v.x), dp_f64x2_second(v.y), dp_f64x2_second(v.z)};
}

// a·x + b·y + c·z
static inline dp_f64x2 mix(const two_v3 *by, two_v3 v)
{
    const dp_f64x2 first = dp_f64x2_madd(dp_f64x2_mul(by->x, v.x), by->y, v.y);
    return dp_f64x2_madd(first, by->z, v.z);
}

// What many points of a body have in common, twice beside itself.
typedef struct free_body {
    two_v3 origin, axis[3], seen[3];
} free_body;

static free_body look_at_free(const dp_link *link, const dp_v3 *seen)
{
    free_body is = {.origin = beside(link->X.p, link->X.p)};
    for (int k = 0; k < 3; ++k) {
        const dp_v3 axis = dp_m3_column(&link->R, k);
        is.axis[k] = beside(axis, axis);
        is.seen[k] = beside(seen[k], seen[k]);
    }
    return is;
}

// write_free for two points and three rows: the same operations, hence the same bits.
static inline void write_free_two(double *G, double *H, int ncol, const free_body *is,
                                  const dp_v3 *way, dp_v3 p, dp_v3 q)
{
    const two_v3 point = beside(p, q);
    const two_v3 arm = {dp_f64x2_sub(point.x, is->origin.x), dp_f64x2_sub(point.y, is->origin.y),
                        dp_f64x2_sub(point.z, is->origin.z)};
    const two_v3 own = {mix(&is->axis[0], arm), mix(&is->axis[1], arm), mix(&is->axis[2], arm)};
    const dp_f64x2 size =
        dp_f64x2_add(dp_f64x2_add(dp_f64x2_abs(arm.x), dp_f64x2_abs(arm.y)), dp_f64x2_abs(arm.z));
    const dp_f64x2 least = dp_f64x2_mul(dp_f64x2_both(ROUND_OFF), size);
    for (int i = 0; i < 3; ++i, G += ncol, H += ncol) {
        const two_v3 *d = &is->seen[i];
        const dp_f64x2 x = dp_f64x2_msub(dp_f64x2_mul(own.y, d->z), own.z, d->y);
        const dp_f64x2 y = dp_f64x2_msub(dp_f64x2_mul(own.z, d->x), own.x, d->z);
        const dp_f64x2 z = dp_f64x2_msub(dp_f64x2_mul(own.x, d->y), own.y, d->x);
        const dp_f64x2 turn_x = dp_f64x2_beyond(x, least), turn_y = dp_f64x2_beyond(y, least);
        const dp_f64x2 turn_z = dp_f64x2_beyond(z, least);
        dp_v3_store(G, way[i]);
        dp_v3_store(H, way[i]);
        dp_f64x2_store(G + 3, dp_f64x2_firsts(turn_x, turn_y));
        dp_f64x2_store(H + 3, dp_f64x2_seconds(turn_x, turn_y));
        G[5] = dp_f64x2_first(turn_z);
        H[5] = dp_f64x2_second(turn_z);
    }
}

#ifdef DP_AVX2
// A vector for each of four points, component by component.
typedef struct four_v3 {
    __m256d x, y, z;
} four_v3;

DP_AVX2 DP_INLINE four_v3 four_times(dp_v3 a)
{
    return (four_v3){_mm256_set1_pd(a.x), _mm256_set1_pd(a.y), _mm256_set1_pd(a.z)};
}

// Where a contact is, and a number of its normal.
DP_AVX2 DP_INLINE __m256d load_point(const dp_touching *t)
{
    return _mm256_loadu_pd((const double *)&t->at);
}

DP_AVX2 DP_INLINE four_v3 four_points(const dp_touching *t)
{
    const __m256d a = load_point(t), b = load_point(t + 1);
    const __m256d c = load_point(t + 2), d = load_point(t + 3);
    const __m256d xz_ab = _mm256_unpacklo_pd(a, b), xz_cd = _mm256_unpacklo_pd(c, d);
    const __m256d y_ab = _mm256_unpackhi_pd(a, b), y_cd = _mm256_unpackhi_pd(c, d);
    return (four_v3){_mm256_permute2f128_pd(xz_ab, xz_cd, 0x20),
                     _mm256_permute2f128_pd(y_ab, y_cd, 0x20),
                     _mm256_permute2f128_pd(xz_ab, xz_cd, 0x31)};
}

DP_AVX2 DP_INLINE __m256d mix_four(const four_v3 *by, four_v3 v)
{
    const __m256d first = _mm256_add_pd(_mm256_mul_pd(by->x, v.x), _mm256_mul_pd(by->y, v.y));
    return _mm256_add_pd(first, _mm256_mul_pd(by->z, v.z));
}

DP_AVX2 DP_INLINE __m256d abs_four(__m256d a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

// a b − c d, where it is beyond `least`
DP_AVX2 DP_INLINE __m256d turn_four(__m256d a, __m256d b, __m256d c, __m256d d, __m256d least)
{
    const __m256d x = _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
    return _mm256_and_pd(x, _mm256_cmp_pd(abs_four(x), least, _CMP_GT_OQ));
}

// Six columns of a row of four blocks. @param way three numbers
DP_AVX2 DP_INLINE void store_four(double *G, size_t block, __m256d way, four_v3 turn)
{
    const __m256d ac = _mm256_unpacklo_pd(turn.y, turn.z), bd = _mm256_unpackhi_pd(turn.y, turn.z);
    double *const H[4] = {G, G + block, G + 2 * block, G + 3 * block};
    _mm256_storeu_pd(H[0], _mm256_blend_pd(way, _mm256_permute4x64_pd(turn.x, 0x00), 8));
    _mm256_storeu_pd(H[1], _mm256_blend_pd(way, _mm256_permute4x64_pd(turn.x, 0x55), 8));
    _mm256_storeu_pd(H[2], _mm256_blend_pd(way, _mm256_permute4x64_pd(turn.x, 0xaa), 8));
    _mm256_storeu_pd(H[3], _mm256_blend_pd(way, turn.x, 8));
    _mm_storeu_pd(H[0] + 4, _mm256_castpd256_pd128(ac));
    _mm_storeu_pd(H[1] + 4, _mm256_castpd256_pd128(bd));
    _mm_storeu_pd(H[2] + 4, _mm256_extractf128_pd(ac, 1));
    _mm_storeu_pd(H[3] + 4, _mm256_extractf128_pd(bd, 1));
}

// write_free_two for four points. @return how many are done: all but three at most
DP_AVX2 static int write_free_fours(double *G, int ncol, int n, const dp_v3 *way, const dp_v3 *seen,
                                    const dp_touching *t, const dp_link *link)
{
    const size_t block = 3 * (size_t)ncol;
    const four_v3 origin = four_times(link->X.p);
    four_v3 axis[3], d[3];
    __m256d ways[3];
    for (int k = 0; k < 3; ++k) {
        axis[k] = four_times(dp_m3_column(&link->R, k));
        d[k] = four_times(seen[k]);
        ways[k] = _mm256_setr_pd(way[k].x, way[k].y, way[k].z, 0.0);
    }
    int i = 0;
    for (; i + 4 <= n; i += 4, G += 4 * block) {
        const four_v3 p = four_points(t + i);
        const four_v3 arm = {_mm256_sub_pd(p.x, origin.x), _mm256_sub_pd(p.y, origin.y),
                             _mm256_sub_pd(p.z, origin.z)};
        const four_v3 own = {mix_four(&axis[0], arm), mix_four(&axis[1], arm),
                             mix_four(&axis[2], arm)};
        const __m256d size =
            _mm256_add_pd(_mm256_add_pd(abs_four(arm.x), abs_four(arm.y)), abs_four(arm.z));
        const __m256d least = _mm256_mul_pd(_mm256_set1_pd(ROUND_OFF), size);
        for (int k = 0; k < 3; ++k) {
            const four_v3 turn = {turn_four(own.y, d[k].z, own.z, d[k].y, least),
                                  turn_four(own.z, d[k].x, own.x, d[k].z, least),
                                  turn_four(own.x, d[k].y, own.y, d[k].x, least)};
            store_four(G + k * ncol, block, ways[k], turn);
        }
    }
    return i;
}
#endif

// Blocks of three rows. @return how many are done: all, or all but one
static int write_free_together(double *G, int ncol, int n, const dp_v3 *way, const dp_v3 *seen,
                               const dp_touching *t, const dp_link *link)
{
    const size_t block = 3 * (size_t)ncol;
    int i = 0;
#ifdef DP_AVX2
    i = n >= 4 && dp_has_avx2() ? write_free_fours(G, ncol, n, way, seen, t, link) : 0;
#endif
    if (i + 2 <= n) {
        const free_body is = look_at_free(link, seen);
        for (G += (size_t)i * block; i + 2 <= n; i += 2, G += 2 * block) {
            write_free_two(G, G + block, ncol, &is, way, t[i].at.point, t[i + 1].at.point);
        }
    }
    return i;
}

// The columns of a free body in n blocks of `nrow` rows, one behind the other.
static void write_free_many(double *G, int ncol, int nrow, int n, const dp_two_chains *chains,
                            int side, const dp_touching *t, const dp_link *link)
{
    const dp_v3 *way = chains->way[side], *seen = chains->seen[side];
    const size_t block = (size_t)ncol * (size_t)nrow;
    int i = nrow == 3 && n > 1 ? write_free_together(G, ncol, n, way, seen, t, link) : 0;
    for (G += (size_t)i * block; i < n; ++i, G += block) {
        if (nrow == 3) { // a length that the compiler knows
            write_free(G, ncol, 3, way, seen, t[i].at.point, link);
        } else {
            write_free(G, ncol, nrow, way, seen, t[i].at.point, link);
        }
    }
}

// Columns up to `end` of a block whose rows, 1 or 3, are `ncol` apart: the chain of one body from
// `dof` on. @param direction 3
static void write_chain(double *G, int *col, int end, int ncol, int nrow, const dp_v3 *direction,
                        dp_v3 point, double sign, int dof, const dp_kin *kin, const dp_model *m)
{
    const two_v3 both = beside(direction[0], direction[1]);
    dp_v3 arm = {0.0, 0.0, 0.0};
    double reach = 0.0;
    int body = -1;
    for (; dof >= 0; dof = m->dof_parent[dof]) {
        const dp_twist *S = &kin->S[dof];
        dp_v3 v = S->v;
        double size = size_of(v);
        if (m->joint[m->dof_joint[dof]].kind != DP_JOINT_SLIDE) { // which moves all points alike
            if (m->dof_body[dof] != body) {
                body = m->dof_body[dof];
                arm = dp_v3_sub(point, kin->link[body].X.p);
                reach = size_of(arm);
            }
            v = dp_twist_shift(*S, arm).v;
            size += size_of(S->w) * reach;
        }
        v = dp_v3_scale(v, sign);
        const dp_f64x2 rate =
            dp_f64x2_beyond(mix(&both, beside(v, v)), dp_f64x2_both(ROUND_OFF * size));
        double *out = G + --end;
        col[end] = dof;
        out[0] = dp_f64x2_first(rate);
        if (nrow == 3) {
            out[ncol] = dp_f64x2_second(rate);
            out[2 * ncol] = gradient_of(dp_v3_dot(direction[2], v), size);
        }
    }
}

static void take_chains(dp_two_chains *out, const int body[2], const dp_model *m)
{
    const int a = m->body[body[0]].tree, b = m->body[body[1]].tree;
    int length[2];
    out->one_tree = a == b;
    for (int side = 0; side < 2; ++side) {
        out->body[side] = body[side];
        out->dof[side] = dp_last_dof(m, body[side]);
        const int moved = out->dof[side] < 0 ? 0 : m->dof_body[out->dof[side]];
        out->floats[side] = m->body[moved].floats ? moved : -1;
        length[side] = count_chain(m, out->dof[side]);
        for (int k = 0; k < 6; ++k) {
            out->col[6 * side + k] = out->dof[side] - 5 + k;
        }
    }
    out->ncol = length[0] + length[1];
    for (int side = 0; side < 2; ++side) { // the lower tree comes first
        out->end[side] = (side == 1) == (a < b) ? out->ncol : length[side];
    }
}

static void look_along(dp_two_chains *out, int side, const dp_link *link)
{
    const double sign = side ? 1.0 : -1.0;
    const dp_f64x2 turn = dp_f64x2_both(sign), least = dp_f64x2_both(ROUND_OFF);
    const two_v3 both = beside(out->direction[0], out->direction[1]);
    const two_v3 d = {dp_f64x2_mul(both.x, turn), dp_f64x2_mul(both.y, turn),
                      dp_f64x2_mul(both.z, turn)};
    const two_v3 way = {dp_f64x2_beyond(d.x, least), dp_f64x2_beyond(d.y, least),
                        dp_f64x2_beyond(d.z, least)};
    two_v3 axis[3];
    for (int k = 0; k < 3; ++k) {
        const dp_v3 own = dp_m3_column(&link->R, k);
        axis[k] = beside(own, own);
    }
    const two_v3 seen = {mix(&axis[0], d), mix(&axis[1], d), mix(&axis[2], d)};
    const dp_v3 last = dp_v3_scale(out->direction[2], sign);
    out->way[side][0] = first_of(way);
    out->way[side][1] = second_of(way);
    out->way[side][2] =
        (dp_v3){gradient_of(last.x, 1.0), gradient_of(last.y, 1.0), gradient_of(last.z, 1.0)};
    out->seen[side][0] = first_of(seen);
    out->seen[side][1] = second_of(seen);
    out->seen[side][2] = dp_m3_apply_transposed(&link->R, last);
}

void dp_chains_look(dp_two_chains *chains, const int body[2], const dp_kin *kin, const dp_model *m)
{
    if (chains->body[0] != body[0] || chains->body[1] != body[1]) {
        take_chains(chains, body, m);
    }
    for (int side = 0; side < 2; ++side) {
        if (chains->floats[side] >= 0) {
            look_along(chains, side, &kin->link[chains->floats[side]]);
        }
    }
}

void dp_block_fill(dp_rows *rows, int block, int n, const dp_touching *t,
                   const dp_two_chains *chains, const dp_kin *kin, const dp_model *m)
{
    const int nrow = rows->row_start[block + 1] - rows->row_start[block], ncol = chains->ncol;
    const size_t size = (size_t)ncol * (size_t)nrow;
    for (int side = 0; side < 2; ++side) {
        const int end = chains->end[side], dof = chains->dof[side], body = chains->floats[side];
        int *col = rows->col + rows->col_start[block];
        double *G = rows->G + rows->G_start[block];
        if (body >= 0) {
            write_free_many(G + end - 6, ncol, nrow, n, chains, side, t, &kin->link[body]);
            for (int i = 0; i < n; ++i, col += ncol) {
                memcpy(col + end - 6, chains->col + 6 * side, 6 * sizeof *col);
            }
        } else if (dof >= 0) {
            for (int i = 0; i < n; ++i, G += size, col += ncol) {
                write_chain(G, col, end, ncol, nrow, chains->direction, t[i].at.point,
                            side ? 1.0 : -1.0, dof, kin, m);
            }
        }
    }
}

// Columns of a block between two points: those of both chains up to where they meet, and the rest.
static int count_columns(const dp_model *m, int first, int second)
{
    int dof[2] = {first, second}, count = 0;
    for (; dof[0] != dof[1]; ++count) {
        const int side = dof[1] > dof[0];
        dof[side] = m->dof_parent[dof[side]];
    }
    return count + count_chain(m, dof[0]);
}

// Column j of three rows along the axes of the world.
static void put_column(double *G, int ncol, int j, dp_v3 x, double size)
{
    G[j] = gradient_of(x.x, size);
    G[ncol + j] = gradient_of(x.y, size);
    G[2 * ncol + j] = gradient_of(x.z, size);
}

dp_row *dp_block_pin(dp_rows *rows, dp_row_owner owner, const dp_two_points *at, const dp_kin *kin,
                     const dp_model *m)
{
    DP_ASSERT(rows->ntouched == 0);
    int dof[2] = {dp_last_dof(m, at->body[0]), dp_last_dof(m, at->body[1])};
    const int ncol = count_columns(m, dof[0], dof[1]);
    if (ncol == 0) {
        return NULL;
    }
    dp_block_place(rows, 3, ncol);
    int *col = rows->col + rows->col_start[rows->nblock], j = ncol;
    double *G = rows->G + rows->G_start[rows->nblock];
    while (dof[0] != dof[1]) { // as dp_block_add_points goes
        const int side = dof[1] > dof[0];
        double size;
        const dp_v3 v = motion_at(&size, kin, m, dof[side], at->point[side]);
        put_column(G, ncol, --j, side ? v : dp_v3_scale(v, -1.0), size);
        col[j] = dof[side];
        dof[side] = m->dof_parent[dof[side]];
    }
    const dp_v3 gap = dp_v3_sub(at->point[1], at->point[0]);
    const double size = size_of(at->point[0]);
    for (int k = dof[0]; k >= 0; k = m->dof_parent[k]) {
        put_column(G, ncol, --j, dp_v3_cross(kin->S[k].w, gap), size);
        col[j] = k;
    }
    return end_close(rows, owner, 3);
}

dp_row *dp_block_single(dp_rows *rows, dp_row_owner owner, int dof, double gradient)
{
    DP_ASSERT(rows->ntouched == 0);
    dp_block_place(rows, 1, 1);
    rows->col[rows->col_start[rows->nblock]] = dof;
    rows->G[rows->G_start[rows->nblock]] = gradient;
    return end_close(rows, owner, 1);
}

dp_row *dp_block_close_grid(dp_rows *rows, dp_row_owner owner, int nx, int ny)
{
    DP_ASSERT(rows->open_rows == 3);
    const int ncol = begin_close(rows, nx * ny);
    if (ncol == 0) {
        return NULL;
    }
    const size_t nv = (size_t)rows->nv;
    const int *col = rows->col + rows->col_start[rows->nblock];
    double *G = rows->G + rows->G_start[rows->nblock];
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            const double x = dp_grid_place(i, nx), y = dp_grid_place(j, ny);
            for (int k = 0; k < ncol; ++k) {
                const double *gradient = rows->gradient + col[k];
                *G++ = gradient[0] + x * gradient[nv] + y * gradient[2 * nv];
            }
        }
    }
    for (int k = 0; k < ncol; ++k) {
        double *gradient = rows->gradient + col[k];
        gradient[0] = gradient[nv] = gradient[2 * nv] = 0.0;
    }
    return end_close(rows, owner, nx * ny);
}

void dp_room_add(dp_rows_room *room, int nrow, int ncol)
{
    ncol = ncol < room->nv ? ncol : room->nv;
    room->nblock += 1;
    room->nrow += nrow;
    room->most_rows = nrow > room->most_rows ? nrow : room->most_rows;
    room->ncol += (size_t)ncol;
    room->nG += (size_t)nrow * (size_t)ncol;
}

int dp_chain_length(const dp_model *m, int body)
{
    return count_chain(m, dp_last_dof(m, body));
}
