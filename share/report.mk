# report.mk: the recipe of a report.  tp-report lets tp-look link the inputs into
# OUT/in and calls make with this file; "make -f report.mk OUT=out out/gpu.md"
# makes a part of it again.  One filter per line, no pipes; a filter writes a
# temporary file and renames it.  Status 3 (bad input) keeps the good part with
# its notes.
#
# The recipe of each source, report-SOURCE.mk, names its PARTS, record files
# made of inputs, and its SECTIONS, pages made of those.

HERE := $(dir $(lastword $(MAKEFILE_LIST)))
include $(HERE)report-common.mk

# Pictures: SVG for a report that is kept, text for one that is shown.  Their
# content goes into pictures.jsonl, for the sections that show them.
DRAWN := $(if $(SHOWN),txt,$(if $(TABLES)$(PAGE),svg))
PICTURED := $(if $(DRAWN),$(O)pictures.jsonl)
draw = tp-draw -q $(if $(SHOWN),--text="$$TP_DRAW" --width "$$TP_COLUMNS") $(foreach p,$(1),--write-if $(p)=$(O)$(p).$(DRAWN)) --output $@

SOURCE := $(or $(if $(call role,run-* doc),executorch),$(if $(call role,torch),torch),$(if \
	$(call role,trace summary),jax),metal)
include $(HERE)report-$(SOURCE).mk
$(eval $(cpu_rule))
SECTIONS := $(call with_added,$(SECTIONS))
ANSWER_FIRST := $(call answer_first,$(SECTIONS))

# All records, and the files that hold them.
PARTS := $(FIRST_PARTS) $(if $(BENCH),bench) $(if $(strip $(COUNTED)),other) $(LAST_PARTS)
STREAMS ?= $(PARTS:%=$(O)%.jsonl) $(call read,$(RECORDS)) $(LOST)
# Their prerequisites, including the list of inputs.
REST := $(PARTS:%=$(O)%.jsonl) $(RECORDS) $(wildcard $(IN)/input.jsonl) $(LOST) $(WITH)

.PHONY: report records
ifndef ASK_PAIRS
report: $(O)report.md $(if $(PAGE),$(O)report.html) | tidy
records: $(IN)/records.jsonl | tidy
endif

$(IN)/records.jsonl: $(STREAMS)
	tp-put $@ $(STREAMS)

$(O)findings.jsonl: $(REST) $(INVENTORY)
	tp-findings $${TP_RULES:+--rules "$$TP_RULES"} $${TP_REPO:+--repo "$$TP_REPO"} --output $@ $(STREAMS) $(INVENTORY) $(bad3)

$(O)pictures.jsonl: $(REST) $(STREAMS)
	$(call draw,$(filter-out $(APART),$(PICTURES))) $(STREAMS) $(bad3)

# One pass makes all sections: in a rule with several targets the "%" stands for
# the dot.
WRITTEN := $(sort $(SECTIONS) $(if $(SHOWN)$(PAGE),$(ANSWER_FIRST)))
$(WRITTEN:%=$(O)%%md): $(O)findings.jsonl $(PICTURED) $(META)
	tp-render $(foreach s,$(WRITTEN),--write $(call template,$(s))=$(O)$(s).md) $(STREAMS) $(INVENTORY) $(filter-out $(META),$^) $(META) $(bad3)

# Which exports of Instruments are used, empty or missing.
$(O)inventory.jsonl: $(REST)
	tp-inventory --first --output $@ $(STREAMS) </dev/null $(bad3)

# The page of a report.
$(eval $(call foot_rule,,$(IN)))
PAGED ?= $(patsubst %,$(O)%.md,$(filter-out answer,$(ANSWER_FIRST))) $(NOTES)
$(O)page.md: $(PAGED)
	tp-put --blank-line $@ $^
ANSWER ?= $(O)answer.md
$(O)report.html: $(ANSWER) $(O)page.md $(O)foot.md $(PICTURED) $(O)page.made
	$(call page,$(ANSWER),$(O)foot.md,$(O)page.md $(CHAPTERS))

