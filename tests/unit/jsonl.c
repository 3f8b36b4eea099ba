// SPDX-License-Identifier: Apache-2.0
/* lib/jsonl: lines of every length, however they arrive. */
#include "jsonl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memlimit.h"
#include "tap.h"

static const char *text;
static size_t len;

/* A pipe whose writing end a child feeds with @n bytes at a time. */
static int feed(const char *bytes, size_t total, size_t n)
{
	int fd[2];
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		for (size_t at = 0; at < total;) {
			ssize_t done = write(fd[1], bytes + at, n < total - at ? n : total - at);

			if (done < 0)
				_exit(1);
			at += (size_t)done;
		}
		_exit(0);
	}
	close(fd[1]);
	return fd[0];
}

static void is_line(struct jsonl *r, const char *want, const char *name)
{
	int ret = jsonl_next(r, -1, &text, &len);

	ok(ret == JSONL_LINE && len == strlen(want) && !memcmp(text, want, len), "%s", name);
}

static void test_lines(void)
{
	static const char input[] = "one\n\ntwo\r\nthree";
	static const size_t steps[] = { 1, 3, 100 };

	for (size_t i = 0; i < 3; i++) {
		int fd = feed(input, sizeof(input) - 1, steps[i]);
		struct jsonl r;

		jsonl_init(&r, fd);
		is_line(&r, "one", "a line");
		is_int((long long)r.line, 1, "numbered from 1");
		is_line(&r, "", "an empty line");
		is_line(&r, "two\r", "CR stays");
		is_line(&r, "three", "the last line without LF");
		is_int((long long)r.line, 4, "its number");
		is_int(jsonl_next(&r, -1, &text, &len), JSONL_EOF, "end of file");
		is_int(jsonl_next(&r, -1, &text, &len), JSONL_EOF, "and again");
		jsonl_release(&r);
		close(fd);
		wait(NULL);
	}
}

static void expect_lengths(const size_t *lengths, size_t n, size_t step)
{
	size_t total = 1, at = 0;
	struct jsonl r;
	char *bytes;
	int fd, wrong = 0;

	for (size_t i = 0; i < n; i++)
		total += lengths[i] + 1;
	bytes = malloc(total);
	for (size_t i = 0; i < n; i++, at++) {
		memset(bytes + at, 'a' + (int)(i % 26), lengths[i]);
		at += lengths[i];
		bytes[at] = '\n';
	}
	fd = feed(bytes, total - 2, step); /* the last line without LF */
	jsonl_init(&r, fd);
	for (size_t i = 0; i < n; i++) {
		int want = lengths[i] > JSONL_MAX_LINE ? JSONL_TOO_LONG : JSONL_LINE;
		int ret = jsonl_next(&r, -1, &text, &len);

		if (ret != want || r.line != i + 1 ||
		    (want == JSONL_LINE &&
		     (len != lengths[i] || (len && text[len - 1] != 'a' + (int)(i % 26))))) {
			printf("# line %zu: %d, %zu bytes\n", i + 1, ret, len);
			wrong++;
		}
	}
	is_int(wrong, 0, "lines of all lengths");
	is_int(jsonl_next(&r, -1, &text, &len), JSONL_EOF, "then the end");
	jsonl_release(&r);
	close(fd);
	wait(NULL);
	free(bytes);
}

static void test_long_lines(void)
{
	const size_t max = JSONL_MAX_LINE;
	const size_t around[] = { 10, max, 10, max + 1, 10, 3 * max, 0, max - 1, 2 * max };
	size_t many[500];

	for (size_t i = 0; i < 500; i++)
		many[i] = i * i % 70001;
	expect_lengths(around, sizeof(around) / sizeof(around[0]), 65536);
	expect_lengths(many, 500, 4093);
}

static int blocked;

static void count_block(void *arg)
{
	(void)arg;
	blocked++;
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void test_waiting(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval soon = { .it_value = { .tv_usec = 20000 } };
	struct jsonl r;
	int fd[2];

	if (pipe(fd))
		return;
	jsonl_init(&r, fd[0]);
	r.before_block = count_block;
	is_int(jsonl_next(&r, 0, &text, &len), JSONL_AGAIN, "nothing there, no wait");
	is_int(blocked, 1, "output is flushed before a wait");
	is_int(jsonl_next(&r, 10, &text, &len), JSONL_AGAIN, "nothing there, a short wait");
	if (write(fd[1], "half", 4) != 4)
		return;
	is_int(jsonl_next(&r, 10, &text, &len), JSONL_AGAIN, "half a line");
	if (write(fd[1], "\nwhole\n", 7) != 7)
		return;
	blocked = 0;
	is_line(&r, "half", "the line put together");
	is_line(&r, "whole", "the one after it");
	is_int(blocked, 0, "no flush while there is input");
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	is_int(jsonl_next(&r, -1, &text, &len), JSONL_AGAIN, "a signal ends the wait");
	close(fd[1]);
	is_int(jsonl_next(&r, -1, &text, &len), JSONL_EOF, "the writer closed");
	jsonl_release(&r);
	close(fd[0]);
}

static void test_failures(void)
{
	int dir = open("/", O_RDONLY), fd;
	struct jsonl r;
	size_t n = JSONL_MAX_LINE;
	char *bytes = calloc(1, n);

	jsonl_init(&r, dir);
	is_int(jsonl_next(&r, -1, &text, &len), -EISDIR, "a directory");
	jsonl_release(&r);
	close(dir);
	jsonl_init(&r, dir);
	is_int(jsonl_next(&r, -1, &text, &len), -EBADF, "a closed descriptor");
	jsonl_release(&r);

	fd = feed(bytes, n, 65536);
	jsonl_init(&r, fd);
	if (memlimit_set(1 << 20)) {
		is_int(jsonl_next(&r, -1, &text, &len), -ENOMEM, "no memory for a long line");
		memlimit_lift();
	}
	jsonl_release(&r);
	close(fd);
	wait(NULL);
	free(bytes);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_lines();
	test_long_lines();
	test_waiting();
	test_failures();
	return done();
}
