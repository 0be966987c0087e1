"""Partitions whose elements are known, with all promises, and what is wrong.

Usage: known_elements.py SLUICE FOLDER. Writes modules with blocks, halos and
combinations of small roots, each declared disjoint and complete, and compares
what 'sluice check' says of each with plain loops. SLUICE_TEST_ROUNDS says how
many partitions (400), SLUICE_TEST_SEED which.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import os
import random
import re
import subprocess
import sys

sluice, folder = sys.argv[1:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS", "400"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))


def blocks(region, colors):
    if not region:
        return [set() for _ in itertools.product(*map(range, colors))]
    low = [min(axis) for axis in zip(*region)]
    high = [max(axis) + 1 for axis in zip(*region)]
    result = []
    for color in itertools.product(*map(range, colors)):
        bounds = [(l + (h - l) * c // n, l + (h - l) * (c + 1) // n)
                  for l, h, c, n in zip(low, high, color, colors)]
        result.append({at for at in region
                       if all(b <= i < e for i, (b, e) in zip(at, bounds))})
    return result


def halo(region, shape, width, axes):
    result = set(region)
    for at in region:
        steps = ([tuple(s if d == e else 0 for e in range(len(shape)))
                  for d in range(len(shape))
                  for s in range(-width[d], width[d] + 1)] if axes else
                 itertools.product(*(range(-w, w + 1) for w in width)))
        for step in steps:
            near = tuple(i + s for i, s in zip(at, step))
            if all(0 <= i < n for i, n in zip(near, shape)):
                result.add(near)
    return result


def group(pick, number):
    """A root and a few partitions: lines of text, and (name, colors, parent)."""
    rank = pick.randint(1, 3)
    shape = [pick.randint(1, 7) for _ in range(rank)]
    colors = [pick.choice([1, 1, 2, 3, 9]) for _ in range(rank)]
    whole = set(itertools.product(*map(range, shape)))
    root = f"r{number}"
    lines = [f"rdir.root @{root} {shape} {{x : i8}}"]
    made = []

    def add(rule, sets, parent=whole, of=root):
        name = f"p{number}_{len(made)}"
        lines.append(f"rdir.partition @{name} of @{of} {colors} disjoint "
                     f"complete by {rule}")
        made.append((name, sets, parent))

    add("blocks", blocks(whole, colors))
    for _ in range(pick.randint(1, 4)):
        kind = pick.choice(["halo", "halo", "union", "intersection",
                            "difference", "inner"])
        name, sets, _ = pick.choice(made)
        other, others, _ = pick.choice(made)
        if kind == "halo":
            width = [pick.choice([0, 1, 2, 100]) for _ in shape]
            axes = pick.random() < 0.5
            add(f"halo(@{name}, {width}{', axes' if axes else ''})",
                [halo(s, shape, [min(w, n) for w, n in zip(width, shape)],
                      axes) for s in sets])
        elif kind == "inner":
            index = pick.randrange(len(sets))
            at = list(itertools.product(*map(range, colors)))[index]
            add("blocks", blocks(sets[index], colors), sets[index],
                f"{name}{list(at)}")
        else:
            fold = {"union": set.union, "intersection": set.intersection,
                    "difference": set.difference}[kind]
            add(f"{kind}(@{name}, @{other})",
                [fold(a, b) for a, b in zip(sets, others)])
    return lines, made


def expected(made):
    for name, sets, parent in made:
        union = set().union(*sets)
        if sum(map(len, sets)) != len(union):
            yield (name, "disjoint")
        if not parent <= union:
            yield (name, "complete")


def compare(pick, number):
    lines, made, wanted = [], [], set()
    for index in range(8):
        text, partitions = group(pick, 8 * number + index)
        lines += text
        made += partitions
        wanted |= set(expected(partitions))
    lines.append("rdir.graph @main {")
    for name, _, _ in made:
        lines.append(f"  %{name} = rdir.region @{name} initial")
    path = os.path.join(folder, "known.mlir")
    with open(path, "w") as file:
        file.write("\n".join(lines + ["}"]) + "\n")
    result = subprocess.run([sluice, "check", path], capture_output=True,
                            text=True)
    found = set(re.findall(r"error: '(\w+)' is declared (\w+), but",
                           result.stderr))
    if found != wanted or "assuming" in result.stdout:
        print(f"seed {seed}, module {number}: {found ^ wanted} differ\n"
              f"{result.stdout}{result.stderr}")
        sys.exit(1)
    return len(made)


pick = random.Random(seed)
count = number = 0
while count < rounds:
    count += compare(pick, number)
    number += 1
print("all as the loops say")
