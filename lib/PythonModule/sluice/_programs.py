"""Programs in other languages, launched with arrays of NumPy."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import threading
from collections import OrderedDict

import numpy

from ._graphs import TaskGraph
from ._kernels import HPVMKernel, words_of
from ._regions import RegionProgram
from ._show import show
from ._workers import check_workers, is_in_task
from ._values import check_array, in_, inout

_KEPT = 32  # compiled graphs per program


class Program:
    """An HPVM graph of a file in C, C++, LLVM IR or the dialect ``dfg``; made
    by :func:`load`.

    Calling it launches the graph and waits for it: an array is a pointer and
    its size in bytes, a number its value. Arrays are used where they are.
    """

    def __init__(self, root, source, tasks, flags, options):
        self.root = root
        self.source = source
        self.tasks = tasks
        self.flags = flags
        self.options = options
        self._graphs = OrderedDict()
        self._lock = threading.RLock()

    def __repr__(self):
        return f"<Program '{self.root}' of {self.source}>"

    def _repr_svg_(self):
        return show(self.source)._repr_svg_()

    def __call__(self, *arguments):
        """Launches the graph and waits for its end. A read-only array is for
        inputs that the graph does not write."""
        # A task that waited here might block the worker that the other launch
        # needs.
        if not self._lock.acquire(blocking=not is_in_task()):
            Program(self.root, self.source, self.tasks, self.flags,
                    self.options)(*arguments)
            return
        try:
            graph, dats = self._graph_for(arguments)
            try:
                for dat, argument in zip(dats, arguments):
                    if dat is not None:
                        dat.bind(_array_of(argument))
                graph.run(**self.options)
            finally:
                # The arrays belong to the caller again.
                for dat in filter(None, dats):
                    dat._bound = None
        finally:
            self._lock.release()

    def _graph_for(self, arguments):
        """A graph for arrays of such shapes and for such numbers."""
        key = tuple(map(_key_of, arguments))
        found = self._graphs.get(key)
        if found:
            self._graphs.move_to_end(key)
            return found
        graph = TaskGraph(_name_of(self.root))
        dats, uses = [], []
        for argument in arguments:
            array = _array_of(argument)
            if array is None:
                dats.append(None)
                uses.append(graph.scalar(argument))
                continue
            dats.append(graph.dat(array))
            uses.append(inout(dats[-1]) if array.flags.writeable
                        else in_(dats[-1]))
        for path in self.tasks:
            graph.kernel_source(path, self.flags)
        graph.task(HPVMKernel(self.root, self.source, self.flags), *uses)
        self._graphs[key] = graph, dats
        if len(self._graphs) > _KEPT:
            self._graphs.popitem(last=False)
        return graph, dats


def load(source, root=None, *, tasks=(), flags=(), **options):
    """A program in another language, to be launched with arrays.

    * ``load("saxpy.c", "root")(2.0, x, y)``: the graph whose root is the
      function ``root`` of an HPVM program in C, C++ or LLVM IR (.c, .cpp, .ll,
      .bc), a :class:`Program`.
    * ``load("graph.mlir", "root", tasks="leaves.ll")``: the same of a graph in
      the dialect ``dfg``; ``tasks`` are files with code of its leaves, if it
      does not stand in the .mlir file.
    * ``load("halo.mlir", tasks="halo.cpp")``, without a root: a program over
      regions, a :class:`RegionProgram`; ``tasks`` are the sources of its tasks,
      in C, C++ or LLVM IR, objects and libraries.

    ``flags`` are the compiler's, ``options`` those of :meth:`TaskGraph.run`; a
    program over regions has ``workers`` only. What is wrong with the program is
    said when it is first needed."""
    path = _existing(source)
    words = tuple(words_of(flags))
    if isinstance(tasks, (str, bytes, os.PathLike)):
        tasks = [tasks]
    tasks = tuple(map(_existing, tasks))
    is_module = path.endswith((".mlir", ".mlirbc"))
    if tasks and not is_module:
        raise TypeError(f"'{source}' has the code of its leaves; tasks are for "
                        "modules (.mlir), so what the program includes or links "
                        "is said by its text and by flags")
    if root is not None:
        return Program(root, path, tasks, words, options)
    if not is_module:
        raise TypeError(f"which graph of '{source}' is meant is said by the "
                        "function that is its root: load(file, 'root')")
    workers = options.pop("workers", 0)
    if options:
        raise TypeError(f"a program over regions has no option "
                        f"'{next(iter(options))}', but workers")
    return RegionProgram(path, tasks, words, check_workers(workers))


def _existing(file):
    path = os.path.abspath(os.fspath(file))
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no program '{path}'")
    return path


def _name_of(root):
    return "".join(c if c.isalnum() or c in "_-" else "_" for c in root)


def _array_of(argument):
    """The array of an argument, or None for a number."""
    if isinstance(argument, numpy.ndarray):
        check_array(argument)
        return argument
    if isinstance(argument, (bool, int, float, numpy.number)):
        return None
    raise TypeError(f"expected arrays and numbers, but got "
                    f"{type(argument).__name__}")


def _key_of(argument):
    array = _array_of(argument)
    if array is None:
        number = numpy.asarray(argument)
        return "number", number.dtype.str, number.tobytes()
    return (array.dtype.str, array.shape, bool(array.flags.writeable))
