#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the variables of the environment that sources read with the table of
them in docs/runtime.md.

  variables.py [--write] [--root FOLDER]

What each means stands once, in Settings.def, from which `sluice --help` is printed
and the table is written, with --write. A variable that is read and not described,
or the reverse, is a problem, and so is a page that has a table of its own.
"""

import argparse
import pathlib
import re
import sys

SETTINGS = "include/sluice/Runtime/Engine/Settings.def"
PAGE = "docs/runtime.md"
BEGIN, END = "<!-- variables -->", "<!-- end: variables -->"
# The owners of the variables, in the order of the table.
OWNERS = {"RUNTIME": "programs", "PACK": "Pack", "MPI": "Pack under MPI",
          "TOOL": "`sluice`", "INTERNAL": "set by `sluice` itself"}
ENTRY = re.compile(r'^SLUICE_([A-Z]+)_SETTING\(\s*"(SLUICE_\w+)",'
                   r'((?:\s*"[^"]*")+),\s*"([^"]*)"\)$', re.MULTILINE)
# A call with the name as its first argument reads the variable, unless it sets
# it. Only methods of Python's `os.environ` count, since other methods build
# texts.
READ = re.compile(r'(?:(?<![.\w>])(\w+)(?:<\w+>)?\(|environ(?:\.get\(|\[))'
                  r'\s*"(SLUICE_[A-Z0-9_]+)"(?!\]\s*=[^=])')
SETTERS = ("setenv", "unsetenv", "putenv")
ROW = re.compile(r"^\| *`?(SLUICE_[A-Z0-9_]+)\b", re.MULTILINE)


def described(root):
    """Kind, name, meaning and page of each entry."""
    text = (root / SETTINGS).read_text()
    return [(kind, name, "".join(re.findall('"([^"]*)"', meaning)), page)
            for kind, name, meaning, page in ENTRY.findall(text)]


def is_of_tests(path):
    return "Testing" in path.parts or re.search(r"Tests?\.\w+$", path.name)


def read(root):
    """The first file that reads each variable, by its name."""
    found = {}
    for folder in ("include", "lib", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".c", ".py", ".in"):
                continue
            path = path.relative_to(root)
            if is_of_tests(path):
                continue
            for call, name in READ.findall((root / path).read_text()):
                if call not in SETTERS:
                    found.setdefault(name, path)
    return found


def markdown(text):
    """Words in quotes are code."""
    text = re.sub(r"(?<!\w)'([^']+)'(?!\w)", r"`\1`", text)
    return re.sub(r"(?<![`\w/])(\w*__\w+|\$XDG\S+/sluice|~/\S+sluice|MPI_\w+)",
                  r"`\1`", text)


def table(entries):
    lines = ["| variable | of | meaning |", "|---|---|---|"]
    for kind, owner in OWNERS.items():
        for other, name, meaning, page in entries:
            if other == kind:
                page = page.removeprefix(PAGE.removeprefix("docs/"))
                more = f" ([more]({page}))" if page else ""
                lines.append(
                    f"| `{name}` | {owner} | {markdown(meaning)}{more} |")
    return "\n".join(lines)


def with_table(text, entries):
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no place '{BEGIN}' ... '{END}'")
    return f"{head}{BEGIN}\n{table(entries)}\n{END}{tail}"


def problems(root, entries):
    names = [name for _, name, _, _ in entries]
    reads = read(root)
    for name, path in sorted(reads.items()):
        if name not in names:
            yield f"{path} reads {name}, of which {SETTINGS} says nothing"
    for name in sorted(set(names) - set(reads)):
        yield f"{SETTINGS} describes {name}, which nothing reads"
    for page in sorted((root / "docs").rglob("*.md")):
        text, path = page.read_text(), page.relative_to(root).as_posix()
        if path == PAGE:
            if text != with_table(text, entries):
                yield (f"{PAGE}: the table of variables is not that of "
                       f"{SETTINGS}; run utils/docs/variables.py --write")
            text = text.partition(BEGIN)[0] + text.partition(END)[2]
        for name in ROW.findall(text):
            if name in names:
                yield f"{path} has a row of its own for {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path())
    options = parser.parse_args()
    entries = described(options.root)
    page = options.root / PAGE
    if options.write:
        page.write_text(with_table(page.read_text(), entries))
    found = list(problems(options.root, entries))
    for problem in found:
        print(problem)
    if not found:
        print(f"{len(entries)} variables")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
