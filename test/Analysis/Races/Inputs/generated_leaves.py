# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks leaves that nobody writes by hand: conditions in hundreds, expressions
of which each holds the one before several times, calls that lead everywhere.
Each check must end, whatever its verdict."""
import subprocess
import sys

sluice, output = sys.argv[1:]


def nested(n):
    tests = "".join(f"if (x * {i + 1} + k > {i}) {{\n" for i in range(n))
    return tests + "b[x] = 1;\n" + "}" * n


def nested_in_memory(n):
    tests = "".join(f"if (a[x * {i + 1}] > {i}) {{\n" for i in range(n))
    return tests + "b[x] = 1;\n" + "}" * n


def one_after_another(n):
    return "".join(f"if (x * {i + 1} + k > {i}) b[x] += {i};\n"
                   for i in range(n))


def with_remainders(n):
    return "".join(f"if (x % {i + 2} == k % {i + 2}) b[x * 2 + {i % 2}] = 1;\n"
                   for i in range(n))


def values(n):
    sums = "".join(f"if (x * {i + 1} + k > {i}) y += {3 * i};\n"
                   for i in range(n))
    return f"long y = x;\n{sums}b[y] = 1;\n"


def choices(n):
    text = "x"
    for i in range(n):
        text = f"(x > {i} ? {text} : x + {i})"
    return f"b[{text}] = 1;\n"


def products(n):
    text = "x"
    for i in range(n):
        text = f"({text} * (k + {i}) + x)"
    return f"b[{text}] = 1;\n"


def quotients(n):
    text = "x"
    for i in range(n):
        text = f"({text} / {i % 7 + 2} + k * {i} % {i % 11 + 3})"
    return f"b[{text}] = 1;\n"


def places(n):
    return "".join(f"b[x * k + {3 * i}] = b[x * k + {5 * i + 1}];\n"
                   for i in range(n))


def plain(n):
    return "".join(f"b[{n} * x + {i}] = {i};\n" for i in range(n))


def calls(n):
    return f"b[x + f{n - 1}(x)] = 1;\n"


def loops(n):
    heads = "".join(f"for (long i{i} = 0; i{i} < k; ++i{i}) " for i in range(n))
    return heads + "b[x * k + " + " + ".join(f"i{i}" for i in range(n)) + "] = 1;\n"


helpers = "static long f0(long x) { return x; }\n" + "".join(
    f"static long f{i}(long x) {{ return x > {i} ? f{i - 1}(x) : f{i - 1}(x - 1); }}\n"
    for i in range(1, 60))
parameters = "long *a, size_t aBytes, long *b, size_t bBytes, long k"
start = """  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
"""
for make, n in ((nested, 200), (nested_in_memory, 200), (one_after_another, 200),
                (with_remainders, 60), (values, 100), (choices, 24),
                (products, 60), (quotients, 60), (places, 30), (plain, 1500),
                (calls, 60),
                (loops, 20)):
    path = f"{output}.{make.__name__}.c"
    with open(path, "w") as file:
        file.write(f"""#include <hpvm.h>
{helpers if make is calls else ""}
void leaf({parameters}) {{
{start}  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  {make(n)}
}}
void root({parameters}, long n) {{
{start}  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}}
""")
    result = subprocess.run([sluice, "check", path], capture_output=True,
                            text=True)
    lines = result.stdout.splitlines() if result.returncode == 0 else []
    verdict = lines[-1] if lines else "racy" if "[race]" in result.stderr else "?"
    print(f"{make.__name__}: {verdict}", flush=True)
