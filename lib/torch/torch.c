/* torch - read the events of a PyTorch trace */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>

#include "torch.h"

/* Most categories counted that are not read. */
#define UNREAD_MAX 32

/*
 * Limit on the sum of durations, so that results derived from it cannot
 * overflow.
 */
#define SUM_MAX (INT64_MAX / 4)

enum {
	ARG_CORRELATION, ARG_EXTERNAL, ARG_SEQUENCE, ARG_BYTES, ARG_STREAM,
	ARG_DEVICE, ARG_LABELS, ARG_DIMS, ARG_TYPES, ARG_STRIDES,
	ARG_CONCRETE, ARG_COLLECTIVE, ARG_DTYPE, ARG_GROUP, ARG_RANKS,
	ARG_IN_SPLIT, ARG_OUT_SPLIT, ARG_IN_COUNT, ARG_OUT_COUNT, ARG_SIZE,
	ARG_ADDRESS, ARG_CHANGE, ARG_TYPE, ARG_ID, ARG_ALLOCATED,
	ARG_RESERVED, ARG_KERNEL, ARG_NODE, ARG_TASK, ARG_AWAITED,
	ARG_RECORD, ARG_PEER, ARG_COPY_KIND, ARG_STACK, ARG_GPU, ARG_BEGIN,
	    ARG_END
};

const char *const tp_torch_args[] = {
	"correlation|connection_id", "External id|correlation_id",
	"Sequence number", "bytes|size", "stream|Physic Stream Id|sycl queue",
	"device",
	"labels", "Input Dims", "Input type", "Input Strides",
	"Concrete Inputs", "Collective name", "dtype|data_type",
	"Process Group Name", "Process Group Ranks", "In split size",
	"Out split size", "In msg nelems|count", "Out msg nelems",
	"Group size", "Addr", "Bytes", "Device Type", "Device Id",
	"Total Allocated", "Total Reserved", "kernel", "graph node id",
	"Task Type|task type|direction", "wait_on_stream",
	"wait_on_cuda_event_record_corr_id", "dst rank", "kind", "Call stack",
	/* of rocprof */
	"gpu-id|dev-id", "BeginNs", "EndNs", NULL
};

void
tp_torch_init(struct tp_torch *t, const struct tp_torch_ops *ops)
{
	memset(t, 0, sizeof *t);
	t->ops = ops;
	t->rank = t->world_size = -1;
	t->collective_count = 1;
	tp_names_add(&t->texts, "", 0);
	tp_ids_add(&t->arg_ids, 0, 0);
	tp_grow(&t->collectives, &t->collective_cap, 1, sizeof *t->collectives);
	memset(t->collectives, 0, sizeof *t->collectives);
}

/* An integer, possibly in a string; else TP_TORCH_NONE. */
static int64_t
whole(const struct tp_arg *arg)
{
	uint64_t n = 0;
	size_t i = 0;
	int minus;

	if ((arg->type != TP_ARG_NUMBER && arg->type != TP_ARG_STRING) ||
	    !arg->len)
		return TP_TORCH_NONE;
	minus = arg->text[0] == '-';
	for (i = (size_t)minus; i < arg->len; i++) {
		unsigned d = (unsigned char)arg->text[i] - '0';

		if (d > 9 || n > (INT64_MAX - 9) / 10)
			return TP_TORCH_NONE;
		n = n * 10 + d;
	}
	if (i == (size_t)minus)
		return TP_TORCH_NONE;
	return minus ? -(int64_t)n : (int64_t)n;
}

int64_t
tp_torch_natural(const struct tp_arg *arg, int64_t max)
{
	int64_t n = whole(arg);

	return n >= 0 && n <= max ? n : -1;
}

/* ARG as an index in texts, 0 if it is absent. */
static ptrdiff_t
text_of(struct tp_torch *t, const struct tp_arg *arg)
{
	return arg->type == TP_ARG_ABSENT ? 0 :
	    tp_names_add(&t->texts, arg->text, arg->len);
}

/* Set AT to indices in texts of COUNT arguments. */
static void
texts_of(struct tp_torch *t, const struct tp_arg *from, size_t count,
    uint32_t *at)
{
	for (size_t i = 0; i < count; i++)
		at[i] = (uint32_t)text_of(t, &from[i]);
}

