/* jax - a JAX capture: its events and everything derived from them */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/read/capture_folder.h>

#include "jax.h"

enum { ARG_TF_OP, ARG_LONG_NAME, ARG_SOURCE, ARG_RUN_ID, ARG_STEP,
	ARG_CATEGORY, ARG_FLOPS, ARG_BYTES, ARG_SCOPE, ARG_KERNEL,
	ARG_INDEX, ARG_ORDINAL, ARG_ALLOCATOR, ARG_RESERVED, ARG_ALLOCATED,
	ARG_AVAILABLE, ARG_LIFETIME, ARG_FRAGMENTATION, ARG_BLOCK,
	ARG_REQUESTED, ARG_ADDR, ARG_REGION, ARG_TYPE, ARG_SHAPE,
	ARG_PROGRAM, ARG_WORK, ARG_ACCESSES, ARG_STACK, ARG_STALL, ARG_SCALE,
	ARG_STAGE, ARG_STAGE_NAME, ARG_STAGE_CATEGORY, ARG_DEVICE, ARG_GROUP,
	ARG_CORRELATION, ARG_PRODUCER_TYPE, ARG_PRODUCER, ARG_CONSUMER_TYPE,
	ARG_CONSUMER, ARG_COPY, ARG_HLO_OP, ARG_HLO_MODULE, ARG_GRAPH };

const char *const tp_jax_args[] = {
	"tf_op", "long_name", "source", "run_id", "step_num",
	"hlo_category", "model_flops", "bytes_accessed", "name",
	"kernel_details",
	/* of allocations */
	"index_on_host", "device_ordinal", "allocator_name",
	"bytes_reserved", "bytes_allocated", "bytes_available",
	"peak_bytes_in_use", "fragmentation", "allocation_bytes",
	"requested_bytes", "addr", "region_type", "data_type", "shape",
	/* dropped by the exporter */
	"program_id", "flops", "memory_access_breakdown", "source_stack",
	"dma_stall_duration_ps", "Time Scale Multiplier", "_ipl_stage_id",
	"_ipl_stage_name", "_ipl_stage_cat", TP_JAX_DEVICE_CLOCK,
	/* that tie events; contexts are dropped by the exporter */
	"group_id", "correlation_id", "_pt", "_p", "_ct", "_c",
	"memcpy_details", "hlo_op", "hlo_module", "cuda_graph_id", NULL
};

int
tp_jax_trace_init(struct tp_jax_trace *t, struct tp_err *err)
{
	memset(t, 0, sizeof *t);
	t->warmup = 5;
	tp_tracks_init(&t->tracks);
	t->jax = tp_jax_new(err);
	return t->jax ? 0 : -1;
}

/* Count TEXT COUNT more times. */
static void
vote(struct tp_jax_votes *v, const char *text, size_t len, uint64_t count)
{
	ptrdiff_t at = tp_names_add(&v->names, text, len);

	TP_ITEM(v->counts, v->cap, at);
	v->counts[at] += count;
}

static struct tp_detail_text
text_of(const struct tp_arg *arg)
{
	return (struct tp_detail_text){ arg->text,
	    arg->type == TP_ARG_STRING ? arg->len : 0 };
}

/* Time of day of EVENTS' base in ns since 1970; 0: unknown. */
static int64_t
day_of(const struct tp_events *events, int64_t base_us, int32_t base_ps)
{
	const struct cJSON *start = tp_json_get(tp_events_member(events,
	    "environment"), "profile_start_time");
	const char *text = cJSON_GetStringValue(start);
	int64_t ns, base_ns;

	/*
	 * more than a year cannot be relative to a start, so it is since 1970
	 */
	if (base_us > INT64_C(31536000000000))
		ns = 0;
	else if (!text || !tp_jax_whole(text, strlen(text), &ns) || ns <= 0)
		return 0;
	return __builtin_mul_overflow(base_us, 1000, &base_ns) ||
	    __builtin_add_overflow(ns, base_ns, &ns) ||
	    __builtin_add_overflow(ns, base_ps / 1000, &ns) ? 0 : ns;
}

/*
 * Begin a file.  All times count from the first event of the first file;
 * files of known time of day are put on its axis.
 */
