// SPDX-License-Identifier: Apache-2.0
#include "otlp_saying.h"

#include "diag.h"

void otlp_say_down(struct otlp_saying *s, const struct otlp_answer *a)
{
	int64_t now = clock_ms();

	if (s->down_since)
		return;
	s->down_since = now;
	s->down_said = saying_now(&s->down, now);
	if (s->down_said)
		diag(DIAG_WARNING, "otlp: %s: %s; trying again", s->sink->target, a->text);
}

void otlp_say_up(struct otlp_saying *s)
{
	int64_t ms = clock_ms() - s->down_since;

	if (s->down_since && s->down_said)
		diag(DIAG_NOTE, "otlp: %s: back after %lld.%lld s", s->sink->target,
		     (long long)(ms / 1000), (long long)(ms % 1000 / 100));
	s->down_since = 0;
}

void otlp_say_taken(struct otlp_saying *s, const struct parcel *p, const struct otlp_answer *a)
{
	s->denied_said = false;
	if (a->rejected && saying_now(&s->partial, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: %llu of %u %s rejected%s%s", s->sink->target,
		     (unsigned long long)a->rejected, p->items, sink_unit(s->sink),
		     *a->text ? ": " : "", a->text);
	else if (!a->rejected && *a->text && saying_now(&s->other, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: %s", s->sink->target, a->text);
}

void otlp_say_refused(struct otlp_saying *s, const struct parcel *p, const struct otlp_answer *a)
{
	bool denied = a->verdict == OTLP_DENIED;

	if (denied ? s->denied_said : !saying_now(&s->refused, clock_ms()))
		return;
	s->denied_said |= denied;
	diag(DIAG_WARNING, "otlp: %s: %u %s refused: %s", s->sink->target, p->items,
	     sink_unit(s->sink), a->text);
}

void otlp_say_halved(struct otlp_saying *s, const struct parcel *p, const struct otlp_answer *a)
{
	if (saying_now(&s->halved, clock_ms()))
		diag(DIAG_WARNING, "otlp: %s: %u %s are too many: %s; sending half as many",
		     s->sink->target, p->items, sink_unit(s->sink), a->text);
}
