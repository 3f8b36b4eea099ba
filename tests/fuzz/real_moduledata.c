// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with another moduledata, and other ways to find it. */
#include "realbin.h"
#include "rtype.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum realbin_region regions[] = {
	REGION_MODULEDATA, REGION_PHDRS,   REGION_SHDRS,
	REGION_RELA,	   REGION_DYNAMIC, REGION_PCLN_HEAD,
};

static void touch_module(struct gobin *b)
{
	struct errinfo e = { "" };
	struct pclntab t;
	struct rtypes *rs;

	if (pclntab_find(b, &t, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	if (t.mod.n_sects > MODULEDATA_MAX_SECTS)
		abort();
	for (uint64_t off = 0; off < 1 << 20; off += 4096)
		sink += moduledata_text_addr(&t.mod, off);
	e.text[0] = '\0';
	if (!rtypes_open(b, &rs, &e)) {
		sink += rtypes_base(rs);
		rtypes_free(rs);
	} else if (!e.text[0]) {
		abort();
	}
}

static void look(struct gobin *b)
{
	touch_funcs(b);
	touch_module(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	realbin_run(data, size, regions, sizeof(regions) / sizeof(regions[0]), look);
	return 0;
}
