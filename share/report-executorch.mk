# report-executorch.mk: the recipe of the report of an ExecuTorch run.
# tp-report links what a run folder holds under fixed names into OUT/in: of
# experiment NNN its tables and logs (run-NNN and what they are) and its name
# (name-NNN, a link to no file), the documents (doc-*), logs of runners
# (log-*), and the folder itself.  As in report.mk: one filter per line, no
# pipes, status 3 keeps what was good with its notes.

HERE := $(dir $(lastword $(MAKEFILE_LIST)))
include $(HERE)report-common.mk

FOLDER := $(wildcard $(IN)/folder)
DOCS := $(sort $(wildcard $(IN)/doc-*))
LOGS := $(sort $(wildcard $(IN)/log-*))
ALL_RUNS := $(sort $(patsubst run-%,%,$(foreach f,$(notdir \
	$(wildcard $(IN)/run-*)),$(firstword $(subst _, ,$(f))))))
# of one experiment: all its files; its tables; those that tell of kernels
files = $(sort $(wildcard $(IN)/run-$(1) $(IN)/run-$(1)_*))
NO_TABLE := %_xnntrace %_kernels
tables = $(filter-out $(NO_TABLE) %_xtrace_all_runs_timeline \
	%_xtrace_run0_timeline %_xtrace_ops_stats,$(call files,$(1)))
logs = $(filter $(NO_TABLE),$(call files,$(1)))
RUNS := $(foreach r,$(ALL_RUNS),$(if $(call tables,$(r)),$(r)))

inputs = $(filter-out %/label %/meta %/folder,$^)
# Files by their places in the folder, as the filters are to call them.
places = out=$@; case $$out in /*) ;; *) out=$$PWD/$$out ;; esac; d=$(if $(FOLDER),$$(readlink $(FOLDER)),/); f=(); \
	for l in $(1); do p=$$(readlink "$$l"); f+=("$${p\#"$${d%/}"/}"); done; cd -- "$$d";

# Pairs, as the experiments say: numbers of runs, in the order of RUNS.
ifneq ($(RUNS),)
-include $(O)/pairs.mk
endif
run_of = $(word $(1),$(RUNS))
UNPAIRED := $(filter-out $(foreach p,$(PAIRS),$(call run_of,$(BEFORE_$(p))) \
	$(call run_of,$(AFTER_$(p)))),$(RUNS))

.DEFAULT_GOAL := report

$(foreach r,$(RUNS),$(eval $(O)/run-$(r).jsonl: $(call tables,$(r))))
$(RUNS:%=$(O)/run-%.jsonl): $(O)/run-%.jsonl: $(call have,label)
	(name=$$(readlink $(IN)/name-$*); $(call places,$(inputs)) tp-etdump -q --samples $(LIMITS) --label "$$name" --output "$$out" -- "$${f[@]}") $(bad3)

$(O)/experiments.jsonl: $(RUNS:%=$(O)/run-%.jsonl) $(DOCS) $(LOGS) $(call have,label)
	tp-etrun $(if $(FOLDER),--folder "$$(readlink $(FOLDER))") $(LOGS:%=--log %) $(label) --output $@ $(filter-out $(IN:./%=%)/log-% $(IN)/log-%,$(inputs)) $(bad3)

$(O)/pairs.mk: $(O)/experiments.jsonl
	sed -n '/^{"kind":"experiment.pair"/s/.*"pair_number":\([0-9]*\),"baseline_number":\([0-9]*\),"candidate_number":\([0-9]*\),.*/PAIRS += \1\nBEFORE_\1 := \2\nAFTER_\1 := \3/p' $< >$@
	sed -n '/^{"kind":"experiment.pair"/s/.*"pair_number":\([0-9]*\),.*"baseline_build":"off","candidate_build":"on",.*/BUILDS_\1 := yes/p' $< >>$@

# Before and after: their records, and kernels of both.
# Builds are called by what they differ in, other runs as they are.
names = $(if $(BUILDS_$(1)),--name1 SME2-Off --name2 SME2-On)
sides = $(call run_of,$(BEFORE_$(1))) $(call run_of,$(AFTER_$(1)))
streams = $(foreach r,$(call sides,$(1)),$(O)/run-$(r).jsonl)
$(foreach p,$(PAIRS),$(eval $(O)/pair-$(p).jsonl: $(call streams,$(p))))
$(PAIRS:%=$(O)/pair-%.jsonl): $(O)/pair-%.jsonl:
	tp-compare $(call names,$*) --output $@ $^ $(bad3)

# Units of the report: a pair (p1), or an experiment by itself (r001).
UNITS := $(PAIRS:%=p%) $(UNPAIRED:%=r%)
last = $(if $(filter p%,$(1)),$(call run_of,$(AFTER_$(1:p%=%))),$(1:r%=%))
both = $(if $(filter p%,$(1)),$(call sides,$(1:p%=%)),$(1:r%=%))
unit = $(O)/run-$(call last,$(1)).jsonl $(if $(filter p%,$(1)),$(O)/pair-$(1:p%=%).jsonl) \
	$(if $(strip $(foreach r,$(call both,$(1)),$(call logs,$(r)))),$(O)/kernels-$(1).jsonl)

