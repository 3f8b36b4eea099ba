// SPDX-License-Identifier: Apache-2.0
/* Real Go binaries with other runtime type descriptors. */
#include "realbin.h"
#include "rtype.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum realbin_region regions[] = {
	REGION_TYPES,
	REGION_TYPES,
	REGION_MODULEDATA,
	REGION_RODATA,
};

static int touch_descriptor(void *rs, uint64_t addr)
{
	struct rtype_field f;
	struct rtype t;

	free(rtype_name(rs, addr));
	if (rtype_read(rs, addr, &t))
		return 0;
	sink += t.size;
	for (uint64_t i = 0; t.kind == RTYPE_STRUCT && i < t.count && i < 16; i++)
		if (!rtype_field(rs, &t, i, &f) && f.name.len)
			sink += (uint64_t)f.name.p[f.name.len - 1];
	return 0;
}

static void touch_descriptors(struct gobin *b)
{
	struct errinfo e = { "" };
	struct rtypes *rs;

	if (rtypes_open(b, &rs, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	rtypes_each(rs, touch_descriptor, rs);
	sink += rtypes_find(rs, "main.T") + rtypes_pointer_to(rs, rtypes_find(rs, "main.T")) +
		rtypes_find_map(rs, "map[string][]string");
	rtypes_free(rs);
}

static void look(struct gobin *b)
{
	touch_descriptors(b);
	if (!gobin_section(b, ".debug_info"))
		touch_types(b, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	realbin_run(data, size, regions, sizeof(regions) / sizeof(regions[0]), look);
	return 0;
}
