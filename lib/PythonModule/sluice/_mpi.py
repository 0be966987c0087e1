"""Layouts from and to datatypes of mpi4py, constructor by constructor."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from mpi4py import MPI

from . import _core

# In the order of LPK_Primitivetype: the constants of mpi4py and the names of
# docs/pack.md.
_BASIC = """
CHAR char, SIGNED_CHAR signed_char, UNSIGNED_CHAR unsigned_char, BYTE byte,
WCHAR wchar, SHORT short, UNSIGNED_SHORT unsigned_short, INT int,
UNSIGNED unsigned, LONG long, UNSIGNED_LONG unsigned_long, FLOAT float,
DOUBLE double, LONG_DOUBLE long_double, LONG_LONG long_long,
UNSIGNED_LONG_LONG unsigned_long_long, LONG_LONG long_long, C_BOOL bool,
INT8_T int8, INT16_T int16, INT32_T int32, INT64_T int64, UINT8_T uint8,
UINT16_T uint16, UINT32_T uint32, UINT64_T uint64, AINT aint, COUNT count,
OFFSET offset, C_FLOAT_COMPLEX float_complex, C_DOUBLE_COMPLEX double_complex,
C_LONG_DOUBLE_COMPLEX long_double_complex, PACKED packed,
INTEGER fortran_integer, REAL fortran_real,
DOUBLE_PRECISION fortran_double_precision, COMPLEX fortran_complex,
DOUBLE_COMPLEX fortran_double_complex, LOGICAL fortran_logical,
CHARACTER fortran_character, INTEGER1 integer1, INTEGER2 integer2,
INTEGER4 integer4, INTEGER8 integer8, INTEGER16 integer16, REAL2 real2,
REAL4 real4, REAL8 real8, REAL16 real16, COMPLEX8 complex8,
COMPLEX16 complex16, COMPLEX32 complex32
"""
_NAMES = [tuple(entry.split()) for entry in _BASIC.split(",")]


def _constant(name):
    return getattr(MPI, name, MPI.DATATYPE_NULL)


# ===-- From MPI ------------------------------------------------------------===

def _name_of(datatype):
    for constant, name in _NAMES:
        known = _constant(constant)
        if known != MPI.DATATYPE_NULL and datatype == known:
            return name
    raise TypeError(f"the datatype {datatype.Get_name()!r} has no layout: it "
                    "is a pair for reductions, or one that this MPI has alone")


def _split(values, *counts):
    """Lists of so many values each, which must be all."""
    lists, begin = [], 0
    for count in counts:
        lists.append(list(values[begin:begin + count]))
        begin += count
    return lists


def layout_of(datatype):
    """The layout of a datatype, for this package."""
    if datatype == MPI.DATATYPE_NULL:
        raise ValueError("the datatype is MPI_DATATYPE_NULL")
    *_, combiner = datatype.Get_envelope()
    if combiner == MPI.COMBINER_NAMED:
        return _core.Layout.from_text(_name_of(datatype))
    integers, addresses, types = datatype.Get_contents()
    try:
        bases = [layout_of(base) for base in types]
    finally:
        for base in types:
            if not base.is_predefined:
                base.Free()
    make = _MAKERS.get(combiner)
    if not make:
        raise TypeError("the datatype was made by a constructor that layouts "
                        f"do not have (combiner {combiner})")
    return make(list(integers), list(addresses), bases)


def _indexed(integers, addresses, bases):
    lengths, places = _split(integers[1:], integers[0], integers[0])
    return _core.Layout.indexed(lengths, places, bases[0], False)


def _hindexed(integers, addresses, bases):
    return _core.Layout.indexed(integers[1:], addresses, bases[0], True)


def _indexed_block(integers, addresses, bases):
    count, length, *places = integers
    return _core.Layout.indexed([length] * count, places, bases[0], False)


def _hindexed_block(integers, addresses, bases):
    count, length = integers
    return _core.Layout.indexed([length] * count, addresses, bases[0], True)


def _subarray(integers, addresses, bases):
    count = integers[0]
    sizes, parts, starts = _split(integers[1:], count, count, count)
    return _core.Layout.subarray(sizes, parts, starts,
                                 integers[-1] == MPI.ORDER_FORTRAN, bases[0])


def _darray(integers, addresses, bases):
    size, rank, count = integers[:3]
    extents, kinds, blocks, processes = _split(integers[3:], *[count] * 4)
    words = {MPI.DISTRIBUTE_NONE: "none", MPI.DISTRIBUTE_BLOCK: "block",
             MPI.DISTRIBUTE_CYCLIC: "cyclic"}
    entries = []
    for extent, kind, block, number in zip(extents, kinds, blocks, processes):
        word = words[kind]
        if block != MPI.DISTRIBUTE_DFLT_DARG:
            word += f"({block})"
        entries.append(f"{extent},{word},{number}")
    order = "fortran" if integers[-1] == MPI.ORDER_FORTRAN else "c"
    return _core.Layout.from_text(
        f"darray({order} {size} {rank}: {' '.join(entries)})"
        f"[{bases[0].text()}]")


_MAKERS = {
    MPI.COMBINER_DUP: lambda i, a, b: b[0],
    MPI.COMBINER_CONTIGUOUS:
        lambda i, a, b: _core.Layout.contiguous(i[0], b[0]),
    MPI.COMBINER_VECTOR:
        lambda i, a, b: _core.Layout.vector(i[0], i[1], i[2], b[0]),
    MPI.COMBINER_HVECTOR:
        lambda i, a, b: _core.Layout.hvector(i[0], i[1], a[0], b[0]),
    MPI.COMBINER_INDEXED: _indexed,
    MPI.COMBINER_HINDEXED: _hindexed,
    MPI.COMBINER_INDEXED_BLOCK: _indexed_block,
    MPI.COMBINER_HINDEXED_BLOCK: _hindexed_block,
    MPI.COMBINER_STRUCT: lambda i, a, b: _core.Layout.struct(i[1:], a, b),
    MPI.COMBINER_RESIZED:
        lambda i, a, b: _core.Layout.resized(b[0], a[0], a[1]),
    MPI.COMBINER_SUBARRAY: _subarray,
    MPI.COMBINER_DARRAY: _darray,
}


# ===-- To MPI --------------------------------------------------------------===

def datatype_of(core):
    """A committed datatype with the layout, for this package."""
    made, is_basic = _build(core)
    return (made.Dup() if is_basic else made).Commit()


def _build(core):
    """A datatype, and whether it belongs to MPI."""
    combiner, integers, addresses, layouts = core.contents()
    if combiner == 0:  # a basic type
        constant, name = _NAMES[integers[0]]
        found = _constant(constant)
        if found == MPI.DATATYPE_NULL:
            raise TypeError(f"this MPI has no type for '{name}'")
        return found, True
    bases = []
    try:
        for layout in layouts:
            bases.append(_build(layout))
        return _create(combiner, integers, addresses,
                       [base for base, _ in bases]), False
    finally:
        for base, is_basic in bases:
            if not is_basic:
                base.Free()


def _create(combiner, integers, addresses, bases):
    """As the combiners of <sluice-c/Pack.h> count."""
    base, i, a = bases[0] if bases else None, integers, addresses
    if combiner == 1:
        return base.Create_contiguous(i[0])
    if combiner == 2:
        return base.Create_vector(i[0], i[1], i[2])
    if combiner == 3:
        # MPI_Type_get_contents returns only distances in bytes separately.
        return base.Create_hvector(i[0], i[1], a[0])
    if combiner == 4:
        return base.Create_indexed_block(i[1], i[2:])
    if combiner == 5:
        return base.Create_hindexed(i[1:], a)
    if combiner == 6:
        return type(bases[0]).Create_struct(i[1:], a, bases) if bases \
            else MPI.BYTE.Create_contiguous(0)
    if combiner == 7:
        return base.Create_resized(a[0], a[1])
    if combiner == 8:
        lengths, places = _split(i[1:], i[0], i[0])
        return base.Create_indexed(lengths, places)
    if combiner == 9:
        return base.Create_hindexed_block(i[1], a)
    if combiner == 10:
        sizes, parts, starts = _split(i[1:], i[0], i[0], i[0])
        return base.Create_subarray(sizes, parts, starts, _order(i[-1]))
    if combiner == 11:
        return _create_darray(base, i)
    return base.Dup()


def _order(number):
    return MPI.ORDER_FORTRAN if number == 1 else MPI.ORDER_C


def _create_darray(base, integers):
    size, rank, count = integers[:3]
    extents, kinds, blocks, processes = _split(integers[3:], *[count] * 4)
    known = (MPI.DISTRIBUTE_NONE, MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC)
    blocks = [MPI.DISTRIBUTE_DFLT_DARG if block == -1 else block
              for block in blocks]
    return base.Create_darray(size, rank, extents,
                              [known[kind] for kind in kinds], blocks,
                              processes, _order(integers[-1]))
