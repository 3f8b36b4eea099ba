# SPDX-License-Identifier: Apache-2.0
# gotap: zero-code tracing of running Go programs. See README.md.
#
#   make              build the five programs into build/bin/
#   make demo         trace two sample services and show their traces (root)
#   make check        all tests (root for those that trace)
#   make check-large  goresolve on the largest programs at hand (builds them: half an hour)
#   make check-matrix goresolve against many versions of Go, and ways to build
#   make soak         ten minutes of load and faults (SOAK_MINUTES, SOAK_TIMES; root)
#   make check-unit   the tests that need neither root nor Go
#   make check-kills  goexport's spool, with 200 kills
#   make check-jaeger goexport with a real Jaeger, which takes minutes to build
#   make check-family parents across goroutines: many versions of Go, many requests
#   make bench        measure overhead, cost and memory (root)
#   make lint         format, static analysis, shell scripts, man pages
#   make fuzz         run each fuzz target for FUZZ_SECONDS (30), or those that ONLY matches
#   make offsets      build programs with many versions of Go, and lib/offsets/ from them
#   make check-fresh  the README's commands in a new Debian 12 and 13 (root)
#   make check-kernels  trace on Debian's kernels, in emulated machines (root)
#   make min-btf      cut MIN_BTF out of KERNEL_BTF, for goattach --btf
#   make deps         install what the build needs from Debian's packages (root)
#   make install      to $(DESTDIR)$(PREFIX); make uninstall removes it
#   make clean        remove build/
#
# V=1 shows commands, WERROR=1 makes warnings errors, SAN=address,undefined
# builds with sanitizers into build/san/, BUILD=DIR builds elsewhere.

VERSION = 0.1
PREFIX  = /usr/local
CC      = gcc
CLANG   = clang
BPFTOOL = $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool || echo bpftool)
BUILD   = build
V       = 0

# What each program links: the only knowledge about programs in this file.
PROGRAMS       = gofind goresolve goattach gospan goexport
LINK_gofind    = -lseccomp
LINK_goresolve = -lseccomp -lcapstone -lz -lzstd
LINK_goattach  = -lbpf -lcapstone
LINK_gospan    = -lseccomp
LINK_goexport  = -lseccomp -lprotobuf-c -lcurl -lmicrohttpd -lgnutls -lsqlite3 -lcrypt -lz -lm -lncursesw -ltinfo

WARN   = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wformat=2
CFLAGS = -O2 -g
CPPFLAGS_ALL = -D_GNU_SOURCE -DGOTAP_VERSION='"$(VERSION)"' -Ilib -Ibpf -I$(BUILD)/gen $(CPPFLAGS)
CFLAGS_ALL   = -std=gnu11 $(WARN) $(if $(WERROR),-Werror) $(CFLAGS)
ifdef SAN
BUILD = build/san
CFLAGS_ALL  += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LDFLAGS_ALL += -fsanitize=$(SAN)
endif
LDFLAGS_ALL += $(LDFLAGS)

Q = $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)';)

.DEFAULT_GOAL = all
.SECONDARY:
.DELETE_ON_ERROR:

BINS = $(PROGRAMS:%=$(BUILD)/bin/%)
all: $(BINS)

LIB_OBJS = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard lib/*.c)) $(BUILD)/obj/gen/offsets.o
$(BUILD)/libgotap.a: $(LIB_OBJS)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^

# Objects of generated sources, below.
EXTRA_goresolve = gen/recipes
EXTRA_goexport  = gen/otlp.pb-c gen/webassets
objs = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard cmd/$(1)/*.c)) $(EXTRA_$(1):%=$(BUILD)/obj/%.o)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -Wno-missing-prototypes -Wno-missing-braces -MMD -MP -c -o $@ $<

define program
$(BUILD)/bin/$(1): $(call objs,$(1)) $(BUILD)/libgotap.a
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) $$(CFLAGS_ALL) $$(LDFLAGS_ALL) -o $$@ $$^ $$(LINK_$(1))
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))

# Generated sources: the BPF skeleton, OTLP's messages, the built-in recipes, the
# table of offsets.
BPF_ARCH = $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
vpath %.bpf.c bpf tests/bench tests/unit
$(BUILD)/gen/%.bpf.o: %.bpf.c $(wildcard bpf/*.h)
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -g -O2 -Wall -Wextra \
		$(if $(WERROR),-Werror) -Ibpf -c -o $@ $<
$(BUILD)/gen/%.skel.h: $(BUILD)/gen/%.bpf.o
	$(call say,SKEL,$@){ echo '/* NOLINTBEGIN */' && $(BPFTOOL) gen skeleton $< name $*_bpf && \
		echo '/* NOLINTEND */'; } > $@
