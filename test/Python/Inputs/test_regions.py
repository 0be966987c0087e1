"""Programs over regions, run with arrays in place of fields."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import numpy as np
import sluice
from sluice._show import tool

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.environ["EXAMPLES"]
GRID = os.path.join(HERE, "grid.mlir")
TASKS = os.path.join(HERE, "grid.cpp")


def load_grid(**options):
    return sluice.load(GRID, tasks=TASKS, **options)


def example(name):
    folder = os.path.join(EXAMPLES, name)
    return [os.path.join(folder, name + ending) for ending in (".mlir", ".cpp")]


@contextlib.contextmanager
def printed():
    """What tasks and Python print meanwhile, as a list of one text."""
    texts = []
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield texts
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            texts.append(file.read().decode())


def smoothed(value, steps):
    for _ in range(steps):
        wide = np.pad(value, 1)
        value = value + 0.25 * (wide[:-2, 1:-1] + wide[2:, 1:-1]
                                + wide[1:-1, :-2] + wide[1:-1, 2:])
    return value


class Grid(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.grid = load_grid(workers=2)

    def test_what_there_is(self):
        self.assertEqual(self.grid.parameters,
                         {"n": 8, "m": 6, "steps": 2, "factor": 0.5,
                          "failing": 0})
        self.assertEqual(self.grid.variables, {"sum": 0.0, "runs": 40})
        self.assertEqual(self.grid.variables["runs"].dtype, np.int32)
        self.assertEqual(self.grid.roots,
                         {"grid": ("value", "next"), "marks": ("mark",),
                          "pairs": ("pair", "step")})
        arrays = self.grid.arrays("pairs", n=3)
        self.assertEqual({name: (array.shape, array.dtype.str)
                          for name, array in arrays.items()},
                         {"pair": ((3, 2), "<f4"), "step": ((3,), "|i1")})
        self.assertEqual(self.grid.arrays("grid")["next"].shape, (8, 6))
        self.assertIn("svg", self.grid._repr_svg_())
        self.assertIn("grid.mlir", repr(self.grid))

    def test_shapes(self):
        for n, m, steps in ((1, 1, 0), (1, 1, 3), (1, 7, 2), (5, 1, 2),
                            (3, 2, 1), (17, 23, 4), (200, 301, 2)):
            with self.subTest(n=n, m=m, steps=steps):
                value = 64.0 * (np.arange(n * m).reshape(n, m) % 7)
                expected = smoothed(value, steps)
                mark = np.arange(n, dtype="i4") - 3
                marked = 2 * mark + np.arange(n, dtype="i4")
                step = (np.arange(n) % 200 - 100).astype("i1")
                pair = np.ones((n, 2), "f4")
                moved = pair + step[:, None] * np.array([1, -1], "f4")
                following = np.full((n, m), -1.0)
                with printed() as text:
                    result = self.grid(
                        n=n, m=m, steps=steps, marks=mark,
                        grid={"value": value, "next": following},
                        pairs={"step": step, "pair": pair}, runs=np.int64(6))
                self.assertEqual(text, ["run 6\n"])
                np.testing.assert_array_equal(value, expected)
                if steps:
                    np.testing.assert_array_equal(following, expected)
                else:
                    self.assertTrue((following == -1).all())
                np.testing.assert_array_equal(mark, marked)
                np.testing.assert_array_equal(pair, moved)
                self.assertEqual(result, {"sum": 0.5 * expected.sum(),
                                          "runs": 7})

    def test_what_is_not_given_is_as_the_module_says(self):
        value = np.ones((8, 6))
        self.grid(n=3, m=3, steps=0, factor=2.0)
        result = self.grid(grid={"value": value})
        expected = smoothed(np.ones((8, 6)), 2)
        np.testing.assert_array_equal(value, expected)
        self.assertEqual(result, {"sum": 0.5 * expected.sum(), "runs": 41})
        self.assertEqual(self.grid(), {"sum": 0.0, "runs": 41})
        self.assertEqual(self.grid(sum=2.5)["sum"], 2.5)

    def test_arrays_that_are_aligned_to_elements_only(self):
        value = np.ones(49)[1:].reshape(8, 6)
        step = np.ones(11, "i1")[3:]
        pair = np.zeros(17, "f4")[1:].reshape(8, 2)
        self.grid(grid={"value": value}, pairs={"step": step, "pair": pair})
        np.testing.assert_array_equal(value, smoothed(np.ones((8, 6)), 2))
        np.testing.assert_array_equal(pair, np.tile([1, -1], (8, 1)))

    def test_read_only_arrays(self):
        step = np.ones(8, "i1")
        step.flags.writeable = False
        pair = np.zeros((8, 2), "f4")
        self.grid(pairs={"step": step, "pair": pair})
        self.assertEqual(pair[3, 1], -1)
        pair.flags.writeable = False
        with self.assertRaisesRegex(
                sluice.RunError, "field 'pair' of root 'pairs' is written by "
                "'go', but its memory is read-only"):
            self.grid(pairs={"pair": pair})

    def test_shared_memory(self):
        both = np.ones(96)
        with self.assertRaisesRegex(sluice.RunError, "share memory"):
            self.grid(grid={"value": both[:48].reshape(8, 6),
                            "next": both[47:95].reshape(8, 6)})
        self.grid(grid={"value": both[:48].reshape(8, 6),
                        "next": both[48:].reshape(8, 6)})
        np.testing.assert_array_equal(both[:48], both[48:])

    def test_wrong_arguments(self):
        grid = np.zeros((8, 6))
        for error, words, given in (
                (TypeError, "has no 'k'; it has the parameters n, m, steps, "
                 "factor, failing and the variables sum, runs and the roots "
                 "grid, marks, pairs", {"k": 1}),
                (ValueError, "'n' is 0, but must be at least 1", {"n": 0}),
                (ValueError, "'steps' is -1", {"steps": -1}),
                (OverflowError, "'failing' is of type int32", {"failing": 2**31}),
                (OverflowError, "'n' is of type int64", {"n": 2**63}),
                (TypeError, "'n' needs a number of type int64, but got 2.0",
                 {"n": 2.0}),
                (TypeError, "'factor' needs a number", {"factor": "2"}),
                (TypeError, "'factor' needs a number", {"factor": grid}),
                (TypeError, "'runs' needs a number of type int32",
                 {"runs": 1.5}),
                (OverflowError, "'runs' is of type int32", {"runs": -2**40}),
                (TypeError, "needs a dictionary of arrays for its fields "
                 r"\(value, next\), but got ndarray", {"grid": grid}),
                (TypeError, "has no field 'valu'; it has value, next",
                 {"grid": {"valu": grid}}),
                (TypeError, "needs a numpy.ndarray, but got list",
                 {"grid": {"value": [[1]]}}),
                (TypeError, "float64, but the array has float32: use "
                 r"array.astype\('float64'\)",
                 {"grid": {"value": grid.astype("f4")}}),
                (TypeError, "int32, but the array has uint32",
                 {"marks": np.zeros(8, "u4")}),
                (TypeError, "other order",
                 {"marks": np.zeros(8, "i4").astype(">i4")}),
                (TypeError, "masks", {"marks": np.ma.zeros(8, "i4")}),
                (ValueError, r"has the shape \(9, 6\) with n=9, m=6, but the "
                 r"array has \(8, 6\)", {"grid": {"value": grid}, "n": 9}),
                (ValueError, r"'pairs' has the shape \(8, 2\) with n=8, but "
                 "the array has",
                 {"pairs": {"pair": np.zeros(16, "f4")}}),
                (ValueError, "'mark' of root 'marks': the array has gaps",
                 {"marks": np.zeros(16, "i4")[::2]}),
                (ValueError, "not aligned",
                 {"marks": np.zeros(33, "i1")[1:].view("i4")})):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                self.grid(**given)
        with self.assertRaises(TypeError):
            self.grid(1)
        for name, given in (("grids", {}), ("grid", {"k": 1})):
            with self.assertRaisesRegex(TypeError, "has no"):
                self.grid.arrays(name, **given)

    def test_failing_tasks(self):
        value = np.ones((8, 6))
        with self.assertRaisesRegex(
                sluice.RunError, "^program 'grid': task 'count': an exception "
                "left it: this run fails$"):
            self.grid(grid={"value": value}, failing=40)
        value[:] = 1
        self.grid(grid={"value": value})
        np.testing.assert_array_equal(value, smoothed(np.ones((8, 6)), 2))

    def test_arrays_are_forgotten(self):
        value = np.ones((8, 6))
        kept = weakref.ref(value)
        count = sys.getrefcount(value)
        for failing in (0, 40):
            with contextlib.suppress(sluice.RunError):
                self.grid(grid={"value": value}, failing=failing)
            with contextlib.suppress(ValueError):
                self.grid(grid={"value": value}, n=9)
        gc.collect()
        self.assertEqual(sys.getrefcount(value), count)
        result = self.grid(grid={"value": value})
        del value
        self.assertIsNone(kept())
        self.assertEqual(result["runs"], 41)

    def test_threads(self):
        other = load_grid(workers=1, flags=["-DOTHER"])
        problems = []

        def work(number):
            try:
                program = (self.grid, other)[number % 2]
                for _ in range(10):
                    n = 5 + number
                    value = np.full((n, 4), float(number))
                    result = program(n=n, m=4, grid={"value": value},
                                     runs=number, factor=number)
                    expected = smoothed(np.full((n, 4), float(number)), 2)
                    np.testing.assert_array_equal(value, expected)
                    self.assertEqual(result["runs"], number + 1)
                    self.assertEqual(result["sum"], number * expected.sum())
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
        with printed():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(problems, [])

    def test_in_a_task_and_after_graphs(self):
        data = np.ones((8, 6))
        graph = sluice.TaskGraph("around")
        dat = graph.dat(data)

        def launch(data):
            own = data.copy()
            self.grid(grid={"value": own})
            data[:] = own

        graph.task(launch, dat)
        graph.run(workers=2)
        np.testing.assert_array_equal(data, smoothed(np.ones((8, 6)), 2))

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_forks(self):
        self.grid()
        child = os.fork()
        if not child:
            try:
                self.grid()
            except sluice.RunError as error:
                os._exit(7 if "forked process" in str(error) else 8)
            os._exit(9)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)


class Compiling(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def text(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def problems(self, text, module=GRID):
        """What is said of other tasks."""
        program = sluice.load(module, tasks=self.write("tasks.cpp", text))
        with self.assertRaises(sluice.CompileError) as caught:
            program()
        with self.assertRaises(sluice.CompileError):
            program.parameters  # still
        return caught.exception.problems

    def test_errors_have_places(self):
        text = self.text(TASKS)
        problem = self.problems(text.replace("return sum;", "return summ;"))[0]
        self.assertRegex(problem.message, "summ")
        self.assertEqual((os.path.basename(problem.file), problem.severity),
                         ("tasks.cpp", "error"))
        self.assertEqual(problem.line,
                         text[:text.index("return sum;")].count("\n") + 1)
        messages = [p.message for p in self.problems(
            text.replace("void mark(", "static void mark2("))]
        self.assertTrue(any("mark" in message for message in messages), messages)

        module = self.text(GRID)
        path = self.write("grid.mlir", module.replace(
            "reads(%m0) writes(%m1)", "reads(%m0) writes(%m0)"))
        problem = self.problems(text, path)[0]
        self.assertEqual(os.path.basename(problem.file), "grid.mlir")
        self.assertGreater(problem.line, 40)

    def test_what_cannot_be_loaded(self):
        graph = os.path.join(HERE, "scale.mlir")
        with self.assertRaisesRegex(sluice.CompileError, "name of its root"):
            sluice.load(graph, tasks=os.path.join(HERE, "scale.ll"))()
        with self.assertRaisesRegex(TypeError, "function that is its root"):
            sluice.load(os.path.join(HERE, "saxpy.c"))
        with self.assertRaises(FileNotFoundError):
            sluice.load("no-such.mlir", tasks=TASKS)
        with self.assertRaises(FileNotFoundError):
            sluice.load(GRID, tasks=[TASKS, "no-such.cpp"])
        with self.assertRaisesRegex(TypeError, "no option 'serial'"):
            load_grid(serial=True)
        with self.assertRaisesRegex(ValueError, "2000 workers"):
            load_grid(workers=2000)
        with self.assertRaisesRegex(TypeError, "list of words"):
            load_grid(flags="-O2")

    def test_the_cache(self):
        def kept():
            folder = os.environ["SLUICE_CACHE_DIR"]
            return {name for _, _, names in os.walk(folder) for name in names
                    if name.endswith(".so")}

        path = self.write("tasks.cpp", self.text(TASKS))
        header = self.write("more.h", "#define MORE 1\n")
        module = self.write("grid.mlir", self.text(GRID))
        self.write("tasks.cpp", '#include "more.h"\n' + self.text(TASKS).replace(
            "return runs + 1", "return runs + MORE"))
        before = kept()
        self.assertEqual(sluice.load(module, tasks=path)()["runs"], 41)
        first = kept() - before
        self.assertEqual(len(first), 1)
        self.assertEqual(sluice.load(module, tasks=[path])()["runs"], 41)
        self.assertEqual(kept() - before, first)
        self.assertEqual(
            sluice.load(module, tasks=path, flags=["-O1"])()["runs"], 41)
        self.assertEqual(len(kept() - before), 2)
        self.write("more.h", "#define MORE 5\n")
        self.assertTrue(os.path.exists(header))
        self.assertEqual(sluice.load(module, tasks=path)()["runs"], 45)

    def test_without_a_cache(self):
        code = ("import sluice, sys; "
                "print(sluice.load(sys.argv[1], tasks=sys.argv[2])()['runs'])")
        done = subprocess.run(
            [sys.executable, "-c", code, GRID, TASKS], capture_output=True,
            text=True, check=False,
            env={**os.environ, "SLUICE_CACHE_DIR": "/proc/none"})
        self.assertEqual(done.stdout, "run 40\n41\n", done.stderr)


class Examples(unittest.TestCase):
    """The programs check themselves against plain loops, and print."""

    def compare(self, name, **given):
        arguments = [f"--{parameter}={value}"
                     for parameter, value in given.items()]
        expected = subprocess.run(
            [tool(), "run", *example(name), "--", *arguments],
            capture_output=True, text=True, check=True).stdout
        self.assertTrue(expected)
        module, tasks = example(name)
        results = []
        for workers in (1, 2):
            program = sluice.load(module, tasks=tasks, workers=workers)
            arrays = {root: program.arrays(root, **given)
                      for root in program.roots}
            for root in arrays.values():
                for array in root.values():
                    array.reshape(-1)[:] = 3  # the program sets what it reads
            with printed() as text:
                result = program(**given, **arrays)
            self.assertEqual(text[0], expected)
            results.append((arrays, result))
        (first, result), (second, other) = results
        self.assertEqual(result, other)
        for root, fields in first.items():
            for field, array in fields.items():
                np.testing.assert_array_equal(array.view("u1"),
                                              second[root][field].view("u1"))
        return first, result

    def test_halo(self):
        n, rounds = 96, 2
        arrays, result = self.compare("halo", n=n, rounds=rounds)
        row, column = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
        now = ((row * 31 + column * 17) % 64) / 64
        now[(column == 0) & (row > n // 4) & (row < 3 * n // 4)] = 100
        following = now.copy()
        for _ in range(20 * rounds):
            inner = now[1:-1, 1:-1]
            following[1:-1, 1:-1] = inner + 0.2 * (
                now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
                - 4 * inner)
            now, following = following, now
        np.testing.assert_allclose(arrays["plate"]["now"], now, rtol=1e-13)
        np.testing.assert_allclose(arrays["plate"]["next"], following,
                                   rtol=1e-13)
        self.assertAlmostEqual(result["change"], abs(now - following).max(),
                               places=12)

    def test_cg(self):
        arrays, result = self.compare("cg", rows=256, entries=1216, pieces=3)
        matrix, vectors = arrays["matrix"], arrays["vectors"]
        product = np.zeros(256)
        np.add.at(product, matrix["row"],
                  matrix["value"] * vectors["x"][matrix["column"]])
        np.testing.assert_allclose(product, vectors["b"], atol=1e-8)
        self.assertEqual(result["going"], 0)

    def test_circuit(self):
        arrays, _ = self.compare("circuit", num_nodes=128, num_wires=256,
                                 steps=5)
        self.assertEqual(arrays["wires"]["current"].shape, (256, 4))
        self.assertTrue(np.isfinite(arrays["nodes"]["voltage"]).all())

    def test_hydro(self):
        arrays, result = self.compare("hydro", cycles=5)
        self.assertGreater(result["step"], 0)
        self.assertGreater(arrays["zones"]["density"].min(), 0)


if __name__ == "__main__":
    unittest.main()
