"""Compares ways of running programs of random leaves.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: run_random_programs.py FIRST_SEED LAST_SEED LEAVES FOLDER CLANG

Compiles each program of random_programs.py by plain clang, and in a way that its
seed draws: a level of optimisation, a processor, lanes, panels or borders left
out, with code for the extents and without. Both must print the same, with 1, 2 and
5 workers. A program that does not stays in FOLDER.
"""

import os
import random
import subprocess
import sys
import time

from random_programs import write


def ways(seed):
    """Options of both compilers, options to compare, and whether to have code
    for the extents."""
    r = random.Random(seed)
    options = [r.choice(["-march=x86-64-v3", "-march=native",
                         "-march=x86-64-v4"])]
    if options == ["-march=x86-64-v4"] and not processor_has_avx512():
        options = ["-march=x86-64-v3"]
    level = r.choice(["-O1", "-O2", "-O3", "-O3", "-O3"])
    more = r.choice([[], [], [], ["--no-lanes"], ["--no-panels"],
                     ["--no-borders"], ["--reference"],
                     ["-mprefer-vector-width=256"]])
    return options, [level, *more], r.random() < 0.3


def processor_has_avx512():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        return "avx512vl" in file.read()


def run_all(first, last, count, folder, clang):
    os.makedirs(folder, exist_ok=True)
    same = 0
    for seed in range(first, last + 1):
        path = os.path.join(folder, f"{seed}.c")
        program = path[:-2] + ".exe"
        write(seed, count, path)
        options, level, has_variants = ways(seed)
        plain = build([clang, "-DPLAIN", "-O1", "-w", *options, path, "-lm"],
                      program) or execute(program, {})
        got = build(["sluice", "build", "-w", "-q", *options, *level, path],
                    program)
        settings, good = {}, got is None
        for workers, has_code in [("1", "0"), ("2", "0"), ("5", "0"),
                                  *([("2", "1")] if has_variants else [])]:
            if not good:
                break
            settings = {"SLUICE_WORKERS": workers, "SLUICE_SPECIALIZE": has_code}
            if has_code == "1":
                make_variants(program, settings)
            got = execute(program, settings)
            good = got == plain
        if good:
            os.remove(path)
        else:
            report(seed, [*options, *level], settings, plain, got)
        if os.path.exists(program):
            os.remove(program)
        same += good
    print(f"{same} of {last - first + 1} programs are the same")


def report(seed, options, settings, plain, got):
    print(f"seed {seed}: {' '.join(f'{k}={v}' for k, v in settings.items())} "
          f"{' '.join(options)}: status {got[0]}, of plain clang {plain[0]}")
    shown = 0
    for a, b in zip(plain[1].splitlines(), got[1].splitlines()):
        if a != b and shown < 6:
            print(f"  expected {a}\n  got      {b}")
            shown += 1
    if not shown:
        print(got[1][-2000:])
    sys.stdout.flush()


def build(command, program):
    """Status and text of a failure."""
    if os.path.exists(program):
        os.remove(program)
    done = subprocess.run([*command, "-o", program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return (done.returncode, done.stdout) if done.returncode else None


def execute(program, settings):
    done = subprocess.run([program], env={**os.environ, **settings},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=600)
    return done.returncode, done.stdout


def make_variants(program, settings):
    """Has the code for all extents made, and kept in the cache."""
    with subprocess.Popen([program], stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL,
                          env={**os.environ, **settings, "WAIT": "1"}) as child:
        quiet = 0
        while child.poll() is None and quiet < 6:
            time.sleep(0.05)
            quiet = 0 if has_helper(child.pid) else quiet + 1
        child.communicate(b"\n")


def has_helper(pid):
    """Whether a process, in any thread, has a child."""
    folder = f"/proc/{pid}/task"
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/children", encoding="ascii") as file:
            if file.read().strip():
                return True
    return False


if __name__ == "__main__":
    run_all(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4],
            sys.argv[5])
