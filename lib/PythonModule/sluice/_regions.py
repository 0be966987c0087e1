"""Programs over regions, run with arrays of NumPy in place of fields."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import operator
import os
import re
import subprocess
import threading
from collections.abc import Mapping

import numpy

from . import _core, _workers
from ._errors import CompileError, RunError, run_error, tell
from ._show import show, temporary, tool
from ._values import check_array

# Parameters are variables of a program's code, and only one program at a time
# may write files.
_running = threading.Lock()


class _Root:
    """A root: extents, which are numbers or names of parameters, and fields,
    each with its type and how many values an element has."""

    def __init__(self, index, name, extents, fields):
        self.index = index
        self.name = name
        self.extents = tuple(extents)
        self.fields = {field: (number, numpy.dtype(kind), count)
                       for number, (field, kind, count) in enumerate(fields)}

    def shape(self, field, parameters):
        """The shape of a field's array: that of the root, and the values of an
        element."""
        count = self.fields[field][2]
        extents = tuple(parameters[e] if isinstance(e, str) else e
                        for e in self.extents)
        return extents + ((count,) if count > 1 else ())

    def text(self, field, parameters):
        """What messages say of a field."""
        names = dict.fromkeys(e for e in self.extents if isinstance(e, str))
        given = ", ".join(f"{name}={parameters[name]}" for name in names)
        return (f"field '{field}' of root '{self.name}' has the shape "
                f"{self.shape(field, parameters)}"
                + (f" with {given}" if given else ""))


class RegionProgram:
    """A program over regions, a module of the dialect ``rdir`` and the sources
    of its tasks; made by :func:`load`.

    Calling it runs the program to its end. What it is given goes by the names
    of the module::

        result = halo(n=512, rounds=5, plate={"now": now, "next": next})

    A parameter and a variable get a number. A root gets a dictionary of arrays
    for its fields, or an array if it has one field: the program begins with
    what is there and leaves there what it writes, without a copy. What is not
    given is as the module says, and fields begin with zeros. The result has the
    variables as they are at the end.

    It is compiled once, when it is first needed. Runs of all such programs in a
    process wait for each other. What tasks keep in global variables stays.
    """

    def __init__(self, source, tasks, flags, workers):
        self.source = source
        self.tasks = tasks
        self._flags = flags
        self.workers = workers
        self._lock = threading.Lock()
        self._functions = None  # those of this process that it calls
        self._opened = None

    def __repr__(self):
        return f"<RegionProgram of {self.source}>"

    def _repr_svg_(self):
        return show(self.source)._repr_svg_()

    def _open(self):
        """What is compiled; from then on the rest is known."""
        with self._lock:
            if self._opened is None:
                core = _compile([self.source, *self.tasks], self._flags)
                self._parameters = {
                    name: (numpy.dtype(kind), least, default)
                    for name, kind, least, default in core.parameters()}
                self._roots, self._variables = {}, {}
                for index, (name, extents, fields, initial) in enumerate(
                        core.roots()):
                    if initial is None:
                        self._roots[name] = _Root(index, name, extents, fields)
                    else:
                        self._variables[name] = index, numpy.frombuffer(
                            initial, fields[0][1])
                self._opened = core
            return self._opened

    @property
    def parameters(self):
        """The parameters and the values that they have if none are given."""
        self._open()
        return self._default_parameters()

    def _default_parameters(self):
        return {name: kind.type(_default(text, kind)).item()
                for name, (kind, _, text) in self._parameters.items()}

    @property
    def variables(self):
        """The variables and what they begin with if nothing is given."""
        self._open()
        return {name: first[0] for name, (_, first) in self._variables.items()}

    @property
    def roots(self):
        """The roots: the names of their fields."""
        self._open()
        return {name: tuple(root.fields) for name, root in self._roots.items()}

    def arrays(self, root, /, **parameters):
        """Arrays of zeros for all fields of a root, whose extents these
        parameters say: to be filled, and given to a run."""
        self._open()
        if root not in self._roots:
            raise self._unknown(root)
        for name in parameters:
            if name not in self._parameters:
                raise self._unknown(name)
        values, _ = self._set_parameters(parameters)
        found = self._roots[root]
        return {field: numpy.zeros(found.shape(field, values), kind)
                for field, (_, kind, _) in found.fields.items()}

    def __call__(self, /, **given):
        """Runs the program with what is given by name; returns a dictionary of
        its variables. Raises TypeError, ValueError or OverflowError for wrong
        arguments, CompileError, and RunError if a task failed; then arrays have
        what was written until then."""
        core = self._open()
        values, arguments = self._set_parameters(given)
        variables = {name: first.copy()
                     for name, (_, first) in self._variables.items()}
        memory = []
        for name, value in given.items():
            if name in self._variables:
                variables[name][0] = _number(
                    value, variables[name].dtype, f"variable '{name}'")
            elif name in self._roots:
                memory += self._bind(self._roots[name], value, values)
            elif name not in self._parameters:
                raise self._unknown(name)
        memory += [(self._variables[name][0], 0, array)
                   for name, array in variables.items()]
        self._run(core, arguments, memory)
        return {name: array[0] for name, array in variables.items()}

    def _run(self, core, arguments, memory):
        # A task that waited here might block the worker that the other run
        # needs.
        if not _running.acquire(blocking=not _workers.is_in_task()):
            raise RunError(f"program '{core.name}' is run by a task while "
                           "another thread runs a program over regions; run "
                           "one of them outside of tasks")
        failures = self._functions.failures if self._functions else []
        try:
            with _workers.use(self.workers, core.name) as count:
                core.execute(
                    count,
                    [0 if value is None else value.ctypes.data
                     for value in arguments],
                    [(root, field, array.ctypes.data, array.nbytes,
                      not array.flags.writeable)
                     for root, field, array in memory])
        except _core.RunError as error:
            failed = run_error(str(error), failures)
            raise failed from failed.__cause__
        finally:
            failures.clear()
            _running.release()

    def _set_parameters(self, given):
        """All values by name, and in the order of the program an array for
        each, or None for what is not given."""
        values, arguments = self._default_parameters(), []
        for name, (kind, least, _) in self._parameters.items():
            if name not in given:
                arguments.append(None)
                continue
            number = _number(given[name], kind, f"parameter '{name}'")
            if kind.kind == "i" and number < least:
                raise ValueError(f"parameter '{name}' is {number}, but must be "
                                 f"at least {least}")
            values[name] = number
            arguments.append(numpy.full(1, number, kind))
        return values, arguments

    def _bind(self, root, given, parameters):
        """The arrays of a root's fields, checked."""
        if isinstance(given, numpy.ndarray) and len(root.fields) == 1:
            given = {next(iter(root.fields)): given}
        if not isinstance(given, Mapping):
            raise TypeError(
                f"root '{root.name}' needs a dictionary of arrays for its "
                f"fields ({', '.join(root.fields)}), but got "
                f"{type(given).__name__}")
        bound = []
        for field, array in given.items():
            if field not in root.fields:
                raise TypeError(f"root '{root.name}' has no field {field!r}; "
                                f"it has {', '.join(root.fields)}")
            number, kind, _ = root.fields[field]
            what = f"field '{field}' of root '{root.name}'"
            if not isinstance(array, numpy.ndarray):
                raise TypeError(f"{what} needs a numpy.ndarray, but got "
                                f"{type(array).__name__}")
            if array.dtype.newbyteorder("=") != kind:
                raise TypeError(f"{what} has elements of type {kind}, but the "
                                f"array has {array.dtype}: use "
                                f"array.astype('{kind}')")
            if array.shape != root.shape(field, parameters):
                raise ValueError(f"{root.text(field, parameters)}, but the "
                                 f"array has {array.shape}")
            try:
                check_array(array)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{what}: {error}") from None
            bound.append((root.index, number, array))
        return bound

    def _unknown(self, name):
        parts = []
        for what, names in (("parameters", self._parameters),
                            ("variables", self._variables),
                            ("roots", self._roots)):
            if names:
                parts.append(f"the {what} {', '.join(names)}")
        return TypeError(f"program '{self._opened.name}' has no '{name}'; it "
                         f"has {' and '.join(parts) or 'nothing to be given'}")


