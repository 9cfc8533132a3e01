/*
 * roofline - the shortest time a chip could take for an operation
 *
 * The longer of two times: floating-point operations at the chip's rate for
 * their type, and bytes at its memory bandwidth.  Rates are data:
 * share/platforms.  Memory: the platform's file.
 *
 * --platform NAME|FILE: NAME is looked up in share/platforms, ignoring case,
 * blanks, '-' and '_' ("MI300X", "mi-300x"); an argument that contains a '/'
 * or ends in ".json" is a FILE of the same form with one platform.  A
 * platform listed without rates is accepted: there is then no roofline, and
 * tp_platform.source says why.  Any other name is a usage error.
 *
 * Without the option, tp_platform_find() matches the GPU name in a trace
 * with the "device_names" (shell patterns) of platforms that have rates.  A
 * platform with a "multiprocessor_count" does not match a GPU with another
 * count: a partition of a chip has the name of the whole.
 */
#ifndef TP_ROOFLINE_H
#define TP_ROOFLINE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

struct cJSON;

struct tp_cost {
	int64_t flops, bytes;	/* -1: unknown */
	const char *spec;	/* the unit that computes it, "matrix_bf16": a
				 * key of a platform's rates */
};

struct tp_platform {
	struct cJSON *doc;		/* the file */
	const struct cJSON *entry;	/* the platform in it */
	const char *name;		/* as the file spells it */
	const char *figures;		/* "achievable", "peak", "estimate";
					 * NULL: no rates */
	const char *source;		/* source of the rates, or why there are
					 * none, or NULL */
	double memory_bytes_per_s;	/* 0: unknown */
	double cache_bytes;		/* last-level cache; 0: unknown */
	double kernel_floor_ns;		/* shortest kernel; 0: unknown */
	double host_bytes_per_s;	/* host link, one way; 0: unknown */
	int is_file;			/* from a file of the user */
};

/*
 * Find and read platform NAME.  0, or -1 with ERR (TP_USAGE: no such
 * platform; the message lists those that exist).
 */
int tp_platform_load(struct tp_platform *platform, const char *name,
    struct tp_err *err);

/* Why a platform was chosen, or why none was. */
enum tp_platform_basis {
	TP_PLATFORM_UNNAMED = 0,	/* the trace names no GPU */
	TP_PLATFORM_OPTION,	/* named by the user */
	TP_PLATFORM_TRACE,	/* the GPU named in the trace */
	TP_PLATFORM_OFF,	/* switched off by the user */
	TP_PLATFORM_MIXED,	/* GPUs of several names or sizes */
	TP_PLATFORM_UNKNOWN,	/* no platform of that name has rates */
	TP_PLATFORM_AMBIGUOUS,	/* several platforms match */
	TP_PLATFORM_PART,	/* the GPU is smaller than the platform */
	TP_PLATFORM_INFERRED,	/* no name, but the size of one platform */
	TP_PLATFORM_ESTIMATED	/* from what the trace says of the chip */
};

/*
 * Find the platform of a GPU from its name GPU, its number of
 * MULTIPROCESSORS and its MEMORY_BYTES (-1: unknown).  *BASIS is
 * TP_PLATFORM_TRACE (by name), TP_PLATFORM_INFERRED (no name, but the size
 * of exactly one platform), or the reason why there is none.  0, or -1 with
 * ERR.
 */
int tp_platform_find(struct tp_platform *platform, const char *gpu,
    int64_t multiprocessors, int64_t memory_bytes,
    enum tp_platform_basis *basis, struct tp_err *err);
/* Name of BASIS in records: "trace". */
const char *tp_platform_basis_name(enum tp_platform_basis basis);
/*
 * Make a platform called NAME with rates taken from a trace: FLOP/s for
 * TP_SPEC_XLA, and memory bandwidth.
 */
void tp_platform_stated(struct tp_platform *platform, const char *name,
    double flops_per_s, double memory_bytes_per_s);

/* What a trace says of a chip from NVIDIA; -1: unknown. */
struct tp_chip {
	int64_t multiprocessors, major, minor;	/* compute capability */
	int64_t memory_bytes_per_s, clock_hz, cache_bytes;
};

/*
 * Estimate a platform called NAME from CHIP, whose memory bandwidth is known:
 * that, and FLOP/s of vectors of 32 bits if multiprocessors, clock and
 * compute capability are known too.  Rates of matrices are not guessed.  0,
 * or -1 with ERR.
 */
int tp_platform_estimate(struct tp_platform *platform, const char *name,
    const struct tp_chip *chip, struct tp_err *err);
void tp_platform_release(struct tp_platform *platform);
/* The rate that XLA's flops are compared with, as xprof does. */
#define TP_SPEC_XLA "matrix_bf16"
/* FLOP/s of SPEC ("matrix_bf16"); 0: unknown. */
double tp_platform_flops(const struct tp_platform *platform,
    const char *spec);
/* Name of the AT-th rate, from 0; NULL past the last. */
const char *tp_platform_spec(const struct tp_platform *platform, size_t at);

enum tp_bound { TP_BOUND_UNKNOWN = 0, TP_BOUND_COMPUTE, TP_BOUND_MEMORY };

struct tp_roofline {
	enum tp_bound bound;
	double time_ns;		/* shortest time; 0: bound unknown */
	double flops_per_s;	/* the rate used; 0: unknown */
};

/*
 * The roofline of COST.  TP_BOUND_UNKNOWN when PLATFORM is NULL or lacks a
 * rate that is needed, or when COST lacks flops, bytes or spec.  With flops
 * 0 and spec NULL (the operation computes nothing) only bytes count.  The
 * share of the roofline that was reached is time_ns divided by the measured
 * time; above 1 means that the rates or the counts are wrong.
 */
struct tp_roofline tp_roofline_of(const struct tp_platform *platform,
    const struct tp_cost *cost);

#endif
