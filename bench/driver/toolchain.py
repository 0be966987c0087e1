# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the compilers and peers, builds programs, names what is missing."""

import functools
import glob
import os
import pathlib
import re
import shutil
import subprocess

BENCH = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCH.parent

GCC_FLAGS = ["-O3", "-march=native"]
CLANG_FLAGS = ["-O3", "-march=native"]

# Programs of peers are for comparing results only: they compile faster then.
only_checks = False


class Missing(Exception):
    """A peer that is not here, with the package that brings it."""


def find(names, package):
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    raise Missing(f"'{names[0]}' not found: apt-get install {package}")


def gcc():
    return find(["gcc-12", "gcc"], "gcc")


def gxx():
    return find(["g++-12", "g++"], "g++")


def clang():
    return find(["/usr/lib/llvm-22/bin/clang", "clang-22"], "clang-22")


def clangxx():
    return find(["/usr/lib/llvm-22/bin/clang++", "clang++-22"], "clang-22")


def need_file(pattern, package):
    """The file of that pattern."""
    found = glob.glob(pattern)
    if found:
        return found[0]
    raise Missing(f"'{pattern}' not found: apt-get install {package}")


def sluice(chosen=None):
    """The compiler driver: the chosen one, or the newest one built here."""
    if chosen:
        if not os.access(chosen, os.X_OK):
            raise Missing(f"'{chosen}' is no executable")
        return str(pathlib.Path(chosen).resolve())
    built = [p for p in ROOT.glob("build/*/bin/sluice") if os.access(p, os.X_OK)]
    release = ROOT / "build/release/bin/sluice"
    if release in built:
        return str(release)
    if built:
        return str(max(built, key=lambda p: p.stat().st_mtime))
    raise Missing("'build/release/bin/sluice' not found: ./dev build")


def taskflow():
    """The folder of Taskflow's headers; Debian 12 has no package."""
    folders = [f for f in os.environ.get("TASKFLOW_INCLUDE", "").split(":") if f]
    for folder in folders + ["/usr/local/include", "/usr/include"]:
        if (pathlib.Path(folder) / "taskflow/taskflow.hpp").exists():
            return folder
    raise Missing("'taskflow/taskflow.hpp' not found; set TASKFLOW_INCLUDE to "
                  "the folder that holds 'taskflow'")


def taskflow_version(include):
    text = (pathlib.Path(include) / "taskflow/taskflow.hpp").read_text()
    found = re.search(r"define TF_VERSION (\d+)", text)
    number = int(found.group(1)) if found else 0
    return f"Taskflow {number // 100000}.{number // 100 % 1000}.{number % 100}"


def transforms_off(compiler):
    """The flag that leaves graphs as written, if the compiler has it."""
    done = subprocess.run([compiler, "build", "--help"], capture_output=True,
                          text=True)
    flag = "--no-transforms"
    return [flag] if flag in done.stdout + done.stderr else []


def newer_than(output, inputs):
    if not output.exists():
        return False
    built = output.stat().st_mtime
    return all(pathlib.Path(p).stat().st_mtime <= built for p in inputs)


def sources_beside(source):
    """Headers and included sources that a change of must rebuild `source`."""
    folder = pathlib.Path(source).parent
    patterns = ["*.h", "../common/*.h", "../nd/*.c", "../nd/*.h"]
    return [p for pattern in patterns for p in folder.glob(pattern)]


def build(output, command, inputs, environment=None):
    """Runs `command`, which makes `output`, unless it is already up to date.

    The command's text lies beside the output: other flags build again.
    """
    output = pathlib.Path(output)
    record = output.with_suffix(".command")
    if only_checks and pathlib.Path(command[0]).name != "sluice":
        command = ["-O1" if part == "-O3" else part for part in command]
    text = " ".join(str(part) for part in command)
    if newer_than(output, inputs) and record.exists():
        if record.read_text() == text:
            return output
    output.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([str(part) for part in command],
                          capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Missing(f"'{text}' failed:\n{(done.stderr or done.stdout).strip()}")
    record.write_text(text)
    return output


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return (done.stdout or done.stderr).strip().split("\n")[0]


@functools.cache
def package_of(library):
    """'libgomp1 12.2.0-14' for the file that is really loaded."""
    real = os.path.realpath(library)
    if str(real).startswith(str(ROOT)):
        return "built here"
    for path in (library, real, real.replace("/usr/lib", "/lib", 1)):
        owner = first_line(["dpkg-query", "-S", path]).split(":")[0]
        if owner and not owner.startswith("dpkg-query"):
            version = first_line(["dpkg-query", "-W", "-f", "${Version}", owner])
            return f"{owner} {version.split()[0] if version else ''}".strip()
    return ""
