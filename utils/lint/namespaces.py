# Each library has its own namespaces.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The table under "Namespaces" in lib/README.md states which namespaces the
# files of a library open, including nested ones. If a file opens another
# namespace, its names are hard to find and may collide with names of another
# library. A namespace of two libraries must be in the row 'several'. Declaring
# a class of another library is allowed, and tests may open any namespace. The
# namespaces of LLVM, MLIR and Clang are open to all files, which specialise
# their templates.

import re

from layers import TABLE, Rooms, is_test
from names import namespaces
from tree import Finding

ROW = re.compile(r"\|\s*(`\w+`|several)\s*\|([^|]*)\|\s*$")
OUTSIDE = ("llvm", "mlir", "clang", "std")
DECLARATIONS = re.compile(
    r"^namespace [\w:]+ \{"
    r"(?:\s*(?:template <[^;{}]*>)?\s*(?:class|struct|enum)\b[^;{}]*;)*\s*\}",
    re.MULTILINE,
)


def check(tree):
    if TABLE not in tree.files:
        return
    own = {}
    yield from _read_table(tree.text(TABLE), own)
    for room in Rooms(tree).allowed:
        if room.split("/")[0] not in own:
            yield Finding(TABLE, 1, f"'{room}' has no row under 'Namespaces'")
    for path in tree.own(".h", ".cpp"):
        match = re.match(r"(?:lib|include/sluice)/(\w+)/", path)
        if match and match[1] in own and not is_test(path):
            text = DECLARATIONS.sub(
                lambda m: "\n" * m[0].count("\n"), tree.text(path)
            )
            yield from _check_file(path, text, match[1], own)


def _read_table(text, own):
    """Fills `own`: library -> its namespaces. Yields errors."""
    is_table = False
    shared, owners = [], {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            is_table = line == "## Namespaces"
        row = ROW.match(line)
        if not is_table or not row:
            continue
        names = re.findall(r"`([\w:]+)`", row[2])
        if row[1] == "several":
            shared = names
            continue
        library = row[1].strip("`")
        own[library] = names
        for name in names:
            if name in owners and name not in shared:
                message = f"'{library}' has '{name}', as '{owners[name]}'"
                yield Finding(TABLE, number, message)
            owners[name] = library


def _check_file(path, text, library, own):
    for name, line in namespaces(text):
        # The outer part of a library's own namespace may be opened alone.
        is_outer = any(n.startswith(name + "::") for n in own[library])
        if name.split("::")[0] in OUTSIDE or (is_outer and "::" in name):
            continue
        if library not in _owners(name, own):
            names = ", ".join(f"'{n}'" for n in own[library])
            message = f"opens '{name}', but '{library}' has {names} ({TABLE})"
            yield Finding(path, line, message)


def _owners(name, own):
    """The libraries with the longest namespace that `name` is or is nested in;
    `sluice` alone is no name for what is nested in it."""
    fits = [
        (len(n), library)
        for library, names in own.items()
        for n in names
        if name == n or (name.startswith(n + "::") and n != "sluice")
    ]
    longest = max(fits, default=(0, ""))[0]
    return {library for length, library in fits if length == longest}
