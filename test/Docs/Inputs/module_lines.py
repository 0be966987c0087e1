"""Compares the lines of modules that a page states with the modules.

Usage: module_lines.py PAGE. Rows are "| [name.mlir](path) | lines | ...".
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1])
rows = re.findall(r"^\| \[\S+\]\((\S+\.mlir)\) \| (\d+) \|", page.read_text(),
                  re.MULTILINE)
for path, stated in rows:
    lines = (page.parent / path).read_text().splitlines()
    count = sum(bool(line.split("//")[0].strip()) for line in lines)
    if count != int(stated):
        print(f"{path} has {count} lines, not {stated}")
print(f"{len(rows)} modules compared")
