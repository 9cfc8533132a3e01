/*
 * rule_apply - apply rules to the records of a trace, and write what fires,
 * ranked
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/hash.h>
#include <tp/json.h>
#include <tp/judge/rule.h>
#include <tp/order.h>
#include <tp/show/section.h>
#include <tp/show/template.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "rule_file.h"

/* Nobody reads more proposals than this. */
#define PROPOSALS_MAX 7

/* A rule that fired; for one record if it has an "each". */
struct firing {
	const struct rule *rule;
	struct tp_rec rec;	/* a copy, since the set grows; no kind: none */
	const struct rule_advice *advice;	/* or NULL */
	char *id;
	const char *section;	/* of findings and remarks */
	const char *tier;	/* of a finding's section, or NULL */
	int severity;
	int has_impact;
	int64_t impact_ns;
	int64_t weight_ns;	/* at most the impact, if there is one */
	int64_t time_ns;	/* without an impact: what could be saved of; 0:
				 * not known */
	double impact_ratio;	/* of the judge's whole_ns; 0: not known */
	size_t order;
};

struct firings {
	struct firing *list;
	size_t count, cap;
};

static const struct tp_rec *
rec_of(const struct firing *f)
{
	return f->rec.kind ? &f->rec : NULL;
}

/* The judgement of one trace. */
struct judge {
	const struct tp_rules *rules;
	struct rule_scope at;	/* current rule, over the set */
	struct tp_set set;	/* records of the trace, and of judgements so
				 * far */
	struct tp_out *out;
	struct tp_out line;	/* the record being built; no descriptor */
	struct tp_buf text;	/* rendered */
	struct firings found;
	const char **groups;	/* groups that have fired */
	size_t group_count, group_cap;
	struct chosen {
		const struct rule_proposal *p;
		const struct firing *f;
	} chosen[PROPOSALS_MAX];
	size_t chosen_count;
	size_t priority;	/* number of findings of the tier so far */
	int64_t whole_ns;	/* what impacts are a part of; 0: not known */
	const cJSON *silent;	/* sections of which nothing is said, or
				 * NULL */
};

static int
group_done(const struct judge *j, const struct rule *rule)
{
	for (size_t i = 0; rule->group && i < j->group_count; i++)
		if (!strcmp(j->groups[i], rule->group))
			return 1;
	return 0;
}

static const struct rule_advice *
advice_on(const struct rule_repo *repo, const char *id)
{
	for (size_t i = 0; i < repo->advice_count; i++)
		if (!strcmp(repo->advice[i].id, id))
			return &repo->advice[i];
	return NULL;
}

/* "id", or "id-2" for the second record the rule fired for. */
static char *
id_of(struct judge *j, const struct rule *rule, size_t nth)
{
	struct tp_buf id = { 0 };
	char *copy = NULL;

	tp_buf_str(&id, rule->id);
	if (nth > 1) {
		tp_buf_chr(&id, '-');
		tp_buf_int(&id, (int64_t)nth);
	}
	copy = tp_arena_text(&j->set.arena, id.p, id.len);
	tp_buf_release(&id);
	return copy;
}

/* Fail with "METRIC of the rule is WHAT".  Always returns -1. */
static int
rule_wrong(const struct rule_scope *s, const char *metric, const char *what)
{
	return tp_fail(s->err, TP_BAD, "rule.type", 0,
	    "%s: rule '%.60s': '%.80s' %s", s->rule->file, s->rule->id,
	    metric, what);
}

/* Set the section of F, which a metric may name, and its tier. */
static int
set_section(struct judge *j, struct firing *f)
{
	const char *metric = f->rule->section_of, *name = f->rule->section;
	const struct tp_field *of;

	f->tier = NULL;
	f->section = name;
	if (f->rule->emit != EMIT_FINDING)
		return 0;
	if (metric) {
		if (tp_rule_look_up(&j->at, rec_of(f), metric, &of) < 0)
			return -1;
		name = of && of->type == TP_FIELD_TEXT ? of->text : "";
	}
	f->section = tp_rule_find_section(j->rules, name, &f->tier);
	return f->section ? 0 : rule_wrong(&j->at, metric,
	    "is no section of findings");
}

