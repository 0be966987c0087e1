"""Writes a C program of random leaves, each in a graph of its own.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_kernels.py SEED OUTPUT.c

A leaf computes with integers of all widths, floats, structures by value, arrays
on its stack, tables, auxiliary functions, loops, branches and switches; it may
update shared memory by atomics, return values, and exchange values with the
other items of its group through local memory and barriers. It has one to four
levels of one to three dimensions. Nothing it does is undefined with -fwrapv,
depends on the order of instances, or differs between places: floats are added,
multiplied, divided and rooted only. The host prints a hash for each leaf.
"""

import random
import sys

seed, path = int(sys.argv[1]), sys.argv[2]
rng = random.Random(seed)
LEAVES = 6
# Name: bits of the type, and of what it is promoted to.
INTEGERS = {"signed char": (8, 32), "unsigned char": (8, 32),
            "short": (16, 32), "unsigned short": (16, 32),
            "int": (32, 32), "unsigned": (32, 32),
            "long": (64, 64), "unsigned long": (64, 64)}
ODD = {"_BitInt(3)": (3, 3), "unsigned _BitInt(5)": (5, 5),
       "_BitInt(17)": (17, 17), "unsigned _BitInt(24)": (24, 24),
       "_BitInt(33)": (33, 33), "unsigned _BitInt(63)": (63, 63)}
REALS = ["float", "double"]
MEMORY = list(INTEGERS) + REALS  # types of what arguments point to
FIELDS = [("c", "signed char"), ("h", "unsigned short"), ("i", "int"),
          ("l", "long"), ("f", "float"), ("d", "double"), ("b", "unsigned")]

PROLOGUE = """#include <hpvm.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct S {
  signed char c;
  unsigned short h;
  int i;
  long l;
  float f;
  double d;
  unsigned b : 5;
  short a[3];
};

// The number as an integer, or 7 where it is too large or none.
static long whole(double x) { return x > -1e6 && x < 1e6 ? (long)x : 7; }

"""

PARAMETERS = ("{i} *in, size_t inBytes, {o} *out, size_t outBytes, int *sums, "
              "size_t sumsBytes, long *own, size_t ownBytes, double *total, "
              "size_t totalBytes, struct S s, short a, float f, long n")
NAMES = ["in", "out", "sums", "own", "total"]
SIZE = 640  # elements that leaves use of each array
WIDEST = 12  # rows of groups with barriers


def attributes(memory=()):
    """All memory is read, and all but the input written."""
    reads, writes = [*memory, *NAMES], [*memory, *NAMES[1:]]
    return (f"  __hpvm__attributes({len(reads)}, {', '.join(reads)}, "
            f"{len(writes)}, {', '.join(writes)});\n")


class Writer:
    """The body of one function: its lines and what is in scope."""

    def __init__(self, variables, arrays=()):
        self.lines, self.indent = [], 1
        self.variables = list(variables)  # (type, name)
        self.arrays = list(arrays)  # (type, name, length: a power of two)
        self.constants = set()  # variables that are not assigned
        self.functions = []  # (type, name, types of parameters)
        self.counter = 0
        self.depth = 0  # of loops and branches

    def line(self, text):
        self.lines.append("  " * self.indent + text + "\n")

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def scoped(self, write):
        """What `write` declares is gone after it."""
        known = len(self.variables), len(self.arrays)
        self.indent += 1
        self.depth += 1
        write()
        self.depth -= 1
        self.indent -= 1
        del self.variables[known[0]:], self.arrays[known[1]:]


def bits(type_):
    return {**INTEGERS, **ODD, "bool": (1, 32)}[type_]


def any_type():
    return rng.choices([rng.choice(list(INTEGERS)), rng.choice(REALS),
                        "bool", rng.choice(list(ODD))], [12, 5, 1, 2])[0]