static void
begin_file(struct tp_jax_trace *t, const struct tp_events *events)
{
	int64_t us = 0, day;
	int32_t ps = 0;

	t->is_begun = 1;
	t->shift_ps = 0;
	if (!tp_events_base(events, &us, &ps))
		return;
	day = day_of(events, us, ps);
	if (!t->has_base) {
		t->has_base = 1;
		t->base_us = us;
		t->base_ps = ps;
		t->day_ns = day;
	}
	/* day_of() ignores the picoseconds */
	t->is_apart |= !day || !t->day_ns || __builtin_mul_overflow(
	    day - t->day_ns, 1000, &t->shift_ps) || __builtin_add_overflow(
	    t->shift_ps, ps % 1000 - t->base_ps % 1000, &t->shift_ps);
	if (t->is_apart)
		t->shift_ps = 0;
}

static void
vote_run(struct tp_jax_trace *t, const struct tp_arg *run)
{
	if (run->len && (run->type == TP_ARG_STRING || run->type ==
	    TP_ARG_NUMBER))
		vote(&t->run_ids, run->text, run->len, 1);
}

/*
 * Make a PLATFORM of the rates that plane ABOUT states; *BASIS says whether
 * it does.
 */
static int
platform_of(const struct cJSON *about, struct tp_platform *platform,
    enum tp_platform_basis *basis, struct tp_err *err)
{
	const char *name = tp_json_text(about, "device_type_string");
	double flops, bytes, cores, memory;

	*basis = TP_PLATFORM_UNNAMED;
	if (name && tp_json_number(about, "peak_teraflops_per_second",
	    &flops) && tp_json_number(about,
	    "peak_hbm_bw_gigabytes_per_second", &bytes) && flops > 0 &&
	    bytes > 0) {
		*basis = TP_PLATFORM_TRACE;
		tp_platform_stated(platform, name, flops * 1e12, bytes * 1e9);
		return 0;
	}
	name = tp_json_text(about, "gpu_device_name");
	if (!tp_json_number(about, "core_count", &cores) ||
	    !tp_json_number(about, "memory_size", &memory))
		return 0;
	if (tp_platform_find(platform, name ? name : "", (int64_t)cores,
	    (int64_t)memory, basis, err) < 0)
		return -1;
	if (!name && *basis != TP_PLATFORM_INFERRED)
		*basis = TP_PLATFORM_UNNAMED;
	return 0;
}

static int
same_rates(const struct tp_platform *a, const struct tp_platform *b)
{
	/* exact: both come from digits or from the same file */
	return !strcmp(a->name, b->name) &&
	    !(a->memory_bytes_per_s < b->memory_bytes_per_s) &&
	    !(a->memory_bytes_per_s > b->memory_bytes_per_s);
}

/* Read the memory bandwidths that plane ABOUT states. */
static void
keep_spaces(const struct cJSON *about, double bytes_per_s[TP_JAX_SPACES])
{
	static const char *const keys[TP_JAX_SPACES] = {
		[TP_JAX_CMEM_READ] = "peak_cmem_rd_bw_gigabytes_per_second",
		[TP_JAX_CMEM_WRITE] = "peak_cmem_wr_bw_gigabytes_per_second",
		[TP_JAX_VMEM_READ] = "peak_vmem_rd_bw_gigabytes_per_second",
		[TP_JAX_VMEM_WRITE] = "peak_vmem_wr_bw_gigabytes_per_second",
	};
	double giga;

	for (size_t i = 0; i < TP_JAX_SPACES; i++)
		bytes_per_s[i] = keys[i] && tp_json_number(about, keys[i],
		    &giga) && giga > 0 ? giga * 1e9 : 0;
}

/*
 * Use the rates that the planes of a capture state, unless the user chose a
 * platform.
 */
static int
keep_platform(struct tp_jax_trace *t, const struct tp_events *events,
    struct tp_err *err)
{
	struct tp_platform one;
	enum tp_platform_basis basis;
	const struct cJSON *i;
	double percent;

