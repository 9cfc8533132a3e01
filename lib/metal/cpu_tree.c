/* cpu_tree - the call tree of CPU time, as records or folded stacks */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "cpu_private.h"
#include "folded.h"

#define NONE SIZE_MAX

void
tp_cpu_tree_add(struct tp_cpu *cpu, const uint32_t *path, size_t count,
    tp_int128 weight, uint64_t samples)
{
	size_t known = cpu->nodes.count;
	ptrdiff_t at = -1;

	while (count--)
		at = tp_ids_add(&cpu->nodes, (uint64_t)(at + 1), path[count]);
	tp_grow(&cpu->by_node, &cpu->node_cap, cpu->nodes.count,
	    sizeof *cpu->by_node);
	for (; known < cpu->nodes.count; known++)
		cpu->by_node[known] = (struct tp_cpu_node){ 0, 0 };
	cpu->by_node[at].self += weight;
	cpu->by_node[at].samples += cpu->folded ? (uint64_t)weight : samples;
}

/* The caller's node; NONE for a root. */
static size_t
parent_of(const struct tp_cpu *cpu, size_t node)
{
	return (size_t)cpu->nodes.ids[node].a - 1;
}

static size_t
function_of(const struct tp_cpu *cpu, size_t node)
{
	return (size_t)cpu->nodes.ids[node].b;
}

static const char *
name_of(const struct tp_cpu *cpu, size_t node)
{
	return tp_cpu_name(cpu, function_of(cpu, node));
}

/* A node in the output. */
struct place {
	tp_int128 total;
	size_t first, next;		/* first child, next sibling */
	int64_t frame;
};

struct ranked {
	const char *name, *library;
	tp_int128 total;
	size_t node;
};

/* Lightest first; ties by name and library, the last first. */
TP_ORDER(lightest, struct ranked, TP_UP(total) TP_BY(strcmp(b->name, a->name))
    TP_BY(strcmp(b->library, a->library)))

/*
 * Link the nodes of at least 1/MOST of the total into lists, heaviest first.
 * Returns the first root, or NONE.
 */
static size_t
link_nodes(const struct tp_cpu *cpu, struct place *places, int64_t most)
{
	size_t count = cpu->nodes.count, n = 0, root = NONE, i, *list;
	struct ranked *r = tp_alloc((count + 1) * sizeof *r);

	for (i = count; i-- > 0;) {
		/* all its callees come after it */
		places[i].total += cpu->by_node[i].self;
		places[i].first = places[i].next = NONE;
		if (parent_of(cpu, i) != NONE)
			places[parent_of(cpu, i)].total += places[i].total;
		if (places[i].total * most >= cpu->all.total)
			r[n++] = (struct ranked){ name_of(cpu, i),
			    tp_cpu_library(cpu, function_of(cpu, i)),
			    places[i].total, i };
	}
	TP_SORT(r, n, lightest);
	for (i = 0; i < n; i++) {
		list = parent_of(cpu, r[i].node) == NONE ? &root :
		    &places[parent_of(cpu, r[i].node)].first;
		places[r[i].node].next = *list;
		*list = r[i].node;
	}
	tp_free(r);
	return root;
}

static void
frame(const struct tp_cpu *cpu, const struct place *places, size_t node,
    int64_t depth, struct tp_out *out)
{
	const char *library = tp_cpu_library(cpu, function_of(cpu, node));

	tp_out_begin(out, "cpu.frame");
	tp_out_int(out, "frame", places[node].frame);
	if (parent_of(cpu, node) != NONE)
		tp_out_int(out, "parent",
		    places[parent_of(cpu, node)].frame);
	tp_out_int(out, "depth", depth);
	tp_out_text(out, "symbol", name_of(cpu, node));
	if (*library)
		tp_out_text(out, "library", library);
	tp_cpu_weight(out, cpu, "self", cpu->by_node[node].self);
	tp_cpu_weight(out, cpu, "total", places[node].total);
	tp_out_end(out);
}

void
tp_cpu_emit_frames(const struct tp_cpu *cpu, int64_t most, struct tp_out *out)
{
	struct place *places = tp_zalloc((cpu->nodes.count + 1) *
	    sizeof *places);
	int64_t depth = 1, frames = 0;
	size_t at = NONE;

	/* there are no shares of zero weight */
	if (cpu->all.total)
		at = link_nodes(cpu, places, most);
	while (at != NONE) {
		places[at].frame = ++frames;
		frame(cpu, places, at, depth, out);
		if (places[at].first != NONE) {
			at = places[at].first;
			depth++;
			continue;
		}
		while (at != NONE && places[at].next == NONE) {
			at = parent_of(cpu, at);
			depth--;
		}
		if (at != NONE)
			at = places[at].next;
	}
	tp_free(places);
}

struct line {
	const char *text;
	const struct tp_cpu_node *of;
};

TP_ORDER(by_text, struct line, TP_BY(strcmp(a->text, b->text)))

/* Append "root;...;leaf". */
static void
put_stack(const struct tp_cpu *cpu, size_t node, struct tp_buf *texts)
{
	const char *name;
	size_t n = 0;

	for (; node != NONE; node = parent_of(cpu, node))
		cpu->path[n++] = (ptrdiff_t)node;
	while (n--) {
		name = name_of(cpu, (size_t)cpu->path[n]);
		tp_folded_name(texts, name, strlen(name));
		tp_buf_chr(texts, n ? ';' : '\0');
	}
}

/* Print LINES, sorted; equal stacks are merged. */
static void
put_lines(const struct line *lines, size_t n, int weighted, struct tp_out *out)
{
	struct tp_buf text = { 0 };
	tp_int128 sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += weighted ? lines[i].of->self :
		    (tp_int128)lines[i].of->samples;
		if (i + 1 < n && !strcmp(lines[i].text, lines[i + 1].text))
			continue;
		tp_buf_clear(&text);
		tp_buf_str(&text, lines[i].text);
		tp_buf_chr(&text, ' ');
		tp_buf_int(&text, tp_narrow(sum));
		tp_buf_chr(&text, '\n');
		tp_out_raw(out, text.p ? text.p : "", text.len);
		sum = 0;
	}
	tp_buf_release(&text);
}

void
tp_cpu_folded(const struct tp_cpu *cpu, int weighted, struct tp_out *out)
{
	struct line *lines = tp_alloc((cpu->nodes.count + 1) * sizeof *lines);
	struct tp_buf texts = { 0 };
	const char *p;
	size_t n = 0, i;

	for (i = 0; i < cpu->nodes.count; i++)
		if (cpu->by_node[i].samples) {
			put_stack(cpu, i, &texts);
			lines[n++].of = &cpu->by_node[i];
		}
	p = texts.p;
	for (i = 0; i < n; i++, p += strlen(p) + 1)
		lines[i].text = p;
	TP_SORT(lines, n, by_text);
	put_lines(lines, n, weighted, out);
	tp_buf_release(&texts);
	tp_free(lines);
}
