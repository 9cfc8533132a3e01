/* Shapes, names, regions, nesting and steps of a JAX trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jax/hlo_ops.h"
#include "jax/steps.h"
#include "jax/jax.h"
#include "pick.h"

static int failed;
static const struct tp_detail_text no_detail[TP_DETAILS];

/* [FROM, TO) called NAME on one lane. */
static void
add_to(struct tp_tracks *t, size_t lane, int64_t from, int64_t to,
    const char *name)
{
	struct tp_described d = tp_tracks_describe(t, name, strlen(name),
	    no_detail);
	struct tp_err err;

	if (!tp_tracks_add(t, 0, lane, from, to, &d, &err))
		exit(1);
}

static void
add(struct tp_tracks *t, int64_t from, int64_t to, const char *name)
{
	add_to(t, 0, from, to, name);
}

static void
same(const char *what, const char *got, const char *want)
{
	if (!strcmp(got ? got : "", want))
		return;
	printf("not ok xla: %s: got '%s', want '%s'\n", what,
	    got ? got : "", want);
	failed = 1;
}

static void
check(const char *what, double got, double want)
{
	if (fabs(got - want) <= 1e-9 * fabs(want))
		return;
	printf("not ok xla: %s: got %.17g, want %.17g\n", what, got, want);
	failed = 1;
}

static void
shapes(void)
{
	static const struct { const char *hlo, *shape; } cases[] = {
		{ "%f.1 = bf16[8,2048]{1,0:T(8,128)} fusion(bf16[4] %p)",
		  "8,2048" },
		{ "%t = (f32[2,3]{1,0}, bf16[4]{0:T(256)}) custom-call(u8[9])",
		  "2,3|4" },
		{ "%x = f64[8] add(f32[4] %a)", "" },
		{ "no sign f32[4] s32[] u32[5,6] s64[7]", "4|5,6" },
		{ "%s = f32[] constant(0)", "" },
		{ "", "" },
		{ "=", "" },
		{ "= (", "" },
		{ "= f32[", "" },
		{ "f32[1]f32[2]f32[3]f32[4]f32[5]f32[6]f32[7]f32[8]f32[9]",
		  "1|2|3|4|5|6|7|8" },
	};
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tp_buf_clear(&buf);
		tp_jax_shape(&buf, cases[i].hlo);
		same(cases[i].hlo, buf.p, cases[i].shape);
	}
	tp_buf_release(&buf);
}

static void
work(void)
{
	check("elements of the largest", tp_jax_work("2,3|4,5",
	    TP_JAX_FLOPS_SHAPE), 20);
	check("attention", tp_jax_work("8,16,2048,64", TP_JAX_FLOPS_ATTENTION),
	    2.0 * 8 * 16 * 2048 * 2048 * 128);
	check("attention with two head sizes", tp_jax_work(
	    "1,2,4,8|1,2,4,16", TP_JAX_FLOPS_ATTENTION), 2.0 * 2 * 16 * 24);
	check("attention of low rank", tp_jax_work("3,4",
	    TP_JAX_FLOPS_ATTENTION), 12);
	check("loss", tp_jax_work("8,100", TP_JAX_FLOPS_LOSS), 1600);
	check("nothing", tp_jax_work("", TP_JAX_FLOPS_SHAPE), 0);
	check("a dimension of 0", tp_jax_work("0,5", TP_JAX_FLOPS_SHAPE), 0);
	check("many dimensions", tp_jax_work(
	    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,9", TP_JAX_FLOPS_SHAPE), 1);
}

static void
names(struct tp_jax *jax)
{
	static const struct { const char *name, *canonical; } cases[] = {
		{ "fusion.12", "fusion" }, { " %copy.1 ", "copy" },
		{ "copy.1.2", "copy.1" }, { "a.", "a." }, { ".5", "" },
		{ "%", "" }, { "x.1y", "x.1y" }, { "", "" },
	};
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tp_buf_clear(&buf);
		tp_jax_canonical(&buf, cases[i].name);
		same(cases[i].name, buf.p, cases[i].canonical);
	}
	tp_buf_release(&buf);
	same("psum", tp_jax_collective(jax, "psum.1"), "all-reduce");
	same("a shuffle", tp_jax_collective(jax, "shuffle"),
	    "other-collective");
	same("copy alone", tp_jax_family(jax, "copy", NULL), "copy");
	same("copying", tp_jax_family(jax, "copying", NULL), "other");
	same("recopy.1", tp_jax_family(jax, "recopy.1", NULL), "other");
	check("an iota marks", tp_jax_marker(jax, "IOTA"), 1);
	check("copy-start marks", tp_jax_marker(jax, "copy-start-x"), 1);
	check("a copy does not", tp_jax_marker(jax, "copy"), 0);
}

static void
region(struct tp_jax *jax, struct tp_tracks *t, const char *tf_op,
    const char *name, const char *want, int want_bare)
{
	ptrdiff_t path = tp_tracks_text(t, tf_op, strlen(tf_op));
	ptrdiff_t at = tp_names_add(&t->names, name, strlen(name));
	struct tp_buf buf = { 0 };
	int bare;

	for (int twice = 0; twice < 2; twice++) {
		uint32_t r = tp_jax_region_of(jax, t, (uint32_t)path,
		    (uint32_t)at, &bare);

		tp_buf_clear(&buf);
		tp_jax_region_path(jax, r, &buf);
		same(*tf_op ? tf_op : name, buf.p, want);
		check(name, bare, want_bare);
	}
	tp_buf_release(&buf);
}

static void
regions(struct tp_jax *jax, struct tp_tracks *t)
{
	region(jax, t, "jit(train_step)/jit(main)/transpose(jvp(block))/dot:",
	    "f.1", "train_step=>main=>block=>dot", 0);
	region(jax, t, "jit/pjit(f)/xla_ops/PjRt client", "f.2", "f", 0);
	region(jax, t, "jit( jvp )/ /", "f.3", "f", 1);
	region(jax, t, "", "step=>forward=>matmul", "step=>forward=>matmul", 0);
	region(jax, t, "", "xla::Thunk::run", "run", 0);
	region(jax, t, "", "all-reduce.9", "all-reduce", 1);
	region(jax, t, "dynamic_donated[0].model.w:", "c", "model.w", 0);
	region(jax, t, "a/b", "other", "a=>b", 0);
	region(jax, t, "named_call(a)/b", "c", "a=>b", 0);
}

static void
wholes(void)
{
	static const struct { const char *text; int yes; int64_t n; } cases[] =
	{
		{ "7", 1, 7 }, { " -12\n", 1, -12 }, { "+3", 1, 3 },
		{ "1_000", 1, 1000 }, { "1__0", 0, 0 }, { "_1", 0, 0 },
		{ "1_", 0, 0 }, { "", 0, 0 }, { "-", 0, 0 }, { "1.0", 0, 0 },
		{ "9223372036854775807", 1, INT64_MAX },
		{ "9223372036854775808", 0, 0 }, { "0x1", 0, 0 },
	};
	int64_t n;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		n = 0;
		check(cases[i].text, tp_jax_whole(cases[i].text,
		    strlen(cases[i].text), &n), cases[i].yes);
		check(cases[i].text, (double)n, (double)cases[i].n);
	}
}

