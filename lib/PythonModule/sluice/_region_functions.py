"""Functions in Python that tasks over regions call."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import os
import re
import sys
import weakref

from ._errors import RunError, copy_values, forget_values
from ._kernels import name_of
from ._region_numbers import check_name

# Tracebacks of tasks begin after the functions of this module.
__sluice_calls_kernels__ = True

_known = weakref.WeakValueDictionary()  # by number: Functions
_numbers = itertools.count(1)


def name_of_function(function):
    """The name by which tasks call a function, in C++ or in Python."""
    if not callable(function):
        return check_name(function, "function")
    name = name_of(function)
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"'{name}' is no name of a function: give it another "
                         "one with code(name, function)")
    return name


def file_of(name, function):
    """The file that defines a function at its top level, from which other
    processes import it."""
    module = sys.modules.get(getattr(function, "__module__", None))
    path = getattr(module, "__file__", None) or ""
    if (getattr(module, name, None) is not function
            or getattr(function, "__qualname__", name) != name):
        reason = "is not defined under this name at the top level of a file"
    elif not path.endswith(".py"):
        reason = "is defined in no .py file"
    elif getattr(module, "__package__", None):
        reason = f"is in the package '{module.__package__}'"
    else:
        return os.path.abspath(path)
    raise ValueError(f"other processes cannot import '{name}': it {reason}; "
                     "run the program in this process, or define the function "
                     "in a file of its own")


def refuse_inside(name):
    """Processes of a program import the file with its functions, which must
    not run the program in turn."""
    tasks = sys.modules.get("sluice_tasks")
    if tasks and tasks.is_in_task() and not tasks.sluice_path.is_guest:
        raise RunError(f"a process of a program runs program '{name}' as it "
                       "imports the functions of tasks: what the file does "
                       "otherwise stands under if __name__ == \"__main__\"")


class _Call:
    """Calls a function, and notes the exception that leaves it."""

    def __init__(self, function, failures):
        self._function, self._failures = function, failures

    def __call__(self, task, *arguments):
        try:
            return self._function(task, *arguments)
        except BaseException as error:
            forget_values(error)
            copy_values(error)
            self._failures.append(error)
            raise
        finally:
            del arguments


class Functions:
    """Functions of this process, which a module with :attr:`text` finds."""

    def __init__(self, name, functions):
        self.functions = dict(functions)
        self.failures = []
        self._number = next(_numbers)
        _known[self._number] = self
        self.file = re.sub(r"\W", "_", name) + "_functions.py"

    @property
    def text(self):
        return "\n".join([
            '"""Functions of the process that has described the program."""',
            "from sluice._region_functions import find", "",
            *(f'{name} = find({self._number}, "{name}")'
              for name in self.functions), ""])


def find(number, name):
    """A function of this process."""
    known = _known[number]
    return _Call(known.functions[name], known.failures)
