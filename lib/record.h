/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of the stream: every record type and every key that gotap itself
 * writes or reads, in one place. gotap-jsonl(5) documents each; a test compares
 * the two. Keys below "attributes", "values", "deps" and "counters" are data and
 * not listed.
 *
 * A program that writes a key takes it from here (K_SPAN_ID), so that a key that
 * is not listed does not compile.
 */
#ifndef GOTAP_RECORD_H
#define GOTAP_RECORD_H

/* X(NAME, "text") */
#define RECORD_TYPES(X)                                                                            \
	X(PROCESS, "process")                                                                      \
	X(EXIT, "exit")                                                                            \
	X(PROBE, "probe")                                                                          \
	X(SKIP, "skip")                                                                            \
	X(ATTACH, "attach")                                                                        \
	X(CLOCK, "clock")                                                                          \
	X(EVENT, "event")                                                                          \
	X(LOST, "lost")                                                                            \
	X(STATS, "stats")                                                                          \
	X(SPAN, "span")                                                                            \
	X(FUNCTION, "function")                                                                    \
	X(STRUCT, "struct")                                                                        \
	X(REPORT, "report")                                                                        \
	X(CHECK, "check")                                                                          \
	X(ACTIVE, "active")                                                                        \
	X(STUCK, "stuck")

