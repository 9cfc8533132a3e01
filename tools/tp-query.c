/*
 * tp-query - one value of the records, or the answer to a question
 *
 * A selector names a value as in a template, KIND.KEY or KIND[VALUE].KEY, or
 * whole records, KIND.  The first value is printed, with a warning if there are
 * others.  An argument with a blank is a question about a profile_summary.v1
 * document.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/json.h>
#include <tp/judge/question.h>
#include <tp/order.h>
#include <tp/read/summary.h>
#include <tp/select.h>
#include <tp/share.h>
#include <tp/text.h>
#include <tp/tool.h>
#include <tp/unit.h>

static int raw, all, list;
static int64_t top = 10;
static const char *summary, *question;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "raw", 'r', NULL,
	    "print the value as the record has it, without a unit", &raw },
	{ TP_OPT_FLAG, "all", 'a', NULL,
	    "print a line for every value that the selector matches", &all },
	{ TP_OPT_FLAG, "list", 'l', NULL,
	    "list every selector that matches something in the input", &list },
	{ TP_OPT_TEXT, "summary", 's', "FILE",
	    "ask about this profile_summary.v1 document", &summary },
	{ TP_OPT_TEXT, "question", 'Q', "TEXT",
	    "the question to answer", &question },
	{ TP_OPT_COUNT, "top-k", 'k', "N",
	    "at most N rows of a list in an answer (default: 10)", &top },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals gpu.csv | tp-query -r 'gpu.summary[target].busy_ns'",
	"tp-query 'gpu.summary[target].busy_ratio' out/gpu.jsonl",
	"tp-query --all 'cpu.function.symbol' out/cpu.jsonl",
	"tp-query --list out/gpu.jsonl",
	"tp-query --summary summary.json 'gap before copy.1'",
	"tp-summary trace.json.gz | tp-query 'What should we try next?'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-query",
	.does = "one value of the records, or the answer to a question",
	.operands = "SELECTOR|QUESTION [FILE...]",
	.reads = "records of any kind; for a question a "
	    "profile_summary.v1 document",
	.writes = "a value, or records; a JSON document",
	.group = "judgement",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE,
	.options = options,
};

/* The next record SELECT names that has the value, after *AT. */
static const struct tp_rec *
next_match(const struct tp_set *set, const struct tp_select *select,
    size_t *at)
{
	const struct tp_rec *rec;

	while ((rec = tp_set_next_part(set, select->records,
	    select->records_len, at)))
		if (!select->key || tp_select_field(select, rec))
			return rec;
	return NULL;
}

/* "KIND[CHOICE]", or "KIND" without one. */
static void
name_records(struct tp_buf *buf, const char *kind,
    const struct tp_field *choice)
{
	tp_show_text(buf, kind, strlen(kind));
	if (!choice)
		return;
	tp_buf_chr(buf, '[');
	tp_show_text(buf, choice->text, choice->len);
	tp_buf_chr(buf, ']');
}

/* Add LINE, once, to NAMES; its text is taken over and cleared. */
static void
add_line(struct tp_names *names, struct tp_buf *line)
{
	tp_names_add(names, line->p ? line->p : "", line->len);
	tp_buf_clear(line);
}

/* What the records of KIND are told apart by, then their keys. */
static void
list_kind(const struct tp_set *set, const char *kind, struct tp_names *lines)
{
	struct tp_names parts = { 0 };
	const struct tp_rec *rec;
	struct tp_buf line = { 0 };
	size_t at = 0, i;

	if (!tp_set_next(set, kind, &at))
		return;
	tp_set_parts(set, kind, strlen(kind), &parts);
	name_records(&line, kind, NULL);
	add_line(lines, &line);
	for (i = 0; i < parts.count; i++) {
		tp_show_text(&line, parts.names[i].text, parts.names[i].len);
		add_line(lines, &line);
	}
	tp_names_release(&parts);
	for (at = 0; (rec = tp_set_next(set, kind, &at));)
		for (i = 0; i < rec->count; i++) {
			if (!strcmp(rec->fields[i].key, "kind"))
				continue;
			tp_show_text(&line, kind, strlen(kind));
			tp_buf_chr(&line, '.');
			tp_show_text(&line, rec->fields[i].key,
			    strlen(rec->fields[i].key));
			add_line(lines, &line);
		}
	tp_buf_release(&line);
}

static void
kinds_of(const struct tp_set *set, struct tp_names *kinds)
{
	tp_set_kinds(set, kinds);
}

static void
print_list(struct tp_run *run, const struct tp_set *set)
{
	struct tp_names kinds = { 0 }, lines = { 0 };

	kinds_of(set, &kinds);
	for (size_t i = 0; i < kinds.count; i++)
		list_kind(set, kinds.names[i].text, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		tp_out_raw(&run->out, lines.names[i].text, lines.names[i].len);
		tp_out_raw(&run->out, "\n", 1);
	}
	tp_names_release(&kinds);
	tp_names_release(&lines);
}

