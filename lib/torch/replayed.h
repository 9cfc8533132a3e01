/*
 * replayed - what a run would gain if work on the GPU took less, by replay
 *
 * GPU time saved is no time gained where the host, another stream or another
 * device sets the pace.  Nothing is promised where too little work has its
 * launch in the trace, or too many delays have no cause (share/doc/path.md).
 *
 * Memory: 24 bytes a node of the graph, and 8 for each work.
 */
#ifndef TP_TORCH_REPLAYED_H
#define TP_TORCH_REPLAYED_H

#include <stdint.h>

struct tp_graph;
struct tp_torch;
struct tp_torch_promise;

/* NULL if there is no path.  GRAPH and TORCH must stay. */
struct tp_torch_promise *tp_torch_promise_make(struct tp_graph *graph,
    const struct tp_torch *torch);
/* Its path, of the process that did most work. */
struct tp_path *tp_torch_promise_path(struct tp_torch_promise *promise);
/* Whether anything is promised. */
int tp_torch_promises(const struct tp_torch_promise *promise);
void tp_torch_promise_free(struct tp_torch_promise *promise);

/*
 * What the run gains if the work for whose event IS_IN() is true takes SAVE_PS
 * less in all, each in proportion to its time: picoseconds of the window.  With
 * LAUNCHES what the host does from one launch of such work to the next takes
 * less, in the same proportion.  *WINDOW_PS gets its length.
 */
int64_t tp_torch_promised_ps(struct tp_torch_promise *promise,
    int (*is_in)(const void *arg, uint32_t event), const void *arg,
    int64_t save_ps, int launches, int64_t *window_ps);

#endif
