// Products of small dense matrices, subtracted in place: where factors of contact islands spend
// their time.
//
// Each element is the same sum in the same order whatever the processor, so results do not depend
// on it.
#ifndef DP_LINALG_SUBTRACT_H
#define DP_LINALG_SUBTRACT_H

/// C −= Pᵀ Q, by rows with the given strides: P is k × m, Q is k × n. Each element takes the k
/// products one after the other. C overlaps neither P nor Q.
void dp_gemm_sub(double *C, int C_stride, const double *P, int P_stride, const double *Q,
                 int Q_stride, int k, int m, int n);

/// y −= A x, A m × n by rows
void dp_dots_sub(double *y, const double *A, int stride, const double *x, int m, int n);

#endif
