// SPDX-License-Identifier: Apache-2.0
#include "forget.h"

#include <bpf/bpf.h>
#include <string.h>

enum { A_PIECE = 8192 };

/* Whether the span that @l has ended, and long ago if so; one that is not known has. */
static bool ended_before(const struct tracer *t, uint32_t proc, const struct gotap_lineage *l,
			 uint64_t time)
{
	struct gotap_kin_set set;
	uint32_t index;
	uint64_t key;

	memcpy(&key, l->span_id, sizeof(key));
	index = gotap_kin_hash(key, proc) & t->kernel.kin_mask;
	if (bpf_map_lookup_elem(t->kernel.kin_fd, &index, &set))
		return true;
	for (int i = 0; i < GOTAP_KIN_WAYS; i++) {
		const struct gotap_kin *k = &set.way[i];

		if (k->key == key && k->proc == proc)
			return k->ended && k->ended < time;
	}
	return true;
}

static void look(struct tracer *t, const struct gotap_lineage_key *key, uint64_t time)
{
	struct gotap_lineage l;

	if (bpf_map_lookup_elem(t->kernel.lineage_fd, key, &l) || l.born >= time ||
	    !ended_before(t, key->proc, &l, time))
		return;
	if (!bpf_map_delete_elem(t->kernel.lineage_fd, key))
		t->totals.forgotten++;
}

void forget_some(struct tracer *t, uint64_t now)
{
	uint64_t age = t->options->forget_s * 1000000000ULL;
	struct gotap_lineage_key key;
	int fd = t->kernel.lineage_fd;
	bool more;

	more = !bpf_map_get_next_key(fd, t->forgetting ? &t->forget_at : NULL, &key);
	for (int i = 0; more && i < A_PIECE; i++) {
		t->forget_at = key;
		more = !bpf_map_get_next_key(fd, &t->forget_at, &key);
		if (now > age)
			look(t, &t->forget_at, now - age);
	}
	t->forgetting = more;
	t->forget_at = key;
}
