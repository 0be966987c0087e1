"""Programs over regions, described in Python: see :class:`Module`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import numbers
import os
import re
import shutil
import subprocess
import tempfile
import weakref

from ._errors import CompileError, RunError
from ._kernels import HalideKernel
from ._programs import load
from ._region_functions import Functions, file_of, name_of_function, \
    refuse_inside
from ._region_generators import Generator
from ._region_graphs import Graph
from ._region_numbers import Number, check_name, i, j, k, list_text, literal, \
    number_of, numbers_of, whole_number
from ._region_parts import Region
from ._show import tool

__all__ = ["Graph", "Module", "Number", "Region", "i", "j", "k"]

_KIND = re.compile(r"[A-Za-z0-9<>]+\Z")


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


def _environment():
    """That of a process whose functions in Python find this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    extra = os.environ.get("EXTRA_PYTHONPATH")
    return {**os.environ,
            "EXTRA_PYTHONPATH": f"{extra}:{package}" if extra else package}


def _given(value):
    """A parameter for the command line; the checks of values are its."""
    if isinstance(value, numbers.Real) and whole_number(value) is None:
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
        def relax(task, halo, block):      # parts, with arrays of NumPy
            ...

        with heat.graph("main") as graph, graph.loop(steps):
            graph.task(relax, over=[4, 4], reads=halos.of("now"),
                       writes=blocks.of("next"))
            graph.copy(over=[4, 4], reads=blocks.of("next"),
                       writes=blocks.of("now"))
        heat.program()(n=64, plate={"now": now, "next": next})

    Functions of tasks are Python, or C++: :meth:`code`.
    What is wrong is said by 'sluice check' when the program is first needed.
    """

    def __init__(self, name):
        self._name = check_name(name, "module")
        self._names, self._declarations, self._graphs = set(), [], []
        self._codes, self._head = {}, ""
        self._functions = Functions(name, {})
        self._reducing = set()  # functions of tasks that reduce
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
        if check_name(name, what) in self._names:
            raise ValueError(f"there is a '{name}' already")
        self._names.add(name)
        self._declarations.append(line)

    def parameter(self, name, value, kind=None):
        """A number that a run may set."""
        text, kind = literal(value, kind)
        self._declare(name, "parameter",
                      f"rdir.parameter @{name} : {kind} = {text}")
        self._parameters.add(name)
        return Number({"@" + name: 1})

    def variable(self, name, value, kind=None):
        """A number that tasks may change."""
        text, kind = literal(value, kind)
        self._declare(name, "variable",
                      f"rdir.variable @{name} : {kind} = {text}")
        return Region(self, name, [])

    def root(self, name, extents, /, **fields):
        """An array; ``fields``: their types, such as "f64"."""
        extents = numbers_of(extents)
        for field, kind in fields.items():
            if not isinstance(kind, str) or not _KIND.match(kind):
                raise ValueError(f"{kind!r}, of field '{field}', is no type")
        text = ", ".join(f"{check_name(field, 'field')} : {kind}"
                         for field, kind in fields.items())
        self._declare(name, "root",
                      f"rdir.root @{name} {list_text(extents)} {{{text}}}")
        return Region(self, name, extents)

    @contextlib.contextmanager
    def graph(self, name, repeats=None, while_=None):
        """A graph; ``repeats``: how often it runs, with partitions by fields
        that it changes made anew before each run."""
        graph = Graph(self)
        words = "" if repeats is None and while_ is None else " repeats"
        words += "" if repeats is None else f" {number_of(repeats)}"
        words += self._while(while_)
        yield graph
        graph._close()
        self._declare(name, "graph", "")
        self._graphs += [f"rdir.graph @{name}{words} {{", *graph._lines, "}"]

    def code(self, function, body):
        """The body of a function in C++; its parameters have the names of
        regions and fields, as :attr:`header` shows them. Or a function in
        Python, which gets the task and its arguments; or a HalideKernel: the
        fields that the task reads are the inputs of its generator, those that
        it writes the outputs, and numbers are numbers, each in their order."""
        check_name(function, "function")
        if isinstance(body, HalideKernel):
            body = Generator(function, body)
        elif not callable(body) and not isinstance(body, str):
            raise TypeError(f"the code of '{function}' is a text in C++, a "
                            f"function or a HalideKernel, not {body!r}")
        self._codes[function] = body

    def _name_of(self, function):
        """The name of a task's function, whose code is known if it is one in
        Python."""
        name = name_of_function(function)
        if callable(function) and \
                self._codes.setdefault(name, function) is not function:
            raise ValueError(f"there is a function '{name}' already: give this "
                             "one another name with code(name, function)")
        return name

    def _python(self):
        """The functions in Python by their names."""
        return {name: body for name, body in self._codes.items()
                if callable(body)}

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

    def _files_here(self):
        """The same for this process, with its functions in Python."""
        functions = self._python()
        if functions != self._functions.functions:
            self._functions = Functions(self._name, functions)
        here = (self._functions.file, self._functions.text)
        return self._files() + ((here,) if functions else ())

    def _objects(self):
        """The objects of generators, and that of Halide's runtime."""
        return list(dict.fromkeys(
            path for body in self._codes.values()
            if isinstance(body, Generator) for path in body.objects))

    def _python_files(self):
        """The files that define the functions in Python."""
        return list(dict.fromkeys(
            file_of(name, body) for name, body in self._python().items()))

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
        text = f'#include "{self._name}.rdir.h"\n'
        if self._objects():
            text += '#include "sluice/Halide/HalidePart.h"\n'
        text += self._head
        header = re.sub(r"/\*.*?\*/|//[^\n]*", "", self.header, flags=re.S)
        for function, body in self._codes.items():
            found = re.search(rf"^[\w ]+[ *]\b{re.escape(function)}\([^;]*\)(?=;)",
                              header, re.M)
            if not found:
                raise ValueError(f"no task calls a function '{function}'")
            if isinstance(body, Generator):
                text += "\n" + body.definition(
                    found.group(0), function in self._reducing)
            elif isinstance(body, str):
                text += f"\n{found.group(0)} {{\n{body}\n}}\n"
        return text

    def save(self, folder):
        """Writes the module and its code, as 'sluice run' takes them; returns
        the paths of both, and of the files with functions in Python. Copies
        objects of generators."""
        python = self._python_files()
        copies = [shutil.copy(path, folder) for path in self._objects()]
        return _write(folder, self._files()) + python + copies

    def program(self, tasks=(), **options):
        """A :class:`sluice.RegionProgram`, as :func:`sluice.load` makes it;
        ``tasks``: further sources."""
        refuse_inside(self._name)
        folder = self._kept(*self._files_here())
        module, *sources = folder.paths
        program = load(module, tasks=[*sources, *self._objects(),
                                      *_paths(tasks)], **options)
        program._folder, program._functions = folder, self._functions
        return program

    def run(self, ranks=None, tasks=(), parameters=None, **named):
        """Runs the program in a process of its own, or on ranks; returns what it
        prints. Parameters are given by name, or, if they have the names of
        other arguments, in the dictionary ``parameters``."""
        refuse_inside(self._name)
        parameters = dict(parameters or {})
        for name, value in (("ranks", ranks), ("tasks", tasks or None)):
            if (name in self._parameters and value is not None
                    and name not in parameters):
                raise TypeError(f"'{name}' is a parameter of the module, too: "
                                f"say parameters={{'{name}': ...}}")
        python = self._python_files()
        folder = self._kept(*self._files())
        words = [] if ranks is None else [f"--ranks={ranks}"]
        given = [f"--{name}={_given(value)}"
                 for name, value in {**named, **parameters}.items()]
        done = subprocess.run(
            [tool(), "run", *words, *folder.paths, *python, *self._objects(),
             *_paths(tasks), "--", *given],
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
            env=_environment() if python else None)
        if done.returncode:
            error = CompileError(done.stderr.decode("utf-8", "backslashreplace"))
            raise error if any(problem.line for problem in error.problems) else \
                RunError(str(error))
        return done.stdout.decode("utf-8", "backslashreplace")
