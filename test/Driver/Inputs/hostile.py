"""Gives every tool what nobody should: an error, and no signal, must come.

First inputs that are known to be hard: nesting, long numbers, zero bytes, empty
and missing files; then random changes of the inputs of other tests. Usage:
hostile.py BIN TESTS FOLDER; SLUICE_TEST_ROUNDS says how many random changes
(20), SLUICE_TEST_SEED which.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import glob
import os
import random
import shutil
import subprocess
import sys

binaries, tests, root = sys.argv[1:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS", "20"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))
environment = dict(os.environ, SLUICE_CACHE_DIR=os.path.join(root, "cache"))
failures = []
count = 0

SLUICE, OPT, TRANSLATE, PLAYER = (
    os.path.join(binaries, name)
    for name in ("sluice", "sluice-opt", "sluice-translate", "ddtplayer"))


def run(what, words, status=None, shell_prefix=None, note=""):
    """Runs a tool, which must end by itself, and say little."""
    global count
    count += 1
    if shell_prefix:
        words = ["sh", "-c", shell_prefix + ' exec "$@"', "sh"] + words
    try:
        result = subprocess.run(words, env=environment, capture_output=True,
                                timeout=600)
    except subprocess.TimeoutExpired:
        failures.append(f"{what}: {words} does not end")
        print(failures[-1], flush=True)
        return
    text = result.stderr.decode(errors="replace")
    problem = None
    if result.returncode not in ((0, 1, 2) if status is None else (status,)):
        problem = f"status {result.returncode}"
    elif "LLVM ERROR" in text or "Stack dump" in text:
        problem = "a fatal error of LLVM"
    elif len(result.stderr) + len(result.stdout) > 1 << 22:
        problem = f"{len(result.stderr) + len(result.stdout)} bytes of output"
    elif result.returncode and not text.strip():
        problem = "no message"
    elif note not in text:
        problem = f"no '{note}' in the message"
    if problem:
        kept = os.path.join(root, f"failure{len(failures)}")
        for word in words:
            if os.path.isfile(word) and word.startswith(root):
                shutil.copy(word, kept + os.path.splitext(word)[1])
        failures.append(f"{what}: {problem} of {words}: {text[:600]}")
        print(failures[-1], flush=True)


def write(name, content):
    path = os.path.join(root, name)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


def commands_for(path):
    """The tools that read such a file."""
    ending = os.path.splitext(path)[1]
    if ending in (".c", ".cpp"):
        return [[SLUICE, "check", path], [TRANSLATE, path]]
    if ending in (".ll", ".bc"):
        return [[SLUICE, "check", path], [TRANSLATE, path]]
    if ending == ".mlir":
        return [[SLUICE, "check", path], [OPT, path],
                [SLUICE, "graph", path]]
    return [[SLUICE, "pack", "--file=" + path],
            [PLAYER, "--no-mpi", "--rounds=1", "--min-time=1us", path]]


def nest():
    hardest = ("parentheses.c", "types.cpp",
               "brackets.mlir", "modules.mlir", "expressions.ll",
               "vectors.txt")
    for depth in (3000, 100000):
        opening, closing = "(" * depth, ")" * depth
        for name, text in {
                "parentheses.c": f"int f(void) {{ return {opening}1{closing};"
                                 " }",
                "braces.c": "void f(void) " + "{" * depth + "}" * depth,
                "signs.c": "int f(int a) { return " + "- " * depth + "a; }",
                "sum.c": "int f(int a) { return a" + "+a" * depth + "; }",
                "else.c": "void f(int a) {" + "if (a) a = 1; else " * depth
                          + "a = 2; }",
                "pointers.c": "int " + "*" * depth + "p;",
                "initial.c": "int a[] = " + "{" * depth + "1" + "}" * depth
                             + ";",
                "arrays.c": "int a" + "[1]" * depth + ";",
                "calls.cpp": "int g(int); int f() { return " + "g(" * depth
                             + "1" + ")" * depth + "; }",
                "types.cpp": "template <class T> struct A {}; "
                             + "A<" * depth + "int" + ">" * depth + " a;",
                "brackets.mlir": "module attributes {a = " + "[" * depth
                                 + "]" * depth + "} {}",
                "records.mlir": "module attributes {a = " + "{a = " * depth
                                + "1" + "}" * depth + "} {}",
                "modules.mlir": "module {" * depth + "}" * depth,
                "tuples.mlir": "module attributes {a = " + "tuple<" * depth
                               + ">" * depth + "} {}",
                "structs.ll": "@a = global " + "{" * depth + "i8"
                              + "}" * depth + " zeroinitializer",
                "arrays.ll": "@a = global " + "[1 x " * depth + "i8"
                             + "]" * depth + " zeroinitializer",
                "expressions.ll": "@a = global i64 " + "sub (i64 1, i64 "
                                  * depth + "1" + ")" * depth,
                "metadata.ll": "!a = !{!0}\n!0 = " + "!{" * depth
                               + "}" * depth,
                "vectors.txt": "ctg(2)[" * depth + "int" + "]" * depth,
        }.items():
            if depth > 3000 and name not in hardest:
                continue
            path = write(name, text)
            # The front ends of C are the same.
            for words in commands_for(path)[:2 if ".mlir" in name else 1]:
                run(f"nested {depth} deep", words)
    path = write("deep.c", "int f(void) { return " + "(" * 20000 + "1"
                 + ")" * 20000 + "; }")
    run("without clang's limit",
        [SLUICE, "check", "-fbracket-depth=1000000", path])


def lengthen():
    digits = "7" * 100000
    for name, text in {
            "integer.c": f"long a = {digits};",
            "float.c": f"double a = {digits}.{digits}e{digits};",
            "hex.c": f"long a = 0x{digits};",
            "string.c": f'char a[] = "\\x{digits}";',
            "name.c": f"int a{digits};",
            "integer.mlir": f"module attributes {{a = {digits} : i64}} {{}}",
            "float.mlir": f"module attributes {{a = {digits}.0 : f64}} {{}}",
            "width.mlir": f"module attributes {{a = i{digits}}} {{}}",
            "integer.ll": f"@a = global i64 {digits}",
            "float.ll": f"@a = global double {digits}.0",
            "width.ll": f"@a = global i{digits} 0",
            "count.txt": f"ctg({digits})[int]",
            "stride.txt": f"vec(2 1 -{digits})[int]"}.items():
        for words in commands_for(write(name, text))[:1]:
            run("a number of 100,000 digits", words)
    for ending in ("c", "cpp", "ll", "bc", "mlir", "mlirbc", "txt"):
        contents = {"nothing": b"", "zero bytes": bytes(4096)}
        if ending == "mlir":
            contents["bytecode"] = b"ML\xefR" + b"\xff" * 64
        if ending == "ll":
            contents["bitcode"] = b"BC\xc0\xde" + b"\0\1" * 64
        for what, content in contents.items():
            for words in commands_for(write("bytes." + ending, content))[:1]:
                run(what, words)
    path = write("zeros-in-header.c", '#include "zeros.h"\n')
    write("zeros.h", bytes(4096))
    run("zero bytes in a header", [SLUICE, "check", path])


def mistake_files():
    for command in ("run", "check", "build"):
        end = ["-o", os.path.join(root, "app")] if command == "build" else []
        missing = os.path.join(root, "missing.o")
        source = write("fine.c", "int main(void) { return 0; }")
        run("an object only", [SLUICE, command, write("only.o", "")] + end,
            status=1, note="is only linked")
        run("no object", [SLUICE, command, source, missing] + end, status=1,
            note="does not exist")
        run("a missing object only", [SLUICE, command, missing] + end,
            status=1, note="does not exist")
        run("a folder", [SLUICE, command, root] + end, status=1)


def limit():
    source = write("limited.c", '#include "hpvm.h"\nint main(void) '
                                "{ return 0; }")
    run("a stack of 64 KiB", [SLUICE, "check", source], status=0,
        shell_prefix="ulimit -s 64;")
    run("a stack of 64 KiB", [SLUICE, "run", source], status=0,
        shell_prefix="ulimit -s 64;")
    run("a stack of 64 KiB", [TRANSLATE, source], status=0,
        shell_prefix="ulimit -s 64;")


def mutate(content):
    content = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        if not content:
            break
        at = random.randrange(len(content))
        end = min(len(content), at + random.choice((1, 3, 20, 200)))
        other = random.randrange(len(content))
        kind = random.randrange(7)
        if kind == 0:
            content[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            del content[at:end]
        elif kind == 2:
            content[other:other] = content[at:end]
        elif kind == 3:
            content[at:at] = random.choice(
                (b"(", b"{", b"<", b"-1", b"0", b"9223372036854775808", b"\"",
                 b"%", b"@", b"\xc3", b"i1", b"4294967296", b"*", b"}"))
        elif kind == 4:
            lines = content.split(b"\n")
            random.shuffle(lines[:1 + at % len(lines)])
            content = bytearray(b"\n".join(lines[at % len(lines):]
                                           + lines[:at % len(lines)]))
        elif kind == 5:
            content[at:end] = bytes(random.randrange(32, 127)
                                    for _ in range(end - at))
        else:
            numbers = [i for i, c in enumerate(content) if chr(c).isdigit()]
            if numbers:
                content[random.choice(numbers)] = random.choice(b"0123456789")
    return bytes(content)


def change_at_random():
    random.seed(seed)
    inputs = []
    for ending in ("c", "cpp", "ll", "mlir"):
        inputs += glob.glob(os.path.join(tests, "**", "*." + ending),
                            recursive=True)
    inputs = [name for name in sorted(inputs)
              if os.path.getsize(name) < 100000]
    layouts = [b"vec(3 2 5)[double]", b"hidx(0,1 17952,1)[vec(34 1 34)[int]]",
               b"struct(0,3[double] 24,1[int])", b"resized(0, 64)[int]",
               b"hvec(3 2 50)[ctg(4)[char]]"]
    for number in range(rounds):
        if random.random() < 0.15:
            content, ending = random.choice(layouts), ".txt"
        else:
            name = random.choice(inputs)
            ending = os.path.splitext(name)[1]
            with open(name, "rb") as file:
                content = file.read()
        path = write(f"changed{ending}", mutate(content))
        run(f"change {number} of seed {seed}",
            random.choice(commands_for(path)))


def main():
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    steps = {"nest": nest, "lengthen": lengthen, "files": mistake_files,
             "limit": limit, "change": change_at_random}
    for name in os.environ.get("SLUICE_TEST_STEPS", ",".join(steps)).split(","):
        steps[name]()
    if failures:
        sys.exit(f"{len(failures)} of {count} runs failed")
    print(f"{count} runs, all ended well")


main()
