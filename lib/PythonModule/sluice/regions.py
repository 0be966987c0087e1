"""Programs over regions, described in Python: see :class:`Module`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import weakref

from ._errors import CompileError, RunError
from ._programs import load
from ._show import tool

__all__ = ["Graph", "Module", "Number", "Region", "i", "j", "k"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*\Z")


def _checked(name, what):
    if not isinstance(name, str) or not _NAME.match(name):
        raise ValueError(f"{name!r} is no name of a {what}")
    return name


class Number:
    """A parameter, an iteration or a coordinate, and sums of these."""

    def __init__(self, terms, constant=0, rest=""):
        self._terms = {name: factor for name, factor in terms.items() if factor}
        self._constant = constant
        self._rest = rest

    def _open(self):
        if self._rest:
            raise TypeError(f"what follows 'div' and 'mod' in '{self}' cannot "
                            "be part of a sum")
        return self

    def __add__(self, other):
        other = _number(other)._open()
        terms = dict(self._open()._terms)
        for name, factor in other._terms.items():
            terms[name] = terms.get(name, 0) + factor
        return Number(terms, self._constant + other._constant)

    def __mul__(self, factor):
        if isinstance(factor, bool) or not isinstance(factor, int):
            raise TypeError(f"a number can be multiplied by an int, not by "
                            f"{factor!r}")
        return Number({name: factor * of for name, of in
                       self._open()._terms.items()}, factor * self._constant)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -_number(other)

    def __rsub__(self, other):
        return _number(other) - self

    def __floordiv__(self, divisor):
        return Number(self._open()._terms, self._constant,
                      f" div {_divisor(divisor)}")

    def __mod__(self, divisor):
        if " mod " in self._rest:
            self._open()
        return Number(self._terms, self._constant,
                      f"{self._rest} mod {_divisor(divisor)}")

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self):
        text = ""
        for name, factor in self._terms.items():
            sign = (" - " if factor < 0 else " + ") if text else (
                "-" if factor == -1 else "")
            size = abs(factor) if text else factor
            text += sign + (name if abs(factor) == 1 else f"{size} * {name}")
        if not text:
            return f"{self._constant}{self._rest}"
        if self._constant:
            text += (f" {'-' if self._constant < 0 else '+'} "
                     f"{abs(self._constant)}")
        return text + self._rest

    __repr__ = __str__


def _number(value):
    if isinstance(value, Number):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"expected a number, a parameter or an iteration, but "
                        f"got {value!r}")
    return Number({}, value.__index__())


def _divisor(value):
    text = str(_number(value)._open())
    if not re.fullmatch(r"\d+|@\S+", text):
        raise TypeError(f"what divides is a number or a parameter, not '{text}'")
    return text


#: Coordinates of the points of a launch, and of elements.
i, j, k = Number({"i": 1}), Number({"j": 1}), Number({"k": 1})


def _list(values):
    if isinstance(values, (Number, int)):
        values = [values]
    return "[" + ", ".join(str(_number(value)) for value in values) + "]"


def _names(first, last):
    """What elements name: fields, or computed coordinates."""
    if not isinstance(first, str):
        if last is not None:
            raise TypeError("ranges are named by fields")
        return _list(first)
    text = f'"{first}"'
    if last is None:
        return text
    return text + (" to next" if last == "next" else f' to "{last}"')


class Region:
    """A root, a partition or a variable; with colors and fields, as tasks access
    it. ``region[i + 1, k]`` is a color, ``region.of("a", "b")`` some fields, and
    ``region.whole`` all colors together."""

    def __init__(self, module, name, extents, suffix="", parent=None):
        self._module, self._name, self._suffix = module, name, suffix
        self._extents, self._parent = extents, parent

    def _with(self, suffix):
        return Region(self._module, self._name, self._extents,
                      self._suffix + suffix, self._parent)

    def __getitem__(self, color):
        return self._with(_list(color if isinstance(color, tuple) else [color]))

    def of(self, *fields):
        """The same region with some of its fields."""
        return self._with(" {" + ", ".join(
            _checked(field, "field") for field in fields) + "}")

    @property
    def whole(self):
        """All colors together."""
        return self._with(" whole")

    def __str__(self):
        return f"@{self._name}{self._suffix}"

    # Partitions.

    def _root(self):
        return self if self._parent is None else self._parent

    def _add(self, name, colors, rule, disjoint, complete, of=None):
        of = str(of if of is not None else self._root())
        self._module._declare(
            name, "partition",
            f"rdir.partition @{name} of {of} {_list(colors)} "
            f"{'disjoint' if disjoint else 'aliased'} "
            f"{'complete' if complete else 'incomplete'} by {rule}")
        return Region(self._module, name, list(colors), parent=self._root())

    def blocks(self, name, colors):
        """Equal blocks of a root or of one color."""
        return self._add(name, colors, "blocks", True, True, of=self)

    def each(self, name, blocks, disjoint=False, complete=False):
        """Equal blocks of each color; its colors come first."""
        return self._add(name, [*self._extents, *blocks], f"blocks({self})",
                         disjoint, complete)

    def halo(self, name, width, axes=False, periodic=(), complete=True):
        """Each color, grown along all dimensions. ``periodic``: True, or the
        dimensions in which the first elements follow the last ones."""
        words = ", axes" if axes else ""
        if periodic is True:
            words += ", periodic"
        elif periodic:
            words += f", periodic {_list(periodic)}"
        return self._add(name, self._extents,
                         f"halo({self}, {_list(width)}{words})", False, complete)

    def coloring(self, name, colors, function, disjoint=False, complete=False):
        """The elements that a function in C adds."""
        return self._add(name, colors, f"coloring(@{function})", disjoint,
                         complete)

    def by(self, name, colors, names, complete=False):
        """The color is a field's value, or computed from coordinates."""
        rule = f'field("{names}")' if isinstance(names, str) else \
            f"color({_list(names)})"
        return self._add(name, colors, rule, True, complete)

    def image(self, name, source, names, to=None, disjoint=False,
              complete=False):
        """What elements of ``source`` name in this root; ``to``: the field that
        ends ranges, or "next"."""
        return self._add(name, source._extents,
                         f"image({source}, {_names(names, to)})", disjoint,
                         complete)

    def preimage(self, name, names, target, to=None, disjoint=False,
                 complete=False):
        """The elements of this root that name elements of ``target``."""
        return self._add(name, target._extents,
                         f"preimage({_names(names, to)}, {target})", disjoint,
                         complete)

    def _set(self, name, kind, other, disjoint, complete):
        return self._add(name, self._extents, f"{kind}({self}, {other})",
                         disjoint, complete)

    def union(self, name, other, disjoint=False, complete=False):
        """Color by color; or each color and one of ``other``, or all of it if
        that is ``whole``."""
        return self._set(name, "union", other, disjoint, complete)

    def intersection(self, name, other, disjoint=False, complete=False):
        """Like ``union``."""
        return self._set(name, "intersection", other, disjoint, complete)

    def difference(self, name, other, disjoint=False, complete=False):
        """Like ``union``."""
        return self._set(name, "difference", other, disjoint, complete)

    def cross(self, name, other, disjoint=False, complete=False):
        """What each two colors have in common."""
        return self._add(name, [*self._extents, *other._extents],
                         f"cross({self}, {other})", disjoint, complete)


