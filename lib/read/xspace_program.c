/* xspace_program - describe GPU kernels by the programs of a capture */
#include <inttypes.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "hlo.h"
#include "xspace.h"

enum fact { FACT_TEXT, FACT_SOURCE, FACT_TF_OP, FACT_FLOPS, FACT_BYTES,
    FACTS };

static const char *const facts[] = { "long_name", "source", "tf_op",
    "model_flops", "bytes_accessed" };

struct program {
	struct tp_walk place;	/* position of its HloProto */
	int is_asked;		/* an instruction of it is needed */
};

/* An instruction of a program. */
struct instruction {
	uint32_t program, name;		/* index, and in names */
	enum { ASKED, FOUND, ABSENT } state;
	struct tp_hlo_op op;
	/* In the current plane: */
	size_t longest;			/* use + 1 */
};

/* A kind of event (kernel) that belongs to an instruction. */
struct use {
	uint32_t instruction;
	uint64_t count;
	double ps;
	struct tp_arg facts[FACTS];
};

/*
 * The stats of an event that identify its instruction, as written, and the
 * texts of those that are not numbers.
 */
struct key {
	uint64_t kind, op, program, module;
	struct tp_arg op_text, module_text;
	int has_op, has_program, has_module;
};

#define RECENT 256

struct tp_xprograms {
	int wants[FACTS];		/* argument indexes, or -1 */
	struct tp_ids ids;
	struct program *list;		/* parallel to ids */
	size_t cap;
	struct tp_names modules;
	size_t *of_module;		/* parallel to modules: program + 1, 0
					 * when ambiguous */
	size_t of_module_cap;
	struct tp_names names;		/* of instructions */
	struct tp_ids instruction_ids;	/* (program, name) */
	struct instruction *instructions;	/* parallel to
						 * instruction_ids */
	size_t instruction_cap;
	struct tp_arena arena;
	uint64_t unread;
	/* The current plane: */
	int is_open, has_streams;
	uint64_t op_stat, program_stat, module_stat;	/* stat ids, or 0 */
	struct tp_ids use_ids;		/* (instruction, kind) */
	struct use *uses;		/* parallel to use_ids */
	size_t use_cap;
	struct {
		struct key key;
		size_t use;		/* index + 1, 0: none */
		int is_set;
	} recent[RECENT];
};

/* --- find the programs */

/*
 * If the stat at W has id STAT, its value is a program: set *HLO.  0, or -1
 * with ERR.
 */
static int
program_stat(struct tp_xspace *x, struct tp_walk w, uint64_t stat,
    struct tp_walk *hlo, struct tp_err *err)
{
	struct tp_walk bytes = { 0, 0 };
	struct tp_proto_field f;
	uint64_t at, id = 0;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0)
		if (f.number == STAT_ID)
			id = f.value;
		else if (f.number == STAT_BYTES && f.wire == TP_WIRE_BYTES)
			bytes = (struct tp_walk){ at, at + f.value };
	if (rc >= 0 && id == stat && bytes.end)
		*hlo = bytes;
	return rc;
}

/* Add program ID, called NAME ("jit_f(15)"), at HLO. */
static void
keep_program(struct tp_xprograms *p, uint64_t id, struct tp_proto name,
    struct tp_walk hlo)
{
	const char *text = (const char *)name.p;
	size_t len = (size_t)(name.end - name.p), had = p->modules.count;
	ptrdiff_t at = tp_ids_add(&p->ids, id, 0), module;

	/* modules of unknown id are named without the number */
	if (len && text[len - 1] == ')')
		for (size_t n = len; n; n--)
			if (text[n - 1] == '(') {
				len = n - 1;
				break;
			}
	module = tp_names_add(&p->modules, text, len);
	TP_ITEM(p->list, p->cap, at);
	tp_grow(&p->of_module, &p->of_module_cap, (size_t)module + 1,
	    sizeof *p->of_module);
	p->list[at] = (struct program){ .place = hlo };
	p->of_module[module] = p->modules.count > had ? (size_t)at + 1 : 0;
}