$(BUILD)/gen/otlp.pb-c.c $(BUILD)/gen/otlp.pb-c.h &: cmd/goexport/otlp.proto
	@mkdir -p $(@D)
	$(call say,PROTOC,$<)protoc-c --c_out=$(BUILD)/gen -Icmd/goexport $<
$(BUILD)/gen/recipes.c: $(wildcard lib/recipes/*.recipe) lib/recipes/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)sh lib/recipes/embed.sh $(sort $(wildcard lib/recipes/*.recipe)) > $@
WEB = $(sort $(filter-out %.sh,$(wildcard cmd/goexport/web/*)))
$(BUILD)/gen/webassets.c: $(WEB) cmd/goexport/web/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)sh cmd/goexport/web/embed.sh $(WEB) > $@
$(BUILD)/obj/gen/webassets.o: CPPFLAGS_ALL += -Icmd/goexport

$(BUILD)/gen/offsets.c: $(wildcard lib/offsets/*.tsv) lib/offsets/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)sh lib/offsets/embed.sh $(sort $(wildcard lib/offsets/*.tsv)) > $@

$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard cmd/goattach/*.c)): | $(BUILD)/gen/gotap.skel.h
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard cmd/goexport/*.c tests/*/goexport_*.c)): | \
	$(BUILD)/gen/otlp.pb-c.h

# Unit tests and fuzz targets link the library, and the objects (but main.o) of
# the program that their name starts with: tests/unit/gospan_pair.c, gospan's.
prog_of = $(filter $(firstword $(subst _, ,$(1))),$(PROGRAMS))
prog_objs = $(foreach p,$(call prog_of,$(1)),$(filter-out %/main.o,$(call objs,$(p))))
LINK_TESTS = -lseccomp -lcapstone -lz -lzstd
define test_program
$(BUILD)/tests/$(1): $(BUILD)/obj/tests/$(1).o $(call prog_objs,$(notdir $(1))) $(BUILD)/libgotap.a
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) $$(CFLAGS_ALL) $$(LDFLAGS_ALL) -o $$@ $$^ $$(LINK_TESTS) \
		$$(foreach p,$$(call prog_of,$$(notdir $(1))),$$(LINK_$$(p)))
