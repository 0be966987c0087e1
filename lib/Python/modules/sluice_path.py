"""Where programs find their modules: sys.path and sys.modules of their tasks.

As the folder of 'python3 script.py' does, the folders of a program stand before
all others, so their modules come before installed and standard ones of the same
name, which are put aside; only those that are a part of the interpreter always
come first. In a process of somebody else this holds while a task runs: before
and after it, the process finds the modules that it would find without Sluice.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import importlib.machinery
import inspect
import os
import sys

is_guest = False  # True if the host has started Python
_own_path = list(sys.path)  # the path of Python itself, or of the process
_programs = {}  # by the text of their folders
_current = None  # the program whose modules can be imported
_users = []  # programs of running tasks; None for functions of the process


def _absolute(text):
    return [os.path.abspath(folder) for folder in text.split(":") if folder]


def _folder_of(module):
    """The folder in which a top-level module or package was found, or None."""
    file = getattr(module, "__file__", None)
    package = list(getattr(module, "__path__", ()))
    place = package[0] if package else file
    return os.path.dirname(os.path.abspath(place)) if place else None


def _is_built_in(module):
    spec = getattr(module, "__spec__", None)
    return getattr(spec, "origin", None) in ("built-in", "frozen")


def _take(name):
    """Removes a module with those below it from the imported ones, and returns
    them."""
    if not hasattr(sys.modules[name], "__path__"):  # no package
        return {name: sys.modules.pop(name)}
    below = name + "."
    return {key: sys.modules.pop(key) for key in list(sys.modules)
            if key == name or key.startswith(below)}


class _Program:
    """The folders of a program, and what it has imported from them."""

    def __init__(self, path):
        self.folders = _absolute(path) + _absolute(
            os.environ.get("EXTRA_PYTHONPATH", ""))
        self._own = []  # the folders that only this program has
        self._modules = {}  # modules from these folders, while the program is
                            # not current
        self._others = {}  # modules that they replace, while it is current
        self._listings = {}  # folder -> its time, names

    def _names(self):
        """What the own folders may have modules for."""
        names = set()
        for folder in self._own:
            try:
                time = os.stat(folder).st_mtime_ns
                if self._listings.get(folder, (None,))[0] != time:
                    entries = {inspect.getmodulename(entry) or entry
                               for entry in os.listdir(folder)}
                    self._listings[folder] = time, {
                        name for name in entries if name.isidentifier()
                        and not name.startswith("__")}
                names |= self._listings[folder][1]
            except OSError:
                pass  # a folder that does not exist has no modules
        return names

    def _is_shadowed(self, name):
        """True for a module of another folder, which 'import' would not find
        if it were not imported already."""
        module = sys.modules[name]
        folder = _folder_of(module)
        if (module is None or _is_built_in(module) or folder in self._own
                or folder == os.path.dirname(os.path.abspath(__file__))):
            return False
        spec = importlib.machinery.PathFinder.find_spec(name, self._own)
        return spec is not None and spec.loader is not None

    def enter(self):
        known = {os.path.abspath(entry) for entry in sys.path
                 if isinstance(entry, str)}
        self._own = [folder for folder in self.folders if folder not in known]
        sys.path[:0] = self.folders
        for name in self._names() & sys.modules.keys():
            if self._is_shadowed(name):
                self._others.update(_take(name))
        sys.modules.update(self._modules)
        self._modules = {}

    def leave(self):
        for name in self._names() & sys.modules.keys():
            if _folder_of(sys.modules[name]) in self._own:
                self._modules.update(_take(name))
        sys.modules.update(self._others)
        self._others = {}
        for folder in self.folders:
            if folder in sys.path:
                sys.path.remove(folder)


def _switch(program):
    global _current
    if program is _current:
        return
    if _current:
        _current.leave()
    _current = program
    if program:
        program.enter()


@contextlib.contextmanager
def modules_of(path):
    """While a task runs, the modules of its program can be imported; those of
    the process alone if `path` is None. Programs may have modules of the same
    names. Tasks that wait for others let these run in between, also on other
    threads, so they need not end in the order of stacks."""
    program = path
    if path is not None:
        if path not in _programs:
            _programs[path] = _Program(path)
        program = _programs[path]
    _users.append(program)
    _switch(program)
    try:
        yield
    finally:
        _users.remove(program)
        if _users:
            _switch(_users[-1])
        elif is_guest:
            _switch(None)


def folders():
    """Those of the program whose task runs."""
    return _current.folders if _current else []


def is_program_file(file):
    """True for files of the program's folders that are not Python's."""
    def is_below(places):
        return any(file.startswith(folder.rstrip("/") + "/")
                   for folder in places)
    return is_below(folders()) and not is_below(_own_path)
