# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the HPVM-C programs with `sluice`, or in HPVM 1.0's manner."""

import os
import shutil

from . import toolchain
from .program import Program
from .toolchain import BENCH, CLANG_FLAGS

LABEL = "Sluice"
AT_LAUNCH = "Sluice, extents at launch"
AS_WRITTEN = "Sluice, transforms off"
ONE_WORKER = "Sluice, 1 worker"

HEADERS = [BENCH / "common/harness.h", BENCH / "nd/problems.h",
           BENCH / "nd/extents.h"]


def forget_variants(folder):
    """Variants of an earlier compiler must not run in place of this one's."""
    shutil.rmtree(folder / "sluice-cache", ignore_errors=True)


def environment(folder, threads):
    cache = folder / "sluice-cache"
    return {"SLUICE_WORKERS": str(threads), "SLUICE_CACHE_DIR": str(cache)}


def build(compiler, folder, source, name, defines=(), suite="nd"):
    """Makes an executable; the compiler itself is one of its inputs."""
    path = BENCH / suite / f"{source}.c"
    output = folder / f"sluice-{name}"
    command = [compiler, "build", "-O3", "-march=native", *defines, path,
               "-o", output]
    inputs = [path, compiler, *toolchain.sources_beside(path)]
    return toolchain.build(output, command, inputs,
                           {**os.environ, **environment(folder, 2)})


def start(executable, label, folder, threads, settings=None):
    return Program(label, [executable],
                   {**environment(folder, threads), **(settings or {})})


def note_libraries(program, facts):
    """The runtime library that our own programs really load."""
    for path in program.libraries():
        facts[LABEL]["libraries"][path] = toolchain.package_of(path)


def build_sequential(folder, source, defines=()):
    """HPVM 1.0's manner: clang, and the stand-in for hpvm.h."""
    path = BENCH / "hpvm" / f"{source}.c"
    output = folder / f"sequential-{source}"
    command = [toolchain.clang(), *CLANG_FLAGS, "-I", BENCH / "hpvm", *defines,
               path, "-o", output]
    inputs = HEADERS + [path, BENCH / "hpvm/hpvm.h", BENCH / "nd" / path.name]
    return toolchain.build(output, command, inputs)
