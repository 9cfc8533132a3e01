/*
 * way - the vector instruction set in use
 *
 * All give the same results.  The CPU is queried once.  Not installed.
 */
#ifndef TP_READ_WAY_H
#define TP_READ_WAY_H

/* In order of preference, lowest first. */
enum tp_way {
	TP_WAY_PLAIN, TP_WAY_SSE2, TP_WAY_NEON, TP_WAY_AVX2, TP_WAY_AVX512,
	TP_WAYS
};

/* The instruction set in use. */
enum tp_way tp_way_used(void);
/* "plain", "sse2", "neon", "avx2", "avx512". */
const char *tp_way_name(enum tp_way way);
/* For tests: use another one from now on; -1: not available on this machine. */
int tp_way_use(enum tp_way way);

#endif
