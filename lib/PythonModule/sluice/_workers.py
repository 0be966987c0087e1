"""The workers of runs that begin within tasks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import contextlib
import operator
import os
import sys
import threading

from . import _core
from ._errors import RunError

_MOST_WORKERS = 1024
_lock = threading.Lock()
_running = collections.Counter()  # number of runs, by their number of workers


def _default():
    text = os.environ.get("SLUICE_WORKERS", "")
    return int(text) if text.isdigit() and int(text) else len(
        os.sched_getaffinity(0))


def check_workers(workers):
    """The number of workers that was asked for, if there may be so many."""
    if not 0 <= operator.index(workers) <= _MOST_WORKERS:
        raise ValueError(f"{workers} workers, expected a number from 0, for all "
                         f"processors, to {_MOST_WORKERS}")
    return workers


def is_in_task():
    tasks = sys.modules.get("sluice_tasks")
    return tasks is not None and tasks.is_in_task()


@contextlib.contextmanager
def use(workers, name):
    """The number of workers for a run that was asked for so many.

    A graph that is run by a task waits for workers while the task holds one of
    them, perhaps the last. Runs with equal numbers of workers share them, so it
    gets another number; results are the same for all of them.
    """
    if _core.is_worker():
        raise RunError(
            f"graph '{name}' is run by a task while another task runs a graph; "
            "run one of them outside of tasks")
    if is_in_task() and os.environ.get("SLUICE_RECORD"):
        raise RunError(
            f"graph '{name}' is run by a task of a graph that is recorded, "
            "which is done one graph after another; run it outside of tasks, "
            "or without SLUICE_RECORD")
    count = workers or _default()
    with _lock:
        if is_in_task():
            fewer = range(count - 1, 0, -1)
            more = range(count + 1, count + 1025)
            count = next(n for n in (count, *fewer, *more) if not _running[n])
            workers = count
        _running[count] += 1
    try:
        yield workers
    finally:
        with _lock:
            _running[count] -= 1
