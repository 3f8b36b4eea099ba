// SPDX-License-Identifier: Apache-2.0
#include "sink_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "diag.h"
#include "otlp_json.h"
#include "rotated.h"

/* A line is ended early when it has got this long. */
#define LINE_BYTES (1u << 20)

struct file {
	struct sink base;
	struct rotated *out;
	struct jsonw scratch; /* a span, or a line */
	struct batch *batch;
	int64_t since; /* when the first span came into the batch; 0: not looked at */
	uint64_t max_spans;
	int64_t delay_ms;
};

static void failed(struct file *f, int err)
{
	if (!f->base.failed)
		diag(DIAG_ERROR, "file: %s: %s", f->base.target, strerror(-err));
	f->base.failed = true;
}

static void write_batch(struct file *f)
{
	uint64_t n = f->batch->n_spans;
	int err;

	if (!n)
		return;
	otlp_json_request(&f->scratch, f->batch);
	f->scratch.comma = false;
	jsonw_raw(&f->scratch, NULL, "\n", 1);
	err = f->scratch.err ? f->scratch.err
			     : rotated_write(f->out, f->scratch.buf, f->scratch.len);
	if (err)
		failed(f, err);
	if (err)
		f->base.dropped[DROP_ERROR] += n;
	else
		f->base.exported += n;
	f->base.held = 0;
	batch_reset(f->batch);
	f->since = 0;
}

static void file_span(struct sink *s, const struct spanrec *sp)
{
	struct file *f = (struct file *)s;
	struct encoder enc = otlp_json_encoder(&f->scratch);

	if (s->failed || batch_put(f->batch, &enc, sp)) {
		if (!s->failed)
			failed(f, -ENOMEM);
		s->dropped[DROP_ERROR]++;
		return;
	}
	s->held++;
	if (f->batch->n_spans >= f->max_spans || f->batch->data.len >= LINE_BYTES)
		write_batch(f);
}

static bool file_tick(struct sink *s, int64_t now)
{
	struct file *f = (struct file *)s;

	if (!f->batch->n_spans)
		return false;
	if (!f->since)
		f->since = now;
	if (now - f->since >= f->delay_ms)
		write_batch(f);
	return f->batch->n_spans > 0;
}

static bool file_close(struct sink *s)
{
	struct file *f = (struct file *)s;
	int err;

	write_batch(f);
	err = rotated_close(f->out);
	f->out = NULL;
	if (err && !s->failed)
		failed(f, err);
	return sink_report(s);
}

static void file_free(struct sink *s)
{
	struct file *f = (struct file *)s;

	batch_free(f->batch);
	jsonw_release(&f->scratch);
	free(f);
}

static const struct sink_ops file_ops = {
	.span = file_span,
	.tick = file_tick,
	.close = file_close,
	.free = file_free,
};

int sink_file_open(struct sink **s, const struct options *o, const char *path, struct errinfo *e)
{
	struct rotated_limits limits = {
		.bytes = o->file_mb << 20,
		.seconds = o->file_s,
		.keep = o->file_keep,
		.gzip = o->file_gzip,
	};
	struct file *f = calloc(1, sizeof(*f));
	int ret;

	if (f)
		f->batch = batch_new();
	if (!f || !f->batch) {
		free(f);
		return errinfo_set(e, -ENOMEM, "out of memory");
	}
	jsonw_init(&f->scratch, -1);
	ret = rotated_open(&f->out, path, &limits, e);
	if (ret) {
		file_free(&f->base);
		return ret;
	}
	f->base.ops = &file_ops;
	f->base.kind = "file";
	f->base.target = strcmp(path, "-") ? path : "stdout";
	f->max_spans = o->batch;
	f->delay_ms = (int64_t)o->delay_ms;
	*s = &f->base;
	return 0;
}
