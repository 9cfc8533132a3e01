/* cpu - where CPU time went, from sampled call stacks */
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "cpu_private.h"

#define NO_STACK "(no backtrace)"

/* The sum of NAME in its table, added when new. */
static struct tp_cpu_sum *
sum_of(struct tp_names *names, struct tp_cpu_sum **sums, size_t *cap,
    const char *name, size_t len)
{
	size_t known = names->count;
	ptrdiff_t i = tp_names_add(names, name, len);

	tp_grow(sums, cap, names->count, sizeof **sums);
	if (names->count > known) {
		memset(&(*sums)[i], 0, sizeof **sums);
		(*sums)[i].library = (*sums)[i].proc = -1;
	}
	return &(*sums)[i];
}

static struct tp_cpu_sum *
library(struct tp_cpu *cpu, const char *name)
{
	return sum_of(&cpu->libraries, &cpu->by_library, &cpu->library_cap,
	    *name ? name : "(none)", *name ? strlen(name) : 6);
}

/* Index of the function of a frame in library L, classified when new. */
static ptrdiff_t
function(struct tp_cpu *cpu, const struct tp_cpu_sum *l,
    const struct tp_frame *frame)
{
	ptrdiff_t name = tp_names_add(&cpu->names, frame->name,
	    strlen(frame->name)), i;
	size_t known = cpu->functions.count;
	struct tp_cpu_class *class;
	const char *part;

	i = tp_ids_add(&cpu->functions, (uint64_t)name,
	    (uint64_t)(l - cpu->by_library));
	tp_grow(&cpu->by_function, &cpu->function_cap, cpu->functions.count,
	    sizeof *cpu->by_function);
	TP_ITEM(cpu->classes, cpu->class_cap, i);
	if (cpu->functions.count == known)
		return i;
	cpu->by_function[i] = (struct tp_cpu_sum){
		.library = *frame->library ? l - cpu->by_library : -1,
		.proc = -1,
	};
	if (!cpu->buckets)
		return i;
	class = &cpu->classes[i];
	class->bucket = (signed char)tp_cpu_bucket_of(cpu->buckets,
	    frame->name, frame->library);
	class->cause = (signed char)(cpu->causes ?
	    tp_cpu_bucket_of(cpu->causes, frame->name, frame->library) : -1);
	part = class->cause < 0 ? NULL : tp_cpu_bucket_part(cpu->causes,
	    (size_t)class->cause);
	class->firm = part ? 1 + !!strcmp(part, "waiting") : 0;
	class->plumbing = (signed char)tp_cpu_is_plumbing(cpu->buckets,
	    frame->name, frame->library);
	return i;
}

static void
count_total(struct tp_cpu *cpu, struct tp_cpu_sum *s, tp_int128 weight)
{
	if (s->seen == cpu->sample)
		return;
	s->seen = cpu->sample;
	s->total += weight;
}

/* Add WEIGHT of the leaf LEAF to CALLER; both are indexes of functions. */
static void
add_call(struct tp_cpu *cpu, ptrdiff_t leaf, ptrdiff_t caller,
    tp_int128 weight)
{
	size_t *last = &cpu->by_function[leaf].call;
	ptrdiff_t i;

	if (*last && cpu->calls.ids[*last - 1].b == (uint64_t)caller) {
		cpu->call_self[*last - 1] += weight;
		return;
	}
	i = tp_ids_add(&cpu->calls, (uint64_t)leaf, (uint64_t)caller);
	TP_ITEM(cpu->call_self, cpu->call_cap, i);
	cpu->call_self[i] += weight;
	*last = (size_t)i + 1;
}

/* The functions of STACK into cpu->path, leaf first. */
static void
find_path(struct tp_cpu *cpu, const struct tp_stack *stack)
{
	tp_grow(&cpu->path, &cpu->path_cap, stack->count, sizeof *cpu->path);
	for (size_t i = 0; i < stack->count; i++)
		cpu->path[i] = (uint32_t)function(cpu,
		    library(cpu, stack->frames[i].library), &stack->frames[i]);
}