	if (t->basis == TP_PLATFORM_OPTION || t->basis == TP_PLATFORM_OFF)
		return 0;
	cJSON_ArrayForEach(i, tp_events_member(events, "planes")) {
		memset(&one, 0, sizeof one);
		if (tp_json_number(i, "matrix_unit_utilization_percent",
		    &percent) && percent > 0 && percent <= 100)
			t->matrix_unit_ratio = percent / 100;
		if (platform_of(i, &one, &basis, err) < 0)
			return -1;
		if (basis != TP_PLATFORM_UNNAMED && !t->stated.doc &&
		    t->basis != TP_PLATFORM_MIXED) {
			t->basis = basis;
			t->stated = one;
			keep_spaces(i, t->jax->space_bytes_per_s);
			continue;
		}
		if (one.doc && t->stated.doc && !same_rates(&one, &t->stated)) {
			t->basis = TP_PLATFORM_MIXED;
			tp_platform_release(&t->stated);
		}
		tp_platform_release(&one);
	}
	t->jax->platform = t->stated.doc ? &t->stated : NULL;
	if (!t->stated.doc)
		memset(t->jax->space_bytes_per_s, 0,
		    sizeof t->jax->space_bytes_per_s);
	return 0;
}

/* Slices kept before they are added up. */
#define PART_MAX 65536

/*
 * The lanes of a new file are known: their roles decide how their events are
 * treated.
 */
static void
begin_parts(struct tp_jax_trace *t, const struct tp_events *events)
{
	t->in_parts = 1;
	t->part_lane = SIZE_MAX;
	t->time.only_devices = 1;
	tp_tracks_lanes(&t->tracks, t->host_count, events);
	tp_jax_roles(t->jax, &t->tracks);
}

/* Add up the slices kept, and drop them. */
static void
end_part(struct tp_jax_trace *t)
{
	tp_tracks_nest(&t->tracks);
	tp_jax_time_add(&t->time, &t->tracks, t->jax);
	tp_tracks_drop(&t->tracks);
}

/* Take event E, FROM to TO: 1 when it was added up, 0 when it must be kept. */
static int
add_part(struct tp_jax_trace *t, const struct tp_events *events,
    const struct tp_event *e, int64_t from, int64_t to)
{
	const struct tp_track *k;

	if (!t->in_parts)
		begin_parts(t, events);
	k = tp_tracks_of_lane(&t->tracks, t->host_count, e->lane);
	t->complete_count++;
	if (k->role == TP_ROLE_HOST) {
		tp_jax_time_add_host(&t->time, t->host_count, from, to);
		return 1;
	}
	if (k->role == TP_ROLE_OTHER || k->role == TP_ROLE_STEPS)
		return 1;
	/* no kept slice continues here */
	if (t->tracks.count >= PART_MAX && (e->lane != t->part_lane ||
	    from >= t->part_end_ps))
		end_part(t);
	if (e->lane != t->part_lane || to > t->part_end_ps)
		t->part_end_ps = to;
	t->part_lane = e->lane;
	return 0;
}

/* Arguments that do not describe the operation. */
#define ASIDE ((uint64_t)1 << ARG_RUN_ID | (uint64_t)1 << ARG_STEP | \
	(uint64_t)1 << ARG_STALL | (uint64_t)1 << ARG_SCALE | \
	(uint64_t)1 << ARG_STAGE | (uint64_t)1 << ARG_STAGE_NAME | \
	(uint64_t)1 << ARG_STAGE_CATEGORY | (uint64_t)1 << ARG_DEVICE | \
	(uint64_t)1 << ARG_GROUP | (uint64_t)1 << ARG_CORRELATION | \
	(uint64_t)1 << ARG_PRODUCER_TYPE | (uint64_t)1 << ARG_PRODUCER | \
	(uint64_t)1 << ARG_CONSUMER_TYPE | (uint64_t)1 << ARG_CONSUMER | \
	(uint64_t)1 << ARG_HLO_OP | (uint64_t)1 << ARG_GRAPH)

/*
 * Whether E is an operation on a lane of a host, or may be: the name of its
 * process may come later.
 */
static int
may_be_cpu_op(const struct tp_jax_trace *t, const struct tp_events *events,
    const struct tp_event *e)
{
	const char *name;

	if (t->only_devices || t->as_peer ||
	    e->args[ARG_HLO_OP].type != TP_ARG_STRING)
		return 0;
	name = tp_events_process_name(events, tp_events_lane(events,
	    e->lane)->process);
	return !name || tp_jax_is_host(t->jax, name);
}

/*
 * Describe E by its name and arguments; for a kind seen before this needs no
 * lookup.
 */
