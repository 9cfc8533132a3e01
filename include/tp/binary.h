/*
 * binary - recognise files that no reader here understands
 *
 * Files are recognised by their first bytes, and words among them;
 * share/tables/binaries.json lists the signatures, what else to do, and how
 * to unpack archives.
 */
#ifndef TP_BINARY_H
#define TP_BINARY_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

enum tp_binary { TP_BINARY_UNKNOWN, TP_BINARY_OTHER, TP_BINARY_ARCHIVE };

/*
 * Append to SAID what a file is that begins with the N bytes at P: "a picture,
 * not read"; of an archive "a ZIP archive, not read; unpack it: unzip FILE",
 * where FILE is PATH quoted for a shell, or is left out when PATH is NULL.
 * Append nothing when the bytes are unknown.  Returns one of the above, or -1
 * with ERR when share cannot be read.
 */
int tp_binary_say(struct tp_buf *said, const char *p, size_t n,
    const char *path, struct tp_err *err);

#endif
