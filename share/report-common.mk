# report-common.mk: the shared part of all report recipes.
#
# tp-look made OUT/in: a link for each input, named by its number or by a table
# of ours, and IN/ROLE/NAME, which says where the link NAME leads and when that
# file last changed.  Recipes depend on the latter and read the links.
# The user's options reach the filters as shell variables TP_*.  A name or text
# that somebody else chose is never a word of make.

# tp-report reads what make says, and gives as descriptor 7 where filters speak.
SHELL := /bin/bash
# Expanded when used: make 4.4 expands the value itself, older ones the variable.
.SHELLFLAGS = -eu -o pipefail -c '{ : >&7; } 2>/dev/null && exec 2>&7; eval "$$1"' recipe
.SUFFIXES:
# No .DELETE_ON_ERROR: a filter that fails leaves its files as they were, and
# make would delete the files of an earlier report if a rule has several targets.

OUT ?= .
O := $(patsubst ./%,%,$(OUT)/)
IN := $(O)in

# The files that tp-look wrote for these roles, and their folder, which changes
# when a file is added or removed.
role = $(sort $(wildcard $(1:%=$(IN)/%/*) $(1:%=$(IN)/%)))
# Everything depends on these: programs, data in share, options, and the list of
# inputs.
WITH := $(wildcard $(IN)/made-by $(IN)/asked)
# the prerequisites that a filter reads: inputs by their links
read = $(foreach f,$(1),$(if $(filter $(IN)/,$(dir $(f))),,$(if $(filter $(IN)/%,$(f)),$(IN)/$(notdir $(f)),$(f))))
inputs = $(call read,$^)
platform = $${TP_PLATFORM:+--platform "$$TP_PLATFORM"}
label = --label "$${TP_LABEL:--}"

# Notes report status 3, and 5 where a file hit a limit, if there is an output that
# holds them (a stamp, NAME.made, is made after the outputs); any other status stops
# the report, and is written to descriptor 8, which tp-report reads.
bad3 = || { s=$$?; { [ $$s -eq 3 ] $(if $(filter %.made,$@),,&& [ -e $@ ] || { [ $$s -eq 5 ] && [ -e $@ ] && ! [ $@ -ot $< ]; }); } || { { echo $$s >&8; } 2>/dev/null || :; exit 1; }; }
# On status 3 the output must exist and be newer than its first prerequisite.
made = [ -e $(1) ] || exit 1; for p in $^; do ! [ $(1) -ot $$p ] || exit 1; done
# Files whose names come from the trace: files of an earlier report are removed
# last, so that they stay if the filter fails.
drop_old = for f in $(1); do ! [ "$$f" -ot $< ] || rm -f -- "$$f"; done

# Sections, with those that templates add: NAME-after-X.md follows the section of
# template X in every report that has it.  OWN: the user has sections, too.
HERE_ADDED := $(patsubst $(HERE)sections/%.md,%,$(wildcard $(HERE)sections/*-after-*.md))
OWN_SECTIONS := $(if $(OWN),$(shell tp-render --list))
ADDED := $(sort $(HERE_ADDED) $(foreach s,$(OWN_SECTIONS),$(if $(findstring -after-,$(s)),$(s))))
place = $(lastword $(subst -after-, ,$(1)))
$(foreach a,$(ADDED),$(if $(wildcard $(HERE)sections/$(call place,$(a)).md),,$(if $(filter $(call \
	place,$(a)),$(OWN_SECTIONS)),,$(error $(if $(filter $(a),$(HERE_ADDED)),share/,your own )sections/$(a).md: there is no section '$(call place,$(a))'))))
with_added = $(foreach s,$(1),$(s) $(filter %-after-$(call template,$(s)),$(ADDED)))

# The order of a terminal and of a page: the answer, in the place of the
# section that holds it in a document, findings, what to do, then the rest.
answer_first = $(FOREMOST) $(filter-out summary $(FOREMOST),$(1))

# NAME.made, beside the files that the trace names, is written last.
ended = tp-put $(1) </dev/null

# Width in pixels of the picture that shows when devices were busy.
LANES := 600

# Benchmark results, given records, files whose rows are only counted; samples of
# the CPU; files that could not be read; the user's notes about the run.
BENCH := $(call role,bench)
RECORDS := $(call role,records)
OTHER := $(call role,other)
CPU := $(call role,cpu)
LOST := $(wildcard $(IN)/lost.jsonl)
META := $(wildcard $(IN)/meta.jsonl)
NOTES := $(if $(call role,notes),$(O)notes.md)

# Samples of the CPU.  With Instruments the process and the part of the run are
# those of LEADER, the first table.
tables = $(filter-out $(LEADER),$(inputs))
define cpu_rule
$(O)cpu.jsonl: $(CPU) $(TOC) $(WITH) $(call leader,cpu)
	tp-cpu-top $(FRAMES:%=--frames %) $$(call scope,cpu) $$(label) --output $$@ $$(tables) $$(bad3)

endef

$(O)bench.jsonl: $(BENCH) $(WITH)
	tp-bench $(label) --output $@ $(inputs) $(bad3)

$(O)other.jsonl: $(OTHER) $(WITH)
	tp-rows --count=unused $(label) --output $@ $(inputs) $(bad3)

# The foot of a page: the input files of the report, in FOLDERs like IN, with
# their digests.  Each is read whole, again when one is changed, added or removed.
# We name the links; the files behind them may have any name.  Their problems are
# already reported, except that a file has disappeared.
ROLES := bench contents counters cpu doc gpu log marks memory notes other \
	program records run run-??? kernels-??? xtrace-??? summary torch trace
digested = $(wildcard $(foreach d,$(1),$(ROLES:%=$(d)/%/*)))
link_of = $(dir $(patsubst %/,%,$(dir $(1))))$(notdir $(1))
# PREFIX FOLDERS: PREFIXfoot.md
define foot_rule
$(O)$(1)files.jsonl: $(call digested,$(2)) $(wildcard $(2:%=%/input.jsonl))
	files=(); for l in $(foreach f,$(call digested,$(2)),$(call link_of,$(f))); do \
	f=$$$$(readlink -- $$$$l && echo .) || exit 4; files+=("$$$${f%??}"); done; \
	said=$$$$(tp-look --sha256 --output $$@ -- "$$$${files[@]}" 2>&1) || { \
	s=$$$$?; [ $$$$s -eq 3 ] || printf '%s\n' "$$$$said" >&2; (exit $$$$s); } $$(bad3)
$(O)$(1)foot.md: $(if $(call digested,$(2)),$(O)$(1)files.jsonl) $(WITH)
	tp-render -q page-foot --output $$@ $$(filter %.jsonl,$$^) </dev/null $$(bad3)

endef

# The page of a report, if wanted (PAGE): card, report, chapters, foot.  page.made
# says whether style and script are separate files, and which command prints the
# report.
page = { read -r how; IFS= read -r command; } <$(O)page.made; linked=(); \
	[ $$how = inline ] || linked=(--linked $(OUT)); shopt -s nullglob; \
	tp-page --html $(if $(1),--card $(1)) --foot $(2) --command "$$command" $${linked[@]+"$${linked[@]}"} --output $@ -- $(3)

$(O)notes.md: $(call role,notes) $(WITH)
	tp-render --notes $(inputs) --output $@ $(bad3)
