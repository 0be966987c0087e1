"""What goes wrong, and the line of Python that it is about."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys
import traceback
import warnings
from dataclasses import dataclass

import numpy

_FIRST_LINE = "exception in Python:"
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


@dataclass(frozen=True)
class Problem:
    """One message of the compiler, and its place; line 0: not known."""

    severity: str
    message: str
    file: str
    line: int
    column: int


class SluiceError(RuntimeError):
    """What all errors of this package have in common."""


class CompileError(SluiceError):
    """The graph was refused, or could not be compiled.

    The text has all problems, a line each; so has ``problems``, as a list of
    :class:`Problem`.
    """

    def __init__(self, text):
        super().__init__(text)
        self.problems = problems_in(text)


class RunError(SluiceError):
    """A task failed, or a result was asked for that is not there.

    If a Python function failed, ``__cause__`` is its exception.
    """


class SluiceWarning(UserWarning):
    """What the compiler says besides errors."""


_MESSAGE = re.compile(
    r"^(?:(?P<file>[^\n]*?):(?P<line>\d+):(?:(?P<column>\d+):)? )?"
    r"(?P<severity>error|warning|remark|note): (?P<message>.*)$", re.M)


def problems_in(text):
    """The messages in a text of the compiler."""
    return [Problem(found["severity"], found["message"], found["file"] or "",
                    int(found["line"] or 0), int(found["column"] or 0))
            for found in _MESSAGE.finditer(text)]


def place(frame=None):
    """Where the first caller outside of this package is: file, line, column."""
    frame = frame or sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    if not frame:
        return "", 0, 0
    column = 0
    for index, entry in enumerate(frame.f_code.co_positions()):
        if index == frame.f_lasti // 2:
            line, _, start, _ = entry
            if line == frame.f_lineno and start is not None:
                column = start + 1
            break
    # File names may contain bytes that are not text.
    file = frame.f_code.co_filename.encode("utf-8", "backslashreplace").decode()
    return file, frame.f_lineno or 0, column


_registries = {}  # by file: the warnings already given, in the form of
                  # Python's modules


def tell(text):
    """Warns of what the compiler said, at the lines it is about."""
    for problem in problems_in(text):
        if problem.severity == "note":
            continue
        if problem.line:
            warnings.warn_explicit(problem.message, SluiceWarning,
                                   problem.file, problem.line,
                                   registry=_registries.setdefault(
                                       problem.file, {}))
        else:
            warnings.warn(problem.message, SluiceWarning, stacklevel=4)


def forget_values(error):
    """Drops the local variables of the functions that an exception left: they
    may be views of memory that is in use only while a task runs."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        trace = error.__traceback__
        while trace:
            try:
                trace.tb_frame.clear()
            except RuntimeError:
                pass  # still running
            trace = trace.tb_next
        if error.__cause__ is not None and error.__context__ is not None \
                and error.__cause__ is not error.__context__:
            forget_values(error.__cause__)
        error = error.__context__ or error.__cause__


def short_text(error):
    """The last lines of an exception: its type and what it says."""
    return "".join(traceback.format_exception_only(error)).rstrip("\n")


def run_error(text, failures):
    """The error of a run in which these exceptions left functions. If the text
    is about one, the first is its cause; then the traceback need not be in the
    text."""
    start = text.find(_FIRST_LINE)
    if not failures or start < 0:
        return RunError(text)
    error = RunError(text[:start] + short_text(failures[0]))
    error.__cause__ = failures[0]
    return error


def copy_values(error):
    """Has an exception keep copies of the arrays in its arguments."""
    try:
        error.args = tuple(
            value.copy() if isinstance(value, numpy.ndarray) else value
            for value in error.args)
    except Exception:  # one of the user's exceptions with its own arguments
        pass
