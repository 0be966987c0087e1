#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the module of Fortran's procedures of Pack.

  generate.py > pack_procedures.f90

Fortran has no templates: a procedure whose counts may be default integers or
of kind LPK_COUNT_KIND is one procedure for each, and both call the same
function of sluice-c/Pack.h. All are written from one line here.
"""

import re
import textwrap

# What a procedure does, its name, that of the C function where it differs, and
# its arguments. An argument is a name and its type:
#   n  a count of either kind    c  an integer of kind LPK_COUNT_KIND
#   i  a default integer         t  a layout
#   b  a buffer
# behind '[]' for an array, and '&' for one that is changed.
PROCEDURES = """
# A basic type, e.g. LPK_DOUBLE_PRECISION.
Primitive(primitivetype i, newtype &t)
# `count` instances, one after another.
Contiguous(count n, oldtype t, newtype &t)
# Blocks at a constant stride, in extents of the old type.
Vector(count n, blocklen n, stride n, oldtype t, newtype &t)
# Blocks at a constant stride, in bytes.
Hvector(count n, blocklen n, stride c, oldtype t, newtype &t)
# Listed blocks; displacements in extents, the first element is at 0.
Indexed=Indexed_c(count n, blocklens []n, displacements []n, oldtype t,
                  newtype &t)
# Listed blocks; displacements in bytes.
Hindexed=Hindexed_c(count n, blocklens []n, displacements []c, oldtype t,
                    newtype &t)
# Listed blocks of one length; displacements in extents.
Indexed_block=Indexed_block_c(count n, blocklen n, displacements []n,
                              oldtype t, newtype &t)
# Listed blocks of one length; displacements in bytes.
Hindexed_block=Hindexed_block_c(count n, blocklen n, displacements []c,
                                oldtype t, newtype &t)
# Blocks of different types; displacements in bytes.
Struct=Struct_c(count n, blocklens []n, displacements []c, oldtypes []t,
                newtype &t)
# The old type with other bounds.
Resized(oldtype t, lowerbound c, extent c, newtype &t)
# A duplicate.
Dup(oldtype t, newtype &t)
# A block of an array; starts count from 0.
Subarray=Subarray_c(dimensions i, sizes []n, subsizes []n, starts []n, order i,
                    oldtype t, newtype &t)
# One process's part of a distributed array.
Darray=Darray_c(size n, rank n, dimensions i, gsizes []n, distributions []i,
                dargs []n, psizes []n, order i, oldtype t, newtype &t)

# Makes a layout usable for packing at once.
Commit(datatype &t)
# Commits, and compiles code of its own first.
Compile(datatype &t)
# Frees the layout; the handle becomes null.
Free(datatype &t)
# The bytes of `count` packed instances.
Pack_size(count n, datatype t, size &n)
# Packs to the beginning of outbuf.
Pack(inbuf b, incount n, intype t, outbuf &b)
# Unpacks from the beginning of inbuf.
Unpack(inbuf b, outbuf &b, outcount n, outtype t)
# As MPI_Pack: packs from byte `position` on and advances it.
Pack_into(inbuf b, incount n, intype t, outbuf &b, outsize n, position &n)
# As MPI_Unpack: unpacks from byte `position` on and advances it.
Unpack_from(inbuf b, insize n, position &n, outbuf &b, outcount n, outtype t)
# Only `length` bytes of the packed stream from `position` on.
Pack_partial(inbuf b, incount n, intype t, position n, length n, outbuf &b)
# Only `length` bytes of the packed stream from `position` on.
Unpack_partial(inbuf b, position n, length n, outbuf &b, outcount n, outtype t)
# Copies from one layout straight into another.
Transpack(inbuf b, incount n, intype t, outbuf &b, outcount n, outtype t)
# The bytes of `count` instances in external32.
Pack_external_size(count n, datatype t, size &n)
# Packs in external32, as Pack_into.
Pack_external(inbuf b, incount n, intype t, outbuf &b, outsize n, position &n)
# Unpacks external32, as Unpack_from.
Unpack_external(inbuf b, insize n, position &n, outbuf &b, outcount n,
                outtype t)

# The bounds.
Get_extent(datatype t, lowerbound &c, extent &c)
# The bounds of the bytes.
Get_true_extent(datatype t, lowerbound &c, extent &c)
# The bytes that are packed.
Get_size=Get_size_x(datatype t, size &n)
# How the layout was made, and how much Get_contents gives.
Get_envelope=Get_envelope_c(datatype t, integers &n, addresses &n,
                            datatypes &n, combiner &i)
# The arguments of the constructor; free the types.
Get_contents=Get_contents_c(datatype t, maxintegers n, maxaddresses n,
                            maxdatatypes n, integers &[]n, addresses &[]c,
                            datatypes &[]t)
