/* workbook - write tables as sheets of a spreadsheet with libxlsxwriter */
#include <errno.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/os.h>
#include <tp/show/workbook.h>

#ifdef TP_XLSX
#include <xlsxwriter.h>

/*
 * The first WIDTH_ROWS rows set the width of a column, within limits in
 * characters.
 */
#define WIDTH_ROWS 200
#define WIDTH_LEAST 8
#define WIDTH_MOST 60

struct tp_workbook {
	lxw_workbook *book;
	lxw_format *bold;
	lxw_worksheet *sheet;
	struct tp_names names;	/* sheet names in use */
	struct tp_buf name;	/* of the table */
	struct tp_buf *header;	/* header cells as written to a sheet */
	size_t header_count, header_cap;
	unsigned char *widths;	/* by column */
	size_t width_count, width_cap;
	struct tp_buf text;	/* of the current cell */
	uint32_t row;		/* current row of the sheet */
	size_t column;
	struct tp_workbook_losses losses;
};

int
tp_workbook_can(void)
{
	return 1;
}

struct tp_workbook *
tp_workbook_new(const char *path, int64_t created, struct tp_err *err)
{
	lxw_workbook_options options = { .constant_memory = LXW_TRUE,
	    .tmpdir = (char *)tp_os_temporary_folder() };
	lxw_doc_properties properties = { .created = (time_t)created };
	struct tp_workbook *b = tp_zalloc(sizeof *b);

	(void)err;	/* only without libxlsxwriter it fails */
	b->book = workbook_new_opt(path, &options);
	if (b->book)
		b->bold = workbook_add_format(b->book);
	if (!b->bold || workbook_set_properties(b->book, &properties))
		tp_no_memory();
	format_set_bold(b->bold);
	return b;
}

static int
failed(lxw_error e, struct tp_err *err)
{
	if (e == LXW_ERROR_MEMORY_MALLOC_FAILED)
		tp_no_memory();
	return tp_fail(err, TP_IO, "output.failed", 0,
	    "cannot make the workbook: %s", lxw_strerror(e));
}

/* Write the cell in b->text at the current place, as number X or as text. */
static int
put(struct tp_workbook *b, int is_number, double x, struct tp_err *err)
{
	lxw_col_t column = (lxw_col_t)b->column;
	lxw_error e;

	if (is_number && b->row)
		e = worksheet_write_number(b->sheet, b->row, column, x, NULL);
	else
		e = worksheet_write_string(b->sheet, b->row, column,
		    b->text.p ? b->text.p : "", b->row ? NULL : b->bold);
	return e ? failed(e, err) : 0;
}

static int
add_sheet(struct tp_workbook *b, struct tp_err *err)
{
	struct tp_buf name = { 0 };
	lxw_error e;

	tp_workbook_name(&name, b->name.p ? b->name.p : "", &b->names);
	e = workbook_validate_sheet_name(b->book, name.p);
	b->sheet = e ? NULL : workbook_add_worksheet(b->book, name.p);
	if (!b->losses.sheets++ && b->sheet) {
		tp_buf_clear(&b->name);
		tp_buf_add(&b->name, name.p, name.len);
	}
	tp_buf_release(&name);
	if (!b->sheet)
		return failed(e ? e : LXW_ERROR_CREATING_TMPFILE, err);
	b->losses.name = b->name.p;
	b->row = 0;
	worksheet_freeze_panes(b->sheet, 1, 0);
	return 0;
}

/* Set what depends on all rows of a sheet: column widths and filter. */
static int
end_sheet(struct tp_workbook *b, struct tp_err *err)
{
	lxw_col_t last = (lxw_col_t)(b->header_count ? b->header_count - 1 :
	    0);
	lxw_error e = LXW_NO_ERROR;
	FILE *rows;

	if (!b->sheet)
		return 0;
	for (size_t i = 0; i < b->width_count && !e; i++)
		e = worksheet_set_column(b->sheet, (lxw_col_t)i, (lxw_col_t)i,
		    b->widths[i] + 2, NULL);
	if (b->row > 1 && !e)
		e = worksheet_autofilter(b->sheet, 0, 0, b->row - 1, last);
	rows = b->sheet->optimize_tmpfile;
	b->sheet = NULL;
	if (e)
		return failed(e, err);
	if (rows && (fflush(rows) || ferror(rows)))
		return tp_fail(err, TP_IO, "output.failed", 0, "cannot write "
		    "a temporary file: %s", strerror(errno));
	return 0;
}

int
tp_workbook_table(struct tp_workbook *b, const char *name,
    struct tp_err *err)
{
	tp_buf_clear(&b->name);
	tp_buf_str(&b->name, name);
	while (b->header_count)
		tp_buf_release(&b->header[--b->header_count]);
	b->width_count = b->column = 0;
	b->losses = (struct tp_workbook_losses){ 0 };
	return add_sheet(b, err);
}