static struct tp_described
describe(struct tp_jax_trace *t, const struct tp_event *e)
{
	static const int args[TP_DETAILS] = {
		[TP_DETAIL_TF_OP] = ARG_TF_OP,
		[TP_DETAIL_LONG_NAME] = ARG_LONG_NAME,
		[TP_DETAIL_SOURCE] = ARG_SOURCE,
		[TP_DETAIL_CATEGORY] = ARG_CATEGORY,
		[TP_DETAIL_MODEL_FLOPS] = ARG_FLOPS,
		[TP_DETAIL_BYTES] = ARG_BYTES,
		[TP_DETAIL_KERNEL] = ARG_KERNEL,
		[TP_DETAIL_PROGRAM] = ARG_PROGRAM,
		[TP_DETAIL_FLOPS] = ARG_WORK,
		[TP_DETAIL_ACCESSES] = ARG_ACCESSES,
		[TP_DETAIL_STACK] = ARG_STACK,
		[TP_DETAIL_COPY] = ARG_COPY,
		[TP_DETAIL_MODULE] = ARG_HLO_MODULE,
	};
	int is_kind = e->kind && !(e->own_args & ~ASIDE);
	struct tp_detail_text stated[TP_DETAILS];
	struct tp_described d;

	if (is_kind && e->kind <= t->kind_count &&
	    t->kinds[e->kind - 1].name != UINT32_MAX)
		return t->kinds[e->kind - 1];
	for (size_t i = 0; i < TP_DETAILS; i++)
		stated[i] = text_of(&e->args[args[i]]);
	/* on GPUs the path of scopes may be here */
	if (!t->as_peer && stated[TP_DETAIL_TF_OP].len >= 9 &&
	    !memcmp(stated[TP_DETAIL_TF_OP].text, "XlaModule", 9))
		stated[TP_DETAIL_TF_OP] = text_of(&e->args[ARG_SCOPE]);
	d = tp_tracks_describe(&t->tracks, e->name.text, e->name.len, stated);
	if (!is_kind)
		return d;
	tp_grow(&t->kinds, &t->kind_cap, e->kind, sizeof *t->kinds);
	while (t->kind_count < e->kind)
		t->kinds[t->kind_count++].name = UINT32_MAX;
	return t->kinds[e->kind - 1] = d;
}

/*
 * Limit on the distance of times from the first (53 days), so that
 * differences do not overflow.
 */
#define FAR_PS (INT64_MAX / 2)

/* A number that is neither negative nor implausibly large; else -1. */
static int64_t
count_of(const struct tp_arg *arg)
{
	int64_t n;

	return arg->type == TP_ARG_STRING && tp_jax_whole(arg->text, arg->len,
	    &n) && n >= 0 && n < INT64_MAX / 4 ? n : -1;
}

/* A number of at most 31 digits; -1 when there is none. */
static double
real_of(const struct tp_arg *arg)
{
	char number[32];

	if (arg->type != TP_ARG_STRING || !arg->len ||
	    arg->len >= sizeof number)
		return -1;
	memcpy(number, arg->text, arg->len);
	number[arg->len] = '\0';
	return strtod(number, NULL);
}

/* Add the measurements of E, described by D. */
static void
add_measurements(struct tp_jax_trace *t, const struct tp_event *e,
    const struct tp_described *d)
{
	int64_t stall = count_of(&e->args[ARG_STALL]);
	int64_t device = count_of(&e->args[ARG_DEVICE]);
	double scale = real_of(&e->args[ARG_SCALE]);
	struct tp_jax_measured m = { .stall_ps = stall > 0 ? stall : 0,
	    .has_scale = scale > 0 && scale < 1000 };

	if (m.has_scale)
		m.scaled_ps = (double)e->dur_ps * (scale - 1);
	if (device >= 0) {
		m.timed_ps = e->dur_ps;
		m.device_ps = device;
		m.differ_ps = m.differ_max_ps = device > e->dur_ps ?
		    device - e->dur_ps : e->dur_ps - device;
	}
	if (!(t->only_devices || (stall < 0 && !m.has_scale && device < 0)))
		tp_tracks_measure(&t->tracks, d, &m);
}

