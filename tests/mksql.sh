#!/bin/sh
# mksql.sh DIALECT SCHEMA: write SQL that knows every kind of record
#
# Of each schema in the folder SCHEMA it makes a view with a typed column a key.
# DIALECT is "duckdb" (views of JSON lines), "duckdb-to-lake" (a Parquet file a
# kind of these views), "duckdb-lake" (views of the Parquet files) or
# "clickhouse".
set -u
case ${1-} in
duckdb | duckdb-to-lake | duckdb-lake | clickhouse) ;;
*)
	echo "usage: mksql.sh duckdb|duckdb-to-lake|duckdb-lake|clickhouse SCHEMA" >&2
	exit 2
	;;
esac
dialect=$1 schema=$2

case $dialect in
duckdb)
	cat <<-'END'
	-- Views of record files, one a kind.  First say which files:
	--   SET VARIABLE records = 'runs/*/*.jsonl';
	-- The names of folders become columns: date=2026-11-22/ is date.

	-- Making a view looks its files up.  One is enough for that.
	SET VARIABLE records_given = getvariable('records');
	SET VARIABLE records = coalesce((SELECT min(file) FROM
	    glob(getvariable('records'))), getvariable('records')::VARCHAR);

	-- Every record as text, for keys and kinds that have no view.
	CREATE OR REPLACE VIEW records AS
	SELECT json->>'$.kind' AS kind, json AS record, * EXCLUDE (json)
	FROM read_ndjson_objects(getvariable('records'), filename = true,
	    hive_partitioning = true, hive_types_autocast = false);
	END
	;;
duckdb-to-lake)
	cat <<-'END'
	-- A Parquet file for each kind of record.  After duckdb.sql say where:
	--   SET VARIABLE lake = 'lake';      -- a folder that exists
	--   SET VARIABLE part = '2026-11';   -- files of this name are replaced

	-- The JSON is read once, not once a kind.
	CREATE OR REPLACE TEMP TABLE staged AS FROM records;
	CREATE OR REPLACE VIEW records AS FROM staged;

	END
	;;
duckdb-lake)
	cat <<-'END'
	-- The views of duckdb.sql, of the Parquet files that duckdb-to-lake.sql
	-- wrote.  First say where these are:
	--   SET VARIABLE lake = 'lake';

	END
	;;
clickhouse)
	cat <<-'END'
	-- Views of record files, one a kind; the files are their parameter:
	--   SELECT op, own_sum_ns FROM launcher_name(records = 'runs/*/*.jsonl');
	-- ids holds the names of folders: ids['date'] of date=2026-11-22/.

	-- Every record as text, for keys and kinds that have no view.
	CREATE OR REPLACE VIEW records AS
	SELECT JSONExtractString(line, 'kind') AS kind, line AS record, _path AS filename,
	    mapFromArrays(extractAll(_path, '/([^/=]+)=[^/]*'),
	        extractAll(_path, '/[^/=]+=([^/]*)')) AS ids
	FROM file({records:String}, 'LineAsString', 'line String');
	END
	;;
esac

