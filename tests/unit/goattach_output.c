// SPDX-License-Identifier: Apache-2.0
/* Output to a pipe that is full: it waits, gives up when told, and loses nothing. */
#include "../../cmd/goattach/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

enum { LINE = 100, LINES = 20000 };

static void fill(struct jsonw *w)
{
	char line[LINE];

	for (int i = 0; i < LINES; i++) {
		memset(line, 'a' + i % 26, sizeof(line));
		jsonw_line(w, line, sizeof(line));
	}
}

/* Reads all of it; how many lines are as they were written. */
static int good_lines(int fd, int want)
{
	char line[LINE + 1];
	int good = 0;

	for (int i = 0; i < want; i++) {
		size_t n = 0;

		while (n < sizeof(line)) {
			ssize_t got = read(fd, line + n, sizeof(line) - n);

			if (got <= 0)
				return good;
			n += (size_t)got;
		}
		good += line[0] == 'a' + i % 26 && line[LINE - 1] == line[0] && line[LINE] == '\n';
	}
	return good;
}

/* How many lines there are without waiting. */
static unsigned int drain_pipe(int fd)
{
	unsigned int lines = 0;
	char buf[4096];
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += buf[i] == '\n';
	return lines;
}

int main(void)
{
	int pipes[2], stop[2], out = dup(STDOUT_FILENO), status, mode, good;
	unsigned int taken, held = 0;
	struct output o;
	struct jsonw w;
	pid_t child;

	signal(SIGPIPE, SIG_IGN);
	if (pipe(pipes) || pipe(stop))
		return 1;
	dup2(pipes[1], STDOUT_FILENO);
	close(pipes[1]);
	output_init(&o, stop[0]);
	mode = fcntl(STDOUT_FILENO, F_GETFL);
	jsonw_init(&w, -1);
	fill(&w);

	if (write(stop[1], "x", 1) != 1)
		return 1;
	status = output_flush(&o, &w);
	fflush(stdout);
	child = fork();
	if (!child) {
		close(pipes[0]);
		o.stop_fd = -1;
		_exit(output_flush(&o, &w) ? 1 : 0);
	}
	close(STDOUT_FILENO);
	output_release(&o);
	good = good_lines(pipes[0], LINES);
	dup2(out, STDOUT_FILENO);
	is_int(status, -EINTR, "a full pipe, and told to stop: it stops");
	is_int(good, LINES, "the rest comes out later, no line is torn or lost");
	ok(!(mode & O_NONBLOCK), "the mode of standard output is what it was");

	close(pipes[0]);
	if (pipe(pipes))
		return 1;
	dup2(pipes[1], STDOUT_FILENO);
	close(pipes[1]);
	output_init(&o, -1);
	o.deadline = 1;
	for (size_t i = 0; i < w.mark; i++)
		held += w.buf[i] == '\n';
	status = output_flush(&o, &w);
	taken = drain_pipe(pipes[0]);
	output_release(&o);
	dup2(out, STDOUT_FILENO);
	is_int(status, 0, "a full pipe after the deadline: no failure");
	is_int((int)(o.unsent + taken), (int)held, "what had no room is counted");
	ok(o.unsent && taken && !w.len, "and dropped");
	fill(&w);

	close(pipes[0]);
	if (pipe(pipes))
		return 1;
	fflush(stdout);
	dup2(pipes[1], STDOUT_FILENO);
	close(pipes[1]);
	output_init(&o, -1);
	close(pipes[0]);
	w.err = 0;
	status = output_flush(&o, &w);
	output_release(&o);
	dup2(out, STDOUT_FILENO);
	is_int(status, -EPIPE, "nobody reads");
	is_int(w.err, -EPIPE, "and the writer knows");
	jsonw_release(&w);
	return done();
}