def literal(type_):
    if type_ in REALS:
        return f"{rng.randint(-40, 40) / 8}" + "f" * (type_ == "float")
    if type_ == "bool":
        return rng.choice(["true", "false"])
    size = bits(type_)[0]
    value = rng.choice([rng.randint(0, 9), rng.getrandbits(size - 1),
                        (1 << (size - 1)) - 1])
    return f"({type_}){'-' if rng.random() < 0.3 else ''}{value}" \
        + "l" * (size > 31)


def cast(type_, from_, text):
    if type_ == from_:
        return text
    if from_ in REALS and type_ not in REALS:
        return f"({type_})whole({text})"
    return f"({type_})({text})"


def variable(w, type_):
    """A variable, or another place that is read."""
    kind = rng.random()
    if w.arrays and kind < 0.25:
        element, name, length = rng.choice(w.arrays)
        index = expression(w, "int", 1)
        return cast(type_, element, f"{name}[({index}) & {length - 1}]")
    same = [v for v in w.variables if v[0] == type_]
    from_, name = rng.choice(same if same and kind < 0.7 else w.variables)
    return cast(type_, from_, name)


def integer(w, type_, depth):
    size, promoted = bits(type_)
    def sub(t=type_):
        return expression(w, t, depth - 1)
    kind = rng.randrange(14)
    if type_ == "bool" and kind not in (6, 8, 9):
        return f"({sub('int')} != {sub('int')})"
    if kind <= 3:
        return f"({type_})({sub()} {rng.choice('+-*&|^+-*')} {sub()})"
    if kind == 4:  # neither by zero, nor by minus one
        count = min(15, (1 << (size - 2)) - 1)
        divisor = f"({type_})(({sub()} & {count}) + 1)"
        if not type_.startswith("unsigned") and rng.random() < 0.3:
            divisor = f"({type_})(-2 - ({sub()} & {count // 2}))"
        return f"({type_})({sub()} {rng.choice('/%')} {divisor})"
    if kind == 5:
        amount = f"({sub('int')} & {promoted - 1})" if promoted in (32, 64) \
            else f"(unsigned)({sub('int')} & 1023) % {promoted}"
        return f"({type_})({sub()} {rng.choice(['<<', '>>'])} ({amount}))"
    if kind == 6:
        other = any_type()
        compare = rng.choice(["<", "<=", "==", "!=", ">"])
        return f"({type_})({sub(other)} {compare} {sub(other)})"
    if kind == 7:
        return f"({type_})({rng.choice('-~!')}{sub()})"
    if kind == 8:
        return f"({sub('bool')} ? {sub()} : {sub()})"
    if kind == 9:
        return f"(({sub('bool')}) {rng.choice(['&&', '||'])} ({sub('bool')}))"
    if kind == 10:
        count, of = rng.choice([
            ("__builtin_popcount({})", "unsigned"),
            ("__builtin_popcountl({})", "unsigned long"),
            ("__builtin_clz({} | 1)", "unsigned"),
            ("__builtin_ctzl({} | 256)", "unsigned long"),
            ("__builtin_bswap32({})", "unsigned"),
            ("__builtin_bswap16({})", "unsigned short"),
            ("__builtin_bitreverse64({})", "unsigned long"),
            ("__builtin_bitreverse8({})", "unsigned char"),
            ("__builtin_rotateleft32({}, 13)", "unsigned"),
            ("__builtin_elementwise_add_sat({}, {})", "short"),
            ("__builtin_elementwise_sub_sat({}, {})", "unsigned"),
            ("__builtin_elementwise_max({}, {})", "long"),
            ("__builtin_elementwise_min({}, {})", "unsigned char"),
            ("__builtin_elementwise_abs({})", "int")])
        places = [f"({of})({sub(of)})" for _ in range(count.count("{}"))]
        return f"({type_}){count.format(*places)}"
    return kind == 11 and call(w, type_) or variable(w, type_)


