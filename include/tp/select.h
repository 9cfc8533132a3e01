/*
 * select - names of values in the record stream
 *
 * KIND, KIND[VALUE] and KIND[KEY=VALUE] name records (tp_rec_is), a KEY
 * behind a '.' a value of theirs, a FORM behind another how it is printed
 * (tp_unit_print): "gpu.summary[target].busy_ns.ms".  Kinds have dots too, so
 * what is the kind depends on the kinds there are: the longest one is meant.
 */
#ifndef TP_SELECT_H
#define TP_SELECT_H

#include <stddef.h>

#include <tp/records.h>

/* A name taken apart; all point into it. */
struct tp_select {
	const char *records;	/* selector of the records */
	size_t records_len;
	const char *key;	/* of the value, or NULL: the whole record */
	size_t key_len;
	const char *form;	/* NUL-terminated, or NULL */
};

/*
 * Take NAME apart by the kinds in SET.  1, or 0 when SET has no such records
 * (SELECT is not filled in then).
 */
int tp_select_split(const struct tp_set *set, const char *name,
    struct tp_select *select);
/* "KEY" or "KEY.FORM" alone. */
void tp_select_key(const char *name, struct tp_select *select);
/* The value of REC that SELECT names, or NULL when it is not known. */
const struct tp_field *tp_select_field(const struct tp_select *select,
    const struct tp_rec *rec);

#endif
