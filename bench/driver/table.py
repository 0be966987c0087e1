# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a row is, and how its programs are measured against each other."""

import dataclasses
import math
import time
import typing

from .program import Program, WrongResult, median, warm_up
from .ratios import Ratio, paired_ratio

QUICK_WARM_UP = 0.1  # of the warm-up's time
FEWEST = 3           # rounds, however long they take

@dataclasses.dataclass
class Bar:
    """`Sluice must reach `factor` times the speed of `against`.

    `against` names a program, or is "best": the peer with the best median, of
    those listed in `among` if any are. With `limit`, a time in seconds, that is
    what is reached instead; `extra` seconds are granted on top of the other
    program's.
    """

    against: str
    factor: float
    limit: float = 0.0
    among: tuple = ()
    extra: float = 0.0


@dataclasses.dataclass
class Row:
    name: str
    title: str
    unit: str
    scale: float  # displayed = work / seconds * scale
    bars: list = dataclasses.field(default_factory=list)
    is_time: bool = False  # displayed = seconds * scale
    peer_row: str = ""  # the peers' name of it, where it differs

    def display(self, work, seconds):
        value = seconds if self.is_time else work / seconds
        return value * self.scale


@dataclasses.dataclass
class Entry:
    """One program in one row."""

    label: str
    program: Program
    row_name: str
    environment: dict = dataclasses.field(default_factory=dict)
    is_ours: bool = False
    is_again: bool = False  # a second process of the first program
    is_judged: bool = True  # bars of ours hold for it; of peers: may be "best"
    warm_seconds: float = 0.3
    work: float = 0.0
    times: list = dataclasses.field(default_factory=list)
    problem: str = ""

    def median(self):
        return median(self.times)


@dataclasses.dataclass
class Verdict:
    label: str
    against: str
    ratio: Ratio
    factor: float

    @property
    def passed(self):
        return self.ratio.upper >= self.factor


@dataclasses.dataclass
class Result:
    row: Row
    entries: list
    verdicts: list
    trips: list
    spread: typing.Optional[Ratio]
    notes: list


def attempt(entry, action):
    """Runs `action`; a wrong result takes the entry out of the row."""
    if entry.problem:
        return
    try:
        action()
    except WrongResult as error:
        entry.problem = str(error)


def prepare(entry, is_quick=False):
    def action():
        entry.work = entry.program.prepare(entry.row_name)
        seconds = entry.warm_seconds * (QUICK_WARM_UP if is_quick else 1)
        warm_up(entry.program, seconds, 20 * seconds)
    attempt(entry, action)


def measure_round(entries, number):
    """One interleaved round; who goes first rotates."""
    shift = number % len(entries)
    for entry in entries[shift:] + entries[:shift]:
        attempt(entry, lambda: entry.times.append(entry.program.run()))


def finish(entry):
    attempt(entry, entry.program.check)
    if entry.problem:
        entry.times.clear()
    else:
        entry.program.release()


def best_peer(entries, among=()):
    peers = [e for e in entries if e.times and e.is_judged and
             not e.is_ours and not e.is_again and
             (not among or e.label in among)]
    return min(peers, key=Entry.median, default=None)


def shown_time(seconds):
    return f"{seconds:g} s" if seconds >= 0.1 else f"{seconds * 1e9:.0f} ns"


def opponent(bar, entries):
    """The label and the times that a bar compares with."""
    if bar.limit:
        rounds = max((len(e.times) for e in entries), default=0)
        return f"{bar.against} ({shown_time(bar.limit)})", [bar.limit] * rounds
    if bar.against == "best":
        peer = best_peer(entries, bar.among)
        missing = " or ".join(bar.among) or bar.against
        return (peer.label, peer.times) if peer else (missing, [])
    named = [e for e in entries if e.label == bar.against and e.times]
    times = [t + bar.extra for t in named[0].times] if named else []
    if bar.extra:
        return f"{bar.against} + {shown_time(bar.extra)}", times
    return bar.against, times


def judge(row, entries):
    """Every bar of the row, for every variant of ours that was measured."""
    verdicts, notes = [], []
    for bar in row.bars:
        label, times = opponent(bar, entries)
        if not times:
            notes.append(f"no numbers of '{label}' to compare with")
            continue
        for ours in entries:
            if (ours.is_ours and ours.is_judged and not ours.is_again and
                    ours.times):
                ratio = paired_ratio(times, ours.times)
                verdicts.append(Verdict(ours.label, label, ratio, bar.factor))
    return verdicts, notes


def spread(entries):
    """The first program against a second process of itself."""
    again = [e for e in entries if e.is_again and e.times]
    if not again:
        return None
    name = again[0].label.removesuffix(" again")
    first = [e for e in entries if e.label == name and e.times]
    return paired_ratio(first[0].times, again[0].times) if first else None


def measure(row, entries, rounds, round_trip, say, is_quick=False,
            seconds=math.inf):
    """Measures a row. After `seconds` no further round begins, except that
    there are always three: on a busy machine some programs take very long."""
    start = time.monotonic()
    for entry in entries:
        say(f"{row.name}: {entry.label}")
        prepare(entry, is_quick)
    trips = []
    for number in range(rounds):
        if number >= FEWEST and time.monotonic() - start > seconds:
            break
        say(f"{row.name}: round {number + 1} of {rounds}")
        trips.append(round_trip.run() * 1e9 if round_trip else 0.0)
        running = [e for e in entries if not e.problem]
        if running:
            measure_round(running, number)
    for entry in entries:
        finish(entry)
    verdicts, notes = judge(row, entries)
    if len(trips) < rounds:
        notes.append(f"{len(trips)} of {rounds} rounds in {seconds:.0f} s")
    return Result(row, entries, verdicts, trips, spread(entries), notes)
