#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command beside processes that only compute, several times.

  busy.py [--load N] [--times N] COMMAND...

Every test must pass on a machine that is busy with something else; what waits
for a time rather than for an event does not. Exit code 1 if a run failed.
"""

import argparse
import contextlib
import subprocess
import sys
import time

# Ends with the process that started it, however that process ends.
COMPUTE = """
import os
starter = os.getppid()
while os.getppid() == starter:
    sum(range(1000000))
"""


@contextlib.contextmanager
def load(count):
    processes = [subprocess.Popen([sys.executable, "-c", COMPUTE])
                 for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(
        prog="busy.py", description=__doc__.splitlines()[0])
    parser.add_argument("--load", type=int, default=20,
                        help="how many processes (20)")
    parser.add_argument("--times", type=int, default=3,
                        help="how many runs (3)")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command or options.load < 0 or options.times < 1:
        parser.error("expected a command and at least one run")
    codes = []
    with load(options.load):
        for number in range(options.times):
            start = time.monotonic()
            codes.append(subprocess.run(options.command).returncode)
            print(f"busy: run {number + 1} of {options.times} beside "
                  f"{options.load} processes: exit code {codes[-1]}, "
                  f"{time.monotonic() - start:.0f} s", flush=True)
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
