#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static const char *const type_names[TYPE_COUNT] = {
	[START_TIME] = "start-time",
	[SAMPLE_TIME] = "sample-time",
	[EVENT_TIME] = "event-time",
	[DURATION] = "duration",
	[WEIGHT] = "weight",
	[SIZE_IN_BYTES] = "size-in-bytes",
	[UINT32] = "uint32",
	[UINT64] = "uint64",
	[BOOLEAN] = "boolean",
	[GPU_CHANNEL_NAME] = "gpu-channel-name",
	[GPU_FRAME_NUMBER] = "gpu-frame-number",
	[METAL_NESTING_LEVEL] = "metal-nesting-level",
	[FORMATTED_LABEL] = "formatted-label",
	[NARRATIVE] = "narrative",
	[GPU_STATE] = "gpu-state",
	[GPU_PERFORMANCE_STATE] = "gpu-performance-state",
	[CONNECTION_UUID64] = "connection-uuid64",
	[RENDER_BUFFER_DEPTH] = "render-buffer-depth",
	[PROCESS] = "process",
	[THREAD] = "thread",
	[METAL_DEVICE_NAME] = "metal-device-name",
	[METAL_OBJECT_LABEL] = "metal-object-label",
	[METAL_COMMAND_BUFFER_ID] = "metal-command-buffer-id",
	[METAL_ENCODER_ID] = "metal-encoder-id",
	[METAL_EVENT_NAME] = "metal-event-name",
	[METAL_EVENT] = "metal-event",
	[METAL_MEMORY_LEVEL_EVENT] = "metal-memory-level-event",
	[GPU_MEMORY_EVENT_NAME] = "gpu-memory-event-name",
	[GPU_HARDWARE_TRACE] = "gpu-hardware-trace",
	[IO_SURFACE] = "displayed-surface-io-surface",
	[GPU_COUNTER_NAME] = "gpu-counter-name",
	[FIXED_DECIMAL] = "fixed-decimal",
	[PERCENT] = "percent",
	[CORE] = "core",
	[THREAD_STATE] = "thread-state",
	[BACKTRACE] = "backtrace",
	[KPERF_BT] = "kperf-bt",
	[KDEBUG_CLASS] = "kdebug-class",
	[KDEBUG_SUBCLASS] = "kdebug-subclass",
	[KDEBUG_CODE] = "kdebug-code",
	[KDEBUG_FUNC] = "kdebug-func",
	[KDEBUG_ARG] = "kdebug-arg",
	[FRAME] = "frame",
	[BINARY] = "binary",
	[PID] = "pid",
	[TID] = "tid",
	[DEVICE_SESSION] = "device-session",
	[STRING] = "string",
	[NARRATIVE_TEXT] = "narrative-text",
};

/* Of an M3 Max: the first four cores are the efficient ones. */
#define EFFICIENT_CORES 4

static void
put(struct table *t, const char *s, size_t len)
{
	if (len > sizeof(t->out) - t->used) {
		fwrite(t->out, 1, t->used, t->file);
		t->used = 0;
	}
	if (len > sizeof(t->out)) {
		fwrite(s, 1, len, t->file);
		return;
	}
	memcpy(t->out + t->used, s, len);
	t->used += len;
}

static void
put_text(struct table *t, const char *s)
{
	put(t, s, strlen(s));
}

static void
put_number(struct table *t, uint64_t n)
{
	char digits[24];
	size_t at;

	at = sizeof(digits);
	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	put(t, digits + at, sizeof(digits) - at);
}

static void
put_escaped(struct table *t, const char *s)
{
	size_t plain;

	while (*s) {
		plain = strcspn(s, "<>&\"");
		put(t, s, plain);
		s += plain;
		if (!*s)
			break;
		put_text(t, *s == '<' ? "&lt;" : *s == '>' ? "&gt;" :
		    *s == '&' ? "&amp;" : "&quot;");
		s++;
	}
}

