"""Halide generators as functions of tasks over regions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shutil
import tempfile
import unittest

import numpy as np
import sluice
from sluice import HalideKernel, regions

os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
sluice.load_generators(os.path.join(os.path.dirname(__file__),
                                    "region_generators.cpp"))


def begin(plate):
    plate[...] = np.arange(plate.size).reshape(plate.shape) ** 2 % 101


def expected(n, steps):
    """All cells but those at the border become means."""
    now = np.zeros((n, n))
    begin(now)
    for _ in range(steps):
        now[1:-1, 1:-1] = 0.25 * (now[:-2, 1:-1] + now[2:, 1:-1]
                                  + now[1:-1, :-2] + now[1:-1, 2:])
    return now


def plate(**parameters):
    """The stencil on the inner cells, in four blocks."""
    module = regions.Module("plate")
    steps = module.parameter("steps", 5)
    root = module.root("plate", [12, 12], now="f64", next="f64")
    parts = root.coloring("parts", [4], "parts", disjoint=True)
    halos = parts.halo("halos", [1, 1], complete=False)
    with module.graph("main") as graph:
        graph.task("begin", writes=root.of("now"))
        with graph.loop(steps):
            graph.task("relax", over=4, reads=halos.of("now"),
                       writes=parts.of("next"))
            graph.copy(over=4, reads=parts.of("next"), writes=parts.of("now"))
        graph.host("show", reads=root.of("now"))
    module.include("#include <cstdio>")
    module.code("parts", """
      for (int64_t i = 0; i < 5; ++i) {
        int64_t row = 1 + color[0] / 2 * 5 + i, first = 1 + color[0] % 2 * 5;
        elements->add(elements, row * 12 + first, row * 12 + first + 5);
      }""")
    module.code("begin", """
      for (int64_t at = 0; at < 144; ++at)
        plate_now[at] = double(at * at % 101);""")
    module.code("show", """
      for (int64_t at = 0; at < 144; ++at)
        std::printf("%a\\n", plate_now[at]);""")
    module.code("relax", HalideKernel("relax", parameters))
    return module


def shown(text):
    return np.array([float.fromhex(line)
                     for line in text.splitlines()]).reshape(12, 12)


class Generators(unittest.TestCase):
    def test_stencil(self):
        for parameters in ({}, {"parallel": True}):
            module = plate(**parameters)
            for ranks in (None, 2) if shutil.which("mpirun.openmpi") else (None,):
                found = shown(module.run(ranks=ranks))
                np.testing.assert_array_equal(found, expected(12, 5))
        module.code("show", "")
        for workers in (1, 2, 5):
            now = np.zeros((12, 12))
            module.program(workers=workers)(steps=3, plate={"now": now})
            np.testing.assert_array_equal(now, expected(12, 3))
        with tempfile.TemporaryDirectory() as folder:
            paths = module.save(folder)
            self.assertEqual(len(paths), 4)
            self.assertTrue(all(path.startswith(folder) for path in paths))

    def test_empty_parts(self):
        module = regions.Module("m")
        root = module.root("r", [4, 4], now="f64", next="f64")
        with module.graph("main") as graph:
            graph.task("f", over=2, reads=root.of("now"), writes=root.by(
                "parts", 2, [regions.i % 1]).of("next"))
        module.code("f", HalideKernel("twice"))
        now, next_ = np.arange(16.0).reshape(4, 4), np.zeros((4, 4))
        module.program()(r={"now": now, "next": next_})
        np.testing.assert_array_equal(next_, 2 * now)

    def test_errors_in_parallel_loops(self):
        module = regions.Module("m")
        root = module.root("r", [16, 4], now="f64", next="f64")
        with module.graph("main") as graph:
            graph.task("f", reads=root.of("now"), writes=root.of("next"))
        module.code("f", HalideKernel("small"))
        program = module.program(workers=4)
        for row in range(16):
            now = np.zeros((16, 4))
            now[row] = 100
            with self.assertRaisesRegex(sluice.RunError, f"too large in {row}$"):
                program(r={"now": now})

    def line(self, generator="move", kind="vector<4xf32>", with_=(3, 0.5)):
        module = regions.Module("line")
        root = module.root("line", 10, **{"from": kind, "to": kind})
        blocks = root.blocks("blocks", 2)
        with module.graph("main") as graph:
            graph.task("f", over=2, reads=blocks.of("from"),
                       writes=blocks.of("to"), with_=with_)
        module.code("f", HalideKernel(generator))
        return module

    def test_numbers_and_vectors(self):
        given = np.random.default_rng(1).random((10, 4)).astype("f4")
        to = np.zeros_like(given)
        self.line().program()(line={"from": given, "to": to})
        np.testing.assert_array_equal(
            to, given * np.float32(0.5) + np.float32(3)
            + np.arange(10, dtype="f4")[:, None])
        with self.assertRaisesRegex(sluice.RunError, r"'f' at point \(\d\): .*"
                                    "4294967296 does not fit"):
            self.line(with_=(2**32, 0.5)).program()()

    def test_refused(self):
        with self.assertRaisesRegex(sluice.CompileError,
                                    "there is no generator 'gone'"):
            self.line(generator="gone")
        with self.assertRaisesRegex(
                sluice.CompileError, r"generator 'relax' takes 0 numbers \(none"
                r"\), but the task passes 2 \(constant, constant2\)"):
            self.line("relax").program()
        with self.assertRaisesRegex(
                sluice.CompileError, "takes the input 'from' of type float, but "
                "the task passes 'blocks_from' of type double"):
            self.line(kind="vector<4xf64>").program()
        with self.assertRaisesRegex(
                sluice.CompileError, "takes the number 'by' of type int32_t, "
                "but the task passes 'constant' of type double"):
            self.line(with_=(0.5, 3)).program()
        with self.assertRaisesRegex(sluice.CompileError, "has no parameter 'x'"):
            plate(x=1)
        module = regions.Module("m")
        root = module.root("r", [4, 4], a="f64", b="f64")
        with module.graph("main") as graph:
            graph.task("f", reads=root.of("a"), reduces={"+": root.of("b")})
        module.code("f", HalideKernel("relax"))
        with self.assertRaisesRegex(sluice.CompileError, "overwrites"):
            module.program()

    def fails(self, extents, text, parts=None):
        module = regions.Module("m")
        root = module.root("r", extents, a="f64", b="f64", c="i64")
        part = parts(root)[0] if parts else root
        with module.graph("main") as graph:
            graph.task("f", reads=part.of("a"), writes=part.of("b"))
        module.code("f", HalideKernel("relax"))
        with self.assertRaisesRegex(sluice.RunError, text):
            module.program()()

    def test_failures(self):
        self.fails([4, 4], "task 'f'.*now.*accessed at -1")
        self.fails([4], "takes an array of 2 dimensions, but the part has 1")
        self.fails([4, 4], "takes boxes",
                   lambda root: root.by("odd", 2, [regions.j % 2]))


if __name__ == "__main__":
    unittest.main()