/*
 * Read the entry at W of the map of kinds: its key, name, and program, if
 * any.
 */
static int
read_entry(struct tp_xspace *x, struct tp_walk w, uint64_t stat,
    struct tp_err *err)
{
	struct tp_walk value = { 0, 0 }, name = { 0, 0 }, hlo = { 0, 0 };
	struct tp_proto text;
	struct tp_proto_field f;
	uint64_t at, id = 0;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0)
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2 && f.wire == TP_WIRE_BYTES)
			value = (struct tp_walk){ at, at + f.value };
	while (!rc && (rc = tp_xspace_field(x, &value, &f, &at, err)) > 0) {
		struct tp_walk in = { at, at + f.value };

		rc = 0;
		if (f.wire != TP_WIRE_BYTES)
			continue;
		if (f.number == KIND_NAME)
			name = in;
		if (f.number == KIND_STATS && program_stat(x, in, stat, &hlo,
		    err) < 0)
			return -1;
	}
	if (rc < 0 || hlo.end == hlo.at)
		return rc < 0 ? -1 : 0;
	if (tp_xspace_message(x, name.at, name.end - name.at, &text, err) < 0)
		return -1;
	keep_program(x->programs, id, text, hlo);
	return 0;
}

/* Whether the entry M of the map of stats has NAME; *ID gets its key. */
static int
is_stat(struct tp_proto m, const char *name, uint64_t *id)
{
	struct tp_proto text = tp_proto_bytes(tp_proto_bytes(m,
	    ENTRY_VALUE), STAT_NAME);

	*id = tp_proto_number(m, ENTRY_KEY);
	return tp_is((const char *)text.p,
	    (size_t)(text.end - text.p), name);
}

/* Read the programs of the plane at PLACE. */
static int
read_programs(struct tp_xspace *x, struct tp_walk place, struct tp_err *err)
{
	struct tp_walk w = place;
	struct tp_proto_field f;
	struct tp_proto m;
	uint64_t at, id, stat = 0;
	int rc, found = 0;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number != PLANE_STATS || f.wire != TP_WIRE_BYTES)
			continue;
		if (tp_xspace_message(x, at, f.value, &m, err) < 0)
			return -1;
		if (is_stat(m, "Hlo Proto", &id)) {
			stat = id;
			found = 1;
		}
	}
	if (rc < 0 || !found)
		return rc;
	while ((rc = tp_xspace_field(x, &place, &f, &at, err)) > 0)
		if (f.number == PLANE_KINDS && f.wire == TP_WIRE_BYTES &&
		    read_entry(x, (struct tp_walk){ at, at + f.value }, stat,
		    err) < 0)
			return -1;
	return rc;
}

static int
is_gpu(const struct tp_xplane *p)
{
	static const char gpu[] = "/device:GPU:";

	return p->is_wanted && p->events && !strncmp(p->name, gpu,
	    sizeof gpu - 1);
}

int
tp_xspace_programs(struct tp_xspace *x, struct tp_err *err)
{
	int wants[FACTS], is_wanted = 0, has_gpu = 0;

	for (size_t n = 0; n < FACTS; n++) {
		wants[n] = tp_xspace_want(x, facts[n], strlen(facts[n]));
		is_wanted |= wants[n] >= 0;
	}
	for (size_t i = 0; i < x->plane_count; i++)
		has_gpu |= is_gpu(&x->planes[i]);
	if (!is_wanted || !has_gpu)
		return 0;
	x->programs = tp_zalloc(sizeof *x->programs);
	memcpy(x->programs->wants, wants, sizeof wants);
	for (size_t i = 0; i < x->plane_count; i++)
		if (!strcmp(x->planes[i].name, "/host:metadata") &&
		    read_programs(x, x->planes[i].place, err) < 0)
			return -1;
	return 0;
}

