// SPDX-License-Identifier: Apache-2.0
#include "prommeters.h"

#include <stdio.h>

/* What a unit of OpenTelemetry is at the end of a name
 * (compatibility/prometheus_and_openmetrics.md). */
static const char *unit_of(const struct instrument *in)
{
	return !strcmp(in->unit, "s") ? "seconds" : !strcmp(in->unit, "By") ? "bytes" : "";
}

static const enum prom_type types[] = {
	[METER_HISTOGRAM] = PROM_HISTOGRAM,
	[METER_COUNTER] = PROM_COUNTER,
	[METER_UPDOWN] = PROM_GAUGE,
};

static void begin(struct prompage *p, const struct instrument *in)
{
	const char *unit = unit_of(in);
	char name[96];

	snprintf(name, sizeof(name), "%s%s%s", in->name, *unit ? "_" : "", unit);
	for (char *c = name; *c; c++)
		if (*c == '.')
			*c = '_';
	prompage_begin(p, name, types[in->type], unit, in->help);
}

static void render(struct prompage *p, const struct meters *m, enum meter_family_id id, int i)
{
	const struct instrument *in = &meter_families[id].instruments[i];
	bool begun = false;

	for (struct series *s = meters_first(m, id); s; s = s->next) {
		const struct point *pt = s->points[i];

		if (!pt)
			continue;
		if (!begun)
			begin(p, in);
		begun = true;
		if (in->type == METER_HISTOGRAM)
			prompage_histogram(p, s, pt, in);
		else
			prompage_sample(p, s->resource, s->attrs, s->n_attrs, (double)pt->count);
	}
	if (begun)
		prompage_end(p);
}

void prommeters_render(struct prompage *p, const struct meters *m)
{
	for (int id = 0; id < FAMILY_COUNT; id++)
		for (int i = 0; i < METER_MAX_INSTRUMENTS; i++)
			if (meter_families[id].instruments[i].name)
				render(p, m, (enum meter_family_id)id, i);
}
