"""Says what a timeline of SLUICE_TRACE shows of a device and of the host.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: trace.py FILE DEVICE

Fails if events of one row overlap without one holding the other.
"""

import json
import sys

path, device = sys.argv[1:]
with open(path) as file:
    trace = json.load(file)
events = trace["traceEvents"] if isinstance(trace, dict) else trace
names = {e["pid"]: e["args"]["name"] for e in events
         if e.get("ph") == "M" and e["name"] == "process_name"}
there = [pid for pid, name in names.items() if name.split()[0] == device]
runs = [e for e in events if e.get("ph") == "X"]


def of(*categories):
    return [e for e in runs if e["pid"] in there and e["cat"] in categories]


def check_rows():
    rows = {}
    for event in runs:
        rows.setdefault((event["pid"], event["tid"]), []).append(event)
    for row in rows.values():
        row.sort(key=lambda e: (e["ts"], -e["dur"]))
        ends = []
        for event in row:
            while ends and ends[-1] <= event["ts"] + 1e-3:
                ends.pop()
            end = event["ts"] + event["dur"]
            if ends and end > ends[-1] + 1e-3:
                sys.exit(f"'{event['name']}' overlaps another event of its row")
            ends.append(end)


check_rows()
on_host = [e for e in runs if e["pid"] not in there and e["cat"] == "chunk"]
print(f"{len(of('kernel'))} kernels on {device}")
print(f"{len(on_host)} runs of nodes on the host")
print(f"{len(of('upload'))} uploads, {len(of('download'))} downloads")
