# tracepipe: `make help` lists the targets.

ifneq ($(filter 3.%,$(MAKE_VERSION)),)
$(error GNU make 4 or newer is needed, this is $(MAKE_VERSION): on macOS run 'brew install make' and use gmake)
endif

VERSION := 0.1.0
PREFIX ?= /usr/local
B ?= build

STRIP ?= strip

# Folders of install, the program that strips, and the URL of a release reach the
# shell unchanged, in the environment, and are never a word of make or of a shell.
PLACES := DESTDIR PREFIX BINDIR MANDIR SHAREDIR DOCDIR LIBEXECDIR STRIP URL
unexport $(PLACES)
$(foreach v,$(PLACES),$(eval export TO_$v := $$(value $v)))

CC     ?= cc
CFLAGS ?= -O2 -g
ifneq ($(SAN),)
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
# With gcc, static sanitizer libraries start and end faster than shared ones.
SANFLAGS += $(shell echo 'int main(void) { return 0; }' | \
	$(CC) $(SANFLAGS) -static-libasan -static-libubsan -x c - -o /dev/null \
	2>/dev/null && echo -static-libasan -static-libubsan)
endif
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wvla -Wwrite-strings -Wformat=2
ALL_CPPFLAGS := -Iinclude -Ilib -D_XOPEN_SOURCE=700 -D_DARWIN_C_SOURCE \
	-DTP_VERSION='"$(VERSION)"' $(CPPFLAGS)