/* --- find the instruction of an event */

/* F is a text, or a reference to a stat whose name is the text. */
static int
read_text_or_ref(const struct tp_proto_field *f, uint64_t *ref,
    struct tp_arg *text)
{
	*ref = 0;
	if (f->number == STAT_TEXT && f->wire == TP_WIRE_BYTES)
		*text = (struct tp_arg){ TP_ARG_STRING, (uint32_t)f->value,
		    (const char *)f->bytes };
	else if (f->number == STAT_REF && f->wire == TP_WIRE_VARINT)
		*ref = f->value;
	return *ref || text->type;
}

/* Read what event M says about its instruction; 0 when nothing. */
static int
read_key(const struct tp_xprograms *p, struct tp_proto m, struct key *key,
    uint64_t *ps)
{
	struct tp_proto_field f;
	struct tp_proto stat;

	*key = (struct key){ 0 };
	*ps = 0;
	while (tp_proto_next(&m, &f) > 0) {
		uint64_t id;

		if (f.number == EVENT_KIND)
			key->kind = f.value;
		if (f.number == EVENT_DURATION)
			*ps = f.value;
		if (f.number != EVENT_STATS || f.wire != TP_WIRE_BYTES)
			continue;
		stat = tp_proto_of(&f);
		if (tp_proto_next(&stat, &f) <= 0 || f.number != STAT_ID)
			continue;
		id = f.value;
		if (!id || tp_proto_next(&stat, &f) <= 0)
			continue;
		if (id == p->op_stat) {
			key->has_op =
			    read_text_or_ref(&f, &key->op, &key->op_text);
		} else if (id == p->module_stat) {
			key->has_module = read_text_or_ref(&f, &key->module,
			    &key->module_text);
		} else if (id == p->program_stat &&
		    f.wire == TP_WIRE_VARINT) {
			key->program = f.value;
			key->has_program = 1;
		}
	}
	return key->has_op;
}

/* TEXT, or the name of stat REF. */
static struct tp_arg
text_or_ref(const struct tp_xspace *x, const struct tp_arg *text, uint64_t ref)
{
	const struct tp_xstat *stat = text->type ? NULL :
	    tp_xspace_stat(x, ref);

	return stat ? (struct tp_arg){ TP_ARG_STRING, (uint32_t)stat->len,
	    stat->name } : *text;
}

/* The program of KEY, or -1. */
static ptrdiff_t
program_of(const struct tp_xspace *x, const struct key *key)
{
	const struct tp_xprograms *p = x->programs;
	ptrdiff_t at = key->has_program ? tp_ids_find(&p->ids, key->program,
	    0) : -1;
	struct tp_arg module;

	if (at >= 0 || !key->has_module)
		return at;
	module = text_or_ref(x, &key->module_text, key->module);
	if (!module.type)
		return -1;
	at = tp_names_find(&p->modules, module.text, module.len);
	return at < 0 ? -1 : (ptrdiff_t)p->of_module[at] - 1;
}

/* The instruction of KEY, or -1.  Of "outer::inner", the inner one. */
static ptrdiff_t
instruction_of(struct tp_xspace *x, const struct key *key, int is_new)
{
	struct tp_xprograms *p = x->programs;
	ptrdiff_t program = program_of(x, key), name, at;
	struct tp_arg op;
	size_t had;

	if (program < 0)
		return -1;
	op = text_or_ref(x, &key->op_text, key->op);
	for (size_t n = op.len; n > 1; n--)
		if (op.text[n - 1] == ':' && op.text[n - 2] == ':') {
			op.text += n;
			op.len -= (uint32_t)n;
			break;
		}
	if (!op.len)
		return -1;
	name = is_new ? tp_names_add(&p->names, op.text, op.len) :
	    tp_names_find(&p->names, op.text, op.len);
	if (name < 0)
		return -1;
	if (!is_new)
		return tp_ids_find(&p->instruction_ids, (uint64_t)program,
		    (uint64_t)name);
	had = p->instruction_ids.count;
	at = tp_ids_add(&p->instruction_ids, (uint64_t)program,
	    (uint64_t)name);
	TP_ITEM(p->instructions, p->instruction_cap, at);
	if (p->instruction_ids.count > had) {
		p->instructions[at] = (struct instruction){
		    .program = (uint32_t)program, .name = (uint32_t)name };
		p->list[program].is_asked = 1;
	}
	return at;
}

