"""Makes one operation of a device after the other fail, and checks what a program
prints: the right result, with a warning or without one, or an error.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: faults.py PROGRAM EXPECTED OPERATION...

An operation that comes with '!' may end the program with an error: what only the
device had cannot be had any more. One with '+20' begins behind the first 20. Some
failure of every operation must be told of, unless it comes with '~'.
"""

import os
import subprocess
import sys

program, expected, *operations = sys.argv[1:]
MOST = 16  # of each operation


def run(fault):
    done = subprocess.run(
        [program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=600, env={**os.environ, "SLUICE_DEVICE": "opencl",
                         "SLUICE_DEVICE_FAULTS": fault})
    return done.returncode, done.stdout.strip(), done.stderr


def check(operation, fault, may_fail):
    status, text, errors = run(fault)
    if "SLUICE_DEVICE_FAULTS" in errors:
        met.add(operation)
    if status == 0 and text == expected:
        return True
    if may_fail and status == 1 and not text and "sluice: error: " in errors:
        return True
    print(f"{fault}: status {status}, printed '{text}', expected '{expected}'\n"
          f"{errors}")
    return False


good = count = 0
met = set()  # the operations that were said to have failed
for word in operations:
    operation, may_fail = word.rstrip("!~"), word.endswith("!")
    operation, _, first = operation.partition("+")
    first = int(first or 0) + 1
    for number in range(first, first + MOST, 1 if not may_fail else 2):
        fault = f"{operation}:{number}"
        count += 1
        good += check(operation, fault, may_fail)
    if operation != "lost":
        count += 1
        good += check(operation, operation + ":1+", may_fail)
    if operation not in met and not word.endswith("~"):
        print(f"no {operation} was seen to fail")
print(f"{good} of {count} failures are survived")
