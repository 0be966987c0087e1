# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench compile`: what the compiler takes, over the size of the program."""

import json
import os
import pathlib
import shutil
import subprocess

from . import toolchain
from .program import WrongResult
from .ratios import median
from .table import Row

GROWTH = 2.0  # the bar: of the time for one more, from small programs to large
ROUNDS = 3  # of processor time, which other programs hardly change

HEAD = """#include <hpvm.h>
#define BEGIN __hpvm__hint(CPU_TARGET);
"""

CHAIN = HEAD + """
void first(float *a, size_t bytes) {
  BEGIN __hpvm__attributes(1, a, 0);
  float v = a[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
  __hpvm__return(1, v);
}
void step(float v) {
  BEGIN __hpvm__attributes(0, 0);
  v = v * 0.5f + 1;
  __hpvm__return(1, v);
}
void last(float *a, size_t bytes, float v) {
  BEGIN __hpvm__attributes(1, a, 1, a);
  a[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = v;
}
void root(float *a, size_t bytes, long n) {
  BEGIN __hpvm__attributes(1, a, 1, a);
  void *next, *node = __hpvm__createNodeND(1, first, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
%s
  next = __hpvm__createNodeND(1, last, n);
  __hpvm__bindIn(next, 0, 0, 0);
  __hpvm__bindIn(next, 1, 1, 0);
  __hpvm__edge(node, next, 0, 0, 2, 0);
}
int main(void) {
  float a[16] = {0};
  struct __attribute__((packed)) { float *a; size_t bytes; long n; } args = {
      a, sizeof a, 16};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  return 0;
}
"""
STEP = ("  next = __hpvm__createNodeND(1, step, n);\n"
        "  __hpvm__edge(node, next, 0, 0, 0, 0);\n  node = next;")

LAUNCHES = HEAD + """
void work(float *a, size_t bytes, long k) {
  BEGIN __hpvm__attributes(1, a, 1, a);
  a[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] += k;
}
void root(float *a, size_t bytes, long k, long n) {
  BEGIN __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
struct __attribute__((packed)) args { float *a; size_t bytes; long k, n; };
int main(void) {
  float a[16] = {0};
  __hpvm__init();
%s
  __hpvm__cleanup();
  return 0;
}
"""


def chain(size):
    return CHAIN % "\n".join([STEP] * size)


def launches(size):
    return LAUNCHES % "\n".join(
        "  { struct args x = {a, sizeof a, %d, 16};"
        " __hpvm__wait(__hpvm__launch(0, root, &x)); }" % number
        for number in range(size))


def constrained(size):
    lines = ["module {", "  rdir.root @grid [1] {f : i64}",
             f"  rdir.partition @parts of @grid [{size}] disjoint incomplete",
             "  rdir.constraint disjoint @parts[0], @parts[1]",
             "  rdir.graph @graph {", "    %g = rdir.region @grid initial",
             "    %b = rdir.region @parts",
             "    %o = rdir.open reads(%g) writes(%b)"]
    for i in range(size):
        lines += [f"    %a{i} = rdir.region @parts[{i}]",
                  f"    %o{i} = rdir.open reads(%b) writes(%a{i})",
                  f"    %t{i} = rdir.task @t{i} reads(%a{i}) writes(%c{i})",
                  f"    %c{i} = rdir.region @parts[{i}]"]
    return "\n".join(lines + ["  }", "}", ""])


# By row: what makes the program, its ending, the command, the sizes.
SHAPES = {
    # Shorter chains become one leaf, which is faster by far.
    "chain-build": (chain, ".c", "build", [300, 1000, 3000]),
    "chain-check": (chain, ".c", "check", [1000, 3000, 10000, 30000]),
    "launch-build": (launches, ".c", "build", [100, 300, 1000, 3000]),
    "constraint-check": (constrained, ".mlir", "check",
                         [1000, 3000, 10000, 30000])}
TITLES = {"chain-build": "build a chain of nodes that are fused",
          "chain-check": "check a chain of nodes",
          "launch-build": "build a program with many launches",
          "constraint-check": "check regions of which a constraint names two"}
ROWS = [Row(name, title, "us", 1e6, is_time=True)
        for name, title in TITLES.items()]


def processor_time(command, cache):
    """Seconds of one run with an empty cache, its children's included."""
    shutil.rmtree(cache, ignore_errors=True)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE,
                          env={**os.environ, "SLUICE_CACHE_DIR": str(cache)}
                          ) as process:
        text = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise WrongResult(f"{command[1]}: exit code {process.returncode}: "
                          f"{text[:200]}")
    return usage.ru_utime + usage.ru_stime


def measure(compiler, name, folder, sizes, rounds):
    """The times of all sizes, round by round."""
    make, ending, verb, _ = SHAPES[name]
    folder.mkdir(parents=True, exist_ok=True)
    times = {size: [] for size in sizes}
    for size in sizes:
        (folder / f"{name}-{size}{ending}").write_text(make(size))
    for _ in range(rounds):
        for size in sizes:
            command = [compiler, verb, str(folder / f"{name}-{size}{ending}")]
            if verb == "build":
                command += ["-o", str(folder / f"{name}-{size}.out")]
            times[size].append(processor_time(command, folder / "cache"))
    return times


def for_one_more(times, small, large):
    return ((median(times[large]) - median(times[small])) / (large - small))


def run(options):
    """Measures the rows that are asked for; the exit code."""
    compiler = toolchain.sluice(options.sluice)
    folder = pathlib.Path(options.output) / "compile"
    result, is_missed = {}, False
    print("bench compile: microseconds of processor time for one more node or "
          "launch")
    for name, (_, _, _, sizes) in SHAPES.items():
        if options.rows and name not in options.rows:
            continue
        sizes = [size // 10 for size in sizes] if options.check else sizes
        times = measure(compiler, name, folder, sizes,
                        1 if options.check else min(options.rounds, ROUNDS))
        result[name] = times
        if options.check:
            print(f"  {name}: right")
            continue
        steps = [1e6 * for_one_more(times, a, b)
                 for a, b in zip(sizes, sizes[1:])]
        growth = steps[-1] / max(steps[0], 1)
        is_missed |= growth > GROWTH
        print(f"  {name:18}" + "".join(
            f" {b:6}: {step:7.0f}" for b, step in zip(sizes[1:], steps)) +
            f"  growth {growth:.2f} "
            f"({'missed' if growth > GROWTH else 'reached'})")
    if not options.check:
        (options.output / "compile.json").write_text(
            json.dumps(result, indent=1))
    return 1 if is_missed else 0
