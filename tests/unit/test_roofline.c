/* The shortest time a chip could take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/roofline.h>
#include <tp/share.h>

static int failed;

static void
check(int ok, const char *what)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", what);
	failed |= !ok;
}

static int
is(struct tp_roofline r, enum tp_bound bound, double ns)
{
	return r.bound == bound && fabs(r.time_ns - ns) < 1e-9 * (1 + ns);
}

/* Write TEXT into a file; its path. */
static const char *
file(const char *text)
{
	static char path[64];
	FILE *f;
	int fd;

	strcpy(path, "/tmp/tp-roofline-XXXXXX");
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		exit(1);
	fputs(text, f);
	fclose(f);
	return path;
}

static void
named(void)
{
	/* 708e12 flops in a second; 5300 bytes in a nanosecond */
	struct tp_cost compute = { 708000000, 5300, "matrix_bf16" };
	struct tp_cost memory = { 708000, 5300000, "matrix_bf16" };
	struct tp_cost fp4 = { 1, 1, "matrix_fp4" };
	struct tp_cost none = { 0, 10, "matrix_bf16" };
	struct tp_cost unknown = { 10, -1, "matrix_bf16" };
	struct tp_cost plain = { 10, 10, NULL };
	struct tp_platform p;
	struct tp_err err;

	check(!tp_platform_load(&p, "mi-300x", &err) &&
	    !strcmp(p.name, "MI300X") && p.source && p.figures &&
	    !strcmp(p.figures, "achievable"), "a name, however written");
	check(is(tp_roofline_of(&p, &compute), TP_BOUND_COMPUTE, 1000),
	    "bound by what computes");
	check(is(tp_roofline_of(&p, &memory), TP_BOUND_MEMORY, 1000),
	    "bound by memory");
	check(is(tp_roofline_of(&p, &fp4), TP_BOUND_UNKNOWN, 0) &&
	    is(tp_roofline_of(&p, &none), TP_BOUND_UNKNOWN, 0) &&
	    is(tp_roofline_of(&p, &unknown), TP_BOUND_UNKNOWN, 0) &&
	    is(tp_roofline_of(&p, &plain), TP_BOUND_UNKNOWN, 0) &&
	    is(tp_roofline_of(NULL, &compute), TP_BOUND_UNKNOWN, 0),
	    "no roofline where something is unknown");
	tp_platform_release(&p);
	check(!tp_platform_load(&p, "MI400", &err) && p.source &&
	    !p.figures && is(tp_roofline_of(&p, &compute), TP_BOUND_UNKNOWN, 0),
	    "a platform without published figures");
	tp_platform_release(&p);
	check(!tp_platform_load(&p, "M2 Max", &err) &&
	    p.memory_bytes_per_s > 0 &&
	    is(tp_roofline_of(&p, &compute), TP_BOUND_UNKNOWN, 0),
	    "a platform of which only memory is known");
	tp_platform_release(&p);
	check(tp_platform_load(&p, "MI999", &err) < 0 &&
	    err.status == TP_USAGE && strstr(err.text, "MI300X"),
	    "another name: what there is");
}

static void
from_file(void)
{
	struct tp_cost cost = { 2000, 10, "vector_fp32" };
	struct tp_platform p;
	struct tp_err err;
	const char *path = file("{\"gpus\": {\"X\": {\"figures\": \"peak\","
	    " \"memory_bytes_per_s\": 1e9, \"flops_per_s\": "
	    "{\"vector_fp32\": 1e12, \"matrix_fp32\": -1}}}}");

	check(!tp_platform_load(&p, path, &err) && !strcmp(p.name, "X") &&
	    is(tp_roofline_of(&p, &cost), TP_BOUND_MEMORY, 10) &&
	    tp_platform_flops(&p, "matrix_fp32") == 0, "a file");
	tp_platform_release(&p);
	unlink(path);
	check(tp_platform_load(&p, path, &err) < 0 &&
	    err.status == TP_USAGE, "a file that is not there");
	path = file("{\"gpus\": {\"X\": {}, \"Y\": {}}}");
	check(tp_platform_load(&p, path, &err) < 0 &&
	    err.status == TP_USAGE, "a file of two platforms");
	unlink(path);
	path = file("[");
	check(tp_platform_load(&p, path, &err) < 0 &&
	    err.status == TP_USAGE, "a file that is no JSON");
	unlink(path);
}

/* The platform of a GPU that is called GPU, or "-" and why there is none. */
static int
sized(const char *gpu, int64_t multiprocessors, int64_t gib,
    const char *name, enum tp_platform_basis basis)
{
	enum tp_platform_basis got;
	struct tp_platform p;
	struct tp_err err;
	int ok;

	if (tp_platform_find(&p, gpu, multiprocessors, gib < 0 ? -1 :
	    gib << 30, &got, &err) < 0)
		return 0;
	ok = got == basis && !strcmp(p.name ? p.name : "-", name);
	tp_platform_release(&p);
	return ok;
}

