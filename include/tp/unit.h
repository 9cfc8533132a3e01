/*
 * unit - numbers for people, and numbers people write
 *
 * Printing never depends on the locale.  Three significant digits in the
 * unit that reads best ("6.25 us", "63.9 ms", "259 MiB"); from 1000 on in a
 * unit that was asked for, one digit behind the point and thousands grouped
 * ("2,123.9 ms").
 */
#ifndef TP_UNIT_H
#define TP_UNIT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

struct tp_field;

/*
 * Print FIELD as its key's unit suffix says: _ns, _ps as ns/us/ms/s, _ratio as
 * percent, _factor as "1.23x", _bytes as B/KiB/MiB/GiB, _mb as MB, _count
 * (and the keys rows and count) grouped, _cycles, _per_s with "/s"; a truth
 * as yes or no; a fraction with three significant digits; anything else as it
 * is.  FORM chooses another form or is
 * NULL: "ns" "us" "ms" "s" (of _ns), "bytes" "kib" "mib" "gib" (of _bytes),
 * "percent" (of _ratio, _factor), "num" (the number in the unit the form
 * before it chose, without the unit), "raw" (the value as in the record),
 * "plural" (not the number but an "s" unless it is 1).  Forms may be joined:
 * "ms.num".
 * Returns 0, or -1 for a form that is unknown or does not fit the key.
 */
int tp_unit_print(struct tp_buf *buf, const struct tp_field *field,
    const char *form);

/* N with thousands separators: 1,234,567. */
void tp_unit_group(struct tp_buf *buf, int64_t n);
/* N nanoseconds in the unit that reads best: "6.25 us", "63.9 ms". */
void tp_unit_ns(struct tp_buf *buf, int64_t n);
/* X (0..1) as percent: "71.3 %"; below 0.1 % with two significant digits. */
void tp_unit_percent(struct tp_buf *buf, double x);

enum tp_dim { TP_DIM_TIME, TP_DIM_BYTES, TP_DIM_PLAIN };

/*
 * Read a number a person or a display wrote into the base unit (ns, bytes,
 * plain): "16917", "1.23 ms", "12.5 MiB", "00:01.234.567", "0x1f", "1,234",
 * "16.92 µs", "0 Bytes".  A bare number is in the base unit.  Decimal comma
 * ("1,23 ms") is understood where it is not a thousands separator.  Exact:
 * no double is used; rounded half to even.  Returns 0, or -1 when the text is
 * not a number of that dimension or does not fit.
 */
int tp_unit_parse(enum tp_dim dim, const char *text, size_t len, int64_t *n);
/*
 * Decimal TEXT ("47.3380", "1e-3") times SCALE (a power of ten) into *N,
 * rounded half to even.  0, or -1.
 */
int tp_unit_decimal(const char *text, size_t len, int64_t scale, int64_t *n);

#endif
