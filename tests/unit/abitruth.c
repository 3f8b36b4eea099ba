// SPDX-License-Identifier: Apache-2.0
/*
 * abitruth ONE_IN PREFIX FILE: compares goabi's places of parameters with those that the compiler
 * wrote into the DWARF of FILE, for all functions whose name begins with PREFIX; one in ONE_IN may
 * differ.
 * tests/cli/abi.t runs it on real binaries; without operands there is nothing to compare.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goargs.h"
#include "gofuncs.h"
#include "tap.h"

static unsigned int compared, differ, functions;

/* What DWARF has a place for must be where the rules have it. */
static void check_function(struct gotypes *ts, enum gobin_arch arch, const struct gofunc *f)
{
	struct goarg *args;
	size_t n;

	if (goargs_load(ts, arch, f->entry, &args, &n))
		return;
	functions++;
	for (size_t i = 0; i < n && !args[i].result; i++) {
		/* Parameters without a name, and dictionaries, are said to be on the stack. */
		if (!args[i].located || !args[i].type->size || strchr("~._", args[i].name[0]))
			continue;
		compared++;
		if (args[i].available)
			continue;
		differ++;
		if (differ <= 20)
			printf("# %s: %s %s\n", f->name, args[i].name, args[i].type->name);
	}
	free(args);
}

static int check_file(const char *path, const char *prefix)
{
	struct errinfo e = { "" };
	struct gobin *b = NULL;
	struct gofuncs *fs = NULL;
	struct gotypes *ts = NULL;
	int ret = gobin_open(path, &b, &e);

	if (!ret)
		ret = gofuncs_load(b, &fs, &e);
	if (!ret)
		ret = gotypes_open(b, &ts, &e);
	if (ret)
		printf("# %s: %s\n", path, e.text);
	for (size_t i = 0; !ret && i < gofuncs_count(fs); i++) {
		const struct gofunc *f = gofuncs_get(fs, i);

		if (!f->wrapper && !f->abi0 && !strncmp(f->name, prefix, strlen(prefix)))
			check_function(ts, gobin_arch(b), f);
	}
	gotypes_free(ts);
	gofuncs_free(fs);
	gobin_free(b);
	return ret;
}

int main(int argc, char **argv)
{
	const char *prefix = argc == 4 ? argv[2] : "";
	unsigned int one_in = argc == 4 ? (unsigned int)atoi(argv[1]) : 1;

	if (argc < 2) {
		printf("1..0 # SKIP tests/cli/abi.t has the binaries for it\n");
		return 0;
	}
	ok(!check_file(argv[argc - 1], prefix), "%s can be read", argv[argc - 1]);
	ok(functions > 0 && compared > functions / 2, "%u parameters of %u functions compared",
	   compared, functions);
	ok(differ * one_in <= (one_in ? compared : 0), "elsewhere than goabi says: %u", differ);
	return done();
}
