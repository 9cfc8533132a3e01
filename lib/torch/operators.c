/* operators - load the files that describe operators of PyTorch */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/file.h>
#include <tp/share.h>
#include <tp/text.h>

#include "operators.h"

/* Later files override earlier ones. */
static const char *const files_of_share[] = {
	"share/ops/torch-operators.json", "share/ops/torch-pseudo.json", NULL
};

static int
add_operator_file(struct tp_torch_operators *o, struct cJSON *doc,
    const char *name, int is_own, struct tp_err *err)
{
	if (!doc) {
		/* files there are deliberate: damage is an error */
		if (is_own && err->status == TP_BAD)
			err->status = TP_USAGE;
		return -1;
	}
	name = tp_arena_text(&o->arena, name, strlen(name));
	tp_grow(&o->list, &o->cap, o->count + 1, sizeof *o->list);
	o->list[o->count].doc = doc;
	o->list[o->count].name = name;
	o->list[o->count++].is_own = is_own;
	return 0;
}

static int
add_own(void *arg, const char *path, struct tp_err *err)
{
	return add_operator_file(arg, tp_file_json(path, err), path, 1, err);
}

int
tp_torch_operators_load(struct tp_torch_operators *o,
    const char *const *files, struct tp_err *err)
{
	struct tp_buf path = { 0 };
	int rc = 0;

	memset(o, 0, sizeof *o);
	for (const char *const *f = files_of_share; !rc && *f; f++)
		rc = add_operator_file(o, tp_share_json(*f + strlen("share/"),
		    err), *f, 0, err);
	if (!rc && tp_share_own("ops", &path))
		rc = tp_share_each(path.p, add_own, o, err);
	for (; !rc && files && *files; files++)
		rc = tp_share_each(*files, add_own, o, err);
	tp_buf_release(&path);
	return rc;
}

void
tp_torch_operators_release(struct tp_torch_operators *o)
{
	for (size_t i = 0; i < o->count; i++)
		cJSON_Delete(o->list[i].doc);
	tp_free(o->list);
	tp_arena_release(&o->arena);
	memset(o, 0, sizeof *o);
}

ptrdiff_t
tp_torch_index_add(struct tp_torch_index *index, const char *name)
{
	ptrdiff_t at = tp_names_add(&index->names, name, strlen(name));

	if (strchr(name, '*'))
		TP_APPEND(index->patterns, index->pattern_count,
		    index->pattern_cap, (uint32_t)at);
	return at;
}

ptrdiff_t
tp_torch_index_find(const struct tp_torch_index *index, const char *name,
    size_t len)
{
	ptrdiff_t at = tp_names_find(&index->names, name, len);

	for (size_t i = index->pattern_count; at < 0 && i-- > 0;)
		if (tp_glob(index->names.names[index->patterns[i]].text, name,
		    len))
			at = index->patterns[i];
	return at;
}

void
tp_torch_index_release(struct tp_torch_index *index)
{
	tp_names_release(&index->names);
	tp_free(index->patterns);
}

int
tp_torch_operators_bad(const struct tp_torch_operators *o, size_t at,
    const char *what, const char *name, const char *text, struct tp_err *err)
{
	return tp_share_fail(err, o->list[at].is_own ? TP_USAGE : TP_BAD,
	    "%.100s: %s '%.80s'%s%.40s%s", o->list[at].name, what,
	    name ? name : "", text ? " at '" : "", text ? text : "",
	    text ? "'" : "");
}
