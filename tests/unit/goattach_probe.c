// SPDX-License-Identifier: Apache-2.0
/* Probe records: what is read, what they are compiled to, and what is refused. */
#include "../../cmd/goattach/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../cmd/goattach/foreign.h"
#include "tap.h"

#if defined(__x86_64__)
#define ARCH "\"arch\":\"amd64\","
#else
#define ARCH "\"arch\":\"arm64\","
#endif
#define NAMES "\"probe\":\"p1\",\"binary\":\"b\",\"span\":\"s\",\"symbol\":\"f\"," ARCH
#define G     "\"g\":{\"goid\":152,\"stack_hi\":8},"
#define SITE                                                                                       \
	"{\"at\":\"call\",\"event\":\"begin\",\"addr\":\"0x10\",\"offset\":\"0x10\",\"bytes\":\"e800\"}"
#define SITES "\"sites\":[" SITE "]"

#define FOREIGN "\"addr\":\"0x1\",\"trace_id\":1,\"span_id\":2,\"flags\":3,\"kind\":4,\"scope\":5"

static struct jsonv_doc doc;
static char said[400];
static int complaints, limits;

static void complain(void *arg, const struct probe *p, const char *capture, bool limit,
		     const char *why)
{
	(void)arg;
	(void)p;
	complaints++;
	limits += limit;
	snprintf(said, sizeof(said), "%s: %s", capture, why);
}

static struct probe *parse(const char *json, struct errinfo *e)
{
	struct probe *p = NULL;

	complaints = limits = 0;
	said[0] = '\0';
	e->text[0] = '\0';
	if (jsonv_parse(&doc, json, strlen(json), e))
		return NULL;
	probe_parse(&doc, jsonv_root(&doc), complain, NULL, &p, e);
	return p;
}

/* A probe with this one capture. */
static struct probe *with(const char *capture)
{
	char json[2000];
	struct errinfo e;

	snprintf(json, sizeof(json), "{" NAMES G SITES ",\"captures\":[%s]}", capture);
	return parse(json, &e);
}

static const char *op_text(const struct gotap_op *op, char *to, size_t size)
{
	static const char *const names[] = { "window",	"add",	  "load",    "itab",
					     "eface",	"slice",  "map",     "text",
					     "regtext", "number", "nonzero", "value",
					     "elem",	"texts",  "attrs",   "regattrs" };
	int n = snprintf(to, size, "%s", names[op->code]);

	if (op->base != GOTAP_REG_NONE)
		n += snprintf(to + n, size - (size_t)n, " r%u", op->base);
	if (op->imm)
		n += snprintf(to + n, size - (size_t)n, " %lld", op->imm);
	if (op->size)
		n += snprintf(to + n, size - (size_t)n, " size %u", op->size);
	if (op->max)
		snprintf(to + n, size - (size_t)n, " max %u", op->max);
	return to;
}

static void compiles(const char *capture, const char *want)
{
	char got[400] = "", one[80];
	struct probe *p = with(capture);
	size_t len = 0;

	for (uint32_t i = 0; p && p->n_captures && i < p->captures[0].n_ops; i++)
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s", i ? "; " : "",
					op_text(&p->captures[0].ops[i], one, sizeof(one)));
	is(p && p->n_captures ? got : said, want, capture);
	probe_free(p);
}

#define ON "\"name\":\"x\",\"on\":\"begin\","
#define MAP                                                                                        \
	"\"layout\":\"swiss\",\"dir_ptr\":16,\"dir_len\":24,\"table_groups\":16,\"slot_size\":40," \
	"\"elem_off\":16"

