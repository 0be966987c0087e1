# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""two_machines.py SLUICE SOURCE FOLDER CASE [WIRE]: programs on two ranks that
stand on two machines (machines.py).

cut     the wire is cut while the ranks run: the program ends, with a message
bytes   what crosses the wire is what has to, and the packets' heads
slow    over a wire with delay and loss the result is the same
"""
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from machines import Machines

sluice, source, folder, case = sys.argv[1:5]
folder = pathlib.Path(folder)
examples = pathlib.Path(source) / "examples"
(folder / "tmp").mkdir(parents=True, exist_ok=True)
SETTINGS = {"SLUICE_MPIRUN": "mpirun.openmpi", "SLUICE_WORKERS": "1",
            "TMPDIR": str(folder / "tmp")}


def fail(text):
    sys.exit(f"{case}: {text}")


def command(machines, name, *arguments):
    files = [str(examples / name / f"{name}.{end}") for end in ("mlir", "cpp")]
    return [sluice, "run", "--ranks=2", f"--hostfile={machines.hostfile}",
            *files, "--", *arguments]


def output(machines, name, *arguments, environment={}):
    process = machines.start(command(machines, name, *arguments),
                             {**SETTINGS, **environment},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
    text, _ = process.communicate(timeout=600)
    if process.returncode != 0:
        fail(f"status {process.returncode}\n{text}")
    return text


def alone(name, *arguments):
    files = [str(examples / name / f"{name}.{end}") for end in ("mlir", "cpp")]
    return subprocess.run([sluice, "run", *files, "--", *arguments], check=True,
                          capture_output=True, text=True).stdout


def cut():
    with Machines(folder) as machines:
        process = machines.start(
            command(machines, "halo", "--n=64", "--rounds=1000000000"),
            {**SETTINGS, "SLUICE_CLUSTER_DEADLINE": "2"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Until ranks talk.
        last = time.monotonic() + 600
        while machines.bytes_sent(0) < 1000000:
            if process.poll() is not None:
                fail(f"ended early\n{process.stderr.read()}")
            if time.monotonic() > last:
                process.terminate()
                fail(f"no rank talks\n{process.communicate()}")
            time.sleep(0.05)
        machines.cut()
        begin = time.monotonic()
        _, text = process.communicate(timeout=600)
        print(f"ended after {time.monotonic() - begin:.1f} s")
        expected = (r"sluice: error: rank 1 on 'second' has not answered for "
                    r"\S+ s: it is stopped, or its machine or the link to it is "
                    r"down; it was last in task '\w+' at point \(\d+, \d+\)\n")
        if not re.fullmatch(expected, text) or process.returncode != 124:
            fail(f"status {process.returncode}\n{text}")
        if left := machines.wait_until_empty():
            fail("left: " + "; ".join(
                pathlib.Path(f"/proc/{p}/cmdline").read_text().replace("\0", " ")
                for p in left))
        # A daemon of Open MPI that has to be killed leaves files of its own.
        left = [p for p in (folder / "tmp").rglob("*")
                if not p.is_dir() and "/ompi." not in str(p)]
        if left:
            fail(f"left behind: {left}")


def bytes_between():
    """60 sweeps of 512 cells a row each way, and what is once a run."""
    arguments = ["--n=512"]
    with Machines(folder) as machines:
        counts = []
        for rounds in (2, 102):
            before = machines.bytes_sent(1)
            output(machines, "halo", *arguments, f"--rounds={rounds}",
                   environment={"SLUICE_CLUSTER_DEADLINE": "0"})
            counts.append(machines.bytes_sent(1) - before)
        sent = counts[1] - counts[0]
        least = 100 * 20 * 512 * 8
        print(f"{sent} bytes on the wire, {least} of edges")
        if not least <= sent <= 1.15 * least:
            fail("more than edges and the heads of packets")


def slow():
    wire = [sys.argv[5], "2000", "10"]  # 2 ms, one packet of 100
    with Machines(folder, wire) as machines:
        for name, arguments in (("cg", ("--rows=900", "--entries=4380",
                                        "--pieces=4")),
                                ("halo", ("--n=100", "--rounds=2"))):
            found, expected = output(machines, name, *arguments), alone(
                name, *arguments)
            if found != expected:
                fail(f"{name}: {found} instead of {expected}")


{"cut": cut, "bytes": bytes_between, "slow": slow}[case]()
print(f"{case}: ok")