# Files of an earlier report that this one does not have: records, then files that
# only a report of ExecuTorch or of PyTorch has.  Names that are found are words of
# a glob, never of make.
is_rank ?= false
KEPT := $(STREAMS) $(LATE) $(PICTURED) $(INVENTORY) $(EVERY) $(UNITS:%=$(O)findings-%.jsonl) \
	$(O)findings$(if $(filter executorch,$(SOURCE)),-run).jsonl $(RUNS:%=$(O)robust-%.json)
MADE := gpu mem cpu counters info bench other trace torch late inventory findings \
	experiments pictures budget before after compare compare-pictures
NUMBERED := before-*.jsonl after-*.jsonl rank-*.jsonl run-*.jsonl kernels-*.jsonl pair-*.jsonl findings-*.jsonl robust-*.json
TORCH_TABLES := category_data/*.json category_data/*.csv metadata/*.json perf_report_csvs/*.csv \
	priority_data.json perf_report.xlsx tables.made data.made system.md compute.md system.html compute.html
TORCH_PAGES := category_findings/*_findings.md system_findings/*_findings.md \
	standalone_analysis.md validation.md pages.made
TORCH_SCRIPTS := replay_packages/*.py replay.made
COMPARE_PICTURES := waterfall compare changes
PAGE_PARTS := foot.md page.md files.jsonl page.made
LEFT := $(filter-out $(KEPT),$(MADE:%=$(O)%.jsonl)) \
	$(filter-out $(PICTURES:%=$(O)%.svg),$(patsubst $(HERE)pictures/%.json,$(O)%.svg,$(wildcard $(HERE)pictures/*.json))) \
	$(if $(PAGE),,$(O)report.html $(PAGE_PARTS:%=$(O)%)) $(if $(LINKED),,$(O)report.css $(O)report.js) \
	$(if $(KERNELS),,$(O)kernel_view.md) $(if $(FIRST),,$(O)operator_analysis.json) \
	$(if $(wildcard $(O)torch.jsonl),$(addprefix $(O),$(if $(TABLED),,$(TORCH_TABLES)) \
	$(if $(and $(TORCH),$(TABLES)$(PAGE)),,$(TORCH_PAGES)) $(if $(REPLAYS),,$(TORCH_SCRIPTS))))
.PHONY: tidy
tidy:
	old=(); for f in $(LEFT) $(NUMBERED:%=$(O)%); do \
		[[ ( ! -e $$f && ! -L $$f ) || " $(KEPT) " == *" $$f "* ]] || $(is_rank) || old+=("$$f"); \
	done; \
	[ $${#old[@]} -eq 0 ] || printf '%s\0' "$${old[@]}" | xargs -0 rm -f --

# Before and after: sections of the comparison, in order.
COMPARED := compare-verdict compare-promises compare-experiments accel-latency accel-parts accel-operators \
	compare-fusion compare-changes compare-appendix
COMPARED := $(call with_added,$(COMPARED))

# SIDES names the runs: "before before-2 after after-2".
SIDES := before after
compared = $(foreach s,$(SIDES),--$(firstword $(subst -, ,$(s))) $(O)$(s).jsonl)

$(O)compare.jsonl: $(SIDES:%=$(O)%.jsonl) $(wildcard $(O)sides.made) $(WITH)
	tp-compare $${TP_ALLOW:+--allow-same} $${TP_FUSION:+--fusion} $${TP_ACROSS:+--across} $(compared) --output $@ $(bad3)
	($(call made,$@)) || { echo 3 >&8; exit 1; }

# Its pictures, if there are any.
BOTH := $(if $(DRAWN),$(O)compare-pictures.jsonl)
$(O)compare-pictures.jsonl: $(O)compare.jsonl
	$(call draw,$(COMPARE_PICTURES)) $< $(bad3)

# Sections that say nothing are not written.
$(O)compare.made: $(O)compare.jsonl $(BOTH)
	tp-render $(foreach s,$(COMPARED),--write-if $(s)=$(O)$(s).md) $^ $(bad3)
	($(call drop_old,$(COMPARED:%=$(O)%.md)))
	$(call ended,$@)

# Several run folders of ExecuTorch: 1, 2 ... below OUT, each made as above.
# COMBINED names them, and their pairs: "1 2 1/p1 1/p2 2/p1".
FOLDERS := $(addprefix $(O),$(foreach f,$(COMBINED),$(if $(findstring /,$(f)),,$(f))))
FOLDER_PAIRS := $(addprefix $(O),$(foreach f,$(COMBINED),$(if $(findstring /,$(f)),$(f))))
pair_of_folder = $(dir $(1))pair-$(patsubst p%,%,$(notdir $(1))).jsonl

findings_of_folder = $(dir $(1))findings-$(notdir $(1)).jsonl

$(O)combined.md: $(FOLDERS:%=%/experiments.jsonl) $(foreach p,$(FOLDER_PAIRS),$(call pair_of_folder,$(p))) $(META) $(WITH)
	tp-render executorch-combined --output $@ $(filter-out $(WITH),$^) $(bad3)

$(foreach p,$(FOLDER_PAIRS),$(eval $(p).md: $(call pair_of_folder,$(p)) $(call findings_of_folder,$(p)) $(WITH)))
$(FOLDER_PAIRS:%=%.md):
	tp-render executorch-combined-run --output $@ $(filter-out $(WITH),$^) $(bad3)

# Sections in order, separated by a blank line, then the person's notes.
REPORT ?= $(patsubst %,$(O)%.md,$(if $(SHOWN),$(ANSWER_FIRST),$(SECTIONS))) $(NOTES)
$(O)report.md: $(REPORT)
COMBINED_PAGES := $(O)combined.md $(FOLDER_PAIRS:%=%.md) $(NOTES)
$(O)combined_report.md: $(O)combined-answer.md $(COMBINED_PAGES)
$(O)report.md $(O)combined_report.md: $(wildcard $(IN)/input.jsonl)
	tp-put --blank-line $@ $(filter %.md,$^)
# of a page the first section is the card
$(O)compare-page.md $(O)comparison.md: $(O)compare.made $(NOTES) $(wildcard $(IN)/input.jsonl)
	parts=; for f in $(COMPARED:%=$(O)%.md); do \
		[ ! -e $$f ] || [ $$f = $(if $(filter %page.md,$@),$(O)compare-verdict.md,-) ] || parts="$$parts $$f"; \
	done; tp-put --blank-line $@ $$parts $(filter %.md,$^)

# Their pages.  The reports behind a combined report are its chapters.
$(eval $(call foot_rule,compare-,$(SIDES:%=$(O)%/in)))
$(O)comparison.html: $(O)compare-page.md $(O)compare-foot.md $(BOTH) $(O)page.made
	$(call page,$(O)compare-verdict.md,$(O)compare-foot.md,$<)

$(eval $(call foot_rule,combined-,$(FOLDERS:%=%/in)))
$(O)combined-answer.md: $(FOLDERS:%=%/experiments.jsonl) $(foreach p,$(FOLDER_PAIRS),$(call pair_of_folder,$(p)) $(call findings_of_folder,$(p))) $(META) $(WITH)
	tp-render -q executorch-combined-answer --output $@ $(filter-out $(WITH),$^) $(bad3)
# Each has the title of its folder, because titles of reports are often equal.
$(FOLDERS:%=%/chapter-title.md): %/chapter-title.md: %/experiments.jsonl $(WITH)
	tp-render -q page-run --output $@ $< $(bad3)
$(FOLDERS:%=%/chapter.md): %/chapter.md: %/chapter-title.md %/report.md
	body=$$(tail -n +2 $*/report.md); tp-put --blank-line $@ $< - <<<"$$body"
$(O)combined-page.md: $(COMBINED_PAGES)
	tp-put --blank-line $@ $^
$(O)combined_report.html: $(O)combined-answer.md $(O)combined-page.md $(O)combined-foot.md $(FOLDERS:%=%/chapter.md) $(O)page.made
	$(call page,$<,$(O)combined-foot.md,$(O)combined-page.md $(FOLDERS:%=%/chapter.md))
