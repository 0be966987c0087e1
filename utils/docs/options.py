#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the pages of docs/commands with what the commands say of themselves.

  options.py BIN DOCS

Every option of `--help` stands in the command's page, among the options for
compiling or among those of all commands, and every option that a table of the page begins with stands in
`--help`. The settings of programs stand in a table of some page, each.
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SETTING = re.compile(r"SLUICE_[A-Z_]+")
# Commands whose compilation options have a separate page.
COMPILING = ("run", "build", "check", "graph")
PAGES = {"tune": "tune.md", "pack": "pack.md"}


def help_of(*command):
    done = subprocess.run([*command, "--help"], stdout=subprocess.PIPE,
                          text=True, check=True)
    return done.stdout


def in_tables(text):
    """What stands in the first cells of a page's tables."""
    return "\n".join(line.split("|")[1] for line in text.splitlines()
                     if line.startswith("| "))


def problems(binaries, docs):
    sluice = binaries / "sluice"
    overview = help_of(sluice)
    commands = re.findall(r"^  ([a-z]+)  ", overview, re.MULTILINE)
    pairs = [((sluice, name), PAGES.get(name, f"sluice-{name}.md"))
             for name in commands]
    pairs.append(((binaries / "ddtplayer",), "ddtplayer.md"))
    everywhere = (docs / "commands/README.md").read_text()
    compiling = (docs / "commands/compiling.md").read_text()
    count = 0
    for command, page in pairs:
        said = set(OPTION.findall(help_of(*command))) - {"--help"}
        text = (docs / "commands" / page).read_text()
        shared = compiling if command[-1] in COMPILING else ""
        if command[0] == sluice and command[-1] != "cc":  # clang's words
            text += everywhere
        written = set(OPTION.findall(text + shared))
        listed = set(OPTION.findall(in_tables(text) + in_tables(shared)))
        count += len(said)
        yield from (f"{page} has no '{option}'" for option in said - written)
        yield from (f"{page} has '{option}', of which --help says nothing"
                    for option in listed - said - {"--help"})
    tables = "\n".join(in_tables(page.read_text())
                       for page in docs.rglob("*.md"))
    settings = set(SETTING.findall(overview))
    count += len(settings)
    yield from (f"no table has '{name}'" for name in
                settings - set(SETTING.findall(tables)))
    if not settings or len(commands) < 7:
        yield f"'sluice --help' names {commands} and {settings}"
    print(f"{count} options and settings")


def main():
    found = sorted(problems(*map(pathlib.Path, sys.argv[1:])))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
