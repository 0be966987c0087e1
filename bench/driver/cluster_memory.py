# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The row of `bench cluster` about memory: that of a rank beside its cells."""

import os
import re
import subprocess

from . import cluster_programs as programs, ours, toolchain
from .ratios import FEWEST_JUDGED, Ratio
from .table import Result, Row, Verdict

LABEL = "Sluice, 4 ranks"
BAR = "1.2 times its cells and 64 MB"
ROW = Row("memory", "memory of a rank that has columns narrower than pages",
          "MB", 1e-6, [])
SOURCES = [toolchain.ROOT / f"test/Cluster/Inputs/narrow.{end}"
           for end in ("mlir", "cpp")]


def measure(compiler, options, compact):
    """(bytes of cells, bytes at most) of the largest rank, or what went
    wrong."""
    environment = {**os.environ, **ours.environment(options.output, 1),
                   **programs.SETTINGS, "SLUICE_COMPACT": compact,
                   "SLUICE_MPIRUN": f"mpirun.{programs.MPI.name}"}
    done = subprocess.run([str(part) for part in
                           (compiler, "run", "--ranks=4", *SOURCES)],
                          env=environment, capture_output=True, text=True)
    found = re.search(r"^0 cells wrong, (\d+) bytes .*, (\d+) bytes at most$",
                      done.stdout, re.MULTILINE)
    if done.returncode or not found:
        return None, (done.stdout + done.stderr).strip()
    return [int(number) for number in found.groups()], ""


def run(compiler, options, outcome):
    if options.rows and ROW.name not in options.rows:
        return
    found, problem = measure(compiler, options, "auto")
    if not found:
        outcome.missing.append(f"{ROW.name}: {problem}")
        return
    cells, peak = found
    bar = 1.2 * cells + (64 << 20)
    # The same pages each time.
    ratio = Ratio(bar / peak, bar / peak, bar / peak, FEWEST_JUDGED)
    notes = [f"{LABEL}: at most {peak / 1e6:.0f} MB a rank, of which "
             f"{cells / 1e6:.0f} MB are its cells; bar {bar / 1e6:.0f} MB"]
    whole, _ = measure(compiler, options, "never")
    if whole:
        notes.append(f"with SLUICE_COMPACT=never: {whole[1] / 1e6:.0f} MB")
    outcome.results.append(Result(ROW, [], [Verdict(LABEL, BAR, ratio, 1.0)],
                                  [], None, notes))
