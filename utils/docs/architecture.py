#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps docs/architecture.md and its picture true.

  architecture.py [--draw] [--root FOLDER]

The functions that the page's walks name stand in the files that it names; its
table and the picture have all rooms of the runtime; the picture shows every
room of lib/README.md, and only arrows that the table there allows. With
--draw, renders the picture first.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import small_svg

PAGE = "docs/architecture.md"
TABLE = "lib/README.md"
DRAWING = "docs/images/architecture.dot"
RUNTIME = "lib/Runtime"
CODE = re.compile(r"`([^`]+)`")
# "`name` in `lib/File.cpp`", "`name` (`lib/File.cpp`)"
PLACED = re.compile(r"`(\w+)` (?:in |\()`((?:lib|include|tools)/[^`]+)`")
NODE = re.compile(r'^\s*"?(\w[\w/]*)"? \[', re.MULTILINE)
ARROW = re.compile(r'^\s*"?(\w[\w/]*)"? -> "?(\w[\w/]*)"?', re.MULTILINE)


def rows(text):
    """The cells of each row of a page's tables."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def named_functions(page):
    """What the page says that a file has: pairs of a name and a path."""
    for cells in rows(page):
        paths = CODE.findall(cells[0])
        if len(cells) == 3 and paths and "/" in paths[0]:
            yield from ((name, paths[0]) for name in CODE.findall(cells[1]))
    yield from PLACED.findall(" ".join(page.split()))


def wrong_functions(root, names):
    for name, file in names:
        path = root / file
        if not path.is_file():
            yield f"{PAGE} names '{file}', which does not exist"
        elif not re.search(rf"\b{re.escape(name)}\b", path.read_text()):
            yield f"{PAGE} looks for '{name}' in '{file}', where it is not"


def wrong_rooms(root, page, drawing):
    """Rooms of the runtime; the page has the file of each to read first."""
    first = {}
    for cells in rows(page):
        if room := re.fullmatch(rf"`{RUNTIME}/(\w+)/`", cells[0]):
            first[room[1]] = (CODE.findall(cells[1]) or [""])[0]
    folders = {path.name for path in (root / RUNTIME).iterdir()
               if path.is_dir() and path.name != "Testing"}
    shown = set(re.findall(r"<b>(\w+)</b></td>", drawing))
    for room in sorted(folders - set(first)):
        yield f"{PAGE} does not describe the room '{RUNTIME}/{room}'"
    for room, file in first.items():
        if not (root / RUNTIME / room / file).is_file():
            yield f"{PAGE}: room '{room}' has no file '{file}'"
    for room in sorted(folders ^ shown):
        yield f"{DRAWING} and {RUNTIME} differ in the room '{room}'"


def wrong_arrows(root, drawing):
    """A box stands for a library, or for a room and those after it."""
    boxes = sorted(NODE.findall(drawing), key=len)

    def box_of(room):
        around = [box for box in boxes if f"{room}/".startswith(f"{box}/")]
        return around[-1] if around else None

    allowed = {}
    for cells in rows((root / TABLE).read_text()):
        names = CODE.findall(cells[0])
        if len(cells) != 3 or not names:
            continue
        box = box_of(names[0])
        if not box:
            yield f"{DRAWING} does not show '{names[0]}'"
        for name in cells[2].split(","):
            room = name.strip()
            allowed.setdefault(box, set()).update(
                other for other in boxes
                if other == box_of(room) or other.startswith(f"{room}/"))
    for source, target in ARROW.findall(drawing.partition("// Other")[0]):
        if target not in allowed.get(source, set()):
            yield f"{DRAWING}: '{source}' may not include '{target}' ({TABLE})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path())
    options = parser.parse_args()
    root = options.root
    source = root / DRAWING
    if options.draw:
        made = subprocess.run(["dot", "-Tsvg", str(source)], check=True,
                              capture_output=True, text=True).stdout
        source.with_suffix(".svg").write_text(small_svg.small(made))
    page, drawing = (root / PAGE).read_text(), source.read_text()
    names = list(named_functions(page))
    problems = [*wrong_functions(root, names),
                *wrong_rooms(root, page, drawing),
                *wrong_arrows(root, drawing)]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{PAGE}: {len(names)} names found where it says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
