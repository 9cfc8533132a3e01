/*
 * way - with what vectors readers look at bytes
 *
 * Every way gives the same.  What the machine has is asked once.  Not
 * installed.
 */
#ifndef TP_READ_WAY_H
#define TP_READ_WAY_H

/* Each is better than those before it that a machine may have too. */
enum tp_way {
	TP_WAY_PLAIN, TP_WAY_SSE2, TP_WAY_NEON, TP_WAY_AVX2, TP_WAY_AVX512,
	TP_WAYS
};

/* The way that is used. */
enum tp_way tp_way_used(void);
/* "plain", "sse2", "neon", "avx2", "avx512". */
const char *tp_way_name(enum tp_way way);
/* Use another one from now on, for the tests; -1: not on this machine. */
int tp_way_use(enum tp_way way);

#endif
