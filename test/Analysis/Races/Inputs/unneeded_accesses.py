# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops whose accesses nobody needs, against all pairs of instances.

Optimisers remove a store of what was just loaded, a store that is overwritten,
a load whose value is not used, and guards that the bounds of a loop contradict.
The first three still race, the last never run. For each number of instances,
the accesses of each are listed from the definitions: what races must not be
proven, and what does not must not be an error. In a region, each thread makes
accesses before and behind the loop, too: these meet the iterations of others
unless a barrier is between.

usage: unneeded_accesses.py FIRST_SEED COUNT (openmp|hpvm|region) FOLDER
"""

import bisect
import json
import os
import random
import subprocess
import sys

MOST = 12
# In C, and as functions of the instance and of the number of instances.
PLACES = {
    "i": lambda i, n: i,
    "i + 1": lambda i, n: i + 1,
    "3": lambda i, n: 3,
    "n - 1 - i": lambda i, n: n - 1 - i,
    "2 * i": lambda i, n: 2 * i,
    "2 * i + 1": lambda i, n: 2 * i + 1,
    "i + n": lambda i, n: i + n,
    "n": lambda i, n: n,
}
# How a place is used, and how often the use reads and writes it.
USES = {
    "v[@] = v[@];": "rw",
    "v[@] = v[@] + 0;": "rw",
    "v[@] *= 1;": "rw",
    "v[@] |= 0;": "rw",
    "v[@] = 1; v[@] = 2;": "w",
    "int #a = v[@]; v[@] = 3; v[@] = #a;": "rw",
    "int #b = v[@];": "r",
    "(void)v[@]; int #c = v[@];": "r",
    "if (v[@] > 3) ;": "r",
    "int #d = v[@]; #d = 0;": "r",
    "int *#e = &v[@]; int #f = *#e + *#e;": "r",
    "struct one *#g = (struct one *)&v[@]; *#g = *#g;": "rw",
    "__builtin_memmove(&v[@], &v[@], 4);": "rw",
    "swap(&v[@], &v[@]);": "rw",
    "v[@] = i;": "w",
}
GUARDS = {
    "": lambda i, n: True,
    "if (i >= n)": lambda i, n: i >= n,
    "if (i < 0)": lambda i, n: i < 0,
    "if (i + 1 > n)": lambda i, n: i + 1 > n,
    "if (n == 0)": lambda i, n: False,
    "if (n < i)": lambda i, n: n < i,
    "if (i >= n - 2)": lambda i, n: i >= n - 2,
    "if (i == 2)": lambda i, n: i == 2,
    "if (i == n - 1)": lambda i, n: i == n - 1,
    "if (i != n)": lambda i, n: i != n,
}


# Headers of loops, and the values of their variables.
LOOPS = {
    "for (int i = 0; i < n; i++)": lambda n: range(n),
    "for (long i = 0; n > i; ++i)": lambda n: range(n),
    "for (unsigned i = 0; i < (unsigned)n; i++)": lambda n: range(n),
    "for (int i = n - 1; i >= 0; i--)": lambda n: range(n - 1, -1, -1),
    "for (int i = 0; i < n; i += 2)": lambda n: range(0, n, 2),
    "for (int i = 1; i <= n; ++i)": lambda n: range(1, n + 1),
    "for (int i = 0; i != n; ++i)": lambda n: range(n),
    "for (int i = 3; i < n; i += 3)": lambda n: range(3, n, 3),
}


def draw(choice):
    """The text of a body, and its parts."""
    parts = []
    for _ in range(choice.choice([1, 1, 2, 2, 3])):
        guard = choice.choice(list(GUARDS)) if choice.random() < 0.4 else ""
        parts.append((guard, choice.choice(list(USES)), choice.choice(list(PLACES))))
    text = " ".join(
        f"{guard} {{ {use.replace('@', place).replace('#', 'x' + str(number))} }}"
        for number, (guard, use, place) in enumerate(parts))
    return text, parts


def accesses(parts, i, n):
    """What an instance reads, and what it writes."""
    reads, writes = set(), set()
    for guard, use, place in parts:
        if GUARDS[guard](i, n):
            element = PLACES[place](i, n)
            if "r" in USES[use]:
                reads.add(element)
            if "w" in USES[use]:
                writes.add(element)
    return reads, writes


# Of a thread around a loop, which has no instance.
FIXED = ["3", "n", "0", "n - 1"]
AROUND_USES = {use: kinds for use, kinds in USES.items() if use != "v[@] = i;"}
AROUND_USES |= {
    "int #h = get(&v[@]);": "r",
    "{ int #j = 0; while (#j < 5) #j += 1 + 0 * v[@]; }": "r",
    "int #k[2]; #k[0] = v[@]; #k[1] = #k[0];": "r",
    "int #l; __builtin_memcpy(&#l, &v[@], 4);": "r",
}
# What stands behind a loop, and whether threads wait there.
ENDS = {"": True, " nowait": False}
REGION_LOOPS = LOOPS | {"for (int i = 0; i < 1; i++)": lambda n: range(1)}


def draw_around(choice):
    """Accesses of each thread: the text, what is used, and how."""
    if choice.random() < 0.4:
        return "", []
    use = choice.choice([use for use, kinds in AROUND_USES.items()
                         if kinds == "r" or choice.random() < 0.1])
    place = choice.choice(FIXED)
    return use.replace("@", place), [(AROUND_USES[use], place)]


def meets_around(around, parts, values):
    """Whether what each thread does meets iterations of others, or itself."""
    for kinds, place in around:
        if "w" in kinds:
            return True
        for n in range(1, MOST):
            element = {"3": 3, "n": n, "0": 0, "n - 1": n - 1}[place]
            if any(element in accesses(parts, i, n)[1] for i in values(n)):
                return True
    return False


def is_racy(parts, values):
    for n in range(1, MOST):
        all_of = [accesses(parts, i, n) for i in values(n)]
        for i in range(len(all_of)):
            for k in range(len(all_of)):
                if i != k and all_of[i][1] & (all_of[k][0] | all_of[k][1]):
                    return True
    return False


HEAD = "struct one { int x; };\n"
# Each loop has its own, since messages name the places in it.
SWAP = "static void swap{0}(int *a, int *b) {{ int t = *a; *a = *b; *b = t; }}\n"


def openmp(number, loop, text):
    return f"""void f{number}(int *v, int n) {{
#pragma omp parallel for
  {loop} {{ {text} }}
}}
"""


def region(number, loop, text, before, behind, end, barrier):
    return f"""static int get{number}(const int *p) {{ return *p; }}
