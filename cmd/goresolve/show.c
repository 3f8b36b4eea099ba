// SPDX-License-Identifier: Apache-2.0
#include "show.h"

#include <stdio.h>

void show_text(const char *s)
{
	for (; *s; s++)
		putchar((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s);
}
