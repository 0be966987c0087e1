# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `bench pack`: how each is built and started."""

import dataclasses
import os
import subprocess

from . import ours, peers, toolchain
from .toolchain import BENCH, GCC_FLAGS, ROOT, Missing

MEMCPY = "memcpy"
OPEN_MPI = "Open MPI"
MPICH = "MPICH"
PLAIN = "by hand, gcc"
STRAIGHT = "by hand, one line a place"
AVX512 = "by hand, AVX-512"
STREAMING = "by hand, non-temporal"
LABEL = ours.LABEL
READY_MADE = "Sluice, ready-made"
MANUAL = "packed by hand"

HAND = {PLAIN: "plain", STRAIGHT: "straight", AVX512: "avx512",
        STREAMING: "streaming"}
FLAGS = ["-std=c++20", *GCC_FLAGS]
FOLDER = BENCH / "pack"
# A second process would find what the first one has left there.
NO_CACHE = {"SLUICE_PACK_CACHE": "off"}
NEVER_COMPILE = {**NO_CACHE, "SLUICE_PACK_COMPILE_AFTER": "-1"}


@dataclasses.dataclass(frozen=True)
class Mpi:
    """One MPI library: its compiler, launcher and interposer."""

    label: str
    name: str
    library: str
    package: str
    launcher: str
    options: tuple

    def compiler(self):
        return toolchain.find([f"mpicxx.{self.name}"], self.package)

    def start_pair(self):
        run = toolchain.find([f"mpirun.{self.name}"], self.launcher)
        options = list(self.options)
        if self.name == "openmpi" and os.geteuid() == 0:
            options.append("--allow-run-as-root")
        return (run, *options, "-n", "2")

    def interposer(self):
        return library(f"libsluice-mpi-{self.name}.so")

    @property
    def interposed(self):
        return f"{self.label} + Sluice"

    @property
    def manual(self):
        return f"{self.label}, {MANUAL}"


MPIS = [Mpi(OPEN_MPI, "openmpi", "libmpi.", "libopenmpi-dev", "openmpi-bin",
            ("--oversubscribe",)),
        Mpi(MPICH, "mpich", "libmpich", "libmpich-dev", "mpich",
            ("-bind-to", "core"))]  # as Open MPI does by itself


def library(name):
    """The newest library of that name built here, `release` before others."""
    found = list(ROOT.glob(f"build/*/lib/{name}"))
    release = [p for p in found if p.parent.parent.name == "release"]
    if not found:
        raise Missing(f"'build/release/lib/{name}' not found: ./dev build")
    return max(release or found, key=lambda p: p.stat().st_mtime)


def build(name, compiler, sources, folder, libraries=(), flags=()):
    """Compiles sources of bench/pack; all programs have the same flags."""
    paths = [FOLDER / f"{source}.cpp" for source in sources]
    output = folder / f"pack-{name}"
    command = [compiler, *FLAGS, *flags, *paths, *libraries, "-o", output]
    headers = [*FOLDER.glob("*.h"), BENCH / "common/harness.h"]
    # What mpicxx runs.
    wrapped = {"OMPI_CXX": toolchain.gxx(), "MPICH_CXX": toolchain.gxx()}
    toolchain.build(output, command, [*paths, *headers, *libraries],
                    {**os.environ, **wrapped})
    return str(output)


def compiler_version():
    return toolchain.first_line([toolchain.gxx(), "--version"])


def memcpy(folder, threads):
    executable = build("memcpy", toolchain.gxx(), ["memcpy"], folder)
    return peers.Peer(MEMCPY, executable, "", {}, compiler_version())


def build_hand(folder):
    return build("hand", toolchain.gxx(), ["hand", "plain", "avx512"], folder)


def hand(label, folder, threads):
    return peers.Peer(label, build_hand(folder), "", {}, compiler_version(),
                      arguments=(HAND[label],))


def hand_rows(folder):
    """By label, which loops there are: {("pack", "vector:8"), ...}."""
    executable, rows = build_hand(folder), {}
    for label, variant in HAND.items():
        done = subprocess.run([executable, variant, "list"], check=True,
                              capture_output=True, text=True)
        rows[label] = {(direction, words[0])
                       for words in map(str.split, done.stdout.splitlines())
                       for direction in words[1:]}
    return rows


def with_mpi(mpi, source, folder):
    sources = [source, "plain"] if source == "pingpong" else [source]
    return build(f"{source}-{mpi.name}", mpi.compiler(), sources, folder)


def mpi_peer(mpi, source, folder, threads):
    """A single process with the library as it is."""
    return peers.Peer(mpi.label, with_mpi(mpi, source, folder), mpi.library,
                      {}, compiler_version())


def interposed_peer(mpi, source, folder, threads):
    """The same process with our library loaded before MPI's."""
    interposer = mpi.interposer()
    return peers.Peer(mpi.interposed, with_mpi(mpi, source, folder),
                      interposer.name,
                      {**NO_CACHE, "LD_PRELOAD": str(interposer)},
                      compiler_version())


def pair_peer(mpi, label, folder, threads):
    """Two ranks: as they are, interposed, or packing by hand."""
    found = mpi_peer(mpi, "pingpong", folder, threads)
    if label == mpi.interposed:
        found = interposed_peer(mpi, "pingpong", folder, threads)
        # The launcher itself is left as it is.
        settings = [f"{name}={value}"
                    for name, value in found.environment.items()]
        found.arguments = (found.executable,)
        found.executable, found.environment = "env", {}
        found.arguments = (*settings, *found.arguments)
    if label == mpi.manual:
        found.arguments = ("manual",)
    found.label = label
    found.launcher = mpi.start_pair()
    return found


def sluice(label, source, folder, threads):
    """Ours: compiled at commit, or with what the library has ready."""
    packing = library("libSluicePack.so")
    executable = build(f"sluice-{source}", toolchain.gxx(), [source], folder,
                       [packing],
                       ["-I", ROOT / "include", f"-Wl,-rpath,{packing.parent}"])
    if label == READY_MADE:
        return peers.Peer(label, executable, "libSluicePack", NEVER_COMPILE,
                          compiler_version(), arguments=("ready-made",))
    compiler = library("libSluicePackJIT.so")
    return peers.Peer(label, executable, "libSluicePack",
                      {**NO_CACHE, "SLUICE_PACK_JIT": str(compiler)},
                      compiler_version(), arguments=("compiled",))


def start_all(makers, options, facts, missing):
    """Starts what can be started; notes the facts and what is missing."""
    mine = [label for label in makers if is_ours(label)]
    wanted = options.peers and [*options.peers, *mine]
    programs, found, absent = peers.start_all(options.output, options.threads,
                                              wanted, makers)
    for label, fact in found.items():
        facts.setdefault(label, {**fact, "libraries": own_libraries(fact)})
    missing.extend(line for line in absent if line not in missing)
    return programs


def own_libraries(fact):
    """Without those that MPI's hardware detection loads and leaves alone."""
    return {path: package for path, package in fact["libraries"].items()
            if "pocl" not in path and "OpenCL" not in path}


def is_ours(label):
    return "Sluice" in label
