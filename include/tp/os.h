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

/* SHA-256 of the file PATH as it is stored, in lower-case hexadecimal; 0, or
 * -1 when it cannot be read. */
int tp_os_sha256(const char *path, char hex[65]);

#endif
