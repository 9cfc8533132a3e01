/* emit_programs - the names of programs, and how often they ran */
#include <string.h>

#include <tp/alloc.h>

#include "emit_jax.h"

void
tp_jax_find_programs(struct tp_jax_programs *p, const struct tp_jax_trace *c)
{
	const struct tp_tracks *t = &c->tracks;
	int is_told = 0;

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < c->ops.count && !is_told; i++)
		is_told = c->ops.list[i].program != 0;
	for (size_t i = 0; is_told && i < t->count; i++) {
		ptrdiff_t at;

		if (!t->tracks[t->slices[i].track].holds_programs)
			continue;
		at = tp_ids_add(&p->ids, t->slices[i].name, 0);
		TP_ITEM(p->counts, p->cap, at);
		p->counts[at]++;
	}
}

void
tp_jax_release_programs(struct tp_jax_programs *p)
{
	tp_ids_release(&p->ids);
	tp_free(p->counts);
}

/* Index of the program called "NAME(ID)", ID a text of T; or -1. */
static ptrdiff_t
program_of(const struct tp_jax_programs *p, const struct tp_tracks *t,
    uint32_t text)
{
	const struct tp_name *id = &t->texts.names[text];

	for (size_t i = 0; i < p->ids.count; i++) {
		const struct tp_name *n = &t->names.names[p->ids.ids[i].a];
		const char *end = n->text + n->len;

		if (n->len > id->len + 2 && end[-1] == ')' &&
		    !memcmp(end - 1 - id->len, id->text, id->len) &&
		    end[-2 - (ptrdiff_t)id->len] == '(')
			return (ptrdiff_t)i;
	}
	return -1;
}

ptrdiff_t
tp_jax_out_program(struct tp_out *out, const struct tp_jax_programs *p,
    const struct tp_tracks *t, uint32_t program, uint32_t module,
    int is_named)
{
	ptrdiff_t at = program_of(p, t, program);

	if (is_named && at >= 0)
		out_name(out, "program", t, (uint32_t)p->ids.ids[at].a);
	else if (is_named)
		out_text(out, "program", t, module);
	if (program != module)
		out_text(out, "program_id", t, program);
	return at;
}
