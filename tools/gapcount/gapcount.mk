# SPDX-License-Identifier: MIT
# The gap counter; included by the Makefile.

# Pure: intervals in, report out, report as text.  The launcher and the tests link it too.
GAP_PURE := $(patsubst %.c,$(B)/%.o,$(wildcard tools/gapcount/gap*.c) tools/gapcount/json.c)
GAPCOUNT_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tools/gapcount/*.c) shim/path.c)

$(B)/tools/gapcount/%.o: override CPPFLAGS += -Ishim
$(B)/tools/gapcount/about.o: $(B)/git-id
$(B)/tools/gapcount/about.o: override CPPFLAGS += -DGIT_ID='"$(GIT_ID)"'

$(GAPCOUNT): $(GAPCOUNT_OBJ)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $(GAPCOUNT_OBJ) \
		-Wl,-soname,libgapcount.so -Wl,-z,defs,-z,now,-z,relro -Wl,-Bsymbolic \
		$(if $(SAN),,-Wl,-e,gapcount_about) -Wl,--as-needed -ldl -pthread

GAP_UNIT := $(addprefix $(B)/tests/unit-,gap gap-write json)
$(GAP_UNIT:=.o) $(B)/tests/unit-store.o: override CPPFLAGS += -Itools/gapcount
$(GAP_UNIT): %: %.o $(GAP_PURE)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm
$(B)/tests/unit-store: $(B)/tests/unit-store.o \
		$(addprefix $(B)/tools/gapcount/,store.o table.o)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -pthread

# What the counter does with events, against the simulated driver; store_add() is the test's.
$(B)/tests/sim-events.o: override CPPFLAGS += -Itools/gapcount
$(B)/tests/sim-events: $(B)/tests/sim-events.o $(B)/tools/gapcount/events.o
$(B)/tests/sim-events: DRV_MORE := $(B)/tools/gapcount/events.o