/*
 * Set *AT to the list that ARG, a single text, describe: dimensions (DIMS) or
 * types.
 */
static void
lists_of(struct tp_torch *t, const struct tp_arg *arg, int dims, uint32_t *at)
{
	tp_torch_inputs(&t->text, arg->text, arg->len, dims);
	*at = (uint32_t)tp_names_add(&t->texts, t->text.p, t->text.len);
}

static ptrdiff_t
call_of(struct tp_torch *t, const struct tp_arg *args)
{
	uint32_t at[4];

	texts_of(t, &args[ARG_DIMS], 4, at);
	for (int i = 0; i < 2; i++)
		if (args[ARG_DIMS + i].type == TP_ARG_STRING)
			lists_of(t, &args[ARG_DIMS + i], !i, &at[i]);
	return tp_ids_add(&t->arg_ids, (uint64_t)at[0] << 32 | at[1],
	    (uint64_t)at[2] << 32 | at[3]);
}

static int
same_collective(const struct tp_torch_collective *a,
    const struct tp_torch_collective *b)
{
	return a->name == b->name && a->dtype == b->dtype &&
	    a->group == b->group && a->ranks == b->ranks &&
	    a->in_split == b->in_split && a->out_split == b->out_split &&
	    a->in_count == b->in_count && a->out_count == b->out_count &&
	    a->size == b->size;
}

/* The first place of WORD in TEXT from FROM on; LEN if there is none. */
static size_t
place_of(const char *text, size_t len, size_t from, const char *word)
{
	size_t n = strlen(word);

	for (; from + n <= len; from++)
		if (!memcmp(text + from, word, n))
			return from;
	return len;
}

/* Parts of the name of a bare collective: operation and group. */
struct bare_name {
	size_t what;		/* length of the operation */
	size_t from, to;	/* bounds of the group; both the length of the
				 * name if there is none */
};

static struct bare_name
bare_name(const struct tp_torch_ops *ops, const char *name, size_t len)
{
	struct bare_name n = { place_of(name, len, 0, ops->collective_end),
	    len, len };

	if (n.what < len) {
		n.from = n.what + strlen(ops->collective_end);
		n.to = place_of(name, len, n.from, ops->group_end);
	}
	return n;
}

/* Set the operation and group of a bare collective from its NAME. */
static void
take_bare(struct tp_torch *t, struct tp_torch_collective *c,
    const struct tp_name *name)
{
	struct bare_name n = bare_name(t->ops, name->text, name->len);
	ptrdiff_t what = tp_names_add(&t->texts, name->text, n.what);
	ptrdiff_t group = tp_names_add(&t->texts, name->text + n.from,
	    n.to - n.from);

	c->name = (uint32_t)what;
	c->group = (uint32_t)group;
}

/*
 * The index of the collective that kernel K describes, added if new; 0 if it
 * describes none.
 */
static ptrdiff_t
collective_of(struct tp_torch *t, const struct tp_torch_event *k,
    const struct tp_arg *args)
{
	struct tp_torch_collective c = { 0 };
	int bare = k->cat == TP_TORCH_BARE;
	uint32_t at[6];

	if (args[bare ? ARG_DTYPE : ARG_COLLECTIVE].type == TP_ARG_ABSENT)
		return 0;
	texts_of(t, &args[ARG_COLLECTIVE], 6, at);
	c.name = at[0];
	c.dtype = at[1];
	c.group = at[2];
	c.ranks = at[3];
	c.in_split = at[4];
	c.out_split = at[5];
	if (bare)
		take_bare(t, &c, tp_torch_event_name(t, k));
	c.in_count = whole(&args[ARG_IN_COUNT]);
	c.out_count = whole(&args[ARG_OUT_COUNT]);
	c.size = whole(&args[ARG_SIZE]);
	/* consecutive collectives are usually equal */
	if (t->collective_count > 1 && same_collective(&c,
	    &t->collectives[t->collective_count - 1]))
		return (ptrdiff_t)t->collective_count - 1;
	tp_grow(&t->collectives, &t->collective_cap, t->collective_count + 1,
	    sizeof *t->collectives);
	t->collectives[t->collective_count] = c;
	return (ptrdiff_t)t->collective_count++;
}

ptrdiff_t
tp_torch_add_name(struct tp_torch *t, const char *name, size_t len)
{
	size_t had = t->names.count;
	ptrdiff_t at = tp_names_add(&t->names, name, len);

	if ((size_t)at < had)
		return at;
	tp_grow(&t->traits, &t->trait_cap, had + 1, sizeof *t->traits);
	t->traits[at] = tp_torch_name_of(t->ops, &t->names.names[at]);
	return at;
}

static ptrdiff_t
name_of(struct tp_torch *t, const struct tp_arg *name)
{
	return name->type == TP_ARG_STRING ? tp_torch_add_name(t, name->text,
	    name->len) : tp_torch_add_name(t, "", 0);
}

/*
 * The name of a bare event.  The number after the group of a collective is
 * dropped, because it would make each name unique.
 */
static ptrdiff_t
bare_name_of(struct tp_torch *t, const struct tp_arg *name,
    const struct tp_arg *args)
{
	return name->type == TP_ARG_STRING && args[ARG_DTYPE].type ?
	    tp_torch_add_name(t, name->text, bare_name(t->ops, name->text,
	    name->len).to) : name_of(t, name);
}

/* The category of E, or -1. */
static inline int
cat_of(struct tp_torch *t, const struct tp_event *e)
{
	const struct tp_class *c = tp_torch_cat_of(t->ops, e->cat.text,
	    e->cat.len);

	if (!c)
		return -1;
	t->cats_seen |= UINT64_C(1) << ((c - t->ops->events.list) & 63);
	return c->number;
}

/*
 * The name of a copy with its direction, which some devices give in an
 * argument.
 */
static ptrdiff_t
copy_name_of(struct tp_torch *t, const struct tp_event *e,
    const struct tp_arg *args)
{
	const struct tp_arg *way = &args[ARG_TASK];

	tp_buf_clear(&t->text);
	if (e->name.type == TP_ARG_STRING)
		tp_buf_add(&t->text, e->name.text, e->name.len);
	tp_buf_chr(&t->text, ' ');
	tp_buf_add(&t->text, way->text, way->len);
	return tp_torch_add_name(t, t->text.p, t->text.len);
}

static void
add_arrow(struct tp_torch *t, const struct tp_event *e)
{
	int64_t id = whole(&e->id);
	size_t had = t->arrow_ids.count;
	ptrdiff_t at;

	if (id == TP_TORCH_NONE || e->cat.type != TP_ARG_STRING ||
	    cat_of(t, e) != TP_TORCH_ARROW)
		return;
	t->cat_count[TP_TORCH_ARROW]++;
	at = tp_ids_add(&t->arrow_ids, (uint64_t)id, 0);
	tp_grow(&t->arrows, &t->arrow_cap, (size_t)at + 1, sizeof *t->arrows);
	if ((size_t)at == had)
		t->arrows[at] = (struct tp_torch_arrow){ 0, TP_TORCH_NO };
	if (e->phase == 's')
		t->arrows[at].start = 1;
	else
		t->arrows[at].end = (uint32_t)e->lane;
}

/* Phase "M": only labels of processes, which the reader does not keep. */
static void
add_label(struct tp_torch *t, const struct tp_events *events,
    const struct tp_event *e, const struct tp_arg *args)
{
	ptrdiff_t process, text;

	if (args[ARG_LABELS].type != TP_ARG_STRING)
		return;
	process = (ptrdiff_t)tp_events_lane(events, e->lane)->process;
	text = text_of(t, &args[ARG_LABELS]);
	TP_ITEM(t->labels, t->label_cap, process);
	t->labels[process] = (uint32_t)text;
}

void
tp_torch_put_number(struct tp_torch *t, uint32_t *to, int64_t n)
{
	const int64_t half = TP_TORCH_WIDE / 2;

	if (n == TP_TORCH_NONE || (n >= -half && n < half)) {
		*to = n == TP_TORCH_NONE ? TP_TORCH_NO : (uint32_t)(n + half);
		return;
	}
	*to = TP_TORCH_WIDE | (uint32_t)t->wide_count;
	if (t->wide_count >= TP_TORCH_WIDE - 1)
		tp_no_memory();
	TP_APPEND(t->wide, t->wide_count, t->wide_cap, n);
}

