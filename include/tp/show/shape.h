/*
 * shape - records as one nested JSON document
 *
 * For documents in a format that other programs define.  The form is data,
 * the member "document" of share/json/NAME.json, and looks like its output:
 *
 *	"$KEY" "$KIND.KEY" "$KIND[VALUE].KEY"
 *		a value, looked up as in a template; null when unknown; it may
 *		be followed by a unit (scale.h) and by ".3" for at most three
 *		decimals: "$latency.summary[run].mean_ns ms .3"
 *	{"$each": SELECTOR, "$item": ITEM}
 *		an array with ITEM for every record; "$limit": at most so many;
 *		"$key", a value: an object with a member for each record instead
 *	{"$first": SELECTOR, "$item": ITEM}	ITEM for the first, or null
 *	{"$count": SELECTOR}			number of records
 *	{"$join": [ITEM, ...]}			texts and values, concatenated
 *
 * "$where", a condition (tp/cond.h) or an array of them, filters the
 * records: ["place = portable", "category = $category"]; $NAME is a value
 * outside the loop.  A member called "KEY?" is left out when its value is
 * null.  Anything else is copied as is.
 *
 * Memory: the document.
 */
#ifndef TP_SHOW_SHAPE_H
#define TP_SHOW_SHAPE_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/*
 * Append the document that FORM makes of SET.  0, or -1 with ERR (TP_BAD
 * "mapping.damaged" or "condition.damaged"; TP_LIMIT).
 */
int tp_shape_print(const struct cJSON *form, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err);

#endif
