/*
 * simd - the vector instruction set in use
 *
 * All give the same results.  The CPU is queried once.  Not installed.
 */
#ifndef TP_READ_SIMD_H
#define TP_READ_SIMD_H

/* In order of preference, lowest first. */
enum tp_simd {
	TP_SIMD_PLAIN, TP_SIMD_SSE2, TP_SIMD_NEON, TP_SIMD_AVX2, TP_SIMD_AVX512,
	TP_SIMDS
};

/* The instruction set in use. */
enum tp_simd tp_simd_used(void);
/* "plain", "sse2", "neon", "avx2", "avx512". */
const char *tp_simd_name(enum tp_simd way);
/* For tests: use another one from now on; -1: not available on this machine. */
int tp_simd_use(enum tp_simd way);

#endif
