/* signature - parse the signature of a PyTorch operator in its row */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/text.h>

#include "signature.h"

int
tp_torch_parameter_is(const struct tp_torch_parameter *p, const char *kind)
{
	return tp_is(p->kind, p->kind_len, kind);
}

int
tp_torch_parameter_is_below(const struct tp_torch_parameter *p)
{
	return p->kind_len > 6 && !memcmp(p->kind, "below:", 6);
}

int
tp_torch_parameter_next(const char **at, struct tp_torch_parameter *p)
{
	size_t len;

	for (;;) {
		*at += strspn(*at, ", ");
		if (!**at)
			return 0;
		len = strcspn(*at, ",");
		if (len != 1 || **at != '*')
			break;
		p->by_name = 1;
		*at += len;
	}
	p->kind = *at;
	p->kind_len = strcspn(*at, " ,");
	p->name = *at + p->kind_len + (p->kind_len < len);
	p->name_len = len - (size_t)(p->name - *at);
	p->maybe = p->kind[p->kind_len - 1] == '?';
	p->kind_len -= (size_t)p->maybe;
	*at += len;
	return 1;
}

const char *
tp_torch_signature(const struct cJSON *takes, int i)
{
	if (cJSON_IsString(takes))
		return i ? NULL : takes->valuestring;
	return cJSON_IsArray(takes) ?
	    cJSON_GetStringValue(cJSON_GetArrayItem(takes, i)) : NULL;
}

/* Whether P, one of COUNT, is "below:T:A" or "below:T:=N". */
static int
is_bound(const struct tp_torch_parameter *p, size_t count)
{
	const char *t = p->kind + strlen("below:"), *end = p->kind +
	    p->kind_len, *axis = t + 2;

	if (end - t < 3 || t[1] != ':' || *t < '0' ||
	    (size_t)(*t - '0') >= count)
		return 0;
	axis += *axis == '=';
	return end - axis == 1 && *axis >= '0' && *axis <= '9';
}

static int
is_good(const struct tp_torch_parameter *p, size_t count)
{
	static const char *const kinds[] = { "default", "tensor", "number",
	    "int", "bool", "ints", "bools" };
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	if (!p->name_len || p->name_len >= TP_PARAMETER_MAX ||
	    strspn(p->name, allowed) < p->name_len)
		return 0;
	/* a missing tensor or unrecorded value needs no "or None" */
	for (size_t i = p->maybe; i < sizeof kinds / sizeof *kinds; i++)
		if (tp_torch_parameter_is(p, kinds[i]))
			return 1;
	return !p->maybe && tp_torch_parameter_is_below(p) &&
	    is_bound(p, count);
}

static const char *
bad_in(const char *signature)
{
	struct tp_torch_parameter p = { 0 };
	const char *at = signature;
	size_t count = 0;

	while (tp_torch_parameter_next(&at, &p))
		count++;
	memset(&p, 0, sizeof p);
	for (at = signature; tp_torch_parameter_next(&at, &p);)
		if (!is_good(&p, count))
			return p.kind;
	return count ? NULL : "takes";
}

const char *
tp_torch_signatures_bad(const struct cJSON *takes)
{
	int count = cJSON_IsArray(takes) ? cJSON_GetArraySize(takes) : 1;
	const char *signature, *at;

	for (int i = 0; i < count; i++) {
		signature = tp_torch_signature(takes, i);
		at = signature ? bad_in(signature) : "takes";
		if (at)
			return at;
	}
	return count ? NULL : "takes";
}
