// SPDX-License-Identifier: Apache-2.0
/* The sets of goresolve: recipes of a run, binaries seen; and the plan's probe ids. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/goresolve/plan.h"
#include "../../cmd/goresolve/recipes.h"
#include "../../cmd/goresolve/seen.h"
#include "tap.h"

static void test_seen(void)
{
	struct seen s = { 0 };
	char name[16];
	int wrong = 0;

	ok(!seen_has(&s, "a"), "an empty set");
	is_int(seen_add(&s, "a"), 1, "a new name");
	is_int(seen_add(&s, "a"), 0, "the same again");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		wrong += seen_add(&s, name) != 1;
	}
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		wrong += seen_has(&s, name) != (i < 1000);
	}
	is_int(wrong, 0, "a thousand names, and a thousand others");
	seen_release(&s);
}

static int add_text(struct recipe_set *set, const char *text, struct errinfo *e)
{
	char path[] = "/tmp/gotap-recipe-XXXXXX";
	int fd = mkstemp(path), ret;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -EIO;
	close(fd);
	ret = recipe_set_add_file(set, path, e);
	unlink(path);
	return ret;
}

static void test_recipes(void)
{
	struct recipe_set set;
	struct errinfo e = { .text = "" };
	size_t n;

	is_int(recipe_set_init(&set, &e), 0, "every built-in recipe parses");
	n = set.n;
	ok(recipe_set_find(&set, "net-http") && recipe_set_find(&set, "runtime"),
	   "net-http and runtime are among them");
	is_int(recipe_set_check(&set, &e), 0, "what they use is there");
	is_int(recipe_set_disable(&set, "nosuch"), -ENOENT, "no other to leave out");

	recipe_set_disable_builtin(&set);
	for (size_t i = 0; i < set.n; i++)
		ok(set.off[i] == !set.recipe[i]->on_demand, "--no-recipes and %s",
		   set.recipe[i]->name);
	is_int(add_text(&set, "recipe net-http\nuse runtime\n", &e), 0, "one of the same name");
	is_int((long long)set.n, (long long)n, "  takes its place");
	is_int((long long)recipe_set_find(&set, "net-http")->n_spans, 0, "  it is the new one");
	for (size_t i = 0; i < set.n; i++)
		if (!strcmp(set.recipe[i]->name, "net-http"))
			ok(!set.off[i], "  and it counts");
	is_int(recipe_set_disable(&set, "net-http"), 0, "it can be left out too");
	is_int(add_text(&set, "recipe other\nuse nosuch\n", &e), 0, "one that uses another");
	is_int(recipe_set_check(&set, &e), -ENOENT, "  that is not there");
	ok(strstr(e.text, "'nosuch'") != NULL, "  by name");
	is_int(add_text(&set, "recipe bad bad\n", &e), -EINVAL, "one with an error");
	ok(strstr(e.text, ":1:12: ") != NULL, "  at its place");
	recipe_set_release(&set);
}

static const char *id(const char *binary, struct probe pr)
{
	static char buf[2][17];
	static int which;

	probe_set_id(&pr, binary);
	which = !which;
	memcpy(buf[which], pr.id, sizeof(buf[which]));
	return buf[which];
}

static void test_ids(void)
{
	struct probe a = { .recipe = "r", .span = "s", .symbol = "p.F", .entry = 0x1000 };
	struct probe b = a;

	is(id("bin", a), id("bin", b), "the same probe has the same id");
	ok(strcmp(id("bin", a), id("bin2", a)) != 0, "another binary, another id");
	b.recipe = "r2";
	ok(strcmp(id("bin", a), id("bin", b)) != 0, "another recipe");
	b = a;
	b.role = "unwind";
	ok(strcmp(id("bin", a), id("bin", b)) != 0, "another role");
	b = a;
	b.entry = 0x2000;
	ok(strcmp(id("bin", a), id("bin", b)) != 0, "another body of the name");
	b = a;
	b.recipe = "rs";
	b.span = "";
	ok(strcmp(id("bin", a), id("bin", b)) != 0, "the same letters in other words");
}

int main(void)
{
	test_seen();
	test_recipes();
	test_ids();
	return done();
}
