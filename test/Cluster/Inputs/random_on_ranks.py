"""Runs random graphs on several ranks and on one machine, and compares.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_on_ranks.py graphs|sweeps|scans|conditions|streams FIRST_SEED LAST_SEED SLUICE FOLDER
                          RANKS,... LAUNCHER...
"""

import os
import random
import subprocess
import sys

kind, first, last, sluice, folder, ranks = sys.argv[1:7]
launcher = sys.argv[7:]
here = os.path.dirname(os.path.abspath(__file__))
GENERATOR = os.path.join(here, "../..",
                         {"graphs": "Transforms/Inputs/random_graph.py",
                          "sweeps": "Transforms/Inputs/random_sweeps.py",
                          "scans": "Driver/Inputs/random_scans.py",
                          "conditions": "Cluster/Inputs/random_conditions.py",
                          "streams": "Cluster/Inputs/random_streams.py"}[kind])
os.makedirs(folder, exist_ok=True)


def output(*command, **settings):
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.PIPE, timeout=600,
                         env={**os.environ, **settings})
    return run.returncode, run.stdout, run.stderr


def choices(rng):
    """Arguments of the program: those of sweeps are a shift and a grid."""
    if kind != "sweeps":
        yield []
        return
    for _ in range(3):
        yield ["0", *(str(rng.choice([1, 2, 5, rng.randint(1, 70)]))
                      for _ in range(3))]


def differences(seed, source):
    """What goes wrong with one program."""
    rng = random.Random(seed)
    code, _, text = output(sluice, "build", "-O1", "-fwrapv", "-Wno-everything",
                           source, "-o", source + ".app")
    if code != 0:
        yield text
        return
    for arguments in choices(rng):
        expected = output(source + ".app", *arguments)[:2]
        if not expected[1]:
            yield f"{arguments}: printed nothing"
        for number in ranks.split(","):
            workers = str(rng.randint(1, 3))
            *found, remarks = output(
                *launcher, "-n", number, source + ".app", *arguments,
                SLUICE_WORKERS=workers)
            if tuple(found) != expected:
                yield (f"{arguments} on {number} ranks of {workers}: "
                       f"{found}, expected {expected}\n{remarks}")
            differences.shared += "runs on rank 0 only" not in remarks


differences.shared = 0
same = 0
seeds = range(int(first), int(last) + 1)
for seed in seeds:
    source = os.path.join(folder,
                          f"{seed}.cpp" if kind in ("streams", "conditions")
                          else f"{seed}.c")
    command = [sys.executable, GENERATOR, str(seed)]
    if kind == "scans":
        with open(source, "w") as file:
            subprocess.run(command, stdout=file, check=True)
    else:
        subprocess.run([*command, source], check=True)
    problems = list(differences(seed, source))
    same += not problems
    for problem in problems:
        print(f"seed {seed}, {problem}")
print(f"{same} of {len(seeds)} programs compute the same; in "
      f"{differences.shared} runs all nodes were shared")
