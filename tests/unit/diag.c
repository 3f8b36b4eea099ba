// SPDX-License-Identifier: Apache-2.0
/* lib/diag, lib/errinfo and lib/usage: the messages as they arrive on stderr. */
#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "errinfo.h"
#include "exits.h"
#include "tap.h"
#include "usage.h"

static int real_stderr, real_stdout, message[2];

static void capture(void)
{
	real_stderr = dup(STDERR_FILENO);
	real_stdout = dup(STDOUT_FILENO);
	if (pipe(message))
		exit(1);
	fcntl(message[0], F_SETFL, O_NONBLOCK);
	dup2(message[1], STDERR_FILENO);
}

/* What was written to stderr since the last call, with one read. */
static const char *said(void)
{
	static char buf[8192];
	ssize_t n = read(message[0], buf, sizeof(buf) - 1);

	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

static void test_levels(void)
{
	diag(DIAG_ERROR, "a %s", "b");
	is(said(), "gotap: a b\n", "before diag_init the program is gotap");
	diag_init("gospan");
	is(diag_prog(), "gospan", "the name is known");
	diag(DIAG_ERROR, "no");
	is(said(), "gospan: no\n", "an error");
	diag(DIAG_WARNING, "hm");
	is(said(), "gospan: warning: hm\n", "a warning");
	diag(DIAG_NOTE, "so");
	is(said(), "gospan: so\n", "a note");
	diag(DIAG_DEBUG, "so");
	is(said(), "", "no debug message");
	diag_quiet(true);
	diag(DIAG_NOTE, "so");
	ok(diag_is_quiet() && !*said(), "-q leaves notes out");
	diag(DIAG_WARNING, "hm");
	is(said(), "gospan: warning: hm\n", "not warnings");
	diag_quiet(false);
	diag_verbose(true);
	diag(DIAG_DEBUG, "so");
	ok(diag_is_verbose() && !strcmp(said(), "gospan: so\n"), "-v lets debug messages through");
}

static void test_masking(void)
{
	char text[6000];

	diag(DIAG_ERROR, "a\x1b[2J\rb\x7f\a\tc");
	is(said(), "gospan: a?[2J?b??\tc\n", "control bytes are masked, tabs are not");
	diag(DIAG_ERROR, "a\ngospan: fine");
	is(said(), "gospan: a?gospan: fine\n", "no second message inside one");
	diag(DIAG_DEBUG, "a\nb");
	is(said(), "gospan: a\nb\n", "debug messages may have lines");
	diag(DIAG_ERROR, "\xc3\xa9 \xc2\x9b \xc2\xa0 \x9b \xe2\x82");
	is(said(), "gospan: \xc3\xa9 ?? \xc2\xa0 ? ??\n", "C1 controls and what is not UTF-8");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	diag(DIAG_ERROR, "%s", text);
	ok(strlen(said()) == 4096 - 1 && said()[0] == '\0', "one write of at most 4096 bytes");
}

static void test_errinfo(void)
{
	struct errinfo e;
	char text[1000];

	is_int(errinfo_set(&e, -EINVAL, "byte %d: %s", 7, "bad"), -EINVAL, "gives the number back");
	is(e.text, "byte 7: bad", "keeps the text");
	is_int(errinfo_set(NULL, -ENOENT, "%s", "x"), -ENOENT, "may be NULL");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	errinfo_set(&e, 0, "%s", text);
	is_int((long long)strlen(e.text), sizeof(e.text) - 1, "cuts long texts");
}

static void test_usage(void)
{
	int full = open("/dev/full", O_WRONLY), failed, version, error;

	error = usage_error("--x: '%s' is no number", "y");
	is_int(error, GOTAP_EXIT_USAGE, "a usage error");
	is(said(), "gospan: --x: 'y' is no number (try 'gospan --help')\n", "says where help is");
	fflush(stdout);
	dup2(message[1], STDOUT_FILENO);
	version = usage_version("gospan");
	dup2(full, STDOUT_FILENO);
	failed = usage_help("help\n");
	clearerr(stdout);
	dup2(real_stdout, STDOUT_FILENO);
	is_int(version, 0, "--version");
	is_int(failed, GOTAP_EXIT_FAILED, "--help on a full disk");
	ok(!strcmp(said(),
		   "gospan (gotap) " GOTAP_VERSION "\ngospan: stdout: No space left on device\n"),
	   "version on stdout, the failure on stderr with its reason");
	close(full);
}

int main(void)
{
	capture();
	test_levels();
	test_masking();
	test_errinfo();
	test_usage();
	dup2(real_stderr, STDERR_FILENO);
	return done();
}
