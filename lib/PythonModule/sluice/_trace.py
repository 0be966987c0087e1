"""Records what runs do. Reports and pictures are those of 'sluice trace'."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os

from . import _core
from ._errors import CompileError, RunError
from ._show import embedded, run_tool, temporary


class Trace:
    """The timeline of all runs of this process; made by :func:`trace`."""

    def __init__(self, path):
        self.path = path

    def events(self):
        """The events so far, as Chrome's trace format has them."""
        with temporary(".json") as path:
            self.write(path)
            with open(path, encoding="utf-8") as file:
                return json.load(file)["traceEvents"]

    def write(self, path):
        """Writes the timeline so far; ui.perfetto.dev opens it."""
        try:
            _core.write_trace(os.fspath(path))
        except _core.RunError as error:
            raise RunError(str(error)) from None

    def report(self):
        """Where the time went, as 'sluice trace' prints it."""
        return self._tool()

    def svg(self):
        """A row for each worker and device, the text of an SVG file."""
        with temporary(".svg") as path:
            self._tool("-o", path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _tool(self, *options):
        with temporary(".json") as path:
            self.write(path)
            try:
                return run_tool("trace", path, *options)
            except CompileError as error:
                raise RunError(str(error)) from None

    def _repr_svg_(self):
        return embedded(self.svg())


def trace(path):
    """Records all runs from now on: ``path`` has the timeline when the process
    ends. To be called before the first run. The result shows in a notebook what
    there is so far."""
    path = os.path.abspath(os.fspath(path))
    os.environ["SLUICE_TRACE"] = path
    return Trace(path)
