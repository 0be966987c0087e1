"""Finite-element tasks: assembles the forms that a generator returns.

Run as a program, it compiles the forms of a generator ahead of time.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import fcntl
import functools
import glob
import hashlib
import json
import logging
import os
import sys
import tempfile
import types

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import sluice_path
import sluice_tasks
from sluice_tasks import TaskError, did_you_mean, load

missing = None  # the missing module of DOLFINx
try:
    import dolfinx
    import dolfinx.fem.petsc
    import ffcx.codegeneration.jit
    import ufl
    from mpi4py import MPI
    from petsc4py import PETSc
except ModuleNotFoundError as error:
    missing = error.name

FORMS = ("bcs", "lifting")  # entries that control how forms are assembled


# ===-- The cache of compiled forms -----------------------------------------===

_compiled = set()  # files of compiled forms that were used
_temporary = None


@contextlib.contextmanager
def _locked(folder):
    with open(os.path.join(folder, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _quiet():
    """Without the commands that distutils logs."""
    level = logging.root.manager.disable
    logging.disable(max(level, logging.INFO))
    try:
        yield
    finally:
        logging.disable(level)


def _drop_unfinished(folder):
    """Removes what a process left that was stopped while it compiled: FFCx
    would wait for it."""
    for source in glob.glob(os.path.join(folder, "*.c")):
        if not os.path.exists(source + ".cached"):
            os.remove(source)


def _drop_module(folder, name):
    for file in glob.glob(os.path.join(folder, glob.escape(name) + ".*")):
        os.remove(file)


_sound = {}  # by file: the time when its content was verified


def _stamp(file):
    info = os.stat(file)
    return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _hash(file):
    with open(file, "rb") as content:
        return hashlib.sha256(content.read()).hexdigest()


def _drop_damaged(folder):
    """Removes modules that are not as they were compiled: Python would load
    whatever stands there."""
    for file in glob.glob(os.path.join(folder, "*.so")):
        if _sound.get(file) == _stamp(file):
            continue
        try:
            with open(file + ".sha256") as stated:
                is_sound = stated.read() == _hash(file)
        except (OSError, UnicodeDecodeError):
            is_sound = False
        if is_sound:
            _sound[file] = _stamp(file)
        else:
            _drop_module(folder, os.path.basename(file).split(".")[0])


def _note_sound(folder):
    """Writes down what modules that were just compiled are."""
    for file in glob.glob(os.path.join(folder, "*.so")):
        if not os.path.exists(file + ".sha256"):
            temporary = f"{file}.sha256.{os.getpid()}"
            with open(temporary, "w") as stated:
                stated.write(_hash(file))
            os.replace(temporary, file + ".sha256")
            _sound[file] = _stamp(file)


def _meshes_of(thing):
    if isinstance(thing, ufl.Form):
        return thing.ufl_domains()
    if isinstance(thing, tuple):  # an expression and its points
        return ufl.domain.extract_domains(thing[0])
    return ()


@contextlib.contextmanager
def _same_meshes(objects):
    """FFCx changes a mesh's element when it compiles a form, and with it the
    names of all forms that it meets later: in the next process, where the
    first is compiled already, they would have other names."""
    saved = []
    for mesh in {mesh for thing in objects for mesh in _meshes_of(thing)}:
        element = mesh.ufl_coordinate_element()
        part = getattr(element, "_sub_element", None)
        saved.append((mesh, element, part, getattr(part, "_variant", None)))
    try:
        yield
    finally:
        for mesh, element, part, variant in saved:
            mesh._ufl_coordinate_element = element
            if part is not None:
                part._variant = variant


def _with_lock(compile_objects, folder):
    """One process compiles at a time, so whatever is not ready is broken."""
    @functools.wraps(compile_objects)
    def compile_locked(objects, parameters=None, cache_dir=None, **settings):
        if cache_dir is None or str(cache_dir) != folder:
            return compile_objects(objects, parameters, cache_dir, **settings)
        with _locked(folder), _quiet(), _same_meshes(objects):
            _drop_unfinished(folder)
            _drop_damaged(folder)
            try:
                result = compile_objects(objects, parameters, cache_dir,
                                         **settings)
            except ImportError as error:  # a damaged file
                if not error.name:
                    raise
                _drop_module(folder, error.name)
                result = compile_objects(objects, parameters, cache_dir,
                                         **settings)
            _note_sound(folder)
            # The file's time tells when the form was last used (see
            # Base/Store.h).
            os.utime(result[1].__file__ + ".sha256")
        _compiled.add(result[1].__file__)
        return result
    return compile_locked


@functools.cache
def prepare(folder):
    """Lets DOLFINx and FFCx keep what they compile in `folder`."""
    global _temporary
    if missing:
        raise TaskError(f"finite-element tasks need DOLFINx, and there is no "
                        f"module '{missing}': install the package "
                        "'python3-dolfinx'")
    if not folder:
        _temporary = tempfile.TemporaryDirectory(prefix="sluice-forms-")
        folder = _temporary.name
    jit = ffcx.codegeneration.jit
    for name in ("compile_elements", "compile_forms", "compile_expressions"):
        setattr(jit, name, _with_lock(getattr(jit, name), folder))
    defaults = dolfinx.jit.DOLFINX_DEFAULT_JIT_PARAMETERS
    defaults["cache_dir"] = (folder, defaults["cache_dir"][1])
    defaults["timeout"] = (600, defaults["timeout"][1])


# ===-- What a generator returns --------------------------------------------===

def _is_compiled(value):
    return isinstance(value, dolfinx.fem.forms.FormMetaClass)


def is_form(value):
    return isinstance(value, ufl.Form) or _is_compiled(value)


def _is_function(value):
    return isinstance(value, (types.FunctionType, types.MethodType,
                              types.BuiltinFunctionType, functools.partial))


def _is_sequence_of_functions(value):
    return (isinstance(value, (list, tuple)) and len(value) > 0
            and all(map(_is_function, value)))


def is_kernel(value):
    return (is_form(value) or _is_function(value)
            or _is_sequence_of_functions(value))


def rank_of(form):
    return form.rank if _is_compiled(form) else len(form.arguments())


def _entries_of(result, place):
    entries = result[0] if isinstance(result, tuple) and result else result
    if isinstance(entries, dict):
        return entries
    raise TaskError(
        f"{place} returned a {type(result).__name__}, expected a dictionary "
        "of forms, or a tuple that begins with one")


def generate(module, generator):
    """What the generator of a module returns, and its dictionary."""
    loaded = load(module)
    place = f"'{generator}' of module '{module}' ({loaded.__file__})"
    function = getattr(loaded, generator, None)
    if not callable(function):
        raise TaskError(f"there is no function {place}"
                        + did_you_mean(generator, vars(loaded)))
    result = function()
    return result, _entries_of(result, place)


def find_kernel(entries, kernel, module, generator):
    where = f"'{generator}' of module '{module}'"
    if kernel not in entries:
        names = [name for name, value in entries.items() if is_kernel(value)]
        raise TaskError(f"{where} returns no form '{kernel}'"
                        + (did_you_mean(kernel, names)
                           or f"; it has {', '.join(map(str, names)) or 'none'}"
                           ))
    value = entries[kernel]
    if kernel in FORMS or not is_kernel(value):
        raise TaskError(f"entry '{kernel}' of {where} is a "
                        f"{type(value).__name__}, expected a form or a "
                        "function")
    return value


# ===-- Boundary conditions -------------------------------------------------===

def conditions_of(entries, kernel):
    """The boundary conditions of a form: those of all, or those that a
    dictionary names for it."""
    conditions = entries.get("bcs", [])
    if isinstance(conditions, dict):
        conditions = conditions.get(kernel, [])
    if not isinstance(conditions, (list, tuple)):
        conditions = [conditions]
    return list(conditions)


def _named_lifting(entries, kernel):
    name = entries["lifting"][kernel]
    if name is not None and not (name in entries and is_form(entries[name])
                                 and rank_of(entries[name]) == 2):
        raise TaskError(f"entry 'lifting' gives '{kernel}' the form {name!r}, "
                        "which is no bilinear form of the dictionary")
    return name


def _space_of(form):
    return (form.function_spaces[0] if _is_compiled(form)
            else form.arguments()[0].ufl_function_space()._cpp_object)


def lifting_of(entries, kernel):
    """Name of the bilinear form whose columns carry the values of boundary
    conditions to the right-hand side `kernel`; None: to be left as it is."""
    if kernel in entries.get("lifting", {}):
        return _named_lifting(entries, kernel)
    if not conditions_of(entries, kernel):
        return None
    space = _space_of(entries[kernel])
    names = [name for name, value in entries.items()
             if is_form(value) and rank_of(value) == 2
             and _space_of(value) == space and conditions_of(entries, name)]
    if len(names) == 1:
        return names[0]
    raise TaskError(
        f"there are boundary conditions, and {len(names) or 'no'} bilinear "
        f"forms whose columns could carry them to '{kernel}': add the entry "
        f"\"lifting\": {{\"{kernel}\": NAME}}, or None for NAME to leave "
        f"'{kernel}' as it is")


# ===-- Assembly ------------------------------------------------------------===

class Context:
    """What a generator made for one run."""

    def __init__(self, module, generator):
        self.module, self.generator = module, generator
        self.result, self.entries = generate(module, generator)
        self.met = set()  # ids of dictionaries that contain the state
        self.compiled = {}

    def form(self, name):
        """The compiled form of an entry."""
        if name not in self.compiled:
            self.compiled[name] = dolfinx.fem.form(self.entries[name])
        return self.compiled[name]

    def assemble(self, kernel, dictionary):
        value = find_kernel(self.entries, kernel, self.module, self.generator)
        self.share(dictionary)
        result = (self.evaluate(kernel) if is_form(value)
                  else self.invoke(value, dictionary))
        if result is not None:
            dictionary[kernel] = result

    def share(self, dictionary):
        """Puts everything else that the generator returned into a
        dictionary, once."""
        if id(dictionary) in self.met:
            return
        for name, value in self.entries.items():
            if is_kernel(value):
                continue
            if name in dictionary and dictionary[name] is not value:
                raise TaskError(
                    f"the PyObj has an entry '{name}' already, which "
                    f"'{self.generator}' of module '{self.module}' adds; "
                    "rename one of the two")
            dictionary[name] = value
        self.met.add(id(dictionary))

    @staticmethod
    def invoke(value, dictionary):
        functions = [value] if _is_function(value) else value
        result = None
        for function in functions:
            result = function(dictionary)
        return result

    def evaluate(self, kernel):
        form = self.form(kernel)
        return (self.number, self.vector, self.matrix)[form.rank](kernel, form)

    def number(self, kernel, form):
        part = dolfinx.fem.assemble_scalar(form)
        return form.mesh.comm.allreduce(part, op=MPI.SUM)

    def vector(self, kernel, form):
        petsc = dolfinx.fem.petsc
        lifting = lifting_of(self.entries, kernel)
        vector = petsc.assemble_vector(form)
        conditions = conditions_of(self.entries, kernel)
        if lifting is not None:
            petsc.apply_lifting(vector, [self.form(lifting)], [conditions])
        vector.ghostUpdate(addv=PETSc.InsertMode.ADD,
                           mode=PETSc.ScatterMode.REVERSE)
        if lifting is not None:
            petsc.set_bc(vector, conditions)
        return vector

    def matrix(self, kernel, form):
        conditions = conditions_of(self.entries, kernel)
        matrix = dolfinx.fem.petsc.assemble_matrix(form, bcs=conditions)
        matrix.assemble()
        return matrix


# ===-- Compiling ahead of time ---------------------------------------------===

def _problem_of(entries, kernel, request):
    """What is wrong with a kernel, or None; compiles its form."""
    try:
        value = find_kernel(entries, kernel, request["module"],
                            request["generator"])
        if is_form(value) and rank_of(value) == 1:
            lifting_of(entries, kernel)
    except TaskError as error:
        return str(error)
    return None


def _compile(request):
    prepare(request["folder"])
    _, entries = generate(request["module"], request["generator"])
    problems = {kernel: _problem_of(entries, kernel, request)
                for kernel in request["kernels"]}
    for name, value in entries.items():
        if isinstance(value, ufl.Form):
            try:
                dolfinx.fem.form(value)
            except Exception as error:
                problems[name] = f"cannot compile form '{name}': {error}"
    return {"problems": {kernel: problem for kernel, problem
                         in problems.items() if problem}}


def _used_files():
    """Files of the program, and of the tools that compiled its forms."""
    import basix
    tools = [sys.executable, basix.__file__, dolfinx.__file__,
             dolfinx.cpp.__file__, ffcx.__file__, ufl.__file__,
             os.path.join(os.path.dirname(ffcx.__file__), "codegeneration",
                          "ufcx.h"), __file__]
    modules = [getattr(module, "__file__", None)
               for module in list(sys.modules.values())]
    own = [file for file in modules
           if file and sluice_path.is_program_file(file)]
    return sorted(set(own)), sorted(set(tools))


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    try:
        with sluice_path.modules_of(request["path"]):
            answer = _compile(request)
        answer["modules"], answer["tools"] = _used_files()
        answer["compiled"] = sorted(_compiled)
    except TaskError as error:
        answer = {"error": str(error)}
    except BaseException as error:
        answer = {"error": sluice_tasks.describe(error)}
    with open(sys.argv[2], "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main()