endef
UNIT_TESTS = $(patsubst tests/%.c,%,$(filter-out %.bpf.c,$(wildcard tests/unit/*.c)))
FUZZERS    = $(patsubst tests/%.c,%,$(wildcard tests/fuzz/*.c))
$(foreach t,$(UNIT_TESTS) $(FUZZERS),$(eval $(call test_program,$(t))))
unit-tests: $(UNIT_TESTS:%=$(BUILD)/tests/%) $(if $(SAN),$(FUZZERS:%=$(BUILD)/tests/%))
# Without clang's fuzzer a target runs files that it is given: the corpus.
ifneq (,$(findstring fuzzer,$(SAN)))
$(FUZZERS:%=$(BUILD)/tests/%): LDFLAGS += -fsanitize=fuzzer
else
$(FUZZERS:%=$(BUILD)/tests/%): $(BUILD)/obj/tests/fuzz/replay/main.o
endif
fuzzers: $(FUZZERS:%=$(BUILD)/tests/%)

SANITIZED = SAN=address,undefined BUILD=$(BUILD)/san
programs-and-tests: all unit-tests
	+$(Q)$(MAKE) --no-print-directory $(SANITIZED) all unit-tests
check-unit: programs-and-tests
	$(Q)BUILD=$(BUILD) sh tests/check.sh unit cli golden
check: deps-check
	+$(Q)$(MAKE) --no-print-directory programs-and-tests
	$(Q)BUILD=$(BUILD) sh tests/check.sh unit cli golden large e2e
check-large: deps-check
	+$(Q)$(MAKE) --no-print-directory all
	$(Q)BUILD=$(BUILD) GOTAP_LARGE=1 sh tests/check.sh large
check-jaeger: $(BUILD)/bin/goexport
	$(Q)GOTAP_BIN=$(BUILD)/bin prove -v tests/jaeger/jaeger.t
check-kills: $(BUILD)/bin/goexport
	$(Q)GOTAP_BIN=$(BUILD)/bin GOTAP_KILLS=200 prove -v tests/cli/spool.t
check-family: deps-check
	+$(Q)$(MAKE) --no-print-directory all
	$(Q)GOTAP_BIN=$(abspath $(BUILD))/bin MANY=10000 GOROUTINES=100000 \
		PANICS=20000 THROWN=1000000 OPEN_BEGINS=10000000 prove tests/family/all.t tests/e2e/many.t tests/cli/gospan_open.t
check-matrix: deps-check
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/bin/goresolve
	$(Q)BUILD=$(BUILD) sh tests/matrix/run.sh versions
	$(Q)BUILD=$(BUILD) sh tests/matrix/run.sh layouts
soak: deps-check
	+$(Q)$(MAKE) --no-print-directory all
	$(Q)BUILD=$(BUILD) sh tests/soak.sh
fuzz: deps-fuzz
	+$(Q)$(MAKE) --no-print-directory CC=$(CLANG) BUILD=$(BUILD)/fuzz \
		SAN=fuzzer-no-link,address,undefined fuzzers
	$(Q)BUILD=$(BUILD) sh tests/fuzz.sh $(or $(FUZZ_SECONDS),30)
demo: deps-demo
	+$(Q)$(MAKE) --no-print-directory all
	$(Q)BUILD=$(BUILD) sh tests/demo.sh
$(BUILD)/obj/tests/bench/floor.o: | $(BUILD)/gen/floor.skel.h
$(BUILD)/obj/tests/unit/goattach_loadlog.o: | $(BUILD)/gen/broken.skel.h
$(BUILD)/tests/vm/%: $(BUILD)/obj/tests/vm/%.o
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ -lbpf -lelf -lz
$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ -lbpf -lelf -lz
BENCH_PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out %.bpf.c,$(wildcard tests/bench/*.c)))
bench-programs: all $(BENCH_PROGRAMS)
bench: deps-bench
	+$(Q)$(MAKE) --no-print-directory bench-programs
	$(Q)BUILD=$(BUILD) sh tests/bench/run.sh $(BENCH)
lint: $(BUILD)/gen/gotap.skel.h $(BUILD)/gen/floor.skel.h $(BUILD)/gen/broken.skel.h $(BUILD)/gen/otlp.pb-c.h
	$(Q)sh tests/lint.sh
lint: export FLAGS = $(subst ',,$(CPPFLAGS_ALL)) -std=gnu11
$(eval $(call test_program,offsets/goresolve_offsets))
offsets: $(BUILD)/tests/offsets/goresolve_offsets
	$(Q)BUILD=$(BUILD) sh tests/offsets/run.sh
check-kernels: deps-vm
	+$(Q)$(MAKE) --no-print-directory all $(BUILD)/tests/vm/xlated
	$(Q)BUILD=$(BUILD) sh tests/vm/run.sh $(KERNELS)
MIN_BTF = min.btf
min-btf: $(BUILD)/gen/gotap.bpf.o
	$(Q)test -n "$(KERNEL_BTF)" || { echo "min-btf: KERNEL_BTF=FILE, the kernel's BTF or vmlinux" >&2; exit 2; }
	$(call say,BTF,$(MIN_BTF))$(BPFTOOL) gen min_core_btf $(KERNEL_BTF) $(MIN_BTF) $<
check-fresh: deps-check
	$(Q)sh tests/fresh.sh $(or $(RELEASES),bookworm trixie)
deps: deps-build
deps-%:
	$(Q)sh tests/deps.sh $*

PAGES = $(wildcard man/*.[1-8])
DEST  = $(DESTDIR)$(PREFIX)
install: all
	install -d $(DEST)/bin $(DEST)/share/man/man1 $(DEST)/share/man/man5 $(DEST)/share/man/man7
	install $(BINS) $(DEST)/bin
	$(foreach p,$(PAGES),install -m 644 $(p) $(DEST)/share/man/man$(subst .,,$(suffix $(p))) &&) true
uninstall:
	rm -f $(PROGRAMS:%=$(DEST)/bin/%)
	rm -f $(foreach p,$(PAGES),$(DEST)/share/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p)))

clean:
	rm -rf build
help:
	@sed -n 's/^#   make/  make/p' Makefile

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
.PHONY: all clean help unit-tests fuzzers programs-and-tests \
	bench-programs check check-large check-family check-matrix check-unit check-kills check-jaeger fuzz demo bench lint \
	check-fresh check-kernels min-btf deps install offsets uninstall
