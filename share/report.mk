# report.mk: the recipe of a report.  tp-report links what a trace holds under
# fixed names into OUT/in and calls make on this file; "make -f report.mk
# OUT=out out/gpu.md" makes a part of it again.  One filter per line, no pipes;
# a filter writes its file aside and renames it, and status 3 (something in
# the input was bad) keeps what was good with its notes.

HERE := $(dir $(lastword $(MAKEFILE_LIST)))
include $(HERE)report-common.mk

# A capture of JAX (in/jax: the folder it is in, in/trace-*: its files), or
# its summary, has sections of its own where they differ.
TRACES := $(sort $(wildcard $(IN)/trace-*))
FOLDER := $(wildcard $(IN)/jax)
SUMMARY := $(if $(TRACES),,$(firstword $(sort $(wildcard $(IN)/summary-*))))
JAX := $(strip $(TRACES) $(SUMMARY))
SECTIONS = $(or $(TORCH_SECTIONS),run summary $(if $(JAX),steps devices \
	ops,cpu gpu memory) bottlenecks proposals appendix)
own = $(if $(and $(JAX),$(filter run summary steps devices ops \
	appendix,$(1))),jax-)$(1)

TOC := $(call have,toc)
GPU := $(call have,metal-gpu-intervals \
	metal-application-command-buffer-submissions \
	metal-command-buffer-completed metal-command-buffer-to-accelerator-id \
	metal-command-buffer-frame-assignment metal-application-encoders-list)
MARKS := $(call have,os-signpost-interval os-signpost)
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
	counters-profile)) $(if $(GPU),,$(MARKS))

include $(HERE)report-pytorch.mk

PARTS := $(if $(TORCH),torch) $(if $(GPU),gpu) $(if $(MEM),mem) $(if $(CPU),cpu) \
	$(if $(COUNTERS),counters) $(if $(TOC)$(INFO),info) $(if $(BENCH),bench) \
	$(if $(strip $(OTHER)),other) $(if $(JAX),trace)
STREAMS := $(PARTS:%=$(O)/%.jsonl) $(RECORDS)
INVENTORY := $(if $(JAX)$(TORCH),,$(O)/inventory.jsonl)
ALL := $(STREAMS) $(INVENTORY) $(O)/findings.jsonl

# what 3 has to leave, made of the first of what it needs: FILE
made = { [ -e $(1) ] && ! [ $(1) -ot $< ]; } || exit 1
# what was asked for: not an operand, but what rests on it is made again
inputs = $(filter-out %/label %/repo %/platform %/replay %/meta %/scope %/steps steps,$^)
LABEL := $(call have,label scope)

# The process and the part of the run are words of a user: make must not expand
# them.  What is relative is of one length for all: the first part there is
# gets what was asked for, the others the nanoseconds that it made of it.  The
# target is chosen once: by the user or the table of contents, which every
# filter reads, else by the GPU, whose choice (a pid) the others get.
ASKED := $(value TP_FROM)$(value TP_TO)$(value TP_LAST)
LEAD := $(firstword $(filter gpu mem cpu,$(PARTS)))
is_lead = $(filter $(LEAD),$(1))
asked = $${TP_FROM:+--from "$$TP_FROM"} $${TP_TO:+--to "$$TP_TO"} \
	$${TP_LAST:+--last "$$TP_LAST"}
chosen = $(if $(filter gpu,$(1)),$${TP_PROCESS-},$(if $(TOC),$(if $(value TP_PROCESS),$$(cat $(O)/target)),$$(cat $(O)/target)))
choose = p="$(chosen)"; w=($(if $(ASKED),$(if $(is_lead),,$$(cat $(O)/window)))); \
	[ -n "$${w[*]-}" ] || w=($(asked));
scope = $${p:+"--process=$$p"} $${w[@]+"$${w[@]}"}
first = $(O)/target $(if $(ASKED),$(if $(is_lead),,$(O)/window))

# Parts of a run whose busy time is kept, to draw it beside another's.
SLICES := 60

.PHONY: report records
report: $(O)/report.md
records: $(STREAMS)

$(O)/gpu.jsonl: $(GPU) $(MARKS) $(TOC) $(LABEL)
	$(call choose,gpu) tp-cmdbuf --gpu --slices $(SLICES) $(scope) $(label) --output $@ $(inputs) $(bad3)

$(O)/target: $(if $(GPU),$(O)/gpu.jsonl)
	$(if $(GPU),sed -n '/"kind":"gpu.summary"/s/.*"scope":"target".*"pid":\([0-9]*\).*/\1/p' $< | head -n 1 >$@,: >$@)
	[ -s $@ ] || printf %s "$${TP_PROCESS-}" >$@

$(O)/window: $(LEAD:%=$(O)/%.jsonl)
	sed -n '/^{"kind":"window"/{h;s/.*"from_ns":\([0-9]*\).*/--from=\1/p;g;s/.*"to_ns":\([0-9]*\).*/--to=\1/p;}' $< >$@

# Peaks and jumps are placed in the steps that the GPU's rows showed.
$(O)/steps: $(if $(GPU),$(O)/gpu.jsonl)
	$(if $(GPU),sed -n '/^{"kind":"step"/p' $< >$@,: >$@)

