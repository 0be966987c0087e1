# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers of `bench device`: kernels written by hand."""

import os
import shutil

from . import toolchain
from .peers import Peer
from .toolchain import BENCH, GCC_FLAGS, Missing

OPENCL = "OpenCL by hand"
CUDA = "CUDA by hand"
CUBLAS = "cuBLAS"
CUDA_LAUNCHES = "CUDA, launch by launch"

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


OPENCL_MAKERS = {OPENCL: opencl}
CUDA_MAKERS = {CUDA: cuda, CUDA_LAUNCHES: cuda_launches, CUBLAS: cublas}
