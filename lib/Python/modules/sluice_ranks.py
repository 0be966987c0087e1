"""Makes MPI's world of Python modules this process alone.

A program on several ranks has MPI started, but a task runs on one of them: what
its modules do over all of COMM_WORLD would wait for ranks that run other tasks.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.machinery
import sys


class _Loader:
    """Loads a module as its own loader does, and changes it then."""

    def __init__(self, loader, change):
        self._loader = loader
        self._change = change

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._change(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


class _Finder:
    """Finds modules that are changed when they are first imported."""

    def __init__(self, changes):
        self._changes = changes

    def find_spec(self, name, path=None, target=None):
        if name not in self._changes:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader, self._changes[name])
        return spec


def _change_mpi(module):
    module.COMM_WORLD = module.COMM_SELF


def _change_petsc(module):
    """PETSc has a world of its own, and starts and ends with what is in it."""
    from mpi4py import MPI
    module.init(comm=MPI.COMM_SELF)


def work_alone():
    sys.meta_path.insert(0, _Finder({"mpi4py.MPI": _change_mpi,
                                     "petsc4py": _change_petsc}))
