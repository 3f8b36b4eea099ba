/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goexport's HTTP servers share: the sockets that they listen on, and where the
 * messages of libmicrohttpd go. Called by promserve and webserve.
 */
#ifndef GOEXPORT_HTTPLISTEN_H
#define GOEXPORT_HTTPLISTEN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "errinfo.h"

/* Room for "http://HOST:PORT" and a NUL. */
#define HTTPLISTEN_URL 160

/*
 * A listening socket at "[HOST]:PORT" (an IPv6 address in brackets; no host is
 * 127.0.0.1; port 0 takes a free one). @what begins messages. The descriptor, -EINVAL
 * if the address is none, or another -errno, with the reason in @e.
 */
int httplisten_open(const char *what, const char *address, struct errinfo *e);
/* Where @fd really listens, without a slash at the end. */
void httplisten_url(int fd, char url[HTTPLISTEN_URL]);
/* Whether only this machine can reach it. */
bool httplisten_is_loopback(int fd);
/*
 * Whether a request has come whole, and it is time to answer: what a handler asks first
 * with its arguments, and returns MHD_YES if not. What comes as a body is thrown away.
 */
bool httplisten_whole(size_t *upload_len, void **state);
/* Whether @method only reads. */
bool httplisten_reads(const char *method);
/* For MHD_OPTION_EXTERNAL_LOGGER: shown with -v. @what, a string, begins the message. */
void httplisten_message(void *what, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
