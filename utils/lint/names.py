# No C++ name has two meanings in one program.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# If two files define two types with the same qualified name, the program
# compiles, links and crashes: each file uses its own definition, and the
# linker keeps only one of the functions that both have. Neither the compiler
# nor the linker reports this. If two archives define the same function, the
# linker takes the first one. Therefore a type of a namespace must be defined
# only once in the files that are linked together, and a function only once in
# their libraries.
#
# The text is read, not compiled. Files are formatted, so declarations of a
# namespace begin in the first column, and a brace in the first column ends the
# last one that began. Names that are static, in an anonymous namespace or
# within a function are private. Functions are distinguished by the types of
# their parameters.

import re

from layers import Rooms, is_test
from tree import Finding

LINE = re.compile(r"^(?:[A-Za-z_\[}:].*)$", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*$")
TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.]*|::|\[\[|\]\]|"(?:[^"\\\n]|\\.)*"|\S')
# Text without braces except in parentheses, which may nest three times.
INNER = r"[^()]*"
for _ in range(3):
    INNER = rf"(?:[^()]|\({INNER}\))*"
HEAD = re.compile(rf"(?:[^{{}};()]|\({INNER}\))*")
KEYS = ("struct", "class", "union", "enum")
BASIC = "bool char short int long unsigned signed float double auto void".split()


def check(tree):
    rooms = Rooms(tree)
    seen = {}
    for path in tree.own(".h", ".cpp"):
        if not path.startswith(("lib/", "include/", "tools/")):
            continue
        for name, line in definitions(tree.text(path)):
            for other, place in seen.get(name, ()):
                if _are_linked(name, path, other, rooms):
                    message = f"'{name}' is also defined at {other}:{place}"
                    yield Finding(path, line, message)
                    break
            seen.setdefault(name, []).append((path, line))


def _are_linked(name, first, second, rooms):
    """True if both may be part of one program."""
    libraries = [
        re.sub("^(lib|include/sluice)/", "", path).split("/")[0]
        for path in (first, second)
    ]
    tools = [path.startswith("tools/") for path in (first, second)]
    if first == second or all(tools):
        return first != second and first.split("/")[1] == second.split("/")[1]
    if libraries[0] == libraries[1]:
        return not name.endswith(")")  # otherwise the linker reports it
    for test, other in ((first, second), (second, first)):
        if is_test(test):
            # A test is linked with everything that its library may include.
            return not is_test(other) and rooms.reaches(test, other)
    return True


def definitions(text):
    """(qualified name, line) of what others can see, at the level of namespaces.
    A function's name has the types of its parameters."""
    return [(name, line) for kind, name, line in _walk(text) if kind == "name"]


def namespaces(text):
    """(qualified name, line) of each namespace that is opened."""
    return [(name, line) for kind, name, line in _walk(text) if kind == "scope"]


def _walk(text):
    text = _without_noise(text)
    used = re.findall(r"^using namespace ([\w:]+);", text, re.MULTILINE)
    scopes = []  # names of the enclosing namespaces; "" is an anonymous one
    is_body, resume = False, 0
    for match in LINE.finditer(text):
        if match.start() < resume:
            continue
        if match[0][0] == "}":
            if not is_body and scopes:
                scopes.pop()
            is_body = False
            continue
        if is_body:
            continue
        end, resume, is_body = _extent(text, match.start())
        if end is None:
            continue
        head = TOKEN.findall(text[match.start() : end])
        scope = _scope(head)
        line = text.count("\n", 0, match.start()) + 1
        if scope is not None:
            scopes.append(scope)
            is_body, resume = False, end + 1
            if "" not in scopes and scope != "extern":
                yield "scope", _joined(scopes), line
            if "}" in match[0]:
                scopes.pop()
            continue
        name = _defined(head)
        if name and "" not in scopes and "static" not in head:
            name = _qualified(name, _joined(scopes), used)
            if name:
                yield "name", name, line


def _joined(scopes):
    return "::".join(scope for scope in scopes if scope != "extern")


NOISE = re.compile(
    r"""
      R"(?P<mark>\w*)\((?s:.*?)\)(?P=mark)" | "(?P<text>(?:[^"\\\n]|\\.)*)"
    | '(?:[^'\\\n]|\\[^\n]{1,3})' | //[^\n]* | /\*(?s:.*?)\*/
    | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*
    """,
    re.VERBOSE | re.MULTILINE,
)


