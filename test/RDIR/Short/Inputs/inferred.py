"""Random programs that name regions, against an interpreter.

Usage: inferred.py SLUICE FOLDER [RANKS,... LAUNCHER...]. Writes programs whose
tasks fold everything that they read into everything that they change, runs them
on 1, 2 and 5 workers, or with the launcher on ranks, and compares the result
with that of running the text from top to bottom. Programs with a planted
conflict must be refused. SLUICE_TEST_ROUNDS says how many programs (2),
SLUICE_TEST_SEED which.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import copy
import os
import random
import subprocess
import sys

sluice, folder = sys.argv[1:3]
ranks = sys.argv[3].split(",") if len(sys.argv) > 3 else []
launcher = sys.argv[4:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS", "2"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))
N, FIELDS = 24, ("x", "y")
MASK = (1 << 64) - 1


def blocks(begin, end, count):
    size = end - begin
    return [range(begin + c * size // count, begin + (c + 1) * size // count)
            for c in range(count)]


PARTS = {"p": blocks(0, N, 6), "q": blocks(0, N, 4)}
PARTS["h"] = [range(max(0, part[0] - 1), min(N, part[-1] + 2))
              for part in PARTS["p"]]
# Some of its colors have the same elements.
PARTS["d"] = [range(0, 8), range(4, 12), range(0, 8), range(4, 12),
              range(8, N), range(0, 8)]
PARTS["s"] = blocks(PARTS["p"][1][0], PARTS["p"][1][-1] + 1, 2)
HEAD = f"""rdir.parameter @n : i64 = 6
rdir.variable @v : i64 = 5
rdir.variable @w : i64 = 0
rdir.root @a [{N}] {{x : i64, y : i64}}
rdir.partition @p of @a [@n] disjoint complete by blocks
rdir.partition @q of @a [4] disjoint complete by blocks
rdir.partition @h of @a [@n] aliased complete by halo(@p, [1])
rdir.partition @d of @a [@n] aliased complete by coloring(@manyAlike)
rdir.partition @s of @p[1] [2] disjoint complete by blocks
"""
DISJOINT = ("p", "q", "s")
# By their rules, no color of the one has an element of the other.
PARTS["e"] = [range(max(6, part[0]), max(6, part[-1] + 1))
              for part in PARTS["p"]]
PARTS["f"] = [range(part[0], max(part[0], min(6, part[-1] + 1)))
              for part in PARTS["h"]]
RULES = """rdir.partition @e of @a [@n] disjoint incomplete by difference(@p, @q[0])
rdir.partition @f of @a [@n] aliased incomplete by intersection(@h, @q[0])
"""
hasRules = False


class Argument:
    """What a clause names: elements for each point, given the iterations."""

    def __init__(self, pick, partition, shape, fields, points, names):
        self.partition, self.shape, self.fields = partition, shape, fields
        self.text = "@a"
        self.elements = lambda point, env: range(N)
        if partition == "a":
            pass
        elif shape == "color":
            color = pick.randrange(len(PARTS[partition]))
            self.text = f"@{partition}[{color}]"
            self.elements = lambda point, env: PARTS[partition][color]
        elif shape == "point":
            self.text = f"@{partition}"
            self.elements = lambda point, env: PARTS[partition][point]
        elif shape == "shift":
            name = pick.choice(names)
            size = len(PARTS[partition])
            count = "@n" if partition in "phdef" else str(size)
            step = "i + " if points else ""
            self.text = f"@{partition}[{step}%{name} mod {count}]"
            self.elements = lambda point, env: PARTS[partition][
                ((point if points else 0) + env[name]) % size]
        else:
            self.text = f"@{partition}" + (" whole" if points else "")
            self.elements = lambda point, env: sorted(
                {e for part in PARTS[partition] for e in part})

    def mention(self):
        text, names = self.text, ", ".join(self.fields)
        if self.fields == list(FIELDS):
            return text
        if text.endswith(" whole"):
            return f"{text[:-6]} {{{names}}} whole"
        return f"{text} {{{names}}}"


class Task:
    """A task, or a launch over the colors of a partition."""

    def __init__(self, pick, number, names, decides=True):
        self.name = f"t{number}"
        self.over = pick.choice(["", "", "p", "q"])
        self.points = len(PARTS[self.over]) if self.over else 0
        self.isHalf = self.over and pick.random() < 0.3
        if self.isHalf:
            self.points //= 2
        self.iteration = pick.choice(names) if names and pick.random() < 0.5 \
            else ""
        self.arguments = []  # (clause, argument)
        free = list(FIELDS)
        pick.shuffle(free)
        # A field that is changed has one argument.
        for field in free[:pick.choice([0, 1, 1, 2])]:
            shapes = ["point"] if self.over else ["color", "whole", "root"]
            if names:
                shapes.append("shift")
            shape = pick.choice(shapes)
            partition = self.over or pick.choice(
                ["p", "q", "s", "d"] + ["e"] * 4 * hasRules)
            if hasRules and partition == "p" and pick.random() < 0.7:
                partition = "e"
            if shape == "root":
                partition = "a"
            clause = pick.choice(["change", "change", "keep", "reduce"])
            if clause == "reduce" and partition == "p" and pick.random() < 0.5:
                partition = "d"
            argument = Argument(pick, partition, shape, [field], self.points,
                                names)
            self.arguments.append((clause, argument))
            if self.isHalf and shape == "point":
                self.pairUp(pick, partition, clause, argument)
            if partition == "e" and pick.random() < 0.7:
                shape = pick.choice(["color", "whole"] +
                                    ["point"] * (self.points == 6))
                self.arguments.append(("read", Argument(
                    pick, "f", shape, [field], self.points, names)))
        changed = {f for _, a in self.arguments for f in a.fields}
        for _ in range(pick.choice([0, 1, 1, 2])):
            fields = [f for f in FIELDS if f not in changed]
            if not fields:
                break
            shapes = ["color", "whole"] + (["shift"] if names else [])
            partition = pick.choice(["a", "p", "q", "h", "d", "s"] +
                                    ["e", "f"] * hasRules)
            if self.over and len(PARTS.get(partition, [])) == self.points:
                shapes.append("point")
            argument = Argument(pick, partition, pick.choice(shapes), fields,
                                self.points, names)
            if all(argument.text != other.text for _, other in self.arguments):
                self.arguments.append(("read", argument))
        self.variable = ""
        if pick.random() < 0.4:
            self.variable = "reduce" if self.over else pick.choice(
                ["read", "write", "change", "reduce"])
        if self.over and self.variable in ("write", "change"):
            self.variable = "read"
        # Conditions test '@w', which has one bit.
        isWritten = self.variable in ("write", "change", "reduce")
        self.target = pick.choice("vw") if decides or not isWritten else "v"

    def pairUp(self, pick, partition, clause, first):
        """Each point changes two colors, of halves or neighbours."""
        step, gap = pick.choice([(1, self.points), (2, 1)])
        second = copy.copy(first)
        for argument, offset in ((first, 0), (second, gap)):
            argument.text = f"@{partition}[{step} * i + {offset}]"
            argument.elements = lambda point, env, offset=offset: \
                PARTS[partition][step * point + offset]
        clauses = ["change", "keep"] if clause != "reduce" else [clause]
        self.arguments.append((pick.choice(clauses), second))

    def text(self):
        clauses = []
        for clause, argument in self.arguments:
            mention = argument.mention()
            clauses.append({"read": f"reads({mention})",
                            "keep": f"writes({mention})",
                            "change": f"reads({mention}) writes({mention})",
                            "reduce": f'reduces<"+">({mention})'}[clause])
        if self.variable:
            clauses.append({"read": "reads(@v)", "write": "writes(@v)",
                            "change": "reads(@v) writes(@v)",
                            "reduce": 'reduces<"xor">(@v)'}[self.variable]
                           .replace("@v", f"@{self.target}"))
        over = {"": "", "p": " over [@n]", "q": " over [4]"}[self.over]
        if self.isHalf:
            over = f" over [{self.points}]"
        with_ = f" with(%{self.iteration})" if self.iteration else ""
        return f"rdir.task @{self.name}{over} {' '.join(clauses)}{with_}"

    def limit(self):
        return 1000 if self.target == "v" else 2

    def code(self):
        hasResult = self.variable in ("write", "change", "reduce")
        parameters, reads, changes = ["const SluiceTask *task"], [], []
        for number, (clause, argument) in enumerate(self.arguments):
            for field in argument.fields:
                const = "const " if clause == "read" else ""
                parameters.append(f"{const}int64_t *a{number}{field}")
            parameters.append(f"const SluiceDomain *d{number}")
            if clause in ("read", "change", "keep"):
                for field in argument.fields:
                    reads.append(f"  visit(d{number}, [&](int64_t e) {{ "
                                 f"sum = sum * 31 + a{number}{field}[e]; }});")
            if clause != "read":
                (field,) = argument.fields
                value = "sum % 1000 + e" if clause == "reduce" else \
                    "sum * 7 + e"
                how = "+=" if clause == "reduce" else "="
                changes.append(f"  visit(d{number}, [&](int64_t e) {{ "
                               f"a{number}{field}[e] {how} {value}; }});")
        if self.variable in ("read", "change"):
            parameters.append("int64_t v")
            reads.append("  sum = sum * 31 + v;")
        if self.iteration:
            parameters.append("int64_t k")
            reads.append("  sum = sum * 31 + k;")
        result = f"  return int64_t(sum / 8 % {self.limit()});" \
            if hasResult else ""
        kind = "int64_t" if hasResult else "void"
        lines = [f"{kind} {self.name}({', '.join(parameters)}) {{",
                 "  uint64_t sum = task->point[0] + 1;", "  (void)sum;"]
        return "\n".join(lines + reads + changes + [result, "}"])

    def run(self, state, env):
        folded, sums = 0, []
        for point in range(self.points or 1):
            total = point + 1
            views = []
            for clause, argument in self.arguments:
                elements = argument.elements(point, env)
                views.append(elements)
                if clause in ("read", "change", "keep"):
                    for field in argument.fields:
                        for e in elements:
                            total = (total * 31 + state[field][e]) & MASK
            if self.variable in ("read", "change"):
                total = (total * 31 + state[self.target]) & MASK
            if self.iteration:
                total = (total * 31 + env[self.iteration]) & MASK
            for (clause, argument), elements in zip(self.arguments, views):
                if clause == "read":
                    continue
                (field,) = argument.fields
                for e in elements:
                    if clause == "reduce":
                        value = state[field][e] + total % 1000 + e
                    else:
                        value = total * 7 + e
                    state[field][e] = value & MASK
            result = total // 8 % self.limit()
            if self.variable in ("write", "change"):
                state[self.target] = result
            elif self.variable == "reduce":
                folded ^= result
        state[self.target] ^= folded


class Choice:
    """A body for the case that '@w' is not 0, another one, or both."""

    def __init__(self, pick, counter, depth, names, decides):
        kind = pick.choice(["if", "unless", "else", "else"])
        make = lambda decides: statements(pick, counter, depth + 1, names,
                                          decides)
        self.then = make(decides and kind == "if") if kind != "unless" else []
        self.otherwise = make(decides) if kind != "if" else []

    def lines(self, indent):
        heads = []
        if self.then:
            heads.append(("rdir.loop if @w {", self.then))
        if self.otherwise:
            heads.append(("else {" if self.then else "rdir.loop unless @w {",
                          self.otherwise))
        yield indent + heads[0][0]
        for i, (head, body) in enumerate(heads):
            if i:
                yield f"{indent}}} {head}"
            for statement in body:
                yield from linesOf(statement, indent + "  ")
        yield f"{indent}}}"

    def run(self, state, env):
        for statement in self.then if state["w"] else self.otherwise:
            statement.run(state, env)


class Loop:
    def __init__(self, pick, counter, depth, names, decides):
        self.name = f"k{depth}" if pick.random() < 0.7 else ""
        self.count, self.countText = pick.choice(
            [(2, "2"), (3, "3"), (1, "1"), (0, "0"), (5, "@n - 1")])
        if names and pick.random() < 0.5:
            outer = pick.choice(names)
            self.count = None, outer
            self.countText = f"@n - %{outer} - 1"
        inner = names + ([self.name] if self.name else [])
        self.body = statements(pick, counter, depth + 1, inner, decides)

    def lines(self, indent):
        head = f"%{self.name} in " if self.name else ""
        yield f"{indent}rdir.loop {head}{self.countText} {{"
        for statement in self.body:
            yield from linesOf(statement, indent + "  ")
        yield f"{indent}}}"

    def run(self, state, env):
        count = self.count
        if isinstance(count, tuple):
            count = 6 - env[count[1]] - 1
        for i in range(count):
            for statement in self.body:
                statement.run(state, {**env, self.name: i})


def linesOf(statement, indent):
    if not isinstance(statement, Task):
        yield from statement.lines(indent)
    else:
        yield indent + statement.text()


def statements(pick, counter, depth, names, decides=True):
    """`decides`: tasks may change the variable that conditions test."""
    result = []
    for _ in range(pick.randint(2, 4)):
        if depth < 2 and pick.random() < 0.4:
            kind = pick.choice([Loop, Loop, Choice])
            result.append(kind(pick, counter, depth, names, decides))
        else:
            counter[0] += 1
            result.append(Task(pick, counter[0], names, decides))
    return result


def tasksOf(body):
    for statement in body:
        if isinstance(statement, Loop):
            yield from tasksOf(statement.body)
        elif isinstance(statement, Choice):
            yield from tasksOf(statement.then + statement.otherwise)
        else:
            yield statement


def runProgram(pick, number):
    global hasRules
    hasRules = pick.random() < 0.5
    counter = [0]
    graphs = [statements(pick, counter, 0, []) for _ in range(3)]
    text = HEAD + RULES * hasRules
    state = {"x": [0] * N, "y": [0] * N, "v": 5, "w": 0}
    code = ['#include "short.rdir.h"', "#include <cstdio>",
            "template <typename F> static void visit(const SluiceDomain *d, "
            "F f) {",
            "  for (int64_t e = d->lower[0]; e < d->upper[0]; ++e) f(e);", "}",
            "void manyAlike(const int64_t *color, SluiceColoring *elements) {",
            "  const int64_t bounds[][2] = {" + ", ".join(
                f"{{{part[0]}, {part[-1] + 1}}}" for part in PARTS["d"]) + "};",
            "  elements->add(elements, bounds[*color][0], bounds[*color][1]);",
            "}"]
    for index, body in enumerate(graphs):
        text += f"rdir.graph @g{index} {{\n"
        text += "".join(line + "\n" for statement in body
                        for line in linesOf(statement, "  ")) + "}\n"
        for statement in body:
            statement.run(state, {})
        code += [task.code() for task in tasksOf(body)]
    text += "rdir.graph @last {\n  rdir.host @show reads(@a, @v, @w)\n}\n"
    code.append("void show(const SluiceTask *, const int64_t *x, const int64_t "
                "*y, const SluiceDomain *d, int64_t v, int64_t w) {\n"
                "  visit(d, [&](int64_t e) { printf(\"%llu %llu\\n\", (unsigned "
                "long long)x[e], (unsigned long long)y[e]); });\n"
                "  printf(\"%lld %lld\\n\", (long long)v, (long long)w);\n}")
    # A graph without tasks that name anything is explicit, and accepted as is.
    module, source = f"{folder}/short.mlir", f"{folder}/short.cpp"
    with open(module, "w") as file:
        file.write(text)
    with open(source, "w") as file:
        file.write("\n".join(code) + "\n")
    expected = "".join(f"{x} {y}\n" for x, y in zip(state["x"], state["y"]))
    expected += f"{state['v']} {state['w']}\n"
    program = f"{folder}/short"
    built = subprocess.run([sluice, "build", module, source, "-o", program],
                           capture_output=True, text=True)
    if built.returncode:
        sys.exit(f"{text}\nis refused, program {number}: {built.stderr}")
    for count in ranks or ("1", "2", "5"):
        command = [*launcher, "-n", count, program] if ranks else [program]
        workers = {} if ranks else {"SLUICE_WORKERS": count}
        ran = subprocess.run(command, capture_output=True, text=True,
                             env={**os.environ, **workers})
        if ran.stdout != expected or ran.returncode:
            sys.exit(f"{text}\nprints, on {count} "
                     f"{'ranks' if ranks else 'workers'}:\n{ran.stdout}"
                     f"{ran.stderr}instead of\n{expected}")


def plant(pick):
    """A task that changes what another argument of it has, or another point."""
    field = pick.choice(FIELDS)
    written = pick.choice(DISJOINT[:2])
    over = {"p": "@n", "q": "4"}[written]
    other = pick.choice([name for name in ("p", "q", "h") if name != written])
    return pick.choice([
        f"rdir.task @f over [{over}] reads(@{other} {{{field}}} whole) "
        f"writes(@{written} {{{field}}})",
        f"rdir.task @f over [{over}] reads(@a {{{field}}}) "
        f"writes(@{written} {{{field}}})",
        f"rdir.task @f over [{over}] writes(@a {{{field}}})",
        f"rdir.task @f over [{over}] writes(@{written}[%k] {{{field}}})",
        f"rdir.task @f over [{over}] reads(@{written}[i + %k] {{{field}}}, "
        f"@{written} {{{field}}} whole) writes(@{written}[i + %k] {{{field}}})",
        f"rdir.task @f over [{over}] writes(@v)",
        f"rdir.task @f over [2] writes(@{written}[i] {{{field}}}, "
        f"@{written}[i + 1] {{{field}}})",
        "rdir.task @f over [2, 3] writes(@p[i + %k])",
        "rdir.task @f writes(@h[1]) reads(@q[0])",
        f"rdir.task @f over [@n] writes(@h {{{field}}})"])


def refuseConflicts(pick):
    for _ in range(20):
        planted = pick.choice([
            "{}", "rdir.loop if @w {{\n{}\n}} else {{\n}}",
            "rdir.loop if @w {{\n}} else {{\n{}\n}}",
            "rdir.loop unless @w {{\n{}\n}}"]).format(plant(pick))
        text = HEAD + ("rdir.graph @main {\n  rdir.loop %k in 4 {\n" +
                       planted + "\n  }\n}\n")
        with open(f"{folder}/bad.mlir", "w") as file:
            file.write(text)
        checked = subprocess.run([sluice, "check", f"{folder}/bad.mlir"],
                                 capture_output=True, text=True)
        if checked.returncode != 1 or "error:" not in checked.stderr:
            sys.exit(f"{text}\nis accepted:\n{checked.stdout}{checked.stderr}")


for number in range(rounds):
    runProgram(random.Random(seed * 1000 + number), number)
refuseConflicts(random.Random(seed))
print("as the text says")
