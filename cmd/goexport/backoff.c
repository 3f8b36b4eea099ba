// SPDX-License-Identifier: Apache-2.0
#include "backoff.h"

#include <stdlib.h>

#define FIRST_MS 500
#define MOST_MS	 30000

int64_t backoff_next(struct backoff *b)
{
	int64_t ms = b->next_ms ? b->next_ms : FIRST_MS;

	b->next_ms = ms * 2 < MOST_MS ? ms * 2 : MOST_MS;
	return ms / 2 + (int64_t)((double)rand_r(&b->seed) / RAND_MAX * (double)ms);
}