# Hardening flags that compiler and linker support, tested once in a make that
# compiles.  Fortify needs -O; a sanitizer finds more without it.
FORTIFY := $(if $(findstring FORTIFY,$(CFLAGS) $(CPPFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=)
HARD = $(eval HARD := $(if $(SAN),,$(shell \
	for link in '-pie -Wl,-z,relro,-z,now,-z,noexecstack' ''; do \
	for fortify in $(if $(FORTIFY),'$(FORTIFY)3' '$(FORTIFY)2') ''; do \
	for jumps in '-fstack-clash-protection -fcf-protection' \
	    '-fstack-clash-protection -mbranch-protection=standard' \
	    -fstack-clash-protection ''; do \
	all="-fstack-protector-strong -fPIE $$jumps $$fortify $$link"; \
	printf '\043include <stdio.h>\nint main(void) { return puts(""); }\n' | \
	$(CC) -Werror $(CPPFLAGS) $$all $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	2>/dev/null && echo "$$all" && exit; done; done; done)))$(HARD)
# The folder of the sources does not change what is built.
ALL_CFLAGS = -std=c11 $(WARN) -ffile-prefix-map="$$PWD"=. \
	$(filter-out -pie -Wl%,$(HARD)) \
	$(if $(SAN),,-ffunction-sections -fdata-sections) $(CFLAGS) $(SANFLAGS)

# Homebrew keeps its libraries apart.
BREW := $(if $(filter Darwin,$(shell uname -s)),$(shell brew --prefix 2>/dev/null))
ifneq ($(BREW),)
ALL_CPPFLAGS += -I$(BREW)/include
LDFLAGS += -L$(BREW)/lib
endif
LIBS := -lcsv -lcjson -lexpat -lz -lm -pthread
# A program holds only the code it calls.  It looks for libraries beside itself
# first, for archives that bring them (RPATH= turns that off).  macOS has its own
# SHA-256; elsewhere only programs that need it load libcrypto.
ifeq ($(shell uname -s),Darwin)
RPATH ?= -Wl,-rpath,@loader_path/../lib/tracepipe
LINK = -Wl,-dead_strip $(RPATH) $(filter -pie -Wl%,$(HARD))
else
RPATH ?= -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib/tracepipe'
LINK = $(if $(SAN),,-Wl,--gc-sections) $(RPATH) $(filter -pie -Wl%,$(HARD))
LIBS += -Wl,--as-needed -lcrypto
endif

# ISA-L inflates three times as fast as zlib.  It is searched once in a make that
# compiles or links; WITHOUT_ISAL=1 builds without it.
ISAL = $(eval ISAL := $(if $(WITHOUT_ISAL),,$(shell \
	printf '\043include <isa-l/igzip_lib.h>\nint main(void) { isal_inflate_init(0); return 0; }\n' | \
	$(CC) $(BREW:%=-I%/include) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	-lisal >/dev/null 2>&1 && echo -lisal)))$(ISAL)

# Databases of Nsight Systems and rocprofv3 need libsqlite3, searched in the same
# way; with WITHOUT_SQLITE=1 programs report that they cannot read one.
SQLITE = $(eval SQLITE := $(if $(WITHOUT_SQLITE),,$(shell \
	printf '\043include <sqlite3.h>\nint main(void) { return sqlite3_initialize(); }\n' | \
	$(CC) $(BREW:%=-I%/include) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	-lsqlite3 >/dev/null 2>&1 && echo -lsqlite3)))$(SQLITE)
# Zstandard needs libzstd, searched in the same way; with WITHOUT_ZSTD=1 programs
# report that they cannot read such data.
ZSTD = $(eval ZSTD := $(if $(WITHOUT_ZSTD),,$(shell \
	printf '\043define ZSTD_STATIC_LINKING_ONLY\n\043include <zstd.h>\nint main(void) { return !ZSTD_createDCtx_advanced(ZSTD_defaultCMem); }\n' | \
	$(CC) $(BREW:%=-I%/include) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	-lzstd >/dev/null 2>&1 && echo -lzstd)))$(ZSTD)

# Workbooks need libxlsxwriter, searched in the same way; with WITHOUT_XLSX=1
# tp-xlsx reports that it is missing.
XLSX = $(eval XLSX := $(if $(WITHOUT_XLSX),,$(shell \
	printf '\043include <xlsxwriter.h>\nint main(void) { return !lxw_version(); }\n' | \
	$(CC) $(BREW:%=-I%/include) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	-lxlsxwriter >/dev/null 2>&1 && echo -lxlsxwriter)))$(XLSX)
# Pages need md4c, a Markdown parser, searched in the same way; with WITHOUT_MD4C=1
# tp-page reports that it is missing.
MD4C = $(eval MD4C := $(if $(WITHOUT_MD4C),,$(shell \
	printf '\043include <md4c.h>\nint main(void) { return md_parse("", 0, &(MD_PARSER){ 0 }, 0) > 0; }\n' | \
	$(CC) $(BREW:%=-I%/include) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	-lmd4c >/dev/null 2>&1 && echo -lmd4c)))$(MD4C)
# A fuzzer compares pages with GitHub's Markdown parser, if it is installed.
CMARK = $(eval CMARK := $(shell \
	printf '\043include <cmark-gfm-core-extensions.h>\nint main(void) { cmark_gfm_core_extensions_ensure_registered(); return 0; }\n' | \
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null \
	-lcmark-gfm-extensions -lcmark-gfm >/dev/null 2>&1 && \
	echo -lcmark-gfm-extensions -lcmark-gfm))$(CMARK)
# Calls that tests/faults can fail in the programs of such a build.
ifneq ($(and $(SAN),$(filter-out Darwin,$(shell uname -s))),)
WRAP := main malloc calloc realloc read pread fread write pwrite fwrite fflush open \
	fopen mkstemp opendir pipe dup2 close fclose rename stat fstat readlink \
	realpath lseek pthread_create fcntl flock fsync
FAULTS := $(patsubst %,$B/tests/faults/%.o,faults each folder)
CARELESS := $B/careless
endif

TOOLS   := $(patsubst tools/%.c,%,$(wildcard tools/tp-*.c))
# a program under another name: "NAME PROGRAM"
PARTS   := $(shell sed 's/ .*//' tools/links)
SCRIPTS := $(patsubst tools/%.sh,%,$(wildcard tools/tp-*.sh))
LIB     := $(patsubst %.c,$B/%.o,$(wildcard lib/*.c lib/*/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$B/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
UNITS   := $(patsubst tests/unit/%.c,$B/unit/%,$(wildcard tests/unit/test_*.c))
BENCHES := $(patsubst tests/bench/%.c,$B/tests/bench/%,$(wildcard tests/bench/*.c))
MANS    := $(patsubst share/man/%.in,$B/man/%,$(wildcard share/man/*.in))
SQL     := $(patsubst %,$B/sql/%.sql,duckdb duckdb-to-lake duckdb-lake clickhouse)

.DELETE_ON_ERROR:
.PHONY: all deps bench-deps proof-deps demo report check check-san check-valgrind lint bench \
	install uninstall dist tarball wheel deb release help clean update-golden docs programs FORCE

all: programs $(MANS) $(SQL)	## build the filters into build/

programs: $(TOOLS:%=$B/%) $(SCRIPTS:%=$B/%) $(PARTS:%=$B/%) $B/tracepipe $B/mkflux $B/mkjax $B/mktorch $B/mketdump $B/mkfusion $(CARELESS)

help:	## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | \
	    while IFS='	' read -r t h; do printf '  %-16s %s\n' "$$t" "$$h"; done
	@echo 'Variables: $(PLACES) CC CFLAGS CPPFLAGS LDFLAGS TRACE (for report)'

deps:	## install what the build and the tests need (apt-get or brew)
	@$(DEPS) install

# Every compile needs a compiler and the headers of the libraries.
DEPS = BREW='$(BREW)' sh tests/deps.sh
$B/.deps:
	@mkdir -p $(@D)
	@$(DEPS) check
	@touch $@

$B/tp-%: $B/tools/tp-%.o $B/libtp.a $(FAULTS)
	$(CC) $(ALL_CFLAGS) $(WRAP:%=-Wl,--wrap=%) $(LINK) $(LDFLAGS) -o $@ $(filter %.o,$^) $B/libtp.a $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

$B/tp-xlsx: LIBS += $(XLSX)
$B/tp-page $B/tp-render: LIBS += $(MD4C)

# A program in more than one file.
$B/tp-compare $B/tp-track: $B/tools/sides.o
$B/tp-etdump: $B/tools/etdump_parts.o
$B/tp-rows: $B/tools/rows_csv.o
$B/tp-look: $B/tools/look_exports.o $B/tools/look_manifest.o
$B/tp-trace: $B/tools/trace_folder.o $B/tools/trace_jax.o $B/tools/trace_torch.o

# A link has the time of its program, which may be older than another.
$(PARTS:%=$B/%): | $(TOOLS:%=$B/%)
	ln -sf $$(sed -n 's/^$(@F) //p' tools/links) $@

# The libraries found are stored in files, so that a change rebuilds their users.
$B/.isal: found = $(ISAL)
$B/.zstd: found = $(ZSTD)
$B/.sqlite: found = $(SQLITE)
$B/.xlsx: found = $(XLSX)
$B/.md4c: found = $(MD4C)
$B/.cmark: found = $(CMARK)
$B/.isal $B/.zstd $B/.sqlite $B/.xlsx $B/.md4c $B/.cmark: FORCE | $B/.deps
	@echo '$(found)' | cmp -s - $@ || echo '$(found)' >$@
$B/sharedir.h: FORCE | $B/.deps
	@sh share/package/install.sh header >$@.tmp
	@cmp -s $@.tmp $@ || cp $@.tmp $@
	@rm $@.tmp
$B/lib/share.o: $B/sharedir.h
$B/lib/share.o: ALL_CPPFLAGS += -include $B/sharedir.h
# A sanitizer needs system calls that confinement refuses.
$B/lib/tool/sandbox.o $B/tests/unit/test_confine.o: ALL_CPPFLAGS += $(if $(SAN),-DTP_NO_CONFINE)
$B/lib/inflate.o: $B/.isal
$B/lib/inflate.o: ALL_CPPFLAGS += $(if $(ISAL),-DTP_ISAL)
$B/lib/unpack.o $B/lib/unzstd.o: $B/.zstd
$B/lib/unpack.o $B/lib/unzstd.o: ALL_CPPFLAGS += $(if $(ZSTD),-DTP_ZSTD)
$B/lib/read/sqlite.o $B/lib/read/queries.o: $B/.sqlite
$B/lib/read/sqlite.o $B/lib/read/queries.o: ALL_CPPFLAGS += $(if $(SQLITE),-DTP_SQLITE)
$B/lib/show/workbook.o: $B/.xlsx
$B/lib/show/workbook.o: ALL_CPPFLAGS += $(if $(XLSX),-DTP_XLSX)
$B/lib/show/page.o: $B/.md4c
$B/lib/show/page.o: ALL_CPPFLAGS += $(if $(MD4C),-DTP_MD4C)
$B/tests/fuzz/fuzz_markdown.o: $B/.cmark
$B/tests/fuzz/fuzz_markdown.o: ALL_CPPFLAGS += $(if $(CMARK),-DTP_CMARK)
FORCE:

# Scripts have no dependencies: a line "#@ FILE" is replaced by tools/FILE, which
# holds shared code or a part of a long script.
$B/tp-%: tools/tp-%.sh $(filter-out tools/tp-%,$(wildcard tools/*.sh))
	@mkdir -p $(@D)
	awk '/^#@ / { f = "tools/" $$2; while ((getline line <f) > 0) print line; \
	    close(f); next } { print }' $< | \
	    sed 's|@VERSION@|$(VERSION)|g' >$@.tmp
	chmod +x $@.tmp
	mv $@.tmp $@

# tracepipe contains the list of all filters.
$B/tracepipe: tools/tracepipe.sh tools/options.sh tests/mkreadme.sh $(TOOLS:%=$B/%) $(SCRIPTS:%=$B/%) $(PARTS:%=$B/%)
	sh tests/mkreadme.sh $B | sed -n '3,$$s/^| \([^|]*\) | `\([^`|]*\)` | \([^|]*\) |.*/\1|\2|\3/p' >$@.list
	sed -e '/^#@ filters/{r $@.list' -e 'd' -e '}' \
	    -e '/^#@ options.sh/{r tools/options.sh' -e 'd' -e '}' $< | \
	    sed 's|@VERSION@|$(VERSION)|g' >$@.tmp
	rm $@.list
	chmod +x $@.tmp
	mv $@.tmp $@

$B/libtp.a: $(LIB)
	rm -f $@
	$(AR) rcs $@ $^

$B/mkflux: $(patsubst %.c,$B/%.o,$(wildcard examples/*.c examples/metal/*.c))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

$B/mkfusion: $B/examples/fusion/mkfusion.o $B/examples/file.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# Makes runs with a known bottleneck, as tables of mkflux.
$B/mkmetal: $(patsubst %.c,$B/%.o,$(wildcard tests/diagnosis/*.c)) \
    $(filter-out %/mkflux.o,$(patsubst %.c,$B/%.o,$(wildcard examples/*.c examples/metal/*.c)))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# The same of PyTorch; build/mktorch makes the example.
$B/mkkineto: $(patsubst %.c,$B/%.o,$(wildcard tests/diagnosis/torch/*.c) \
    tests/diagnosis/command.c examples/file.c)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# The same of JAX.
$B/mkxla: $(patsubst %.c,$B/%.o,$(wildcard tests/diagnosis/jax/*.c) \
    tests/diagnosis/command.c examples/file.c)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# The same of ExecuTorch, using the sources of the example.
$B/mketrun: $(patsubst %.c,$B/%.o,$(wildcard tests/diagnosis/executorch/*.c) \
    tests/diagnosis/command.c examples/file.c \
    $(addprefix examples/executorch/,play.c tables.c dump.c flat.c))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# Makes records of runs with known noise and change, for the gate.
$B/mkgate: $(patsubst %.c,$B/%.o,$(wildcard tests/diagnosis/gate/*.c) \
    tests/diagnosis/command.c examples/file.c)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$B/mkjax: $(patsubst %.c,$B/%.o,$(wildcard examples/jax/*.c))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

$B/mktorch: $(patsubst %.c,$B/%.o,$(wildcard examples/*.c examples/torch/*.c))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

$B/mketdump: $(patsubst %.c,$B/%.o,$(wildcard examples/*.c examples/executorch/*.c))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$B/unit/%: $B/tests/unit/%.o $B/libtp.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

# What drives a fuzzer: a main that replays files, or libFuzzer.
DRIVER ?= $B/tests/fuzz/replay.o

$B/fuzz/%: $B/tests/fuzz/%.o $B/tests/fuzz/feed.o $(filter %.o,$(DRIVER)) $B/libtp.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) \
	    $(filter-out %.o,$(DRIVER)) $B/libtp.a $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

$B/fuzz/fuzz_markdown: LIBS += $(CMARK)
$B/fuzz/fuzz_page: LIBS += $(MD4C)

$B/%.o: %.c Makefile | $B/.deps
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$B/man/%: share/man/%.in $(TOOLS:%=$B/%) tests/mkman.sh
	@mkdir -p $(@D)
	sh tests/mkman.sh $B $< >$@.tmp
	mv $@.tmp $@

$B/sql/%.sql: tests/mksql.sh $(wildcard share/schema/*.json)
	@mkdir -p $(@D)
	sh tests/mksql.sh $* share/schema >$@.tmp
	mv $@.tmp $@

# Quiet, so that only the report goes to standard output.
demo:	## build, install what is missing, print the report of the example
	@$(DEPS) build >&2
	@$(MAKE) --no-print-directory -s programs >&2
	@rm -rf $B/example
	@$B/mkflux $B/example >/dev/null
	@$B/tp-report $B/example/flux_example

# A path is passed unchanged in the environment, and is never a word of make or of
# a shell.  A path with each dollar doubled, as make wants it, works as well.
unexport TRACE
report: export GIVEN := $(value TRACE)
report: programs	## print the report of a trace: make report TRACE=folder
	@[ -n "$$GIVEN" ] || { echo 'make report: TRACE=folder is missing' >&2; \
	    exit 2; }; \
	[ -e "$$GIVEN" ] || { single=$$(printf '%s.' "$$GIVEN" | \
	    sed 's/[$$][$$]/$$/g'); single=$${single%.}; \
	    [ ! -e "$$single" ] || GIVEN=$$single; }; \
	$B/tp-report -- "$$GIVEN"

# "make flux_first_run.md": the report of the folder flux_first_run beside it.
%.md: export GOAL = $*
%.md: % programs
	@case $$GOAL in \
	*[!A-Za-z0-9._/-]* | -*) printf '%s\n' "make: no name for a goal of make; \
	use: tp-report -o REPORT.md TRACE" >&2; exit 2 ;; \
	esac; \
	$B/tp-report -o "$$GOAL.md" -- "$$GOAL"

bench: programs $(BENCHES) $B/mkxplane $(if $(SQLITE),$B/mkdb)	## compare speed with other programs, as ratios
	@CXX='$(CXX)' bash tests/bench/bench.sh $B

bench-deps:	## install the programs that make bench compares with
	@$(DEPS) bench $B

proof-deps:	## install what check-portable, check-render, check-page, check-engines and fuzz need
	@$(DEPS) proof $B

$B/tests/bench/%: $B/tests/bench/%.o $B/libtp.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

install: all	## install below PREFIX (with DESTDIR in front)
	@sh share/package/install.sh install $B

uninstall:	## remove the installed files
	@sh share/package/install.sh uninstall $B

clean:	## remove build/
	rm -rf $B

# Tests, checks and documents.
.PHONY: fuzz fuzzers mutate checked check check-all diagnosis check-san check-faults check-limits check-corpus check-records check-oracle check-portable check-render check-page check-engines check-package coverage check-valgrind lint update-golden docs dist

CHECKED := all $(UNITS) $(FUZZERS) $B/attack $B/check-schema $B/cells $B/cli $B/wire $B/mkxplane $B/mkmetal $B/mkkineto $B/mkxla $B/mketrun \
    $B/mkgate $(if $(SQLITE),$B/mkdb)

checked: $(CHECKED)

check:	## install what is missing, build, run all tests; ends with "N passed, N failed"
	@$(DEPS) install
	@$(MAKE) --no-print-directory -s $(CHECKED)
	@sh tests/check.sh $B

check-all:	## run the tests that take too long for make check, which names them
	@$(DEPS) install
	@$(MAKE) --no-print-directory -s $(CHECKED)
	@sh tests/check.sh $B rest

check-san:	## run the tests of programs under the address and undefined sanitizers
	$(MAKE) B=build/san SAN=address,undefined CFLAGS='-O1 -g' check

check-limits: programs	## feed endless inputs to filters, which may use 600 MB
	@sh tests/limits.sh $B

check-oracle: programs	## compare core numbers with those that Python computes from the same files
	@mkdir -p $B/oracle
	@TP_SHARE='$(CURDIR)/share' python3 -B tests/oracle/run.py \
	    '$(abspath $B)' '$(abspath $B)/oracle' ../shared

check-corpus: all	## report every published capture beside ../shared: status, time, first line, facts
	@TP_SHARE='$(CURDIR)/share' sh tests/corpus.sh $B ../shared

check-records: all	## that BEFORE, a build of another commit, writes the same records of every capture beside ../shared
	@sh tests/records.sh '$(BEFORE)' $B ../shared

diagnosis: all $B/mkmetal $B/mkkineto $B/mkxla $B/mketrun $B/mkgate	## count how often the judgement of runs with a known bottleneck is right
	@TP_BUILD='$(abspath $B)' TP_SHARE='$(CURDIR)/share' ONLY='$(value ONLY)' \
	    sh tests/diagnosis/suite.sh

check-portable: all	## compile with gcc and clang at -O0 to -O3, run the unit tests, for arm64 too
	@sh tests/portable.sh
	@sh tests/locale.sh $B

# Files with the most lines that no test reaches come first; the lines are in
# build/coverage/*.gcov.  A confined program could not write its counts at exit.
coverage: export TP_CONFINE = 0
coverage:	## list the lines of lib/ and tools/ that no test reaches
	rm -rf build/coverage
	-$(MAKE) B=build/coverage CFLAGS='-O0 -g --coverage' \
	    LDFLAGS=--coverage check
	@sh tests/coverage.sh build/coverage

N ?= 60
SEED ?= 1

mutate:	## change N places that SEED draws of lib/ and the rules (ONLY=lib/torch), one at a time: which no test notices
	@mkdir -p $B
	@sh tests/mutate.sh $B '$(N)' '$(SEED)' '$(value ONLY)'

check-faults: programs	## make each system call of every filter fail, and each program that scripts start
	$(MAKE) B=build/san SAN=address,undefined CFLAGS='-O1 -g' -s programs \
	    $(if $(SQLITE),build/san/mkdb)
	TP_BUILD='$(CURDIR)/build/san' sh tests/faults/run.sh -a -j 2
	TP_BUILD='$(abspath $B)' sh tests/faults/scripts.sh -j 2
	PATH='$(abspath $B)':"$$PATH" TP_BUILD='$(abspath $B)' TP_ALL=1 bats tests/intake.bats tests/artifacts.bats tests/export.bats

T ?= 60

# ONLY=real: mutant SEED and all after it, for T seconds.
ifeq ($(value ONLY),real)
fuzz:
	$(MAKE) B=build/san SAN=address,undefined CFLAGS='-O1 -g' -s all \
	    build/san/attack build/san/check-schema build/san/wire \
	    $(if $(SQLITE),build/san/mkdb)
	@sh tests/fuzz/real/run.sh build/san '$(T)' '$(SEED)'
else
fuzz:	## let libFuzzer search input that breaks a reader, T seconds each; ONLY=real: mutants of captures, for all programs
	@command -v clang >/dev/null || { \
	    echo "make fuzz: no clang; run 'make proof-deps'" >&2; exit 2; }
	$(MAKE) B=build/clang CC=clang SAN=address,undefined,fuzzer-no-link \
	    DRIVER=-fsanitize=fuzzer CFLAGS='-O1 -g' fuzzers
	@sh tests/fuzz/hunt.sh build/clang $(T) $(ONLY)
endif

fuzzers: $(FUZZERS)

# Mutants of captures, for programs rather than readers.
$B/attack: $(patsubst %.c,$B/%.o,$(wildcard tests/fuzz/real/*.c)) $B/libtp.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)
$B/tests/fuzz/real/query.o: $B/.sqlite
$B/tests/fuzz/real/query.o: ALL_CPPFLAGS += $(if $(SQLITE),-DTP_SQLITE)

check-render: programs	## hostile names in report pages, as Chromium shows them
	@sh tests/render.sh $B

check-page: programs	## reports as pages in Chromium: tables, pictures, screens, paper
	@sh tests/page.sh $B

check-engines: all $B/mkxplane	## test our output in parallel, Slurm, Dask, DuckDB, ClickHouse, Perfetto, pprof
	@TP_BUILD='$(abspath $B)' bats tests/engines

check-package: all	## install the packages of make release in bare systems, and compare two builds
	@bats tests/package

check-valgrind: $(CHECKED)	## run unit tests and a case of each filter in valgrind
	@sh tests/valgrind.sh $B

lint: all	## check man pages, scripts and the style of the sources
	@sh tests/lint.sh $B

update-golden: all $B/wire	## rewrite the expected output of golden cases, and print what changes
	@TP_SHARE='$(CURDIR)/share' sh tests/golden.sh -u $B

docs: programs	## make README.md's table of filters from the option tables
	@sh tests/mkreadme.sh $B README.md

dist:	## pack the committed (or unpacked) sources as tracepipe-VERSION.tar.gz
	@mkdir -p $B
	@sh share/package/dist.sh $(VERSION) $B

tarball: all	## pack programs, libraries and data as an archive that runs where it is unpacked
	@sh share/package/portable.sh tarball $(VERSION) $B

wheel: all	## the same as a Python wheel, for pip, pipx and uv
	@sh share/package/portable.sh wheel $(VERSION) $B

deb:	## pack the committed sources as a Debian package, with dpkg-buildpackage
	@mkdir -p $B
	@sh share/package/deb.sh $(VERSION) $B

release:	## write sources, tarball, wheel, deb, digests, notes and with URL= a formula to build/release
	@mkdir -p $B
	@sh share/package/release.sh $(VERSION) $B

# Man pages that list all filters or all kinds of records.
$(MANS): $(SCRIPTS:%=$B/%) $(PARTS:%=$B/%) $B/tracepipe
$B/man/tp-record.5: $(wildcard share/schema/*.json)

# Checks records against share/schema.
$B/check-schema: $B/tests/schema.o $B/libtp.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

# A careless program, which tests/faults must catch.
$B/careless: $B/tests/faults/careless.o $(FAULTS)
	$(CC) $(ALL_CFLAGS) $(WRAP:%=-Wl,--wrap=%) $(LDFLAGS) -o $@ $^

# Prints a workbook.
$B/cells: $B/tests/cells.o $B/libtp.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

# Starts every filter in every way.
$B/cli: $B/tests/cli.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# Prints protocol buffers.
$B/wire: $B/tests/wire.o $B/libtp.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(ISAL) $(ZSTD) $(SQLITE)

# Makes the xplane.pb that a trace was exported from; shares nothing with us.
$B/mkxplane: $B/tests/mkxplane.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcjson

# Makes databases of Nsight Systems and rocprofv3; shares nothing with us.
$B/mkdb: $B/tests/mkdb.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(SQLITE)

-include $(shell find $B -name '*.d' 2>/dev/null)
