# memsetshim - `make help` lists the targets.

# Knobs: make CC=clang, make B=build-asan SAN=address,undefined check, ...
B        ?= build
ifeq ($(origin CC),default) # make's own default is cc
CC       := gcc
endif
CFLAGS   ?= -O2 -g
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
INCDIR   ?= $(PREFIX)/include
MANDIR   ?= $(PREFIX)/share/man
BINDIR   ?= $(PREFIX)/bin
COMPDIR  ?= $(PREFIX)/share/bash-completion/completions
SAN      ?=
WERROR   ?=
V        ?=
EMULATOR ?=
SKIP     ?=
PROVE_FLAGS ?=
GENCODE_ARCHS ?= 75 80 86 89 90 100 120

# The CUDA toolkit: CUDA=, CUDA_HOME, nvcc on PATH, the usual prefix - in that order.
NVCC_ON_PATH := $(shell command -v nvcc 2>/dev/null)
CUDA ?= $(or $(CUDA_HOME),$(patsubst %/bin/nvcc,%,$(realpath $(NVCC_ON_PATH))),/usr/local/cuda)
NVCC ?= $(firstword $(wildcard $(CUDA)/bin/nvcc) $(NVCC_ON_PATH))
HAVE_CUDA_H := $(firstword $(wildcard $(CUDA)/include/cuda.h /usr/include/cuda.h))
HAVE_CUPTI_H := $(if $(HAVE_CUDA_H),$(firstword $(wildcard $(CUDA)/include/cupti.h $(CUDA)/extras/CUPTI/include/cupti.h)))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wwrite-strings -Wpointer-arith -Wvla -Wundef -Wformat=2 -Wcast-qual
override CFLAGS += -std=gnu11 $(WARN) $(if $(WERROR),-Werror) \
        $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
override CPPFLAGS += -D_GNU_SOURCE -isystem $(CUDA)/include
GIT_ID ?= $(or $(shell git describe --always --dirty 2>/dev/null),unknown)

