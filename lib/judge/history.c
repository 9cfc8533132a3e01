/* history - read what gates have put on record */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/history.h>
#include <tp/lines.h>
#include <tp/text.h>

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void
tp_history_fold(struct tp_buf *buf, const char *text)
{
	const char *start = text;

	while (*text) {
		/* the digits of "p90" are part of a name */
		if (!tp_is_digit(*text) || (text > start &&
		    is_letter(text[-1]))) {
			do
				tp_buf_chr(buf, *text++);
			while (tp_is_digit(*text) && is_letter(text[-1]));
			while (text > start && tp_is_digit(text[-1]) &&
			    tp_is_digit(*text))
				tp_buf_chr(buf, *text++);
			continue;
		}
		if (text > start && strchr("-+<>", text[-1]) && buf->len)
			buf->p[--buf->len] = '\0';
		while (tp_is_digit(*text) || ((*text == '.' || *text == ',') &&
		    tp_is_digit(text[1])))
			text++;
		tp_buf_chr(buf, 'N');
	}
}

static void
add_message(struct tp_history_series *h, const char *text, int warning)
{
	struct tp_history_message *m;
	struct tp_buf folded = { 0 };
	ptrdiff_t at;
	size_t run = h->run_count, had = h->texts.count;

	tp_history_fold(&folded, text);
	/* keep failures and warnings of equal text apart */
	tp_buf_add(&folded, warning ? "\0w" : "\0f", 2);
	at = tp_names_add(&h->texts, folded.p, folded.len);
	tp_buf_release(&folded);
	TP_ITEM(h->messages, h->message_cap, at);
	m = &h->messages[at];
	if (h->texts.count > had) {
		m->first = m->since = run;
		m->warning = warning;
	} else if (m->last + 1 < run) {
		m->since = run;
	}
	if (!m->times || m->last != run)
		m->times++;
	m->last = run;
}

/*
 * Add X, the mean of OF runs, as METRIC of the run being added.  CHECK, or
 * NULL, is the check that has it.
 */
static void
add_point(struct tp_history_series *h, const char *metric, double x,
    const double *runs, size_t of, const struct cJSON *check)
{
	struct tp_history_metric *m;
	ptrdiff_t at = tp_names_add(&h->metric_names, metric, strlen(metric));

	TP_ITEM(h->metrics, h->metric_cap, at);
	m = &h->metrics[at];
	m->decides |= tp_json_text(check, "decides") != NULL;
	m->is_level |= check != NULL;
	/* several gates may check one metric */
	if (m->count && m->points[m->count - 1].run == h->run_count)
		return;
	TP_APPEND(m->points, m->count, m->cap, (struct tp_history_point){
	    .run = h->run_count, .x = x, .of = of, .runs = runs });
}

static int
is_value(double x)
{
	return fabs(x) < 9e18;
}

static void
add_check(struct tp_history_series *h, const struct cJSON *check)
{
	const char *metric = tp_json_text(check, "metric");
	const struct cJSON *list = tp_json_get(check, "after_runs"), *i;
	double x = 0, *runs;
	size_t n = 0;

	if (!metric)
		return;
	runs = tp_arena_get(&h->arena, ((size_t)cJSON_GetArraySize(list) + 1) *
	    sizeof *runs);
	cJSON_ArrayForEach(i, list)
		if (cJSON_IsNumber(i) && is_value(i->valuedouble)) {
			x += i->valuedouble;
			runs[n++] = i->valuedouble;
		}
	if (n)
		x /= (double)n;
	else if (tp_json_number(check, "after", &x) && is_value(x))
		n = 1;
	if (n)
		add_point(h, metric, x, n > 1 ? runs : NULL, n, check);
}

static void
add_messages(struct tp_history_series *h, const struct cJSON *list, int warning)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, list)
		if (cJSON_IsString(i))
			add_message(h, i->valuestring, warning);
}

/* A trace recorded twice counts as one run. */
static void
replace_same(struct tp_history_series *h, const char *sha256)
{
	for (size_t i = 0; sha256 && i < h->run_count; i++)
		if (h->runs[i].sha256 && !strcmp(h->runs[i].sha256, sha256))
			h->runs[i].is_accepted = 0;
}

static void
add_entry(struct tp_history_series *h, const struct cJSON *doc,
    enum tp_gate_status status, size_t number)
{
	const struct cJSON *accepted = tp_json_get(doc, "accepted");
	const char *label = tp_json_text(doc, "label");
	const char *sha256 = tp_json_text(doc, "trace_sha256");
	struct tp_history_entry *e;
	char name[32];

