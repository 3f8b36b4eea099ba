// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "exits.h"
#include "usage.h"

static const char help[] =
	"Usage: goresolve [OPTION]... [FILE]...\n"
	"Plan where and how Go binaries are traced.\n"
	"\n"
	"Reads process records on stdin, or takes the binaries named as FILE (- is stdin),\n"
	"and writes probe and skip records, gotap-jsonl(5).\n"
	"\n"
	"What is planned:\n"
	"      --func PATTERN     also plan functions of this name, with their parameters\n"
	"                         and results; * and ? match as in a shell; may be given\n"
	"                         many times\n"
	"      --capture SPEC     read just this: 'main.Lookup(key, id=ret0.ID)'\n"
	"      --depth N          read fields of parameters N structs deep (1; up to 4)\n"
	"      --no-args          read no parameters, only timing\n"
	"      --recipe FILE      also use this recipe, gotap-recipe(5)\n"
	"      --no-recipe NAME   leave one recipe out\n"
	"      --no-recipes       leave all built-in recipes out\n"
	"      --site MODE        after (default): the cheapest sites, entries behind the\n"
	"                         stack check; first: first instructions and returns;\n"
	"                         ret: entries behind the stack check and returns\n"
	"      --debug-dir DIR    look for separate debug files below DIR too, not only\n"
	"                         below /usr/lib/debug and beside the binary; may be given\n"
	"                         many times\n"
	"What is shown instead of records:\n"
	"      --dry-run          a table of what would be traced\n"
	"      --explain SYMBOL   a function's disassembly with the chosen sites\n"
	"      --list PATTERN     functions, their sizes and ways out\n"
	"      --types PATTERN    struct types, their fields and where offsets come from\n"
	"      --report           a verdict for each process or file: what will be traced,\n"
	"                         what will not, why, and what to do\n"
	"      --json             with --list, --types and --report: JSON lines, with all\n"
	"                         that is known\n"
	"\n"
	"      --user NAME        run as this user, confined; to be started as root\n"
	"      --strict           stop at the first line that is malformed\n"
	"  -q, --quiet            no notes on stderr\n"
	"  -v, --verbose          say more on stderr\n"
	"      --help             show this and exit\n"
	"      --version          show the version and exit\n";

enum {
	OPT_FUNC = 256,
	OPT_CAPTURE,
	OPT_DEPTH,
	OPT_NO_ARGS,
	OPT_RECIPE,
	OPT_NO_RECIPE,
	OPT_NO_RECIPES,
	OPT_SITE,
	OPT_DEBUG_DIR,
	OPT_DRY_RUN,
	OPT_EXPLAIN,
	OPT_LIST,
	OPT_TYPES,
	OPT_REPORT,
	OPT_JSON,
	OPT_USER,
};

static const struct option long_options[] = {
	{ "func", required_argument, NULL, OPT_FUNC },
	{ "capture", required_argument, NULL, OPT_CAPTURE },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "no-args", no_argument, NULL, OPT_NO_ARGS },
	{ "recipe", required_argument, NULL, OPT_RECIPE },
	{ "no-recipe", required_argument, NULL, OPT_NO_RECIPE },
	{ "no-recipes", no_argument, NULL, OPT_NO_RECIPES },
	{ "site", required_argument, NULL, OPT_SITE },
	{ "debug-dir", required_argument, NULL, OPT_DEBUG_DIR },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "list", required_argument, NULL, OPT_LIST },
	{ "types", required_argument, NULL, OPT_TYPES },
	{ "report", no_argument, NULL, OPT_REPORT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "user", required_argument, NULL, OPT_USER },
	USAGE_STRICT_OPTION,
	USAGE_OPTIONS,
};

static int set_site(struct options *o, const char *mode)
{
	static const char *const modes[] = { "after", "first", "ret" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(mode, modes[i]))
			continue;
		o->request.mode = (enum site_mode)i;
		return -1;
	}
	return usage_error("--site: '%s' is not one of after, first, ret", mode);
}

static int set_output(struct options *o, enum output output, const char *subject)
{
	if (o->output != OUT_RECORDS)
		return usage_error(
			"--dry-run, --explain, --list, --types and --report exclude each "
			"other");
	o->output = output;
	o->subject = subject;
	return -1;
}

/* A user's recipe that does not parse is the user's input: status 3. */
static int add_recipe(struct options *o, const char *path)
{
	struct errinfo e = { .text = "" };
	int ret = recipe_set_add_file(&o->recipes, path, &e);

	if (!ret)
		return -1;
	diag(DIAG_ERROR, "%s", e.text[0] ? e.text : strerror(-ret));
	return ret == -EINVAL || ret == -E2BIG ? GOTAP_EXIT_INPUT : GOTAP_EXIT_FAILED;
}

