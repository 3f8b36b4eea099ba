// SPDX-License-Identifier: Apache-2.0
#include "flight.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

struct flight {
	FILE *out;
	uint64_t slow; /* ns */
	bool failed;
};

int flight_open(const char *path, unsigned int slow_ms, struct flight **out, struct errinfo *e)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		return errinfo_set(e, -ENOMEM, "out of memory");
	f->slow = slow_ms * 1000000ULL;
	f->out = fopen(path, "ae");
	if (!f->out) {
		int ret = errinfo_set(e, -errno, "%s: %s", path, strerror(errno));

		free(f);
		return ret;
	}
	*out = f;
	return 0;
}

void flight_close(struct flight *f)
{
	if (!f)
		return;
	flight_flush(f);
	fclose(f->out);
	free(f);
}

static void put_hex(FILE *out, const char *key, const uint8_t *id, size_t n)
{
	fprintf(out, " %s=", key);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", id[i]);
}

/* A symbol or type of span: no blanks, so that a line can be taken apart at them. */
static void put_word(FILE *out, const char *key, const char *text)
{
	fprintf(out, " %s=", key);
	for (; *text; text++)
		putc((unsigned char)*text <= ' ' || *text == 0x7f ? '_' : *text, out);
}

/*
 * The trace's clock is the runtime's nanotime(), which is CLOCK_MONOTONIC on Linux
 * (src/runtime/trace.go, traceClockNow; src/runtime/sys_linux_amd64.s).
 */
void flight_note(struct flight *f, const struct gotap_event *ev, int pid, const struct probe *p)
{
	uint64_t begun;

	if (f->failed || (ev->event != GOTAP_END && ev->event != GOTAP_UNWIND))
		return;
	memcpy(&begun, ev->parent_id, sizeof(begun));
	if (!begun || ev->t < begun || ev->t - begun < f->slow)
		return;
	fprintf(f->out, "G=%" PRIu64 " from=%" PRIu64 " to=%" PRIu64 " ms=%.3f pid=%d",
		(uint64_t)ev->goid, begun, (uint64_t)ev->t, (double)(ev->t - begun) / 1e6, pid);
	put_hex(f->out, "trace_id", ev->trace_id, sizeof(ev->trace_id));
	put_hex(f->out, "span_id", ev->span_id, sizeof(ev->span_id));
	put_word(f->out, "span", p->span);
	put_word(f->out, "symbol", p->symbol);
	putc('\n', f->out);
}

int flight_flush(struct flight *f)
{
	if (f->failed || !fflush(f->out))
		return 0;
	f->failed = true;
	diag(DIAG_ERROR, "--flight: %s; no more is noted", strerror(errno));
	return -errno;
}