/* Set the exact times of K if its own are cut to microseconds, as rocprof's. */
static void
take_exact(struct tp_torch_event *k, const struct tp_arg *args)
{
	int64_t from = whole(&args[ARG_BEGIN]), to = whole(&args[ARG_END]);

	if (from < 0 || to < from || k->from_ps % 1000000 ||
	    llabs((k->to_ps - k->from_ps) / 1000 - (to - from)) >= 2000)
		return;
	k->from_ps += from % 1000 * 1000;
	k->to_ps = k->from_ps + (to - from) * 1000;
}

/* Set the members of K that depend on its category and arguments. */
static void
fill(struct tp_torch *t, struct tp_torch_event *k, const struct tp_arg *args)
{
	int64_t number = TP_TORCH_NONE;
	ptrdiff_t at = 0;

	k->stream = k->device = -1;
	k->args = 0;
	if (k->cat == TP_TORCH_OP) {
		number = whole(&args[ARG_SEQUENCE]);
		at = text_of(t, &args[ARG_STACK]);
		k->stack = at ? (int32_t)at : -1;
		at = call_of(t, args);
	} else if (tp_torch_is_gpu(k)) {
		k->stream = (int32_t)tp_torch_natural(&args[ARG_STREAM],
		    INT32_MAX);
		k->device = (int16_t)tp_torch_natural(&args[ARG_DEVICE],
		    INT16_MAX);
		k->bucket = tp_torch_bucket_of(t, k);
		number = k->cat == TP_TORCH_KERNEL &&
		    (k->bucket != TP_TORCH_COPY || !args[ARG_BYTES].type) ?
		    whole(&args[ARG_NODE]) : whole(&args[ARG_BYTES]);
		at = collective_of(t, k, args);
	} else if (k->cat >= TP_TORCH_BARE) {
		k->task = (uint32_t)text_of(t, &args[ARG_TASK]);
		k->stream = (int32_t)tp_torch_natural(&args[ARG_STREAM],
		    INT32_MAX);
		k->device = (int16_t)tp_torch_natural(&args[ARG_GPU],
		    INT16_MAX);
		number = whole(&args[ARG_PEER]);
		at = collective_of(t, k, args);
	} else if (k->cat == TP_TORCH_RUNTIME) {
		number = whole(&args[ARG_NODE]);
		k->copy_kind = (uint8_t)(tp_torch_natural(&args[ARG_COPY_KIND],
		    UINT8_MAX - 1) + 1);
		/* traces of ROCm name the kernel */
		at = args[ARG_KERNEL].type == TP_ARG_STRING ?
		    name_of(t, &args[ARG_KERNEL]) + 1 : 0;
	}
	k->args = (uint32_t)at;
	tp_torch_put_number(t, &k->correlation, whole(&args[ARG_CORRELATION]));
	tp_torch_put_number(t, &k->external, whole(&args[ARG_EXTERNAL]));
	tp_torch_put_number(t, &k->number, number);
}

/* Add the name of built-in function E, without its address. */
static uint32_t
add_built_in(struct tp_torch *t, const struct tp_event *e)
{
	struct tp_buf name = { 0 };
	const char *at;
	uint32_t i;

	tp_buf_add(&name, e->name.text, e->name.len);
	at = strstr(name.p, " at 0x");
	if (at) {
		name.len = (size_t)(at - name.p);
		tp_buf_chr(&name, '>');
	}
	i = (uint32_t)tp_names_add(&t->function_names, name.p, name.len);
	tp_buf_release(&name);
	return i;
}

/*
 * Add function E.  Those that are built in call no Python, and their names
 * contain addresses: only long ones are kept, apart.  The garbage collector is
 * one of the others because it may take long.
 */