/* Continue the table, with its header, on another sheet. */
static int
go_on(struct tp_workbook *b, struct tp_err *err)
{
	struct tp_buf cell = b->text;
	size_t column = b->column;
	int rc;

	rc = end_sheet(b, err) < 0 || add_sheet(b, err) < 0 ? -1 : 0;
	for (b->column = 0; !rc && b->column < b->header_count; b->column++) {
		b->text = b->header[b->column];
		rc = put(b, 0, 0, err);
	}
	b->text = cell;
	b->column = column;
	b->row = 1;
	return rc;
}

/* The characters of TEXT as its approximate width. */
static size_t
width_of(const struct tp_buf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len && n < WIDTH_MOST; i++)
		n += (text->p[i] & 0xc0) != 0x80;
	return n < WIDTH_LEAST ? WIDTH_LEAST : n;
}

static void
widen(struct tp_workbook *b)
{
	size_t width = width_of(&b->text);

	tp_grow(&b->widths, &b->width_cap, b->column + 1, 1);
	while (b->width_count <= b->column)
		b->widths[b->width_count++] = WIDTH_LEAST;
	if (width > b->widths[b->column])
		b->widths[b->column] = (unsigned char)width;
}

static void
keep_header(struct tp_workbook *b)
{
	tp_grow(&b->header, &b->header_cap, b->header_count + 1,
	    sizeof *b->header);
	b->header[b->header_count] = (struct tp_buf){ 0 };
	tp_buf_add(&b->header[b->header_count++], b->text.p ? b->text.p : "",
	    b->text.len);
}

int
tp_workbook_cell(struct tp_workbook *b, const char *text, size_t len,
    struct tp_err *err)
{
	int first = !b->row && b->losses.sheets == 1, is_number;
	double x = 0;

	if (b->column == TP_SHEET_COLUMNS) {
		b->losses.left_out++;
		return 0;
	}
	if (b->row == TP_SHEET_ROWS && go_on(b, err) < 0)
		return -1;
	is_number = tp_workbook_number(text, len, &x);
	tp_buf_clear(&b->text);
	b->losses.cut += (uint64_t)tp_workbook_text(&b->text, text, len);
	if (first)
		keep_header(b);
	if (b->row < WIDTH_ROWS)
		widen(b);
	if (len && put(b, is_number, x, err) < 0)
		return -1;
	b->column++;
	return 0;
}

void
tp_workbook_row(struct tp_workbook *b)
{
	b->losses.uneven += b->column != b->header_count;
	b->column = 0;
	b->row++;
}

int
tp_workbook_table_end(struct tp_workbook *b, struct tp_workbook_losses *losses,
    struct tp_err *err)
{
	*losses = b->losses;
	return end_sheet(b, err);
}

/* Release everything but the book. */
static void
release_workbook(struct tp_workbook *b)
{
	for (size_t i = 0; i < b->header_count; i++)
		tp_buf_release(&b->header[i]);
	tp_free(b->header);
	tp_free(b->widths);
	tp_buf_release(&b->name);
	tp_buf_release(&b->text);
	tp_names_release(&b->names);
	tp_free(b);
}

int
tp_workbook_end(struct tp_workbook *b, struct tp_err *err)
{
	lxw_error e = workbook_close(b->book);

	release_workbook(b);
	return e ? failed(e, err) : 0;
}

void
tp_workbook_free(struct tp_workbook *b)
{
	if (!b)
		return;
	lxw_workbook_free(b->book);
	release_workbook(b);
}

#else	/* without libxlsxwriter */

int
tp_workbook_can(void)
{
	return 0;
}

static int
none(struct tp_err *err)
{
	return tp_fail(err, TP_IO, "output.none", 0, "this build makes no "
	    "workbooks: libxlsxwriter was not there when it was built");
}

struct tp_workbook *
tp_workbook_new(const char *path, int64_t created, struct tp_err *err)
{
	(void)path;
	(void)created;
	none(err);
	return NULL;
}

int
tp_workbook_table(struct tp_workbook *b, const char *name,
    struct tp_err *err)
{
	(void)b;
	(void)name;
	return none(err);
}

int
tp_workbook_cell(struct tp_workbook *b, const char *text, size_t len,
    struct tp_err *err)
{
	(void)b;
	(void)text;
	(void)len;
	return none(err);
}

void
tp_workbook_row(struct tp_workbook *b)
{
	(void)b;
}

int
tp_workbook_table_end(struct tp_workbook *b, struct tp_workbook_losses *losses,
    struct tp_err *err)
{
	(void)b;
	(void)losses;
	return none(err);
}

int
tp_workbook_end(struct tp_workbook *b, struct tp_err *err)
{
	(void)b;
	return none(err);
}

void
tp_workbook_free(struct tp_workbook *b)
{
	(void)b;
}
#endif
