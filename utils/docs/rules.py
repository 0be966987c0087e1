#!/usr/bin/env python3
# Checks that the examples of a page of rules give the messages it shows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   rules.py PAGE CHECKER...
#
# CHECKER is the command that checks a file, without the file. The first mlir
# block of the page holds declarations; each further one is a graph that is
# checked with them, and the text block after it must be in what the checker
# prints, where spaces and line ends do not count. No other errors and remarks
# may be reported.

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(mlir|text)\n(.*?)^```$", re.M | re.S)
MESSAGE = re.compile(r"^(?=error:|remark:|note:)", re.M)
SEVERITY = re.compile(r"(?:^|: )(error|remark): ", re.M)


def one_line(text):
    return " ".join(text.split())


def check(checker, source):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "example.mlir")
        with open(path, "w") as file:
            file.write(source)
        result = subprocess.run(checker + [path], capture_output=True,
                                text=True, timeout=600)
        return result.stdout + result.stderr


def compare(checker, declarations, example, expected):
    printed = check(checker, declarations + example)
    messages = [one_line(text) for text in MESSAGE.split(expected) if text]
    wrong = [text for text in messages if text not in one_line(printed)]
    main = [text for text in messages if not text.startswith("note:")]
    if not wrong and len(SEVERITY.findall(printed)) == len(main):
        return True
    print(f"{example}\nexpected:\n{expected}\nprinted:\n{printed}")
    return False


def main():
    page, checker = sys.argv[1], sys.argv[2:]
    with open(page) as file:
        blocks = BLOCK.findall(file.read())
    declarations = blocks[0][1]
    graphs = [(text, blocks[i + 2][1]) for i, (kind, text)
              in enumerate(blocks[1:]) if kind == "mlir"]
    right = [compare(checker, declarations, *graph) for graph in graphs]
    print(f"{sum(right)} of {len(right)} examples are right")
    sys.exit(not right or not all(right))


if __name__ == "__main__":
    main()
