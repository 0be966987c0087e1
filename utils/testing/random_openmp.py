#!/usr/bin/env python3
"""Random programs in OpenMP, compared with themselves without it.

Writes programs whose loops are parallel for certain, runs each as clang makes
it without OpenMP, and by `sluice run` with some numbers of workers, and
compares what they print.

  random_openmp.py --sluice SLUICE --clang CLANG --seed N [--count N] [--keep]
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import random
import subprocess
import sys
import tempfile

TYPES = ["int", "unsigned", "long", "unsigned long", "short", "unsigned char",
         "long long"]
SCHEDULES = ["", " schedule(static)", " schedule(static, 3)",
             " schedule(dynamic)", " schedule(dynamic, 4)",
             " schedule(guided)", " schedule(runtime)", " schedule(auto)"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def header(self, name):
        """A canonical loop whose variable is in 0 to 199."""
        step = self.random.randint(1, 4)
        low, high = sorted(self.random.sample(range(200), 2))
        kind = self.random.choice(TYPES)
        bounds = (str(low), str(high))
        if self.random.random() < 0.5:
            bounds = (f"low{low % 4}", f"(n - {200 - high})")
            low = low % 4
        if self.random.random() < 0.5:
            compare = self.pick("<", "<=")
            if step == 1 and self.random.random() < 0.3:
                compare = "!="
            increment = (self.pick(f"{name}++", f"++{name}") if step == 1 else
                         self.pick(f"{name} += {step}",
                                   f"{name} = {name} + {step}"))
            return kind, (f"{name} = {bounds[0]}; {name} {compare} "
                          f"{bounds[1]}; {increment}")
        # Downwards; unsigned numbers must not get below zero.
        increment = (self.pick(f"{name}--", f"--{name}") if step == 1 else
                     f"{name} -= {step}")
        return self.pick("int", "long"), (
            f"{name} = {bounds[1]}; {name} {self.pick('>', '>=')} "
            f"{bounds[0]}; {increment}")

    def value(self, name):
        return self.pick(f"{name}", f"b[{name}]", f"c[({name} * 7) % 200]",
                         f"{name} % 5 + n", f"f({name})", "scale",
                         f"s.x + {name}")

    def expression(self, name):
        return (f"{self.value(name)} {self.pick('+', '-', '*')} "
                f"{self.value(name)}")

    def loop(self, number):
        clauses = ""
        body = []
        name = f"i{number}"
        kind, header = self.header(name)
        target = self.pick("a", "p", "g", "v")
        after = []
        if self.random.random() < 0.4:
            clauses += " private(t)"
            body.append(f"t = {self.expression(name)};")
        else:
            body.append(f"long t = {self.expression(name)};")
        if self.random.random() < 0.3:
            clauses += " firstprivate(scale)"
            body.append("t += scale;")
        choice = self.random.randrange(6)
        if choice == 0:
            clauses += " reduction(+ : sum) reduction(max : most)"
            body.append("sum += t; if (t > most) most = t;")
        elif choice == 1:
            clauses += " reduction(^ : sum) reduction(min : least)"
            body.append("sum ^= t; least = t < least ? t : least;")
        elif choice == 2:
            clauses += " reduction(+ : real)"
            body.append("real += (double)(t % 1000);")
        elif choice == 3:
            clauses += " lastprivate(last)"
            body.append("last = t;")
            after.append("sum += last;")
        elif choice == 4:
            body.append("#pragma omp atomic")
            body.append("sum += t;")
        if self.random.random() < 0.3:
            body.append(f"if ({name} % 3 == 1) continue;")
        if self.random.random() < 0.3:
            body.append("for (int k = 0; k < 3; ++k) t += b[k] * k;")
        if self.random.random() < 0.8:
            body.append(f"{target}[{name}] = t{self.pick('', ' + d[' + name + ']')};")
        if self.random.random() < 0.2:
            clauses += self.pick(" if(n > 100)", " if(n > 1000)",
                                 " num_threads(2)", " num_threads(7)")
        simd = self.pick("", "", " simd")
        if "atomic" in " ".join(body):
            simd = ""
        schedule = self.random.choice(SCHEDULES)
        directive = (f"#pragma omp parallel for{simd}{schedule}{clauses}")
        inside = "\n".join("    " + line for line in body)
        text = (f"{directive}\n  for ({kind} {header}) {{\n{inside}\n  }}\n")
        if (self.random.random() < 0.2 and "if(" not in clauses and
                "reduction" not in clauses and "num_threads" not in clauses):
            text = ("#pragma omp parallel\n  {\n" +
                    text.replace("parallel for", "for") + "  }\n")
        self.lines.append("  " + text + "".join(f"  {line}\n" for line in after))

    def nest(self, number):
        """Two loops that are collapsed."""
        rows, columns = self.random.randint(1, 9), self.random.randint(1, 9)
        columns = self.pick(str(columns), f"(n - {200 - columns})")
        self.lines.append(
            f"#pragma omp parallel for collapse(2)"
            f"{self.random.choice(SCHEDULES)}\n"
            f"  for (int y{number} = 0; y{number} < {rows}; ++y{number})\n"
            f"    for (int x{number} = 1; x{number} <= {columns}; ++x{number})\n"
            f"      m[y{number}][x{number}] = {self.value('x%d' % number)} + "
            f"y{number};\n")

    def phases(self, number):
        """Loops of one region, the second of which reads what the first
        writes."""
        self.lines.append(
            f"#pragma omp parallel\n  {{\n"
            f"#pragma omp for\n"
            f"    for (int i = 0; i < n; ++i) a[i] = b[i] + {number};\n"
            f"#pragma omp for{self.random.choice(SCHEDULES)}\n"
            f"    for (int i = 0; i < n; ++i) d[i] = a[n - 1 - i];\n  }}\n")

    def text(self):
        for number in range(self.random.randint(2, 6)):
            self.random.choice([self.loop, self.loop, self.loop, self.nest,
                                self.phases])(number)
        middle = "\n".join(self.lines)
        return f"""#include <stdio.h>
