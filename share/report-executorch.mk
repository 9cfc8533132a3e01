# report-executorch.mk: the run folder of ExecuTorch; report.mk includes it.
# Experiment NNN has its tables (run-NNN), logs of its kernels (kernels-NNN,
# xtrace-NNN) and its name (in/name-NNN), and where a table is of several what
# its rows say (in/of-NNN); the run folder has documents, logs of
# runners, and the folder itself.

DOCS := $(call role,doc)
LOGS := $(call role,log)
PROGRAM := $(call role,program)
RUNS := $(patsubst $(IN)/run-%,%,$(sort $(filter-out %.jsonl,$(wildcard $(IN)/run-???))))
STREAMS = $(RUNS:%=$(O)run-%.jsonl) $(KERNELS) $(if $(or $(word 2,$(RUNS)),$(DOCS)),$(O)experiments.jsonl)

$(foreach r,$(RUNS),$(eval $(O)run-$(r).jsonl: $(call role,run-$(r))))
$(RUNS:%=$(O)run-%.jsonl): $(O)run-%.jsonl: $(WITH) $(IN)/name-% $(PROGRAM)
	tp-etdump -q --samples $${TP_TIME_SCALE:+--time-scale "$$TP_TIME_SCALE"} --label "$$(<$(IN)/name-$*)" $(if $(wildcard $(IN)/of-$*),--of="$$(<$(IN)/of-$*)") --output $@ $(inputs) $(bad3)

$(O)experiments.jsonl: $(RUNS:%=$(O)run-%.jsonl) $(DOCS) $(LOGS) $(WITH)
	folder=$(if $(wildcard $(IN)/folder),$$(readlink $(IN)/folder)); tp-etrun $${folder:+--folder "$$folder"} $(foreach l,$(call read,$(LOGS)),--log $(l)) $(label) --output $@ $(filter-out $(IN)/log-%,$(inputs)) $(bad3)

# Pairs of experiments, which the records name: NUMBER:BEFORE:AFTER:yes, with the
# positions of both in RUNS; "yes" if they differ only in the build.  They are
# known only when the records exist, so make is called again with them.
pair = $(word $(2),$(subst :, ,$(1)))
run_of = $(word $(call pair,$(1),$(2)),$(RUNS))
UNPAIRED := $(filter-out $(foreach p,$(PAIRS),$(call run_of,$(p),2) $(call run_of,$(p),3)),$(RUNS))

# Before and after: their records, and kernels of both.  Builds are named by their
# difference, other runs by their own name.
define pair_rule
$(O)pair-$(call pair,$(1),1).jsonl: $(O)run-$(call run_of,$(1),2).jsonl $(O)run-$(call run_of,$(1),3).jsonl $(O)experiments.jsonl
	tp-compare $(if $(call pair,$(1),4),--name1 SME2-Off --name2 SME2-On) --output $$@ $$(filter-out %experiments.jsonl,$$^) $$(bad3)

endef
$(foreach p,$(PAIRS),$(eval $(call pair_rule,$(p))))

# Units of the report: a pair (p1), or an experiment by itself (r001), with the
# experiments it is made of, the last of which is judged.
UNITS := $(foreach p,$(PAIRS),p$(call pair,$(p),1)) $(UNPAIRED:%=r%)
pair_of = $(firstword $(filter $(1:p%=%):%,$(PAIRS)))
runs_of = $(if $(filter p%,$(1)),$(foreach n,2 3,$(call run_of,$(call pair_of,$(1)),$(n))),$(1:r%=%))
kernels_of = $(if $(call role,$(foreach r,$(call runs_of,$(1)),kernels-$(r))),$(O)kernels-$(1).jsonl)
unit = $(O)run-$(lastword $(call runs_of,$(1))).jsonl $(if $(filter p%,$(1)),$(O)pair-$(1:p%=%).jsonl) \
	$(call kernels_of,$(1))

# The run after is judged for what remains to be done.  One pass makes all sections
# of a unit: the "%" stands for the dot.
UNIT_SECTIONS := latency parts operators bottlenecks portable kernels recommendations details
template = $(if $(filter $(ADDED),$(1)),$(1),executorch-$(1))
# the sections about a pair; the time of one run includes its parts
PAIRED := latency parts operators details
pages = $(filter-out $(if $(filter p%,$(1)),,parts operators),$(call with_added,$(2)))
section = $(if $(and $(filter $(PAIRED),$(1)),$(filter p%,$(2))),accel-$(1),$(call template,$(1)))
define unit_rule
$(O)kernels-$(1).jsonl: $(foreach r,$(call runs_of,$(1)),$(call role,kernels-$(r) run-$(r) xtrace-$(r))) $(WITH)
	tp-kernels -q --output $$@ $$(sort $$(inputs)) $$(bad3)

