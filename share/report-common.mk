# report-common.mk: what the recipes of all reports share.
#
# OUT/in is what tp-look made: a link for each input, called by its number or
# by a table of ours, and IN/ROLE/NAME, which says what the link NAME points to
# and when that last changed.  Recipes depend on those, and read the links.
# What the user asked for reaches the filters as variables of the shell, TP_*.
# No name or text of others is a word of make.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.SUFFIXES:
# No .DELETE_ON_ERROR: a filter that fails leaves its files as they were, and
# make would delete what an earlier report left of a rule of several targets.

OUT ?= .
O := $(patsubst ./%,%,$(OUT)/)
IN := $(O)in

# What tp-look found for these roles: a file for each, and the folder, which
# changes when one comes or goes.
role = $(sort $(wildcard $(1:%=$(IN)/%/*) $(1:%=$(IN)/%)))
# What everything is made with: programs, data in share, options, and which
# inputs there are.
WITH := $(wildcard $(IN)/made-by $(IN)/asked)
# prerequisites as a filter reads them: inputs by their links
read = $(foreach f,$(1),$(if $(filter $(IN)/,$(dir $(f))),,$(if $(filter $(IN)/%,$(f)),$(IN)/$(notdir $(f)),$(f))))
inputs = $(call read,$^)
platform = $${TP_PLATFORM:+--platform "$$TP_PLATFORM"}
label = --label "$${TP_LABEL:--}"

# Status 3 is told by the notes where there is an output to hold them; anything
# else stops the report, and tp-report, which reads descriptor 8, is told which
# it was.
bad3 = || { s=$$?; { [ $$s -eq 3 ] && [ -e $@ ]; } || { { echo $$s >&8; } 2>/dev/null || :; exit 1; }; }
# On status 3 the output must be there, and of what it is made of now.
made = [ -e $(1) ] || exit 1; for p in $^; do ! [ $(1) -ot $$p ] || exit 1; done
# Of files whose names only the trace knows those of an earlier one go last, so
# that they stay when their filter fails.
drop_old = for f in $(1); do ! [ "$$f" -ot $< ] || rm -f -- "$$f"; done

# Sections, with those that templates add: NAME-after-X.md stands after the
# section of template X, in every report that has it.
ADDED := $(patsubst $(HERE)sections/%.md,%,$(sort $(wildcard $(HERE)sections/*-after-*.md)))
place = $(lastword $(subst -after-, ,$(1)))
$(foreach a,$(ADDED),$(if $(wildcard $(HERE)sections/$(call place,$(a)).md),,$(error \
	share/sections/$(a).md: there is no section '$(call place,$(a))')))
with_added = $(foreach s,$(1),$(s) $(filter %-after-$(call template,$(s)),$(ADDED)))

# The order of sections.  With SHOWN, for a reader at a terminal, those of
# FOREMOST come first: verdict, findings, what to do.
in_order = $(if $(SHOWN),$(filter $(FOREMOST),$(1)) $(filter-out $(FOREMOST),$(1)),$(1))

# NAME.made, beside what only the trace can name, is written last.
ended = tp-put $(1) </dev/null

# Pixels of a run, to draw when its devices were busy.
LANES := 600

# Results of benchmarks, records that were given, files whose rows are counted
# and no more; samples of the CPU; what could not be read; what the user says of the run.
BENCH := $(call role,bench)
RECORDS := $(call role,records)
OTHER := $(call role,other)
CPU := $(call role,cpu)
LOST := $(wildcard $(IN)/lost.jsonl)
META := $(wildcard $(IN)/meta.jsonl)
NOTES := $(if $(call role,notes),$(O)notes.md)

# Samples of the CPU.  Of Instruments the process and the part of the run are
# those of LEADER, the first table there was.
tables = $(filter-out $(LEADER),$(inputs))
define cpu_rule
$(O)cpu.jsonl: $(CPU) $(TOC) $(WITH) $(call leader,cpu)
	tp-cpu-top $(FRAMES:%=--frames %) $$(call scope,cpu) $$(label) --output $$@ $$(tables) $$(bad3)

endef

$(O)bench.jsonl: $(BENCH) $(WITH)
	tp-bench $(label) --output $@ $(inputs) $(bad3)

$(O)other.jsonl: $(OTHER) $(WITH)
	tp-rows --count $(label) --output $@ $(inputs) $(bad3)

# The foot of a page: files that the report is of, those of FOLDERs like IN, with
# their digests.  All of each is read, again when one has changed, comes or goes.
# Their links are named by us, what these lead to may be called anything.  What
# can be said of them was said before, but that one is gone.
ROLES := bench contents counters cpu doc gpu log marks memory notes other \
	program records run run-??? kernels-??? xtrace-??? summary torch trace
digested = $(wildcard $(foreach d,$(1),$(ROLES:%=$(d)/%/*)))
link_of = $(dir $(patsubst %/,%,$(dir $(1))))$(notdir $(1))
# PREFIX FOLDERS: PREFIXfoot.md
define foot_rule
$(O)$(1)files.jsonl: $(call digested,$(2)) $(wildcard $(2:%=%/input.jsonl))
	files=(); for l in $(foreach f,$(call digested,$(2)),$(call link_of,$(f))); do \
	f=$$$$(readlink -- $$$$l; echo .); files+=("$$$${f%??}"); done; \
	said=$$$$(tp-look --sha256 --output $$@ -- "$$$${files[@]}" 2>&1) || { \
	s=$$$$?; [ $$$$s -eq 3 ] || printf '%s\n' "$$$$said" >&2; (exit $$$$s); } $$(bad3)
$(O)$(1)foot.md: $(if $(call digested,$(2)),$(O)$(1)files.jsonl) $(WITH)
	tp-render -q page-foot --output $$@ $$(filter %.jsonl,$$^) </dev/null $$(bad3)

endef

# A page of a report, where one is wanted (PAGE): card, report, chapters, foot.
# page.made says whether style and script are files beside it, and which command
# prints the report.
page = { read -r how; IFS= read -r command; } <$(O)page.made; linked=(); \
	[ $$how = inline ] || linked=(--linked $(OUT)); shopt -s nullglob; \
	tp-page --html $(if $(1),--card $(1)) --foot $(2) --command "$$command" $${linked[@]+"$${linked[@]}"} --output $@ -- $(3)

$(O)notes.md: $(call role,notes) $(WITH)
	tp-render --notes $(inputs) --output $@ $(bad3)
