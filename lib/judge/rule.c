/* rule - read and validate rule files and repository files */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/file.h>
#include <tp/json.h>
#include <tp/judge/rule.h>
#include <tp/share.h>
#include <tp/show/template.h>
#include <tp/text.h>

#include "rule_file.h"

const char *const tp_rule_severities[] = { "high", "medium", "low", "info",
    NULL };
const char *const tp_rule_confidences[] = { "simulated", "estimated",
    "suspected", "spent", NULL };
const char *const tp_rule_emits[] = { "finding", "remark", "verdict", NULL };

/* The file being read, for messages. */
struct reader {
	struct tp_rules *rules;
	const char *file;	/* "share/rules/x.json" */
	const cJSON *when;	/* conditions common to all rules of the file */
	const cJSON *worse;	/* conditions required before any rule is
				 * "worse" */
	const char *id;		/* current rule, or NULL outside one */
	int is_own;		/* a file of the user's */
	const struct tp_set *set;	/* what rules are for */
	struct tp_err *err;
};

static int
bad(struct reader *r, const char *what, const char *name)
{
	enum tp_status status = r->is_own ? TP_USAGE : TP_BAD;

	if (r->id)
		return tp_fail(r->err, status, "rule.damaged", 0,
		    "%s: rule '%.60s': %s%s%.60s%s", r->file, r->id, what,
		    name ? " '" : "", name ? name : "", name ? "'" : "");
	return tp_fail(r->err, status, "rule.damaged", 0, "%s: %s '%.60s'",
	    r->file, what, name ? name : "");
}

/* A key that an object may have; TYPES are cJSON type bits. */
struct shape {
	const char *key;
	int types;
	int needed;
};

#define PROSE (cJSON_String | cJSON_Array)

static const struct shape *
shape_of(const struct shape *shapes, const char *key)
{
	for (; shapes->key; shapes++)
		if (!strcmp(shapes->key, key))
			return shapes;
	return NULL;
}

/* Whether OBJECT has only the keys of SHAPES, all of the right types. */
static int
check(struct reader *r, const cJSON *object, const struct shape *shapes,
    const char *what)
{
	const struct shape *s;
	const cJSON *c;

	if (!cJSON_IsObject(object))
		return bad(r, "an object is needed for", what);
	cJSON_ArrayForEach(c, object) {
		s = shape_of(shapes, c->string);
		if (!s)
			return bad(r, "unknown key", c->string);
		if (!(c->type & s->types))
			return bad(r, "wrong type of", c->string);
		if (cJSON_IsString(c) && !*c->valuestring)
			return bad(r, "empty", c->string);
		for (const cJSON *d = c->next; d; d = d->next)
			if (!strcmp(d->string, c->string))
				return bad(r, "repeated key", c->string);
	}
	for (s = shapes; s->key; s++)
		if (s->needed &&
		    !tp_json_get(object, s->key))
			return bad(r, "missing key", s->key);
	return 0;
}

/*
 * The prose under KEY: a string, or a list of strings joined by blanks, so
 * that files can break lines.  NULL when absent; -1 when it is neither.
 */
static int
prose_of(struct reader *r, const cJSON *value, const char *key,
    const char **prose)
{
	struct tp_buf buf = { 0 };
	const cJSON *c;
	int rc = 0;

	*prose = cJSON_IsString(value) ? value->valuestring : NULL;
	if (!value || *prose)
		return 0;
	if (!cJSON_IsArray(value) || !cJSON_GetArraySize(value))
		return bad(r, "wrong type of", key);
	cJSON_ArrayForEach(c, value) {
		if (!cJSON_IsString(c)) {
			rc = bad(r, "wrong type of", key);
			break;
		}
		if (buf.len)
			tp_buf_chr(&buf, ' ');
		tp_buf_str(&buf, c->valuestring);
	}
	if (!rc)
		*prose = tp_arena_text(&r->rules->arena, buf.p, buf.len);
	tp_buf_release(&buf);
	return rc;
}

static int
prose(struct reader *r, const cJSON *object, const char *key,
    const char **text)
{
	return prose_of(r, tp_json_get(object, key), key, text);
}

