# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""failures.py SLUICE SOURCE FOLDER MPI CASE [SEED]: what becomes of a program on
several ranks when one of them is killed, stands still, or is merely slow.

Every case waits for what happens, and looks at the message, the status, and what
is left behind: processes, temporary files and MPI's memory.
"""
import atexit
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

sluice, source, folder, mpi, case, seed = (sys.argv + ["1"])[1:7]
chance = random.Random(f"{case} {seed}")
folder = pathlib.Path(folder)
(folder / "tmp").mkdir(parents=True, exist_ok=True)
inputs = pathlib.Path(__file__).parent
RANK = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[mpi]
RANKS = {"openmpi": 3, "mpich": 2}[mpi]
HOST = re.escape(os.uname().nodename)
TASK = r"( in task '[\w/]+'( at point \([\d, ]+\))?)?"
LOST = rf"rank {{}} on '{HOST}' has not answered for \S+ s: {{}}(; it was last{TASK})?"
NOT_STARTED = r"rank \d+ has waited for others for \S+ s: MPI has not started all of them"


def environment(process):
    try:
        words = pathlib.Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return {}
    return dict(word.split("=", 1) for word in
                words.decode(errors="replace").split("\0") if "=" in word)


def state(process):
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return "X"
    return text.rsplit(")", 1)[1].split()[0]


def descendants(process):
    children = []
    for file in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children += [int(word) for word in file.read_text().split()]
        except OSError:
            pass  # it has ended
    return children + [d for child in children for d in descendants(child)]


class Run:
    """A program under `sluice run`, and what it says."""

    def __init__(self, program, arguments, deadline, extra={}, ranks=RANKS):
        self.out, self.err = folder / "out", folder / "err"
        settings = {**os.environ, "SLUICE_MPIRUN": f"mpirun.{mpi}",
                    "SLUICE_WORKERS": "1", "TMPDIR": str(folder / "tmp"),
                    "SLUICE_CLUSTER_DEADLINE": str(deadline), **extra}
        self.numRanks = ranks
        atexit.register(self.finish)
        with open(self.out, "w") as out, open(self.err, "w") as err:
            self.process = subprocess.Popen(
                [sluice, "run", f"--ranks={ranks}", *program, "--", *arguments],
                env=settings, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def finish(self):
        """Whatever became of it, nothing stays."""
        if self.process.poll() is None:
            for process in [*descendants(self.process.pid), self.process.pid]:
                os.kill(process, signal.SIGKILL)

    def ranks(self):
        """Their processes, when all are there."""
        while True:
            found = {}
            for process in descendants(self.process.pid):
                number = environment(process).get(RANK)
                if number is not None and state(process) not in "XZ":
                    found[int(number)] = process
            if len(found) == self.numRanks:
                self.all = found
                self.job = environment(found[0]).get("OMPI_MCA_ess_base_jobid")
                return found
            if self.process.poll() is not None:
                fail(f"ended early\n{self.err.read_text()}")
            time.sleep(0.01)

    def end(self, status, pattern):
        found = self.process.wait(timeout=600)
        text = self.err.read_text()
        lines = [line for line in text.splitlines() if line]
        if found != status:
            fail(f"status {found}, expected {status}\n{text}")
        if pattern is None and lines:
            fail(f"said\n{text}")
        if pattern is not None and (
                len(lines) != 1 or
                not re.fullmatch("sluice: error: " + pattern, lines[0])):
            fail(f"said\n{text}instead of {pattern}")
        # Processes that were killed are gone a moment later.
        end = time.monotonic() + 600
        while any(state(p) not in "XZ" for p in self.all.values()):
            if time.monotonic() > end:
                fail("ranks are left")
            time.sleep(0.01)
        # What MPI's launcher removes goes when it ends, as well.
        while self.left():
            if time.monotonic() > end:
                fail(f"left behind: {self.left()}")
            time.sleep(0.01)

    def left(self):
        """Files of the job that are there."""
        left = [path for path in (folder / "tmp").rglob("*")
                if not path.is_dir()]
        if self.job:
            job = f"{int(self.job):x}"
            left += [p for p in pathlib.Path("/dev/shm").iterdir()
                     if job in p.name]
        return left


def fail(text):
    sys.exit(f"{case}, seed {seed}: {text}")


def halo(deadline):
    files = [f"{source}/examples/halo/halo.{end}" for end in ("mlir", "cpp")]
    return Run(files, ["--n=64", "--rounds=1000000000"], deadline)


def stream(deadline):
    """A stream through stages, with 64 KB an item. What a launcher leaves that
    is slow to end is looked at with the other programs."""
    run = Run(["--no-transforms", str(inputs / "large_items.cpp")],
              ["1000000000", "3000", "4"], deadline)
    run.left = lambda: []
    return run


def line(how, deadline, extra={}):
    return Run([str(inputs / "line.mlir"), str(inputs / "line.c")],
               [f"--how={how}"], deadline, extra, ranks=2)


def killed(program=halo):
    run = program(10)
    ranks = run.ranks()
    victim = chance.randrange(RANKS)
    time.sleep(chance.random() * 2)
    os.kill(ranks[victim], signal.SIGKILL)
    # MPICH kills the other one, too, and may name that.
    named = victim if mpi == "openmpi" else "[01]"
    run.end(137, rf"rank {named} on '{HOST}' was ended by signal 9 \(Killed\){TASK}")


def stopped(program=halo):
    run = program(1)
    ranks = run.ranks()
    victim = chance.randrange(RANKS)
    time.sleep(chance.random() * 2)
    os.kill(ranks[victim], signal.SIGSTOP)
    # Others know which process it is once it has said so.
    reason = "it is stopped(, or its machine or the link to it is down)?"
    run.end(124, f"({LOST.format(victim, reason)}|{NOT_STARTED})")


def suspended():
    """All ranks are stopped, and go on after a while: nobody is lost."""
    run = halo(2)
    ranks = run.ranks()
    time.sleep(1)
    for process in ranks.values():
        os.kill(process, signal.SIGSTOP)
    time.sleep(5)
    for process in ranks.values():
        os.kill(process, signal.SIGCONT)
    time.sleep(3)
    if run.process.poll() is not None:
        fail(f"ended\n{run.err.read_text()}")
    # Whoever ends the tool ends the ranks.
    run.process.send_signal(signal.SIGTERM)
    run.end(143, None)


def slow():
    """A task that takes several times as long as a rank may be silent."""
    run = line(4, 1)
    run.ranks()
    run.end(0, None)
    if run.out.read_text() != "sum 1240\n":
        fail(run.out.read_text())


def memory():
    """The system ends a rank that has no more memory."""
    group = pathlib.Path("/sys/fs/cgroup/memory")
    limit = "memory.limit_in_bytes"
    if not group.is_dir():
        group, limit = pathlib.Path("/sys/fs/cgroup"), "memory.max"
    group /= f"sluice-test-{os.getpid()}"
    group.mkdir()
    try:
        (group / limit).write_text(str(100 << 20))
        begin = folder / "begin"
        run = line(5, 10, {"SLUICE_TEST_BEGIN": str(begin)})
        ranks = run.ranks()
        (group / "cgroup.procs").write_text(str(ranks[1]))
        begin.touch()
        run.end(137, rf"rank 1 on '{HOST}' was ended by signal 9 \(Killed\) in "
                r"task 'start' at point \(3\): there was no more memory for it")
    finally:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


{"killed": killed, "stopped": stopped, "suspended": suspended, "slow": slow,
 "memory": memory, "killed-stream": lambda: killed(stream),
 "stopped-stream": lambda: stopped(stream)}[case]()
print(f"{case}: ok")
