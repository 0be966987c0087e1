"""Tests that scalars, names and lines are data, which is not compiled in."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import unittest

import numpy
import sluice

SOURCE = pathlib.Path(os.environ["WORK"], "scalars.c")
SOURCE.write_text("""#include <stdint.h>
void scale(double *base, double *x, int64_t offset, int64_t n, int64_t stride,
           int by, double more) {
  for (int64_t i = 0; i < n; ++i) x[i * stride] = x[i * stride] * by + more;
}
void small(double *base, double *x, int64_t offset, int64_t n, int64_t stride,
           uint8_t by, int8_t signed_by, float single) {
  for (int64_t i = 0; i < n; ++i) x[i * stride] = by + signed_by + single;
}
int fail(double *base, double *x, int64_t offset, int64_t n, int64_t stride,
         int status) { return status; }
void count(int64_t *number, int64_t by) { *number += by; }
""", encoding="ascii")
SCALE, SMALL, FAIL, COUNT = (
    sluice.CKernel(name, str(SOURCE))
    for name in ("scale", "small", "fail", "count"))


def compiled():
    """How many programs the cache has."""
    cache = pathlib.Path(os.environ["SLUICE_CACHE_DIR"])
    return sum(1 for path in cache.rglob("*.so"))


def scaled(by, more=0.5, name="scaled"):
    graph = sluice.TaskGraph(name)
    data = graph.dat(numpy.full(5, 2.0))
    graph.task(SCALE, data, graph.scalar(by), graph.scalar(more))
    graph.run()
    return data.array[4]


class Scalars(unittest.TestCase):
    def test_values_are_no_code(self):
        self.assertEqual(scaled(3), 6.5)
        before = compiled()
        for by in range(1, 100):
            self.assertEqual(scaled(by, by / 4), 2 * by + by / 4)
        self.assertEqual(compiled(), before)
        # As many bits as an int has, and below 0: other widths.
        for by in (2**31 - 1, 70000, -1, -2**31, -70000, 2):
            self.assertEqual(scaled(by), 2.0 * by + 0.5)
        with self.assertRaisesRegex(sluice.CompileError, "2147483648, which "
                                    "does not fit"):
            scaled(2**31)
        self.assertEqual(scaled(4), 8.5)

    def test_names_and_lines_are_no_code(self):
        scaled(3)
        before = compiled()
        for number in range(5):
            self.assertEqual(scaled(3, name=f"name{number}"), 6.5)
        def there(name):
            graph = sluice.TaskGraph(name)
            data = graph.dat(numpy.full(5, 2.0))
            graph.task(SCALE, data, graph.scalar(3), graph.scalar(.5))
            graph.run()
            return data.array[4]
        self.assertEqual(there("other"), 6.5)
        self.assertEqual(compiled(), before)

    def test_failures_name_their_own_place(self):
        def failing(name, status):
            graph = sluice.TaskGraph(name)
            graph.task(FAIL, graph.dat(numpy.zeros(3)), graph.scalar(status))
            with self.assertRaises(sluice.RunError) as caught:
                graph.run()
            return str(caught.exception)
        line = failing.__code__.co_firstlineno + 2
        self.assertRegex(failing("one", 5), rf"scalars.py:{line}:.*returned 5")
        before = compiled()
        graph = sluice.TaskGraph("two")
        graph.task(FAIL, graph.dat(numpy.zeros(3)), graph.scalar(6))
        with self.assertRaisesRegex(
                sluice.RunError, rf"scalars.py:(?!{line}:)\d+:.*returned 6"):
            graph.run()
        self.assertEqual(compiled(), before)

    def test_set(self):
        graph = sluice.TaskGraph("set")
        array = numpy.zeros(3)
        data = graph.dat(array)
        by, more = graph.scalar(2), graph.scalar(1.5)
        graph.task(SCALE, data, by, more)
        for number, addition in ((2, 1.5), (7, -3.25), (70000, 0.0), (-4, 1.0),
                                 (5, 5.0)):
            self.assertIs(by.set(number), by)
            more.set(addition)
            array[:] = 1
            graph.run()
            self.assertEqual(list(array), [number + addition] * 3)
        with self.assertRaises(OverflowError):
            by.set(2**70)
        with self.assertRaises(ValueError):
            by.set(1.5)

    def test_narrow_types(self):
        for by, signed_by, single in ((200, -100, 0.5), (255, 127, -1.25),
                                      (0, -128, 3.0)):
            graph = sluice.TaskGraph("narrow")
            data = graph.dat(numpy.zeros(3))
            graph.task(SMALL, data, graph.scalar(by, numpy.uint8),
                       graph.scalar(signed_by, numpy.int8),
                       graph.scalar(single, numpy.float32))
            graph.run()
            self.assertEqual(data.array[0], by + signed_by + single)
        graph = sluice.TaskGraph("wide")
        data = graph.dat(numpy.zeros(3))
        graph.task(SMALL, data, graph.scalar(200), graph.scalar(-100),
                   graph.scalar(1.0, numpy.float32))
        graph.run()
        self.assertEqual(data.array[0], 101)

    def test_written_scalars_begin_with_what_is_set(self):
        graph = sluice.TaskGraph("counted")
        number = graph.scalar(10)
        graph.task(COUNT, graph.ref(number), graph.scalar(3))
        graph.run()
        self.assertEqual(number.value, 13)
        number.set(100)
        graph.run()
        self.assertEqual(number.value, 103)


if __name__ == "__main__":
    unittest.main()
