"""Runs random graphs of sweeps with and without strips and compares results.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: run_random_sweeps.py FIRST_SEED LAST_SEED SLUICE FOLDER [GENERATOR]
"""

import os
import random
import re
import subprocess
import sys

first, last, sluice, folder = sys.argv[1:5]
generator = (sys.argv[5:] + ["random_sweeps.py"])[0]
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(folder, exist_ok=True)


def output(*command, **settings):
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.STDOUT, timeout=600,
                         env={**os.environ, **settings})
    return run.returncode, re.sub("0x[0-9a-f]+", "ADDRESS", run.stdout)


def build(source, executable, *flags):
    code, text = output(sluice, "build", "-O1", "-fwrapv", "-Wno-everything",
                        *flags, source, "-o", executable)
    if code != 0:
        raise RuntimeError(f"{flags}: {text}")


def grids(rng):
    """Extents, and for some a shift with which arrays overlap."""
    for _ in range(4):
        sizes = [rng.choice([1, 2, 5, rng.randint(1, 70)]) for _ in range(3)]
        yield ["0", *(str(size) for size in sizes)]
    yield [str(rng.randint(1, 50)), "17", "40", "12"]


def tuned_way(rng, path):
    """Writes a file of ways with any way; "" for none."""
    kind = rng.choice(["", "one-by-one", "strips", "windows", "windows"])
    if not kind:
        return ""
    number = {"strips": "nodes", "windows": "pieces"}.get(kind)
    lines = ["[root]", f"way = {kind}"]
    if number:
        lines.append(f"rows = {rng.choice([1, 2, 3, rng.randint(1, 80)])}")
    if number and rng.random() < 0.5:
        lines.append(f"{number} = {rng.randint(1, 6)}")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def differences(seed, source):
    rng = random.Random(seed)
    build(source, source + ".plain", "--no-transforms")
    build(source, source + ".tiled")
    _, plan = output(sluice, "build", "-O1", "-fwrapv", "-Wno-everything",
                     "--print=plan", source)
    is_tiled = "row by row" in plan
    for grid in grids(rng):
        expected = output(source + ".plain", *grid, SLUICE_EXECUTOR="sequential")
        if expected[0] != 0 and grid[0] == "0":
            yield f"{grid}: {expected}"
        for _ in range(3):
            settings = {"SLUICE_WORKERS": str(rng.randint(1, 5)),
                        "SLUICE_TILE_CACHE": str(rng.choice([0, 300, 2000, 20000])),
                        "SLUICE_TUNED": tuned_way(rng, source + ".ways")}
            found = output(source + ".tiled", *grid, **settings)
            if found != expected:
                yield f"{grid} {settings}: {found}, expected {expected}"
    differences.tiled += is_tiled
    differences.windows += "keeps a window" in plan


differences.tiled = differences.windows = 0
same = 0
seeds = range(int(first), int(last) + 1)
for seed in seeds:
    source = os.path.join(folder, f"{seed}.c")
    subprocess.run([sys.executable, os.path.join(here, generator),
                    str(seed), source], check=True)
    problems = list(differences(seed, source))
    same += not problems
    for problem in problems:
        print(f"seed {seed}, {problem}")
print(f"{same} of {len(seeds)} graphs compute the same, "
      f"{differences.tiled} may run strip by strip, "
      f"{differences.windows} with windows")
