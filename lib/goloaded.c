// SPDX-License-Identifier: Apache-2.0
#include "goloaded.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gobin.h"

static bool is_go(int fd)
{
	struct gobin *b = NULL;
	struct errinfo e;
	bool is = !gobin_open_fd(fd, &b, &e);

	gobin_free(b);
	return is;
}

/* By the mapping itself, which may outlive the path; else by the path in the process's root. */
static int open_mapped(int dir, const char *range, const char *path)
{
	char name[4200];
	int fd;

	snprintf(name, sizeof(name), "map_files/%s", range);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "root%s", path);
	return openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* One line of maps; @path is empty for memory of no file. Code is what matters. */
static bool parse(const char *line, char range[48], char inode[24], int *path)
{
	char rights[8];

	*path = 0;
	return sscanf(line, "%47s %7s %*s %*s %23s %n", range, rights, inode, path) == 3 &&
	       rights[2] == 'x' && line[*path] == '/';
}

/* The first one that the process has mapped, as its path is there. */
static bool find(int dir, char *path, size_t len)
{
	int fd = openat(dir, "maps", O_RDONLY | O_CLOEXEC), at;
	FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
	char range[48], inode[24], last[24] = "", *line = NULL;
	bool found = false;
	size_t size = 0;

	if (fd >= 0 && !maps)
		close(fd);
	while (!found && maps && getline(&line, &size, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!parse(line, range, inode, &at) || !strcmp(inode, last))
			continue;
		memcpy(last, inode, sizeof(last));
		fd = open_mapped(dir, range, line + at);
		found = fd >= 0 && is_go(fd);
		if (fd >= 0)
			close(fd);
		if (found)
			snprintf(path, len, "%s", line + at);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

const char *goloaded_text(int dir, const char *why, char *text, size_t len)
{
	char library[200];

	if (!find(dir, library, sizeof(library)))
		return why;
	snprintf(text, len, "%s; it has loaded %s, made by Go, but libraries are not traced", why,
		 library);
	return text;
}