def _regions(value):
    return [value] if isinstance(value, Region) else list(value)


class Graph:
    """The tasks of a graph in their order; made by :meth:`Module.graph`."""

    def __init__(self):
        self._lines, self._depth, self._loops = [], 1, 0

    def _line(self, text):
        self._lines.append("  " * self._depth + text)

    def _node(self, head, over=None, reads=(), writes=(), discards=(),
              reduces=None, with_=()):
        text = head
        if over is not None:
            text += f" over {_list(over)}"
        for word, regions in (("reads", reads), ("discards", discards),
                              ("writes", writes)):
            if regions := _regions(regions):
                text += f" {word}({', '.join(map(str, regions))})"
        for operator, regions in (reduces or {}).items():
            word = operator if operator.startswith("@") else f'"{operator}"'
            text += f" reduces<{word}>({', '.join(map(str, _regions(regions)))})"
        if with_:
            text += f" with({', '.join(map(_constant, with_))})"
        self._line(text)

    def task(self, function, **clauses):
        """Calls a function, once or for each point of ``over``. Clauses:
        ``reads``, ``writes``, ``discards``, ``reduces`` (a dictionary from
        operators to regions), ``with_`` (numbers)."""
        self._node(f"rdir.task @{_checked(function, 'function')}", **clauses)

    def host(self, function, **clauses):
        """A task on the main thread."""
        self._node(f"rdir.host @{_checked(function, 'function')}", **clauses)

    def fill(self, value, kind, writes, over=None):
        """Sets all elements of a field or variable."""
        self._node(f"rdir.fill {_literal(value, kind)}", over=over,
                   writes=writes)

    def copy(self, reads, writes, over=None):
        """Copies fields to fields of the same elements."""
        self._node("rdir.copy", over=over, reads=reads, writes=writes)

    @contextlib.contextmanager
    def _body(self, head):
        self._line(head + " {")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self._line("}")

    def loop(self, count=None, while_=None):
        """Repeats what follows in a ``with`` statement."""
        words = "" if count is None else f" {_number(count)}"
        words += "" if while_ is None else f" while {while_}"
        return self._body("rdir.loop" + words)

    @contextlib.contextmanager
    def iterations(self, count):
        """The same, with the number of the iteration as a number."""
        self._loops += 1
        name = f"%n{self._loops}"
        with self._body(f"rdir.loop {name} in {_number(count)}"):
            yield Number({name: 1})

    def if_(self, variable):
        """Runs what follows if a variable is not 0."""
        return self._body(f"rdir.loop if {variable}")


