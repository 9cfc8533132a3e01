/*
 * section - templates of share/sections, by name
 */
#ifndef TP_SHOW_SECTION_H
#define TP_SHOW_SECTION_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

/* Write "sections/NAME.md" to PATH; -1 when NAME is no valid section name. */
int tp_section_path(char *path, size_t size, const char *name);
/*
 * Append the text of section NAME.  Usable as `partial` of struct
 * tp_template; ARG is not used.  0, or -1 with ERR.
 */
int tp_section_read(void *arg, const char *name, struct tp_buf *text,
    struct tp_err *err);

#endif