/* Nothing is so called: say what is. */
static void
say_absent(struct tp_run *run, const struct tp_set *set)
{
	struct tp_names names = { 0 };
	struct tp_choice choice;
	struct tp_select select;
	size_t kind_len = strcspn(run->first, "[");
	char kind[128], word[128];

	if (tp_select_split(set, run->first, &select)) {
		/* records there are, but none with this key */
		kind_len = strcspn(select.records, "[");
		TP_LEAST(kind_len, select.records_len);
	}
	if (kind_len >= sizeof kind)
		kind_len = sizeof kind - 1;
	memcpy(kind, run->first, kind_len);
	kind[kind_len] = '\0';
	list_kind(set, kind, &names);
	if (names.count) {
		/* offered without what is in brackets */
		snprintf(word, sizeof word, "%s%s", kind,
		    run->first + strlen(kind) + strcspn(run->first +
		    strlen(kind), "."));
		if (tp_names_find(&names, word, strlen(word)) >= 0)
			snprintf(word, sizeof word, "%.*s",
			    (int)strcspn(run->first, "]") + 1, run->first);
	} else {
		kinds_of(set, &names);
		snprintf(word, sizeof word, "%s", run->first);
		if (strrchr(word, '.'))
			*strrchr(word, '.') = '\0';
	}
	tp_choice_init(&choice, word);
	for (size_t i = 0; i < names.count; i++)
		tp_choice_add(&choice, names.names[i].text);
	if (names.count)
		tp_warn(run, "no value is called '%s'; there is: %s",
		    run->first, tp_choice_text(&choice));
	else if (tp_status_now(run) <= TP_NO)	/* else it has been said why */
		tp_warn(run, "no value is called '%s': there is no record",
		    run->first);
	tp_choice_release(&choice);
	tp_names_release(&names);
	tp_status_at_least(run, TP_NO);
}

/* REC as the line it was read from, but for blanks. */
static void
print_record(struct tp_run *run, const struct tp_rec *rec)
{
	struct tp_buf line = { 0 };
	const struct tp_field *f;

	for (size_t i = 0; i < rec->count; i++) {
		f = &rec->fields[i];
		tp_buf_str(&line, i ? ",\"" : "{\"");
		tp_json_escape(&line, f->key, strlen(f->key));
		tp_buf_str(&line, "\":");
		if (f->type == TP_FIELD_TEXT) {
			tp_buf_chr(&line, '"');
			tp_json_escape(&line, f->text, f->len);
			tp_buf_chr(&line, '"');
		} else {
			tp_buf_str(&line, f->len ? f->text : "null");
		}
	}
	tp_buf_str(&line, "}\n");
	tp_out_raw(&run->out, line.p, line.len);
	tp_buf_release(&line);
}

/* Add what FIELD is a share of, when it is a ratio. */
static void
add_base(const struct tp_field *field, struct tp_buf *value)
{
	struct tp_err err;
	cJSON *keys = tp_has_end(field->key, "_ratio") ?
	    tp_share_json("schema/_keys.json", &err) : NULL;
	const char *base = tp_json_text(tp_json_get(tp_json_get(keys,
	    "$defs"), field->key), "description");

	if (base)
		tp_buf_fmt(value, " (%s)", base);
	cJSON_Delete(keys);
}

/* The value that SELECT names in REC, or all of REC. */
static void
print_match(struct tp_run *run, const struct tp_select *select,
    const struct tp_rec *rec)
{
	const struct tp_field *field;
	struct tp_buf value = { 0 }, shown = { 0 }, *printed;

	if (!select->key) {
		print_record(run, rec);
		return;
	}
	field = tp_select_field(select, rec);
	if (raw && select->form)
		tp_die(run, TP_USAGE, "--raw prints a value as it is, not "
		    "as '%s'", select->form);
	if (tp_unit_print(&value, field, raw ? "raw" : select->form) < 0)
		tp_die(run, TP_USAGE, "unknown form '%s' in '%s'",
		    select->form, run->first);
	if (!raw && !all && !select->form)
		add_base(field, &value);
	/* raw is for programs; a terminal must not obey what people see */
	if (!raw)
		tp_show_text(&shown, value.p ? value.p : "", value.len);
	printed = raw ? &value : &shown;
	tp_buf_chr(printed, '\n');
	tp_out_raw(&run->out, printed->p, printed->len);
	tp_buf_release(&value);
	tp_buf_release(&shown);
}

