"""Datasets: what the tasks of a graph share."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy

from ._errors import RunError, place

_KINDS = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8)}


def element_of(dtype):
    """The kind of an element and its bytes; refuses what kernels cannot take.
    """
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        raise TypeError("kernels have no truth values: use "
                        "array.view(numpy.uint8)")
    if dtype.kind == "c":
        raise TypeError(f"kernels have no complex numbers ({dtype}): use "
                        "array.view(float) with one dimension more")
    if dtype.itemsize not in _KINDS.get(dtype.kind, ()):
        raise TypeError(f"kernels have no elements of type {dtype}: expected "
                        "integers of 1, 2, 4 or 8 bytes, or float32 or "
                        "float64")
    if not dtype.isnative:
        raise TypeError(f"the bytes of {dtype.str} are in the other order; use "
                        "array.astype(array.dtype.newbyteorder('='))")
    return dtype.kind, dtype.itemsize


def check_name(name):
    """Names are part of messages and pictures."""
    if not isinstance(name, str):
        raise TypeError(f"a name is a text, but got {name!r}")


def check_array(array):
    """Refuses what cannot be used as it lies in memory."""
    element_of(array.dtype)
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("tasks do not know masks: use array.data or "
                        "array.filled(value)")
    if array.ndim == 0:
        raise ValueError("a dataset has at least one dimension: use "
                         "array.reshape(1), or a scalar")
    if not array.size:
        raise ValueError(f"the array of shape {array.shape} has no elements")
    if not array.flags.c_contiguous:
        raise ValueError(
            "the array has gaps or another order of dimensions, so its memory "
            "is not that of a dataset: use numpy.ascontiguousarray(array), or "
            "a part of the dataset of the whole array: dat[1:, ::2]")
    if not array.flags.aligned:
        raise ValueError("the array is not aligned to its elements: use "
                         "array.copy()")


class Value:
    """Something that tasks use; made by the functions of a graph."""

    def __init__(self, graph, handle, name=""):
        self._graph = graph
        self._handle = handle
        self._name = ""
        if name:
            self.name = name

    @property
    def graph(self):
        """The graph it belongs to."""
        return self._graph

    @property
    def name(self):
        """The name in messages and pictures; "" unless one was given."""
        return self._name

    @name.setter
    def name(self, name):
        with self._graph._changing():
            self._graph._core.set_name(self._handle, name)
        self._name = name


class Dat(Value):
    """An array, row-major."""

    def __init__(self, graph, handle, shape, dtype, name=""):
        super().__init__(graph, handle, name)
        self._shape = tuple(shape)
        self._dtype = numpy.dtype(dtype)
        self._bound = None  # the array it lies in
        self._address = 0

    @property
    def shape(self):
        """The extents, the slowest first."""
        return self._shape

    @property
    def dtype(self):
        """NumPy's type of the elements."""
        return self._dtype

    def __repr__(self):
        name = f" '{self.name}'" if self.name else ""
        return f"<Dat{name} {self.shape} {self.dtype}>"

    def bind(self, array):
        """Has the dataset lie in ``array`` from now on: runs begin with what is
        there, and leave there what tasks write. Nothing is copied, and the
        array is kept. A read-only array is for datasets that no task writes.
        """
        if not isinstance(array, numpy.ndarray):
            raise TypeError(f"expected a numpy.ndarray, but got "
                            f"{type(array).__name__}")
        check_array(array)
        if array.dtype != self.dtype or array.shape != self.shape:
            raise ValueError(
                f"the dataset has the shape {self.shape} of {self.dtype}, but "
                f"the array has {array.shape} of {array.dtype}")
        with self._graph._changing():
            self._graph._core.bind(self._handle, array, place())
            self._set_bound(array)
        return self

    def _set_bound(self, array):
        self._bound, self._address = array, array.ctypes.data
        self._graph._kept[id(self)] = self

    def unbind(self):
        """Has the dataset lie in memory of the graph again, as zeros."""
        with self._graph._changing():
            self._graph._core.unbind(self._handle, place())
            self._bound = None
        return self

    def set(self, values):
        """Sets what all later runs begin with, if the dataset is not bound:
        the values are copied."""
        values = numpy.ascontiguousarray(
            numpy.broadcast_to(numpy.asarray(values), self.shape))
        if values.dtype.kind in "iub" and self.dtype.kind in "iu":
            converted = values.astype(self.dtype)
            wrong = (converted != values) | ((converted < 0) != (values < 0))
            if wrong.any():
                raise OverflowError(f"{self.dtype} does not hold "
                                    f"{values[wrong][0]}")
        else:
            converted = values.astype(self.dtype, casting="same_kind")
        with self._graph._changing():
            self._graph._core.write(self._handle, converted, place())
        return self

    @property
    def array(self):
        """What the last run left, without a copy.

        The array that is bound; or else one that cannot be written, and that
        later runs of the graph change. Raises RunError before the first run.
        """
        if self._bound is not None:
            return self._bound
        with self._graph._changing():
            memory = self._graph._core.memory(self._handle, self.dtype,
                                              self.shape)
            # The array may outlive this object, and also shows the results of
            # later runs.
            self._graph._kept[id(self)] = self
            return memory

    def __array__(self, dtype=None):
        return numpy.asarray(self.array, dtype)

    def __getitem__(self, ranges):
        """A part of the dataset, which shares its memory: a slice for each
        dimension, the rest whole. Tasks on parts without a common element may
        run at the same time."""
        return self._part(ranges, place())

    def _part(self, ranges, where):
        ranges = ranges if isinstance(ranges, tuple) else (ranges,)
        if len(ranges) - ranges.count(Ellipsis) > len(self.shape):
            raise IndexError(f"{len(ranges)} ranges for a dataset of "
                             f"{len(self.shape)} dimensions")
        parts, shape = [], []
        for extent, entry in zip(self.shape, _filled(ranges, self.shape)):
            if not isinstance(entry, slice):
                raise TypeError(f"expected a slice for each dimension, but got "
                                f"{entry!r}: parts keep all dimensions, so "
                                "element 2 is 2:3")
            begin, end, step = entry.indices(extent)
            if step < 1:
                raise ValueError(f"the step {step} is not positive")
            parts.append((begin, end, step))
            shape.append(len(range(begin, end, step)))
        with self._graph._changing():
            handle = self._graph._core.part(self._handle, parts, where)
        return Part(self._graph, handle, self, shape, parts)


