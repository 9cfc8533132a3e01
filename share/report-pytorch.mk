# report-pytorch.mk: what a report of PyTorch traces (in/torch-*, one a rank)
# is made of; report.mk includes it.

TORCH := $(sort $(wildcard $(IN)/torch-*))
TORCH_SECTIONS := $(if $(TORCH),torch-run torch-summary torch-timeline \
	torch-ops torch-kernels torch-comm torch-findings torch-appendix)

$(O)/torch.jsonl: $(TORCH) $(call have,label scope platform)
	tp-trace -q --sha256 $${TP_PLATFORM:+--platform "$$TP_PLATFORM"} $(label) --output $@ $(TORCH) $(bad3)

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
	ls $(CATEGORY_PAGES) >$@

$(O)/standalone_analysis.md: $(FOUND)
	tp-render torch-standalone --output $@ $(FOUND) $(bad3)

$(O)/validation.md: $(FOUND)
	tp-render torch-validation --output $@ $(FOUND) $(bad3)

# What the findings rest on, as documents; per category from its own records.
DATA := $(O)/category_data
META := $(O)/metadata
DOCUMENTS := category_manifest multi_kernel_data
category = sed -n 's/^{"kind":"compute.category".*"category":"\([A-Za-z0-9_]*\)".*/\1/p'

$(O)/data.made: $(FOUND)
	mkdir -p $(DATA) $(META)
	for d in $(DOCUMENTS); do \
		tp-json torch-$$d --output $(DATA)/$$d.json $(FOUND) $(bad3); \
	done
	tp-json torch-priority_data --output $(O)/priority_data.json $(FOUND) $(bad3)
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

ANALYSED := $(if $(TORCH),$(if $(TABLES),$(if $(TABLED),$(O)/data.made) $(O)/system.made $(O)/compute.made \
	$(O)/standalone_analysis.md $(O)/validation.md))

$(O)/report.md: | $(ANALYSED) $(CSVS) $(if $(TABLED),$(O)/families)