def _literal(value, kind):
    return f"{float(value)!r} : {kind}" if kind.startswith("f") else \
        f"{int(value)} : {kind}"


def _constant(value):
    if isinstance(value, Number):
        return str(value)
    return _literal(value, "f64" if isinstance(value, float) else "i64")


class Module:
    """A program over regions.

    A :class:`Module` has the declarations and graphs of the dialect ``rdir``, which
    docs/region-programs.md describes, under the same names::

        from sluice import regions

        heat = regions.Module("heat")
        n, steps = heat.parameter("n", 512), heat.parameter("steps", 10)
        plate = heat.root("plate", [n, n], now="f64", next="f64")
        blocks = plate.blocks("blocks", [4, 4])
        halos = blocks.halo("halos", [1, 1])
        with heat.graph("main") as graph, graph.loop(steps):
            graph.task("relax", over=[4, 4], reads=halos.of("now"),
                       writes=blocks.of("next"))
            graph.copy(over=[4, 4], reads=blocks.of("next"),
                       writes=blocks.of("now"))
        heat.code("relax", "...")          # the body of a function in C++
        heat.program()(n=64, plate={"now": now, "next": next})

    What is wrong is said by 'sluice check' when the program is first needed.
    """

    def __init__(self, name):
        self._name = _checked(name, "module")
        self._names, self._declarations, self._graphs = set(), [], []
        self._codes, self._head = {}, ""
        self._folder = None

    def _declare(self, name, what, line):
        if _checked(name, what) in self._names:
            raise ValueError(f"there is a '{name}' already")
        self._names.add(name)
        self._declarations.append(line)

    def parameter(self, name, value, kind=None):
        """A number that a run may set."""
        kind = kind or ("f64" if isinstance(value, float) else "i64")
        self._declare(name, "parameter",
                      f"rdir.parameter @{name} : "
                      f"{kind} = {_literal(value, kind).split(' : ')[0]}")
        return Number({"@" + name: 1})

    def variable(self, name, value, kind=None):
        """A number that tasks may change."""
        kind = kind or ("f64" if isinstance(value, float) else "i64")
        self._declare(name, "variable",
                      f"rdir.variable @{name} : "
                      f"{kind} = {_literal(value, kind).split(' : ')[0]}")
        return Region(self, name, [])

    def root(self, name, extents, **fields):
        """An array; ``fields``: their types, such as "f64"."""
        text = ", ".join(f"{_checked(field, 'field')} : {kind}"
                         for field, kind in fields.items())
        self._declare(name, "root",
                      f"rdir.root @{name} {_list(extents)} {{{text}}}")
        return Region(self, name, list(extents))

    @contextlib.contextmanager
    def graph(self, name, repeats=None, while_=None):
        """A graph; ``repeats``: how often it runs, with partitions by fields
        that it changes made anew before each run."""
        graph = Graph()
        words = "" if repeats is None and while_ is None else " repeats"
        words += "" if repeats is None else f" {_number(repeats)}"
        words += "" if while_ is None else f" while {while_}"
        yield graph
        self._declare(name, "graph", "")
        self._graphs += [f"rdir.graph @{name}{words} {{", *graph._lines, "}"]

    def code(self, function, body):
        """The body of a function in C++; its parameters have the names of
        regions and fields, as :attr:`header` shows them."""
        self._codes[_checked(function, "function")] = body

    def include(self, text):
        """What stands before all functions: includes, functions they share."""
        self._head += text + "\n"

    @property
    def text(self):
        """The module in the dialect rdir."""
        lines = [line for line in self._declarations if line] + self._graphs
        return "\n".join([f"module @{self._name} {{", *lines, "}"]) + "\n"

    def _write(self):
        """The folder with the module."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="sluice-")
            weakref.finalize(self, shutil.rmtree, self._folder, True)
        path = os.path.join(self._folder, self._name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)
        return path

    @property
    def header(self):
        """The declarations of the functions."""
        done = subprocess.run(
            [tool(), "build", self._write(), "--emit=header"],
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            raise CompileError(done.stderr.decode("utf-8", "backslashreplace"))
        return done.stdout.decode()

    @property
    def source(self):
        """The functions in C++."""
        text = f'#include "{self._name}.rdir.h"\n{self._head}'
        header = re.sub(r"/\*.*?\*/|//[^\n]*", "", self.header, flags=re.S)
        for function, body in self._codes.items():
            found = re.search(rf"^[\w ]+[ *]\b{re.escape(function)}\([^;]*\)(?=;)",
                              header, re.M)
            if not found:
                raise ValueError(f"no task calls a function '{function}'")
            text += f"\n{found.group(0)} {{\n{body}\n}}\n"
        return text

    def save(self, folder):
        """Writes the module and its code, as 'sluice run' takes them; returns
        the paths of both."""
        paths = [os.path.join(folder, self._name + ending)
                 for ending in (".mlir", ".cpp")]
        for path, text in zip(paths, (self.text, self.source)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return paths

    def program(self, tasks=(), **options):
        """A :class:`sluice.RegionProgram`, as :func:`sluice.load` makes it;
        ``tasks``: further sources."""
        self._write()
        module, source = self.save(self._folder)
        program = load(module, tasks=[source, *tasks], **options)
        program._module = self  # keeps the files
        return program

    def run(self, ranks=None, tasks=(), **parameters):
        """Runs the program in a process of its own, or on ranks; returns what it
        prints."""
        self._write()
        words = [] if ranks is None else [f"--ranks={ranks}"]
        given = [f"--{name}={value}" for name, value in parameters.items()]
        done = subprocess.run(
            [tool(), "run", *words, *self.save(self._folder), *tasks, "--",
             *given],
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            error = CompileError(done.stderr.decode("utf-8", "backslashreplace"))
            raise error if any(problem.line for problem in error.problems) else \
                RunError(str(error))
        return done.stdout.decode("utf-8", "backslashreplace")
