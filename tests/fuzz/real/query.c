#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutant.h"

#ifdef TP_SQLITE
#include <sqlite3.h>

static const char *const values[] = {
	"NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775808",
	"1e308", "-1e308", "9e999", "0.5", "'x'", "''", "'12'", "x'00ff'",
	"x''", "zeroblob(100000)", "char(0)", "char(0xd800)", "'a' || char(10)",
	"4294967296", "1000000000000000000", "hex(zeroblob(50000))",
	"-($A)", "$A + 1", "$A * 1000000", "$A || 'x'",
	"CAST($A AS TEXT)", "CAST($A AS BLOB)", "$A / 1e9", "rowid",
	"rowid * 4294967296", "random()", "$B", "$B", "$B",
};

/* What may happen to table $T with columns $A and $B; $U is another
 * table. */
static const char *const changes[] = {
	"DELETE FROM \"$T\"",
	"DELETE FROM \"$T\" WHERE rowid % 3",
	"INSERT INTO \"$T\" SELECT * FROM \"$T\" LIMIT 20000",
	"ALTER TABLE \"$T\" DROP COLUMN \"$A\"",
	"ALTER TABLE \"$T\" RENAME COLUMN \"$A\" TO \"x\"",
	"ALTER TABLE \"$T\" RENAME TO \"x\"",
	"ALTER TABLE \"$T\" ADD COLUMN \"x y\" DEFAULT 'x'",
	"DROP TABLE \"$T\"",
	"UPDATE \"$T\" SET \"$A\" = \"$B\", \"$B\" = \"$A\"",
	"ALTER TABLE \"$T\" RENAME TO \"x\"; CREATE VIEW \"$T\" AS"
	" SELECT * FROM \"x\"",
	"ALTER TABLE \"$T\" RENAME TO \"x\"; CREATE VIEW \"$T\" AS"
	" SELECT * FROM \"x\", \"x\" AS y",
	"ALTER TABLE \"$T\" RENAME TO \"x\"; CREATE VIEW \"$T\" AS"
	" WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
	" SELECT x.* FROM n, \"x\"",
	"DROP TABLE \"$T\"; CREATE VIEW \"$T\" AS SELECT * FROM \"$U\"",
	"DROP TABLE \"$T\"; CREATE VIEW \"$T\" AS SELECT * FROM \"$T\"",
	"DROP TABLE \"$T\"; CREATE VIEW \"$T\" AS SELECT NULL AS"
	" \"$A\", 'x' AS \"$B\"",
	"DROP TABLE \"$T\"; CREATE TABLE \"$T\" (\"$A\" PRIMARY KEY,"
	" \"$B\") WITHOUT ROWID",
	"DROP TABLE \"$T\"; ALTER TABLE \"$U\" RENAME TO \"$T\"",
	"CREATE TRIGGER t AFTER INSERT ON \"$T\" BEGIN INSERT INTO"
	" \"$T\" SELECT * FROM \"$T\"; END",
	"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
	" replace(sql, '\"$A\"', '\"$B\"') WHERE name = '$T'",
	"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage ="
	" (SELECT rootpage FROM sqlite_master WHERE name = '$U')"
	" WHERE name = '$T'",
	"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'x'"
	" WHERE name = '$T'",
	"PRAGMA encoding = 'UTF-16'; VACUUM",
	"PRAGMA journal_mode = WAL",
	"PRAGMA page_size = 512; VACUUM",
	"UPDATE StringIds SET value = NULL WHERE id % 7 = 1",
	"UPDATE StringIds SET id = id + 1",
};

/* The first column of a row of SQL, drawn from all of them, or "". */
static void
any(sqlite3 *db, const char *sql, uint64_t *rng, char *name, size_t size)
{
	sqlite3_stmt *stmt = NULL;
	size_t seen = 0;

	*name = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
		while (sqlite3_step(stmt) == SQLITE_ROW)
			if (draw(rng, ++seen) == 0)
				snprintf(name, size, "%s",
				    (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

static void
column(sqlite3 *db, const char *table, uint64_t *rng, char *name)
{
	char sql[400];

	snprintf(sql, sizeof sql,
	    "SELECT name FROM pragma_table_info('%s')", table);
	any(db, sql, rng, name, 128);
}

/* TEXT with the names of tables $T and $U and columns $A and $B. */
static void
fill(char *out, size_t size, const char *text, const char *const names[4])
{
	static const char letters[] = "TUAB";
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		if (*text == '$' && text[1] && strchr(letters, text[1]))
			n += (size_t)snprintf(out + n, size - n, "%s",
			    names[strchr(letters, *++text) - letters]);
		else
			out[n++] = *text;
	out[n < size ? n : size - 1] = '\0';
}

static void
change(sqlite3 *db, uint64_t *rng)
{
	static const char tables[] = "SELECT name FROM sqlite_master WHERE"
	    " type = 'table' AND name NOT LIKE 'sqlite%'";
	static const char *const updates[] = {
		"UPDATE OR IGNORE \"$T\" SET \"$A\" = ",
		" WHERE rowid % 2", " WHERE rowid % 50 = 1", "", "",
	};
	char table[128], table2[128], a[128], b[128], text[600], sql[4096];
	const char *const names[] = { table, table2, a, b };

	any(db, tables, rng, table, sizeof table);
	any(db, tables, rng, table2, sizeof table2);
	column(db, table, rng, a);
	column(db, table, rng, b);
	if (draw(rng, 3))
		snprintf(text, sizeof text, "%s%s%s", updates[0],
		    values[draw(rng, sizeof values / sizeof *values)],
		    updates[1 + draw(rng, 4)]);
	else
		snprintf(text, sizeof text, "%s",
		    changes[draw(rng, sizeof changes / sizeof *changes)]);
	fill(sql, sizeof sql, text, names);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
}

/* Without random numbers of its own, so that it is the same every time. */
static void
same_random(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	(void)argv;
	sqlite3_result_int64(context, 0x5deece66d5deece6);
}

void
mutant_query(struct tp_buf *doc, uint64_t *rng, const char *tmp)
{
	FILE *f = fopen(tmp, "wb");
	sqlite3 *db = NULL;
	char block[65536];
	size_t n = 1 + draw(rng, 4);

	if (!f || fwrite(doc->p, 1, doc->len, f) != doc->len || fclose(f))
		abort();
	if (sqlite3_open(tmp, &db) == SQLITE_OK) {
		sqlite3_create_function(db, "random", 0, SQLITE_UTF8, NULL,
		    same_random, NULL, NULL);
		sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA"
		    " journal_mode = MEMORY; PRAGMA legacy_alter_table = ON",
		    NULL, NULL, NULL);
		while (n--)
			change(db, rng);
	}
	sqlite3_close(db);
	f = fopen(tmp, "rb");
	if (!f)
		return;
	tp_buf_clear(doc);
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		tp_buf_add(doc, block, n);
	fclose(f);
	remove(tmp);
}

#else

void
mutant_query(struct tp_buf *doc, uint64_t *rng, const char *tmp)
{
	(void)doc;
	(void)rng;
	(void)tmp;
}

#endif