/* The title of OBJECT; NULL when it has none. */
static void
title_of(struct reader *r, const cJSON *object, const char **title)
{
	const char *text = tp_json_text(object, "title");
	struct tp_buf buf = { 0 };

	*title = NULL;
	if (!text)
		return;
	tp_template_words(r->set, text, strlen(text), &buf);
	*title = tp_arena_text(&r->rules->arena, buf.p ? buf.p : "",
	    buf.len);
	tp_buf_release(&buf);
}

/* *AT = index of WORD in WORDS; unchanged when WORD is NULL. */
static int
word(struct reader *r, const char *key, const char *word,
    const char *const *words, int *at)
{
	if (!word)
		return 0;
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word)) {
			*at = i;
			return 0;
		}
	return bad(r, key, word);
}

/* An array of COUNT zeroed items of SIZE bytes; never NULL for COUNT 0. */
static void *
list_of(struct reader *r, size_t count, size_t size)
{
	void *p = tp_arena_get(&r->rules->arena, (count + 1) * size);

	memset(p, 0, (count + 1) * size);
	return p;
}

static int
read_conds(struct reader *r, const cJSON *list, struct tp_conds *conds)
{
	struct tp_err why;

	if (list && !cJSON_IsArray(list))
		return bad(r, "a list is needed for", "when");
	if (tp_conds_json(conds, list, &r->rules->arena, &why) == 0)
		return 0;
	return bad(r, why.text, NULL);
}

static int
read_any(struct reader *r, const cJSON *array, struct rule *rule)
{
	const cJSON *c;

	if (!array)
		return 0;
	rule->any = list_of(r, (size_t)cJSON_GetArraySize(array),
	    sizeof *rule->any);
	cJSON_ArrayForEach(c, array)
		if (read_conds(r, c, &rule->any[rule->any_count++]) < 0)
			return -1;
	return 0;
}

static int
read_evidence(struct reader *r, const cJSON *array, struct rule *rule)
{
	static const struct shape shapes[] = {
		{ "metric", cJSON_String, 1 }, { "label", cJSON_String, 0 },
		{ "source", cJSON_String, 1 }, { "when", cJSON_Array, 0 },
		{ NULL, 0, 0 }
	};
	struct rule_evidence *e;
	const cJSON *c;

	if (!array)
		return 0;
	rule->evidence = list_of(r, (size_t)cJSON_GetArraySize(array),
	    sizeof *e);
	cJSON_ArrayForEach(c, array) {
		if (check(r, c, shapes, "evidence") < 0)
			return -1;
		e = &rule->evidence[rule->evidence_count++];
		e->metric = tp_json_text(c, "metric");
		e->label = tp_json_text(c, "label");
		e->source = tp_json_text(c, "source");
		if (read_conds(r, tp_json_get(c, "when"), &e->when) < 0)
			return -1;
	}
	return 0;
}

static int
read_proposals(struct reader *r, const cJSON *array,
    struct rule_proposals *proposals)
{
	static const struct shape shapes[] = {
		{ "title", cJSON_String, 1 }, { "text", PROSE, 1 },
		{ "improves", cJSON_String, 1 }, { NULL, 0, 0 }
	};
	struct rule_proposal *p;
	const cJSON *c;

	if (!array)
		return 0;
	proposals->list = list_of(r, (size_t)cJSON_GetArraySize(array),
	    sizeof *p);
	cJSON_ArrayForEach(c, array) {
		if (check(r, c, shapes, "proposals") < 0)
			return -1;
		p = &proposals->list[proposals->count++];
		title_of(r, c, &p->title);
		if (prose(r, c, "text", &p->text) < 0)
			return -1;
		p->improves = tp_json_text(c, "improves");
	}
	return 0;
}

static int
read_worse(struct reader *r, const cJSON *object, struct rule *rule)
{
	static const struct shape shapes[] = {
		{ "severity", cJSON_String, 1 }, { "when", cJSON_Array, 1 },
		{ NULL, 0, 0 }
	};

	rule->worse = rule->severity;
	if (!object)
		return 0;
	if (check(r, object, shapes, "worse") < 0 ||
	    word(r, "unknown severity", tp_json_text(object, "severity"),
	    tp_rule_severities, &rule->worse) < 0)
		return -1;
	if (rule->worse >= rule->severity)
		return bad(r, "\"worse\" is no worse than",
		    tp_rule_severities[rule->severity]);
	if (read_conds(r, r->worse, &rule->worse_when) < 0)
		return -1;
	return read_conds(r, tp_json_get(object, "when"), &rule->worse_when);
}