static int
all_hold(const struct rule_scope *s, const struct tp_rec *rec,
    const struct tp_conds *conds)
{
	int rc = 1;

	for (size_t i = 0; i < conds->count && rc > 0; i++)
		rc = tp_rule_holds(s, rec, &conds->list[i]);
	return rc;
}

/*
 * A record that promises no gain still has its time: so long is what F is
 * about.
 */
static int
weigh_time(struct judge *j, struct firing *f)
{
	static const char gain[] = ".gain_ns", time[] = ".time_ns";
	size_t len = strlen(f->rule->impact), tail = sizeof gain - 1;
	const struct tp_field *of = NULL;
	struct tp_buf metric = { 0 };
	int rc = 0;

	if (len > tail && !strcmp(f->rule->impact + len - tail, gain)) {
		tp_buf_add(&metric, f->rule->impact, len - tail);
		tp_buf_str(&metric, time);
		rc = tp_rule_look_up(&j->at, rec_of(f), metric.p, &of);
	}
	tp_buf_release(&metric);
	if (!rc && of && of->type == TP_FIELD_INT && of->n > 0)
		f->time_ns = f->weight_ns = of->n;
	return rc;
}

static int
weigh(struct judge *j, struct firing *f)
{
	const struct tp_field *impact = NULL;
	int rc;

	f->severity = f->rule->severity;
	if (f->rule->worse_when.count) {
		rc = all_hold(&j->at, rec_of(f), &f->rule->worse_when);
		if (rc < 0)
			return -1;
		if (rc)
			f->severity = f->rule->worse;
	}
	if (!f->rule->impact)
		return 0;
	if (tp_rule_look_up(&j->at, rec_of(f), f->rule->impact, &impact) < 0)
		return -1;
	if (!impact)
		return weigh_time(j, f);
	if (impact->type != TP_FIELD_INT)
		return rule_wrong(&j->at, f->rule->impact,
		    "is the impact but no whole number");
	f->has_impact = impact->n > 0;
	f->impact_ns = f->weight_ns = impact->n;
	if (!f->rule->weight)
		return 0;
	if (tp_rule_look_up(&j->at, rec_of(f), f->rule->weight, &impact) < 0)
		return -1;
	if (impact && impact->type == TP_FIELD_INT)
		TP_LEAST(f->weight_ns, impact->n);
	return 0;
}

/* Whether the verdict forbids F, because of its section. */
static int
is_silent(const struct judge *j, const struct firing *f)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, j->silent)
		if (f->section && !f->rule->is_own && cJSON_IsString(c) &&
		    !strcmp(c->valuestring, f->section))
			return 1;
	return 0;
}

static int
add_firing(struct judge *j, struct firings *to, const struct rule *rule,
    const struct tp_rec *rec, size_t nth)
{
	struct firing *f;

	tp_grow(&to->list, &to->cap, to->count + 1, sizeof *f);
	f = &to->list[to->count];
	memset(f, 0, sizeof *f);
	f->rule = rule;
	if (rec)
		f->rec = *rec;
	f->order = to->count;
	f->advice = advice_on(&j->rules->repo, rule->id);
	f->id = id_of(j, rule, nth);
	if (set_section(j, f) < 0 || weigh(j, f) < 0)
		return -1;
	if (is_silent(j, f))
		return 0;
	to->count++;
	if (!rule->group || group_done(j, rule))
		return 0;
	TP_APPEND(j->groups, j->group_count, j->group_cap, rule->group);
	return 0;
}

