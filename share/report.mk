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

# A capture of JAX (in/jax: the folder it is in, in/trace-*: its files), or
# its summary, has sections of its own where they differ.
TRACES := $(sort $(wildcard $(IN)/trace-*))
FOLDER := $(wildcard $(IN)/jax)
SUMMARY := $(if $(TRACES),,$(firstword $(sort $(wildcard $(IN)/summary-*))))
JAX := $(strip $(TRACES) $(SUMMARY))
SECTIONS := run summary $(if $(JAX),steps devices ops,cpu gpu memory) \
	bottlenecks proposals appendix
own = $(if $(and $(JAX),$(filter run summary steps devices ops \
	appendix,$(1))),jax-)$(1)

# a table that is there, under its own name, under OUT/in
have = $(wildcard $(addprefix $(IN)/,$(1)))
TOC := $(call have,toc)
GPU := $(call have,metal-gpu-intervals \
	metal-application-command-buffer-submissions \
	metal-command-buffer-completed metal-command-buffer-to-accelerator-id \
	metal-command-buffer-frame-assignment metal-application-encoders-list)
MEM := $(call have,metal-wired-sysmem-level-interval \
	metal-current-allocated-size)
CPU := $(firstword $(call have,time-profile cpu-profile counters-profile))
INFO := $(call have,metal-gpu-info device-gpu-info)
BENCH := $(sort $(wildcard $(IN)/bench-*))
RECORDS := $(sort $(wildcard $(IN)/records-*))
OTHER := $(sort $(wildcard $(IN)/other-*)) \
	$(filter-out $(CPU),$(call have,time-profile cpu-profile \
	counters-profile))

PARTS := $(if $(GPU),gpu) $(if $(MEM),mem) $(if $(CPU),cpu) \
	$(if $(TOC)$(INFO),info) $(if $(BENCH),bench) \
	$(if $(strip $(OTHER)),other) $(if $(JAX),trace)
STREAMS := $(PARTS:%=$(O)/%.jsonl) $(RECORDS)
INVENTORY := $(if $(JAX),,$(O)/inventory.jsonl)
ALL := $(STREAMS) $(INVENTORY) $(O)/findings.jsonl

# status 3 is told by the notes; anything else stops the report
bad3 = || { s=$$?; [ $$s -eq 3 ] || { echo $$s >$(O)/failed; exit 1; }; }
label = --label "$${TP_LABEL:--}"
# what was asked for: not an operand, but what rests on it is made again
inputs = $(filter-out %/label %/repo %/meta,$^)
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

$(O)/mem.jsonl: $(MEM) $(TOC) $(LABEL) | $(O)/target
	tp-mem $(target) $(label) --output $@ $(inputs) $(bad3)

$(O)/cpu.jsonl: $(CPU) $(TOC) $(LABEL) | $(O)/target
	tp-cpu-top $(target) $(label) --output $@ $(inputs) $(bad3)

$(O)/info.jsonl: $(TOC) $(INFO) $(LABEL)
	tp-rows $(label) --output $@ $(inputs) $(bad3)

$(O)/bench.jsonl: $(BENCH) $(LABEL)
	tp-bench $(label) --output $@ $(inputs) $(bad3)

$(O)/other.jsonl: $(OTHER) $(LABEL)
	tp-rows --count $(label) --output $@ $(inputs) $(bad3)

# In the folder itself, so that files are called by their place in it.
$(O)/trace.jsonl: $(JAX) $(LABEL)
ifneq ($(TRACES),)
	(out=$(abspath $@); $(if $(FOLDER),cd -- "$$(readlink $(FOLDER))";) \
	tp-trace -q --sha256 $(label) --output "$$out" $(if $(FOLDER),.,$(TRACES))) $(bad3)
else
	tp-from-summary $(label) --output $@ $(SUMMARY) $(bad3)
endif

$(O)/inventory.jsonl: $(STREAMS)
	tp-inventory --first --output $@ $(inputs) </dev/null $(bad3)

$(O)/findings.jsonl: $(STREAMS) $(INVENTORY) $(call have,repo)
	tp-findings $${TP_REPO:+--repo "$$TP_REPO"} --output $@ $(inputs) $(bad3)

# What the user says about the run stands in its first section.
$(O)/run.md: $(ALL) $(call have,meta)
	meta=(); if [ -e $(IN)/meta ]; then while IFS= read -r -d '' m; do meta+=("--meta=$$m"); done <$(IN)/meta; fi; \
	tp-render $(call own,run) $${meta[@]+"$${meta[@]}"} --output $@ $(ALL) $(bad3)

$(filter-out $(O)/run.md,$(SECTIONS:%=$(O)/%.md)): $(O)/%.md: $(ALL)
	tp-render $(call own,$*) --output $@ $(ALL) $(bad3)

# Sections in order, a blank line between, then what a person added.
$(O)/report.md: $(SECTIONS:%=$(O)/%.md) $(wildcard $(IN)/notes)
	awk 'FNR == 1 && NR > 1 { print "" } { print }' $^ >$@.part
	mv $@.part $@
