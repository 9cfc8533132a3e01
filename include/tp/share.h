/*
 * share - find and read the data files that users may edit
 *
 * The folder is the first of these that exists: $TP_SHARE;
 * ../share/tracepipe and ../share relative to the program;
 * PREFIX/share/tracepipe.
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
/*
 * Append the user's own FOLDER, $XDG_CONFIG_HOME/tracepipe/FOLDER or
 * $HOME/.config/tracepipe/FOLDER, to PATH.  1, or 0 when it does not exist.
 */
int tp_share_own(const char *folder, struct tp_buf *path);
/*
 * Call TAKE with PATH when it is a file, or with every file in the folder
 * PATH that ends in .json, sorted by name, until TAKE returns -1.  0, or -1
 * with ERR.
 */
int tp_share_each(const char *path, int (*take)(void *arg, const char *path,
    struct tp_err *err), void *arg, struct tp_err *err);
/*
 * Append the content of DIR/NAME to BUF; NAME may contain '/', never "..".
 * Former names (share/aliases.json) are accepted.  0, or -1 with ERR: TP_IO
 * "share.missing" when there is no such file.
 */
int tp_share_read(const char *name, struct tp_buf *buf, struct tp_err *err);
/* Read and parse DIR/NAME; release with cJSON_Delete().  NULL with ERR. */
struct cJSON *tp_share_json(const char *name, struct tp_err *err);
/*
 * Fail with STATUS, the code "share.damaged" and a message from FMT.  Always
 * returns -1.
 */
int tp_share_fail(struct tp_err *err, enum tp_status status, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
/* The same with TP_BAD and "FILE: bad 'KEY'". */
int tp_share_damaged(const char *file, const char *key, struct tp_err *err);
/*
 * A limit in a data file, not below 0: its key, and where it goes.  Of a time
 * in nanoseconds UNITS to one, an int64_t; 0: a double.
 */
struct tp_share_limit {
	const char *key;
	size_t at;
	int units;
};
/*
 * Set members of TO to the limits in FROM, an object of FILE, as COUNT of LIST
 * say.  Those that FROM lacks stay if IS_CHANGE is set.  0, or -1 with ERR.
 */
int tp_share_limits(void *to, const struct tp_share_limit *list, size_t count,
    const struct cJSON *from, int is_change, const char *file,
    struct tp_err *err);
/*
 * Read and parse a file of the user, up to 1 MiB; release with
 * cJSON_Delete().  NULL with ERR (TP_USAGE when it cannot be opened or is
 * not JSON).
 */
struct cJSON *tp_share_file(const char *path, struct tp_err *err);
/* Whether NAME, which a user gave, is a path, not a name in the folder. */
int tp_share_is_path(const char *name);
/*
 * As tp_share_json() for FOLDER/NAME.json, where a user gave NAME: TP_USAGE
 * when it does not exist or could be a path.
 */
struct cJSON *tp_share_named(const char *folder, const char *name,
    struct tp_err *err);
/*
 * Set *TEXTS to the strings of LIST, copied into ARENA and NULL-terminated; to
 * NULL when LIST is no array.
 */
void tp_share_texts(struct tp_arena *arena, const struct cJSON *list,
    const char ***texts);
/*
 * Names (without folder, sorted by bytes) of the files in FOLDER of the
 * share folder that end in SUFFIX.  Names with a leading '_', which are
 * parts of other files, are left out.  Returns their number, or -1 with ERR;
 * release with tp_share_free_list().
 */
int tp_share_list(const char *folder, const char *suffix, char ***names,
    struct tp_err *err);
void tp_share_free_list(char **names, int count);

#endif
