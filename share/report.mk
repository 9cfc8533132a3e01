# report.mk: the recipe of a report.  tp-report links what a trace holds under
# fixed names into OUT/in and calls make on this file; "make -f report.mk
# OUT=out out/gpu.md" makes a part of it again.  One filter per line, no pipes;
# a filter writes its file aside and renames it, and status 3 (something in
# the input was bad) keeps what was good with its notes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:

OUT ?= .
O := $(OUT)
IN := $(O)/in
SECTIONS := run summary cpu gpu memory bottlenecks proposals appendix

# a table that is there, under its own name, under OUT/in
have = $(wildcard $(addprefix $(IN)/,$(1)))
TOC := $(call have,toc)
GPU := $(call have,metal-gpu-intervals \
	metal-application-command-buffer-submissions \
	metal-command-buffer-completed metal-command-buffer-to-accelerator-id \
	metal-command-buffer-frame-assignment metal-application-encoders-list)
MEM := $(call have,metal-wired-sysmem-level-interval \
	metal-current-allocated-size metal-resource-allocations \
	metal-kernel-resource-allocations)
CPU := $(firstword $(call have,time-profile cpu-profile counters-profile))
COUNTERS := $(call have,metal-gpu-counter-intervals gpu-counter-info \
	gpu-counter-value metal-gpu-counter-profile \
	gpu-performance-state-intervals metal-gpu-state-intervals \
	metal-driver-intervals kdebug)
INFO := $(call have,metal-gpu-info device-gpu-info)
BENCH := $(sort $(wildcard $(IN)/bench-*))
RECORDS := $(sort $(wildcard $(IN)/records-*))
OTHER := $(sort $(wildcard $(IN)/other-*)) \
	$(filter-out $(CPU),$(call have,time-profile cpu-profile \
	counters-profile))

PARTS := $(if $(GPU),gpu) $(if $(MEM),mem) $(if $(CPU),cpu) \
	$(if $(COUNTERS),counters) $(if $(TOC)$(INFO),info) $(if $(BENCH),bench) \
	$(if $(strip $(OTHER)),other)
STREAMS := $(PARTS:%=$(O)/%.jsonl) $(RECORDS)
ALL := $(STREAMS) $(O)/inventory.jsonl $(O)/findings.jsonl

# status 3 is told by the notes; anything else stops the report
bad3 = || { s=$$?; [ $$s -eq 3 ] || { echo $$s >$(O)/failed; exit 1; }; }
label = --label "$${TP_LABEL:--}"
# what was asked for: not an operand, but what rests on it is made again
inputs = $(filter-out %/label %/repo %/meta %/steps steps,$^)
LABEL := $(call have,label)

.PHONY: report
report: $(O)/report.md

$(O)/gpu.jsonl: $(GPU) $(TOC) $(LABEL)
	tp-cmdbuf --gpu $(label) --output $@ $(inputs) $(bad3)

# The target is chosen once: by the table of contents, which every filter
# reads, else by the GPU, whose choice (a pid, digits only) the others get.
$(O)/target: $(if $(GPU),$(O)/gpu.jsonl)
	$(if $(GPU),sed -n '/"kind":"gpu.summary"/s/.*"scope":"target".*"pid":\([0-9]*\).*/\1/p' $< | head -n 1 >$@,: >$@)

target = $(if $(TOC),,$$(sed 's/^/--process=/' $(O)/target))

# Peaks and jumps are placed in the steps that the GPU's rows showed.
$(O)/steps: $(if $(GPU),$(O)/gpu.jsonl)
	$(if $(GPU),sed -n '/^{"kind":"step"/p' $< >$@,: >$@)

# The user may say how much memory the GPU works well with: no table does.
beside = more=(); if [ -s $(O)/steps ]; then more=($(O)/steps); fi; \
	if [ -e $(IN)/meta ]; then while IFS= read -r -d '' m; do case $$m in working_set=*) more+=("--working-set=$${m\#*=}") ;; esac; done <$(IN)/meta; fi;

$(O)/mem.jsonl: $(MEM) $(TOC) $(LABEL) $(call have,meta) $(O)/steps | $(O)/target
	$(beside) tp-mem $(target) $(label) --output $@ $(inputs) $${more[@]+"$${more[@]}"} $(bad3)

$(O)/cpu.jsonl: $(CPU) $(TOC) $(LABEL) | $(O)/target
	tp-cpu-top $(target) $(label) --output $@ $(inputs) $(bad3)

$(O)/counters.jsonl: $(COUNTERS) $(TOC) $(LABEL) | $(O)/target
	tp-gpu-counters $(target) $(label) --output $@ $(inputs) $(bad3)

$(O)/info.jsonl: $(TOC) $(INFO) $(LABEL)
	tp-rows $(label) --output $@ $(inputs) $(bad3)

$(O)/bench.jsonl: $(BENCH) $(LABEL)
	tp-bench $(label) --output $@ $(inputs) $(bad3)

$(O)/other.jsonl: $(OTHER) $(LABEL)
	tp-rows --count $(label) --output $@ $(inputs) $(bad3)

$(O)/inventory.jsonl: $(STREAMS)
	tp-inventory --first --output $@ $(inputs) </dev/null $(bad3)

$(O)/findings.jsonl: $(STREAMS) $(O)/inventory.jsonl $(call have,repo)
	tp-findings $${TP_REPO:+--repo "$$TP_REPO"} --output $@ $(inputs) $(bad3)

# What the user says about the run stands in its first section.
$(O)/run.md: $(ALL) $(call have,meta)
	meta=(); if [ -e $(IN)/meta ]; then while IFS= read -r -d '' m; do meta+=("--meta=$$m"); done <$(IN)/meta; fi; \
	tp-render run $${meta[@]+"$${meta[@]}"} --output $@ $(ALL) $(bad3)

$(filter-out $(O)/run.md,$(SECTIONS:%=$(O)/%.md)): $(O)/%.md: $(ALL)
	tp-render $* --output $@ $(ALL) $(bad3)

# Sections in order, a blank line between, then what a person added.
$(O)/report.md: $(SECTIONS:%=$(O)/%.md) $(wildcard $(IN)/notes)
	awk 'FNR == 1 && NR > 1 { print "" } { print }' $^ >$@.part
	mv $@.part $@
