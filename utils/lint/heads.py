# The head of every file tells why the file exists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The head is the first comment of a file. Sources have a banner line with the
# file's name, and the line with the license. Besides these lines, and besides
# text that merely repeats the file's name, every head has a sentence that
# tells a newcomer what the file is for. A source whose header explains this
# needs only its banner.

import os
import re

from tree import C_LIKE, Finding

BANNER = re.compile(r"===- (\S+)[ -]")
FEWEST_WORDS = 5


def check(tree):
    sources = [*tree.own(*C_LIKE, ".td", ".py", ".cmake", ".map")]
    sources += [p for p in tree.own("CMakeLists.txt")]
    sources += [
        path
        for path in tree.own_texts()
        if tree.text(path).startswith("#!") and not path.endswith(".py")
    ]
    public = {
        (path.split("/")[2], os.path.basename(path)): path
        for path in tree.files
        if path.startswith("include/sluice/")
    }
    for path in sources:
        lines = _head(tree.text(path))
        if path.endswith((*C_LIKE, ".td")):
            named = next((m[1] for m in map(BANNER.search, lines) if m), None)
            if named != os.path.basename(path):
                yield Finding(path, 1, "its first line is no banner with its name")
        if _says_why(lines, path):
            continue
        header = _header_of(path, public)
        if header in tree.files and _says_why(_head(tree.text(header)), header):
            continue
        yield Finding(path, 1, "its head does not say in a sentence why it exists")


def _head(text):
    """The lines of the first comment, and of a Python docstring, without signs."""
    if text.startswith("#!"):
        text = text.partition("\n")[2]
    if text.lstrip().startswith("/*"):
        text = text.lstrip()[2:].partition("*/")[0]
        return [line.strip(" |*\\") for line in text.splitlines()]
    lines = []
    for line in text.lstrip("\n").splitlines():
        match = re.match(r"(?://+|#+)(.*)", line)
        if not match:
            break
        lines.append(match[1].strip())
    rest = re.sub(r"^(?:#[^\n]*|)\n", "", text, flags=re.MULTILINE)
    if rest.startswith('"""'):
        lines += rest[3:].partition('"""')[0].splitlines()
    return lines


def _says_why(lines, path):
    """True if the head has a sentence beside banner, licence and file name."""
    name = os.path.basename(path)
    prose = " ".join(
        line
        for line in lines
        if "===" not in line and "SPDX-License" not in line and line != name
    )
    sentences = re.split(r"[.:;!?](?:\s|$)", prose)
    return any(len(s.split()) >= FEWEST_WORDS for s in sentences)


def _header_of(path, public):
    if not path.endswith((".c", ".cpp")):
        return None
    header = re.sub(r"\.\w+$", ".h", path)
    if path.startswith("lib/"):
        key = path.split("/")[1], os.path.basename(header)
        return public.get(key, header)
    return header
