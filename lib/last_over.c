/* last_over - the last of a list's first values that is over a limit */
#include <tp/alloc.h>

#include "last_over.h"

int64_t *
tp_last_over_init(struct tp_last_over *l, size_t count)
{
	/* one more than the values: END may be their count */
	for (l->leaf_count = 1; l->leaf_count <= count; )
		l->leaf_count *= 2;
	l->most = tp_alloc(l->leaf_count * 2 * sizeof *l->most);
	for (size_t i = 0; i < l->leaf_count * 2; i++)
		l->most[i] = INT64_MIN;
	return l->most + l->leaf_count;
}

void
tp_last_over_ready(struct tp_last_over *l)
{
	for (size_t i = l->leaf_count; --i; )
		l->most[i] = l->most[2 * i] > l->most[2 * i + 1] ?
		    l->most[2 * i] : l->most[2 * i + 1];
}

ptrdiff_t
tp_last_over(const struct tp_last_over *l, size_t end, int64_t limit)
{
	size_t i = l->leaf_count + end;

	while (i > 1 && !(i % 2 && l->most[i - 1] > limit))
		i /= 2;
	if (i-- == 1)
		return -1;
	while (i < l->leaf_count) {
		i = 2 * i + 1;
		i -= l->most[i] <= limit;
	}
	return (ptrdiff_t)(i - l->leaf_count);
}

void
tp_last_over_release(struct tp_last_over *l)
{
	tp_free(l->most);
	l->most = NULL;
}