static int
found(const char *gpu, int64_t multiprocessors, const char *name,
    enum tp_platform_basis basis)
{
	return sized(gpu, multiprocessors, -1, name, basis);
}

static void
of_a_trace(void)
{
	check(found("AMD Instinct MI300X", 304, "MI300X", TP_PLATFORM_TRACE) &&
	    found("AMD Instinct MI300X VF", -1, "MI300X",
	    TP_PLATFORM_TRACE) &&
	    found("NVIDIA H100 80GB HBM3", 132, "H100", TP_PLATFORM_TRACE) &&
	    found("NVIDIA H100 PCIe", 114, "H100 PCIe", TP_PLATFORM_TRACE) &&
	    found("A100-SXM4-80GB", 108, "A100", TP_PLATFORM_TRACE) &&
	    found("NVIDIA A100 80GB PCIe", 108, "A100 PCIe",
	    TP_PLATFORM_TRACE) &&
	    found("NVIDIA A100-PCIE-40GB", 108, "A100 40GB",
	    TP_PLATFORM_TRACE) &&
	    found("Tesla V100-SXM2-16GB", 80, "V100", TP_PLATFORM_TRACE),
	    "what drivers call a GPU");
	check(found("AMD Instinct MI300X", 38, "-", TP_PLATFORM_PART) &&
	    found("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 14, "-",
	    TP_PLATFORM_UNKNOWN), "a part of a chip");
	check(found("H100", -1, "-", TP_PLATFORM_UNKNOWN) &&
	    found("NVIDIA H200 NVL", 132, "-", TP_PLATFORM_UNKNOWN) &&
	    found("nvidia b200", 148, "-", TP_PLATFORM_UNKNOWN) &&
	    found("", 304, "-", TP_PLATFORM_UNKNOWN),
	    "a name that is not listed, or of another board");
	check(sized("", 304, 191, "MI300X", TP_PLATFORM_INFERRED) &&
	    sized("", 304, 255, "MI325X", TP_PLATFORM_INFERRED) &&
	    sized("", 132, 79, "H100", TP_PLATFORM_INFERRED) &&
	    sized("", 304, 100, "-", TP_PLATFORM_UNKNOWN) &&
	    sized("other", 304, 191, "-", TP_PLATFORM_UNKNOWN),
	    "one without a name, by its size");
}

/*
 * Names of devices as PyTorch and Nsight Systems record them, and the
 * platform of each; "-": another chip than any that is listed.
 */
