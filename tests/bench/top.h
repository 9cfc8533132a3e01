// top - durations by name, printed as events.c does
#ifndef BENCH_TOP_H
#define BENCH_TOP_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>
#include <vector>

template <class Text> struct top {
	std::unordered_map<Text, long long> ns;
	unsigned long count = 0;
	long long total = 0;

	void add(const Text &name, double us)
	{
		long long n = std::llround(us * 1e3);

		ns[name] += n;
		total += n;
		count++;
	}

	void print() const
	{
		std::vector<std::pair<long long, std::string_view>> all;

		for (const auto &one : ns)
			all.emplace_back(one.second, one.first);
		std::sort(all.rbegin(), all.rend());
		std::printf("%lu %lld %zu\n", count, total, ns.size());
		for (size_t i = 0; i < 10 && i < all.size(); i++)
			std::printf("%lld %.*s\n", all[i].first,
			    (int)all[i].second.size(), all[i].second.data());
	}
};

#endif
