#!/usr/bin/env python3
# `./dev demo`: develops a raw picture, finds the edges in a pan over it, makes a
# radar's picture, and says what happened.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   1. `sluice build` makes executables of the examples 'camera' and 'edges'.
#   2. 'camera' develops the tulip picture, on one worker and on all in turn;
#      the example itself compares every byte with plain loops.
#   3. 'edges' streams 300 frames that pan over the developed picture, on one
#      worker and on two in turn, and writes every 100th; one more run compares
#      every tenth with plain loops.
#   4. One more run of each writes a timeline; `sluice graph` draws the graphs.
#   5. The meta-program of 'radar' is compiled, where Halide is installed. It
#      runs its task graph, compares the picture with plain loops, and makes an
#      executable, which is run on one worker and on all in turn.

import argparse
import glob
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROUNDS = 3
FRAMES = 300
CAMERA = "examples/camera"
EDGES = "examples/edges"
RADAR = "examples/radar"
HALIDE = "/usr/include/halide14"
COMPILER = "/usr/lib/llvm-22/bin/clang++"
DATA = [f"{CAMERA}/data/raw_tulip-small.bin", f"{CAMERA}/data/NikonD7000"]
TIMED = re.compile(r"developed (\d+x\d+) in ([\d.]+) ms")
POINTS = re.compile(r"(\d+) points in (\d+x\d+) pixels: differs by (\S+) dB")
STREAMED = re.compile(
    rf"{FRAMES} frames of (\d+x\d+), ([\d.]+) frames/s, (\d+) in flight"
)


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


def build(sluice, folder, app, graph):
    """Makes an executable of an example, and a picture of its graph."""
    sources = sorted(glob.glob(f"{folder}/*.cpp"))
    call([sluice, "build", *sources, "-lpng", "-o", app])
    call([sluice, "graph", *sources, "-o", graph])


def develop(app, picture, repetitions, **settings):
    """Runs camera; returns the picture's size and the milliseconds it took."""
    out = call([app, *DATA, picture, repetitions], **settings)
    match = TIMED.search(out)
    if not match or "camera: ok" not in out:
        sys.exit(f"demo: camera did not check its result:\n{out}")
    return match[1], float(match[2])


def demo_camera(sluice, out, picture):
    """Develops the picture, and says how long that took."""
    app, graph, trace = out / "camera", out / "graph.svg", out / "trace.json"
    build(sluice, CAMERA, app, graph)
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


def stream(app, picture, *options, **settings):
    """Runs edges; returns the frames' size, how many a second, and how many
    were in flight at most."""
    out = call([app, "--pan", FRAMES, *options, picture], **settings)
    match = STREAMED.search(out)
    if not match or ("--check" in options and "edges: ok" not in out):
        sys.exit(f"demo: edges did not do what it was asked to:\n{out}")
    return match[1], float(match[2]), int(match[3])


def demo_edges(sluice, out, picture):
    """Streams a pan over the picture, and says how many frames a second."""
    app, graph = out / "edges", out / "edges.svg"
    trace, frames = out / "edges.json", out / "edges%03d.png"
    build(sluice, EDGES, app, graph)
    one, two = [], []
    for _ in range(ROUNDS):
        one.append(stream(app, picture, SLUICE_WORKERS="1")[1])
        size, rate, flying = stream(app, picture, SLUICE_WORKERS="2")
        two.append(rate)
    checked = ["--check", "--every", 10]
    stream(app, picture, *checked, SLUICE_WORKERS="2")
    out_trace = {"SLUICE_WORKERS": "2", "SLUICE_TRACE": str(trace)}
    call([app, "--pan", FRAMES, "--every", 100, picture, frames], **out_trace)

    one, two = statistics.median(one), statistics.median(two)
    print(f"streamed   {FRAMES} frames of {size} over {picture}")
    print(f"edges      {frames}, every tenth byte for byte as plain loops")
    print(f"graph      {graph}")
    print(f"timeline   {trace}")
    print(f"1 worker   {one:8.1f} frames/s")
    print(f"2 workers  {two:8.1f} frames/s, {two / one:.2f} times as fast")
    print(f"in flight  {flying:6d}   frames at most, pushed and not yet popped")


def meta_program(lib, folder, app):
    """Compiles a meta-program and its generators."""
    sources = sorted(glob.glob(f"{folder}/*.cpp"))
    call([COMPILER, "-std=c++17", *sources, "-I", "include", "-isystem", HALIDE,
          "-L", lib, f"-Wl,-rpath,{lib.resolve()}", "-lSluiceTaskGraph",
          "-lHalide14", "-o", app])


def seconds_of(command, **settings):
    start = time.perf_counter()
    call(command, **settings)
    return time.perf_counter() - start


def demo_radar(sluice, out):
    """Makes the picture of a radar by a task graph of Halide kernels."""
    if not os.path.exists(HALIDE):
        print("radar      needs Halide: apt-get install libhalide14-0-dev")
        return
    meta, app, graph = out / "radar-meta", out / "radar", out / "radar.svg"
    picture, trace = out / "radar.bmp", out / "radar.json"
    meta_program(sluice.parent.parent / "lib", RADAR, meta)
    text = call([meta, picture])
    match = POINTS.search(text)
    if not match or "radar: ok" not in text:
        sys.exit(f"demo: radar did not check its result:\n{text}")
    call([meta, picture, "-o", graph])
    build = [meta, picture, "-o", app]
    call(build)
    again = seconds_of(build)
    workers = str(len(os.sched_getaffinity(0)))
    one, all_ = [], []
    for _ in range(ROUNDS):
        one.append(seconds_of([app], SLUICE_WORKERS="1"))
        all_.append(seconds_of([app], SLUICE_WORKERS=workers))
    call([app], SLUICE_TRACE=str(trace))

    one, all_ = statistics.median(one), statistics.median(all_)
    print(f"radar      {picture}, {match[2]} pixels, {match[1]} points found; "
          f"within {match[3]} dB of plain loops")
    print(f"graph      {graph}")
    print(f"timeline   {trace}")
    print(f"again      {again * 1e3:8.1f} ms to build the executable once more")
    print(f"1 worker   {one * 1e3:8.1f} ms, from start to end")
    print(f"{workers} workers  {all_ * 1e3:8.1f} ms, {one / all_:.2f} times as "
          "fast")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    picture = options.out / "tulips.png"
    demo_camera(options.sluice, options.out, picture)
    print()
    demo_edges(options.sluice, options.out, picture)
    print()
    demo_radar(options.sluice, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
