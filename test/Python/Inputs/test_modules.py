"""Tests in which folders modules of tasks are found, and what of that others
than the tasks see."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import statistics  # standard; what has been imported must not matter
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

import numpy as np
from sluice import CompileError, PyKernel, RunError, TaskGraph

FOLDER = tempfile.TemporaryDirectory()


def write(name, text):
    """Writes a module into a folder below that of this test's files."""
    path = pathlib.Path(FOLDER.name, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return str(path.parent)


def run(module, *functions, path):
    """Runs functions of a module, or of this process, and returns the array
    that they wrote."""
    x = np.zeros(2)
    graph = TaskGraph("modules")
    dat = graph.dat(x)
    for function in functions:
        graph.task(PyKernel(module, function) if isinstance(function, str)
                   else function, dat)
    graph.run(python_path=path)
    return list(x)


class Modules(unittest.TestCase):
    def setUp(self):
        self.path, self.modules = list(sys.path), dict(sys.modules)

    def tearDown(self):
        """Nothing that runs did is seen in the process."""
        self.assertEqual([entry for entry in sys.path
                          if not entry.endswith("/sluice/python")],
                         [entry for entry in self.path
                          if not entry.endswith("/sluice/python")])
        for name, module in self.modules.items():
            self.assertIs(sys.modules.get(name), module, name)
        for name, module in sys.modules.items():
            file = getattr(module, "__file__", None) or ""
            self.assertFalse(file.startswith(FOLDER.name), name)

    def test_its_folder_comes_before_standard_modules(self):
        # One of these has been imported by this process, one has not.
        self.assertNotIn("sched", sys.modules)
        folder = write("taken/statistics.py", "def f(x): x[0] = 5\n")
        write("taken/sched.py", "def f(x): x[1] = 6\n")
        write("taken/uses.py", """
            import statistics, sched
            def f(x):
                statistics.f(x)
                sched.f(x)
            """)
        seen = []

        def look(x):
            import sched as standard
            seen.extend([sys.modules["statistics"], standard,
                         folder in sys.path])

        self.assertEqual(run("statistics", "f", look, path=folder), [5, 0])
        self.assertEqual(run("sched", look, "f", look, path=folder), [0, 6])
        self.assertEqual(run("uses", "f", path=folder), [5, 6])
        for first, second, is_in_path in zip(*[iter(seen)] * 3):
            self.assertIs(first, statistics)
            self.assertTrue(hasattr(second, "scheduler"))
            self.assertFalse(is_in_path)
        del sys.modules["sched"]

    def test_packages_and_what_is_below_them(self):
        write("packages/json/__init__.py", "from . import deep\n")
        write("packages/json/deep.py", "value = 3\n")
        write("packages/data/one.py", "value = 4\n")  # without __init__.py
        folder = write("packages/kern.py", """
            import json.deep
            def f(x):
                from data import one
                x[0], x[1] = json.deep.value, one.value
            """)
        import json
        import json.decoder
        self.assertEqual(run("kern", "f", path=folder), [3, 4])
        self.assertEqual(run("kern", "f", path=[pathlib.Path(folder)]), [3, 4])
        self.assertIs(sys.modules["json.decoder"], json.decoder)
        self.assertNotIn("json.deep", sys.modules)

    def test_what_modules_keep_is_there_in_the_next_run(self):
        folder = write("keeps/counts.py", """
            n = 0
            def f(x):
                global n
                n += 1
                x[0] = n
            """)
        self.assertEqual(run("counts", "f", "f", path=folder), [2, 0])
        self.assertEqual(run("counts", "f", path=folder), [3, 0])

    def test_programs_have_modules_of_the_same_names(self):
        for n in (1, 2):
            write(f"same{n}/kern.py", """
                def f(x):
                    import helper
                    x[0] = helper.value
                """)
            write(f"same{n}/helper.py", f"value = {n}\n")
        for n in (1, 2, 1, 2):
            self.assertEqual(
                run("kern", "f", path=os.path.join(FOLDER.name, f"same{n}")),
                [n, 0])

    def test_parts_of_the_interpreter_come_first(self):
        folder = write("first/os.py", "def f(x): x[0] = 1\n")
        write("first/kern.py", """
            import os, sys
            def f(x):
                x[0] = len(os.sep)
            """)
        self.assertEqual(run("kern", "f", path=folder), [1, 0])
        with self.assertRaisesRegex(RunError, "the name 'os' is taken by .*, "
                                    "so .*first/os.py needs another name"):
            run("os", "f", path=folder)

    def test_a_failing_import_leaves_nothing(self):
        folder = write("fails/kern.py", "import statistics\n"
                       "def f(x): pass\n1 / 0\n")
        write("fails/statistics.py", "")
        with self.assertRaisesRegex(RunError, "ZeroDivisionError"):
            run("kern", "f", path=folder)

    def test_a_task_runs_a_graph_with_modules_of_its_own(self):
        inner = write("inner/helper.py", "def g(x): x[0] += 1\n")
        outer = write("outer/helper.py", "value = 10\n")
        write("outer/kern.py", f"""
            import sys
            import numpy as np
            import helper
            from sluice import PyKernel, TaskGraph
            def f(x):
                y = np.zeros(1)
                graph = TaskGraph("inner")
                graph.task(PyKernel("helper", "g"), graph.dat(y))
                graph.run(python_path={inner!r})
                import helper
                x[0], x[1] = y[0], helper.value
            """)
        self.assertEqual(run("kern", "f", path=outer), [1, 10])

    def test_modules_of_this_process_are_shared(self):
        folder = write("shared/mine.py", """
            n = 0
            def f(x):
                global n
                n += 1
                x[0] = n
            """)
        sys.path.append(folder)
        try:
            import mine
            mine.n = 7
            self.assertEqual(run("mine", "f", path=folder), [8, 0])
            self.assertEqual(mine.n, 8)
        finally:
            sys.path.remove(folder)
            del sys.modules["mine"]

    def test_other_threads_import_what_they_would(self):
        folder = write("threads/kern.py", """
            import queue
            def f(x):
                begin.set()
                end.wait()
                x[0] = 1
            """)
        begin, end, seen = threading.Event(), threading.Event(), []

        def look():
            begin.wait()
            import queue
            seen.append(queue.Queue)
            end.set()

        import builtins
        builtins.begin, builtins.end = begin, end
        thread = threading.Thread(target=look)
        thread.start()
        try:
            self.assertEqual(run("kern", "f", path=folder), [1, 0])
        finally:
            end.set()
            thread.join()
            del builtins.begin, builtins.end
        self.assertEqual(len(seen), 1)

    def test_the_working_directory_is_no_folder_of_modules(self):
        """Only a module that is found there makes it one."""
        folder = write("cwd/helper.py", "value = 1\n")
        write("cwd/found.py", "def f(x): x[0] = 1\n")
        own = write("beside/kern.py", """
            def f(x):
                import helper
            """)
        here = os.getcwd()
        os.chdir(folder)
        try:
            with self.assertRaisesRegex(RunError, "No module named 'helper'"):
                run("kern", "f", path=own)
            self.assertEqual(run("found", "f", path=""), [1, 0])
        finally:
            os.chdir(here)

    def test_mistakes(self):
        with self.assertRaisesRegex(CompileError, "no Python module 'nothing'"):
            run("nothing", "f", path="/nowhere")
        with self.assertRaisesRegex(ValueError, "has a colon in its name"):
            run("nothing", "f", path=["a:b"])
        with self.assertRaises(TypeError):
            run("nothing", "f", path=3)

    def test_executables_find_the_same(self):
        folder = write("apart/statistics.py", """
            def f(x):
                print("ours", flush=True)
            """)
        write("apart/kern.py", """
            import statistics
            def f(x):
                statistics.f(x)
            """)
        graph = TaskGraph("apart")
        graph.task(PyKernel("kern", "f"), graph.dat(2, float))
        app = os.path.join(FOLDER.name, "app")
        graph.compile(app, python_path=[folder])
        self.assertEqual(subprocess.run([app], capture_output=True, text=True,
                                        check=True).stdout, "ours\n")


if __name__ == "__main__":
    unittest.main()
