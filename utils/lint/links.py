# Targets of links and names in Markdown files must exist: files, folders and
# headings.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re

from tree import Finding

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*```")
# A path of this repository in backticks; `lib/<Library>` and `docs/*.md` are
# patterns, not paths.
NAMED = re.compile(
    r"`((?:lib|include|tools|utils|test|docs|examples|bench|fuzz|cmake)/"
    r"[\w./+-]*)`"
)


def check(tree):
    known = set(tree.files)
    folders = {""} | _folders(tree)
    for path in tree.own_texts():
        if not path.endswith(".md"):
            continue
        for number, target in _links(tree.text(path)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, heading = target.partition("#")
            where = path
            if file:
                where = os.path.normpath(
                    os.path.join(os.path.dirname(path), file)
                )
            if where not in known and where not in folders:
                yield Finding(path, number, f"no such file: '{target}'")
            elif heading and where.endswith(".md"):
                if heading not in _anchors(tree.text(where)):
                    yield Finding(path, number, f"no such heading: '{target}'")


def check_paths(tree):
    """Every path in backticks that begins with one of our folders exists."""
    known = set(tree.files) | _folders(tree)
    for path in tree.own_texts():
        if not path.endswith(".md"):
            continue
        for number, line in _prose(tree.text(path)):
            for match in NAMED.finditer(line):
                named = match[1].rstrip("/")
                if named not in known and not _is_of_tests(tree, named):
                    yield Finding(path, number, f"no such file: '{match[1]}'")


def _is_of_tests(tree, path):
    """The lint leaves its own samples out, so they are looked up on disk."""
    return path.startswith("test/Lint") and os.path.exists(tree.full(path))


def _folders(tree):
    folders = set()
    for path in tree.files:
        folder = os.path.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    return folders


def _prose(text):
    """The lines outside of code blocks, with their numbers."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _links(text):
    for number, line in _prose(text):
        for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            yield number, match[1]


def _anchors(text):
    """The anchors of a page's headings, made as GitHub makes them."""
    anchors = set()
    for _, line in _prose(text):
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading[1].lower())
            anchors.add(words.strip().replace(" ", "-"))
        anchors.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return anchors