static void
add_function(struct tp_torch *t, const struct tp_event *e, int64_t to_ps)
{
	const char *skip = t->ops->built_in, *keep = t->ops->collector;
	struct tp_torch_function f = { e->ts_ps, to_ps, 0, (uint32_t)e->lane };
	int is_built_in;

	if (e->name.type != TP_ARG_STRING)
		return;
	is_built_in = e->name.len >= strlen(skip) &&
	    !memcmp(e->name.text, skip, strlen(skip)) &&
	    (e->name.len != strlen(keep) ||
	    memcmp(e->name.text, keep, e->name.len) != 0);
	if (is_built_in && (double)(to_ps - e->ts_ps) <
	    t->ops->built_in_ns * 1000)
		return;
	f.name = is_built_in ? add_built_in(t, e) : (uint32_t)tp_names_add(
	    &t->function_names, e->name.text, e->name.len);
	if (t->function_count + t->built_in_count >= TP_TORCH_MOST)
		tp_no_memory();
	if (is_built_in)
		TP_APPEND(t->built_ins, t->built_in_count, t->built_in_cap, f);
	else
		TP_APPEND(t->functions, t->function_count, t->function_cap, f);
}

/* Add overhead E if it is the profiler's. */
static void
add_overhead(struct tp_torch *t, const struct tp_event *e, int64_t to_ps)
{
	tp_buf_clear(&t->text);
	if (e->name.type == TP_ARG_STRING)
		tp_buf_add(&t->text, e->name.text, e->name.len);
	tp_buf_chr(&t->text, '\0');
	if (tp_class_of_name(&t->ops->profiler, t->text.p))
		TP_APPEND(t->profiler, t->profiler_count, t->profiler_cap,
		    (struct tp_span){ e->ts_ps, to_ps });
}

/* Sort what the profiler took, and merge what overlaps. */
static void
settle_profiler(struct tp_torch *t)
{
	struct tp_span *list = t->profiler;
	size_t n = 0;

	tp_spans_sort(list, t->profiler_count);
	for (size_t i = 0; i < t->profiler_count; i++)
		if (n && list[i].from <= list[n - 1].to)
			TP_MOST(list[n - 1].to, list[i].to);
		else
			list[n++] = list[i];
	t->profiler_count = n;
}

/* Add an instant event if it is from an allocator. */
static void
add_memory(struct tp_torch *t, const struct tp_event *e,
    const struct tp_arg *args)
{
	int64_t bytes = whole(&args[ARG_CHANGE]);
	int64_t type = whole(&args[ARG_TYPE]), device = whole(&args[ARG_ID]);
	int64_t allocated = whole(&args[ARG_ALLOCATED]);
	int64_t reserved = whole(&args[ARG_RESERVED]);

	if (e->name.type != TP_ARG_STRING ||
	    !tp_is(e->name.text, e->name.len, t->ops->allocation) ||
	    !e->has_ts || bytes == TP_TORCH_NONE || type < 0 ||
	    type > INT16_MAX || device > INT16_MAX)
		return;
	if (t->memory_count >= TP_TORCH_NO - 1)
		tp_no_memory();
	tp_grow(&t->memory, &t->memory_cap, t->memory_count + 1,
	    sizeof *t->memory);
	t->memory[t->memory_count++] = (struct tp_torch_memory){
	    e->ts_ps, bytes, whole(&args[ARG_ADDRESS]),
	    allocated < 0 ? -1 : allocated,
	    /*
	     * the host's allocator reserves nothing; a mapped file has its own
	     * size here
	     */
	    device < 0 || reserved < 0 ? -1 : reserved,
	    (uint32_t)e->lane, (int16_t)type,
	    (int16_t)(device < 0 ? -1 : device) };
}

/* Add a wait called NAME. */
static void
add_sync(struct tp_torch *t, const struct tp_event *e,
    const struct tp_arg *args, uint32_t name)
{
	struct tp_torch_sync s = { e->ts_ps, e->ts_ps + e->dur_ps,
	    whole(&args[ARG_CORRELATION]), tp_torch_natural(&args[ARG_RECORD],
	    INT64_MAX), name, (uint32_t)e->lane, (uint32_t)e->index,
	    TP_TORCH_NO,
	    (int32_t)tp_torch_natural(&args[ARG_STREAM], INT32_MAX),
	    (int32_t)tp_torch_natural(&args[ARG_AWAITED], INT32_MAX),
	    (int16_t)tp_torch_natural(&args[ARG_DEVICE], INT16_MAX),
	    (uint8_t)tp_class_of_name(&t->ops->syncs,
	    t->names.names[name].text)->number };

	if (s.record < 0)
		s.record = TP_TORCH_NONE;
	if (s.kind == TP_TORCH_HOST_STREAM)
		s.awaited = s.stream;
	TP_APPEND(t->syncs, t->sync_count, t->sync_cap, s);
}

