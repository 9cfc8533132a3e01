/* replay - a script that repeats recorded operator calls */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/share.h>
#include <tp/torch/replay.h>

#include "call.h"
#include "signature.h"

/* Up to this every integer is a double. */
#define WHOLE_MAX 9007199254740992.0

struct tp_replay {
	struct tp_torch_operators operators;
	struct tp_torch_models *models;
	const struct tp_name **sorted;
};

/* The recorded call, an array each. */
struct call {
	const struct tp_torch_models *models;
	cJSON *dims, *kinds, *strides, *values;
};

static const char *
text_at(const cJSON *list, int i)
{
	const cJSON *item = cJSON_GetArrayItem(list, i);

	return cJSON_IsString(item) ? item->valuestring : "";
}

/* Whether LIST contains sizes only. */
static int
are_sizes(const cJSON *list)
{
	const cJSON *n;

	if (!cJSON_IsArray(list))
		return 0;
	cJSON_ArrayForEach(n, list)
		if (!cJSON_IsNumber(n) || n->valuedouble < 0 ||
		    n->valuedouble > WHOLE_MAX ||
		    n->valuedouble != floor(n->valuedouble))
			return 0;
	return 1;
}

/* Whether argument I is a tensor; *DTYPE gets PyTorch's name of its type. */
static int
is_tensor(const struct call *c, int i, const char **dtype)
{
	const cJSON *dims = cJSON_GetArrayItem(c->dims, i);
	const cJSON *strides = cJSON_GetArrayItem(c->strides, i);
	const struct tp_torch_type *type = tp_torch_type_of(c->models,
	    text_at(c->kinds, i));

	*dtype = type ? type->torch : NULL;
	return *dtype && are_sizes(dims) && (!strides ||
	    (are_sizes(strides) && (!cJSON_GetArraySize(strides) ||
	    cJSON_GetArraySize(strides) == cJSON_GetArraySize(dims))));
}

/* Parse TEXT as an integer into *N.  Returns whether all of it is one. */
static int
whole(const char *text, int64_t *n)
{
	char *end;

	if (!*text || text[strspn(text, "-0123456789")])
		return 0;
	*n = strtoll(text, &end, 10);
	return !*end && *n > -(int64_t)WHOLE_MAX && *n < (int64_t)WHOLE_MAX;
}

/*
 * The upper bound (exclusive) of the indices in parameter P ("below:T:A"); -1
 * if it is unknown.
 */
static double
bound_of(const struct call *c, const struct tp_torch_parameter *p)
{
	const cJSON *dims, *size;
	const char *axis;
	int64_t n;
	char *end;

	dims = cJSON_GetArrayItem(c->dims,
	    (int)strtol(p->kind + strlen("below:"), &end, 10));
	axis = end + (*end == ':');
	if (*axis == '=') {
		if (!whole(text_at(c->values, (int)strtol(axis + 1, NULL,
		    10)), &n))
			return -1;
	} else {
		n = strtol(axis, NULL, 10);
	}
	if (!are_sizes(dims))
		return -1;
	n += n < 0 ? cJSON_GetArraySize(dims) : 0;
	size = n < 0 || n > 64 ? NULL : cJSON_GetArrayItem(dims, (int)n);
	return size ? size->valuedouble : -1;
}

static void
put_sizes(struct tp_doc *doc, const char *key, const cJSON *list)
{
	const cJSON *n;

	tp_doc_array(doc, key);
	cJSON_ArrayForEach(n, list)
		tp_doc_int(doc, NULL, (int64_t)n->valuedouble);
	tp_doc_close(doc, ']');
}

/* Write argument I, a tensor, as member KEY.  Returns 0 if it does not fit. */
static int
put_tensor(struct tp_doc *doc, const char *key, const struct call *c, int i,
    const struct tp_torch_parameter *p)
{
	const cJSON *strides = cJSON_GetArrayItem(c->strides, i);
	const cJSON *dims = cJSON_GetArrayItem(c->dims, i);
	double below = tp_torch_parameter_is_below(p) ? bound_of(c, p) : 0;
	const char *dtype;

	if (!is_tensor(c, i, &dtype) || below < 0)
		return 0;
	tp_doc_object(doc, key);
	tp_doc_text(doc, "dtype", dtype);
	put_sizes(doc, "shape", dims);
	/* without strides the tensor is contiguous */
	if (cJSON_GetArraySize(strides) == cJSON_GetArraySize(dims))
		put_sizes(doc, "strides", strides);
	if (tp_torch_parameter_is_below(p))
		tp_doc_int(doc, "below", (int64_t)below);
	tp_doc_close(doc, '}');
	return 1;
}

