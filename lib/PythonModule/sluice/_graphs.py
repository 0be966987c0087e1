"""Task graphs: datasets, tasks, and running them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import operator
import os
import threading
import weakref

import numpy

from . import _core, _kernels, _show, _workers
from ._errors import CompileError, RunError, place, run_error, tell
from ._values import (Dat, Object, Reference, Scalar, Use, Value, bits_of, check_array,
                      check_name, element_of)


class Task:
    """A kernel with its arguments; made by :meth:`TaskGraph.task`."""

    def __init__(self, graph, handle, kind):
        self._graph = graph
        self._handle = handle
        self._kind = kind

    def _set(self, what, *arguments, kind=None):
        if kind and self._kind != kind:
            raise TypeError(f"only {kind} tasks have '{what}'")
        with self._graph._changing():
            getattr(self._handle, what)(*arguments)
        return self

    def named(self, name):
        """Sets the name in messages, traces and pictures."""
        return self._set("set_name", name)

    def writes_file(self, path):
        """Says that the task writes a file: it is ordered like data, and
        removed if the task fails."""
        return self._set("writes_file", os.fspath(path))

    def reads_file(self, path):
        """Says that the task reads a file."""
        return self._set("reads_file", os.fspath(path))

    def independent(self):
        """Says that what the task's function keeps outside of its arguments
        does not order the task: a Python task may run before those that were
        created before it, a C task beside others that use its variables."""
        return self._set("independent")

    def variant(self, **parameters):
        """Adds another setting of a Halide generator's parameters, for
        :meth:`TaskGraph.tune` to try."""
        return self._set("add_variant", _texts(parameters), place(),
                         kind="Halide")

    def replicate(self, *extents):
        """Runs a C kernel for every point of a grid of one to three
        dimensions at once."""
        return self._set("replicate", list(extents), place(), kind="C")

    def needs_contiguous(self):
        """Parts are passed to a C kernel without gaps."""
        return self._set("needs_contiguous", kind="C")

    def returns_status(self):
        """Other results of a C kernel than 0 are errors."""
        return self._set("returns_status", kind="C")

    def takes_large_sizes(self):
        """A C kernel whose declaration is not known takes ``int64_t``."""
        return self._set("takes_large_sizes", kind="C")

    def takes_any_sign(self):
        """A C kernel reads integers as those of the other sign on purpose."""
        return self._set("takes_any_sign", kind="C")


def _texts(parameters):
    return {name: _kernels.text_of(value)
            for name, value in parameters.items()}


def _options(**given):
    """What the compiler is asked, from the keyword arguments of a method."""
    options = _core.Options()
    for name, value in given.items():
        if not hasattr(options, name):
            raise TypeError(f"there is no option '{name}'")
        if name == "python_path":
            value = _kernels.path_of(value)
        elif isinstance(value, (list, tuple)):
            value = [os.fspath(entry) for entry in value]
        setattr(options, name, value)
    return options


class TaskGraph:
    """A program: datasets, and tasks in the order in which they are created.

    The results are those of running the tasks one after another in that order,
    whatever runs at the same time. Mistakes are collected, and reported
    together when the graph is checked, run or compiled. One thread at a time
    uses a graph; another one gets a RunError.
    """

    def __init__(self, name="graph"):
        check_name(name)
        self._name = name
        self._core = _core.Graph(name, place())
        self._lock = threading.Lock()
        self._count = 0
        # Values that the program may still read; the results of runs in other
        # values are not kept. First those that lie in arrays, then those that
        # have been read.
        self._results = {}
        self._kept = {}
        self._tasks = []
        self._functions = []  # functions that tasks of this process call
        self._failures = []  # exceptions of functions, in the last run

    @property
    def name(self):
        """The name in messages, traces and pictures."""
        return self._name

    def __repr__(self):
        return (f"<TaskGraph '{self.name}': {len(self._tasks)} tasks over "
                f"{self._count} values>")

    @contextlib.contextmanager
    def _changing(self):
        if not self._lock.acquire(blocking=False):
            raise RunError(f"graph '{self.name}' is in use: by a run, or by "
                           "another thread")
        try:
            yield
        except _core.CompileError as error:
            raise CompileError(str(error)) from None
        except _core.RunError as error:
            raise RunError(str(error)) from None
        finally:
            self._lock.release()

    # ===-- Datasets --------------------------------------------------------===

    def dat(self, values, dtype=None, *, name="", copy=False):
        """A dataset.

        * ``graph.dat(array)`` lies in the NumPy array: runs begin with what is
          there and leave there what tasks write, without a copy. A read-only
          array is for datasets that no task writes.
        * ``graph.dat(array, copy=True)`` begins each run with a copy of what
          the array has now. So do lists.
        * ``graph.dat((rows, columns), dtype)`` has memory of the graph, while
          tasks use it, and begins with zeros.
        """
        where = place()
        check_name(name)
        if dtype is not None:
            if copy or not isinstance(values, (int, numpy.integer, tuple)):
                raise TypeError(
                    "with the type of its elements a dataset gets a shape, an "
                    "integer or a tuple of them; for values of a type: "
                    "dat(numpy.array(values, type))")
            return self._empty_dat(values, dtype, where, name)
        if not isinstance(values, numpy.ndarray):
            if isinstance(values, tuple) and values and all(
                    isinstance(extent, int) for extent in values):
                raise TypeError("the shape of a dataset needs the type of its "
                                f"elements: dat({values}, float)")
            values, copy = numpy.asarray(values), True
        if copy:
            values = numpy.require(values, requirements="CA")
        check_array(values)
        dat = self._empty_dat(values.shape, values.dtype, where, name)
        with self._changing():
            if copy:
                self._core.write(dat._handle, values, where)
            else:
                self._core.bind(dat._handle, values, where)
                dat._set_bound(values)
        return dat

    def _empty_dat(self, shape, dtype, where, name):
        kind, size = element_of(dtype)
        shape = shape if isinstance(shape, tuple) else (shape,)
        shape = tuple(map(operator.index, shape))
        if not shape or min(shape) < 1 or max(shape) > 2**31 - 1:
            raise ValueError(f"the shape is {shape}, expected extents from 1 "
                             "to 2147483647")
        with self._changing():
            handle = self._core.dat(kind, size, list(shape), where)
        return self._add(Dat(self, handle, shape, dtype, name))

    def _add(self, value):
        self._count += 1
        if isinstance(value, (Dat, Object)):
            self._results[self._count] = weakref.ref(value), value._handle
        return value

    def _drop_results(self):
        """Of values that are gone nobody reads what a run leaves."""
        for number in [number for number, (value, _) in self._results.items()
                       if value() is None]:
            self._core.drop(self._results.pop(number)[1])

    def scalar(self, value=None, dtype=None, *, name=""):
        """One number: an integer of 8 to 64 bits or a float of 32 or 64.

        Without ``value`` an integer that a task must write, through
        :meth:`ref`, before another one reads it.
        """
        where = place()
        check_name(name)
        if dtype is None:
            dtype = numpy.float64 if isinstance(
                value, (float, numpy.floating)) else numpy.int64
            dtype = getattr(value, "dtype", dtype)
        dtype = numpy.dtype(dtype)
        kind, size = element_of(dtype)
        with self._changing():
            if kind == "f":
                if value is None:
                    raise TypeError("a floating-point number needs a value")
                handle = self._core.float_scalar(8 * size, float(value), where)
            else:
                handle = self._core.int_scalar(
                    8 * size, None if value is None else bits_of(value, dtype),
                    kind == "u", where)
        return self._add(Scalar(self, handle, dtype, name))

    def ref(self, scalar):
        """The number, passed by reference: reading and writing."""
        if not isinstance(scalar, Scalar):
            raise TypeError("expected a scalar of the graph, but got "
                            f"{type(scalar).__name__}")
        with self._changing():
            handle = self._core.pointer(scalar._handle, place())
        return self._add(Reference(self, handle, scalar))

    def object(self, *, name=""):
        """A dictionary for Python tasks and finite-element forms."""
        with self._changing():
            handle = self._core.object(place())
        return self._add(Object(self, handle, name))

    # ===-- Tasks -----------------------------------------------------------===

    def task(self, kernel, *arguments, after=(), name=""):
        """Adds a task that runs ``kernel`` with ``arguments``: values, or what
        :func:`in_`, :func:`out` and :func:`inout` say of them.

        A kernel is a Python function or something else that can be called,
        which gets NumPy arrays for datasets, numbers for scalars and
        dictionaries for objects, and returns None; or a CKernel, HalideKernel,
        PyKernel, FormKernel or HPVMKernel. The task waits for those before it
        that use the same data, one of them writing, and for those in ``after``.
        """
        where = place()
        check_name(name)
        given = [_given(argument, number) for number, argument
                 in enumerate(arguments)]
        if isinstance(after, Task):
            after = [after]
        before = [_task_handle(task) for task in after]
        with self._changing():
            handle, kind = self._add_task(kernel, given, before, where)
        task = Task(self, handle, kind)
        self._tasks.append(task)
        return task.named(name) if name else task

    def _add_task(self, kernel, given, after, where):
        core = self._core
        if isinstance(kernel, _kernels.CKernel):
            return core.add_c(kernel.function, os.fsencode(kernel.source),
                              _kernels.words_of(kernel.flags), given, after,
                              where), "C"
        if isinstance(kernel, _kernels.HalideKernel):
            return core.add_halide(kernel.generator, _texts(kernel.parameters),
                                   given, after, where), "Halide"
        if isinstance(kernel, _kernels.PyKernel):
            return core.add_python(kernel.module, kernel.function, given,
                                   after, where), "Python"
        if isinstance(kernel, _kernels.FormKernel):
            return core.add_form(kernel.module, kernel.form, given, after,
                                 where), "form"
        if isinstance(kernel, _kernels.HPVMKernel):
            return core.add_hpvm(kernel.root, os.fsencode(kernel.source),
                                 _kernels.words_of(kernel.flags), given, after,
                                 where), "HPVM"
        _kernels.check_call(kernel, len(given))
        call = _kernels.Call(kernel, self._failures)
        self._functions.append(call)
        return core.add_function(_kernels.name_of(kernel), call, given, after,
                                 where), "Python"

    def kernel_source(self, path, flags=()):
        """C, C++, bitcode, an object or a library in which C kernels are looked
        for that name no source themselves."""
        with self._changing():
            self._core.add_source(os.fsencode(path), _kernels.words_of(flags),
                                  place())

    def form_generator(self, module, function):
        """Forms of ``module`` are generated by ``function`` instead of
        ``generate``."""
        with self._changing():
            self._core.add_generator(module, function, place())

    # ===-- Running ---------------------------------------------------------===

    def check(self, *, remarks=False, **options):
        """Finds every mistake, and makes nothing. Raises CompileError."""
        with self._changing():
            self._check_bound()
            tell(self._core.check(_options(remarks=remarks, **options)))

    def run(self, *, workers=0, serial=False, tuned="", check=False,
            remarks=False, fast_float=False, kernel_sources=(),
            kernel_flags=(), link_flags=(), python_path=""):
        """Checks, compiles (once) and runs the graph in this process.

        Raises CompileError or RunError; if a Python function failed, its
        exception is the cause. Other threads of Python run meanwhile.
        ``python_path`` has folders, a list or a text "A:B", in which PyKernel
        and FormKernel look first. Returns the graph.
        """
        self._perform(self._core.run, workers, _options(
            serial=serial, tuned=os.fspath(tuned),
            checked=check, remarks=remarks, fast_float=fast_float,
            kernel_sources=_kernels.words_of(kernel_sources),
            kernel_flags=_kernels.words_of(kernel_flags),
            link_flags=_kernels.words_of(link_flags),
            python_path=python_path))
        return self

    def tune(self, file, **options):
        """Runs the graph with all variants of its Halide tasks, compares and
        times them, and writes the fastest to ``file``, for
        ``run(tuned=file)``."""
        self._perform(
            lambda options: self._core.tune(os.fspath(file), options),
            options.pop("workers", 0), _options(**options))

    def _perform(self, action, workers, options):
        _workers.check_workers(workers)
        with self._changing(), _workers.use(workers, self.name) as count:
            options.workers = count
            self._failures.clear()
            self._check_bound()
            self._drop_results()
            try:
                tell(action(options))
            except _core.RunError as error:
                failed = run_error(str(error), self._failures)
                raise failed from failed.__cause__
            finally:
                self._failures.clear()

    def _check_bound(self):
        """An array may have been given other memory or another shape."""
        for value in self._kept.values():
            array = value._bound
            if array is None:
                continue
            if (array.ctypes.data != value._address
                    or array.shape != value.shape
                    or array.dtype != value.dtype
                    or not array.flags.c_contiguous):
                raise RunError(f"the array of {value!r} has been changed to "
                               "another shape or other memory; bind it again")
            self._core.bind(value._handle, array, place())  # read-only by now?

    def compile(self, output, *, march="", **options):
        """Compiles the graph to the executable ``output``, or to another form
        by its ending: .mlir, .ll, .o, .svg, .dot, .html."""
        with self._changing():
            self._check_bound()
            tell(self._core.compile(os.fspath(output),
                                    _options(march=march, **options)))

    def print_data(self, enable=True):
        """Has runs print every dataset when they have ended."""
        with self._changing():
            self._core.set_print(enable)

    # ===-- Pictures --------------------------------------------------------===

    def _picture(self, ending):
        with _show.temporary(ending) as path:
            self.compile(path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def svg(self):
        """The graph as a picture, the text of an SVG file."""
        return self._picture(".svg")

    def html(self):
        """The graph as a page to explore, the text of an HTML file."""
        return self._picture(".html")

    def explore(self, trace=None):
        """Shows the page to explore in a notebook; with ``trace``, tasks have
        the times of the runs in it."""
        if trace is None:
            return _show.Page(self.html())
        with _show.temporary(".mlir") as path:
            self.compile(path)
            return _show.Page(_show.draw([path], ".html", trace))

    def _repr_svg_(self):
        return _show.embedded(self.svg())


def _given(argument, number):
    if isinstance(argument, Value):
        return argument._handle, ""
    if isinstance(argument, Use):
        return argument.value._handle, argument.mode
    raise TypeError(f"argument {number} is a {type(argument).__name__}, "
                    "expected a value of the graph: graph.dat(array), "
                    "graph.scalar(number), graph.object()")


def _task_handle(task):
    if not isinstance(task, Task):
        raise TypeError(f"expected a task, but got {type(task).__name__}")
    return task._handle
