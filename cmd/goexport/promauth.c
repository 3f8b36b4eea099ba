// SPDX-License-Identifier: Apache-2.0
#include "promauth.h"

#include <stdlib.h>
#include <string.h>

static void forget(char **secret)
{
	if (*secret)
		explicit_bzero(*secret, strlen(*secret));
	free(*secret);
	*secret = NULL;
}

void promauth_release(struct promauth *a)
{
	forget(&a->user);
	forget(&a->password);
}

bool promauth_knows(struct promauth *a, const char *user, const char *password)
{
	if (a->user && a->password && webconfig_same(a->user, user) &&
	    webconfig_same(a->password, password))
		return true;
	if (!webconfig_knows(a->web, user, password))
		return false;
	promauth_release(a);
	a->user = strdup(user);
	a->password = strdup(password);
	return true;
}
