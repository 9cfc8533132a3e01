/*
 * question - answer a question about a profile_summary.v1 document
 *
 * share/questions.json lists forms of questions and the words that identify
 * them; the first form that matches is answered from the document alone.
 * Memory: the answer.
 */
#ifndef TP_JUDGE_QUESTION_H
#define TP_JUDGE_QUESTION_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/* Read share/questions.json; release with cJSON_Delete().  NULL with ERR. */
struct cJSON *tp_questions_load(struct tp_err *err);

/*
 * Answer QUESTION, which must match one of the forms QUESTIONS, from
 * SUMMARY: append a JSON document to BUF, with at most TOP rows per list (or
 * the number that the question states).  1, or 0 when no form matches.
 */
int tp_question_answer(const struct cJSON *questions,
    const struct cJSON *summary, const char *question, size_t top,
    struct tp_buf *buf);

#endif
