# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All tables one after another: `bench --all`."""

import json
import os
import signal
import subprocess
import sys
import time

from . import publish, report
from .toolchain import BENCH

# In this order: what says most first. Minutes on two cores; a table that is
# not done after twice its time leaves out what is left.
TABLES = {"taskgraph": 5, "nd": 6, "stream": 4, "device": 4, "rdir": 25,
          "taskgraph-apps": 5, "pack": 7, "hpvm": 3, "cluster": 18, "apps": 40,
          "polybench": 60}
GRACE = 10          # minutes for the row that is being measured then
SHARE_NEEDED = 0.3  # of a table's minutes, or it is not begun


def estimate_text(names=tuple(TABLES)):
    parts = ", ".join(f"{name} {TABLES[name]}" for name in names)
    return f"{sum(TABLES[name] for name in names)} minutes ({parts})"


def is_done(options, name, mark):
    """Whether its results are complete, and of this build."""
    path = options.output / f"{name}.json"
    if options.again or not path.exists():
        return False
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    here = content["machine"]
    return (content["isComplete"] and here["source"] == mark and
            here["rounds"] == options.rounds and
            here["mostRounds"] == options.most_rounds and
            here["threads"] == options.threads and
            here["rows"] == options.rows_of.get(name, []) and
            here["peers"] == options.peers)


def command(options, name, minutes):
    given = [sys.executable, BENCH / "run.py", name, "-o", options.output,
             "--rounds", options.rounds, "--most-rounds", options.most_rounds,
             "--threads", options.threads, "--seed", options.seed,
             "--minutes", f"{minutes:.2f}"]
    for flag, values in (("--rows", options.rows_of.get(name)),
                         ("--peers", options.peers)):
        if values:
            separator = "," if flag == "--rows" else ";"
            given += [flag, separator.join(values) + separator]
    if options.sluice:
        given += ["--sluice", options.sluice]
    if options.quick:
        given.append("--quick")
    return [str(part) for part in given]


def run_command(arguments, seconds):
    """The exit code; a table in which a program hangs is ended with all of
    its programs."""
    with subprocess.Popen(arguments, start_new_session=True) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "none: it hung, and was ended"
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def run(options):
    """Measures what is missing; returns the exit code."""
    names = [name for name in TABLES
             if not options.rows_of or name in options.rows_of]
    start, mark, failed = time.monotonic(), report.source_mark(), []
    print(f"all tables: about {estimate_text(names)}", flush=True)
    busy = report.busy_share(3.0)
    if options.publish and busy > report.QUIET and not options.busy:
        print(f"bench: error: other programs take {busy:.0%} of the "
              "processors; nothing is published from a busy machine, unless "
              "with '--busy'", file=sys.stderr)
        return 1
    for name in names:
        if is_done(options, name, mark):
            print(f"{name}: done before", flush=True)
        else:
            passed = (time.monotonic() - start) / 60
            left = options.minutes - passed if options.minutes else 1e9
            if left < SHARE_NEEDED * TABLES[name]:
                print(f"{name}: not begun: {max(left, 0):.0f} of "
                      f"{options.minutes:g} minutes are left", flush=True)
                failed.append(name)
                continue
            print(f"{name}: about {TABLES[name]} minutes; {passed:.0f} have "
                  "passed", flush=True)
            begun = time.time()
            minutes = min(left, 2 * TABLES[name])
            code = run_command(command(options, name, minutes),
                               60 * (minutes + GRACE))
            path = options.output / f"{name}.json"
            print(f"{name}: {(time.time() - begun) / 60:.1f} minutes",
                  flush=True)
            if not path.exists() or path.stat().st_mtime < begun:
                print(f"bench: error: '{name}' wrote no results, exit code "
                      f"{code}", file=sys.stderr)
                failed.append(name)
                continue
        if options.publish:
            publish.publish(options.output, name, options.docs)
            print(f"{name}: published", flush=True)
    print(f"{(time.monotonic() - start) / 60:.0f} minutes; "
          f"{len(names) - len(failed)} of {len(names)} tables")
    return 1 if failed else 0
