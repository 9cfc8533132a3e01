/* pick - numbers that are the same in every run (xorshift64) */
#ifndef PICK_H
#define PICK_H

#include <stdint.h>

/* One of 0 .. BELOW - 1. */
static int64_t
pick(int64_t below)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int64_t)(state % (uint64_t)below);
}

#endif
