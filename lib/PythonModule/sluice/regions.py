"""Programs over regions, described in Python: see :class:`Module`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import math
import numbers
import operator
import os
import re
import shutil
import struct
import subprocess
import tempfile
import weakref

import numpy

from ._errors import CompileError, RunError
from ._programs import load
from ._show import tool

__all__ = ["Graph", "Module", "Number", "Region", "i", "j", "k"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*\Z")
_KIND = re.compile(r"[A-Za-z0-9<>]+\Z")


def _checked(name, what):
    if not isinstance(name, str) or not _NAME.match(name):
        raise ValueError(f"{name!r} is no name of a {what}")
    return name


def _index(value):
    """A whole number, or None. Nothing is rounded."""
    if isinstance(value, (bool, numpy.bool_)):
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        return None


def _literal(value, kind=None):
    """A number as text, and its type: without ``kind``, that of whole numbers
    or that of all others."""
    whole = _index(value)
    if whole is None and not isinstance(value, numbers.Real):
        raise TypeError(f"expected a number, but got {value!r}")
    kind = kind or ("f64" if whole is None else "i64")
    bits = re.fullmatch(r"([if])(\d+)", kind)
    if not bits:
        raise ValueError(f"{kind!r} is no type of a number")
    if bits[1] == "i":
        if whole is None:
            raise TypeError(f"type {kind} needs a whole number, but got "
                            f"{value!r}")
        limit = 1 << max(int(bits[2]) - 1, 0)
        if not -limit <= whole < limit:
            raise OverflowError(f"type {kind} does not hold {whole}")
        return str(whole), kind
    number = float(value)
    if kind == "f32":
        with numpy.errstate(over="ignore"):
            single = numpy.float32(number)
        if math.isfinite(number) and not numpy.isfinite(single):
            raise OverflowError(f"type {kind} does not hold {number!r}")
    if not math.isfinite(number):
        form = {"f32": "fI", "f64": "dQ"}.get(kind)
        if not form:
            raise ValueError(f"type {kind} has no text for {number!r}")
        bits, = struct.unpack("<" + form[1], struct.pack("<" + form[0], number))
        return f"0x{bits:0{struct.calcsize(form[1]) * 2}X}", kind
    # The language wants a point before an exponent.
    return re.sub(r"^(-?\d+)e", r"\1.0e", repr(number)), kind


class Number:
    """A parameter, an iteration or a coordinate, and sums of these."""

    __array_ufunc__ = None  # arrays of NumPy are not to be made of sums

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
        if isinstance(factor, bool) or _index(factor) is None:
            raise TypeError(f"a number can be multiplied by an int, not by "
                            f"{factor!r}")
        factor = _index(factor)
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
    if isinstance(value, (bool, numpy.bool_)) or _index(value) is None:
        raise TypeError(f"expected a number, a parameter or an iteration, but "
                        f"got {value!r}")
    return Number({}, _index(value))


def _divisor(value):
    text = str(_number(value)._open())
    if not re.fullmatch(r"\d+|@\S+", text):
        raise TypeError(f"what divides is a number or a parameter, not '{text}'")
    return text


#: Coordinates of the points of a launch, and of elements.
i, j, k = Number({"i": 1}), Number({"j": 1}), Number({"k": 1})


def _numbers(values):
    """One number or several."""
    if isinstance(values, Number) or _index(values) is not None:
        values = [values]
    return [_number(value) for value in values]


def _list(values):
    return "[" + ", ".join(map(str, _numbers(values))) + "]"


def _names(first, last):
    """What elements name: fields, or computed coordinates."""
    if not isinstance(first, str):
        if last is not None:
            raise TypeError("ranges are named by fields")
        return _list(first)
    text = f'"{_checked(first, "field")}"'
    if last is None:
        return text
    return text + (" to next" if last == "next" else
                   f' to "{_checked(last, "field")}"')


class Region:
    """A root, a partition or a variable; with colors and fields, as tasks access
    it. ``region[i + 1, k]`` is a color, ``region.of("a", "b")`` some fields, and
    ``region.whole`` all colors together."""

    __iter__ = None  # colors have no order in which Python could take them

    def __init__(self, module, name, extents, root=None, color=(), fields=(),
                 is_whole=False):
        self._module, self._name, self._extents = module, name, extents
        self._root, self._color = root, tuple(color)
        self._fields, self._is_whole = tuple(fields), is_whole

    def _with(self, **changed):
        kept = {"color": self._color, "fields": self._fields,
                "is_whole": self._is_whole}
        return Region(self._module, self._name, self._extents, self._root,
                      **{**kept, **changed})

    def __getitem__(self, color):
        if self._root is None:
            raise TypeError(f"'{self}' has no colors, as it is no partition")
        if self._is_whole:
            raise TypeError(f"'{self}' has all colors, and cannot have one")
        color = (*self._color, *_numbers(color))
        if len(color) > len(self._extents):
            raise TypeError(f"a color of '{self._name}' has only "
                            f"{len(self._extents)} coordinates")
        return self._with(color=color)

    def of(self, *fields):
        """The same region with some of its fields."""
        if self._fields or not fields:
            raise TypeError(f"'{self}' has its fields already" if fields else
                            f"name the fields of '{self}'")
        return self._with(fields=[_checked(field, "field")
                                  for field in fields])

    @property
    def whole(self):
        """All colors together."""
        if self._color:
            raise TypeError(f"'{self}' is one color, and cannot be all")
        return self._with(is_whole=True)

    def __str__(self):
        return (f"@{self._name}" + (_list(self._color) if self._color else "")
                + (f" {{{', '.join(self._fields)}}}" if self._fields else "")
                + (" whole" if self._is_whole else ""))

    # Partitions.

    def _add(self, name, colors, rule, disjoint, complete, of=None):
        colors = _numbers(colors)
        root = self._root or self._with(fields=())
        self._module._declare(
            name, "partition",
            f"rdir.partition @{name} of {of or root} {_list(colors)} "
            f"{'disjoint' if disjoint else 'aliased'} "
            f"{'complete' if complete else 'incomplete'} by {rule}")
        return Region(self._module, name, colors, root)

    def _divided(self):
        """A root or a color, as what is divided."""
        if self._fields or self._is_whole or (self._root and not self._color):
            raise TypeError(f"'{self}' cannot be divided; name its root, or one "
                            f"color, as in {self._name}[0], without fields")
        return str(self)

    def _source(self, region=None):
        """All colors of a partition, as rules take them."""
        region = self._module._own(self if region is None else region)
        if region._color or region._fields or region._is_whole:
            raise TypeError(f"the rule takes each color of '{region._name}', "
                            f"and cannot take '{region}'")
        return region

    def blocks(self, name, colors):
        """Equal blocks of a root or of one color."""
        return self._add(name, colors, "blocks", True, True, self._divided())

    def each(self, name, blocks, disjoint=False, complete=False):
        """Equal blocks of each color; its colors come first."""
        return self._add(name, [*self._extents, *_numbers(blocks)],
                         f"blocks({self._source()})", disjoint, complete)

    def halo(self, name, width, axes=False, periodic=(), complete=True):
        """Each color, grown along all dimensions. ``periodic``: True, or the
        dimensions in which the first elements follow the last ones."""
        words = ", axes" if axes else ""
        if periodic is True:
            words += ", periodic"
        elif periodic is not False and (dimensions := _numbers(periodic)):
            words += f", periodic {_list(dimensions)}"
        return self._add(name, self._extents,
                         f"halo({self._source()}, {_list(width)}{words})",
                         False, complete)

    def coloring(self, name, colors, function, disjoint=False, complete=False):
        """The elements that a function in C adds."""
        return self._add(name, colors,
                         f"coloring(@{_checked(function, 'function')})",
                         disjoint, complete, self._divided())

    def by(self, name, colors, names, complete=False):
        """The color is a field's value, or computed from coordinates."""
        rule = "field" if isinstance(names, str) else "color"
        return self._add(name, colors, f"{rule}({_names(names, None)})", True,
                         complete, self._divided())

    def image(self, name, source, names, to=None, disjoint=False,
              complete=False):
        """What elements of ``source`` name in this root or color; ``to``: the
        field that ends ranges, or "next"."""
        source = self._source(source)
        return self._add(name, source._extents,
                         f"image({source}, {_names(names, to)})", disjoint,
                         complete, self._divided())

    def preimage(self, name, names, target, to=None, disjoint=False,
                 complete=False):
        """The elements of this root or color that name elements of
        ``target``."""
        target = self._source(target)
        return self._add(name, target._extents,
                         f"preimage({_names(names, to)}, {target})", disjoint,
                         complete, self._divided())

    def _set(self, name, kind, other, disjoint, complete):
        other = self._module._own(other)
        if other._fields:
            raise TypeError(f"sets are of elements with all their fields, not "
                            f"of '{other}'")
        return self._add(name, self._extents,
                         f"{kind}({self._source()}, {other})", disjoint,
                         complete)

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
        other = self._source(other)
        return self._add(name, [*self._extents, *other._extents],
                         f"cross({self._source()}, {other})", disjoint,
                         complete)