def real(w, type_, depth):
    def sub(t=type_):
        return expression(w, t, depth - 1)
    suffix = "f" * (type_ == "float")
    kind = rng.randrange(10)
    if kind <= 3:
        return f"({sub()} {rng.choice('+-*/')} {sub()})"
    if kind == 4:
        return f"({sub()} * {sub()} + {sub()})"
    if kind == 5:
        function = rng.choice(["sqrt", "fabs", "floor", "ceil", "trunc"])
        return f"{function}{suffix}({sub()})"
    if kind == 6:
        return f"fma{suffix}({sub()}, {sub()}, {sub()})"
    if kind == 7:
        return f"({sub('bool')} ? {sub()} : {sub()})"
    if kind == 8:
        from_ = rng.choice(list(INTEGERS))
        return f"({type_})({sub(from_)})"
    return call(w, type_) or variable(w, type_)


def call(w, type_):
    if not w.functions:
        return None
    result, name, parameters = rng.choice(w.functions)
    arguments = [expression(w, p, 0) for p in parameters]
    return cast(type_, result, f"{name}({', '.join(arguments)})")


def expression(w, type_, depth=3):
    if depth <= 0 or rng.random() < 0.2:
        return variable(w, type_) if rng.random() < 0.8 else literal(type_)
    if type_ in REALS:
        return real(w, type_, depth)
    return integer(w, type_, depth)


def assign(w):
    targets = [v for v in w.variables if v[1] not in w.constants]
    if w.arrays and rng.random() < 0.4:
        changeable = [a for a in w.arrays if a[1] not in w.constants]
        if changeable:
            type_, name, length = rng.choice(changeable)
            index = expression(w, "unsigned", 1)
            w.line(f"{name}[({index}) & {length - 1}] = "
                   f"{expression(w, type_)};")
            return
    if targets:
        type_, name = rng.choice(targets)
        w.line(f"{name} = {expression(w, type_)};")


def declare(w):
    type_ = any_type()
    name = w.fresh("v")
    w.line(f"{type_} {name} = {expression(w, type_)};")
    w.variables.append((type_, name))


def declare_array(w):
    type_, length = rng.choice(MEMORY), rng.choice([2, 4, 8, 16])
    name = w.fresh("array")
    kind = rng.random()
    if kind < 0.3:
        w.line(f"{type_} {name}[{length}];")
        w.line(f"memset({name}, 0, sizeof {name});")
    elif kind < 0.5:
        values = ", ".join(expression(w, type_, 1) for _ in range(length))
        w.line(f"{type_} {name}[{length}] = {{{values}}};")
    elif kind < 0.6 and any(a[0] == type_ and a[2] == length
                            for a in w.arrays):
        other = next(a[1] for a in w.arrays
                     if a[0] == type_ and a[2] == length)
        w.line(f"{type_} {name}[{length}];")
        w.line(f"memcpy({name}, {other}, sizeof {name});")
    else:
        w.line(f"{type_} {name}[{length}];")
        index = w.fresh("k")
        w.variables.append(("int", index))
        value = expression(w, type_, 2)
        w.variables.pop()
        w.line(f"for (int {index} = 0; {index} < {length}; ++{index})")
        w.line(f"  {name}[{index}] = {value};")
    w.arrays.append((type_, name, length))


def declare_struct(w):
    name = w.fresh("t")
    w.line(f"struct S {name} = s;")
    if rng.random() < 0.5:
        w.line(f"turn(&{name}, {expression(w, 'int', 1)});")
    if rng.random() < 0.5:
        w.line(f"{name} = mixed({name}, {expression(w, 'double', 1)});")
    w.variables += [(type_, f"{name}.{field}") for field, type_ in FIELDS]
    # A field of five bits is written like any other.
    w.arrays.append(("short", f"{name}.a", 2))


def branch(w):
    w.line(f"if ({expression(w, 'bool', 2)}) {{")
    w.scoped(lambda: statements(w, rng.randint(1, 3)))
    if rng.random() < 0.6:
        w.line("} else {")
        w.scoped(lambda: statements(w, rng.randint(1, 2)))
    w.line("}")


