"""Layouts of data: fields of structs, faces of arrays, derived datatypes of
MPI; packed into a buffer and back by code made for them.

    face = numpy.zeros((64, 64, 64))[:, :, 0]
    layout = sluice.pack.of(face)
    buffer = layout.pack(face)
    layout.unpack(buffer, face)

docs/pack.md has the text form of layouts.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy

from . import _core
from ._show import embedded, run_tool, temporary

_NUMBERS = {"i": "int", "u": "uint"}


def _type(core):
    layout = Layout.__new__(Layout)
    layout._core = core
    core.commit()
    return layout


class Layout:
    """Where the bytes of a piece of data lie, from the address of its place 0
    on. ``Layout(text)`` reads the text form."""

    def __init__(self, text):
        self._core = _core.Layout.from_text(text)
        self._core.commit()

    # ===-- Questions -------------------------------------------------------===

    @property
    def text(self):
        """The text form, which reads back as the same layout."""
        return self._core.text()

    @property
    def size(self):
        """The bytes of an instance when it is packed."""
        return self._core.size()

    @property
    def extent(self):
        """The distance in bytes from an instance to the next."""
        return self._core.extent()[1]

    @property
    def lower_bound(self):
        """Where an instance begins, in bytes from its place 0."""
        return self._core.extent()[0]

    @property
    def true_extent(self):
        """The first byte that belongs to an instance, and how many there are
        from it to the last one."""
        return self._core.true_extent()

    @property
    def kernel(self):
        """What packs the layout now."""
        return self._core.kernel()

    def __repr__(self):
        text = self.text
        return f"Layout('{text if len(text) < 200 else text[:197] + '...'}')"

    def _repr_svg_(self):
        with temporary(".svg") as path:
            with open(path + ".ddt", "w", encoding="utf-8") as file:
                file.write(self.text)
            run_tool("pack", "@" + path + ".ddt", "--draw=" + path)
            with open(path, encoding="utf-8") as file:
                return embedded(file.read())

    # ===-- Packing ---------------------------------------------------------===

    def compile(self):
        """Compiles the layout's own code now, instead of after some use."""
        self._core.compile()
        return self

    def _range(self, array, count):
        """The address of place 0, if all bytes of `count` instances lie in the
        array."""
        if count < 0:
            raise ValueError(f"the count is {count}")
        first, bytes_ = self.true_extent
        address = array.ctypes.data
        if not count or not self.size:
            return address
        reach = sorted((first, first + (count - 1) * self.extent))
        begin, end = address + reach[0], address + reach[1] + bytes_
        low, high = numpy.byte_bounds(array)
        if begin < low or end > high:
            raise ValueError(
                f"{count} instances reach from byte {begin - address} to byte "
                f"{end - address}, but the array has those from "
                f"{low - address} to {high - address}")
        return address

    def pack(self, source, count=1, out=None):
        """Packs ``count`` instances, whose place 0 is the first element of
        ``source``, into ``out`` or a new array of bytes; returns that."""
        source = _array(source)
        place = self._range(source, count)
        size = self.size * count
        if out is None:
            buffer = out = numpy.empty(size, numpy.uint8)
        else:
            buffer = _buffer(out, size, is_written=True)
        _refuse_overlap(source, buffer, size)
        if size:
            self._core.pack(place, count, buffer.ctypes.data)
        return out

    def unpack(self, packed, target, count=1):
        """Unpacks ``count`` instances to ``target``, whose first element is
        their place 0; returns that."""
        array = _array(target)
        if not array.flags.writeable:
            raise ValueError("the target is read-only")
        place = self._range(array, count)
        size = self.size * count
        buffer = _buffer(packed, size, is_written=False)
        _refuse_overlap(array, buffer, size)
        if size:
            self._core.unpack(buffer.ctypes.data, place, count)
        return target

    # ===-- MPI -------------------------------------------------------------===

    def to_mpi(self):
        """The layout as a committed datatype of mpi4py, which the caller
        frees."""
        from . import _mpi
        return _mpi.datatype_of(self._core)


def _array(data):
    if not isinstance(data, numpy.ndarray):
        return numpy.frombuffer(data, numpy.uint8)
    if data.dtype.hasobject:
        raise TypeError("objects of Python are no bytes to be packed")
    return data


