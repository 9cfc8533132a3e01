/* source - what a row of a table is of, where tables were put together */
#ifndef TP_READ_SOURCE_H
#define TP_READ_SOURCE_H

#include "read/rows.h"

#define TP_SOURCE_COLUMN "source"
#define TP_MODEL_COLUMN "model_id"

/*
 * What a row is of by its cells SOURCE and MODEL: LEN bytes, none if they are
 * empty.  Borrowed from a cell, or from BOTH when both say something.
 */
const char *tp_source_text(const struct tp_value *source,
    const struct tp_value *model, struct tp_buf *both, size_t *len);

#endif
