/*
 * os - what differs between systems
 */
#ifndef TP_OS_H
#define TP_OS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct stat;

/* Absolute path of the running program into PATH; 0, or -1. */
int tp_os_program(char *path, size_t size);
/* PATH without links, "." and "..", into REAL of PATH_MAX bytes; 0, or -1 with
 * errno. */
int tp_os_real_path(const char *path, char real[]);
/* When the content of a file changed, and when anything about it did. */
void tp_os_changed(const struct stat *st, struct timespec *content,
    struct timespec *any);
/* A number that another process does not have: seeds the hash. */
uint64_t tp_os_random(void);

/* Where files go that are gone in the end: TMPDIR, else /tmp. */
const char *tp_os_temporary_folder(void);
/* A descriptor of a new file there that has no name, to write and to read; -1
 * with errno. */
int tp_os_temporary(void);
/* Have N of them made, for when none can be any more. */
void tp_os_temporary_ahead(int n);

/*
 * How many columns the terminal FD has, 0 when it is none: COLUMNS of the
 * environment, else what the terminal says; 80 where both are unknown or less
 * than TP_OS_COLUMNS_MIN.
 */
#define TP_OS_COLUMNS_MIN 20
size_t tp_os_columns(int fd);

/*
 * Lock the open file that FD stands for, which all processes share that got
 * the descriptor from each other: the lock ends with the last of them.  WAIT
 * says to wait until no other has it.  0, or -1 with errno: EWOULDBLOCK when
 * another has it.
 */
int tp_os_lock(int fd, int wait);

struct tp_os_holder {
	long pid;
	char name[256];		/* of its program or script, as it is */
};

/* Who has the lock of FD's file, the oldest of those that share it; 0, or -1
 * where the system does not say. */
int tp_os_lock_holder(int fd, struct tp_os_holder *holder);

/* SHA-256 of the file PATH as it is stored, in lower-case hexadecimal; 0, or
 * -1 when it cannot be read. */
int tp_os_sha256(const char *path, char hex[65]);
/* The same of LEN BYTES, and as it is; 0, or -1 where the library fails. */
int tp_os_sha256_of(const void *bytes, size_t len, char hex[65]);
int tp_os_digest(const void *bytes, size_t len, unsigned char digest[32]);

#endif