def _filled(ranges, shape):
    if Ellipsis in ranges:
        index = ranges.index(Ellipsis)
        missing = max(0, len(shape) - len(ranges) + 1)
        ranges = (*ranges[:index], *[slice(None)] * missing,
                  *ranges[index + 1:])
    return (*ranges, *[slice(None)] * (len(shape) - len(ranges)))


class Part(Dat):
    """A part of an array, which shares the memory."""

    def __init__(self, graph, handle, base, shape, ranges):
        super().__init__(graph, handle, shape, base.dtype)
        self._base = base
        self._ranges = tuple(slice(*entry) for entry in ranges)

    def bind(self, array):
        """Refused: bind the whole dataset."""
        raise RunError("a part has no memory of its own; bind the whole "
                       "dataset")

    def unbind(self):
        """Refused: unbind the whole dataset."""
        raise RunError("a part has no memory of its own")

    @property
    def array(self):
        """The part of its dataset's array."""
        return self._base.array[self._ranges]


def bits_of(value, dtype):
    """The bits of an integer that fits."""
    number = int(value)
    if number != value:
        raise ValueError(f"{value!r} is no integer")
    info = numpy.iinfo(dtype)
    if not info.min <= number <= info.max:
        raise OverflowError(f"{dtype} holds {info.min} to {info.max}, not "
                            f"{number}")
    return number % 2**64


class Scalar(Value):
    """One number, passed by value."""

    def __init__(self, graph, handle, dtype, name=""):
        super().__init__(graph, handle, name)
        self.dtype = numpy.dtype(dtype)

    @property
    def value(self):
        """What the last run left."""
        with self._graph._changing():
            return self._graph._core.read_scalar(self._handle,
                                                 self.dtype.kind == "u")

    def set(self, value):
        """Sets the number that all later runs begin with."""
        with self._graph._changing():
            if self.dtype.kind == "f":
                self._graph._core.write_float(self._handle, float(value),
                                              place())
            else:
                self._graph._core.write_int(
                    self._handle, bits_of(value, self.dtype),
                    self.dtype.kind == "u", place())
        return self


class Reference(Value):
    """A number, passed by reference: tasks may write it."""

    def __init__(self, graph, handle, scalar):
        super().__init__(graph, handle)
        self.scalar = scalar

    @property
    def value(self):
        """What the last run left."""
        return self.scalar.value


class Object(Value):
    """A dictionary for Python tasks and forms."""

    @property
    def value(self):
        """The dictionary that the last run left."""
        with self._graph._changing():
            return self._graph._core.read_object(self._handle)


class Use:
    """A value, and what a task does with it."""

    def __init__(self, value, mode):
        if not isinstance(value, Value):
            raise TypeError(f"expected a value of a graph, but got "
                            f"{type(value).__name__}")
        self.value = value
        self.mode = mode


def in_(value):
    """The task only reads ``value``."""
    return Use(value, "in")


def out(value):
    """The task writes every element of ``value`` before it reads any."""
    return Use(value, "out")


def inout(value):
    """The task reads and writes ``value``, as it does without a word."""
    return Use(value, "inout")
