# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random parallel loops over pointers that are `restrict`, lead to memory of
their own, or into that of others: they must print what clang's code without
OpenMP prints. Iterations stay in a row of their own; inside, all may happen."""

import argparse
import pathlib
import random
import subprocess
import sys

WIDTH = 64  # of a row; columns 5 to 58 of it are used


def place(draw, pointers):
    pointer, shift = draw.choice(pointers), draw.randint(-2, 2)
    return (f"rows[i][j + {shift}]" if pointer == "rows" else
            f"{pointer}[i * {WIDTH} + j + {shift}]")


def loop(draw, pointers):
    head = draw.choice(["for (long j = 50; j >= 8; --j)",
                        "for (long j = 8; j < 50; ++j)"])
    if draw.random() < 0.4:
        head = f"for (long t = {draw.randint(1, 4)}; t > 0; --t)\n" + head
    lines = [f"{place(draw, pointers)} = {place(draw, pointers)} * 3 - "
             f"{place(draw, pointers)} + {draw.randint(0, 5)};"
             for _ in range(draw.randint(1, 3))]
    return "\n".join([head + " {", *lines, "}"])


def program(draw):
    kind = draw.choice(["unsigned", "unsigned char", "unsigned long"])
    rows, count = draw.choice([1, 3, 17, 40]), draw.randint(2, 4)
    alone = [draw.random() < 0.5 for _ in range(count)]
    buffers = []
    for i in range(count):
        shared = [buffers[j] for j in range(i) if not alone[j]]
        buffers.append(draw.choice(shared) if shared and not alone[i] and
                       draw.random() < 0.6 else i)
    passed = [f"b{buffer} + {draw.randint(0, 3)}" for buffer in buffers]
    pointers, code = [f"p{i}" for i in range(count)], []
    base = draw.choice(pointers)
    if draw.random() < 0.4:
        code.append(f"{kind} *q = {base} + {draw.randint(0, 3)};")
        pointers.append("q")
    if draw.random() < 0.25:
        code.append(f"{kind} *rows[{rows}]; for (long i = 0; i < {rows}; ++i) "
                    f"rows[i] = {base} + i * {WIDTH};")
        pointers.append("rows")
    code += ["#pragma omp parallel for", "for (long i = 0; i < n; ++i) {",
             *(loop(draw, pointers) for _ in range(draw.randint(1, 3))), "}"]
    size, used = rows * WIDTH + 8, sorted(set(buffers))
    if draw.random() < 0.5:
        head = ", ".join(f"{kind} *{'restrict ' if is_alone else ''}p{i}"
                         for i, is_alone in enumerate(alone))
        made = ["__attribute__((noinline)) static void f(" + head +
                ", long n) {", *code, "}"]
        call = [f"f({', '.join(passed)}, {rows});"]
    else:
        made = []
        call = [f"long n = {rows};", *(f"{kind} *p{i} = {value};"
                                       for i, value in enumerate(passed)),
                *code]
    return "\n".join([
        "#include <stdio.h>", *made, "int main(void) {",
        "unsigned long sum = 0;",
        *(f"static {kind} b{b}[{size}]; for (int i = 0; i < {size}; ++i) "
          f"b{b}[i] = i * {7 + b} % {11 + b};" for b in used),
        *call,
        *(f"for (int i = 0; i < {size}; ++i) sum = sum * 31 + b{b}[i];"
          for b in used), 'printf("%lx\\n", sum);', "}", ""])


def output(compiler, flags, source, executable):
    subprocess.run([*compiler, *flags, source, "-o", executable], check=True)
    return subprocess.run([executable], check=True,
                          capture_output=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--sluice", "--clang", "--folder"):
        parser.add_argument(name, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=4)
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for seed in range(options.seed, options.seed + options.count):
        source = folder / f"{seed}.c"
        source.write_text(program(random.Random(seed)))
        if output([options.clang], ["-O0", "-w"], source,
                  folder / "plain") != output(
                      [options.sluice, "build"],
                      ["-q", "-O3", "-march=native"], source,
                      folder / "graphs"):
            print(f"wrong: {source}")
            wrong += 1
    print(f"{options.count} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
