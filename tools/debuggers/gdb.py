# Support for Sluice's leaves in gdb. This file is next to libSluiceRuntime.so,
# as libSluiceRuntime.so.0-gdb.py. gdb finds it there when a program loads that
# library, if 'auto-load safe-path' allows this. Otherwise, use 'source' with
# its path.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   print sluice_instance   the instance that runs here (built with -g)
#   sluice instance         the same, of the nearest leaf up the stack
#   sluice arguments        the leaf's arguments, with elements behind pointers
#
# docs/editors.md has more. The compiler defines the structures:
# lib/CodeGen/Leaf/Debug/InstanceRecord.h.

import gdb
import gdb.printing

# The number of elements behind a pointer to print.
MOST_ELEMENTS = 8


def read_text(read):
    """What `read` reads, or why it cannot."""
    try:
        return str(read())
    except gdb.error:
        return "?"


def tuple_of(values, count):
    return "(" + ", ".join(
        read_text(lambda i=i: int(values[i])) for i in range(count)) + ")"


def describe_level(level):
    """'(2, 1) of (4, 4)'; nothing if it is not replicated."""
    dims = int(level["dims"])
    if dims == 0:
        return None
    return tuple_of(level["id"], dims) + " of " + tuple_of(
        level["extent"], dims)


def describe_instance(instance):
    """'smooth: instance (3) of (8) in group (0) of (2)'"""
    text = read_text(lambda: instance["leaf"].string())
    levels = instance["levels"]
    first, last = levels.type.range()
    own = True
    for index in range(last, first - 1, -1):
        level = describe_level(levels[index])
        if level:
            text += (": instance " if own else " in group ") + level
        elif own:
            text += ": the only instance"
        own = False
    return text


class InstancePrinter:
    """Prints a SluiceInstance in one line."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return describe_instance(self.value)
        except gdb.error as problem:
            return "<%s>" % problem


class LevelPrinter:
    """Prints a SluiceLevel in one line."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return describe_level(self.value) or "not replicated"
        except gdb.error as problem:
            return "<%s>" % problem


def find_leaf():
    """The nearest frame up the stack that has an instance, and that."""
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        raise gdb.GdbError("The program does not run.")
    while frame:
        try:
            block = frame.block()
        except RuntimeError:
            block = None
        while block:
            for symbol in block:
                if symbol.name == "sluice_instance":
                    return frame, symbol.value(frame)
            if block.function:
                break
            block = block.superblock
        frame = frame.older()
    raise gdb.GdbError(
        "No leaf is on the stack whose instance is known; build with -g, and "
        "with -O0 to know it everywhere.")


def is_size(type):
    type = type.strip_typedefs()
    return type.code == gdb.TYPE_CODE_INT and type.sizeof == 8


def elements_behind(pointer, size):
    """The first elements of `size` bytes at `pointer`, as text."""
    target = pointer.type.strip_typedefs().target().strip_typedefs()
    if target.sizeof == 0 or target.code in (
            gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC):
        return ""
    count = size // target.sizeof
    shown = min(count, MOST_ELEMENTS)
    if shown <= 0:
        return " {}"
    values = [read_text(lambda i=i: (pointer + i).dereference())
              for i in range(shown)]
    more = ", ... %d elements" % count if count > shown else ""
    return " {" + ", ".join(values) + more + "}"


class SluiceCommand(gdb.Command):
    """Leaves of Sluice's graphs: sluice instance, sluice arguments."""

    def __init__(self):
        super().__init__("sluice", gdb.COMMAND_STACK, prefix=True)


class InstanceCommand(gdb.Command):
    """sluice instance: the instance of the nearest leaf up the stack."""

    def __init__(self):
        super().__init__("sluice instance", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        print(describe_instance(find_leaf()[1]))


class ArgumentsCommand(gdb.Command):
    """sluice arguments: those of the nearest leaf up the stack, with the first
    elements behind pointers whose size is the argument behind them."""

    def __init__(self):
        super().__init__("sluice arguments", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        frame = find_leaf()[0]
        block = frame.block()
        while block and not block.function:
            block = block.superblock
        arguments = [(symbol.name, symbol.value(frame))
                     for symbol in block or [] if symbol.is_argument]
        for index, (name, value) in enumerate(arguments):
            text = read_text(lambda: value)
            kind = value.type.strip_typedefs().code
            if (kind == gdb.TYPE_CODE_PTR and index + 1 < len(arguments)
                    and is_size(arguments[index + 1][1].type)):
                try:
                    text += elements_behind(
                        value, int(arguments[index + 1][1]))
                except gdb.error:
                    pass
            print("%s = %s" % (name, text))


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("sluice")
    printers.add_printer("SluiceInstance", "^SluiceInstance$", InstancePrinter)
    printers.add_printer("SluiceLevel", "^SluiceLevel$", LevelPrinter)
    gdb.printing.register_pretty_printer(
        gdb.current_objfile(), printers, replace=True)
    SluiceCommand()
    InstanceCommand()
    ArgumentsCommand()


register()
