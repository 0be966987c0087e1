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


class Kept(unittest.TestCase):
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

    def test_messages_name_the_graph_that_runs(self):
        """Those that are alike share code, and one another's tables in turn."""
        def fail():
            raise ValueError("no")

        graphs = []
        for round_ in range(3):
            for name in ("one", "two"):
                # On lines of their own, of which messages have the number.
                source = "\n" * (10 * round_) + \
                    f"graph = TaskGraph({name!r})\ngraph.task(fail)\n"
                known = {"TaskGraph": TaskGraph, "fail": fail}
                exec(compile(source, f"{name}.py", "exec"), known)
                graphs.append((known["graph"], name, 10 * round_ + 2))
                with self.assertRaisesRegex(
                        sluice.RunError,
                        rf"{name}\.py:{10 * round_ + 2}\b"):
                    known["graph"].run()
                if round_ == 1:
                    graphs.clear()
        for graph, name, line in graphs:
            with self.assertRaisesRegex(sluice.RunError, rf"{name}\.py:{line}\b"):
                graph.run()

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