$(O)findings-$(1).jsonl: $(call unit,$(1)) $(WITH)
	tp-findings $$$${TP_RULES:+--rules "$$$$TP_RULES"} --repo none --output $$@ $$(inputs) $$(bad3)

$(foreach s,$(call pages,$(1),$(UNIT_SECTIONS)),$(O)$(s)-$(1)%md): $(O)findings-$(1).jsonl $(call unit,$(1)) $(O)experiments.jsonl
	tp-render $(foreach s,$(call pages,$(1),$(UNIT_SECTIONS)),--write $(call section,$(s),$(1))=$(O)$(s)-$(1).md) $$(inputs) $$(bad3)

endef
$(foreach u,$(UNITS),$(eval $(call unit_rule,$(u))))

# A page of kernels for the first unit that has a log, and documents of the last
# run of the first unit and of each run.
KERNELS := $(foreach u,$(UNITS),$(call kernels_of,$(u)))
$(O)kernel_view.md: $(firstword $(KERNELS))
	tp-render kernel_view --output $@ $^ $(bad3)
FIRST := $(firstword $(UNITS))
$(O)operator_analysis.json: $(if $(FIRST),$(firstword $(call unit,$(FIRST))) $(O)findings-$(FIRST).jsonl)
	tp-json operator-analysis --output $@ $^ $(bad3)
$(RUNS:%=$(O)robust-%.json): $(O)robust-%.json: $(O)run-%.jsonl
	tp-json robust-stats --output $@ $^ $(bad3)

# The first screen, with the budget of the first unit and findings of all.
EVERY := $(RUNS:%=$(O)run-%.jsonl) $(foreach u,$(UNITS),$(filter-out \
	$(O)run-%,$(call unit,$(u)))) $(O)experiments.jsonl
$(O)findings-run.jsonl: $(O)experiments.jsonl $(WITH)
	tp-findings $${TP_RULES:+--rules "$$TP_RULES"} --repo none --output $@ $< $(bad3)
ANSWER := $(O)executorch-answer.md
$(ANSWER): $(UNITS:%=$(O)findings-%.jsonl) $(if $(FIRST),$(call unit,$(FIRST))) $(filter $(O)pair-%,$(EVERY)) $(O)experiments.jsonl $(LOST) $(META)

# The picture of the budget is of the run that is judged.
PICTURES := budget steps
APART := budget
LATE := $(if $(FIRST),$(DRAWN:%=$(O)budget.jsonl))
$(O)budget.jsonl: $(call unit,$(FIRST))
	$(call draw,$(APART)) $^ $(bad3)
$(ANSWER): $(LATE)
$(O)executorch-metadata.md: $(O)experiments.jsonl $(META)
$(O)executorch-appendix.md: $(EVERY) $(O)findings-run.jsonl $(LOST) $(PICTURED)
$(O)executorch-files.md: $(RUNS:%=$(O)run-%.jsonl) $(O)experiments.jsonl
PAGES := $(ANSWER) $(O)executorch-metadata.md $(O)executorch-appendix.md $(O)executorch-files.md
# These describe every experiment, by its name.
$(PAGES): $(O)%.md: $(WITH)
	tp-render -q $* --output $@ $(filter-out $(WITH),$^) $(bad3)

# Sections in the order of the seed, with the rest in the appendix; of several units
# only what each comes to stands before it.  A page has the recommendations first.
pages_of = $(foreach u,$(UNITS),$(foreach s,$(call pages,$(u),$(1)),$(O)$(s)-$(u).md))
BODY := latency parts $(if $(word 2,$(UNITS)),,operators bottlenecks portable kernels)
BEHIND := $(filter-out $(BODY) recommendations,$(UNIT_SECTIONS))
ENDED = $(O)executorch-appendix.md $(call pages_of,$(BEHIND)) $(O)executorch-files.md $(NOTES)
PAGED = $(call pages_of,recommendations) $(call pages_of,$(BODY)) $(O)executorch-metadata.md $(ENDED)
REPORT = $(ANSWER) $(if $(SHOWN),$(PAGED),$(O)executorch-metadata.md \
	$(foreach u,$(UNITS),$(foreach s,$(call pages,$(u),$(BODY) recommendations),$(O)$(s)-$(u).md)) $(ENDED))
ifeq ($(origin PAIRS),undefined)
ASK_PAIRS := 1
report records: $(O)experiments.jsonl
	pairs=$$(tp-render executorch-pairs $<) $(bad3); [[ $$pairs != *[!0-9:yes$$'\n']* ]]; \
	{ : >&8; } 2>/dev/null && exec 2>&8; $(MAKE) -f $(firstword $(MAKEFILE_LIST)) OUT=$(OUT) PAIRS="$${pairs//$$'\n'/ }" $(MAKECMDGOALS)
else
report: $(if $(KERNELS),$(O)kernel_view.md) $(if $(FIRST),$(O)operator_analysis.json) \
	$(RUNS:%=$(O)robust-%.json)
endif