def _buffer(data, size, is_written):
    array = _array(data)
    if not array.flags.c_contiguous:
        raise ValueError("the buffer has gaps")
    if array.nbytes < size:
        raise ValueError(f"the buffer has {array.nbytes} bytes, but "
                         f"{size} are needed")
    if is_written and not array.flags.writeable:
        raise ValueError("the buffer is read-only")
    return array


def _refuse_overlap(array, buffer, size):
    if size and numpy.may_share_memory(array, buffer):
        low, high = numpy.byte_bounds(array)
        begin = buffer.ctypes.data
        if begin < high and low < begin + size:
            raise ValueError("the buffer and the data share memory")


# ===-- NumPy ---------------------------------------------------------------===

def of(array):
    """The layout of an array's elements as they lie in memory, in the order
    of its indices; place 0 is its first element."""
    array = numpy.asarray(array)
    core = _element(array.dtype)
    for extent, stride in zip(reversed(array.shape), reversed(array.strides)):
        core = _core.Layout.hvector(extent, 1, stride, core)
    return _type(core)


def of_dtype(dtype):
    """The layout of one element of a NumPy dtype: of a structured one the
    fields, without the gaps between them."""
    return _type(_element(numpy.dtype(dtype)))


def _element(dtype):
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return _core.Layout.contiguous(int(numpy.prod(shape)), _element(base))
    if dtype.hasobject:
        raise TypeError(f"{dtype} holds Python objects, which cannot be packed")
    if dtype.names is not None:
        fields = [dtype.fields[name][:2] for name in dtype.names]
        core = _core.Layout.struct([1] * len(fields),
                                   [offset for _, offset in fields],
                                   [_element(field) for field, _ in fields])
        return _core.Layout.resized(core, 0, dtype.itemsize)
    return _core.Layout.from_text(_basic(dtype))


def _basic(dtype):
    """A basic type, which has the size of the element, or bytes."""
    size = dtype.itemsize
    if dtype.kind in _NUMBERS:
        return f"{_NUMBERS[dtype.kind]}{8 * size}"
    names = {("b", 1): "bool", ("f", 4): "float", ("f", 8): "double",
             ("f", 16): "long_double", ("c", 8): "float_complex",
             ("c", 16): "double_complex", ("c", 32): "long_double_complex",
             ("m", 8): "int64", ("M", 8): "int64", ("f", 2): "uint16"}
    return names.get((dtype.kind, size), f"ctg({size})[byte]")


# ===-- Constructors --------------------------------------------------------===

def _base(layout):
    if not isinstance(layout, Layout):
        layout = of_dtype(layout)
    return layout._core


def contiguous(count, base):
    """``count`` instances of a layout or dtype, one after another."""
    return _type(_core.Layout.contiguous(count, _base(base)))


def vector(count, length, stride, base):
    """``count`` blocks of ``length`` instances, begun every ``stride``."""
    return _type(_core.Layout.vector(count, length, stride, _base(base)))


def hvector(count, length, stride, base):
    """The same with the stride in bytes."""
    return _type(_core.Layout.hvector(count, length, stride, _base(base)))


def indexed(lengths, places, base):
    """Blocks of ``lengths`` instances at ``places``, in instances."""
    return _type(_core.Layout.indexed(list(lengths), list(places), _base(base),
                                      False))


def hindexed(lengths, places, base):
    """The same with places in bytes."""
    return _type(_core.Layout.indexed(list(lengths), list(places), _base(base),
                                      True))


def struct(lengths, places, bases):
    """Blocks of instances of different layouts, at places in bytes."""
    return _type(_core.Layout.struct(list(lengths), list(places),
                                     [_base(base) for base in bases]))


def subarray(sizes, parts, starts, base, order="C"):
    """A part of an array of ``sizes``: ``parts`` elements from ``starts`` on,
    in C's or Fortran's ("F") order of dimensions."""
    if order not in ("C", "F"):
        raise ValueError(f"the order is {order!r}, expected 'C' or 'F'")
    return _type(_core.Layout.subarray(list(sizes), list(parts), list(starts),
                                       order == "F", _base(base)))


def resized(base, lower_bound, extent):
    """The layout with other bounds."""
    return _type(_core.Layout.resized(_base(base), lower_bound, extent))


def from_mpi(datatype):
    """The layout of a datatype of mpi4py."""
    from . import _mpi
    return _type(_mpi.layout_of(datatype))