def loop(w):
    index = w.fresh("k")
    count = str(rng.randint(1, 9)) if rng.random() < 0.5 \
        else f"({expression(w, 'int', 1)} & 7)"
    w.line(f"for (int {index} = 0, end = {count}; {index} < end; ++{index}) {{")
    def body():
        w.variables.append(("int", index))
        w.constants.add(index)
        statements(w, rng.randint(1, 3))
        if rng.random() < 0.4:
            w.line(f"if ({expression(w, 'bool', 1)})")
            w.line(f"  {rng.choice(['break', 'continue'])};")
            statements(w, 1)
    w.scoped(body)
    w.line("}")


def switch(w):
    # Dense, or far apart.
    count = rng.randint(2, 6)
    if rng.random() < 0.7:
        values = rng.sample(range(8), count)
        key = f"{expression(w, 'int', 1)} & 7"
    else:
        values = rng.sample(range(-128, 128), count)
        key = expression(w, "signed char", 1)
    w.line(f"switch ({key}) {{")
    for value in values:
        w.line(f"case {value}:")
        w.indent += 1
        assign(w)
        if rng.random() < 0.7:
            w.line("break;")
        w.indent -= 1
    w.line("default:")
    w.indent += 1
    assign(w)
    w.line("break;")
    w.indent -= 1
    w.line("}")


def atomic(w):
    """Of shared memory, in which each statement has slots of its own and
    nobody looks at the old value; or of memory of the instance."""
    slot = w.slots
    w.slots += 8
    place = f"sums[{slot} + (at & 7)]"
    kind = rng.random()
    if slot + 8 <= 256 and kind < 0.5:
        operation = rng.choice(["add", "sub", "min", "max", "umin", "umax",
                                "and", "or", "xor"])
        w.line(f"__hpvm__atomic_{operation}(&{place}, "
               f"{expression(w, 'int')});")
    elif slot + 8 <= 256 and kind < 0.6:
        operation = rng.choice(["inc", "dec"])
        w.line(f"__hpvm__atomic_{operation}(&{place});")
    elif slot + 8 <= 256 and kind < 0.7:
        w.line(f"__hpvm__atomic_add_f64(&total[{slot}], "
               f"(double)(short)({expression(w, 'short', 2)}));")
    else:
        name = w.fresh("old")
        operation = rng.choice(["add", "sub", "min", "max", "umin", "umax",
                                "and", "or", "xor", "xchg"])
        if rng.random() < 0.2:
            operation = rng.choice(["fetch_add", "fetch_sub", "fetch_and",
                                    "fetch_xor", "fetch_nand", "exchange_n"])
            w.line(f"unsigned char {name} = __atomic_{operation}("
                   f"(unsigned char *)&own[at] + {rng.randint(0, 7)}, "
                   f"{expression(w, 'unsigned char')}, __ATOMIC_RELAXED);")
            w.variables.append(("unsigned char", name))
        elif rng.random() < 0.6:
            w.line(f"long {name} = __hpvm__atomic_{operation}_i64(&own[at], "
                   f"{expression(w, 'long')});")
            w.variables.append(("long", name))
        else:
            values = expression(w, "int")
            if rng.random() < 0.3:
                operation = "cmpxchg"
                values = f"{rng.choice(['(int)own[at]', '5'])}, {values}"
            w.line(f"int {name} = __hpvm__atomic_{operation}((int *)&own[at], "
                   f"{values});")
            w.variables.append(("int", name))


def exchange(w):
    """Through local memory to other items; all items come here."""
    w.line(f"memory[item] = {expression(w, w.local)};")
    w.line("__hpvm__barrier();")
    name = w.fresh("v")
    w.line(f"{w.local} {name} = memory[(item * {rng.randint(1, 5)} + "
           f"{rng.randint(0, 9)}) % items];")
    w.line("__hpvm__barrier();")
    w.variables.append((w.local, name))
    if rng.random() < 0.3:
        index = w.fresh("k")
        w.line(f"for (int {index} = 1; {index} < {rng.randint(2, 4)}; "
               f"++{index}) {{")
        def body():
            w.line(f"{w.local} next = memory[(item + {index}) % items];")
            w.line("__hpvm__barrier();")
            w.variables += [(w.local, "next"), ("int", index)]
            w.constants.add(index)
            w.line(f"memory[item] = {expression(w, w.local)};")
            w.line("__hpvm__barrier();")
            assign(w)
        w.scoped(body)
        w.line("}")