static int
try_each(struct judge *j, const struct rule *rule, struct firings *to)
{
	size_t at = 0, nth = 0, len = strlen(rule->each);
	const struct tp_rec *rec;
	int rc;

	while ((rec = tp_set_next_part(&j->set, rule->each, len, &at))) {
		rc = tp_rule_fires(&j->at, rec);
		if (rc < 0)
			return -1;
		if (!rc)
			continue;
		if (add_firing(j, to, rule, rec, ++nth) < 0)
			return -1;
		if (nth == rule->limit)
			break;
	}
	return 0;
}

/*
 * Append every firing of rules that emit EMIT to TO.  Verdicts are tried first:
 * they may silence sections.
 */
static int
try_rules(struct judge *j, enum rule_emit emit, struct firings *to)
{
	const struct rule *rule;
	int rc;

	for (size_t i = 0; i < j->rules->count; i++) {
		rule = j->at.rule = &j->rules->rules[i];
		if (rule->emit != emit || group_done(j, rule))
			continue;
		if (rule->each) {
			if (try_each(j, rule, to) < 0)
				return -1;
			continue;
		}
		rc = tp_rule_fires(&j->at, NULL);
		if (rc < 0 || (rc && add_firing(j, to, rule, NULL, 1) < 0))
			return -1;
		if (rc && rule->silences)
			j->silent = rule->silences;
	}
	return 0;
}

static int
is_weighed(const struct firing *f)
{
	return f->has_impact || f->time_ns;
}

