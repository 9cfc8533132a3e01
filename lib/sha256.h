/*
 * sha256 - SHA-256 with the instructions that x86 has for it; not installed
 *
 * Six times as fast as plain C, which matters where a document names the hash
 * of a large trace.  On a machine without them lib/os.c asks libmd.
 */
#ifndef TP_SHA256_H
#define TP_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct tp_sha256 {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char tail[64];	/* of what was added, less than a block */
};

/* Whether this machine has the instructions; without, nothing else may be
 * called. */
int tp_sha256_ready(void);

void tp_sha256_init(struct tp_sha256 *sha);
void tp_sha256_add(struct tp_sha256 *sha, const void *bytes, size_t len);
void tp_sha256_end(struct tp_sha256 *sha, unsigned char digest[32]);

#endif
