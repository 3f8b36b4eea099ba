// SPDX-License-Identifier: Apache-2.0
#include "errinfo.h"

#include <stdarg.h>
#include <stdio.h>

int errinfo_set(struct errinfo *e, int ret, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return ret;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return ret;
}
