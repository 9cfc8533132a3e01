/*
 * simd - row records by simdjson on demand: their number and the sum of
 * their durations; usage: simd FILE
 */
#include <cstdio>
#include <simdjson.h>

int
main(int argc, char *argv[])
{
	simdjson::padded_string text;
	simdjson::ondemand::parser parser;
	simdjson::ondemand::document_stream docs;
	unsigned long count = 0;
	int64_t sum = 0, n;

	if (argc != 2 || simdjson::padded_string::load(argv[1]).get(text) ||
	    parser.iterate_many(text, 1 << 20).get(docs))
		return 2;
	for (auto doc : docs) {
		if (doc["duration_ns"].get_int64().get(n))
			continue;
		sum += n;
		count++;
	}
	printf("%lu %lld\n", count, (long long)sum);
	return 0;
}