def statements(w, count):
    for _ in range(count):
        kinds = [(assign, 5), (declare, 4)]
        if w.depth < 3:
            kinds += [(branch, 2), (loop, 2), (switch, 1)]
        if w.depth == 0 and not w.isAuxiliary:
            kinds += [(declare_array, 3), (declare_struct, 1)]
        if not w.isAuxiliary:
            kinds += [(atomic, 1)]
        rng.choices([k for k, _ in kinds], [n for _, n in kinds])[0](w)
        if w.depth == 0 and not w.isAuxiliary and w.local \
                and rng.random() < 0.3:
            exchange(w)


def auxiliary(number, functions, tables):
    """A function of a few values."""
    types = [any_type() for _ in range(rng.randint(1, 3))]
    w = Writer([(t, f"p{i}") for i, t in enumerate(types)], tables)
    w.constants |= {t[1] for t in tables}
    # One that calls another: all are inlined.
    w.isAuxiliary, w.local, w.functions = True, None, functions[:max(0, number - 2)]
    result = any_type()
    w.depth = 1
    statements(w, rng.randint(1, 2))
    name = f"auxiliary{number}"
    parameters = ", ".join(f"{t} {n}" for t, n in w.variables[:len(types)])
    w.line(f"return {expression(w, result)};")
    functions.append((result, name, types))
    return f"static {result} {name}({parameters}) {{\n{''.join(w.lines)}}}\n\n"


def table(number, tables):
    type_, length = rng.choice(MEMORY), rng.choice([4, 8, 16])
    name = f"table{number}"
    tables.append((type_, name, length))
    values = ", ".join(literal(type_) for _ in range(length))
    return f"static const {type_} {name}[{length}] = {{{values}}};\n\n"


def struct_functions(functions):
    """One that takes a structure's address, and one that takes it by value."""
    text = ""
    for head, tail in (("void turn(struct S *s, int p)", ""),
                       ("struct S mixed(struct S v, double p)", "return v;")):
        pointer = "*s" in head
        name = "s->" if pointer else "v."
        w = Writer([(t, name + field) for field, t in FIELDS]
                   + [("int" if pointer else "double", "p")],
                   [("short", name + "a", 2)])
        w.isAuxiliary, w.local, w.functions = True, None, functions[:2]
        w.depth = 2
        statements(w, rng.randint(1, 4))
        if tail:
            w.line(tail)
        text += f"static {head} {{\n{''.join(w.lines)}}}\n\n"
    return text


