"""Tests what task graphs of Python keep: order, results, code, names, warnings."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import sluice
from sluice import CKernel, TaskGraph, in_, out

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels.c")


class Order(unittest.TestCase):
    def test_results_are_those_of_the_order_of_creation(self):
        for workers in (1, 2, 4):
            random = np.random.default_rng(5)
            arrays = [random.integers(0, 1000, 16).astype(float)
                      for _ in range(4)]
            expected = [a.copy() for a in arrays]
            graph = TaskGraph("random")
            dats = [graph.dat(a) for a in arrays]
            for _ in range(40):
                i, j = (int(n) for n in random.integers(0, 4, 2))
                if i == j:
                    graph.task(CKernel("add_one", KERNELS), dats[i])
                    expected[i] += 1
                    continue

                def mix(a, b):
                    b[:] = (b * 3 + a) % 1009

                graph.task(mix, in_(dats[i]), dats[j])
                mix(expected[i], expected[j])
            graph.run(workers=workers)
            for found, wanted in zip(arrays, expected):
                np.testing.assert_array_equal(found, wanted)

    def test_after(self):
        done = []
        graph = TaskGraph()
        first = graph.task(lambda: done.append(1))
        second = graph.task(lambda: done.append(2), after=[first])
        graph.task(lambda: done.append(3), after=[first, second])
        graph.run()
        self.assertEqual(done, [1, 2, 3])


class Errors(unittest.TestCase):
    def test_mistakes_have_the_line_of_python(self):
        graph = TaskGraph("wrong")
        x = graph.dat(np.zeros(3), name="x")
        graph.task(CKernel("scale", KERNELS), graph.scalar(1.0), x)  # mistake 1
        graph.task(CKernel("no_such", KERNELS), x)  # mistake 2
        with self.assertRaises(sluice.CompileError) as caught:
            graph.run()
        error = caught.exception
        lines = [problem.line for problem in error.problems
                 if problem.severity == "error"]
        self.assertEqual(lines, [line_of("# mistake 1"),
                                 line_of("# mistake 2")])
        self.assertEqual({problem.file for problem in error.problems
                          if problem.severity == "error"}, {__file__})
        self.assertIn("no_such", str(error))
        self.assertTrue(all(p.column for p in error.problems[:1]))

    def test_an_empty_graph(self):
        with self.assertRaisesRegex(sluice.CompileError, "has no tasks"):
            TaskGraph("nothing").run()

    def test_other_graphs(self):
        graph, other = TaskGraph("one"), TaskGraph("two")
        x = other.dat(np.zeros(3))
        graph.task(lambda a: None, x)
        with self.assertRaisesRegex(sluice.CompileError,
                                    "belongs to graph 'two', not to 'one'"):
            graph.run()

    def test_warnings_have_the_line(self):
        graph = TaskGraph()
        graph.dat(np.zeros(3))  # unused
        graph.task(lambda: None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            graph.run()
        self.assertEqual([(w.lineno, w.category) for w in caught],
                         [(line_of("# unused"), sluice.SluiceWarning)])
        self.assertIn("no task uses", str(caught[0].message))

    def test_what_is_no_kernel(self):
        graph = TaskGraph()
        x = graph.dat(np.zeros(3))

        async def later(a):
            pass

        def generate(a):
            yield a

        for kernel, words in ((3, "no kernel"), (later, "asynchronous"),
                              (generate, "generator"),
                              (lambda a, b: None, "1 arguments"),
                              (lambda a, *, b: None, "missing")):
            with self.assertRaisesRegex(TypeError, words):
                graph.task(kernel, x)
        with self.assertRaisesRegex(TypeError, "argument 0 is a ndarray"):
            graph.task(lambda a: None, np.zeros(3))
        with self.assertRaisesRegex(TypeError, "expected a task"):
            graph.task(lambda a: None, x, after=[x])

    def test_an_exception_is_the_cause(self):
        x = np.zeros(4)
        graph = TaskGraph("failing")
        dat = graph.dat(x)

        def divide(a):
            a[0] = 1
            return 1 // 0  # where it fails

        graph.task(divide, dat)
        with self.assertRaises(sluice.RunError) as caught:
            graph.run()
        error = caught.exception
        self.assertIsInstance(error.__cause__, ZeroDivisionError)
        frame = error.__cause__.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        self.assertEqual(frame.tb_lineno, line_of("# where it fails"))
        self.assertIn("task 'divide' (divide at", str(error))
        self.assertIn("ZeroDivisionError: integer division", str(error))
        self.assertNotIn("Traceback", str(error))
        self.assertEqual(x[0], 1)

    def test_after_an_exception_all_goes_on(self):
        """The exception is alive, but none of the arrays that it saw."""
        kept = []
        for _ in range(3):
            graph = TaskGraph("failing")
            dat = graph.dat((4,), float)

            def inner(a):
                b = a[1:]
                raise KeyError(str(b))

            def outer(a):
                try:
                    inner(a)
                except KeyError as error:
                    raise ValueError("outer") from error

            graph.task(outer, dat)
            with self.assertRaises(sluice.RunError) as caught:
                graph.run()
            kept.append(caught.exception)
        graph = TaskGraph("fine")
        dat = graph.dat((4,), float)
        graph.task(lambda a: a.fill(2), dat)
        graph.run()
        self.assertEqual(dat.array.sum(), 8)
        self.assertIsInstance(kept[0].__cause__.__cause__, KeyError)

    def test_a_kept_array_is_refused(self):
        kept = []
        graph = TaskGraph()
        graph.task(lambda a: kept.append(a), graph.dat((4,), float))
        with self.assertRaisesRegex(sluice.RunError, "kept a view"):
            graph.run()
        with self.assertRaisesRegex(sluice.RunError, "cannot run any more"):
            graph.run()
        kept.clear()
        graph = TaskGraph()
        graph.task(lambda a: kept.append(a.copy()), graph.dat((4,), float))
        graph.run()
        self.assertEqual(kept[0].sum(), 0)

    def test_results_are_refused(self):
        graph = TaskGraph()
        graph.task(lambda: 3)
        with self.assertRaisesRegex(sluice.RunError, "expected None"):
            graph.run()

    def test_exit_and_interrupts_of_tasks_are_errors(self):
        for exception in (SystemExit(3), KeyboardInterrupt()):
            graph = TaskGraph()

            def leave():
                raise exception

            graph.task(leave)
            with self.assertRaises(sluice.RunError) as caught:
                graph.run()
            self.assertIs(caught.exception.__cause__, exception)

    def test_exceptions_keep_what_their_arrays_held(self):
        graph = TaskGraph()

        def fail(a):
            a[:] = 7
            assert (a < 0).all(), a

        graph.task(fail, inout(graph.dat(np.zeros(3))))
        with self.assertRaises(sluice.RunError) as caught:
            graph.run()
        error = caught.exception.__cause__
        del graph
        gc.collect()
        np.testing.assert_array_equal(error.args[0], [7, 7, 7])

    def test_c_kernels_fail(self):
        graph = TaskGraph()
        graph.task(CKernel("fail_with", KERNELS), graph.scalar(7))
        with self.assertRaisesRegex(sluice.RunError, "returned 7") as caught:
            graph.run()
        self.assertIsNone(caught.exception.__cause__)

    def test_functions_become_no_executable(self):
        graph = TaskGraph()
        graph.task(lambda: None)
        with self.assertRaisesRegex(sluice.CompileError, "this process only"):
            graph.compile(os.devnull + "/nothing")


class Pictures(unittest.TestCase):
    def test_graphs_show_themselves(self):
        graph = TaskGraph("shown")
        x = graph.dat(np.zeros((3, 2)), name="numbers")

        def smooth(a):
            pass

        graph.task(smooth, inout(x))
        for text in (graph.svg(), graph._repr_svg_()):
            self.assertIn("<svg", text)
            self.assertIn("smooth", text)
            self.assertIn("numbers", text)
        page = graph.explore()
        self.assertIn("<iframe", page._repr_html_())
        self.assertIn("numbers", page.text)
        self.assertIn("1 tasks", repr(graph))


class Order(unittest.TestCase):
    """What functions keep to themselves is as in one task after another."""

    def results(self, workers, mark=lambda task: task):
        seen = []
        x, y = np.zeros(8), np.zeros(8)
        np.random.seed(1)
        graph = TaskGraph("kept")
        first, second = graph.dat(x), graph.dat(y)
        for i in reversed(range(8)):
            graph.task(CKernel("wait_turns", KERNELS), out(first[i:i + 1]),
                       graph.scalar(i))
        for i in range(8):
            def function(a, b, i=i):
                seen.append(i)
                b[0] = np.random.rand()
            mark(graph.task(function, in_(first[i:i + 1]),
                            out(second[i:i + 1])))
        graph.run(workers=workers)
        return seen, y.tolist()

    def test_functions_run_as_they_were_created(self):
        expected = self.results(1)
        self.assertEqual(expected[0], list(range(8)))
        for workers in (2, 4, 3):
            self.assertEqual(self.results(workers), expected)

    def test_independent_functions_run_at_once(self):
        seen, _ = self.results(2, lambda task: task.independent())
        self.assertEqual(sorted(seen), list(range(8)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("def f(a): pass\n")
            graph = TaskGraph("two")
            for independent in (False, False, True):
                task = graph.task(sluice.PyKernel("two", "f"),
                                  graph.dat(np.zeros(1)))
                if independent:
                    task.independent()
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                graph.check(remarks=True, python_path=folder)
            said = [str(warning.message) for warning in found]
            self.assertEqual(said, [
                "'two.f#2' waits for 'two.f', because both use Python and "
                "'two.f' is created before it"])

    def test_variables_of_c_kernels_order_tasks(self):
        x = np.zeros(3)
        graph = TaskGraph("variables")
        dat = graph.dat(x)
        for i in range(3):
            graph.task(CKernel("count_calls", KERNELS), out(dat[i:i + 1]))
        graph.run(workers=3)
        self.assertEqual(x.tolist(), [1, 2, 3])


class Results(unittest.TestCase):
    """What a run leaves is kept for those who may read it."""

    def chain(self, count, shape=(1 << 20,)):
        graph = TaskGraph("chain")
        dats = [graph.dat(shape, float, name=f"d{i}") for i in range(count)]
        graph.task(CKernel("add_one", KERNELS), dats[0])

        def follow(a, b):
            b[:] = a + 1

        for first, second in zip(dats, dats[1:]):
            graph.task(follow, in_(first), out(second))
        return graph, dats

    def test_others_go(self):
        graph, dats = self.chain(6)
        read, part = dats[1], dats[3][2:4]
        last = dats[5]
        del dats
        for _ in range(2):
            graph.run()
            self.assertEqual(read.array[7], 2)
            self.assertEqual(part.array.tolist(), [4, 4])
            self.assertEqual(last.array[0], 6)

    def test_an_array_that_was_asked_for_stays(self):
        graph, dats = self.chain(3)
        graph.run()
        array = dats[1].array
        del dats
        graph.run()
        self.assertEqual(array[5], 2)

    def test_memory_is_used_while_tasks_use_it(self):
        script = (
            "import resource, sys\n"
            f"sys.path.insert(0, {HERE!r})\n"
            "from test_kept import Results\n"
            "graph, dats = Results().chain(60)\n"
            "last = dats[-1]\n"
            "if sys.argv[1] == 'drop': del dats\n"
            "graph.run()\n"
            "assert last.array[3] == 60\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n")

        def peak(how):
            return int(subprocess.run(
                [sys.executable, "-c", script, how], check=True,
                capture_output=True, text=True).stdout)

        # 60 datasets of 8 MB: a process keeps 256 MB for later runs.
        self.assertGreater(peak("keep") - peak("drop"), 100_000)


class Alike(unittest.TestCase):
    """Tasks that are alike share code, which tells them apart by data."""

    def test_equal_tasks_work_on_their_own_parts(self):
        x = np.zeros((40, 6))
        graph = TaskGraph("alike")
        dat = graph.dat(x)
        for i in range(40):
            for number in (float(i), 0.5):
                graph.task(CKernel("add_to_row", KERNELS),
                           dat[i:i + 1, i % 3:6:2], graph.scalar(number))
        graph.run()
        expected = np.zeros((40, 6))
        for i in range(40):
            expected[i, i % 3:6:2] = i + 0.5
        np.testing.assert_array_equal(x, expected)

    def test_functions_are_told_apart(self):
        x = np.zeros(40)
        graph = TaskGraph("functions")
        dat = graph.dat(x)
        for i in range(40):
            def function(a, i=i):
                a += i
            graph.task(function, dat[i:i + 1])
        graph.run()
        np.testing.assert_array_equal(x, np.arange(40.0))

    def test_parts_of_one_dataset_meet(self):
        x = np.arange(80.0)
        graph = TaskGraph("meet")
        dat = graph.dat(x)
        for i in range(0, 80, 4):
            graph.task(CKernel("shift_into", KERNELS), in_(dat[i:i + 3]),
                       dat[i + 1:i + 4])
        graph.run()
        expected = np.arange(80.0)
        expected[:] = [n - n % 4 for n in range(80)]
        np.testing.assert_array_equal(x, expected)


class Names(unittest.TestCase):
    def test_functions_have_names_as_python_allows(self):
        modules = {
            "letters": "def f\u00e9(a): a[0] += 1\n",
            "mod\u00e9": "def f(a): a[0] += 1\n",
            "made": "for n in 'fg': globals()[n] = "
                    "lambda a: a.__setitem__(0, a[0] + 1)\n",
            "named": "print(f := lambda a: a.__setitem__(0, 1))\n",
            "matched": "match [lambda a: a.__setitem__(0, 1)]:\n"
                       "    case [f]: pass\n",
            "stated": "def _():\n    global f\n"
                      "    def f(a): a[0] += 1\n_()\n",
            "run": "exec('def f(a): a[0] += 1')\n",
            "put": "import sys\nsetattr(sys.modules[__name__], 'f', "
                   "lambda a: a.__setitem__(0, 1))\n"}
        with tempfile.TemporaryDirectory() as folder:
            for module, text in modules.items():
                with open(os.path.join(folder, module + ".py"), "w",
                          encoding="utf-8") as file:
                    file.write(text)
            for module in modules:
                x = np.zeros(1)
                graph = TaskGraph("names")
                name = "f\u00e9" if module == "letters" else "f"
                graph.task(sluice.PyKernel(module, name), graph.dat(x))
                graph.run(python_path=folder)
                self.assertEqual(x[0], 1, module)
                graph = TaskGraph("names")
                graph.task(sluice.PyKernel("letters", "g"), graph.dat(x))
                with self.assertRaisesRegex(sluice.CompileError,
                                            "has no function 'g'"):
                    graph.check(python_path=folder)

    def test_a_program_is_called_main(self):
        graph = TaskGraph("main")
        graph.task(CKernel("add_one", KERNELS), graph.dat((3,), float))
        with tempfile.TemporaryDirectory() as folder:
            graph.compile(os.path.join(folder, "app"))
            subprocess.run([os.path.join(folder, "app")], check=True)


class Warnings(unittest.TestCase):
    def graph(self, keep):
        graph = TaskGraph("parts")
        dat = graph.dat(np.zeros((8, 8)))
        for i in range(8):
            part = dat[i:i + 1]
            graph.task(lambda a: None, part if keep else part[:, 2:5])
            if keep:
                part[:, 2:5]  # used by no task
        return graph

    def test_parts_of_parts_are_used(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.graph(False).check()

    def test_a_warning_is_shown_once_for_a_line(self):
        graph = self.graph(True)
        for filter_, count in (("default", 1), ("always", 16)):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter(filter_)
                graph.check()
                graph.check()
            self.assertEqual(len(found), count)


if __name__ == "__main__":
    unittest.main()
