"""Heat on a torus, in Python: one stencil in this process and on ranks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import numpy as np
from sluice import regions


def begin(task, plate):
    plate["now"][...] = np.random.default_rng(1).random(plate.shape)


def relax(task, halo, block, n):
    i, j = block.points
    def at(i, j):
        return halo["now"][halo.index(i % n, j % n)]
    block["next"][...] = 0.25 * (at(i - 1, j) + at(i + 1, j)
                                 + at(i, j - 1) + at(i, j + 1))


def show(task, plate):
    print(plate["now"].tobytes().hex())


def torus():
    heat = regions.Module("heat")
    n, steps = heat.parameter("n", 24), heat.parameter("steps", 5)
    plate = heat.root("plate", [n, n], now="f64", next="f64")
    blocks = plate.blocks("blocks", [4, 3])
    halos = blocks.halo("halos", [1, 1], axes=True, periodic=True)
    with heat.graph("main") as graph:
        graph.task(begin, writes=plate.of("now"))
        with graph.loop(steps):
            graph.task(relax, over=[4, 3], reads=halos.of("now"),
                       writes=blocks.of("next"), with_=n)
            graph.copy(over=[4, 3], reads=blocks.of("next"),
                       writes=blocks.of("now"))
        graph.host(show, reads=plate.of("now"))
    return heat


def expected(n=24, steps=5):
    """The same with NumPy alone."""
    now = np.random.default_rng(1).random((n, n))
    for _ in range(steps):
        now = 0.25 * (np.roll(now, 1, 0) + np.roll(now, -1, 0)
                      + np.roll(now, 1, 1) + np.roll(now, -1, 1))
    return now


# Processes on ranks import this file, too.
if __name__ == "__main__":
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else None
    if torus().run(ranks=ranks) != expected().tobytes().hex() + "\n":
        sys.exit("torus: the result differs from NumPy's")
    print("torus: ok")