# The user may say how much memory the GPU works well with: no table does.
beside = more=(); if [ -s $(O)/steps ]; then more=($(O)/steps); fi; \
	if [ -e $(IN)/meta ]; then while IFS= read -r -d '' m; do case $$m in working_set=*) more+=("--working-set=$${m\#*=}") ;; esac; done <$(IN)/meta; fi;

$(O)/mem.jsonl: $(MEM) $(TOC) $(LABEL) $(call have,meta) $(O)/steps | $(call first,mem)
	$(call choose,mem) $(beside) tp-mem $(scope) $(label) --output $@ $(inputs) $${more[@]+"$${more[@]}"} $(bad3)

$(O)/cpu.jsonl: $(CPU) $(TOC) $(LABEL) | $(call first,cpu)
	$(call choose,cpu) tp-cpu-top $(scope) $(label) --output $@ $(inputs) $(bad3)

$(O)/counters.jsonl: $(COUNTERS) $(TOC) $(LABEL) | $(call first,counters)
	$(call choose,counters) tp-gpu-counters $(scope) $(label) --output $@ $(inputs) $(bad3)

# A table before the toc: it says of which run the tables are.
$(O)/info.jsonl: $(INFO) $(TOC) $(LABEL)
	tp-rows $(label) --output $@ $(inputs) $(bad3)

$(O)/bench.jsonl: $(BENCH) $(LABEL)
	tp-bench $(label) --output $@ $(inputs) $(bad3)

$(O)/other.jsonl: $(OTHER) $(LABEL)
	tp-rows --count $(label) --output $@ $(inputs) $(bad3)

# In the folder itself, so that files are called by their place in it.
$(O)/trace.jsonl: $(JAX) $(LABEL)
ifneq ($(TRACES),)
	(out=$@; case $$out in /*) ;; *) out=$$PWD/$$out ;; esac; $(if $(FOLDER),cd -- "$$(readlink $(FOLDER))";) \
	tp-trace -q --sha256 --slices $(SLICES) $(label) --output "$$out" $(if $(FOLDER),.,$(TRACES))) $(bad3)
else
	tp-from-summary $(label) --output $@ $(SUMMARY) $(bad3)
endif

$(O)/inventory.jsonl: $(STREAMS)
	tp-inventory --first --output $@ $(inputs) </dev/null $(bad3)

# What --list tells: files are read through and counted, not analysed.
FILES := $(sort $(filter-out %/label %/repo %/platform %/replay %/meta %/scope %/notes \
	$(IN)/bench-% $(IN)/records-% $(IN)/other-%,$(wildcard $(IN)/*))) \
	$(sort $(wildcard $(IN)/other-*))

$(O)/counted.jsonl: $(FILES) $(LABEL)
	tp-rows --count $(label) --output $@ $(inputs) $(bad3)

$(O)/list.jsonl: $(if $(strip $(FILES)),$(O)/counted.jsonl) $(RECORDS)
	tp-inventory --first --output $@ $(inputs) </dev/null $(bad3)

$(O)/findings.jsonl: $(STREAMS) $(INVENTORY) $(call have,repo)
	tp-findings $${TP_REPO:+--repo "$$TP_REPO"} --output $@ $(inputs) $(bad3)

# All sections in one pass: the "%" of a rule of several targets stands for the
# dot.  What the user says about the run stands in the first.
$(SECTIONS:%=$(O)/%%md): $(ALL) $(call have,meta)
	$(with_meta) tp-render $(foreach s,$(SECTIONS),--write $(call own,$(s))=$(O)/$(s).md) $${meta[@]+"$${meta[@]}"} $(ALL) $(bad3)

# Before and after: sections of the comparison, in order.
COMPARED := compare-verdict compare-runs accel fusion compare-steps compare-bench \
	compare-devices compare-launchers compare-timeline compare-memory compare-cpu \
	compare-operations compare-shares compare-notes

$(O)/compare.jsonl: $(O)/before.jsonl $(O)/after.jsonl
	rm -f $@
	tp-compare $(ALLOW) $(if $(SVG),--svg $(O)/$(SVG)) --output $@ $^ $(bad3)
	[ -e $@ ] || { echo 3 >$(O)/failed; exit 1; }

# Of GPU intervals alone: not a word of it where neither run has any.
$(O)/fusion.md: $(O)/compare.jsonl
	if grep -q '^{"kind":"compare.metric".*"metric":"gpu\.' $<; then \
	tp-render fusion --output $@ $< $(bad3); else : >$@; fi

COMPARED_ALWAYS := $(filter-out fusion,$(COMPARED))
$(COMPARED_ALWAYS:%=$(O)/%%md): $(O)/compare.jsonl
	tp-render $(foreach s,$(COMPARED_ALWAYS),--write $(s)=$(O)/$(s).md) $(if $(SVG),--meta svg=$(SVG)) $< $(bad3)

# Sections in order, a blank line between, then what a person added.
$(O)/report.md: $(SECTIONS:%=$(O)/%.md) $(wildcard $(IN)/notes)
$(O)/comparison.md: $(COMPARED:%=$(O)/%.md) $(wildcard $(IN)/notes)
$(O)/report.md $(O)/comparison.md:
	awk 'FNR == 1 && NR > 1 { print "" } { print }' $^ >$@.part
	mv $@.part $@
