/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of goresolve(1).
 */
#ifndef GORESOLVE_OPTIONS_H
#define GORESOLVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "recipes.h"
#include "resolve.h"

enum output { OUT_RECORDS, OUT_TABLE, OUT_EXPLAIN, OUT_LIST, OUT_TYPES, OUT_REPORT };

struct options {
	struct recipe_set recipes;
	struct request request;
	const char **patterns; /* request.patterns */
	struct wish *wishes;   /* request.args.wishes */
	enum output output;
	const char *subject; /* of --explain, --list and --types */
	bool json;	     /* JSON lines instead of tables */
	bool strict;
	const char **debug_dirs; /* --debug-dir */
	size_t n_debug_dirs;
	const char *user;	     /* to be confined as, NULL: not */
	const struct opener *opener; /* opens executables then, NULL: there is none */
	char **files;		     /* operands */
	int n_files;
};

/*
 * Reads options, and the recipes that they name. Returns -1 to go on, or an exit
 * status (--help, --version, a usage error, a recipe that does not parse: all
 * said already). options_release() in any case.
 */
int options_parse(struct options *o, int argc, char **argv);
void options_release(struct options *o);

#endif