/*
 * Add SAMPLES of the COUNT functions of PATH, leaf first, to functions,
 * libraries, buckets and the tree.
 */
static void
add_path(struct tp_cpu *cpu, const uint32_t *path, size_t count,
    tp_int128 weight, uint64_t samples)
{
	int bucket = -1, b, leaf_bucket = -1, cause = -1, firm = 0;
	const struct tp_cpu_class *class;
	ptrdiff_t caller = -1;
	uint32_t caused_by = *path;
	const char *leaf_name = tp_cpu_name(cpu, *path);

	cpu->sample++;
	for (size_t i = 0; i < count; i++) {
		struct tp_cpu_sum *f = &cpu->by_function[path[i]];
		struct tp_cpu_sum *l = &cpu->by_library[
		    cpu->functions.ids[path[i]].b];

		if (!i) {
			f->self += weight;
			l->self += weight;
		}
		count_total(cpu, f, weight);
		count_total(cpu, l, weight);
		if (!cpu->buckets)
			continue;
		class = &cpu->classes[path[i]];
		if (!i)
			leaf_bucket = class->bucket;
		else if (caller < 0 && !class->plumbing && path[i] != *path)
			caller = path[i];
		if (bucket < 0)
			bucket = class->bucket;
		if (class->firm > firm || (cause < 0 && class->cause >= 0)) {
			cause = class->cause;
			firm = class->firm;
			caused_by = path[i];
		}
	}
	if (cpu->tree)
		tp_cpu_tree_add(cpu, path, count, weight, samples);
	if (!cpu->buckets)
		return;
	if (caller >= 0)
		add_call(cpu, *path, caller, weight);
	b = tp_cpu_bucket_rest(cpu->buckets, leaf_name);
	cpu->by_bucket[leaf_bucket < 0 ? b : leaf_bucket].self += weight;
	cpu->by_bucket[bucket < 0 ? b : bucket].total += weight;
	cpu->caused_by = caused_by;
	if (cpu->causes)
		cpu->cause = cause >= 0 ? cause : tp_cpu_bucket_rest(
		    cpu->causes, leaf_name);
}

/* Add a sample of STACK; one that comes again is added with the others. */
static void
add_stack(struct tp_cpu *cpu, const struct tp_stack *stack, int64_t weight)
{
	size_t had = cpu->stack_ids.count;
	size_t at = !stack->id ? 0 :
	    (size_t)tp_ids_add(&cpu->stack_ids, stack->id, 0);
	struct tp_cpu_stack *s = !stack->id ? NULL :
	    TP_ITEM(cpu->stacks, cpu->stack_cap, at);

	if (s && at < had) {
		s->weight += weight;
		s->samples++;
		cpu->cause = s->cause;
		cpu->caused_by = s->caused_by;
		return;
	}
	find_path(cpu, stack);
	add_path(cpu, cpu->path, stack->count, weight, 1);
	if (!s)
		return;
	*s = (struct tp_cpu_stack){ .first = cpu->kept_count,
	    .count = stack->count, .cause = cpu->cause,
	    .caused_by = cpu->caused_by };
	tp_grow(&cpu->kept, &cpu->kept_cap, cpu->kept_count + stack->count,
	    sizeof *cpu->kept);
	memcpy(cpu->kept + cpu->kept_count, cpu->path,
	    stack->count * sizeof *cpu->kept);
	cpu->kept_count += stack->count;
}

void
tp_cpu_settle(struct tp_cpu *cpu)
{
	for (size_t i = 0; i < cpu->stack_ids.count; i++) {
		struct tp_cpu_stack *s = &cpu->stacks[i];

		if (s->samples)
			add_path(cpu, cpu->kept + s->first, s->count,
			    s->weight, s->samples);
		s->weight = 0;
		s->samples = 0;
	}
	if (cpu->waits)
		tp_cpu_settle(cpu->waits);
}

