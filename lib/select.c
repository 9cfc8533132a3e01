/* select - names of values in the record stream */
#include <string.h>

#include <tp/select.h>

void
tp_select_key(const char *name, struct tp_select *select)
{
	memset(select, 0, sizeof *select);
	select->key = name;
	select->key_len = strcspn(name, ".");
	if (name[select->key_len])
		select->form = name + select->key_len + 1;
}

/* Whether the first LEN bytes of NAME select records, and a key may follow. */
static int
select_records(const struct tp_set *set, const char *name, size_t len,
    struct tp_select *select)
{
	size_t at = 0;

	if (!len || (name[len] && name[len] != '.') ||
	    !tp_set_next_part(set, name, len, &at))
		return 0;
	if (name[len])
		tp_select_key(name + len + 1, select);
	else
		memset(select, 0, sizeof *select);
	select->records = name;
	select->records_len = len;
	return 1;
}

int
tp_select_split(const struct tp_set *set, const char *name,
    struct tp_select *select)
{
	const char *bracket = strrchr(name, ']');
	size_t len = strlen(name);

	if (bracket)
		return select_records(set, name, (size_t)(bracket + 1 - name),
		    select);
	/* longest kind first: "a.b.c" may be a kind, or kind, key and form */
	for (; len; len--)
		if (select_records(set, name, len, select))
			return 1;
	return 0;
}

const struct tp_field *
tp_select_field(const struct tp_select *select, const struct tp_rec *rec)
{
	for (size_t i = 0; select->key && i < rec->count; i++)
		if (strlen(rec->fields[i].key) == select->key_len &&
		    !memcmp(rec->fields[i].key, select->key,
		    select->key_len))
			return rec->fields[i].type == TP_FIELD_NULL ? NULL :
			    &rec->fields[i];
	return NULL;
}