/* 1 + the index of KEY's use, or 0; created when IS_NEW. */
static size_t
find_use(struct tp_xspace *x, const struct key *key, int is_new)
{
	struct tp_xprograms *p = x->programs;
	ptrdiff_t of = instruction_of(x, key, is_new), at;
	size_t had = p->use_ids.count;

	if (of < 0)
		return 0;
	if (!is_new)
		return (size_t)(tp_ids_find(&p->use_ids, (uint64_t)of,
		    key->kind) + 1);
	at = tp_ids_add(&p->use_ids, (uint64_t)of, key->kind);
	TP_ITEM(p->uses, p->use_cap, at);
	if (p->use_ids.count > had)
		p->uses[at] = (struct use){ .instruction = (uint32_t)of };
	return (size_t)at + 1;
}

/* find_use() with a cache. */
static size_t
use_of(struct tp_xspace *x, const struct key *key, int is_new)
{
	struct tp_xprograms *p = x->programs;
	uint64_t slot = (key->kind * 31 + key->op) * 31 + key->program;
	const struct key *k = &p->recent[slot % RECENT].key;
	size_t use;

	/* borrowed texts cannot be cached */
	if (key->op_text.type || key->module_text.type)
		return find_use(x, key, is_new);
	if (p->recent[slot % RECENT].is_set && k->kind == key->kind &&
	    k->op == key->op && k->program == key->program &&
	    k->module == key->module && k->has_program == key->has_program &&
	    k->has_module == key->has_module)
		return p->recent[slot % RECENT].use;
	use = find_use(x, key, is_new);
	p->recent[slot % RECENT].key = *key;
	p->recent[slot % RECENT].use = use;
	p->recent[slot % RECENT].is_set = 1;
	return use;
}

/* --- the kernels of a plane */

/* Count the kernels of line L. */
static int
survey_line(struct tp_xspace *x, const struct tp_xline *l, struct tp_err *err)
{
	struct tp_xprograms *p = x->programs;
	struct tp_walk w = l->place;
	struct tp_proto_field f;
	struct tp_proto m;
	struct key key;
	uint64_t at, ps;
	size_t use;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number != LINE_EVENTS || f.wire != TP_WIRE_BYTES)
			continue;
		if (tp_xspace_message(x, at, f.value, &m, err) < 0)
			return -1;
		if (!read_key(p, m, &key, &ps))
			continue;
		use = use_of(x, &key, 1);
		if (!use)
			continue;
		p->uses[use - 1].count++;
		p->uses[use - 1].ps += (double)ps;
	}
	return rc;
}

/* Look up the needed instructions in program AT. */
static int
read_program(struct tp_xspace *x, size_t at, struct tp_err *err)
{
	struct tp_xprograms *p = x->programs;
	struct tp_walk place = p->list[at].place;
	struct tp_hlo hlo = { 0 };
	struct tp_proto m;
	int damaged = 1;

	p->list[at].is_asked = 0;
	if (place.end - place.at <= (uint64_t)tp_limits.line_bytes) {
		if (tp_xspace_message(x, place.at, place.end - place.at, &m,
		    err) < 0)
			return -1;
		damaged = tp_hlo_open(&hlo, m);
	}
	p->unread += (uint64_t)damaged;
	for (size_t i = 0; i < p->instruction_ids.count; i++) {
		struct instruction *in = &p->instructions[i];
		const struct tp_name *name = &p->names.names[in->name];

		if (in->program != at || in->state != ASKED)
			continue;
		in->state = tp_hlo_find(&hlo, name->text, name->len,
		    &p->arena, &in->op) ? FOUND : ABSENT;
	}
	tp_hlo_release(&hlo);
	return 0;
}