def _without_noise(text):
    """The text with comments, strings and lines of the preprocessor blanked;
    lines stay, and so does "C"."""
    return NOISE.sub(
        lambda m: m[0] if m["text"] == "C" else "\n" * m[0].count("\n"), text
    )


def _extent(text, start):
    """Where the brace of what begins at `start` stands (None: it has none),
    where to go on, and whether its body goes on beyond that line."""
    at = start
    while True:
        at = HEAD.match(text, at).end()
        if at == len(text) or text[at] != "{":
            return None, at + 1, False
        line_end = text.find("\n", at)
        line = text[at : len(text) if line_end < 0 else line_end]
        close = _closing(line)
        if close is None:
            return at, at + len(line), True
        after = re.compile(r"\s*").match(text, at + close + 1).end()
        if text[after : after + 1] not in (",", "{"):
            return at, at + close + 1, False
        at = after if text[after] == "{" else after + 1  # a member was made


def _closing(line):
    depth = 0
    for at, sign in enumerate(line):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return at
    return None


def _scope(head):
    """The name of the scope that begins here; None if it is none."""
    if head[:1] == ["inline"]:
        head = head[1:]
    if head[:1] == ["namespace"]:
        return "".join(head[1:])
    if head == ["extern", '"C"']:
        return "extern"
    return None


def _defined(head):
    """The name of what a brace after `head` defines, or None."""
    while head[:1] == ["template"]:
        head = head[_after_angles(head, 1) :]
    while head[:1] in (["typedef"], ["inline"], ["constexpr"]):
        head = head[1:]
    if head and head[0] in KEYS and "(" not in head:
        return _type_name(head)
    return _function_name(head)


def _after_angles(words, at):
    depth = 0
    while at < len(words):
        depth += (words[at] == "<") - (words[at] == ">")
        at += 1
        if depth == 0:
            break
    return at


def _type_name(head):
    at, name = 1, ""
    while at < len(head) and head[at] not in (":", "final"):
        if head[at] == "[[":
            at = head.index("]]", at)
        elif head[at] == "<":
            end = _after_angles(head, at)
            name, at = name + "".join(head[at:end]), end - 1
        elif head[at] not in KEYS:
            joined = head[at] == "::" or name.endswith("::")
            name = name + head[at] if joined else head[at]
        at += 1
    return name


def _function_name(head):
    open_at = next((i for i, word in enumerate(head) if word == "("), 0)
    if open_at < 2 or {"=", "operator", "~"} & set(head[:open_at]):
        return None
    if not WORD.match(head[open_at - 1]):
        return None
    depth = 0
    for close in range(open_at, len(head)):
        depth += (head[close] == "(") - (head[close] == ")")
        if depth == 0:
            break
    name, at = head[open_at - 1], open_at - 1
    while at >= 2 and head[at - 1] == "::" and WORD.match(head[at - 2]):
        name, at = f"{head[at - 2]}::{name}", at - 2
    if name.isupper() or name.startswith("__") or name == "main" or at == 0:
        return None  # a macro, an attribute, a constructor
    return f"{name}({_parameters(head[open_at + 1 : close])})"


def _parameters(words):
    parts, depth = [[]], 0
    for word in words:
        depth += (word in "(<[{") - (word in ")>]}")
        if word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return ", ".join(_type_of(part) for part in parts)


def _type_of(words):
    """A parameter's type: no name, no default, no namespaces."""
    if "=" in words:
        words = words[: words.index("=")]
    words = [word for word in words if word not in KEYS]
    if len(words) > 1 and WORD.match(words[-1]):
        rest = [w for w in words[:-1] if w not in ("const", "volatile")]
        if rest and words[-2] != "::" and words[-1] not in BASIC:
            words = words[:-1]
    return re.sub(r"\w+ :: ", "", " ".join(words))


def _qualified(name, around, used):
    """The name with its namespace; None for members of classes."""
    if around:
        return f"{around}::{name}"
    head = name.partition("(")[0]
    if "::" not in head:
        return name
    if not head[0].islower():
        return None
    first = next((n for n in used if n.split("::")[0] in ("sluice", "farc")), "")
    return f"{first}::{name}" if first and not head.startswith(first) else name