static void captures(void)
{
	compiles("{" ON "\"kind\":\"attributes\",\"layout\":[1,2,3,4,0],\"ops\":[[\"arg\",0],"
		 "[\"load\",16],[\"add\",8]]}",
		 "load r0 16; add 8; attrs 67305985");
	compiles("{" ON
		 "\"kind\":\"reg_attributes\",\"layout\":[64,0,0,0,0],\"ops\":[[\"arg\",1]]}",
		 "regattrs r1 64 size 2");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\",3]]}", "number r3 size 8");
	compiles("{" ON "\"kind\":\"bool\",\"ops\":[[\"arg\",3],[\"add\",8],[\"add\",1]]}",
		 "number r3 9 size 1");
	compiles("{" ON "\"kind\":\"string\",\"max\":64,\"ops\":[[\"arg\",0],[\"load\",16],"
		 "[\"add\",56]]}",
		 "load r0 16; text 56 max 64");
	compiles("{" ON "\"kind\":\"string\",\"max\":100000,\"ops\":[[\"arg\",0],[\"add\",8],"
		 "[\"load\",16]]}",
		 "load r0 24; text max 2047");
	compiles("{" ON "\"kind\":\"reg_string\",\"max\":9,\"ops\":[[\"arg\",1]]}",
		 "regtext r1 size 2 max 9");
	compiles("{" ON "\"kind\":\"reg_pointer\",\"ops\":[[\"sp\",24]]}",
		 "add r18 24; value size 8");
	compiles("{" ON "\"kind\":\"reg_int\",\"ops\":[[\"arg\",1],[\"itab\",\"0x1000\"],"
		 "[\"arg\",2],[\"load\",8]]}",
		 "itab r1 4096; load r2 8; value size 8");
	compiles("{" ON "\"kind\":\"string\",\"max\":5,\"ops\":[[\"arg\",3],[\"load\",56],"
		 "[\"map\",{\"key\":\"K\"," MAP "}],[\"slice\",2,16]]}",
		 "load r3 56; map; slice 8589934608; text max 5");
	compiles("{" ON "\"kind\":\"uint\",\"size\":2,\"ops\":[[\"arg\",3],[\"elem\",1,2,4]]}",
		 "elem r3 4294967298 size 4; number size 2");
	compiles("{" ON "\"kind\":\"const\",\"value\":\"a\"}", "");
	compiles("{" ON
		 "\"kind\":\"type\",\"types\":\"0x1000\",\"ops\":[[\"arg\",3],[\"load\",8]]}",
		 "load r3 8; value size 8");
	compiles("{" ON "\"kind\":\"nonzero\",\"size\":24,\"ops\":[[\"kept\",1],[\"add\",-8]]}",
		 "nonzero r20 -8 size 24");
	compiles("{" ON "\"kind\":\"uint\",\"size\":4,\"ops\":[[\"g\"],[\"load\",0]]}",
		 "load r16; number size 4");
}

static void refused_captures(void)
{
	compiles("{" ON "\"kind\":\"attributes\",\"ops\":[[\"arg\",3]]}",
		 "x: \"layout\" is missing or not of five numbers");
	compiles("{" ON "\"kind\":\"attributes\",\"layout\":[64,0,16,24],\"ops\":[[\"arg\",3]]}",
		 "x: \"layout\" is missing or not of five numbers");
	compiles("{" ON
		 "\"kind\":\"attributes\",\"layout\":[64,0,16,24,256],\"ops\":[[\"arg\",3]]}",
		 "x: \"layout\": a number over 255");
	compiles("{" ON
		 "\"kind\":\"reg_attributes\",\"layout\":[64,0,16,24,32],\"ops\":[[\"sp\",8]]}",
		 "x: no register holds how many there are");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"jump\",3]]}", "x: unknown op \"jump\"");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\",30]]}",
		 "x: no argument register of that number");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\",1],[\"elem\",1,2,9]]}",
		 "x: no argument register of that number");
	compiles("{" ON "\"kind\":\"const\",\"value\":[]}",
		 "x: \"value\" is no text, number or boolean");
	compiles("{" ON "\"kind\":\"type\",\"ops\":[[\"arg\",3]]}",
		 "x: \"types\" is missing or no address");
	compiles("{" ON "\"kind\":\"const\"}", "x: \"value\" is no text, number or boolean");
	compiles("{\"name\":\"gotap.keep0\",\"on\":\"begin\",\"kind\":\"const\",\"value\":1}",
		 "gotap.keep0: unknown name, or not of this kind");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\"]]}", "x: op \"arg\" takes 1 operands");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"load\",8]]}",
		 "x: the first op must give a value");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[]}", "x: \"ops\" is missing or empty");
	compiles("{" ON "\"kind\":\"int\",\"size\":3,\"ops\":[[\"g\"]]}",
		 "x: \"size\" is not 1, 2, 4 or 8");
	compiles("{" ON "\"kind\":\"int\",\"size\":16,\"ops\":[[\"g\"]]}",
		 "x: \"size\" is out of range");
	compiles("{" ON "\"kind\":\"string\",\"ops\":[[\"g\"]]}",
		 "x: \"max\" is missing or no number");
	compiles("{" ON "\"kind\":\"reg_string\",\"max\":1,\"ops\":[[\"g\"]]}",
		 "x: no register holds the text's length");
	compiles("{" ON "\"kind\":\"colour\",\"ops\":[[\"g\"]]}",
		 "x: \"kind\" is missing or unknown");
	compiles("{\"name\":\"x\",\"kind\":\"int\",\"ops\":[[\"g\"]]}",
		 "x: \"on\" is missing or unknown");
	compiles("{" ON "\"at\":\"roof\",\"kind\":\"int\",\"ops\":[[\"g\"]]}",
		 "x: \"at\" is unknown");
	compiles("{\"on\":\"begin\",\"kind\":\"int\",\"ops\":[[\"g\"]]}",
		 "?: \"name\" is missing, empty or too long");
	compiles("{\"name\":\"gotap.keep7\",\"on\":\"begin\",\"kind\":\"int\",\"ops\":[[\"g\"]]}",
		 "gotap.keep7: unknown name, or not of this kind");
	compiles(
		"{\"name\":\"gotap.traceparent\",\"on\":\"begin\",\"kind\":\"int\",\"ops\":[[\"g\"]]}",
		"gotap.traceparent: unknown name, or not of this kind");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\",0],[\"map\",{\"key\":\"K\","
		 "\"layout\":\"tree\",\"slot_size\":8,\"elem_off\":0}]]}",
		 "x: unknown map layout");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\",0],[\"map\",7]]}",
		 "x: \"map\" needs an object with \"key\"");
	is_int(limits, 0, "which is wrong, not past a limit");
	compiles("{" ON "\"kind\":\"int\",\"ops\":[[\"arg\",0],[\"map\",{\"key\":"
		 "\"01234567890123456789012345678901234567890\"," MAP "}]]}",
		 "x: a map key of more than 40 bytes");
	is_int(limits, 1, "which is a limit");
	compiles("7", "?: no object");
}

