// The step problem: what one step asks of a contact law, without any body, joint or geom in it.
//
// Velocities v start from v_free, where the mechanism would go without rows. A row is one scalar
// condition with gap φ, rate φ̇ = G v + φ_t and impulse γ; the impulses change the velocities,
//
//     M̃ (v − v_free) = Gᵀ γ,                                                             (SP 1)
//
// and each row is a spring k and a dashpot b at the end of the step, φ₁ = φ + h φ̇:
//
//     γ = −h k φ₁ − h b (G v + b_ref)     i.e.   R γ + G v = û,                             (SP 2)
//     R = 1/(h² k + h b),   û = −(k φ + h k φ_t + b b_ref)/(h k + b),
//
// held within lo ≤ γ ≤ hi. k = ∞ is rigid: R = 0, û = −φ/h − φ_t. k finite and b = ∞ is rigid in
// velocity: R = 0, û = −b_ref. A one-sided row (lo = 0, hi = ∞) pushes only where its gap closes:
//
//     0 ≤ γ ⊥ G v − min(u_stop, û − R γ) ≥ 0,   u_stop = −φ/h − φ_t,                        (SP 3)
//
// so that a dashpot does not push at a distance.
//
// A block may be a contact with friction. Its first row is one-sided, the normal; the impulses of
// the rows after it are held within a disc (or an ellipse) that grows with the normal impulse,
//
//     ‖(γ₁/μ₁, γ₂/μ₂)‖ ≤ γ_n,   u_t + R γ_t = û_t inside,   against the slip on the rim,  (SP 7)
//
// and likewise for torsion about the normal and for rolling. Derivation and the papers' notation:
// docs/theory/step-problem.md.
#ifndef DASHPOT_ADVANCED_PROBLEM_H
#define DASHPOT_ADVANCED_PROBLEM_H

#include <dashpot/row.h>

DP_BEGIN_C

/// Long trees once more, link by link: of the problems that steps of the library make.
typedef struct dp_links dp_links;

/// Everything is borrowed. Row blocks share columns: a pin is a block of three rows, a limit one of
/// one.
typedef struct dp_step_problem {
    double h;               ///< [s] > 0
    int nv;                 ///< velocities
    int ntree;              ///< trees of velocities; M̃ couples within a tree only
    const int *tree_start;  ///< ntree+1
    const int *parent;      ///< nv: the next velocity towards the root of its tree, −1 at a root
    const size_t *Mt_start; ///< nv+1
    const double
        *Mt; ///< M̃, positive definite. Row i holds M̃(i,i), M̃(i,parent(i)) … from Mt_start[i] on
    const double *v0;     ///< nv: velocities at the start of the step
    const double *v_free; ///< nv

    int nblock, nrow;
    const int *row_start;  ///< nblock+1: rows of each block
    const uint64_t *id;    ///< nblock: persistent from step to step, ascending
    const int *col_start;  ///< nblock+1
    const int *col;        ///< velocities that a block meets, ascending
    const size_t *G_start; ///< nblock+1
    const double *G;       ///< of each block: rows × columns, by rows
    const dp_row *row;     ///< nrow
    int nfriction;
    const int
        *friction_of; ///< nblock: which friction a contact has, −1: plain rows. NULL: no contact
    const dp_friction *friction; ///< nfriction
    const dp_normal *normal;     ///< nfriction: the normal beside each. NULL: all are springs
    const double *mass_factor;   ///< D and L of M̃ = Lᵀ D L, each where Mt has that element
                                 ///< (dp_problem_factor_mass). NULL: not given
    const dp_links *links;       ///< of the library's own; NULL in a problem of yours
} dp_step_problem;

/// Bounds on step problems, for those who must know their memory beforehand: as in
/// dp_step_problem; nMt, ncol and nG are the lengths of Mt, col and G.
typedef struct dp_step_size {
    int nv, ntree, nblock, nrow;
    size_t nMt, ncol, nG;
} dp_step_size;

/// What a law found.
typedef struct dp_step_solution {
    double *v;      ///< nv
    double *gamma;  ///< nrow
    uint8_t *state; ///< nrow: dp_row_state
} dp_step_solution;

/// Impulses of an earlier step, by block. NULL pointers and nblock = 0: none.
typedef struct dp_warm {
    int nblock;
    const uint64_t *id;   ///< nblock, ascending
    const int *row_start; ///< nblock+1
    const double *gamma;
    const double *change; ///< of gamma since the step before; NULL: not known
} dp_warm;

/// (SP 2) of a row. R is infinite for k = b = 0.
typedef struct dp_soft {
    double R, u_hat;
    double u_stop; ///< one-sided rows; else infinite
} dp_soft;
DP_API dp_soft dp_row_soft(const dp_row *row, double h);

/// How far (gamma, u = G v) is from the law of a row, as a velocity: the natural map
/// a |γ − Π(γ − (u − min(u_stop, û − R γ))/a)|, in the row's own units (len is not applied).
/// @param a > 0, w + R of the row
DP_API double dp_row_residual(const dp_row *row, double h, double a, double gamma, double u);

/// Is the problem one that a law can take: sizes, order, finite numbers, M̃ positive definite?
/// @param allocator for a copy of M̃; NULL: malloc
/// @return DP_ERROR_ARGUMENT, naming the array, the place and what was expected
DP_API DP_NODISCARD dp_status dp_problem_check(const dp_step_problem *p,
                                               const dp_allocator *allocator);

