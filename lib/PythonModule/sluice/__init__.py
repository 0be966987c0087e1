# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sluice: programs as graphs of dataflow, described, checked and run from
Python, and layouts of data that are packed by code made for them.

    import numpy, sluice

    x = numpy.arange(6.0).reshape(3, 2)
    graph = sluice.TaskGraph("scale")
    data = graph.dat(x)                       # lies in the array

    def twice(data):
        data *= 2

    graph.task(twice, data)
    graph.run()                               # x has been doubled

docs/python.md introduces it.
"""

from . import pack, regions
from ._core import __version__
from ._errors import (CompileError, Problem, RunError, SluiceError,
                      SluiceWarning)
from ._graphs import Task, TaskGraph
from ._halide import load_generators
from ._kernels import CKernel, FormKernel, HalideKernel, HPVMKernel, PyKernel
from ._programs import Program, load
from ._regions import RegionProgram
from ._show import Page, Picture, show
from ._trace import Trace, trace
from ._values import (Dat, Object, Part, Reference, Scalar, Value, in_, inout,
                      out)

__all__ = [
    "CKernel", "CompileError", "Dat", "FormKernel", "HPVMKernel",
    "HalideKernel", "Object", "Page", "Part", "Picture", "Problem", "Program",
    "PyKernel", "Reference", "RegionProgram", "RunError", "Scalar",
    "SluiceError", "SluiceWarning", "Task", "TaskGraph", "Trace", "Value", "in_",
    "inout", "load", "load_generators", "out", "pack", "regions", "show", "trace",
]