void f{number}(int *v, int n) {{
#pragma omp parallel
  {{ {before}
#pragma omp for{end}
  {loop} {{ {text} }}
{barrier}
  {behind} }}
}}
"""


def draw_region(choice, parts, values):
    """A region around a loop: what makes its text, and whether it races."""
    (before, first), (behind, last) = draw_around(choice), draw_around(choice)
    end = choice.choice(list(ENDS))
    barrier = "#pragma omp barrier" if choice.random() < 0.2 else ""
    racy = meets_around(first, parts, values)
    waits = ENDS[end] or barrier
    racy |= any("w" in kinds for kinds, _ in last) if waits else \
        meets_around(last, parts, values)
    texts = [text.replace("#", name) for text, name in ((before, "y"), (behind, "z"))]
    return (*texts, end, barrier), racy


def hpvm(number, loop, text):
    return f"""void w{number}(int *v, size_t vBytes, long n) {{
  __hpvm__hint(CPU_TARGET); __hpvm__attributes(1, v, 1, v);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode()); {{ {text} }}
}}
void f{number}(int *v, size_t vBytes, long n) {{
  __hpvm__hint(CPU_TARGET); __hpvm__attributes(1, v, 1, v);
  void *node = __hpvm__createNodeND(1, w{number}, n);
  for (int i = 0; i < 3; ++i) __hpvm__bindIn(node, i, i, 0);
}}
"""


def launch(number):
    return f"""  {{ struct __attribute__((packed)) {{ int *v; size_t b; long n; }} a = {{v, sizeof v, 4}};
    __hpvm__wait(__hpvm__launch(0, f{number}, &a)); }}
"""


def main():
    first, count, language, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    choice = random.Random(f"{language} {first}")
    known = REGION_LOOPS if language == "region" else LOOPS
    loops = list(known)[:1] if language == "hpvm" else list(known)
    bodies = [(choice.choice(loops), *draw(choice)) for _ in range(int(count))]
    path = os.path.join(folder, f"loops-{first}.c")
    text = "#include <hpvm.h>\n" + HEAD if language == "hpvm" else HEAD
    ends, raced = [], []
    for number, (loop, body, parts) in enumerate(bodies):
        text += SWAP.format(number)
        raced.append(is_racy(parts, known[loop]))
        if language == "region":
            around, races = draw_region(choice, parts, known[loop])
            raced[-1] |= races
            made = region(number, loop, body, *around)
        else:
            made = (openmp if language == "openmp" else hpvm)(number, loop, body)
        text += made.replace("swap(", f"swap{number}(").replace("get(", f"get{number}(")
        ends.append(text.count("\n"))
    if language == "hpvm":
        text += "int main(void) { static int v[64]; __hpvm__init();\n"
        text += "".join(launch(number) for number in range(len(bodies)))
        text += "  __hpvm__cleanup(); return 0; }\n"
    with open(path, "w") as file:
        file.write(text)
    # As text, what is said of many places is said once.
    result = subprocess.run(["sluice", "check", "-w", "--diagnostics=json", path],
                            capture_output=True, text=True)
    if result.returncode not in (0, 1):
        sys.exit(f"{path}: exit code {result.returncode}\n{result.stderr}")
    said = [set() for _ in bodies]
    for one in json.loads(result.stderr)["diagnostics"]:
        isLeft = "nothing was checked" in one["message"] and language != "region"
        if isLeft or "place" not in one:
            sys.exit(f"{path}: {one['message']}")
        number = bisect.bisect_left(ends, one["place"]["begin"]["line"])
        said[number].add(one["severity"])
    wrong = missed = racy = unknown = 0
    for number, (loop, body, _) in enumerate(bodies):
        expected = raced[number]
        racy += expected
        unknown += said[number] == {"remark"}
        if expected and not said[number]:
            missed += 1
            print(f"missed: f{number} of {path}: {loop} {body}")
        if not expected and "error" in said[number]:
            wrong += 1
            print(f"wrong: f{number} of {path}: {loop} {body}")
    print(f"{len(bodies)} loops, {racy} racy, {unknown} unknown: "
          f"{wrong} wrong errors, {missed} missed")


main()
