/* Every way of splitting a block gives the positions a plain loop gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/read/split.h"

static const char *const ways[] = { "avx2", "sse2", "neon", "plain" };

int
main(void)
{
	static const char alphabet[] = "a1,;\t\"\r\n \x80\xff\x8c";
	uint32_t got[512], want[512], seed = 7;
	size_t n, i, k, count, len;
	char text[512];
	int failed = 0;

	for (k = 0; k < sizeof ways / sizeof *ways; k++) {
		if (tp_split_use(ways[k]) < 0) {
			printf("ok split %s # SKIP not on this machine\n",
			    ways[k]);
			continue;
		}
		int bad = 0;

		for (n = 0; n < 20000; n++) {
			char delim = ",;\t"[n % 3];

			seed = seed * 1664525 + 1013904223;
			len = (seed >> 16) % sizeof text;
			for (count = i = 0; i < len; i++) {
				seed = seed * 1664525 + 1013904223;
				text[i] = alphabet[(seed >> 16) %
				    (sizeof alphabet - 1)];
				if (strchr("\n\r\"", text[i]) ||
				    text[i] == delim)
					want[count++] = (uint32_t)i;
			}
			if (tp_split(text, len, delim, got) != count ||
			    memcmp(got, want, count * sizeof *got))
				bad = 1;
		}
		printf("%sok split %s equals a plain loop\n", bad ? "not " :
		    "", tp_split_way());
		failed |= bad;
	}
	return failed;
}
