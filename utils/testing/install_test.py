#!/usr/bin/env python3
# Tests the installed tree: it may be moved, and other projects can use it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   install_test.py sources|meta-programs --build FOLDER --source FOLDER
#
#   1. Install into a fresh folder and move that folder. Then 'sources' are 2 and 3,
#      'meta-programs' 4 and 5.
#   2. Build and run test/Install/consumer, which says find_package(Sluice).
#   3. Let the moved `sluice`, if it was built, run the example 'hello', and build
#      what `sluice init` writes, with dependencies, installed and moved. So is
#      a Python program run, by the installed package.
#   4. Build programs from meta-programs: test/Install/taskgraph by
#      find_package(Sluice), test/Install/casper by find_package(CASPER); with
#      GCC and clang, as C++17 and C++20.
#   5. Build and run the examples 'matrix' and 'blur', if Halide was at hand.

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def call(command, **settings):
    print("+", " ".join(str(word) for word in command), flush=True)
    environment = {**os.environ, **settings}
    subprocess.run(
        [str(word) for word in command], check=True, env=environment
    )


def build_consumer(options, prefix, folder):
    source = options.source / "test/Install/consumer"
    call(
        [
            options.cmake,
            "-S", source,
            "-B", folder,
            "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}",
        ]
    )
    call([options.cmake, "--build", folder])
    for program in (
        "consumer", "consumer-static",
        "pack-c", "pack-cStatic", "pack-cpp", "pack-cppStatic",
    ):
        call([folder / program])
    if (folder / "pack-fortran").exists():
        call([folder / "pack-fortran"])
    if (folder / "pack-jit").exists():
        # Found next to the library that was moved, and linked.
        call([folder / "pack-cpp", "compiled"])
        call([folder / "pack-jit", "compiled"])


def build_example(options, prefix, folder, name, *arguments):
    """Its meta-program checks what its graph computes; its executable only
    runs."""
    cache = {"SLUICE_CACHE_DIR": str(folder / "cache")}
    call(
        [
            options.cmake,
            "-S", options.source / "examples" / name,
            "-B", folder / name,
            "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}",
        ]
    )
    call([options.cmake, "--build", folder / name], **cache)
    call([folder / name / f"{name}-meta", *arguments], **cache)
    output_of(folder / name / name, folder / name)


def build_examples(options, prefix, folder):
    if not any(prefix.glob("lib/**/libSluiceHalide.so.*")):
        return
    folder.mkdir()
    build_example(options, prefix, folder, "matrix")
    build_example(options, prefix, folder, "blur",
                  options.source / "examples/blur/tulip.bmp",
                  folder / "blurred.bmp")


def run_hello(options, prefix, folder):
    hello = sorted((options.source / "examples/hello").glob("*.c*"))
    sluice = prefix / "bin/sluice"
    cache = str(folder / "cache")
    call([sluice, "run", *hello], SLUICE_CACHE_DIR=cache)
    call([sluice, "build", *hello, "-o", folder / "hello"])
    call([folder / "hello"])


def fails(command, wanted):
    """The command fails, and says so."""
    print("+", " ".join(str(word) for word in command), flush=True)
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = " ".join(done.stdout.split())
    if done.returncode == 0 or wanted not in text:
        sys.exit(f"expected a failure with '{wanted}', but got "
                 f"{done.returncode} and:\n{done.stdout}")


def write_project(script, components):
    script.write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(P C CXX)\n"
        f"find_package(Sluice REQUIRED COMPONENTS {components})\n")


