# The order of the rooms: a file includes only what its room may include.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A room is a folder of lib that has a row in the table of lib/README.md: a
# library, or a part of one. A file belongs to the row with the longest prefix
# of its path, and a header of include/sluice to the room of the source with
# its name. The order is stated once, in the table:
#   1. The rows give the rooms in order, from bottom to top, and for each room
#      the rooms and the outside headers that it may include. A name stands for
#      that room and for all of its parts in earlier rows.
#   2. A row may only name rooms of earlier rows; otherwise the table has an
#      error. So there can be no cycle of rooms.
#   3. Every #include of a file in a room must refer to the room itself or to a
#      room in its row; headers of LLVM, MLIR and Clang must be named in the row.
#   4. A relative path does not lead to another library.
#   5. Tests may include all rooms of their library. Only tests may include
#      code
#      that only tests need, which is in folders called 'Testing'.
#   6. The headers for programs are below all rooms.

import re

from includes import includes
from tree import C_LIKE, Finding

TABLE = "lib/README.md"
FOR_PROGRAMS = ("include/sluice-c/", "include/sluice/hpvm/")
OUTSIDE = {
    "llvm": "LLVM",
    "llvm-c": "LLVM",
    "mlir": "MLIR",
    "mlir-c": "MLIR",
    "clang": "Clang",
    "clang-c": "Clang",
}


def check(tree):
    if TABLE not in tree.files:
        if any(path.startswith("lib/") for path in tree.files):
            yield Finding(TABLE, 1, "missing: it states the library order")
        return
    rooms = Rooms(tree)
    yield from rooms.errors
    for path in tree.own(*C_LIKE):
        room = rooms.of(path)
        if room and room != "programs" and room not in rooms.allowed:
            yield Finding(path, 1, f"its library has no row in {TABLE}")
    for include in includes(tree):
        room = rooms.of(include.path)
        if room == "programs" or room in rooms.allowed:
            yield from _check_include(include, room, rooms)


class Rooms:
    """The table, and which room each file belongs to."""

    def __init__(self, tree):
        self.allowed = {}  # room -> rooms and outside headers it may include
        self.errors = []
        if TABLE in tree.files:
            self._read(tree.text(TABLE))
        self._sources = {}  # library and stem -> the source with that name
        for path in tree.own(".cpp"):
            if path.startswith("lib/"):
                key = self._library_and_stem(path)
                self._sources[key] = None if key in self._sources else path

    def _read(self, text):
        for number, line in enumerate(text.splitlines(), 1):
            row = re.match(r"\|\s*`([\w/]+)`\s*\|.*\|([^|]*)\|\s*$", line)
            if not row:
                continue
            room, may = row[1], set()
            for name in re.findall(r"[\w/]+", row[2]):
                above = {r for r in self.allowed if _is_part(r, name)}
                may |= above
                if name in OUTSIDE.values():
                    may.add(name)
                elif not above and name not in (room, "nothing"):
                    message = f"'{room}' names '{name}', which is not above it"
                    self.errors.append(Finding(TABLE, number, message))
            self.allowed[room] = may

    def of(self, path):
        """The room of a file; 'programs' for headers of programs."""
        if path.startswith(FOR_PROGRAMS):
            return "programs"
        if path.startswith("include/sluice/"):
            source = self._sources.get(self._library_and_stem(path))
            path = source or "lib/" + path[len("include/sluice/") :]
        if not path.startswith("lib/"):
            return None
        path = path[len("lib/") :]
        fits = [room for room in self.allowed if path.startswith(room + "/")]
        if fits:
            return max(fits, key=len)
        return path if "/" in path else None

    def reaches(self, path, other):
        """Whether the room of `path` may include that of `other`, or what it
        may include may, and so on."""
        wanted, seen, rest = self.of(other), set(), [self.of(path)]
        while rest:
            room = rest.pop()
            if room not in seen:
                seen.add(room)
                rest.extend(self.allowed.get(room, ()))
        return wanted in seen or wanted == "programs"

    def _library_and_stem(self, path):
        """('Runtime', 'Pool') of lib/Runtime/Scheduling/Pool.cpp."""
        parts = re.sub("^(lib|include/sluice)/", "", path).split("/")
        return parts[0], parts[-1].split(".")[0]


def _is_part(room, of):
    return room == of or room.startswith(of + "/")


def is_test(path):
    return bool(re.search(r"Test(ing)?\.\w+$|/Testing/", path))


def _check_include(include, room, rooms):
    path, line, header = include.path, include.line, include.header
    may = rooms.allowed.get(room, set())
    first = header.split("/")[0]
    if first in OUTSIDE:
        if OUTSIDE[first] not in may:
            message = f"'{room}' may not include '{header}' ({TABLE})"
            yield Finding(path, line, message)
        return
    if include.target is None and first != "sluice":
        return
    target = include.target or "include/" + header
    user = rooms.of(target)
    same_library = user and room.split("/")[0] == user.split("/")[0]
    if first == ".." and not same_library:
        yield Finding(path, line, f"'{header}' leaves the library's folder")
    elif "/Testing/" in target and not is_test(path):
        yield Finding(path, line, f"'{header}' is for tests only")
    elif user not in (None, "programs", room, *may):
        if not (same_library and is_test(path)):
            message = f"'{room}' may not include '{header}' of '{user}' ({TABLE})"
            yield Finding(path, line, message)
