# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""overlaps.py FILE FIRST LAST: by the timeline of a stream in stages, an item's
first stage has begun on rank 0 before the last stage of the item before has ended
on another rank, once at least."""
import json
import sys

path, first, last = sys.argv[1:]
events = json.load(open(path))["traceEvents"]
names = {e["pid"]: e["args"]["name"] for e in events
         if e["ph"] == "M" and e["name"] == "process_name"}


def chunks(node, is_home):
    """Of a node on rank 0 or elsewhere, in order: when each began and ended."""
    found = [(e["ts"], e["ts"] + e["dur"]) for e in events
             if e["ph"] == "X" and e.get("cat") == "chunk" and
             names[e["pid"]].startswith("rank 0 ") == is_home and
             e["name"].endswith(node)]
    return sorted(found)


begins, ends = chunks(first, True), chunks(last, False)
# The first items ran on rank 0 as a whole.
begins = begins[len(begins) - len(ends):]
if len(ends) < 2:
    sys.exit(f"{path}: {len(ends)} items had their last stage elsewhere")
count = sum(begins[i + 1][0] < ends[i][1] for i in range(len(ends) - 1))
if not count:
    sys.exit(f"{path}: no two of {len(ends)} items overlap")
print("items overlap")
