/* sqlite - read an untrusted SQLite database */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "reach.h"
#include "sqlite.h"

#ifdef TP_SQLITE
#include <sqlite3.h>

/*
 * Limit on steps of SQLite's virtual machine: generous per byte of the file,
 * and with a minimum, since the few rows of a small file may be joined with
 * each other.
 */
#define STEPS_AT_ONCE 100000
#define STEPS_LEAST ((uint64_t)100000000)
#define STEPS_PER_BYTE 64
/*
 * Limit on SQLite's memory beyond as much as the file has, for an index of what
 * has none, or sorted rows.
 */
#define HEAP_LEAST ((int64_t)64 << 20)

struct tp_sqlite {
	struct tp_reach reach;
	sqlite3_vfs vfs;
	char name[40];			/* of vfs */
	sqlite3 *db;
	struct tp_err lost;		/* why bytes could not be read */
	uint64_t steps, steps_max;
};

struct tp_result {
	struct tp_sqlite *db;
	sqlite3_stmt *statement;
};

/* --- memory: SQLite asks for the size of a piece */

/* Of all databases, as SQLite has one memory. */
static struct {
	int64_t used, most;
	int is_full;		/* more was refused */
} heap;

/* Whether SQLite may have MORE. */
static int
has_room(int64_t more)
{
	heap.is_full |= heap.used + more > heap.most;
	return heap.used + more <= heap.most;
}

static void *
memory_get(int size)
{
	int64_t *p;

	if (!has_room(size))
		return NULL;
	p = tp_alloc((size_t)size + 16);
	heap.used += *p = size;
	return p + 2;
}

static void
memory_free(void *p)
{
	int64_t *piece = p ? (int64_t *)p - 2 : NULL;

	heap.used -= piece ? *piece : 0;
	tp_free(piece);
}

static void *
memory_resize(void *p, int size)
{
	int64_t *piece = (int64_t *)p - 2, had = *piece;

	if (!has_room(size - had))
		return NULL;
	piece = tp_realloc(piece, (size_t)size + 16);
	heap.used += size - had;
	*piece = size;
	return piece + 2;
}

static int
memory_size(void *p)
{
	return p ? (int)((int64_t *)p)[-2] : 0;
}

static int
memory_round(int size)
{
	return (size + 7) & ~7;
}

static int
memory_begin(void *none)
{
	(void)none;
	return SQLITE_OK;
}

static void
memory_end(void *none)
{
	(void)none;
}

static const sqlite3_mem_methods memory = { memory_get, memory_free,
    memory_resize, memory_size, memory_round, memory_begin, memory_end,
    NULL };

/* --- the file */

struct file {
	sqlite3_file base;
	struct tp_sqlite *db;
};

