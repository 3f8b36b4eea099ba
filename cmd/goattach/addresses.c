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

int addresses_add(const struct kernel *k, const struct image *im, const struct probe *p,
		  struct errinfo *e)
{
	int ret = 0;

	for (uint32_t i = 0; k->how == ATTACH_ADDRESS && !ret && i < p->n_sites; i++) {
		struct gotap_address key = key_of(im, &p->sites[i]);
		uint32_t cookie = p->first_site + i;

		if (bpf_map_update_elem(k->addresses_fd, &key, &cookie, BPF_NOEXIST))
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
	for (uint32_t i = 0; k->how == ATTACH_ADDRESS && i < p->n_sites; i++) {
		struct gotap_address key = key_of(im, &p->sites[i]);
		uint32_t cookie;

		if (!bpf_map_lookup_elem(k->addresses_fd, &key, &cookie) &&
		    cookie == p->first_site + i)
			bpf_map_delete_elem(k->addresses_fd, &key);
	}
}
