#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes manual pages of tools, and what completes command lines in shells.

  commands.py --release VERSION --output FOLDER TOOL...

Pages say what `--help` says, which is printed from the table of options:
FOLDER/man/man1 gets one for each tool, and for each command of sluice. The
scripts for shells are those of `sluice completion`.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Tools whose help does not begin with a sentence about them.
ABOUT = {
    "ddtplayer": "time and compare data layouts, beside MPI",
    "sluice-opt": "run passes over .mlir files",
    "sluice-translate": "show what the HPVM front end makes of a program",
    "sluice-mlir-lsp": "complete .mlir files in editors",
}
# Helpers that other programs start, which print no help.
HELPERS = {
    "ddtplayer-openmpi": ("the side of ddtplayer that uses Open MPI",
                          "ddtplayer(1) starts it."),
    "ddtplayer-mpich": ("the side of ddtplayer that uses MPICH",
                        "ddtplayer(1) starts it."),
    "sluice-specialize": ("compile a variant of a node",
                          "Programs start it in the background when they "
                          "launch a node again and again with the same "
                          "extents."),
    "sluice-device-codegen": ("generate code for devices",
                              "sluice(1) starts it for LLVM's back ends."),
}


def escape(text):
    """Text as roff prints it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def bold(text):
    return "\\fB" + escape(text).removeprefix("\\&") + "\\fR"


def blocks_of(text):
    """Lines that are not separated by empty ones."""
    block = []
    for line in text.splitlines() + [""]:
        if line.strip():
            block.append(line.rstrip())
        elif block:
            yield block
            block = []


OPTION = re.compile(r"^  (-\S.*?)(?:  +(\S.*))?$")
SETTING = re.compile(r"^  ([A-Z][A-Z_]+)$")


def entries_of(lines, head):
    """Options or settings with their texts; nothing if there are others."""
    entries = []
    for line in lines:
        begins = head.match(line)
        if begins:
            entries.append((begins[1], [begins[2] or ""]
                            if begins.lastindex == 2 else []))
        elif entries and line.startswith("      "):
            entries[-1][1].append(line.strip())
        else:
            return []
    return [(name, " ".join(texts).strip()) for name, texts in entries]


def roff_of_lines(lines):
    """The lines of a section below its heading."""
    for head in (OPTION, SETTING):
        entries = entries_of(lines, head)
        if entries:
            for name, text in entries:
                yield ".TP"
                yield bold(name)
                yield escape(text)
            return
    yield ".nf"
    yield from map(escape, lines)
    yield ".fi"


def roff_of_block(block):
    """A paragraph, or a section with a heading of one line."""
    if block[0].startswith(" "):
        yield ".PP"
        yield from roff_of_lines(block)
    elif len(block) > 1 and block[1].startswith("  "):
        yield '.SH "%s"' % escape(block[0]).upper()
        yield from roff_of_lines(block[1:])
    else:
        yield ".PP"
        yield escape(" ".join(block))


# The format of LLVM's command line library.
LISTED = re.compile(r"^ +(--?\S.*?|=\S*|-) +- +(.*)$")


def roff_of_listing(text):
    for line in text.splitlines():
        entry = LISTED.match(line)
        if entry:
            yield ".TP"
            yield bold(entry[1])
            yield escape(entry[2])
        elif line.endswith(":") and not line.startswith(" "):
            name = line[:-1].replace("\\", "")
            yield ('.SH "%s"' if line == "OPTIONS:" else '.SS "%s"') % escape(
                name)
        elif line.strip() and not line.startswith(("OVERVIEW", "USAGE")):
            yield ".br"
            yield escape(line.strip())


class Pages:
    def __init__(self, release, folder):
        self.release = release
        self.folder = folder / "man/man1"
        self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, name, about, usage, body, related):
        lines = [
            f'.TH "{escape(name).upper()}" 1 "" "Sluice {self.release}" '
            '"Sluice"',
            ".SH NAME", f"{escape(name)} \\- {escape(about)}",
            ".SH SYNOPSIS", *usage, *body, '.SH "SEE ALSO"',
            ",\n".join(bold(other) + "(1)" for other in related)]
        (self.folder / f"{name}.1").write_text("\n".join(lines) + "\n")

    def add_help(self, name, about, text, related):
        """A page from help in the form of sluice and ddtplayer."""
        usage, body, isDescribed = [], [], False
        for block in blocks_of(text):
            if block[0].startswith("Usage: "):
                command, _, rest = block[0][len("Usage: "):].partition(" [")
                usage = [bold(command), escape("[" + rest) if rest else ""]
                block = block[1:]
            lines = list(roff_of_block(block)) if block else []
            if lines[:1] == [".PP"] and not isDescribed:
                isDescribed = True
                lines[0] = ".SH DESCRIPTION"
            body += lines
        self.write(name, about, filter(None, usage), body, related)

    def add_listing(self, name, about, text, related):
        """A page from help in the form of LLVM's tools."""
        usage = re.search(r"^USAGE: \S+ ?(.*)$", text, re.MULTILINE)
        self.write(name, about, [bold(name), escape(usage[1])],
                   [".SH DESCRIPTION", escape(name + ": " + about + ".")]
                   + list(roff_of_listing(text)), related)


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def write_sluice(tool, pages, folder):
    overview = output_of(tool, "--help")
    commands = re.findall(r"^  ([a-z+]+)  +(.*)$",
                          overview.split("\nCommands\n")[1].split("\n\n")[0],
                          re.MULTILINE)
    names = ["sluice-" + name for name, _ in commands]
    first, _, rest = overview.partition("\n")
    pages.add_help("sluice", first.partition(": ")[2], rest,
                   names + ["ddtplayer"])
    for name, about in commands:
        pages.add_help("sluice-" + name, about,
                       output_of(tool, name, "--help"), ["sluice"])
    for shell, path in (("bash", "bash-completion/completions/sluice"),
                        ("zsh", "zsh/_sluice"), ("fish", "fish/sluice.fish")):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(output_of(tool, "completion", shell))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("tools", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    pages = Pages(options.release, options.output)
    for tool in options.tools:
        if tool.name == "sluice":
            write_sluice(tool, pages, options.output)
        elif tool.name in HELPERS:
            about, text = HELPERS[tool.name]
            pages.write(tool.name, about, [bold(tool.name)],
                        [".SH DESCRIPTION", escape(text)],
                        ["ddtplayer" if "ddt" in tool.name else "sluice"])
        elif tool.name == "ddtplayer":
            pages.add_help(tool.name, ABOUT[tool.name],
                           output_of(tool, "--help"), ["sluice-pack"])
        else:
            pages.add_listing(tool.name, ABOUT[tool.name],
                              output_of(tool, "--help"), ["sluice"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
