"""Programs over regions that are described in Python."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shutil
import unittest
from fractions import Fraction

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
            with graph.else_():
                graph.task("other", writes=grid.of("a"))
            with graph.unless(scale):
                graph.task("last", writes=grid.of("a"))
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
  } else {
    rdir.task @other writes(@grid {a})
  }
  rdir.loop unless @scale {
    rdir.task @last writes(@grid {a})
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
        self.assertEqual(str(i * np.int64(2) + np.int8(1)), "2 * i + 1")
        for wrong in (lambda: i * j, lambda: i // 2 + 1, lambda: i % 2 % 2,
                      lambda: i + 0.5, lambda: i // j, lambda: i * True):
            self.assertRaises(TypeError, wrong)

    def test_values_are_kept(self):
        def text(value, kind=None):
            module = regions.Module("m")
            module.parameter("x", value, kind)
            return module.text.splitlines()[1].partition(" : ")[2]
        self.assertEqual(text(np.float32(2.5)), "f64 = 2.5")
        self.assertEqual(text(Fraction(5, 2)), "f64 = 2.5")
        self.assertEqual(text(np.int32(3)), "i64 = 3")
        self.assertEqual(text(3, "f32"), "f32 = 3.0")
        self.assertEqual(text(1e-6), "f64 = 1.0e-06")
        self.assertEqual(text(-1e16), "f64 = -1.0e+16")
        self.assertEqual(text(float("inf"), "f32"), "f32 = 0x7F800000")
        for value, kind, error in (
                (3.7, "i32", TypeError), (np.float64(3), "i64", TypeError),
                ("3", None, TypeError), (1j, None, TypeError),
                (200, "i8", OverflowError), (1e300, "f32", OverflowError),
                (float("nan"), "bf16", ValueError), (1, "number", ValueError)):
            self.assertRaises(error, text, value, kind)
        # The same in clauses; and through the compiler.
        module = regions.Module("m")
        inf = module.parameter("inf", -float("inf"))
        least = module.parameter("least", -2**63)
        module.parameter("half", 0.5, "f32")
        line = module.root("line", 5, x="f64")
        with module.graph("main") as graph:
            graph.task("f", writes=line,
                       with_=[1e-6, np.float32(2.5), 1e300, 1e16, inf, least])
            self.assertRaises(TypeError, graph.fill, 3.7, "i64", line)
        module.code("f", """
          const double all[] = {constant, constant2, constant3, constant4, inf};
          for (int k = 0; k < 5; ++k)
            line_x[k] = all[k];""")
        x = np.zeros(5)
        program = module.program()
        self.assertEqual(program.parameters, {
            "inf": -float("inf"), "least": -2**63, "half": 0.5})
        program(line=x)
        self.assertEqual(list(x), [1e-6, 2.5, 1e300, 1e16, -float("inf")])

    def test_programs_stay(self):
        module = regions.Module("m")
        line = module.root("line", 4, x="f64")
        with module.graph("main") as graph:
            graph.task("f", writes=line)
        programs = []
        for number in (1, 2):
            module.code("f", f"for (int k = 0; k < 4; ++k) line_x[k] = {number};")
            programs.append(module.program())
        folder = os.path.dirname(programs[0].source)
        with module.graph("more") as graph:
            graph.task("g", writes=line)
        self.assertIn("g", module.header)
        for number, program in zip((1, 2), programs):
            x = np.zeros(4)
            program(line=x)
            self.assertEqual(x[0], number)
        del programs, program
        self.assertFalse(os.path.exists(folder))

    def test_regions(self):
        module = regions.Module("m")
        self.assertRaises(TypeError, module.root, "r", 2.5, a="f64")
        r = module.root("r", 8, a="f64", c="i64")
        b = r.blocks("b", 4)
        flag = module.variable("flag", 1)
        # What follows the name stands in one order, and is part of the rule.
        self.assertEqual(str(b.of("a")[i + 1]), "@b[i + 1] {a}")
        self.assertEqual(str(b.whole.of("a")), "@b {a} whole")
        b[1].by("x", 2, "c")
        b[1].coloring("y", 2, "f")
        b[1].image("z", b, [i])
        self.assertIn("@x of @b[1] [2] ", module.text)
        self.assertIn("@y of @b[1] [2] ", module.text)
        self.assertIn("@z of @b[1] [4] ", module.text)
        other = regions.Module("o").root("r", 3, a="f64")
        for wrong in (lambda: b[1].halo("w", 1), lambda: b[1].each("w", 2),
                      lambda: b.of("a").each("w", 2), lambda: b[1][0],
                      lambda: b.by("w", 2, "c"), lambda: b[1].whole,
                      lambda: b.whole[1], lambda: b.of(), lambda: r[0],
                      lambda: b.of("a").of("c"), lambda: list(b),
                      lambda: r.of("a").blocks("w", 2),
                      lambda: r.image("w", b[1], [i]),
                      lambda: b.cross("w", b[1])):
            self.assertRaises(TypeError, wrong)
        self.assertRaises(ValueError, b.union, "w", other)
        with module.graph("main") as graph:
            self.assertRaises(TypeError, graph.task, "t", reads="@r")
            self.assertRaises(ValueError, graph.task, "t", reads=other)
            self.assertRaises(TypeError, graph.if_, "@flag")
            with graph.loop(while_=flag):
                graph.task("t", over=4, reads=flag, writes=b, with_=3)
            with graph.if_(flag):
                graph.task("t", over=4, writes=b)
            graph.task("t", over=4, writes=b)
            with self.assertRaisesRegex(ValueError, "right before it"):
                with graph.else_():
                    pass
        self.assertIn("@t over [4] reads(@flag) writes(@b) with(3 : i64)",
                      module.text)
        self.assertRaises(TypeError, lambda: b["f"][0])
        self.assertRaises(TypeError, lambda: b[0]["f"])
        self.assertRaises(TypeError, lambda: b["f"].whole)
        self.assertRaises(TypeError, b["f"].halo, "z", 1)
        with self.assertRaisesRegex(ValueError, "'rdir.loop 2' needs a 'with'"):
            with module.graph("dropped") as graph:
                graph.loop(2)
        self.assertRaises(ValueError, graph.task, "t", writes=b)
        module = heat()
        module.parameter("ranks", 3)
        with self.assertRaisesRegex(TypeError, "'ranks' is a parameter"):
            module.run(ranks=2)
        self.assertEqual(module.run(n=16, parameters={"ranks": 2}), "sum 0\n")

    def test_choices(self):
        module = regions.Module("choices")
        r = module.root("r", [4], a="i64")
        b = r.blocks("b", [2])
        flag = module.variable("flag", 1, "i32")

        def add(task, block, amount):
            block["a"] += amount

        def flip(task, flag):
            return 1 - flag

        with module.graph("main") as graph, graph.loop(3):
            with graph.if_(flag):
                graph.task(add, over=2, reads=b, writes=b, with_=1)
            with graph.else_():
                graph.task(add, over=2, reads=b, writes=b, with_=10)
            with graph.unless(flag):
                graph.task(add, over=2, reads=b, writes=b, with_=100)
            graph.task(flip, reads=flag, writes=flag)
        a = np.zeros(4, np.int64)
        module.program()(r={"a": a})
        self.assertEqual(a.tolist(), [112] * 4)

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
