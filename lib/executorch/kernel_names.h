/* kernel_names - what the parts of kernels share; not installed */
#ifndef TP_EXECUTORCH_KERNEL_NAMES_H
#define TP_EXECUTORCH_KERNEL_NAMES_H

#include <tp/executorch/kernels.h>

/* How often kernel I was registered: by the log, or else by a list. */
static inline int64_t
tp_kernel_registered(const struct tp_kernels *k, size_t i)
{
	return k->kernels[i].logged ? k->kernels[i].logged :
	    k->kernels[i].listed;
}

#endif
