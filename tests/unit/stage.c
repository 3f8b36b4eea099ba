// SPDX-License-Identifier: Apache-2.0
/* lib/stage: what is passed on, reported, counted, and which exit status comes of it. */
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "diag.h"
#include "exits.h"
#include "tap.h"

static char out[1 << 16], err[1 << 16];
static int taken;

static int take(struct stage *s, const struct record *r, void *ctx)
{
	(void)s, (void)r;
	(*(int *)ctx)++;
	return STAGE_TAKEN;
}

static int copy(struct stage *s, const struct record *r, void *ctx)
{
	(void)s, (void)r;
	(*(int *)ctx)++;
	return STAGE_COPY;
}

/* Writes half a record, then finds the input wrong. */
static int refuse(struct stage *s, const struct record *r, void *ctx)
{
	(void)r, (void)ctx;
	jsonw_record(&s->out, "half");
	return errinfo_set(&s->error, -EINVAL, "not like this");
}

static int refuse_silently(struct stage *s, const struct record *r, void *ctx)
{
	(void)s, (void)r, (void)ctx;
	return -EINVAL;
}

static int fail(struct stage *s, const struct record *r, void *ctx)
{
	(void)r, (void)ctx;
	return errinfo_set(&s->error, -ENOMEM, "no memory for that");
}

static const struct stage_handler handlers[] = {
	{ "take", take },
	{ "copy", copy },
	{ "refuse", refuse },
	{ "fail", fail },
	{ "silent", refuse_silently },
	{ NULL, NULL },
};

static void read_back(int fd, char *buf, size_t size)
{
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	n = read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
}

static int temporary(void)
{
	char name[] = "/tmp/gotap-stage.XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

/* Runs a stage over @input; fills out and err, returns the exit status. */
static int run(const char *input, bool strict, bool no_copy, int out_fd)
{
	int in_fd = temporary(), err_fd = temporary(), keep[3], status;
	struct stage s;

	fflush(stdout);
	for (int i = 0; i < 3; i++)
		keep[i] = dup(i);
	if (write(in_fd, input, strlen(input)) < 0)
		return -1;
	lseek(in_fd, 0, SEEK_SET);
	dup2(in_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	taken = 0;
	stage_init(&s, handlers, &taken);
	s.strict = strict;
	s.no_copy = no_copy;
	status = stage_run(&s);
	stage_release(&s);
	for (int i = 0; i < 3; i++) {
		dup2(keep[i], i);
		close(keep[i]);
	}
	read_back(out_fd, out, sizeof(out));
	read_back(err_fd, err, sizeof(err));
	close(in_fd);
	close(err_fd);
	return status;
}

static void expect(const char *name, const char *input, int status, const char *want_out,
		   const char *want_err)
{
	int fd = temporary(), got = run(input, false, false, fd);

	close(fd);
	is_int(got, status, name);
	is(out, want_out, "  its output");
	is(err, want_err, "  its messages");
}

#define REC(type) "{\"type\":\"" type "\",\"v\":1}\n"

static void test_passing(void)
{
	expect("no input", "", GOTAP_EXIT_OK, "", "");
	expect("records", REC("take") REC("copy") REC("never-heard-of"), GOTAP_EXIT_OK,
	       REC("copy") REC("never-heard-of"), "");
	is_int(taken, 2, "  the handlers were called");
	expect("bytes stay as they are", "  {\"v\":1, \"type\" : \"x\",\"a\":\"\xff\\u00e9\"} \r\n",
	       GOTAP_EXIT_OK, "  {\"v\":1, \"type\" : \"x\",\"a\":\"\xff\\u00e9\"} \r\n", "");
	expect("a last line without LF gets one", "{\"type\":\"x\",\"v\":1}", GOTAP_EXIT_OK,
	       REC("x"), "");
	expect("blank lines are no records", "\n \t\r\n" REC("x") "\n", GOTAP_EXIT_OK, REC("x"),
	       "");
}

static void test_malformed(void)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "nonsense\n", "byte 1: not a value" },
		{ "[1]\n", "not a JSON object" },
		{ "{\"v\":1}\n", "no \"type\"" },
		{ "{\"type\":7,\"v\":1}\n", "no \"type\"" },
		{ "{\"type\":\"x\"}\n", "no version \"v\"" },
		{ "{\"type\":\"x\",\"v\":2}\n", "version 2 is not known" },
		{ "{\"type\":\"x\",\"v\":1", "byte 18: ',' or '}' expected" },
		{ REC("refuse"), "not like this" },
		{ REC("silent"), "malformed record" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char input[256], want[256];

		snprintf(input, sizeof(input), REC("x") "%s", bad[i].line);
		snprintf(want, sizeof(want), "gotap: stdin:2: %s\n", bad[i].why);
		expect(bad[i].why, input, GOTAP_EXIT_FAILED, REC("x"), want);
	}
	expect("a record after a refused one", REC("x") REC("refuse") REC("y"), GOTAP_EXIT_FAILED,
	       REC("x") REC("y"), "gotap: stdin:2: not like this\n");
	expect("only bad lines", "a\nb\n", GOTAP_EXIT_INPUT, "",
	       "gotap: stdin:1: byte 1: not a value\ngotap: stdin:2: byte 1: not a value\n");
}

