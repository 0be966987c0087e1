"""What functions of tasks over regions get: the task, and parts of arrays."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import operator
import reprlib

import numpy

import sluice_tasks


class Task:
    """The task that runs: its point in the launch, and the launch's extents;
    both are empty for a single task."""

    __slots__ = ("extent", "point")

    def __init__(self, point, extent):
        self.point, self.extent = point, extent

    def __repr__(self):
        return f"<Task at point {self.point} of {self.extent}>"


class Part:
    """The elements of a root that a task accesses.

    ``part["field"]`` is the array of a field. A box, ``is_box``, has arrays of
    its shape; other parts have one dimension, with the elements in the order of
    the root. Fields of vectors have one dimension more. ``lower`` and ``upper``
    are the box around the elements, ``extent`` is the shape of the root.
    """

    def __init__(self, name, lower, upper, extent, runs, fields):
        self.name, self.lower, self.upper = name, lower, upper
        self.extent = extent
        self._runs = None if runs is None else \
            numpy.frombuffer(runs, numpy.int64).reshape(-1, 2)
        self._fields = {field: numpy.asarray(view)
                        for field, view in fields.items()}

    def __getitem__(self, field):
        try:
            return self._fields[field]
        except KeyError:
            raise KeyError(f"'{self.name}' has no field {field!r} here, but "
                           f"{', '.join(self._fields)}") from None

    def __setitem__(self, field, values):
        """``part["field"] += 1`` assigns the array itself."""
        if values is not self[field]:
            self[field][...] = values

    def __iter__(self):
        return iter(self._fields)

    def __len__(self):
        """The number of elements."""
        if self._runs is not None:
            return int((self._runs[:, 1] - self._runs[:, 0]).sum())
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    def __repr__(self):
        return (f"<Part '{self.name}' from {self.lower} to {self.upper}: "
                f"{', '.join(self._fields)}>")

    @property
    def is_box(self):
        return self._runs is None

    @property
    def shape(self):
        """The shape of arrays of numbers."""
        if self._runs is not None:
            return (len(self),)
        return tuple(map(int.__sub__, self.upper, self.lower))

    @functools.cached_property
    def _spans(self):
        """If this is no box: where its runs begin and end in the root, and how
        many elements are before each."""
        begins, ends = self._runs.T.copy()
        sizes = ends - begins
        return begins, ends, numpy.cumsum(sizes) - sizes

    @functools.cached_property
    def _positions(self):
        """The places of elements in the root, ascending, if this is no box."""
        begins, ends, before = self._spans
        sizes = ends - begins
        return numpy.repeat(begins - before, sizes) + numpy.arange(sizes.sum())

    @property
    def points(self):
        """The coordinates of all elements: an array of ``shape`` for each
        dimension of the root."""
        if self._runs is not None:
            return numpy.unravel_index(self._positions, self.extent)
        return tuple(numpy.indices(self.shape)
                     + numpy.reshape(self.lower,
                                     (-1,) + (1,) * len(self.shape)))

    def index(self, *coordinates):
        """The index of elements, given by their coordinates in the root, in the
        arrays of this part. An IndexError if one is not in it."""
        if len(coordinates) != len(self.lower):
            raise TypeError(f"elements of '{self.name}' have "
                            f"{len(self.lower)} coordinates, not "
                            f"{len(coordinates)}")
        given = [numpy.asarray(numbers) for numbers in coordinates]
        for numbers in given:
            if numbers.dtype.kind not in "iu":
                raise TypeError(f"a coordinate is a whole number, not of type "
                                f"{numbers.dtype}")
        given = numpy.broadcast_arrays(*(
            numbers.astype(numpy.int64, copy=False) for numbers in given))
        outside = numpy.zeros(given[0].shape, bool)
        for numbers, lower, upper in zip(given, self.lower, self.upper):
            outside |= (numbers < lower) | (numbers >= upper)
        if self._runs is None:
            self._check(outside, given)
            return tuple(numbers - lower
                         for numbers, lower in zip(given, self.lower))
        self._check(outside, given)
        begins, ends, before = self._spans
        wanted = numpy.ravel_multi_index(given, self.extent)
        run = numpy.searchsorted(begins, wanted, "right") - 1
        self._check((run < 0) | (wanted >= ends[run]), given)
        return wanted + (before - begins)[run]

    def _check(self, outside, coordinates):
        if not outside.any():
            return
        first = tuple(int(numbers[outside].flat[0]) for numbers in coordinates)
        text = first[0] if len(first) == 1 else first
        raise IndexError(f"element {text} is not in '{self.name}'")

    def window(self, part, *shift):
        """Slices of this box's arrays: the elements of another box, moved by
        ``shift``, which must all be here."""
        if not (self.is_box and part.is_box):
            raise ValueError(f"'{(part if self.is_box else self).name}' is no "
                             "box: use index")
        shift = shift or (0,) * len(self.lower)
        if not len(shift) == len(part.lower) == len(self.lower):
            raise TypeError(f"'{self.name}' has {len(self.lower)} dimensions")
        slices = []
        for lower, upper, begin, end, by in zip(
                self.lower, self.upper, part.lower, part.upper, shift):
            if begin < end and not lower <= begin + by <= end + by <= upper:
                raise IndexError(f"'{part.name}', moved by {shift}, is not in "
                                 f"'{self.name}'")
            slices.append(slice(begin + by - lower, end + by - lower))
        return tuple(slices)


class Elements:
    """Collects the elements of a color, by their places in the root: rows one
    after another, so that ``numpy.ravel_multi_index((i, j), elements.extent)``
    are the places of elements (i, j)."""

    def __init__(self, colors, extent, collected):
        self.colors = colors  #: how many there are, for each dimension
        self.extent = extent  #: the shape of the root
        self._collected = collected

    def __repr__(self):
        return f"<Elements of {self.extent}>"

    def add(self, places, end=None):
        """Adds an array of places, or ``add(begin, end)`` all places from
        ``begin`` up to ``end``. In any order; duplicates count once."""
        if self._collected is None:
            raise ValueError("the color has its elements already: add them "
                             "before the function returns")
        if end is not None:
            runs = numpy.array([[operator.index(places), operator.index(end)]],
                               numpy.int64)
        else:
            places = numpy.asarray(places)
            if places.size and places.dtype.kind not in "iu":
                raise TypeError(f"the place of an element is a whole number, "
                                f"not of type {places.dtype}")
            if places.size and places.max() > numpy.iinfo(numpy.int64).max - 1:
                raise OverflowError(f"there is no element {places.max()}")
            places = numpy.unique(places.astype(numpy.int64))
            is_first = numpy.ones(len(places) + 1, bool)
            is_first[1:-1] = numpy.diff(places) != 1
            runs = numpy.stack([places[is_first[:-1]],
                                places[is_first[1:]] + 1], axis=1)
        self._collected.append(runs.tobytes())


def _argument(value):
    return Part(*value) if isinstance(value, tuple) else value


def _refuse(value, expected):
    raise sluice_tasks.TaskError(
        f"the function returned {reprlib.repr(value)} of type "
        f"{type(value).__name__}, expected {expected}")


def _store(result, value):
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, numpy.bool_):
        value = bool(value)
    place = numpy.asarray(result)
    try:
        result[()] = value
        is_held = not numpy.isinf(place) or numpy.isinf(float(value))
    except (TypeError, ValueError):
        is_held = False
    if not is_held:
        _refuse(value, f"a number of type {place.dtype}")


def call(function, point, extent, arguments, result):
    """Calls the function; ``result`` is a place for its number, or None."""
    value = function(Task(point, extent), *map(_argument, arguments))
    if result is not None:
        _store(result, value)
    elif value is not None:
        _refuse(value, "None")


def color(function, at, colors, extent, collected):
    """Calls the function of a coloring for one color."""
    elements = Elements(colors, extent, collected)
    try:
        value = function(at, elements)
    finally:
        elements._collected = None
    if value is not None:
        _refuse(value, "None; elements.add takes the elements of a color")
