// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

#define HEAD "recipe r\nspan s\nkind server\nscope p\nbegin entry p.F\n"

static struct errinfo e;

static struct recipe *parse(const char *text)
{
	struct recipe *r = NULL;

	e.text[0] = '\0';
	recipe_parse("f", text, strlen(text), &r, &e);
	return r;
}

static void check_error(const char *text, const char *want)
{
	struct recipe *r = parse(text);

	is(r ? "parsed" : e.text, want, want);
	recipe_free(r);
}

static void test_errors(void)
{
	static const struct {
		const char *text, *want;
	} list[] = {
		{ "", "f:1:1: the recipe is empty" },
		{ "# nothing\n\n", "f:1:1: the recipe is empty" },
		{ "span s\n", "f:1:1: the first statement must be 'recipe NAME'" },
		{ "recipe\n", "f:1:7: the recipe's name is expected" },
		{ "recipe a\nrecipe b\n", "f:2:1: given twice: 'recipe'" },
		{ "recipe a b\n", "f:1:10: nothing more is expected here: 'b'" },
		{ "recipe a\nkind server\n",
		  "f:2:1: not a statement in front of the first 'span': 'kind'" },
		{ "recipe a\n\tfrobnicate\n",
		  "f:2:2: not a statement in front of the first 'span': 'frobnicate'" },
		{ HEAD "frobnicate\n", "f:6:1: not a statement: 'frobnicate'" },
		{ "recipe a\nspan s\n", "f:2:1: the span 's' has no sites" },
		{ "recipe a\nspan s\nbegin entry F\n",
		  "f:2:1: the span 's' needs 'kind' and 'scope'" },
		{ "recipe a\nspan s\nkind waiter\n",
		  "f:3:6: not a kind (server, client, internal, producer, consumer): 'waiter'" },
		{ HEAD "kind client\n", "f:6:1: given twice: 'kind'" },
		{ HEAD "end here F\n",
		  "f:6:5: not a site (entry, ret, call, calls, after): 'here'" },
		{ HEAD "end ret\n", "f:6:8: a function is expected" },
		{ HEAD "end call F\n", "f:6:11: 'in' or 'within' and a function are expected" },
		{ HEAD "end call F in G if err\n", "f:6:17: nothing more is expected here: 'if'" },
		{ HEAD "end after F in G when err\n",
		  "f:6:18: 'if' and a result, or nothing more, are expected: 'when'" },
		{ HEAD "end after F within G if\n", "f:6:24: a result is expected" },
		{ HEAD "end after F in G if no\n", "f:6:23: a result is expected" },
		{ HEAD "end after F in G if no err twice\n",
		  "f:6:28: nothing more is expected here: 'twice'" },
		{ HEAD "end call F in  # G\n", "f:6:16: a function is expected after 'in'" },
		{ HEAD "capture start x y\n",
		  "f:6:9: not an event (begin, end, unwind, point, create, cover, again, detach): 'start'" },
		{ HEAD "capture begin x\n", "f:6:16: a path is expected" },
		{ HEAD "capture begin x a..b\n", "f:6:19: a field's name is expected after '.'" },
		{ HEAD "capture begin x a max\n", "f:6:22: not a number from 1 to 65536: ''" },
		{ HEAD "capture begin x a max 0\n", "f:6:23: not a number from 1 to 65536: '0'" },
		{ HEAD "capture begin x a max 65537\n",
		  "f:6:23: not a number from 1 to 65536: '65537'" },
		{ HEAD "capture begin x a max 99999999999999999999\n",
		  "f:6:23: not a number from 1 to 65536: '99999999999999999999'" },
		{ HEAD "capture begin x a sometimes\n",
		  "f:6:19: not an option of a capture (max, optional, nonzero, at, since, "
		  "before, with, metric, also): 'sometimes'" },
		{ HEAD "capture begin x a since\n", "f:6:24: a version is expected" },
		{ HEAD "capture begin x a since new\n", "f:6:25: not a version: 'new'" },
		{ HEAD "capture begin x a before 1.2 before 1.3\n",
		  "f:6:30: given twice: 'before'" },
		{ HEAD "require go new\n", "f:6:12: not a version: 'new'" },
		{ HEAD "require module\n", "f:6:15: a name is expected" },
		{ HEAD "require module a.b/c x\n", "f:6:22: not a version: 'x'" },
		{ HEAD "capture begin x abc.d\n", "f:6:17: no 'func' declares a parameter 'abc'" },
		{ HEAD "func p.F (a int)\ntry\n g b\n",
		  "f:8:4: no 'func' declares a parameter 'b'" },
		{ HEAD "require luck\n",
		  "f:6:9: not a requirement (func, type, field, call, go, module): 'luck'" },
		{ HEAD "require no\n",
		  "f:6:11: not a requirement (func, type, field, call, go, module): ''" },
		{ HEAD "require field T\n", "f:6:16: a field's name is expected" },
		{ HEAD "func F\n", "f:6:7: parameters in parentheses are expected" },
		{ HEAD "func F (a)\n", "f:6:9: a parameter is a name and a type: 'a'" },
		{ HEAD "func F (a int,)\n", "f:6:15: a parameter is a name and a type: ''" },
		{ "recipe a\ncontext-values T\n", "f:2:17: a field is expected" },
		{ "recipe a\nforeign-span T a b c d\n",
		  "f:2:23: the fields of trace id, span id, flags, kind and scope are expected" },
		{ "recipe a\nforeign-span T a b c d e f\n",
		  "f:2:26: nothing more is expected here: 'f'" },
		{ HEAD "traced-by\n", "f:6:10: a scope is expected" },
		{ HEAD "traced-by a\ntraced-by a\n", "f:7:1: given twice: 'traced-by'" },
		{ HEAD "pair luck\n", "f:6:6: not a pairing (depth, goroutine, object): 'luck'" },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		check_error(list[i].text, list[i].want);
}

static void test_whole(void)
{
	static const char text[] =
		"# comment\n"
		"recipe demo # another\n"
		"on-demand\n"
		"use runtime\n"
		"func p.(*T).F (t *p.T, m map[string][]int, f func(a, b int)) (n int, err error)\n"
		"span cache.get\r\n"
		"\tkind client\n\tscope example.com/p\n\tname cache get # 1\n"
		"\tpair goroutine\n"
		"\tcapture end n n at ret\n"
		"\ttry\n"
		"\t\trequire no go 1.22\n"
		"\t\tfunc p.(*T).F (t word)\n"
		"\t\tbegin calls p.(*T).F in p.G\n"
		"\ttry\n"
		"\t\tg t.g\n"
		"\t\tbegin entry p.(*T).F\n"
		"\t\tend ret p.(*T).F\n"
		"\t\tcapture begin key t.key max 65536 optional nonzero";
	struct recipe *r = parse(text);
	const struct recipe_span *s;
	const struct recipe_func *f;

	ok(r != NULL, "a recipe with everything in it parses (%s)", e.text);
	if (!r)
		return;
	is(r->name, "demo", "its name");
	ok(r->on_demand && r->n_uses == 1 && !strcmp(r->uses[0], "runtime"), "on-demand and use");
	ok(r->n_spans == 1 && r->spans[0].n_tries == 2, "one span with two alternatives");
	s = &r->spans[0];
	is(s->name, "cache get # 1", "a name is the rest of its line");
	ok(s->pair_goroutine && !strcmp(s->kind, "client") && !strcmp(s->span, "cache.get"),
	   "type, kind and pairing, with CRLF");
	f = recipe_func(r, s, &s->tries[1], "p.(*T).F");
	ok(f && f->n_params == 3 && f->n_results == 2,
	   "a signature: three parameters, two results");
	if (f && f->n_params == 3) {
		is(f->params[1].type, "map[string][]int", "a type with brackets");
		is(f->params[2].type, "func(a, b int)", "a type with commas");
		is(f->results[1].name, "err", "a result's name");
	}
	f = recipe_func(r, s, &s->tries[0], "p.(*T).F");
	ok(f && f->n_params == 1, "an alternative's own signature counts there");
	ok(!recipe_func(r, s, NULL, "p.G"), "no signature for what has none");
	ok(s->tries[0].n_requires == 1 &&
		   s->tries[0].requires[0].not &&s->tries[0].requires[0].need == NEED_GO,
	   "a negated requirement");
	ok(s->tries[0].sites[0].many && s->tries[0].sites[0].at == SITE_CALL, "calls: any number");
	ok(s->tries[1].g && !strcmp(s->tries[1].g->text, "t.g"), "where g is");
	ok(s->common.n_captures == 1 && s->common.captures[0].has_at &&
		   s->common.captures[0].at == SITE_RET && s->common.captures[0].max == 128,
	   "a capture of all alternatives, with the default size");
	ok(s->tries[1].captures[0].optional && s->tries[1].captures[0].nonzero &&
		   s->tries[1].captures[0].max == 65536,
	   "the options of a capture");
	recipe_free(r);
}

static int parse_path(const char *text, struct recipe_path *p)
{
	e.text[0] = '\0';
	return recipe_path_parse("f", 3, 10, text, strlen(text), p, &e);
}

static void path_error(const char *text, const char *want)
{
	struct recipe_path p;

	is_int(parse_path(text, &p), -EINVAL, text);
	is(e.text, want, want);
}

static void test_paths(void)
{
	struct recipe_path p;

	ok(!parse_path("req.Header[\"Trace parent\"][12]", &p), "fields, a key, an index");
	ok(p.root == ROOT_PARAM && p.n_steps == 3 && p.steps[0].kind == STEP_FIELD &&
		   p.steps[1].kind == STEP_KEY && p.steps[2].kind == STEP_INDEX,
	   "  in this order");
	is(p.param, "req", "  of a parameter");
	is(p.n_steps > 1 ? p.steps[1].text : "", "Trace parent", "  a key with a space");
	is_int(p.n_steps > 2 ? p.steps[2].index : 0, 12, "  the index");
	recipe_path_release(&p);
	ok(!parse_path("((kept1 as *a.T).x.(func(int) b.C) as  *d/e.F ).g", &p), "nested types");
	ok(p.root == ROOT_KEPT && p.kept == 1 && p.n_steps == 5 && p.steps[0].kind == STEP_AS &&
		   p.steps[2].kind == STEP_ASSERT && p.steps[3].kind == STEP_AS,
	   "  in this order");
	is(p.n_steps > 2 ? p.steps[2].text : "", "func(int) b.C", "  a type with parentheses");
	is(p.n_steps > 3 ? p.steps[3].text : "", "*d/e.F", "  a type without the space around");
	recipe_path_release(&p);
	ok(!parse_path("len(g.x)", &p) && p.root == ROOT_G && p.n_steps == 2 &&
		   p.steps[1].kind == STEP_LEN,
	   "a length, of the goroutine's field");
	recipe_path_release(&p);
	ok(!parse_path("*a.b", &p) && p.n_steps == 2 && p.steps[0].kind == STEP_FIELD &&
		   p.steps[1].kind == STEP_DEREF,
	   "'*' takes what the whole path leads to");
	recipe_path_release(&p);
	ok(!parse_path("typeof(a.b)", &p) && p.n_steps == 2 && p.steps[1].kind == STEP_TYPE,
	   "the type that an interface holds");
	recipe_path_release(&p);
	ok(!parse_path("typeof", &p) && p.root == ROOT_PARAM, "a parameter may be called so");
	recipe_path_release(&p);
	ok(!parse_path("\"a b\"", &p) && p.root == ROOT_CONST && p.constant == CONST_TEXT &&
		   !strcmp(p.param, "a b"),
	   "a constant text");
	recipe_path_release(&p);
	ok(!parse_path("-17", &p) && p.constant == CONST_NUMBER && p.number == -17,
	   "a constant number");
	recipe_path_release(&p);
	ok(!parse_path("true", &p) && p.constant == CONST_BOOL && p.number == 1 && !p.n_steps,
	   "a constant boolean");
	recipe_path_release(&p);
	ok(!parse_path("kept2", &p) && p.root == ROOT_PARAM, "kept2 is a parameter like any");
	recipe_path_release(&p);

	path_error("", "f:3:10: a parameter's name is expected");
	path_error("1a", "f:3:11: '.', '[' or the end of the path is expected");
	path_error("-a", "f:3:11: a number is expected after '-'");
	path_error("9223372036854775808", "f:3:28: the number is too large");
	path_error("\"a", "f:3:12: a text ends with '\"' and holds no backslash");
	path_error("*", "f:3:11: a parameter's name is expected");
	path_error("**********a", "f:3:20: parentheses are nested too deep");
	path_error("a.", "f:3:12: a field's name is expected after '.'");
	path_error("a[", "f:3:12: an index or a key in double quotes is expected");
	path_error("a[4294967296]", "f:3:21: the index is too large");
	path_error("a[\"x]", "f:3:15: a key ends with '\"' and holds no backslash");
	path_error("a[\"x\\\"\"]", "f:3:14: a key ends with '\"' and holds no backslash");
	path_error("a.(b", "f:3:14: missing ')' after a type");
	path_error("a.()", "f:3:13: a type is expected");
	path_error("(a)", "f:3:12: 'as' and a type are expected");
	path_error("a b", "f:3:11: '.', '[' or the end of the path is expected");
	path_error("((((((((((((a", "f:3:19: parentheses are nested too deep");
}

int main(void)
{
	static char big[RECIPE_MAX_SIZE + 1];
	struct recipe *r;

	test_errors();
	test_whole();
	test_paths();
	is_int(recipe_parse("f", "recipe a\0b\n", 11, &r, &e), -EINVAL, "a NUL byte");
	is(e.text, "f:1:9: a NUL byte", "  and its place");
	is_int(recipe_parse("f", big, sizeof(big), &r, &e), -E2BIG, "a recipe that is too large");
	return done();
}
