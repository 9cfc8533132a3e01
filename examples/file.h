/* file - what the generators of examples share */
#ifndef EXAMPLES_FILE_H
#define EXAMPLES_FILE_H

#include <stdio.h>

/* What the generator is called; it says so. */
extern const char *const program;

void die(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
FILE *file_create(const char *path);
/* Close FILE, which was created as PATH. */
void file_close(FILE *file, const char *path);

#endif
