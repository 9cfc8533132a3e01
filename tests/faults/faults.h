/*
 * faults - calls of the system that fail when a test wants them to
 *
 * Inside of a program of a build with SAN: faults.c fails calls, each.c fails
 * one after the other, folder.c knows what that did to the files.
 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call {
	MALLOC, READ, WRITE, OPEN, CLOSE, RENAME, STAT, SEEK, LOCK, THREAD,
	SYNC, CALLS
};

/*
 * How many calls there were and how many of them were failed.  A child made
 * by faults_each() shares it with its parent.
 */
struct faults_seen {
	atomic_ulong calls[CALLS];
	atomic_ulong failed;
};
extern struct faults_seen *faults_seen;

/*
 * Unless this is NULL: where the program asked for memory, a hash of the
 * functions that were active, for each of the first FAULTS_PLACES requests.
 */
#define FAULTS_PLACES ((size_t)1 << 22)
extern uint64_t *faults_places;

extern const char *const faults_names[CALLS];

/* Fail what TEXT says, as in TP_FAIL; ends the program when it says nothing. */
void faults_set(const char *text);

/*
 * Do what faults.c says of TP_FAULTS=HOW: run RUN(ARGC, ARGV) in a child for
 * each fault.  Returns the status to end with.
 */
int faults_each(const char *how, int (*run)(int, char **), int argc,
    char *argv[]);

/*
 * All that is said of a fault, of N bytes at P; P is NULL for a file that is
 * not there.
 */
struct content {
	char *p;
	size_t n;
};

/* What FD holds, with a 0 behind it, to be freed. */
struct content content_of(int fd);
bool content_same(const struct content *a, const struct content *b);

/*
 * The files of the current folder and of those in it: remember them as they
 * are before any run, then what a clean run makes of them.
 */
void folder_start(void);
void folder_clean(void);

/*
 * After a run.  Returns a file that is neither as it was nor as a clean run
 * leaves it, or NULL; borrowed until the next call.  *WHOLE says if all are
 * as a clean run leaves them.  All are then put back.
 */
const char *folder_judge(bool *whole);

#endif