/* How often each picosecond was covered by add_up(). */
static void
add_up(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	unsigned char *map = arg;

	check("innermost", from < s->from_ps || to > s->to_ps || from >= to,
	    0);
	for (; from < to; from++)
		map[from]++;
}

/* Exclusive times of slices that nest add up to their union; the innermost
 * stretches cover it once, whatever overlaps. */
static void
nest(int round, int nested)
{
	unsigned char covered[256] = { 0 }, inner[256] = { 0 };
	struct tp_tracks t;
	int64_t own = 0, busy = 0;

	tp_tracks_init(&t);
	for (int i = 0; i < 12; i++) {
		int64_t width = nested ? 128 >> pick(6) : 1 + pick(90);
		int64_t from = nested ? pick(256 / width) * width :
		    pick(256 - width);

		add(&t, from, from + width, "x");
		memset(covered + from, 1, (size_t)width);
	}
	tp_tracks_nest(&t);
	for (size_t i = 0; i < t.count; i++)
		own += t.slices[i].own_ps;
	tp_tracks_innermost(&t, &t.tracks[0], add_up, inner);
	for (int i = 0; i < 256; i++)
		busy += covered[i];
	if (memcmp(covered, inner, sizeof covered)) {
		printf("not ok xla: innermost stretches in round %d\n", round);
		failed = 1;
	}
	if (nested)
		check("exclusive times", (double)own, (double)busy);
	tp_tracks_release(&t);
}

/* Steps of the given ps, one a device. */
static void
classes(struct tp_tracks *t, const int64_t *ps, size_t n,
    struct tp_jax_steps *st)
{
	char name[24];

	tp_tracks_init(t);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%zu", i);
		add(t, (int64_t)i * 1000, (int64_t)i * 1000 + ps[i], name);
	}
	t->tracks[0].role = TP_ROLE_STEPS;
	tp_jax_steps_make(st, t, NULL, 0, NULL, 1);
}

static void
steps(void)
{
	static const int64_t plain[] = { 900, 100, 102, 101 };
	static const int64_t heavy[] = { 900, 100, 100, 400, 101, 100, 400,
		100, 100, 400 };
	static const int64_t close[] = { 1, 100, 104, 120, 100, 104, 120, 100 };
	struct tp_jax_steps st;
	struct tp_tracks t;

	classes(&t, plain, 4, &st);
	check("steps", (double)st.count, 4);
	check("warm-up is by number", (double)st.warmup_count, 1);
	check("median", st.steady.median, 101);
	check("p90 is linear", st.steady.p90, 101.8);
	check("few steps are of one class", (double)st.class_count, 1);
	tp_jax_steps_release(&st);
	tp_tracks_release(&t);

	classes(&t, heavy, 10, &st);
	check("two classes", (double)st.class_count, 2);
	same("the second", st.classes[1].name, "heavy");
	check("its steps", (double)st.classes[1].times.count, 3);
	check("its period", (double)st.classes[1].period, 3);
	check("its example", (double)st.classes[1].number, 3);
	check("the light one", (double)st.classes[0].number, 1);
	tp_jax_steps_release(&st);
	tp_tracks_release(&t);

	classes(&t, close, 8, &st);
	check("a fifth apart is no class", (double)st.class_count, 1);
	tp_jax_steps_release(&st);
	tp_tracks_release(&t);
}

