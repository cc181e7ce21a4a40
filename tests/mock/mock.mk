# SPDX-License-Identifier: MIT
# The mock of libcupti and what needs its headers; included by the Makefile.

MOCK_SRC := $(wildcard tests/mock/*.c)
MOCK_OBJ := $(MOCK_SRC:%.c=$(B)/%.o)
MOCK     := $(if $(HAVE_CUPTI_H),$(B)/mock/libcupti.so.13)

$(MOCK_OBJ) $(B)/tests/unit-mock-cupti.o $(B)/tests/unit-cupti-abi.o: \
	override CPPFLAGS += -isystem $(CUDA)/extras/CUPTI/include

$(B)/tests/unit-mock-cupti.o: override CPPFLAGS += $(if $(MOCK),,-DNO_MOCK)

$(B)/mock/libcupti.so.13: $(MOCK_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ \
		-Wl,-soname,libcupti.so.13 -Wl,-z,defs -ldl -pthread
	@ln -sf libcupti.so.13 $(@D)/libcupti.so

$(B)/tests/unit-mock-cupti: $(B)/tests/unit-mock-cupti.o $(MOCK)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< \
		$(if $(MOCK),-L$(B)/mock -lcupti) -Wl,-rpath,'$$ORIGIN/../mock' -pthread

$(B)/tests/unit-cupti-abi: $(B)/tests/unit-cupti-abi.o
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

.PHONY: mock
mock: $(MOCK)
