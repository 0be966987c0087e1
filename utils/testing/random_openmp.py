#!/usr/bin/env python3
"""Random programs in OpenMP, compared with themselves without it.

Writes programs whose loops are parallel for certain, runs each as clang makes
it without OpenMP, and by `sluice run`, and compares what they print. With
--racy, each has a race, and `sluice check` must not call it proven.

  random_openmp.py --sluice SLUICE --clang CLANG --seed N [--count N] [--racy]
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
        choice = self.random.randrange(7)
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
        elif choice == 5:
            clauses += " lastprivate(conditional : last)"
            body.append(f"if ((t & 7) == {self.random.randrange(8)}) last = t;")
            after.append("sum += last;")
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

    def shared_loop(self, nowait=False):
        """A loop of a region in which 'from' and 'to' change places, and 'k' and
        'shift' are the threads' own."""
        clauses, body, after = self.random.choice(SCHEDULES), [], []
        value = self.pick("from[i]", "from[n - 1 - i]", "from[i] + from[0]",
                          "b[i] * k", "f(i) + k", "from[(i * 3) % n]")
        extra = self.pick("shift", "table[i & 7]", "shift + q", "x", "4")
        body.append(f"long w = {value} % 1000 + {extra};")
        if self.random.random() < 0.3:
            body.append("for (r = 0; r < 3; ++r) w += b[r];"
                        " w += r;")
        choice = self.random.randrange(8)
        if choice == 0 and not nowait:
            clauses += " reduction(+ : sum)"
            body.append("sum += w;")
        elif choice == 1 and not nowait:
            clauses += " reduction(max : most)"
            body.append("most = w > most ? w : most;")
        elif choice == 2 and not nowait and "(dynamic" not in clauses:
            # LLVM's library may lose it where one thread takes turns.
            clauses += " lastprivate(last)"
            body.append("last = w + i;")
        elif choice == 3:
            body.append(f"#pragma omp critical{self.pick('', '(name)')}")
            body.append(f"{'rest' if nowait else 'sum'} += w;")
        elif choice == 5 and not nowait:
            clauses += self.pick(" reduction(+ : bins)",
                                 " reduction(+ : bins[1 : 4])",
                                 " reduction(+ : some[ : n / 40])")
            body.append(f"{'some' if 'some' in clauses else 'bins'}"
                        "[1 + (w & 3)] += i;")
        elif choice == 4:
            body.append("long s[4] = {w, i, k, 2};")
            body.append("w = s[i & 3] + s[w & 1];")
        if self.random.random() < 0.2:
            body.append("if (i % 4 == 2) continue;")
        if nowait:
            body.append("g[i] += w;")
            clauses += " nowait"
        else:
            body.append("to[i] = w;")
        bounds = self.pick("long i = 0; i < n; ++i", "int i = n - 1; i >= 0; --i",
                           "long i = k; i < n - 1; i += 2",
                           "unsigned i = 3; i <= 150; i++",
                           "long i = lowest; i < n; ++i")
        inside = "\n".join("        " + line for line in body)
        return [f"#pragma omp for{clauses}",
                f"      for ({bounds}) {{\n{inside}\n      }}"] + after

    def step(self, depth=0):
        """What threads do between two barriers, or at one."""
        choice = self.random.randrange(10)
        if choice < 4:
            return self.shared_loop()
        if choice == 4:
            return ["#pragma omp single", self.pick(
                "      sum += shift + last;", "      { lowest = (lowest + k) % 9; }",
                "      { last = last / 2 + k; most += last; }")]
        if choice == 5:
            return ["#pragma omp single copyprivate(x)",
                    "      { x = sum % 100 + k; }"]
        if choice == 6:
            return ["#pragma omp barrier", self.pick(
                "#pragma omp master", "#pragma omp masked"),
                    "      { sum += 3 * k; last ^= k; }", "#pragma omp barrier"]
        if choice == 7:
            return (self.shared_loop(nowait=True) + ["#pragma omp barrier"])
        if choice == 8 and depth == 0:
            inner = "\n".join(self.step(1))
            condition = self.pick("k % 2 == 0", "n > 100", "shift % 3",
                                  "last % 2 == 0")
            # All decide before anybody goes on.
            return [f"      {{ int c = {condition};\n#pragma omp barrier\n"
                    f"      if (c) {{\n{inner}\n      }} }}"]
        return [self.pick("      shift = shift * 3 + k;", "      q = k; shift -= q;",
                          "      table[k & 7] += shift;",
                          "      for (int j = 0; j < 8; ++j) table[j] += j * k;",
                          "      if (k % 2) shift++; else shift = 1;")]

    def region(self, number):
        """A region with shared loops in a loop, and code between them."""
        count = self.random.randint(1, 5)
        steps = [line for _ in range(self.random.randint(1, 4))
                 for line in self.step()]
        head = self.pick(f"for (int k = 0; k < {count}; ++k) {{",
                         f"int k = 0; while (k < {count}) {{ ++k;",
                         f"for (long k = n / 50; k > {4 - count}; --k) {{",
                         "{ int k = 2;")
        clauses = self.pick("", "", " num_threads(2)", " firstprivate(scale)")
        inside = "\n".join(steps)
        self.lines.append(
            f"#pragma omp parallel{clauses}\n  {{\n"
            f"    long shift = {number}, q = 1, r, x = 2, table[8] = {{1, 2, 3}};\n"
            f"    {head}\n"
            f"      const long *from = k % 2 ? d : a;\n"
            f"      long *to = k % 2 ? a : d;\n"
            f"{inside}\n#pragma omp barrier\n    }}\n  }}\n")

    def racy(self):
        """A region that lacks a barrier."""
        other = self.shared_loop(nowait=True)
        # What the loop leaves alone nobody waits for.
        each = "for (int z = 0; z < n; ++z)"
        use = self.pick(
            ["#pragma omp for", "      for (long i = 0; i < n; ++i) "
             "to[i] = g[n - 1 - i];"],
            ["#pragma omp single", f"      {each} sum += g[z];"],
            ["#pragma omp master", f"      {each} sum += g[z];",
             "#pragma omp barrier"],
            [f"      {each} shift += g[z];"],
            [f"      {each} if (g[z] > 3) shift = 7;"])
        one = self.pick(
            other + use,
            ["#pragma omp single nowait", "      lowest = k + 1;",
             "#pragma omp for", "      for (long i = lowest; i < n; ++i) "
             "to[i] = i;"],
            ["#pragma omp master", "      last = k;", "#pragma omp for",
             "      for (long i = 0; i < n; ++i) to[i] = last;"],
            ["      shift += last;", "#pragma omp single", "      last += 2;"],
            ["#pragma omp for", "      for (long i = 0; i < n; ++i) "
             "to[i] = to[(i + 1) % n];"],
            ["#pragma omp single nowait", "      sum += 1;"],
            ["#pragma omp for", "      for (long i = 0; i < n; ++i) "
             "{ q = i; last = q; }"],
            ["      last = shift;", "#pragma omp for",
             "      for (long i = 0; i < n; ++i) to[i] = shift;"])
        inside = "\n".join(one)
        end = self.pick("", "#pragma omp barrier\n")
        if "single nowait" in inside and "sum += 1" in inside:
            end = ""
        self.lines.append(
            f"#pragma omp parallel\n  {{\n"
            f"    long shift = 1, q = 1, r, x = 2, table[8] = {{1, 2, 3}};\n"
            f"    for (int k = 0; k < 5; ++k) {{\n"
            f"      const long *from = k % 2 ? d : a;\n"
            f"      long *to = k % 2 ? a : d;\n{inside}\n{end}    }}\n  }}\n")

    def text(self, isRacy=False):
        for number in range(self.random.randint(2, 6)):
            self.random.choice([self.loop, self.loop, self.loop, self.nest,
                                self.phases, self.region, self.region])(number)
        if isRacy:
            self.lines = []
            self.racy()
        middle = "\n".join(self.lines)
        return f"""#include <stdio.h>
#include <stdlib.h>
static long g[200], b[200], c[200];
struct Pair {{ long x, y; }};
static long f(long x) {{ return x * x - 3; }}
static void work(int n, long *a, long *d, struct Pair s) {{
  long v[n], m[10][220], t = 1, sum = 0, most = -1000, least = 1000, last = 0;
  long rest = 0, lowest = 0, bins[8] = {{0}}, *some = malloc(8 * sizeof *some);
  for (int i = 0; i < 8; ++i) some[i] = i;
  long scale = n % 7;
  double real = 0;
  int low0 = 0, low1 = 1, low2 = 2, low3 = 3;
  long *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i) p[i] = v[i] = i;
  for (int i = 0; i < 2200; ++i) m[i / 220][i % 220] = 0;
{middle}
  unsigned long all = sum + rest * 3 + last * 5 + lowest;
  for (int i = 0; i < 8; ++i) all = all * 7 + bins[i] + some[i];
  for (int i = 0; i < n; ++i)
    all = all * 31 + a[i] + 3 * p[i] + 5 * g[i] + 7 * v[i] + 11 * d[i];
  for (int i = 0; i < 2200; ++i) all = all * 17 + m[i / 220][i % 220];
  printf("%lu %ld %ld %.17g %ld %d\\n", all, most, least, real, scale,
         low0 + low1 + low2 + low3);
  free(p);
  free(some);
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
    parser.add_argument("--racy", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    bad = taken = 0
    for seed in range(options.seed, options.seed + options.count):
        source = os.path.join(folder, f"random{seed}.c")
        with open(source, "w") as file:
            file.write(Program(seed).text(options.racy))
        if options.racy:
            checked = output([options.sluice, "check", "--require-proof",
                              source])
            if checked[1] == 0:
                print(f"seed {seed}: check says {checked}")
                bad += 1
            taken += checked[1] == 1
            if not options.keep:
                os.remove(source)
            continue
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
    if options.keep:
        print(f"in {folder}")
    elif not options.racy:
        os.remove(serial)
    if not options.keep:
        os.rmdir(folder)
    print(f"{options.count} programs, {bad} wrong, {taken} " +
          ("refuted" if options.racy else "loops taken over"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
