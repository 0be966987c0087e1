# Restrictions on the text of files.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from tree import C_LIKE, Finding

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

# Calls with a string that is a message for a person.
MESSAGE_CALL = re.compile(
    r"\b(?:emitError|emitWarning|emitRemark|emitOpError|attachNote|"
    r"createStringError|fatalError|reportError|reportFatal|"
    r"Status::\w+|\w+Error)\s*\("
)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')

# The leading slash is separate so that this file passes its own check.
MACHINE_PATH = re.compile(r"(?<![\w.$}*-])/" r"(?:work|farm|tmp|home|root)/\w")
MARKER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")


def check_wording(tree):
    """Messages start in lower case and end without a period."""
    for path in tree.own(*C_LIKE):
        text = tree.text(path)
        for match in MESSAGE_CALL.finditer(text):
            if _in_comment(text, match.start()):
                continue
            yield from _check_message(path, text, match)


def _in_comment(text, position):
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return "//" in line or line.lstrip().startswith("*")


def _check_message(path, text, match):
    statement = _statement(text, match.end())
    strings = [s for s in STRING.finditer(statement) if _depth(statement, s) < 2]
    if not strings:
        return
    line = text.count("\n", 0, match.start()) + 1
    first, last = strings[0], strings[-1]
    before = statement[: first.start()]
    leads = before.count("<<") <= before.rstrip().endswith("<<")
    word = re.match(r"[A-Za-z]+", first[1])
    if leads and word and word[0][:1].isupper() and word[0][1:].islower():
        yield Finding(path, line, f'message starts in upper case: "{first[1]}"')
    ends = re.fullmatch(r"[\s)]*", statement[last.end() :])
    if ends and re.search(r"[^.]\.(?:\\n)?$", last[1]):
        yield Finding(path, line, f'message ends with a period: "{last[1]}"')


def _depth(statement, string):
    """How many calls a string stands in; 1 is the message call itself."""
    before = STRING.sub("", statement[: string.start()])
    return 1 + before.count("(") - before.count(")")


def _statement(text, start):
    """The text from `start` to the end of the statement, strings skipped."""
    position = start
    while position < len(text) and text[position] not in ";{":
        string = STRING.match(text, position)
        position = string.end() if string else position + 1
    return text[start:position]


def check_licence(tree):
    """Sources carry the licence line in their head."""
    for path in tree.own(*C_LIKE, ".td", ".py"):
        head = "\n".join(tree.text(path).splitlines()[:12])
        if SPDX not in head:
            yield Finding(path, 1, f"no '{SPDX}' in its head")


def check_machine_paths(tree):
    """No path of somebody's machine."""
    for path in tree.own_texts():
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            match = MACHINE_PATH.search(line)
            if match:
                yield Finding(path, number, f"a machine's path: '{match[0]}...'")


def check_markers(tree):
    """No notes about unfinished work."""
    for path in tree.own_texts():
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            match = MARKER.search(line)
            if match:
                yield Finding(path, number, f"a marker: '{match[0]}'")


def check_whitespace(tree):
    """No white space at the ends of lines; files end with one line end."""
    for path in tree.own_texts():
        if path.endswith((".svg", ".mtx", ".patch")):
            continue
        text = tree.text(path)
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield Finding(path, number, "white space at the end of the line")
            if "\t" in line and path.endswith((*C_LIKE, ".td", ".py", ".cmake")):
                yield Finding(path, number, "a tab")
        if text and not text.endswith("\n"):
            yield Finding(path, text.count("\n") + 1, "no line end at its end")
        if text.endswith("\n\n"):
            yield Finding(path, text.count("\n"), "empty lines at its end")
