// SPDX-License-Identifier: Apache-2.0
/*
 * A fuzz target without a fuzzer: main FILE|DIRECTORY... runs each file once, so that
 * what was found stays found with any compiler. Says how many there were.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_BYTES (1 << 20)

/* A file; what is none is left out. */
static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = malloc(INPUT_BYTES);
	int done = 0;

	if (f && p) {
		size_t n = fread(p, 1, INPUT_BYTES, f);
		uint8_t *copy = malloc(n ? n : 1); /* so that reading too far is seen */

		done = copy && !ferror(f);
		if (done) {
			memcpy(copy, p, n);
			LLVMFuzzerTestOneInput(copy, n);
		}
		free(copy);
	}
	if (f)
		fclose(f);
	free(p);
	return done;
}

static int replay_all(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	if (!d)
		return replay(path);
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		char file[4096];

		if (e->d_name[0] == '.')
			continue;
		if (snprintf(file, sizeof(file), "%s/%s", path, e->d_name) < (int)sizeof(file))
			n += replay(file);
	}
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++)
		n += replay_all(argv[i]);
	printf("%d inputs\n", n);
	return n == 0;
}
