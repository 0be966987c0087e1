"""Runs random leaves before and after each single pass over leaves.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_passes.py [--plant] FIRST_SEED LAST_SEED CLANG FOLDER LEAF_OPT
                        [PASS...]

Of each leaf, sluice-codegen-test prints the code that each pass of
LeafPasses.def gets, and what it makes of it. Where that differs, LEAF_OPT, LLVM's
opt with these passes, runs the pass alone, and what it makes is run and compared
with the oracle, which runs one instance at a time.

--plant plants a mistake into what each pass makes of a leaf of its kind, with one
seed after another until running it shows a mistake.
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
              "chains", "extremes", "steps", "locals", "panels", "rows"]
# The leaves in which a pass finds something to do; else "rows".
GENERATOR_OF = {
    "sluice-alone-updates": "updates",
    "sluice-choose-loads": "borders",
    "sluice-hide-narrow-wraps": "kernel",
    "sluice-jam-loops": "jams",
    "sluice-join-appends": "updates",
    "sluice-private-copies": "updates",
    "sluice-promote-updates": "updates",
    "sluice-reorder-extremes": "extremes",
    "sluice-separate-folds": "steps",
    "sluice-shorten-chains": "chains",
    "sluice-split-borders": "borders",
    "sluice-split-into-blocks": "blocks",
    "sluice-vectorize-lanes": "steps",
}
# Passes that only write down what other passes may do.
MARKERS = {"sluice-allow-gathers", "sluice-avoid-gathers",
           "sluice-drop-inner-scopes", "sluice-keep-copying-loops", "sluice-release-instance-loops",
           "sluice-report-loops", "sluice-unroll-array-loops",
           "sluice-unroll-instance-loops"}
# What a mistake looks like. Those in conditions come last: a wrong number is found
# sooner than a loop that does not end.
MISTAKES = [
    (r" fadd ", " fsub "), (r" fmul ", " fadd "), (r" xor ", " or "),
    (r" add ", " sub "), (r" mul ", " add "), (r" fdiv ", " fmul "),
    (r"@llvm\.smin\.", "@llvm.smax."), (r"@llvm\.umin\.", "@llvm.umax."),
    (r"@llvm\.smax\.", "@llvm.smin."), (r"@llvm\.umax\.", "@llvm.umin."),
    (r"atomicrmw (add|or|xor|[us]m\w+) ", "atomicrmw sub "),
    (r"(select .*), (\w+|<[^>]*>) (\S+), \2 (\S+?)(,|$)", r"\1, \2 \4, \2 \3\5"),
    (r"store (\w+|<[^>]*>) [^,]*, ptr", r"store \1 zeroinitializer, ptr"),
    (r"(getelementptr .*i64) %[\w.]+$", r"\1 0"),
    (r"load (\w+|<[^>]*>), ptr .*$", r"freeze \1 zeroinitializer"),
    (r"icmp (samesign )?ult ", "icmp ugt "), (r"icmp (samesign )?ugt ", "icmp ult "),
    (r"icmp (samesign )?uge ", "icmp ult "), (r"icmp slt ", "icmp sgt "),
    (r"icmp eq ", "icmp ne "), (r"icmp ne ", "icmp eq ")]
FIRST_CONDITION = 15


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
    function = next((option[len("-leaf="):] for option in options
                     if option.startswith("-leaf=")), "leaf") + ".range"
    text = run("sluice-codegen-test", leaf, "-emit=optimized", *options,
               "-print-before=" + ",".join(names),
               "-print-after=" + ",".join(names), "-print-module-scope",
               "-filter-print-funcs=" + function).stderr
    found = {}
    for part in re.split(r"^; \*\*\* IR Dump ", text, flags=re.M)[1:]:
        title, code = part.split("\n", 1)
        when, kind, unit = re.match(r"(\w+) (\S+) on (\S+)", title).groups()
        if unit in (function, "[module]"):
            kind = kind.split("::")[-1]
            if when == "Before":
                before = code
            elif before != code:
                # The last change, if a pass runs several times.
                found[kind] = before
    return found


def isSame(leaf, options, code, path, limit=None):
    """Whether running the code gives what the oracle gives, in time."""
    writeCode(path, code)
    try:
        return run("sluice-codegen-test", leaf, "-emit=run", *options,
                   "-range=" + path, timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def ofPasses(before, after, withPrevious):
    """The numbers of the lines that a pass has made or, with the lines before
    them, moved."""
    def keys(code):
        lines = [line.split(", !")[0].strip() for line in code.split("\n")]
        return list(zip([""] + lines, lines)) if withPrevious else lines

    known = set(keys(before))
    return [number for number, key in enumerate(keys(after))
            if key not in known]


def plantMistakes(before, after, seed):
    """The code after a pass, with one instruction changed that it has made, or
    else moved."""
    lines = after.split("\n")
    for withPrevious in False, True:
        choices = []
        for number in ofPasses(before, after, withPrevious):
            for rank, (right, wrong) in enumerate(MISTAKES):
                changed = re.sub(right, wrong, lines[number], count=1)
                if changed != lines[number]:
                    choices.append((rank >= FIRST_CONDITION, number, changed))
        random.Random(seed).shuffle(choices)
        for _, number, line in sorted(choices,
                                      key=lambda choice: choice[0])[:8]:
            yield "\n".join(lines[:number] + [line] + lines[number + 1:])
        if choices:
            return


def writeCode(path, code):
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)


def tryPass(name, before, leaf, options, path):
    """Runs the pass alone, and what it makes, which it returns; none if that is
    wrong."""
    writeCode(path, before)
    after = run(*opt, f"-passes={name}", "-S", path)
    if after.returncode:
        print(f"{name}: fails for {path}\n{after.stderr}")
        return None
    if isSame(leaf, options, after.stdout, path + ".after.ll"):
        return after.stdout
    verb = "makes" if isSame(leaf, options, before, path) else "gets"
    print(f"{name}: {verb} a mistake in {path}: {' '.join(options)}")
    return None


def codeOf(generator, seed, names):
    """For each pass that changes a leaf, its name and what to run it with."""
    leaf, options = writeLeaf(generator, seed)
    code = codeAround(leaf, options, names)
    for name in names:
        kind = "".join(part.title() for part in name.split("-")[1:])
        if kind in code:
            path = os.path.join(folder, f"{generator}{seed}.{name}.ll")
            yield name, (code[kind], leaf, options, path)


def isMistakeFound(name, before, leaf, options, path, seed):
    after = tryPass(name, before, leaf, options, path)
    if not after:
        return False
    plain = run(*opt, "-S", path).stdout
    # A loop with a mistake may not end.
    return any(not isSame(leaf, options, wrong, path + ".wrong.ll", limit=30)
               for wrong in plantMistakes(plain, after, seed))


def plantInto(name):
    tried = 0
    for seed in seeds:
        for _, given in codeOf(GENERATOR_OF.get(name, "rows"), seed, [name]):
            tried += 1
            if isMistakeFound(name, *given, seed):
                print(f"{name}: a mistake is found", flush=True)
                return
    print(f"{name}: no mistake is found in {tried} leaves", flush=True)


names = sorted(name for name in passNames() if not wanted or name in wanted)
seeds = range(int(first), int(last) + 1)
if plants:
    for name in names:
        if name not in MARKERS:
            plantInto(name)
    sys.exit()
counts = {name: [0, 0] for name in names}
for seed in seeds:
    for name, given in codeOf(GENERATORS[seed % len(GENERATORS)], seed, names):
        counts[name][0] += tryPass(name, *given) is not None
        counts[name][1] += 1
for name, (same, changed) in counts.items():
    if changed:
        print(f"{name}: {same} of {changed} leaves are the same")
