/*
 * os - what differs between systems
 */
#ifndef TP_OS_H
#define TP_OS_H

#include <stddef.h>
#include <stdint.h>

/* Absolute path of the running program into PATH; 0, or -1. */
int tp_os_program(char *path, size_t size);
/* A number that another process does not have: seeds the hash. */
uint64_t tp_os_random(void);

#endif