/* What is to be read in a function is a wish for the function too. */
static int add_capture(struct options *o, const char *spec)
{
	struct errinfo e = { .text = "" };
	struct wish *w = &o->wishes[o->request.args.n_wishes];
	int ret = wish_parse(spec, w, &e);

	o->request.args.n_wishes++;
	if (ret == -EINVAL)
		return usage_error("%s", e.text);
	if (ret) {
		diag(DIAG_ERROR, "%s", strerror(-ret));
		return GOTAP_EXIT_FAILED;
	}
	o->patterns[o->request.n_patterns++] = w->func;
	return -1;
}

static int set_depth(struct options *o, const char *arg)
{
	if (arg[0] < '0' || arg[0] > '4' || arg[1])
		return usage_error("--depth: '%s' is not a number from 0 to 4", arg);
	o->request.args.depth = (unsigned int)(arg[0] - '0');
	return -1;
}

static int take(void *ctx, int opt)
{
	struct options *o = ctx;
	const char *arg = optarg;

	switch (opt) {
	case OPT_FUNC:
		if (!arg[0])
			return usage_error("--func: the pattern is empty");
		o->patterns[o->request.n_patterns++] = arg;
		return -1;
	case OPT_CAPTURE:
		return add_capture(o, arg);
	case OPT_DEPTH:
		return set_depth(o, arg);
	case OPT_NO_ARGS:
		o->request.args.none = true;
		return -1;
	case OPT_RECIPE:
		return add_recipe(o, arg);
	case OPT_NO_RECIPE:
		if (recipe_set_disable(&o->recipes, arg))
			return usage_error("--no-recipe: there is no recipe '%s'", arg);
		return -1;
	case OPT_NO_RECIPES:
		recipe_set_disable_builtin(&o->recipes);
		return -1;
	case OPT_SITE:
		return set_site(o, arg);
	case OPT_DEBUG_DIR:
		if (!arg[0])
			return usage_error("--debug-dir: the name is empty");
		o->debug_dirs[o->n_debug_dirs++] = arg;
		return -1;
	case OPT_DRY_RUN:
		return set_output(o, OUT_TABLE, NULL);
	case OPT_EXPLAIN:
		return set_output(o, OUT_EXPLAIN, arg);
	case OPT_LIST:
		return set_output(o, OUT_LIST, arg);
	case OPT_TYPES:
		return set_output(o, OUT_TYPES, arg);
	case OPT_REPORT:
		return set_output(o, OUT_REPORT, NULL);
	case OPT_JSON:
		o->json = true;
		return -1;
	case OPT_USER:
		o->user = arg;
		return -1;
	default:
		return -1;
	}
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct errinfo e = { .text = "" };
	const struct usage u = {
		.help = help,
		.longs = long_options,
		.strict = &o->strict,
		.take = take,
		.arg = o,
	};
	int status;

	memset(o, 0, sizeof(*o));
	o->patterns = calloc((size_t)argc, sizeof(*o->patterns));
	o->wishes = calloc((size_t)argc, sizeof(*o->wishes));
	o->debug_dirs = calloc((size_t)argc, sizeof(*o->debug_dirs));
	if (!o->patterns || !o->wishes || !o->debug_dirs || recipe_set_init(&o->recipes, &e)) {
		diag(DIAG_ERROR, "%s", e.text[0] ? e.text : strerror(ENOMEM));
		return GOTAP_EXIT_FAILED;
	}
	o->request.recipes = &o->recipes;
	o->request.patterns = o->patterns;
	o->request.args.wishes = o->wishes;
	o->request.args.depth = 1;
	status = usage_read(&u, argc, argv);
	o->files = argv + optind;
	o->n_files = argc - optind;
	if (status < 0 && o->json && o->output != OUT_LIST && o->output != OUT_TYPES &&
	    o->output != OUT_REPORT)
		status = usage_error("--json belongs to --list, --types or --report");
	if (status < 0 && recipe_set_check(&o->recipes, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		status = GOTAP_EXIT_INPUT;
	}
	return status;
}

void options_release(struct options *o)
{
	recipe_set_release(&o->recipes);
	for (size_t i = 0; i < o->request.args.n_wishes; i++)
		wish_release(&o->wishes[i]);
	free(o->debug_dirs);
	free(o->wishes);
	free(o->patterns);
}
