/*
 * csv_strict - a parser of libcsv as all readers have it; not installed
 *
 * Strict, to the end of the input, with memory from alloc.
 */
#ifndef TP_READ_CSV_STRICT_H
#define TP_READ_CSV_STRICT_H

#include <csv.h>

#include <tp/alloc.h>

/* Begin, with DELIM between cells; -1 without memory, else csv_free() it. */
static inline int
tp_csv_strict(struct csv_parser *parser, unsigned char delim)
{
	if (csv_init(parser, CSV_STRICT | CSV_STRICT_FINI))
		return -1;
	csv_set_realloc_func(parser, tp_realloc);
	csv_set_free_func(parser, tp_free);
	csv_set_delim(parser, delim);
	return 0;
}

#endif
