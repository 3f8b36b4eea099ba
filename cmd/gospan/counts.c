// SPDX-License-Identifier: Apache-2.0
#include "counts.h"

#include "record.h"

void counts_write_lost(struct counts *c, struct jsonw *w)
{
	static const struct {
		const char *where, *reason;
	} losses[] = {
#define X(name, where, reason) { where, reason },
		LOSSES(X)
#undef X
	};

	for (int i = 0; i < LOSS_COUNT; i++) {
		if (!c->lost[i])
			continue;
		jsonw_record(w, T_LOST);
		jsonw_cstr(w, K_WHERE, losses[i].where);
		jsonw_cstr(w, K_REASON, losses[i].reason);
		jsonw_uint(w, K_COUNT, c->lost[i]);
		jsonw_end_record(w);
		c->lost[i] = 0;
	}
}

void counts_write_stats(const struct counts *c, uint64_t open, struct jsonw *w)
{
	static const char *const names[] = {
#define X(name, key) key,
		COUNTERS(X)
#undef X
	};

	jsonw_record(w, T_STATS);
	jsonw_cstr(w, K_FROM, "gospan");
	jsonw_obj(w, K_COUNTERS);
	for (int i = 0; i < COUNTER_COUNT; i++)
		jsonw_uint(w, names[i], c->total[i]);
	jsonw_uint(w, "open", open);
	jsonw_end_obj(w);
	jsonw_end_record(w);
}
