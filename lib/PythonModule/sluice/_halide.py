"""Compiles Halide generators and makes libraries of them known to this process."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile

from . import _core
from ._errors import CompileError, SluiceError
from ._kernels import words_of

_HALIDE = "/usr/include/halide14"
_loaded = []  # libraries stay loaded as long as the process runs
_temporary = []  # instead of the cache
_SOURCES = (".cpp", ".cc", ".cxx", ".C")


def load_generators(*files, flags=()):
    """Makes the Halide generators of C++ sources and shared libraries known to
    this process, for HalideKernel.

    Sources are compiled together, once for each content of them and of what
    they include, with ``flags`` added. What is registered stays: a generator
    that has been changed needs another process.
    """
    sources = [os.path.abspath(os.fspath(file)) for file in files
               if os.fspath(file).endswith(_SOURCES)]
    libraries = [os.path.abspath(os.fspath(file)) for file in files
                 if not os.fspath(file).endswith(_SOURCES)]
    if sources:
        libraries.append(_library_of(sources, words_of(flags)))
    for library in libraries:
        try:
            _loaded.append(ctypes.CDLL(library))
        except OSError as error:
            raise SluiceError(f"cannot load generators: {error}") from None


def include_folder():
    """Where <sluice/TaskGraph.h> is."""
    folder = os.path.dirname(os.path.realpath(_core.compiler_library()))
    for _ in range(4):
        for candidate in ("include", "../include"):
            path = os.path.normpath(os.path.join(folder, candidate))
            if os.path.exists(os.path.join(path, "sluice", "TaskGraph.h")):
                return path
        folder = os.path.dirname(folder)
    raise SluiceError("there is no header <sluice/TaskGraph.h>: install the "
                      "package 'libsluice-dev'")


def _compiler():
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if not compiler:
        raise SluiceError("there is no C++ compiler for generators: install "
                          "'g++', or set CXX")
    return compiler.split()


def _run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def _cache_folder():
    """Where the cache keeps libraries of generators; where it cannot be used, a
    folder that is removed when this process ends."""
    base = os.environ.get("SLUICE_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME")
        or os.path.expanduser("~/.cache"), "sluice")
    folder = os.path.join(base, "generators")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        facts = os.stat(folder)
        # No other user may be able to change the file that is about to be
        # loaded.
        if (facts.st_uid == os.geteuid() and not facts.st_mode & 0o022
                and os.access(folder, os.W_OK | os.X_OK)):
            return folder
    except OSError:
        pass
    if not _temporary:
        _temporary.append(tempfile.TemporaryDirectory(prefix="sluice-"))
    return _temporary[0].name


def _library_of(sources, flags):
    for source in sources:
        if not os.path.exists(source):
            raise FileNotFoundError(f"there is no source '{source}'")
    options = ["-std=c++17", "-O1", "-fPIC", "-isystem", _HALIDE, "-I",
               include_folder(), *flags]
    command = _compiler()
    content = hashlib.sha256(" ".join(command + options).encode())
    for source in sources:
        content.update(_run([*command, *options, "-E", "-P", source]))
    folder = _cache_folder()
    # Named as the cache names its files.
    path = os.path.join(folder, content.hexdigest()[:32] + ".so")
    if os.path.exists(path):
        with contextlib.suppress(OSError):
            os.utime(path)  # protects used entries from removal
    else:
        with tempfile.TemporaryDirectory(dir=folder) as made:
            library = os.path.join(made, "generators.so")
            _run([*command, *options, "-shared", *sources, "-o", library,
                  "-lHalide14" if os.path.exists(
                      "/usr/lib/x86_64-linux-gnu/libHalide14.so")
                  else "-lHalide"])
            os.rename(library, path)
    return path