/*
 * Write TEXT as member KEY, a scalar whose KIND is the first letter of its
 * type.  Returns 0 if it does not fit.
 */
static int
put_scalar(struct tp_doc *doc, const char *key, const char *text, char kind)
{
	int yes = !strcmp(text, "True");
	int64_t n;
	double x;
	char *end;

	if (kind != 'i' && (yes || !strcmp(text, "False"))) {
		tp_doc_bool(doc, key, yes);
		return 1;
	}
	if (kind == 'b')
		return 0;
	if (whole(text, &n)) {
		tp_doc_int(doc, key, n);
		return 1;
	}
	x = strtod(text, &end);
	if (kind == 'i' || end == text || *end ||
	    strpbrk(text, "xX") || strpbrk(text, " \t\n\r\v\f"))
		return 0;
	if (isfinite(x)) {
		tp_doc_float(doc, key, x);
	} else {
		tp_doc_object(doc, key);
		tp_doc_text(doc, "float", isnan(x) ? "nan" :
		    x < 0 ? "-inf" : "inf");
		tp_doc_close(doc, '}');
	}
	return 1;
}

/* Write TEXT, "[1, 2]", as member KEY.  Returns 0 if it does not fit. */
static int
put_list(struct tp_doc *doc, const char *key, const char *text, char kind)
{
	size_t len = strlen(text), n;
	const char *end = text + len - 1;
	char item[32];
	int all = 1;

	if (len < 2 || *text != '[' || *end != ']')
		return 0;
	tp_doc_array(doc, key);
	for (text++; text < end && all; text += n + (text[n] == ',')) {
		text += strspn(text, " ");
		n = strcspn(text, ",]");
		all = n < sizeof item;
		if (!all)
			break;
		memcpy(item, text, n);
		item[n] = '\0';
		all = put_scalar(doc, NULL, item, kind);
	}
	tp_doc_close(doc, ']');
	return all;
}

/*
 * Write argument I for parameter P as member KEY.  Returns 1, or 0 if it does
 * not fit.
 */
static int
put_argument(struct tp_doc *doc, const char *key, const struct call *c,
    int i, const struct tp_torch_parameter *p)
{
	const char *value = text_at(c->values, i);

	if (tp_torch_parameter_is(p, "default"))
		return !*value;
	if (p->maybe && !*text_at(c->kinds, i) && !*value) {
		tp_doc_null(doc, key);
		return 1;
	}
	if (tp_torch_parameter_is(p, "tensor") ||
	    tp_torch_parameter_is_below(p))
		return put_tensor(doc, key, c, i, p);
	if (tp_torch_parameter_is(p, "ints") ||
	    tp_torch_parameter_is(p, "bools"))
		return put_list(doc, key, value, *p->kind);
	return put_scalar(doc, key, value, *p->kind);
}

/*
 * Write the arguments of the call by SIGNATURE: those by name, or the others.
 * Returns their total number, or -1 if one does not fit.
 */
static int
put_arguments(struct tp_doc *doc, const struct call *c,
    const char *signature, int by_name)
{
	struct tp_torch_parameter p = { 0 };
	char key[TP_PARAMETER_MAX];
	int i;

	for (i = 0; tp_torch_parameter_next(&signature, &p); i++) {
		if (p.by_name != by_name)
			continue;
		memcpy(key, p.name, p.name_len);
		key[p.name_len] = '\0';
		if (!put_argument(doc, by_name ? key : NULL, c, i, &p))
			return -1;
	}
	return i;
}

static int
put_call(struct tp_doc *doc, const struct call *c, const char *signature)
{
	static const struct tp_torch_parameter out = { .kind = "tensor",
	    .kind_len = 6 };
	int count = cJSON_GetArraySize(c->kinds), n;

	tp_doc_array(doc, "args");
	n = put_arguments(doc, c, signature, 0);
	tp_doc_close(doc, ']');
	/* an extra argument is the output tensor */
	if (n != count && n + 1 != count)
		return 0;
	tp_doc_object(doc, "kwargs");
	if (put_arguments(doc, c, signature, 1) < 0 ||
	    (n < count && !put_tensor(doc, "out", c, n, &out)))
		return 0;
	tp_doc_close(doc, '}');
	return 1;
}

