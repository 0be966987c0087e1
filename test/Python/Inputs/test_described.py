"""Programs over regions that are described in Python."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shutil
import unittest

import numpy as np
import sluice
from sluice import regions
from sluice.regions import i, j


def heat():
    """A stencil on a torus."""
    heat = regions.Module("heat")
    n, steps = heat.parameter("n", 24), heat.parameter("steps", 5)
    plate = heat.root("plate", [n, n], now="f64", next="f64")
    blocks = plate.blocks("blocks", [4, 3])
    halos = blocks.halo("halos", [1, 1], axes=True, periodic=True)
    with heat.graph("main") as graph:
        with graph.loop(steps):
            graph.task("relax", over=[4, 3], reads=halos.of("now"),
                       writes=blocks.of("next"))
            graph.copy(over=[4, 3], reads=blocks.of("next"),
                       writes=blocks.of("now"))
        graph.host("show", reads=plate.of("now"))
    heat.include("#include <cstdio>")
    heat.code("relax", """
      const int64_t n = parameter_n, s = halos->stride[0], t = blocks->stride[0];
      for (int64_t i = blocks->lower[0]; i < blocks->upper[0]; ++i)
        for (int64_t j = blocks->lower[1]; j < blocks->upper[1]; ++j)
          blocks_next[i * t + j] =
              0.25 * (halos_now[(i + n - 1) % n * s + j] +
                      halos_now[(i + 1) % n * s + j] +
                      halos_now[i * s + (j + n - 1) % n] +
                      halos_now[i * s + (j + 1) % n]);""")
    heat.code("show", """
      double sum = 0;
      for (int64_t at = 0; at < parameter_n * parameter_n; ++at)
        sum += plate_now[at] * double(at);
      std::printf("sum %.17g\\n", sum);""")
    return heat


class Modules(unittest.TestCase):
    def test_runs_as_the_loops_say(self):
        program = heat().program()
        self.assertEqual(program.parameters, {"n": 24, "steps": 5})
        plate = program.arrays("plate", n=30)
        plate["now"][:] = np.random.default_rng(1).random((30, 30))
        now = plate["now"].copy()
        program(n=30, steps=7, plate=plate)
        for _ in range(7):
            now = 0.25 * (np.roll(now, 1, 0) + np.roll(now, -1, 0)
                          + np.roll(now, 1, 1) + np.roll(now, -1, 1))
        np.testing.assert_allclose(plate["now"], now, rtol=0, atol=1e-15)

    def test_runs_on_its_own(self):
        self.assertEqual(heat().run(n=16), "sum 0\n")

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "needs Open MPI")
    def test_runs_on_ranks(self):
        os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
        os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        self.assertEqual(heat().run(ranks=2, n=16), "sum 0\n")

    def test_text(self):
        module = regions.Module("all")
        n = module.parameter("n", 4)
        scale = module.variable("scale", 0.5)
        grid = module.root("grid", [8, 8], a="f64", b="i64")
        coarse = module.root("coarse", [4, 4], a="f64", first="i64", last="i64")
        tiles = grid.blocks("tiles", [2, 2])
        dealt = grid.by("dealt", [n], [(i // 2) % n])
        pairs = dealt.cross("pairs", grid.by("byB", [2], "b"), disjoint=True)
        parts = dealt.each("parts", [2], disjoint=True)
        down = coarse.image("down", tiles, [i // 2, j // 2], disjoint=True)
        rows = grid.image("rows", down, "first", to="last")
        grid.preimage("back", [i // 2, j // 2], down)
        tiles.difference("inner", rows.whole)
        tiles.intersection("some", tiles[1, 0])
        with module.graph("main", repeats=n) as graph:
            graph.fill(0, "f64", writes=scale)
            graph.task("sum", over=[2, 2], reads=tiles.of("a"),
                       reduces={"+": scale})
            with graph.iterations(n) as step:
                graph.task("part", over=[2], writes=parts[step, i].of("a"),
                           with_=[2.5, 3, step])
            with graph.if_(scale):
                graph.task("pair", writes=pairs[n - 3, 1].of("a"))
        self.assertEqual(module.text, """module @all {
rdir.parameter @n : i64 = 4
rdir.variable @scale : f64 = 0.5
rdir.root @grid [8, 8] {a : f64, b : i64}
rdir.root @coarse [4, 4] {a : f64, first : i64, last : i64}
rdir.partition @tiles of @grid [2, 2] disjoint complete by blocks
rdir.partition @dealt of @grid [@n] disjoint incomplete by color([i div 2 mod @n])
rdir.partition @byB of @grid [2] disjoint incomplete by field("b")
rdir.partition @pairs of @grid [@n, 2] disjoint incomplete by cross(@dealt, @byB)
rdir.partition @parts of @grid [@n, 2] disjoint incomplete by blocks(@dealt)
rdir.partition @down of @coarse [2, 2] disjoint incomplete by image(@tiles, [i div 2, j div 2])
rdir.partition @rows of @grid [2, 2] aliased incomplete by image(@down, "first" to "last")
rdir.partition @back of @grid [2, 2] aliased incomplete by preimage([i div 2, j div 2], @down)
rdir.partition @inner of @grid [2, 2] aliased incomplete by difference(@tiles, @rows whole)
rdir.partition @some of @grid [2, 2] aliased incomplete by intersection(@tiles, @tiles[1, 0])
rdir.graph @main repeats @n {
  rdir.fill 0.0 : f64 writes(@scale)
  rdir.task @sum over [2, 2] reads(@tiles {a}) reduces<"+">(@scale)
  rdir.loop %n1 in @n {
    rdir.task @part over [2] writes(@parts[%n1, i] {a}) with(2.5 : f64, 3 : i64, %n1)
  }
  rdir.loop if @scale {
    rdir.task @pair writes(@pairs[@n - 3, 1] {a})
  }
}
}
""")

    def test_numbers(self):
        n = regions.Module("m").parameter("n", 1)
        self.assertEqual(str(2 * i - n + 3), "2 * i - @n + 3")
        self.assertEqual(str(-(i - i)), "0")
        self.assertEqual(str((-i - 1) % 4), "-i - 1 mod 4")
        self.assertEqual(str(5 - 3 * j), "-3 * j + 5")
        for wrong in (lambda: i * j, lambda: i // 2 + 1, lambda: i % 2 % 2,
                      lambda: i + 0.5, lambda: i // j, lambda: i * True):
            self.assertRaises(TypeError, wrong)

    def test_mistakes(self):
        module = heat()
        with self.assertRaisesRegex(ValueError, "there is a 'n' already"):
            module.parameter("n", 1)
        with self.assertRaisesRegex(ValueError, "'a b' is no name of a root"):
            module.root("a b", [1], x="f64")
        module.code("other", "")
        with self.assertRaisesRegex(ValueError,
                                    "no task calls a function 'other'"):
            module.program()
        racy = regions.Module("racy")
        line = racy.root("line", [8], x="f64")
        halos = line.blocks("blocks", [2]).halo("halos", [1])
        with racy.graph("main") as graph:
            graph.task("f", over=[2], writes=halos)
        with self.assertRaisesRegex(sluice.CompileError, r"interfere.*\[L1\]"):
            racy.header
        failing = heat()
        failing.code("relax", "throw 1;")
        with self.assertRaisesRegex(sluice.RunError, "relax"):
            failing.run(n=8)


if __name__ == "__main__":
    unittest.main()
