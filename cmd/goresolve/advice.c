// SPDX-License-Identifier: Apache-2.0
#include "advice.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *reason, *advice;
} list[] = {
	{ "absent", "nothing, the program does not use it; --func traces functions of its own" },
	{ "inlined", "trace the functions that contain it, or build with //go:noinline" },
	{ "not-found", "this version is not known to the recipe: write one, gotap-recipe(5)" },
	{ "offset-unknown", "build without -ldflags=-w, or install the separate debug file" },
	{ "undecodable", "trace the functions that call it" },
	{ "no-return", "nothing to time; trace the functions that it calls" },
	{ "tail-jump", "trace the functions that call it" },
	{ "abi0", "trace the functions that call it" },
	{ "empty", "nothing to time" },
	{ "unavailable", "nothing, calls are traced without this value; if the program was "
			 "stripped, install its separate debug file" },
	{ "limit", "use fewer captures or patterns" },
	{ "version-unsupported", "build with Go 1.17 or later (a plugin: 1.20)" },
	{ "packed", "unpack it with upx -d, or do not pack it" },
	{ "obfuscated", "build without garble" },
	{ "not-go", "nothing; only programs built by Go's own compiler can be traced" },
	{ "damaged", "build or copy it anew; what is wrong, and where, is said" },
	{ "unreadable", "see that it is there, and be root or the user that the program runs as" },
	{ "binary-differs", "run gofind again: the program was replaced" },
};

const char *advice_for(const char *reason)
{
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(list[i].reason, reason))
			return list[i].advice;
	return "";
}
