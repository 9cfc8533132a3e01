/*
 * history_promise - how well promises of findings held, run after run
 *
 * Each line of a history lists what was promised and delivered in that run
 * ("promises"); this module adds them up by rule.
 *
 * Memory: 100 bytes and the name of each rule.
 */
#ifndef TP_JUDGE_HISTORY_PROMISE_H
#define TP_JUDGE_HISTORY_PROMISE_H

#include <tp/doc.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/judge/promise.h>
#include <tp/records.h>

struct cJSON;

/* A zeroed struct is empty. */
struct tp_history_promises {
	struct tp_names rules;
	struct tp_history_promise {
		size_t outcomes[TP_OUTCOMES];
		/* Sums over promises with a known outcome. */
		int64_t promised_ns, delivered_ns;
	} *list;
	size_t cap;
};

/* Write P as the list "promises" of J; nothing when P is empty. */
void tp_history_promises_write(struct tp_doc *j, const struct tp_promises *p);
/*
 * Add LIST, the "promises" of a line, or NULL.  Items that are no promise
 * are ignored.
 */
void tp_history_promises_add(struct tp_history_promises *h,
    const struct cJSON *list);
/* Write a history.promise for each rule, most promises first. */
void tp_history_promises_emit(const struct tp_history_promises *h,
    const char *series, struct tp_out *out);
void tp_history_promises_release(struct tp_history_promises *h);

#endif
