#!/usr/bin/env python3
"""Time a chain of element-wise operations, eager and compiled.

    profile_fusion.py [--mode both|eager|compiled] [--size N] [--rounds N]
                      [--signposts LIBRARY]

Record both modes in one trace, or each in one of its own.  LIBRARY is
signpost.c, compiled: with it each mode and each call is marked.  Without mx.compile every operation is
a kernel that reads and writes the whole array; with it, neighbours become one
kernel.  Every call ends in mx.eval: MLX is lazy, and a call that is not
evaluated has done nothing.
"""

import argparse
import ctypes
import time

import mlx.core as mx

WARM_UP = 10  # the first calls also trace the graph and build kernels
TIMED = 10


def chain_of(rounds):
    """A function of ROUNDS times sin, cos, exp, log; it stays in range."""

    def chain(x):
        for _ in range(rounds):
            x = mx.log(mx.exp(mx.cos(mx.sin(x))))
        return x

    return chain


def seconds_per_call(function, x, mode, library):
    def mark(name, ends):
        if library:
            library.signpost(name.encode(), ends)

    def call():
        mark("call", 0)
        mx.eval(function(x))
        mark("call", 1)

    mark(mode, 0)
    for _ in range(WARM_UP):
        call()
    start = time.perf_counter()
    for _ in range(TIMED):
        call()
    seconds = (time.perf_counter() - start) / TIMED
    mark(mode, 1)
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--mode", choices=("both", "eager", "compiled"), default="both"
    )
    parser.add_argument("--size", type=int, default=1 << 18)
    parser.add_argument("--rounds", type=int, default=1200)
    parser.add_argument("--signposts", metavar="LIBRARY")
    options = parser.parse_args()
    library = options.signposts and ctypes.CDLL(options.signposts)

    x = mx.random.uniform(shape=(options.size,))
    mx.eval(x)
    chain = chain_of(options.rounds)
    times = {}
    if options.mode != "compiled":
        times["Eager"] = seconds_per_call(chain, x, "eager", library)
    if options.mode != "eager":
        times["Compiled"] = seconds_per_call(
            mx.compile(chain), x, "compiled", library
        )
    for name, seconds in times.items():
        print(f"{name} Time: {seconds:.4f}s")
    if len(times) == 2:
        print(f"Speedup: {times['Eager'] / times['Compiled']:.2f}x")


if __name__ == "__main__":
    main()
