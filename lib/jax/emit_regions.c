/* emit_regions - regions of the model as records */
#include <ctype.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"

/* Regions whose paths differ only in numbers: the layers of a model. */
struct alike {
	uint64_t regions, scopes, count;
	int64_t inclusive_ps, own_ps;
	uint32_t name;		/* index in paths; breaks ties */
};

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

TP_ORDER(by_inclusive, struct alike, TP_DOWN(inclusive_ps) TP_UP(name))

static void
out_alike(struct tp_out *out, const struct alike *a, size_t rank,
    const struct tp_name *path, int64_t all_ps)
{
	tp_out_begin(out, "region.alike");
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_bytes(out, "region", path->text, path->len);
	if (!a->scopes)
		tp_out_bool(out, "is_scope", 0);
	tp_out_int(out, "region_count", (int64_t)a->regions);
	tp_out_int(out, "count", (int64_t)a->count);
	tp_out_ps(out, "inclusive_ns", a->inclusive_ps);
	tp_out_ps(out, "exclusive_ns", a->own_ps);
	tp_out_ratio(out, "inclusive_ratio", a->inclusive_ps, all_ps);
	tp_out_end(out);
}

static void
emit_alike(const struct tp_jax_trace *c, struct tp_out *out)
{
	struct alike *list = tp_alloc((c->regions.count + 1) * sizeof *list);
	struct tp_names paths = { 0 };
	struct tp_buf path = { 0 }, key = { 0 };
	ptrdiff_t at;

	for (size_t i = 0; i < c->regions.count; i++) {
		const struct tp_jax_region_time *r = &c->regions.list[i];
		size_t had = paths.count;

		tp_buf_clear(&path);
		tp_buf_clear(&key);
		tp_jax_region_path(c->jax, r->region, &path);
		pattern(&key, path.p ? path.p : "");
		at = tp_names_add(&paths, key.p ? key.p : "", key.len);
		if ((size_t)at == had)
			list[at] = (struct alike){ .name = (uint32_t)at };
		list[at].regions++;
		list[at].scopes += (uint64_t)r->is_scope;
		list[at].count += r->count;
		tp_ps_add(&list[at].inclusive_ps, r->inclusive_ps);
		tp_ps_add(&list[at].own_ps, r->own_ps);
	}
	TP_SORT(list, paths.count, by_inclusive);
	for (size_t i = 0; i < paths.count; i++)
		out_alike(out, &list[i], i + 1, &paths.names[list[i].name],
		    c->regions.total_ps);
	tp_names_release(&paths);
	tp_buf_release(&path);
	tp_buf_release(&key);
	tp_free(list);
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
	tp_out_end(out);
	emit_alike(c, out);
	emit_each(c, out);
	emit_windows(c, out);
}