static void test_too_long(void)
{
	size_t n = JSONL_MAX_LINE + 1;
	char *input = malloc(n + 100);

	snprintf(input, n + 100, REC("x") "%*s\n" REC("y"), (int)n, "");
	expect("a line too long", input, GOTAP_EXIT_FAILED, REC("x") REC("y"),
	       "gotap: stdin:2: line too long\n");
	free(input);
}

static void test_ends(void)
{
	int fd = temporary(), status;

	status = run(REC("x") "bad\n" REC("y"), true, false, fd);
	is_int(status, GOTAP_EXIT_FAILED, "--strict");
	is(out, REC("x"), "stops at the first bad line");
	close(fd);
	fd = temporary();
	status = run("bad\n" REC("y"), true, false, fd);
	is_int(status, GOTAP_EXIT_INPUT, "--strict with nothing good before");
	close(fd);
	fd = temporary();
	status = run(REC("x") REC("take"), false, true, fd);
	ok(status == GOTAP_EXIT_OK && !*out && taken == 1, "a sink passes nothing on");
	close(fd);
	expect("a handler that fails", REC("x") REC("fail") REC("y"), GOTAP_EXIT_FAILED, REC("x"),
	       "gotap: stdin: no memory for that\n");
	fd = open("/dev/full", O_RDWR);
	status = run(REC("x"), false, false, fd);
	is_int(status, GOTAP_EXIT_FAILED, "a full disk");
	is(err, "gotap: stdout: No space left on device\n", "says so");
	close(fd);
}

static void test_directory(void)
{
	int dir = open("/", O_RDONLY), keep_in = dup(0), keep_err = dup(2), fd = temporary(),
	    status;
	struct stage s;

	dup2(dir, STDIN_FILENO);
	dup2(fd, STDERR_FILENO);
	stage_init(&s, handlers, &taken);
	status = stage_run(&s);
	stage_release(&s);
	dup2(keep_in, STDIN_FILENO);
	dup2(keep_err, STDERR_FILENO);
	read_back(fd, err, sizeof(err));
	is_int(status, GOTAP_EXIT_FAILED, "input that cannot be read");
	is(err, "gotap: stdin: Is a directory\n", "says why");
}

static void test_terminal(void)
{
	int keep_in = dup(0), keep_err = dup(2), fd = temporary(), status;
	int pty = posix_openpt(O_RDWR | O_NOCTTY), tty = -1;

	if (pty >= 0 && !grantpt(pty) && !unlockpt(pty))
		tty = open(ptsname(pty), O_RDWR | O_NOCTTY);
	if (tty < 0) {
		ok(1, "a terminal # SKIP none to be had here");
		return;
	}
	dup2(tty, STDIN_FILENO);
	dup2(fd, STDERR_FILENO);
	status = stage_check_stdin();
	dup2(keep_in, STDIN_FILENO);
	dup2(keep_err, STDERR_FILENO);
	read_back(fd, err, sizeof(err));
	is_int(status, GOTAP_EXIT_USAGE, "a terminal as input");
	ok(strstr(err, "stdin is a terminal") != NULL, "is refused with a word why");
	close(open("/dev/null", O_RDONLY));
}

/* What is there is passed on before the stage waits for more. */
static void test_flush_before_waiting(void)
{
	int in[2], to[2], keep_in = dup(0), keep_out = dup(1), first, got;
	bool early;
	char buf[64] = "";
	struct stage s;

	if (pipe(in) || pipe(to))
		return;
	fflush(stdout);
	dup2(in[0], STDIN_FILENO);
	dup2(to[1], STDOUT_FILENO);
	fcntl(to[0], F_SETFL, O_NONBLOCK);
	stage_init(&s, handlers, &taken);
	if (write(in[1], REC("x"), strlen(REC("x"))) < 0)
		return;
	first = stage_step(&s, 0);
	early = read(to[0], buf, sizeof(buf)) >= 0;
	got = stage_step(&s, 0);
	if (read(to[0], buf, sizeof(buf) - 1) < 0)
		buf[0] = '\0';
	dup2(keep_in, STDIN_FILENO);
	dup2(keep_out, STDOUT_FILENO);
	stage_release(&s);
	ok(first == JSONL_LINE && !early, "a line is held while more may come");
	is_int(got, JSONL_AGAIN, "no more is there");
	is(buf, REC("x"), "so what was held goes out");
}

static void test_sigint(void)
{
	stage_ignore_sigint();
	raise(SIGINT);
	ok(1, "SIGINT passes a filter by");
}

int main(void)
{
	test_passing();
	test_malformed();
	test_too_long();
	test_ends();
	test_directory();
	test_terminal();
	test_flush_before_waiting();
	test_sigint();
	return done();
}
