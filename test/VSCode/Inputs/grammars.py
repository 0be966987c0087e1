# Compares the colours of the extension for VS Code with those of the site, sign by
# sign, and the words that they know with those of the compiler.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   grammars.py SOURCE NPM EXTENSION FOLDER

import json
import pathlib
import re
import subprocess
import sys

source, npm, extension, folder = map(pathlib.Path, sys.argv[1:])
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "utils/site/lexer"))

import sluice_pygments  # noqa: E402
from pygments.token import Token  # noqa: E402

SCOPES = {
    Token.Comment.Single: "comment.line",
    Token.Literal.String.Double: "string.quoted",
    Token.Name.Variable: "variable.other",
    Token.Name.Function: "entity.name.function",
    Token.Name.Label: "entity.name.label",
    Token.Name.Namespace: "entity.name.namespace",
    Token.Name.Class: "entity.name.type",
    Token.Name.Builtin: "support.function",
    Token.Keyword: "keyword.",
    Token.Keyword.Type: "storage.type",
    Token.Keyword.Reserved: "keyword.other.edge",
    Token.Keyword.Pseudo: "storage.modifier",
    Token.Keyword.Constant: "constant.language",
    Token.Literal.Number.Hex: "constant.numeric.hex",
    Token.Literal.Number.Float: "constant.numeric.float",
    Token.Literal.Number.Integer: "constant.numeric",
    Token.Operator: "keyword.operator",
    Token.Punctuation: "punctuation",
    Token.Name: "identifier",
    Token.Error: "source.mlir",  # C in files of tests
}


def coloured(files):
    """For each file its lines, as lists of (text, scope)."""
    command = ["node", pathlib.Path(__file__).with_name("tokens.js"), npm, extension]
    done = subprocess.run([*command, *files], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def signs(tokens):
    return [(sign, kind) for text, kind in tokens for sign in text]


def compare(file, lines):
    """The signs of a module; complains about the first that differs."""
    text = file.read_text()
    lexer = sluice_pygments.MlirLexer(stripnl=False, ensurenl=False)
    expected = [(sign, SCOPES.get(kind)) for kind, value in lexer.get_tokens(text)
                for sign in value if not sign.isspace()]
    found = [(sign, scope) for line in lines
             for sign, scope in signs(line) if not sign.isspace()]
    texts = ["".join(sign for sign, _ in tokens) for tokens in (found, expected)]
    assert texts[0] == texts[1], f"{file}: signs are lost"
    for at, ((_, scope), (_, wanted)) in enumerate(zip(found, expected)):
        if wanted is None or not scope.startswith(wanted):
            near = "".join(sign for sign, _ in found[max(0, at - 20) : at + 10])
            print(f"{file}: '{wanted}' expected, but '{scope}' near '{near}'")
            break
    return len(found)


def words(file, name):
    """The words of a pattern `\\b(?:...)\\b` of a grammar."""
    grammar = json.loads((extension / "languages" / file).read_text())
    [pattern] = [pattern["match"] for pattern in grammar["patterns"]
                 if pattern.get("name") == name]
    return re.search(r"\(\?:([\w|]+)\)", pattern)[1].split("|")


def read(path, pattern):
    found = re.findall(pattern, (source / path).read_text())
    assert len(found) > 5, path
    return found


modules = [file for top in ("bench", "docs", "examples", "test")
           for file in sorted((source / top).rglob("*.mlir"))]
every = folder / "words.mlir"
every.write_text("\n".join(
    f"{word} {word}s {word}.x %{word} @{word} !{word}<{word}> rdir.{word} ({word}) "
    f"\"{word}\" ^{word} #dfg.{word} x.{word} // {word}"
    for word in (*sluice_pygments.EDGES, *sluice_pygments.WORDS)) + "\n")
modules.append(every)
total = sum(compare(file, lines)
            for file, lines in zip(modules, coloured(modules), strict=True))
print(f"{len(modules)} modules, {total} signs")

for name, expected in (
    ("keyword.other.edge.sluice", sluice_pygments.EDGES),
    ("storage.modifier.sluice", sluice_pygments.WORDS),
):
    found = words("dialects.tmLanguage.json", name)
    print(name, "agrees" if found == list(expected) else f"differs: {found}")

table = (source / "lib/Pack/Layouts/PrimitiveDatatype.cpp").read_text()
table = table[table.index("primitives[] = {") :]
types = re.findall(r'"(\w+)"', table[: table.index("};")])
parser = read("lib/Pack/Layouts/TextParser.cpp", r'\{"(\w+)", &TextParser::')
arrays = ["c", "fortran", "none", "block", "cyclic"]
for name, expected in (("storage.type.ddt", types), ("keyword.control.ddt", parser),
                       ("storage.modifier.ddt", arrays)):
    found = words("ddt.tmLanguage.json", name)
    print(name, len(found),
          "agree" if sorted(found) == sorted(expected) else f"differ: {found}")

layout = folder / "layout.ddt"
layout.write_text("vec(34:10:64 -1 34)[doubles] // int\n"
                  "subarray(c: 8,4,2)[int]\n")
for line in coloured([layout])[0]:
    print(*(f"{text}:{scope.split('.')[0]}" for text, scope in line if text.strip()))
