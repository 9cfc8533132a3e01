/* gpu_slices - how busy the GPU was in equal parts of the run */
#include <tp/alloc.h>
#include <tp/metal/gpu.h>
#include <tp/slices.h>

int
tp_gpu_emit_slices(const struct tp_gpu *gpu, ptrdiff_t target, size_t count,
    struct tp_out *out, struct tp_err *err)
{
	const struct tp_gpu_part *p = target < 0 ? &gpu->machine :
	    &gpu->parts[target];
	struct tp_ival busy = { 0 };
	struct tp_busy_part *parts;
	int rc = -1;

	if (!count || !p->all.rows)
		return 0;
	parts = tp_alloc(count * sizeof *parts);
	if (parts && tp_gpu_spans(gpu, target, &busy) == 0)
		rc = tp_slices_make(&busy, p->first_ns, p->last_ns, 1,
		    parts, count);
	tp_ival_release(&busy);
	if (rc < 0) {
		tp_free(parts);
		return tp_fail_memory(err);
	}
	for (size_t i = 0; i < count; i++) {
		tp_out_begin(out, "gpu.slice");
		tp_out_text(out, "scope", target < 0 ? "all" : "target");
		tp_slices_emit(&parts[i], i, out);
		tp_out_end(out);
	}
	tp_free(parts);
	return 0;
}
