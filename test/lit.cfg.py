# How lit runs the tests of this folder.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sluice's and LLVM's tools are found by their names, through PATH. Beyond them
# a test may use
#   %sluice, %sluice-opt, %sluice-translate, %ddtplayer  the tools with their
#                        full paths
#   %leaf-opt            LLVM's opt with the passes over leaves
#   %clang, %clang++     the C and C++ compilers of LLVM 22
#   %include             the folder of the headers, for -I
#   %meta                the C++ compiler for meta-programs, with Halide's
#                        headers where they are installed
#   %examples            the folder of the examples
#   %python, %lint       Debian's Python; the lint
#   %pysluice            Debian's Python with the package 'sluice'
#   %starpu              compares a program on StarPU with Sluice
#   %starpu-ranks        the same for StarPU-MPI, every byte of it
#   %legion              the same for Legion where Legion_DIR is set, else checks
#                        the syntax of what is generated
#   %yield_mpich         a library to load before MPICH, so that ranks which wait
#                        give their core away
#   %vsix                the extension for VS Code, as './dev vscode' makes it
#   %npm                 the packages that it is made with
#   %build, %source      the build and the source folder
# besides lit's own %s, %S, %t and so on. SLUICE_CACHE_DIR names a folder that
# is empty when the test starts, and SLUICE_WORKERS is 2 unless the test sets
# it.

import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from sluice_format import SluiceTest  # noqa: E402

source = config.sluice_source_root
build = config.sluice_build_root
llvm = config.llvm_tools_dir
bin_dir = os.path.join(build, "bin")

config.name = "Sluice"
config.test_format = SluiceTest()
config.suffixes = [".mlir", ".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs", "Install"]
config.test_source_root = os.path.join(source, "test")
config.test_exec_root = os.path.join(build, "test")

halide_include = "/usr/include/halide14"
vsix = next(iter(glob.glob(os.path.join(source, "build/vscode/*.vsix"))),
            os.path.join(source, "build/vscode/missing.vsix"))
meta = [os.path.join(llvm, "clang++"), "-std=c++17", "-Wall", "-Wextra",
        "-fuse-ld=lld",
        "-I", os.path.join(source, "include"), "-isystem", halide_include,
        "-L", os.path.join(build, "lib"),
        "-Wl,-rpath," + os.path.join(build, "lib"), "-lSluiceTaskGraph"]
if os.path.exists(halide_include):
    meta.append("-lHalide14")

config.substitutions += [
    ("%meta", " ".join(meta)),
    ("%sluice-opt", os.path.join(bin_dir, "sluice-opt")),
    ("%sluice-translate", os.path.join(bin_dir, "sluice-translate")),
    ("%starpu-ranks", "/usr/bin/python3 "
     + os.path.join(source, "utils/testing/starpu_ranks.py")
     + f" --sluice {os.path.join(bin_dir, 'sluice')} --clang {llvm}"
     + f" --include {os.path.join(source, 'include')}"),
    ("%starpu", "/usr/bin/python3 "
     + os.path.join(source, "utils/testing/starpu.py")
     + f" --sluice {os.path.join(bin_dir, 'sluice')} --clang {llvm}"
     + f" --include {os.path.join(source, 'include')}"),
    ("%legion", "/usr/bin/python3 "
     + os.path.join(source, "utils/testing/legion.py")
     + f" --sluice {os.path.join(bin_dir, 'sluice')} --clang {llvm}"
     + f" --include {os.path.join(source, 'include')}"),
    ("%ddtplayer", os.path.join(bin_dir, "ddtplayer")),
    ("%sluice", os.path.join(bin_dir, "sluice")),
    ("%leaf-opt", os.path.join(llvm, "opt") + " -load-pass-plugin="
     + os.path.join(build, "lib", "libSluiceLeafPasses.so")),
    (r"%clang\+\+", os.path.join(llvm, "clang++")),
    ("%clang", os.path.join(llvm, "clang")),
    ("%llvm", os.path.dirname(llvm)),
    ("%include", os.path.join(source, "include")),
    ("%examples", os.path.join(source, "examples")),
    ("%pysluice", "env PYTHONPATH=" + os.path.join(build, "lib/python")
     + " PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3"),
    ("%python", "/usr/bin/python3"),
    ("%lint", "/usr/bin/python3 " + os.path.join(source, "utils/lint/lint.py")),
    ("%vsix", vsix),
    ("%yield_mpich", os.path.join(build, "lib", "libSluiceYieldMPICH.so")),
    ("%npm", os.path.join(source, "editors/vscode/node_modules")),
    ("%build", build),
    ("%source", source),
]

