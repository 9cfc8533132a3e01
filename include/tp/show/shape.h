/*
 * shape - records as one nested JSON document
 *
 * For documents whose form others fixed.  The form is data, the member
 * "document" of share/json/NAME.json, which looks like what it makes:
 *
 *	"$KEY" "$KIND.KEY" "$KIND[VALUE].KEY"
 *		a value, found as a template finds it; null when unknown; behind
 *		it a unit (tp/show/scale.h) and ".2" for at most two decimals:
 *		"$latency.summary[run].mean_ns ms .3"
 *	{"$each": SELECTOR, "$item": ITEM}
 *		an array with ITEM for every record; with "$limit", at most so
 *		many; with "$key", a value, an object with a member each
 *	{"$first": SELECTOR, "$item": ITEM}	ITEM for the first, or null
 *	{"$count": SELECTOR}			how many there are
 *	{"$join": [ITEM, ...]}			texts and values, one text
 *
 * "$where" says which of the records: a condition (tp/cond.h) or a list of
 * them, ["place = portable", "category = $category"]; $NAME is a value around
 * the loop.  A member called "KEY?" is left out when its value is null.
 * Anything else stands for itself.
 *
 * Memory: the document.
 */
#ifndef TP_SHOW_SHAPE_H
#define TP_SHOW_SHAPE_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/* Append the document that FORM makes of SET.  0, or -1 with ERR set
 * (TP_BAD, "mapping.damaged", "condition.damaged"; TP_LIMIT). */
int tp_shape_print(const struct cJSON *form, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err);

#endif
