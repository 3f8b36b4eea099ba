/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people on stdout through stdio: the end of it, where a full disk or a
 * closed descriptor shows. Records go through jsonw instead. Called by programs
 * that print with printf().
 */
#ifndef GOTAP_TEXTOUT_H
#define GOTAP_TEXTOUT_H

/*
 * Writes out what stdio still holds for stdout. 0, or -errno of the first failure,
 * then again at every later call; stdio itself forgets the number, so this must be
 * called before it is all written to know it. -EIO where stdio noticed alone.
 */
int textout_flush(void);
/* The same, with a message for a failure; returns an enum gotap_exit. */
int textout_finish(void);

#endif
