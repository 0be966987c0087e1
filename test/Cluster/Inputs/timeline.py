# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""timeline.py FILE RANKS [LATEST]: the timeline of several ranks is one, and each
message has its arrow, which does not lead back in time by more than LATEST
microseconds (0)."""
import json
import sys

path, ranks = sys.argv[1], int(sys.argv[2])
latest = float(sys.argv[3]) if len(sys.argv) > 3 else 0
events = json.load(open(path))["traceEvents"]


def check(holds, what):
    if not holds:
        sys.exit(f"{path}: {what}")


names = {e["pid"]: e["args"]["name"] for e in events
         if e["ph"] == "M" and e["name"] == "process_name"}
for rank in range(ranks):
    check(any(name.startswith(f"rank {rank} on '") for name in names.values()),
          f"no process of rank {rank}: {names}")
    check(any(e["ph"] == "X" and e.get("cat") in ("task", "chunk") and
              names[e["pid"]].startswith(f"rank {rank} ") for e in events),
          f"no task of rank {rank}")
ends = {"s": {}, "f": {}}
for event in events:
    if event["ph"] in ends and event["cat"] == "message":
        check(event["id"] not in ends[event["ph"]], f"two of {event['id']}")
        ends[event["ph"]][event["id"]] = event
check(ends["s"] and ends["s"].keys() == ends["f"].keys(),
      "arrows without a begin or an end")
for name, begin in ends["s"].items():
    end = ends["f"][name]
    check(begin["pid"] != end["pid"], f"{name} stays on its rank")
    check(begin["ts"] <= end["ts"] + latest, f"{name} leads back in time: "
          f"{begin['ts']} to {end['ts']}")
    for event in (begin, end):
        check(any(e["ph"] == "X" and e.get("cat") == "message" and
                  (e["pid"], e["tid"]) == (event["pid"], event["tid"]) and
                  e["ts"] - 0.001 <= event["ts"] <= e["ts"] + e["dur"] + 0.001
                  for e in events), f"{name} is at no message")
print(f"{len(ends['s'])} arrows")