/* A field of RFC 4180; an empty text is quoted, since nothing is absence. */
static void
put_field(struct table *t, const char *s)
{
	size_t len, plain;

	len = strlen(s);
	if (len > 0 && !strpbrk(s, ",\"\r\n") && s[0] != ' ' &&
	    s[len - 1] != ' ') {
		put(t, s, len);
		return;
	}
	put(t, "\"", 1);
	while (*s) {
		plain = strcspn(s, "\"");
		put(t, s, plain);
		s += plain;
		if (*s) {
			put(t, "\"\"", 2);
			s++;
		}
	}
	put(t, "\"", 1);
}

/* N / UNIT to two places and the unit's NAME. */
static void
show_scaled(char *s, size_t size, uint64_t n, uint64_t unit, const char *name)
{
	uint64_t hundredths;

	hundredths = n / unit * 100 + (n % unit * 100 + unit / 2) / unit;
	snprintf(s, size, "%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100,
	    hundredths % 100, name);
}

static void
show_duration(char *s, size_t size, uint64_t ns)
{
	if (ns < 1000)
		snprintf(s, size, "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		show_scaled(s, size, ns, 1000, "µs");
	else if (ns < 1000000000)
		show_scaled(s, size, ns, 1000000, "ms");
	else
		show_scaled(s, size, ns, 1000000000, "s");
}

static void
show_bytes(char *s, size_t size, uint64_t n)
{
	if (n < 1 << 10)
		snprintf(s, size, "%" PRIu64 " Bytes", n);
	else if (n < 1 << 20)
		show_scaled(s, size, n, 1 << 10, "KiB");
	else if (n < 1 << 30)
		show_scaled(s, size, n, 1 << 20, "MiB");
	else
		show_scaled(s, size, n, 1 << 30, "GiB");
}

static void
show_grouped(char *s, size_t size, uint64_t n)
{
	char digits[24];
	size_t len, at;

	len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	at = 0;
	for (size_t i = 0; i < len && at + 2 < size; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			s[at++] = ',';
		s[at++] = digits[i];
	}
	s[at] = '\0';
}

/* What Instruments shows for the number N of TYPE. */
static void
show(char *s, size_t size, enum type type, uint64_t n)
{
	switch (type) {
	case START_TIME:
	case SAMPLE_TIME:
	case EVENT_TIME:
		snprintf(s, size, "%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64
		    ".%03" PRIu64, n / 60000000000, n / 1000000000 % 60,
		    n / 1000000 % 1000, n / 1000 % 1000);
		break;
	case DURATION:
	case WEIGHT:
		show_duration(s, size, n);
		break;
	case SIZE_IN_BYTES:
		show_bytes(s, size, n);
		break;
	case UINT64:
		show_grouped(s, size, n);
		break;
	case BOOLEAN:
		snprintf(s, size, "%s", n ? "Yes" : "No");
		break;
	case GPU_FRAME_NUMBER:
		snprintf(s, size, "Frame %" PRIu64, n);
		break;
	case CORE:
		snprintf(s, size, "CPU %" PRIu64 " (%c Core)", n,
		    n < EFFICIENT_CORES ? 'E' : 'P');
		break;
	case KDEBUG_FUNC:
		snprintf(s, size, "%s", n == 1 ? "START" : "END");
		break;
	case METAL_COMMAND_BUFFER_ID:
	case METAL_ENCODER_ID:
	case GPU_HARDWARE_TRACE:
	case IO_SURFACE:
	case KDEBUG_CLASS:
	case KDEBUG_SUBCLASS:
	case KDEBUG_CODE:
	case KDEBUG_ARG:
	case TID:
		snprintf(s, size, "0x%" PRIx64, n);
		break;
	default:
		snprintf(s, size, "%" PRIu64, n);
		break;
	}
}

/* Numbers that only stand for a name: the CSV holds the name. */
static int
is_name(enum type type)
{
	return type == CORE || type == KDEBUG_CLASS ||
	    type == KDEBUG_SUBCLASS || type == KDEBUG_CODE ||
	    type == KDEBUG_FUNC;
}

static uint64_t
mix(uint64_t h)
{
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
	h = (h ^ h >> 27) * 0x94d049bb133111eb;
	return h ^ h >> 31;
}

static struct slot *
slot_find(struct slot *slots, size_t cap, uint32_t type, uint64_t value)
{
	size_t i;

	i = mix(value + type * 0x9e3779b97f4a7c15) & (cap - 1);
	while (slots[i].id && (slots[i].type != type ||
	    slots[i].value != value))
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static void
slots_grow(struct table *t)
{
	struct slot *slots;
	size_t cap;

	cap = t->slot_cap ? 2 * t->slot_cap : 1024;
	slots = calloc(cap, sizeof(*slots));
	if (!slots)
		die(5, "out of memory");
	for (size_t i = 0; i < t->slot_cap; i++)
		if (t->slots[i].id)
			*slot_find(slots, cap, t->slots[i].type,
			    t->slots[i].value) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->slot_cap = cap;
}

/* The slot of (TYPE, VALUE); its id is 0 when it is new. */
static struct slot *
slot(struct table *t, uint32_t type, uint64_t value)
{
	struct slot *s;

	if (4 * (t->slot_count + 1) > 3 * t->slot_cap)
		slots_grow(t);
	s = slot_find(t->slots, t->slot_cap, type, value);
	if (!s->id) {
		s->type = type;
		s->value = value;
		t->slot_count++;
	}
	return s;
}

/* A number for the text S: the same for equal texts. */
static uint64_t
string_number(struct table *t, const char *s)
{
	struct slot *at;
	uint64_t h;
	size_t len;

	h = 0;
	len = strlen(s);
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3;
	for (;; h++) {
		at = slot(t, TYPE_COUNT, h);
		if (!at->id)
			break;
		if (strcmp(t->strings[at->id - 1], s) == 0)
			return at->id;
	}
	t->strings = list_more(t->strings, t->string_count, &t->string_cap,
	    sizeof(*t->strings));
	t->strings[t->string_count] = malloc(len + 1);
	if (!t->strings[t->string_count])
		die(5, "out of memory");
	memcpy(t->strings[t->string_count++], s, len + 1);
	at->id = (uint32_t)t->string_count;
	return at->id;
}

/*
 * Start the element TYPE for VALUE.  Returns 0 when the value was written
 * before: then a reference to it is all there is.  Else its id is written
 * and the start tag is left open for attributes.
 */
static int
element_open(struct table *t, enum type type, uint64_t value)
{
	struct slot *s;
	uint32_t id;

	s = slot(t, type, value);
	id = s->id;
	if (!id)
		s->id = ++t->ids;
	put_text(t, "<");
	put_text(t, type_names[type]);
	put_text(t, id ? " ref=\"" : " id=\"");
	put_number(t, id ? id : t->ids);
	put_text(t, id ? "\"/>" : "\"");
	return !id;
}

static void
element_attribute(struct table *t, const char *name, const char *value)
{
	put_text(t, " ");
	put_text(t, name);
	put_text(t, "=\"");
	put_escaped(t, value);
	put_text(t, "\"");
}

static void
element_close(struct table *t, enum type type)
{
	put_text(t, "</");
	put_text(t, type_names[type]);
	put_text(t, ">");
}

static void
element_number(struct table *t, enum type type, uint64_t value)
{
	char text[48];

	if (!element_open(t, type, value))
		return;
	show(text, sizeof(text), type, value);
	element_attribute(t, "fmt", text);
	put_text(t, ">");
	put_number(t, value);
	element_close(t, type);
}

static void
element_text(struct table *t, enum type type, const char *text)
{
	if (!element_open(t, type, string_number(t, text)))
		return;
	element_attribute(t, "fmt", text);
	put_text(t, ">");
	put_escaped(t, text);
	element_close(t, type);
}

static void
show_process(char *s, size_t size, int process)
{
	snprintf(s, size, "%s (%u)", processes[process].name,
	    processes[process].pid);
}

static void
element_process(struct table *t, int process)
{
	char text[128];

	if (!element_open(t, PROCESS, (uint64_t)process))
		return;
	show_process(text, sizeof(text), process);
	element_attribute(t, "fmt", text);
	put_text(t, ">");
	element_number(t, PID, processes[process].pid);
	element_text(t, DEVICE_SESSION, "TODO");
	element_close(t, PROCESS);
}

static void
show_thread(char *s, size_t size, int thread)
{
	const struct process *p;

	p = &processes[threads[thread].process];
	snprintf(s, size, "%s 0x%x (%s, pid: %u)", threads[thread].name,
	    threads[thread].tid, p->name, p->pid);
}

static void
element_thread(struct table *t, int thread)
{
	char text[192];

	if (!element_open(t, THREAD, (uint64_t)thread))
		return;
	show_thread(text, sizeof(text), thread);
	element_attribute(t, "fmt", text);
	put_text(t, ">");
	element_number(t, TID, threads[thread].tid);
	element_process(t, threads[thread].process);
	element_close(t, THREAD);
}

static void
element_library(struct table *t, const struct library *library)
{
	char text[24];

	if (!element_open(t, BINARY, library->address))
		return;
	element_attribute(t, "name", library->name);
	element_attribute(t, "UUID", library->uuid);
	element_attribute(t, "arch", "arm64e");
	snprintf(text, sizeof(text), "0x%" PRIx64, library->address);
	element_attribute(t, "load-addr", text);
	element_attribute(t, "path", library->path);
	put_text(t, "/>");
}

static void
element_frame(struct table *t, unsigned n)
{
	struct frame frame;
	char text[24];

	if (!element_open(t, FRAME, n))
		return;
	frame = frame_at(n);
	element_attribute(t, "name", frame.name);
	snprintf(text, sizeof(text), "0x%" PRIx64, frame.address);
	element_attribute(t, "addr", text);
	if (!frame.library) {
		put_text(t, "/>");
		return;
	}
	put_text(t, ">");
	element_library(t, frame.library);
	element_close(t, FRAME);
}

static enum type
cell(struct table *t)
{
	if (t->form == CSV && t->column > 0)
		put(t, ",", 1);
	return t->schema->columns[t->column++].type;
}

void
cell_none(struct table *t)
{
	(void)cell(t);
	if (t->form == XML)
		put_text(t, "<sentinel/>");
}

void
cell_number(struct table *t, uint64_t value)
{
	enum type type;
	char text[48];

	type = cell(t);
	if (t->form == XML) {
		element_number(t, type, value);
	} else if (is_name(type)) {
		show(text, sizeof(text), type, value);
		put_field(t, text);
	} else {
		put_number(t, value);
	}
}

void
cell_decimal(struct table *t, int64_t millionths)
{
	enum type type;
	char text[48], rounded[48];
	int64_t hundredths;

	type = cell(t);
	snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64,
	    millionths / 1000000, millionths % 1000000);
	if (t->form == CSV) {
		put_text(t, text);
		return;
	}
	if (!element_open(t, type, (uint64_t)millionths))
		return;
	hundredths = (millionths + 5000) / 10000;
	snprintf(rounded, sizeof(rounded), "%" PRId64 ".%02" PRId64 "%s",
	    hundredths / 100, hundredths % 100, type == PERCENT ? "%" : "");
	element_attribute(t, "fmt", rounded);
	put_text(t, ">");
	put_text(t, text);
	element_close(t, type);
}

void
cell_text(struct table *t, const char *text)
{
	enum type type;

	type = cell(t);
	if (t->form == XML)
		element_text(t, type, text);
	else
		put_field(t, text);
}

void
cell_process(struct table *t, int process)
{
	char text[128];

	if (process == NOBODY) {
		cell_none(t);
		return;
	}
	(void)cell(t);
	if (t->form == XML) {
		element_process(t, process);
		return;
	}
	show_process(text, sizeof(text), process);
	put_field(t, text);
}

void
cell_thread(struct table *t, int thread)
{
	char text[192];

	if (thread == NO_THREAD) {
		cell_none(t);
		return;
	}
	(void)cell(t);
	if (t->form == XML) {
		element_thread(t, thread);
		return;
	}
	show_thread(text, sizeof(text), thread);
	put_field(t, text);
}

static void
element_piece(struct table *t, const struct piece *piece)
{
	if (piece->text)
		element_text(t, piece->type, piece->text);
	else if (piece->type == PROCESS)
		element_process(t, (int)piece->number);
	else
		element_number(t, piece->type, piece->number);
}

void
cell_label(struct table *t, const struct piece *pieces, size_t count)
{
	enum type type;
	char text[512], part[128];
	size_t used;

	type = cell(t);
	used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].text && pieces[i].type == PROCESS)
			show_process(part, sizeof(part),
			    (int)pieces[i].number);
		else if (!pieces[i].text)
			show(part, sizeof(part), pieces[i].type,
			    pieces[i].number);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "%s%s", i > 0 ? " " : "",
		    pieces[i].text ? pieces[i].text : part);
	}
	if (t->form == CSV) {
		put_field(t, text);
		return;
	}
	if (!element_open(t, type, string_number(t, text)))
		return;
	element_attribute(t, "fmt", text);
	put_text(t, ">");
	for (size_t i = 0; i < count; i++)
		element_piece(t, &pieces[i]);
	element_close(t, type);
}

