/*
 * rec_in - what reading row records costs, beside cJSON
 *
 * usage: rec_in ours|cjson FILE
 * Prints the number of rows and the sum of their durations.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/lines.h>

#include "read/rows.h"

static int
read_rows(struct tp_in *in, int64_t *sum, size_t *count)
{
	static const struct tp_want wants[] = {
		{ "start", 1 }, { "duration", 1 }, { "channel-name", 0 }, { 0 }
	};
	static const struct tp_bind binds[] = {
		{ .table = "metal-gpu-intervals", .columns = wants },
		{ 0 }
	};
	struct tp_trace trace = { 0 };
	struct tp_rows *rows;
	struct tp_row row;
	struct tp_err err;
	struct tp_tables *tables = tp_tables_load(&err);
	int n;

	if (!tables)
		return -1;
	rows = tp_rows_open(in, TP_FORMAT_RECORDS, binds, NULL, tables,
	    &trace);
	while ((n = tp_rows_next(rows, &row, &err)) > 0) {
		*sum += row.v[1].n;
		++*count;
	}
	tp_rows_close(rows);
	tp_tables_free(tables);
	return n;
}

static int
read_cjson(struct tp_in *in, int64_t *sum, size_t *count)
{
	struct tp_lines lines;
	const char *text;
	size_t len;
	struct tp_err err;
	cJSON *o, *d;
	int n;

	tp_lines_init(&lines, in);
	while ((n = tp_lines_next(&lines, &text, &len, &err)) > 0) {
		o = cJSON_ParseWithLength(text, len);
		d = cJSON_GetObjectItemCaseSensitive(o, "duration_ns");
		if (d) {
			*sum += (int64_t)d->valuedouble;
			++*count;
		}
		cJSON_Delete(o);
	}
	tp_lines_release(&lines);
	return n;
}

int
main(int argc, char *argv[])
{
	struct tp_err err;
	struct tp_in *in = argc == 3 ? tp_in_open(argv[2], &err) : NULL;
	int64_t sum = 0;
	size_t count = 0;
	int n;

	if (!in)
		return 2;
	n = (strcmp(argv[1], "cjson") ? read_rows : read_cjson)(in, &sum,
	    &count);
	printf("%zu %lld\n", count, (long long)sum);
	tp_in_close(in);
	return n ? 3 : 0;
}
