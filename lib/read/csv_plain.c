/*
 * csv_plain - rows of CSV that need no parser
 *
 * A row without a quote or a stray CR is what lies between separators, blanks
 * around fields left out, as libcsv leaves them out.  Anything else is left
 * to libcsv.
 */
#include <string.h>

#include "csv_plain.h"
#include "split.h"

/* Digits only, at most 18: the common case of a time or a size. */
static int
digits(const char *p, const char *end, int64_t *n)
{
	uint64_t u = 0;
	unsigned d;

	if (end - p > 18)
		return 0;
	for (; p < end; p++) {
		d = (unsigned)(unsigned char)*p - '0';
		if (d > 9)
			return 0;
		u = u * 10 + d;
	}
	*n = (int64_t)u;
	return 1;
}

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Read the fields that are wanted, which end AT, of a row at START. */
static int
fields(struct tp_rows *rows, struct tp_value *v, const char *start,
    const char *base, const uint32_t *at, uint64_t line,
    struct tp_arena *arena, struct tp_err *err)
{
	const struct tp_plan *p = rows->plan;

	for (size_t i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];
		const char *from, *to;

		if (s->cell < 0)
			continue;
		from = s->cell ? base + at[s->cell - 1] + 1 : start;
		to = base + at[s->cell];
		while (from < to && is_blank(*from))
			from++;
		while (to > from && is_blank(to[-1]))
			to--;
		if (from == to)
			continue;
		if (s->type >= TP_TIME && s->type <= TP_CYCLES &&
		    digits(from, to, &v[i].n)) {
			v[i].type = s->type;
			v[i].text = from;
			v[i].len = v[i].whole = (uint32_t)(to - from);
			continue;
		}
		if (tp_cell_parse(&v[i], s->type, s->name, from,
		    (size_t)(to - from), arena, err) < 0) {
			err->line = line;
			return err->status == TP_LIMIT ? -1 :
			    tp_queue_damage(rows, err) < 0 ?
			    tp_fail_memory(err) : 0;
		}
	}
	return 0;
}

/*
 * Length of the row at START when it has COLUMNS fields, which end AT (N
 * positions from BASE), and ends in LF or CR LF; 0 when it is another row.
 */
static size_t
plain_length(const char *base, const char *start, const uint32_t *at,
    size_t n, size_t columns, char delim)
{
	size_t last = columns - 1, i;
	const char *end;

	if (n < columns)
		return 0;
	for (i = 0; i < last; i++)
		if (base[at[i]] != delim)
			return 0;
	end = base + at[last];
	if (*end == '\r' && n > columns && at[columns] == at[last] + 1)
		end++;
	if (*end != '\n')
		return 0;
	/* a line that is blank is no row to libcsv */
	if (!last) {
		while (is_blank(*start))
			start++;
		if (start == base + at[0])
			return 0;
	}
	return (size_t)(end + 1 - base);
}

ptrdiff_t
tp_csv_plain(struct tp_rows *rows, const char *p, size_t len, char delim,
    size_t columns, uint64_t *line, struct tp_arena *arena,
    struct tp_err *err)
{
	static uint32_t ends[TP_CSV_PIECE];
	size_t n = tp_split(p, len, delim, ends), done = 0, k = 0, length;
	struct tp_value *v;

	for (;;) {
		length = plain_length(p, p + done, ends + k, n - k, columns,
		    delim);
		if (!length)
			return (ptrdiff_t)done;
		if (!rows->plan->wanted) {
			tp_count_row(rows);
		} else {
			v = tp_queue_row(rows, *line);
			if (!v)
				return tp_fail_memory(err);
			if (fields(rows, v, p + done, p, ends + k, *line,
			    arena, err) < 0)
				return -1;
		}
		k += columns + (p[ends[k + columns - 1]] == '\r');
		done = length;
		++*line;
	}
}
