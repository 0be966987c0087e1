"""Tests task graphs that Python describes: data, kernels, order, errors."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import gc
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
import weakref

import numpy as np
import sluice
from sluice import CKernel, TaskGraph, in_, inout, out

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels.c")


def line_of(text):
    """The number of the first line of this file with `text`."""
    with open(__file__, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line and "line_of" not in line:
                return number
    raise AssertionError(text)


class Data(unittest.TestCase):
    def test_a_function_works_in_the_array(self):
        x = np.arange(6.0).reshape(3, 2)
        seen = []
        graph = TaskGraph("scale")
        dat = graph.dat(x)

        def twice(a):
            seen.append((a.ctypes.data, a.shape, a.dtype, a.flags.writeable))
            a *= 2

        graph.task(twice, dat)
        self.assertIs(graph.run(), graph)
        np.testing.assert_array_equal(x, 2 * np.arange(6.0).reshape(3, 2))
        self.assertEqual(seen, [(x.ctypes.data, (3, 2), np.float64, True)])
        self.assertIs(dat.array, x)
        graph.run()  # begins with what is there
        np.testing.assert_array_equal(x, 4 * np.arange(6.0).reshape(3, 2))

    def test_a_c_kernel_works_in_the_array(self):
        # 8 bytes behind a multiple of 64: nothing relies on more.
        memory = np.zeros(100 + 16)
        begin = (64 - memory.ctypes.data % 64) // 8 % 8 + 1
        x = memory[begin:begin + 100]
        self.assertEqual(x.ctypes.data % 64, 8)
        graph = TaskGraph("where")
        address = graph.scalar()
        dat = graph.dat(x)
        graph.task(CKernel("add_one", KERNELS), dat)
        graph.task(CKernel("where", KERNELS), in_(dat),
                   out(graph.ref(address)))
        graph.run()
        self.assertEqual(address.value, x.ctypes.data)
        np.testing.assert_array_equal(x, np.ones(100))
        self.assertEqual(memory.sum(), 100)

    def test_names_and_options_are_looked_at_first(self):
        x = np.zeros(2)
        graph = TaskGraph()
        dat = graph.dat(x)

        def add(a):
            a += 1

        for make in (lambda: graph.task(add, inout(dat), name=5),
                     lambda: graph.dat(x, name=5),
                     lambda: graph.scalar(1, name=b"x"),
                     lambda: TaskGraph(5),
                     lambda: graph.check(nonsense=1),
                     lambda: graph.compile("x.svg", nonsense=1),
                     lambda: graph.run(kernel_sources="k.c"),
                     lambda: graph.run(workers=2.5),
                     lambda: graph.dat(np.ma.masked_array([1.0], [True]))):
            self.assertRaises(TypeError, make)
        for workers in (-1, 2**40):
            with self.assertRaisesRegex(ValueError, "workers, expected"):
                graph.run(workers=workers)
        first = graph.task(add, inout(dat))
        graph.task(add, inout(dat), after=first)
        graph.run()
        self.assertEqual(x.tolist(), [2, 2])

    def test_names_of_files_may_be_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.fsencode(folder), b"k\xe9.c")
            with open(path, "wb") as file:
                file.write(b"void ten(double *b, double *a, int o, int n, int s)"
                           b"{ for (int i = 0; i < n; ++i) a[i * s] = 10; }")
            x = np.zeros(2)
            graph = TaskGraph()
            graph.task(CKernel("ten", path), graph.dat(x))
            graph.run()
            self.assertEqual(x.tolist(), [10, 10])
            script = os.path.join(os.fsencode(folder), b"s\xe9.py")
            with open(script, "w") as file:
                file.write("import sluice\ng = sluice.TaskGraph()\n"
                           "g.task(sluice.CKernel('none', 'none.c'))\n"
                           "try:\n    g.check()\n"
                           "except sluice.CompileError as e:\n    print(e)\n")
            said = subprocess.run([sys.executable, script], check=True,
                                  capture_output=True, text=True).stdout
            self.assertIn("s\\udce9.py:3", said)

    def test_unsigned_numbers(self):
        for name in ("u1", "u2", "u4", "u8"):
            most = np.iinfo(name).max
            graph = TaskGraph()
            number, last = graph.scalar(most - 3, name), graph.scalar(most, name)
            seen = []

            def add(a, b):
                seen.append((int(a), a.dtype, int(b)))
                a[...] = int(a) + 2

            graph.task(add, inout(graph.ref(number)), last)
            graph.run()
            self.assertEqual(seen, [(most - 3, np.dtype(name), most)])
            self.assertEqual((number.value, last.value), (most - 1, most))

    def test_values_are_not_taken_for_a_shape(self):
        graph = TaskGraph()
        for values, options in (([1, 2], {}), (np.array([3, 4]), {}),
                                ((2.5, 3), {}), (4, {"copy": True})):
            with self.assertRaises(TypeError):
                graph.dat(values, "f4", **options)
        self.assertEqual(graph.dat(np.int64(3), "f4").shape, (3,))

    def test_set_refuses_what_does_not_fit(self):
        graph = TaskGraph()
        for name, values in (("i1", [300, 2]), ("i4", [2**40, 1]),
                             ("u1", [-1, 1]), ("u8", [-1, 1])):
            with self.assertRaisesRegex(OverflowError, "does not hold"):
                graph.dat((2,), name).set(values)
        for name in ("u1", "u8", "i8"):
            graph.dat((2,), name).set([1, 2])

    def test_arrays_that_moved_are_not_looked_at(self):
        for look in (TaskGraph.check, TaskGraph.svg):
            x = np.arange(1000.0)
            graph = TaskGraph()
            graph.task(lambda a: None, inout(graph.dat(x)))
            x.resize(1000000, refcheck=False)
            with self.assertRaisesRegex(sluice.RunError, "bind it again"):
                look(graph)

    def test_all_types(self):
        for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4",
                     "f8"):
            x = np.arange(4).astype(name)
            graph = TaskGraph()
            given = graph.dat(x)
            made = graph.dat((4,), name)
            types = []

            def copy(a, b):
                types.append((a.dtype, b.dtype, a.flags.writeable))
                b[:] = a + 1

            graph.task(copy, in_(given), out(made))
            graph.run()
            self.assertEqual(types, [(x.dtype, x.dtype, False)])
            self.assertEqual(made.array.dtype, x.dtype)
            np.testing.assert_array_equal(made.array, [1, 2, 3, 4])

    def test_what_cannot_be_a_dataset(self):
        graph = TaskGraph()
        unaligned = np.frombuffer(bytes(33), np.uint8)[1:].view("f8")
        for array, error, words in (
                (np.zeros(3, bool), TypeError, "view(numpy.uint8)"),
                (np.zeros(3, complex), TypeError, "complex"),
                (np.zeros(3, "f2"), TypeError, "float16"),
                (np.zeros(3, ">f8"), TypeError, "other order"),
                (np.zeros(3, "U3"), TypeError, "<U3"),
                (np.zeros(3, object), TypeError, "object"),
                (np.zeros((4, 4))[:, 1:], ValueError, "gaps"),
                (np.zeros((4, 4)).T[1:], ValueError, "gaps"),
                (np.zeros(4)[::-1], ValueError, "gaps"),
                (np.zeros(()), ValueError, "reshape(1)"),
                (np.zeros((3, 0)), ValueError, "no elements"),
                (unaligned, ValueError, "aligned")):
            with self.subTest(words), self.assertRaises(error) as caught:
                graph.dat(array)
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(TypeError, "needs the type"):
            graph.dat((3, 4))
        for shape in ((), (0,), (3, -1), (2**31,)):
            with self.assertRaises(ValueError):
                graph.dat(shape, float)

    def test_copies_begin_each_run(self):
        x = np.array([1.0, 2.0])
        graph = TaskGraph()
        dat = graph.dat(x, copy=True)
        listed = graph.dat([5, 6])
        graph.task(lambda a, b: (a.__iadd__(b), None)[1], dat, in_(listed))
        for _ in range(2):
            graph.run()
            np.testing.assert_array_equal(dat.array, [6, 8])
        np.testing.assert_array_equal(x, [1, 2])
        dat.set([10, 20])
        graph.run()
        np.testing.assert_array_equal(dat.array, [15, 26])
        dat.set(1)
        graph.run()
        np.testing.assert_array_equal(dat.array, [6, 7])
        with self.assertRaises(ValueError):
            dat.set([1, 2, 3])
        with self.assertRaises(TypeError):
            listed.set([0.5, 1])

    def test_copies_of_arrays_that_cannot_be_bound(self):
        packed = np.zeros(3, [("flag", "i1"), ("value", "f8")])
        packed["value"] = [1, 2, 3]
        askew = np.zeros(25, "i1")[1:].view("f8")
        askew[:] = [4, 5, 6]
        graph = TaskGraph()
        dats = [graph.dat(array, copy=True)
                for array in (packed["value"], askew, askew[::-1])]
        for dat in dats:
            graph.task(lambda a: a.__imul__(2) is None or None, dat)
        graph.run()
        for dat, expected in zip(dats, ([2, 4, 6], [8, 10, 12], [12, 10, 8])):
            np.testing.assert_array_equal(dat.array, expected)
        np.testing.assert_array_equal(askew, [4, 5, 6])

    def test_results_stay_when_the_graph_goes(self):
        graph = TaskGraph()
        dat = graph.dat((1000, 1000), float)
        graph.task(lambda a: a.fill(3), out(dat))
        with self.assertRaisesRegex(sluice.RunError, "has no results"):
            dat.array
        graph.run()
        result = dat.array
        self.assertFalse(result.flags.writeable)
        graph.task(lambda a: None, in_(dat))
        graph.run()  # compiled again, with other memory
        del graph, dat
        gc.collect()
        self.assertEqual(result.sum(), 3e6)

    def test_parts_share_memory(self):
        x = np.zeros((6, 8))
        graph = TaskGraph()
        dat = graph.dat(x)
        shapes = []

        def fill(number):
            def body(a):
                shapes.append(a.shape)
                a += number
            return body

        graph.task(fill(1), dat[::2])
        graph.task(fill(10), dat[1:4, ..., 2:])
        graph.task(fill(100), dat[2:, 4:][1:, ::3])
        graph.task(CKernel("scale", KERNELS), graph.scalar(2.0), dat[:, :2])
        graph.run()
        y = np.zeros((6, 8))
        y[::2] += 1
        y[1:4, 2:] += 10
        y[2:, 4:][1:, ::3] += 100
        y[:, :2] *= 2
        np.testing.assert_array_equal(x, y)
        self.assertEqual(shapes, [(3, 8), (3, 6), (3, 2)])
        np.testing.assert_array_equal(dat[1:3].array, x[1:3])
        with self.assertRaisesRegex(TypeError, "2:3"):
            dat[2]
        with self.assertRaisesRegex(ValueError, "positive"):
            dat[::-1]
        with self.assertRaises(IndexError):
            dat[:, :, :]
        with self.assertRaisesRegex(sluice.RunError, "whole"):
            dat[1:].bind(x[1:])

    def test_scalars_and_references(self):
        graph = TaskGraph()
        total = graph.scalar(name="total")
        x = graph.dat(np.arange(10.0))
        factor = graph.scalar(np.float32(1.5))
        byte = graph.scalar(200, np.uint8)
        seen = []
        graph.task(CKernel("total", KERNELS), in_(x), out(graph.ref(total)))
        graph.task(lambda *values: seen.extend(values), total, factor, byte)

        def change(value):
            value[()] += 1

        graph.task(change, graph.ref(total))
        graph.run()
        self.assertEqual(seen, [45, 1.5, 200])
        self.assertEqual(total.value, 46)
        self.assertEqual(factor.value, 1.5)
        with self.assertRaises(OverflowError):
            graph.scalar(300, np.uint8)
        with self.assertRaises(ValueError):
            graph.scalar(1.5, int)

    def test_objects(self):
        graph = TaskGraph()
        state = graph.object(name="state")

        def fill(d):
            d["x"] = [1, 2]

        def grow(d):
            d["x"].append(3)

        graph.task(fill, state)
        graph.task(grow, state)
        graph.run()
        self.assertEqual(state.value, {"x": [1, 2, 3]})

    def test_bound_arrays_are_kept_and_let_go(self):
        class Array(np.ndarray):
            pass

        array = np.zeros(4).view(Array)
        known = weakref.ref(array)
        graph = TaskGraph()
        dat = graph.dat(array)
        graph.task(lambda a: a.fill(1), dat)
        del array
        gc.collect()
        self.assertIsNotNone(known())
        graph.run()
        other = np.zeros(4)
        dat.bind(other)
        gc.collect()
        self.assertIsNone(known())
        graph.run()
        self.assertEqual(other.sum(), 4)
        dat.unbind()
        graph.run()
        self.assertEqual(dat.array.sum(), 4)
        for wrong in (np.zeros(5), np.zeros(4, "f4"), np.zeros((2, 2))):
            with self.assertRaises(ValueError):
                dat.bind(wrong)
        with self.assertRaises(TypeError):
            dat.bind([1, 2, 3, 4])

    def test_an_array_may_not_move(self):
        array = np.zeros(4)
        graph = TaskGraph()
        dat = graph.dat(array)
        graph.task(lambda a: a.fill(1), dat)
        graph.run()
        array.resize(1000000, refcheck=False)
        with self.assertRaisesRegex(sluice.RunError, "bind it again"):
            graph.run()

    def test_read_only_arrays(self):
        x = np.arange(4.0)
        x.flags.writeable = False
        y = np.zeros(4)
        graph = TaskGraph()
        a, b = graph.dat(x, name="a"), graph.dat(y)
        graph.task(lambda a, b: b.__setitem__(slice(None), a), in_(a), out(b))
        graph.run()
        np.testing.assert_array_equal(y, x)
        graph.task(CKernel("add_one", KERNELS), a, name="writer")
        with self.assertRaisesRegex(sluice.RunError,
                                    "read-only, but task 'writer' writes it"):
            graph.run()
        np.testing.assert_array_equal(x, np.arange(4.0))

    def test_arrays_that_share_memory(self):
        x = np.zeros(10)
        graph = TaskGraph()
        a, b = graph.dat(x[:6], name="a"), graph.dat(x[5:], name="b")
        graph.task(CKernel("total", KERNELS), in_(a),
                   out(graph.ref(graph.scalar())))
        graph.task(CKernel("total", KERNELS), in_(b),
                   out(graph.ref(graph.scalar())))
        graph.run()  # both are only read
        graph.task(CKernel("add_one", KERNELS), b)
        with self.assertRaisesRegex(sluice.RunError,
                                    "'a' and 'b' share memory"):
            graph.run()
        self.assertEqual(x.sum(), 0)
        b.bind(x[5:].copy())
        graph.run()

    def test_checked_runs_use_copies(self):
        x = np.arange(5.0)
        graph = TaskGraph()
        graph.task(CKernel("add_one", KERNELS), graph.dat(x))
        graph.run(check=True)
        np.testing.assert_array_equal(x, np.arange(5.0) + 1)
        graph = TaskGraph()
        graph.task(CKernel("out_of_bounds", KERNELS), graph.dat(x, name="x"))
        with self.assertRaisesRegex(sluice.RunError, "right behind the end of 'x'"):
            graph.run(check=True)


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
        # A part of a page has no declaration and no type of document.
        self.assertTrue(graph._repr_svg_().startswith("<svg"))
        page = graph.explore()
        self.assertIn("<iframe", page._repr_html_())
        self.assertIn("numbers", page.text)
        self.assertIn("1 tasks", repr(graph))


if __name__ == "__main__":
    unittest.main()
