#!/usr/bin/env python3
"""Time a chain of element-wise operations, eager and compiled.

    profile_fusion.py [--mode both|eager|compiled] [--size N] [--rounds N]

Record each mode in a trace of its own.  Without mx.compile every operation is
a kernel that reads and writes the whole array; with it, neighbours become one
kernel.  Every call ends in mx.eval: MLX is lazy, and a call that is not
evaluated has done nothing.
"""

import argparse
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


def seconds_per_call(function, x):
    for _ in range(WARM_UP):
        mx.eval(function(x))
    start = time.perf_counter()
    for _ in range(TIMED):
        mx.eval(function(x))
    return (time.perf_counter() - start) / TIMED


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--mode", choices=("both", "eager", "compiled"), default="both"
    )
    parser.add_argument("--size", type=int, default=1 << 18)
    parser.add_argument("--rounds", type=int, default=1200)
    options = parser.parse_args()

    x = mx.random.uniform(shape=(options.size,))
    mx.eval(x)
    chain = chain_of(options.rounds)
    times = {}
    if options.mode != "compiled":
        times["Eager"] = seconds_per_call(chain, x)
    if options.mode != "eager":
        times["Compiled"] = seconds_per_call(mx.compile(chain), x)
    for name, seconds in times.items():
        print(f"{name} Time: {seconds:.4f}s")
    if len(times) == 2:
        print(f"Speedup: {times['Eager'] / times['Compiled']:.2f}x")


if __name__ == "__main__":
    main()
