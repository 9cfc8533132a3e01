/* steps_labels - steps as the period of repeating GPU labels */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/segments.h>
#include <tp/order.h>

#define FEWEST 3
/* Number of the most frequent distances between equal labels that are tried. */
#define TRIED 16

struct row {
	int64_t from_ns, to_ns;
	uint32_t label;
};

/* How often a label recurred after this many intervals. */
struct distance {
	size_t rows, votes;
};

/* COUNT rows from FIRST on, each equal to the one a PERIOD later. */
struct stretch {
	size_t first, count, period;
};

TP_ORDER(ascending, size_t, TP_BY(TP_CMP(*a, *b)))

/* Most votes first, then the shortest. */
TP_ORDER(by_votes, struct distance, TP_DOWN(votes) TP_UP(rows))

/*
 * Collect the distances at which labels of the COUNT rows recur; V and ALL
 * have room for COUNT items.  Returns their number.
 */
static size_t
all_distances(const struct row *rows, size_t count, size_t *v,
    struct distance *all)
{
	size_t *at = NULL, kinds = 0, n = 0, cap = 0, i, k;

	for (i = 0; i < count; i++) {
		TP_ITEM(at, cap, rows[i].label);
		if (at[rows[i].label])
			v[n++] = i + 1 - at[rows[i].label];
		at[rows[i].label] = i + 1;
	}
	tp_free(at);
	TP_SORT(v, n, ascending);
	for (i = 0; i < n; i = k) {
		for (k = i; k < n && v[k] == v[i]; k++)
			;
		all[kinds++] = (struct distance){ v[i], k - i };
	}
	TP_SORT(all, kinds, by_votes);
	return kinds;
}

/*
 * Replace S by the longest stretch with period D in ROWS if it is longer by
 * a tenth, since multiples of a period repeat as well.
 */
static void
try_distance(const struct row *rows, size_t count, size_t d,
    struct stretch *s)
{
	size_t same = 0, end;

	for (size_t i = 0; i + d < count; i++) {
		same = rows[i].label == rows[i + d].label ? same + 1 : 0;
		end = i + 1 + d;
		if (same >= (FEWEST - 1) * d &&
		    same + d > s->count + s->count / 10)
			*s = (struct stretch){ end - same - d, same + d, d };
	}
}

/* The longest repeating stretch of the COUNT rows. */
static struct stretch
find_stretch(const struct row *rows, size_t count)
{
	struct distance *all = tp_alloc((count + 1) * sizeof *all);
	size_t *v = tp_alloc((count + 1) * sizeof *v);
	size_t kinds = all_distances(rows, count, v, all);
	struct stretch s = { 0 };

	for (size_t i = 0; i < kinds && i < TRIED; i++)
		/* a constant label has no period */
		if (all[i].rows > 1)
			try_distance(rows, count, all[i].rows, &s);
	tp_free(all);
	tp_free(v);
	/* equal labels repeat at any distance */
	for (size_t i = 1; i < s.period; i++)
		if (rows[s.first + i].label != rows[s.first].label)
			return s;
	return (struct stretch){ 0 };
}

/* Turn S into the steps of FOUND. */
static void
to_steps(const struct row *rows, const struct stretch *s,
    struct tp_steps_found *found)
{
	size_t n = s->count / s->period;
	int64_t end = 0;

	found->steps = tp_zalloc((n + 1) * sizeof *found->steps);
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[s->first + i * s->period];
		struct tp_step *step = &found->steps[i];

		step->start_ns = i && end > r->from_ns ? end : r->from_ns;
		step->first_ns = step->start_ns;
		step->intervals = (int64_t)s->period;
		step->buffers = -1;
		if (i)
			step[-1].end_ns = step->start_ns;
		for (size_t k = 0; k < s->period; k++) {
			int64_t from = r[k].from_ns < end && (i || k) ? end :
			    r[k].from_ns;

			if (r[k].to_ns <= from)
				continue;
			step->busy_ns += r[k].to_ns - from;
			end = r[k].to_ns;
		}
		step->end_ns = step->last_ns = end;
	}
	found->count = n;
	found->method = "label";
	found->reason = NULL;
}

void
tp_steps_in_labels(const struct tp_segments_in *in, int64_t from_ns,
    int64_t to_ns, int any, struct tp_steps_found *found)
{
	struct row *rows = NULL;
	struct stretch s = { 0 };
	struct tp_buffer_row r;
	size_t count = 0, cap = 0, named = 0;

	for (size_t at = tp_segments_first(in, from_ns);
	    tp_segments_row(in, &at, &r) && r.from_ns < to_ns; ) {
		if (r.from_ns < from_ns)
			continue;
		named += r.label != 0;
		TP_APPEND(rows, count, cap, (struct row){ r.from_ns, r.to_ns,
		    r.label });
	}
	if (named > count / 2)
		s = find_stretch(rows, count);
	if (s.count && (any || s.count >= count / 2))
		to_steps(rows, &s, found);
	tp_free(rows);
}
