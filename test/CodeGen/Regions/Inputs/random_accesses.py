# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants wrong accesses in random region programs, and looks for what a checked
run says.

usage: random_accesses.py --sluice PATH --folder FOLDER [--count N] [--seed N]

The tasks of each program access all elements that they are given, which must
print what an unchecked run prints and nothing else. For each planted access,
the task, point, element, field and reason must be those that this script knows.
"""

import argparse
import pathlib
import random
import subprocess
import sys

TYPES = {"i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
         "f32": "float", "f64": "double"}

HELPERS = """#include <cstdio>
#include <cstring>
template <typename Visit> void forEach(const SluiceDomain *d, Visit visit) {
  if (d->runs)
    for (int64_t r = 0; r < d->numRuns; ++r)
      for (int64_t i = d->runs[r].begin; i < d->runs[r].end; ++i)
        visit(i);
  else
    for (int64_t i = d->lower[0]; i < d->upper[0]; ++i)
      for (int64_t j = d->lower[1]; j < d->upper[1]; ++j)
        for (int64_t k = d->lower[2]; k < d->upper[2]; ++k)
          visit(i * d->stride[0] + (d->rank > 1 ? j * d->stride[1] : 0) +
                (d->rank > 2 ? k : 0));
}
bool isAt(const SluiceTask *task, int64_t point) {
  int64_t at = 0;
  for (int d = 0; d < task->rank; ++d)
    at = at * task->extent[d] + task->point[d];
  return at == point;
}
template <typename T> void put(const T *at, T value) {
  *const_cast<volatile T *>(at) = value;
}
template <typename T> T get(const T *at) {
  return *const_cast<const volatile T *>(at);
}
// Two elements at once.
template <typename T> void copyPair(const T *at) {
  T pair[2] = {};
  std::memcpy(const_cast<T *>(at), pair, sizeof pair);
}
"""


def coordinates(extents, position):
    at = []
    for extent in reversed(extents):
        at.insert(0, position % extent)
        position //= extent
    return at


def tuple_text(numbers):
    return "(" + ", ".join(map(str, numbers)) + ")"


class Root:
    def __init__(self, rng, name):
        rank = rng.randint(1, 3)
        high = {1: 40, 2: 9, 3: 5}[rank]
        self.name = name
        self.extents = [rng.randint(3, high) for _ in range(rank)]
        self.count = 1
        for extent in self.extents:
            self.count *= extent
        self.fields = {f"f{i}": rng.choice(list(TYPES)) for i in range(4)}
        self.partitions = []

    def element(self, position):
        if len(self.extents) == 1:
            return str(position)
        return tuple_text(coordinates(self.extents, position))


class Partition:
    """Its colors as sets of positions."""

    def __init__(self, root, name, colors, parts, text, is_disjoint):
        self.root, self.name, self.colors = root, name, colors
        self.parts, self.text, self.is_disjoint = parts, text, is_disjoint


def product(colors):
    total = 1
    for color in colors:
        total *= color
    return total


def boxes(root, colors, width):
    parts = []
    for color in range(product(colors)):
        at = coordinates(colors, color)
        box = [range(max(0, n * c // k - width),
                     min(n, n * (c + 1) // k + width))
               for n, c, k in zip(root.extents, at, colors)]
        parts.append({p for p in range(root.count)
                      if all(x in b for x, b in
                             zip(coordinates(root.extents, p), box))})
    return parts


def partitions_of(rng, root):
    colors = [rng.randint(1, min(3, n)) for n in root.extents]
    name = f"{root.name}Blocks"
    zeros = ", ".join("1" for _ in colors)
    count = ", ".join(map(str, colors))
    yield Partition(root, name, colors, boxes(root, colors, 0),
                    f"rdir.partition @{name} of @{root.name} [{count}] "
                    "disjoint complete by blocks", True)
    yield Partition(root, f"{root.name}Halos", colors, boxes(root, colors, 1),
                    f"rdir.partition @{root.name}Halos of @{root.name} "
                    f"[{count}] aliased complete by halo(@{name}, [{zeros}])",
                    False)
    owners = [rng.randrange(4) for _ in range(root.count)]
    yield Partition(root, f"{root.name}Dots", [3],
                    [{p for p in range(root.count) if owners[p] == c}
                     for c in range(3)],
                    f"rdir.partition @{root.name}Dots of @{root.name} [3] "
                    f"disjoint incomplete by coloring(@{root.name}Color)", True)


class Argument:
    def __init__(self, partition, field, privilege):
        self.partition, self.field = partition, field
        self.privilege = privilege
        self.root = partition.root
        self.type = TYPES[self.root.fields[field]]
        self.parameter = f"{partition.name}_{field}"

    def clauses(self):
        name = f"(@{self.partition.name} {{{self.field}}})"
        return {"reads": f"reads{name}", "writes": f"writes{name}",
                "discards": f"discards{name} writes{name}",
                "reduces": f"reduces<\"+\">{name}"}[self.privilege]

    def body(self):
        at = f"{self.parameter}[i]"
        todo = {"reads": f"sum += double({at});", "writes": f"{at} += 1;",
                "discards": f"{at} = {self.type}(i % 50); {at} += 1;",
                "reduces": f"{at} += 1;"}[self.privilege]
        return f"  forEach({self.parameter}_, [&](int64_t i) {{ {todo} }});\n"


class Program:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.roots = [Root(rng, f"r{i}") for i in range(3)]
        for root in self.roots:
            root.partitions = list(partitions_of(rng, root))
        self.tasks = [self.make_task() for _ in range(12)]
        self.plants = []
        self.code = self.write_code()

    def make_task(self):
        rng = self.rng
        first = rng.choice([p for r in self.roots for p in r.partitions])
        fitting = [p for r in self.roots for p in r.partitions
                   if p.colors == first.colors]
        used, arguments = set(), []
        for partition in [first, *rng.sample(fitting, min(2, len(fitting)))]:
            field = rng.choice(list(partition.root.fields))
            if (partition.root.name, field) in used:
                continue
            used.add((partition.root.name, field))
            kinds = ["reads", "reduces"]
            if partition.is_disjoint:
                kinds += ["writes", "discards"]
            arguments.append(Argument(partition, field, rng.choice(kinds)))
        return first.colors, arguments

    def plant(self, number, point, text, message):
        """Code for the start of a task."""
        self.plants.append(message)
        return (f"  if (parameter_plant == {len(self.plants)} && "
                f"isAt(task, {point})) {{ {text} }}\n")

    def plants_of(self, number, colors, arguments):
        rng, text = self.rng, ""
        for argument in arguments:
            root, part = argument.root, argument.partition
            point = rng.randrange(product(colors))
            inside = sorted(part.parts[point])
            outside = [p for p in range(root.count)
                       if p not in part.parts[point]]
            where = f"task 't{number}' at point " + tuple_text(
                coordinates(colors, point)) + ": it "

            def element(p, name=argument.field, root=root):
                return (f"element {root.element(p)} of field '{name}' of root "
                        f"'{root.name}' at ")

            def use(does, p, pointer=argument.parameter):
                if does == "writes":
                    return f"put(&{pointer}[{p}], {argument.type}(1));"
                return f"sum += double(get(&{pointer}[{p}]));"

            if inside and argument.privilege == "reads":
                p = rng.choice(inside)
                text += self.plant(number, point, use("writes", p),
                                   (where + "writes " + element(p),
                                    ", which it only reads"))
            if inside and argument.privilege == "discards":
                p = rng.choice(inside)
                text += self.plant(number, point, use("reads", p),
                                   (where + "reads " + element(p),
                                    ", which it discards, before it writes it"))
            if outside:
                p, does = rng.choice(outside), rng.choice(["reads", "writes"])
                text += self.plant(number, point, use(does, p),
                                   (where + does + " " + element(p),
                                    ", which is outside of its part of "
                                    f"'{part.name}'"))
            ends = [p for p in inside if p + 1 in outside]
            if ends and argument.privilege != "reads":
                p = rng.choice(ends)
                text += self.plant(number, point,
                                   f"copyPair(&{argument.parameter}[{p}]);",
                                   (where + "writes " + element(p + 1),
                                    ", which is outside of its part of "
                                    f"'{part.name}'"))
            if argument.privilege != "reduces":
                side, p = rng.choice([("before the start", -1),
                                      ("behind the end", root.count)])
                does = rng.choice(["reads", "writes"])
                text += self.plant(number, point, use(does, p),
                                   (where + does + " ",
                                    f" {side} of field '{argument.field}' of "
                                    f"root '{root.name}' at "))
            names = {a.field for a in arguments if a.root is root}
            other = rng.choice([f for f in root.fields if f not in names])
            p, does = rng.randrange(root.count), rng.choice(["reads", "writes"])
            pointer = f"kept_{root.name}_{other}"
            text += self.plant(
                number, point,
                use(does, p, pointer).replace(
                    f"{argument.type}(1)", f"{TYPES[root.fields[other]]}(1)"),
                (where + does + " " + element(p, other),
                 ", a field that it was not given"))
        return text

    def write_code(self):
        code = '#include "random.rdir.h"\n' + HELPERS
        for root in self.roots:
            for field, kind in root.fields.items():
                code += f"static {TYPES[kind]} *kept_{root.name}_{field};\n"
            dots = root.partitions[2]
            code += (f"void {root.name}Color(const int64_t *color, "
                     "SluiceColoring *elements) {\n")
            for color, part in enumerate(dots.parts):
                for p in sorted(part):
                    code += (f"  if (*color == {color}) elements->add(elements,"
                             f" {p}, {p} + 1);\n")
            code += "}\n"
            parameters = ", ".join(f"{TYPES[kind]} *{field}"
                                   for field, kind in root.fields.items())
            code += (f"void keep_{root.name}(const SluiceTask *, {parameters}, "
                     "const SluiceDomain *) {\n" +
                     "".join(f"  kept_{root.name}_{field} = {field};\n"
                             for field in root.fields) + "}\n")
            constant = parameters.replace("int", "const int").replace(
                "double", "const double").replace("float", "const float")
            code += (f"void show_{root.name}(const SluiceTask *, {constant}, "
                     "const SluiceDomain *all) {\n" +
                     "".join(f"  forEach(all, [&](int64_t i) {{ std::printf("
                             f"\"%g \", double({field}[i])); }});\n"
                             for field in root.fields) + "}\n")
        for number, (colors, arguments) in enumerate(self.tasks):
            parameters = ""
            for a in arguments:
                constant = "const " if a.privilege == "reads" else ""
                parameters += (f", {constant}{a.type} *{a.parameter}, "
                               f"const SluiceDomain *{a.parameter}_")
            code += (f"void t{number}(const SluiceTask *task{parameters}) {{\n"
                     "  double sum = 0;\n" +
                     self.plants_of(number, colors, arguments) +
                     "".join(a.body() for a in arguments) +
                     "  if (sum == 0.123) std::puts(\"\");\n}\n")
        return code

    def write_module(self):
        text = "module @random {\n  rdir.parameter @plant : i64 = 0\n"
        for root in self.roots:
            extents = ", ".join(map(str, root.extents))
            fields = ", ".join(f"{f} : {k}" for f, k in root.fields.items())
            text += f"  rdir.root @{root.name} [{extents}] {{{fields}}}\n"
            for partition in root.partitions:
                text += f"  {partition.text}\n"
        # In a graph of their own: reductions to copies do not wait for writers.
        text += "  rdir.graph @keep {\n"
        for root in self.roots:
            text += f"    rdir.task @keep_{root.name} writes(@{root.name})\n"
        text += "  }\n  rdir.graph @main {\n"
        for number, (colors, arguments) in enumerate(self.tasks):
            extents = ", ".join(map(str, colors))
            text += (f"    rdir.task @t{number} over [{extents}] " +
                     " ".join(a.clauses() for a in arguments) + "\n")
        for root in self.roots:
            text += f"    rdir.host @show_{root.name} reads(@{root.name})\n"
        return text + "  }\n}\n"


def run(command):
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.returncode, done.stdout


def good(command):
    status, output = run(command)
    if status:
        sys.exit(f"{' '.join(map(str, command))}: status {status}\n{output}")
    return output


def check(options, seed):
    program = Program(seed)
    folder = options.folder / str(seed)
    folder.mkdir(parents=True)
    files = [folder / "random.mlir", folder / "random.cpp"]
    files[0].write_text(program.write_module())
    files[1].write_text(program.code)
    good([options.sluice, "build", *files, "-o", folder / "plain"])
    good([options.sluice, "build", "--check", *files, "-o", folder / "checked"])
    if good([folder / "plain"]) != good([folder / "checked"]):
        sys.exit(f"seed {seed}: a checked run prints something else")
    for number, (does, why) in enumerate(program.plants, 1):
        status, output = run([folder / "checked", f"--plant={number}"])
        if status != 1 or "error: " + does not in output or why not in output:
            sys.exit(f"seed {seed}, plant {number}: status {status}, expected "
                     f"'{does}...{why}'\n{output}")
    return len(program.plants)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    total = sum(check(options, options.seed + i) for i in range(options.count))
    kernels = 12 * options.count
    print(f"{total} wrong accesses found in {kernels} kernels")


main()
