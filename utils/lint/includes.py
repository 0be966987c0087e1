# All #include directives of Sluice's own sources, with their locations.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Both the order of the libraries and the search for cycles need to know which
# file of the tree an #include refers to. A header is searched next to the file
# that includes it, then in include/, and then by its name alone in lib: tests
# name fakes and helpers that are found through an include path.

import dataclasses
import posixpath
import re

from tree import C_LIKE

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]([^>"\n]+)[>"]', re.MULTILINE)


@dataclasses.dataclass
class Include:
    path: str  # the file that includes
    line: int
    header: str  # as written
    target: str  # the file of the tree that it refers to; None for other files


def includes(tree):
    """Every #include of our own sources; read once for a tree."""
    if not hasattr(tree, "_includes"):
        tree._includes = list(_read(tree))
    return tree._includes


def _read(tree):
    known = set(tree.files)
    named = {}
    for path in tree.own(*C_LIKE, ".inc"):
        name = posixpath.basename(path)
        if path.startswith("lib/"):
            named[name] = path if name not in named else None
    for path in tree.own(*C_LIKE, ".inc"):
        text = tree.text(path)
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            yield Include(path, line, match[1], _find(path, match[1], known, named))


def _find(path, header, known, named):
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), header))
    for target in (beside, "include/" + header):
        if target in known:
            return target
    if header.startswith("../"):
        return beside
    return None if "/" in header else named.get(header)
