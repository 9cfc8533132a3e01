# report-torch.mk: traces of PyTorch, each of one rank; report.mk includes it.

TORCH := $(call role,torch)
TORCH_LINKS := $(call read,$(TORCH))
RANKS := $(filter-out 1,$(words $(TORCH_LINKS)))

FIRST_PARTS := torch $(if $(CPU),cpu)
SECTIONS := answer evidence $(RANKS:%=torch-ranks) torch-time torch-appendix
FOREMOST := answer evidence
PICTURES := budget timeline steps rank-time ranks roofline flame
template = $(1)
COUNTED := $(OTHER)

# OPTION NAMES FOLDER ENDING: each name as an output of one pass
to = $(foreach n,$(2),$(1) torch-$(n)=$(3)/$(n)$(4))
operators = $${TP_OPS:+--ops "$$TP_OPS"}
capture = $${TP_CAPTURE:+--capture "$$TP_CAPTURE"}
pseudo = $${TP_PSEUDO_OPS---pseudo-ops=servers}

# Several traces are the ranks of one job: each is read by itself, then they are
# compared; sections about one rank describe the one that the others wait for.
RANKED := $(if $(RANKS),$(TORCH_LINKS:$(IN)/torch-%=$(O)rank-%.jsonl))

# A command line has no room for thousands of names: the links give them.
rank_files = for f in $(IN)/torch/torch-*; do printf '%s\n' $(O)rank-"$${f/*torch-/}".jsonl; done
is_rank = $(if $(RANKS),{ n=$${f/*rank-/}; [[ $$f == $(O)rank-*.jsonl && -e $(IN)/torch/torch-$${n%.jsonl} ]]; },false)

# What late ranks cost is told by a replay of all of them.
LATE := $(if $(RANKS),$(O)late.jsonl)
$(LATE): $(TORCH) $(WITH)
	for f in $(IN)/torch/torch-*; do printf '%s\n' $(IN)/"$${f##*/}"; done | \
	tp-path -q --what-if rank/late=median --only path.gain --files-from - --output $@ $(bad3)

$(O)torch.jsonl: $(or $(RANKED),$(TORCH)) $(LATE) $(WITH)
	$(if $(RANKS),{ $(rank_files); echo $(LATE); } | tp-ranks --output $@ --files-from -,tp-trace -q --sha256 $(platform) --lanes $(LANES) $(operators) $(capture) $(pseudo) $(label) --output $@ $(inputs)) $(bad3)

$(RANKED): $(O)rank-%.jsonl: $(IN)/torch/torch-% $(WITH)
	TP_PROGRESS="$${TP_PROGRESS:+$$TP_PROGRESS: trace $$((10#$*)) of $(words $(RANKED))}" \
	tp-trace -q --sha256 $(platform) --lanes $(LANES) $(operators) $(capture) $(pseudo) --ranks $(label) --output $@ $(inputs) $(bad3)

# The rest is made from the records and the findings.  In a rule with several
# targets the "%" stands for the dot; NAME.made stands for files that the trace
# names.
FOUND := $(O)torch.jsonl $(O)findings.jsonl

# Tables for notebooks, NAME.csv by share/csv/torch-NAME.json, for a single rank
# and a kept report.  Families of operations that the trace does not have are left
# out.
CSV := $(O)perf_report_csvs
TABLE_NAMES := gpu_timeline ops_summary_by_category ops_summary ops_unique_args \
	kernel_summary short_kernel_histogram short_kernels_summary \
	coll_analysis unified_perf_summary
FAMILIES := GEMM SDPA_fwd SDPA_bwd InferenceAttention_fwd CONV_fwd CONV_bwd \
	UnaryElementwise BinaryElementwise Reduce_fwd Reduce_bwd Normalization \
	RMSNorm_fwd MoE_fused_fwd GroupedGEMM_fwd RoPE_fwd CrossEntropy_fwd \
	MoE_unfused_fwd MoE_aux_fwd MoE_comm_fwd GroupQuant_fwd \
	CustomCollective_fwd FusedRoPE_fwd mHC_fwd SSM_fwd elementwise_fwd
TABLED := $(if $(TABLES),$(filter 1,$(words $(TORCH_LINKS))))
CSVS := $(TABLE_NAMES:%=$(CSV)/%.csv)

# The evidence of the findings, as documents; a name with "%" is made for each
# category, from the records of that category.
DATA := $(O)category_data
FACTS := $(O)metadata
DOCUMENTS := category_manifest multi_kernel_data fusion_candidates validation
JSONS := $(DOCUMENTS:%=$(DATA)/%.json) $(O)priority_data.json \
	$(FACTS)/model_info.json
category = --each compute.category.category

$(CSVS:.csv=%csv) $(O)tables%made: $(O)torch.jsonl
	mkdir -p $(CSV) $(DATA); \
	tp-csv -q $${TP_CSV_SAFE---csv-safe} $(call to,--write,$(TABLE_NAMES),$(CSV),.csv) \
		$(call to,--write-if,$(FAMILIES),$(CSV),.csv) \
		$(category) --write torch-unified_perf_summary=$(DATA)/%_ops.csv $< $(bad3); \
	$(call made,$(CSV)/gpu_timeline.csv); \
	$(call drop_old,$(DATA)/*_ops.csv); \
	$(call ended,$(O)tables.made)

$(JSONS:.json=%json) $(O)data%made: $(FOUND)
	mkdir -p $(DATA) $(FACTS); \
	tp-json $(call to,--write,$(DOCUMENTS),$(DATA),.json) \
		--write torch-priority_data=$(O)priority_data.json \
		--write torch-model_info=$(FACTS)/model_info.json \
		$(category) --write torch-category_metrics=$(DATA)/%_metrics.json \
		--write torch-category_tree=$(DATA)/%_tree_data.json \
		--write torch-category_metadata=$(FACTS)/%_metadata.json $(FOUND) $(bad3); \
	$(call made,$(O)priority_data.json); \
	$(call drop_old,$(DATA)/*_metrics.json $(DATA)/*_tree_data.json $(FACTS)/*_metadata.json); \
	$(call ended,$(O)data.made)

# The tiers, and the analysis for decision makers.  The system tier has a page if
# idle time matters and one if there are copies or collectives; the compute tier
# has one for each analyser with operations.  Empty pages are not written.
# "make -f report.mk OUT=out out/system.md" makes one tier as one page.
SYSTEM := $(O)system_findings
COMPUTE := $(O)category_findings

$(O)system.md $(O)compute.md: $(O)%.md: $(FOUND)
	tp-render torch-$* --output $@ $(FOUND) $(bad3)

$(O)system.html $(O)compute.html: $(O)%.html: $(O)%.md $(O)foot.md $(O)page.made
	$(call page,,$(O)foot.md,$(O)$*.md)

$(O)standalone_analysis%md $(O)validation%md $(O)pages%made: $(FOUND)
	mkdir -p $(SYSTEM) $(COMPUTE); \
	tp-render --write torch-standalone=$(O)standalone_analysis.md \
		--write torch-validation=$(O)validation.md \
		--write-if torch-idle=$(SYSTEM)/cpu_idle_findings.md \
		--write-if torch-multi-kernel=$(SYSTEM)/multi_kernel_findings.md \
		--write-if torch-fusion=$(COMPUTE)/kernel_fusion_findings.md \
		--each compute.analyser.analyser --write torch-analyser=$(COMPUTE)/%_findings.md $(FOUND) $(bad3); \
	$(call made,$(O)validation.md); \
	$(call drop_old,$(COMPUTE)/*_findings.md); \
	$(call ended,$(O)pages.made)

# The tables as one workbook, if the build supports workbooks.
XLSX ?= $(shell tp-xlsx --check 2>&1 && echo 1)
WORKBOOK := $(if $(TABLED),$(if $(XLSX),$(O)perf_report.xlsx))

$(O)perf_report.xlsx: $(O)tables.made
	tp-xlsx -q --output $@ $(CSV)/*.csv $(bad3)

# A script for each requested operator, one per line; status 1 if none can be made
# for one of them.
REPLAYS := $(if $(value TP_REPLAY),$(O)replay.made)

$(O)replay.made: $(O)torch.jsonl $(WITH)
	mkdir -p $(O)replay_packages; \
	asked=; \
	while IFS= read -r op; do \
		f=$(O)replay_packages/$${op//[!A-Za-z0-9_]/_}.py; \
		tp-replay $(operators) --output "$$f" -- "$$op" $< || { s=$$?; case $$s in \
			1) rm -f -- "$$f" ;; 3) ;; *) echo $$s >&8; exit 1 ;; esac; }; \
		asked="$$asked $$f "; \
	done <<<"$$TP_REPLAY"; \
	for f in $(O)replay_packages/*.py; do \
		[[ $$asked == *" $$f "* ]] || rm -f -- "$$f"; \
	done
	$(call ended,$@)

# Tiers as chapters of the page.
CHAPTERS := $(SYSTEM)/*_findings.md $(COMPUTE)/*_findings.md
$(O)report.html: $(if $(PAGE),$(O)pages.made)

$(O)report.md: | $(if $(TABLES),$(O)standalone_analysis.md $(O)validation.md $(O)pages.made) \
	$(if $(TABLED),$(CSVS) $(O)tables.made $(JSONS) $(O)data.made) $(WORKBOOK) $(REPLAYS)
