"""Calls the functions of Python tasks; loaded by libSluicePython.

Every function that C++ calls returns None, or what went wrong as text.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import difflib
import importlib.machinery
import inspect
import os
import reprlib
import sys
import threading
import traceback

import sluice_path

PACKAGES = {
    "basix": "python3-dolfinx", "cffi": "python3-cffi",
    "dolfinx": "python3-dolfinx", "ffcx": "python3-ffcx",
    "matplotlib": "python3-matplotlib", "mpi4py": "python3-mpi4py",
    "numpy": "python3-numpy", "petsc4py": "python3-petsc4py",
    "scipy": "python3-scipy", "ufl": "python3-ufl",
}


class TaskError(Exception):
    """Something that needs no traceback."""


# ===-- Modules of tasks ----------------------------------------------------===

def be_guest():
    """Called where somebody else has started Python."""
    sluice_path.is_guest = True


def _missing_text(error):
    package = PACKAGES.get((error.name or "").partition(".")[0])
    return f"; install the package '{package}'" if package else ""


def _is_itself(error, module):
    return module == error.name or module.startswith((error.name or "?") + ".")


def load(module):
    """Imports a task's module."""
    top = module.partition(".")[0]
    if module not in sys.modules:
        importlib.invalidate_caches()
    folders = sluice_path.folders()
    spec = importlib.machinery.PathFinder.find_spec(top, folders)
    try:
        __import__(module)
    except ModuleNotFoundError as error:
        if not _is_itself(error, module):
            raise
        raise TaskError(
            f"there is no module '{module}' in "
            f"{', '.join(folders) or 'any folder'}") from None
    found = getattr(sys.modules[top], "__file__", None)
    if spec and spec.origin and (
            not found or os.path.realpath(found)
            != os.path.realpath(spec.origin)):
        raise TaskError(
            f"the name '{top}' is taken by {found or 'a part of Python'}, so "
            f"{spec.origin} needs another name")
    return sys.modules[module]


def did_you_mean(name, names):
    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean '{close[0]}'?" if close else ""


# ===-- Errors --------------------------------------------------------------===

def _is_ours(frame):
    return (os.path.dirname(frame.f_code.co_filename)
            == os.path.dirname(__file__)
            or "__sluice_calls_kernels__" in frame.f_globals)


def describe(error):
    """The exception with its traceback, from the user's first line on."""
    trace = error.__traceback__
    while trace and _is_ours(trace.tb_frame):
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    text = "".join(lines).rstrip("\n")
    if isinstance(error, ModuleNotFoundError):
        text += _missing_text(error)
    return "exception in Python:\n" + text


def _flush():
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()


_thread = threading.local()


def is_in_task():
    """True on a thread that runs a task."""
    return getattr(_thread, "depth", 0) > 0


def _guard(body, *arguments):
    _thread.depth = getattr(_thread, "depth", 0) + 1
    try:
        try:
            body(*arguments)
        finally:
            _thread.depth -= 1
            _flush()
        return None
    except TaskError as error:
        text = str(error)
    except BaseException as error:  # SystemExit and KeyboardInterrupt, too
        text = describe(error)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# ===-- Python tasks --------------------------------------------------------===

_contexts = {}  # run -> module -> sluice_fem.Context


def _accepts(function, count):
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # compiled, without a signature
        return True
    return True


def _with_context(run, module, function, arguments):
    """A function with one more parameter than arguments gets what its
    module's generator returned first."""
    context = _contexts.get(run, {}).get(module)
    if (context is None or _accepts(function, len(arguments))
            or not _accepts(function, len(arguments) + 1)):
        return arguments
    return (context.result, *arguments)


def _find(module, name):
    function = getattr(module, name, None)
    if function is None:
        names = [other for other, value in vars(module).items()
                 if callable(value)]
        raise TaskError(f"module '{module.__name__}' ({module.__file__}) has "
                        f"no function '{name}'{did_you_mean(name, names)}")
    if not callable(function):
        raise TaskError(f"'{name}' of module '{module.__name__}' is a "
                        f"{type(function).__name__}, expected a function")
    return function


def _refuse_result(result):
    if result is None:
        return
    if inspect.iscoroutine(result):
        result.close()
    raise TaskError(
        f"the function returned {reprlib.repr(result)} of type "
        f"{type(result).__name__}, expected None; put results into a PyObj or "
        "an array")


def _call(path, run, module, function, arguments):
    with sluice_path.modules_of(path):
        target = _find(load(module), function)
        _refuse_result(target(*_with_context(run, module, target, arguments)))


def call(path, run, module, function, arguments):
    return _guard(_call, path, run, module, function, arguments)


def _call_object(function, arguments):
    with sluice_path.modules_of(None):
        _refuse_result(function(*arguments))


def call_object(function, arguments):
    """Calls a function of this process, which no module has."""
    return _guard(_call_object, function, arguments)


# ===-- Tasks over regions --------------------------------------------------===

def _call_region(path, module, function, point, extent, arguments, result):
    with sluice_path.modules_of(path):
        import sluice_parts
        target = _find(load(module), function)
        sluice_parts.call(target, point, extent, arguments, result)


def call_region(path, module, function, point, extent, arguments, result):
    return _guard(_call_region, path, module, function, point, extent,
                  arguments, result)


def _call_coloring(path, module, function, *arguments):
    with sluice_path.modules_of(path):
        import sluice_parts
        sluice_parts.color(_find(load(module), function), *arguments)


def call_coloring(path, module, function, *arguments):
    return _guard(_call_coloring, path, module, function, *arguments)


# ===-- Finite-element tasks ------------------------------------------------===

def _assemble(run, module, generator, kernel, folder, dictionary):
    import sluice_fem
    contexts = _contexts.setdefault(run, {})
    if module not in contexts:
        sluice_fem.prepare(folder)
        contexts[module] = sluice_fem.Context(module, generator)
    context = contexts[module]
    if context.generator != generator:
        raise TaskError(f"module '{module}' has the generators "
                        f"'{context.generator}' and '{generator}' in one "
                        "program")
    context.assemble(kernel, dictionary)


def _assemble_in(path, *arguments):
    import sluice_fem  # together with the installed modules
    with sluice_path.modules_of(path):
        _assemble(*arguments)


def assemble(path, run, module, generator, kernel, folder, arguments):
    return _guard(_assemble_in, path, run, module, generator, kernel, folder,
                  *arguments)


def release(dictionary):
    """Called before a dictionary is released."""
    for contexts in _contexts.values():
        for context in contexts.values():
            context.met.discard(id(dictionary))


def end(run):
    """Called when a run has ended."""
    _contexts.pop(run, None)
