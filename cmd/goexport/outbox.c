// SPDX-License-Identifier: Apache-2.0
#include "outbox.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "sink.h"

struct outbox {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied; /* for the sender; for the reader */
	struct parcel *first, **last;
	size_t bytes;
	bool closed, poked;
	int64_t deadline;
};

static void cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

struct outbox *outbox_new(void)
{
	struct outbox *ob = calloc(1, sizeof(*ob));

	if (!ob)
		return NULL;
	pthread_mutex_init(&ob->lock, NULL);
	cond_init(&ob->filled);
	cond_init(&ob->emptied);
	ob->last = &ob->first;
	return ob;
}

void outbox_free(struct outbox *ob)
{
	struct parcel *next;

	if (!ob)
		return;
	for (struct parcel *p = ob->first; p; p = next) {
		next = p->next;
		parcel_free(p);
	}
	pthread_cond_destroy(&ob->filled);
	pthread_cond_destroy(&ob->emptied);
	pthread_mutex_destroy(&ob->lock);
	free(ob);
}

static void wait_until(struct outbox *ob, pthread_cond_t *c, int64_t when)
{
	struct timespec ts = { .tv_sec = when / 1000, .tv_nsec = when % 1000 * 1000000 };

	pthread_cond_timedwait(c, &ob->lock, &ts);
}

void outbox_put(struct outbox *ob, struct parcel *p)
{
	p->next = NULL;
	pthread_mutex_lock(&ob->lock);
	*ob->last = p;
	ob->last = &p->next;
	ob->bytes += p->len;
	pthread_cond_signal(&ob->filled);
	pthread_mutex_unlock(&ob->lock);
}

size_t outbox_bytes(struct outbox *ob)
{
	size_t bytes;

	pthread_mutex_lock(&ob->lock);
	bytes = ob->bytes;
	pthread_mutex_unlock(&ob->lock);
	return bytes;
}

void outbox_wait(struct outbox *ob, int64_t ms)
{
	pthread_mutex_lock(&ob->lock);
	if (ob->bytes)
		wait_until(ob, &ob->emptied, clock_ms() + ms);
	pthread_mutex_unlock(&ob->lock);
}

void outbox_poke(struct outbox *ob)
{
	pthread_mutex_lock(&ob->lock);
	ob->poked = true;
	pthread_cond_signal(&ob->filled);
	pthread_mutex_unlock(&ob->lock);
}

void outbox_close(struct outbox *ob, int64_t deadline)
{
	pthread_mutex_lock(&ob->lock);
	ob->closed = true;
	ob->deadline = deadline;
	pthread_cond_signal(&ob->filled);
	pthread_mutex_unlock(&ob->lock);
}

/* With the lock held. */
static struct parcel *take(struct outbox *ob)
{
	struct parcel *p = ob->first;

	if (!p)
		return NULL;
	ob->first = p->next;
	p->next = NULL;
	if (!ob->first)
		ob->last = &ob->first;
	return p;
}

struct parcel *outbox_take(struct outbox *ob, bool *end)
{
	struct parcel *p;

	pthread_mutex_lock(&ob->lock);
	while (!ob->first && !ob->closed && !ob->poked)
		pthread_cond_wait(&ob->filled, &ob->lock);
	ob->poked = false;
	p = take(ob);
	*end = !p && ob->closed;
	pthread_mutex_unlock(&ob->lock);
	return p;
}

struct parcel *outbox_take_now(struct outbox *ob)
{
	struct parcel *p;

	pthread_mutex_lock(&ob->lock);
	p = take(ob);
	pthread_mutex_unlock(&ob->lock);
	return p;
}

void outbox_done(struct outbox *ob, size_t len)
{
	pthread_mutex_lock(&ob->lock);
	ob->bytes -= len;
	pthread_cond_signal(&ob->emptied);
	pthread_mutex_unlock(&ob->lock);
}

void outbox_sleep(struct outbox *ob, int64_t when, bool hurry)
{
	bool was_closed;

	pthread_mutex_lock(&ob->lock);
	was_closed = ob->closed;
	while (clock_ms() < when && !(ob->closed && clock_ms() >= ob->deadline)) {
		if (hurry && ob->closed && !was_closed)
			break;
		wait_until(ob, &ob->filled,
			   ob->closed && ob->deadline < when ? ob->deadline : when);
	}
	pthread_mutex_unlock(&ob->lock);
}

bool outbox_closed(struct outbox *ob)
{
	bool closed;

	pthread_mutex_lock(&ob->lock);
	closed = ob->closed;
	pthread_mutex_unlock(&ob->lock);
	return closed;
}

bool outbox_late(struct outbox *ob)
{
	bool late;

	pthread_mutex_lock(&ob->lock);
	late = ob->closed && clock_ms() >= ob->deadline;
	pthread_mutex_unlock(&ob->lock);
	return late;
}
