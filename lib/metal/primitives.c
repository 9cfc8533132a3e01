/* primitives - operations named in MLX's command buffer labels */
#include <string.h>

#include <cjson/cJSON.h>
#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/share.h>

#include "primitives.h"

/* Operations are counted when this many of twenty rows have known labels. */
#define KNOWN 19

struct tp_primitives {
	struct tp_arena arena;
	struct tp_names names;
	const char *compiled;
	size_t longest;
};

static int
load(struct tp_primitives *p, const cJSON *doc, struct tp_err *err)
{
	const char *compiled = tp_json_text(doc, "compiled"), **texts;
	size_t len;

	tp_share_texts(&p->arena, tp_json_get(doc, "operations"), &texts);
	if (!texts || !compiled || !*compiled)
		return tp_share_fail(err, TP_BAD,
		    "share/ops/mlx.json: no operations, or no word for "
		    "compiled ones");
	p->compiled = tp_arena_text(&p->arena, compiled, strlen(compiled));
	for (; *texts; texts++) {
		len = strlen(*texts);
		tp_names_add(&p->names, *texts, len);
		TP_MOST(p->longest, len);
	}
	return 0;
}

struct tp_primitives *
tp_primitives_load(struct tp_err *err)
{
	struct tp_primitives *p;
	cJSON *doc = tp_share_json("ops/mlx.json", err);

	if (!doc)
		return NULL;
	p = tp_zalloc(sizeof *p);
	if (load(p, doc, err) < 0) {
		tp_primitives_free(p);
		p = NULL;
	}
	cJSON_Delete(doc);
	return p;
}

void
tp_primitives_free(struct tp_primitives *p)
{
	if (!p)
		return;
	tp_names_release(&p->names);
	tp_arena_release(&p->arena);
	tp_free(p);
}

/*
 * Number of operations in the label NAME of LEN bytes; -1 when it is not
 * made of names.
 */
static int64_t
operations(const struct tp_primitives *p, const char *name, size_t len,
    int *compiled)
{
	size_t word = strlen(p->compiled), n;
	int64_t count = 0;

	while (len) {
		if (len > word && !memcmp(name, p->compiled, word)) {
			*compiled = 1;
			name += word;
			len -= word;
			continue;
		}
		n = len < p->longest ? len : p->longest;
		while (n && tp_names_find(&p->names, name, n) < 0)
			n--;
		if (!n)
			return -1;
		name += n;
		len -= n;
		count++;
	}
	return count;
}

void
tp_primitives_add(const struct tp_primitives *p,
    struct tp_primitives_count *count, const char *name, int64_t rows)
{
	const char *end = strchr(name, ':');
	int compiled = 0;
	int64_t n;

	n = operations(p, name, end ? (size_t)(end - name) : strlen(name),
	    &compiled);
	count->rows += rows;
	if (n < 0)
		return;
	count->known_rows += rows;
	count->operations += (tp_int128)n * rows;
	if (compiled)
		count->compiled_rows += rows;
}

void
tp_primitives_emit(const struct tp_primitives_count *count,
    struct tp_out *out)
{
	if (!count->rows || (tp_int128)20 * count->known_rows <
	    (tp_int128)KNOWN * count->rows)
		return;
	tp_out_int(out, "operation_count", tp_narrow(count->operations));
	tp_out_int(out, "compiled_count", count->compiled_rows);
}
