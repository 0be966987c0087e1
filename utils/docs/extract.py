#!/usr/bin/env python3
# Takes the programs of a Markdown page out of it, so that tests can run them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A program is a code block that follows the line `<!-- file: NAME -->`.

import pathlib
import re
import sys

PROGRAM = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)\n```", re.DOTALL)


def main():
    page, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name, text in PROGRAM.findall(page.read_text()):
        (out / name).write_text(text + "\n")
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