/*
 * The time on devices of steps that a host marks: what each step adds to the
 * time covered up to its end, without the pause before it; so the times of a
 * device sum to at most what it spans.
 */
static void
marked(void)
{
	enum { STEPS = 8, DEVICES = 2 };
	struct tp_jax_marked_work list[STEPS * DEVICES];
	struct tp_jax_mark marks[STEPS];
	struct tp_jax_marked m = { .list = list, .works_on = 1 };
	int64_t want[STEPS] = { 0 }, sum = 0, span = 0;
	struct tp_jax_steps st;
	struct tp_tracks t;
	size_t known[STEPS] = { 0 };

	tp_tracks_init(&t);
	for (int i = 0; i < STEPS; i++) {
		add(&t, i * 10, i * 10 + 5, "train");
		marks[i] = (struct tp_jax_mark){ (uint32_t)i, i };
	}
	for (size_t d = 1; d <= DEVICES; d++)
		add_to(&t, d, 0, 1, "x");
	for (size_t i = 0; i < t.track_count; i++)
		t.tracks[i].pid = (int64_t)i;
	for (uint32_t d = 1; d <= DEVICES; d++) {
		int64_t from = pick(20), reach = 0, first = -1;

		for (uint32_t i = 0; i < STEPS; i++) {
			int64_t to = from + 1 + pick(50), at = from;

			if (pick(4)) {	/* else its work is not known */
				first = first < 0 ? from : first;
				list[m.count++] = (struct tp_jax_marked_work){
				    i, d, from, to };
				at = at > reach ? at : reach;
				reach = to > reach ? to : reach;
				want[i] += to > at ? to - at : 0;
				known[i] += to > at;
			}
			from += 1 + pick(40);
		}
		span += first < 0 ? 0 : reach - first;
	}
	tp_jax_steps_make(&st, &t, marks, STEPS, &m, 0);
	check("all marked steps", (double)st.count, STEPS);
	for (size_t i = 0; i < st.count; i++) {
		check("devices of a marked step", (double)st.list[i].count,
		    (double)known[i]);
		check("time of a marked step", (double)st.list[i].sum_ps,
		    (double)want[i]);
		check("its mark", (double)st.list[i].host_sum_ps, 5);
		sum += st.list[i].sum_ps;
	}
	check("what marked steps sum to", sum <= span, 1);
	tp_jax_steps_release(&st);
	tp_tracks_release(&t);
}

/* A capture that stopped at a limit of the exporter, or where the devices did
 * not stop together, by a twentieth of what they span. */
static void
truncated(struct tp_jax *jax)
{
	struct tp_jax_device devices[] = {
		{ .count = 100, .last_ps = 1000 },
		{ .count = 100, .last_ps = 950 },
		{ .count = 99, .last_ps = 10 },
	};
	struct tp_jax_host_time host = { .device_count = 3, .last_ps = 1000 };
	struct tp_jax_trace t = { .jax = jax, .time = { .devices = devices,
	    .device_count = 3, .hosts = &host, .host_count = 1 } };

	same("a twentieth early", tp_jax_trace_truncated(&t), "");
	devices[1].last_ps = 949;
	same("the same work, faster", tp_jax_trace_truncated(&t), "");
	devices[0].count = 200;
	devices[1].count = 195;
	same("hardly less work", tp_jax_trace_truncated(&t), "");
	devices[1].count = 194;
	same("more than that", tp_jax_trace_truncated(&t), "lane-ends");
	devices[1].last_ps = 1000;
	t.complete_count = 999999;
	same("below the limit", tp_jax_trace_truncated(&t), "");
	t.complete_count = 1000000;
	same("at the limit", tp_jax_trace_truncated(&t), "event-limit");
	t.complete_count = 1000999;
	same("with the last", tp_jax_trace_truncated(&t), "event-limit");
	t.complete_count = 1001000;
	same("beyond the limit", tp_jax_trace_truncated(&t), "");
	t.event_count = 5000000;
	same("of all events", tp_jax_trace_truncated(&t), "event-limit");
}

int
main(void)
{
	struct tp_tracks t;
	struct tp_err err;
	struct tp_jax *jax = tp_jax_new(&err);

	if (!jax) {
		printf("not ok xla: %s\n", err.text);
		return 1;
	}
	tp_tracks_init(&t);
	shapes();
	work();
	names(jax);
	regions(jax, &t);
	wholes();
	for (int i = 0; i < 300; i++)
		nest(i, i % 2);
	steps();
	for (int i = 0; i < 300; i++)
		marked();
	truncated(jax);
	tp_tracks_release(&t);
	tp_jax_free(jax);
	if (!failed)
		puts("ok xla: shapes, names, regions, nesting and steps");
	return failed;
}