/* Index in NAMES of the texts of COUNT ARGS of E, joined. */
static ptrdiff_t
join(struct tp_names *names, const struct tp_event *e, const int *args,
    size_t count, const char *behind)
{
	struct tp_buf text = { 0 };
	ptrdiff_t at;

	for (size_t i = 0; i < count; i++) {
		const struct tp_arg *a = &e->args[args[i]];

		if (i)
			tp_buf_chr(&text, TP_JAX_MEMORY_PART);
		/* types may be meaningless numbers */
		if (a->type == TP_ARG_STRING && !memchr(a->text,
		    TP_JAX_MEMORY_PART, a->len) && (args[i] != ARG_TYPE ||
		    count_of(a) < 0))
			tp_buf_add(&text, a->text, a->len);
	}
	if (behind)
		tp_buf_fmt(&text, "%c%s", TP_JAX_MEMORY_PART, behind);
	at = tp_names_add(names, text.p ? text.p : "", text.len);
	tp_buf_release(&text);
	return at;
}

/* Count E for its input stage, if it has one. */
static void
add_stage(struct tp_jax_trace *t, const struct tp_event *e)
{
	static const int stated[] = { ARG_STAGE, ARG_STAGE_NAME,
	    ARG_STAGE_CATEGORY };
	struct tp_jax_stages *all = &t->stages;
	size_t had = all->names.count;
	struct tp_jax_stage *stage;
	ptrdiff_t at;

	if (e->args[ARG_STAGE].type != TP_ARG_STRING &&
	    e->args[ARG_STAGE_NAME].type != TP_ARG_STRING)
		return;
	at = join(&all->names, e, stated, 3, NULL);
	TP_ITEM(all->list, all->cap, at);
	stage = &all->list[at];
	if ((size_t)at == had)
		*stage = (struct tp_jax_stage){ 0 };
	stage->count++;
	tp_ps_add(&stage->total_ps, e->dur_ps);
	TP_MOST(stage->max_ps, e->dur_ps);
}

/* Add E, an allocation or deallocation. */
static void
add_memory(struct tp_jax_trace *t, const struct tp_event *e)
{
	static const int stated[] = { ARG_TF_OP, ARG_REGION, ARG_TYPE,
	    ARG_SHAPE };
	static const char freed[] = "MemoryDeallocation";
	struct tp_jax_memory *m = &t->memory;
	int id_of = e->args[ARG_INDEX].type ? ARG_INDEX :
	    e->args[ARG_ORDINAL].type ? ARG_ORDINAL : ARG_ALLOCATOR;
	struct tp_jax_alloc a = {
		.index = e->index,
		.host = t->host_count,
		.is_free = e->name.len == sizeof freed - 1 &&
		    !memcmp(e->name.text, freed, sizeof freed - 1),
		.addr = count_of(&e->args[ARG_ADDR]),
		.bytes = count_of(&e->args[ARG_BLOCK]),
		.reserved = count_of(&e->args[ARG_RESERVED]),
		.allocated = count_of(&e->args[ARG_ALLOCATED]),
		.available = count_of(&e->args[ARG_AVAILABLE]),
		.lifetime_peak = count_of(&e->args[ARG_LIFETIME]),
		.fragmentation = real_of(&e->args[ARG_FRAGMENTATION]),
	};
	char host[16];
	ptrdiff_t id, what = -1;

	if (a.allocated < 0 || __builtin_add_overflow(e->ts_ps, t->shift_ps,
	    &a.at_ps))
		return;
	if (a.bytes < 0)
		a.bytes = count_of(&e->args[ARG_REQUESTED]);
	snprintf(host, sizeof host, "%u", t->host_count + 1);
	id = join(&m->ids, e, &id_of, 1, host);
	if (!a.is_free)
		what = join(&m->texts, e, stated, 4, NULL);
	tp_grow(&m->events, &m->cap, m->count + 1, sizeof *m->events);
	a.id = (uint32_t)id;
	a.what = (uint32_t)(what + 1);
	m->events[m->count++] = a;
}

/* A number as an id, in *ID; 0: there is none. */
static int
id_of(const struct tp_arg *arg, uint64_t *id)
{
	char number[24];
	int64_t n;

	if (arg->type != TP_ARG_STRING && arg->type != TP_ARG_NUMBER)
		return 0;
	if (tp_jax_whole(arg->text, arg->len, &n)) {
		*id = (uint64_t)n;
		return 1;
	}
	/* above 2^63 */
	if (!arg->len || arg->len >= sizeof number)
		return 0;
	memcpy(number, arg->text, arg->len);
	number[arg->len] = '\0';
	*id = strtoull(number, NULL, 10);
	return strspn(number, "0123456789") == arg->len;
}

