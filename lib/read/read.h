/*
 * read - what the readers of the three table forms share; not installed
 *
 * A reader parses one block at a time and queues the rows it finds; the
 * queue hands them out.  Text of a queued row lives in the queue, in the block
 * it was read from, or in the reader.
 */
#ifndef TP_READ_READ_H
#define TP_READ_READ_H

#include <string.h>

#include <tp/unit.h>

#include "rows.h"

/* Where the values of a row go: for each value, the cell it comes from. */
struct tp_plan {
	const struct tp_table *table;
	const struct tp_bind *bind;	/* NULL: all columns */
	size_t count;			/* values of a row */
	struct tp_slot {
		ptrdiff_t cell;		/* position in the row, or -1 */
		enum tp_type type;
		const char *name;
		const char *unit;	/* of bare numbers; NULL: base unit */
		int shift;		/* decimal numbers are that many powers
					 * of ten too large */
		char decimal;		/* sign in its numbers: '.', ',' or 0,
					 * not known */
	} *slots;
	ptrdiff_t time, length;		/* slots that date a row, or -1 */
	int wanted;			/* rows are delivered */
	ptrdiff_t source;		/* index in trace->sources, or -1 */
	struct tp_plan *next;		/* older plan of the same input */
};

/* Rows of one plan in lines one after the other, or one damaged row. */
struct tp_queued {
	size_t at, count;		/* first value; rows */
	const struct tp_plan *plan;	/* NULL: damage that is no row */
	const char *src;
	uint64_t line;			/* of the first */
	int damage;			/* index in errs + 1, or 0 */
};

struct tp_queue {
	struct tp_value *values;
	size_t value_count, value_cap;
	struct tp_queued *runs;
	size_t run_count, run_cap;
	size_t row_count;		/* of all runs */
	struct tp_err *errs;
	size_t err_count, err_cap;
	struct tp_arena arena;		/* text of the rows */
	size_t next;			/* run to hand out */
};

struct tp_rows {
	struct tp_in *in;
	enum tp_format format;
	const struct tp_bind *binds;
	const char *table_option;
	struct tp_tables *tables;
	struct tp_trace *trace;
	struct tp_plan *plan;		/* of the table being read, then
					 * those of the tables before */
	struct tp_queue queue;
	struct tp_queue *fill;		/* where the reader puts rows: that,
					 * or of a part of a file its own */
	struct tp_row row;		/* that tp_rows_next() gave last */
	const char *src;		/* of the record being read */
	int done, only_library;
	size_t jobs;			/* threads that may read */
	uint64_t parts;			/* of the input, that others have read
					 * for good */
	int (*pass)(void *arg, const char *src, const char *line,
	    size_t len);
	void *pass_arg;
	int (*other)(void *arg, const struct tp_rec *rec,
	    struct tp_err *err);
	void *other_arg;
	/* Parse more; rows are queued.  1 more to come, 0 end, -1 ERR. */
	int (*more)(struct tp_rows *rows, struct tp_err *err);
	/* What is to be queued and noted at the end; 0 or -1; or NULL. */
	int (*finish)(struct tp_rows *rows, struct tp_err *err);
	void (*close)(struct tp_rows *rows);
	void *form;			/* the reader's own */
};

/*
 * Plan the rows of TABLE, whose column i is cell CELL_OF[i] of a row (NULL:
 * cell i), into rows->plan.  Adds a source.  0, or -1 with ERR: a needed
 * column is missing.
 */
int tp_plan_table(struct tp_rows *rows, const struct tp_table *table,
    const ptrdiff_t *cell_of, struct tp_err *err);

/* Whether the filter reads TABLE. */
int tp_is_bound(const struct tp_rows *rows, const char *table);

/*
 * The unit that a header says behind a name: "avg (us)", "start_us".  LEN of
 * TEXT without it, and *UNIT with *UNIT_LEN; LEN and none where it says none.
 */
size_t tp_unit_behind(const char *text, size_t len, const char **unit,
    size_t *unit_len);
/* Whether DIM has a unit called UNIT, LEN bytes. */
int tp_unit_is(enum tp_dim dim, const char *unit, size_t len);
/* How many powers of ten times in UNIT, LEN bytes, are below those in BASE;
 * INT_MIN: it is no such unit of time. */
int tp_unit_shift(const char *unit, size_t len, const char *base);
/* TEXT with all numbers in it SHIFT powers of ten smaller, of ARENA; NULL
 * without memory. */
