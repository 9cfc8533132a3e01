/*
 * question - answer a question about a profile_summary.v1 document
 *
 * Questions are understood by the words they hold; the first form that fits
 * is answered from the document alone.  Memory: the answer.
 */
#ifndef TP_JUDGE_QUESTION_H
#define TP_JUDGE_QUESTION_H

#include <stddef.h>

#include <tp/buf.h>

struct cJSON;

/*
 * Answer QUESTION from SUMMARY with at most TOP rows a list (a number in a
 * question for the top operations is taken instead): a JSON document appended
 * to BUF.  1, or 0 when the question is of no known form.
 */
int tp_question_answer(const struct cJSON *summary, const char *question,
    size_t top, struct tp_buf *buf);

/* The forms, as example questions, NULL-terminated. */
const char *const *tp_question_forms(void);

#endif
