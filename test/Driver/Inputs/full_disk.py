"""Lets the tools write to file systems that have no room.

Run it where mounting is allowed, as by unshare -rm: full_disk.py BIN CLANG
FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys

from output_tests import KERNEL, SOURCE, TASKS, expect, finish, is_plain, write

binaries, clang, root = sys.argv[1:]
sluice = os.path.join(binaries, "sluice")
small = os.path.join(root, "small")


def mount(options):
    """An empty file system at `small`."""
    if os.path.ismount(small):
        subprocess.run(["umount", small], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", small],
                   check=True)


def run(words, cache="cache", **settings):
    environment = dict(os.environ, SLUICE_CACHE_DIR=os.path.join(root, cache),
                       TMPDIR=os.path.join(root, "tmp"))
    environment.update(settings)
    return subprocess.run(words, env=environment, capture_output=True,
                          text=True, errors="replace", timeout=600)


def check_plain(result, what):
    expect(is_plain(result), f"{what}: {result.returncode} {result.stderr}")


OUTPUTS = {
    "build": [sluice, "build", "main.c", "-o", "OUT"],
    "graph": [sluice, "graph", "main.c", "-o", "OUT.svg"],
    "tasks": [sluice, "build", "tasks.mlir", "-o", "OUT"],
    "dependencies": [sluice, "build", "main.c", "-o", "app", "-MD", "-MF",
                     "OUT"],
    "opt": [os.path.join(binaries, "sluice-opt"), "tasks.mlir", "-o", "OUT"],
}


def write_outputs():
    """The output has no room, for its bytes or for its name."""
    for tool, words in OUTPUTS.items():
        for options in ("size=4k", "size=1m,nr_inodes=2"):
            for old in (None, "what was there"):
                mount(options)
                words = [word.replace("OUT", os.path.join(small, "out"))
                         for word in OUTPUTS[tool]]
                output = words[-1]
                if old:
                    write(output, old)
                # Fill what is left.
                try:
                    with open(os.path.join(small, "filler"), "wb") as filler:
                        while filler.write(bytes(4096)):
                            filler.flush()
                except OSError:
                    pass
                result = run(words)
                what = f"{tool} with {options}, {old}"
                check_plain(result, what)
                expect(result.returncode == 1
                       and "No space left" in result.stderr,
                       f"{what}: {result.returncode} {result.stderr}")
                there = sorted(set(os.listdir(small)) - {"filler"})
                expect(there == [os.path.basename(output)] * bool(old),
                       f"{what} left {there}")
                if old:
                    with open(output) as file:
                        expect(file.read() == old, f"{what} changed it")


def fill_cache():
    """The disk of the cache is full, or gets full during the build."""
    for options, rest in (("size=1m", 0), ("size=40m", 0), ("size=40m", 9),
                          ("size=33m", 0), ("size=100m,nr_inodes=12", 0)):
        mount(options + ",mode=700")
        if rest:
            write(os.path.join(small, "filler"), "x" * (31 - rest << 20))
        for words in ([sluice, "run", "main.c"], [sluice, "run", "big.c"],
                      [sluice, "run", "tasks.mlir"]):
            result = run(words, cache="small")
            what = f"{words} with a cache of {options}"
            check_plain(result, what)
            expect(result.returncode == 0 or "error: " in result.stderr,
                   f"{what} failed silently")
            if result.returncode == 0 and words[-1] == "main.c":
                expect(result.stdout == "value 3\n", f"{what}: {result.stdout}")
        left = [os.path.join(place, name)
                for place, folders, files in os.walk(small)
                for name in folders + files
                if name.startswith((".sluice-", "sluice-"))]
        expect(not left, f"a cache of {options} holds {left}")
        # With room again, the same cache serves.
        if os.path.exists(os.path.join(small, "filler")):
            os.remove(os.path.join(small, "filler"))
        subprocess.run(["mount", "-o", "remount,size=300m,nr_inodes=9999",
                        small], check=True)
        result = run([sluice, "run", "main.c"], cache="small")
        expect(result.stdout == "value 3\n",
               f"a cache of {options} that got room: {result.stderr}")


def trace_and_work():
    """What running programs write, and the folder for temporary files."""
    mount("size=4k")
    write(os.path.join(small, "filler"), "x" * 4096)
    result = run([sluice, "run", "main.c"],
                 SLUICE_TRACE=os.path.join(small, "trace.json"))
    check_plain(result, "a trace")
    expect(result.stdout == "value 3\n", f"a trace: {result.stdout}")
    expect("trace.json" not in os.listdir(small), "a part of a trace")
    mount("size=8k")
    result = run([sluice, "build", "main.c", "-o", "app"],
                 cache="/proc/none", TMPDIR=small)
    check_plain(result, "no room for temporary files")
    expect(result.returncode == 1 and "error: " in result.stderr,
           f"a build without temporary files: {result.stderr}")
    expect(not os.listdir(small), f"left {os.listdir(small)}")


def main():
    os.chdir(root)
    for folder in ("small", "tmp", "cache"):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    write("main.c", SOURCE)
    write("big.c", SOURCE + "char big[48 << 20] = {1};\n")
    write("tasks.mlir", TASKS)
    write("kernel.c", KERNEL)
    for step in (write_outputs, fill_cache, trace_and_work):
        step()
    subprocess.run(["umount", small], check=True)
    finish("all full disks were met")


main()
