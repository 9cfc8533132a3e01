/*
 * question - answer a question about a profile_summary.v1 document
 *
 * Questions are understood by the words they hold (share/questions.json); the
 * first form that fits is answered from the document alone.  Memory: the
 * answer.
 */
#ifndef TP_JUDGE_QUESTION_H
#define TP_JUDGE_QUESTION_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/* Read share/questions.json, the forms of questions; to be deleted.  NULL with
 * ERR. */
struct cJSON *tp_questions_load(struct tp_err *err);

/*
 * Answer QUESTION, which is of one of the forms of QUESTIONS, from SUMMARY
 * with at most TOP rows a list (a number in a question for the top operations
 * is taken instead): a JSON document appended to BUF.  1, or 0 when the
 * question is of no known form.
 */
int tp_question_answer(const struct cJSON *questions,
    const struct cJSON *summary, const char *question, size_t top,
    struct tp_buf *buf);

#endif
