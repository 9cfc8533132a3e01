/*
 * share - find and read the data a user may edit
 *
 * The folder is the first that exists of: $TP_SHARE; ../share/tracepipe and
 * ../share beside the program; PREFIX/share/tracepipe.
 */
#ifndef TP_SHARE_H
#define TP_SHARE_H

#include <stddef.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/* The folder, or NULL with ERR set (TP_IO) when there is none. */
const char *tp_share_dir(struct tp_err *err);
/* FOLDER of the user's own data, $XDG_CONFIG_HOME/tracepipe/FOLDER or that
 * below $HOME/.config, to PATH: 1, or 0 when there is no such folder. */
int tp_share_own(const char *folder, struct tp_buf *path);
/* TAKE gets PATH, or of a folder every file in it that ends in .json, by name,
 * until it returns -1 (with ERR).  0, or -1 with ERR. */
int tp_share_each(const char *path, int (*take)(void *arg, const char *path,
    struct tp_err *err), void *arg, struct tp_err *err);
/*
 * Content of DIR/NAME (NAME may hold a '/', never "..") appended to BUF.
 * 0, or -1 with ERR set: TP_IO, "share.missing" when there is no such file.
 * A name of before is understood, share/aliases.json.
 */
int tp_share_read(const char *name, struct tp_buf *buf, struct tp_err *err);
/* The same, parsed by cJSON; release with cJSON_Delete().  NULL with ERR. */
struct cJSON *tp_share_json(const char *name, struct tp_err *err);
/* "FILE: bad 'KEY'" into ERR; -1. */
int tp_share_damaged(const char *file, const char *key, struct tp_err *err);
/* A file of the user's, PATH, parsed the same way; up to 1 MiB of it.  NULL
 * with ERR (TP_USAGE when it cannot be opened or is not JSON). */
struct cJSON *tp_share_file(const char *path, struct tp_err *err);
/* FOLDER/NAME.json, for a NAME that a user gave: TP_USAGE when there is none,
 * or when it could be a path. */
struct cJSON *tp_share_named(const char *folder, const char *name,
    struct tp_err *err);
/* The strings of LIST, copied into ARENA and NULL-terminated; NULL when LIST
 * is no list (or there is no memory). */
const char **tp_share_texts(struct tp_arena *arena, const struct cJSON *list);
/*
 * Names (sorted by bytes, without folder) of the files of FOLDER below the
 * share folder that end in SUFFIX; not those with a leading '_', which are
 * parts of others.  Returns their number, or -1 with ERR; release with
 * tp_share_free_list().
 */
int tp_share_list(const char *folder, const char *suffix, char ***names,
    struct tp_err *err);
void tp_share_free_list(char **names, int count);

#endif
