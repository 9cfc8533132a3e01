/*
 * command - the command line of a generator of runs
 *
 * A run is set by words NAME=N; a number may have a unit, as 7, 20ms or 3GiB.
 * Whatever is wrong with a word ends the program with status 2.
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

/* Set in PLAN what WORD says, one of COUNT parameters. */
void command_set(const struct parameter *known, size_t count, void *plan,
    const char *word);
/* Write a list of ids with commas between as JSON. */
void command_ids(FILE *f, const char *ids);
/* FOLDER/FILE, to PATH of SIZE bytes. */
void command_path(char *path, size_t size, const char *folder,
    const char *file);
void command_folder(const char *path);

#endif
