/* seeded - the same pseudo-random numbers in every run of a bench program */
#ifndef BENCH_SEEDED_H
#define BENCH_SEEDED_H

#include <stdint.h>

static uint64_t seeded_state = 42;

static inline uint64_t
seeded_next(void)
{
	seeded_state ^= seeded_state << 13;
	seeded_state ^= seeded_state >> 7;
	seeded_state ^= seeded_state << 17;
	return seeded_state;
}

#endif