static void whole(void)
{
	struct errinfo e;
	struct probe *p = parse(
		"{" NAMES
		"\"pair\":\"goroutine\",\"g\":{\"goid\":160,\"stack_hi\":8,\"ops\":[[\"arg\",0],"
		"[\"load\",48],[\"load\",184]]},\"sites\":[" SITE
		",{\"at\":\"ret\",\"event\":\"end\",\"addr\":\"0x20\",\"offset\":\"0x20\",\"bytes\":\"c3\","
		"\"depth_adjust\":-16,\"repeats\":true},"
		"{\"at\":\"call\",\"event\":\"end\",\"addr\":\"0x28\",\"offset\":\"0x28\",\"bytes\":\"c3\"},"
		"{\"at\":\"after\",\"event\":\"end\",\"addr\":\"0x30\",\"offset\":\"0x30\",\"bytes\":\"74\","
		"\"when\":{\"arg\":1,\"size\":8,\"zero\":true}},"
		"{\"at\":\"after\",\"event\":\"again\",\"addr\":\"0x38\",\"offset\":\"0x38\",\"bytes\":\"74\","
		"\"when\":{\"arg\":0,\"size\":1,\"zero\":false}}],"
		"\"captures\":[{\"name\":\"a\",\"on\":\"begin\",\"kind\":\"int\",\"ops\":[[\"arg\",0]]},"
		"{\"name\":\"b\",\"on\":\"begin\",\"kind\":\"int\",\"ops\":[[\"arg\",0],[\"add\",40]]},"
		"{\"name\":\"c\",\"on\":\"end\",\"at\":\"ret\",\"kind\":\"int\",\"ops\":[[\"arg\",1]]}]}",
		&e);

	ok(p != NULL, "a probe with all there is");
	if (!p)
		return;
	ok(p->by_goroutine && p->g_reg == 0 && p->g_loads == 2 && p->g_off[1] == 184, "g");
	ok(p->n_sites == 5 && p->sites[1].depth_adjust == -16 && p->sites[1].repeats, "sites");
	ok(p->sites[0].program == 0 && p->programs[0].n == 2, "two captures at the begin");
	ok(p->programs[0].window.max == 56 && p->programs[0].n_ops == 3, "read together");
	ok(p->sites[1].program != NO_PROGRAM && p->programs[p->sites[1].program].n == 1,
	   "one at the RET");
	ok(p->sites[2].program == NO_PROGRAM, "none at the call");
	ok(p->n_ops == 4, "four ops in all");
	ok(!p->sites[0].when && p->sites[3].when == (GOTAP_WHEN_GIVEN | GOTAP_WHEN_ZERO) &&
		   p->sites[3].when_reg == 1,
	   "a site that counts where a result is zero");
	ok(p->sites[4].when == (GOTAP_WHEN_GIVEN | GOTAP_WHEN_BYTE) && !p->sites[4].when_reg &&
		   p->sites[4].event == GOTAP_AGAIN,
	   "one that counts where a byte is not");
	ok(probe_has(p, GOTAP_BEGIN) && probe_has(p, GOTAP_END) && !probe_has(p, GOTAP_UNWIND),
	   "it begins and ends");
	ok(p->head[GOTAP_END].len == strlen("\"p1\",\"span\":\"s\",\"event\":\"end\"") &&
		   !memcmp(p->head[GOTAP_END].text, "\"p1\",\"span\":\"s\",\"event\":\"end\"",
			   p->head[GOTAP_END].len),
	   "what each end of it has is made before");
	probe_free(p);
}