/* Check the keys that each kind of output needs and must not have. */
static int
check_emit(struct reader *r, const cJSON *c)
{
	static const struct need {
		const char *key;
		int needed, allowed;	/* bits: finding 1 remark 2 verdict 4 */
	} needs[] = {
		{ "severity", 1, 1 }, { "worse", 0, 1 }, { "title", 1, 1 },
		{ "subject", 0, 1 }, { "section", 2, 3 },
		{ "section_of", 0, 1 },
		{ "evidence", 1, 1 }, { "impact", 0, 1 },
		{ "confidence", 0, 1 }, { "where", 0, 1 },
		{ "proposals", 0, 1 }, { "role", 4, 4 }, { "verdict", 4, 4 },
		{ "silences", 0, 4 },
		{ NULL, 0, 0 }
	};
	int emit = EMIT_FINDING, bit, has;

	if (word(r, "unknown emit", tp_json_text(c, "emit"), tp_rule_emits,
	    &emit) < 0)
		return -1;
	bit = 1 << emit;
	for (const struct need *n = needs; n->key; n++) {
		has = cJSON_HasObjectItem(c, n->key);
		if (!has && (n->needed & bit))
			return bad(r, "missing key", n->key);
		if (has && !(n->allowed & bit))
			return bad(r, "unknown key", n->key);
	}
	return emit;
}

const char *
tp_rule_find_section(const struct tp_rules *rules, const char *name,
    const char **tier)
{
	const cJSON *list, *c;

	for (size_t i = 0; i < rules->doc_count; i++)
		cJSON_ArrayForEach(list, tp_json_get(rules->docs[i], "tiers"))
			cJSON_ArrayForEach(c, list)
				if (!strcmp(c->valuestring, name)) {
					*tier = list->string;
					return c->valuestring;
				}
	*tier = NULL;
	for (size_t i = 0; i < rules->doc_count; i++)
		cJSON_ArrayForEach(c, tp_json_get(rules->docs[i], "sections"))
			if (!strcmp(c->valuestring, name))
				return c->valuestring;
	return NULL;
}

static int
read_words(struct reader *r, const cJSON *c, struct rule *rule)
{
	const char *whose = tp_json_text(c, "impact_of");
	int emit = check_emit(r, c);

	if (emit < 0)
		return -1;
	rule->emit = (enum rule_emit)emit;
	rule->file = r->file;
	rule->each = tp_json_text(c, "each");
	rule->group = tp_json_text(c, "group");
	rule->section = tp_json_text(c, "section");
	rule->section_of = tp_json_text(c, "section_of");
	if (emit == EMIT_FINDING && !rule->section == !rule->section_of)
		return bad(r, "give either section or section_of for",
		    r->id);
	rule->role = tp_json_text(c, "role");
	rule->verdict = tp_json_text(c, "verdict");
	rule->subject = tp_json_text(c, "subject");
	rule->impact = tp_json_text(c, "impact");
	rule->weight = tp_json_text(c, "weight");
	if (whose && strcmp(whose, "others"))
		return bad(r, "unknown impact_of", whose);
	rule->of_others = whose != NULL;
	rule->part_of = tp_json_get(c, "impact_part_of");
	if (rule->impact && tp_json_get(c, "worse"))
		return bad(r, "the impact grades it, so leave out", "worse");
	/* a replay of the run says what a part of its budget costs */
	rule->confidence = !rule->impact ||
	    (strncmp(rule->impact, "budget", 6) != 0 &&
	    strncmp(rule->impact, "path.", 5) != 0);
	rule->silences = tp_json_get(c, "silences");
	rule->is_own = r->is_own;
	title_of(r, c, &rule->title);
	if (prose(r, c, "why", &rule->why) < 0 || prose(r, c, "text",
	    &rule->text) < 0 || prose(r, c, "where", &rule->where) < 0 ||
	    word(r, "unknown severity", tp_json_text(c, "severity"),
	    tp_rule_severities, &rule->severity) < 0 ||
	    word(r, "unknown confidence", tp_json_text(c, "confidence"),
	    tp_rule_confidences, &rule->confidence) < 0)
		return -1;
	return 0;	/* check_sections() checks that it exists */
}

