"""Runs random leaves through sluice-codegen-test.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: run_random.py FIRST_SEED LAST_SEED CLANG FOLDER [GENERATOR [OPTIONS]]
"""

import os
import subprocess
import sys

first, last, clang, folder = sys.argv[1:5]
generator = sys.argv[5] if len(sys.argv) > 5 else "random_kernel.py"
more = sys.argv[6:]
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(folder, exist_ok=True)
# -O1 marks loops as not to be unrolled.
level = "-O2" if generator == "random_lanes.py" else "-O1"
flags = ["-ffp-contract=on", "-w", level, "-Xclang", "-disable-llvm-passes",
         "-S", "-emit-llvm"]
if any(option.startswith("-debugging=") for option in more):
    flags.append("-g")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


same = 0
seeds = range(int(first), int(last) + 1)
for seed in seeds:
    source = os.path.join(folder, f"{seed}.c")
    raw, leaf = source + ".raw.ll", source + ".ll"
    options = output(sys.executable, os.path.join(here, generator),
                     str(seed), source).split()
    output(clang, *flags, source, "-o", raw)
    output("opt", "-passes=mem2reg", "-S", raw, "-o", leaf)
    run = subprocess.run(["sluice-codegen-test", leaf, "-emit=run", *options,
                          *more],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    if run.returncode == 0:
        same += 1
    else:
        print(f"seed {seed}: {' '.join(options)}\n{run.stdout}")
print(f"{same} of {len(seeds)} leaves are the same")
