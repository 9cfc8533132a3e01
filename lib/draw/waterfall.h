/*
 * waterfall - how the parts of a whole lead from before to after
 *
 * A bar for the whole before, a step for each part, a bar for the whole after.
 * The steps add up to the change: those below 1 % of what the steps span, and
 * what no record has, are one step.  Each trace is a panel.
 *
 * Memory: 60 bytes per part, and names.
 */
#ifndef TP_DRAW_WATERFALL_H
#define TP_DRAW_WATERFALL_H

#include "draw/picture.h"

TP_DRAW_HEAD(waterfall);

#endif
