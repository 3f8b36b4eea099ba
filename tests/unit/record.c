// SPDX-License-Identifier: Apache-2.0
/* lib/record.h: each type and key once, written as the stream's rules want them. */
#include "record.h"

#include "tap.h"

static const char *const types[] = {
#define X(name, text) text,
	RECORD_TYPES(X)
#undef X
};

static const char *const keys[] = {
#define X(name, text) text,
	RECORD_KEYS(X)
#undef X
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int doubles(const char *const *list, size_t n)
{
	int found = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (!strcmp(list[i], list[j])) {
				printf("# twice: %s\n", list[i]);
				found++;
			}
	return found;
}

static int odd_names(const char *const *list, size_t n)
{
	int found = 0;

	for (size_t i = 0; i < n; i++)
		if (!*list[i] ||
		    strspn(list[i], "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(list[i])) {
			printf("# odd: %s\n", list[i]);
			found++;
		}
	return found;
}

int main(void)
{
	is_int(doubles(types, COUNT(types)), 0, "no type twice");
	is_int(doubles(keys, COUNT(keys)), 0, "no key twice");
	is_int(odd_names(types, COUNT(types)), 0, "types are lower-case words");
	is_int(odd_names(keys, COUNT(keys)), 0, "keys are lower-case words");
	is(T_EVENT, "event", "T_ constants hold the types");
	is(K_SPAN_ID, "span_id", "K_ constants hold the keys");
	return done();
}
