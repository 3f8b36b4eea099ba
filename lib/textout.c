// SPDX-License-Identifier: Apache-2.0
#include "textout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "exits.h"

static int failure;

int textout_flush(void)
{
	int ret = fflush(stdout) ? -errno : 0;

	if (!ret && ferror(stdout))
		ret = -EIO;
	if (!failure)
		failure = ret;
	return failure;
}

int textout_finish(void)
{
	int ret = textout_flush();

	if (!ret)
		return GOTAP_EXIT_OK;
	diag(DIAG_ERROR, "stdout: %s", strerror(-ret));
	return GOTAP_EXIT_FAILED;
}
