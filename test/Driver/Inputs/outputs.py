"""Asks every tool to write where it must not, cannot, or not for long.

Usage: outputs.py BIN CLANG FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time

from output_tests import KERNEL, SOURCE, TASKS, expect, finish, is_plain, write

binaries, clang, root = sys.argv[1:]
sluice = os.path.join(binaries, "sluice")
environment = dict(os.environ, SLUICE_CACHE_DIR=os.path.join(root, "cache"),
                   TMPDIR=os.path.join(root, "tmp"))
# A header and an object are inputs as well.
WHOLE = ('#include "header.h"\nint other(void);\n'
         + SOURCE.replace("= 3;", "= VALUE;").replace("x[3])",
                                                      "x[3] + other())"))


def run(words, **settings):
    return subprocess.run(words, env=environment, capture_output=True,
                          text=True, errors="replace", timeout=600, **settings)


# What each tool reads and how it is asked for an output.
TOOLS = {
    "build": (["main.c", "header.h", "other.o"],
              [sluice, "build", "main.c", "other.o", "-o"]),
    "graph": (["main.c", "header.h"], [sluice, "graph", "main.c", "-o"]),
    "tasks": (["tasks.mlir", "kernel.c"],
              [sluice, "build", "tasks.mlir", "-o"]),
    "pack": (["layout.svg"],
             [sluice, "pack", "--file=layout.svg", "--draw"]),
    "opt": (["tasks.mlir"],
            [os.path.join(binaries, "sluice-opt"), "tasks.mlir", "-o"]),
    "ddtplayer": (["layout.svg"],
                  [os.path.join(binaries, "ddtplayer"), "--no-mpi",
                   "--rounds=1", "--min-time=1us", "layout.svg", "--csv"]),
}


def command(words, output):
    if words[-1].startswith("--"):
        return words[:-1] + [words[-1] + "=" + output]
    return words + [output]


def refuse_inputs():
    for tool, (inputs, words) in TOOLS.items():
        for name in inputs:
            with open(name, "rb") as file:
                before = file.read()
            ending = ".svg" if tool in ("graph", "pack") else ""
            os.symlink(name, "link" + ending)
            os.link(name, "hard" + ending)
            names = [name, "./" + name, os.path.abspath(name)]
            if tool == "graph":
                names = []  # its outputs have endings of their own
            for output in names + ["link" + ending, "hard" + ending]:
                result = run(command(words, output))
                what = f"{tool} to {output}, a name of {name}"
                expect(result.returncode in (1, 2), what + " was accepted")
                expect(is_plain(result), what + ": " + result.stderr)
                with open(name, "rb") as file:
                    expect(file.read() == before, what + " changed it")
            os.remove("link" + ending)
            os.remove("hard" + ending)
    build = [sluice, "build", "main.c", "other.o", "-o", "app", "-MD"]
    for name in ("main.c", "header.h", "other.o", "./app"):
        result = run(build + ["-MF", name])
        what = f"a dependency file to {name}"
        expect(result.returncode == 1 and is_plain(result),
               f"{what}: {result.returncode} {result.stderr}")
    expect(run(["./app"]).stdout == "value 8\n", "the program after -MF")
    expect(run(build + ["-MF", "-"]).stdout.startswith("app:"),
           "a dependency file to standard output")
    os.symlink("elsewhere.d", "link.d")
    run(build + ["-MF", "link.d"])
    expect(os.path.islink("link.d") and os.path.getsize("elsewhere.d") > 0,
           "-MF replaced a symbolic link")
    result = run([sluice, "build", "main.c", "other.o", "-o", "/dev/null",
                  "-MD"])
    expect(result.returncode == 1 and not os.path.exists("/dev/null.d"),
           f"-MD beside a device: {result.stderr}")
    write("trace.c", "int main(void) { return 0; }\n")
    result = subprocess.run([sluice, "run", "trace.c"], capture_output=True,
                            env=dict(environment, SLUICE_TRACE="trace.c"))
    expect(result.returncode == 1, "a trace over the source was accepted")


def write_devices():
    for tool, (_, words) in TOOLS.items():
        if tool == "graph":
            continue
        pipe = "pipe.svg" if tool == "pack" else "pipe"
        os.mkfifo(pipe)
        with open("got", "wb") as got, \
                subprocess.Popen(["cat", pipe], stdout=got) as reader:
            result = run(command(words, pipe))
            if result.returncode:
                reader.kill()
        expect(result.returncode == 0, f"{tool} to a pipe: {result.stderr}")
        expect(stat.S_ISFIFO(os.stat(pipe).st_mode), f"{tool} replaced a pipe")
        expect(os.path.getsize("got") > 0, f"{tool} wrote nothing to a pipe")
        os.remove(pipe)
    for tool, (_, words) in TOOLS.items():
        full = "full.svg" if tool in ("graph", "pack") else "full"
        os.symlink("/dev/full", full)
        result = run(command(words, full))
        expect(result.returncode in (1, 2) and is_plain(result)
               and "No space left" in result.stderr,
               f"{tool} to a full device: {result.returncode} {result.stderr}")
        os.remove(full)


def fill_disk():
    """A limit on the size of files is met as a full disk is."""
    def limited(size):
        import resource
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for tool, (_, words) in TOOLS.items():
        output = "out.svg" if tool in ("graph", "pack") else "out"
        for size in (0, 300):
            result = run(command(words, output), preexec_fn=limited(size))
            what = f"{tool} with files of {size} bytes"
            expect(is_plain(result),
                   f"{what}: {result.returncode} {result.stderr}")
            if os.path.exists(output):
                expect(result.returncode == 0 and os.path.getsize(output) > 0,
                       what + " left a part of a file")
                os.remove(output)
    for words in ([sluice, "graph", "main.c"], [sluice, "check", "main.c"],
                  [sluice, "build", "main.c", "--print=llvm"],
                  [sluice, "pack", "vec(3 2 5)[double]"],
                  [os.path.join(binaries, "sluice-opt"), "tasks.mlir"],
                  [os.path.join(binaries, "sluice-translate"), "main.c"]):
        for redirection in (">/dev/full", ">&-"):
            line = " ".join(f"'{word}'" for word in words) + redirection
            result = run(["sh", "-c", line])
            expect(is_plain(result) and result.returncode == 1,
                   f"{line}: {result.returncode} {result.stderr}")


def leftovers():
    """Files that are neither entries of the cache nor ours."""
    found = []
    for place, folders, files in os.walk(root):
        found += [os.path.join(place, name) for name in folders + files
                  if name.startswith((".sluice-", "sluice-"))
                  or name.endswith((".tmp", ".part"))]
    return found


def interrupt():
    random.seed(3)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGKILL):
        for _ in range(3):
            shutil.rmtree("cache", ignore_errors=True)
            process = subprocess.Popen(
                [sluice, "build", "main.c", "other.o", "-o", "app"],
                env=environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(random.uniform(0.02, 0.4))
            os.killpg(process.pid, number)
            process.wait()
            if number != signal.SIGKILL:
                expect(not leftovers(), f"{number} left {leftovers()}")
    clear_after_kill()


def clear_after_kill(output="app"):
    """What was killed is cleared away by whoever writes there next."""
    for name in leftovers():
        os.utime(name, (1, 1), follow_symlinks=False)
    run([sluice, "build", "main.c", "other.o", "-o", output])
    expect(not leftovers(), f"SIGKILL left {leftovers()}")


def is_copying(process, folder):
    """Whether it has a file open that lies, or will lie, in the folder."""
    try:
        files = [os.readlink(f"/proc/{process.pid}/fd/{number}")
                 for number in os.listdir(f"/proc/{process.pid}/fd")]
    except OSError:
        return False
    return any(os.path.dirname(file.removesuffix(" (deleted)")) == folder
               for file in files)


def kill_while_copying():
    write("big.c", "char big[96 << 20] = {1};\n")
    subprocess.run([clang, "-c", "big.c"], check=True)
    os.mkdir("target")
    write("target/app", "what was there")
    folder = os.path.join(os.path.realpath(root), "target")
    seen = 0
    for _ in range(10):
        process = subprocess.Popen(
            [sluice, "build", "main.c", "other.o", "big.o", "-o",
             "target/app"], env=environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if is_copying(process, folder):
                os.killpg(process.pid, signal.SIGKILL)
                seen += 1
                break
        process.wait()
        if seen == 3:
            break
        if process.returncode == 0:
            write("target/app", "what was there")
    expect(seen, "no build was seen to write its output")
    with open("target/app", errors="replace") as file:
        expect(file.read(20) == "what was there", "a part of a program")
    clear_after_kill("target/app")
    os.remove("big.o")


def run_in_parallel():
    shutil.rmtree("cache")
    programs = [subprocess.Popen([sluice, "run", "main.c", "other.o"],
                                 env=environment, stdout=subprocess.PIPE)
                for _ in range(4)]
    builds = [subprocess.Popen([sluice, "build", "main.c", "other.o", "-o",
                                "app"], env=environment) for _ in range(3)]
    for program in programs:
        expect(program.communicate()[0] == b"value 8\n", "a parallel run")
    for build in builds:
        expect(build.wait() == 0, "a parallel build")
    expect(run(["./app"]).stdout == "value 8\n", "what parallel builds left")
    expect(not leftovers(), f"parallel runs left {leftovers()}")


def main():
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(os.path.join(root, "tmp"))
    os.chdir(root)
    for name, text in {"main.c": WHOLE, "header.h": "#define VALUE 3\n",
                       "other.c": "int other(void) { return 5; }\n",
                       "tasks.mlir": TASKS, "kernel.c": KERNEL,
                       "layout.svg": "vec(3 2 5)[double]\n"}.items():
        write(name, text)
    subprocess.run([clang, "-c", "other.c"], check=True)
    for step in (refuse_inputs, write_devices, fill_disk, interrupt,
                 kill_while_copying, run_in_parallel):
        step()
    finish("all outputs are whole, and nothing else is written")


main()