# Pure code builds anywhere; the rest needs cuda.h, the fill image needs nvcc.
PURE_SRC := shim/plan.c shim/config.c shim/log.c shim/path.c
SHIM_SRC := $(wildcard shim/*.c)
SHIM_ASM := shim/dlsym.S shim/fatbin.S
SHIM     := $(B)/libmemsetshim.so
SIM      := $(B)/sim/libcuda.so.1
SIM_SRC  := $(wildcard tests/sim/*.c) tests/fill_host.c shim/plan.c

# What needs cuda.h or cupti.h.
UNIT_SRC := $(filter-out $(if $(HAVE_CUDA_H),,tests/unit-bench.c) \
        $(if $(HAVE_CUPTI_H),,tests/unit-cupti-abi.c tests/unit-mock-cupti.c),$(wildcard tests/unit-*.c))
FUZZ_SRC := $(wildcard tests/fuzz-*.c)
FUZZ  := $(FUZZ_SRC:tests/%.c=$(B)/tests/%)
UNIT  := $(UNIT_SRC:tests/%.c=$(B)/tests/%) $(FUZZ)
DRV   := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/drv-*.c tests/sim-*.c)) \
        $(B)/tests/drv-search
SCRIPTS := $(wildcard tests/*.sh)
BENCH := $(B)/memsetbench
COMMAND  := $(B)/memsetshim
GAPCOUNT := $(B)/libgapcount.so

.DEFAULT_GOAL := all
.SECONDARY:
.PHONY: fuzz valgrind search all pure check check-unit check-gpu bench bench-gpu demo lint format install \
        uninstall clean help tests lint-format lint-cppcheck lint-tidy lint-shell lint-man

ifeq ($(HAVE_CUDA_H),)
all: pure          ## build everything under build/
	@echo "memsetshim: no CUDA toolkit (looked for $(CUDA)/include/cuda.h). Install the CUDA Toolkit 12.3 or newer, or the pip wheels nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm, and name its folder: make CUDA=/path. Built: the parts that need no CUDA."
else ifeq ($(NVCC),)
all: pure $(SHIM) $(SIM) tests
	@echo "memsetshim: no nvcc (looked in $(CUDA)/bin and on PATH). Install the CUDA Toolkit 12.3 or newer, or the pip wheels nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm. Built without fill kernels: this library would leave every memset to the driver."
else
all: pure $(SHIM) $(SIM) tests bench
endif

pure: $(UNIT) $(COMMAND) $(GAPCOUNT) ## build what needs no CUDA at all
tests: $(SHIM) $(UNIT) $(DRV) $(MOCK)
bench: $(BENCH)

# --- objects -----------------------------------------------------------------------
# Objects depend on the flags that made them.
# Rewrites a stamp only when its text changes.
stamp = $(shell mkdir -p $(B); printf '%s\n' '$(subst ','\'',$(2))' | cmp -s - $(B)/$(1) || printf '%s\n' '$(subst ','\'',$(2))' >$(B)/$(1))
$(call stamp,flags,$(CC) $(CFLAGS) $(CPPFLAGS))
$(call stamp,git-id,$(GIT_ID))

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(B)/shim/%.o: shim/%.S $(B)/flags
	@mkdir -p $(@D)
	$(call say,AS,$@)$(CC) $(CPPFLAGS) $(ASFLAGS) -fPIC -MMD -MP -c -o $@ $<

# --- the fill image: machine code for the GPUs this nvcc knows, PTX for newer ones ---
NVCC_ARCHS = $(shell $(NVCC) --list-gpu-arch 2>/dev/null | sed -n 's/compute_//p')
ARCHS = $(filter $(NVCC_ARCHS),$(GENCODE_ARCHS))

FATBIN = $(NVCC) -O3 --fatbin -Xfatbin -compress-all \
        $(foreach a,$(ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
        -gencode arch=compute_$(lastword $(ARCHS)),code=compute_$(lastword $(ARCHS))

$(B)/fill.fatbin: shim/fill.cu shim/fill_kernels.h
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(if $(NVCC),$(FATBIN) -o $@ $<,: >$@)

$(B)/shim/fatbin.o: $(B)/fill.fatbin
$(B)/shim/fatbin.o: override ASFLAGS += -DFILL_IMAGE='"$(B)/fill.fatbin"'

# --- the library ---------------------------------------------------------------------
# symbols.def stays the only list of hooks; memsetshim.h the only list of our own names.
$(B)/exports.map: shim/symbols.def shim/memsetshim.h
	@mkdir -p $(@D)
	$(Q){ echo '{ global: dlsym;'; sed -n 's/^HOOK(\([A-Za-z0-9_]*\),.*/\1;/p' shim/symbols.def; \
		sed -n 's/^[a-z].*[ *]\(memsetshim_[a-z_]*\)(.*;$$/\1;/p' shim/memsetshim.h; \
		echo 'local: *; };'; } >$@

SHIM_OBJ := $(SHIM_SRC:%.c=$(B)/%.o) $(SHIM_ASM:%.S=$(B)/%.o)
$(B)/shim/init.o $(B)/shim/about.o: $(B)/git-id
$(B)/shim/init.o $(B)/shim/about.o: override CPPFLAGS += -DGIT_ID='"$(GIT_ID)"'

# -Bsymbolic-functions: what is handed out for a driver function is our hook, whoever
# else defines that name.
$(SHIM): $(SHIM_OBJ) $(B)/exports.map
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $(SHIM_OBJ) \
		-Wl,--version-script=$(B)/exports.map -Wl,-soname,libmemsetshim.so \
		-Wl,-z,defs,-z,now,-z,relro -Wl,-Bsymbolic-functions $(if $(SAN),,-Wl,-e,memsetshim_about) -Wl,--as-needed -ldl -pthread

include tools/gapcount/gapcount.mk tools/tools.mk tests/mock/mock.mk

# --- the simulated driver ------------------------------------------------------------
SIM_OBJ := $(SIM_SRC:%.c=$(B)/%.o)
$(B)/tests/sim/%.o: override CPPFLAGS += -Ishim
$(SIM): $(SIM_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $(SIM_OBJ) \
		-Wl,-soname,libcuda.so.1 -Wl,-z,defs -pthread
	@ln -sf libcuda.so.1 $(@D)/libcuda.so

# --- tests ---------------------------------------------------------------------------
PURE_OBJ := $(PURE_SRC:%.c=$(B)/%.o)
$(B)/tests/unit-%: $(B)/tests/unit-%.o $(B)/tests/fill_host.o $(PURE_OBJ)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -pthread

BENCH_PURE := $(patsubst %,$(B)/bench/%.o,options sample report)
$(B)/tests/unit-bench: $(B)/tests/unit-bench.o $(BENCH_PURE)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -pthread

$(B)/tests.fatbin: tests/kernels.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(if $(NVCC),$(FATBIN) -o $@ $<,: >$@)

$(B)/tests/kernels.o: tests/kernels.S $(B)/tests.fatbin
	@mkdir -p $(@D)
	$(call say,AS,$@)$(CC) $(CPPFLAGS) -fPIC -DTEST_IMAGE='"$(B)/tests.fatbin"' -c -o $@ $<

DRV_COMMON := $(B)/tests/drv.o $(B)/tests/drv_arms.o $(B)/tests/drv_kernel.o $(B)/tests/kernels.o $(B)/shim/plan.o $(B)/tests/fill_host.o
# The fuzz targets: with a main() of our own they are tests like any other, with clang's
# they look for inputs that break something.
FUZZ_PURE := $(B)/tests/fill_host.o $(PURE_OBJ)
FUZZ_SECONDS ?= 20
$(B)/tests/fuzz-config $(B)/fuzz/config: override LDFLAGS += -Wl,--wrap=open,--wrap=write
$(B)/tests/fuzz-%: $(B)/tests/fuzz-%.o $(B)/tests/fuzz_main.o $(FUZZ_PURE)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -pthread
$(B)/fuzz/%: $(B)/tests/fuzz-%.o $(FUZZ_PURE)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ -pthread

FUZZ_RUNS := $(FUZZ_SRC:tests/%.c=run-%)
.PHONY: $(FUZZ_RUNS)
$(FUZZ_RUNS): run-fuzz-%: $(B)/fuzz/%
	cd $(<D) && ./$(<F) -max_total_time=$(FUZZ_SECONDS) -timeout=10 -max_len=1024 \
		-verbosity=0 -print_final_stats=1

fuzz:              ## look for inputs that break something: FUZZ_SECONDS=20 for each target
	@if echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -x c -o /dev/null \
		-fsanitize=fuzzer,address,undefined - 2>/dev/null; then \
		$(MAKE) B=build/fuzz CC=clang SAN=fuzzer-no-link,address,undefined $(FUZZ_RUNS); \
	else \
		echo "memsetshim: fuzz: skipped, there is no clang here that has a fuzzer"; \
	fi

define LINK_DRV
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(DRV_MORE) $(DRV_COMMON) -L$(B)/sim -lcuda -ldl -pthread
endef
$(B)/tests/drv-%: $(B)/tests/drv-%.o $(DRV_COMMON) $(SIM)
	$(LINK_DRV)
$(B)/tests/sim-%: $(B)/tests/sim-%.o $(DRV_COMMON) $(SIM)
	$(LINK_DRV)

# Random programs, many more than `make check` runs: PROGRAMS=, SEED=, JOBS=.
PROGRAMS ?= 100000
JOBS     ?= 2
SEARCH_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/search/*.c)) \
        $(B)/tests/search/kernels.o

$(B)/search.fatbin: tests/search/kernels.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(if $(NVCC),$(FATBIN) -o $@ $<,: >$@)

$(B)/tests/search/kernels.o: tests/search/kernels.S $(B)/search.fatbin
	@mkdir -p $(@D)
	$(call say,AS,$@)$(CC) $(CPPFLAGS) -fPIC -DSEARCH_IMAGE='"$(B)/search.fatbin"' -c -o $@ $<

$(B)/tests/drv-search: $(SEARCH_OBJ) $(DRV_COMMON) $(SIM)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(SEARCH_OBJ) $(DRV_COMMON) \
		-L$(B)/sim -lcuda -ldl -pthread

search: all        ## PROGRAMS= random programs with and without the shim, from SEED= on
	$(Q)$(TEST_ENV) sh tests/run $(B)/tests/drv-search --programs $(PROGRAMS) \
		--jobs $(JOBS) $(if $(filter command line,$(origin SEED)),--seed $(SEED))

# --- the benchmark -------------------------------------------------------------------
BENCH_SRC := bench/memsetbench.c bench/options.c bench/graphs.c bench/gpu.c \
        bench/report.c bench/sample.c
BENCH_OBJ := $(BENCH_SRC:%.c=$(B)/%.o) $(B)/bench/kernels.o
$(B)/bench/%.o: override CPPFLAGS += -DGIT_ID='"$(GIT_ID)"'
$(BENCH_SRC:%.c=$(B)/%.o): $(B)/git-id

$(B)/bench.fatbin: bench/kernels.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(FATBIN) -o $@ $<

$(B)/bench/kernels.o: bench/kernels.S $(B)/bench.fatbin
	@mkdir -p $(@D)
	$(call say,AS,$@)$(CC) $(CPPFLAGS) -fPIC -DBENCH_IMAGE='"$(B)/bench.fatbin"' -c -o $@ $<

$(B)/demo: $(B)/bench/demo.o $(SIM)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< -L$(B)/sim -lcuda -ldl

demo: all $(if $(HAVE_CUDA_H),$(B)/demo)  ## with a GPU: what it gains; without: what it changes
	@B=$(B) sh bench/demo.sh

$(B)/memsetbench: $(BENCH_OBJ)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldl

bench-gpu: $(SHIM) $(BENCH)   ## measure on this machine's GPU; JSON in build/results/
	@mkdir -p $(RESULTS)
	LD_PRELOAD=$(abspath $(SHIM)) $(B)/memsetbench --json $(RESULTS)/bench.json

# What a program and its graphs do needs the library, and nvcc for its kernels.  SKIP:
# patterns of tests to leave out.
CHECKS := $(filter-out $(SKIP),$(UNIT) $(if $(HAVE_CUDA_H),$(if $(NVCC),$(DRV))) $(SCRIPTS))
TEST_ENV = B=$(B) CC="$(CC)" CUDA="$(CUDA)" NVCC="$(NVCC)" SAN="$(SAN)" EMULATOR="$(EMULATOR)"
check: all         ## run the tests that need no GPU (simulated driver)
	$(Q)$(TEST_ENV) prove -e tests/run $(if $(V),-v) $(PROVE_FLAGS) $(CHECKS)
	$(if $(filter-out $(CHECKS),$(DRV)),@echo "memsetshim: not run: $(notdir $(filter-out $(CHECKS),$(DRV)))")

# Left out: scripts, which run what they compile as it is; what takes minutes there and
# has nothing of the library in it (a model of memory, a list of 200000 bytes).
VALGRIND = valgrind -q --error-exitcode=77 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --suppressions=$(CURDIR)/tests/valgrind.supp
valgrind: all      ## the compiled tests under valgrind: errors, and what is definitely lost
	$(Q)FAULTS=few $(MAKE) check EMULATOR="$(VALGRIND)" SCRIPTS= \
		PROVE_FLAGS=-j2 SKIP='%/unit-plan-oracle %/unit-preload'

include tests/gpu/gpu.mk

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d $(B)/*/*/*/*.d)

# --- what is no test -----------------------------------------------------------------
DIRS     := $(wildcard shim bench tools tests)
# Not tests/prog/: the scripts there compile each program with macros of its own.
C_FILES  := $(sort $(shell find $(DIRS) -path tests/prog -prune -o -name '*.c' -print))
H_FILES  := $(sort $(shell find $(DIRS) -name '*.[ch]' -o -name '*.cu' -o -name '*.def'))
FORMATTED = $(filter-out %.def,$(H_FILES))
SH_FILES  = $(sort $(shell grep -rIlE '^\#!/.*[ /](ba)?sh$$' .ci $(DIRS)))
# Enough for any of our files: tools that read C want no build.
LINT_FLAGS := -std=gnu11 $(CPPFLAGS) -DGIT_ID='"lint"' -DCUPTI_PATH='"lint"' -DLIBDIR='"lint"' \
        -Ishim -Itests -Itools/gapcount -Itools/memsetshim -isystem $(CUDA)/extras/CUPTI/include

lint:              ## look at the code, the scripts and the man page without running them
lint: lint-format lint-cppcheck lint-tidy lint-shell lint-man

lint-format:
	clang-format --dry-run -Werror $(FORMATTED)

# memset.c: cppcheck takes initializers inside a macro's arguments for an error;
# options.def: it does not see that a macro is defined as nothing (in gaps.c).
lint-cppcheck:
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability \
		--inline-suppr --suppress=syntaxError:shim/memset.c \
		--suppress=unknownMacro:tools/gapcount/options.def --std=c11 \
		-D_GNU_SOURCE -D__x86_64__ -DCUDA_VERSION=13000 '-DElfW(type)=Elf64_##type' \
		-DGIT_ID='"lint"' -DCUPTI_PATH='"lint"' -DLIBDIR='"lint"' \
		-Ishim -Itests -Itools/gapcount -Itools/memsetshim $(C_FILES)

lint-tidy: $(C_FILES:%=$(B)/lint/%)
$(B)/lint/%.c: %.c .clang-tidy $(H_FILES)
	@mkdir -p $(@D)
	$(call say,TIDY,$<)clang-tidy --quiet $< -- $(LINT_FLAGS) >$@.log 2>&1 && touch $@ || \
		{ cat $@.log; false; }

lint-shell:
	shellcheck -x $(SH_FILES)

lint-man:
	mandoc -T lint -W warning docs/*.[17]

format:            ## rewrite the C files as .clang-format says
	clang-format -i $(FORMATTED)

# Programs may have the old library mapped, so it is never written into: a new file
# takes its name.
install: all       ## install libraries, command, header, man pages: PREFIX= LIBDIR= DESTDIR=
	install -d $(addprefix $(DESTDIR),$(LIBDIR) $(BINDIR) $(INCDIR) $(MANDIR)/man1 \
		$(MANDIR)/man7 $(COMPDIR))
	for file in $(SHIM) $(GAPCOUNT); do \
		new=$(DESTDIR)$(LIBDIR)/.$${file##*/}.new; \
		install -m 755 $$file $$new && \
			mv -f $$new $(DESTDIR)$(LIBDIR)/$${file##*/} || exit; \
	done
	install -m 755 $(COMMAND) $(DESTDIR)$(BINDIR)/memsetshim
	install -m 644 shim/memsetshim.h $(DESTDIR)$(INCDIR)/memsetshim.h
	install -m 644 docs/memsetshim.1 $(DESTDIR)$(MANDIR)/man1/
	install -m 644 docs/memsetshim.7 docs/gapcount.7 $(DESTDIR)$(MANDIR)/man7/
	install -m 644 tools/memsetshim/memsetshim.bash $(DESTDIR)$(COMPDIR)/memsetshim

uninstall:         ## remove what install put there
	rm -f $(addprefix $(DESTDIR),$(LIBDIR)/libmemsetshim.so $(LIBDIR)/libgapcount.so \
		$(BINDIR)/memsetshim $(INCDIR)/memsetshim.h $(MANDIR)/man1/memsetshim.1 \
		$(MANDIR)/man7/memsetshim.7 $(MANDIR)/man7/gapcount.7 $(COMPDIR)/memsetshim)

clean:             ## remove build/
	rm -rf $(B)

help:              ## this list
	@sed -n 's/^\([a-z-]*\):.*## */\1\t/p' $(filter %akefile %.mk,$(MAKEFILE_LIST)) | expand -t 14
	@echo 'Settings: CUDA= NVCC= CC= CFLAGS= PREFIX= B=build (where to) V=1 (show commands)'
	@echo '          SAN=address,undefined or thread, WERROR=1, GENCODE_ARCHS="90 100"'
