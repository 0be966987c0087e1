"""Tasks over regions that are functions in Python."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import sluice
from sluice import regions

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../../examples/torus"))
import torus  # noqa: E402

os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"

kept = []


def nothing(task, part):
    """Does nothing."""


def every_third(color, elements):
    elements.add(np.arange(color[0], elements.extent[0], 3))


def turned(task):
    return task.extent[0] - 1 - task.point[0]


def mark(task, part):
    part["a"] += 1 + task.point[0]


def show(task, part):
    print(*part["a"])


def line(function, length=10, colors=2, kind="f64", **clauses):
    """A program with one task over the blocks of a line."""
    module = regions.Module("m")
    root = module.root("line", length, x=kind)
    blocks = root.blocks("blocks", colors)
    with module.graph("main") as graph:
        graph.task(function, over=colors,
                   **{word: blocks for word in clauses.pop("words", ["writes"])},
                   **clauses)
    return module


class Kernels(unittest.TestCase):
    def test_torus(self):
        for workers in (1, 2, 5):
            module = torus.torus()
            module.code("show", lambda task, plate: None)
            program = module.program(workers=workers)
            plate = program.arrays("plate", n=30)
            program(n=30, steps=7, plate=plate)
            self.assertEqual(plate["now"].tobytes(),
                             torus.expected(30, 7).tobytes())

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "needs Open MPI")
    def test_torus_on_ranks(self):
        for ranks in (1, 2, 4):
            self.assertEqual(torus.torus().run(ranks=ranks),
                             torus.expected().tobytes().hex() + "\n")

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "needs Open MPI")
    def test_colorings_on_ranks(self):
        module = regions.Module("m")
        root = module.root("r", 8, a="i64")
        thirds = root.coloring("thirds", 3, every_third, disjoint=True)
        halves = root.blocks("halves", 2)
        with module.graph("main") as graph:
            graph.task(mark, over=3, writes=thirds[turned])
            graph.task(mark, over=2, writes=halves[turned])
            graph.host(show, reads=root)
        self.assertEqual(module.run(ranks=2), "5 4 3 5 3 2 4 3\n")

    def test_random_parts(self):
        random = np.random.default_rng(1)
        for rank in (1, 2, 3):
            shape = tuple(map(int, random.integers(1, 9, rank)))
            color = random.integers(-1, 3, shape)
            a, b = random.random(shape), random.random((*shape, 3)).astype("f4")
            wanted_a, wanted_b = a.copy(), b.copy()
            for c in range(3):
                wanted_a[color == c] += b[color == c].sum(axis=-1) * c
                wanted_b[color == c, 1] = np.nonzero(color == c)[rank - 1]
            seen = []

            def change(task, part, colors, seen=seen):
                c, = task.point
                seen.append((task.extent, c))
                self.assertTrue((colors["c"] == c).all())
                self.assertEqual(part.extent, color.shape)
                self.assertEqual(len(part), (color == c).sum())
                places = tuple(numbers.ravel() for numbers in part.points)
                for found, numbers in zip(places, np.nonzero(color == c)):
                    np.testing.assert_array_equal(found, numbers)
                np.testing.assert_array_equal(
                    part["a"].ravel(), part["a"][part.index(*places)])
                np.testing.assert_array_equal(
                    part["a"][part.index(*map(np.uint64, places))],
                    part["a"].ravel())
                for wrong in np.argwhere(color != c)[:3]:
                    self.assertRaises(IndexError, part.index, *wrong)
                part["a"] += part["b"].sum(axis=-1) * c
                part["b"][..., 1] = part.points[-1]

            module = regions.Module("m")
            root = module.root("root", shape, a="f64", b="vector<3xf32>",
                               c="i64")
            parts = root.by("parts", 3, "c")
            with module.graph("main") as graph:
                graph.task(change, over=3, reads=[parts.of("a", "b"),
                                                  parts.of("c")],
                           writes=parts.of("a", "b"))
            module.program(workers=2)(root={"a": a, "b": b, "c": color})
            self.assertEqual(sorted(seen), [((3,), c) for c in range(3)])
            np.testing.assert_array_equal(a, wanted_a)
            np.testing.assert_array_equal(b, wanted_b)

    def test_colorings_and_projections(self):
        random = np.random.default_rng(2)
        for rank in (1, 2, 3):
            shape = tuple(map(int, random.integers(1, 9, rank)))
            colors = tuple(map(int, random.integers(1, 4, rank)))
            count = int(np.prod(colors))
            owner = random.integers(-1, count, shape)

            def paint(color, elements, owner=owner, colors=colors):
                self.assertEqual(elements.extent, owner.shape)
                self.assertEqual(elements.colors, colors)
                own = owner == np.ravel_multi_index(color, colors)
                places = random.permutation(np.flatnonzero(own))
                elements.add(places[::2])
                for place in places[1::2]:
                    elements.add(place, place + 1)

            def turned(task, colors=colors, count=count):
                return count - 1 - np.ravel_multi_index(task.point, colors)

            def mark(task, part, colors=colors):
                part["a"][...] = 1 + np.ravel_multi_index(task.point, colors)

            module = regions.Module("m")
            root = module.root("r", shape, a="i64")
            parts = root.coloring("parts", colors, paint, disjoint=True)
            with module.graph("main") as graph:
                graph.task(mark, over=colors, writes=parts[turned].of("a"))
            a = np.zeros(shape, "i8")
            module.program(workers=rank)(r=a)
            np.testing.assert_array_equal(
                a, np.where(owner < 0, 0, count - owner))

        def fail(color, elements):
            raise KeyError(color)
        module = regions.Module("m")
        parts = module.root("r", 4, a="i64").coloring("parts", 2, fail)
        with module.graph("main") as graph:
            graph.task(nothing, over=2, reads=parts)
        with self.assertRaisesRegex(sluice.RunError, r"'parts' at color \(0\)"
                                    ) as caught:
            module.program()()
        self.assertIsInstance(caught.exception.__cause__, KeyError)

    def test_numbers(self):
        module = regions.Module("m")
        n = module.parameter("n", 5, "i32")
        total = module.variable("total", 100, "i64")
        least = module.variable("least", 0.0, "f32")
        root = module.root("line", 12, x="i16")
        blocks = root.blocks("blocks", 3)
        halos = blocks.halo("halos", 1)

        def fill(task, part, step, n, half):
            self.assertEqual((step, n, half), (1, 5, 0.5))
            part["x"] = part.points[0] * n

        def add(task, part):
            return part["x"].sum(dtype=np.int64)

        def smallest(task, part):
            return np.float64(part["x"].min()) / 2

        def spread(task, part):
            part["x"] += 1

        with module.graph("main") as graph:
            with graph.iterations(2) as step:
                graph.task(fill, over=step * 3, writes=blocks,
                           with_=[step, n, 0.5])
            graph.task(add, over=3, reads=blocks, reduces={"+": total})
            graph.task(spread, over=3, reduces={"+": halos})
            graph.task(smallest, reads=root, writes=least)
        x = np.zeros(12, "i2")
        found = module.program()(line=x)
        self.assertEqual(found, {"total": 100 + 5 * 66, "least": 0.5})
        wanted = np.arange(12) * 5 + 1
        for border in (4, 8):
            wanted[border - 1:border + 1] += 1
        np.testing.assert_array_equal(x, wanted)

    def test_windows(self):
        def move(task, halo, block):
            self.assertRaises(IndexError, halo.window, block, 2)
            self.assertRaises(TypeError, halo.window, block, 1, 1)
            if task.point[0] < 2:
                block["y"][...] = halo["x"][halo.window(block, 1)]
        module = regions.Module("m")
        root = module.root("line", 9, x="f64", y="f64")
        blocks = root.blocks("blocks", 3)
        with module.graph("main") as graph:
            graph.task(move, over=3, reads=blocks.halo("halos", 1).of("x"),
                       writes=blocks.of("y"))
        x, y = np.arange(9.0), np.zeros(9)
        module.program()(line={"x": x, "y": y})
        self.assertEqual(list(y), [1, 2, 3, 4, 5, 6, 0, 0, 0])

    def fails(self, module, text, cause=type(None)):
        with self.assertRaisesRegex(sluice.RunError, text) as caught:
            module.program()()
        self.assertEqual(type(caught.exception.__cause__), cause)

    def test_failures(self):
        def fail(task, part):
            if task.point == (1,):
                raise KeyError("gone")
        self.fails(line(fail), r"task 'fail' at point \(1\): KeyError: 'gone'",
                   KeyError)

        def assign(task, part):
            part["x"][0] = 1
        module = line(assign, words=["reads"])
        self.fails(module, "ValueError: assignment destination is read-only",
                   ValueError)

        def keep(task, part):
            kept.append(part)
        self.addCleanup(kept.clear)
        self.fails(line(keep), "kept a view of argument 2")
        kept.clear()

        # Copies of parts that are no boxes live as long as they are kept.
        module = regions.Module("m")
        root = module.root("line", 10000, x="f64")
        with module.graph("main") as graph:
            graph.task(keep, reads=root.by("odd", 2, [regions.i % 2])[1])
        numbers = np.arange(10000.0)
        with self.assertRaisesRegex(sluice.RunError, "kept a view"):
            module.program()(line=numbers)
        np.testing.assert_array_equal(kept[0]["x"], numbers[1::2])
        np.testing.assert_array_equal(kept[0].points[0], numbers[1::2])
        kept.clear()

        def give(task, part):
            return 5
        self.fails(line(give), "returned 5 of type int, expected None")

        def missing(task, part):
            part["y"]
        self.fails(line(missing), "'blocks' has no field 'y' here, but x",
                   KeyError)

        def result(task, part):
            return 200
        module = regions.Module("m")
        root, flag = module.root("r", 4, x="f64"), module.variable("f", 0, "i8")
        with module.graph("main") as graph:
            graph.task(result, reads=root, writes=flag)
        self.fails(module, "returned 200 of type int, expected a number of "
                           "type int8")

        def large(task, part):
            return 1e39
        module = regions.Module("m")
        root, total = module.root("r", 4, x="f64"), module.variable("t", 0, "f32")
        with module.graph("main") as graph:
            graph.task(large, reads=root, writes=total)
        self.fails(module, r"returned 1e\+39 of type float, expected a number "
                           "of type float32")

    def test_interrupt(self):
        seen = []

        def interrupt(task, part):
            seen.append(task.point)
            signal.raise_signal(signal.SIGINT)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            program = line(interrupt, length=9, colors=9).program(workers=1)
            for count in (1, 2):
                self.assertRaises(KeyboardInterrupt, program)
                self.assertEqual(len(seen), count)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_checked(self):
        os.environ["SLUICE_CHECK"] = "1"
        try:
            self.assertEqual(torus.torus().run(),
                             torus.expected().tobytes().hex() + "\n")
        finally:
            del os.environ["SLUICE_CHECK"]

    def test_programs_within_tasks(self):
        def twice(task, part):
            part["x"] *= 2
        inner = line(twice).program(workers=1)

        def outer(x):
            inner(line=x)
        for workers in (1, 2):
            x = np.arange(10.0)
            graph = sluice.TaskGraph("outer")
            graph.task(outer, graph.dat(x))
            graph.run(workers=workers)
            self.assertEqual(list(x), [2 * i for i in range(10)])

        def again(task, part):
            inner()
        self.fails(line(again), "RunError: program 'm' is run by a task",
                   sluice.RunError)

    def test_planted_accesses(self):
        """Wrong accesses of random kernels raise, at their point; right kernels
        do what plain NumPy does."""
        pick = np.random.default_rng(5)
        for number in range(40):
            shape = [int(n) for n in pick.integers(4, 9, pick.integers(1, 3))]
            colors = [int(pick.integers(1, 3)) for _ in shape]
            at = tuple(int(pick.integers(n)) for n in colors)
            plant = ["", "reads", "field", "behind", "outside"][number % 5]

            def kernel(task, halo, tile):
                hit = task.point == at
                tile["b"] += halo["a"][halo.index(*tile.points)]
                if hit and plant == "reads":
                    halo["a"][halo.index(*tile.points)] = 1
                elif hit and plant == "field":
                    tile["a"] += 1
                elif hit and plant == "behind":
                    tile["b"][tuple(tile["b"].shape)] = 1
                elif hit and plant == "outside":
                    tile["b"][tile.index(*(p + 1 for p in tile.points))] = 1

            module = regions.Module(f"m{number}")
            root = module.root("r", shape, a="f64", b="f64")
            tiles = root.blocks("tiles", colors)
            halos = tiles.halo("halos", [1] * len(shape))
            with module.graph("main") as graph:
                graph.task(kernel, over=colors, reads=halos.of("a"),
                           writes=tiles.of("b"))
            a, b = pick.random(shape), np.zeros(shape)
            if not plant:
                module.program()(r={"a": a, "b": b})
                self.assertTrue((a == b).all())
                continue
            where = r"'kernel' at point \(" + ", ".join(map(str, at)) + r"\): "
            kind = {"reads": "ValueError", "field": "KeyError"}.get(
                plant, "IndexError")
            with self.assertRaisesRegex(sluice.RunError, where + kind):
                module.program()(r={"a": a, "b": b})

    def test_functions(self):
        def f(task, part):
            part["x"] = 1

        def g(task, part):
            part["x"] = 2
        module = line("f")
        x, y = np.zeros(10), np.zeros(10)
        module.code("f", f)
        first = module.program()
        module.code("f", g)
        second = module.program()
        for program, array in ((first, x), (second, y), (first, x)):
            program(line=array)
        self.assertEqual((x[0], y[0]), (1, 2))
        with self.assertRaisesRegex(ValueError, "there is a function 'f'"):
            with module.graph("more") as graph:
                graph.task(f)
        with self.assertRaisesRegex(ValueError, "'<lambda>' is no name"):
            line(lambda task, part: None)

        def ä(task, part):
            pass
        with self.assertRaisesRegex(ValueError, "'ä' is no name"):
            line(ä)
        with self.assertRaisesRegex(ValueError, "cannot import 'f': it is not "
                                    "defined under this name at the top level"):
            module.run()
        self.assertRaises(TypeError, module.code, "f", 3)
        with tempfile.TemporaryDirectory() as folder:
            paths = torus.torus().save(folder)
        self.assertEqual([os.path.basename(path) for path in paths],
                         ["heat.mlir", "heat.cpp", "torus.py"])

    def test_unguarded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bare.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("""from sluice import regions
def f(task, part):
    pass
module = regions.Module("m")
root = module.root("line", 4, x="f64")
with module.graph("main") as graph:
    graph.task(f, writes=root)
module.run()
""")
            done = subprocess.run([sys.executable, path], capture_output=True,
                                  text=True, check=False)
        self.assertIn("if __name__ ==", done.stderr)


if __name__ == "__main__":
    unittest.main()
