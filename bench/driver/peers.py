# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers of `bench nd`: how each is built, run and recognised."""

import dataclasses
import functools
import os

from . import toolchain
from .program import Program, WrongResult
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS, Missing

OPENMP_GCC = "OpenMP gcc"
OPENMP_CLANG = "OpenMP clang"
ONETBB = "oneTBB gcc"
ONETBB_CLANG = "oneTBB clang"
OPENBLAS = "OpenBLAS"
POCL = "PoCL"
# Work-groups written out by hand, instead of what an expert would write.
GROUPS_GCC = "groups by hand, OpenMP gcc"
GROUPS_CLANG = "groups by hand, OpenMP clang"
GROUPS_ONETBB = "groups by hand, oneTBB"
GROUPS = (GROUPS_GCC, GROUPS_CLANG, GROUPS_ONETBB)
EXPERTS = (OPENMP_GCC, OPENMP_CLANG, ONETBB, ONETBB_CLANG)

HEADERS = [BENCH / "common/harness.h", BENCH / "nd/problems.h",
           BENCH / "nd/groups.h", BENCH / "nd/expert.h"]


@dataclasses.dataclass
class Peer:
    label: str
    executable: str
    library: str  # what the loader must have found
    environment: dict
    version: str
    launcher: tuple = ()  # what starts the executable, say mpirun
    arguments: tuple = ()
    stops_ranks: bool = False  # which would spin between rounds


def peer(label, output, command, library, environment, version, sources):
    toolchain.build(output, command, HEADERS + sources)
    return Peer(label, str(output), library, environment, version)


def openmp_gcc(label, folder, threads):
    source = BENCH / "nd/openmp.c"
    compiler = toolchain.gcc()
    return peer(label, folder / "openmp-gcc",
                [compiler, *GCC_FLAGS, "-fopenmp", source, "-o",
                 folder / "openmp-gcc"],
                "libgomp", {"OMP_NUM_THREADS": str(threads)},
                toolchain.first_line([compiler, "--version"]), [source])


def openmp_clang(label, folder, threads):
    source = BENCH / "nd/openmp.c"
    compiler = toolchain.clang()
    toolchain.need_file("/usr/lib/llvm-22/lib/libomp.so", "libomp-22-dev")
    return peer(label, folder / "openmp-clang",
                [compiler, *CLANG_FLAGS, "-fopenmp=libomp",
                 "-fno-rtlib-add-rpath", source, "-o",
                 folder / "openmp-clang"],
                "libomp", {"OMP_NUM_THREADS": str(threads)},
                toolchain.first_line([compiler, "--version"]), [source])


def onetbb(label, compiler, name, folder, threads):
    source = BENCH / "nd/onetbb.cpp"
    found, output = compiler(), folder / name
    toolchain.need_file("/usr/include/oneapi/tbb/version.h", "libtbb-dev")
    return peer(label, output,
                [found, "-std=c++17", *GCC_FLAGS, "-fopenmp-simd", source,
                 "-ltbb", "-o", output],
                "libtbb", {"BENCH_THREADS": str(threads)},
                toolchain.first_line([found, "--version"]), [source])


def openblas(folder, threads):
    """By its own path: what 'libblas.so' is depends on Debian's alternatives."""
    source, compiler = BENCH / "nd/openblas.c", toolchain.gcc()
    header = toolchain.need_file("/usr/include/*/openblas-pthread/cblas.h",
                                 "libopenblas-dev")
    library = toolchain.need_file("/usr/lib/*/openblas-pthread/libopenblas.so",
                                  "libopenblas-dev")
    output = folder / "openblas"
    return peer(OPENBLAS, output,
                [compiler, *GCC_FLAGS, "-I", os.path.dirname(header), source,
                 library, f"-Wl,-rpath,{os.path.dirname(library)}", "-o",
                 output],
                "libopenblas", {"OPENBLAS_NUM_THREADS": str(threads)},
                toolchain.first_line([compiler, "--version"]), [source])


def pocl(folder, threads):
    source, kernels = BENCH / "nd/opencl.c", BENCH / "nd/kernels.cl"
    compiler = toolchain.gcc()
    toolchain.need_file("/usr/include/CL/cl.h", "opencl-headers")
    toolchain.need_file("/usr/lib/*/libOpenCL.so", "ocl-icd-opencl-dev")
    toolchain.need_file("/etc/OpenCL/vendors/pocl.icd", "pocl-opencl-icd")
    cache = folder / "pocl-cache"
    cache.mkdir(parents=True, exist_ok=True)
    return peer(POCL, folder / "opencl",
                [compiler, *GCC_FLAGS, f'-DKERNEL_FILE="{kernels}"', source,
                 "-lOpenCL", "-o", folder / "opencl"],
                "libpocl", {"POCL_MAX_PTHREAD_COUNT": str(threads),
                            "POCL_CACHE_DIR": str(cache)},
                toolchain.first_line([compiler, "--version"]),
                [source, kernels])


bind = functools.partial
ALL = {OPENMP_GCC: bind(openmp_gcc, OPENMP_GCC),
       OPENMP_CLANG: bind(openmp_clang, OPENMP_CLANG),
       ONETBB: bind(onetbb, ONETBB, toolchain.gxx, "onetbb"),
       ONETBB_CLANG: bind(onetbb, ONETBB_CLANG, toolchain.clangxx,
                          "onetbb-clang"),
       OPENBLAS: openblas,
       GROUPS_GCC: bind(openmp_gcc, GROUPS_GCC),
       GROUPS_CLANG: bind(openmp_clang, GROUPS_CLANG),
       GROUPS_ONETBB: bind(onetbb, GROUPS_ONETBB, toolchain.gxx, "onetbb"),
       POCL: pocl}


def start(found):
    """Starts a peer and refuses one that runs another library's threads."""
    command = [*found.launcher, found.executable, *found.arguments]
    program = Program(found.label, command, found.environment,
                      bool(found.launcher), found.stops_ranks)
    loaded = program.libraries()
    names = [os.path.basename(path) for path in loaded]
    if found.library and not any(name.startswith(found.library)
                                 for name in names):
        program.quit()
        raise WrongResult(f"'{found.label}' loaded '{' '.join(names)}', "
                          f"but '{found.library}' was expected")
    return program, loaded


def start_all(folder, threads, wanted, makers=None):
    """Returns programs by label, facts about them, and what is missing."""
    programs, facts, missing = {}, {}, []
    for label, make in (makers or ALL).items():
        if wanted and label not in wanted:
            continue
        try:
            found = make(folder, threads)
            program, loaded = start(found)
        except (Missing, WrongResult) as error:
            missing.append(f"{label}: {error}")
            continue
        programs[label] = program
        facts[label] = {"compiler": found.version,
                        "libraries": {path: toolchain.package_of(path)
                                      for path in loaded}}
    return programs, facts, missing