# Which basic type this is.
Get_primitive(datatype t, primitivetype &i)
"""

INTEGERS = {"n": "LPK_COUNT_KIND", "c": "LPK_COUNT_KIND", "i": "c_int"}


def c_declaration(name, type):
    """How the C function takes an argument."""
    intent = "intent(inout)" if "&" in type else "intent(in)"
    if type[-1] == "b":
        return f"type(*){'' if '&' in type else ', intent(in)'} :: {name}(*)"
    what = ("type(c_ptr)" if type[-1] == "t"
            else f"integer({INTEGERS[type[-1]]})")
    if "[]" in type:
        return f"{what}, {intent} :: {name}(*)"
    return f"{what}, {intent if '&' in type else 'value'} :: {name}"


def declaration(name, type, kind):
    """How the procedure takes it, its counts being of this kind."""
    intent = "intent(inout)" if "&" in type else "intent(in)"
    if type[-1] == "b":
        return c_declaration(name, type)
    what = ("type(LPK_Datatype)" if type[-1] == "t" else
            f"integer({kind if type[-1] == 'n' else INTEGERS[type[-1]]})")
    return f"{what}, {intent} :: {name}{'(:)' if '[]' in type else ''}"


def actual(name, type, is_narrow):
    """How the procedure gives it to the C function."""
    if type[-1] == "t":
        return f"{name}%handle"
    if type[-1] != "n" or not is_narrow:
        return name
    return f"{name}_c" if "&" in type else f"int({name}, LPK_COUNT_KIND)"


def directive(arguments):
    """Lets an array of any type and rank stand for a buffer."""
    names = ", ".join(name for name, type in arguments if type[-1] == "b")
    return [f"!GCC$ attributes no_arg_check :: {names}"] if names else []


def interface(name, c_name, arguments):
    names = ", ".join(name for name, _ in arguments)
    return [f"integer(c_int) function c_{name}({names}) "
            f"bind(C, name='LPK_{c_name}')",
            "import :: c_int, c_ptr, LPK_COUNT_KIND",
            *(c_declaration(*argument) for argument in arguments),
            *directive(arguments), "end function"]


def procedure(name, suffix, arguments):
    is_narrow = suffix == "_i4"
    kind = "c_int" if is_narrow else "LPK_COUNT_KIND"
    # Counts that come back are looked at before they are made narrower.
    counts = [(count, "[]" in type) for count, type in arguments
              if is_narrow and "&" in type and type[-1] == "n"]
    names = ", ".join([argument for argument, _ in arguments] + ["ierror"])
    call = ", ".join(actual(*argument, is_narrow) for argument in arguments)
    lines = [f"subroutine {name}{suffix}({names})",
             *(declaration(*argument, kind) for argument in arguments),
             *directive(arguments),
             "integer(c_int), intent(out), optional :: ierror",
             "integer(c_int) :: code"]
    for count, is_array in counts:
        shape = f"(size({count}))" if is_array else ""
        lines += [f"integer(LPK_COUNT_KIND) :: {count}_c{shape}"]
    lines += [f"{count}_c = {count}" for count, _ in counts]
    lines += [f"code = c_{name}({call})"]
    for count, is_array in counts:
        test = f"abs({count}_c) > huge({count})"
        lines += [f"if (code == LPK_SUCCESS .and. "
                  f"{f'any({test})' if is_array else test}) code = too_large"]
    lines += [f"if (code == LPK_SUCCESS) {count} = int({count}_c, c_int)"
              for count, _ in counts]
    return lines + ["call finish(code, ierror)", "end subroutine"]


def module():
    generics, interfaces, procedures = [], [], []
    for comment, name, c_name, text in re.findall(
            r"# (.*)\n(\w+)=?(\w*)\(([^)]*)\)", PROCEDURES):
        arguments = [tuple(word.split()) for word in text.split(",")]
        has_counts = any(type[-1] == "n" for _, type in arguments)
        kinds = ["_i4", "_i8"] if has_counts else ["_only"]
        local = f"lpk_{name.lower()}"
        generics += [f"!> {comment}", f"interface LPK_{name}",
                     "module procedure "
                     + ", ".join(local + kind for kind in kinds),
                     "end interface", f"public :: LPK_{name}"]
        interfaces += interface(local, c_name or name, arguments)
        for kind in kinds:
            procedures += procedure(local, kind, arguments)
    return ["module sluice_pack_procedures",
            "use, intrinsic :: iso_c_binding, only: c_int, c_ptr",
            "use sluice_pack_base", "implicit none", "private", *generics,
            "interface", *interfaces, "end interface", "contains",
            *procedures, "end module"]


if __name__ == "__main__":
    for line in module():
        # Lines of Fortran have 132 columns.
        print(line if line[0] == "!" else " &\n    ".join(textwrap.wrap(
            line, 100, break_long_words=False, break_on_hyphens=False)))
