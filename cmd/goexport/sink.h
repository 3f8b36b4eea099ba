/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place where spans go. Each kind is one file sink_X.c with one function
 * sink_X_open(); the exporter hands every span to every sink and closes them at
 * the end. A sink reports its own failures and counts every span that it was
 * given as exported, dropped, or still held.
 */
#ifndef GOEXPORT_SINK_H
#define GOEXPORT_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "activerec.h"
#include "losses.h"
#include "spanrec.h"

/* Why spans did not arrive. */
enum drop_reason {
	DROP_FULL,	  /* the queue was full */
	DROP_REJECTED,	  /* the receiver refused them */
	DROP_UNREACHABLE, /* no answer, or only "later", for as long as retries go on */
	DROP_SHUTDOWN,	  /* still there when the time to flush was over */
	DROP_EXPIRED,	  /* too old in the spool */
	DROP_ERROR,	  /* could not be written or encoded */
	DROP_REASONS,
};

/* The reason as in messages and metrics, "full" and so on. */
const char *drop_reason_name(enum drop_reason reason);

struct sink;
struct spool;

struct sink_ops {
	/* A span; borrowed, as is all that it points to, except by resource_hold(). */
	void (*span)(struct sink *s, const struct spanrec *sp);
	bool unsampled; /* it gets the spans that are not sampled, too */
	/* How many requests are under way, of the process @r; may be NULL. */
	void (*active)(struct sink *s, const struct activerec *ar, struct resource *r);
	/* A lost record; may be NULL. */
	void (*lost)(struct sink *s, const struct loss *l);
	/* A counter of a stats record, a total since the start of @from; may be NULL. */
	void (*counter)(struct sink *s, struct text from, struct text name, uint64_t value);
	/*
	 * Called when the input blocks, and then every 100 ms while it returns true:
	 * while something is held that has to go in its time. @now as of clock_ms().
	 */
	bool (*tick)(struct sink *s, int64_t now);
	/* No more spans come: begin to send what is held, do not wait; may be NULL. */
	void (*flush)(struct sink *s, int64_t deadline);
	/*
	 * Waits for that until the deadline and reports what did not arrive. Whether all
	 * spans that the sink was given did. The counters stay until free(), because a
	 * scrape may still read them.
	 */
	bool (*close)(struct sink *s);
	/* The other sinks are closed: stays until nobody looks any more; may be NULL. */
	void (*linger)(struct sink *s);
	bool close_last; /* it shows what the others do, to their end */
	void (*free)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
	const char *kind;   /* "otlp", "file", …: for messages and metrics */
	const char *target; /* URL or file, "" if it has none; without passwords */
	bool failed;	    /* nothing more can be written; already reported */
	bool points;	    /* what it counts is points of metrics, not spans */
	bool receiver;	    /* it makes requests to one */
	_Atomic uint64_t exported, held, dropped[DROP_REASONS];
	_Atomic uint64_t requests, retries; /* of OTLP: tries, and those to be tried again */
	uint64_t limit;			    /* of held; 0 where there is no queue */
	struct spool *spool;		    /* NULL where there is none */
};

/* "spans" or "points". */
const char *sink_unit(const struct sink *s);

/* Spans dropped so far, for whatever reason. */
uint64_t sink_dropped(const struct sink *s);
/* Warns, for close(), about what was dropped, if anything was; whether all arrived. */
bool sink_report(const struct sink *s);

/*
 * Whether standard input is a recording: it is read as fast as it is taken, because
 * nothing waits behind us.
 */
bool sink_input_is_file(void);

/* CLOCK_MONOTONIC in milliseconds. */
int64_t clock_ms(void);

#endif
