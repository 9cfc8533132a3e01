/*
 * command - the command line of a generator of runs
 *
 *	NAME [--verdict WORD] --out DIR NAME=N... [-- IDS [NAME=N...]]...
 *
 * A run is set by words NAME=N; a number may have a unit, as 7, 20ms or 3GiB.
 * Each "--" begins one cause: ids of the findings that would be right for it,
 * the best first, with a comma between, and the words that take the cause
 * away.  What the run gains by that is what the cause costs.  DIR/trace is for
 * the run, DIR/truth.json for the truth.  Whatever is wrong with a word ends
 * the program with status 2.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SECONDS INT64_C(1000000000)

/* An int64_t at OFFSET of a plan. */
struct parameter {
	const char *name;
	size_t offset;
	int64_t low, high;
};

/* What the truth calls a part of the time, and the verdict for the largest. */
struct told_part {
	const char *name, *word;
};

/* A run as the truth tells it. */
struct told {
	int64_t span, busy, idle, rows;
	const int64_t *parts;		/* in the order of the generator's */
	const char *process;		/* judged, or NULL */
	const void *outcome;		/* for the generator's verdict */
};

/* A generator of runs, each set by a plan of SIZE bytes. */
struct generator {
	const char *options;		/* more of them, for the usage */
	/* Takes another option, or returns 0; may be NULL. */
	int (*option)(const char *name, const char *value);
	const struct parameter *parameters;
	size_t parameter_count, size;
	const struct told_part *parts;
	int part_count;
	/* Returns how much shorter a run is when it is CURED. */
	int64_t (*gain)(const void *plan, const void *cured);
	/* The same from the begin of the first step on; may be NULL. */
	int64_t (*window_gain)(const void *plan, const void *cured);
	/*
	 * Writes the verdict as a JSON list; NULL: words of the largest part,
	 * two within a tenth, for both.
	 */
	void (*verdict)(FILE *f, const void *plan, const struct told *told);
};

/* A command line that was read. */
struct command {
	const struct generator *g;
	const char *verdict, *out;	/* OUT: the folder */
	char trace[3072];		/* the folder of the run */
	int cause_count;
	char **causes;
};

/* Set in PLAN what WORD says. */
void command_set(const struct generator *g, void *plan, const char *word);
/* Read the command line into COMMAND and PLAN; make the folders. */
void command_read(struct command *c, const struct generator *g, void *plan,
    int argc, char *argv[]);
/* Write the truth about the run of PLAN; HEAD: more members, or "". */
void command_tell(const struct command *c, const void *plan,
    const struct told *told, const char *head);
/* FOLDER/FILE, to PATH of SIZE bytes. */
void command_path(char *path, size_t size, const char *folder,
    const char *file);
void command_folder(const char *path);

#endif