#include <stdlib.h>
static long g[200], b[200], c[200];
struct Pair {{ long x, y; }};
static long f(long x) {{ return x * x - 3; }}
static void work(int n, long *a, long *d, struct Pair s) {{
  long v[n], m[10][220], t = 1, sum = 0, most = -1000, least = 1000, last = 0;
  long scale = n % 7;
  double real = 0;
  int low0 = 0, low1 = 1, low2 = 2, low3 = 3;
  long *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i) p[i] = v[i] = i;
  for (int i = 0; i < 2200; ++i) m[i / 220][i % 220] = 0;
{middle}
  unsigned long all = sum;
  for (int i = 0; i < n; ++i)
    all = all * 31 + a[i] + 3 * p[i] + 5 * g[i] + 7 * v[i] + 11 * d[i];
  for (int i = 0; i < 2200; ++i) all = all * 17 + m[i / 220][i % 220];
  printf("%lu %ld %ld %.17g %ld %d\\n", all, most, least, real, scale,
         low0 + low1 + low2 + low3);
  free(p);
}}
int main(void) {{
  static long a[200], d[200];
  for (int i = 0; i < 200; ++i) b[i] = i % 11, c[i] = 200 - i, d[i] = i;
  work(200, a, d, (struct Pair){{3, 4}});
  work(200, d, a, (struct Pair){{-1, 2}});
}}
"""


def output(command, **settings):
    done = subprocess.run(command, env={**os.environ, **settings},
                          capture_output=True, text=True, timeout=120)
    return done.stdout, done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    bad = taken = 0
    for seed in range(options.seed, options.seed + options.count):
        source = os.path.join(folder, f"random{seed}.c")
        with open(source, "w") as file:
            file.write(Program(seed).text())
        serial = os.path.join(folder, "serial")
        subprocess.run([options.clang, "-w", "-O1", source, "-o", serial],
                       check=True)
        expected = output([serial])[0]
        checked = output([options.sluice, "check", source])
        if "no problems in " in checked[0]:
            taken += int(checked[0].split("no problems in ")[1].split()[0])
        if checked[1] > 1 or " error: " in checked[2]:
            print(f"seed {seed}: check says {checked}")
            bad += 1
        for workers in ("1", "2", "5"):
            found = output([options.sluice, "run", "-w", source],
                           SLUICE_WORKERS=workers)
            if found[0] != expected or found[1] != 0:
                print(f"seed {seed}, {workers} workers: expected {expected}"
                      f"but found {found}")
                bad += 1
        if not options.keep:
            os.remove(source)
    if not options.keep:
        os.remove(serial)
        os.rmdir(folder)
    print(f"{options.count} programs, {bad} wrong, {taken} loops taken over")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
