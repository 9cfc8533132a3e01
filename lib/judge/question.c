/* question - answer a question about a profile_summary.v1 document */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/doc.h>
#include <tp/json.h>
#include <tp/judge/question.h>
#include <tp/share.h>
#include <tp/text.h>

#define FILE_NAME "questions.json"

struct ask {
	const struct cJSON *summary;
	const char *text;	/* the question as asked */
	struct tp_buf low;	/* in lower case */
	size_t top;
	struct tp_doc doc;
};

static int
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static void
add_low(struct tp_buf *buf, const char *text)
{
	for (; *text; text++)
		tp_buf_chr(buf, is_upper(*text) ? *text + 32 : *text);
}

/* The text after the first whole WORD of the question, or NULL. */
static const char *
after(const struct ask *a, const char *word)
{
	const char *low = a->low.p, *p = low;
	size_t n = strlen(word);

	for (; p && (p = strstr(p, word)); p++)
		if ((p == low || !tp_is_word(p[-1])) && !tp_is_word(p[n]))
			return a->text + (p - low) + n;
	return NULL;
}

/*
 * Append TEXT to BUF without surrounding quotes, punctuation and a leading
 * "op".
 */
static void
add_target(struct tp_buf *buf, const char *text)
{
	static const char around[] = " \t\n`\"'?.!,";
	static const char *const lead[] = { "op ", "operation " };
	size_t len;

	text += strspn(text, around);
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(text, lead[i], strlen(lead[i]))) {
			text += strlen(lead[i]);
			text += strspn(text, around);
		}
	len = strlen(text);
	while (len && strchr(around, text[len - 1]))
		len--;
	tp_buf_add(buf, text, len);
}

/* Append the first word like "copy.564" in the question to BUF. */
static void
add_numbered(struct tp_buf *buf, const char *text)
{
	const char *start = text, *dot, *end;

	for (dot = text; (dot = strchr(dot, '.')); dot++) {
		for (start = dot; start > text && (tp_is_word(start[-1]) ||
		    start[-1] == '-' || start[-1] == '.'); start--)
			;
		for (end = dot + 1; tp_is_digit(*end); end++)
			;
		if (start < dot && end > dot + 1 && !tp_is_word(*end)) {
			tp_buf_add(buf, start, (size_t)(end - start));
			return;
		}
	}
}

static double
number_of(const struct cJSON *row, const char *key)
{
	double x = 0;

	tp_json_number(row, key, &x);
	return x;
}

/* Whether TEXT equals NAME (EXACT) or contains it, ignoring case. */
static int
same(const char *text, const char *name, int exact)
{
	struct tp_buf a = { 0 }, b = { 0 };
	int yes;

	if (!text)
		return 0;
	add_low(&a, text);
	add_low(&b, name);
	yes = a.p && b.p && (exact ? !strcmp(a.p, b.p) :
	    strstr(a.p, b.p) != NULL);
	tp_buf_release(&a);
	tp_buf_release(&b);
	return yes;
}

/* Write at most TOP rows of LIST, unchanged. */
static void
copy_entries(struct ask *a, const char *key, const struct cJSON *list,
    size_t top)
{
	const struct cJSON *row;

	tp_doc_array(&a->doc, key);
	cJSON_ArrayForEach(row, list) {
		if (!top--)
			break;
		tp_doc_json(&a->doc, NULL, row);
	}
	tp_doc_close(&a->doc, ']');
}

static const struct cJSON *
list_of(const struct ask *a, const char *key)
{
	return tp_json_get(a->summary, key);
}

static void
start(struct ask *a)
{
	tp_doc_object(&a->doc, NULL);
}

static void
end(struct ask *a, const char *type)
{
	tp_doc_text(&a->doc, "query_type", type);
}

static void
top_ops(struct ask *a)
{
	size_t top = a->top;
	const char *p = a->low.p;

	for (; *p; p++)
		if (tp_is_digit(*p) && (p == a->low.p || (!tp_is_word(p[-1]) &&
		    p[-1] != '.'))) {
			top = (size_t)strtoul(p, NULL, 10);
			break;
		}
	end(a, "top_ops");
	copy_entries(a, "results", list_of(a, "hot_ops"), top);
}

static double
share_of(const struct ask *a, const char *part)
{
	return number_of(tp_json_get(tp_json_get(a->summary,
	    "time_breakdown"), part), "share_of_total");
}

static void
dominant(struct ask *a)
{
	double comm = share_of(a, "communication");
	double compute = share_of(a, "compute");

	copy_entries(a, "communication_breakdown", list_of(a,
	    "communication_ops"), a->top);
	tp_doc_float(&a->doc, "communication_share", comm);
	tp_doc_float(&a->doc, "compute_share", compute);
	tp_doc_text(&a->doc, "dominant",
	    comm > compute ? "communication" : "compute");
	end(a, "compute_vs_communication");
}