/* SLICE, after all that have one in TIES, has ID. */
static void
add_tie(struct tp_jax_ties *ties, uint32_t slice, uint64_t id, uint16_t type)
{
	struct tp_jax_tie *last = ties->count ?
	    &ties->list[ties->count - 1] : NULL;

	if (last && last->id == id && last->type == type &&
	    last->slice + last->count == slice && last->count < UINT16_MAX) {
		last->count++;
		return;
	}
	TP_APPEND(ties->list, ties->count, ties->cap, (struct tp_jax_tie){
	    slice, 1, type, id });
}

/* Note what ties E, the last slice, to other events. */
static void
add_ties(struct tp_jax_trace *t, const struct tp_event *e)
{
	static const struct {
		int arg, type;
	} stated[TP_JAX_TIES] = {
		[TP_JAX_GROUP] = { ARG_GROUP, -1 },
		[TP_JAX_CORRELATION] = { ARG_CORRELATION, -1 },
		[TP_JAX_RUN] = { ARG_RUN_ID, -1 },
		[TP_JAX_PRODUCED] = { ARG_PRODUCER, ARG_PRODUCER_TYPE },
		[TP_JAX_CONSUMED] = { ARG_CONSUMER, ARG_CONSUMER_TYPE },
	};
	for (int i = 0; i < TP_JAX_TIES; i++) {
		const struct tp_arg *arg = &e->args[stated[i].arg];
		uint64_t id, type = 0;

		if (!arg->type || !id_of(arg, &id) || (stated[i].type >= 0 &&
		    !id_of(&e->args[stated[i].type], &type)) ||
		    (i == TP_JAX_CORRELATION && !id))	/* none */
			continue;
		add_tie(&t->ties[i], (uint32_t)(t->tracks.count - 1), id,
		    (uint16_t)type);
	}
}

int
tp_jax_trace_add(struct tp_jax_trace *t, const struct tp_events *events,
    const struct tp_event *e, struct tp_err *err)
{
	const struct tp_arg *step = &e->args[ARG_STEP];
	const struct tp_lane *lane;
	struct tp_described described;
	struct tp_jax_event *s;
	int64_t from, to, number;
	uint64_t graph;

	if (e->phase == TP_MEMORY_PHASE && !t->only_devices) {
		if (!t->is_begun)
			begin_file(t, events);
		add_memory(t, e);
		return 0;
	}
	if (e->phase != 'X' || !e->has_ts || !e->has_dur)
		return 0;
	if (e->name.type != TP_ARG_STRING)
		return tp_fail(err, TP_BAD, "event.other", 0,
		    "an event without a name");
	if (!e->dur_ps)
		return 0;
	lane = tp_events_lane(events, e->lane);
	if (!lane->pid_is_n || !lane->tid_is_n)
		return tp_fail(err, TP_BAD, "event.other", 0, "an event whose "
		    "pid or tid is no whole number, so it is of no device");
	if (!t->is_begun)
		begin_file(t, events);
	if (__builtin_add_overflow(e->ts_ps, t->shift_ps, &from) ||
	    __builtin_add_overflow(from, e->dur_ps, &to) ||
	    from < -FAR_PS || to > FAR_PS)
		return tp_fail(err, TP_BAD, "event.badts", 0,
		    "an event is more than 53 days from the first");
	if (t->only_devices && tp_events_is_ordered(events)) {
		if (add_part(t, events, e, from, to))
			return 0;
	} else {
		t->complete_count++;
	}
	if (!t->in_parts)
		vote_run(t, &e->args[ARG_RUN_ID]);
	described = describe(t, e);
	add_measurements(t, e, &described);
	add_stage(t, e);
	s = tp_tracks_add(&t->tracks, t->host_count, e->lane, from, to,
	    &described, err);
	if (!s)
		return -1;
	s->uid = (uint32_t)e->index;
	/* of a kernel without the operation that it is; 0 is no graph */
	if (id_of(&e->args[ARG_GRAPH], &graph) && graph &&
	    !e->args[ARG_HLO_OP].type && e->args[ARG_KERNEL].type)
		tp_ps_add(&t->graph_ps, e->dur_ps);
	if (may_be_cpu_op(t, events, e))
		TP_APPEND(t->cpu_ops, t->cpu_op_count, t->cpu_op_cap,
		    (uint32_t)(t->tracks.count - 1));
	if (!t->only_devices && !t->as_peer)
		add_ties(t, e);
	if ((step->type != TP_ARG_NUMBER && step->type != TP_ARG_STRING) ||
	    !tp_jax_whole(step->text, step->len, &number) ||
	    strcmp(tp_slice_name(&t->tracks, s), tp_jax_host_step(t->jax)))
		return 0;
	TP_APPEND(t->marks, t->mark_count, t->mark_cap, (struct tp_jax_mark){
	    (uint32_t)(t->tracks.count - 1), number });
	return 0;
}

