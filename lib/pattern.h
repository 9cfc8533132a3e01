/*
 * pattern - an extended regular expression from a file of share
 *
 * Memory: what regcomp() takes, outside of tp_alloc().
 */
#ifndef TP_PATTERN_H
#define TP_PATTERN_H

#include <regex.h>

#include <tp/err.h>

struct cJSON;

/* A zeroed struct matches nothing. */
struct tp_pattern {
	regex_t regex;
	int is_set;
};

/* KEY of FROM, which is of share/FILE, with FLAGS of regcomp(); an absent one
 * leaves *PATTERN.  0, or -1 with ERR. */
int tp_pattern_load(struct tp_pattern *pattern, const struct cJSON *from,
    const char *key, int flags, const char *file, struct tp_err *err);
/* Whether some of TEXT, which may be NULL, matches. */
int tp_pattern_fits(const struct tp_pattern *pattern, const char *text);
void tp_pattern_release(struct tp_pattern *pattern);

#endif
