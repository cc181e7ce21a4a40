# SPDX-License-Identifier: MIT
# The command; included by the Makefile, after gapcount.mk.

# Links only libc, and needs no CUDA.  shim/config.c without shim/log.c: settings.c catches
# what it would log; gapcount/libcupti.c is how doctor looks for CUPTI.
COMMAND_SRC := $(wildcard tools/memsetshim/*.c)
COMMAND_OBJ := $(COMMAND_SRC:%.c=$(B)/%.o)

$(call stamp,libdir,$(LIBDIR))
$(B)/tools/memsetshim/find.o: $(B)/libdir
$(B)/tools/memsetshim/find.o: override CPPFLAGS += -DLIBDIR='"$(LIBDIR)"'
$(B)/tools/memsetshim/version.o: $(B)/git-id
$(B)/tools/memsetshim/version.o: override CPPFLAGS += -DGIT_ID='"$(GIT_ID)"'

$(COMMAND): $(COMMAND_OBJ) $(B)/shim/config.o $(B)/shim/path.o \
		$(B)/tools/gapcount/libcupti.o $(GAP_PURE)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -Wl,-z,now,-z,relro \
		-Wl,--as-needed -ldl -pthread

$(B)/tests/unit-preload: $(B)/tests/unit-preload.o \
		$(addprefix $(B)/tools/memsetshim/,find.o text.o)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(B)/tests/unit-verdict.o: override CPPFLAGS += -Itools/memsetshim
$(B)/tests/unit-verdict: $(B)/tests/unit-verdict.o $(B)/tools/memsetshim/verdict.o
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm
