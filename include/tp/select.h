/*
 * select - names of values in the record stream
 *
 * KIND, KIND[VALUE] and KIND[KEY=VALUE] name records (tp_rec_is); ".KEY"
 * names a value in them, and a further ".FORM" how to print it
 * (tp_unit_print): "gpu.summary[target].busy_ns.ms".  Kinds contain dots
 * too: the longest kind that exists in the set is used.
 */
#ifndef TP_SELECT_H
#define TP_SELECT_H

#include <stddef.h>

#include <tp/records.h>

/* A name, taken apart; all pointers point into it. */
struct tp_select {
	const char *records;	/* selector of the records */
	size_t records_len;
	const char *key;	/* key of the value; NULL: the whole record */
	size_t key_len;
	const char *form;	/* NUL-terminated, or NULL */
};

/*
 * Take NAME apart, given the kinds in SET.  1, or 0 when SET has no such
 * records (SELECT is then unset).
 */
int tp_select_split(const struct tp_set *set, const char *name,
    struct tp_select *select);
/* Take apart "KEY" or "KEY.FORM". */
void tp_select_key(const char *name, struct tp_select *select);
/* The field of REC that SELECT names, or NULL. */
const struct tp_field *tp_select_field(const struct tp_select *select,
    const struct tp_rec *rec);

#endif
