/* trace_jax - tp-trace on a trace of JAX */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <tp/judge/rule.h>
#include <tp/share.h>
#include <tp/timeline/path.h>

#include "trace.h"

int
trace_jax_is_brief(const struct tp_run *run)
{
	static const char *const kinds[] = { "timeline.summary",
	    "timeline.device", "source", "note" };
	const char *only = run->out.only, *one;
	size_t len, count = sizeof kinds / sizeof *kinds, i;

	if (!only || trace_folded || trace_pixels ||
	    strcmp(trace_breakdown, "device"))
		return 0;
	while (tp_only_next(&only, &one, &len)) {
		for (i = 0; i < count; i++)
			if (strlen(kinds[i]) == len &&
			    !memcmp(kinds[i], one, len))
				break;
		if (i == count)
			return 0;
	}
	return 1;
}

/* Whether a process of a device is known, or else the CPU may be the device. */
static int
has_device(const struct tp_run *run, const struct tp_jax *jax)
{
	for (size_t i = 0; i < tp_events_process_count(run->events); i++) {
		const char *name = tp_events_process_name(run->events, i);

		if (name && tp_jax_is_device(jax, name))
			return 1;
	}
	return 0;
}

/* The capture of RUN's trace, made on first use. */
static struct tp_jax_trace *
capture_of(struct tp_run *run)
{
	struct trace_state *state = run->trace->state;
	struct tp_jax_trace *c = &state->jax;

	if (!c->jax) {
		if (tp_jax_trace_init(c, &run->err) < 0)
			tp_die_err(run);
		c->warmup = trace_warmup;
		c->pixels = (size_t)trace_pixels;
		c->is_part = run->out.exact;
		c->as_peer = strcmp(trace_breakdown, "device") != 0;
		c->jax->platform = trace_held_against;
		c->only_devices = trace_jax_is_brief(run) &&
		    has_device(run, c->jax);
		c->basis = trace_held_against ? TP_PLATFORM_OPTION :
		    trace_platform_off ? TP_PLATFORM_OFF :
		    TP_PLATFORM_UNNAMED;
	}
	return c;
}

void
trace_jax_event(struct tp_run *run)
{
	tp_take(run, tp_jax_trace_add(capture_of(run), run->events,
	    &run->event, &run->err));
}

void
trace_jax_end(struct tp_run *run)
{
	if (tp_jax_trace_end(capture_of(run), run->events, run->path,
	    &run->err) < 0)
		tp_die_err(run);
}

/* SOURCE_DATE_EPOCH, else when the newest input was written. */
static const char *
generated_at(const struct tp_run *run, char *text, size_t size)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t at = epoch ? (time_t)strtoll(epoch, NULL, 10) : 0;
	struct stat st;
	struct tm tm;

	for (int i = 0; !epoch && i < run->operand_count; i++)
		if (!stat(run->operands[i], &st) && st.st_mtime > at)
			at = st.st_mtime;
	if ((!at && !epoch) || !gmtime_r(&at, &tm) ||
	    !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return text;
}

/*
 * The records of C, and what the rules say about them; by another basis than
 * the devices, the shares alone.
 */
static int
judge(struct tp_run *run, struct tp_jax_trace *c,
    enum tp_jax_basis basis, struct tp_set *records, struct tp_set *findings)
{
	static const char *const names[] = { "jax-candidates", NULL };
	struct tp_rules *rules = NULL;
	struct tp_out out;
	int rc = 0;

	tp_out_init(&out, -1);
	if (basis == TP_JAX_DEVICE)
		rc = tp_jax_emit(c, TP_JAX_EMIT_ALL, &out, &run->err);
	else
		tp_jax_emit_chosen(c, basis, &out);
	if (!rc)
		rc = tp_set_take(records, &out, &run->err);
	if (!rc && !(rules = tp_rules_load(basis == TP_JAX_DEVICE ? NULL :
	    names, "none", records, &run->err)))
		rc = -1;
	if (!rc)
		rc = tp_rules_apply(rules, records, &out, &run->err);
	if (!rc)
		rc = tp_set_take(findings, &out, &run->err);
	tp_rules_free(rules);
	tp_out_release(&out);
	return rc;
}

/* Where the events are from; what is in an artifact by its place in it. */
static void
tell_source(const struct tp_run *run, struct tp_jax_summary *s)
{
	const char *path = run->operand_count ? run->operands[0] : "-";
	struct cJSON *about;

	if (!strcmp(path, "-"))
		return;
	s->source_path = trace_in_artifact(path, &about);
	s->artifact = about;
	if (!about)
		s->source_path = path;
}

static void
document(struct tp_run *run, struct tp_jax_trace *c)
{
	struct tp_jax_summary s = { .hot_ops = (size_t)trace_hot_ops };
	struct tp_set records = { 0 }, findings = { 0 };
	struct cJSON *keep = tp_share_json("summary.json", &run->err);
	struct tp_buf buf = { 0 };
	char when[32], sha[65];
	int rc;

	if (!keep)
		tp_die_err(run);
	s.keep = keep;
	s.basis = !strcmp(trace_breakdown, "device") ? TP_JAX_DEVICE :
	    !strcmp(trace_breakdown, "per-track") ? TP_JAX_PER_TRACK :
	    TP_JAX_GLOBAL;
	s.generated_at = generated_at(run, when, sizeof when);
	tell_source(run, &s);
	if (s.source_path && run->operand_count == 1) {
		trace_digest(run, run->operands[0], sha);
		s.sha256 = sha;
	}
	s.records = &records;
	s.findings = &findings;
	rc = judge(run, c, s.basis, &records, &findings);
	if (!rc) {
		tp_jax_summarise(c, &s, &buf);
		tp_out_raw(&run->out, buf.p, buf.len);
	}
	tp_buf_release(&buf);
	tp_set_release(&records);
	tp_set_release(&findings);
	cJSON_Delete(keep);
	if (rc)
		tp_die_err(run);
}

void
trace_jax_emit(struct tp_run *run, const struct trace_part *part)
{
	struct trace_state *state = run->trace->state;
	struct tp_jax_trace *c = &state->jax;
	const struct tp_path_options path = { .process_rank = trace_rank,
	    .what_ifs = trace_what_ifs, .pieces = trace_pieces };

	if (!c->host_count)
		return;		/* nothing of it could be read */
	tp_jax_trace_analyse(c);
	if (part->jax == TP_JAX_EMIT_PATH) {
		if (tp_jax_emit_path(c, &path, &run->out, &run->err) < 0)
			tp_die_err(run);
		return;
	}
	if (trace_folded) {
		tp_jax_folded(c, !strcmp(trace_folded, "host"), &run->out);
		return;
	}
	if (!part->jax)
		document(run, c);
	else if (tp_jax_emit(c, part->jax, &run->out, &run->err) < 0)
		tp_die_err(run);
	if (trace_pixels && (part->jax & TP_JAX_EMIT_TIME))
		tp_jax_emit_lanes(c, (size_t)trace_pixels, &run->out);
}