	tp_grow(&h->runs, &h->run_cap, h->run_count + 1, sizeof *e);
	snprintf(name, sizeof name, "#%zu", number);
	e = &h->runs[h->run_count];
	e->name = tp_arena_text(&h->arena, label ? label : name,
	    strlen(label ? label : name));
	e->sha256 = sha256 ? tp_arena_text(&h->arena, sha256,
	    strlen(sha256)) : NULL;
	replace_same(h, sha256);
	e->label = label ? e->name : NULL;
	e->is_restart = cJSON_IsTrue(tp_json_get(doc, "restart"));
	e->is_accepted = e->is_restart || (cJSON_IsBool(accepted) ?
	    cJSON_IsTrue(accepted) : status != TP_GATE_FAIL);
	h->run_count++;
	h->status_counts[status]++;
	h->last_status = status;
}

static void
add_run(struct tp_history_series *h, const struct cJSON *doc,
    enum tp_gate_status status, size_t number)
{
	const struct cJSON *a = tp_json_get(doc, "assessment"), *i;

	add_messages(h, tp_json_get(a, "failures"), 0);
	add_messages(h, tp_json_get(a, "warnings"), 1);
	tp_history_promises_add(&h->promises, tp_json_get(doc, "promises"));
	cJSON_ArrayForEach(i, tp_json_get(a, "metrics"))
		if (cJSON_IsNumber(i) && i->string && is_value(i->valuedouble))
			add_point(h, i->string, i->valuedouble, NULL, 1, NULL);
	cJSON_ArrayForEach(i, tp_json_get(a, "checks"))
		add_check(h, i);
	add_entry(h, doc, status, number);
}

/* The series NAME, created when new. */
static struct tp_history_series *
series_of(struct tp_history *h, const char *name)
{
	ptrdiff_t at = tp_names_add(&h->names, name, strlen(name));

	return TP_ITEM(h->series, h->series_cap, at);
}

int
tp_history_add(struct tp_history *h, const char *line, size_t len,
    struct tp_err *err)
{
	struct cJSON *doc = cJSON_ParseWithLength(line, len);
	const char *text = tp_json_text(tp_json_get(doc, "assessment"),
	    "status");
	const char *name = tp_json_text(doc, "series");
	struct tp_history_series *series;
	int status = TP_GATE_FAIL, rc = 0;

	while (status >= 0 && (!text || strcmp(text,
	    tp_gate_status_name((enum tp_gate_status)status))))
		status--;
	if (status < 0) {
		rc = tp_fail(err, TP_BAD, "history.damaged", 0, doc ?
		    "not a run: its assessment has no known status" :
		    "not JSON");
	} else {
		series = series_of(h, name ? name : "");
		add_run(series, doc, (enum tp_gate_status)status,
		    ++h->run_count);
	}
	cJSON_Delete(doc);
	return rc;
}

int
tp_history_load(struct tp_history *h, const char *file, uint64_t *damaged,
    uint64_t *line, struct tp_err *err)
{
	struct tp_lines lines;
	struct stat st;
	struct tp_in *in;
	const char *text;
	size_t len;
	int rc = lstat(file, &st);

	if (rc < 0 && errno == ENOENT)
		return 0;
	/* anything but a regular file could be endless */
	if (!rc && !S_ISREG(st.st_mode))
		return tp_fail(err, TP_IO, "input.failed", 0, "cannot read "
		    "'%.200s': a history is a file, not a link or device",
		    file);
	in = tp_in_open(file, err);
	if (!in)
		return -1;
	tp_lines_init(&lines, in);
	while ((rc = tp_lines_next(&lines, &text, &len, err)) > 0) {
		if (!len || !tp_history_add(h, text, len, err))
			continue;
		if (err->status != TP_BAD) {
			rc = -1;
			break;
		}
		if (!(*damaged)++)
			*line = lines.line;
	}
	tp_lines_release(&lines);
	tp_in_close(in);
	return rc;
}

const struct tp_history_series *
tp_history_find(const struct tp_history *h, const char *name)
{
	ptrdiff_t at;

	if (!name)
		name = "";
	at = tp_names_find(&h->names, name, strlen(name));
	return at < 0 ? NULL : &h->series[at];
}

void
tp_history_release(struct tp_history *h)
{
	for (size_t i = 0; i < h->names.count; i++) {
		struct tp_history_series *s = &h->series[i];

		for (size_t k = 0; k < s->metric_names.count; k++)
			tp_free(s->metrics[k].points);
		tp_free(s->metrics);
		tp_free(s->messages);
		tp_free(s->runs);
		tp_names_release(&s->texts);
		tp_names_release(&s->metric_names);
		tp_history_promises_release(&s->promises);
		tp_arena_release(&s->arena);
	}
	tp_free(h->series);
	tp_names_release(&h->names);
}
