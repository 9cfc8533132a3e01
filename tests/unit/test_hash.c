/* Names and numbers to small indexes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/hash.h>

#define MANY 50000

static int failed;

static void
want(const char *what, ptrdiff_t got, ptrdiff_t should)
{
	if (got == should)
		return;
	printf("not ok hash: %s: %td, not %td\n", what, got, should);
	failed = 1;
}

static void
check_names(void)
{
	struct tp_names names = { 0 };

	want("nothing there", tp_names_find(&names, "a", 1), -1);
	want("first", tp_names_add(&names, "a", 1), 0);
	want("second", tp_names_add(&names, "ab", 2), 1);
	want("again", tp_names_add(&names, "a", 1), 0);
	want("empty", tp_names_add(&names, "", 0), 2);
	want("with NUL", tp_names_add(&names, "a\0b", 3), 3);
	want("other NUL", tp_names_add(&names, "a\0c", 3), 4);
	want("found", tp_names_find(&names, "ab", 2), 1);
	want("found with NUL", tp_names_find(&names, "a\0c", 3), 4);
	want("not found", tp_names_find(&names, "b", 1), -1);
	want("count", (ptrdiff_t)names.count, 5);
	if (names.names[3].len != 3 || memcmp(names.names[3].text, "a\0b", 4))
		want("text", 0, 1);
	tp_names_release(&names);
}

/* Indexes do not depend on the seed. */
static void
check_many(uint64_t seed)
{
	struct tp_names names = { 0 };
	struct tp_ids ids = { 0 };
	char text[32];
	int n;

	tp_hash_seed(seed);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < MANY; i++) {
			n = snprintf(text, sizeof text, "name %d", i);
			want("many names", tp_names_add(&names, text,
			    (size_t)n), i);
			want("many ids", tp_ids_add(&ids, (uint64_t)i << 40,
			    (uint64_t)(i % 7)), i);
			if (failed)
				return;
		}
	want("an id", tp_ids_find(&ids, (uint64_t)8 << 40, 1), 8);
	want("no id", tp_ids_find(&ids, (uint64_t)8 << 40, 2), -1);
	want("id of both", tp_ids_find(&ids, 1, (uint64_t)8 << 40), -1);
	want("largest", tp_ids_add(&ids, UINT64_MAX, UINT64_MAX), MANY);
	want("largest again", tp_ids_find(&ids, UINT64_MAX, UINT64_MAX),
	    MANY);
	tp_names_release(&names);
	tp_ids_release(&ids);
}

int
main(void)
{
	check_names();
	check_many(0);
	check_many(0x9e3779b97f4a7c15u);
	if (tp_hash_bytes("a", 1) == tp_hash_bytes("b", 1))
		want("hash of a and b", 0, 1);
	if (!failed)
		printf("ok hash: indexes of first appearance\n");
	return failed;
}
