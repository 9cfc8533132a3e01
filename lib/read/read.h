/*
 * read - shared by the readers of all table formats; not installed
 *
 * A reader parses one block at a time and queues the rows it finds; the
 * queue hands them out.  Text of a queued row is in the queue, in its block,
 * or in the reader.
 */
#ifndef TP_READ_READ_H
#define TP_READ_READ_H

#include <string.h>

#include <tp/unit.h>

#include "rows.h"

/* Maps cells to values: for each value of a row, the cell it comes from. */
struct tp_plan {
	const struct tp_table *table;
	const struct tp_bind *bind;	/* NULL: all columns */
	size_t count;			/* values of a row */
	struct tp_slot {
		ptrdiff_t cell;		/* position in the row, or -1 */
		enum tp_type type;
		int is_any;		/* a cell may say another type itself */
		const char *name;
		const char *unit;	/* of numbers without one; NULL: base
					 * unit */
		int shift;		/* divide decimals by 10 to this
					 * power */
		int is_cycles;		/* one is read as one ns */
		char decimal;		/* decimal sign of its numbers: '.', ','
					 * or 0: unknown */
	} *slots;
	ptrdiff_t time, length;		/* slots of start and duration, or -1 */
	ptrdiff_t process, thread;	/* slots of these, or -1 */
	int wanted;			/* rows are returned */
	ptrdiff_t source;		/* index in trace->sources, or -1 */
	struct tp_plan *next;		/* older plan of the same input */
};

/* Consecutive rows of one plan on consecutive lines, or one damaged row. */
struct tp_queued {
	size_t at, count;		/* first value; number of rows */
	const struct tp_plan *plan;	/* NULL: damage outside any row */
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
	size_t next;			/* next run to hand out */
};

struct tp_rows {
	struct tp_in *in;
	enum tp_format format;
	const struct tp_bind *binds;
	const char *table_option;
	struct tp_tables *tables;
	struct tp_trace *trace;
	struct tp_plan *plan;		/* of the current table, linked to those
					 * of earlier tables */
	struct tp_queue queue;
	struct tp_queue *fill;		/* where the reader puts rows: QUEUE, or
					 * the queue of a file part */
	struct tp_row row;		/* returned last by tp_rows_next() */
	const char *src;		/* of the record being read */
	int done, only_library;
	size_t jobs;			/* threads allowed */
	uint64_t parts;			/* parts of the input that threads have
					 * finished */
	void (*pass)(void *arg, const char *src, const char *line,
	    size_t len);
	void *pass_arg;
	int (*other)(void *arg, const struct tp_rec *rec,
	    struct tp_err *err);
	void *other_arg;
	/* Parse more and queue rows.  1: more to come, 0: end, -1 with ERR. */
	int (*more)(struct tp_rows *rows, struct tp_err *err);
	/* Queue and note what is left at the end.  0 or -1.  May be NULL. */
	int (*finish)(struct tp_rows *rows, struct tp_err *err);
	void (*close)(struct tp_rows *rows);
	void *form;			/* the reader's own state */
};

/*
 * Make rows->plan for rows of TABLE, whose column i is cell CELL_OF[i] of a row
 * (NULL: cell i).  Add a source.  0, or -1 with ERR: a needed column is
 * missing.
 */
int tp_plan_table(struct tp_rows *rows, const struct tp_table *table,
    const ptrdiff_t *cell_of, struct tp_err *err);

/* Whether the filter reads TABLE. */
int tp_is_bound(const struct tp_rows *rows, const char *table);

/*
 * The unit after a name in a header: "avg (us)", "start_us".  Returns the
 * length of TEXT without it and sets *UNIT and *UNIT_LEN; LEN and no unit
 * when there is none.
 */
size_t tp_unit_behind(const char *text, size_t len, const char **unit,
    size_t *unit_len);
/* Whether DIM has the unit UNIT (LEN bytes). */
int tp_unit_is(enum tp_dim dim, const char *unit, size_t len);
/*
 * Powers of ten by which UNIT (LEN bytes) is below BASE; INT_MIN when it is
 * no unit of time.
 */
int tp_unit_shift(const char *unit, size_t len, const char *base);
/* TEXT with all its numbers divided by 10^SHIFT, in ARENA. */
const char *tp_shift_numbers(struct tp_arena *arena, const char *text,
    size_t len, int shift, size_t *new_len);

/* Empty Q; free its memory. */
void tp_queue_clear(struct tp_queue *q);
void tp_queue_release(struct tp_queue *q);

/* Make room for N more rows. */
void tp_queue_grow(struct tp_rows *rows, size_t n);

/* Count rows, wanted or not. */
static inline void
tp_count_rows(struct tp_rows *rows, size_t n)
{
	if (rows->plan->source >= 0)
		rows->trace->sources[rows->plan->source].rows += n;
}

/* Values of N more rows, to be set before tp_queue_push(). */
static inline struct tp_value *
tp_queue_room(struct tp_rows *rows, size_t n)
{
	struct tp_queue *q = rows->fill;

	if (q->run_count == q->run_cap || q->value_count + n *
	    rows->plan->count >= q->value_cap)
		tp_queue_grow(rows, n);
	return q->values + q->value_count;
}

/* Queue N of these rows, on consecutive lines from LINE on. */
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

/* Queue a row and return its values, each to be set. */
static inline struct tp_value *
tp_queue_new(struct tp_rows *rows, uint64_t line)
{
	struct tp_value *v = tp_queue_room(rows, 1);

	tp_queue_push(rows, line, 1);
	tp_count_rows(rows, 1);
	return v;
}

/* As tp_queue_new(), zeroed: all absent. */
static inline struct tp_value *
tp_queue_row(struct tp_rows *rows, uint64_t line)
{
	struct tp_value *v = tp_queue_new(rows, line);

	memset(v, 0, rows->plan->count * sizeof *v);
	return v;
}

/*
 * Values of the row before the last one, when it has the same plan and is
 * not damaged; else NULL.
 */
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

/* Remove the row queued last without reporting it. */
void tp_queue_drop(struct tp_rows *rows);
/* Mark the row just queued as damaged by ERR. */
void tp_queue_damage(struct tp_rows *rows, const struct tp_err *err);
/* Queue ERR by itself: damage that is no row of a table. */
void tp_queue_loose(struct tp_rows *rows, const struct tp_err *err);

/*
 * Convert TEXT, written by a person or program, to VALUE of SLOT.  0, or -1
 * with ERR (the caller sets the line); fatal when the number is ambiguous.
 * ARENA holds stacks.
 */
int tp_cell_parse(struct tp_value *value, const struct tp_slot *slot,
    const char *text, size_t len, struct tp_arena *arena,
    struct tp_err *err);
/* Dimension of numbers of TYPE. */
enum tp_dim tp_cell_dim(enum tp_type type);

/* Whether TYPE is one of numbers, which a cell of any type may have. */
static inline int
tp_is_number(enum tp_type type)
{
	return type >= TP_TIME && type <= TP_CYCLES;
}

void tp_xctrace_open(struct tp_rows *rows);
void tp_csv_open(struct tp_rows *rows);
void tp_json_rows_open(struct tp_rows *rows);
void tp_rowrec_open(struct tp_rows *rows);
void tp_etdp_rows_open(struct tp_rows *rows);
void tp_stacks_open(struct tp_rows *rows);

#endif