# Benchmarks look at what every program computes before they time it. Tests
# build Sluice's programs only, and programs make no variants of their nodes
# while they run, which takes as long as many tests, unless tests of variants
# ask for them, or lit is called with '--param all=yes'. Then there are more
# random programs, too: '%seeds' is how many, '%long-seeds' where each takes
# seconds; and more numbers of ranks and sizes of what was tried with others.
# `RUN: %if all %{ ... %}` repeats by another way what other lines test.
has_all = lit_config.params.get("all") == "yes"
# Tests of what others test as well, on larger programs or by another way.
larger = [] if has_all else [
    "Bench/Programs/cluster.test",
    "Bench/Programs/device.test",
    "Bench/Programs/pack-commit.test",
    "Bench/Programs/pack-pingpong.test",
    "Bench/Programs/pack.test",
    "Bench/Programs/taskgraph-apps.test",
    "Cluster/files-mpich.test",
    "CodeGen/Legion/examples.test",
    "CodeGen/StarPU/Ranks/example-circuit.test",
    "CodeGen/StarPU/Ranks/example-hydro.test",
    "CodeGen/StarPU/Ranks/random.test",
    "CodeGen/StarPU/Ranks/regions.test",
    "CodeGen/StarPU/example-circuit.test",
    "CodeGen/StarPU/example-hydro.test",
    "Device/examples-either.test",
    "Device/examples-large.test",
]
config.test_format.leave_out(larger, config.test_source_root)
config.test_format.begin_with([
    "Bench/Programs/apps.test",
    "Bench/pack.test",
    "Bench/publish.test",
    "Device/examples-gpu.test",
    "Device/faults.test",
    "Device/folds.test",
    "Device/random-kernels.test",
    "Device/share.test",
    "Device/trees.test",
    "Docs/site.test",
    "Docs/tutorial-task-graphs.test",
    "Examples/cahn-hilliard.test",
    "Examples/edges.test",
    "Examples/mixed.test",
    "Examples/radar.test",
    "Python/halide.test",
    "Python/regions.test",
    "Utils/headers.test",
], config.test_source_root)
# './dev test' runs the tests of ranks beside the others.
config.test_format.take_part(lit_config.params.get("part"))
config.substitutions += [
    ("%peers", "" if has_all else "--peers none"),
    ("%seeds", "20" if has_all else "2"),
    ("%long-seeds", "6" if has_all else "3"),
    ("%numbers-of-ranks", "1,2,3,5,8" if has_all else "1,3,8"),
    ("%ptx-examples", "all" if has_all
     else "reduction hetero camera edges audio"),
    ("%few-sizes", "" if has_all else "-DFEW_SIZES"),
    ("%and-peers", "--check-prefixes=CHECK,PEERS" if has_all else ""),
]
if has_all:
    config.available_features.add("all")
else:
    config.environment["SLUICE_SPECIALIZE"] = "0"

config.environment["PATH"] = os.pathsep.join(
    [bin_dir, llvm, "/usr/local/bin", "/usr/bin", "/bin"]
)
config.environment["SLUICE_WORKERS"] = "2"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS",
             "CCACHE_DIR", "HOME", "Legion_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

if config.sluice_sanitizer:
    # Tools end without freeing what LLVM and clang hold; the unit tests look
    # for leaks.
    config.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    config.available_features.add("sanitizer")
    for name in config.sluice_sanitizer.split(","):
        config.available_features.add("sanitizer-" + name)

# Old assembly is read with the help of LLVM 14, where that is installed.
if shutil.which("llvm-as-14"):
    config.available_features.add("llvm-as-14")

# Shells whose completion is tried, beside bash.
for name in ("zsh", "fish"):
    if shutil.which(name):
        config.available_features.add(name)

# Generated StarPU programs are run where StarPU is installed (./dev setup).
if shutil.which("pkg-config") and not subprocess.call(
        ["pkg-config", "--exists", "starpu-1.3"]):
    config.available_features.add("starpu")
# Those for several ranks where its part for MPI and Open MPI are.
if shutil.which("mpirun.openmpi") and shutil.which(
        "pkg-config") and not subprocess.call(
            ["pkg-config", "--exists", "starpumpi-1.3", "ompi-c"]):
    config.available_features.add("starpu-mpi")

# Generated Legion programs are run where Legion_DIR names an installation.
if config.environment.get("Legion_DIR"):
    config.available_features.add("legion")

# The MPI libraries that were there when Sluice was built, and the compiler of
# kernels.
for name in ("openmpi", "mpich"):
    if os.path.exists(os.path.join(bin_dir, "ddtplayer-" + name)):
        config.available_features.add(name)
