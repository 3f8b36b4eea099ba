// SPDX-License-Identifier: Apache-2.0
#include "../../cmd/goresolve/wish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

/* "FUNC | NAME=PATH | PATH", or the error. */
static const char *parse(const char *text)
{
	static char buf[512];
	struct errinfo e = { .text = "" };
	struct wish w;
	size_t n;

	if (wish_parse(text, &w, &e)) {
		snprintf(buf, sizeof(buf), "%s", e.text);
		wish_release(&w);
		return buf;
	}
	n = (size_t)snprintf(buf, sizeof(buf), "%s", w.func);
	for (size_t i = 0; i < w.n_items && n < sizeof(buf); i++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, " | %s%s%s",
				      w.items[i].name ? w.items[i].name : "",
				      w.items[i].name ? "=" : "", w.items[i].path.text);
	wish_release(&w);
	return buf;
}

int main(void)
{
	is(parse("main.F(a)"), "main.F | a", "one path");
	is(parse("main.(*T).F(key, ret0.Name)"), "main.(*T).F | key | ret0.Name",
	   "a method and two paths");
	is(parse("a.b/c.(*T).F.func1( id=x.ID ,h[\"a,)b\"][0])"),
	   "a.b/c.(*T).F.func1 | id=x.ID | h[\"a,)b\"][0]", "a name, and a key with brackets");
	is(parse("main.F(len(list), (x as *p.T).a)"), "main.F | len(list) | (x as *p.T).a",
	   "parentheses within a path");
	is(parse("main.*(a)"), "main.* | a", "a pattern");
	is(parse(""), "--capture:1:1: '(', paths and ')' are expected", "nothing");
	is(parse("main.F"), "--capture:1:7: '(', paths and ')' are expected", "no paths");
	is(parse("main.F(a"), "--capture:1:9: '(', paths and ')' are expected", "no end");
	is(parse("(a)"), "--capture:1:1: a function is expected", "no function");
	is(parse("main.F()"), "--capture:1:8: a parameter's name is expected", "an empty list");
	is(parse("main.F(a,)"), "--capture:1:10: a parameter's name is expected", "an empty item");
	is(parse("main.F(a, b..c)"), "--capture:1:13: a field's name is expected after '.'",
	   "the place of an error in the second path");
	is(parse("main.F(gotap.keep0=a)"),
	   "--capture:1:8: names that begin 'go.' or 'gotap.' are taken", "a name that is taken");
	return done();
}
