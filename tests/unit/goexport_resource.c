// SPDX-License-Identifier: Apache-2.0
/* goexport's resources: found by pid, bounded, and told apart when a pid comes again. */
#include "../../cmd/goexport/resource.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static struct jsonv_doc doc;

static struct record record_of(const char *text)
{
	struct record r = { .text = text, .len = strlen(text), .doc = &doc };
	struct errinfo e;

	if (jsonv_parse(&doc, text, r.len, &e))
		printf("# %s\n", e.text);
	r.root = jsonv_root(&doc);
	return r;
}

static int process(struct resources *rs, const char *text, int64_t now)
{
	struct record r = record_of(text);
	struct errinfo e = { "" };

	return resources_process(rs, &r, now, &e);
}

static int ended(struct resources *rs, const char *text, int64_t now)
{
	struct record r = record_of(text);
	struct errinfo e = { "" };

	return resources_exit(rs, &r, now, &e);
}

static const char *attr_text(const struct resource *r, const char *key)
{
	static char buf[256];
	const struct attr *at = attr_find(r->attrs, r->n_attrs, key);

	if (!at || at->value.type != ATTR_STRING)
		return NULL;
	snprintf(buf, sizeof(buf), "%.*s", (int)at->value.str.len, at->value.str.p);
	return buf;
}

static void check_attributes(void)
{
	static const char *const extra[] = { "host.name=box", "team=a=b" };
	struct resources *rs = resources_new(extra, 2);
	struct resource *r;

	is_int(process(rs,
		       "{\"pid\":7000001,\"start\":\"5\",\"exe\":\"/a/b\\u0000c\",\"resource\":"
		       "{\"service.name\":\"x\",\"telemetry.sdk.name\":\"x\",\"team\":\"z\","
		       "\"host.name\":\"z\",\"n\":1,\"\":\"e\",\"k\":\"\xff\"}}",
		       1),
	       0, "a process");
	r = resources_of(rs, true, 7000001);
	ok(text_is(r->service, "unknown_service:b"), "without a service name: the executable's");
	is(attr_text(r, "telemetry.sdk.name"), "gotap", "what a process may not say of itself");
	is(attr_text(r, "team"), "a=b", "the user wins");
	is(attr_text(r, "host.name"), "box", "also over what was found out");
	is(attr_text(r, "k"), "\xef\xbf\xbd", "text is made valid");
	is(attr_text(r, "service.instance.id"), "box:7000001:5", "the instance");
	ok(!attr_find(r->attrs, r->n_attrs, ""), "no attribute without a name");
	ok(!attr_find(r->attrs, r->n_attrs, "process.creation.time"), "a process not running here");
	is(attr_text(resources_of(rs, true, 9), "service.name"), "unknown_service",
	   "a process never heard of");
	is(attr_text(resources_of(rs, false, 0), "service.name"), "unknown_service",
	   "a span without a pid");
	ok(!attr_find(resources_of(rs, false, 0)->attrs, resources_of(rs, false, 0)->n_attrs,
		      "process.pid"),
	   "has none");
	resources_free(rs);
}

static uint64_t own_start(void)
{
	char buf[1024] = "", *p;
	unsigned long long start = 0;
	FILE *f = fopen("/proc/self/stat", "r");

	if (!f)
		return 0;
	if (!fread(buf, 1, sizeof(buf) - 1, f))
		buf[0] = '\0';
	fclose(f);
	p = strrchr(buf, ')');
	for (int i = 2; p && i < 22; i++)
		p = strchr(p + 1, ' ');
	if (p)
		sscanf(p, " %llu", &start);
	return start;
}

