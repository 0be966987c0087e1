# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers of `bench device`: kernels written by hand."""

import glob
import os
import pathlib
import shutil

from . import toolchain
from .peers import Peer
from .toolchain import BENCH, GCC_FLAGS, Missing

OPENCL = "OpenCL by hand"
CUDA = "CUDA by hand"
CUBLAS = "cuBLAS"
CUDA_LAUNCHES = "CUDA, launch by launch"
OPENMP = "OpenMP target"

# Peers that have something to say in one row only: their name of it.
SPECIAL_ROWS = {CUBLAS: {"matmul-tiled": "matmul-cublas"},
                CUDA_LAUNCHES: {"chain": "chain-launches"}}

HEADERS = [BENCH / "common/harness.h", BENCH / "nd/problems.h",
           BENCH / "device/problems.h"]


def has_gpu():
    return os.path.exists("/dev/nvidiactl")


def pocl_environment(options):
    """As many threads as the others, and a cache that earlier runs filled."""
    return pocl_settings(options.output, options.threads)


def pocl_settings(folder, threads):
    cache = folder / "pocl-cache"
    cache.mkdir(parents=True, exist_ok=True)
    return {"POCL_MAX_PTHREAD_COUNT": str(threads),
            "POCL_CACHE_DIR": str(cache)}


def opencl(folder, threads):
    source = BENCH / "device/opencl/opencl.c"
    kernels = BENCH / "device/opencl/kernels.cl"
    compiler = toolchain.gcc()
    toolchain.need_file("/usr/include/CL/cl.h", "opencl-headers")
    toolchain.need_file("/usr/lib/*/libOpenCL.so", "ocl-icd-opencl-dev")
    toolchain.need_file("/etc/OpenCL/vendors/pocl.icd", "pocl-opencl-icd")
    output = folder / "device-opencl"
    toolchain.build(output, [compiler, *GCC_FLAGS,
                             f'-DKERNEL_FILE="{kernels}"', source, "-lOpenCL",
                             "-o", output],
                    [*HEADERS, *source.parent.iterdir()])
    return Peer(OPENCL, str(output), "libpocl", pocl_settings(folder, threads),
                toolchain.first_line([compiler, "--version"]))


def nvcc():
    path = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(path, os.X_OK):
        raise Missing("'nvcc' not found: install CUDA's toolkit")
    return path


def build_cuda(label, output, flags):
    sources = sorted((BENCH / "device/cuda").glob("*"))
    compiler = nvcc()
    toolchain.build(output, [compiler, "-O3", "-arch=native",
                             BENCH / "device/cuda/cuda.cu", *flags, "-o",
                             output], [*HEADERS, *sources])
    return Peer(label, str(output), "", {"BENCH_DEVICE": "cuda:0"},
                toolchain.first_line([compiler, "--version"]))


def cuda(folder, threads):
    return build_cuda(CUDA, folder / "device-cuda", [])


def cuda_launches(folder, threads):
    return build_cuda(CUDA_LAUNCHES, folder / "device-cuda", [])


def cublas(folder, threads):
    return build_cuda(CUBLAS, folder / "device-cublas",
                      ["-DWITH_CUBLAS", "-lcublas"])


OPENMP_SOURCE = BENCH / "device/openmp/openmp.c"


def libomptarget():
    """The version and path of the newest of LLVM's offloading libraries.

    Debian 12 has none of LLVM 22, and the `-dev` package of another version
    takes the place of ours: so the library alone is asked for.
    """
    for version in range(22, 15, -1):
        found = glob.glob(f"/usr/lib/llvm-{version}/lib/libomptarget.so*")
        if found:
            return version, pathlib.Path(sorted(found)[-1])
    raise Missing("'libomptarget.so' not found: apt-get install libomp5-19")


def openmp_peer(output, compiler, flags, library, environment):
    toolchain.build(output, [compiler, "-O3", "-march=native", *flags,
                             OPENMP_SOURCE, "-o", output],
                    [*HEADERS, OPENMP_SOURCE])
    # An error instead of the host where there is no device.
    return Peer(OPENMP, str(output), library, {"OMP_TARGET_OFFLOAD": "MANDATORY",
                                          **environment},
                toolchain.first_line([compiler, "--version"]))


def openmp(folder, threads):
    """Clang's device that is the host's cores, with memory of its own."""
    version, library = libomptarget()
    tools = f"/usr/lib/llvm-{version}/bin"
    compiler = toolchain.find([f"{tools}/clang"], f"clang-{version}")
    toolchain.need_file(f"{tools}/clang-offload-packager",
                        f"clang-tools-{version}")
    links = folder / f"openmp-{version}"
    links.mkdir(parents=True, exist_ok=True)
    for name, target in {"libomptarget.so": library,
                         "libomp.so": library.parent / "libomp.so.5"}.items():
        (links / name).unlink(missing_ok=True)
        (links / name).symlink_to(target)
    flags = ["-fopenmp=libomp", "-fopenmp-targets=x86_64-pc-linux-gnu",
             "-nogpulib", f"-L{links}", f"-Wl,-rpath,{library.parent}"]
    return openmp_peer(folder / "device-openmp", compiler, flags, "libomp",
                       {"OMP_NUM_THREADS": str(threads)})


def openmp_gpu(folder, threads):
    """GCC's: its package lies beside LLVM's, which those of LLVM do not."""
    compiler = toolchain.find(["gcc-12"], "gcc-12")
    toolchain.need_file("/usr/lib/gcc/*/12/accel/nvptx-none/mkoffload",
                        "gcc-12-offload-nvptx")
    toolchain.need_file("/usr/lib/*/libgomp-plugin-nvptx.so.1",
                        "libgomp-plugin-nvptx1")
    flags = ["-fopenmp", "-foffload=nvptx-none",
             "-foffload-options=nvptx-none=-misa=sm_80", "-no-pie",
             "-DMATMUL_COLUMNS=1"]
    return openmp_peer(folder / "device-openmp-gpu", compiler, flags,
                       "libgomp", {})


OPENCL_MAKERS = {OPENCL: opencl, OPENMP: openmp}
CUDA_MAKERS = {CUDA: cuda, CUDA_LAUNCHES: cuda_launches, CUBLAS: cublas,
               OPENMP: openmp_gpu}
