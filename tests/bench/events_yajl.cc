/* events_yajl - what events.c does, by yajl in blocks; usage: FILE */
#include <cstdlib>
#include <string>
#include <yajl/yajl_parse.h>

#include "top.h"

struct state {
	top<std::string> sums;
	int depth = 0;		// 3: in an event
	std::string key, phase, name;
	double dur = 0;
};

static state *
of(void *arg)
{
	return static_cast<state *>(arg);
}

static int
text(void *arg, const unsigned char *p, size_t len)
{
	state *s = of(arg);

	if (s->depth != 3)
		return 1;
	if (s->key == "ph")
		s->phase.assign((const char *)p, len);
	else if (s->key == "name")
		s->name.assign((const char *)p, len);
	return 1;
}

static int
number(void *arg, const char *p, size_t)
{
	if (of(arg)->depth == 3 && of(arg)->key == "dur")
		of(arg)->dur = std::strtod(p, nullptr);
	return 1;
}

static int
key(void *arg, const unsigned char *p, size_t len)
{
	if (of(arg)->depth == 3)
		of(arg)->key.assign((const char *)p, len);
	return 1;
}

static int
open(void *arg)
{
	of(arg)->depth++;
	return 1;
}

static int
close(void *arg)
{
	state *s = of(arg);

	if (s->depth-- == 3 && s->phase == "X")
		s->sums.add(s->name, s->dur);
	if (s->depth == 2)
		s->phase.clear();
	return 1;
}

int
main(int argc, char *argv[])
{
	static unsigned char block[1 << 18];
	yajl_callbacks calls = {};
	std::FILE *f = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
	state s;
	yajl_handle h;
	size_t n;

	calls.yajl_string = text;
	calls.yajl_number = number;
	calls.yajl_map_key = key;
	calls.yajl_start_map = calls.yajl_start_array = open;
	calls.yajl_end_map = calls.yajl_end_array = close;
	if (!f || !(h = yajl_alloc(&calls, nullptr, &s)))
		return 2;
	while ((n = std::fread(block, 1, sizeof block, f)) > 0)
		if (yajl_parse(h, block, n) != yajl_status_ok)
			return 3;
	n = yajl_complete_parse(h) != yajl_status_ok;
	yajl_free(h);
	s.sums.print();
	return n ? 3 : 0;
}