static void check_creation(void)
{
	struct resources *rs = resources_new(NULL, 0);
	char line[100];
	const char *when;

	snprintf(line, sizeof(line), "{\"pid\":%d,\"start\":\"%llu\"}", (int)getpid(),
		 (unsigned long long)own_start());
	process(rs, line, 1);
	when = attr_text(resources_of(rs, true, (uint32_t)getpid()), "process.creation.time");
	if (!when)
		when = "";
	ok(strlen(when) == 24 && when[10] == 'T' && when[23] == 'Z' && !strncmp(when, "20", 2),
	   "a process running here: created '%s'", when);
	snprintf(line, sizeof(line), "{\"pid\":%d,\"start\":\"%llu\"}", (int)getpid(),
		 (unsigned long long)own_start() + 1);
	process(rs, line, 1);
	ok(!attr_text(resources_of(rs, true, (uint32_t)getpid()), "process.creation.time"),
	   "another with its pid: not known");
	resources_free(rs);
}

static void check_life(void)
{
	struct resources *rs = resources_new(NULL, 0);
	struct resource *first, *again;

	process(rs, "{\"pid\":7000001,\"start\":\"5\",\"service\":\"a\"}", 1);
	first = resource_hold(resources_of(rs, true, 7000001));
	process(rs, "{\"pid\":7000001,\"start\":\"5\",\"service\":\"a\"}", 2);
	ok(resources_of(rs, true, 7000001) == first, "the same said again is the same");
	is_int(ended(rs, "{\"pid\":7000001,\"start\":\"4\"}", 3), 0, "the end of another");
	is_int(first->ended, 0, "is not its end");
	ended(rs, "{\"pid\":7000001,\"start\":\"5\"}", 4);
	is_int(first->ended, 4, "its own is");
	ok(resources_of(rs, true, 7000001) == first, "late spans still find it");
	process(rs, "{\"pid\":7000001,\"start\":\"6\",\"service\":\"b\"}", 5);
	again = resources_of(rs, true, 7000001);
	ok(again != first && text_is(again->service, "b"), "the pid's next process is another");
	process(rs, "{\"pid\":7000001,\"start\":\"7\",\"service\":\"c\"}", 6);
	is_int(resource_hold(resources_of(rs, true, 7000001))->ended, 0, "and the next");
	resource_drop(resources_of(rs, true, 7000001));
	is_int(ended(rs, "{\"pid\":123,\"start\":\"5\"}", 7), 0, "the end of an unknown one");
	ok(process(rs, "{\"start\":\"5\"}", 8) < 0, "a process without a pid");
	ok(process(rs, "{\"pid\":-4,\"start\":\"5\"}", 8) < 0, "or with one that is none");
	ok(ended(rs, "{\"pid\":4}", 8) < 0, "an end without a start");
	resource_drop(first);
	resources_free(rs);
}

static void check_bounds(void)
{
	struct resources *rs = resources_new(NULL, 0);
	char line[100];

	for (int i = 0; i < RESOURCES_MAX; i++) {
		snprintf(line, sizeof(line), "{\"pid\":%d,\"start\":\"1\",\"service\":\"s%d\"}",
			 8000000 + i, i);
		process(rs, line, 1);
	}
	ended(rs, "{\"pid\":8000005,\"start\":\"1\"}", 2);
	process(rs, "{\"pid\":9000000,\"start\":\"1\",\"service\":\"new\"}", 3);
	ok(text_is(resources_of(rs, true, 8000000)->service, "s0"), "the oldest is still known");
	ok(text_is(resources_of(rs, true, 8000005)->service, "unknown_service"),
	   "the one that had ended made room");
	ok(text_is(resources_of(rs, true, 8000000)->service, "unknown_service"),
	   "for want of those the oldest does");
	for (uint32_t pid = 1; pid < 3 * RESOURCES_MAX; pid++)
		resources_of(rs, true, pid);
	ok(text_is(resources_of(rs, true, 9000000)->service, "unknown_service"),
	   "any number of pids is borne");
	resources_free(rs);
}

int main(void)
{
	check_attributes();
	check_creation();
	check_life();
	check_bounds();
	jsonv_release(&doc);
	return done();
}
