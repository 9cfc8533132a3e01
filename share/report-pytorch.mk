# report-pytorch.mk: what a report of PyTorch traces (in/torch-*, one a rank)
# is made of; report.mk includes it.

TORCH := $(sort $(wildcard $(IN)/torch-*))
TORCH_SECTIONS := $(if $(TORCH),torch-run torch-summary torch-timeline \
	torch-ops torch-kernels torch-comm bottlenecks proposals appendix)

$(O)/torch.jsonl: $(TORCH) $(call have,label scope)
	tp-trace -q --sha256 $(label) --output $@ $(TORCH) $(bad3)

# Tables for notebooks, NAME.csv of records KIND by share/csv/torch-NAME.json:
# of a single rank, beside a report that is kept.
CSV := $(O)/perf_report_csvs
CSV_KINDS := gpu_timeline=timeline.summary[linked] \
	ops_summary_by_category=launcher.category ops_summary=launcher.name \
	ops_unique_args=launcher kernel_summary=launcher.kernel \
	short_kernel_histogram=short_kernel.bin \
	short_kernels_summary=short_kernel coll_analysis=collective
csv_name = $(firstword $(subst =, ,$(1)))
csv_kind = $(lastword $(subst =, ,$(filter $(1)=%,$(CSV_KINDS))))
CSVS := $(if $(TABLES),$(if $(filter 1,$(words $(TORCH))),$(foreach \
	t,$(CSV_KINDS),$(CSV)/$(call csv_name,$(t)).csv)))

$(CSVS): $(CSV)/%.csv: $(O)/torch.jsonl
	mkdir -p $(CSV)
	tp-csv -q '$(call csv_kind,$*)' --as torch-$* --output $@ $< $(bad3)

$(O)/report.md: | $(CSVS)
