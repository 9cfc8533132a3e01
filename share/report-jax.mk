# report-jax.mk: a capture of JAX (in/trace-*, and in/jax, the folder it is
# in), or its summary; report.mk includes it.

TRACES := $(call role,trace)
CAPTURE := $(if $(TRACES),$(TRACES),$(wordlist 1,2,$(call role,summary)))

LAST_PARTS := trace $(if $(CPU),cpu)
SECTIONS := answer evidence jax-time jax-appendix
FOREMOST := answer evidence
PICTURES := budget timeline steps roofline flame
template = $(1)
COUNTED := $(OTHER)

only = $${TP_HOST:+--host "$$TP_HOST"}

# Run in the folder itself, so that file names are relative to it.
HOME_OF := $(wildcard $(IN)/jax)
$(O)trace.jsonl: $(CAPTURE) $(WITH)
	(out=$@; $(if $(HOME_OF),[[ $$out = /* ]] || out=$$PWD/$$out; cd -- $(HOME_OF);) \
	$(if $(TRACES),tp-trace -q --sha256 $(platform) --lanes $(LANES) $(only),tp-from-summary) $(label) --output "$$out" $(if $(HOME_OF),.,$(inputs))) $(bad3)