/* Name the host after its file. */
static void
name_host(struct tp_jax_trace *t, const char *path)
{
	const char *name;
	size_t len = tp_capture_host(path, &name);

	TP_APPEND(t->names, t->name_count, t->name_cap,
	    tp_dup_part(name, len));
}

/* Whether the file being read has as many events as the exporter keeps. */
static int
is_at_limit(const struct tp_jax_trace *t)
{
	return tp_jax_at_limit(t->jax, t->complete_count -
	    t->other_complete) || tp_jax_at_limit(t->jax, t->event_count -
	    t->other_events);
}

int
tp_jax_trace_end(struct tp_jax_trace *t, const struct tp_events *events,
    const char *path, struct tp_err *err)
{
	const char *unit = cJSON_GetStringValue(
	    tp_events_member(events, "displayTimeUnit"));
	int at_limit;

	t->event_count += tp_events_elements(events);
	if (unit && !t->time_unit)
		t->time_unit = tp_dup(unit);
	if (t->in_parts)
		end_part(t);
	t->in_parts = t->is_begun = 0;
	t->kind_count = 0;
	if (keep_platform(t, events, err) < 0)
		return -1;
	at_limit = is_at_limit(t);
	t->has_limit |= at_limit;
	if (t->host_count < t->tracks.host_count)
		t->tracks.axes[t->host_count].is_cut = at_limit;
	t->other_complete = t->complete_count;
	t->other_events = t->event_count;
	name_host(t, path);
	tp_tracks_names(&t->tracks, t->host_count++, events);
	return 0;
}

/*
 * Without a device that has operations, those of threads of hosts make the
 * CPU the device.
 */
static void
find_cpu_ops(struct tp_jax_trace *t)
{
	struct tp_tracks *k = &t->tracks;
	size_t n = 0;

	for (size_t i = 0; i < k->track_count; i++)
		if (k->tracks[i].count && (k->tracks[i].role == TP_ROLE_OPS ||
		    k->tracks[i].role == TP_ROLE_FLIGHT))
			return;
	for (size_t i = 0; i < t->cpu_op_count; i++)
		if (k->tracks[k->slices[t->cpu_ops[i]].track].role ==
		    TP_ROLE_HOST)
			t->cpu_ops[n++] = t->cpu_ops[i];
	if (!n)
		return;
	t->on_cpu = 1;
	tp_tracks_split(k, t->cpu_ops, n, "/device:CPU", "XLA Ops");
	tp_jax_roles(t->jax, k);
}

/* Keep step marks on lanes of hosts only. */
static void
keep_host_marks(struct tp_jax_trace *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->mark_count; i++) {
		const struct tp_jax_event *s =
		    &t->tracks.slices[t->marks[i].slice];

		if (t->tracks.tracks[s->track].role == TP_ROLE_HOST)
			t->marks[kept++] = t->marks[i];
	}
	t->mark_count = kept;
}

/*
 * Find where captures were cut: of each host that has as many events as the
 * exporter keeps, these are the earliest.  Other readers do not ask.
 */
static void
find_cuts(struct tp_jax_trace *t)
{
	struct tp_tracks *k = &t->tracks;

	for (size_t i = 0; i < k->host_count; i++) {
		k->axes[i].is_cut &= !t->as_peer;
		k->axes[i].cut_ps = INT64_MIN;
	}
	for (size_t i = 0; i < k->count; i++) {
		const struct tp_track *track = &k->tracks[k->slices[i].track];

		TP_MOST(k->axes[track->host].cut_ps, k->slices[i].from_ps);
		t->python_count += track->role == TP_ROLE_HOST &&
		    tp_jax_is_python(k, &k->slices[i]);
	}
}

