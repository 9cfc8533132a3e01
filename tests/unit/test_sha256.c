/* sha256: what the instructions of the machine say, and libmd */
#ifndef __APPLE__
#include <sys/types.h>

#include <sha256.h>
#endif
#include <stdio.h>
#include <string.h>

#include "../../lib/sha256.h"

enum { LONGEST = 300 };

#ifndef __APPLE__
/* Whether both agree on the first LEN bytes, given in pieces of STEP. */
static int
agree(const unsigned char *bytes, size_t len, size_t step)
{
	unsigned char ours[32], theirs[32];
	struct tp_sha256 sha;
	SHA256_CTX ctx;

	tp_sha256_init(&sha);
	for (size_t at = 0; at < len; at += step)
		tp_sha256_add(&sha, bytes + at, len - at < step ? len - at :
		    step);
	tp_sha256_end(&sha, ours);
	SHA256Init(&ctx);
	SHA256Update(&ctx, bytes, len);
	SHA256Final(theirs, &ctx);
	return !memcmp(ours, theirs, sizeof ours);
}
#endif

int
main(void)
{
	unsigned char bytes[LONGEST];
	const char *result = "ok";

	for (unsigned i = 0; i < LONGEST; i++)
		bytes[i] = (unsigned char)(i * 167 + i / 7);
#ifndef __APPLE__
	for (size_t len = 0; tp_sha256_ready() && len <= LONGEST; len++)
		for (size_t step = 1; step <= LONGEST; step += 21)
			if (!agree(bytes, len, step))
				result = "not ok";
#endif
	printf("%s - every length up to %d, in pieces, is what libmd says%s\n",
	    result, LONGEST, tp_sha256_ready() ? "" : " # SKIP no SHA "
	    "instructions");
	return result[0] == 'n';
}
