/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said on stderr about one OTLP receiver: that it went away and came back,
 * what it refused; each once, or once in a while. Called by the sender.
 */
#ifndef GOEXPORT_OTLP_SAYING_H
#define GOEXPORT_OTLP_SAYING_H

#include "otlp_http.h"
#include "parcel.h"
#include "saying.h"
#include "sink.h"

struct otlp_saying {
	const struct sink *sink;
	int64_t down_since; /* 0 while the receiver answers */
	bool down_said, denied_said;
	struct saying down, refused, partial, other, halved;
};

/* It is not there, or wants to be asked later. */
void otlp_say_down(struct otlp_saying *s, const struct otlp_answer *a);
/* It has answered. */
void otlp_say_up(struct otlp_saying *s);
/* It took @p, but for what the answer says. */
void otlp_say_taken(struct otlp_saying *s, const struct parcel *p, const struct otlp_answer *a);
/* It did not; DENIED is said once until something is taken. */
void otlp_say_refused(struct otlp_saying *s, const struct parcel *p, const struct otlp_answer *a);
void otlp_say_halved(struct otlp_saying *s, const struct parcel *p, const struct otlp_answer *a);

#endif
