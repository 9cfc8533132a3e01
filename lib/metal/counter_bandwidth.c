/* counter_bandwidth - memory traffic of a GPU, and the peak of its chip */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/metal/counter.h>
#include <tp/order.h>
#include <tp/share.h>

/* billionths of a unit, times ns */
#define SCALE ((tp_int128)1000000000 * 1000000000)

struct moved {
	int64_t bytes;
	int64_t windows_ns, active_ns;	/* time of windows with traffic, and of
					 * work; active_ns 0: unknown */
	int64_t from_ns, to_ns;		/* sampled */
	int counters;
};

/* Whether S counts bytes the GPU reads from or writes to memory. */
static int
is_traffic(const struct tp_counter *c, const struct tp_counter_series *s)
{
	return s->name >= 0 && tp_counter_is(c, c->names.names[s->name].text,
	    "bandwidth") && !s->sampled && !s->percent && s->unit > 0 &&
	    !s->all.overflow;
}

static struct moved
moved_by(const struct tp_counter *c, ptrdiff_t gpu)
{
	const struct tp_counter_series *s;
	struct moved m = { 0 };
	tp_int128 sum = 0, part;

	for (size_t i = 0; i < c->places.count; i++) {
		s = &c->series[i];
		if (s->gpu != gpu || !is_traffic(c, s))
			continue;
		if (__builtin_mul_overflow(s->all.sum, (tp_int128)s->unit,
		    &part) || __builtin_add_overflow(sum, part, &sum))
			return (struct moved){ 0 };
		if (!m.counters++ || s->first_ns < m.from_ns)
			m.from_ns = s->first_ns;
		TP_MOST(m.to_ns, s->last_ns);
		/* the maximum, since reads and writes overlap */
		TP_MOST(m.windows_ns, s->nonzero.weight);
	}
	m.bytes = tp_div_even(sum, SCALE);
	/* only when all work was sampled, and no other GPU did it */
	if (c->gpus.count == 1 && m.from_ns <= c->active.from_ns &&
	    m.to_ns >= c->active.to_ns)
		m.active_ns = c->active.ns;
	return m;
}

/* Peak bytes per second of the memory of GPU; 0: unknown. */
static double
peak_of(const struct cJSON *doc, const char *gpu)
{
	double rate;

	if (!strncmp(gpu, "Apple ", 6))
		gpu += 6;
	return tp_json_number(tp_json_get(tp_json_get(doc, "gpus"), gpu),
	    "memory_bytes_per_s", &rate) && rate > 0 ? rate : 0;
}

static void
emit_moved(const struct moved *m, const char *gpu, double limit,
    struct tp_out *out)
{
	double rate = (double)m->bytes * 1e9 / (double)(m->active_ns > 0 ?
	    m->active_ns : m->windows_ns);

	tp_out_begin(out, "counter.bandwidth");
	tp_out_text(out, "scope", "all");
	tp_out_text(out, "gpu", gpu);
	tp_out_int(out, "counter_count", m->counters);
	tp_out_int(out, "moved_bytes", m->bytes);
	tp_out_int(out, "moving_ns", m->windows_ns);
	if (m->active_ns > 0)
		tp_out_int(out, "active_ns", m->active_ns);
	tp_out_real(out, "moved_bytes_per_s", rate);
	if (limit > 0)
		tp_out_real(out, "memory_bytes_per_s", limit);
	/* a higher rate cannot have come from memory */
	if (limit > 0 && rate <= limit)
		tp_out_real(out, "moved_of_memory_ratio", rate / limit);
	tp_out_end(out);
}

int
tp_counter_bandwidth(const struct tp_counter *c, struct tp_out *out,
    struct tp_err *err)
{
	const struct tp_name **gpus = tp_names_sorted(&c->gpus);
	struct cJSON *doc = NULL;
	struct moved m;
	int rc = 0;

	for (size_t i = 0; i < c->gpus.count; i++) {
		m = moved_by(c, gpus[i] - c->gpus.names);
		if (!m.counters || m.windows_ns <= 0)
			continue;
		if (!doc && !(doc = tp_share_json("platforms/apple.json",
		    err))) {
			rc = -1;
			break;
		}
		emit_moved(&m, gpus[i]->text, peak_of(doc, gpus[i]->text), out);
	}
	cJSON_Delete(doc);
	tp_free(gpus);
	return rc;
}
