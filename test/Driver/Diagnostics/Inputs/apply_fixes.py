"""apply_fixes.py REPORT: makes all changes that a report in JSON offers, in the
files that it names, and prints what each of them does."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys


def offset(text, point):
    lines = text.split(b"\n")
    return sum(len(line) + 1 for line in lines[:point["line"] - 1]) + \
        point["column"] - 1


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    edits = {}
    for message in report["diagnostics"]:
        for fix in message["fixes"]:
            print(fix["title"])
            for edit in fix["edits"]:
                edits.setdefault(edit["file"], []).append(edit)
    for path, changes in edits.items():
        with open(path, "rb") as file:
            text = file.read()
        places = [(offset(text, c["begin"]), offset(text, c["end"]), i, c)
                  for i, c in enumerate(changes)]
        # From the end on, what comes first at one place going in last.
        for begin, end, _, change in sorted(
                places, key=lambda p: p[:3], reverse=True):
            text = text[:begin] + change["text"].encode() + text[end:]
        with open(path, "wb") as file:
            file.write(text)


main()
