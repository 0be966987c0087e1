#!/usr/bin/env python3
# Runs what a page of the documentation shows, and compares the output.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   sessions.py PAGE FOLDER
#
# Programs are code blocks behind a line `<!-- file: NAME -->`; they are written
# to FOLDER. A block marked `console` is a session: lines behind `$ ` are
# commands, which bash runs there, and what follows is their output, where line
# ends and blanks do not count and `...` stands for anything. A picture of the
# page that a command `sluice graph ... -o NAME.svg` makes must hold the same
# texts as the one beside the page.

import pathlib
import re
import subprocess
import sys

PROGRAM = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)\n```", re.DOTALL)
SESSION = re.compile(r"```console\n(.*?)\n```", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.svg)\)")


def commands_of(session):
    """Pairs of a command and the output that the page shows; a command goes on
    in the next line behind a backslash."""
    found = []
    for line in session.splitlines():
        goes_on = found and found[-1][0].endswith("\\")
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif goes_on and not found[-1][1]:
            found[-1][0] += "\n" + line
        elif not found:
            sys.exit(f"a session begins with output: '{line}'")
        else:
            found[-1][1] += line + "\n"
    return found


def without_blanks(text):
    return "".join(text.split())


def matches(expected, found):
    parts = [re.escape(without_blanks(part)) for part in expected.split("...")]
    return re.fullmatch(".*?".join(parts), without_blanks(found))


def run(command, folder):
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    return done.stdout


def texts(picture):
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture.read_text())


def check_picture(page, name, folder):
    shown, made = page.parent / name, folder / pathlib.Path(name).name
    if not made.exists():
        sys.exit(f"no command on the page makes '{made.name}'")
    if texts(shown) != texts(made) or not texts(made):
        sys.exit(f"'{shown}' is not what 'sluice graph' draws now")


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    text = page.read_text()
    for name, program in PROGRAM.findall(text):
        (folder / name).write_text(program + "\n")
    count = 0
    for session in SESSION.findall(text):
        for command, expected in commands_of(session):
            found = run(command, folder)
            if not matches(expected, found):
                sys.exit(
                    f"$ {command}\nthe page says:\n{expected}\n"
                    f"but the output is:\n{found}"
                )
            count += 1
    for name in PICTURE.findall(text):
        check_picture(page, name, folder)
    if not count:
        sys.exit(f"'{page}' shows no session")
    print(f"{count} commands")
    return 0


if __name__ == "__main__":
    sys.exit(main())