static void
add_text(const struct tp_xprograms *p, struct use *u, enum fact fact,
    const char *text)
{
	if (text && p->wants[fact] >= 0)
		u->facts[fact] = (struct tp_arg){ TP_ARG_STRING,
		    (uint32_t)strlen(text), text };
}

/* Add COUNT, unless unknown, as a text that lives as long as the plane. */
static void
add_number(struct tp_xspace *x, struct use *u, enum fact fact, int64_t count)
{
	struct tp_buf text = { 0 };

	if (count < 0 || x->programs->wants[fact] < 0)
		return;
	tp_buf_int(&text, count);
	add_text(x->programs, u, fact, tp_arena_text(&x->texts, text.p,
	    text.len));
	tp_buf_release(&text);
}

/*
 * How often the computation of IN ran, as counted by its fusions, each of
 * which runs one kernel per execution.  0: unknown.
 */
static uint64_t
runs_of(const struct tp_ids *ids, const uint64_t *runs,
    const struct instruction *in)
{
	ptrdiff_t at = tp_ids_find(ids, in->program, in->op.computation);

	return at < 0 ? 0 : runs[at];
}

/* Count how often computations ran: RUNS, parallel to IDS. */
static void
count_runs(struct tp_xprograms *p, struct tp_ids *ids, uint64_t **runs)
{
	size_t cap = 0;

	for (size_t i = 0; i < p->instruction_ids.count; i++) {
		const struct instruction *in = &p->instructions[i];
		size_t had = ids->count;
		uint64_t count;
		ptrdiff_t at;

		if (in->state != FOUND || !in->op.is_fusion || !in->longest)
			continue;
		count = p->uses[in->longest - 1].count;
		at = tp_ids_add(ids, in->program, in->op.computation);
		tp_grow(runs, &cap, (size_t)at + 1, sizeof **runs);
		if (ids->count > had || (*runs)[at] < count)
			(*runs)[at] = count;
	}
}

/*
 * Set the facts of each use: its instruction, and for the longest kernel of
 * that the cost.
 */
static void
give_facts(struct tp_xspace *x, const struct tp_ids *ids,
    const uint64_t *runs)
{
	struct tp_xprograms *p = x->programs;

	for (size_t i = 0; i < p->use_ids.count; i++) {
		struct use *u = &p->uses[i];
		const struct instruction *in =
		    &p->instructions[u->instruction];
		uint64_t once, parts = 1;

		if (in->state != FOUND)
			continue;
		add_text(p, u, FACT_TEXT, in->op.text);
		add_text(p, u, FACT_SOURCE, in->op.source);
		add_text(p, u, FACT_TF_OP, in->op.op_name);
		if (in->longest != i + 1)
			continue;
		/* one execution may run the same kernel several times */
		once = runs_of(ids, runs, in);
		if (once && !in->op.is_fusion)
			parts = (u->count + once / 2) / once;
		parts = parts ? parts : 1;
		add_number(x, u, FACT_FLOPS, in->op.flops < 0 ? -1 :
		    in->op.flops / (int64_t)parts);
		add_number(x, u, FACT_BYTES, in->op.bytes < 0 ? -1 :
		    in->op.bytes / (int64_t)parts);
	}
}

