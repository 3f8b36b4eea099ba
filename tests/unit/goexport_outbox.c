// SPDX-License-Identifier: Apache-2.0
/* goexport's queue to the sender: order, sizes, closing, and waiting that ends. */
#include "../../cmd/goexport/outbox.h"
#include "../../cmd/goexport/sink.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct batch *filled(struct outbox *ob, size_t len)
{
	struct batch *b = outbox_empty(ob);

	b->data = realloc(b->data, len);
	memset(b->data, 'x', len);
	b->len = b->cap = len;
	return b;
}

static void *take_all(void *arg)
{
	struct outbox *ob = arg;
	struct batch *b;

	while ((b = outbox_take(ob)))
		outbox_done(ob, b);
	return NULL;
}

static void check_order(void)
{
	struct outbox *ob = outbox_new();
	struct batch *first = filled(ob, 100), *second = filled(ob, 10), *third = filled(ob, 1);

	outbox_put(ob, first);
	outbox_put(ob, second);
	is_int((long long)outbox_bytes(ob), 110, "bytes are counted");
	ok(outbox_take(ob) == first, "first in, first out");
	is_int((long long)outbox_bytes(ob), 110, "what is being sent still counts");
	outbox_done(ob, first);
	is_int((long long)outbox_bytes(ob), 10, "until it is done");
	ok(outbox_take(ob) == second, "then the second");
	outbox_put(ob, third);
	outbox_done(ob, second);
	ok(outbox_take(ob) == third, "one put in when it was empty");
	outbox_done(ob, third);
	is_int((long long)outbox_bytes(ob), 0, "nothing is left");
	first = outbox_empty(ob);
	ok(first->len == 0, "a batch that is used again is empty");
	batch_free(first);
	outbox_free(ob);
}

static void check_close(void)
{
	struct outbox *ob = outbox_new();
	struct batch *b = filled(ob, 5);
	int64_t now = clock_ms();

	outbox_put(ob, b);
	ok(!outbox_late(ob), "never late while open");
	outbox_close(ob, now + 3600000);
	ok(!outbox_late(ob), "nor before the deadline");
	ok(outbox_take(ob) == b, "closed: what is there is handed out");
	outbox_done(ob, b);
	ok(!outbox_take(ob), "and then nothing");
	outbox_close(ob, now);
	ok(outbox_late(ob), "late after the deadline");
	outbox_sleep(ob, clock_ms() + 3600000, false);
	ok(1, "and no sleep goes past it");
	outbox_wait(ob, 3600000);
	ok(1, "no waiting for what is not there");
	outbox_free(ob);
}

static void check_threads(void)
{
	struct outbox *ob = outbox_new();
	pthread_t t;

	pthread_create(&t, NULL, take_all, ob);
	for (int i = 0; i < 20000; i++) {
		while (outbox_bytes(ob) > 5000)
			outbox_wait(ob, 3600000);
		outbox_put(ob, filled(ob, 1 + (size_t)i % 100));
	}
	outbox_close(ob, clock_ms() + 3600000);
	pthread_join(t, NULL);
	is_int((long long)outbox_bytes(ob), 0, "20,000 batches through two threads");
	outbox_free(ob);
}

int main(void)
{
	check_order();
	check_close();
	check_threads();
	return done();
}