static void too_many(void)
{
	char json[4000] = "{" NAMES G SITES ",\"captures\":[";
	struct errinfo e;
	struct probe *p;
	size_t len = strlen(json);

	for (int i = 0; i < 20; i++)
		len += (size_t)snprintf(json + len, sizeof(json) - len,
					"%s{\"name\":\"x%d\",\"on\":\"begin\",\"kind\":\"int\","
					"\"ops\":[[\"g\"]]}",
					i ? "," : "", i);
	snprintf(json + len, sizeof(json) - len, "]}");
	p = parse(json, &e);
	ok(p && p->programs[0].n == GOTAP_MAX_CAPTURES, "as many captures as fit at a site");
	ok(complaints == 4 && limits == 4, "the others are said to be too many");
	probe_free(p);
}

static void refused(void)
{
	static const struct {
		const char *json, *want;
	} tries[] = {
		{ "{" NAMES G "\"sites\":[]}", "probe p1: \"sites\" is missing or empty" },
		{ "{" NAMES G "\"sites\":7}", "probe p1: \"sites\" is missing or empty" },
		{ "{" NAMES SITES "}", "probe p1: \"g\" has no good \"goid\"" },
		{ "{" G SITES "}", "probe ?: \"probe\" is missing or no string" },
		{ "{\"probe\":\"p1\"," G SITES "}",
		  "probe p1: \"binary\" is missing or no string" },
		{ "{" NAMES G "\"sites\":[" SITE "," SITE "]}",
		  "probe p1: site 2: the same as one before" },
		{ "{" NAMES G "\"role\":\"cook\"," SITES "}", "probe p1: unknown \"role\"" },
		{ "{" NAMES G "\"pair\":\"socks\"," SITES "}", "probe p1: unknown \"pair\"" },
		{ "{" NAMES G "\"captures\":7," SITES "}", "probe p1: \"captures\" is no array" },
		{ "{" NAMES G "\"sites\":[{}]}",
		  "probe p1: site 1: \"event\" is missing or unknown" },
		{ "{" NAMES G "\"sites\":[7]}", "probe p1: site 1: no object" },
		{ "{" NAMES G
		  "\"sites\":[{\"at\":\"x\",\"event\":\"begin\",\"addr\":\"1\",\"offset\":\"1\"}]}",
		  "probe p1: site 1: \"at\" is missing or unknown" },
		{ "{" NAMES G
		  "\"sites\":[{\"at\":\"ret\",\"event\":\"begin\",\"addr\":\"1\",\"offset\":"
		  "\"1\",\"bytes\":\"c3c\"}]}",
		  "probe p1: site 1: \"bytes\" is missing or no instruction in hexadecimal" },
		{ "{" NAMES G
		  "\"sites\":[{\"at\":\"ret\",\"event\":\"begin\",\"addr\":\"1\",\"offset\":"
		  "\"1\",\"bytes\":\"c3\",\"depth_adjust\":99999999999}]}",
		  "probe p1: site 1: \"depth_adjust\" is no 32-bit number" },
		{ "{" NAMES G "\"sites\":[{\"at\":\"ret\",\"event\":\"begin\",\"addr\":\"1\","
		  "\"offset\":\"1\",\"bytes\":\"c3\",\"when\":{\"arg\":1,\"size\":8}}]}",
		  "probe p1: site 1: \"when\" lacks a good member" },
		{ "{" NAMES G "\"sites\":[{\"at\":\"ret\",\"event\":\"begin\",\"addr\":\"1\","
		  "\"offset\":\"1\",\"bytes\":\"c3\",\"when\":{\"arg\":99,\"size\":8,\"zero\":true}}]}",
		  "probe p1: site 1: \"when\" lacks a good member" },
		{ "{" NAMES G "\"sites\":[{\"at\":\"ret\",\"event\":\"begin\",\"addr\":\"1\","
		  "\"offset\":\"1\",\"bytes\":\"c3\",\"when\":{\"arg\":1,\"size\":4,\"zero\":true}}]}",
		  "probe p1: site 1: \"when\" lacks a good member" },
		{ "{\"arch\":\"riscv64\",\"probe\":\"p1\",\"binary\":\"b\",\"span\":\"s\","
		  "\"symbol\":\"f\"," G SITES "}",
		  NULL },
		{ "{" NAMES
		  "\"g\":{\"goid\":1,\"stack_hi\":8,\"ops\":[[\"arg\",0],[\"slice\",0,8]]}," SITES
		  "}",
		  "probe p1: g: an op on the way to g that is no load" },
		{ "{" NAMES "\"g\":{\"goid\":1,\"stack_hi\":8,\"ops\":[[\"arg\",0],[\"load\",0],"
		  "[\"load\",0],[\"load\",0],[\"load\",0]]}," SITES "}",
		  "probe p1: g: g is more than 3 loads away" },
		{ "{" NAMES
		  "\"g\":{\"goid\":1,\"stack_hi\":8,\"ops\":[[\"arg\",0],[\"map\",{\"key\":"
		  "\"k\"}]]}," SITES "}",
		  "probe p1: g: \"slot_size\" is missing or no 32-bit number" },
		{ "{" NAMES G SITES ",\"contexts\":[{\"addr\":\"0x1\",\"offset\":0,\"value\":-1}]}",
		  "probe p1: \"contexts\": an element with a bad \"value\"" },
		{ "{" NAMES G SITES ",\"foreign\":1}", "probe p1: \"foreign\": no array" },
		{ "{" NAMES G SITES ",\"foreign\":[{\"trace_id\":1}]}",
		  "probe p1: \"foreign\": an element without an address" },
		{ "{" NAMES G SITES
		  ",\"foreign\":[{\"addr\":\"0x1\",\"trace_id\":1,\"span_id\":2,\"flags\":3,"
		  "\"kind\":4}]}",
		  "probe p1: \"foreign\": an element without an offset" },
		{ "{" NAMES G SITES ",\"foreign\":[{" FOREIGN ",\"via\":\"x\"}]}",
		  "probe p1: \"foreign\": an element with a bad \"via\"" },
	};
	struct errinfo e;

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct probe *p = parse(tries[i].json, &e);

		ok(!p, "refused: %s", tries[i].json);
		if (tries[i].want)
			is(e.text, tries[i].want, "and said why");
		else
			ok(strstr(e.text, "another architecture") != NULL, "and said why");
		probe_free(p);
	}
}

