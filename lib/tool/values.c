/* values - possible values of an argument, by its name in the option table */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>

#include "tool_parts.h"

/*
 * Where share has the values of an argument called WORD.  Each file is a
 * value; with LIST, each key of that object in the file; with KEY, that
 * member of each item of LIST.
 */
static const struct values {
	const char *word, *folder, *suffix, *list, *key;
} all[] = {
	{ "COLUMNS", "csv", ".json", NULL, NULL },
	{ "DOCUMENT", "json", ".json", NULL, NULL },
	{ "GATE", "gates", ".json", NULL, NULL },
	{ "CHIP", "platforms", ".json", "gpus", NULL },
	{ "KIND", "schema", ".json", NULL, NULL },
	{ "KIND.KEY", "schema", ".json", "properties", NULL },
	{ "PICTURE", "pictures", ".json", NULL, NULL },
	{ "REPO", "repos", ".json", NULL, NULL },
	{ "RULE", "rules", ".json", "rules", "id" },
	{ "RULES", "rules", ".json", NULL, NULL },
	{ "SECTION", "sections", ".md", NULL, NULL },
	{ "SELECTOR", "schema", ".json", "properties", NULL },
	{ "TABLE", "tables", ".json", "tables", NULL },
};

static const struct values *
find_values(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strncmp(all[i].word, word, len) && !all[i].word[len])
			return &all[i];
	return NULL;
}

/*
 * The length of the name in "[FILE]" or "|FILE", before brackets, '|', '=' or a
 * blank.
 */
size_t
tp_tool_word(const char *word)
{
	return strcspn(word, "[]|= ");
}

int
tp_tool_has_values(const char *word)
{
	return find_values(word, tp_tool_word(word)) != NULL;
}

static void
print_list(const struct values *v, const char *file)
{
	struct tp_err err;
	char path[200];
	struct cJSON *doc;
	const struct cJSON *i;
	const char *name;

	snprintf(path, sizeof path, "%s/%s", v->folder, file);
	doc = tp_share_json(path, &err);
	cJSON_ArrayForEach(i, tp_json_get(doc, v->list)) {
		name = v->key ? cJSON_GetStringValue(tp_json_get(i, v->key)) :
		    i->string;
		if (name && !strcmp(v->list, "properties"))
			printf("%.*s.", (int)(strlen(file) -
			    strlen(v->suffix)), file);
		if (name)
			puts(name);
	}
	cJSON_Delete(doc);
}

/* Restrict kinds to those the filter writes, unless it accepts any. */
static int
is_own(const struct tp_tool *tool, const struct values *v, char **names,
    int count, const char *name, size_t len)
{
	int i, some = 0;

	if (strcmp(v->word, "KIND"))
		return 1;
	for (i = 0; i < count && !some; i++)
		some = tp_tool_writes_kind(tool, names[i],
		    strlen(names[i]) - strlen(v->suffix));
	return !some || tp_tool_writes_kind(tool, name, len);
}

void
tp_tool_print_values(const struct tp_tool *tool, const char *word)
{
	const struct values *v = find_values(word, strlen(word));
	struct tp_err err;
	char **names;
	size_t len;
	int count, i, of_kind;

	of_kind = !strcmp(word, "SELECTOR");
	count = v ? tp_share_list(v->folder, v->suffix, &names, &err) : -1;
	for (i = 0; i < count; i++) {
		len = strlen(names[i]) - strlen(v->suffix);
		if ((!v->list || of_kind) &&
		    is_own(tool, v, names, count, names[i], len))
			printf("%.*s\n", (int)len, names[i]);
		if (v->list)
			print_list(v, names[i]);
	}
	if (count >= 0)
		tp_share_free_list(names, count);
}
