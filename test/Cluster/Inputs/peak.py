# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""peak.py MEGABYTES PROGRAM ARGUMENTS...: runs the program, and fails if it had
more memory at any time."""
import resource
import subprocess
import sys

limit, *command = sys.argv[1:]
status = subprocess.call(command)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if status == 0 and peak > int(limit):
    sys.exit(f"{command}: {peak} MB, more than {limit}")
sys.exit(status)
