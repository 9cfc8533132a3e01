/* Units of counters by their labels, and exact sums in any order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <tp/metal/counter.h>

#define BILLION INT64_C(1000000000)

static int failed;

static void
check(int ok, const char *what)
{
	printf("%sok %s\n", ok ? "" : "not ", what);
	failed |= !ok;
}

static const struct unit {
	double value;
	const char *label;
	int64_t want;
} units[] = {
	{ 312.4, "312 GB/s", BILLION },
	{ 0.95, "950 MB/s", BILLION },
	{ 950, "950 MB/s", 1000000 },
	{ 950000000, "950 MB/s", 1 },
	{ 1.5, "1.50 GiB/s", INT64_C(1) << 30 },
	{ 1.5, "1,50 GB/s", BILLION },
	{ 12, "12 kB/s", 1000 },
	{ 12, "12 KiB/s", 1024 },
	{ 7, "7 B/s", 1 },
	/* a label that was rounded to nothing, or is of another value */
	{ 0.004, "0.0 GB/s", 0 },
	{ 0.14, "0.1 GB/s", 0 },
	{ 3, "312 GB/s", 0 },
	{ 0, "0 B/s", 0 },
	{ -5, "5 B/s", 0 },
	{ 312, "312 GB", 0 },
	{ 312, "312 Gb/s", 0 },
	{ 312, "312", 0 },
	{ 312, "/s", 0 },
	{ 312, "", 0 },
	{ 50, "50 %", 0 },
};

static void
test_units(void)
{
	char what[80];
	int64_t got;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		got = tp_counter_unit((tp_int128)(units[i].value * 1e9),
		    units[i].label, strlen(units[i].label));
		snprintf(what, sizeof what, "counter: %g shown as '%s' is "
		    "%" PRId64, units[i].value, units[i].label, got);
		check(got == units[i].want, what);
	}
}

int
main(void)
{
	test_units();
	return failed;
}
