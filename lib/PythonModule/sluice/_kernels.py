"""What tasks compute, and how Python functions are called by tasks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import inspect
import os
from dataclasses import dataclass, field

import numpy

from ._errors import copy_values, forget_values


def words_of(flags):
    """Flags of a compiler as a list; a text would be one of letters."""
    if isinstance(flags, (str, bytes)):
        raise TypeError(f"flags are a list of words, [{flags!r}], not one text")
    return [os.fspath(word) for word in flags]


def path_of(folders):
    """Folders of modules, a list or a text with colons, as such a text."""
    if isinstance(folders, (str, bytes, os.PathLike)):
        return os.fsdecode(folders)
    folders = [os.fsdecode(folder) for folder in folders]
    for folder in folders:
        if ":" in folder:
            raise ValueError(f"the folder '{folder}' of Python modules has a "
                             "colon in its name")
    return ":".join(folders)


# Tracebacks of tasks begin after the functions of this module.
__sluice_calls_kernels__ = True


@dataclass(frozen=True)
class CKernel:
    """The function ``function`` with C linkage, in ``source`` or in one of the
    sources of the graph.

    For each argument its parameters are: for an array ``T *base, T *first, int
    offset``, then an extent and then a stride in elements per dimension; for a
    number its value; for a reference ``T *``.
    """

    function: str
    source: str = ""
    flags: tuple = ()


@dataclass(frozen=True)
class HalideKernel:
    """A Halide generator, by the name under which it is registered in one of
    the libraries that :func:`sluice.load_generators` has loaded."""

    generator: str
    parameters: dict = field(default_factory=dict)


@dataclass(frozen=True)
class PyKernel:
    """The function ``function`` of ``module``.py, which is found as
    docs/python-tasks.md says. A graph with such kernels may be compiled to an
    executable; with functions of this process, which may be given as they are,
    it may not."""

    module: str
    function: str


@dataclass(frozen=True)
class FormKernel:
    """The finite-element form ``form`` that ``module``.py generates, assembled
    into the task's dictionary."""

    module: str
    form: str


@dataclass(frozen=True)
class HPVMKernel:
    """The root ``root`` of an HPVM program: an array is a pointer and its size
    in bytes, a number its value."""

    root: str
    source: str
    flags: tuple = ()


def text_of(value):
    """A parameter as Halide reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def name_of(function):
    """What messages call a function."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "".join(c if c.isprintable() else "?" for c in name) or "function"


def check_call(function, count):
    """Refuses a function that cannot be called with `count` arguments."""
    if not callable(function):
        raise TypeError(f"{function!r} is no kernel: expected a function, "
                        "CKernel, HalideKernel, PyKernel, FormKernel or "
                        "HPVMKernel")
    if inspect.iscoroutinefunction(function) \
            or inspect.isgeneratorfunction(function) \
            or inspect.isasyncgenfunction(function):
        raise TypeError(f"'{name_of(function)}' is asynchronous or a "
                        "generator, so a call would not run it")
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return  # compiled, without a signature
    try:
        signature.bind(*[None] * count)
    except TypeError as error:
        raise TypeError(
            f"'{name_of(function)}{signature}' cannot be called with the "
            f"task's {count} arguments: {error}") from None


class Call:
    """Calls a function as the kernel of a task: memory of datasets becomes
    NumPy arrays, which must not outlive the call."""

    def __init__(self, function, failures):
        self.function = function
        self.failures = failures  # exceptions of the run, in order

    def __call__(self, *views):
        try:
            return self.function(*map(_array_of, views))
        except BaseException as error:
            forget_values(error)
            copy_values(error)
            self.failures.append(error)
            raise
        finally:
            del views


def _array_of(value):
    return numpy.asarray(value) if isinstance(value, memoryview) else value
