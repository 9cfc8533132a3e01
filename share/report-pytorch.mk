# report-pytorch.mk: what a report of PyTorch traces (in/torch-*, one a rank)
# is made of; report.mk includes it.

TORCH := $(sort $(wildcard $(IN)/torch-*))
RANKS := $(filter-out 1,$(words $(TORCH)))
TORCH_SECTIONS := $(if $(TORCH),torch-run torch-summary $(RANKS:%=torch-ranks) torch-timeline \
	torch-ops torch-kernels torch-comm torch-findings torch-appendix)

platform = $${TP_PLATFORM:+--platform "$$TP_PLATFORM"}

# Several are the ranks of one job: each by itself, then together; what is said
# of one rank is of the one the others wait for.
RANKED := $(if $(RANKS),$(TORCH:$(IN)/torch-%=$(O)/rank-%.jsonl))

$(O)/torch.jsonl: $(or $(RANKED),$(TORCH)) $(call have,label scope platform)
	$(if $(RANKS),tp-ranks --output $@ $(RANKED),tp-trace -q --sha256 $(platform) $(label) --output $@ $(TORCH)) $(bad3)

$(RANKED): $(O)/rank-%.jsonl: $(IN)/torch-% $(call have,label scope platform)
	tp-trace -q --sha256 $(platform) --ranks $(label) --output $@ $< $(bad3)

# Tables for notebooks, NAME.csv of records KIND by share/csv/torch-NAME.json:
# of a single rank, beside a report that is kept.
CSV := $(O)/perf_report_csvs
CSV_KINDS := gpu_timeline=timeline.summary[linked] \
	ops_summary_by_category=launcher.category ops_summary=launcher.name \
	ops_unique_args=launcher kernel_summary=launcher.kernel \
	short_kernel_histogram=short_kernel.bin \
	short_kernels_summary=short_kernel coll_analysis=collective \
	unified_perf_summary=op.perf
csv_name = $(firstword $(subst =, ,$(1)))
csv_kind = $(lastword $(subst =, ,$(filter $(1)=%,$(CSV_KINDS))))
TABLED := $(if $(TABLES),$(filter 1,$(words $(TORCH))))
CSVS := $(if $(TABLED),$(foreach t,$(CSV_KINDS),$(CSV)/$(call csv_name,$(t)).csv))

$(CSVS): $(CSV)/%.csv: $(O)/torch.jsonl
	mkdir -p $(CSV)
	tp-csv -q '$(call csv_kind,$*)' --as torch-$* --output $@ $< $(bad3)

# A table of each family of operations that the trace has.
FAMILIES := GEMM SDPA_fwd SDPA_bwd InferenceAttention_fwd CONV_fwd CONV_bwd \
	UnaryElementwise BinaryElementwise Reduce_fwd Reduce_bwd Normalization \
	RMSNorm_fwd MoE_fused_fwd GroupedGEMM_fwd RoPE_fwd CrossEntropy_fwd

$(O)/families: $(O)/torch.jsonl
	mkdir -p $(CSV)
	rm -f $(FAMILIES:%=$(CSV)/%.csv)
	for f in $(FAMILIES); do \
		if grep -q '^{"kind":"op.model".*"family":"'$$f'"' $<; then \
			tp-csv -q "op.model[$$f]" --as torch-$$f --output $(CSV)/$$f.csv $< $(bad3); \
		fi; \
	done
	ls $(CSV) >$@

# The system tier: a page where idle time matters, one where there are copies
# or collectives; a page that would be empty is not there.  "make -f report.mk
# OUT=out out/system.md" makes the tier alone, as one page.
PAGES := $(O)/system_findings
FOUND := $(O)/torch.jsonl $(O)/findings.jsonl

$(O)/system.md: $(FOUND)
	tp-render torch-system --output $@ $(FOUND) $(bad3)

