"""Looks for functions without any code in linked programs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: empty_functions.py PROGRAM...

The unwinder finds the entry of a function by its address. An entry of length
zero has the address of the next function and hides its entry, so that an
exception thrown or passing there ends the program. Exit status 1 if there is
one, or a symbol of a function without a size.
"""

import re
import subprocess
import sys

# From the C library's start files, in assembly.
KNOWN = {"deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux",
         "frame_dummy", "_init", "_fini", "_start", "_dl_relocate_static_pie"}


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def problems(program):
    entries = 0
    for line in output("llvm-dwarfdump", "--eh-frame", program).splitlines():
        match = re.search(r" FDE .*pc=([0-9a-f]+)\.\.\.([0-9a-f]+)", line)
        if not match:
            continue
        entries += 1
        if match[1] == match[2]:
            yield f"an unwind entry of length zero at {match[1]}"
    if not entries:
        yield "no unwind entries at all"
    for line in output("llvm-readelf", "-sW", program).splitlines():
        words = line.split()
        if (len(words) == 8 and words[3] == "FUNC" and words[2] == "0"
                and words[6] != "UND" and words[7] not in KNOWN):
            yield f"the function '{words[7]}' without any code"


bad = False
for program in sys.argv[1:]:
    for problem in problems(program):
        print(f"{program}: {problem}")
        bad = True
if not bad:
    print(f"no empty functions in {len(sys.argv) - 1} programs")
sys.exit(bad)
