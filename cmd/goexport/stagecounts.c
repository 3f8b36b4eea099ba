// SPDX-License-Identifier: Apache-2.0
#include "stagecounts.h"

/* The one counter that is none: how many calls are under way. */
#define OPEN "open"

void stagecounts_set(struct stagecounts *s, struct text from, struct text name, uint64_t value)
{
	size_t i = 0;

	if (from.len >= sizeof(s->count[0].from) || name.len >= sizeof(s->count[0].name))
		return;
	while (i < s->n && !(text_is(from, s->count[i].from) && text_is(name, s->count[i].name)))
		i++;
	if (i == STAGECOUNTS_MAX)
		return;
	if (i == s->n) {
		s->n++;
		memset(&s->count[i], 0, sizeof(s->count[i]));
		memcpy(s->count[i].from, from.p, from.len);
		memcpy(s->count[i].name, name.p, name.len);
	}
	s->count[i].value = value;
}

static void family(struct prompage *p, const struct stagecounts *s, bool open)
{
	bool begun = false;

	for (size_t i = 0; i < s->n; i++) {
		struct attr labels[] = {
			{ text_of("stage"),
			  { .type = ATTR_STRING, .str = text_of(s->count[i].from) } },
			{ text_of("counter"),
			  { .type = ATTR_STRING, .str = text_of(s->count[i].name) } },
		};

		if (!strcmp(s->count[i].name, OPEN) != open)
			continue;
		if (!begun && open)
			prompage_begin(p, "gotap_open_calls", PROM_GAUGE, "",
				       "Calls that are under way.");
		else if (!begun)
			prompage_begin(p, "gotap_stage", PROM_COUNTER, "",
				       "What the stages count, as in their stats records.");
		begun = true;
		prompage_sample(p, NULL, labels, open ? 1 : 2, (double)s->count[i].value);
	}
	if (begun)
		prompage_end(p);
}

void stagecounts_render(struct prompage *p, const struct stagecounts *s)
{
	family(p, s, false);
	family(p, s, true);
}
