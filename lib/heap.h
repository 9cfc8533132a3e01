/* heap - a binary heap of indices; not installed */
#ifndef TP_HEAP_H
#define TP_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Whether item A of OF comes before item B. */
typedef int tp_heap_before(const void *of, uint32_t a, uint32_t b);

/* Sift the item at AT down among COUNT items. */
static inline __attribute__((always_inline)) void
tp_heap_sink(uint32_t *heap, size_t count, size_t at,
    tp_heap_before before, const void *of)
{
	uint32_t item = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && before(of, heap[child + 1],
		    heap[child]))
			child++;
		if (!before(of, heap[child], item))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = item;
}

/* Sift ITEM up from the free slot AT. */
static inline __attribute__((always_inline)) void
tp_heap_rise(uint32_t *heap, size_t at, uint32_t item,
    tp_heap_before before, const void *of)
{
	for (; at && before(of, item, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = item;
}

#endif
