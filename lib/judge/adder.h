/* adder - what its files share (tp/judge/adder.h) */
#ifndef TP_JUDGE_ADDER_PRIVATE_H
#define TP_JUDGE_ADDER_PRIVATE_H

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/judge/adder.h>

struct cJSON;

/* What a key comes to; the words of share/merge.json. */
enum tp_add {
	TP_ADD_SAME,	/* what all say, else nothing, and a note says so */
	TP_ADD_PART,	/* the same without a note: it tells parts apart */
	TP_ADD_SUM, TP_ADD_MIN, TP_ADD_MAX,
	TP_ADD_OR,
	TP_ADD_MOST,	/* of the part that has most of what the kind is
			 * ordered by */
	TP_ADD_WITH,	/* "with KEY": goes with its least or most */
	TP_ADD_RANK,	/* place in the order, from 1 */
	TP_ADD_ROWS,	/* "rows KIND": records of KIND that have the same
			 * values in what tells both kinds apart */
	TP_ADD_RATIO,	/* "ratio A/B", of sums: A and B are KEYs of the
			 * record with "+" between, or KIND.KEY of all its
			 * records */
	TP_ADD_MEAN,	/* "mean A/B": the same, in the unit of the key */
	TP_ADD_NONE	/* cannot be told of parts */
};

/* A or B of a ratio. */
struct tp_add_term {
	const char *kind;		/* NULL: the record's own */
	const char *keys[2];		/* added; the second may be NULL */
};

struct tp_add_rule {
	enum tp_add how;
	const char *of;			/* KEY or KIND behind the word */
	struct tp_add_term over, under;
};

/* A key of a record that stays. */
struct tp_add_cell {
	int64_t n;			/* of an integer, else 0 */
	union {
		int64_t ps;		/* of KEY_ns, where exact == seen */
		double x;		/* of a real number */
	};
	uint32_t text;			/* in texts, of a text or a real */
	uint32_t seen, exact;		/* records that had it, and KEY_ps */
	uint8_t type;			/* enum tp_field_type */
	uint8_t differs;
};

struct tp_adder_row {
	uint32_t group;			/* its source and what BY says */
	uint32_t seen;			/* records */
	int64_t best;			/* what decides TP_ADD_MOST */
	struct tp_add_cell *cells;	/* by key; fewer than keys when some
					 * came late */
	size_t cell_count;
	const char *line;		/* of one that is listed */
	size_t len;
};

/* How records of a kind are treated. */
enum tp_add_kind { TP_ADD_DROPPED, TP_ADD_LISTED, TP_ADD_ADDED };

struct tp_adder_kind {
	enum tp_add_kind what;
	const char **by;		/* what tells records apart, or, of
					 * records that are listed, their
					 * order; NULL-terminated */
	const char **order;		/* by the first of these that there
					 * is, most first; or NULL */
	size_t within;			/* but the first so many of BY come
					 * first, and places count in them */
	struct tp_names keys;		/* in the order of the schema, then as
					 * they came */
	struct tp_add_rule *rules;	/* parallel to keys */
	size_t rule_cap;
	ptrdiff_t part_count, part_max, part_rank;	/* keys, or -1 */
	struct tp_names ids;		/* of rows; sorted by their bytes they
					 * are sorted by values */
	struct tp_adder_row *rows;	/* parallel to ids */
	size_t row_cap;
};

/* The rules of all kinds. */
struct tp_adder_rules {
	struct cJSON *doc;		/* share/merge.json */
	struct tp_arena arena;
};

struct tp_adder {
	const char *const *by;
	const char *src;
	struct tp_adder_rules rules;
	struct tp_names names;		/* of kinds */
	struct tp_adder_kind *kinds;	/* parallel */
	size_t kind_cap;
	struct tp_names groups, texts, srcs;
	uint32_t *group_srcs;		/* of each group, in srcs */
	size_t group_cap;
	struct tp_names dropped;	/* SRC, a NUL, and what a note says */
	uint64_t *dropped_counts;
	size_t dropped_cap;
	struct tp_arena arena;
	struct tp_buf id;
	const struct tp_field **at;	/* of the record, by key */
	size_t at_cap;
	uint64_t source_count;
};

int tp_adder_rules_load(struct tp_adder_rules *rules, struct tp_err *err);
void tp_adder_rules_release(struct tp_adder_rules *rules);
/* Fill KIND, zeroed, with how records of NAME are treated, and the keys of its
 * schema.  0, or -1 with ERR. */
int tp_adder_kind_load(struct tp_adder_kind *kind,
    struct tp_adder_rules *rules, const char *name, struct tp_err *err);
/* Index of KEY in kind->keys, added with its rule when new; -1 with ERR. */
ptrdiff_t tp_adder_key(struct tp_adder_kind *kind,
    struct tp_adder_rules *rules, const char *name, const char *key,
    size_t len, struct tp_err *err);

/* Whether records of NAME, which are listed, stay without KEY. */
int tp_adder_is_left_out(const struct tp_adder_rules *rules, const char *name,
    const char *key);

/* Append a value to ID so that ids sort by bytes as values do: what is absent,
 * then integers, then texts. */
void tp_adder_id_none(struct tp_buf *id);
void tp_adder_id_int(struct tp_buf *id, int64_t n);
void tp_adder_id_text(struct tp_buf *id, const char *text, size_t len);

#endif
