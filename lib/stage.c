// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "exits.h"
#include "record.h"

static void flush_before_block(void *arg)
{
	jsonw_flush(arg);
}

void stage_init(struct stage *s, const struct stage_handler *handlers, void *ctx)
{
	memset(s, 0, sizeof(*s));
	jsonl_init(&s->in, STDIN_FILENO);
	jsonw_init(&s->out, STDOUT_FILENO);
	s->in.before_block = flush_before_block;
	s->in.arg = &s->out;
	s->handlers = handlers;
	s->ctx = ctx;
	s->input_name = "stdin";
}

void stage_release(struct stage *s)
{
	jsonl_release(&s->in);
	jsonw_release(&s->out);
	jsonv_release(&s->doc);
}

int stage_check_stdin(void)
{
	if (!isatty(STDIN_FILENO))
		return 0;
	diag(DIAG_ERROR, "stdin is a terminal; records are expected there (see --help)");
	return GOTAP_EXIT_USAGE;
}

void stage_ignore_sigint(void)
{
	signal(SIGINT, SIG_IGN);
}

static int malformed(struct stage *s, const char *why)
{
	diag(DIAG_ERROR, "%s:%lu: %s", s->input_name, s->in.line, why);
	s->bad++;
	return s->strict ? -EBADMSG : 0;
}

/* Parses the line and checks what every record has. */
static int read_record(struct stage *s, struct record *r)
{
	uint64_t v;
	int ret = jsonv_parse(&s->doc, r->text, r->len, &s->error);

	if (ret)
		return ret;
	r->doc = &s->doc;
	r->root = jsonv_root(&s->doc);
	if (r->root->type != JSONV_OBJECT)
		return errinfo_set(&s->error, -EINVAL, "not a JSON object");
	if (s->untyped && !jsonv_member(r->root, K_TYPE))
		return 0;
	if (!jsonv_member(r->root, K_TYPE) || jsonv_member(r->root, K_TYPE)->type != JSONV_STRING)
		return errinfo_set(&s->error, -EINVAL, "no \"type\"");
	if (jsonv_u64(jsonv_member(r->root, K_V), &v))
		return errinfo_set(&s->error, -EINVAL, "no version \"v\"");
	if (v != 1)
		return errinfo_set(&s->error, -EINVAL, "version %llu is not known",
				   (unsigned long long)v);
	return 0;
}

static int dispatch(struct stage *s, const struct record *r)
{
	const struct jsonv *type = jsonv_member(r->root, K_TYPE);

	if (!type)
		return s->untyped(s, r, s->ctx);
	for (const struct stage_handler *h = s->handlers; h && h->type; h++)
		if (jsonv_is(type, h->type))
			return h->fn(s, r, s->ctx);
	return STAGE_COPY;
}

static int handle_line(struct stage *s, const char *text, size_t len)
{
	struct record r = { .text = text, .len = len };
	int ret;

	s->error.text[0] = '\0';
	ret = read_record(s, &r);
	if (!ret)
		ret = dispatch(s, &r);
	if (ret < 0)
		jsonw_abandon(&s->out);
	if (ret == -EINVAL || ret == -E2BIG)
		return malformed(s, s->error.text[0] ? s->error.text : "malformed record");
	if (ret < 0)
		return ret;
	s->good++;
	if (ret == STAGE_COPY && !s->no_copy)
		jsonw_line(&s->out, text, len);
	return s->out.err;
}

/* White space alone is no record, and no mistake either. */
static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
			return false;
	return true;
}

int stage_step(struct stage *s, int timeout_ms)
{
	const char *text;
	size_t len;
	int ret, got = jsonl_next(&s->in, timeout_ms, &text, &len);

	if (got == JSONL_TOO_LONG)
		ret = malformed(s, "line too long");
	else if (got == JSONL_LINE && !is_blank(text, len))
		ret = handle_line(s, text, len);
	else
		return got;
	return ret < 0 ? ret : got;
}

int stage_finish(struct stage *s, int ret)
{
	int flushed = jsonw_flush(&s->out);

	if (flushed) {
		diag(DIAG_ERROR, "stdout: %s", strerror(-flushed));
		return GOTAP_EXIT_FAILED;
	}
	if (ret < 0 && ret != -EBADMSG) {
		diag(DIAG_ERROR, "%s: %s", s->input_name,
		     s->error.text[0] ? s->error.text : strerror(-ret));
		return GOTAP_EXIT_FAILED;
	}
	if (s->bad)
		return s->good ? GOTAP_EXIT_FAILED : GOTAP_EXIT_INPUT;
	return GOTAP_EXIT_OK;
}

int stage_run(struct stage *s)
{
	int ret;

	do
		ret = stage_step(s, -1);
	while (ret > 0);
	return stage_finish(s, ret);
}
