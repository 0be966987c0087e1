"""Chains of launches over some colors, and who reads what nobody wrote.

Usage: partial_launches.py SLUICE FOLDER. Compares the remarks of rule D3 with
plain sets of colors. SLUICE_TEST_ROUNDS says how many graphs (300),
SLUICE_TEST_SEED which.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import random
import re
import subprocess
import sys

sluice, folder = sys.argv[1:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS", "300"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))
COLORS = 4


def launch(pick):
    """A number of points, a projection, and the colors that they have."""
    while True:
        points, factor = pick.randint(1, COLORS), pick.choice([1, 1, -1, 2])
        offset = pick.randint(0, COLORS - 1)
        colors = [factor * i + offset for i in range(points)]
        if all(0 <= color < COLORS for color in colors):
            return (points, f"by affine_map<(i) -> (i * {factor} + {offset})>",
                    set(colors))


def graph(pick, name):
    """Text, and whether something is read that has no value."""
    isInitial = pick.random() < 0.2
    defined = set(range(COLORS)) if isInitial else set()
    lines = [f"rdir.graph @{name} {{",
             f"  %v0 = rdir.region @p{' initial' if isInitial else ''}"]
    isBad = False
    numSteps = pick.randint(1, 5)
    for step in range(numSteps):
        points, by, colors = launch(pick)
        old, new = f"%v{step}", f"%v{step + 1}"
        kind = pick.choice(["discards", "discards", "reads"])
        lines += [f"  {new} = rdir.region @p",
                  f"  rdir.task @w{kind} over [{points}] {kind}({old} {by}) "
                  f"writes({new} {by})"]
        isBad |= kind == "reads" and not colors <= defined
        defined |= colors
        reader = pick.randrange(6)
        if reader == 0:
            lines.append(f"  rdir.task @whole reads({new})")
            isBad |= len(defined) < COLORS
        elif reader == 1:
            points, by, colors = launch(pick)
            lines.append(f"  rdir.task @some over [{points}] reads({new} {by})")
            isBad |= not colors <= defined
        elif reader == 2 and step + 1 == numSteps:
            color = pick.randrange(COLORS)
            lines += [f"  %c{step} = rdir.region @p[{color}]",
                      f"  rdir.open reads({new}) writes(%c{step})",
                      f"  rdir.task @one reads(%c{step})"]
            isBad |= color not in defined
    return lines + ["}"], isBad


pick = random.Random(seed)
lines = ["rdir.root @a [8] {x : i64}",
         f"rdir.partition @p of @a [{COLORS}] disjoint complete by blocks"]
wanted, starts = set(), []
for number in range(rounds):
    starts.append(len(lines) + 1)
    text, isBad = graph(pick, f"g{number}")
    lines += text
    if isBad:
        wanted.add(number)
path = os.path.join(folder, "partial.mlir")
with open(path, "w") as file:
    file.write("\n".join(lines) + "\n")
result = subprocess.run([sluice, "check", path], capture_output=True, text=True)
found = set()
for place in re.findall(r"partial\.mlir:(\d+):\d+: remark: [^\n]*\[D3\]",
                        result.stderr):
    found.add(sum(start <= int(place) for start in starts) - 1)
if result.returncode or found != wanted:
    print(f"seed {seed}: graphs {sorted(found ^ wanted)} differ\n"
          f"{result.stderr[:2000]}")
    sys.exit(1)
print("all as the sets say")
