"""Tests that generators are compiled, run and tuned by programs in Python."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import sluice
from sluice import HalideKernel, in_, out

HERE = os.path.dirname(os.path.abspath(__file__))
GENERATORS = os.path.join(HERE, "generators.cpp")


def shifted(**parameters):
    x, y = np.arange(16, dtype="i4"), np.zeros(16, "i4")
    graph = sluice.TaskGraph("shift")
    task = graph.task(HalideKernel("shift", parameters), in_(graph.dat(x)),
                      out(graph.dat(y)))
    return graph, task, y


class Halide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sluice.load_generators(GENERATORS)

    def test_parameters(self):
        for by in (1, 7):
            graph, _, y = shifted(by=by)
            graph.run()
            np.testing.assert_array_equal(y, np.arange(16) + by)

    def test_arrays_that_are_aligned_to_elements_only(self):
        x, y = np.arange(4099, dtype="i4"), np.zeros(4099, "i4")
        for begin in range(1, 4):
            a, b = x[begin:begin + 4001], y[4 - begin:4005 - begin]
            graph = sluice.TaskGraph("shift")
            graph.task(HalideKernel("shift", {"by": 2, "width": 16}),
                       in_(graph.dat(a)), out(graph.dat(b)))
            graph.run()
            np.testing.assert_array_equal(b, a + 2)
            y[:] = 0

    def test_tuning(self):
        graph, task, y = shifted(by=3)
        task.variant(width=16).variant(width=1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuned")
            graph.tune(path)
            np.testing.assert_array_equal(y, np.arange(16) + 3)
            with open(path, encoding="utf-8") as file:
                self.assertIn("width", file.read())
            y[:] = 0
            graph.run(tuned=path)
        np.testing.assert_array_equal(y, np.arange(16) + 3)

    def test_mistakes(self):
        graph, _, _ = shifted(no_such=3)
        with self.assertRaisesRegex(sluice.CompileError, "no_such"):
            graph.run()
        graph = sluice.TaskGraph()
        graph.task(HalideKernel("shif"), graph.dat(np.zeros(3, "i4")))
        with self.assertRaisesRegex(sluice.CompileError, "no generator"):
            graph.run()
        with self.assertRaises(FileNotFoundError):
            sluice.load_generators("no-such.cpp")
        with self.assertRaisesRegex(sluice.SluiceError, "cannot load"):
            sluice.load_generators("no-such.so")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wrong.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write("int x = nothing;\n")
            with self.assertRaisesRegex(sluice.CompileError, "nothing"):
                sluice.load_generators(path)

    def test_another_library_is_another_program(self):
        """What was compiled with one library is not taken for another one."""
        script = (
            "import numpy as np, sluice, sys\n"
            f"sluice.load_generators({GENERATORS!r}, flags=sys.argv[1:])\n"
            "x, y = np.arange(4, dtype='i4'), np.zeros(4, 'i4')\n"
            "g = sluice.TaskGraph('shift')\n"
            "g.task(sluice.HalideKernel('shift'), sluice.in_(g.dat(x)), "
            "sluice.out(g.dat(y)))\n"
            "g.run()\nprint(y[0])\n")
        for flag, expected in (("-DSHIFT=1", "1"), ("-DSHIFT=5", "5"),
                               ("-DSHIFT=1", "1")):
            done = subprocess.run([sys.executable, "-c", script, flag],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout.strip(), expected, done.stderr)

    def test_libraries_are_in_the_cache(self):
        """Also where nothing can be written beside it; and there is a way
        without."""
        script = f"import sluice; sluice.load_generators({GENERATORS!r})"
        with tempfile.TemporaryDirectory() as folder:
            parent = os.path.join(folder, "parent")
            cache = os.path.join(parent, "cache")
            os.makedirs(cache, mode=0o700)
            for place, kept in ((cache, True), ("/proc/none", False)):
                subprocess.run([sys.executable, "-c", script], check=True,
                               env={**os.environ, "SLUICE_CACHE_DIR": place})
                self.assertEqual(os.listdir(parent), ["cache"])
            files = os.listdir(os.path.join(cache, "generators"))
            self.assertEqual(len(files), 1)
            self.assertRegex(files[0], "^[0-9a-f]{32}\\.so$")


if __name__ == "__main__":
    unittest.main()