const char *tp_shift_numbers(struct tp_arena *arena, const char *text,
    size_t len, int shift, size_t *new_len);

/* Make Q empty; and free what it has. */
void tp_queue_clear(struct tp_queue *q);
void tp_queue_release(struct tp_queue *q);

/* Room for N more rows; 0 or -1 without memory. */
int tp_queue_grow(struct tp_rows *rows, size_t n);

/* Count rows, be it that nobody wants them. */
static inline void
tp_count_rows(struct tp_rows *rows, size_t n)
{
	if (rows->plan->source >= 0)
		rows->trace->sources[rows->plan->source].rows += n;
}

/* Values of N more rows, for tp_queue_push() once they are set; NULL without
 * memory. */
static inline struct tp_value *
tp_queue_room(struct tp_rows *rows, size_t n)
{
	struct tp_queue *q = rows->fill;

	if ((q->run_count == q->run_cap || q->value_count +
	    n * rows->plan->count >= q->value_cap) &&
	    tp_queue_grow(rows, n) < 0)
		return NULL;
	return q->values + q->value_count;
}

/* Queue the next N of them, which are in lines from LINE on. */
static inline void
tp_queue_push(struct tp_rows *rows, uint64_t line, size_t n)
{
	struct tp_queue *q = rows->fill;
	struct tp_queued *r = q->runs + q->run_count;

	if (q->run_count && r[-1].plan == rows->plan && !r[-1].damage &&
	    r[-1].src == rows->src && r[-1].line + r[-1].count == line) {
		r[-1].count += n;
	} else {
		*r = (struct tp_queued){ .at = q->value_count, .count = n,
		    .line = line, .plan = rows->plan, .src = rows->src };
		q->run_count++;
	}
	q->row_count += n;
	q->value_count += n * rows->plan->count;
}

/* Values of a new queued row, each to be set; NULL without memory. */
static inline struct tp_value *
tp_queue_new(struct tp_rows *rows, uint64_t line)
{
	struct tp_value *v = tp_queue_room(rows, 1);

	if (v) {
		tp_queue_push(rows, line, 1);
		tp_count_rows(rows, 1);
	}
	return v;
}

/* The same, zeroed (all absent). */
static inline struct tp_value *
tp_queue_row(struct tp_rows *rows, uint64_t line)
{
	struct tp_value *v = tp_queue_new(rows, line);

	if (v)
		memset(v, 0, rows->plan->count * sizeof *v);
	return v;
}

/* Values of the row before the one queued last, if it is one of the same plan
 * and not damaged; else NULL. */
static inline const struct tp_value *
tp_queue_last(const struct tp_rows *rows)
{
	const struct tp_queue *q = rows->fill;
	const struct tp_queued *r = q->runs + q->run_count - 1;
	size_t count = rows->plan->count;

	return r->count > 1 || (q->run_count > 1 && r[-1].plan ==
	    rows->plan && !r[-1].damage) ?
	    q->values + q->value_count - 2 * count : NULL;
}

/* Take back the row queued last, which is not to be told of. */
void tp_queue_drop(struct tp_rows *rows);
/* The row just queued is damaged, as ERR says. */
int tp_queue_damage(struct tp_rows *rows, const struct tp_err *err);
/* Queue ERR alone: damage that is no row of a table. */
int tp_queue_loose(struct tp_rows *rows, const struct tp_err *err);

/*
 * Convert TEXT to VALUE, of SLOT, as a person or program wrote it; 0, or -1
 * with ERR (the row's line is the caller's), which is fatal when the number
 * may mean two things.  ARENA holds stacks.
 */
int tp_cell_parse(struct tp_value *value, const struct tp_slot *slot,
    const char *text, size_t len, struct tp_arena *arena,
    struct tp_err *err);
/* What numbers of TYPE count. */
enum tp_dim tp_cell_dim(enum tp_type type);

int tp_xctrace_open(struct tp_rows *rows, struct tp_err *err);
int tp_csv_open(struct tp_rows *rows, struct tp_err *err);
int tp_json_rows_open(struct tp_rows *rows, struct tp_err *err);
int tp_rowrec_open(struct tp_rows *rows, struct tp_err *err);
int tp_etdp_rows_open(struct tp_rows *rows, struct tp_err *err);
int tp_stacks_open(struct tp_rows *rows, struct tp_err *err);

#endif
