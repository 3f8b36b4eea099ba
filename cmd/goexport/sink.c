// SPDX-License-Identifier: Apache-2.0
#include "sink.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

const char *drop_reason_name(enum drop_reason reason)
{
	static const char *const names[DROP_REASONS] = {
		[DROP_FULL] = "full",
		[DROP_REJECTED] = "rejected",
		[DROP_UNREACHABLE] = "unreachable",
		[DROP_SHUTDOWN] = "shutdown",
		[DROP_EXPIRED] = "expired",
		[DROP_ERROR] = "error",
	};

	return names[reason];
}

const char *sink_unit(const struct sink *s)
{
	return s->points ? "points" : "spans";
}

uint64_t sink_dropped(const struct sink *s)
{
	uint64_t n = 0;

	for (int i = 0; i < DROP_REASONS; i++)
		n += s->dropped[i];
	return n;
}

bool sink_report(const struct sink *s)
{
	uint64_t dropped = sink_dropped(s), all = dropped + s->exported;
	char why[256] = "";
	size_t n = 0;

	for (int i = 0; i < DROP_REASONS && n < sizeof(why); i++)
		if (s->dropped[i])
			n += (size_t)snprintf(why + n, sizeof(why) - n, "%s %llu %s", n ? "," : "",
					      (unsigned long long)s->dropped[i],
					      drop_reason_name((enum drop_reason)i));
	if (dropped)
		diag(DIAG_WARNING, "%s: %s: %llu of %llu %s dropped:%s", s->kind, s->target,
		     (unsigned long long)dropped, (unsigned long long)all, sink_unit(s), why);
	return !dropped && !s->failed;
}

bool sink_input_is_file(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
}

int64_t clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}
