// SPDX-License-Identifier: Apache-2.0
#include "idhash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

static uint64_t seed[2];

static void make_seed(void)
{
	/* Without random numbers, this early in the life of a machine: the address, at least. */
	if (getrandom(seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed[0] = seed[1] = (uint64_t)(uintptr_t)&seed;
	seed[1] |= 1;
}

uint64_t idhash(const uint8_t id[16])
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t h[2];

	pthread_once(&once, make_seed);
	memcpy(h, id, sizeof(h));
	h[0] = (h[0] ^ seed[0]) * 0x9e3779b97f4a7c15u;
	h[0] = (h[0] ^ h[0] >> 29 ^ h[1]) * seed[1];
	h[0] = (h[0] ^ h[0] >> 32) * 0xbf58476d1ce4e5b9u;
	h[0] ^= h[0] >> 29;
	return h[0] ? h[0] : 1;
}
