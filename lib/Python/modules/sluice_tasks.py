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

PACKAGES = {
    "basix": "python3-dolfinx", "cffi": "python3-cffi",
    "dolfinx": "python3-dolfinx", "ffcx": "python3-ffcx",
    "matplotlib": "python3-matplotlib", "mpi4py": "python3-mpi4py",
    "numpy": "python3-numpy", "petsc4py": "python3-petsc4py",
    "scipy": "python3-scipy", "ufl": "python3-ufl",
}


class TaskError(Exception):
    """Something that needs no traceback."""


# ===-- Folders of modules --------------------------------------------------===

_own_path = list(sys.path)  # Python's
_path = None  # text of the active program's folders
_folders = []  # before Python's own
_loaded = {}  # per program's folders: its modules


def _absolute(text):
    return [os.path.abspath(folder) for folder in text.split(":") if folder]


def _is_below(file, folders):
    return any(file.startswith(folder.rstrip("/") + "/") for folder in folders)


def _take_modules(folders):
    """Removes the modules that come from these folders, and returns them."""
    taken = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if _is_below(file, folders) and not _is_below(file, _own_path):
            taken[name] = sys.modules.pop(name)
    return taken


def use_path(path):
    """Makes modules of a program's folders importable, and forgets those of
    the program before, whose modules may have the same names."""
    global _path, _folders
    if path == _path:
        return
    folders = _absolute(path)
    if _path is not None:
        old = [folder for folder in _absolute(_path) if folder not in folders]
        _loaded[_path] = _take_modules(old)
    for folder in _folders:
        if folder in sys.path:
            sys.path.remove(folder)
    _path = path
    _folders = folders + _absolute(os.environ.get("EXTRA_PYTHONPATH", ""))
    sys.path[:0] = _folders
    sys.modules.update(_loaded.pop(path, {}))


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
    spec = importlib.machinery.PathFinder.find_spec(top, _folders)
    try:
        __import__(module)
    except ModuleNotFoundError as error:
        if not _is_itself(error, module):
            raise
        raise TaskError(f"there is no module '{module}' in "
                        f"{', '.join(_folders) or 'any folder'}") from None
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
    use_path(path)
    target = _find(load(module), function)
    _refuse_result(target(*_with_context(run, module, target, arguments)))


def call(path, run, module, function, arguments):
    return _guard(_call, path, run, module, function, arguments)


def _call_object(function, arguments):
    _refuse_result(function(*arguments))


def call_object(function, arguments):
    """Calls a function of this process, which no module has."""
    return _guard(_call_object, function, arguments)


# ===-- Finite-element tasks ------------------------------------------------===

def _assemble(path, run, module, generator, kernel, folder, dictionary):
    use_path(path)
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


def assemble(path, run, module, generator, kernel, folder, arguments):
    return _guard(_assemble, path, run, module, generator, kernel, folder,
                  *arguments)


def release(dictionary):
    """Called before a dictionary is released."""
    for contexts in _contexts.values():
        for context in contexts.values():
            context.met.discard(id(dictionary))


def end(run):
    """Called when a run has ended."""
    _contexts.pop(run, None)


def is_program_file(file):
    """True for modules of the program's folders."""
    return _is_below(file, _folders) and not _is_below(file, _own_path)
