# report-pytorch.mk: what a report of PyTorch traces (in/torch-*, one a rank)
# is made of; report.mk includes it.

TORCH := $(sort $(wildcard $(IN)/torch-*))
RANKS := $(filter-out 1,$(words $(TORCH)))
TORCH_SECTIONS := $(if $(TORCH),torch-run torch-summary $(RANKS:%=torch-ranks) torch-timeline \
	torch-ops torch-kernels torch-comm torch-findings torch-appendix)

# Several are the ranks of one job: each by itself, then together; what is said
# of one rank is of the one the others wait for.
RANKED := $(if $(RANKS),$(TORCH:$(IN)/torch-%=$(O)/rank-%.jsonl))

$(O)/torch.jsonl: $(or $(RANKED),$(TORCH)) $(call have,label scope)
	$(if $(RANKS),tp-ranks --output $@ $(RANKED),tp-trace -q --sha256 $(label) --output $@ $(TORCH)) $(bad3)

$(RANKED): $(O)/rank-%.jsonl: $(IN)/torch-% $(call have,label scope)
	tp-trace -q --sha256 --ranks $(label) --output $@ $< $(bad3)

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
	for f in $(FAMILIES); do \
		rm -f $(CSV)/$$f.csv; \
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

$(O)/report.md: | $(if $(TORCH),$(if $(TABLES),$(O)/system.made)) $(CSVS) $(if $(TABLED),$(O)/families)
