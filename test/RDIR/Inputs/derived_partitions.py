# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partitions of all kinds, held against plain loops.

Usage: derived_partitions.py SLUICE FOLDER check
       derived_partitions.py SLUICE FOLDER pairs
       derived_partitions.py SLUICE FOLDER run [LAUNCHER...]

check: every partition is declared disjoint and complete, and 'sluice check' must
name exactly the promises that do not hold. pairs: a task that reads one partition
and changes another one is accepted only if they share no elements where it
does. run: a program prints the elements of
every color, on 1, 2 and 5 workers, or once with a launcher such as 'mpirun -n
3'; numbers may be parameters, and fields name elements and ranges.
SLUICE_TEST_ROUNDS says how many modules (20, 8 for pairs), SLUICE_TEST_SEED which.
"""

import itertools
import os
import random
import re
import subprocess
import sys

sluice, folder, mode, *launcher = sys.argv[1:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS",
                            "8" if mode == "pairs" else "20"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))
pick = random.Random(seed)
hasData = mode != "check"


def points(shape):
    return list(itertools.product(*map(range, shape)))


def blocks(region, colors):
    """Blocks in the first dimensions of the region's box."""
    if not region:
        return [set() for _ in points(colors)]
    low = [min(axis) for axis in zip(*region)]
    high = [max(axis) + 1 for axis in zip(*region)]
    result = []
    for color in points(colors):
        bounds = [(l + (h - l) * c // n, l + (h - l) * (c + 1) // n)
                  for l, h, c, n in zip(low, high, color, colors)]
        result.append({at for at in region
                       if all(b <= i < e for i, (b, e) in zip(at, bounds))})
    return result


def widen(region, shape, d, width, wraps):
    result = set(region)
    width = min(width, shape[d])
    for at in region:
        for i in range(at[d] - width, at[d] + width + 1):
            i = i % shape[d] if wraps else i
            if 0 <= i < shape[d]:
                result.add(at[:d] + (i,) + at[d + 1:])
    return result


def halo(region, shape, width, axes, periodic):
    result = set(region)
    for d in range(len(shape)):
        result |= widen(region if axes else result, shape, d, width[d],
                        d in periodic)
    return result


class Coordinate:
    """i + 2 * j - 1 div 2 mod 3; numbers are pairs of text and value."""

    def __init__(self, module, rank, extent):
        names = "ijk"[:rank]
        self.terms = [(name, pick.choice([1, 1, 1, 2, -1, 3, -2]))
                      for name in pick.sample(names, pick.choice(
                          [0, 1, 1, 1, 1, min(2, rank)]))]
        self.offset = module.number(pick.randint(-3, 3))
        self.div = module.number(pick.randint(1, 3)) if pick.random() < .4 \
            else None
        self.mod = module.number(pick.choice([extent, pick.randint(1, 5)])) \
            if pick.random() < .5 else None

    def text(self):
        parts = [f"{factor} * {name}" for name, factor in self.terms]
        text = " + ".join(parts + [self.offset[0]]).replace("+ -", "- ")
        for word, number in ("div", self.div), ("mod", self.mod):
            text += f" {word} {number[0]}" if number else ""
        return text

    def value(self, at):
        result = self.offset[1] + sum(factor * at["ijk".index(name)]
                                      for name, factor in self.terms)
        if self.div:
            result //= self.div[1]
        return result % self.mod[1] if self.mod else result


class Map:
    def __init__(self, module, rank, shape):
        self.shape = shape
        self.coordinates = [Coordinate(module, rank, n) for n in shape]

    def text(self):
        return "[" + ", ".join(c.text() for c in self.coordinates) + "]"

    def value(self, at):
        """None if nothing has these coordinates."""
        result = tuple(c.value(at) for c in self.coordinates)
        inside = all(0 <= i < n for i, n in zip(result, self.shape))
        return result if inside else None


class Root:
    def __init__(self, name):
        self.name = name
        self.shape = [pick.randint(1, 9 if hasData else 6)
                      for _ in range(pick.randint(1, 3))]
        self.all = points(self.shape)
        self.whole = set(self.all)


class Part:
    def __init__(self, name, root, colors, sets, parent=None):
        self.name, self.root, self.colors, self.sets = name, root, colors, sets
        self.parent = root.whole if parent is None else parent


class Module:
    def __init__(self, number):
        self.number_ = number
        self.lines, self.parts, self.parameters = [], [], {}
        self.roots = [Root(f"r{i}") for i in range(2)]
        for root in self.roots:
            self.lines.append(f"rdir.root @{root.name} {root.shape} "
                              "{n : i64, b : i32, e : i64}")
        for root in self.roots:
            # What the fields name lies in both roots, or is -1.
            least = min(len(other.all) for other in self.roots)
            root.n = [pick.randrange(-1, least) for _ in root.all]
            root.b = [pick.randrange(-1, least) for _ in root.all]
            root.e = [pick.randrange(0, least + 1) for _ in root.all]
        for root in self.roots:
            colors = [pick.choice([1, 2, 3]) for _ in root.shape]
            self.add(root, colors, "blocks", blocks(root.whole, colors))
        for _ in range(pick.randint(5, 9)):
            self.derive()

    def number(self, value):
        if not hasData or pick.random() < .7:
            return str(value), value
        name = f"n{len(self.parameters)}"
        self.parameters[name] = value
        return "@" + name, value

    def add(self, root, colors, rule, sets, parent=None, of=None):
        name = f"p{len(self.parts)}"
        union = set().union(*sets)
        parent = root.whole if parent is None else parent
        disjoint = not hasData or (pick.random() < .5 and
                                   sum(map(len, sets)) == len(union))
        complete = not hasData or (pick.random() < .5 and parent <= union)
        self.lines.append(
            f"rdir.partition @{name} of @{of or root.name} {colors} "
            f"{'disjoint' if disjoint else 'aliased'} "
            f"{'complete' if complete else 'incomplete'} by {rule}")
        self.parts.append(Part(name, root, colors, sets, parent))

    def derive(self):
        p = pick.choice(self.parts)
        root = p.root
        kinds = ["each", "cross", "halo", "color", "image", "preimage", "set",
                 "set", "blocks"]
        if hasData:
            kinds += ["names", "ranges", "next", "field", "back"]
        if mode == "pairs":
            kinds += ["set"] * 12
        getattr(self, pick.choice(kinds))(p, root)

    def blocks(self, p, root):
        if len(p.colors) > 1 and len(p.colors) != len(root.shape):
            return
        at = pick.randrange(len(p.sets))
        colors = [pick.choice([1, 2, 3]) for _ in root.shape]
        self.add(root, colors, "blocks", blocks(p.sets[at], colors),
                 p.sets[at], f"{p.name}{list(points(p.colors)[at])}")

    def each(self, p, root):
        room = min(3 - len(p.colors), len(root.shape))
        if room == 0:
            return
        more = [pick.randint(1, 3) for _ in range(pick.randint(1, room))]
        self.add(root, p.colors + more, f"blocks(@{p.name})",
                 [b for s in p.sets for b in blocks(s, more)])

    def cross(self, p, root):
        q = pick.choice([q for q in self.parts if q.root is root])
        if len(p.colors) + len(q.colors) > 3 or \
                len(p.sets) * len(q.sets) > 60:
            return
        self.add(root, p.colors + q.colors, f"cross(@{p.name}, @{q.name})",
                 [a & b for a in p.sets for b in q.sets])

    def halo(self, p, root):
        rank = len(root.shape)
        width = [pick.choice([0, 1, 2, 100]) for _ in root.shape]
        axes = pick.random() < .5
        periodic = [d for d in range(rank) if pick.random() < .6]
        words = [", axes"] if axes else []
        if periodic:
            words.append(", periodic" + ("" if len(periodic) == rank
                                         else f" {periodic}"))
        pick.shuffle(words)
        self.add(root, p.colors, f"halo(@{p.name}, {width}{''.join(words)})",
                 [halo(s, root.shape, width, axes, periodic) for s in p.sets])

    def color(self, p, root):
        colors = [pick.randint(1, 4) for _ in range(pick.choice([1, 1, 2]))]
        map_ = Map(self, len(root.shape), colors)
        sets = {color: set() for color in points(colors)}
        for at in root.all:
            if (color := map_.value(at)) is not None:
                sets[color].add(at)
        self.add(root, colors, f"color({map_.text()})", list(sets.values()))

    def image(self, p, root):
        target = pick.choice(self.roots)
        map_ = Map(self, len(root.shape), target.shape)
        self.add(target, p.colors, f"image(@{p.name}, {map_.text()})",
                 [{map_.value(at) for at in s} - {None} for s in p.sets])

    def preimage(self, p, root):
        source = pick.choice(self.roots)
        map_ = Map(self, len(source.shape), root.shape)
        self.add(source, p.colors, f"preimage({map_.text()}, @{p.name})",
                 [{at for at in source.all if map_.value(at) in s}
                  for s in p.sets])

    def set(self, p, root):
        kind, fold = pick.choice([("union", set.union),
                                  ("intersection", set.intersection),
                                  ("difference", set.difference)])
        q = pick.choice([q for q in self.parts if q.root is root])
        side = pick.choice(["whole", "color", "same"])
        if side == "same":
            q = pick.choice([q for q in self.parts
                             if q.root is root and q.colors == p.colors])
            others, text = q.sets, ""
        elif side == "whole":
            others, text = [set().union(*q.sets)] * len(p.sets), " whole"
        else:
            at = pick.randrange(len(q.sets))
            others = [q.sets[at]] * len(p.sets)
            text = str(list(points(q.colors)[at]))
            if pick.random() < .5:
                text = text.replace(", ", "][")
        self.add(root, p.colors, f"{kind}(@{p.name}, @{q.name}{text})",
                 [fold(a, b) for a, b in zip(p.sets, others)])

    # By fields.

    def names(self, p, root):
        target = pick.choice(self.roots)
        self.add(target, p.colors, f'image(@{p.name}, "n")',
                 [{target.all[root.n[root.all.index(at)]] for at in s
                   if root.n[root.all.index(at)] >= 0} for s in p.sets])

    def field(self, p, root):
        count = pick.randint(1, 5)
        self.add(root, [count], 'field("n")',
                 [{at for at, n in zip(root.all, root.n) if n == color}
                  for color in range(count)])

    def back(self, p, root):
        source = pick.choice(self.roots)
        self.add(source, p.colors, f'preimage("n", @{p.name})',
                 [{at for at, n in zip(source.all, source.n)
                   if n >= 0 and root.all[n] in s} for s in p.sets])

    def byRanges(self, p, root, words, begin, end):
        if pick.random() < .5:
            target = pick.choice(self.roots)
            self.add(target, p.colors, f"image(@{p.name}, {words})",
                     [{target.all[x] for at in s
                       for x in named(root, at, begin, end)} for s in p.sets])
        else:
            source = pick.choice(self.roots)
            self.add(source, p.colors, f"preimage({words}, @{p.name})",
                     [{at for at in source.all
                       if any(root.all[x] in s
                              for x in named(source, at, begin, end))}
                      for s in p.sets])

    def ranges(self, p, root):
        self.byRanges(p, root, '"b" to "e"', "b", "e")

    def next(self, p, root):
        self.byRanges(p, root, '"b" to next', "b", None)


def named(root, at, begin, end):
    index = root.all.index(at)
    if end is None and index + 1 == len(root.all):
        return range(0)
    first = getattr(root, begin)[index]
    last = getattr(root, end)[index] if end else getattr(root, begin)[index + 1]
    return range(0) if first == -1 else range(first, last)


def runSluice(*words):
    result = subprocess.run([sluice, *words], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def checkModule(module):
    lines = module.lines + ["rdir.graph @main {"]
    wanted = set()
    for part in module.parts:
        lines.append(f"  %{part.name} = rdir.region @{part.name} initial")
        union = set().union(*part.sets)
        if sum(map(len, part.sets)) != len(union):
            wanted.add((part.name, "disjoint"))
        if not part.parent <= union:
            wanted.add((part.name, "complete"))
    path = write("derived.mlir", "\n".join(lines + ["}"]) + "\n")
    _, out, err = runSluice("check", path)
    found = set(re.findall(r"error: '(\w+)' is declared (\w+), but", err))
    if found != wanted or "assuming" in out or err.count("error:") != \
            len(wanted):
        sys.exit(f"seed {seed}, module {module.number_}: {found ^ wanted} "
                 f"differ\n{out}{err}")


TASKS = r"""
#include "derived.rdir.h"
#include <cstdio>
#include <string>
void show(const SluiceTask *task, const int64_t *, const SluiceDomain *part,
          int64_t id) {
  const int64_t *p = task->point, *e = task->extent;
  std::string text = std::to_string(id) + "." +
      std::to_string((p[0] * e[1] + p[1]) * e[2] + p[2]) + ":";
  auto add = [&](int64_t at) { text += " " + std::to_string(at); };
  const int64_t *n = part->extent;
  if (part->runs)
    for (int64_t run = 0; run < part->numRuns; ++run)
      for (int64_t at = part->runs[run].begin; at < part->runs[run].end; ++at)
        add(at);
  else if (part->count)
    for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
      for (int64_t j = part->lower[1]; j < (part->rank > 1 ? part->upper[1] : 1); ++j)
        for (int64_t k = part->lower[2]; k < (part->rank > 2 ? part->upper[2] : 1); ++k)
          add((i * n[1] + j) * n[2] + k);
  text += "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}
"""


def runModule(module):
    lines = [f"rdir.parameter @{name} : i64 = {value}"
             for name, value in module.parameters.items()] + module.lines
    code, wanted = TASKS, []
    lines.append("rdir.graph @setup {")
    for root in module.roots:
        lines.append(f"  rdir.task @set_{root.name} writes(@{root.name})")
        values = [", ".join(map(str, getattr(root, f))) for f in "nbe"]
        code += (f"void set_{root.name}(const SluiceTask *, int64_t *n, "
                 "int32_t *b, int64_t *e, const SluiceDomain *) {\n"
                 f"  const int64_t N[] = {{{values[0]}}}, B[] = {{{values[1]}}}"
                 f", E[] = {{{values[2]}}};\n"
                 f"  for (int i = 0; i < {len(root.all)}; ++i)\n"
                 "    n[i] = N[i], b[i] = (int32_t)B[i], e[i] = E[i];\n}\n")
    lines += ["}", "rdir.graph @main {"]
    for number, part in enumerate(module.parts):
        lines.append(f"  rdir.task @show over {part.colors} "
                     f"reads(@{part.name} {{n}}) with({number})")
        index = {at: i for i, at in enumerate(part.root.all)}
        for color, elements in enumerate(part.sets):
            wanted.append(" ".join([f"{number}.{color}:"] + [
                str(i) for i in sorted(index[at] for at in elements)]))
    module_ = write("derived.mlir", "\n".join(lines + ["}"]) + "\n")
    tasks = write("derived.cpp", code)
    program = os.path.join(folder, "derived")
    status, out, err = runSluice("build", module_, tasks, "-o", program)
    if status:
        sys.exit(f"seed {seed}, module {module.number_}: {out}{err}")
    for workers in ("1",) if launcher else ("1", "2", "5"):
        result = subprocess.run(
            launcher + [program], capture_output=True, text=True,
            env={**os.environ, "SLUICE_WORKERS": workers})
        found = [line.strip() for line in result.stdout.splitlines()]
        if result.returncode or sorted(found) != sorted(wanted):
            sys.exit(f"seed {seed}, module {module.number_}, {workers} workers:"
                     f" {sorted(set(found) ^ set(wanted))} differ\n"
                     f"{result.stderr}")


def isRight(a, b, isLaunched):
    if not isLaunched:
        return not set().union(*a.sets) & set().union(*b.sets)
    uses = [(p, part, elements) for part in (a, b)
            for p, elements in enumerate(part.sets)]
    return all(not s & t for p, one, s in uses for q, other, t in uses
               if (p, one) != (q, other) and (one is b or other is b))


def pairModule(module):
    """The numbers of tasks that are accepted, and of those that are right."""
    tasks = {f"t{i}_{j}_{over}": (a, b, over)
             for i, a in enumerate(module.parts)
             for j, b in enumerate(module.parts)
             if a is not b and a.root is b.root
             for over in range(1 + (a.colors == b.colors))}
    right = {name for name in tasks if isRight(*tasks[name])}
    # What is refused without a look at points, and then by points.
    accepted, refused = set(tasks), {""}
    while refused:
        lines = [f"rdir.parameter @{name} : i64 = {value}"
                 for name, value in module.parameters.items()] + module.lines
        lines.append("rdir.graph @main {")
        for name in sorted(accepted):
            a, b, over = tasks[name]
            launch = f" over {a.colors}" if over else ""
            lines.append(f"  rdir.task @{name}{launch} reads(@{a.name} {{n}}) "
                         f"writes(@{b.name} {{n}})")
        path = write("pairs.mlir", "\n".join(lines + ["}"]) + "\n")
        status, out, err = runSluice("check", path)
        refused = set(re.findall(r"'@(t\w+)'", err)) & accepted
        accepted -= refused
        if status and not refused:
            sys.exit(f"seed {seed}, module {module.number_}: {out}{err}")
    if not accepted <= right:
        sys.exit(f"seed {seed}, module {module.number_}: {accepted - right} "
                 "share elements")
    return len(accepted), len(right)


counts = []
for number in range(rounds):
    made = Module(number)
    if mode == "pairs":
        counts.append(pairModule(made))
    else:
        (runModule if hasData else checkModule)(made)
if counts:
    print("{} of {} right tasks are accepted".format(*map(sum, zip(*counts))))
print("all as the loops say")