static int
read_limit(struct reader *r, const cJSON *c, struct rule *rule)
{
	const cJSON *limit = tp_json_get(c, "limit");

	if (!limit)
		return 0;
	if (!rule->each || limit->valuedouble < 1 ||
	    limit->valuedouble > 1000)
		return bad(r, "needs \"each\" and 1 to 1000:", "limit");
	rule->limit = (size_t)limit->valuedouble;
	return 0;
}

static int
known_id(const struct tp_rules *rules, const char *id)
{
	for (size_t i = 0; i < rules->count; i++)
		if (!strcmp(rules->rules[i].id, id))
			return 1;
	return 0;
}

static int
read_rule(struct reader *r, const cJSON *c)
{
	static const struct shape shapes[] = {
		{ "id", cJSON_String, 1 }, { "why", PROSE, 0 },
		{ "each", cJSON_String, 0 }, { "limit", cJSON_Number, 0 },
		{ "group", cJSON_String, 0 }, { "emit", cJSON_String, 0 },
		{ "section", cJSON_String, 0 },
		{ "section_of", cJSON_String, 0 }, { "role", cJSON_String, 0 },
		{ "verdict", cJSON_String, 0 },
		{ "silences", cJSON_Array, 0 },
		{ "severity", cJSON_String, 0 }, { "worse", cJSON_Object, 0 },
		{ "when", cJSON_Array, 1 }, { "any", cJSON_Array, 0 },
		{ "title", cJSON_String, 0 }, { "text", PROSE, 1 },
		{ "subject", cJSON_String, 0 }, { "where", PROSE, 0 },
		{ "impact", cJSON_String, 0 },
		{ "confidence", cJSON_String, 0 },
		{ "weight", cJSON_String, 0 },
		{ "impact_of", cJSON_String, 0 },
		{ "impact_part_of", cJSON_Object, 0 },
		{ "evidence", cJSON_Array, 0 },
		{ "proposals", cJSON_Array, 0 }, { NULL, 0, 0 }
	};
	struct tp_rules *rules = r->rules;
	struct rule rule;

	memset(&rule, 0, sizeof rule);
	r->id = rule.id = tp_json_text(c, "id");
	if (check(r, c, shapes, "rules") < 0)
		return -1;
	if (known_id(rules, rule.id))
		return bad(r, "two rules are called", rule.id);
	if (read_words(r, c, &rule) < 0 || read_limit(r, c, &rule) < 0 ||
	    read_conds(r, r->when, &rule.when) < 0 ||
	    read_conds(r, tp_json_get(c, "when"), &rule.when) < 0 ||
	    read_any(r, tp_json_get(c, "any"), &rule) < 0 ||
	    read_worse(r, tp_json_get(c, "worse"), &rule) < 0 ||
	    read_evidence(r, tp_json_get(c, "evidence"), &rule) < 0 ||
	    read_proposals(r, tp_json_get(c, "proposals"), &rule.proposals) < 0)
		return -1;
	TP_APPEND(rules->rules, rules->count, rules->cap, rule);
	return 0;
}

/*
 * Keep DOC as long as the rules; R calls it PATH from now on.  NULL is
 * passed on.
 */
static const cJSON *
keep_rule_file(struct reader *r, const char *path, cJSON *doc)
{
	struct tp_rules *rules = r->rules;

	r->id = NULL;
	r->file = tp_arena_text(&rules->arena, path, strlen(path));
	if (!doc)
		return NULL;
	TP_APPEND(rules->docs, rules->doc_count, rules->doc_cap, doc);
	return doc;
}

