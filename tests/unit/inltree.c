// SPDX-License-Identifier: Apache-2.0
#include "inltree.h"

#include <errno.h>

#include "minigo.h"
#include "tap.h"

#define FOURTH (MINIGO_BASE + MINIGO_TEXT + 3 * MINIGO_FUNC)

static struct minigo m;
static struct errinfo e;

struct seen {
	struct inlined calls[4];
	size_t n;
	int stop;
};

static int note(void *arg, const struct inlined *call)
{
	struct seen *s = arg;

	if (s->n < 4)
		s->calls[s->n] = *call;
	s->n++;
	return s->stop;
}

/* The calls of the image as it is; pointers in @s are no longer good. */
static int read_calls(struct seen *s)
{
	struct gofuncs *fs = NULL;
	struct gobin *b = NULL;
	int ret;

	*s = (struct seen){ .stop = s->stop };
	e.text[0] = '\0';
	ret = gobin_open_image(m.p, m.n, &b, &e);
	if (!ret)
		ret = gofuncs_load(b, &fs, &e);
	if (!ret)
		ret = inltree_each(b, fs, note, s, &e);
	gofuncs_free(fs);
	gobin_free(b);
	return ret;
}

static void test_whole(unsigned int flags, const char *name)
{
	struct seen s = { .stop = 0 };

	minigo_build(&m, flags);
	is_int(read_calls(&s), 0, name);
	is_int((long long)s.n, 2, "  two calls");
	is(s.calls[0].name, "main.Map[...]", "  of one function");
	is_int((long long)s.calls[0].addr, (long long)FOURTH + 4, "  where it begins");
	is(s.calls[1].name, "main.main", "  and of another");
	is_int((long long)s.calls[1].addr, (long long)FOURTH + 12, "  inside of the first");
}

/* One number of the image is another: what comes out. */
static void changed(size_t at, uint32_t value, int want, size_t calls, const char *name)
{
	struct seen s = { .stop = 0 };

	minigo_build(&m, 0);
	minigo_set32(&m, at, value);
	is_int(read_calls(&s), want, name);
	is_int((long long)s.n, (long long)calls, "  calls");
	ok(want ? strstr(e.text, "inlined calls") != NULL : !e.text[0], "  a reason");
}

int main(void)
{
	struct seen s = { .stop = 7 };
	size_t pcdata, tree, pctab;

	test_whole(0, "a plain binary");
	test_whole(MINIGO_PIE, "one with relocations");
	test_whole(MINIGO_NO_SECTIONS, "one without section headers");

	minigo_build(&m, 0);
	is_int(read_calls(&s), 7, "the callback can stop it");
	is_int((long long)s.n, 1, "at once");

	pcdata = m.pcdata;
	tree = m.inltree;
	pctab = m.pctab;
	changed(pcdata + 8, 0, 0, 0, "no table of addresses");
	changed(pcdata + 24, UINT32_MAX, 0, 0, "no tree");
	changed(pcdata + 8, 0x7fffffff, -EBADMSG, 0, "a table outside");
	changed(pcdata + 24, 0x7fffffff, -EBADMSG, 0, "a tree outside");
	changed(pcdata - 16, 2, 0, 0, "too few tables");
	changed(pcdata - 16, UINT32_MAX, 0, 0, "too many tables");
	changed(tree + 4, 0x7fffffff, -EBADMSG, 0, "a name outside");
	changed(tree + 8, 5, 0, 2, "a call inside of itself");
	changed(tree + 24, 0x7fffffff, 0, 2, "a parent behind the end");
	changed(pctab, 0x08fefe00, -EBADMSG, 0, "a node outside");
	changed(pctab, 0xffffffff, -EBADMSG, 0, "numbers without an end");
	minigo_build(&m, 0);
	minigo_set64(&m, m.moduledata + 320, 1);
	is_int(read_calls(&s), -ENODATA, "no base of the trees");
	return done();
}
