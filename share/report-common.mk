# report-common.mk: what the recipes of all reports begin with.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:

OUT ?= .
O := $(OUT)
IN := $(O)/in

# a table that is there, under its own name, under OUT/in
have = $(wildcard $(addprefix $(IN)/,$(1)))
# status 3 is told by the notes; anything else stops the report
bad3 = || { s=$$?; [ $$s -eq 3 ] || { echo $$s >$(O)/failed; exit 1; }; }
# what every filter of an input is told: limits that were asked for (--max-*),
# and what the trace is called
LIMITS ?=
label = $(LIMITS) --label "$${TP_LABEL:--}"
# what the user says about the run, as options in "$${meta[@]}"
with_meta = meta=(); if [ -e $(IN)/meta ]; then while IFS= read -r -d '' m; do meta+=("--meta=$$m"); done <$(IN)/meta; fi;
