/*
 * program - the instructions of an ExecuTorch program (.pte)
 *
 * An ETDump has only numbers of instructions; the program knows which
 * backend each one calls.  Reads its FlatBuffer, without the weights that
 * may follow it.
 *
 * Memory: the FlatBuffer, which in old programs includes the weights.
 */
#ifndef TP_READ_PROGRAM_H
#define TP_READ_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_program;

/* Read IN, which stays the caller's.  NULL with ERR. */
struct tp_program *tp_program_load(struct tp_in *in, struct tp_err *err);
void tp_program_free(struct tp_program *program);
/* Number of methods; only the first 64 are examined. */
size_t tp_program_methods(const struct tp_program *program);
/*
 * Whether METHOD has INSTRUCTION in CHAIN and, with IS_DELEGATED, whether
 * that calls a delegate.
 */
int tp_program_fits(const struct tp_program *program, size_t method,
    int64_t chain, int64_t instruction, int is_delegated);
/*
 * The backend that an instruction calls: 1 and *NAME with *LEN, borrowed
 * from PROGRAM; or 0.
 */
int tp_program_backend(const struct tp_program *program, size_t method,
    int64_t chain, int64_t instruction, const char **name, size_t *len);

#endif
