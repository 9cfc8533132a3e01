/*
 * model - the operators of a transformer, forward and backward
 *
 * What runs forward is put on a tape; backward takes it off again, as autograd
 * does.
 */
#ifndef MODEL_H
#define MODEL_H

#include "chip.h"

/*
 * The operators of a layer, as places; 100 and more are of the backward, 200
 * and more of what that runs again.
 */
enum slot {
	NORM1, QKV, ATTENTION, PROJECTION, ADD1, NORM2, UP, ACTIVATE, DOWN,
	ADD2, AFTER, HEAD, LOST, REDUCE, UPDATE, BACKWARD = 100, AGAIN = 200
};

/*
 * An operation on each element: one tensor in and one out, or two in.  BACK,
 * if there is one, runs in the backward pass.
 */
struct pointwise {
	const char *op, *kernel, *second, *node, *back, *back_kernel;
	int reads;
};

/* An operator of the forward pass; numbers are what its kind needs. */
struct node {
	enum { LINEAR, PRODUCT, NORM, FLASH, SOFTMAX, POINTWISE, RESIDUAL,
		EMBEDDING, LOSS, COMPILED } what;
	int64_t layer, slot, sequence, batch, m, n, k;
	int bias;
	const struct pointwise *pointwise;
	struct block out;		/* kept for the backward pass */
};

#define TAPE 4096
#define GRADIENTS 2048
struct model {
	struct sim *sim;
	const struct job *job;
	int64_t layer, slot;
	struct node tape[TAPE];
	int length;
	int again;		/* 1 + the place on the tape of the next
				 * operator that is run again; 0: none is */
	int64_t asked;		/* 1 + the layer that is yet to be made again;
				 * 0: none is */
	struct node spare;	/* of what is not on the tape */
	int64_t unreduced;	/* bytes of gradients not sent yet */
	struct block passed;	/* the gradient that goes backward */
	struct block gradients[GRADIENTS];
	int gradient_count;
};

/* Tokens of a step. */
int64_t model_tokens(const struct job *job);
void model_place(struct model *model, int64_t layer, int64_t slot);
/* Bytes of what X made. */
int64_t model_bytes(const struct job *job, const struct node *x);
/* Computing goes on with GPU, of what this one made. */
void model_move(struct model *model, int gpu);
/* Python that leads to the next operator. */
void model_python(struct model *model);
void model_launch(struct model *model, struct kernel kernel);
/* Launch NAME, which moves BYTES by N threads. */
void model_moves(struct model *model, const char *name, int64_t bytes,
    int64_t n);

/*
 * Run LAYER again, whose first operator is at FIRST of the tape; without WHOLE
 * up to the last one that keeps something, which does not begin.
 */
void model_again(struct model *model, int64_t layer, int first, int whole);
void model_forward(struct model *model);
/* Where there is a network gradients are reduced on the way, or after it. */
void model_backward(struct model *model);
void model_update(struct model *model);
/* Read a value of the GPU back. */
void model_item(struct model *model);

#endif
