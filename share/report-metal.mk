# report-metal.mk: exports of Instruments, each table read by one filter;
# report.mk includes it.

TOC := $(call role,contents)
GPU := $(call role,gpu)
MARKS := $(call role,marks)
MEMORY := $(call role,memory)
COUNTERS := $(call role,counters)
INFO := $(call role,run)

FIRST_PARTS := $(if $(GPU),gpu) $(if $(MEMORY),mem) $(if $(CPU),cpu) \
	$(if $(COUNTERS),counters) $(if $(TOC)$(INFO),info)
SECTIONS := run summary cpu gpu memory bottlenecks proposals appendix
FOREMOST := answer bottlenecks proposals
PICTURES := budget timeline steps memory flame
template = $(1)
INVENTORY := $(O)inventory.jsonl
# without GPU rows signposts give no steps, but they are listed
COUNTED := $(OTHER) $(if $(GPU),,$(MARKS))
$(O)other.jsonl: $(if $(GPU),,$(MARKS))

# The first part chooses the process and the part of the run; the others use the
# same.
LEAD := $(firstword $(filter gpu mem cpu,$(FIRST_PARTS)))
LEADER := $(LEAD:%=$(O)%.jsonl)
leader = $(filter-out $(1:%=$(O)%.jsonl),$(LEADER))
process = $${TP_PROCESS:+--process "$$TP_PROCESS"}
asked = $(process) $${TP_FROM:+--from "$$TP_FROM"} $${TP_TO:+--to "$$TP_TO"} \
	$${TP_LAST:+--last "$$TP_LAST"}
scope = $(if $(call leader,$(1)),--like $(LEADER) $(process),$(asked))

$(O)gpu.jsonl: $(GPU) $(MARKS) $(TOC) $(WITH)
	tp-gpu-intervals --labels --buffers $(if $(CPU),--waits) --lanes $(LANES) $(call scope,gpu) $(label) --output $@ $(tables) $(bad3)

# The number of memory levels that a picture can show.
LEVELS := 300

# Peaks and jumps are located in the steps found from the GPU's rows.
$(O)mem.jsonl: $(MEMORY) $(TOC) $(WITH) $(call leader,mem)
	tp-mem --levels $(LEVELS) $(call scope,mem) $${TP_WORKING_SET:+--working-set "$$TP_WORKING_SET"} $(label) --output $@ $(tables) $(bad3)

# A function with less than one in this many samples is too narrow to draw.
FRAMES := 500

$(O)counters.jsonl: $(COUNTERS) $(TOC) $(WITH) $(call leader,counters)
	tp-gpu-counters $(call scope,counters) $(label) --output $@ $(tables) $(bad3)

# A table before the table of contents, because it says which run the tables are of.
$(O)info.jsonl: $(INFO) $(TOC) $(WITH)
	tp-rows $(label) --output $@ $(tables) $(bad3)

# For --list: files are read and counted, not analysed; OTHER apart, as in a
# report.
LISTED := $(strip $(TOC) $(GPU) $(if $(GPU),$(MARKS)) $(MEMORY) $(CPU) $(COUNTERS) $(INFO))
$(O)counted.jsonl: $(LISTED) $(WITH)
	tp-rows --count $(label) --output $@ $(inputs) $(bad3)

$(O)list.jsonl: $(if $(LISTED),$(O)counted.jsonl) $(if $(strip $(COUNTED)),$(O)other.jsonl) $(RECORDS) $(WITH)
	tp-inventory --first --output $@ $(inputs) </dev/null $(bad3)