static int
by_weight(const void *left, const void *right)
{
	const struct firing *a = left, *b = right;

	if (is_weighed(a) != is_weighed(b))
		return is_weighed(a) ? -1 : 1;
	if (a->weight_ns != b->weight_ns)
		return a->weight_ns > b->weight_ns ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity < b->severity ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/*
 * Set *NS to the part of the impact of F that the impact of OTHER holds too:
 * because the rule of F NAMES that of OTHER, or because other processes lose
 * this time to this process.
 */
static int
find_shared(struct judge *j, const struct firing *f, const struct rule *other,
    int names, int64_t *ns)
{
	const char *metric = tp_json_text(f->rule->part_of, other->id);
	const struct tp_field *field = NULL;

	*ns = !names && f->rule->of_others && !other->of_others ?
	    f->impact_ns : 0;
	if (!names || !metric)
		return 0;
	j->at.rule = f->rule;
	if (tp_rule_look_up(&j->at, rec_of(f), metric, &field) < 0)
		return -1;
	if (field && field->type == TP_FIELD_INT)
		*ns = field->n;
	return 0;
}

/*
 * Time that other processes lose by waiting for this one is also in findings
 * about this one, and a part of the time of a finding may have a finding of
 * its own.  It is promised only once: subtract it from those, the named ones
 * first, and of these the largest.
 */
static int
take_from_others(struct judge *j)
{
	int64_t left, part;

	for (size_t i = 0; i < j->found.count; i++) {
		left = j->found.list[i].impact_ns;
		for (size_t k = 0; k < 2 * j->found.count && left > 0; k++) {
			struct firing *f = &j->found.list[k % j->found.count];

			if (find_shared(j, &j->found.list[i], f->rule,
			    k < j->found.count, &part) < 0)
				return -1;
			if (!f->has_impact || part <= 0)
				continue;
			TP_LEAST(part, left);
			TP_LEAST(part, f->impact_ns);
			f->impact_ns -= part;
			TP_LEAST(f->weight_ns, f->impact_ns);
			f->has_impact = f->impact_ns > 0;
			left -= part;
		}
	}
	return 0;
}

/*
 * The severity of a finding that says what it costs follows from that; the
 * costliest is never low.
 */
static int
grade(struct judge *j)
{
	const struct rule_grades *g = &j->rules->grades;
	const struct tp_field *of;
	struct firing *f;

	j->at.rule = j->found.list[0].rule;
	if (!g->of)
		return 0;
	if (tp_rule_look_up(&j->at, NULL, g->of, &of) < 0)
		return -1;
	if (of && of->type == TP_FIELD_INT && of->n > 0)
		j->whole_ns = of->n;
	for (size_t i = 0; i < j->found.count && j->whole_ns; i++) {
		f = &j->found.list[i];
		if (!f->has_impact || f->impact_ns > j->whole_ns)
			continue;
		f->impact_ratio = (double)f->impact_ns / (double)j->whole_ns;
		for (f->severity = 0; f->impact_ratio < g->least[f->severity];)
			f->severity++;
		if (!i)
			TP_LEAST(f->severity, 1);
	}
	return 0;
}

/* Of several findings of a rule the first in order has its plain id. */
static void
number_by_rank(struct judge *j)
{
	const struct firing *list = j->found.list;

	for (size_t i = 0; i < j->found.count; i++) {
		size_t nth = 1;

		for (size_t k = 0; k < i; k++)
			nth += list[k].rule == list[i].rule;
		j->found.list[i].id = id_of(j, list[i].rule, nth);
	}
}

static int
rank_findings(struct judge *j)
{
	struct firings *found = &j->found;

	if (!found->count)
		return 0;
	qsort(found->list, found->count, sizeof *found->list, by_weight);
	if (take_from_others(j) < 0)
		return -1;
	qsort(found->list, found->count, sizeof *found->list, by_weight);
	number_by_rank(j);
	return grade(j);
}

/*
 * Text is rendered before its record is begun, because a missing value
 * writes a note.
 */
static void
missing(void *arg, const char *name)
{
	struct judge *j = arg;

	tp_out_note(j->out, "template.missing", 0, 1,
	    "the text of rule '%.60s' has no value for '%.80s'",
	    j->at.rule->id, name);
}

static int
add_text(struct judge *j, const struct firing *f, const char *text)
{
	struct tp_template t = { .set = &j->set, .current = rec_of(f),
	    .partial = tp_section_read, .missing = missing, .arg = j };
	struct tp_err why;

	j->at.rule = f->rule;
	if (!tp_template_render(&t, text, strlen(text), &j->text, &why))
		return 0;
	return tp_fail(j->at.err, why.status, why.code, 0,
	    "%s: rule '%.60s': %.180s", f->rule->file, f->rule->id, why.text);
}

/*
 * Dropped sections leave blanks: keep one, none at the end, where a part leaves
 * the end of its line.
 */
static void
close_up(struct tp_buf *text)
{
	size_t to = 0;

	for (size_t from = 0; from < text->len; from++)
		if (text->p[from] != ' ' || (to && text->p[to - 1] != ' '))
			text->p[to++] = text->p[from];
	while (to && (text->p[to - 1] == ' ' || text->p[to - 1] == '\n'))
		to--;
	if (text->p)
		text->p[to] = '\0';
	text->len = to;
}

/* Render TEXT, followed by the repository's MORE, into j->text. */
static int
render(struct judge *j, const struct firing *f, const char *text,
    const char *more)
{
	tp_buf_clear(&j->text);
	if (add_text(j, f, text) < 0)
		return -1;
	if (more) {
		tp_buf_chr(&j->text, ' ');
		if (add_text(j, f, more) < 0)
			return -1;
	}
	close_up(&j->text);
	return 0;
}

static void
begin_rule_record(struct judge *j, const char *kind)
{
	tp_buf_clear(&j->line.buf);
	tp_out_begin(&j->line, kind);
}

/* Write the record being built; KEEP: later templates may refer to it. */
static int
end(struct judge *j, int keep)
{
	struct tp_buf *b = &j->line.buf;

	tp_buf_str(b, "}");
	if (keep && tp_set_add(&j->set, b->p, b->len, j->at.err) < 0)
		return -1;
	tp_out_raw(j->out, b->p, b->len);
	tp_out_raw(j->out, "\n", 1);
	return 0;
}

static void
put_text(struct judge *j)
{
	tp_out_bytes(&j->line, "text", j->text.p ? j->text.p : "",
	    j->text.len);
}

static int
emit_repo(struct judge *j)
{
	const struct rule_repo *repo = &j->rules->repo;

	if (!repo->name)
		return 0;
	begin_rule_record(j, "repo");
	tp_out_text(&j->line, "name", repo->name);
	tp_out_text(&j->line, "chosen_by", repo->chosen_by);
	for (size_t i = 0; i < repo->fact_count; i++)
		tp_out_text(&j->line, repo->facts[i].key,
		    repo->facts[i].text);
	return end(j, 1);
}

static const char *
explains(const struct firing *f)
{
	return f->advice ? f->advice->explains : NULL;
}

static int
emit_said(struct judge *j, const struct firing *f)
{
	if (render(j, f, f->rule->text, explains(f)) < 0)
		return -1;
	begin_rule_record(j,
	    f->rule->emit == EMIT_VERDICT ? "verdict" : "remark");
	if (f->rule->emit == EMIT_VERDICT) {
		tp_out_text(&j->line, "role", f->rule->role);
		tp_out_text(&j->line, "verdict", f->rule->verdict);
	} else {
		tp_out_text(&j->line, "section", f->section);
	}
	tp_out_text(&j->line, "id", f->id);
	put_text(j);
	return end(j, 1);
}

/* Apply and write all verdicts, or all remarks. */
static int
speak(struct judge *j, enum rule_emit emit)
{
	struct firings said = { 0 };
	int rc = try_rules(j, emit, &said);

	for (size_t i = 0; i < said.count && !rc; i++)
		rc = emit_said(j, &said.list[i]);
	tp_free(said.list);
	return rc;
}

/* The unit of METRIC, from its last word. */
static const char *
unit_of(const char *key)
{
	static const char *const units[][2] = { { "_ns", "ns" },
	    { "_bytes", "bytes" }, { "_ratio", "ratio" },
	    { "_count", "count" }, { "_factor", "factor" },
	    { "_cycles", "cycles" }, { "_per_s", "1/s" }, { "_mb", "MB" } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (tp_has_end(key, units[i][0]))
			return units[i][1];
	return NULL;
}

static int
emit_evidence(struct judge *j, const struct firing *f,
    const struct rule_evidence *e)
{
	const struct tp_field *field;
	int rc;

	j->at.rule = f->rule;
	rc = all_hold(&j->at, rec_of(f), &e->when);
	if (rc <= 0)
		return rc;
	if (tp_rule_look_up(&j->at, rec_of(f), e->metric, &field) < 0)
		return -1;
	if (!field)
		return 0;
	tp_buf_clear(&j->text);
	tp_unit_print(&j->text, field, NULL);
	begin_rule_record(j, "finding.evidence");
	tp_out_text(&j->line, "finding_id", f->id);
	tp_out_text(&j->line, "metric", e->label ? e->label : field->key);
	tp_out_bytes(&j->line, "value", j->text.p ? j->text.p : "",
	    j->text.len);
	tp_out_text(&j->line, "unit", unit_of(field->key));
	tp_out_text(&j->line, "source", e->source);
	return end(j, 0);
}

static const struct rule_proposals *
proposals_of(const struct firing *f)
{
	if (f->advice && f->advice->proposals.list)
		return &f->advice->proposals;
	return &f->rule->proposals;
}

static int
emit_proposal(struct judge *j, const char *kind, const struct firing *f,
    const struct rule_proposal *p, size_t *rank)
{
	if (render(j, f, p->text, NULL) < 0)
		return -1;
	/* no section of it applies */
	if (!j->text.len)
		return 0;
	begin_rule_record(j, kind);
	tp_out_text(&j->line, "finding_id", f->id);
	tp_out_int(&j->line, "rank", (int64_t)++*rank);
	tp_out_text(&j->line, "title", p->title);
	put_text(j);
	tp_out_text(&j->line, "improves", p->improves);
	return end(j, 0);
}

/* Write the rank of a proposal and the finding it is for. */
static int
put_place(struct judge *j, const struct firing *f)
{
	const struct tp_field *subject = NULL;

	if (f->tier) {
		tp_out_text(&j->line, "tier", f->tier);
		tp_out_int(&j->line, "priority", (int64_t)++j->priority);
	}
	j->at.rule = f->rule;
	if (f->rule->subject &&
	    tp_rule_look_up(&j->at, rec_of(f), f->rule->subject, &subject) < 0)
		return -1;
	if (subject && subject->type == TP_FIELD_TEXT)
		tp_out_text(&j->line, "subject", subject->text);
	return 0;
}

/*
 * The title of the first proposal of F that applies, into *ACTION; NULL when
 * there is none.
 */
static int
choose_action(struct judge *j, const struct firing *f, const char **action)
{
	const struct rule_proposals *p = proposals_of(f);

	*action = NULL;
	for (size_t i = 0; i < p->count && !*action; i++) {
		if (render(j, f, p->list[i].text, NULL) < 0)
			return -1;
		if (j->text.len)
			*action = p->list[i].title;
	}
	return 0;
}

/* Where to look: the template of the rule, or what the finding is about. */
static int
find_where(struct judge *j, const struct firing *f, struct tp_buf *where)
{
	const char *text = f->rule->where;
	struct tp_buf subject = { 0 };
	int rc;

	if (!text && f->rule->subject) {
		tp_buf_fmt(&subject, "{{#%s}}{{%s.code}}{{/%s}}",
		    f->rule->subject, f->rule->subject, f->rule->subject);
		text = subject.p;
	}
	rc = text ? render(j, f, text, NULL) : 0;
	if (!rc && text && j->text.len)
		tp_buf_add(where, j->text.p, j->text.len);
	tp_buf_release(&subject);
	return rc;
}

/* Write what F could save, and how sure that is. */
static void
put_impact(struct judge *j, const struct firing *f)
{
	if (!f->has_impact && f->time_ns) {
		tp_out_int(&j->line, "time_ns", f->time_ns);
		if (j->whole_ns >= f->time_ns)
			tp_out_ratio(&j->line, "wall_ratio", f->time_ns,
			    j->whole_ns);
	}
	if (!f->has_impact)
		return;
	tp_out_int(&j->line, "impact_ns", f->impact_ns);
	if (f->weight_ns < f->impact_ns)
		tp_out_int(&j->line, "impact_beyond_ns", f->weight_ns);
	if (f->impact_ratio > 0) {
		tp_out_ratio(&j->line, "impact_ratio", f->impact_ns,
		    j->whole_ns);
		/* what a recording spends is no gain of the program */
		if (f->rule->confidence != CONFIDENCE_SPENT)
			tp_out_ratio(&j->line, "ceiling_factor", j->whole_ns,
			    j->whole_ns - f->impact_ns);
	}
	tp_out_text(&j->line, "confidence",
	    tp_rule_confidences[f->rule->confidence]);
}

static int
emit_finding(struct judge *j, const struct firing *f, size_t rank)
{
	size_t nth = 0;
	const struct rule_proposals *p = proposals_of(f);
	struct tp_buf where = { 0 };
	const char *action;

	if (choose_action(j, f, &action) < 0 || find_where(j, f, &where) < 0 ||
	    render(j, f, f->rule->text, explains(f)) < 0) {
		tp_buf_release(&where);
		return -1;
	}
	begin_rule_record(j, "finding");
	tp_out_text(&j->line, "id", f->id);
	tp_out_text(&j->line, "severity", tp_rule_severities[f->severity]);
	tp_out_int(&j->line, "rank", (int64_t)rank);
	tp_out_text(&j->line, "section", f->section);
	if (put_place(j, f) < 0)
		return -1;
	tp_out_text(&j->line, "title", f->rule->title);
	put_text(j);
	tp_out_text(&j->line, "action", action);
	if (where.len)
		tp_out_bytes(&j->line, "where", where.p, where.len);
	tp_buf_release(&where);
	put_impact(j, f);
	if (end(j, 0) < 0)
		return -1;
	for (size_t i = 0; i < f->rule->evidence_count; i++)
		if (emit_evidence(j, f, &f->rule->evidence[i]) < 0)
			return -1;
	for (size_t i = 0; i < p->count; i++)
		if (emit_proposal(j, "finding.proposal", f, &p->list[i],
		    &nth) < 0)
			return -1;
	return 0;
}

static int
is_chosen(const struct judge *j, const char *title)
{
	for (size_t i = 0; i < j->chosen_count; i++)
		if (!strcmp(j->chosen[i].p->title, title))
			return 1;
	return 0;
}

static int
by_finding(const void *left, const void *right)
{
	const struct chosen *a = left, *b = right;

	if (a->f != b->f)
		return a->f < b->f ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

/*
 * Choose the list of proposals: the first of every finding, then the second,
 * and so on, so that no finding fills it alone; then sort them by finding.
 * Those of which no section applies take no place.  0, or -1 with the error.
 */
static int
choose_proposals(struct judge *j)
{
	const struct rule_proposals *p;
	int more = 1;

	for (size_t nth = 0; more; nth++) {
		more = 0;
		for (size_t i = 0; i < j->found.count; i++) {
			p = proposals_of(&j->found.list[i]);
			if (nth >= p->count)
				continue;
			more = 1;
			if (j->chosen_count == PROPOSALS_MAX ||
			    is_chosen(j, p->list[nth].title))
				continue;
			if (render(j, &j->found.list[i], p->list[nth].text,
			    NULL) < 0)
				return -1;
			if (!j->text.len)
				continue;
			j->chosen[j->chosen_count].p = &p->list[nth];
			j->chosen[j->chosen_count++].f = &j->found.list[i];
		}
	}
	if (j->chosen_count)
		qsort(j->chosen, j->chosen_count, sizeof *j->chosen,
		    by_finding);
	return 0;
}

static int
judge_trace(struct judge *j)
{
	size_t rank = 0;
	int rc;

	rc = emit_repo(j);
	if (!rc)
		rc = speak(j, EMIT_VERDICT);
	if (!rc)
		rc = try_rules(j, EMIT_FINDING, &j->found);
	if (rc < 0 || rank_findings(j) < 0)
		return -1;
	if (speak(j, EMIT_REMARK) < 0 || choose_proposals(j) < 0)
		return -1;
	for (size_t i = 0; i < j->found.count; i++)
		if (emit_finding(j, &j->found.list[i], i + 1) < 0)
			return -1;
	for (size_t i = 0; i < j->chosen_count; i++)
		if (emit_proposal(j, "proposal", j->chosen[i].f,
		    j->chosen[i].p, &rank) < 0)
			return -1;
	return 0;
}

static int
apply_one(struct tp_rules *rules, const struct tp_set *set, const char *src,
    struct tp_out *out, struct tp_err *err)
{
	struct judge j = { .rules = rules, .out = out,
	    .at = { &j.set, NULL, err } };
	const char *old = out->src;
	int rc;

	tp_out_init(&j.line, -1);
	j.line.src = out->src = src;
	tp_set_of(set, src, &j.set);
	rc = judge_trace(&j);
	out->src = old;
	tp_out_release(&j.line);
	tp_buf_release(&j.text);
	tp_free(j.found.list);
	tp_free(j.groups);
	tp_set_release(&j.set);
	return rc;
}

/* Name the user's own rule files in the report. */
static void
name_own(const struct tp_rules *rules, const char *src, struct tp_out *out)
{
	const char *old = out->src;

	out->src = src;
	for (size_t i = 0; i < rules->own_count; i++)
		tp_out_note(out, "rules.own", 0, rules->own[i].count,
		    "%s: rules of your own, which are judged by, too",
		    rules->own[i].file);
	tp_rule_check_own(rules, out);
	out->src = old;
}

int
tp_rules_apply(struct tp_rules *rules, const struct tp_set *set,
    struct tp_out *out, struct tp_err *err)
{
	struct tp_names srcs = { 0 };
	const char *src;
	int rc = 0;

	if (!set->count)
		return 0;
	for (size_t i = 0; i < set->count; i++) {
		src = set->recs[i].src;
		if (*src)
			tp_names_add(&srcs, src, strlen(src));
	}
	name_own(rules, srcs.count ? srcs.names[0].text : NULL, out);
	if (!srcs.count)
		rc = apply_one(rules, set, NULL, out, err);
	for (size_t i = 0; i < srcs.count && !rc; i++)
		rc = apply_one(rules, set, srcs.names[i].text, out, err);
	tp_names_release(&srcs);
	return rc;
}

/* Copy the findings of J with an impact to LIST, which has room. */
static int
take_promised(struct judge *j, struct tp_promised *list, size_t *count)
{
	for (size_t i = 0; i < j->found.count; i++) {
		const struct firing *f = &j->found.list[i];
		const struct tp_field *subject = NULL;
		struct tp_promised *p = &list[*count];

		if (!f->has_impact || f->impact_ns <= 0)
			continue;
		j->at.rule = f->rule;
		if (f->rule->subject && tp_rule_look_up(&j->at, rec_of(f),
		    f->rule->subject, &subject) < 0)
			return -1;
		*p = (struct tp_promised){ .rule = f->rule->id,
		    .title = f->rule->title, .metric = f->rule->impact,
		    .each = f->rule->each, .rec = f->rec,
		    .impact_ns = f->impact_ns };
		if (subject && subject->type == TP_FIELD_TEXT)
			p->subject = subject->text;
		++*count;
	}
	return 0;
}

int
tp_rules_promised(struct tp_rules *rules, const struct tp_set *set,
    struct tp_promised **list, size_t *count, struct tp_err *err)
{
	struct judge j = { .rules = rules,
	    .at = { &j.set, NULL, err } };
	struct firings verdicts = { 0 };
	int rc;

	*list = NULL;
	*count = 0;
	tp_set_of(set, NULL, &j.set);
	rc = try_rules(&j, EMIT_VERDICT, &verdicts);
	tp_free(verdicts.list);
	if (!rc)
		rc = try_rules(&j, EMIT_FINDING, &j.found);
	if (!rc)
		rc = rank_findings(&j);
	if (!rc) {
		*list = tp_alloc((j.found.count + 1) * sizeof **list);
		rc = take_promised(&j, *list, count);
	}
	if (rc < 0) {
		tp_free(*list);
		*list = NULL;
	}
	tp_free(j.found.list);
	tp_free(j.groups);
	tp_set_release(&j.set);
	return rc;
}

/* The field that METRIC names, into *FIELD; NULL when there is none. */
int
tp_rule_look_up(const struct rule_scope *s, const struct tp_rec *rec,
    const char *metric, const struct tp_field **field)
{
	const char *form = NULL;

	*field = tp_template_field(s->set, rec, metric, &form);
	if (*field && form)
		return rule_wrong(s, metric,
		    "is a form of a value, not a metric");
	if (*field && (*field)->type == TP_FIELD_NULL)
		*field = NULL;
	return 0;
}

/* 1 when C holds, 0 when not, -1 with ERR. */
int
tp_rule_holds(const struct rule_scope *s, const struct tp_rec *rec,
    const struct tp_cond *c)
{
	const struct tp_field *a, *b = NULL;
	const char *wrong = NULL;
	int holds;

	if (tp_rule_look_up(s, rec, c->name, &a) < 0 || (c->other &&
	    tp_rule_look_up(s, rec, c->other, &b) < 0))
		return -1;
	holds = tp_cond_holds(c, a, b, &wrong);
	return wrong ? rule_wrong(s, c->name, wrong) : holds;
}

int
tp_rule_fires(const struct rule_scope *s, const struct tp_rec *rec)
{
	const struct rule *rule = s->rule;
	int rc = all_hold(s, rec, &rule->when);

	if (rc <= 0 || !rule->any_count)
		return rc;
	for (size_t i = 0; i < rule->any_count; i++)
		if ((rc = all_hold(s, rec, &rule->any[i])))
			return rc;
	return 0;
}