static const cJSON *
open_file(struct reader *r, const char *folder, const char *name)
{
	char path[512];

	if (strchr(name, '/') || *name == '.' || !*name ||
	    snprintf(path, sizeof path, "share/%s/%s.json", folder, name) >=
	    (int)sizeof path) {
		tp_fail(r->err, TP_IO, "share.missing", 0,
		    "no '%.80s' in share/%s", name, folder);
		return NULL;
	}
	return keep_rule_file(r, path,
	    tp_share_json(path + strlen("share/"), r->err));
}

/* Check that LIST, called NAME, holds strings. */
static int
check_texts(struct reader *r, const cJSON *list, const char *name)
{
	const cJSON *c;

	if (list && !cJSON_IsArray(list))
		return bad(r, "wrong type of", name);
	cJSON_ArrayForEach(c, list)
		if (!cJSON_IsString(c))
			return bad(r, "wrong type in", name);
	return 0;
}

/* Load the rules of DOC, whose file R names. */
static int
take_rules(struct reader *r, const cJSON *doc)
{
	static const struct shape shapes[] = {
		{ "source", cJSON_String, 1 }, { "tiers", cJSON_Object, 0 },
		{ "sections", cJSON_Array, 0 },
		{ "when", cJSON_Array, 0 }, { "worse", cJSON_Array, 0 },
		{ "rules", cJSON_Array, 1 }, { NULL, 0, 0 }
	};
	const cJSON *c;

	if (check(r, doc, shapes, "the file") < 0)
		return -1;
	cJSON_ArrayForEach(c, tp_json_get(doc, "tiers"))
		if (check_texts(r, c, c->string) < 0)
			return -1;
	if (check_texts(r, tp_json_get(doc, "sections"), "sections") < 0)
		return -1;
	r->when = tp_json_get(doc, "when");
	r->worse = tp_json_get(doc, "worse");
	cJSON_ArrayForEach(c, tp_json_get(doc, "rules"))
		if (read_rule(r, c) < 0)
			return -1;
	r->when = r->worse = NULL;
	return 0;
}

static int
load_file(struct reader *r, const char *name)
{
	const cJSON *doc = open_file(r, "rules", name);

	return doc ? take_rules(r, doc) : -1;
}

static int
load_own(struct reader *r, const char *path)
{
	struct tp_rules *rules = r->rules;
	size_t had = rules->count;
	const cJSON *doc = keep_rule_file(r, path, tp_file_json(path, r->err));

	/* a file in the user's folder is meant to be read */
	if (!doc && r->err->status == TP_BAD)
		r->err->status = TP_USAGE;
	r->is_own = 1;
	if (!doc || take_rules(r, doc) < 0)
		return -1;
	r->is_own = 0;
	TP_APPEND(rules->own, rules->own_count, rules->own_cap,
	    (struct rule_own){ r->file, rules->count - had });
	return 0;
}

static int
take_own(void *arg, const char *path, struct tp_err *err)
{
	(void)err;	/* R has it */
	return load_own(arg, path);
}

/* Load the rules of PATH, a file or folder of the user, in order of name. */
static int
load_place(struct reader *r, const char *path)
{
	return tp_share_each(path, take_own, r, r->err);
}

static int
load_config(struct reader *r)
{
	struct tp_buf path = { 0 };
	int rc = 0;

	if (tp_share_own("rules", &path))
		rc = load_place(r, path.p);
	tp_buf_release(&path);
	return rc;
}

/*
 * Read how much of the time makes a finding high, and medium.  A share/ of
 * others may lack the file: severities are those of the rules, then.
 */
static int
load_grades(struct reader *r)
{
	static const struct shape shapes[] = {
		{ "why", PROSE, 0 }, { "of", cJSON_String, 1 },
		{ "high", cJSON_Number, 1 }, { "medium", cJSON_Number, 1 },
		{ NULL, 0, 0 }
	};
	struct rule_grades *g = &r->rules->grades;

	r->file = "share/severity.json";
	g->doc = tp_share_json("severity.json", r->err);
	if (!g->doc && !strcmp(r->err->code, "share.missing"))
		return 0;
	if (!g->doc || check(r, g->doc, shapes, "the file") < 0)
		return -1;
	g->of = tp_json_text(g->doc, "of");
	for (int i = 0; i < 2; i++)
		g->least[i] = tp_json_get(g->doc,
		    tp_rule_severities[i])->valuedouble;
	return 0;
}

