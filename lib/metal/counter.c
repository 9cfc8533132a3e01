/* counter - GPU hardware counters */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/counter.h>
#include <tp/share.h>
#include <tp/text.h>
#include <tp/unit.h>

#define BILLION 1000000000

/* V in billionths into *X; -1 when it is not a number. */
static int
number(const struct tp_value *v, tp_int128 *x)
{
	size_t len = v->len;
	int64_t n;

	if (v->type == TP_COUNT || v->type == TP_BYTES) {
		*x = (tp_int128)v->n * BILLION;
		return 0;
	}
	if (v->type == TP_ID) {
		*x = (tp_int128)v->id * BILLION;
		return 0;
	}
	if (v->type != TP_DECIMAL && v->type != TP_TEXT)
		return -1;
	if (len && v->text[len - 1] == '%')
		len--;
	while (len && v->text[len - 1] == ' ')
		len--;
	if (!tp_unit_decimal(v->text, len, BILLION, &n)) {
		*x = n;
		return 0;
	}
	if (tp_unit_decimal(v->text, len, 1, &n) < 0)
		return -1;
	*x = (tp_int128)n * BILLION;
	return 0;
}

/* A whole number that a table calls a count or an id; -1: none. */
static int64_t
whole(const struct tp_value *v)
{
	if (v->type == TP_ID)
		return v->id <= INT64_MAX ? (int64_t)v->id : -1;
	return v->type == TP_COUNT && v->n >= 0 ? v->n : -1;
}

static int
has_text(const struct tp_value *v)
{
	return (v->type == TP_TEXT || v->type == TP_DECIMAL) && v->len;
}

/* Index of the text of V; -1: none. */
static ptrdiff_t
name_of(struct tp_names *names, const struct tp_value *v)
{
	return has_text(v) ? tp_names_add(names, v->text, v->len) : -1;
}

static void
sum_add(struct tp_counter_sum *s, tp_int128 value, int64_t weight)
{
	tp_int128 part;

	s->rows++;
	s->overflow |= __builtin_add_overflow(s->weight, weight, &s->weight);
	s->overflow |= __builtin_mul_overflow(value, (tp_int128)weight,
	    &part);
	if (!s->overflow)
		s->overflow = __builtin_add_overflow(s->sum, part, &s->sum);
}

static struct tp_counter_series *
series_of(struct tp_counter *c, int64_t id, ptrdiff_t name, ptrdiff_t gpu,
    int sampled, int percent)
{
	ptrdiff_t key = tp_ids_add(&c->keys, (uint64_t)id, (uint64_t)name);
	size_t old = c->places.count;
	struct tp_counter_series *s;
	ptrdiff_t i;

	i = tp_ids_add(&c->places, (uint64_t)key, ((uint64_t)(gpu + 1) << 2) |
	    (unsigned)sampled << 1 | (unsigned)percent);
	TP_ITEM(c->series, c->series_cap, i);
	s = &c->series[i];
	if (c->places.count == old)
		return s;
	memset(s, 0, sizeof *s);
	s->id = id;
	s->name = name;
	s->gpu = gpu;
	s->sampled = sampled;
	s->percent = percent;
	s->limiter = tp_counter_is(c, name < 0 ? NULL :
	    c->names.names[name].text, "top-limiter");
	return s;
}

static void
add_counter_value(struct tp_counter_series *s, tp_int128 value, int64_t from,
    int64_t to, int64_t weight)
{
	if (!s->all.rows || from < s->first_ns)
		s->first_ns = from;
	if (!s->all.rows || to > s->last_ns)
		s->last_ns = to;
	if (!s->all.rows || value > s->peak ||
	    (value == s->peak && from < s->peak_at_ns)) {
		s->peak = value;
		s->peak_at_ns = from;
	}
	sum_add(&s->all, value, weight);
	if (value)
		sum_add(&s->nonzero, value, weight);
}

int64_t
tp_counter_unit(tp_int128 value, const char *label, size_t len)
{
	static const int64_t units[] = { 1, 1000, 1024, 1000000, 1 << 20,
	    BILLION, 1 << 30 };
	int64_t shown;
	double factor;

	if (value <= 0 || len < 3 || memcmp(label + len - 3, "B/s", 3) ||
	    tp_unit_parse(TP_DIM_BYTES, label, len - 2, &shown) < 0)
		return 0;
	factor = (double)shown * BILLION / (double)value;
	/* a label has three digits, enough to tell kB from KiB (2.4 % apart) */
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (fabs(factor / (double)units[i] - 1) < 0.01)
			return units[i];
	return 0;
}

/* The name in "0.0148% (9.Texture Write Limiter)", and its length in *LEN. */
static const char *
limiter_in(const char *label, size_t *len)
{
	const char *end = label + *len, *p = memchr(label, '(', *len), *dot;

	if (!p || end[-1] != ')')
		return NULL;
	p++;
	end--;
	for (dot = p; dot < end && *dot >= '0' && *dot <= '9'; dot++)
		continue;
	if (dot > p && dot < end && *dot == '.')
		p = dot + 1;
	*len = (size_t)(end - p);
	return *len ? p : NULL;
}

