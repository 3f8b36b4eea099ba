// SPDX-License-Identifier: Apache-2.0
#include "halves.h"

#include <string.h>

#include "diag.h"

/* Probes of this span only unwind, those of all others. */
static bool is_any(const struct probe *p)
{
	return !strcmp(p->span, "any");
}

static bool has(const struct image *im, const struct probe *of, enum gotap_event_kind event)
{
	for (size_t i = 0; i < im->n_attached; i++)
		if ((is_any(of) || im->attached[i]->span_class == of->span_class) &&
		    probe_has(im->attached[i], event))
			return true;
	return false;
}

static bool is_first(const struct image *im, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (im->attached[j]->span_class == im->attached[i]->span_class)
			return false;
	return true;
}

void halves_warn(const struct image *im, int pid)
{
	for (size_t i = 0; i < im->n_attached; i++) {
		const struct probe *p = im->attached[i];
		bool begin, end;

		if (!is_first(im, i))
			continue;
		begin = has(im, p, GOTAP_BEGIN);
		end = has(im, p, GOTAP_END);
		if (!begin || !end)
			diag(DIAG_WARNING, "pid %d: span %s: no probe that %s it is attached", pid,
			     p->span,
			     begin ? "ends"
			     : end ? "begins"
				   : "begins or ends");
	}
}
