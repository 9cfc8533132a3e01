/*
 * roofline - the shortest time a chip could take for an operation
 *
 * The higher of its floating-point operations at the chip's rate for their
 * kind and its bytes at the rate of its memory.  Rates are data:
 * share/platforms.  Memory: the file of the platform.
 *
 * For --platform NAME|FILE: a NAME is looked up in share/platforms without
 * regard to case, blanks, '-' and '_' ("MI300X", "mi-300x"); what holds a '/'
 * or ends in ".json" is a FILE of the same form that holds one platform.  A
 * name that is listed without rates is accepted: there is then no roofline,
 * and tp_platform.source says why.  Any other name is a usage error.
 *
 * Without it, tp_platform_find() looks for what a trace calls its GPU among
 * the "device_names" (shell patterns) of those that have rates.  A platform
 * with a "multiprocessor_count" is not that of a GPU with another number: a
 * partition of a chip has the name of the whole.
 */
#ifndef TP_ROOFLINE_H
#define TP_ROOFLINE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

struct cJSON;

struct tp_cost {
	int64_t flops, bytes;	/* -1: unknown */
	const char *spec;	/* "matrix_bf16": what computes it, a key of a
				 * platform's rates */
};

struct tp_platform {
	struct cJSON *doc;		/* the file */
	const struct cJSON *entry;	/* the platform in it */
	const char *name;		/* as the file spells it */
	const char *figures;		/* "achievable", "peak"; NULL: none */
	const char *source;		/* where they come from, or why there
					 * are none; or NULL */
	double memory_bytes_per_s;	/* 0: unknown */
	double cache_bytes;		/* of the cache before it; 0 */
	double kernel_floor_ns;		/* that a kernel takes at least; 0 */
	double host_bytes_per_s;	/* of the link to it, one way; 0 */
	int is_file;			/* one of the user's own */
};

/* Find and read NAME.  0, or -1 with ERR (TP_USAGE: no such platform, with
 * those there are). */
int tp_platform_load(struct tp_platform *platform, const char *name,
    struct tp_err *err);

/* Why work is held against a platform, or against none. */
enum tp_platform_basis {
	TP_PLATFORM_UNNAMED = 0,	/* no GPU is known by name */
	TP_PLATFORM_OPTION,	/* the user named it */
	TP_PLATFORM_TRACE,	/* it is the GPU of the trace */
	TP_PLATFORM_OFF,	/* the user wants none */
	TP_PLATFORM_MIXED,	/* GPUs of several names or sizes */
	TP_PLATFORM_UNKNOWN,	/* no rates are known by that name */
	TP_PLATFORM_AMBIGUOUS,	/* rates of several */
	TP_PLATFORM_PART,	/* the GPU is not as large as that one */
	TP_PLATFORM_INFERRED	/* it has no name, but the size of one */
};

/* Find the platform of a GPU that is called GPU and has as many
 * MULTIPROCESSORS and MEMORY_BYTES (-1: unknown): *BASIS is _TRACE, _INFERRED
 * of one that has no name but the size of a single one, or why there is none.
 * 0 or -1 with ERR. */
int tp_platform_find(struct tp_platform *platform, const char *gpu,
    int64_t multiprocessors, int64_t memory_bytes,
    enum tp_platform_basis *basis, struct tp_err *err);
/* "trace": how records call BASIS. */
const char *tp_platform_basis_name(enum tp_platform_basis basis);
/* A platform that is called NAME and has the rates that a trace tells: of
 * TP_SPEC_XLA in FLOP/s, and of its memory.  0 or -1 with ERR. */
int tp_platform_told(struct tp_platform *platform, const char *name,
    double flops_per_s, double memory_bytes_per_s, struct tp_err *err);
void tp_platform_release(struct tp_platform *platform);
/* XLA's flops are held against this rate of a chip, as xprof does. */
#define TP_SPEC_XLA "matrix_bf16"
/* FLOP/s for SPEC ("matrix_bf16"); 0: unknown. */
double tp_platform_flops(const struct tp_platform *platform,
    const char *spec);
/* The spec number AT that it has a rate for, or NULL when it has no more. */
const char *tp_platform_spec(const struct tp_platform *platform, size_t at);

enum tp_bound { TP_BOUND_UNKNOWN = 0, TP_BOUND_COMPUTE, TP_BOUND_MEMORY };

struct tp_roofline {
	enum tp_bound bound;
	double time_ns;		/* at best; 0 when the bound is unknown */
	double flops_per_s;	/* the rate that was taken; 0: unknown */
};

/*
 * The roofline of COST.  Unknown when PLATFORM is NULL or lacks a rate that is
 * needed, or COST lacks flops (or has none), bytes or what computes it; what
 * is said to compute nothing (0 and NULL) has that of its bytes.  The
 * share of it that was reached is time_ns by the time it took; one above 1
 * says that the rates or the count are not right for it.
 */
struct tp_roofline tp_roofline_of(const struct tp_platform *platform,
    const struct tp_cost *cost);

#endif
