/* gain - how far operations of a PyTorch trace are from their rooflines */
#include <math.h>
#include <string.h>

#include <tp/hash.h>
#include <tp/order.h>

#include "gain.h"

static int64_t
share(int64_t ps, double factor)
{
	return (int64_t)nearbyint((double)ps * factor);
}

static size_t
band_of(const struct tp_torch_analysers *j, double efficiency)
{
	size_t band = 0;

	while (band < j->band_count && efficiency >= j->bands[band])
		band++;
	return band;
}

void
tp_torch_band(const struct tp_torch_analysers *j, size_t band, double *from,
    double *to)
{
	*from = band ? j->bands[band - 1] : 0;
	*to = band < j->band_count ? j->bands[band] : j->anomaly;
}

void
tp_torch_gain_estimate(struct tp_torch_gain_item *row,
    const struct tp_torch_analysers *j)
{
	const double *shares = j->known;
	int64_t above = row->gpu_ps - row->best_ps;

	memset(&row->gain, 0, sizeof row->gain);
	row->left_ps = 0;
	if (row->basis < TP_GAIN_UNMODELLED)
		return;
	if (row->basis == TP_GAIN_UNMODELLED) {
		shares = j->guessed;
		above = row->gpu_ps;
	} else if ((double)row->best_ps > (double)row->gpu_ps * j->anomaly) {
		row->basis = TP_GAIN_ANOMALY;
		return;
	} else if (row->gpu_ps > 0) {
		row->band = band_of(j, (double)row->best_ps /
		    (double)row->gpu_ps);
	}
	if (above <= 0)
		return;
	row->left_ps = row->gpu_ps ? share(above, shares[1] *
	    (double)row->merged_ps / (double)row->gpu_ps) : 0;
	if (row->gpu_ps)
		above -= share(above, (double)(row->merged_ps +
		    row->again_ps) / (double)row->gpu_ps);
	row->gain.low_ps = share(above, shares[0]);
	row->gain.middle_ps = share(above, shares[1]);
	row->gain.high_ps = share(above, shares[2]);
}

void
tp_torch_gain_add(struct tp_torch_gains *g, const struct tp_torch_analysers *j,
    struct tp_torch_gain_item row)
{
	row.op = tp_arena_text(&g->arena, row.op, strlen(row.op));
	tp_grow(&g->items, &g->cap, g->count + 1, sizeof *g->items);
	row.band = 0;
	row.waits = (double)row.host_ps > (double)row.gpu_ps * j->wait_factor;
	tp_torch_gain_estimate(&row, j);
	g->items[g->count++] = row;
}

/* The group of ROW: in IDS by category and reason, else in NAMES. */
static ptrdiff_t
group_of(struct tp_names *names, struct tp_ids *ids, struct tp_ids *whys,
    const struct tp_torch_gain_item *row, enum tp_torch_gain_by by)
{
	const char *library = row->library ? row->library : "";
	int alone = row->basis >= TP_GAIN_COMMUNICATION &&
	    row->basis <= TP_GAIN_ANOMALY;
	const char *name = by == TP_GAIN_BY_ANALYSER ? row->analyser :
	    row->category, *whose = alone ? row->op : row->analyser;
	ptrdiff_t category = tp_names_add(names, name, strlen(name)), of, op,
	    why;

	if (by != TP_GAIN_BY_REASON)
		return category;
	of = tp_names_add(names, library, strlen(library));
	op = tp_names_add(names, whose, strlen(whose));
	why = tp_ids_add(whys, (uint64_t)row->basis << 32 |
	    (uint64_t)row->pattern << 16 | row->band, (uint64_t)op);
	return tp_ids_add(ids, (uint64_t)category << 32 | (uint64_t)why,
	    (uint64_t)of);
}

static void
add_to_gain_group(struct tp_torch_gain_group *g,
    const struct tp_torch_gain_item *row, enum tp_torch_gain_by by)
{
	int guess = row->basis == TP_GAIN_UNMODELLED;

	if (!g->item_count || row->gpu_ps > g->first.gpu_ps)
		g->first = *row;
	g->item_count++;
	g->count += row->count;
	g->gpu_ps += row->gpu_ps;
	g->host_ps += row->host_ps;
	g->best_ps += row->best_ps;
	if (row->waits) {
		g->wait_count++;
		g->wait_ps += row->host_ps - row->gpu_ps;
	}
	if (row->basis == TP_GAIN_COMPUTE || row->basis == TP_GAIN_MEMORY)
		g->modelled_ps += row->gpu_ps;
	if (row->basis == TP_GAIN_ANOMALY)
		g->anomaly_ps += row->gpu_ps;
	g->merged_ps += row->merged_ps;
	if (guess && by != TP_GAIN_BY_REASON)
		return;
	g->left_ps += row->left_ps;
	g->gain.low_ps += row->gain.low_ps;
	g->gain.middle_ps += row->gain.middle_ps;
	g->gain.high_ps += row->gain.high_ps;
}

TP_ORDER(by_time, struct tp_torch_gain_group, TP_DOWN(gpu_ps)
    TP_BY(strcmp(a->first.category, b->first.category)))

TP_ORDER(by_gain, struct tp_torch_gain_group, TP_DOWN(gain.middle_ps)
    TP_BY(by_time(a, b)) TP_BY(strcmp(a->first.op, b->first.op)))

struct tp_torch_gain_group *
tp_torch_gain_groups(struct tp_torch_gains *g, enum tp_torch_gain_by by,
    size_t *count)
{
	struct tp_torch_gain_group *groups = tp_zalloc((g->count + 1) *
	    sizeof *groups);
	struct tp_names names = { 0 };
	struct tp_ids ids = { 0 }, whys = { 0 }, variants = { 0 };
	ptrdiff_t at;

	*count = 0;
	for (size_t i = 0, had; i < g->count; i++) {
		at = group_of(&names, &ids, &whys, &g->items[i], by);
		g->items[i].group = groups[at].id = (uint32_t)at;
		had = variants.count;
		tp_ids_add(&variants, g->items[i].variant, (uint64_t)at);
		groups[at].variant_count += variants.count > had;
		add_to_gain_group(&groups[at], &g->items[i], by);
		if ((size_t)at >= *count)
			*count = (size_t)at + 1;
	}
	tp_names_release(&names);
	tp_ids_release(&ids);
	tp_ids_release(&whys);
	tp_ids_release(&variants);
	TP_SORT(groups, *count, by == TP_GAIN_BY_REASON ? by_gain : by_time);
	return groups;
}

void
tp_torch_gains_release(struct tp_torch_gains *g)
{
	tp_free(g->items);
	tp_arena_release(&g->arena);
	memset(g, 0, sizeof *g);
}
