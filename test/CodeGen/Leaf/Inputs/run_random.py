"""Runs random leaves through sluice-codegen-test.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: run_random.py FIRST_SEED LAST_SEED CLANG FOLDER [GENERATOR [OPTIONS]]

Many leaves are one source and one run of the test program, which takes a part of
the time of one run for each. The source of a leaf that fails stays in FOLDER.
"""

import importlib
import os
import re
import subprocess
import sys

SEEDS_AT_ONCE = 50


class Batch:
    """Leaves that become one source."""

    def __init__(self, module, seeds, folder):
        self.prelude = module.PRELUDE
        self.texts, self.options = {}, {}
        for seed in seeds:
            leaf = module.Leaf(seed)
            self.texts[leaf.name] = leaf.text()
            self.options[leaf.name] = leaf.options()
        self.folder = folder

    def write(self, name, texts):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([self.prelude, *texts]))
        return path

    def run(self, clang, flags, more):
        """How many are the same; prints what the others printed."""
        source = self.write("leaves.c", self.texts.values())
        code, lines = source + ".bc", source + ".txt"
        subprocess.run([clang, *flags, source, "-o", code], check=True)
        with open(lines, "w", encoding="utf-8") as file:
            for name, options in self.options.items():
                file.write(f"{name} {options}\n")
        command = ["sluice-codegen-test", code, f"-batch={lines}", *more]
        run = subprocess.run(command, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True,
                             errors="replace")
        same, text = 0, []
        for line in run.stdout.splitlines():
            result = re.fullmatch(r"(leaf\d+): (.*)", line)
            if not result:
                text.append(line)
                continue
            name, status = result.groups()
            if status == "status 0":
                same += 1
            else:
                path = self.write(name + ".c", [self.texts[name]])
                print(f"{path}: {self.options[name]}\n  {status}\n  "
                      + "\n  ".join(text))
            text = []
        if run.returncode:
            print("\n".join(text))
        sys.stdout.flush()
        return same


def main(first, last, clang, folder, generator="random_kernel.py", *more):
    os.makedirs(folder, exist_ok=True)
    # -O1 marks loops as not to be unrolled.
    unrolls = generator in ("random_lanes.py", "random_along.py")
    level = "-O2" if unrolls else "-O1"
    flags = ["-ffp-contract=on", "-w", level, "-Xclang",
             "-disable-llvm-passes", "-c", "-emit-llvm"]
    if any(option.startswith("-debugging=") for option in more):
        flags.append("-g")
    # LLVM's allocation of registers takes minutes for bodies of 32 lanes.
    if generator == "random_lanes.py":
        more = [*more, "-quick-code"]
    module = importlib.import_module(generator.removesuffix(".py"))
    seeds = range(int(first), int(last) + 1)
    same = 0
    for start in range(0, len(seeds), SEEDS_AT_ONCE):
        batch = Batch(module, seeds[start:start + SEEDS_AT_ONCE], folder)
        same += batch.run(clang, flags, more)
    print(f"{same} of {len(seeds)} leaves are the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
