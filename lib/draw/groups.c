/* groups - what the items of a picture have in common: a colour each */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/text.h>

#include "draw/groups.h"
#include "draw/scale.h"
#include "draw/svg.h"

/* In tenths of a pixel: of a legend. */
enum { LINE = 170, MARK = 50, PAD = 80, NAME = 1600 };

/* The texts of the list TEXT with commas between, into B. */
static void
join(struct tp_buf *b, const char *text)
{
	cJSON *list = *text == '[' ? cJSON_Parse(text) : NULL;
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsString(item))
			continue;
		if (b->len)
			tp_buf_str(b, ", ");
		tp_show_text(b, item->valuestring, strlen(item->valuestring));
	}
	if (!b->len)
		tp_buf_str(b, *text && !list ? text : "other");
	cJSON_Delete(list);
}

int
tp_groups_add(struct tp_groups *g, const char *text, int64_t size, size_t *at,
    struct tp_err *err)
{
	size_t old = g->names.count;
	struct tp_buf name = { 0 };
	ptrdiff_t i;

	join(&name, text);
	i = name.failed ? -1 : tp_names_add(&g->names, name.p, name.len);
	tp_buf_release(&name);
	if (i < 0 || tp_grow(&g->sums, &g->cap, g->names.count,
	    sizeof *g->sums) < 0)
		return tp_fail_memory(err);
	if (g->names.count > old)
		g->sums[i] = 0;
	tp_scale_sum(&g->sums[i], size);
	*at = (size_t)i;
	return 0;
}

void
tp_groups_rank(struct tp_groups *g)
{
	size_t n = g->names.count, best;

	while (g->count < TP_GROUPS && g->count < n) {
		best = n;
		for (size_t i = 0; i < n; i++)
			if (g->sums[i] >= 0 && (best == n ||
			    g->sums[i] > g->sums[best]))
				best = i;
		g->sums[best] = -1;
		g->places[g->count] = best;
		g->top[g->count++] = g->names.names[best].text;
	}
	g->left = n - g->count;
}

size_t
tp_groups_place(const struct tp_groups *g, size_t at)
{
	size_t i = 0;

	while (i < g->count && g->places[i] != at)
		i++;
	return i;
}

const char *
tp_groups_name(const struct tp_groups *g, size_t at)
{
	return g->names.names[at].text;
}

void
tp_groups_release(struct tp_groups *g)
{
	tp_names_release(&g->names);
	tp_free(g->sums);
}

const char *
tp_groups_colour(const struct tp_groups *g, size_t place)
{
	return place < g->count ? tp_svg_nth_colour(place) :
	    tp_svg_colour("grey");
}

int
tp_groups_legend(const struct tp_groups *g, struct tp_buf *b, int x, int y,
    void (*mark)(struct tp_buf *b, const struct tp_groups *g, size_t place,
    int x, int y))
{
	size_t count = g->count + (g->left > 0);
	int from = x, width;

	for (size_t i = 0; i < count; i++) {
		const char *name = i < g->count ? g->top[i] : "any other";

		width = tp_svg_text_width(name);
		width = width > NAME ? NAME : width;
		if (x + 2 * MARK + PAD / 2 + width > TP_SVG_WIDTH - PAD) {
			x = from;
			y += LINE;
		}
		if (b) {
			mark(b, g, i, x + MARK, y + MARK);
			tp_svg_text(b, x + 2 * MARK + PAD / 2, y + 90,
			    TP_SVG_START, NAME, name);
		}
		x += 2 * MARK + 3 * PAD + width;
	}
	return y + LINE;
}
