# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench micro`: the runtime alone, with plans written by hand."""

import json
import os
import pathlib
import subprocess

from . import toolchain
from .toolchain import BENCH, CLANG_FLAGS, ROOT

ROWS = []  # Google Benchmark's own filters choose


def runtime_library(ends=(".so", ".a")):
    """The newest runtime built here, that of `release` before others."""
    names = [f"libSluiceRuntime{end}" for end in ends]
    found = [p for name in names for p in ROOT.glob(f"build/*/lib/{name}")]
    release = [p for p in found if p.parent.parent.name == "release"]
    if not found:
        raise toolchain.Missing(f"'build/release/lib/{names[0]}' not "
                                "found: ./dev build")
    return max(release or found, key=lambda p: p.stat().st_mtime)


def build(folder, compiler):
    """Builds it with the runtime of that compiler, or the newest one."""
    beside = pathlib.Path(compiler or "").parent.parent / "lib"
    library = beside / "libSluiceRuntime.so"
    if not compiler or not library.exists():
        library = runtime_library()
    source, output = BENCH / "micro/runtime.cpp", folder / "micro-runtime"
    compiler = toolchain.clang() + "++"
    command = [compiler, "-std=c++20", *CLANG_FLAGS, "-I", ROOT / "include",
               source, library, f"-Wl,-rpath,{library.parent}", "-lbenchmark",
               "-pthread", "-o", output]
    toolchain.need_file("/usr/include/benchmark/benchmark.h",
                        "libbenchmark-dev")
    return toolchain.build(output, command, [source, library])


def check(program, environment):
    """Runs each graph for a moment; the program counts what it runs."""
    done = subprocess.run([program, "--benchmark_min_time=0.001",
                           "--benchmark_format=json"],
                          env=environment, stdout=subprocess.PIPE, text=True)
    print("bench micro: results only, nothing is timed")
    if done.returncode:
        print(f"  WRONG: exit code {done.returncode}")
        return 1
    names = [run["name"] for run in json.loads(done.stdout)["benchmarks"]]
    for name in names:
        print(f"  {name}: right")
    print(f"checked {len(names)} graphs")
    return 0 if names else 1


def run(options):
    """Builds and runs it; returns its exit code."""
    program = build(options.output, options.sluice)
    environment = {**os.environ, "SLUICE_WORKERS": str(options.threads)}
    if options.check:
        return check(program, environment)
    return subprocess.run(
        [program, f"--benchmark_repetitions={options.rounds}",
         "--benchmark_report_aggregates_only=true",
         f"--benchmark_out={options.output / 'micro.json'}",
         "--benchmark_out_format=json"], env=environment).returncode
