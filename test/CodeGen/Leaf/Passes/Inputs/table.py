"""Compares the table of passes over leaves with their tests and their page.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: table.py SOURCE_FOLDER
"""

import os
import re
import sys

root = sys.argv[1]


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


rows = re.findall(r'^LEAF_PASS\("(sluice-[a-z-]+)", \w+\([\w., ]*\), (\w+), ',
                  read("lib/CodeGen/Leaf/Pipeline/LeafPasses.def"), re.M)
assert len(rows) == read("lib/CodeGen/Leaf/Pipeline/LeafPasses.def").count(
    "\nLEAF_PASS("), "a row is not understood"
# A pass that runs at several points has one stage.
table = list(dict.fromkeys((name, stage.lower()) for name, stage in rows))
page = re.findall(r"^\| `(sluice-[a-z-]+)` \| (\w+) \|", read("docs/passes.md"),
                  re.M)
for name, stage in table:
    test = f"test/CodeGen/Leaf/Passes/{name.removeprefix('sluice-')}.ll"
    if not os.path.exists(os.path.join(root, test)):
        print(f"{name} has no test {test}")
    elif name not in read(test).split("\nRUN", 1)[-1]:
        print(f"{test} does not run {name}")
    if (name, stage) not in page:
        print(f"docs/passes.md has no row '| `{name}` | {stage} |'")
for row in page:
    if row not in table:
        print(f"docs/passes.md has a row of no pass: {row[0]}, {row[1]}")
if [row for row in page if row in table] != table:
    print("docs/passes.md has another order")
print(f"{len(table)} passes, each with a test and a row in docs/passes.md")
