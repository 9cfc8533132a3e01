/*
 * build - whether a run was built with a feature, judged by its name
 *
 * The words are "off" and "on" of share/ops/xnnpack.json: "sme2_off".
 */
#ifndef TP_BUILD_H
#define TP_BUILD_H

struct cJSON;

enum tp_build { TP_BUILD_UNKNOWN, TP_BUILD_OFF, TP_BUILD_ON };

/*
 * The first word of LIST that occurs in NAME, and *AT its position; NULL:
 * none.
 */
const char *tp_build_word(const struct cJSON *list, const char *name,
    const char **at);
/*
 * Build of NAME by the word lists OFF and ON; unknown when words of both
 * occur.
 */
enum tp_build tp_build_of(const struct cJSON *off, const struct cJSON *on,
    const char *name);

#endif