/* Count slices per source, by first appearance. */
static void
vote_sources(struct tp_jax_trace *t)
{
	const struct tp_tracks *k = &t->tracks;
	uint64_t *counts = tp_zalloc(k->detail_count * sizeof *counts);

	for (size_t i = 0; i < k->count; i++)
		counts[k->slices[i].detail]++;
	for (size_t i = 0; i < k->detail_count; i++) {
		const struct tp_name *source =
		    &k->texts.names[k->details[i].of[TP_DETAIL_SOURCE]];

		if (source->len)
			vote(&t->sources, source->text, source->len, counts[i]);
	}
	tp_free(counts);
}

const struct tp_jax_links *
tp_jax_trace_links(struct tp_jax_trace *t)
{
	if (!t->links.calls)
		tp_jax_links_make(&t->links, &t->tracks, t->jax, t->ties);
	return &t->links;
}

/* Find the steps. */
static void
make_steps(struct tp_jax_trace *t)
{
	struct tp_jax_marked marked = { 0 };

	if (!t->as_peer && t->mark_count)
		tp_jax_marked_make(&marked, &t->tracks, t->jax, &t->time,
		    t->marks, t->mark_count, tp_jax_trace_links(t));
	tp_jax_steps_make(&t->steps, &t->tracks, t->marks, t->mark_count,
	    &marked, t->warmup);
	tp_jax_marked_release(&marked);
}

void
tp_jax_trace_analyse(struct tp_jax_trace *t)
{
	tp_tracks_nest(&t->tracks);
	tp_jax_roles(t->jax, &t->tracks);
	t->tracks.is_aligned = t->host_count > 1 && !t->is_apart;
	if (t->only_devices) {
		tp_jax_time_add(&t->time, &t->tracks, t->jax);
		tp_jax_time_end(&t->time);
		return;
	}
	find_cpu_ops(t);
	keep_host_marks(t);
	find_cuts(t);
	tp_jax_memory_make(&t->memory);
	vote_sources(t);
	tp_jax_time_add(&t->time, &t->tracks, t->jax);
	tp_jax_time_end(&t->time);
	make_steps(t);
	tp_jax_hosts_make(&t->hosts, &t->time, &t->steps,
	    t->tracks.is_aligned);
	tp_jax_missing_make(&t->missing, &t->tracks, t->jax, &t->time,
	    &t->steps);
	tp_jax_ops_make(&t->ops, &t->tracks, t->jax, t->as_peer);
	tp_jax_collectives(&t->collectives, &t->ops, &t->tracks, t->jax,
	    t->as_peer);
	tp_jax_gaps_make(&t->gaps, &t->tracks, t->jax, t->as_peer);
	tp_jax_regions_make(&t->regions, &t->tracks, t->jax);
	tp_jax_samples_make(&t->samples, &t->steps, &t->ops, &t->tracks,
	    t->jax, t->as_peer);
	tp_jax_windows_make(&t->windows, &t->ops, &t->tracks, t->jax);
}

/*
 * Whether a device with many operations ends a twentieth of the span before
 * another of its host, and has fewer operations than that one.  With as many
 * it did the same work faster, and nothing of it is missing.
 */
static int
ends_unevenly(const struct tp_jax_time *time, uint32_t host)
{
	enum { MANY = 100, PART = 20 };
	const struct tp_jax_device *first = NULL, *last = NULL;

	for (size_t i = 0; i < time->device_count; i++) {
		const struct tp_jax_device *d = &time->devices[i];

		if (d->host != host || d->count < MANY)
			continue;
		if (!first || d->last_ps < first->last_ps)
			first = d;
		if (!last || d->last_ps > last->last_ps)
			last = d;
	}
	return first && last->last_ps - first->last_ps >
	    tp_jax_span(time, host) / PART &&
	    first->count < last->count - last->count / (PART * 2);
}

const char *
tp_jax_trace_truncated(const struct tp_jax_trace *t)
{
	if (t->has_limit || is_at_limit(t))
		return TP_JAX_AT_LIMIT;
	for (uint32_t host = 0; host < t->time.host_count; host++)
		if (ends_unevenly(&t->time, host))
			return TP_JAX_LANE_ENDS;
	return NULL;
}
