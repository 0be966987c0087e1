# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the HPVM-C programs with `sluice`, or in HPVM 1.0's manner."""

import os
import shutil

from . import toolchain
from .program import Program
from .toolchain import BENCH, CLANG_FLAGS

LABEL = "Sluice"
AT_LAUNCH = "Sluice, extents at launch"

HEADERS = [BENCH / "common/harness.h", BENCH / "nd/problems.h",
           BENCH / "nd/extents.h"]


def forget_variants(folder):
    """Variants of an earlier compiler must not run in place of this one's."""
    shutil.rmtree(folder / "sluice-cache", ignore_errors=True)


def environment(folder, threads):
    cache = folder / "sluice-cache"
    return {"SLUICE_WORKERS": str(threads), "SLUICE_CACHE_DIR": str(cache)}


def build(compiler, folder, source, name, defines=()):
    """Makes an executable; the compiler itself is one of its inputs."""
    path = BENCH / "nd" / f"{source}.c"
    output = folder / f"sluice-{name}"
    command = [compiler, "build", "-O3", "-march=native", *defines, path,
               "-o", output]
    return toolchain.build(output, command, HEADERS + [path, compiler],
                           {**os.environ, **environment(folder, 2)})


def start(executable, label, folder, threads):
    return Program(label, [executable], environment(folder, threads))


def build_sequential(folder, source, defines=()):
    """HPVM 1.0's manner: clang, and the stand-in for hpvm.h."""
    path = BENCH / "hpvm" / f"{source}.c"
    output = folder / f"sequential-{source}"
    command = [toolchain.clang(), *CLANG_FLAGS, "-I", BENCH / "hpvm", *defines,
               path, "-o", output]
    inputs = HEADERS + [path, BENCH / "hpvm/hpvm.h", BENCH / "nd" / path.name]
    return toolchain.build(output, command, inputs)