static int
load_all(struct reader *r)
{
	char **names, *dot;
	int n, rc = 0;

	n = tp_share_list("rules", ".json", &names, r->err);
	if (n < 0)
		return -1;
	for (int i = 0; i < n && !rc; i++) {
		dot = strrchr(names[i], '.');
		*dot = '\0';
		rc = load_file(r, names[i]);
	}
	tp_share_free_list(names, n);
	return rc;
}

static int
is_own_file(const struct tp_rules *rules, const char *file)
{
	for (size_t i = 0; i < rules->own_count; i++)
		if (rules->own[i].file == file)
			return 1;
	return 0;
}

/* A section defined by one file may be used by rules of all files. */
static int
check_sections(struct reader *r)
{
	const struct rule *rule;
	const char *tier;

	for (size_t i = 0; i < r->rules->count; i++) {
		rule = &r->rules->rules[i];
		r->file = rule->file;
		r->id = rule->id;
		r->is_own = is_own_file(r->rules, rule->file);
		if (rule->section &&
		    !tp_rule_find_section(r->rules, rule->section, &tier))
			return bad(r, "unknown section", rule->section);
	}
	return 0;
}

/* Whether one of PATTERNS matches the base name of the path TEXT. */
static int
fits(const cJSON *patterns, const char *text)
{
	const char *slash = text ? strrchr(text, '/') : NULL;
	const cJSON *p;

	if (!text)
		return 0;
	if (slash)
		text = slash + 1;
	cJSON_ArrayForEach(p, patterns)
		if (cJSON_IsString(p) &&
		    tp_glob(p->valuestring, text, strlen(text)))
			return 1;
	return 0;
}

static int
repo_fits(const cJSON *match, const struct tp_set *set)
{
	const cJSON *files = tp_json_get(match, "files");
	const cJSON *models = tp_json_get(match, "models");
	const struct tp_rec *rec;

	for (size_t i = 0; i < set->count; i++) {
		rec = &set->recs[i];
		if (!strcmp(rec->kind, "source") &&
		    fits(files, tp_rec_text(rec, "file")))
			return 1;
		if (!strcmp(rec->kind, "bench.run") &&
		    fits(models, tp_rec_text(rec, "model")))
			return 1;
	}
	return 0;
}

static int
read_facts(struct reader *r, const cJSON *facts, struct rule_repo *repo)
{
	const cJSON *c;

	repo->facts = list_of(r, (size_t)cJSON_GetArraySize(facts),
	    sizeof *repo->facts);
	cJSON_ArrayForEach(c, facts) {
		if (!cJSON_IsString(c) || !strcmp(c->string, "name") ||
		    !strcmp(c->string, "chosen_by"))
			return bad(r,
			    "a fact must be text with another key than",
			    c->string);
		repo->facts[repo->fact_count].key = c->string;
		repo->facts[repo->fact_count++].text = c->valuestring;
	}
	return 0;
}

/* The advice on rule ID, created when new. */
static struct rule_advice *
advice_on(struct rule_repo *repo, const char *id)
{
	struct rule_advice *a;

	for (size_t i = 0; i < repo->advice_count; i++)
		if (!strcmp(repo->advice[i].id, id))
			return &repo->advice[i];
	a = &repo->advice[repo->advice_count++];
	a->id = id;
	return a;
}

/* ALL: every rule is loaded, so an unknown id is an error. */
static int
read_advice(struct reader *r, const cJSON *explains, const cJSON *proposals,
    struct rule_repo *repo, int all)
{
	const cJSON *c;

	repo->advice = list_of(r, (size_t)cJSON_GetArraySize(explains) +
	    (size_t)cJSON_GetArraySize(proposals), sizeof *repo->advice);
	cJSON_ArrayForEach(c, explains) {
		if (all && !known_id(r->rules, c->string))
			return bad(r, "explains an unknown rule", c->string);
		if (prose_of(r, c, c->string,
		    &advice_on(repo, c->string)->explains) < 0)
			return -1;
	}
	cJSON_ArrayForEach(c, proposals) {
		if (!cJSON_IsArray(c))
			return bad(r, "wrong type of", c->string);
		if (all && !known_id(r->rules, c->string))
			return bad(r, "proposals for an unknown rule",
			    c->string);
		if (read_proposals(r, c,
		    &advice_on(repo, c->string)->proposals) < 0)
			return -1;
	}
	return 0;
}