static void
part_add(struct tp_cpu_part *p, const struct tp_value *t, int64_t weight,
    int no_stack)
{
	if (t->type != TP_NONE && (p->first_ns > t->n || !p->rows))
		p->first_ns = t->n;
	if (t->type != TP_NONE && (p->last_ns < t->n || !p->rows))
		p->last_ns = t->n;
	p->rows++;
	p->total += weight;
	if (no_stack)
		p->no_stack += weight;
}

static void
add_thread(struct tp_cpu *cpu, const struct tp_row *row, ptrdiff_t proc,
    int64_t weight)
{
	const struct tp_value *v = &row->v[TP_CPU_THREAD];
	struct tp_cpu_sum *s;

	if (v->type == TP_NONE)
		return;
	/* the display form has the tid, so equal names stay apart */
	tp_buf_clear(&cpu->scratch);
	tp_buf_fmt(&cpu->scratch, "%lld ", (long long)v->n);
	tp_buf_add(&cpu->scratch, v->text, v->len);
	s = sum_of(&cpu->threads, &cpu->by_thread, &cpu->thread_cap,
	    cpu->scratch.p, cpu->scratch.len);
	s->self += weight;
	s->library = (ptrdiff_t)(strchr(cpu->scratch.p, ' ') + 1 -
	    cpu->scratch.p);
	if (proc >= 0)
		s->proc = proc;
}

static void
buckets_ready(struct tp_cpu *cpu)
{
	if (!cpu->buckets || cpu->by_bucket)
		return;
	cpu->by_bucket = tp_zalloc(tp_cpu_bucket_count(cpu->buckets) *
	    sizeof *cpu->by_bucket);
}

int
tp_cpu_waits(const struct tp_row *row)
{
	const struct tp_value *state = &row->v[TP_CPU_STATE];

	return state->type != TP_NONE &&
	    !tp_is(state->text, state->len, "Running");
}

int
tp_cpu_add(struct tp_cpu *cpu, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	const struct tp_frame none = { NO_STACK, "" };
	const struct tp_stack no_stack = { .frames = &none, .count = 1 };
	const struct tp_value *t = &row->v[TP_CPU_TIME];
	const struct tp_value *w = &row->v[TP_CPU_WEIGHT];
	const struct tp_value *s = &row->v[TP_CPU_STACK];
	const struct tp_stack *stack = s->stack;
	struct tp_cpu_part *part;
	ptrdiff_t proc;
	int absent = s->type == TP_NONE || !stack->count, folded;

	cpu->proc = -1;
	if (t->type != TP_NONE && (t->n < window->from_ns ||
	    t->n >= window->to_ns))
		return 0;
	if (w->type == TP_NONE || w->n < 0) {
		tp_fail(err, TP_BAD, "row.damaged", row->line, "%s weight",
		    w->type == TP_NONE ? "no" : "negative");
		err->what = "weight";
		return -1;
	}
	if (tp_cpu_waits(row) != cpu->is_of_waits) {
		cpu->not_running++;
		return 0;
	}
	folded = row->table == cpu->table ? cpu->folded :
	    !strcmp(row->table->name, TP_TABLE_STACKS);
	if (cpu->unit != TP_NONE && (cpu->unit != w->type ||
	    cpu->folded != folded)) {
		tp_fail(err, TP_BAD, "unit.mixed", row->line,
		    "weights of another unit than the samples before");
		err->what = "unit";
		return -1;
	}
	cpu->unit = w->type;
	cpu->table = row->table;
	cpu->folded = folded;
	proc = tp_row_process(&cpu->procs, row, TP_CPU_PROCESS);
	cpu->proc = proc;
	part_add(&cpu->all, t, w->n, absent);
	if (t->type != TP_NONE)
		tp_stat_add(&cpu->times, t->n);
	if (proc >= 0) {
		part = TP_ITEM(cpu->parts, cpu->part_cap, proc);
		part_add(part, t, w->n, absent);
	}
	if (absent)
		stack = &no_stack;
	else
		cpu->addresses_only += (uint64_t)stack->addresses_only;
	buckets_ready(cpu);
	add_thread(cpu, row, proc, w->n);
	add_stack(cpu, stack, w->n);
	return 0;
}
