/* dump - write ETDumps (.etdp) and programs (.pte) */
#include <stdlib.h>
#include <string.h>

#include "dump.h"

#define RUNS_MAX 4096

flat_ref
dump_event(struct flat *f, const struct event *e)
{
	flat_ref name = e->name ? flat_text(f, e->name) : 0;
	flat_ref id_text = e->id_text ? flat_text(f, e->id_text) : 0;
	struct flat_field fields[8], part = { 0, 4, 0, 0 };
	size_t n = 0;

	if (name)
		fields[n++] = (struct flat_field){ P_NAME, 4, 0, name };
	if (e->chain)
		fields[n++] = (struct flat_field){ P_CHAIN, 4,
		    (uint32_t)e->chain, 0 };
	fields[n++] = (struct flat_field){ P_INSTRUCTION, 4,
	    (uint32_t)e->instruction, 0 };
	if (e->id >= 0)
		fields[n++] = (struct flat_field){ P_ID, 4, (uint32_t)e->id,
		    0 };
	if (id_text)
		fields[n++] = (struct flat_field){ P_ID_TEXT, 4, 0, id_text };
	fields[n++] = (struct flat_field){ P_START, 8, e->start, 0 };
	fields[n++] = (struct flat_field){ P_END, 8, e->end, 0 };
	part.ref = flat_table(f, fields, n);
	return flat_table(f, &part, 1);
}

flat_ref
dump_block(struct flat *f, const char *name, const flat_ref *events,
    size_t count)
{
	struct flat_field fields[2] = { { 0, 4, 0, flat_text(f, name) },
	    { 3, 4, 0, 0 } };

	fields[1].ref = flat_list(f, events, count);
	return flat_table(f, fields, 2);
}

static void
save(const struct flat *f, const char *path, int tail)
{
	FILE *file = file_create(path);
	size_t len = f->len - (tail < 0 ? (size_t)-tail : 0);

	fwrite(f->p + f->cap - f->len, 1, len, file);
	for (int i = 0; i < tail; i++)
		putc(0, file);
	file_close(file, path);
}

void
dump_write(struct flat *f, const flat_ref *blocks, size_t count, int sized,
    const char *path, int tail)
{
	struct flat_field fields[] = { { 1, 4, 0, flat_list(f, blocks,
	    count) } };

	flat_end(f, flat_table(f, fields, 1), "ED00", sized);
	save(f, path, tail);
	flat_release(f);
}

/* The events of RUN, or, if ONCE, of loading. */
static flat_ref
write_block(struct flat *f, const struct experiment *e, int run, int once)
{
	flat_ref events[NODES_MAX];
	char id_text[80];
	int instruction = 0, n = 0;

	for (int i = 0; i < e->count; i++) {
		const struct node *d = &e->nodes[i];
		int is_call = !strcmp(d->name, "DELEGATE_CALL") ||
		    !strcmp(d->name, "OPERATOR_CALL");
		int delegated = strcmp(d->backend, "portable");
		struct event v = { delegated ? NULL : d->name,
		    delegated ? id_text : NULL, 0, instruction, -1, 0, 0 };

		/* what happens once has a time of run 0 only */
		if (d->once != once)
			continue;
		v.start = (uint64_t)d->start_ns[run];
		v.end = v.start + (uint64_t)d->ns[run];
		snprintf(id_text, sizeof id_text, "%s #%d", d->name,
		    d->number);
		if (once || !strcmp(d->name, "Method::execute")) {
			v.chain = -1;
			v.instruction = 0;
		}
		events[n++] = dump_event(f, &v);
		instruction += is_call;
	}
	return dump_block(f, once ? "Default" : "Execute", events, (size_t)n);
}

void
write_dump(const struct experiment *e, const char *folder)
{
	const char *backends[NODES_MAX];
	flat_ref blocks[RUNS_MAX];
	struct flat f = { 0 };
	char path[4096 + 256];
	size_t calls = 0;
	int n = 0;

	if (e->runs >= RUNS_MAX)
		die(2, "more than %d runs in an ETDump", RUNS_MAX - 1);
	blocks[n++] = write_block(&f, e, 0, 1);
	for (int run = 0; run < e->runs; run++)
		blocks[n++] = write_block(&f, e, run, 0);
	snprintf(path, sizeof path, "%s/%s.etdp", folder, stem_of(e));
	dump_write(&f, blocks, (size_t)n, 1, path, 0);
	for (int i = 0; i < e->count; i++)
		if (!strcmp(e->nodes[i].name, "DELEGATE_CALL"))
			backends[calls++] = "XnnpackBackend";
		else if (!strcmp(e->nodes[i].name, "OPERATOR_CALL"))
			backends[calls++] = NULL;
	snprintf(path, sizeof path, "%s/" MODEL ".pte", folder);
	program_write(backends, calls, path);
}

void
program_write(const char *const *backends, size_t count, const char *path)
{
	flat_ref delegates[NODES_MAX], instructions[NODES_MAX], lists[2];
	struct flat_field index = { 0, 4, 0, 0 }, of[3];
	struct flat f = { 0 };
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		of[0] = (struct flat_field){ 0, 1, backends[i] ? 2 : 1, 0 };
		index.number = used;
		of[1] = (struct flat_field){ 1, 4, 0, flat_table(&f, &index,
		    1) };
		instructions[i] = flat_table(&f, of, 2);
		if (!backends[i])
			continue;
		of[0] = (struct flat_field){ 0, 4, 0, flat_text(&f,
		    backends[i]) };
		delegates[used++] = flat_table(&f, of, 1);
	}
	of[0] = (struct flat_field){ 2, 4, 0, flat_list(&f, instructions,
	    count) };
	lists[0] = flat_table(&f, of, 1);
	of[0] = (struct flat_field){ 0, 4, 0, flat_text(&f, "forward") };
	of[1] = (struct flat_field){ 5, 4, 0, flat_list(&f, lists, 1) };
	of[2] = (struct flat_field){ 7, 4, 0, flat_list(&f, delegates, used) };
	lists[0] = flat_table(&f, of, 3);
	of[0] = (struct flat_field){ 1, 4, 0, flat_list(&f, lists, 1) };
	flat_end(&f, flat_table(&f, of, 1), "ET12", 0);
	save(&f, path, 0);
	flat_release(&f);
}
