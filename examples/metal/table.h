/*
 * table - one exported table, as xctrace XML or as CSV
 *
 * The cells of a row are given in the order of the columns, each once.  The
 * XML numbers every distinct value and then refers to it by that number, as
 * Instruments does; memory is bounded by the number of distinct values.
 */
#ifndef TABLE_H
#define TABLE_H

#include "mkflux.h"

/* Engineering types; names and display forms are in table.c. */
enum type {
	START_TIME, SAMPLE_TIME, EVENT_TIME, DURATION, WEIGHT, SIZE_IN_BYTES,
	UINT32, UINT64, BOOLEAN, GPU_CHANNEL_NAME, GPU_FRAME_NUMBER,
	METAL_NESTING_LEVEL, FORMATTED_LABEL, NARRATIVE, GPU_STATE,
	GPU_PERFORMANCE_STATE,
	CONNECTION_UUID64, RENDER_BUFFER_DEPTH, PROCESS, THREAD,
	METAL_DEVICE_NAME, METAL_OBJECT_LABEL, METAL_COMMAND_BUFFER_ID,
	METAL_ENCODER_ID, METAL_EVENT_NAME, METAL_EVENT,
	METAL_MEMORY_LEVEL_EVENT, GPU_MEMORY_EVENT_NAME, GPU_HARDWARE_TRACE,
	IO_SURFACE, GPU_COUNTER_NAME, FIXED_DECIMAL, PERCENT, CORE,
	THREAD_STATE, BACKTRACE, KPERF_BT, KDEBUG_CLASS, KDEBUG_SUBCLASS,
	KDEBUG_CODE, KDEBUG_FUNC, KDEBUG_ARG, FRAME, BINARY, PID, TID,
	DEVICE_SESSION, STRING, NARRATIVE_TEXT, TYPE_COUNT
};

struct column {
	const char *mnemonic, *name;
	enum type type;
};
struct schema {
	const char *name, *file;	/* file: "metal_gpu_intervals" */
	const char *attributes;		/* in the TOC, or NULL */
	struct column columns[20];	/* ended by a zeroed one */
};

/* A piece of a label; the label reads as all pieces joined by blanks. */
struct piece {
	enum type type;
	const char *text;	/* of a STRING, label or narrative */
	uint64_t number;	/* any other; a PROCESS by its index */
};

struct slot {
	uint64_t value;
	uint32_t type, id;
};
struct table {
	const struct schema *schema;
	enum form form;
	FILE *file;
	const char *path;
	char out[1 << 16];
	size_t used;
	size_t column;
	uint32_t ids;
	/* (type, value) to id; strings and stacks to their number */
	struct slot *slots;
	size_t slot_count, slot_cap;
	char **strings;
	size_t string_count, string_cap;
};

/* POSITION: of the table in the table of contents, from 1. */
void table_open(struct table *t, const struct schema *schema, unsigned position,
    enum form form, const char *path);
void table_close(struct table *t);

void row_begin(struct table *t);
void row_end(struct table *t);

void cell_none(struct table *t);
/* Times, durations, sizes, ids, counts: the type of the column says how. */
void cell_number(struct table *t, uint64_t value);
/* A decimal, given in millionths. */
void cell_decimal(struct table *t, int64_t millionths);
void cell_text(struct table *t, const char *text);
void cell_process(struct table *t, int process);
void cell_thread(struct table *t, int thread);
void cell_label(struct table *t, const struct piece *pieces, size_t count);
void cell_stack(struct table *t, const struct stack *stack);

#endif
