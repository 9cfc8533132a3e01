/*
 * table - the known tables of profiler exports
 *
 * Read from share/tables and from tp_share_own("tables"): names, columns in
 * order, their display names and types.  A table of another tool maps to one
 * of these: its header says which column is which, and in what unit.
 * Unknown tables (a newer Xcode) are described by their own export and live
 * as long as the registry.
 */
#ifndef TP_READ_TABLE_H
#define TP_READ_TABLE_H

#include <stddef.h>

#include <tp/alloc.h>
#include <tp/err.h>

enum tp_type {
	TP_NONE,	/* absent */
	TP_TIME,	/* ns since the start of the trace */
	TP_DURATION,	/* ns */
	TP_BYTES,
	TP_COUNT,	/* a plain integer */
	TP_CYCLES,
	TP_ID,		/* unsigned 64 bit, printed as a string */
	TP_TEXT,
	TP_DECIMAL,	/* a number that may have a fraction, kept as text */
	TP_PROCESS,	/* name and pid */
	TP_THREAD,	/* name and tid */
	TP_STACK,
};

struct tp_table_column {
	const char *name;	/* mnemonic: "start-latency" */
	const char *human;	/* "CPU to GPU Latency", may be "" */
	const char *key;	/* key in a record: "start_latency_ns" */
	enum tp_type type;
	const char *unit;	/* of numbers without one, "us": in a table that
				 * maps to another, or of decimals; NULL: the
				 * base unit */
	const char *engineering; /* type in an export, the tag of its cells:
				  * "duration"; or NULL */
};

struct tp_table {
	const char *name;	/* "metal-gpu-intervals" */
	struct tp_table_column *columns;
	size_t column_count;
	size_t sure;		/* so many columns, the first, tell the table
				 * whatever others follow; 0: half of them must
				 * be known */
	int64_t longest_ns;	/* no recording is longer, so a row that begins
				 * later, or lasts longer, is damaged; 0: times
				 * are of any clock */
	const struct tp_table *as;	/* the table it maps to, or NULL; NAME
					 * of a column is then its mnemonic
					 * there, human its name here */
	struct tp_table *next;
};

/* Limit on tables, far above what any profiler has. */
#define TP_TABLES_MAX 4096

/* How a report uses a table: a row of share/tables/exports.json. */
struct tp_export {
	const char *table;
	const char *name;	/* usual end of its file names:
				 * "metal_gpu_intervals", or NULL */
	const char *role;	/* "gpu", "memory" ...; NULL: only its rows are
				 * counted */
	const char *filter;	/* filter that reads it; NULL: only tp-rows */
	const char **instead_of;	/* not used when this one is; ends in
					 * NULL, or NULL */
};

struct tp_tables {
	struct tp_table *first;
	size_t count;
	int64_t longest_ns;	/* of the tables that are being added */
	struct tp_arena arena;
	struct tp_engineering { const char *name; enum tp_type type; }
	    *types;
	size_t type_count;
	struct tp_export *exports;
	size_t export_count;
};

/* Read share/tables.  Release with tp_tables_free(). */
struct tp_tables *tp_tables_load(struct tp_err *err);
void tp_tables_free(struct tp_tables *tables);
/* Read exports.json.  0, or -1 with ERR. */
int tp_tables_load_exports(struct tp_tables *tables, struct tp_err *err);
/* The entry of table NAME, or NULL. */
const struct tp_export *tp_tables_export(const struct tp_tables *tables,
    const char *name);
/*
 * Whether the base name FILE, without .csv and the like, ends in NAME or
 * TABLE ("-" and "_" are equal); *PREFIX gets the length before it and its
 * "_".
 */
int tp_table_named(const char *file, const char *name, const char *table,
    size_t *prefix);
/* The table called NAME, or NULL. */
const struct tp_table *tp_tables_find(const struct tp_tables *tables,
    const char *name);
/* Type of an engineering type; TP_TEXT when it is not listed. */
enum tp_type tp_tables_type(const struct tp_tables *tables,
    const char *engineering);
/*
 * Add a table, described by its export or mapped to AS: COUNT columns with
 * name, human, type and unit, which are copied (keys are made here).
 */
struct tp_table *tp_tables_add(struct tp_tables *tables, const char *name,
    const struct tp_table *as, const struct tp_table_column *columns,
    size_t count);
/* Index of column NAME (mnemonic), or -1. */
ptrdiff_t tp_table_column_of(const struct tp_table *table, const char *name);

/*
 * Whether the cells of COLUMN say their type themselves ("any" in an export);
 * the column's own type is that of a cell that does not.
 */
int tp_column_is_any(const struct tp_table_column *column);
/* Suffix of keys of TYPE: "_ns". */
const char *tp_type_suffix(enum tp_type type);

/* Length of the file name FILE without endings that tell its format. */
size_t tp_table_stem(const char *file);

#endif