static void
collectives(struct ask *a)
{
	end(a, "collective_breakdown");
	copy_entries(a, "results", list_of(a, "communication_ops"), a->top);
}

/* The gap that TARGET names, by rank, or NULL. */
static const struct cJSON *
gap_of(const struct ask *a, const char *target)
{
	static const char *const keys[] = { "name", "payload_op",
		"marker_op" };
	const struct cJSON *row;

	for (int exact = 1; exact >= 0; exact--)
		cJSON_ArrayForEach(row, list_of(a, "gap_before_ops"))
			for (size_t i = 0; i < 3; i++)
				if (same(tp_json_text(row, keys[i]), target,
				    exact))
					return row;
	return NULL;
}

/*
 * Write the contexts of operations that equal or contain TARGET; NULL: all.
 * Returns their number.
 */
static size_t
contexts(struct ask *a, const char *key, const char *target)
{
	const struct cJSON *list = list_of(a, "gap_region_contexts"), *row;
	size_t n = 0;

	tp_doc_array(&a->doc, key);
	for (int exact = 1; exact >= 0 && !n; exact--)
		cJSON_ArrayForEach(row, list) {
			if (n >= a->top)
				break;
			if (target && !same(tp_json_text(row, "op_name"),
			    target, exact))
				continue;
			tp_doc_json(&a->doc, NULL, row);
			n++;
		}
	tp_doc_close(&a->doc, ']');
	return n;
}

static void
gap_before(struct ask *a)
{
	struct tp_buf target = { 0 };
	const struct cJSON *match;
	const char *name;

	if ((name = after(a, "before")))
		add_target(&target, name);
	if (target.len) {
		match = gap_of(a, target.p);
		name = match ? tp_json_text(match, "name") : NULL;
		contexts(a, "context", name ? name : target.p);
		if (match)
			tp_doc_json(&a->doc, "match", match);
		else
			tp_doc_null(&a->doc, "match");
	}
	end(a, "pre_op_gap");
	if (target.len)
		tp_doc_text(&a->doc, "target", target.p);
	copy_entries(a, "top_gaps", list_of(a, "gap_before_ops"), a->top);
	tp_buf_release(&target);
}

/*
 * Write what a document of ours says about TARGET, which has no gap before
 * it.
 */
static void
whereabouts(struct ask *a, const char *target)
{
	const struct cJSON *row;
	size_t left = a->top;

	tp_doc_object(&a->doc, "tracepipe");
	cJSON_ArrayForEach(row, list_of(a, "hot_ops"))
		if (same(tp_json_text(row, "name"), target, 1)) {
			tp_doc_json(&a->doc, "operation", row);
			break;
		}
	tp_doc_array(&a->doc, "regions");
	cJSON_ArrayForEach(row, list_of(a, "device_op_region_aggregates"))
		if (left && same(tp_json_text(row, "op_name"), target, 1)) {
			tp_doc_json(&a->doc, NULL, row);
			left--;
		}
	tp_doc_close(&a->doc, ']');
	tp_doc_close(&a->doc, '}');
}

static void
gap_context(struct ask *a)
{
	static const char *const words[] = { "for", "of", "op" };
	struct tp_buf target = { 0 };
	const char *name = NULL;
	size_t n;

	for (size_t i = 0; !name && i < 3; i++)
		name = after(a, words[i]);
	if (name)
		add_target(&target, name);
	else
		add_numbered(&target, a->text);
	end(a, "gap_region_context");
	n = contexts(a, "results", target.len ? target.p : NULL);
	tp_doc_maybe(&a->doc, "target", target.p);
	if (!n && target.len && list_of(a, "tracepipe"))
		whereabouts(a, target.p);
	tp_buf_release(&target);
}

/* Inclusive time of the root of region PATH, or of the largest root. */
static double
root_of(const struct cJSON *list, const char *path)
{
	const char *sign = strstr(path, "=>"), *name;
	size_t len = sign ? (size_t)(sign - path) : strlen(path);
	const struct cJSON *row;
	double largest = 0, n;

	cJSON_ArrayForEach(row, list) {
		name = tp_json_text(row, "path");
		n = number_of(row, "inclusive_duration");
		if (!name || number_of(row, "depth") != 1)
			continue;
		if (strlen(name) == len && !memcmp(name, path, len))
			return n;
		if (n > largest)
			largest = n;
	}
	return largest;
}

static void
add_share(struct ask *a, const char *key, double part, double whole)
{
	tp_doc_float(&a->doc, key, whole > 0 ? part / whole : 0);
}

