/* emit_regions - regions of the model as records */
#include <ctype.h>

#include <tp/alloc.h>

#include "emit_jax.h"
#include "tab.h"

/* Append PATH to BUF with every number replaced by '*'. */
static void
pattern(struct tp_buf *buf, const char *path)
{
	while (*path) {
		if (!isdigit((unsigned char)*path)) {
			tp_buf_chr(buf, *path++);
			continue;
		}
		tp_buf_chr(buf, '*');
		while (isdigit((unsigned char)*path))
			path++;
	}
}

static void
out_is_scope(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct tp_jax_region_time *list = arg;

	for (size_t i = 0; i < count; i++)
		if (list[items[i]].is_scope)
			return;
	tp_out_bool(out, key, 0);
}

/* Write regions whose paths differ only in numbers: the layers of a model. */
static void
emit_alike(const struct tp_jax_trace *c, struct tp_out *out)
{
	struct tp_jax_region_time *list = c->regions.list;
	struct tp_tab tab = { .count = c->regions.count, .process_rank = -1,
	    .also = out_is_scope, .also_arg = list };
	uint32_t *paths = tp_alloc((tab.count + 1) * sizeof *paths);
	struct tp_names names = { 0 };
	struct tp_buf path = { 0 }, key = { 0 };

	for (size_t i = 0; i < tab.count; i++) {
		tp_buf_clear(&path);
		tp_buf_clear(&key);
		tp_jax_region_path(c->jax, list[i].region, &path);
		pattern(&key, path.p ? path.p : "");
		paths[i] = (uint32_t)tp_names_add(&names, key.p ? key.p : "",
		    key.len);
	}
	TP_TAB_ARRAY(&tab, NULL, "region", TP_TAB_NAME, paths)->names = &names;
	TP_TAB_FIELD(&tab, NULL, "count", TP_TAB_INT, list, count);
	TP_TAB_FIELD(&tab, NULL, "inclusive", TP_TAB_PS, list, inclusive_ps);
	TP_TAB_FIELD(&tab, NULL, "own", TP_TAB_PS, list, own_ps);
	tp_tab_total(&tab, "own", c->regions.total_ps);
	tp_tab_emit(&tab, "region.alike", NULL, out);
	tp_names_release(&names);
	tp_buf_release(&path);
	tp_buf_release(&key);
	tp_free(paths);
}

static void
emit_each(const struct tp_jax_trace *c, struct tp_out *out)
{
	struct tp_buf path = { 0 };

	for (size_t i = 0; i < c->regions.count; i++) {
		const struct tp_jax_region_time *r = &c->regions.list[i];

		tp_buf_clear(&path);
		tp_jax_region_path(c->jax, r->region, &path);
		tp_out_begin(out, "region");
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_bytes(out, "region", path.p ? path.p : "", path.len);
		if (!r->is_scope)
			tp_out_bool(out, "is_scope", 0);
		tp_out_int(out, "depth", tp_jax_region_at(c->jax,
		    r->region)->depth);
		tp_out_int(out, "count", (int64_t)r->count);
		tp_out_ps(out, "inclusive_ns", r->inclusive_ps);
		tp_out_ps(out, "exclusive_ns", r->own_ps);
		tp_out_ratio(out, "inclusive_ratio", r->inclusive_ps,
		    c->regions.total_ps);
		tp_jax_samples_emit_region(&c->samples, r->region, out);
		tp_out_end(out);
	}
	tp_buf_release(&path);
}

/* Write operations by what a scope lane or the host ran. */
static void
emit_windows(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;
	struct tp_buf path = { 0 };

	for (size_t i = 0; i < c->windows.count; i++) {
		const struct tp_jax_window *w = &c->windows.list[i];

		tp_buf_clear(&path);
		tp_jax_region_path(c->jax, w->region, &path);
		tp_out_begin(out, "region.op");
		tp_out_bytes(out, "region", path.p ? path.p : "", path.len);
		out_name(out, "name", t, w->name);
		tp_out_int(out, "count", (int64_t)w->count);
		tp_out_ps(out, "duration_sum_ns", w->total_ps);
		tp_out_ps(out, "exclusive_ns", w->own_ps);
		tp_out_end(out);
	}
	tp_buf_release(&path);
}

void
tp_jax_emit_regions(const struct tp_jax_trace *c, struct tp_out *out)
{
	size_t scopes = 0;

	for (size_t i = 0; i < c->regions.count; i++)
		scopes += (size_t)c->regions.list[i].is_scope;
	tp_out_begin(out, "region.summary");
	tp_out_int(out, "region_count", (int64_t)scopes);
	tp_out_ps(out, "named_ns", c->regions.named_ps);
	tp_out_ps(out, "exclusive_ns", c->regions.total_ps);
	tp_out_ratio(out, "named_ratio", c->regions.named_ps,
	    c->regions.total_ps);
	if (c->graph_ps)
		tp_out_ps(out, "graph_sum_ns", c->graph_ps);
	tp_out_end(out);
	emit_alike(c, out);
	emit_each(c, out);
	emit_windows(c, out);
}
