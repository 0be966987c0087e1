# Type names and file names are unique in the product.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A reader who searches for a name should find one thing. There are no
# exceptions: give a new type or file a name that says what is special about it.
#
# Only types at the level of namespaces count, those of anonymous namespaces,
# too: within a class, short names are clear. Tests do not count.

import os
import re

from layers import is_test
from names import _without_noise
from tree import Finding

FOLDERS = ("lib/", "include/", "tools/")
# A definition in the first column; the name of a member's definition, such as
# `struct Outer::Inner`, does not match, nor does a specialisation.
TYPE = re.compile(
    r"""
    ^ (?:template\s*<[^\n]*>\s*)?
    (?:struct|class|union|enum(?:\s+(?:class|struct))?) \s+
    (?:\[\[[^\]]*\]\]\s*)? (?P<name>[A-Za-z_]\w*) \s*
    (?:final\s*)? (?::(?!:)[^;{]*)? \{
    """,
    re.VERBOSE | re.MULTILINE,
)


def check(tree):
    found = {}  # name: [(path, line)], at most one of each file
    for path in tree.own(".h", ".cpp"):
        if not path.startswith(FOLDERS) or is_test(path):
            continue
        name = os.path.basename(path)
        found.setdefault(name, []).append((path, 1))
        text = _without_noise(tree.text(path))
        seen = set()
        for match in TYPE.finditer(text):
            if match["name"] in seen:
                continue
            seen.add(match["name"])
            line = text.count("\n", 0, match.start("name")) + 1
            found.setdefault(match["name"], []).append((path, line))
    for name, places in sorted(found.items()):
        if len(places) > 1:
            path, line = places[-1]
            others = ", ".join(other for other, _ in places[:-1])
            message = f"'{name}' is the name of something else, too: {others}"
            yield Finding(path, line, message)
