"""Records what runs do, and draws it as rows of a timeline."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import html
import json
import os

from . import _core
from ._errors import RunError
from ._show import temporary

_COLORS = ("#a6c8e4", "#f3c99b", "#b5d8a8", "#e3b7cf", "#cfc4e8", "#f0e3a1",
           "#a8dcd4", "#e0b8a8")


class Trace:
    """The timeline of all runs of this process; made by :func:`trace`."""

    def __init__(self, path):
        self.path = path

    def events(self):
        """The events so far, as Chrome's trace format has them."""
        with temporary(".json") as path:
            self.write(path)
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
        return found["traceEvents"] if isinstance(found, dict) else found

    def write(self, path):
        """Writes the timeline so far; ui.perfetto.dev opens it."""
        try:
            _core.write_trace(os.fspath(path))
        except _core.RunError as error:
            raise RunError(str(error)) from None

    def svg(self):
        """A row for each thread and device, the text of an SVG file."""
        return draw(self.events())

    def _repr_svg_(self):
        return self.svg()


def trace(path):
    """Records all runs from now on: ``path`` has the timeline when the process
    ends. To be called before the first run. The result shows in a notebook what
    there is so far."""
    path = os.path.abspath(os.fspath(path))
    os.environ["SLUICE_TRACE"] = path
    return Trace(path)


def draw(events):
    """Draws the rows of a timeline."""
    names, rows = {}, {}
    for event in events:
        row = event.get("pid", 0), event.get("tid", 0)
        if event.get("ph") == "M" and event.get("name") == "thread_name":
            names[row] = event["args"]["name"]
        elif event.get("ph") == "X":
            rows.setdefault(row, []).append(event)
    spans = [event for row in rows.values() for event in row]
    if not spans:
        return ('<svg xmlns="http://www.w3.org/2000/svg" width="300" '
                'height="30"><text x="5" y="20">nothing has run</text></svg>')
    begin = min(event["ts"] for event in spans)
    end = max(event["ts"] + event.get("dur", 0) for event in spans)
    scale = 900 / max(end - begin, 1e-3)
    known = sorted({event["name"] for event in spans})
    lines = []
    for number, row in enumerate(sorted(rows)):
        top = 8 + 26 * number
        label = html.escape(str(names.get(row, row[1])))
        lines.append(f'<text x="4" y="{top + 15}">{label}</text>')
        lines += [_box(event, top, begin, scale, known) for event in rows[row]]
    height = 8 + 26 * len(rows) + 20
    lines.append(f'<text x="120" y="{height - 4}">'
                 f"{(end - begin) / 1000:.3f} ms</text>")
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="1030" '
            f'height="{height}" font-family="sans-serif" font-size="11">'
            + "".join(lines) + "</svg>")


def _box(event, top, begin, scale, known):
    left = 120 + (event["ts"] - begin) * scale
    width = max(event.get("dur", 0) * scale, 1)
    name = html.escape(event["name"])
    color = _COLORS[known.index(event["name"]) % len(_COLORS)]
    text = ""
    if width > 7 * len(event["name"]):
        text = f'<text x="{left + 3:.1f}" y="{top + 15}">{name}</text>'
    return (f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="20" '
            f'fill="{color}" stroke="#666" stroke-width="0.5"><title>{name}: '
            f'{event.get("dur", 0):.1f} us</title></rect>{text}')
