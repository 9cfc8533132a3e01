/*
 * json - members of parsed JSON objects
 */
#ifndef TP_JSON_H
#define TP_JSON_H

struct cJSON;

/* Member KEY of OBJECT, or NULL; OBJECT may be NULL. */
const struct cJSON *tp_json_get(const struct cJSON *object, const char *key);
/* As tp_json_get(), as text; NULL when absent, empty or not a string. */
const char *tp_json_text(const struct cJSON *object, const char *key);
/* As tp_json_get(), as a finite number in *X.  1, or 0 with *X untouched. */
int tp_json_number(const struct cJSON *object, const char *key, double *x);

/* Whether TEXT is a string of the array LIST, which may be NULL. */
int tp_json_holds(const struct cJSON *list, const char *text);
/* As tp_json_holds(), for the shell patterns of LIST. */
int tp_json_fits(const struct cJSON *list, const char *text);

#endif
