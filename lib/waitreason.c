// SPDX-License-Identifier: Apache-2.0
/* waitReasonStrings of src/runtime/runtime2.go, as they were in the last release of each series. */
#include "waitreason.h"

#include <stddef.h>

/*
 * In the order of their numbers in every version: a reason's number is its place, from 1,
 * among those that its version has.
 */
static const struct {
	unsigned char first, last; /* minor versions of Go 1 */
	const char *name;
} reasons[] = {
	{ 17, 27, "GC assist marking" },
	{ 17, 27, "IO wait" },
	{ 17, 25, "chan receive (nil chan)" },
	{ 17, 25, "chan send (nil chan)" },
	{ 17, 27, "dumping heap" },
	{ 17, 27, "garbage collection" },
	{ 17, 27, "garbage collection scan" },
	{ 17, 27, "panicwait" },
	{ 17, 25, "select" },
	{ 17, 25, "select (no cases)" },
	{ 17, 27, "GC assist wait" },
	{ 17, 27, "GC sweep wait" },
	{ 17, 27, "GC scavenge wait" },
	{ 17, 25, "chan receive" },
	{ 17, 25, "chan send" },
	{ 17, 27, "finalizer wait" },
	{ 17, 27, "force gc (idle)" },
	{ 25, 27, "GOMAXPROCS updater (idle)" },
	{ 17, 27, "semacquire" },
	{ 17, 27, "sleep" },
	{ 26, 27, "chan receive (nil chan)" },
	{ 26, 27, "chan send (nil chan)" },
	{ 26, 27, "select (no cases)" },
	{ 26, 27, "select" },
	{ 26, 27, "chan receive" },
	{ 26, 27, "chan send" },
	{ 17, 27, "sync.Cond.Wait" },
	{ 17, 19, "timer goroutine (idle)" },
	{ 20, 27, "sync.Mutex.Lock" },
	{ 20, 27, "sync.RWMutex.RLock" },
	{ 20, 27, "sync.RWMutex.Lock" },
	{ 24, 27, "sync.WaitGroup.Wait" },
	{ 17, 27, "trace reader (blocked)" },
	{ 17, 27, "wait for GC cycle" },
	{ 17, 27, "GC worker (idle)" },
	{ 20, 27, "GC worker (active)" },
	{ 17, 27, "preempted" },
	{ 17, 27, "debug call" },
	{ 20, 27, "GC mark termination" },
	{ 20, 27, "stopping the world" },
	{ 22, 27, "flushing proc caches" },
	{ 22, 27, "trace goroutine status" },
	{ 22, 27, "trace proc status" },
	{ 22, 27, "page trace flush" },
	{ 22, 27, "coroutine" },
	{ 23, 27, "GC weak to strong wait" },
	{ 24, 27, "synctest.Run" },
	{ 24, 27, "synctest.Wait" },
	{ 24, 24, "chan receive (synctest)" },
	{ 24, 24, "chan send (synctest)" },
	{ 24, 24, "select (synctest)" },
	{ 25, 27, "chan receive (durable)" },
	{ 25, 27, "chan send (durable)" },
	{ 25, 27, "select (durable)" },
	{ 25, 27, "sync.WaitGroup.Wait (durable)" },
	{ 25, 27, "cleanup wait" },
};

const char *waitreason_name(unsigned int minor, unsigned int reason)
{
	unsigned int number = 0;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (minor >= reasons[i].first && minor <= reasons[i].last && ++number == reason)
			return reasons[i].name;
	return NULL;
}
