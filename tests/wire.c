/*
 * wire - protocol buffers as text, for golden cases
 *
 * wire < MESSAGE: a field a line, "NUMBER: VALUE"; what is in a message is
 * indented.  Nothing is known of schemas: bytes are a message when all of them
 * can be one and are no text, and are printed as a text else.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/buf.h>

#include "read/proto.h"

static int
is_text(const unsigned char *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (!isprint(p[i]) && p[i] < 0x80)
			return 0;
	return 1;
}

static int
is_message(const struct tp_proto_field *f)
{
	struct tp_proto m = tp_proto_of(f);
	struct tp_proto_field inner;
	int rc;

	while ((rc = tp_proto_next(&m, &inner)) > 0)
		continue;
	return !rc;
}

static void
print(struct tp_proto m, int depth)
{
	struct tp_proto_field f;

	while (tp_proto_next(&m, &f) > 0) {
		printf("%*s%" PRIu32, 2 * depth, "", f.number);
		if (f.wire == TP_WIRE_VARINT || f.wire == TP_WIRE_32) {
			printf(": %" PRIu64 "\n", f.value);
		} else if (f.wire == TP_WIRE_64) {
			printf(": %" PRIu64 " (%g)\n", f.value,
			    tp_proto_double(&f));
		} else if (f.value && !is_text(f.bytes, f.value) &&
		    is_message(&f)) {
			puts(" {");
			print(tp_proto_of(&f), depth + 1);
			printf("%*s}\n", 2 * depth, "");
		} else if (is_text(f.bytes, f.value)) {
			printf(": \"%.*s\"\n", (int)f.value, f.bytes);
		} else {
			fputs(": ", stdout);
			for (uint64_t i = 0; i < f.value; i++)
				printf("%02x", f.bytes[i]);
			putchar('\n');
		}
	}
}

int
main(void)
{
	struct tp_buf all = { 0 };
	char block[4096];
	size_t n;

	while ((n = fread(block, 1, sizeof block, stdin)) > 0)
		tp_buf_add(&all, block, n);
	print((struct tp_proto){ (const unsigned char *)all.p,
	    (const unsigned char *)all.p + all.len }, 0);
	tp_buf_release(&all);
	return 0;
}
