// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as what /proc says of a process: its stat, a line of its table of sockets,
 * its environment. The first byte says which.
 */
#include <stdlib.h>
#include <string.h>

#include "../../cmd/gofind/listeners.h"
#include "../../cmd/gofind/procfs.h"
#include "../../cmd/gofind/service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void touch(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		sink += (unsigned char)t.s[i];
}

/* The name must be there, and no key twice. */
static void check_service(const char *env, size_t len)
{
	struct service s;
	const char *module = strnlen(env, len) < len ? env : "example.com/shop/v2";

	if (service_find(env, len, module, "/usr/bin/shop", &s))
		return;
	if (!s.name.len || !s.from)
		abort();
	touch(s.name);
	for (size_t i = 0; i < s.n_resource; i++) {
		touch(s.resource[i].key);
		touch(s.resource[i].value);
		for (size_t j = 0; j < i && s.n_resource < 100; j++)
			if (s.resource[i].key.len == s.resource[j].key.len &&
			    !memcmp(s.resource[i].key.s, s.resource[j].key.s,
				    s.resource[i].key.len))
				abort();
	}
	service_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct procstat ps;
	struct listener l;
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	switch (data[0] % 3) {
	case 0:
		if (!procfs_parse_stat(text, &ps))
			sink += procstat_is_kernel(&ps) + procstat_is_settled(&ps);
		break;
	case 1:
		sink += (size_t)listener_parse(text, &l);
		break;
	default:
		free(text);
		text = malloc(size); /* with the NULs that are in it, and one more */
		if (!text)
			return 0;
		memcpy(text, data + 1, size - 1);
		text[size - 1] = '\0';
		check_service(text, size - 1);
	}
	free(text);
	return 0;
}
