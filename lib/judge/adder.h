/* adder - shared by adder*.c (tp/judge/adder.h) */
#ifndef TP_JUDGE_ADDER_PRIVATE_H
#define TP_JUDGE_ADDER_PRIVATE_H

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/judge/adder.h>

struct cJSON;

/* How a key is merged; named in share/merge.json. */
enum tp_add {
	TP_ADD_SAME,	/* the common value; if values differ, none, and a
			 * note */
	TP_ADD_PART,	/* as SAME without a note: the key identifies parts */
	TP_ADD_SUM, TP_ADD_MIN, TP_ADD_MAX,
	TP_ADD_OR,
	TP_ADD_MOST,	/* value of the part with most of the key that orders
			 * the kind */
	TP_ADD_WITH,	/* "with KEY": value of the part whose KEY is the
			 * minimum or maximum */
	TP_ADD_RANK,	/* rank in the order, from 1 */
	TP_ADD_ROWS,	/* "rows KIND": number of records of KIND with equal
			 * values in the keys that identify both kinds */
	TP_ADD_RATIO,	/* "ratio A/B" of sums: A and B are KEYs of the record,
			 * joined by "+", or KIND.KEY over all its records */
	TP_ADD_MEAN,	/* "mean A/B": as RATIO, in the unit of the key */
	TP_ADD_NONE	/* cannot be merged: dropped */
};

/* A or B of a ratio. */
struct tp_add_term {
	const char *kind;		/* NULL: the record's own */
	const char *keys[2];		/* added; the second may be NULL */
};

struct tp_add_rule {
	enum tp_add how;
	const char *of;			/* KEY or KIND after the word */
	struct tp_add_term over, under;
};

/* A key of a merged record. */
struct tp_add_cell {
	int64_t n;			/* of an integer, else 0 */
	union {
		int64_t ps;		/* of KEY_ns, valid if exact == seen */
		double x;		/* of a real number */
	};
	uint32_t text;			/* in texts, of a string or a real */
	uint32_t seen, exact;		/* records with KEY, and with KEY_ps */
	uint8_t type;			/* enum tp_field_type */
	uint8_t differs;
};

struct tp_adder_record {
	uint32_t group;			/* its src and the values of BY */
	uint32_t seen;			/* number of records */
	int64_t best;			/* decides TP_ADD_MOST */
	struct tp_add_cell *cells;	/* by key; fewer than keys when some
					 * appeared later */
	size_t cell_count;
	const char *line;		/* of a listed record */
	size_t len;
};

/* How records of a kind are treated. */
enum tp_add_kind { TP_ADD_DROPPED, TP_ADD_LISTED, TP_ADD_ADDED };

struct tp_adder_kind {
	enum tp_add_kind what;
	const char **by;		/* keys that identify a record; for
					 * listed records, their order; NULL-
					 * terminated */
	const char **order;		/* sort by the first of these that
					 * exists, largest first; or NULL */
	size_t within;			/* number of BY keys that sort first;
					 * ranks restart for each of their
					 * values */
	struct tp_names keys;		/* in schema order, then by
					 * appearance */
	struct tp_add_rule *rules;	/* parallel to keys */
	size_t rule_cap;
	ptrdiff_t part_count, part_max, part_rank;	/* keys, or -1 */
	struct tp_names ids;		/* of rows; byte order equals value
					 * order */
	struct tp_adder_record *records;	/* parallel to ids */
	size_t record_cap;
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
	struct tp_names dropped;	/* SRC, a NUL, and the text of the
					 * note */
	uint64_t *dropped_counts;
	size_t dropped_cap;
	struct tp_arena arena;
	struct tp_buf id;
	const struct tp_field **at;	/* of the record, by key */
	size_t at_cap;
	uint64_t source_count;
};

int tp_adder_rules_load(struct tp_adder_rules *rules, struct tp_err *err);
/*
 * Fill KIND, zeroed, with the rules for records of NAME and the keys of its
 * schema.  0, or -1 with ERR.
 */
int tp_adder_kind_load(struct tp_adder_kind *kind,
    struct tp_adder_rules *rules, const char *name, struct tp_err *err);
/* Index of KEY in kind->keys, added with its rule when new; -1 with ERR. */
ptrdiff_t tp_adder_key(struct tp_adder_kind *kind,
    struct tp_adder_rules *rules, const char *name, const char *key,
    size_t len, struct tp_err *err);

/* Whether listed records of NAME drop KEY. */
int tp_adder_is_left_out(const struct tp_adder_rules *rules, const char *name,
    const char *key);

/*
 * Append a value to ID so that the byte order of ids equals the order of
 * values: absent, then integers, then texts.
 */
void tp_adder_id_none(struct tp_buf *id);
void tp_adder_id_int(struct tp_buf *id, int64_t n);
void tp_adder_id_text(struct tp_buf *id, const char *text, size_t len);

#endif
