/* pattern - an extended regular expression from a file of share */
#include <tp/json.h>
#include <tp/share.h>

#include "pattern.h"

int
tp_pattern_load(struct tp_pattern *p, const struct cJSON *from,
    const char *key, int flags, const char *file, struct tp_err *err)
{
	const char *text = tp_json_text(from, key);

	if (!text)
		return 0;
	if (regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB | flags))
		return tp_share_damaged(file, key, err);
	p->is_set = 1;
	return 0;
}

int
tp_pattern_fits(const struct tp_pattern *p, const char *text)
{
	return p->is_set && text && !regexec(&p->regex, text, 0, NULL, 0);
}

void
tp_pattern_release(struct tp_pattern *p)
{
	if (p->is_set)
		regfree(&p->regex);
}
