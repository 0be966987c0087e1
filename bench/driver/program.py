# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A benchmark program that stays running between its rounds."""

import ctypes
import os
import pathlib
import signal
import subprocess
import time

from .ratios import median


# Another library's folder, and a slower kernel than the processor has.
NOT_INHERITED = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


class WrongResult(Exception):
    """The program's result differs from the oracle, or it died."""


class Program:
    """Talks to one process, in the protocol of common/harness.h.

    The process is stopped whenever it is not at work, so that threads that
    spin after a parallel region take no time from the next program. (Not so
    one started by another program, say mpirun: it must not spin by itself,
    or what it has started is stopped.)
    """

    def __init__(self, name, command, environment=None, is_launcher=False,
                 stops_ranks=False):
        self.name = name
        self.is_launcher = is_launcher  # its children are the program itself
        self.stops_ranks = stops_ranks  # and are stopped in its place
        full = {**os.environ, **(environment or {})}
        for name in NOT_INHERITED:
            full.pop(name, None)
        # Whatever ends this process ends the program too, which may be stopped.
        end = signal.SIGTERM if is_launcher else signal.SIGKILL
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1, env=full,
            preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, end))
        self.stop()

    def send(self, number):
        if not self.is_launcher:
            self.process.send_signal(number)
        for rank in self.children() if self.stops_ranks else ():
            try:
                os.kill(rank, number)
            except ProcessLookupError:
                pass  # it has just ended

    def children(self):
        """The processes that it has started."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        try:
            return [int(child) for task in tasks.iterdir()
                    for child in (task / "children").read_text().split()]
        except OSError:
            return []

    def stop(self):
        self.send(signal.SIGSTOP)

    def ask(self, command):
        self.send(signal.SIGCONT)
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            status = self.process.wait()
            raise WrongResult(f"'{self.name}' ended with status {status} "
                              f"instead of answering '{command}'")
        self.stop()
        word, _, rest = answer.partition(" ")
        if word == "wrong":
            raise WrongResult(f"'{self.name}' computed {rest}")
        return rest

    def prepare(self, row):
        """Allocates and checks; returns the work of one repetition."""
        return float(self.ask(f"prepare {row}"))

    def run(self):
        """One round; returns seconds per repetition."""
        return float(self.ask("run"))

    def check(self):
        self.ask("check")

    def release(self):
        self.ask("release")

    def libraries(self):
        return list(dict.fromkeys(self.ask("libraries").split()))

    def has_children(self):
        """True while a process it started, say a compiler, is at work."""
        return not self.is_launcher and bool(self.children())

    def quit(self):
        if self.process.poll() is None:
            self.send(signal.SIGCONT)
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()


def warm_up(program, at_least, at_most):
    """Runs rounds until the times settle and no helper is at work.

    Programs that specialise themselves do so in the background during their
    first launches; this waits for the code that stays.
    """
    start = time.monotonic()
    times = []
    while True:
        times.append(program.run())
        passed = time.monotonic() - start
        if passed > at_most:
            return
        if passed < at_least or len(times) < 6 or program.has_children():
            continue
        if median(times[-3:]) > 0.9 * median(times[-6:-3]):
            return
