/*
 * unit - print numbers for people, and read numbers that people wrote
 *
 * Printing never depends on the locale.  Numbers have three significant
 * digits in the most readable unit ("6.25 us", "63.9 ms", "259 MiB"); from
 * 1000 on in a unit that was asked for, one decimal and grouped thousands
 * ("2,123.9 ms").
 */
#ifndef TP_UNIT_H
#define TP_UNIT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

struct tp_field;

/*
 * Print FIELD by the unit suffix of its key: _ns, _ps as ns/us/ms/s, _ratio
 * as percent, _factor as "1.23x", _bytes (and the key bytes) as B/KiB/MiB/GiB,
 * _mb as MB, _count (and the keys rows and count) grouped, _cycles, _per_s
 * with "/s"; booleans as yes or no; _points with one decimal, other fractions
 * with three significant digits; anything else unchanged.  FORM selects
 * another form or is NULL: "ns" "us" "ms" "s" (of _ns), "bytes" "kib" "mib"
 * "gib" (of _bytes), "percent" (of _ratio, _factor), "num" (the number without
 * the unit that the preceding form chose), "raw" (the value as in the record),
 * "plural" (not the number but an "s" unless it is 1).  Forms may be joined:
 * "ms.num".  Returns 0, or -1 for a form that is unknown or does not fit the
 * key.
 */
int tp_unit_print(struct tp_buf *buf, const struct tp_field *field,
    const char *form);

/* N with thousands separators: 1,234,567. */
void tp_unit_group(struct tp_buf *buf, int64_t n);
/* N nanoseconds in the most readable unit: "6.25 us", "63.9 ms". */
void tp_unit_ns(struct tp_buf *buf, int64_t n);
/* X (0..1) as percent: "71.3 %"; below 0.1 % with two significant digits. */
void tp_unit_percent(struct tp_buf *buf, double x);

enum tp_dim { TP_DIM_TIME, TP_DIM_BYTES, TP_DIM_PLAIN };

enum tp_unit_fault {
	TP_UNIT_OK,
	TP_UNIT_NONE,		/* not a number of that dimension, or too
				 * large */
	TP_UNIT_NOTATION,	/* written with the other decimal sign */
	TP_UNIT_AMBIGUOUS,	/* "1,379 ms": ',' could be either */
	TP_UNIT_FRACTION,	/* "38.541" ns or bytes; *N is rounded */
};

/*
 * Read a number that a person or a display wrote into the base unit (ns,
 * bytes, plain): "16917", "1.23 ms", "12.5 MiB", "00:01.234.567", "0x1f",
 * "1,234", "16.92 µs", "0 Bytes".  A bare number is in the base unit.
 * DECIMAL is the writer's decimal sign, '.' or ','; the other sign groups
 * digits.  With DECIMAL 0 the number itself must be unambiguous: "0,366 ms"
 * is, "1,379 ms" is not; a bare "1,234" is whole.  Exact: no double is used;
 * a fraction that the base unit cannot hold ("1.2345 us") is rounded half to
 * even.
 */
enum tp_unit_fault tp_unit_read(enum tp_dim dim, const char *text,
    size_t len, char decimal, int64_t *n);
/*
 * Read a single number, such as an option's argument: '.' is the decimal
 * sign unless the number is unambiguous with ','; any fraction is rounded.
 * 0 or -1.
 */
int tp_unit_parse(enum tp_dim dim, const char *text, size_t len, int64_t *n);
/*
 * The decimal sign that TEXT must have been written with: '.' or ','; 0 when
 * it could be either.
 */
char tp_unit_decimal_sign(enum tp_dim dim, const char *text, size_t len);
/*
 * Decimal TEXT ("47.3380", "1e-3") times SCALE (a power of ten) into *N,
 * rounded half to even.  0 or -1.
 */
int tp_unit_decimal(const char *text, size_t len, int64_t scale, int64_t *n);

#endif
