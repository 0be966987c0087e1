# Links in the Markdown files lead to files and headings that exist.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re

from tree import Finding

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*```")


def check(tree):
    known = set(tree.files)
    folders = {os.path.dirname(path) for path in tree.files}
    for folder in list(folders):
        while folder:
            folders.add(folder)
            folder = os.path.dirname(folder)
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