static cJSON *
list_of(const struct tp_rec *rec, const char *key)
{
	const char *text = tp_rec_text(rec, key);
	cJSON *list = text ? cJSON_Parse(text) : NULL;

	if (list && !cJSON_IsArray(list)) {
		cJSON_Delete(list);
		list = NULL;
	}
	return list;
}

/*
 * Write the call by the first signature that fits.  Returns 1, or 0 with DOC
 * unchanged.
 */
static int
fit(struct tp_doc *doc, const struct call *c, const cJSON *takes,
    const struct tp_rec *rec)
{
	const struct tp_doc before = *doc;
	size_t len = doc->buf->len;
	const char *signature;
	double ps;
	int64_t n;

	for (int i = 0; (signature = tp_torch_signature(takes, i)); i++) {
		/* one line per call in a compact document */
		if (doc->compact)
			tp_buf_chr(doc->buf, '\n');
		tp_doc_object(doc, NULL);
		tp_doc_text(doc, "trace", rec->src);
		if (tp_rec_int(rec, "count", &n))
			tp_doc_int(doc, "count", n);
		if (tp_rec_real(rec, "own_mean_ps", &ps))
			tp_doc_float(doc, "recorded_us", ps / 1e6);
		if (put_call(doc, c, signature)) {
			tp_doc_close(doc, '}');
			return 1;
		}
		*doc = before;
		doc->buf->len = len;
	}
	return 0;
}

struct tp_replay *
tp_replay_load(const char *const *files, struct tp_err *err)
{
	struct tp_replay *replay = tp_zalloc(sizeof *replay);

	if (!tp_torch_operators_load(&replay->operators, files, err) &&
	    (replay->models = tp_torch_models_load(&replay->operators, err))) {
		replay->sorted = tp_names_sorted(tp_torch_taking(
		    replay->models));
		return replay;
	}
	tp_replay_free(replay);
	return NULL;
}

void
tp_replay_free(struct tp_replay *replay)
{
	if (!replay)
		return;
	tp_free(replay->sorted);
	tp_torch_models_free(replay->models);
	tp_torch_operators_release(&replay->operators);
	tp_free(replay);
}

const char *
tp_replay_op(const struct tp_replay *replay, size_t i)
{
	return i < tp_torch_taking(replay->models)->count ?
	    replay->sorted[i]->text : NULL;
}

int
tp_replay_knows(const struct tp_replay *replay, const char *op)
{
	return tp_torch_takes(replay->models, op, strlen(op)) != NULL;
}

int
tp_replay_call(struct tp_doc *doc, const struct tp_replay *replay,
    const char *op, const struct tp_rec *rec, struct tp_err *err)
{
	struct call c = { .models = replay->models };
	char *types;
	int rc = 0;

	c.dims = list_of(rec, "input_dims");
	c.kinds = list_of(rec, "input_types");
	c.strides = list_of(rec, "input_strides");
	c.values = list_of(rec, "concrete_inputs");
	if (!c.dims || !c.kinds) {
		rc = tp_fail(err, TP_BAD, "output.none", 0, "the trace has no "
		    "shapes of it: record it with record_shapes=True");
	} else if (!fit(doc, &c, tp_torch_takes(c.models, op, strlen(op)),
	    rec)) {
		types = cJSON_PrintUnformatted(c.kinds);
		rc = tp_fail(err, TP_BAD, "output.none", 0, "its arguments fit "
		    "no signature in share/ops: %.200s",
		    types ? types : "");
		cJSON_free(types);
	}
	cJSON_Delete(c.dims);
	cJSON_Delete(c.kinds);
	cJSON_Delete(c.strides);
	cJSON_Delete(c.values);
	return rc;
}

int
tp_replay_script(struct tp_buf *out, const struct tp_buf *template,
    const struct tp_buf *calls, struct tp_err *err)
{
	static const char mark[] = "@CALLS@";
	const char *at = template->p ? strstr(template->p, mark) : NULL;

	if (!at)
		return tp_share_fail(err, TP_BAD,
		    "there is no %s in share/replay/torch.py", mark);
	tp_buf_add(out, template->p, (size_t)(at - template->p));
	/* escape quotes, which can only be in texts, for the literal */
	for (size_t i = 0; i < calls->len; i++)
		if (calls->p[i] == '\'')
			tp_buf_str(out, "\\u0027");
		else
			tp_buf_chr(out, calls->p[i]);
	tp_buf_str(out, at + strlen(mark));
	return 0;
}