static int
is_kept(int cat)
{
	return (cat > TP_TORCH_OTHER && cat <= TP_TORCH_SYNC) ||
	    cat == TP_TORCH_BARE || cat == TP_TORCH_STRANGE;
}

void
tp_torch_add_unread(struct tp_torch *t, const char *name, size_t len)
{
	size_t had = t->unread.count;
	ptrdiff_t at = tp_names_find(&t->unread, name, len);

	if (at < 0)
		at = had < UNREAD_MAX - 1 ? tp_names_add(&t->unread, name,
		    len) : tp_names_add(&t->unread, "(others)", 8);
	tp_grow(&t->unread_count, &t->unread_cap, (size_t)at + 1,
	    sizeof *t->unread_count);
	t->unread_count[at] = ((size_t)at == had ? 0 :
	    t->unread_count[at]) + 1;
}

int
tp_torch_add(struct tp_torch *t, const struct tp_events *events,
    const struct tp_event *e, const struct tp_arg *args, struct tp_err *err)
{
	struct tp_torch_event *k;
	ptrdiff_t name;
	int64_t to;
	int cat;

	if (e->phase == 'M') {
		add_label(t, events, e, args);
		return 0;
	}
	if (e->phase == 's' || e->phase == 'f') {
		add_arrow(t, e);
		return 0;
	}
	if (e->phase == 'i' || e->phase == 'I')
		add_memory(t, e, args);
	if (e->phase != 'X')
		return 0;
	cat = e->cat.type != TP_ARG_STRING ? TP_TORCH_BARE : cat_of(t, e);
	if (cat < 0 && e->dur_ps > 0)
		tp_torch_add_unread(t, e->cat.text, e->cat.len);
	if (cat < 0 && !t->cats_seen)
		cat = TP_TORCH_STRANGE;
	if (cat >= TP_TORCH_BARE)
		t->bare_count++;
	else if (cat >= 0)
		t->cat_count[cat]++;
	if (cat == TP_TORCH_OTHER && e->name.type == TP_ARG_STRING &&
	    !strncmp(e->name.text, t->ops->recording,
	    strlen(t->ops->recording)) && e->dur_ps > t->profiled_ps) {
		t->profiled_ps = e->dur_ps;
		t->profiled_from_ps = e->ts_ps;
	}
	if (!is_kept(cat))
		return 0;
	to = e->ts_ps + e->dur_ps;
	if (cat == TP_TORCH_PYTHON) {
		add_function(t, e, to);
		return 0;
	}
	if (cat == TP_TORCH_OVERHEAD) {
		add_overhead(t, e, to);
		return 0;
	}
	if (e->dur_ps > SUM_MAX - t->sum_ps)
		return tp_fail(err, TP_BAD, "event.baddur", 0,
		    "the events last more than 26 days together");
	t->sum_ps += e->dur_ps;
	name = cat == TP_TORCH_BARE ? bare_name_of(t, &e->name, args) :
	    args[ARG_TASK].type == TP_ARG_STRING ? copy_name_of(t, e, args) :
	    name_of(t, &e->name);
	if (cat == TP_TORCH_SYNC) {
		add_sync(t, e, args, (uint32_t)name);
		return 0;
	}
	if (t->count >= TP_TORCH_MOST)
		tp_no_memory();
	tp_grow(&t->events, &t->cap, t->count + 1, sizeof *t->events);
	k = &t->events[t->count];
	k->from_ps = e->ts_ps;
	k->to_ps = to;
	k->name = (uint32_t)name;
	/* before PyTorch 1.11 marked ranges were operators */
	if (cat == TP_TORCH_OP && (tp_torch_trait(t, k)->is_step ||
	    tp_torch_trait(t, k)->about))
		cat = TP_TORCH_ANNOTATION;
	k->lane = (uint32_t)e->lane;
	k->uid = (uint32_t)e->index;
	k->parent = k->order = k->last = TP_TORCH_NO;
	k->cat = (uint8_t)cat;
	k->bucket = 0;
	if (cat == TP_TORCH_BARE)
		take_exact(k, args);
	fill(t, k, args);
	t->count++;
	return 0;
}

