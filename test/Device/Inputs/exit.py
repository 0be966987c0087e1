"""Ends a program at several times after it launched its kernels.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: exit.py PROGRAM [LONG]

Each run compiles anew. Prints how many ended with the status the program gave.
LONG is a program whose kernels take minutes, for which nobody waits so long; one
thread runs them, since each takes a core for all of that time.
"""

import os
import subprocess
import sys
import tempfile
import time

TIMES = [0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 50, 60]  # milliseconds
STATUS = 3


def run(program, milliseconds, **settings):
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "SLUICE_DEVICE": "opencl:0",
                       "POCL_CACHE_DIR": cache, **settings}
        ended = subprocess.run([program, str(milliseconds * 1000)],
                               env=environment, capture_output=True, text=True,
                               timeout=600)
    if ended.returncode != STATUS:
        print(f"after {milliseconds} ms: status {ended.returncode}\n"
              f"{ended.stderr}")
    return ended.returncode == STATUS


def timed(program, milliseconds, **settings):
    start = time.monotonic()
    return run(program, milliseconds, **settings), time.monotonic() - start


runs = [timed(sys.argv[1], milliseconds) for milliseconds in TIMES]
good = sum(is_good for is_good, seconds in runs)
print(f"{good} of {len(TIMES)} runs ended as they should")
if len(sys.argv) > 2:
    is_good, seconds = timed(sys.argv[2], 100, POCL_MAX_PTHREAD_COUNT="1")
    # Ten seconds, and what a busy machine adds to it as to the others.
    limit = 60 + 5 * max(seconds for is_good, seconds in runs)
    print("the long one ended" if is_good and seconds < limit
          else f"the long one took {seconds:.0f} s of {limit:.0f}")