static void
regions(struct ask *a)
{
	const struct cJSON *list = list_of(a, "hierarchical_regions");
	const struct cJSON *row, *i;
	size_t left = a->top;

	end(a, "hierarchical_regions");
	tp_doc_array(&a->doc, "results");
	cJSON_ArrayForEach(row, list) {
		const char *path = tp_json_text(row, "path");
		double root = path ? root_of(list, path) : 0;

		if (!left--)
			break;
		tp_doc_object(&a->doc, NULL);
		cJSON_ArrayForEach(i, row)
			tp_doc_json(&a->doc, i->string, i);
		add_share(a, "exclusive_share_of_total",
		    number_of(row, "exclusive_duration"), root);
		add_share(a, "inclusive_share_of_total",
		    number_of(row, "inclusive_duration"), root);
		tp_doc_close(&a->doc, '}');
	}
	tp_doc_close(&a->doc, ']');
}

static void
bound(struct ask *a)
{
	tp_doc_text(&a->doc, "details", "Timings alone cannot tell whether "
	    "memory or arithmetic limits an operation; hardware counters "
	    "could.");
	end(a, "bound_analysis");
	tp_doc_text(&a->doc, "result", "unsupported_from_trace_only");
}

static void
comparison(struct ask *a)
{
	tp_doc_text(&a->doc, "details", "One summary has nothing to compare "
	    "with: compare it with the summary of another run.");
	end(a, "comparison_hint");
}

static void
candidates(struct ask *a)
{
	end(a, "optimization_candidates");
	copy_entries(a, "results", list_of(a, "optimization_candidates"),
	    SIZE_MAX);
}

static void
step_time(struct ask *a)
{
	end(a, "step_time");
	tp_doc_json(&a->doc, "results", list_of(a, "step_time"));
}

/* Write the breakdown, and of each device if the document is ours. */
static void
breakdown(struct ask *a)
{
	const struct cJSON *devices = tp_json_get(list_of(a, "tracepipe"),
	    "devices");

	if (devices)
		tp_doc_json(&a->doc, "devices", devices);
	end(a, "time_breakdown");
	tp_doc_json(&a->doc, "results", list_of(a, "time_breakdown"));
}

static const struct {
	const char *type;
	void (*answer)(struct ask *);
} answers[] = {
	{ "top_ops", top_ops }, { "compute_vs_communication", dominant },
	{ "collective_breakdown", collectives }, { "pre_op_gap", gap_before },
	{ "gap_region_context", gap_context },
	{ "hierarchical_regions", regions }, { "bound_analysis", bound },
	{ "comparison_hint", comparison }, { "step_time", step_time },
	{ "time_breakdown", breakdown },
	{ "optimization_candidates", candidates },
};

/* Whether the question contains a word of LIST. */
static int
has_word(const struct ask *a, const struct cJSON *list)
{
	const struct cJSON *i;
	const char *p = a->low.p;
	size_t len;

	for (; p && *p; p += len) {
		for (len = 0; tp_is_word(p[len]) || p[len] == '-'; len++)
			continue;
		cJSON_ArrayForEach(i, list)
			if (len && i->valuestring &&
			    tp_glob(i->valuestring, p, len))
				return 1;
		len += !len;
	}
	return 0;
}

/* Whether the question contains a word of each group of FORM. */
static int
fits(const struct ask *a, const struct cJSON *form)
{
	const struct cJSON *group, *groups = tp_json_get(form, "words");

	cJSON_ArrayForEach(group, groups)
		if (!has_word(a, group))
			return 0;
	return cJSON_GetArraySize(groups) > 0;
}

/* The function that answers FORM; NULL when its type is unknown. */
static void (*
answer_of(const struct cJSON *form))(struct ask *)
{
	const char *type = tp_json_text(form, "type");

	for (size_t i = 0; type && i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(answers[i].type, type))
			return answers[i].answer;
	return NULL;
}

struct cJSON *
tp_questions_load(struct tp_err *err)
{
	struct cJSON *doc = tp_share_json(FILE_NAME, err);
	const struct cJSON *form;

	cJSON_ArrayForEach(form, tp_json_get(doc, "questions"))
		if (!tp_json_text(form, "asks") || !answer_of(form)) {
			tp_share_fail(err, TP_BAD,
			    "share/" FILE_NAME ": a question asks nothing, "
			    "or is of no known type");
			cJSON_Delete(doc);
			return NULL;
		}
	return doc;
}

int
tp_question_answer(const struct cJSON *questions, const struct cJSON *summary,
    const char *question, size_t top, struct tp_buf *buf)
{
	struct ask a = { .summary = summary, .text = question, .top = top,
	    .doc = { .buf = buf } };
	const struct cJSON *form;
	int known = 0;

	add_low(&a.low, question);
	cJSON_ArrayForEach(form, tp_json_get(questions, "questions")) {
		known = fits(&a, form);
		if (known)
			break;
	}
	if (known) {
		start(&a);
		answer_of(form)(&a);
		tp_doc_close(&a.doc, '}');
	}
	tp_buf_release(&a.low);
	return known;
}
