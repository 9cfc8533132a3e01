/*
 * table - what is known about the tables profilers export
 *
 * Read from share/tables: names, columns in order, their human names and
 * types.  Tables that are not there (a newer Xcode) are described by their
 * own export and live as long as the registry.
 */
#ifndef TP_TABLE_H
#define TP_TABLE_H

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
	const char *key;	/* in a record: "start_latency_ns" */
	enum tp_type type;
};

struct tp_table {
	const char *name;	/* "metal-gpu-intervals" */
	struct tp_table_column *columns;
	size_t column_count;
	struct tp_table *next;
};

/* More tables than that are refused: no profiler has as many. */
#define TP_TABLES_MAX 4096

struct tp_tables {
	struct tp_table *first;
	size_t count;
	struct tp_arena arena;
	struct tp_engineering { const char *name; enum tp_type type; }
	    *types;
	size_t type_count;
};

/* Read share/tables.  Release with tp_tables_free(). */
struct tp_tables *tp_tables_load(struct tp_err *err);
void tp_tables_free(struct tp_tables *tables);
/* The table called NAME, or NULL. */
const struct tp_table *tp_tables_find(const struct tp_tables *tables,
    const char *name);
/* Type of values of an engineering type; TP_TEXT when it is not listed. */
enum tp_type tp_tables_type(const struct tp_tables *tables,
    const char *engineering);
/*
 * Describe a table by its export: COUNT columns with name, human and type
 * (key is made here).  Copies.  NULL without memory.
 */
const struct tp_table *tp_tables_add(struct tp_tables *tables,
    const char *name, const struct tp_table_column *columns, size_t count);
/* Index of column NAME (mnemonic), or -1. */
ptrdiff_t tp_table_column(const struct tp_table *table, const char *name);

#endif