/* Spans that the program makes itself. */
static void foreign(void)
{
	static const char json[] = "{" NAMES G SITES ",\"kind\":\"client\",\"traced_by\":\"a.b/c\","
				   "\"foreign\":[{" FOREIGN "},{" FOREIGN ",\"via\":6}]}";
	struct errinfo e;
	struct probe *p = parse(json, &e);
	uint64_t scope;

	ok(p && p->n_foreign == 2, "two types of spans");
	if (!p)
		return;
	ok(p->foreign[0].type == 1 && p->foreign[0].at.trace_id == 1 &&
		   p->foreign[0].at.span_id == 2 && p->foreign[0].at.flags == 3 &&
		   p->foreign[0].at.kind == 4 && p->foreign[0].at.scope == 5,
	   "with their offsets");
	ok(p->foreign[0].at.scope_via == -1 && p->foreign[1].at.scope_via == 6,
	   "and a pointer on the way, or none");
	ok(foreign_kind(p) == 3, "a client is what it is in Go");
	scope = foreign_scope(p);
	ok(scope != 0, "a scope has a hash");
	free(p->traced_by);
	p->traced_by = strdup("a.b/d");
	ok(foreign_scope(p) && foreign_scope(p) != scope, "which is made of its text");
	probe_free(p);
}

int main(void)
{
	captures();
	refused_captures();
	whole();
	too_many();
	foreign();
	refused();
	jsonv_release(&doc);
	return done();
}
