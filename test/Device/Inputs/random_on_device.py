"""Runs random programs on a device and on the host, and compares.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_on_device.py graphs|kernels FIRST_SEED LAST_SEED SLUICE FOLDER

The graphs are those of test/Transforms. PTX of kernels is looked at, assembled
if there is a ptxas, and run by the stand-in for CUDA that SLUICE_CUDA_LIBRARY
names.
"""

import os
import subprocess
import sys

import ptx

kind, first, last, sluice, folder = sys.argv[1:6]
here = os.path.dirname(os.path.abspath(__file__))
GENERATOR = {
    "graphs": os.path.join(here, "../../Transforms/Inputs/random_graph.py"),
    "kernels": os.path.join(here, "random_kernels.py")}[kind]
os.makedirs(folder, exist_ok=True)
# How the program is compiled, and what it is run with.
CHOICES = {
    "graphs": [(["--hint=gpu"], {}),
               (["--hint=gpu", "--no-transforms"], {}),
               (["--hint=either"], {}),
               (["--hint=gpu"], {"SLUICE_PLACEMENT": "iteration",
                                 "SLUICE_WORKERS": "3"})],
    "kernels": [([], {}), ([], {"SLUICE_DEVICE": "cuda"})]}[kind]


def output(*command, **settings):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=600,
                          env={**os.environ, **settings})


def build(flags, source, *more):
    return output(sluice, "build", "-O1", "-fwrapv", *flags, source, *more)


def comparable(text):
    """What is compared: a leaf of a random graph may be refused, one of the
    random kernels may not."""
    if kind == "kernels":
        return text
    return "".join(line for line in text.splitlines(True)
                   if not line.startswith("sluice: warning: "))


def differences(source):
    """What goes wrong with one program."""
    program = source + ".app"
    expected = None
    for flags, settings in CHOICES:
        built = build(flags, source, "-o", program)
        if built.returncode != 0:
            yield f"{flags}: {built.stdout}"
            continue
        if expected is None:
            host = output(program, SLUICE_DEVICE="host")
            if host.returncode != 0 or not host.stdout:
                yield f"{flags}, on the host: status {host.returncode}"
                return
            expected = host.stdout
        run = output(program, **{"SLUICE_DEVICE": "opencl", **settings})
        if run.returncode != 0 or comparable(run.stdout) != expected:
            yield (f"{flags} {settings}: status {run.returncode}\n{run.stdout}"
                   f"expected\n{expected}")


def ptx_problems(source):
    """What goes wrong with a program's PTX."""
    with open(source + ".ptx", "w", encoding="utf-8") as file:
        subprocess.run([sluice, "build", "-O1", "-fwrapv", "--print=ptx",
                        source], stdout=file, stderr=subprocess.DEVNULL,
                       timeout=600, check=True)
    yield from ptx.problems(source + ".ptx", "sm_75")


same = 0
seeds = range(int(first), int(last) + 1)
for seed in seeds:
    source = os.path.join(folder, f"{seed}.c")
    subprocess.run([sys.executable, GENERATOR, str(seed), source], check=True)
    problems = list(differences(source))
    if kind == "kernels":
        problems += ptx_problems(source)
    same += not problems
    for problem in problems:
        print(f"seed {seed}, {problem}")
print(f"{same} of {len(seeds)} programs of {kind} compute the same")
