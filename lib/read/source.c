/* source - what a row of a table is of, where tables were put together */
#include "read/source.h"

static int
is_empty(const struct tp_value *v)
{
	return v->type == TP_NONE || !v->len;
}

const char *
tp_source_text(const struct tp_value *source, const struct tp_value *model,
    struct tp_buf *both, size_t *len)
{
	const struct tp_value *only = is_empty(source) ? model : source;

	*len = is_empty(only) ? 0 : only->len;
	if (is_empty(source) || is_empty(model))
		return *len ? only->text : "";
	tp_buf_clear(both);
	tp_buf_add(both, source->text, source->len);
	tp_buf_str(both, ", ");
	tp_buf_add(both, model->text, model->len);
	*len = both->len;
	return both->p;
}
