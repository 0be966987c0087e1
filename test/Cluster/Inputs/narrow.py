# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""narrow.py SLUICE: how much memory ranks have for columns that are narrower than
pages. Not more than 1.2 times their cells and 64 MB; and with SLUICE_COMPACT=never
more than that, or the test would show nothing."""
import os
import pathlib
import re
import subprocess
import sys

inputs = pathlib.Path(__file__).parent


def measure(compact):
    """(bytes of cells, bytes at most) of the largest of four ranks."""
    settings = {**os.environ, "SLUICE_MPIRUN": "mpirun.openmpi",
                "SLUICE_WORKERS": "1", "SLUICE_COMPACT": compact}
    done = subprocess.run([sys.argv[1], "run", "--ranks=4",
                           str(inputs / "narrow.mlir"),
                           str(inputs / "narrow.cpp")],
                          env=settings, capture_output=True, text=True,
                          check=False)
    found = re.search(r"^0 cells wrong, (\d+) bytes of cells a rank, "
                      r"(\d+) bytes at most$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        sys.exit(f"{compact}: {done.returncode}\n{done.stdout}{done.stderr}")
    return [int(number) for number in found.groups()]


for compact in ("auto", "always", "never"):
    cells, peak = measure(compact)
    bar = 1.2 * cells + (64 << 20)
    print(f"{compact}: {cells} bytes of cells, {peak} at most, bar {bar:.0f}")
    if (peak <= bar) != (compact != "never"):
        sys.exit(f"{compact}: expected "
                 f"{'more' if compact == 'never' else 'at most'} {bar:.0f}")
print("narrow: ok")
