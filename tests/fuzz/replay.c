/* replay - a main for a fuzzer without libFuzzer: run the files named */
#include <stdio.h>
#include <stdlib.h>

#include "feed.h"

int
main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		uint8_t *data;
		long size;

		if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return 1;
		}
		rewind(f);
		data = malloc((size_t)size + 1);
		if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return 1;
		}
		fclose(f);
		LLVMFuzzerTestOneInput(data, (size_t)size);
		free(data);
	}
	return 0;
}
