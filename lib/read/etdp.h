/*
 * etdp - the events of an ETDump (.etdp) of ExecuTorch
 *
 * The file is a FlatBuffer that the runtime writes back to front: its lists
 * come first, and what was logged first is at the end.  So a truncated file
 * still has the last runs, and every event is checked by itself.
 *
 * A block is what one call of the runtime logged.  The block "Default" is
 * from loading and is no run; every other block is a run.  Blocks that
 * logged the same events in the same order have the same nodes.
 *
 * Memory: the file, which the caller holds, and 100 bytes per block.
 */
#ifndef TP_READ_ETDP_H
#define TP_READ_ETDP_H

#include <tp/err.h>
#include <tp/hash.h>

#include "flatbuf.h"

enum tp_etdp_kind {
	TP_ETDP_LOST,		/* all or part of it is not in the file */
	TP_ETDP_PROFILE, TP_ETDP_ALLOCATION, TP_ETDP_DEBUG
};

/* Texts are borrowed from the file. */
struct tp_etdp_event {
	enum tp_etdp_kind kind;
	const char *name;	/* "" for events of a delegate */
	size_t name_len;
	int64_t chain, instruction;	/* in the program; -1: none */
	int64_t id;		/* number given by a delegate, or -1 */
	const char *id_text;	/* the same as text, or "" */
	size_t id_len;
	uint64_t start, end;	/* ticks */
	uint64_t bytes;		/* allocated */
};

struct tp_etdp_block {
	const char *name;
	size_t name_len;
	struct tp_flat_list events;
	int is_run;
	int64_t run;		/* number of the run; 0: no run */
	uint64_t node;		/* number of its first node */
	uint64_t profiled;	/* events with a duration */
	uint64_t lost;		/* events */
	uint64_t ticks;		/* sum over events, frames and their children */
};

struct tp_etdp {
	struct tp_flat flat;
	size_t said_bytes;	/* as the file has it, or 0: it does not say */
	uint32_t version;
	struct tp_etdp_block *blocks;
	size_t count, cap;
	uint64_t lost_blocks, lost_events;
	uint64_t allocations, allocated_bytes, debugs;
	uint64_t wrapped;	/* 32-bit clocks that wrapped around */
	size_t whole_runs, cut_runs;
};

/*
 * Scan the LEN BYTES of a file, which stay the caller's and are not changed.
 * 0, or -1 with ERR: TP_BAD when it is no known ETDump, TP_LIMIT.  Release
 * DUMP in either case.
 */
int tp_etdp_init(struct tp_etdp *dump, const char *bytes, size_t len,
    struct tp_err *err);
void tp_etdp_release(struct tp_etdp *dump);
/* Event I of BLOCK. */
void tp_etdp_event(const struct tp_etdp_block *block, size_t i,
    struct tp_etdp_event *event);
/*
 * Duration of EVENT in ticks: 0; 1 when its 32-bit clock wrapped around; -1
 * when it ends before it starts.
 */
int tp_etdp_ticks(const struct tp_etdp_event *event, uint64_t *ticks);
/* Whether the file states a larger length than it has. */
int tp_etdp_is_cut(const struct tp_etdp *dump);

#endif
