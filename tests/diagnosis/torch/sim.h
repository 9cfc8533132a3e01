/*
 * sim - the host and the GPU of a job, and the trace that is made of them
 *
 * The host has one clock: while the backward pass runs on its own thread, the
 * main thread waits for it.  Work on the GPU is in order within a stream, so
 * when it runs is known as soon as it is launched.
 */
#ifndef SIM_H
#define SIM_H

#include "job.h"

/* What is drawn; each kind has numbers of its own. */
enum kind { HOST, KERNEL, START, HICCUP, KIND_COUNT };
enum stream { COMPUTE, COMM, COPIES, STREAM_COUNT };
enum thread { MAIN, AUTOGRAD };

/* Launches that may be pending at once. */
#define PENDING 1024
#define DEEP 24

struct open {
	const char *cat;
	int64_t start, id, sequence;
	int is_node;			/* a node of the backward pass */
	char name[160], inputs[320];
};

struct span {
	int64_t start, end;
	enum part part;
	int gpu;
};

struct spans {
	struct span *v;
	size_t n, cap;
};

/* What the allocator gave. */
struct block {
	int64_t address, bytes;
};

struct sim {
	const struct job *job;
	FILE *out;			/* NULL: nothing is recorded */
	int64_t rank;
	int64_t from, to;		/* the recording */
	int64_t marks[2];		/* where one that is cut has its ends */
	/* of each collective when all ranks are there, and this one is */
	const int64_t *meet;
	int64_t *ready, met;
	int stalled;			/* a collective was */
	int64_t now;
	enum thread thread;
	/* gradients are disabled (no_grad), or enabled on the thread of the
	 * backward pass: for what runs again, for all it does (create_graph) */
	int without, again, twice;
	int64_t step, place, drawn[KIND_COUNT];
	int gpu;			/* that is used */
	int64_t free[GPUS_MAX][STREAM_COUNT];
	int64_t pending[PENDING], launched;
	int64_t correlation, id, index, sequence, arrows;
	int64_t back_sequence;		/* of the thread of the backward pass */
	int64_t replay;			/* in a graph, since then; else 0 */
	int64_t node;			/* of that graph */
	int capturing;			/* what is launched becomes a node */
	int64_t address, allocated, reserved;
	struct open open[DEEP];
	int depth;
	struct spans work, host;
};

/* Something for a stream to do. */
struct kernel {
	const char *name;
	enum stream stream;
	enum part part;
	int64_t ns, grid;
	int block;
	int64_t bytes;			/* not 0: a copy of so many */
	const char *extra;		/* arguments of its own */
};

/* What SIM has of its own (out, rank, from, to, meet, ready) stays. */
void sim_begin(struct sim *sim, const struct job *job);
/* Whether what the host did from START to now is recorded. */
int sim_records(const struct sim *sim, int64_t start);
void sim_end(struct sim *sim, struct outcome *out);

/* From here on it is operator SLOT of LAYER that draws. */
void sim_place(struct sim *sim, int64_t layer, int64_t slot);
/* NS with the noise of the run. */
int64_t sim_vary(struct sim *sim, enum kind kind, int64_t ns);

/* The host is at PART for about NS. */
void sim_host(struct sim *sim, enum part part, int64_t ns);
/* The host is at PART until END. */
void sim_until(struct sim *sim, enum part part, int64_t end);

/*
 * Enter an event of category CAT, and leave the last that was entered.  INPUTS
 * are words: "b8x64" is a tensor in bfloat16 (f: float, l: long, o: bool), with
 * a "t" behind it a transposed one, "v" a list of tensors; "s1" is a scalar,
 * "i[1]" a list of them, "n" nothing.  SEQUENCE, if not 0, ties an operator to
 * its backward pass.
 */
void sim_enter(struct sim *sim, const char *cat, const char *inputs,
    int64_t sequence, const char *name, ...)
    __attribute__((format(printf, 5, 6)));
void sim_leave(struct sim *sim);
/* The same of an operator, which takes time on the host as well. */
void sim_call(struct sim *sim, int64_t sequence, const char *name,
    const char *inputs, ...) __attribute__((format(printf, 4, 5)));
void sim_return(struct sim *sim);

/* Launch KERNEL, which varies. */
void sim_launch(struct sim *sim, const struct kernel *kernel);
/* Stream A does not go on before what B was given has ended. */
void sim_order(struct sim *sim, enum stream a, enum stream b);
/* GPU is used from here on. */
void sim_gpu(struct sim *sim, int gpu);
/* The same, which waits for COPY from the one that was used. */
void sim_pass(struct sim *sim, int gpu, const struct kernel *copy);
/* The host waits for all streams, or the stream that computes. */
void sim_synchronise(struct sim *sim, int all);
/* Memory goes back to the driver for about NS, once nothing uses it. */
void sim_release(struct sim *sim, int64_t ns);
/* A copy from memory that is not pinned: the host waits for it. */
void sim_copy_blocking(struct sim *sim, const struct kernel *kernel);
/* BYTES of memory; more is reserved where they are not there, or not in one
 * PIECE.  Free BLOCK, which has none then. */
struct block sim_allocate(struct sim *sim, int64_t bytes, int piece);
void sim_free(struct sim *sim, struct block *block);
/* What is launched goes into a graph; then no more. */
void sim_capture(struct sim *sim);
void sim_captured(struct sim *sim);
/* A step is replayed from a graph; then it is not. */
void sim_replay(struct sim *sim);
void sim_replayed(struct sim *sim);
/* A kernel that was launched before the recording began. */
void sim_stray(struct sim *sim, int64_t before);
/* Step NUMBER lasted from START; its work is FIRST and what follows. */
void sim_annotate_gpu(struct sim *sim, int64_t number, size_t first);

#endif
