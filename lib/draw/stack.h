/*
 * stack - what a whole is made of: one bar of 100 %, and a line per part
 *
 * Each trace is a panel with a bar of its own.  The parts have the order of
 * their records, and the colours of their classes, which share/pictures
 * names; a time that nothing explains is hatched.
 *
 * Memory: 60 bytes per part, and names.
 */
#ifndef TP_DRAW_STACK_H
#define TP_DRAW_STACK_H

#include "draw/picture.h"

TP_DRAW_HEAD(stack);

#endif