def ask_for_components(options, prefix, folder):
    """What is there is found, what is missing is named."""
    folder.mkdir()
    script = folder / "CMakeLists.txt"
    for components, problem in (
        ("runtime pack", ""),
        ("frob", "Sluice has no component 'frob', only runtime, pack,"),
    ):
        write_project(script, components)
        command = [options.cmake, "-S", folder, "-B", folder / "build",
                   f"-DCMAKE_PREFIX_PATH={prefix}"]
        if problem:
            fails(command, problem)
        else:
            call(command)
    # Another LLVM that is found first is ignored.
    other = folder / "other"
    (other / "lib/cmake/llvm").mkdir(parents=True)
    (other / "lib/cmake/llvm/LLVMConfig.cmake").write_text(
        "message(FATAL_ERROR \"another LLVM\")\n")
    write_project(script, "")
    call([options.cmake, "-S", folder, "-B", folder / "build-other",
          f"-DCMAKE_PREFIX_PATH={other};{prefix}"])
    # The same as if the package for MPI were missing.
    config = next(prefix.rglob("SluiceConfig.cmake")).parent
    less = folder / "less" / config.relative_to(prefix)
    less.parent.mkdir(parents=True)
    shutil.copytree(config, less,
                    ignore=shutil.ignore_patterns("Sluice*Targets*.cmake"))
    (folder / "less/include").mkdir()
    write_project(script, "mpi")
    fails([options.cmake, "-S", folder, "-B", folder / "build",
           f"-DSluice_DIR={less}"],
          "The component 'mpi' of Sluice is not installed; on Debian it is in "
          "the package 'sluice-mpi-openmpi' or 'sluice-mpi-mpich'.")


def use_pkg_config(options, prefix, folder):
    if not shutil.which("pkg-config"):
        return
    where = str(next(prefix.rglob("sluice-pack.pc")).parent)
    environment = {**os.environ, "PKG_CONFIG_PATH": where}
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "sluice-pack"], check=True,
        env=environment, capture_output=True, text=True).stdout.split()
    library = next(flag[2:] for flag in flags if flag.startswith("-L"))
    call(["c++", "-std=c++20", options.source / "test/Install/consumer/pack.cpp",
          *flags, f"-Wl,-rpath,{library}", "-o", folder / "by-pkg-config"])
    call([folder / "by-pkg-config"])


def build_project(options, prefix, folder, kind):
    """What `sluice init` writes builds, follows its headers, and works when it
    was installed and moved."""
    name = f"my-{kind}"
    environment = {"SLUICE_CACHE_DIR": str(folder / "cache")}
    call([prefix / "bin/sluice", "init", f"--{kind}", folder / name])
    build = folder / name / "build"
    call([options.cmake, "-S", folder / name, "-B", build, "-G", "Ninja",
          f"-DCMAKE_PREFIX_PATH={prefix}"])
    call([options.cmake, "--build", build], **environment)
    call(["ctest", "--test-dir", build, "--output-on-failure"], **environment)
    commands = (build / "compile_commands.json").read_text()
    source = folder / name / f"{name}.cpp"
    if str(source) not in commands:
        sys.exit(f"'{source}' is not in compile_commands.json")
    # The program also depends on a header that is created later.
    header = folder / name / "ending.h"
    header.write_text('#define ENDING "one"\n')
    source.write_text('#include "ending.h"\n' + source.read_text().replace(
        ': ok\\n"', ': " ENDING "\\n"'))
    for word in ("one", "two"):
        header.write_text(f'#define ENDING "{word}"\n')
        call([options.cmake, "--build", build], **environment)
        text = output_of(build / "bin" / name, folder)
        if f"{name}: {word}" not in text:
            sys.exit(f"expected '{name}: {word}' in:\n{text}")
    call([options.cmake, "--install", build, "--prefix", folder / "there"])
    moved = folder / f"moved-{kind}"
    shutil.move(folder / "there", moved)
    output_of(moved / "bin" / name, folder)
    loaded = subprocess.run(["ldd", moved / "bin" / name], check=True,
                            capture_output=True, text=True).stdout
    if f"{moved}/bin/../lib/libSluiceRuntime.so.0" not in loaded:
        sys.exit(f"the runtime beside the program is not loaded:\n{loaded}")


def build_projects(options, prefix, folder):
    folder.mkdir()
    for kind in ("hpvm", "regions"):
        build_project(options, prefix, folder, kind)


PYTHON_PROGRAM = """
import os
import sys
import numpy as np
import sluice
from sluice import _halide

assert sluice.__version__ == os.environ["VERSION"], sluice.__version__
os.chdir(sys.argv[1])
with open("kernel.c", "w") as file:
    file.write("void ten(double *b, double *a, int o, int n, int s)"
               "{ for (int i = 0; i < n; ++i) a[i * s] *= 10; }")
x = np.arange(3.0)
graph = sluice.TaskGraph("installed")
data = graph.dat(x)
graph.task(sluice.CKernel("ten", "kernel.c"), data)
graph.task(lambda a: a.__iadd__(1) is None or None, data)
graph.run()
assert x.tolist() == [1, 11, 21], x
assert "<svg" in sluice.pack.of(x[::2])._repr_svg_()
assert os.environ["PREFIX"] in os.path.realpath(_halide.include_folder())
"""