static void
take_limiter(struct tp_counter *c, const struct tp_value *label, int64_t ns)
{
	size_t len = label->len;
	const char *name;
	ptrdiff_t i;

	c->limited_ns += ns;
	name = has_text(label) ? limiter_in(label->text, &len) : NULL;
	if (!name)
		return;
	i = tp_names_add(&c->limiters, name, len);
	TP_ITEM(c->limiter_ns, c->limiter_cap, i);
	c->limiter_ns[i] += ns;
}

static int
add_interval(struct tp_counter *c, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	const struct tp_value *flag = &row->v[TP_COUNTER_IS_PERCENT];
	const struct tp_value *label = &row->v[TP_COUNTER_LABEL];
	int percent = row->v[TP_COUNTER_PERCENT].type != TP_NONE;
	const struct tp_value *v = &row->v[percent ? TP_COUNTER_PERCENT :
	    TP_COUNTER_VALUE];
	int64_t id = whole(&row->v[TP_COUNTER_ID]), from, to, unit;
	struct tp_counter_series *s;
	ptrdiff_t name, gpu;
	tp_int128 value;
	int rc;

	rc = tp_row_interval(row, TP_COUNTER_START, TP_COUNTER_DURATION,
	    window, &from, &to, err);
	if (rc < 0)
		return -1;
	if (v->type == TP_NONE)
		return tp_row_bad(err, row, "no value");
	if (number(v, &value) < 0)
		return tp_row_bad(err, row, "a value that is not a number");
	if (id < 0 && !has_text(&row->v[TP_COUNTER_NAME]))
		return tp_row_bad(err, row, "no counter");
	if (!rc) {
		c->zero_durations += row->v[TP_COUNTER_DURATION].n == 0;
		return 0;
	}
	if (!percent && flag->type == TP_COUNT)
		percent = flag->n != 0;
	name = name_of(&c->names, &row->v[TP_COUNTER_NAME]);
	gpu = name_of(&c->gpus, &row->v[TP_COUNTER_GPU]);
	s = series_of(c, id, name, gpu, 0, percent);
	add_counter_value(s, value, from, to, to - from);
	if (s->limiter) {
		take_limiter(c, label, to - from);
		return 0;
	}
	unit = percent || !has_text(label) ? 0 :
	    tp_counter_unit(value, label->text, label->len);
	if (unit)
		s->unit = s->unit && s->unit != unit ? -1 : unit;
	return 0;
}

static int
add_sample(struct tp_counter *c, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	const struct tp_value *t = &row->v[TP_SAMPLE_TIME];
	int64_t id = whole(&row->v[TP_SAMPLE_ID]);
	struct tp_counter_series *s;
	tp_int128 value;

	if (t->type == TP_NONE)
		return tp_row_bad(err, row, "no time");
	if (id < 0)
		return tp_row_bad(err, row, "no counter");
	if (number(&row->v[TP_SAMPLE_VALUE], &value) < 0)
		return tp_row_bad(err, row,
		    row->v[TP_SAMPLE_VALUE].type == TP_NONE ? "no value" :
		    "a value that is not a number");
	if (t->n < window->from_ns || t->n >= window->to_ns)
		return 0;
	s = series_of(c, id, -1, -1, 1, 0);
	add_counter_value(s, value, t->n, t->n, 1);
	return 0;
}

/* Add a description; the first of an id counts. */
static int
add_info(struct tp_counter *c, const struct tp_row *row, struct tp_err *err)
{
	const struct tp_value *type = &row->v[TP_INFO_TYPE];
	const struct tp_value *max = &row->v[TP_INFO_MAX];
	int64_t id = whole(&row->v[TP_INFO_ID]);
	size_t old = c->described.count;
	ptrdiff_t name, i;

	if (id < 0)
		return tp_row_bad(err, row, "no counter");
	name = name_of(&c->names, &row->v[TP_INFO_NAME]);
	i = tp_ids_add(&c->described, (uint64_t)id, 0);
	TP_ITEM(c->infos, c->info_cap, i);
	if (c->described.count == old)
		return 0;
	c->infos[i].name = name;
	c->infos[i].max = whole(max) > 0 ? whole(max) : 0;
	c->infos[i].percent = has_text(type) &&
	    tp_glob("[Pp]ercent*", type->text, type->len);
	return 0;
}

int
tp_counter_add(struct tp_counter *c, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	static const char file[] = "ops/counters.json";
	const struct tp_value *t = row->v;

	if (!c->doc && (!(c->doc = tp_share_json(file, err)) ||
	    tp_classes_load(&c->roles, c->doc, file, "roles", NULL, NULL,
	    err) < 0))
		return -1;
	if (!strcmp(row->bind->table, TP_TABLE_COUNTER))
		return add_interval(c, row, window, err);
	if (!strcmp(row->bind->table, TP_TABLE_SAMPLE))
		return add_sample(c, row, window, err);
	if (!strcmp(row->bind->table, TP_TABLE_INFO))
		return add_info(c, row, err);
	if (t[TP_PROFILE_TIME].type == TP_NONE)
		return tp_row_bad(err, row, "no time");
	c->profile_rows += t[TP_PROFILE_TIME].n >= window->from_ns &&
	    t[TP_PROFILE_TIME].n < window->to_ns;
	return 0;
}

int
tp_counter_is(const struct tp_counter *c, const char *name, const char *role)
{
	const struct tp_class *of = tp_class_of_name(&c->roles, name);

	return of && !strcmp(of->name, role);
}
