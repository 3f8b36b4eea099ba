// SPDX-License-Identifier: Apache-2.0
/* goresolve: from a Go binary to a plan that needs no further thought. */
#include "diag.h"
#include "jail.h"
#include "mapguard.h"
#include "options.h"
#include "work.h"

int main(int argc, char **argv)
{
	struct opener opener = { .fd = -1 };
	struct options o;
	int status;

	diag_init("goresolve");
	mapguard_init();
	status = options_parse(&o, argc, argv);
	if (status < 0 && o.user)
		status = jail_enter(&o, &opener);
	if (status < 0)
		status = work(&o);
	opener_release(&opener);
	options_release(&o);
	return status;
}