class Graph:
    """The tasks of a graph in their order; made by :meth:`Module.graph`."""

    def __init__(self, module):
        self._module = module
        self._lines, self._depth, self._loops = [], 1, 0
        self._unused, self._is_open = [], True

    def _line(self, text):
        if not self._is_open:
            raise ValueError("the 'with' statement of the graph has ended")
        self._lines.append("  " * self._depth + text)

    def _close(self):
        self._is_open = False
        if self._unused:
            raise ValueError(f"'{self._unused[0]}' needs a 'with' statement, "
                             "in which its tasks stand")

    def _node(self, head, over=None, reads=(), writes=(), discards=(),
              reduces=None, with_=()):
        text = head
        if over is not None:
            text += f" over {_list(over)}"
        for word, regions in (("reads", reads), ("discards", discards),
                              ("writes", writes)):
            if regions := self._module._regions(regions):
                text += f" {word}({regions})"
        for name, regions in (reduces or {}).items():
            word = name if name.startswith("@") else f'"{name}"'
            text += f" reduces<{word}>({self._module._regions(regions)})"
        if isinstance(with_, numbers.Real) or isinstance(with_, Number):
            with_ = [with_]
        if constants := [_constant(value) for value in with_]:
            text += f" with({', '.join(constants)})"
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
        self._node(f"rdir.fill {' : '.join(_literal(value, kind))}", over=over,
                   writes=writes)

    def copy(self, reads, writes, over=None):
        """Copies fields to fields of the same elements."""
        self._node("rdir.copy", over=over, reads=reads, writes=writes)

    def _body(self, head, value=None):
        # What is never entered would be missing from the graph.
        self._unused.append(head)
        return self._entered(head, value)

    @contextlib.contextmanager
    def _entered(self, head, value):
        self._unused.remove(head)
        self._line(head + " {")
        self._depth += 1
        try:
            yield value
        finally:
            self._depth -= 1
            self._line("}")

    def loop(self, count=None, while_=None):
        """Repeats what follows in a ``with`` statement."""
        words = "" if count is None else f" {_number(count)}"
        words += self._module._while(while_)
        return self._body("rdir.loop" + words)

    def iterations(self, count):
        """The same, with the number of the iteration as a number."""
        self._loops += 1
        name = f"%n{self._loops}"
        return self._body(f"rdir.loop {name} in {_number(count)}",
                          Number({name: 1}))

    def if_(self, variable):
        """Runs what follows if a variable is not 0."""
        return self._body(f"rdir.loop if {self._module._own(variable)}")


