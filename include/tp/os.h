/* os - differences between operating systems */
#ifndef TP_OS_H
#define TP_OS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct stat;

/* Absolute path of the running program into PATH; 0, or -1. */
int tp_os_program(char *path, size_t size);
/*
 * Resolve PATH (links, "." and "..") into REAL, which has PATH_MAX bytes.
 * 0, or -1 with errno.
 */
int tp_os_real_path(const char *path, char real[]);
/* When the content of a file changed, and when anything about it did. */
void tp_os_changed(const struct stat *st, struct timespec *content,
    struct timespec *any);
/* A number that differs between processes; seeds the hash. */
uint64_t tp_os_random(void);

/*
 * Tell the system to use large pages for all by which the heap has grown
 * beyond TP_OS_HEAP_SMALL, which should not have been written yet: a page
 * fault for every 4 KiB takes a quarter of the time of reading a large trace.
 * From the first call on glibc takes all memory from the heap and keeps what
 * is freed.  Memory: up to TP_OS_LARGE_PAGE more.  Nothing where malloc() is
 * another.
 */
#define TP_OS_LARGE_PAGE ((size_t)2 << 20)
#define TP_OS_HEAP_SMALL ((size_t)16 << 20)
void tp_os_heap_grew(void);

/* The folder for temporary files: TMPDIR, else /tmp. */
const char *tp_os_temporary_folder(void);
/*
 * Create a file without a name there; its descriptor, open for reading and
 * writing, or -1 with errno.
 */
int tp_os_temporary(void);
/*
 * Create N such files in advance, for tp_os_temporary() after the program is
 * confined.
 */
void tp_os_temporary_ahead(int n);

/*
 * Width of the terminal FD in columns, 0 when FD is no terminal: COLUMNS of
 * the environment, else what the terminal reports; 80 when that is unknown
 * or below TP_OS_COLUMNS_MIN.
 */
#define TP_OS_COLUMNS_MIN 20
size_t tp_os_columns(int fd);

/*
 * Lock the open file description of FD.  Processes that inherited the
 * descriptor share the lock; it ends when the last of them closes it.  WAIT:
 * wait until no one else holds it.  0, or -1 with errno: EWOULDBLOCK when it
 * is held elsewhere.
 */
int tp_os_lock(int fd, int wait);

struct tp_os_holder {
	long pid;
	char name[256];		/* of its program or script, unescaped */
};

/*
 * The process that holds the lock of FD's file, the oldest of those that
 * share it.  0, or -1 when the system does not say.
 */
int tp_os_lock_holder(int fd, struct tp_os_holder *holder);

/*
 * SHA-256 of the file PATH, as stored, in lower-case hexadecimal.  0, or -1
 * when it cannot be read.
 */
int tp_os_sha256(const char *path, char hex[65]);
/*
 * SHA-256 of LEN BYTES, in hexadecimal or as 32 bytes.  0, or -1 when the
 * library fails.
 */
int tp_os_sha256_of(const void *bytes, size_t len, char hex[65]);
int tp_os_digest(const void *bytes, size_t len, unsigned char digest[32]);

#endif
