# Which labels that tests of messages expect have no page on the site.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   site_labels.py TESTS SITE

import pathlib
import re
import sys

tests, site = map(pathlib.Path, sys.argv[1:])
expected = re.compile(r"(?:error|warning|remark)[:{].*"
                      r"\[([A-Z]\d+|[a-z]+(?:-[a-z]+)*)\] *$", re.M)
labels = {
    label
    for folder in ("Analysis", "Frontend", "RDIR")
    for file in (tests / folder).rglob("*.*")
    if file.suffix in (".c", ".cpp", ".mlir", ".ll")
    for label in expected.findall(file.read_text())
}
for label in sorted(labels):
    if not (site / f"rules/{label.lower()}.html").is_file():
        print(f"no page: {label}")
print(f"{len(labels)} labels")
