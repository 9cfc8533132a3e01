/* etdump_parts - rows of a trace by table and by what they are of */
#include <string.h>

#include <tp/alloc.h>

#include "etdump_parts.h"

/* The part of table AT and source NAME, created when new. */
static struct etdump_part *
part_of(struct etdump_state *s, size_t at, size_t name)
{
	ptrdiff_t i = tp_ids_add(&s->ids, at, name);

	tp_grow(&s->parts, &s->cap, (size_t)i + 1, sizeof *s->parts);
	if ((size_t)i == s->count) {
		memset(&s->parts[i], 0, sizeof *s->parts);
		s->parts[i].at = at;
		s->parts[i].name = name;
		s->count++;
	}
	s->last = (size_t)i;
	return &s->parts[i];
}

/* Whether the part used last is of table AT and of the LEN bytes at TEXT. */
static int
is_last(const struct etdump_state *s, size_t at, const char *text, size_t len)
{
	const struct etdump_part *p = s->parts + s->last;
	const struct tp_name *name;

	if (s->last >= s->count || p->at != at)
		return 0;
	name = &s->names.names[p->name];
	return name->len == len && !memcmp(name->text, text, len);
}

struct etdump_part *
etdump_part_of(struct tp_run *run, size_t at, const char *wanted)
{
	static struct tp_buf both;
	struct etdump_state *s = run->trace->state;
	size_t len;
	const char *text = tp_etdump_source(&run->row, &both, &len);
	ptrdiff_t name;

	if (is_last(s, at, text, len))
		return &s->parts[s->last];
	name = tp_names_add(&s->names, text, len);
	if (wanted && (strlen(wanted) != len || memcmp(wanted, text, len))) {
		s->others++;
		return NULL;
	}
	return part_of(s, at, (size_t)name);
}

/* Whether a table has rows of two sources. */
static int
has_several(const struct etdump_state *s)
{
	for (size_t i = 1; i < s->count; i++)
		for (size_t k = 0; k < i; k++)
			if (s->parts[i].at == s->parts[k].at &&
			    s->names.names[s->parts[i].name].len &&
			    s->names.names[s->parts[k].name].len)
				return 1;
	return 0;
}

static size_t
count_named(const struct etdump_state *s)
{
	size_t named = 0;

	for (size_t i = 0; i < s->names.count; i++)
		named += s->names.names[i].len > 0;
	return named;
}

static void
note_several(struct tp_trace *trace, size_t named)
{
	tp_trace_note(trace, "table.sources", 0, named, "one table has rows of "
	    "several sources (column source or model_id): each is an "
	    "experiment of its own, and their times are not added up");
}

/* Copy the source that PART came from to TO. */
static void
copy_source(const struct tp_trace *from, struct tp_trace *to,
    struct etdump_part *part, size_t tables)
{
	struct tp_source *s;

	if (part->at < tables)
		return;
	s = TP_PUSH(to->sources, to->source_count, to->source_cap);
	*s = from->sources[part->at - tables];
	s->file = tp_dup(s->file);
	s->schema = s->schema ? tp_dup(s->schema) : NULL;
	s->rows = part->rows;
	part->at = tables + to->source_count - 1;
}

/* Move PART to *TRACE, that of its source, made when NULL. */
static void
move(struct tp_run *run, struct etdump_part *part, struct tp_trace **trace,
    size_t tables, size_t named)
{
	const struct etdump_state *s = run->trace->state;
	const struct tp_name *text = &s->names.names[part->name];
	struct etdump_state *to;

	if (!*trace) {
		*trace = tp_part_trace(run, text->text, text->len);
		note_several(*trace, named);
	}
	copy_source(run->trace, *trace, part, tables);
	to = (*trace)->state;
	TP_APPEND(to->parts, to->count, to->cap, *part);
	tp_names_add(&to->names, text->text, text->len);
	to->parts[to->count - 1].name = 0;
	memset(part, 0, sizeof *part);
}

/* What is left: nothing, unless rows name no source. */
static void
keep_rest(struct tp_run *run, size_t tables, size_t named)
{
	struct etdump_state *s = run->trace->state;
	struct tp_trace *t = run->trace;
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->parts[i].rows)
			s->parts[n++] = s->parts[i];
	s->count = n;
	if (n) {
		note_several(t, named);
		for (size_t i = 0; i < n; i++)
			if (s->parts[i].at >= tables)
				t->sources[s->parts[i].at - tables].rows =
				    s->parts[i].rows;
		return;
	}
	for (size_t i = 0; i < t->source_count; i++) {
		tp_free(t->sources[i].file);
		tp_free(t->sources[i].schema);
	}
	t->source_count = 0;
}

void
etdump_parts_split(struct tp_run *run, size_t tables)
{
	struct etdump_state *s = run->trace->state;
	struct tp_trace **traces;	/* by name */
	size_t named = count_named(s);

	if (!has_several(s))
		return;
	traces = tp_zalloc((s->names.count + 1) * sizeof *traces);
	for (size_t i = 0; i < s->count; i++) {
		struct etdump_part *part = &s->parts[i];

		if (part->rows && s->names.names[part->name].len)
			move(run, part, &traces[part->name], tables, named);
	}
	tp_free(traces);
	keep_rest(run, tables, named);
}

int
etdump_parts_only(struct tp_run *run, const char *wanted, size_t tables)
{
	struct etdump_state *s = run->trace->state;
	const struct etdump_part *part;

	if (!s->others)
		return 0;
	for (size_t i = 0; i < s->count; i++) {
		part = &s->parts[i];
		if (part->at >= tables)
			run->trace->sources[part->at - tables].rows =
			    part->rows;
	}
	note_several(run->trace, count_named(s));
	return s->count ? 0 : tp_fail(&run->err, TP_BAD, "table.sources", 0,
	    "no row is of '%.100s', which column source or model_id would "
	    "say", wanted);
}
