"""Runs random graphs on a device and on the host, and compares.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_on_device.py FIRST_SEED LAST_SEED SLUICE FOLDER

The graphs are those of test/Transforms.
"""

import os
import subprocess
import sys

first, last, sluice, folder = sys.argv[1:5]
here = os.path.dirname(os.path.abspath(__file__))
GENERATOR = os.path.join(here, "../../Transforms/Inputs/random_graph.py")
os.makedirs(folder, exist_ok=True)
# How the program is compiled, and what it is run with.
CHOICES = [(["--hint=gpu"], {}),
           (["--hint=gpu", "--no-transforms"], {}),
           (["--hint=either"], {}),
           (["--hint=gpu"], {"SLUICE_PLACEMENT": "iteration",
                             "SLUICE_WORKERS": "3"})]


def output(*command, **settings):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=60,
                          env={**os.environ, **settings})


def differences(source):
    """What goes wrong with one program."""
    program = source + ".app"
    expected = None
    for flags, settings in CHOICES:
        build = output(sluice, "build", "-O1", "-fwrapv", *flags, source, "-o",
                       program)
        if build.returncode != 0:
            yield f"{flags}: {build.stdout}"
            continue
        if expected is None:
            expected = output(program, SLUICE_DEVICE="host").stdout
        run = output(program, SLUICE_DEVICE="opencl", **settings)
        lines = [line for line in run.stdout.splitlines(True)
                 if not line.startswith("sluice: warning: ")]
        if run.returncode != 0 or "".join(lines) != expected:
            yield (f"{flags} {settings}: status {run.returncode}\n{run.stdout}"
                   f"expected\n{expected}")


same = 0
seeds = range(int(first), int(last) + 1)
for seed in seeds:
    source = os.path.join(folder, f"{seed}.c")
    subprocess.run([sys.executable, GENERATOR, str(seed), source], check=True)
    problems = list(differences(source))
    same += not problems
    for problem in problems:
        print(f"seed {seed}, {problem}")
print(f"{same} of {len(seeds)} graphs compute the same")
