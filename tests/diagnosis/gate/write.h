/* write - a run as the filters tell it */
#ifndef WRITE_H
#define WRITE_H

#include <stdio.h>

#include "model.h"

/* As records, in the order of a report on a capture of JAX. */
void write_records(const struct run *run, FILE *f);
/* As a document profile_summary.v1. */
void write_document(const struct run *run, FILE *f);

#endif
