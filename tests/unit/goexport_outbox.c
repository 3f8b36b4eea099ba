// SPDX-License-Identifier: Apache-2.0
/* goexport's queue to the sender: order, sizes, closing, and waiting that ends. */
#include "../../cmd/goexport/outbox.h"
#include "../../cmd/goexport/sink.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct parcel *filled(size_t len)
{
	char *body = malloc(len);

	memset(body, 'x', len);
	return parcel_new(body, len, 1);
}

static void done_with(struct outbox *ob, struct parcel *p)
{
	outbox_done(ob, p->len);
	parcel_free(p);
}

static void *take_all(void *arg)
{
	struct outbox *ob = arg;
	bool end = false;

	while (!end) {
		struct parcel *p = outbox_take(ob, &end);

		if (p)
			done_with(ob, p);
	}
	return NULL;
}

static void check_order(void)
{
	struct outbox *ob = outbox_new();
	struct parcel *first = filled(100), *second = filled(10), *third = filled(1);
	bool end = false;

	outbox_put(ob, first);
	outbox_put(ob, second);
	is_int((long long)outbox_bytes(ob), 110, "bytes are counted");
	ok(outbox_take(ob, &end) == first, "first in, first out");
	is_int((long long)outbox_bytes(ob), 110, "what is being sent still counts");
	done_with(ob, first);
	is_int((long long)outbox_bytes(ob), 10, "until it is done");
	ok(outbox_take(ob, &end) == second, "then the second");
	outbox_put(ob, third);
	done_with(ob, second);
	ok(outbox_take(ob, &end) == third, "one put in when it was empty");
	done_with(ob, third);
	is_int((long long)outbox_bytes(ob), 0, "nothing is left");
	ok(!outbox_take_now(ob), "nor is anything handed out");
	outbox_poke(ob);
	ok(!outbox_take(ob, &end) && !end, "a poke wakes, and is not the end");
	outbox_free(ob);
}

static void check_close(void)
{
	struct outbox *ob = outbox_new();
	struct parcel *p = filled(5);
	int64_t now = clock_ms();
	bool end = false;

	outbox_put(ob, p);
	ok(!outbox_late(ob), "never late while open");
	outbox_close(ob, now + 3600000);
	ok(!outbox_late(ob), "nor before the deadline");
	ok(outbox_take(ob, &end) == p && !end, "closed: what is there is handed out");
	done_with(ob, p);
	ok(!outbox_take(ob, &end) && end, "and then nothing");
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
		outbox_put(ob, filled(1 + (size_t)i % 100));
	}
	outbox_close(ob, clock_ms() + 3600000);
	pthread_join(t, NULL);
	is_int((long long)outbox_bytes(ob), 0, "20,000 requests through two threads");
	outbox_free(ob);
}

int main(void)
{
	check_order();
	check_close();
	check_threads();
	return done();
}
