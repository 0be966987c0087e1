# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pieces.py SLUICE FOLDER MPI CASE: what pieces.mlir writes on several ranks, and
what is left of it when it fails.

whole: the file is the one that follows from the input, on any number of ranks.
fails: a rank is killed, makes a mistake, crashes or exits; the old file stays.
full: the disk is full; FOLDER is on a small one.
far: far.mlir instead, whose array has more bytes than any memory.
"""
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys

sluice, folder, mpi, case = sys.argv[1:5]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
inputs = pathlib.Path(__file__).parent
source, target = folder / "in", folder / "out"
NUMBERS = {"openmpi": [1, 2, 3, 5], "mpich": [1, 2]}[mpi]


def run(ranks, *arguments, name="pieces"):
    settings = {**os.environ, "SLUICE_MPIRUN": f"mpirun.{mpi}",
                "IN": str(source), "OUT": str(target), "SLUICE_WORKERS": "1"}
    command = [sluice, "run", *([f"--ranks={ranks}"] if ranks > 1 else []),
               str(inputs / f"{name}.mlir"), str(inputs / f"{name}.c"), "--",
               *arguments]
    done = subprocess.run(command, env=settings, capture_output=True,
                          text=True, check=False)
    status = done.returncode
    return status if status >= 0 else 128 - status, done.stdout, done.stderr


def fail(text):
    sys.exit(f"{case}: {text}")


def make_input(rows, columns):
    chance = random.Random(rows * 1000 + columns)
    numbers = [float(chance.randrange(1 << 20)) for _ in range(rows * columns)]
    source.write_bytes(struct.pack(f"{len(numbers)}d", *numbers))
    x = [n + 1000 * (i // columns) + i % columns for i, n in enumerate(numbers)]
    y = [int(n) * k for n in x for k in (1, 2, 3)]
    total = 0.0
    for i, number in enumerate(x):
        total += number * (i % 13)
    return (f"{rows:7} {columns:7}\n".encode() + struct.pack(f"{len(x)}d", *x) +
            struct.pack(f"{len(y)}i", *y)), f"{total:.17g}\n"


def whole():
    for rows, columns in [(37, 41), (3, 5), (1, 64), (64, 5)]:
        content, printed = make_input(rows, columns)
        for ranks in NUMBERS:
            target.write_bytes(b"old" * 100000)
            status, out, err = run(ranks, f"--rows={rows}",
                                   f"--columns={columns}")
            if status or err:
                fail(f"{ranks} ranks: status {status}\n{err}")
            if float(out) != float(printed):
                fail(f"{ranks} ranks: {out} instead of {printed}")
            if target.read_bytes() != content:
                fail(f"{ranks} ranks: the file is another one")
            check_names()


def check_names():
    names = sorted(os.listdir(folder))
    if names != ["in", "out"]:
        fail(f"left behind: {names}")


def expect_old(ranks, arguments, statuses, words):
    target.write_bytes(b"old")
    status, _, err = run(ranks, *arguments)
    if status not in statuses:
        fail(f"{ranks} ranks, {arguments}: status {status}\n{err}")
    for word in words:
        if word not in err:
            fail(f"{ranks} ranks, {arguments}: not {word!r} in\n{err}")
    if target.read_bytes() != b"old":
        fail(f"{ranks} ranks, {arguments}: the old file is gone")
    check_names()


def fails():
    make_input(37, 41)
    place = "in task 'store' at point (2)"
    for ranks in NUMBERS[:3]:
        many = ranks > 1
        if many:
            expect_old(ranks, ["--how=1"], [128 + signal.SIGKILL],
                       ["was ended by signal 9 (Killed)", "'store'"])
        expect_old(ranks, ["--how=2"], [1],
                   ["sluice: error: task 'store' at point (2): ",
                    "there is no byte 9223372036854775807 + "])
        expect_old(ranks, ["--how=3"], [128 + signal.SIGSEGV], [])
        expect_old(ranks, ["--how=4"], [9], [place] if many else [])
    source.write_bytes(source.read_bytes()[:-1])
    for ranks in NUMBERS[:3]:
        expect_old(ranks, [], [1], ["sluice: error: task 'load' at point (2, 1): "
                                    f"cannot read '{source}': it ends at byte "
                                    "12135, and "])


def full():
    make_input(37, 41)
    for ranks in NUMBERS[:2]:
        # As much as x needs is there, and not what y needs.
        expect_old(ranks, [], [1], ["sluice: error: task 'store' at point (",
                                    f"cannot write '{target}': No space left"])


def far():
    count, spots = 1 << 33, {}
    with open(source, "wb") as file:
        for color in range(8):
            at = (count // 8 * color + 12345) * 8
            numbers = [float(color * 1000 + i) for i in range(1000)]
            file.seek(at)
            file.write(struct.pack("1000d", *numbers))
            spots[at] = struct.pack("1000d", *[2 * n for n in numbers])
    for ranks in NUMBERS:
        status, _, err = run(ranks, name="far")
        if status or err:
            fail(f"{ranks} ranks: status {status}\n{err}")
        with open(target, "rb") as file:
            for at, content in spots.items():
                file.seek(at)
                if file.read(8000) != content:
                    fail(f"{ranks} ranks: another content at byte {at}")
                if any(file.read(8000)):
                    fail(f"{ranks} ranks: something behind byte {at + 8000}")
        if os.stat(target).st_blocks * 512 > 10 << 20:
            fail("what nobody wrote takes room")
        check_names()


{"far": far, "whole": whole, "fails": fails, "full": full}[case]()
print(f"{case}: ok")