def _constant(value):
    if isinstance(value, Number):
        return str(value)
    return " : ".join(_literal(value))


class _Folder:
    """A folder with files, removed when nothing uses it any more."""

    def __init__(self, files):
        self.path = tempfile.mkdtemp(prefix="sluice-")
        weakref.finalize(self, shutil.rmtree, self.path, True)
        self.files = files
        self.paths = _write(self.path, files)


def _write(folder, files):
    """Writes files, names and texts; returns their paths."""
    paths = []
    for name, text in files:
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    return paths


def _paths(tasks):
    """One source or several."""
    return [tasks] if isinstance(tasks, (str, bytes, os.PathLike)) else tasks


def _given(value):
    """A parameter for the command line; the checks of values are its."""
    if isinstance(value, numbers.Real) and _index(value) is None:
        return repr(float(value))
    return str(value)


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
        self._parameters = set()
        self._folder, self._known_header = None, (None, "")

    def _own(self, region):
        """A region of this module."""
        if not isinstance(region, Region):
            raise TypeError(f"expected a root, a partition or a variable, but "
                            f"got {region!r}")
        if region._module is not self:
            raise ValueError(f"'{region}' is of another module, "
                             f"'{region._module._name}'")
        return region

    def _regions(self, value):
        """One region or several, as text."""
        if isinstance(value, (Region, str)):
            value = [value]
        return ", ".join(str(self._own(region)) for region in value)

    def _while(self, variable):
        return "" if variable is None else f" while {self._own(variable)}"

    def _declare(self, name, what, line):
        if _checked(name, what) in self._names:
            raise ValueError(f"there is a '{name}' already")
        self._names.add(name)
        self._declarations.append(line)

    def parameter(self, name, value, kind=None):
        """A number that a run may set."""
        text, kind = _literal(value, kind)
        self._declare(name, "parameter",
                      f"rdir.parameter @{name} : {kind} = {text}")
        self._parameters.add(name)
        return Number({"@" + name: 1})

    def variable(self, name, value, kind=None):
        """A number that tasks may change."""
        text, kind = _literal(value, kind)
        self._declare(name, "variable",
                      f"rdir.variable @{name} : {kind} = {text}")
        return Region(self, name, [])

    def root(self, name, extents, /, **fields):
        """An array; ``fields``: their types, such as "f64"."""
        extents = _numbers(extents)
        for field, kind in fields.items():
            if not isinstance(kind, str) or not _KIND.match(kind):
                raise ValueError(f"{kind!r}, of field '{field}', is no type")
        text = ", ".join(f"{_checked(field, 'field')} : {kind}"
                         for field, kind in fields.items())
        self._declare(name, "root",
                      f"rdir.root @{name} {_list(extents)} {{{text}}}")
        return Region(self, name, extents)

    @contextlib.contextmanager
    def graph(self, name, repeats=None, while_=None):
        """A graph; ``repeats``: how often it runs, with partitions by fields
        that it changes made anew before each run."""
        graph = Graph(self)
        words = "" if repeats is None and while_ is None else " repeats"
        words += "" if repeats is None else f" {_number(repeats)}"
        words += self._while(while_)
        yield graph
        graph._close()
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

    def _kept(self, *files):
        """The folder with these files. Others get another one, as what was made
        from the files before may still be used."""
        if self._folder is None or self._folder.files != files:
            self._folder = _Folder(files)
        return self._folder

    def _files(self):
        return ((self._name + ".mlir", self.text),
                (self._name + ".cpp", self.source))

    @property
    def header(self):
        """The declarations of the functions."""
        text = self.text
        if self._known_header[0] != text:
            folder = self._kept((self._name + ".mlir", text))
            done = subprocess.run(
                [tool(), "build", *folder.paths, "--emit=header"],
                stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if done.returncode:
                raise CompileError(
                    done.stderr.decode("utf-8", "backslashreplace"))
            self._known_header = text, done.stdout.decode()
        return self._known_header[1]

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
        return _write(folder, self._files())

    def program(self, tasks=(), **options):
        """A :class:`sluice.RegionProgram`, as :func:`sluice.load` makes it;
        ``tasks``: further sources."""
        folder = self._kept(*self._files())
        module, source = folder.paths
        program = load(module, tasks=[source, *_paths(tasks)], **options)
        program._folder = folder
        return program

    def run(self, ranks=None, tasks=(), parameters=None, **named):
        """Runs the program in a process of its own, or on ranks; returns what it
        prints. Parameters are given by name, or, if they have the names of
        other arguments, in the dictionary ``parameters``."""
        parameters = dict(parameters or {})
        for name, value in (("ranks", ranks), ("tasks", tasks or None)):
            if (name in self._parameters and value is not None
                    and name not in parameters):
                raise TypeError(f"'{name}' is a parameter of the module, too: "
                                f"say parameters={{'{name}': ...}}")
        folder = self._kept(*self._files())
        words = [] if ranks is None else [f"--ranks={ranks}"]
        given = [f"--{name}={_given(value)}"
                 for name, value in {**named, **parameters}.items()]
        done = subprocess.run(
            [tool(), "run", *words, *folder.paths, *_paths(tasks), "--",
             *given],
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            error = CompileError(done.stderr.decode("utf-8", "backslashreplace"))
            raise error if any(problem.line for problem in error.problems) else \
                RunError(str(error))
        return done.stdout.decode("utf-8", "backslashreplace")
