# Colours every module of the source tree and says where the lexer is lost.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   lexer.py SOURCE

import pathlib
import sys

from pygments.token import Error

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "utils/site/lexer"))

from sluice_pygments import MlirLexer  # noqa: E402

lexer = MlirLexer(stripnl=False, ensurenl=False)
files = [file for folder in ("examples", "test/DFG", "test/RDIR", "bench")
         for file in sorted((root / folder).rglob("*.mlir"))]
count = 0
for file in files:
    text = file.read_text()
    tokens = list(lexer.get_tokens(text))
    wrong = [value for kind, value in tokens if kind is Error]
    if wrong or "".join(value for _, value in tokens) != text:
        print(f"{file}: {wrong[:5]}")
    else:
        count += 1
print(f"{count} files without an error")
line = "rdir.task @grow over [4] reads(%h0) : i64 // why"
for kind, value in lexer.get_tokens(line):
    if value.strip():
        print(value, str(kind).removeprefix("Token."))