/* "library`name" of a frame, with ";" in it as "\;". */
static size_t
show_frame(char *s, size_t size, unsigned n)
{
	struct frame frame;
	size_t used;

	frame = frame_at(n);
	used = 0;
	if (frame.library)
		used = (size_t)snprintf(s, size, "%s`", frame.library->name);
	for (const char *c = frame.name; *c && used + 3 < size; c++) {
		if (*c == ';')
			s[used++] = '\\';
		s[used++] = *c;
	}
	s[used] = '\0';
	return used;
}

void
cell_stack(struct table *t, const struct stack *stack)
{
	enum type type;
	char text[FRAMES_MAX * 256], *end;

	if (stack->count == 0) {
		cell_none(t);
		return;
	}
	type = cell(t);
	end = text;
	for (unsigned i = stack->count; i-- > 0;) {
		end += show_frame(end, 256, stack->frames[i]);
		*end++ = i > 0 ? ';' : '\0';
	}
	if (t->form == CSV) {
		put_field(t, text);
		return;
	}
	if (!element_open(t, type, string_number(t, text)))
		return;
	put_text(t, ">");
	for (unsigned i = 0; i < stack->count; i++)
		element_frame(t, stack->frames[i]);
	element_close(t, type);
}

static void
put_schema(struct table *t, unsigned position)
{
	char text[32];

	put_text(t, "<?xml version=\"1.0\"?>\n<trace-query-result>\n");
	put_text(t, "<node xpath='//trace-toc[1]/run[1]/data[1]/table[");
	snprintf(text, sizeof(text), "%u", position);
	put_text(t, text);
	put_text(t, "]'><schema name=\"");
	put_text(t, t->schema->name);
	put_text(t, "\">");
	for (const struct column *c = t->schema->columns; c->mnemonic; c++) {
		put_text(t, "<col><mnemonic>");
		put_text(t, c->mnemonic);
		put_text(t, "</mnemonic><name>");
		put_escaped(t, c->name);
		put_text(t, "</name><engineering-type>");
		put_text(t, type_names[c->type]);
		put_text(t, "</engineering-type></col>");
	}
	put_text(t, "</schema>");
}

void
table_open(struct table *t, const struct schema *schema, unsigned position,
    enum form form, const char *path)
{
	memset(t, 0, sizeof(*t));
	t->schema = schema;
	t->form = form;
	t->path = path;
	t->file = file_create(path);
	if (form == XML) {
		put_schema(t, position);
		return;
	}
	for (size_t i = 0; schema->columns[i].mnemonic; i++) {
		put(t, ",", i > 0);
		put_field(t, schema->columns[i].mnemonic);
	}
	put(t, "\n", 1);
}

void
row_begin(struct table *t)
{
	t->column = 0;
	if (t->form == XML)
		put_text(t, "<row>");
}

void
row_end(struct table *t)
{
	assert(!t->schema->columns[t->column].mnemonic);
	put_text(t, t->form == XML ? "</row>\n" : "\n");
}

void
table_close(struct table *t)
{
	if (t->form == XML)
		put_text(t, "</node></trace-query-result>\n");
	fwrite(t->out, 1, t->used, t->file);
	file_close(t->file, t->path);
	for (size_t i = 0; i < t->string_count; i++)
		free(t->strings[i]);
	free(t->strings);
	free(t->slots);
}