/* Resolve the uses of the plane. */
static int
resolve(struct tp_xspace *x, struct tp_err *err)
{
	struct tp_xprograms *p = x->programs;
	struct tp_ids ids = { 0 };
	uint64_t *runs = NULL;

	for (size_t i = 0; i < p->ids.count; i++)
		if (p->list[i].is_asked && read_program(x, i, err) < 0)
			return -1;
	for (size_t i = 0; i < p->instruction_ids.count; i++)
		p->instructions[i].longest = 0;
	for (size_t i = 0; i < p->use_ids.count; i++) {
		size_t *longest =
		    &p->instructions[p->uses[i].instruction].longest;

		if (!*longest || p->uses[*longest - 1].ps < p->uses[i].ps)
			*longest = i + 1;
	}
	count_runs(p, &ids, &runs);
	give_facts(x, &ids, runs);
	tp_ids_release(&ids);
	tp_free(runs);
	return 0;
}

/*
 * Whether L is a stream: the other lines of a plane with streams repeat the
 * same work.
 */
static int
is_stream(const struct tp_xline *l)
{
	static const char stream[] = "Stream #";

	return l->name && !strncmp(l->name, stream, sizeof stream - 1);
}

static int
counts(const struct tp_xprograms *p, const struct tp_xline *l)
{
	return !p->has_streams || is_stream(l);
}

int
tp_xspace_open_programs(struct tp_xspace *x, size_t plane, struct tp_err *err)
{
	struct tp_xprograms *p = x->programs;

	if (!p || !p->ids.count || !is_gpu(&x->planes[plane]))
		return 0;
	p->op_stat = tp_xspace_stat_id(x, "hlo_op");
	p->program_stat = tp_xspace_stat_id(x, "program_id");
	p->module_stat = tp_xspace_stat_id(x, "hlo_module");
	if (!p->op_stat)
		return 0;
	p->has_streams = 0;
	for (size_t i = 0; i < x->line_count; i++)
		p->has_streams |= x->lines[i].plane == plane &&
		    is_stream(&x->lines[i]);
	for (size_t i = 0; i < x->line_count; i++)
		if (x->lines[i].plane == plane && counts(p, &x->lines[i]) &&
		    survey_line(x, &x->lines[i], err) < 0)
			return -1;
	p->is_open = p->use_ids.count > 0;
	return resolve(x, err);
}

void
tp_xspace_explain(struct tp_xspace *x, struct tp_proto m,
    void (*set)(struct tp_xspace *, uint32_t, const struct tp_arg *))
{
	struct tp_xprograms *p = x->programs;
	struct key key;
	uint64_t ps;
	size_t use;

	if (!p || !p->is_open || !counts(p, &x->lines[x->line - 1]) ||
	    !read_key(p, m, &key, &ps))
		return;
	use = use_of(x, &key, 0);
	for (size_t n = 0; use && n < FACTS; n++) {
		const struct tp_arg *fact = &p->uses[use - 1].facts[n];

		if (fact->type && !x->e->args[p->wants[n]].type)
			set(x, (uint32_t)p->wants[n], fact);
	}
}

void
tp_xspace_close_programs(struct tp_xspace *x)
{
	struct tp_xprograms *p = x->programs;

	if (!p)
		return;
	tp_ids_release(&p->use_ids);
	tp_free(p->uses);
	p->uses = NULL;
	p->use_cap = 0;
	p->is_open = 0;
	memset(p->recent, 0, sizeof p->recent);
}

uint64_t
tp_xspace_unread_programs(const struct tp_xspace *x)
{
	return x->programs ? x->programs->unread : 0;
}

void
tp_xspace_release_programs(struct tp_xspace *x)
{
	struct tp_xprograms *p = x->programs;

	if (!p)
		return;
	tp_xspace_close_programs(x);
	tp_ids_release(&p->ids);
	tp_free(p->list);
	tp_names_release(&p->modules);
	tp_free(p->of_module);
	tp_names_release(&p->names);
	tp_ids_release(&p->instruction_ids);
	tp_free(p->instructions);
	tp_arena_release(&p->arena);
	tp_free(p);
	x->programs = NULL;
}