# Every schema file has one property per line, which names a key.
awk -v dialect="$dialect" '
	function after(line, key) {
		sub(".*\"" key "\": \"", "", line)
		sub(/".*/, "", line)
		return line
	}
	# what a dialect calls a type of JSON Schema
	function sql_type(type) {
		if (dialect == "clickhouse")
			return "Nullable(" (type == "integer" ? "Int64" : \
			    type == "number" ? "Float64" : \
			    type == "boolean" ? "Bool" : "String") ")"
		return type == "integer" ? "BIGINT" : type == "number" ? "DOUBLE" : \
		    type == "boolean" ? "BOOLEAN" : ""
	}
	function duckdb_view(	i, names, columns, as) {
		for (i = 1; i <= n; i++) {
			as = sql_type(type[key[i]])
			names = names (i > 1 ? ", " : "") "\047" key[i] "\047"
			columns = columns (i > 1 ? ",\n    " : "") "v[" i "]" \
			    (as == "" ? "" : "::" as) " AS \"" key[i] "\""
		}
		printf "CREATE OR REPLACE VIEW \"%s\" AS\nSELECT %s%s,\n" \
		    "    r.* EXCLUDE (%sv)\n" \
		    "FROM (SELECT *, record->>[%s] AS v\n" \
		    "    FROM records WHERE %s) AS r;\n", view, open ? "kind, " : "",
		    columns, open ? "kind, " : "kind, record, ", names, condition
	}
	# Only lines of the kind are read as JSON, and only their paths taken apart.
	function clickhouse_view(	i, types, columns) {
		for (i = 1; i <= n; i++) {
			types = types (i > 1 ? ", " : "") key[i] " " \
			    sql_type(type[key[i]])
			columns = columns "v." key[i] " AS \"" key[i] "\",\n    "
		}
		printf "CREATE OR REPLACE VIEW \"%s\" AS\nSELECT %s%s" \
		    "_path AS filename,\n" \
		    "    mapFromArrays(extractAll(_path, \047/([^/=]+)=[^/]*\047),\n" \
		    "        extractAll(_path, \047/[^/=]+=([^/]*)\047)) AS ids%s\n" \
		    "FROM (SELECT *, _path, JSONExtract(line,\n" \
		    "        \047Tuple(%s)\047) AS v\n" \
		    "    FROM file({records:String}, \047LineAsString\047, " \
		    "\047line String\047)\n" \
		    "    WHERE line LIKE \047%%\"%s%%\047 AND %s);\n", view,
		    open ? "JSONExtractString(line, \047kind\047) AS kind, " : "", columns,
		    open ? ", line AS record" : "", types, condition_start, condition
	}
	function write_kind() {
		if (!n)
			return
		kind = dialect == "duckdb" ? "kind" : \
		    "JSONExtractString(line, \047kind\047)"
		# kinds that are made by name of a table: row.TABLE
		condition_start = title == "row" ? "row." : title "\""
		condition = kind (title == "row" ? " LIKE \047row.%\047" : \
		    " = \047" title "\047")
		if (dialect == "duckdb-to-lake")
			printf "COPY (FROM \"%s\") TO (getvariable(\047lake\047) || " \
			    "\047/%s.\047 || getvariable(\047part\047) ||\n" \
			    "    \047.parquet\047) (FORMAT parquet, COMPRESSION zstd);\n",
			    view, view
		else if (dialect == "duckdb-lake")
			printf "CREATE OR REPLACE VIEW \"%s\" AS FROM read_parquet(" \
			    "getvariable(\047lake\047) ||\n" \
			    "    \047/%s.*.parquet\047, union_by_name = true);\n",
			    view, view
		else {
			printf "\n-- %s: %s\n", title, description
			if (dialect == "duckdb")
				duckdb_view()
			else
				clickhouse_view()
		}
		n = 0
	}
	FNR == 1 { write_kind(); open = 0 }
	/^ +"[a-z0-9_]+": \{/ {
		name = $1
		gsub(/[":]/, "", name)
		if (FNR == NR)
			type[name] = after($0, "type")
	}
	FNR == NR { next }
	/^  "title": / { title = view = after($0, "title"); gsub(/\./, "_", view) }
	/^  "description": / { description = after($0, "description") }
	/^  "additionalProperties": true/ { open = 1 }
	/^    "[a-z0-9_]+": \{/ && name != "kind" { key[++n] = name }
	END {
		write_kind()
		if (dialect == "duckdb")
			print "\nSET VARIABLE records = getvariable(\047records_given\047);"
		# the views are of no use without duckdb.sql read again
		if (dialect == "duckdb-to-lake")
			print "\nDROP TABLE staged;"
	}' "$schema/_keys.json" "$schema"/[a-z]*.json
