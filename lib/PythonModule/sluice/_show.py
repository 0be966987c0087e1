"""Pictures and pages, in notebooks and as text; the tool 'sluice'."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import html
import os
import shutil
import subprocess
import tempfile

from . import _core
from ._errors import CompileError, SluiceError


@contextlib.contextmanager
def temporary(ending):
    """The path of a file that is gone afterwards."""
    folder = tempfile.mkdtemp(prefix="sluice-")
    try:
        yield os.path.join(folder, "file" + ending)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Page:
    """A page of HTML that a notebook shows in a frame of its own."""

    def __init__(self, text, height=600):
        self.text = text
        self.height = height

    def save(self, path):
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self):
        return (f'<iframe srcdoc="{html.escape(self.text)}" width="100%" '
                f'height="{self.height}" style="border: 0"></iframe>')


def embedded(svg):
    """A picture as a part of a page: without the declaration and the type of
    document that only a file may begin with."""
    return svg[svg.index("<svg"):]


class Picture:
    """A picture that a notebook shows."""

    def __init__(self, svg):
        self.svg = svg

    def save(self, path):
        """Writes the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self):
        return embedded(self.svg)


def tool(name="sluice"):
    """The path of a tool of this installation, or of the one in PATH."""
    folder = os.path.dirname(os.path.realpath(_core.compiler_library()))
    for _ in range(3):
        path = os.path.join(folder, "bin", name)
        if os.access(path, os.X_OK):
            return path
        folder = os.path.dirname(folder)
    found = shutil.which(name)
    if not found:
        raise SluiceError(f"there is no tool '{name}': install the package "
                          "'sluice'")
    return found


def run_tool(*arguments):
    """Runs the tool 'sluice'; raises CompileError with what it says."""
    done = subprocess.run([tool(), *map(os.fspath, arguments)],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", check=False)
    if done.returncode:
        raise CompileError(done.stderr or done.stdout)
    return done.stdout


def draw(files, ending, trace=None):
    """The text of the picture, or page, of the graphs in files; with the times
    of a trace, which is a file or is written to one."""
    with temporary(".json") as written, temporary(ending) as path:
        options = []
        if trace is not None:
            if hasattr(trace, "write"):
                trace.write(written)
                trace = written
            options = ["--trace=" + os.fspath(trace)]
        run_tool("graph", *files, *options, "-o", path)
        with open(path, encoding="utf-8") as file:
            return file.read()


def show(*files, explore=False, trace=None):
    """The graph of a program in .mlir, C or C++, as a picture, or as a page to
    explore; with ``trace``, nodes have the times of a run."""
    if explore:
        return Page(draw(files, ".html", trace))
    return Picture(draw(files, ".svg", trace))