$(O)/system.made: $(FOUND)
	mkdir -p $(PAGES)
	tp-render torch-idle --output $(PAGES)/cpu_idle_findings.md $(FOUND) $(bad3)
	tp-render torch-multi-kernel --output $(PAGES)/multi_kernel_findings.md $(FOUND) $(bad3)
	for f in $(PAGES)/*_findings.md; do [ -s $$f ] || rm $$f; done
	ls $(PAGES) >$@

# The compute tier: a page for each analyser that has operations, their tables
# and documents, and the analysis for those who decide.
ANALYSERS := gemm sdpa elementwise reduce triton moe batchnorm convolution \
	generic
CATEGORY_PAGES := $(O)/category_findings

$(O)/compute.md: $(FOUND)
	tp-render torch-compute --output $@ $(FOUND) $(bad3)

$(O)/compute.made: $(FOUND)
	mkdir -p $(CATEGORY_PAGES)
	for a in $(ANALYSERS); do \
		f=$(CATEGORY_PAGES)/$${a}_findings.md; \
		tp-render torch-$$a --output $$f $(FOUND) $(bad3); \
		[ -s $$f ] || rm $$f; \
	done
	f=$(CATEGORY_PAGES)/kernel_fusion_findings.md; \
	tp-render torch-fusion --output $$f $(FOUND) $(bad3); \
	[ -s $$f ] || rm $$f
	ls $(CATEGORY_PAGES) >$@

$(O)/standalone_analysis.md: $(FOUND)
	tp-render torch-standalone --output $@ $(FOUND) $(bad3)

$(O)/validation.md: $(FOUND)
	tp-render torch-validation --output $@ $(FOUND) $(bad3)

# What the findings rest on, as documents; per category from its own records.
DATA := $(O)/category_data
META := $(O)/metadata
DOCUMENTS := category_manifest multi_kernel_data fusion_candidates
category = sed -n 's/^{"kind":"compute.category".*"category":"\([A-Za-z0-9_]*\)".*/\1/p'

$(O)/data.made: $(FOUND)
	mkdir -p $(DATA) $(META)
	for d in $(DOCUMENTS); do \
		tp-json torch-$$d --output $(DATA)/$$d.json $(FOUND) $(bad3); \
	done
	tp-json torch-priority_data --output $(O)/priority_data.json $(FOUND) $(bad3)
	tp-json torch-model_info --output $(META)/model_info.json $(FOUND) $(bad3)
	tp-json torch-validation --output $(DATA)/validation.json $(FOUND) $(bad3)
	for c in $$($(category) $<); do \
		n=$${c,,}; \
		grep -e '^{"kind":"source"' -e '^{"kind":"timeline.summary"' \
			-e '^{"kind":"compute.summary"' \
			-e '"category":"'"$$c"'"' $< >$(DATA)/part; \
		tp-csv -q op.perf --as torch-unified_perf_summary --output $(DATA)/$${n}_ops.csv $(DATA)/part $(bad3); \
		tp-json torch-category_metrics --output $(DATA)/$${n}_metrics.json $(DATA)/part $(bad3); \
		tp-json torch-category_tree --output $(DATA)/$${n}_tree_data.json $(DATA)/part $(bad3); \
		tp-json torch-category_metadata --output $(META)/$${n}_metadata.json $(DATA)/part $(bad3); \
		rm $(DATA)/part; \
	done
	ls $(DATA) $(META) >$@

# The tables as one workbook, where the build makes any.
WORKBOOK := $(if $(TABLED),$(if $(shell tp-xlsx --check 2>&1 && echo 1),$(O)/perf_report.xlsx))

$(O)/perf_report.xlsx: $(CSVS) $(O)/families
	tp-xlsx -q --output $@ $(CSV)/*.csv $(bad3)

# A script for each operator that was asked for; none can be made of some, 1.
REPLAYS := $(if $(shell [ ! -s $(IN)/replay ] || echo 1),$(O)/replay.made)

$(O)/replay.made: $(O)/torch.jsonl $(call have,replay)
	rm -rf $(O)/replay_packages
	mkdir -p $(O)/replay_packages
	while IFS= read -r -d '' op; do \
		f=$(O)/replay_packages/$${op//[!A-Za-z0-9_]/_}.py; \
		tp-replay --output "$$f" -- "$$op" $< || { s=$$?; [ $$s -eq 1 ] || [ $$s -eq 3 ] || { echo $$s >$(O)/failed; exit 1; }; }; \
	done <$(IN)/replay
	ls $(O)/replay_packages >$@

ANALYSED := $(if $(TORCH),$(if $(TABLES),$(if $(TABLED),$(O)/data.made) $(O)/system.made $(O)/compute.made \
	$(O)/standalone_analysis.md $(O)/validation.md))

$(O)/report.md: | $(ANALYSED) $(CSVS) $(if $(TABLED),$(O)/families) $(WORKBOOK) $(REPLAYS)
