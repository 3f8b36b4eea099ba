// SPDX-License-Identifier: Apache-2.0
/* goattach: traces running Go programs by a plan. See goattach(1). */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "diag.h"
#include "exits.h"
#include "flight.h"
#include "loop.h"
#include "mapguard.h"
#include "options.h"
#include "rights.h"
#include "tracer.h"

/* A closed descriptor would be the next file that is opened, and written to. */
static bool standard_streams(void)
{
	static const char *const names[] = { "stdin", "stdout" };

	for (int fd = 0; fd < 2; fd++)
		if (fcntl(fd, F_GETFD) < 0) {
			diag(DIAG_ERROR, "%s: %s", names[fd], strerror(errno));
			return false;
		}
	return true;
}

int main(int argc, char **argv)
{
	static struct tracer t;
	struct options o;
	struct errinfo e;
	int status;

	diag_init("goattach");
	status = options_parse(argc, argv, &o);
	if (status < 0 && o.check)
		return check_run(&o.kernel, o.json);
	if (status < 0)
		status = stage_check_stdin() ? GOTAP_EXIT_USAGE : -1;
	if (status >= 0)
		return status;
	if (!standard_streams())
		return GOTAP_EXIT_FAILED;
	mapguard_init();
	if (kernel_open(&t.kernel, &o.kernel, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		return GOTAP_EXIT_CANNOT;
	}
	if (o.flight && flight_open(o.flight, o.slow_ms, &t.flight, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		kernel_close(&t.kernel);
		return GOTAP_EXIT_FAILED;
	}
	if (rights_drop(&t.kernel, o.any_file, &e) || tracer_init(&t, &o, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		status = GOTAP_EXIT_FAILED;
	} else {
		status = loop_run(&t);
	}
	tracer_release(&t);
	kernel_close(&t.kernel);
	return status;
}
