/* Every way of splitting a block gives the positions a plain loop gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/split.h"
#include "read/simd.h"

/* tp_split_rows() byte by byte. */
static ptrdiff_t
plain_rows(const char *text, size_t len, char delim, size_t columns,
    uint32_t *at)
{
	int in = 0, edge = 1;	/* the byte before ends a field */
	size_t n = 0, first = 0, i;
	ptrdiff_t r = 0;

	for (i = 0; i < len; i++) {
		char c = text[i], after = i + 1 < len ? text[i + 1] : '\n';
		int end = c == delim || c == '\n' || c == '\r';

		if (c == '"' && !in && !edge)
			return -1;
		if (c == '"' && in && after != delim && after != '\n' &&
		    after != '\r')
			return -1;
		if (in && (c == '\n' || c == '\r'))
			return -1;
		if (c == '\r' && after != '\n')
			return -1;
		in ^= c == '"';
		edge = end;
		if (in || (c != delim && c != '\n'))
			continue;
		at[n++] = (uint32_t)i;
		if (c != '\n')
			continue;
		if (n - first != columns)
			return -1;
		first = n;
		r++;
	}
	return r;
}

/* Text that is mostly plain rows of COLUMNS fields, some in quotes. */
static size_t
rows_text(char *text, size_t size, char delim, size_t columns,
    uint32_t *seed)
{
	size_t len = 0, field = 0, n;

	while (len + 64 < size) {
		uint32_t r = *seed = *seed * 1664525 + 1013904223;
		int quoted = (r >> 8) % 3 == 0;

		if (quoted)
			text[len++] = '"';
		for (n = (r >> 12) % 9; n; n--)
			text[len++] = quoted && n == 2 ? delim : 'a';
		if (quoted)
			text[len++] = '"';
		if ((r >> 16) % 499 == 0)
			text[len++] = "\"\r\na"[r >> 30];
		field += 1 - ((r >> 20) % 997 == 0);
		if (field < columns) {
			text[len++] = delim;
			continue;
		}
		if ((r >> 24) % 2)
			text[len++] = '\r';
		text[len++] = '\n';
		field = 0;
	}
	return len - (*seed >> 20) % (len / 2);
}

/* Whether rows are found as byte by byte. */
static int
rows_differ(uint32_t *seed, int *plain)
{
	static char text[2048];
	static uint32_t at[2048 + TP_SPLIT_SPARE], want_at[2048];
	char delim = ",;\t"[*seed % 3];
	size_t columns = 1 + (*seed >> 24) % 20;
	size_t len = rows_text(text, sizeof text, delim, columns, seed);
	ptrdiff_t r = tp_split_rows(text, len, delim, columns, at);
	ptrdiff_t w = plain_rows(text, len, delim, columns, want_at);

	*plain += w > 0;
	return r != w || (r > 0 && memcmp(at, want_at, (size_t)r * columns *
	    sizeof *at));
}

/* Whether what a JSON string cannot hold is found as byte by byte, in text of
 * any bytes, most of them plain. */
static int
json_differs(uint32_t *seed)
{
	static const char marked[] = "\"\\\n\t\0\x1f !\x7f\x80\xa2\xdc\xff";
	uint32_t got[512 + TP_SPLIT_SPARE], want[512];
	char text[512];
	size_t i, count = 0, len;

	*seed = *seed * 1664525 + 1013904223;
	len = (*seed >> 16) % sizeof text;
	for (i = 0; i < len; i++) {
		unsigned char c;

		*seed = *seed * 1664525 + 1013904223;
		text[i] = *seed >> 30 ? (char)(*seed >> 16) :
		    marked[(*seed >> 16) % (sizeof marked - 1)];
		c = (unsigned char)text[i];
		if (c < 0x20 || c == '"' || c == '\\')
			want[count++] = (uint32_t)i;
	}
	return tp_split_json(text, len, got) != count ||
	    memcmp(got, want, count * sizeof *got);
}

int
main(void)
{
	static const char alphabet[] = "a1,;\t\"\r\n \x80\xff\x8c";
	uint32_t got[512 + TP_SPLIT_SPARE], want[512], seed = 7;
	size_t n, i, count, len;
	char text[512];
	int failed = 0;

	for (enum tp_simd way = 0; way < TP_SIMDS; way++) {
		if (tp_simd_use(way) < 0) {
			printf("ok split %s # SKIP not on this machine\n",
			    tp_simd_name(way));
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
		int plain = 0;

		for (n = 0; n < 20000; n++)
			bad |= rows_differ(&seed, &plain) ||
			    json_differs(&seed);
		/* both kinds must have come */
		bad |= plain < 1000 || plain > 19000;
		printf("%sok split %s equals a plain loop\n", bad ? "not " :
		    "", tp_simd_name(way));
		failed |= bad;
	}
	return failed;
}