/* NAME as an index in texts, 0 if it is NULL. */
static ptrdiff_t
maybe_text(struct tp_torch *t, const char *name)
{
	return name ? tp_names_add(&t->texts, name, strlen(name)) : 0;
}

static void
add_lane(struct tp_torch *t, const struct tp_events *events, size_t i)
{
	const struct tp_lane *from = tp_events_lane(events, i);
	struct tp_torch_lane *lane = &t->lanes[i];
	ptrdiff_t process = maybe_text(t, tp_events_process_name(events,
	    from->process));
	ptrdiff_t thread = maybe_text(t, tp_events_thread_name(events, i));
	ptrdiff_t pid = from->pid.type != TP_ARG_STRING ? 0 :
	    tp_names_add(&t->texts, from->pid.text, from->pid.len);

	lane->pid_text = (uint32_t)pid;
	lane->process_id = (uint32_t)from->process;
	lane->pid = from->pid_n;
	lane->tid = from->tid_n;
	lane->process = (uint32_t)process;
	lane->thread = (uint32_t)thread;
	lane->label = from->process < t->label_cap ?
	    t->labels[from->process] : 0;
}

/* The index in TO of lane I of EVENTS by its numbers as text. */
static ptrdiff_t
thread_of(struct tp_names *to, struct tp_buf *key,
    const struct tp_events *events, size_t i)
{
	const struct tp_lane *lane = tp_events_lane(events, i);

	tp_buf_clear(key);
	tp_buf_add(key, (const char *)&lane->pid.len, sizeof lane->pid.len);
	if (lane->pid.len)
		tp_buf_add(key, lane->pid.text, lane->pid.len);
	if (lane->tid.len)
		tp_buf_add(key, lane->tid.text, lane->tid.len);
	return tp_names_add(to, key->p, key->len);
}

/*
 * Traces of PyTorch 1.8 and 1.9 write the thread of an operator as a string and
 * that of an allocator's event as a number.  Moves the latter to the lane of
 * the thread's operators.
 */
static void
settle_memory(struct tp_torch *t, const struct tp_events *events)
{
	size_t n = t->lane_count;
	uint32_t *with = tp_alloc((n + 1) * sizeof *with);
	unsigned char *has = tp_alloc(n + 1);
	struct tp_names threads = { 0 };
	struct tp_buf key = { 0 };
	ptrdiff_t at;

	for (size_t i = 0; i < n; i++) {
		has[i] = 0;
		with[i] = TP_TORCH_NO;
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->events[i].cat == TP_TORCH_OP)
			has[t->events[i].lane] = 1;
	for (size_t i = 0; i < n; i++) {
		at = thread_of(&threads, &key, events, i);
		if (has[i] && with[at] == TP_TORCH_NO)
			with[at] = (uint32_t)i;
	}
	for (size_t i = 0; i < t->memory_count; i++) {
		struct tp_torch_memory *m = &t->memory[i];

		if (has[m->lane])
			continue;
		at = thread_of(&threads, &key, events, m->lane);
		if (with[at] != TP_TORCH_NO)
			m->lane = with[at];
	}
	tp_buf_release(&key);
	tp_names_release(&threads);
	tp_free(with);
	tp_free(has);
}

