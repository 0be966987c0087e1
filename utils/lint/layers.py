# The order of the libraries: a library includes only those it may.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The order is stated once, in the table of lib/README.md. This check reads it
# there:
#   1. Rows in order give the libraries, bottom to top, and for each the
#      libraries and the outside headers it may include.
#   2. A row that names a library standing after it is an error of the table.
#   3. Every #include of a library's sources and public headers must name the
#      library itself or one of its row; headers of LLVM, MLIR and Clang need
#      the word in the row.
#   4. The headers for programs stand below all libraries.

import posixpath
import re

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
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


def check(tree):
    if TABLE not in tree.files:
        if any(path.startswith("lib/") for path in tree.files):
            yield Finding(TABLE, 1, "missing: it states the library order")
        return
    allowed = {}
    for finding in _read_table(tree.text(TABLE), allowed):
        yield finding
    for path in tree.own(*C_LIKE):
        library = _library_of(path, allowed)
        if library:
            yield from _check_file(tree, path, library, allowed)


def _read_table(text, allowed):
    """Fills `allowed`: library -> names it may include. Yields errors."""
    for number, line in enumerate(text.splitlines(), 1):
        row = re.match(r"\|\s*`([\w/]+)`\s*\|.*\|([^|]*)\|\s*$", line)
        if not row:
            continue
        library, names = row[1], set(re.findall(r"[\w/]+", row[2]))
        for name in names - set(OUTSIDE.values()) - set(allowed):
            if name == library or name == "nothing":
                continue
            yield Finding(
                TABLE, number, f"'{library}' names '{name}', which is not above it"
            )
        allowed[library] = names


def _library_of(path, allowed):
    """The library a file belongs to; 'programs' for headers of programs."""
    if path.startswith(FOR_PROGRAMS):
        return "programs"
    for root in ("include/sluice/", "lib/"):
        if path.startswith(root):
            rest = path[len(root) :]
            fits = [name for name in allowed if rest.startswith(name + "/")]
            if fits:
                return max(fits, key=len)
            return rest if "/" in rest else None
    return None


def _check_file(tree, path, library, allowed):
    if library != "programs" and library not in allowed:
        yield Finding(path, 1, f"its library has no row in {TABLE}")
        return
    may = allowed.get(library, set())
    text = tree.text(path)
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        header = match[1]
        first = header.split("/")[0]
        if first == "..":
            target = posixpath.normpath(f"{posixpath.dirname(path)}/{header}")
            if _library_of(target, allowed) != library:
                message = f"'{header}' leaves the library's folder"
                yield Finding(path, line, message)
        elif first in OUTSIDE and OUTSIDE[first] not in may:
            yield Finding(
                path, line, f"'{library}' may not include '{header}' ({TABLE})"
            )
        elif first == "sluice":
            user = _library_of("include/" + header, allowed)
            if user not in (None, "programs", library, *may):
                yield Finding(
                    path,
                    line,
                    f"'{library}' may not include '{header}' of '{user}' "
                    f"({TABLE})",
                )