/// In what a law holds the impulses of contacts.
typedef enum dp_friction_set {
    DP_FRICTION_SET_OF_NORMAL, ///< discs, or polygons, that the normal impulse makes, whose own law
                               ///< they have no part in: Coulomb's law
    DP_FRICTION_SET_CONE,      ///< cones of normal and friction at once
    DP_FRICTION_SET_GIVEN, ///< discs that the law knows alone: no more is asked of friction than
                           ///< that it is opposite to the slip
} dp_friction_set;

/// What of a problem a law takes for something else. All zeros: nothing.
typedef struct dp_certify_view {
    bool rigid;  ///< one-sided rows and friction of contacts are rigid, whatever their springs
    int corners; ///< friction is held in polygons with so many corners, the first along the first
                 ///< tangent, within its ellipses; 0: in the ellipses themselves
    dp_friction_set set;
    double slip_speed; ///< [m/s] at which friction has its full size, below it is in proportion; 0:
                       ///< at once
    const uint8_t *vanishing; ///< rows whose compliance only weighs impulses and goes to 0: R = 0.
                              ///< NULL: none
    const int *row_of;        ///< where in `vanishing` a row of the problem is. NULL: at its number
    double error_share; ///< [1] contacts may leave so much of the discretisation error of the step:
                        ///< half of the speed at which bodies pass each other there or nearby
} dp_certify_view;

/// Certify `s` for `p`. Time linear in the problem. What is not a number stays one.
/// @param scratch nv doubles
DP_API void dp_problem_certify(dp_certificate *out, const dp_step_problem *p,
                               const dp_step_solution *s, double *scratch);
/// The same as a law sees the problem.
DP_API void dp_problem_certify_as(dp_certificate *out, const dp_step_problem *p,
                                  const dp_step_solution *s, dp_certify_view view, double *scratch);

/// Factor M̃ = LᵀDL along the trees. @param LD as Mt: Mt_start[nv] numbers
/// @return DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_API DP_NODISCARD dp_status dp_problem_factor_mass(double *LD, const dp_step_problem *p);
/// x = M̃⁻¹ x, in place. @param x nv. @param LD of dp_problem_factor_mass
DP_API void dp_problem_solve_mass(double *x, const dp_step_problem *p, const double *LD);

/// What a direction z of impulses proves of a problem whose contacts are held in cones. If z lies
/// in the directions along which impulses may grow without bound, every velocity that meets all
/// rows has (Gᵀz)ᵀv ≥ ûᵀz: with Gᵀz = 0 and ûᵀz > 0 there is none.
typedef struct dp_ray_certificate {
    double outside; ///< [1] how far z is from those directions, over its largest element
    double effect; ///< [1] ‖Gᵀz‖ over the same of its elements one by one, in the metric of diag M̃
    double gain;   ///< [J] ûᵀz
    double energy; ///< [J] a velocity that meets all rows has Σ ½ M̃_ii v_i² of this or more;
                   ///< infinite: there is none
    bool proven;   ///< no velocity that bodies could have meets all rows: outside is up to 1e-9,
                   ///< and energy above 1e10 times that of v_free and of every row on its own
} dp_ray_certificate;

/// A step problem on its own, with the warm start and the solution that belong to it.
typedef struct dp_problem_file dp_problem_file;

/// A setting by name, as text: how `dashpot solve --set NAME=VALUE` would say it.
typedef struct dp_problem_option {
    const char *name, *value;
} dp_problem_option;

/// How a problem came about and is to be solved. All zeros: nothing is said.
typedef struct dp_problem_notes {
    const char *comment; ///< lines for the reader, without '#'; NULL: none
    const char *law;     ///< name of the law; NULL: the default
    const dp_problem_option *option;
    int noption;
} dp_problem_notes;

/// Read the text form: one named array per line, 17 digits, bit for bit. What is read has passed
/// dp_problem_check. Format: docs/problem-file.md.
/// @return DP_ERROR_IO, DP_ERROR_PARSE with file:line, what was found and expected
DP_API DP_NODISCARD dp_status dp_problem_load(dp_problem_file **out, const char *path,
                                              const dp_allocator *allocator);
DP_API DP_NODISCARD dp_status dp_problem_parse(dp_problem_file **out, const char *text,
                                               size_t bytes, const char *label,
                                               const dp_allocator *allocator);
DP_API void dp_problem_destroy(dp_problem_file *file); ///< NULL is allowed

// What is in a file. Borrowed: lives as long as the file.
DP_API const dp_step_problem *dp_problem_of(const dp_problem_file *file);
DP_API const dp_warm *dp_problem_warm(const dp_problem_file *file);
/// The solution of the run that wrote the file; its pointers are NULL where there is none.
DP_API const dp_step_solution *dp_problem_solution(const dp_problem_file *file);
/// Without the comment, which is not kept.
DP_API const dp_problem_notes *dp_problem_notes_of(const dp_problem_file *file);

/// Write the text form. The problem is written as it is, also when dp_problem_check refuses it,
/// provided its sizes and starts are sound.
/// @param warm, solution, notes NULL: none
/// @return DP_ERROR_IO; DP_ERROR_ARGUMENT for a law or option that is no single word
DP_API DP_NODISCARD dp_status dp_problem_save(const char *path, const dp_step_problem *p,
                                              const dp_warm *warm, const dp_step_solution *solution,
                                              const dp_problem_notes *notes);

DP_END_C
#endif
