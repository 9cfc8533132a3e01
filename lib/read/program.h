/*
 * program - what a program of ExecuTorch (.pte) says of its instructions
 *
 * An ETDump has numbers of instructions; the program that ran knows which
 * backend each of them calls.  Read from its FlatBuffer, without which
 * weights may follow.
 *
 * Memory: the FlatBuffer, which in programs of old holds the weights too.
 */
#ifndef TP_READ_PROGRAM_H
#define TP_READ_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_program;

/* Read IN, which stays the caller's; NULL with ERR set. */
struct tp_program *tp_program_load(struct tp_in *in, struct tp_err *err);
void tp_program_free(struct tp_program *program);
/* How many methods it has, of which at most 64 are looked at. */
size_t tp_program_methods(const struct tp_program *program);
/* Whether METHOD has that INSTRUCTION in CHAIN, which, if IS_DELEGATED, calls
 * a delegate. */
int tp_program_fits(const struct tp_program *program, size_t method,
    int64_t chain, int64_t instruction, int is_delegated);
/* The backend that an instruction calls: 1 and *NAME, borrowed from PROGRAM,
 * with *LEN; or 0. */
int tp_program_backend(const struct tp_program *program, size_t method,
    int64_t chain, int64_t instruction, const char **name, size_t *len);

#endif
