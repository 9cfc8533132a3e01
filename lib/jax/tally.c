/* tally - counts of pairs */
#include <string.h>

#include "names.h"

void
tp_jax_tally_add(struct tp_jax_tally *t, uint64_t a, uint64_t b, uint32_t count)
{
	ptrdiff_t at = tp_ids_add(&t->ids, a, b);

	TP_ITEM(t->counts, t->cap, at);
	t->counts[at] += count;
}

void
tp_jax_tally_release(struct tp_jax_tally *t)
{
	tp_ids_release(&t->ids);
	tp_free(t->counts);
	memset(t, 0, sizeof *t);
}
