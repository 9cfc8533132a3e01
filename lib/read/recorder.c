/* recorder - convert exports of other profilers to events */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>

#include "recorder.h"

static int
load(struct tp_recorder *r, const char *file, struct tp_err *err)
{
	struct tp_buf path = { 0 };

	memset(r, 0, sizeof *r);
	tp_buf_fmt(&path, "events/%s", file);
	r->doc = tp_share_json(path.p, err);
	tp_buf_release(&path);
	if (!r->doc)
		return -1;
	r->name = tp_json_text(r->doc, "name");
	r->what = tp_json_text(r->doc, "what");
	r->framework = tp_json_text(r->doc, "framework");
	if (r->name && r->what && r->framework)
		return 0;
	tp_recorder_release(r);
	return tp_share_damaged(file, "name", err);
}

int
tp_recorder_find(struct tp_recorder *r,
    int (*is)(void *arg, const struct tp_recorder *recorder,
    struct tp_err *err), void *arg, struct tp_err *err)
{
	char **names;
	int count = tp_share_list("events", ".json", &names, err);
	int found = count < 0 ? -1 : 0;

	memset(r, 0, sizeof *r);
	for (int i = 0; i < count && !found; i++) {
		found = load(r, names[i], err) < 0 ? -1 : is(arg, r, err);
		if (found <= 0)
			tp_recorder_release(r);
	}
	if (count >= 0)
		tp_share_free_list(names, count);
	return found;
}

void
tp_recorder_release(struct tp_recorder *r)
{
	cJSON_Delete(r->doc);
	memset(r, 0, sizeof *r);
}