static void
take_ranks(struct tp_torch *t, const struct tp_events *events)
{
	const cJSON *info = tp_events_member(events, "distributedInfo");
	const cJSON *base = tp_events_member(events, "baseTimeNanoseconds");
	const cJSON *traced = tp_events_member(events, "isGpuTraced");
	const cJSON *recorded = tp_events_member(events,
	    "recordedNanoseconds");
	double x;

	if (cJSON_IsNumber(recorded) && recorded->valuedouble > 0 &&
	    recorded->valuedouble < 9e15)
		t->recorded_ns = (int64_t)recorded->valuedouble;
	t->is_gpu_traced = cJSON_IsNumber(traced) && traced->valuedouble > 0;
	if (tp_json_number(info, "rank", &x) && x >= 0 && x < 1 << 24)
		t->rank = (int64_t)x;
	if (tp_json_number(info, "world_size", &x) && x > 0 && x < 1 << 24)
		t->world_size = (int64_t)x;
	if (cJSON_IsNumber(base) && base->valuedouble > 0 &&
	    base->valuedouble < 9e18)
		t->epoch_ns = (int64_t)base->valuedouble;
}

/* The kind of tally that share/events calls WHAT. */
static enum tp_torch_tally_kind
tally_kind(const char *what)
{
	static const char *const kinds[TP_TORCH_TALLIES] = { "os_call",
	    "on_cpu", "sample" };
	size_t kind;

	for (kind = 0; kind < TP_TORCH_TALLIES && strcmp(what, kinds[kind]);)
		kind++;
	return (enum tp_torch_tally_kind)kind;
}

static uint32_t
name_of_tally(struct tp_torch *t, const struct tp_name *name)
{
	return name ? (uint32_t)tp_names_add(&t->texts, name->text,
	    name->len) : 0;
}

/* Take the sums over rows that are no events, and the rows that were kept. */
static void
take_tallies(struct tp_torch *t, const struct tp_events *events)
{
	enum tp_torch_tally_kind kind;
	size_t count, row_count;
	const struct tp_tally *list = tp_events_tallies(events, &count);
	const struct tp_tally_row *rows = tp_events_tally_rows(events,
	    &row_count);

	t->is_tallied = tp_events_is_tallied(events);
	for (size_t i = 0; i < row_count; i++)
		if ((kind = tally_kind(rows[i].what)) < TP_TORCH_TALLIES)
			TP_APPEND(t->states, t->state_count, t->state_cap,
			    (struct tp_torch_state){ rows[i].from_ps,
			    rows[i].to_ps, (uint32_t)rows[i].lane,
			    name_of_tally(t, rows[i].name), kind });
	if (count)
		tp_grow(&t->tallies, &t->tally_cap, count, sizeof *t->tallies);
	for (size_t i = 0; i < count; i++) {
		const struct tp_tally *from = &list[i];

		if ((kind = tally_kind(from->what)) < TP_TORCH_TALLIES)
			t->tallies[t->tally_count++] =
			    (struct tp_torch_tally){ .sum_ns = from->is_over ?
			    -1 : from->sum_ns, .max_ns = from->max_ns,
			    .from_ns = from->from_ns, .to_ns = from->to_ns,
			    .count = from->count,
			    .lane = (uint32_t)from->lane,
			    .name = name_of_tally(t, from->name),
			    .kind = kind };
	}
}

void
tp_torch_end(struct tp_torch *t, const struct tp_events *events)
{
	size_t count = tp_events_lane_count(events);

	t->event_count = tp_events_elements(events);
	for (size_t i = 0; i < t->ops->events.count && i < 64; i++)
		if (t->cats_seen >> i & 1 &&
		    tp_torch_device_of(&t->ops->events.list[i]))
			t->device_kind = tp_torch_device_of(
			    &t->ops->events.list[i]);
	t->recorder = tp_events_recorder(events, &t->framework);
	settle_profiler(t);
	take_ranks(t, events);
	take_tallies(t, events);
	tp_events_base(events, &t->base_us, &t->base_ps);
	tp_grow(&t->lanes, &t->lane_cap, count + 1, sizeof *t->lanes);
	for (t->lane_count = 0; t->lane_count < count; t->lane_count++)
		add_lane(t, events, t->lane_count);
	if (t->bare_count || !t->cats_seen)
		tp_torch_settle_bare(t, events);
	if (t->memory_count)
		settle_memory(t, events);
	tp_torch_devices_make(t, tp_events_member(events, "deviceProperties"));
}

void
tp_torch_analyse(struct tp_torch *t)
{
	tp_torch_separate(t);
	tp_torch_join_syncs(t);
	tp_torch_nest(t);
	tp_torch_join(t);
}
