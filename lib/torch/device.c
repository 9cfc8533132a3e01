/* device - the GPUs that a PyTorch trace lists, and which worked */
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/text.h>

#include "torch.h"

#define NUMBERS (INT16_MAX + 1)		/* of devices, as in
					 * torch_event.device */

#define GIB (INT64_C(1) << 30)

/* GPUs that worked, one bit each. */
struct worked {
	uint64_t bits[NUMBERS / 64];
};

static void
find_worked(const struct tp_torch *t, struct worked *w)
{
	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (tp_torch_is_gpu(e) && e->device >= 0)
			w->bits[e->device / 64] |= UINT64_C(1) <<
			    e->device % 64;
	}
}

/* Returns whether GPU NUMBER worked, and clears it. */
static int
take_worked(struct worked *w, int64_t number)
{
	uint64_t bit = UINT64_C(1) << (number & 63);
	int did;

	if (number < 0 || number >= NUMBERS)
		return 0;
	did = (w->bits[number / 64] & bit) != 0;
	w->bits[number / 64] &= ~bit;
	return did;
}

static int
is_any_left(const struct worked *w)
{
	for (size_t i = 0; i < sizeof w->bits / sizeof *w->bits; i++)
		if (w->bits[i])
			return 1;
	return 0;
}

/* A non-negative integer, or -1. */
static int64_t
whole(const cJSON *device, const char *key)
{
	double x;

	return tp_json_number(device, key, &x) && x >= 0 && x < 1LL << 53 &&
	    x == floor(x) ? (int64_t)x : -1;
}

static void
add_device_kind(struct tp_torch *t, struct tp_names *keys, const cJSON *from,
    struct worked *w)
{
	struct tp_torch_devices *d = &t->devices;
	const char *name = tp_json_text(from, "name");
	ptrdiff_t text = name ? tp_names_add(&t->texts, name, strlen(name)) :
	    0;
	struct tp_torch_device device;
	size_t had = keys->count;
	int64_t bytes;
	ptrdiff_t at;

	memset(&device, 0, sizeof device);	/* it is compared as bytes */
	bytes = whole(from, "totalGlobalMem");
	device.name = (uint32_t)text;
	/* GPUs of one kind differ by what their driver keeps */
	device.memory_bytes = bytes < 0 ? -1 : (bytes + GIB / 2) / GIB;
	device.chip = (struct tp_chip){ whole(from, "numSms"),
	    whole(from, "computeMajor"), whole(from, "computeMinor"),
	    whole(from, "memoryBandwidth"), whole(from, "clockRate"),
	    whole(from, "l2CacheSize") };
	at = tp_names_add(keys, (const char *)&device, sizeof device);
	TP_ITEM(d->list, d->cap, at);
	if ((size_t)at == had) {
		device.memory_bytes = bytes;
		device.index = whole(from, "id");
		d->list[d->count++] = device;
	}
	d->list[at].count++;
	d->list[at].worked |= take_worked(w, whole(from, "id"));
}

/* Whether the numbers of work are those of the list. */
static int
is_numbered(const struct tp_torch *t, const struct worked *left)
{
	int any = 0;

	for (size_t i = 0; i < t->devices.count; i++) {
		const struct tp_torch_device *d = &t->devices.list[i];
		const struct tp_name *name = &t->texts.names[d->name];

		if (tp_glob("AMD*", name->text, name->len))
			return 0;
		any |= d->worked;
	}
	return any && !is_any_left(left);
}

/* Choose the entry that represents the GPUs that worked. */
static void
choose(struct tp_torch *t, const struct worked *left)
{
	struct tp_torch_devices *d = &t->devices;
	int numbered = is_numbered(t, left);

	for (size_t i = 0; i < d->count; i++) {
		const struct tp_torch_device *new = &d->list[i], *old;

		if (numbered && !new->worked)
			continue;
		if (d->chosen < 0) {
			d->chosen = (ptrdiff_t)i;
			continue;
		}
		old = &d->list[d->chosen];
		d->differ |= old->name != new->name ||
		    old->chip.multiprocessors != new->chip.multiprocessors;
	}
	if (d->differ)
		d->chosen = -1;
}

void
tp_torch_devices_make(struct tp_torch *t, const cJSON *listed)
{
	struct tp_names keys = { 0 };
	struct worked worked;
	const cJSON *i;

	t->devices.chosen = -1;
	if (!listed)
		return;
	t->devices.damaged_count = !cJSON_IsArray(listed);
	find_worked(t, &worked);
	if (cJSON_IsArray(listed))
		cJSON_ArrayForEach(i, listed) {
			if (!cJSON_IsObject(i))
				t->devices.damaged_count++;
			else
				add_device_kind(t, &keys, i, &worked);
		}
	tp_names_release(&keys);
	choose(t, &worked);
}
