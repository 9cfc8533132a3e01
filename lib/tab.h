/*
 * tab - items with columns, and the records that share/schema makes of them
 *
 * An analysis has items (launches, kernels, copies) and says where their
 * columns are; what becomes of them is data.  The schema of a kind says by
 * which columns items are grouped ("by"; without it each is a row), by which
 * keys rows are ranked ("order": falling, texts in alphabetical order), and of
 * each key what it is made "from"; tp-record(5) has the words.  A key without
 * "from" is the column of its name, of the row's first item.  What a table does
 * not have, and what is absent, is left out.  Rows of one rank are in the order
 * of their first items.
 *
 * Columns are read where they are, in arrays of structs or of numbers, also
 * through an index: the name of the event of a launch is the column "name" of
 * the events, via the column "event" of launches.  Nothing is copied.  Memory
 * during tp_tab_emit(): 8 bytes an item, 56 a row (while rows are made up to 72
 * and 8 a column of "by"), 8 an item of the largest row; and the different
 * texts, not names, that are grouped, counted or listed.
 */
#ifndef TP_TAB_H
#define TP_TAB_H

#include <stddef.h>
#include <stdint.h>

#include <tp/hash.h>
#include <tp/records.h>

#define TP_TAB_ABSENT INT64_MIN

/* How a value is written. */
enum tp_tab_type {
	TP_TAB_INT,
	TP_TAB_PS,		/* picoseconds, in the unit of the key */
	TP_TAB_NAME,		/* an index in names; see absent */
	TP_TAB_TEXT,		/* const char *; NULL: absent */
	TP_TAB_STRING,		/* struct tp_name; of no bytes: absent */
	TP_TAB_WORD,		/* an index in words */
	TP_TAB_REAL		/* double, of the first item or summed; NAN:
				 * absent; picoseconds where the key is a time
				 */
};

#define TP_TAB_DEPTH 3

struct tp_column {
	const char *name;
	const void *cells;
	size_t stride;		/* bytes from one cell to the next */
	ptrdiff_t less;		/* bytes from a cell to the number that is
				 * subtracted from it; 0: none is */
	int bytes;		/* of a cell: 1, 2, 4, 8, or 16, which
				 * saturates; but of a string */
	int is_signed;
	enum tp_tab_type type;
	const struct tp_names *names;
	const char *const *words;
	int64_t absent;		/* a cell without value: NULL, UINT32_MAX,
				 * else TP_TAB_ABSENT, unless you change it;
				 * not of what is subtracted from */
	const struct tp_column *path[TP_TAB_DEPTH];	/* from the item to the
							 * row of this column */
	int depth;
};

#define TP_TAB_COLUMNS 40
#define TP_TAB_TOTALS 4

struct tp_tab {
	size_t count;		/* items */
	int64_t process_rank;	/* written first in each record; -1: none */
	struct tp_column columns[TP_TAB_COLUMNS];
	size_t column_count;
	struct tp_tab_total {
		const char *name;
		int64_t n;
	} totals[TP_TAB_TOTALS];	/* what parts are shares of */
	size_t total_count;
	/*
	 * By item its step below step_count, or TP_TAB_OUTSIDE; a row with an
	 * item of TP_TAB_UNKNOWN does not say how it varies.  sample_count: the
	 * complete steps.  NULL: there are no steps.
	 */
	const uint32_t *step_of;
	size_t step_count;
	uint64_t sample_count;
	size_t row_limit;	/* more rows are not written; 0: all are */
	int limits_each;	/* ... of each value of the first "by", which
				 * must rank first */
	/*
	 * Writes KEY, which is from "also", and those that go with it, of the
	 * COUNT ITEMS of a row; NULL: leaves them out.
	 */
	void (*also)(void *arg, const char *key, const uint32_t *items,
	    size_t count, struct tp_out *out);
	void *also_arg;
};

#define TP_TAB_UNKNOWN UINT32_MAX
#define TP_TAB_OUTSIDE (UINT32_MAX - 1)

/*
 * Add the column NAME of TYPE: FIELD of each struct of LIST, or the numbers of
 * LIST.  VIA: the column whose cells are indices in LIST; NULL if items are.
 * Returns the column, to set what else it needs.
 */
#define TP_TAB_FIELD(tab, via, name, type, list, field) \
	tp_tab_add((tab), (via), (name), (type), (list), \
	    offsetof(__typeof__(*(list)), field), sizeof *(list), \
	    (int)sizeof (list)->field, TP_TAB_IS_SIGNED((list)->field))
#define TP_TAB_ARRAY(tab, via, name, type, list) \
	tp_tab_add((tab), (via), (name), (type), (list), 0, sizeof *(list), \
	    (int)sizeof *(list), TP_TAB_IS_SIGNED(*(list)))
#define TP_TAB_IS_SIGNED(x) _Generic((x), int8_t: 1, int16_t: 1, int32_t: 1, \
	int64_t: 1, default: 0)
struct tp_column *tp_tab_add(struct tp_tab *tab, const struct tp_column *via,
    const char *name, enum tp_tab_type type, const void *list, size_t offset,
    size_t stride, int bytes, int is_signed);
/* Add the column NAME that is VALUE, a variable that lives on, in all items. */
#define TP_TAB_ONE(tab, name, type, value) \
	tp_tab_add((tab), NULL, (name), (type), &(value), 0, 0, \
	    (int)sizeof (value), TP_TAB_IS_SIGNED(value))
/* Add the column NAME of indices in NAMES; ABSENT is none. */
#define TP_TAB_NAMES(tab, via, name, list, field, of, none) do { \
	struct tp_column *tp_c = TP_TAB_FIELD(tab, via, name, TP_TAB_NAME, \
	    list, field); \
 \
	tp_c->names = (of); \
	tp_c->absent = (none); \
} while (0)
/* Add the column NAME of indices in WORDS, such as an enum. */
#define TP_TAB_WORDS(tab, via, name, list, field, of) \
	(TP_TAB_FIELD(tab, via, name, TP_TAB_WORD, list, field)->words = (of))

/* Add the column NAME: how long from FIRST to LAST, fields in picoseconds. */
#define TP_TAB_SPAN(tab, via, name, list, first, last) \
	((void)(TP_TAB_FIELD(tab, via, name, TP_TAB_PS, list, last)->less = \
	    (ptrdiff_t)offsetof(__typeof__(*(list)), first) - \
	    (ptrdiff_t)offsetof(__typeof__(*(list)), last)))

/* Add the column NAME of numbers, where -1 is none. */
#define TP_TAB_KNOWN(tab, via, name, list, field) \
	((void)(TP_TAB_FIELD(tab, via, name, TP_TAB_INT, list, field)->absent \
	    = -1))

/* Set what total(NAME) is. */
void tp_tab_total(struct tp_tab *tab, const char *name, int64_t n);
/*
 * Write the records of KIND of the items for which column WHERE (NULL: all) is
 * neither absent nor, but for names, 0.  Ends the program when
 * share/schema/KIND.json cannot be read, or asks for what cannot be made.
 */
void tp_tab_emit(const struct tp_tab *tab, const char *kind, const char *where,
    struct tp_out *out);

#endif