static void
of_devices(void)
{
	static const struct {
		const char *gpu;
		int64_t multiprocessors;
		const char *platform;
	} devices[] = {
		{ "NVIDIA A100-PG509-200", 108, "A100 40GB" },
		{ "NVIDIA A100-SXM4-40GB", 108, "A100 40GB" },
		{ "NVIDIA A10G", 80, "A10G" },
		{ "NVIDIA A10", 72, "A10" },
		{ "NVIDIA A100", 108, "-" },
		{ "NVIDIA A40", 84, "A40" },
		{ "NVIDIA A40-8Q", 84, "-" },
		{ "NVIDIA B200", 148, "B200" },
		{ "NVIDIA B300 SXM6 AC", 148, "B300" },
		{ "NVIDIA GB300", 152, "GB300" },
		{ "NVIDIA GB10", 48, "-" },
		{ "NVIDIA H20", 78, "H20" },
		{ "NVIDIA H20-3e", 78, "-" },
		{ "NVIDIA H200", 132, "H200" },
		{ "NVIDIA H800", 132, "H800" },
		{ "NVIDIA H800 PCIe", 114, "-" },
		{ "NVIDIA GH200 480GB", 132, "GH200" },
		{ "NVIDIA GH200 144G HBM3e", 132, "-" },
		{ "NVIDIA GeForce RTX 2080 Ti", 68, "RTX 2080 Ti" },
		{ "NVIDIA GeForce RTX 2080", 46, "-" },
		{ "NVIDIA GeForce RTX 3060", 28, "-" },
		{ "NVIDIA GeForce RTX 3070 Ti", 48, "-" },
		{ "NVIDIA GeForce RTX 3070 Laptop GPU", 40, "-" },
		{ "NVIDIA GeForce RTX 3080", 68, "RTX 3080" },
		{ "NVIDIA GeForce RTX 3080 Ti Laptop GPU", 58, "-" },
		{ "NVIDIA GeForce RTX 3090", 82, "RTX 3090" },
		{ "NVIDIA GeForce RTX 4060", 24, "-" },
		{ "NVIDIA GeForce RTX 4060 Laptop GPU", 24, "-" },
		{ "NVIDIA GeForce RTX 4080 SUPER", 80, "-" },
		{ "NVIDIA GeForce RTX 4090", 128, "RTX 4090" },
		{ "NVIDIA GeForce RTX 4090 D", 114, "-" },
		{ "NVIDIA GeForce RTX 4090 Laptop GPU", 76, "-" },
		{ "NVIDIA GeForce RTX 5060 Ti", 36, "-" },
		{ "NVIDIA GeForce RTX 5070 Ti", 70, "RTX 5070 Ti" },
		{ "NVIDIA GeForce RTX 5080 Laptop GPU", 60, "-" },
		{ "NVIDIA GeForce RTX 5090", 170, "RTX 5090" },
		{ "NVIDIA GeForce RTX 5090 Laptop GPU", 82, "-" },
		{ "NVIDIA L4", 58, "L4" },
		{ "NVIDIA L40", 142, "L40" },
		{ "NVIDIA L40S", 142, "L40S" },
		{ "NVIDIA RTX A2000 12GB", 26, "-" },
		{ "NVIDIA RTX A4000", 48, "RTX A4000" },
		{ "NVIDIA RTX A4000 Laptop GPU", 40, "-" },
		{ "NVIDIA RTX A6000", 84, "RTX A6000" },
		{ "NVIDIA RTX 6000 Ada Generation", 142, "RTX 6000 Ada" },
		{ "Quadro RTX 6000", 72, "Quadro RTX 6000" },
		{ "NVIDIA TITAN RTX", 72, "TITAN RTX" },
		{ "NVIDIA TITAN V", 80, "-" },
		{ "Orin", 8, "Orin, 8 SMs" },
		{ "Orin", 16, "Orin, 16 SMs" },
		{ "Orin", 14, "-" },
		{ "Tesla P100-PCIE-16GB", 56, "P100 PCIe" },
		{ "Tesla P100-SXM2-16GB", 56, "P100" },
		{ "Tesla T4", 40, "T4" },
		{ "Tesla V100-DGXS-32GB", 80, "V100" },
		{ "Tesla V100S-PCIE-32GB", 80, "V100S" },
		{ "AMD Instinct MI210", 104, "MI210" },
		{ "AMD Instinct MI300A", 228, "-" },
		{ "AMD Instinct MI350X", 256, "MI350X" },
		{ "AMD Instinct MI355X", 256, "MI355X" },
		{ "AMD Radeon Graphics", 104, "-" },
		{ "gfx942", 228, "-" },
		{ "gfx942", 304, "gfx942 (MI300X or MI325X)" },
		{ "gfx950", 256, "gfx950 (MI350X or MI355X)" },
	};
	enum tp_platform_basis basis;
	struct tp_platform p;
	struct tp_err err;
	int ok;

	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		if (tp_platform_find(&p, devices[i].gpu,
		    devices[i].multiprocessors, -1, &basis, &err) < 0)
			exit(1);
		ok = !strcmp(p.name ? p.name : "-", devices[i].platform);
		check(ok, devices[i].gpu);
		tp_platform_release(&p);
	}
}

/* No name is that of two platforms; each has a source and is usable. */
static void
each_once(const char *file_name)
{
	cJSON *doc = NULL;
	const cJSON *i, *name;
	enum tp_platform_basis basis;
	struct tp_platform p;
	struct tp_err err;
	double count;
	int ok;

	doc = tp_share_json(file_name, &err);
	cJSON_ArrayForEach(i, tp_json_get(doc, "gpus")) {
		ok = tp_json_text(i, "source") != NULL;
		if (!tp_json_number(i, "multiprocessor_count", &count))
			count = -1;
		cJSON_ArrayForEach(name, tp_json_get(i, "device_names")) {
			if (strpbrk(name->valuestring, "*?["))
				continue;
			if (tp_platform_find(&p, name->valuestring,
			    (int64_t)count, -1, &basis, &err) < 0)
				exit(1);
			ok &= basis == TP_PLATFORM_TRACE && p.figures &&
			    !strcmp(p.name, i->string);
			tp_platform_release(&p);
		}
		check(ok, i->string);
	}
	cJSON_Delete(doc);
}

/* What is listed can be used: a positive rate for each kind. */
static void
listed(void)
{
	static const char *const names[] = { "MI300X", "MI325X", "MI210",
	    "A100", "A100 PCIe", "A100 40GB", "H100", "H100 PCIe", "H200",
	    "B200", "V100", "V100 PCIe" };
	struct tp_platform p;
	struct tp_err err;
	int ok = 1;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ok &= !tp_platform_load(&p, names[i], &err) && p.source &&
		    p.figures && p.memory_bytes_per_s >= 9e11 &&
		    tp_platform_flops(&p, "matrix_fp16") > 1e14 &&
		    tp_platform_flops(&p, "vector_fp32") > 1e12;
		tp_platform_release(&p);
	}
	check(ok, "platforms with rates say where they are from");
}

int
main(void)
{
	named();
	from_file();
	of_a_trace();
	of_devices();
	each_once("platforms/nvidia.json");
	each_once("platforms/amd.json");
	each_once("platforms/google.json");
	listed();
	return failed;
}
