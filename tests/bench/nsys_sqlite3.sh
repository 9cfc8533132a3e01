#!/bin/sh
# nsys_sqlite3.sh FILE: what events.c does with an export of Nsight Systems,
# in the sqlite3 program.
sqlite3 -readonly -separator ' ' "$1" \
    "CREATE TEMP TABLE g AS $(cat "$(dirname "$0")/nsys.sql");
    SELECT count(*), sum(ns), count(DISTINCT name) FROM g;
    SELECT sum(ns), name FROM g GROUP BY name ORDER BY 1 DESC LIMIT 10"
