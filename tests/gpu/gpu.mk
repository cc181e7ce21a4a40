# SPDX-License-Identifier: MIT
# The part of the suite that needs a GPU; included by the Makefile.

RESULTS ?= $(B)/results
SEED    ?= $(firstword $(wildcard ../shared/seed $(B)/seed build/seed))
PYTHON  ?= python3
# Machine code for the GPU that is here, as `nvcc -arch=sm_90` in the seed's thread.
COMPUTE_CAP = $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
	2>/dev/null | sed -n '1s/\.//p')
GPU_ARCH ?= sm_$(or $(COMPUTE_CAP),90)

GPU_TESTS ?= $(patsubst %,tests/gpu/%.sh,cudart runtimes cublas seed pytorch \
	pytorch_app startup sanitizer tools counter compare)
# Scripts that run on either driver.
EITHER    := $(wildcard $(patsubst %,tests/%.sh,company deepbind exec exits ends unload))
CUDA_LIB  := $(firstword $(wildcard $(CUDA)/lib64 $(CUDA)/lib))
CUPTI_DIR := $(firstword $(wildcard $(CUDA)/extras/CUPTI/lib64) $(CUDA_LIB))
SEED_CU   := $(wildcard $(SEED)/test.cu)

GPU_PROGRAMS := $(B)/gpu/startup
ifneq ($(HAVE_CUDA_H),)
GPU_PROGRAMS += $(B)/gpu/witness.so $(B)/gpu/cublas $(B)/gpu/splitk
ifneq ($(NVCC),)
GPU_PROGRAMS += $(foreach runtime,static shared,$(B)/gpu/cudart-$(runtime)-legacy \
	$(B)/gpu/cudart-$(runtime)-ptds $(if $(SEED_CU),$(B)/gpu/seed-$(runtime)))
GPU_PROGRAMS += $(B)/gpu/between $(B)/gpu/branches
endif
endif

$(B)/gpu/startup: tests/gpu/startup.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

$(B)/gpu/witness.so: tests/gpu/witness.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) -isystem $(CUDA)/extras/CUPTI/include \
		-DCUPTI_PATH='"$(CUPTI_DIR)/libcupti.so"' $(CFLAGS) $(LDFLAGS) \
		-fPIC -fvisibility=hidden -shared -Wl,-Bsymbolic -o $@ $< -ldl

$(B)/tests/gpu/cublas.o: override CPPFLAGS += -Itests
$(B)/gpu/cublas: $(B)/tests/gpu/cublas.o $(DRV_COMMON) $(SIM)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(DRV_COMMON) \
		-L$(B)/sim -lcuda -ldl -pthread

NVCC_GPU = $(NVCC) -O3 -arch=$(GPU_ARCH) -cudart $(1) -Xlinker -rpath=$(CUDA_LIB)

# cudart-static-ptds: which runtime library, then which default stream
$(B)/gpu/cudart-%: tests/gpu/cudart.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(call NVCC_GPU,$(firstword $(subst -, ,$*))) \
		-std=c++17 -Xcompiler -Wall -Wno-deprecated-declarations \
		$(if $(filter %-ptds,$*),--default-stream per-thread) -o $@ $<

$(B)/gpu/splitk: $(B)/tests/gpu/apps/splitk.o $(SIM)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< -L$(B)/sim -lcuda -ldl

$(B)/gpu/between $(B)/gpu/branches: $(B)/gpu/%: tests/gpu/apps/%.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(call NVCC_GPU,static) -std=c++17 -Xcompiler -Wall -o $@ $<

# The seed's program as it is.
$(B)/gpu/seed-%: $(SEED_CU)
	@mkdir -p $(@D)
	$(call say,NVCC,$@)$(call NVCC_GPU,$*) -o $@ $<


# Exact versions, old ones first; the last is newer than many a driver.
RUNTIMES ?= 11.8.89 12.1.105 12.4.127 12.9.79 13.0.96 13.5.37

.PHONY: compare-gpu seed runtimes gpu-programs gpu-bundle check-gpu-built
gpu-programs: $(GPU_PROGRAMS)

GPU_ENV = $(TEST_ENV) DRIVER=real RESULTS="$(RESULTS)" PYTHON="$(PYTHON)"
define CHECK_GPU
	$(Q)$(GPU_ENV) sh tests/gpu/check $(filter $(B)/tests/drv-%,$(DRV)) tests/search.sh $(EITHER) \
		$(GPU_TESTS)
endef
check-gpu: all gpu-programs  ## run the tests on a GPU; fails where there is none
	$(CHECK_GPU)
check-gpu-built: # the same with what there is: a GPU is too dear to miss for one file
	$(CHECK_GPU)

compare-gpu: all gpu-programs ## memsetshim compare on programs that know nothing of it
	$(Q)$(GPU_ENV) sh tests/gpu/check tests/gpu/compare.sh

seed:              ## copy the seed's programs into build/ (carry them to the GPU)
	$(Q)mkdir -p $(B)/seed && install -m 644 ../shared/seed/* $(B)/seed/

runtimes:          ## build programs with CUDA runtimes from PyPI (carry build/runtimes)
	$(call say,PIP,$(B)/runtimes)CC="$(CC)" PYTHON="$(PYTHON)" WARN="$(WARN)" \
		sh tests/gpu/build-runtimes $(B)/runtimes $(RUNTIMES)

gpu-bundle:        ## check-gpu and bench-gpu in one go, and a table of the bars
	$(Q)$(GPU_ENV) OUTDIR="$(OUTDIR)" sh tests/gpu/run.sh
