/*
 * binary - what a file is that nobody here reads, and what unpacks it
 *
 * By the bytes it begins with; share/tables/binaries.json lists them.
 */
#ifndef TP_BINARY_H
#define TP_BINARY_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

enum tp_binary { TP_BINARY_UNKNOWN, TP_BINARY_OTHER, TP_BINARY_ARCHIVE };

/*
 * What a file is that begins with the N bytes at P, to SAID: "a picture,
 * not read", of an archive "a ZIP archive, not read; unpack it: unzip FILE",
 * where FILE is PATH as a word of a shell, or nothing when PATH is NULL.
 * Returns one of the above, or -1 with ERR when share cannot be read.
 */
int tp_binary_say(struct tp_buf *said, const char *p, size_t n,
    const char *path, struct tp_err *err);

#endif