class Leaf:
    """A leaf and the graphs around it."""

    def __init__(self, number):
        self.name = f"leaf{number}"
        self.input, self.output = rng.choice(MEMORY), rng.choice(MEMORY)
        self.local = rng.choice(MEMORY) if rng.random() < 0.4 else None
        self.results = [any_result() for _ in range(rng.choice([0, 0, 1, 2]))]
        # Extents of each level, the leaf's own last.
        depth = rng.choice([2, 2, 3, 4] if self.local else [1, 1, 1, 2, 3])
        self.room = SIZE // WIDEST if self.local else SIZE
        self.levels = [self.extents(depth - i) for i in range(depth)]

    def extents(self, left):
        """`left`: levels that share the room."""
        extents = []
        if self.local and left == 1:
            extents.append(rng.randint(1, WIDEST))
        for _ in range(rng.choice([1, 1, 2, 3]) - len(extents)):
            most = max(1, int(self.room ** (1 / left)))
            extents.append(rng.randint(1, rng.choice([most, min(most, 4)])))
            self.room //= extents[-1]
        return extents

    def parameters(self):
        return PARAMETERS.format(i=self.input, o=self.output)

    def text(self, functions, tables):
        name = self.name
        code = self.leaf(functions, tables)
        if self.local:
            code += (f"void {name}Memory(void) {{\n"
                     "  __hpvm__hint(GPU_TARGET);\n"
                     f"  size_t bytes = {self.count(-1)} * "
                     f"sizeof({self.local});\n"
                     "  void *memory = __hpvm__malloc(bytes);\n"
                     "  __hpvm__return(2, memory, bytes);\n}\n\n")
        callee = name
        for level in reversed(range(len(self.levels))):
            graph = f"{name}Graph{level}"
            code += self.graph(graph, callee, self.levels[level],
                               level == len(self.levels) - 1)
            callee = graph
        return code + self.run(callee)

    def count(self, level):
        total = 1
        for extent in self.levels[level]:
            total *= extent
        return total

    def leaf(self, functions, tables):
        levels = len(self.levels)
        w = Writer([("struct", "s")], tables)
        w.isAuxiliary, w.local, w.slots = False, self.local, 0
        w.functions = functions
        w.constants |= {t[1] for t in tables}
        parameters = self.parameters()
        if self.local:
            parameters = f"{self.local} *memory, size_t bytes, {parameters}"
        w.line("__hpvm__hint(GPU_TARGET);")
        w.lines.append(attributes(["memory"] if self.local else []))
        # From the innermost level out; ids and counts of each.
        place, total = [], "1"
        node = "__hpvm__getNode()"
        terms = []
        for level in reversed(range(levels)):
            w.line(f"void *node{level} = {node};")
            node = f"__hpvm__getParentNode(node{level})"
            for d, _ in enumerate(self.levels[level]):
                axis = "xyz"[d]
                terms.append((f"__hpvm__getNodeInstanceID_{axis}(node{level})",
                              f"__hpvm__getNumNodeInstances_{axis}"
                              f"(node{level})", level))
        w.line("long at = 0, item = 0, items = 1, scale = 1;")
        for identity, extent, level in terms:
            w.line(f"at += {identity} * scale;")
            w.line(f"scale *= {extent};")
            if level == levels - 1:
                w.line("item = at;")
                w.line("items = scale;")
        w.variables = [("long", "at"), ("long", "item"), ("short", "a"),
                       ("float", "f"), ("long", "n"), (self.input, "in[at]")]
        w.variables += [(t, f"s.{field}") for field, t in FIELDS]
        w.constants |= {"at", "item", "n", "in[at]"}
        if not self.input.endswith("char"):
            w.variables.append(("unsigned char",
                                "((unsigned char *)in)[at * 2 + 1]"))
            w.constants.add(w.variables[-1][1])
        statements(w, rng.randint(3, 9))
        result = expression(w, self.output)
        w.line(f"{self.output} result = {result};")
        w.line(f"out[at] {rng.choice(['=', '=', '+='])} "
               f"{'result == result ? result : 0'};")
        for i, type_ in enumerate(self.results):
            w.line(f"{type_} result{i} = {expression(w, type_)};")
            w.line(f"result{i} = result{i} == result{i} ? result{i} : 0;")
        if self.results:
            values = ", ".join(f"result{i}"
                               for i in range(len(self.results)))
            w.line(f"__hpvm__return({len(self.results)}, {values});")
        return f"void {self.name}({parameters}) {{\n{''.join(w.lines)}}}\n\n"

    def graph(self, name, callee, extents, isInnermost):
        text = (f"void {name}({self.parameters()}) {{\n"
                "  __hpvm__hint(GPU_TARGET);\n"
                + attributes())
        shift = 0
        if self.local and isInnermost:
            shift = 2
            text += (f"  void *memory = __hpvm__createNodeND(0, "
                     f"{self.name}Memory);\n")
        grid = "".join(f", (size_t){e}" for e in extents)
        text += (f"  void *node = __hpvm__createNodeND({len(extents)}, "
                 f"{callee}{grid});\n")
        for i in range(shift):
            text += f"  __hpvm__edge(memory, node, 1, {i}, {i}, 0);\n"
        for i in range(14):
            text += f"  __hpvm__bindIn(node, {i}, {i + shift}, 0);\n"
        for i in range(len(self.results)):
            text += f"  __hpvm__bindOut(node, {i}, {i}, 0);\n"
        return text + "}\n\n"

    def run(self, root):
        name = self.name
        fields = "".join(f"  {t} result{i};\n"
                         for i, t in enumerate(self.results))
        members = "".join(f"  {part.strip()};\n"
                          for part in self.parameters().split(","))
        adds = "".join(f"  add(&arguments.result{i}, "
                       f"sizeof arguments.result{i});\n"
                       for i in range(len(self.results)))
        arguments = ", ".join(f"(void *){n}, sizeof {n}" for n in NAMES)
        return (f"struct __attribute__((packed)) {name}Arguments {{\n"
                f"{members}{fields}}};\n\n"
                f"static void run_{name}(void) {{\n"
                f"  prepare({int(self.input in REALS)}, "
                f"sizeof({self.input}), {int(self.output in REALS)}, "
                f"sizeof({self.output}));\n"
                f"  struct {name}Arguments arguments = {{{arguments}, "
                "{-3, 500, 70000, -5000000000, 1.5f, -0.1, 21, {3, -4, 5}}, "
                f"{rng.randint(-999, 999)}, {rng.randint(-99, 99) / 8}f, "
                f"{rng.randint(0, 1000)}}};\n"
                f"  __hpvm__wait(__hpvm__launch(0, {root}, &arguments));\n"
                f"  finish();\n{adds}"
                f'  printf("{name} %016lx\\n", hash);\n}}\n\n')


