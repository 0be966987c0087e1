#!/usr/bin/env python3
# `./dev demo`: develops a raw picture and says what happened.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   1. `sluice build` makes an executable of the example 'camera'.
#   2. It develops the tulip picture, on one worker and on all in turn; the
#      example itself compares every byte with plain loops.
#   3. One more run writes a timeline; `sluice graph` draws the graph.

import argparse
import glob
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROUNDS = 3
CAMERA = "examples/camera"
DATA = [f"{CAMERA}/data/raw_tulip-small.bin", f"{CAMERA}/data/NikonD7000"]
TIMED = re.compile(r"developed (\d+x\d+) in ([\d.]+) ms")


def call(command, **settings):
    """Runs a command; on failure shows its output and ends the demo."""
    result = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if result.returncode:
        sys.stdout.write(result.stdout)
        words = " ".join(str(word) for word in command)
        sys.exit(f"demo: '{words}' ended with exit code {result.returncode}")
    return result.stdout


def develop(app, picture, repetitions, **settings):
    """Runs camera; returns the picture's size and the milliseconds it took."""
    out = call([app, *DATA, picture, repetitions], **settings)
    match = TIMED.search(out)
    if not match or "camera: ok" not in out:
        sys.exit(f"demo: camera did not check its result:\n{out}")
    return match[1], float(match[2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    app = options.out / "camera"
    picture = options.out / "tulips.png"
    graph = options.out / "graph.svg"
    trace = options.out / "trace.json"
    sources = sorted(glob.glob(f"{CAMERA}/*.cpp"))

    call([options.sluice, "build", *sources, "-lpng", "-o", app])
    call([options.sluice, "graph", *sources, "-o", graph])

    workers = len(os.sched_getaffinity(0))
    one, all_ = [], []
    for _ in range(ROUNDS):
        one.append(develop(app, picture, 3, SLUICE_WORKERS="1")[1])
        size, time = develop(app, picture, 3, SLUICE_WORKERS=str(workers))
        all_.append(time)
    develop(app, picture, 1, SLUICE_TRACE=str(trace))

    one, all_ = statistics.median(one), statistics.median(all_)
    print(f"developed  {picture}, {size} pixels, byte for byte as plain loops")
    print(f"graph      {graph}")
    print(f"timeline   {trace} (open it in ui.perfetto.dev)")
    print(f"1 worker   {one:8.1f} ms")
    print(f"{workers} workers  {all_:8.1f} ms, {one / all_:.2f} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
