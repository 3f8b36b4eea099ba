/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the page, compiled in from cmd/goexport/web/ by its embed.sh. Read by
 * webserve.c; constant.
 */
#ifndef GOEXPORT_WEBASSETS_H
#define GOEXPORT_WEBASSETS_H

struct webasset {
	const char *path; /* "/app.js"; NULL ends the table */
	const char *type;
	const char *text;
};

extern const struct webasset webassets[];

#endif
