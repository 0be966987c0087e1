# Support for Sluice's leaves in lldb. This file is next to
# libSluiceRuntime.so:
#   command script import <folder>/sluice_lldb.py
# (in ~/.lldbinit for all sessions).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   frame variable sluice_instance   the instance that runs here (with -g)
#   sluice instance                  the same, of the nearest leaf up the stack
#   sluice arguments                 the leaf's arguments, with elements behind
#                                    pointers
#
# docs/editors.md has more. The compiler defines the structures:
# lib/CodeGen/Leaf/Debug/InstanceRecord.h.

import lldb

# The number of elements behind a pointer to print.
MOST_ELEMENTS = 8


def number(value):
    error = lldb.SBError()
    result = value.GetValueAsSigned(error, 0)
    return str(result) if error.Success() else "?"


def tuple_of(values, count):
    return "(" + ", ".join(
        number(values.GetChildAtIndex(i)) for i in range(count)) + ")"


def describe_level(level):
    """'(2, 1) of (4, 4)'; nothing if it is not replicated."""
    dims = level.GetChildMemberWithName("dims").GetValueAsUnsigned(0)
    if not 0 < dims <= 3:
        return None
    return (tuple_of(level.GetChildMemberWithName("id"), dims) + " of "
            + tuple_of(level.GetChildMemberWithName("extent"), dims))


def describe_instance(instance):
    """'smooth: instance (3) of (8) in group (0) of (2)'"""
    leaf = instance.GetChildMemberWithName("leaf")
    error = lldb.SBError()
    text = instance.GetProcess().ReadCStringFromMemory(
        leaf.GetValueAsUnsigned(0), 1000, error)
    text = text if error.Success() else "?"
    levels = instance.GetChildMemberWithName("levels")
    own = True
    for index in reversed(range(levels.GetNumChildren())):
        level = describe_level(levels.GetChildAtIndex(index))
        if level:
            text += (": instance " if own else " in group ") + level
        elif own:
            text += ": the only instance"
        own = False
    return text


def instance_summary(value, _):
    return describe_instance(value.GetNonSyntheticValue())


def level_summary(value, _):
    return describe_level(value.GetNonSyntheticValue()) or "not replicated"


def find_leaf(debugger, result):
    """The nearest frame up the stack that has an instance, and that."""
    thread = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
    frame = thread.GetSelectedFrame()
    while frame.IsValid():
        instance = frame.FindVariable("sluice_instance")
        if instance.IsValid():
            return frame, instance
        frame = thread.GetFrameAtIndex(frame.GetFrameID() + 1)
    result.SetError(
        "no leaf is on the stack whose instance is known; build with -g, and "
        "with -O0 to know it everywhere")
    return None, None


def show_instance(debugger, command, result, _):
    """The instance of the nearest leaf up the stack."""
    frame, instance = find_leaf(debugger, result)
    if frame:
        result.AppendMessage(describe_instance(instance))


def elements_behind(pointer, size):
    """The first elements of `size` bytes at `pointer`, as text."""
    width = pointer.GetType().GetPointeeType().GetByteSize()
    if width == 0:
        return ""
    count = size // width
    shown = min(count, MOST_ELEMENTS)
    if shown <= 0:
        return " {}"
    values = []
    for index in range(shown):
        element = pointer.GetChildAtIndex(
            index, lldb.eNoDynamicValues, True)
        values.append(element.GetValue() or element.GetSummary() or "?")
    more = ", ... %d elements" % count if count > shown else ""
    return " {" + ", ".join(values) + more + "}"


def show_arguments(debugger, command, result, _):
    """The arguments of the nearest leaf up the stack, with the first elements
    behind pointers whose size is the argument behind them."""
    frame, instance = find_leaf(debugger, result)
    if not frame:
        return
    arguments = frame.GetVariables(True, False, False, True)
    for index in range(arguments.GetSize()):
        value = arguments.GetValueAtIndex(index)
        text = value.GetValue() or value.GetSummary() or "?"
        following = arguments.GetValueAtIndex(index + 1)
        if (value.GetType().GetCanonicalType().IsPointerType()
                and following.IsValid()
                and following.GetType().GetByteSize() == 8
                and not following.GetType().IsPointerType()):
            text += elements_behind(value, following.GetValueAsUnsigned(0))
        result.AppendMessage("%s = %s" % (value.GetName(), text))


def __lldb_init_module(debugger, _):
    for line in (
            "type summary add -w sluice -F sluice_lldb.instance_summary "
            "SluiceInstance",
            "type summary add -w sluice -F sluice_lldb.level_summary "
            "SluiceLevel",
            "type category enable sluice",
            "command container add -o -h 'Leaves of the graphs of Sluice.' "
            "sluice",
            "command script add -o -f sluice_lldb.show_instance "
            "sluice instance",
            "command script add -o -f sluice_lldb.show_arguments "
            "sluice arguments"):
        debugger.HandleCommand(line)