def _default(text, kind):
    """The number of a literal in C."""
    if kind.kind == "i":
        least = text.startswith("INT")  # it has no digits
        return numpy.iinfo(kind).min if least else int(text)
    special = re.match(r"(-?)__builtin_(inf|nan)", text)
    return float("".join(special.groups()) if special else text.rstrip("f"))


def _number(value, kind, what):
    """A number of this type; says `what` cannot hold it."""
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value[()]
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        number = (operator.index(value) if kind.kind == "i" else float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{what} needs a number of type {kind}, but got "
                        f"{value!r}") from None
    if kind.kind == "i":
        info = numpy.iinfo(kind)
        if not info.min <= number <= info.max:
            raise OverflowError(f"{what} is of type {kind} and does not hold "
                                f"{number}")
    return number


def _build(files, flags, *output):
    """What 'sluice build' prints."""
    done = subprocess.run(
        [tool(), "build", "--shared", "-march=native", *flags, *files, *output],
        stdin=subprocess.DEVNULL, capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "backslashreplace")
    if done.returncode:
        if "--shared is for programs over regions" in said:
            said = (f"error: '{files[0]}' is no program over regions; a graph "
                    "in it is loaded by the name of its root: "
                    "load(file, root)\n")
        raise CompileError(said)
    tell(said)
    return os.fsdecode(done.stdout).rstrip("\n")


def _compile(files, flags):
    """Opens the compiled program. Another process may remove it from the cache
    just now, because a file has changed: then it is made again."""
    for tries in range(3):
        try:
            path = _build(files, flags)
        except CompileError as error:
            if any(problem.line for problem in error.problems):
                raise
            break  # there may be no cache
        try:
            return _core.Regions(path)
        except _core.RunError as error:
            if tries == 2 or os.path.exists(path):
                raise RunError(str(error)) from None
    with temporary(".so") as path:
        _build(files, flags, "-o", path)
        try:
            return _core.Regions(path)
        except _core.RunError as error:
            raise RunError(str(error)) from None