if os.path.exists(os.path.join(source, "build/slurm/done")):
    config.available_features.add("slurm")
if (os.path.exists(os.path.join(build, "lib", "libsluice-cluster-smpi.so"))
        and shutil.which("smpirun")):
    config.available_features.add("smpi")
if os.path.exists(os.path.join(build, "lib", "libSluicePackJIT.so")):
    config.available_features.add("pack-jit")

if os.path.exists(os.path.join(build, "lib", "libSluicePackFortran.a")):
    config.available_features.add("pack-fortran")

# Meta-programs with generators are built where Halide was installed when Sluice
# was built.
if (os.path.exists(os.path.join(build, "lib", "libSluiceHalide.so"))
        and os.path.exists(os.path.join(halide_include, "Halide.h"))):
    config.available_features.add("halide")

# Python tasks, where Sluice was built with them; finite elements with DOLFINx.
if os.path.exists(os.path.join(build, "lib", "libSluicePython.so")):
    config.available_features.add("python-tasks")
    if not subprocess.call(
            ["/usr/bin/python3", "-I", "-c", "import importlib.util, sys;"
             "sys.exit(not importlib.util.find_spec('dolfinx'))"]):
        config.available_features.add("dolfinx")

# The Python package, where Sluice was built with it.
if glob.glob(os.path.join(build, "lib", "python", "sluice", "_core.*.so")):
    config.available_features.add("python-package")
    if not subprocess.call(
            ["/usr/bin/python3", "-I", "-c", "import importlib.util, sys;"
             "sys.exit(not importlib.util.find_spec('mpi4py'))"]):
        config.available_features.add("mpi4py")
    if not subprocess.call(
            ["/usr/bin/python3", "-I", "-c", "import importlib.util, sys;"
             "sys.exit(not all(map(importlib.util.find_spec, "
             "['nbconvert', 'ipykernel'])))"]):
        config.available_features.add("nbconvert")

# The site of the documentation, and what the reference in it is made with.
if shutil.which("mkdocs") and os.path.isdir("/usr/share/mkdocs/themes/material"):
    config.available_features.add("mkdocs")
if shutil.which("doxygen"):
    config.available_features.add("doxygen")

# The extension for VS Code, which './dev vscode' makes; './dev test' says that it
# has, so that a missing one is no reason to leave tests out.
if os.path.exists(vsix) or lit_config.params.get("vscode") == "yes":
    config.available_features.add("vscode")

# Devices: OpenCL on the host's cores where PoCL and the translator of its code
# are installed (./dev setup). What it builds is kept from run to run.
config.environment["POCL_CACHE_DIR"] = os.path.join(build, "test", "pocl-cache")
os.makedirs(config.environment["POCL_CACHE_DIR"], exist_ok=True)
if (os.path.exists("/etc/OpenCL/vendors/pocl.icd")
        and shutil.which("llvm-spirv-15")):
    config.available_features.add("pocl")
# CUDA by a stand-in for the driver, which interprets PTX.
config.substitutions.append(
    ("%fake_cuda", os.path.join(build, "lib", "libSluiceFakeCUDA.so")))

# Open MPI asks at each start which devices OpenCL has, which loads a compiler.
config.environment["HWLOC_COMPONENTS"] = "-opencl"

# Ranks that wait give their core to others. Open MPI does so by itself only for
# more ranks than cores.
config.environment["OMPI_MCA_mpi_yield_when_idle"] = "1"

# Open MPI sleeps a second twice before it ends what is left of a program that
# failed.
config.environment["OMPI_MCA_odls_base_sigkill_timeout"] = "0"

# OpenBLAS's threads wait for each other by giving their core away, hundreds of
# thousands of times a minute: beside other tests each time costs a turn.
config.environment["OPENBLAS_NUM_THREADS"] = "1"

# Small file systems are mounted where that is allowed. As root it must be, so
# that it is not left out by mistake where everything is tested.
if os.geteuid() == 0 or not subprocess.call(
        ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"],
        stderr=subprocess.DEVNULL):
    config.available_features.add("mounts")

# Network namespaces stand for machines, and a memory cgroup for a small one,
# where root may make them.
if os.geteuid() == 0 and shutil.which("ip"):
    config.available_features.add("namespaces")
if os.geteuid() == 0 and os.path.isdir("/sys/fs/cgroup/memory"):
    config.available_features.add("memory-cgroup")

# A test that hangs fails. The longest ones take half a minute of one core, but
# all of them must pass where twenty others want it as well.
lit_config.maxIndividualTestTime = 1800
