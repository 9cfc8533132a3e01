/*
 * section - templates, of share/sections and of the user, by name
 *
 * The user's own are in ~/.config/tracepipe/sections; one with the name of
 * ours is used in its place.
 */
#ifndef TP_SHOW_SECTION_H
#define TP_SHOW_SECTION_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

struct tp_names;

/* Write "sections/NAME.md" to PATH; -1 when NAME is no valid section name. */
int tp_section_path(char *path, size_t size, const char *name);
/* Whether NAME is a template of the user's, by its path ("./mine.md"). */
int tp_section_is_file(const char *name);
/*
 * Append the text of section NAME.  Usable as `partial` of struct
 * tp_template; ARG is not used.  0, or -1 with ERR.
 */
int tp_section_read(void *arg, const char *name, struct tp_buf *text,
    struct tp_err *err);
/* Add the names of all sections but parts ("_NAME").  0, or -1 with ERR. */
int tp_section_list(struct tp_names *names, struct tp_err *err);

#endif
