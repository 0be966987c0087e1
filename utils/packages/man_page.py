#!/usr/bin/env python3
# A manual page for a tool that has none of its own: what it is for, and what it
# says when it is asked for help.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   man_page.py TOOL DESCRIPTIONS
#
# The file of the tool's name in the folder DESCRIPTIONS has a sentence without
# its subject. The page goes to standard output.

import pathlib
import subprocess
import sys


def roff(text):
    lines = []
    for line in text.splitlines():
        line = line.replace("\\", "\\e").replace("-", "\\-")
        lines.append("\\&" + line if line[:1] in (".", "'") else line)
    return "\n".join(lines)


def main():
    tool, descriptions = map(pathlib.Path, sys.argv[1:])
    about = (descriptions / tool.name).read_text().strip()
    done = subprocess.run([tool, "--help"], text=True, stdin=subprocess.DEVNULL,
                          capture_output=True)
    print(f'.TH {tool.name.upper()} 1 "" "Sluice"')
    print(f".SH NAME\n{roff(tool.name)} \\- {roff(about)}")
    print(f".SH SYNOPSIS\n.B {roff(tool.name)}")
    if done.returncode == 0 and done.stdout:
        print(f"[\\fIoptions\\fR]\n.SH DESCRIPTION\n.nf\n{roff(done.stdout)}\n.fi")
    else:
        print(".SH DESCRIPTION\nStarted by other tools of Sluice, not by hand.")
    print(".SH SEE ALSO\n.BR sluice (1)")


if __name__ == "__main__":
    main()
