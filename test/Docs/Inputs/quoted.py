# Whether lines of a page that are quoted from a file stand in that file.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   quoted.py PAGE
#
# A quotation is a code block behind a line "..., from [NAME](FILE):".

import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1])
for file, block in re.findall(r"from \[[^\]]*\]\(([^)]*)\):\n\n```\w+\n(.*?)\n```",
                              page.read_text(), re.S):
    text = (page.parent / file).read_text()
    lines = block.splitlines()
    missing = [line for line in lines if line.strip() not in text]
    print(f"{file.removeprefix('../')}: {missing or len(lines)} lines")