def any_result():
    """Bits of padding are nobody's business."""
    return rng.choice(MEMORY + ["bool"])


PREPARE = """
static unsigned char in[SIZE * 8] __attribute__((aligned(64)));
static unsigned char out[SIZE * 8] __attribute__((aligned(64)));
static int sums[256];
static long own[SIZE];
static double total[256];
static unsigned long hash;

static void add(const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
}

// Random bytes, or random numbers.
static void fill(unsigned char *data, int isReal, size_t size) {
  unsigned long state = size + 12345;
  for (int i = 0; i < SIZE; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    long value = (long)state >> (state >> 20 & 63);
    double real = (double)(int)(state >> 32) / (1 << (state & 31));
    float single = (float)real;
    memcpy(data + i * size, !isReal ? (void *)&value
           : size == 4 ? (void *)&single : (void *)&real, size);
  }
}

static void prepare(int inReal, size_t inSize, int outReal, size_t outSize) {
  fill(in, inReal, inSize);
  fill(out, outReal, outSize);
  fill((void *)own, 0, sizeof(long));
  for (int i = 0; i < 256; ++i) {
    sums[i] = (i - 100) * 77777;
    total[i] = i;
  }
  llvm_hpvm_track_mem(in, sizeof in);
  llvm_hpvm_track_mem(out, sizeof out);
  llvm_hpvm_track_mem(sums, sizeof sums);
  llvm_hpvm_track_mem(own, sizeof own);
  llvm_hpvm_track_mem(total, sizeof total);
}

static void finish(void) {
  struct { void *data; size_t bytes; } all[] = {
      {in, sizeof in}, {out, sizeof out}, {sums, sizeof sums},
      {own, sizeof own}, {total, sizeof total}};
  hash = 14695981039346656037u;
  for (int i = 0; i < 5; ++i) {
    llvm_hpvm_request_mem(all[i].data, all[i].bytes);
    llvm_hpvm_untrack_mem(all[i].data);
    add(all[i].data, all[i].bytes);
  }
}

"""

functions, tables, code = [], [], [PROLOGUE, f"enum {{ SIZE = {SIZE} }};\n",
                                   PREPARE]
for number in range(3):
    code.append(table(number, tables))
for number in range(4):
    code.append(auxiliary(number, functions, tables))
code.append(struct_functions(functions))
for number in range(LEAVES):
    code.append(Leaf(number).text(functions, tables))
code.append("int main(void) {\n  __hpvm__init();\n")
for number in range(LEAVES):
    code.append(f"  run_leaf{number}();\n")
code.append("  __hpvm__cleanup();\n  return 0;\n}\n")
with open(path, "w", encoding="utf-8") as file:
    file.write("".join(code))
