// SPDX-License-Identifier: Apache-2.0
/* goexport: sends spans to OTLP receivers, files, Prometheus and the terminal. */
#include <locale.h>

#include "diag.h"
#include "exits.h"
#include "exporter.h"
#include "jail.h"
#include "options.h"
#include "signals.h"
#include "stage.h"

int main(int argc, char **argv)
{
	struct options o;
	struct exporter *x = NULL;
	int status;

	diag_init("goexport");
	setlocale(LC_CTYPE, "");
	signals_reserve_std();
	status = options_read(&o, argc, argv);
	if (status < 0)
		status = stage_check_stdin() ? GOTAP_EXIT_USAGE : -1;
	if (status < 0 && o.user)
		status = jail_enter(&o);
	if (status < 0)
		x = exporter_new(&o, &status);
	if (x)
		status = exporter_run(x);
	exporter_free(x);
	options_release(&o);
	return status;
}