#define RECORD_KEYS(X)                                                                             \
	/* every record */                                                                         \
	X(TYPE, "type")                                                                            \
	X(V, "v")                                                                                  \
	/* process, exit */                                                                        \
	X(PID, "pid")                                                                              \
	X(START, "start")                                                                          \
	X(EXE, "exe")                                                                              \
	X(DEV, "dev")                                                                              \
	X(INODE, "inode")                                                                          \
	X(BINARY, "binary")                                                                        \
	X(GO_BUILD_ID, "go_build_id")                                                              \
	X(GNU_BUILD_ID, "gnu_build_id")                                                            \
	X(GO, "go")                                                                                \
	X(ARCH, "arch")                                                                            \
	X(MODULE, "module")                                                                        \
	X(MODULE_VERSION, "module_version")                                                        \
	X(DEPS, "deps")                                                                            \
	X(CMDLINE, "cmdline")                                                                      \
	X(PORTS, "ports")                                                                          \
	X(SERVICE, "service")                                                                      \
	X(SERVICE_FROM, "service_from")                                                            \
	X(RESOURCE, "resource")                                                                    \
	/* probe */                                                                                \
	X(PROBE, "probe")                                                                          \
	X(PATH, "path")                                                                            \
	X(RECIPE, "recipe")                                                                        \
	X(SPAN, "span")                                                                            \
	X(KIND, "kind")                                                                            \
	X(SCOPE, "scope")                                                                          \
	X(NAME, "name")                                                                            \
	X(SYMBOL, "symbol")                                                                        \
	X(ROLE, "role")                                                                            \
	X(PAIR, "pair")                                                                            \
	X(G, "g")                                                                                  \
	X(OPS, "ops")                                                                              \
	X(GOID, "goid")                                                                            \
	X(WAIT_REASON, "wait_reason")                                                              \
	X(SWITCHES, "switches")                                                                    \
	X(STACK_HI, "stack_hi")                                                                    \
	X(SITES, "sites")                                                                          \
	X(AT, "at")                                                                                \
	X(EVENT, "event")                                                                          \
	X(ADDR, "addr")                                                                            \
	X(OFFSET, "offset")                                                                        \
	X(BYTES, "bytes")                                                                          \
	X(INSN, "insn")                                                                            \
	X(ENTRY, "entry")                                                                          \
	X(EMULATED, "emulated")                                                                    \
	X(RECOVERED, "recovered")                                                                  \
	X(REPEATS, "repeats")                                                                      \
	X(DEPTH_ADJUST, "depth_adjust")                                                            \
	X(WHEN, "when")                                                                            \
	X(ARG, "arg")                                                                              \
	X(ZERO, "zero")                                                                            \
	X(CAPTURES, "captures")                                                                    \
	X(ON, "on")                                                                                \
	X(TYPES, "types")                                                                          \
	X(VALUE, "value")                                                                          \
	X(METRIC, "metric")                                                                        \
	X(MAX, "max")                                                                              \
	X(SIZE, "size")                                                                            \
	X(FOREIGN, "foreign")                                                                      \
	X(TRACED_BY, "traced_by")                                                                  \
	X(CONTEXTS, "contexts")                                                                    \
	X(PANIC, "panic")                                                                          \
	X(SP, "sp")                                                                                \
	X(VIA, "via")                                                                              \
	X(FIELDS, "fields")                                                                        \
	X(FIELD, "field")                                                                          \
	X(SOURCE, "source")                                                                        \
	X(ASSUMED, "assumed")                                                                      \
	X(LAYOUT, "layout")                                                                        \
	X(KEY, "key")                                                                              \
	X(DIR_PTR, "dir_ptr")                                                                      \
	X(DIR_LEN, "dir_len")                                                                      \
	X(TABLE_GROUPS, "table_groups")                                                            \
	X(SLOT_SIZE, "slot_size")                                                                  \
	X(ELEM_OFF, "elem_off")                                                                    \
	X(BUCKETS, "buckets")                                                                      \
	X(LOG2_BUCKETS, "log2_buckets")                                                            \
	X(OVERFLOW, "overflow")                                                                    \
	/* skip */                                                                                 \
	X(REASON, "reason")                                                                        \
	X(DETAIL, "detail")                                                                        \
	X(INLINED, "inlined")                                                                      \
	X(INLINED_IN, "inlined_in")                                                                \
	/* attach */                                                                               \
	X(REACH, "reach")                                                                          \
	X(HOW, "how")                                                                              \
	X(COUNT, "count")                                                                          \
	X(MS, "ms")                                                                                \
	/* clock */                                                                                \
	X(MONO, "mono")                                                                            \
	X(REAL, "real")                                                                            \
	/* event */                                                                                \
	X(T, "t")                                                                                  \
	X(TID, "tid")                                                                              \
	X(DEPTH, "depth")                                                                          \
	X(TRACE_ID, "trace_id")                                                                    \
	X(SPAN_ID, "span_id")                                                                      \
	X(PARENT_ID, "parent_id")                                                                  \
	X(PARENT_FROM, "parent_from")                                                              \
	X(FLAGS, "flags")                                                                          \
	X(TRACE_STATE, "trace_state")                                                              \
	X(UNWIND, "unwind")                                                                        \
	X(VALUES, "values")                                                                        \
	X(UNREAD, "unread")                                                                        \
	X(TRUNCATED, "truncated")                                                                  \
	/* lost, stats */                                                                          \
	X(WHERE, "where")                                                                          \
	X(FROM, "from")                                                                            \
	X(COUNTERS, "counters")                                                                    \
	/* span */                                                                                 \
	X(END, "end")                                                                              \
	X(STATUS, "status")                                                                        \
	X(STATUS_MESSAGE, "status_message")                                                        \
	X(ATTRIBUTES, "attributes")                                                                \
	X(INCOMPLETE, "incomplete")                                                                \
	X(SAMPLED, "sampled")                                                                      \
	X(LINKS, "links")                                                                          \
	/* function */                                                                             \
	X(TARGET, "target")                                                                        \
	X(WRAPPER, "wrapper")                                                                      \
	X(ASSEMBLY, "assembly")                                                                    \
	X(CHECK, "check")                                                                          \
	/* struct */                                                                               \
	X(EMBEDDED, "embedded")                                                                    \
	/* report */                                                                               \
	X(VERDICT, "verdict")                                                                      \
	X(TRACED, "traced")                                                                        \
	X(LEFT_OUT, "left_out")                                                                    \
	X(ADVICE, "advice")                                                                        \
	/* check */                                                                                \
	X(NEEDED, "needed")                                                                        \
	X(LOST, "lost")

#define X(name, text) static const char T_##name[] __attribute__((unused)) = text;
RECORD_TYPES(X)
#undef X

#define X(name, text) static const char K_##name[] __attribute__((unused)) = text;
RECORD_KEYS(X)
#undef X

#endif
