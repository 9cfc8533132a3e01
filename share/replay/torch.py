#!/usr/bin/env python3
"""Make calls of a PyTorch operator again, as a trace has recorded them.

Each call gets tensors of the recorded types, shapes and strides, with random
content, and the recorded scalars, and is timed after a warm-up.  What is
called and with what is data (CALLS); only PyTorch is needed beside it.

Made from a trace, not run there: no PyTorch and no GPU was at hand.  All
tensors are on one device, so that a copy from or to the host is none here.
Times differ from those of the trace where caches are warm or content matters.
"""
import argparse
import json
import statistics
import sys
import time

CALLS = json.loads(r'''
@CALLS@
''')


def make_tensor(torch, spec, device):
    """A tensor of the recorded type, shape and strides."""
    dtype = getattr(torch, spec["dtype"])
    shape = spec["shape"]
    strides = spec.get("strides")
    if strides is None:
        strides = [1] * len(shape)
        for i in range(len(shape) - 1, 0, -1):
            strides[i - 1] = strides[i] * max(shape[i], 1)
    size = 0
    if all(shape):
        size = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    if "below" in spec:
        content = torch.randint(0, max(spec["below"], 1), (size,),
                                device=device)
    elif dtype == torch.bool:
        content = torch.randint(0, 2, (size,), device=device)
    elif dtype.is_floating_point or dtype.is_complex:
        content = torch.rand(size, device=device)
    else:
        content = torch.randint(0, 16, (size,), device=device)
    return content.to(dtype).as_strided(shape, strides)


def make_argument(torch, spec, device):
    if isinstance(spec, dict):
        if "float" in spec:
            return float(spec["float"])
        return make_tensor(torch, spec, device)
    return spec


def find(torch, path):
    """torch.ops.aten.mm of "aten.mm"."""
    found = torch.ops
    for name in path.split("."):
        found = getattr(found, name)
    return found


def measure(torch, call, device, warmup, repeats):
    """Times of REPEATS calls in microseconds."""
    operator = find(torch, CALLS["call"])
    args = [make_argument(torch, a, device) for a in call["args"]]
    kwargs = {k: make_argument(torch, a, device)
              for k, a in call["kwargs"].items()}
    for _ in range(warmup):
        operator(*args, **kwargs)
    times = []
    if device.type != "cuda":
        for _ in range(repeats):
            start = time.perf_counter()
            operator(*args, **kwargs)
            times.append((time.perf_counter() - start) * 1e6)
        return times
    torch.cuda.synchronize(device)
    for _ in range(repeats):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()
        operator(*args, **kwargs)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return times


def show(spec):
    """An argument in a few words."""
    if isinstance(spec, dict) and "shape" in spec:
        return spec["dtype"] + str(spec["shape"])
    return json.dumps(spec)


def describe(number, call):
    words = [show(a) for a in call["args"]]
    words += [k + "=" + show(a) for k, a in call["kwargs"].items()]
    return "%d: %s x%s" % (number, ", ".join(words), call.get("count", "?"))


def main():
    parser = argparse.ArgumentParser(
        description="Make calls of an operator again and time them.")
    parser.add_argument("--list", action="store_true",
                        help="list the calls and end")
    parser.add_argument("--call", type=int, metavar="N",
                        help="only call N, from 0")
    parser.add_argument("--device", default="cuda",
                        help="where (default: cuda; ROCm calls it so too)")
    parser.add_argument("--warmup", type=int, default=10, metavar="N",
                        help="calls before those that are timed (default: 10)")
    parser.add_argument("--repeats", type=int, default=100, metavar="N",
                        help="calls that are timed (default: 100)")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    options = parser.parse_args()
    if options.warmup < 0 or options.repeats < 1:
        parser.error("--warmup is at least 0, --repeats at least 1")

    calls = list(enumerate(CALLS["calls"]))
    if options.call is not None:
        if not 0 <= options.call < len(calls):
            parser.error("there are %d calls" % len(calls))
        calls = [calls[options.call]]
    print("%s, %d of its calls" % (ascii(CALLS["op"]), len(calls)))
    if CALLS["left_out"]:
        print("left out: %d calls, of which %s" %
              (CALLS["left_out"], ascii(CALLS["left_out_because"])))
    if options.list:
        for number, call in calls:
            print(describe(number, call))
        return 0

    import torch
    device = torch.device(options.device)
    torch.manual_seed(options.seed)
    failed = 0
    for number, call in calls:
        print(describe(number, call))
        try:
            with torch.no_grad():
                times = measure(torch, call, device, options.warmup,
                                options.repeats)
        except (RuntimeError, TypeError, AttributeError,
                NotImplementedError) as error:
            print("   cannot be made here: %s" % error)
            failed = 1
            continue
        recorded = call.get("recorded_us")
        print("   median %.2f us, least %.2f us%s" %
              (statistics.median(times), min(times),
               "" if recorded is None else
               "; in the trace %.2f us of GPU time" % recorded))
    return failed


if __name__ == "__main__":
    sys.exit(main())
