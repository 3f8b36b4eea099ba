// SPDX-License-Identifier: Apache-2.0
#include "addresses.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

static struct gotap_address key_of(const struct image *im, const struct site *s)
{
	return (struct gotap_address){
		.image = im->number,
		.addr = s->offset - im->text.offset + im->text.addr,
	};
}

static bool by_address(const struct kernel *k)
{
	return k->how == ATTACH_ADDRESS || k->how == ATTACH_EVENT;
}

/* Whether @site is the one that is found by @key. */
static bool is_at(const struct kernel *k, const struct gotap_address *key, uint32_t site)
{
	uint32_t cookie;

	return !bpf_map_lookup_elem(k->addresses_fd, key, &cookie) && cookie == site;
}

int addresses_add(const struct kernel *k, const struct image *im, const struct probe *p,
		  struct errinfo *e)
{
	int ret = 0;

	for (uint32_t i = 0; by_address(k) && !ret && i < p->n_sites; i++) {
		struct gotap_address key = key_of(im, &p->sites[i]);
		uint32_t cookie = p->first_site + i;

		if (bpf_map_update_elem(k->addresses_fd, &key, &cookie, BPF_NOEXIST) &&
		    (errno != EEXIST || k->how == ATTACH_ADDRESS))
			ret = -errno;
	}
	if (!ret)
		return 0;
	addresses_remove(k, im, p);
	if (ret == -EEXIST)
		return errinfo_set(
			e, ret,
			"another probe has this address, and this kernel cannot tell them "
			"apart (Linux 5.15 can)");
	return errinfo_set(e, ret, "BPF maps: %s", strerror(-ret));
}

void addresses_remove(const struct kernel *k, const struct image *im, const struct probe *p)
{
	for (uint32_t i = 0; by_address(k) && i < p->n_sites; i++) {
		struct gotap_address key = key_of(im, &p->sites[i]);

		if (is_at(k, &key, p->first_site + i))
			bpf_map_delete_elem(k->addresses_fd, &key);
	}
}

uint64_t addresses_cookie(const struct kernel *k, const struct image *im, const struct probe *p,
			  uint32_t i)
{
	uint32_t site = p->first_site + i;
	struct gotap_address key = key_of(im, &p->sites[i]);
	bool ask = by_address(k) && is_at(k, &key, site);

	return (uint64_t)im->number << 32 | (ask ? GOTAP_ASK_ADDRESS : site);
}
