/*
 * csv_strict - set up libcsv alike for all readers; not installed
 *
 * Strict, including unclosed quotes at the end of the input, with memory
 * from alloc.
 */
#ifndef TP_READ_CSV_STRICT_H
#define TP_READ_CSV_STRICT_H

#include <csv.h>

#include <tp/alloc.h>

/* Initialize PARSER for cells separated by DELIM; csv_free() it. */
static inline void
tp_csv_strict(struct csv_parser *parser, unsigned char delim)
{
	csv_init(parser, CSV_STRICT | CSV_STRICT_FINI);
	csv_set_realloc_func(parser, tp_realloc);
	csv_set_free_func(parser, tp_free);
	csv_set_delim(parser, delim);
}

#endif