/* What REC may be called that FIRST is not, or NULL. */
static const struct tp_field *
apart(const struct tp_rec *rec, const struct tp_rec *first)
{
	const struct tp_field *choice, *other;
	size_t at = 0;

	while ((choice = tp_rec_choice(rec, &at))) {
		other = tp_rec_field(first, choice->key);
		if (!other || other->len != choice->len ||
		    memcmp(other->text, choice->text, other->len))
			break;
	}
	return choice;
}

/* The first value was printed: say so when there are others. */
static void
warn_others(struct tp_run *run, const struct tp_set *set,
    const struct tp_select *select, const struct tp_rec *first, size_t at)
{
	const struct tp_field *choice = NULL;
	const struct tp_rec *rec;
	struct tp_buf name = { 0 };
	size_t count = 1;

	while ((rec = next_match(set, select, &at))) {
		count++;
		if (!choice)
			choice = apart(rec, first);
	}
	if (count == 1)
		return;
	name_records(&name, first->kind, choice);
	if (choice)
		tp_warn(run, "the first of %zu values; choose another as in "
		    "%s, or take --all", count, name.p);
	else
		tp_warn(run, "the first of %zu values; --all prints them",
		    count);
	tp_buf_release(&name);
}

static void
answer(struct tp_run *run, const struct tp_set *set)
{
	const struct tp_rec *rec = NULL;
	struct tp_select select;
	size_t at = 0;

	if (tp_select_split(set, run->first, &select))
		rec = next_match(set, &select, &at);
	if (!rec) {
		say_absent(run, set);
		return;
	}
	print_match(run, &select, rec);
	if (select.key && !all) {
		warn_others(run, set, &select, rec, at);
		return;
	}
	while ((rec = next_match(set, &select, &at)))
		print_match(run, &select, rec);
}

/* Questions are asked of documents, which other filters do not read so. */
static void
read_documents(struct tp_run *run)
{
	static struct tp_tool documents;
	static char *operand;

	documents = tool;
	documents.flags = TP_TOOL_DOCUMENTS | TP_TOOL_FIRST | TP_TOOL_LATE;
	run->tool = &documents;
	if (!question)
		question = run->first;
	else if (run->first) {	/* it is a file then */
		run->operands--;
		run->operand_count++;
	}
	if (!summary)
		return;
	if (run->operand_count)
		tp_die(run, TP_USAGE, "--summary takes the place of FILE");
	operand = (char *)(uintptr_t)summary;
	run->operands = &operand;
	run->operand_count = 1;
}

/* The forms of questions, for as long as the program runs. */
static struct cJSON *
questions(struct tp_run *run)
{
	static struct cJSON *doc;

	if (!doc && !(doc = tp_questions_load(&run->err)))
		tp_die_err(run);
	return doc;
}

static void
print_forms(struct tp_run *run)
{
	const struct cJSON *form;

	cJSON_ArrayForEach(form, tp_json_get(questions(run), "questions")) {
		const char *asks = tp_json_text(form, "asks");

		tp_out_raw(&run->out, asks, strlen(asks));
		tp_out_raw(&run->out, "\n", 1);
	}
}

/* The question is of no known form: say which there are. */
static void
say_forms(struct tp_run *run)
{
	const struct cJSON *form;

	tp_warn(run, "question not understood; known questions:");
	cJSON_ArrayForEach(form, tp_json_get(questions(run), "questions"))
		tp_warn(run, "  %s", tp_json_text(form, "asks"));
	tp_status_at_least(run, TP_NO);
}

static void
answer_question(struct tp_run *run)
{
	struct tp_buf buf = { 0 };

	run->bare = 1;
	while (tp_next_document(run)) {
		if (tp_summary_check(run->document, &run->err) < 0)
			tp_die_err(run);
		if (!tp_question_answer(questions(run), run->document,
		    question, (size_t)top, &buf)) {
			say_forms(run);
			break;
		}
		tp_out_raw(&run->out, buf.p, buf.len);
		tp_buf_clear(&buf);
	}
	while (tp_next_trace(run))
		;
	tp_buf_release(&buf);
}

int
main(int argc, char *argv[])
{
	static struct tp_set set;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (list && (summary || question)) {
		print_forms(&run);
		return tp_end(&run);
	}
	if (summary || question || (run.first && strchr(run.first, ' '))) {
		read_documents(&run);
		if (!question)
			tp_die(&run, TP_USAGE, "which question? for example: "
			    "'What are the top 10 ops by "
			    "exclusive time?'");
		tp_start(&run);
		answer_question(&run);
		return tp_end(&run);
	}
	if (!run.first && !list)
		tp_die(&run, TP_USAGE, "which value? for example: %s",
		    examples[0]);
	if (list && run.first) {
		/* it is a file then */
		run.operands--;
		run.operand_count++;
	}
	tp_start(&run);
	tp_read_set(&run, &set);
	if (list)
		print_list(&run, &set);
	else
		answer(&run, &set);
	return tp_end(&run);
}
