/*
 * unit - print numbers for people, and read numbers that people wrote
 *
 * One rule for digits and units, wherever people read (share/doc/sections.md,
 * Numbers); it never depends on the locale.  A number is never -0, and what is
 * not 0 is never printed as 0.
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
 * with "/s"; booleans as yes or no; _points signed, other fractions with
 * three significant digits; anything else unchanged.  FORM selects another
 * form or is NULL: "ns" "us" "ms" "s" (of _ns), "bytes" "kib" "mib" "gib" (of
 * _bytes), which holds from 0.1 to 99,999 of that unit, "percent" (of _ratio,
 * _factor), "num" (the number without the unit that the preceding form chose),
 * "raw" (the value as in the record), "plural" (not the number but an "s"
 * unless it is 1).  Forms may be joined: "ms.num".  Returns 0, or -1 for a form
 * that is unknown or does not fit the key.
 */
int tp_unit_print(struct tp_buf *buf, const struct tp_field *field,
    const char *form);

/* N with thousands separators: 1,234,567. */
void tp_unit_group(struct tp_buf *buf, int64_t n);
/* N nanoseconds in the most readable unit: "6.25 us", "63.9 ms". */
void tp_unit_ns(struct tp_buf *buf, int64_t n);
/* X (0..1) as percent: "0 %", "<0.1 %", "71.3 %", ">99.9 %", "100 %". */
void tp_unit_percent(struct tp_buf *buf, double x);
/* The change X as percent: "+4.7 %", "-0.2 %", "<0.1 %" of either sign. */
void tp_unit_change(struct tp_buf *buf, double x);
/* X with two decimals, to be held against a limit: "5.04", "<0.01", "0". */
void tp_unit_hundredths(struct tp_buf *buf, double x);
/* The limit X, as short as it was given: "5", "2.5". */
void tp_unit_limit(struct tp_buf *buf, double x);

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
