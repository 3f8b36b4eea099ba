// SPDX-License-Identifier: Apache-2.0
#include "errinfo.h"

#include <stdarg.h>
#include <stdio.h>

void errinfo_text(struct errinfo *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
}
