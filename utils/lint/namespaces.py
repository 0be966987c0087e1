# Each library has its namespaces.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The table under "Namespaces" in lib/README.md says which namespaces the files
# of a library open; what is nested in one of them belongs to it as well. A file
# that opens another one puts a name where nobody looks for it, and where it can
# meet the same name of another library. Those of LLVM, MLIR and Clang are open to
# all, to declare their classes and to specialise their templates; tests may name
# what they need as they like.

import re

from layers import TABLE, Rooms, is_test
from names import namespaces
from tree import Finding

ROW = re.compile(r"\|\s*`(\w+)`\s*\|([^|]*)\|\s*$")
OUTSIDE = ("llvm", "mlir", "clang", "std")
# What several libraries speak of; all others belong to one.
SHARED = "sluice"


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
            yield from _check_file(path, tree.text(path), match[1], own)


def _read_table(text, own):
    """Fills `own`: library -> its namespaces. Yields errors."""
    is_table = False
    owners = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            is_table = line == "## Namespaces"
        row = ROW.match(line)
        if not is_table or not row:
            continue
        own[row[1]] = re.findall(r"`([\w:]+)`", row[2])
        for name in own[row[1]]:
            if name in owners and name != SHARED:
                message = f"'{row[1]}' has '{name}', as '{owners[name]}'"
                yield Finding(TABLE, number, message)
            owners[name] = row[1]


def _check_file(path, text, library, own):
    for name, line in namespaces(text):
        if name.split("::")[0] in OUTSIDE:
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
        if name == n or (name.startswith(n + "::") and n != SHARED)
    ]
    longest = max(fits, default=(0, ""))[0]
    return {library for length, library in fits if length == longest}