$(foreach u,$(UNITS),$(eval $(O)/kernels-$(u).jsonl: $(foreach r,$(call both,$(u)),$(call files,$(r)))))
$(UNITS:%=$(O)/kernels-%.jsonl): $(O)/kernels-%.jsonl:
	($(call places,$^) tp-kernels -q $(LIMITS) --output "$$out" -- "$${f[@]}") $(bad3)

# The kernels of the first unit with a log, as a page of their own.
ALL_KERNELS := $(filter $(O)/kernels-%,$(foreach u,$(UNITS),$(call unit,$(u))))
KERNELS := $(firstword $(ALL_KERNELS))
$(O)/kernel_view.md: $(KERNELS)
	tp-render kernel_view --output $@ $^ $(bad3)

# The same as documents, of the last run of the first unit and of each run.
FIRST := $(firstword $(UNITS))
DOCUMENTS := $(if $(FIRST),$(O)/operator_analysis.json) \
	$(RUNS:%=$(O)/robust-%.json)
$(O)/operator_analysis.json: $(if $(FIRST),$(O)/run-$(call last,$(FIRST)).jsonl $(O)/findings-$(FIRST).jsonl)
	tp-json operator-analysis --output $@ $^ $(bad3)
$(RUNS:%=$(O)/robust-%.json): $(O)/robust-%.json: $(O)/run-%.jsonl
	tp-json robust-stats --output $@ $^ $(bad3)

# What is left to do is judged of the run after.
$(foreach u,$(UNITS),$(eval $(O)/findings-$(u).jsonl: $(call unit,$(u))))
$(UNITS:%=$(O)/findings-%.jsonl): $(O)/findings-%.jsonl:
	tp-findings --repo none --output $@ $^ $(bad3)

# Sections: of the run, then of each unit, then what was checked and lost.
UNIT_SECTIONS := latency bottlenecks portable kernels recommendations
$(O)/et-run.md: $(O)/experiments.jsonl $(call have,meta)
	$(with_meta) tp-render et-run $${meta[@]+"$${meta[@]}"} --output $@ $< $(bad3)

pages = $(if $(word 2,$(UNITS)),unit) $(UNIT_SECTIONS)
section = $(if $(and $(filter latency,$(1)),$(filter p%,$(2))),accel,et-$(1))
PARTS := $(foreach u,$(UNITS),$(foreach s,$(pages),$(O)/$(s)-$(u).md))

# All of a unit in one pass: the "%" stands for the dot.
define unit_rule
$(foreach s,$(pages),$(O)/$(s)-$(1)%md): $(O)/findings-$(1).jsonl $(call unit,$(1)) $(O)/experiments.jsonl
	tp-render $(foreach s,$(pages),--write $(call section,$(s),$(1))=$(O)/$(s)-$(1).md) $$^ $$(bad3)

endef
$(foreach u,$(UNITS),$(eval $(call unit_rule,$(u))))

EVERY := $(RUNS:%=$(O)/run-%.jsonl) $(foreach u,$(UNITS),$(filter-out \
	$(O)/run-%,$(call unit,$(u)))) $(O)/experiments.jsonl
$(O)/findings-run.jsonl: $(O)/experiments.jsonl
	tp-findings --repo none --output $@ $^ $(bad3)

$(O)/et-checks.md: $(O)/experiments.jsonl $(O)/findings-run.jsonl
$(O)/et-files.md: $(RUNS:%=$(O)/run-%.jsonl) $(O)/experiments.jsonl
$(O)/et-notes.md: $(EVERY)
$(O)/et-checks.md $(O)/et-files.md $(O)/et-notes.md: $(O)/%.md:
	tp-render $* --output $@ $^ $(bad3)

$(O)/report.md: $(O)/et-run.md $(PARTS) $(O)/et-checks.md $(O)/et-files.md $(O)/et-notes.md $(wildcard $(IN)/notes)
$(O)/report.md $(O)/combined_report.md:
	awk 'FNR == 1 && NR > 1 { print "" } { print }' $^ >$@.part
	mv $@.part $@

.PHONY: report records
report: $(O)/report.md $(if $(KERNELS),$(O)/kernel_view.md) $(DOCUMENTS)
records: $(RUNS:%=$(O)/run-%.jsonl) $(ALL_KERNELS) $(O)/experiments.jsonl

# Several run folders: 1, 2 ... below OUT, each made as above.
FOLDERS := $(COMBINED:%=$(O)/%)
FOLDER_PAIRS := $(foreach f,$(FOLDERS),$(patsubst $(f)/pair-%.jsonl,$(f)/p%,$(sort $(wildcard $(f)/pair-*.jsonl))))

$(O)/combined.md: $(FOLDERS:%=%/experiments.jsonl) $(foreach p,$(FOLDER_PAIRS),$(dir $(p))pair-$(patsubst p%,%,$(notdir $(p))).jsonl)
	$(with_meta) tp-render et-combined $${meta[@]+"$${meta[@]}"} --output $@ $^ $(bad3)

$(FOLDER_PAIRS:%=%.md): %.md:
	tp-render et-combined-run --output $@ $(dir $@)pair-$(patsubst p%,%,$(notdir $*)).jsonl $(dir $@)findings-$(notdir $*).jsonl $(bad3)

$(O)/combined_report.md: $(O)/combined.md $(FOLDER_PAIRS:%=%.md) $(wildcard $(IN)/notes)
