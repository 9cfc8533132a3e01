/*
 * feed - what the fuzzers share
 *
 * Each fuzz_X.c is a libFuzzer entry point: `make fuzz` lets clang look for
 * new input, `make check` replays tests/fuzz/corpus/X with replay.c as main.
 */
#ifndef FEED_H
#define FEED_H

#include <stddef.h>
#include <stdint.h>

#include <tp/in.h>
#include <tp/records.h>

#include "read/trace_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The SIZE bytes at DATA as standard input, read in blocks of BLOCK bytes. */
struct tp_in *feed(const uint8_t *data, size_t size, size_t block);

/* Stop, saying WHAT, which should never be the case. */
void broken(const char *what);

/* What was read, in a form that can be compared. */
struct digest {
	uint64_t hash;
	size_t items, damaged, notes;	/* items: rows or events */
	const char *end;		/* code of a fatal error, or NULL */
};

void mix(struct digest *d, const void *bytes, size_t len);

/* Stop, saying HOW, unless D is the same as WHOLE. */
void same(const struct digest *d, const struct digest *whole,
    const char *how);

/*
 * Of DATA the lines behind a line "----" as records into SET, each that is
 * none to REFUSED (or NULL); how many bytes stand before.
 */
size_t feed_records(const uint8_t *data, size_t size, struct tp_set *set,
    void (*refused)(const char *text, size_t len));

/* Free the sources and notes of TRACE. */
void feed_release(struct tp_trace *trace);

struct tp_events;
struct tp_events_want;
struct tp_event;

/* Read IN, which is closed, as trace events into D; CHECK looks at each, or is
 * NULL. */
void feed_events(struct digest *d, struct tp_in *in,
    const struct tp_events_want *want,
    void (*check)(const struct tp_events *events,
    const struct tp_event *event));

/*
 * Read DATA as rows of FORMAT in blocks of several sizes, CSV by libcsv alone
 * and by three threads, XML by expat alone: all must give the same rows, damage
 * and notes.
 */
void feed_rows(const uint8_t *data, size_t size, enum tp_format format);

#endif