static int
read_repo(struct reader *r, const cJSON *doc, int all)
{
	struct rule_repo *repo = &r->rules->repo;

	repo->name = tp_json_text(doc, "name");
	if (read_facts(r, tp_json_get(doc, "facts"), repo) < 0)
		return -1;
	return read_advice(r, tp_json_get(doc, "explains"),
	    tp_json_get(doc, "proposals"), repo, all);
}

static const cJSON *
open_repo(struct reader *r, const char *name)
{
	static const struct shape shapes[] = {
		{ "name", cJSON_String, 1 }, { "match", cJSON_Object, 1 },
		{ "facts", cJSON_Object, 1 }, { "explains", cJSON_Object, 0 },
		{ "proposals", cJSON_Object, 1 }, { NULL, 0, 0 }
	};
	static const struct shape match[] = {
		{ "files", cJSON_Array, 0 }, { "models", cJSON_Array, 0 },
		{ NULL, 0, 0 }
	};
	const cJSON *doc = open_file(r, "repos", name);

	if (!doc || check(r, doc, shapes, "the file") < 0 ||
	    check(r, tp_json_get(doc, "match"), match, "match") < 0)
		return NULL;
	return doc;
}

/* The first repository (by file name) that matches SET. */
static int
match_repo(struct reader *r, const struct tp_set *set, int all)
{
	const cJSON *doc;
	char **names, *dot;
	int n, rc = 0;

	n = tp_share_list("repos", ".json", &names, r->err);
	if (n < 0)
		return -1;
	for (int i = 0; i < n && !rc && !r->rules->repo.name; i++) {
		dot = strrchr(names[i], '.');
		*dot = '\0';
		doc = open_repo(r, names[i]);
		if (!doc) {
			rc = -1;
		} else if (repo_fits(tp_json_get(doc, "match"), set)) {
			r->rules->repo.chosen_by = "match";
			rc = read_repo(r, doc, all);
		}
	}
	tp_share_free_list(names, n);
	return rc;
}

static int
load_repo(struct reader *r, const char *name, const struct tp_set *set,
    int all)
{
	const cJSON *doc;

	if (!name)
		return match_repo(r, set, all);
	if (!strcmp(name, "none"))
		return 0;
	doc = open_repo(r, name);
	if (!doc)
		return -1;
	r->rules->repo.chosen_by = "option";
	return read_repo(r, doc, all);
}

struct tp_rules *
tp_rules_load(const char *const *names, const char *repo,
    const struct tp_set *set, struct tp_err *err)
{
	struct reader r = { .set = set, .err = err };
	int rc = 0, all = 1;

	r.rules = tp_zalloc(sizeof *r.rules);
	for (size_t i = 0; names && names[i]; i++)
		all &= tp_share_is_path(names[i]);
	rc = load_grades(&r);
	if (all && !rc)
		rc = load_all(&r);
	for (size_t i = 0; names && names[i] && !rc; i++)
		if (!tp_share_is_path(names[i]))
			rc = load_file(&r, names[i]);
	if (all && !rc)
		rc = load_config(&r);
	for (size_t i = 0; names && names[i] && !rc; i++)
		if (tp_share_is_path(names[i]))
			rc = load_place(&r, names[i]);
	if (rc < 0 || check_sections(&r) < 0 ||
	    load_repo(&r, repo, set, all) < 0) {
		tp_rules_free(r.rules);
		return NULL;
	}
	return r.rules;
}

void
tp_rules_free(struct tp_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->doc_count; i++)
		cJSON_Delete(rules->docs[i]);
	cJSON_Delete(rules->grades.doc);
	tp_free(rules->docs);
	tp_free(rules->rules);
	tp_free(rules->own);
	tp_arena_release(&rules->arena);
	tp_free(rules);
}
