/* events_simdjson - what events.c does, by simdjson on demand; usage: FILE */
#include <simdjson.h>

#include "top.h"

int
main(int argc, char *argv[])
{
	simdjson::padded_string text;
	simdjson::ondemand::parser parser;
	simdjson::ondemand::document doc;
	simdjson::ondemand::array events;
	std::string_view phase, name;
	top<std::string_view> sums;
	double dur;

	if (argc != 2 || simdjson::padded_string::load(argv[1]).get(text) ||
	    parser.iterate(text).get(doc) ||
	    doc["traceEvents"].get_array().get(events))
		return 2;
	for (auto element : events) {
		simdjson::ondemand::object e;

		// in the order in which Kineto writes them
		if (element.get_object().get(e) ||
		    e["ph"].get_string().get(phase) || phase != "X" ||
		    e["name"].get_string().get(name) ||
		    e["dur"].get_double().get(dur))
			continue;
		sums.add(name, dur);
	}
	sums.print();
	return 0;
}
