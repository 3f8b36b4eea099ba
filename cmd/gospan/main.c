// SPDX-License-Identifier: Apache-2.0
/* gospan: from events to spans. See gospan(1). */

#include "confine.h"
#include "diag.h"
#include "exits.h"
#include "handlers.h"
#include "options.h"
#include "pair.h"
#include "stage.h"

int main(int argc, char **argv)
{
	struct options o;
	struct pairing p;
	struct errinfo e;
	struct stage s;
	int ret;

	diag_init("gospan");
	if (options_read(&o, argc, argv, &ret))
		return ret;
	ret = stage_check_stdin();
	if (ret)
		return ret;
	if (o.user && confine_enter(&(struct confine){ .user = o.user }, &e)) {
		diag(DIAG_ERROR, "%s", e.text);
		return GOTAP_EXIT_CANNOT;
	}
	stage_ignore_sigint();
	stage_init(&s, span_handlers, &p);
	s.strict = o.strict;
	pairing_init(&p, &s.out, &s.doc, o.methods, o.max_open, o.timeout);
	ret = handlers_run(&s, &p);
	pairing_release(&p);
	stage_release(&s);
	return ret;
}