static int
file_close(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

static int
file_read(sqlite3_file *f, void *to, int len, sqlite3_int64 at)
{
	struct tp_sqlite *d = ((struct file *)f)->db;
	struct tp_reach *r = &d->reach;
	ptrdiff_t n = at < (int64_t)r->len ? (int64_t)r->len - at : 0;

	n = n < len ? n : len;
	if (r->is_plain)
		n = tp_in_at(r->in, (uint64_t)at, to, (size_t)n, &d->lost);
	else
		tp_spool_get(&r->spool, (uint64_t)at, to, (size_t)n);
	if (n < 0)
		return SQLITE_IOERR_READ;
	memset((char *)to + n, 0, (size_t)(len - n));
	return n < len ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int
file_write(sqlite3_file *f, const void *from, int len, sqlite3_int64 at)
{
	(void)f, (void)from, (void)len, (void)at;
	return SQLITE_READONLY;
}

static int
file_truncate(sqlite3_file *f, sqlite3_int64 len)
{
	(void)f, (void)len;
	return SQLITE_READONLY;
}

static int
file_number(sqlite3_file *f, int how)
{
	(void)f, (void)how;
	return SQLITE_OK;
}

static int
file_size(sqlite3_file *f, sqlite3_int64 *len)
{
	struct tp_sqlite *d = ((struct file *)f)->db;
	uint64_t said, has = tp_sqlite_bytes(d, &said);

	/* the rest of a truncated file can still be read */
	*len = (sqlite3_int64)(has < said ? said : has);
	return SQLITE_OK;
}

static int
file_is_locked(sqlite3_file *f, int *is)
{
	(void)f;
	*is = 0;
	return SQLITE_OK;
}

static int
file_control(sqlite3_file *f, int what, void *arg)
{
	(void)f, (void)what, (void)arg;
	return SQLITE_NOTFOUND;
}

static int
file_sector(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

/* Nobody writes the file, so SQLite need not lock it nor look for journals. */
static int
file_traits(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods file_methods = { .iVersion = 1,
    .xClose = file_close, .xRead = file_read, .xWrite = file_write,
    .xTruncate = file_truncate, .xSync = file_number,
    .xFileSize = file_size, .xLock = file_number, .xUnlock = file_number,
    .xCheckReservedLock = file_is_locked, .xFileControl = file_control,
    .xSectorSize = file_sector, .xDeviceCharacteristics = file_traits };

static int
vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
    int *got)
{
	f->pMethods = NULL;
	if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	f->pMethods = &file_methods;
	((struct file *)f)->db = vfs->pAppData;
	if (got)
		*got = SQLITE_OPEN_READONLY;
	return SQLITE_OK;
}

static int
vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_READONLY;
}

static int
vfs_access(sqlite3_vfs *vfs, const char *name, int how, int *is)
{
	(void)vfs, (void)name, (void)how;
	*is = 0;
	return SQLITE_OK;
}

static int
vfs_path(sqlite3_vfs *vfs, const char *name, int size, char *to)
{
	(void)vfs;
	snprintf(to, (size_t)size, "%s", name);
	return SQLITE_OK;
}

static int
vfs_random(sqlite3_vfs *vfs, int len, char *to)
{
	(void)vfs;
	memset(to, 0, (size_t)len);
	return len;
}

static int
vfs_sleep(sqlite3_vfs *vfs, int us)
{
	(void)vfs;
	return us;
}

/* None of our statements uses the time. */
static int
vfs_time(sqlite3_vfs *vfs, double *days)
{
	(void)vfs;
	*days = 0;
	return SQLITE_OK;
}

static void
make_vfs(struct tp_sqlite *d)
{
	snprintf(d->name, sizeof d->name, "tracepipe-%p", (void *)d);
	d->vfs = (sqlite3_vfs){ .iVersion = 1,
	    .szOsFile = sizeof(struct file), .mxPathname = 64,
	    .zName = d->name, .pAppData = d, .xOpen = vfs_open,
	    .xDelete = vfs_delete, .xAccess = vfs_access,
	    .xFullPathname = vfs_path, .xRandomness = vfs_random,
	    .xSleep = vfs_sleep, .xCurrentTime = vfs_time };
}

/* --- the database */

/* Authorizer: a statement may only read, and not recurse. */
static int
may(void *none, int what, const char *a, const char *b, const char *c,
    const char *d)
{
	(void)none, (void)a, (void)b, (void)c, (void)d;
	return what == SQLITE_SELECT || what == SQLITE_READ ||
	    what == SQLITE_FUNCTION ? SQLITE_OK : SQLITE_DENY;
}

/* Progress callback; 1 aborts the statement. */
static int
count_steps(void *db)
{
	struct tp_sqlite *d = db;

	d->steps += STEPS_AT_ONCE;
	return d->steps > d->steps_max;
}

/* Set ERR to the reason why SQLite failed.  Always returns -1. */
static int
fail(struct tp_sqlite *d, struct tp_err *err)
{
	int rc = sqlite3_errcode(d->db) & 0xff;

	if (d->lost.status) {
		*err = d->lost;
		err->fatal = 1;
		return -1;
	}
	if (rc == SQLITE_NOMEM && heap.is_full) {
		tp_fail(err, TP_LIMIT, "limit.heap", 0, "needs more memory "
		    "than a database of %llu bytes can be worth",
		    (unsigned long long)d->reach.len);
		err->fatal = 1;
		return -1;
	}
	/* a size in a damaged file that SQLite does not even ask for */
	if (rc == SQLITE_NOMEM)
		return tp_fail(err, TP_BAD, "database.damaged", 0, "%s",
		    sqlite3_errstr(SQLITE_CORRUPT));
	if (rc == SQLITE_INTERRUPT) {
		tp_fail(err, TP_LIMIT, "limit.steps", 0, "needs more work "
		    "than a database of %llu bytes can be worth",
		    (unsigned long long)d->reach.len);
		err->fatal = 1;
		return -1;
	}
	return tp_fail(err, TP_BAD, "database.damaged", 0, "%s",
	    sqlite3_errmsg(d->db));
}

static void
guard(struct tp_sqlite *d)
{
	static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA,
	    SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_DQS_DML,
	    SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION };
	int64_t most = tp_limits.line_bytes < 1000000000 ?
	    tp_limits.line_bytes : 1000000000;

	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		sqlite3_db_config(d->db, off[i], 0, NULL);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, (int)most);
	sqlite3_limit(d->db, SQLITE_LIMIT_SQL_LENGTH, 1000000);
	sqlite3_limit(d->db, SQLITE_LIMIT_COLUMN, 500);
	sqlite3_limit(d->db, SQLITE_LIMIT_EXPR_DEPTH, 200);
	sqlite3_limit(d->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(d->db, SQLITE_LIMIT_WORKER_THREADS, 0);
	d->steps_max = STEPS_LEAST + d->reach.len * STEPS_PER_BYTE;
	sqlite3_progress_handler(d->db, STEPS_AT_ONCE, count_steps, d);
	/* keep temporary tables and indexes in memory */
	sqlite3_exec(d->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	sqlite3_set_authorizer(d->db, may, NULL);
}

struct tp_sqlite *
tp_sqlite_open(struct tp_in *in, struct tp_err *err)
{
	static int begun;
	struct tp_sqlite *d = tp_zalloc(sizeof *d);
	char last, why[200];
	int rc;

	if (!begun) {
		sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
		sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
		begun = 1;
	}
	heap.is_full = 0;
	heap.most = INT64_MAX;
	if (tp_reach_open(&d->reach, in, err) < 0) {
		err->fatal = 1;
		tp_sqlite_close(d);
		return NULL;
	}
	/* count the whole file as read, even pages that are never requested */
	if (d->reach.is_plain && d->reach.len && tp_in_at(in,
	    d->reach.len - 1, &last, 1, err) < 0) {
		tp_sqlite_close(d);
		return NULL;
	}
	heap.most = heap.used + HEAP_LEAST + (int64_t)d->reach.len;
	make_vfs(d);
	rc = sqlite3_vfs_register(&d->vfs, 0);
	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2("trace", &d->db, SQLITE_OPEN_READONLY |
		    SQLITE_OPEN_NOMUTEX, d->name);
	if (!d->db)
		tp_no_memory();
	guard(d);
	/* the first statement that reads the file */
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(d->db, "SELECT 1 FROM sqlite_master", NULL,
		    NULL, NULL);
	if (rc == SQLITE_OK)
		return d;
	if (fail(d, err) < 0 && err->status == TP_BAD) {
		snprintf(why, sizeof why, "%.190s", err->text);
		tp_fail(err, TP_BAD, "database.damaged", 0, "an SQLite "
		    "database that cannot be read (%s); copy it again", why);
	}
	err->fatal = 1;
	tp_sqlite_close(d);
	return NULL;
}

void
tp_sqlite_close(struct tp_sqlite *d)
{
	if (!d)
		return;
	sqlite3_close(d->db);
	sqlite3_vfs_unregister(&d->vfs);
	tp_reach_release(&d->reach);
	tp_free(d);
}

int
tp_sqlite_has(struct tp_sqlite *d, const char *name, struct tp_err *err)
{
	char sql[200];
	const char *why;
	struct tp_result *s;
	int has;

	snprintf(sql, sizeof sql, "SELECT type = 'view' FROM sqlite_master "
	    "WHERE name = '%s' AND type IN ('table', 'view')", name);
	s = tp_result_new(d, sql, &why, err);
	if (!s)
		return why ? 0 : -1;
	has = tp_result_next(s, err);
	has += has > 0 && tp_result_int(s, 0);
	tp_result_free(s);
	/* a damaged schema has no tables */
	return has < 0 && !err->fatal ? 0 : has;
}

uint64_t
tp_sqlite_bytes(const struct tp_sqlite *d, uint64_t *said)
{
	unsigned char head[100] = { 0 };
	struct tp_reach *r = (struct tp_reach *)(uintptr_t)&d->reach;
	const unsigned char *p;
	struct tp_err none = { 0 };
	uint64_t page;
	size_t have;

	*said = 0;
	p = tp_reach_look(r, 0, sizeof head, &have, &none);
	if (!p || have < sizeof head)
		return r->len;
	memcpy(head, p, sizeof head);
	page = (uint64_t)head[16] << 8 | head[17];
	page = page == 1 ? 65536 : page;
	/* the page count is valid only if written with the change counter */
	if (!memcmp(head + 24, head + 92, 4))
		*said = page * ((uint64_t)head[28] << 24 |
		    (uint64_t)head[29] << 16 | (uint64_t)head[30] << 8 |
		    head[31]);
	return r->len;
}

const struct tp_err *
tp_sqlite_late(const struct tp_sqlite *d)
{
	return d->reach.late.status ? &d->reach.late : NULL;
}

struct tp_result *
tp_result_new(struct tp_sqlite *d, const char *sql, const char **why,
    struct tp_err *err)
{
	struct tp_result *s = tp_zalloc(sizeof *s);

	*why = NULL;
	err->fatal = 0;
	s->db = d;
	if (sqlite3_prepare_v2(d->db, sql, -1, &s->statement, NULL) ==
	    SQLITE_OK)
		return s;
	tp_free(s);
	fail(d, err);
	if (!err->fatal)
		*why = sqlite3_errmsg(d->db);
	return NULL;
}

void
tp_result_again(struct tp_result *s, int64_t number)
{
	/* a failure of the run before was already reported */
	sqlite3_reset(s->statement);
	sqlite3_bind_int64(s->statement, 1, number);
}

int
tp_result_next(struct tp_result *s, struct tp_err *err)
{
	switch (sqlite3_step(s->statement)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return fail(s->db, err);
	}
}

enum tp_sqlite_type
tp_result_type(struct tp_result *s, int column)
{
	switch (sqlite3_column_type(s->statement, column)) {
	case SQLITE_INTEGER:
		return TP_SQLITE_INT;
	case SQLITE_FLOAT:
		return TP_SQLITE_REAL;
	case SQLITE_NULL:
		return TP_SQLITE_NULL;
	default:
		return TP_SQLITE_TEXT;
	}
}

int64_t
tp_result_int(struct tp_result *s, int column)
{
	return sqlite3_column_int64(s->statement, column);
}

double
tp_result_real(struct tp_result *s, int column)
{
	return sqlite3_column_double(s->statement, column);
}

size_t
tp_result_text(struct tp_result *s, int column, const char **text)
{
	/* asked first: without memory the value becomes a null */
	int type = sqlite3_column_type(s->statement, column);

	*text = (const char *)sqlite3_column_text(s->statement, column);
	if (!*text && type != SQLITE_NULL)
		tp_no_memory();
	return (size_t)sqlite3_column_bytes(s->statement, column);
}

int
tp_result_count(const struct tp_result *s)
{
	return sqlite3_column_count(s->statement);
}

const char *
tp_result_name(const struct tp_result *s, int column)
{
	const char *name = sqlite3_column_name(s->statement, column);

	if (!name)
		tp_no_memory();
	return name;
}

void
tp_result_free(struct tp_result *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->statement);
	tp_free(s);
}

#else

struct tp_sqlite *
tp_sqlite_open(struct tp_in *in, struct tp_err *err)
{
	(void)in;
	tp_fail(err, TP_BAD, "input.unknown", 0, "an SQLite database, and "
	    "this program was built without libsqlite3, which reads it: "
	    "install that, as 'make deps' does, and build again");
	err->fatal = 1;
	return NULL;
}

#endif
