/* etdump_parts - rows of a trace by table and by what they are of */
#ifndef ETDUMP_PARTS_H
#define ETDUMP_PARTS_H

#include <tp/executorch/etdump.h>
#include <tp/tool.h>

/* The rows of one table that are of one source. */
struct etdump_part {
	struct tp_etdump e;
	size_t at;	/* the table; from the number of tables on: a source of
			 * the trace */
	size_t name;	/* of the source, index of names */
	uint64_t rows;
};

struct etdump_state {
	struct etdump_part *parts;
	size_t count, cap, last;
	struct tp_names names;	/* of sources; "" where rows say nothing */
	struct tp_ids ids;	/* (at, name) of parts */
	uint64_t others;	/* rows of sources that are not wanted */
};

/*
 * The part for the current row, of table AT; NULL if its source is not WANTED
 * (NULL: all are).
 */
struct etdump_part *etdump_part_of(struct tp_run *run, size_t at,
    const char *wanted);
/*
 * If a table of the current trace has rows of several sources, each source
 * becomes a trace of its own, and what says nothing stays.  Sources of the
 * trace begin at TABLES.
 */
void etdump_parts_split(struct tp_run *run, size_t tables);
/*
 * Tell of the rows that are not of the source WANTED.  0, or -1 with ERR:
 * TP_BAD when all are others.
 */
int etdump_parts_only(struct tp_run *run, const char *wanted, size_t tables);

#endif