def run_python(prefix, folder):
    """The Python package, where it was built."""
    folders = [path.parent.parent for path in prefix.glob("lib/**/_core.*.so")]
    if not folders:
        return
    folder.mkdir()
    program = folder / "program.py"
    program.write_text(PYTHON_PROGRAM)
    tool = subprocess.run([str(prefix / "bin/sluice"), "--version"], check=True,
                          capture_output=True, text=True).stdout
    call(["/usr/bin/python3", program, folder], PYTHONPATH=str(folders[0]),
         PREFIX=str(prefix.resolve()), VERSION=tool.split()[1],
         SLUICE_CACHE_DIR=str(folder / "cache"))


def output_of(command, folder):
    print("+", command, flush=True)
    return subprocess.run(
        [str(command)], check=True, cwd=folder, capture_output=True, text=True
    ).stdout


def expect_numbers(text, numbers):
    """The printed dataset has these numbers, whatever stands around them."""
    found = [float(word) for line in text.splitlines() for word in line.split()
             if word.replace(".", "").replace("-", "").isdigit()]
    if found[-len(numbers):] != numbers:
        sys.exit(f"expected {numbers} in:\n{text}")


def build_task_graphs(options, prefix, folder):
    """Programs that are described, not written."""
    source = options.source / "test/Install"
    environment = {"SLUICE_CACHE_DIR": str(folder) + ".cache"}
    project = pathlib.Path(f"{folder}-source")
    shutil.copytree(source / "taskgraph", project)
    header = project / "include/factor.h"
    for compiler, standard, generator in (
        ("clang++-22", 17, "Ninja"), ("g++", 20, "Unix Makefiles")
    ):
        build = pathlib.Path(f"{folder}-{compiler}")
        call([options.cmake, "-S", project, "-B", build,
              "-G", generator, f"-DCMAKE_PREFIX_PATH={prefix}",
              f"-DCMAKE_CXX_COMPILER={compiler}", f"-DSTANDARD={standard}"])
        call([options.cmake, "--build", build], **environment)
        expect_numbers(output_of(build / "scale", build), [2, 4, 6, 8])
        call([build / "in-process"], **environment)
        # The executable also depends on a header of a kernel.
        text = header.read_text()
        header.write_text(text.replace("FACTOR 2", "FACTOR 3"))
        call([options.cmake, "--build", build], **environment)
        expect_numbers(output_of(build / "scale", build), [3, 6, 9, 12])
        header.write_text(text)
    build = pathlib.Path(f"{folder}-casper")
    call([options.cmake, "-S", source / "casper", "-B", build,
          f"-DCMAKE_PREFIX_PATH={prefix}"])
    call([options.cmake, "--build", build], **environment)
    call([options.cmake, "--build", build, "--target", "square.run"])
    expect_numbers(
        output_of(build / "square/build/square", build), [1, 16, 81, 256]
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["sources", "meta-programs"])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=options.build) as name:
        folder = pathlib.Path(name)
        first = folder / "first"
        call([options.cmake, "--install", options.build, "--prefix", first])
        prefix = folder / "moved" / "here"
        prefix.parent.mkdir()
        shutil.move(first, prefix)
        has_compiler = (prefix / "bin/sluice").exists()
        if options.part == "sources":
            build_consumer(options, prefix, folder / "consumer")
            ask_for_components(options, prefix, folder / "components")
            use_pkg_config(options, prefix, folder)
            if has_compiler:
                run_hello(options, prefix, folder)
                build_projects(options, prefix, folder / "projects")
                run_python(prefix, folder / "python")
        elif has_compiler:
            build_task_graphs(options, prefix, folder / "taskgraph")
            build_examples(options, prefix, folder / "examples")
    return 0


if __name__ == "__main__":
    sys.exit(main())
