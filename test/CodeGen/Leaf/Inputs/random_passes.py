"""Runs random leaves before and after each single pass over leaves.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_passes.py [--plant] FIRST_SEED LAST_SEED CLANG FOLDER LEAF_OPT
                        [PASS...]

Of each leaf, sluice-codegen-test prints the code that each pass of
LeafPasses.def gets, and what it makes of it. Where that differs, LEAF_OPT, LLVM's
opt with these passes, runs the pass alone, and what it makes is run and compared
with the oracle, which runs one instance at a time. --plant plants a mistake into
it: running it must show that.
"""

import os
import random
import re
import subprocess
import sys

arguments = sys.argv[1:]
plants = "--plant" in arguments
if plants:
    arguments.remove("--plant")
first, last, clang, folder, opt = arguments[:5]
opt = opt.split()
wanted = arguments[5:]
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(folder, exist_ok=True)

GENERATORS = ["kernel", "lanes", "borders", "updates", "blocks", "jams",
              "chains", "steps", "locals", "panels"]
# What a mistake looks like, by the most harmless first: a wrong number is found
# sooner than a loop that does not end.
MISTAKES = [(" fadd ", " fsub "), (" fmul ", " fadd "),
            (" xor ", " or "), (" add ", " sub "), (" mul ", " add "),
            ("@llvm.smin.", "@llvm.smax."),
            ("@llvm.umin.", "@llvm.umax."), ("atomicrmw add", "atomicrmw sub"),
            ("icmp ult ", "icmp ugt "), ("icmp eq ", "icmp ne "),
            ("icmp slt ", "icmp sgt "), ("icmp ne ", "icmp eq "),
            ("icmp ugt ", "icmp ult "), ("icmp uge ", "icmp ule "),
            ("zeroinitializer", "splat (i32 1)")]


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)


def passNames():
    table = os.path.join(here, "../../../../lib/CodeGen/Leaf/Pipeline",
                         "LeafPasses.def")
    with open(table, encoding="ascii") as file:
        rows = re.findall(r'^LEAF_PASS\("([^"]+)", [^,]+(?:\([^)]*\))?, '
                          r"\w+, (\w+),", file.read(), re.M)
    # Passes over one instance see no range of instances.
    return {name for name, point in rows if point != "Item"}


def writeLeaf(generator, seed):
    """The leaf's IR, and the options to run it with."""
    source = os.path.join(folder, f"{generator}{seed}.c")
    script = os.path.join(here, f"random_{generator}.py")
    options = run(sys.executable, script, str(seed), source).stdout.split()
    level = "-O2" if generator == "lanes" else "-O1"
    raw, leaf = source + ".raw.ll", source + ".ll"
    run(clang, "-ffp-contract=on", "-w", level, "-Xclang",
        "-disable-llvm-passes", "-S", "-emit-llvm", source, "-o", raw,
        check=True)
    run(opt[0], "-passes=mem2reg", "-S", raw, "-o", leaf, check=True)
    return leaf, options


def codeAround(leaf, options, names):
    """The modules before and after each pass over the range function."""
    text = run("sluice-codegen-test", leaf, "-emit=optimized", *options,
               "-print-before=" + ",".join(names),
               "-print-after=" + ",".join(names), "-print-module-scope",
               "-filter-print-funcs=leaf.range").stderr
    found = {}
    for part in re.split(r"^; \*\*\* IR Dump ", text, flags=re.M)[1:]:
        title, code = part.split("\n", 1)
        when, kind, unit = re.match(r"(\w+) (\S+) on (\S+)", title).groups()
        if unit in ("leaf.range", "[module]"):
            kind = kind.split("::")[-1]
            if when == "Before":
                before = code
            elif before != code:
                # The last change, if a pass runs several times.
                found[kind] = before
    return found


def isSame(leaf, options, code, path, limit=None):
    """Whether running the code gives what the oracle gives, in time."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    try:
        return run("sluice-codegen-test", leaf, "-emit=run", *options,
                   "-range=" + path, timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def plantMistakes(before, after, seed):
    """The code after a pass, with one instruction changed that it has made."""
    known = set(line.split(", !")[0].strip() for line in before.split("\n"))
    lines = after.split("\n")
    choices = []
    for number, line in enumerate(lines):
        if "=" not in line or line.split(", !")[0].strip() in known:
            continue
        for rank, (right, wrong) in enumerate(MISTAKES):
            if wrong and right in line:
                choices.append((rank, number, line.replace(right, wrong, 1)))
    random.Random(seed).shuffle(choices)
    for _, number, line in sorted(choices, key=lambda choice: choice[0])[:6]:
        yield "\n".join(lines[:number] + [line] + lines[number + 1:])


class Count:
    def __init__(self):
        self.changed = self.same = self.planted = self.found = 0


def tryPass(name, before, leaf, options, path, seed, count):
    """Runs the pass alone, and what it makes."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(before)
    after = run(*opt, f"-passes={name}", "-S", path)
    count.changed += 1
    if after.returncode:
        print(f"{name}: fails for {path}\n{after.stderr}")
        return
    if isSame(leaf, options, after.stdout, path + ".after.ll"):
        count.same += 1
    else:
        verb = "makes" if isSame(leaf, options, before, path) else "gets"
        print(f"{name}: {verb} a mistake in {path}: {' '.join(options)}")
    if not plants:
        return
    plain = run(*opt, "-S", path).stdout
    mistakes = list(plantMistakes(plain, after.stdout, seed))
    count.planted += bool(mistakes)
    # A loop with a mistake may not end.
    count.found += any(
        not isSame(leaf, options, wrong, path + ".wrong.ll", limit=60)
        for wrong in mistakes)


names = sorted(name for name in passNames() if not wanted or name in wanted)
counts = {name: Count() for name in names}
for seed in range(int(first), int(last) + 1):
    generator = GENERATORS[seed % len(GENERATORS)]
    leaf, options = writeLeaf(generator, seed)
    code = codeAround(leaf, options, names)
    for name in names:
        kind = "".join(part.title() for part in name.split("-")[1:])
        if kind in code:
            path = os.path.join(folder, f"{generator}{seed}.{name}.ll")
            tryPass(name, code[kind], leaf, options, path, seed, counts[name])

for name, count in counts.items():
    if count.changed:
        found = (f", {count.found} of {count.planted} mistakes found"
                 if plants else "")
        print(f"{name}: {count.same} of {count.changed} leaves are the same"
              + found)
