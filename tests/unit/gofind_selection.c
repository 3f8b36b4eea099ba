// SPDX-License-Identifier: Apache-2.0
/* --port LIST and --pid LIST, and how selections combine. */
#include <errno.h>

#include "../../cmd/gofind/selection.h"
#include "tap.h"

static int parses(const char *list)
{
	struct ports p = { 0 };
	struct errinfo e;

	return ports_add(&p, list, &e);
}

static void test_ports(void)
{
	static const char *const bad[] = { "",	       ",",	"80,",	       ",80", "80,,81",
					   "0",	       "65536", "99999999999", "80-", "-80",
					   "90-80",    "80-0",	"http",	       "80x", "8 0",
					   "80-90-95", "+80",	" 80" };
	struct ports p = { 0 };
	struct errinfo e;

	is_int(ports_add(&p, "8080,9000-9002", &e), 0, "a list with a range");
	is_int(ports_add(&p, "1,65535", &e), 0, "a second list, both limits");
	ok(ports_has(&p, 8080) && ports_has(&p, 9000) && ports_has(&p, 9001) &&
		   ports_has(&p, 9002) && ports_has(&p, 1) && ports_has(&p, 65535),
	   "all of them are in the set");
	ok(!ports_has(&p, 8079) && !ports_has(&p, 8081) && !ports_has(&p, 8999) &&
		   !ports_has(&p, 9003) && !ports_has(&p, 2),
	   "and no other");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(parses(bad[i]), -EINVAL, bad[i]);
	ports_add(&p, "80,nine,90", &e);
	is(e.text, "'nine' is not a port or a range of ports", "the message names the element");
}

static void test_pids(void)
{
	struct selection s = { 0 };
	struct errinfo e;

	ok(selection_pid(&s, 7), "without --pid every process passes");
	is_int(selection_add_pids(&s, "17,18,17", &e), 0, "a list of pids");
	is_int((long long)s.n_pids, 2, "each is kept once");
	ok(selection_pid(&s, 17) && selection_pid(&s, 18) && !selection_pid(&s, 7), "or within");
	is_int(selection_add_pids(&s, "0", &e), -EINVAL, "no process has id 0");
	is_int(selection_add_pids(&s, "-1", &e), -EINVAL, "nor -1");
	is_int(selection_add_pids(&s, "2147483648", &e), -EINVAL, "nor more than an int");
	is_int(selection_add_pids(&s, "1,", &e), -EINVAL, "an empty element");
	selection_release(&s);
}

static void test_globs(void)
{
	static const uint16_t open[] = { 22, 8080 };
	struct selection s = { 0 };
	struct errinfo e;

	ok(!selection_given(&s), "nothing given");
	ok(selection_exe(&s, "/usr/bin/shop") && selection_module(&s, "") &&
		   selection_ports(&s, NULL, 0),
	   "a kind that is not given lets all pass");
	globs_add(&s.exclude_exe, "*.test");
	ok(!selection_given(&s), "an exclusion selects nothing");
	ok(!selection_exe(&s, "/tmp/x.test") && selection_exe(&s, "/tmp/x.tests"), "it excludes");
	globs_add(&s.exe, "shop");
	globs_add(&s.exe, "/opt/*/bin/c*");
	ok(selection_given(&s) && selection_names(&s), "a glob selects");
	ok(selection_exe(&s, "/usr/bin/shop") && selection_exe(&s, "shop"),
	   "without a slash the last element is matched");
	ok(!selection_exe(&s, "/usr/shop/cart"), "and only that");
	ok(selection_exe(&s, "/opt/a/b/bin/cart") && !selection_exe(&s, "/srv/opt/a/bin/cart"),
	   "with a slash the whole path");
	globs_add(&s.module, "example.com/*");
	ok(selection_module(&s, "example.com/a/b") && !selection_module(&s, "example.org/a"),
	   "modules");
	ports_add(&s.ports, "8080", &e);
	ok(selection_ports(&s, open, 2) && !selection_ports(&s, open, 1) &&
		   !selection_ports(&s, NULL, 0),
	   "one of the listening ports is enough");
	selection_release(&s);
}

int main(void)
{
	test_ports();
	test_pids();
	test_globs();
	return done();
}
