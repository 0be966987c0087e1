"""Builds random graphs with and without the transforms and compares results.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: run_random_graphs.py FIRST_SEED LAST_SEED SLUICE FOLDER
"""

import os
import subprocess
import sys

first, last, sluice, folder = sys.argv[1:5]
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(folder, exist_ok=True)
FLAGS = ["--no-flatten", "--no-dead", "--no-fuse", "--no-pipeline"]
# None, each alone, all.
CHOICES = [FLAGS, *([g for g in FLAGS if g != f] for f in FLAGS), []]


def output(*command, **settings):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=600,
                          env={**os.environ, **settings})


def differences(source):
    """What goes wrong with one program."""
    expected = None
    for flags in CHOICES:
        build = output(sluice, "build", "-O1", "-fwrapv", *flags, source, "-o",
                       source + ".app")
        if build.returncode != 0:
            yield f"{flags}: {build.stdout}"
            continue
        for settings in {"SLUICE_EXECUTOR": "sequential"}, {}:
            run = output(source + ".app", **settings)
            if expected is None:
                expected = run.stdout
                if not expected:
                    yield f"{flags} {settings}: printed nothing"
            if run.returncode != 0 or run.stdout != expected:
                yield f"{flags} {settings}: {run.stdout}"


same = 0
seeds = range(int(first), int(last) + 1)
for seed in seeds:
    source = os.path.join(folder, f"{seed}.c")
    subprocess.run([sys.executable, os.path.join(here, "random_graph.py"),
                    str(seed), source], check=True)
    problems = list(differences(source))
    same += not problems
    for problem in problems:
        print(f"seed {seed}, {problem}")
print(f"{same} of {len(seeds)} graphs compute the same")
