/* dump - write ETDumps (.etdp) and programs (.pte) */
#ifndef DUMP_H
#define DUMP_H

#include "mketdump.h"

#include "flat.h"

/* The fields of an event that tells of time, in the schema's order. */
enum { P_NAME, P_CHAIN, P_INSTRUCTION, P_ID, P_ID_TEXT, P_START = 6, P_END };

/* An event; what is NULL or -1 is not in it. */
struct event {
	const char *name, *id_text;
	int chain, instruction, id;
	uint64_t start, end;
};

flat_ref dump_event(struct flat *f, const struct event *e);
/* A block of COUNT events, called NAME. */
flat_ref dump_block(struct flat *f, const char *name, const flat_ref *events,
    size_t count);
/* The file of COUNT blocks as PATH; of TAIL bytes more or less. */
void dump_write(struct flat *f, const flat_ref *blocks, size_t count,
    int sized, const char *path, int tail);

/* A program with COUNT instructions as PATH: of each the backend that it
 * calls, or NULL. */
void program_write(const char *const *backends, size_t count,
    const char *path);

/* The ETDump of E and its program, into FOLDER. */
void write_dump(const struct experiment *e, const char *folder);

/* An ETDump of KIND as PATH: those that tests want. */
void write_odd(const char *kind, const char *path);

#endif
