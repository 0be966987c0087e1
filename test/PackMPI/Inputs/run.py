"""Builds a test program with each MPI and runs it with the interposer.

    run.py [options] PROGRAM.c|.f90

Each run must end with status 0 in time. Its standard output must be the same
in all runs of one MPI; it is printed once per MPI after a line with its name.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import subprocess
import sys
import tempfile

MPIS = ("openmpi", "mpich")


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--modes", default="off,all,auto,pack",
                        help="values of SLUICE_MPI; 'none' runs without it")
    parser.add_argument("--one-sided", action="store_true",
                        help="interpose the even ranks only, then the odd ones")
    parser.add_argument("--link", action="store_true",
                        help="link the interposer instead of preloading it")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--errors", action="store_true",
                        help="print standard error as well")
    parser.add_argument("--sanitizer", default="",
                        help="compile with clang and -fsanitize= this, as the "
                             "interposer was; the value of SLUICE_SANITIZER")
    parser.add_argument("--clang", help="the compiler for --sanitizer")
    parser.add_argument("--tool-behind", metavar="TOOL.c",
                        help="preload this tool after the interposer")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("program")
    return parser.parse_args()


# What the MPIs themselves do under sanitizers: they are not built with them,
# keep memory until the process ends, and order threads in ways of their own.
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    # UCX would patch functions that sanitizers have replaced.
    "UCX_MEM_MMAP_HOOK_MODE": "none",
}


def environment_in(folder):
    """That of a run. What MPI leaves behind goes with the folder."""
    return {**SANITIZER_OPTIONS, **os.environ, "TMPDIR": folder,
            "UCX_LOG_LEVEL": "error"}


def build(options, mpi, folder):
    """Compiles the program; returns its path."""
    fortran = options.program.endswith(".f90")
    target = os.path.join(folder, "program-" + mpi)
    command = [("mpifort." if fortran else "mpicc.") + mpi, "-O1", "-g"]
    command += ["-Wall", "-Wno-stringop-overflow", "-Wno-stringop-overread",
                "-Wno-unused-function"] if not fortran else []
    command += options.flag + [options.program, "-o", target]
    if options.link:
        library = os.path.join(options.build, "lib")
        command += ["-L" + library, "-Wl,--no-as-needed",
                    "-lsluice-mpi-" + mpi, "-Wl,-rpath," + library]
    command += ["-pthread"]
    if fortran:
        command += ["-J" + folder, "-w", "-fallow-argument-mismatch"]
    environment = environment_in(folder)
    if options.sanitizer:
        command.append("-fsanitize=" + options.sanitizer)
        environment["OMPI_CC"] = environment["MPICH_CC"] = options.clang
    subprocess.run(command, check=True, env=environment)
    return target


def yielding(options, mpi):
    """What lets ranks that wait give their core away; Open MPI has a setting."""
    if mpi == "openmpi" or options.sanitizer:
        return ""
    return os.path.join(options.build, "lib/libSluiceYieldMPICH.so")


def build_tool(options, mpi, folder):
    """Compiles the tool; returns what is preloaded after the interposer."""
    if not options.tool_behind:
        return ""
    target = os.path.join(folder, "libtool-%s.so" % mpi)
    subprocess.run(["mpicc." + mpi, "-shared", "-fPIC", options.tool_behind,
                    "-o", target], check=True, env=environment_in(folder))
    return target


def launcher(options, mpi):
    if mpi == "openmpi":
        return ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
                "--mca", "btl_vader_single_copy_mechanism", "none",
                "-n", str(options.ranks)]
    return ["mpirun.mpich", "-n", str(options.ranks)]


RANK_SCRIPT = """\
export LD_PRELOAD=%s
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
if [ $((rank %% 2)) -eq %d ]; then export LD_PRELOAD=%s; fi
exec "$@"
"""


def configurations(options, mpi, behind):
    """(name, environment, command prefix) of each run."""
    library = os.path.join(options.build, "lib", "libsluice-mpi-%s.so" % mpi)
    others = yielding(options, mpi)
    library = ":".join(filter(None, (library, behind, others)))
    for mode in options.modes.split(","):
        environment = {} if mode == "none" else {"SLUICE_MPI": mode}
        if options.one_sided:
            for parity in range(2):
                script = RANK_SCRIPT % (others, parity, library)
                yield ("%s, ranks %d mod 2" % (mode, parity), environment,
                       ["sh", "-c", script, "sh"])
        elif options.link:
            yield mode + ", linked", environment, ["env", "LD_PRELOAD=" + others]
        else:
            # Through env: the launcher itself need not be interposed.
            yield mode, environment, ["env", "LD_PRELOAD=" + library]


def run(options, mpi, program, configuration):
    name, extra, prefix = configuration
    environment = environment_in(os.path.dirname(program))
    environment.update(item.split("=", 1) for item in options.env)
    environment.update(extra)
    command = launcher(options, mpi) + prefix + [program] + options.arg
    result = subprocess.run(
        ["timeout", "-k", "5", str(options.timeout)] + command,
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, text=True, check=False)
    ended = result.returncode == options.status or (
        options.status != 0 and result.returncode not in (0, 124, 137))
    if not ended:
        sys.stdout.write(result.stdout[-4000:] + result.stderr[-4000:])
        sys.exit("%s with %s: status %d, expected %d" % (
            mpi, name, result.returncode, options.status))
    return result.stdout, result.stderr


def differences(first, second):
    a, b = first.splitlines(), second.splitlines()
    pairs = [(x, y) for x, y in zip(a, b) if x != y]
    lines = ["%s\n  but %s" % pair for pair in pairs[:8]]
    if len(a) != len(b):
        lines.append("%d lines, but %d" % (len(a), len(b)))
    return "\n".join(lines)


def main():
    options = parse()
    for mpi in MPIS:
        # Sockets in it have short names only if the folder has one.
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            program = build(options, mpi, folder)
            behind = build_tool(options, mpi, folder)
            first = None
            print("==", mpi)
            for configuration in configurations(options, mpi, behind):
                output, errors = run(options, mpi, program, configuration)
                if options.errors:
                    print(errors, end="")
                if first is None:
                    first = configuration[0], output
                    print(output, end="")
                elif output != first[1]:
                    sys.exit("%s: '%s' and '%s' differ:\n%s" % (
                        mpi, first[0], configuration[0],
                        differences(first[1], output)))


if __name__ == "__main__":
    main()
