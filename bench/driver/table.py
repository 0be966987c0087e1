# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a row is, and how its programs are measured against each other."""

import dataclasses
import math
import random
import time
import typing

from .program import Program, WrongResult, warm_up
from .ratios import (FEWEST_JUDGED, NO_OPPONENT, REACHED, TAIL, UNDECIDED,
                     Ratio, least_ratio, looks, median, paired, paired_ratio,
                     verdict_of)

NOT_MEASURED = "not measured: out of time"
QUICK_WARM_UP = 0.1  # of the warm-up's time


@dataclasses.dataclass
class Bar:
    """`Sluice must reach `factor` times the speed of `against`.

    `against` names a program, or is "best": every peer, or every one of those
    listed in `among`. With `limit`, a time in seconds, that is what is reached
    instead; `extra` seconds are granted on top of the other program's. A
    program that is not there is an error, but for the `optional` ones, of
    which some rows have none. `of` names which of our programs must reach it;
    without, all that are judged.
    """

    against: str
    factor: float
    limit: float = 0.0
    among: tuple = ()
    extra: float = 0.0
    optional: tuple = ()
    of: str = ""


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
    """What one bar says; `ratio` is None where the opponent has no numbers."""

    label: str
    against: str
    ratio: typing.Optional[Ratio]
    factor: float
    bar: typing.Optional[Bar] = None

    @property
    def word(self):
        return verdict_of(self.ratio, self.factor)

    @property
    def passed(self):
        return self.word == REACHED

    def text(self):
        if self.ratio is None:
            return (f"{NO_OPPONENT.upper()}  {self.label}: no numbers of "
                    f"'{self.against}' to compare with")
        return (f"{self.word.upper() if not self.passed else self.word}  "
                f"{self.label}: {self.ratio.text()} of {self.against}, bar "
                f"{self.factor:.2f}")


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


def prepare(entry, options):
    def action():
        entry.work = entry.program.prepare(entry.row_name)
        if options.check:
            return
        seconds = entry.warm_seconds * (QUICK_WARM_UP if options.quick else 1)
        warm_up(entry.program, seconds, 20 * seconds)
    attempt(entry, action)


def measure_round(entries, order):
    """One interleaved round, in an order of its own."""
    for entry in order.sample(entries, len(entries)):
        attempt(entry, lambda: entry.times.append(entry.program.run()))


def finish(entry):
    attempt(entry, entry.program.check)
    if entry.problem:
        entry.times.clear()
    else:
        entry.program.release()


def peers_of(entries, among=()):
    """Those that may be the best, or those of the names in `among`."""
    return [e for e in entries if e.times and e.is_judged and
            not e.is_ours and not e.is_again and
            (not among or e.label in among)]


def best_peer(entries, among=()):
    return min(peers_of(entries, among), key=Entry.median, default=None)


def shown_time(seconds):
    return f"{seconds:g} s" if seconds >= 0.1 else f"{seconds * 1e9:.0f} ns"


def opponents(bar, entries):
    """What a bar compares with: labels and times."""
    if bar.limit:
        rounds = max((len(e.times) for e in entries), default=0)
        return [(f"{bar.against} ({shown_time(bar.limit)})",
                 [bar.limit] * rounds)] if rounds else []
    if bar.against == "best":
        return [(peer.label, peer.times)
                for peer in peers_of(entries, bar.among)]
    extra = f" + {shown_time(bar.extra)}" if bar.extra else ""
    return [(bar.against + extra, [time + bar.extra for time in e.times])
            for e in entries if e.label == bar.against and e.times]


def needed(bar, options, entries):
    """The programs without which the bar says nothing, and whether it says
    something at all: the user may have chosen other peers."""
    names = bar.among if bar.against == "best" else (bar.against,)
    if bar.limit or not names:
        return (), True
    if options.peers:
        labels = {*options.peers, *(e.label for e in entries)}
        names = [name for name in names if name in labels]
    return [n for n in names if n not in bar.optional], bool(names)


def compare(bar, entries, ours, tail=TAIL, names=()):
    """The ratio to the bar's best opponent and its label, or (None, label) if
    there is none, or one of `names` has no numbers."""
    there = {e.label for e in entries if e.times}
    for name in names:
        if name not in there:
            return None, name
    found = opponents(bar, entries)
    if not found:
        return None, " or ".join(bar.among) or bar.against
    ratio, index = least_ratio([paired(times, ours.times)
                                for _, times in found], tail)
    return ratio, found[index][0]


def held_for(bar, entries):
    """Our programs that must reach the bar."""
    return [e for e in entries if e.is_ours and not e.is_again and
            (e.label == bar.of if bar.of else e.is_judged)]


def judge(row, entries, options, tail=TAIL):
    """Every bar of the row, for every variant of ours that was measured."""
    verdicts, notes, judged = [], [], []
    for bar in row.bars:
        judged = held_for(bar, entries)
        names, says_something = needed(bar, options, entries)
        if not says_something:
            notes.append("a bar is left out: its opponent was not chosen")
            continue
        for ours in judged:
            if not ours.times:
                verdicts.append(Verdict(ours.label, ours.label, None,
                                        bar.factor, bar))
                continue
            ratio, label = compare(bar, entries, ours, tail, names)
            verdicts.append(Verdict(ours.label, label, ratio, bar.factor,
                                    bar))
    if row.bars and not judged:
        verdicts.append(Verdict("Sluice", "Sluice", None, row.bars[0].factor))
    return verdicts, notes


def spread(entries):
    """The first program against a second process of itself."""
    again = [e for e in entries if e.is_again and e.times]
    if not again:
        return None
    name = again[0].label.removesuffix(" again")
    first = [e for e in entries if e.label == name and e.times]
    return paired_ratio(first[0].times, again[0].times) if first else None


def is_over(options):
    """Whether the time that the user gave is spent."""
    return bool(options.deadline) and time.time() > options.deadline


def check_row(row, entries, options, say):
    """Every program computes what the oracle does; nothing is timed."""
    entries = [entry for entry in entries if not entry.is_again]
    for entry in entries:
        say(f"{row.name}: {entry.label}")
        prepare(entry, options)
        if not entry.problem:
            entry.program.release()
    return Result(row, entries, [], [], None, [])


class Rounds:
    """The rounds of one row."""

    def __init__(self, row, entries, options, round_trip, say, seconds):
        self.row, self.entries, self.options = row, entries, options
        self.round_trip, self.say = round_trip, say
        self.end = time.monotonic() + seconds
        self.order = random.Random(f"{options.seed} {row.name}")
        self.trips = []

    def is_late(self):
        """Only what makes bounds narrower may be left out."""
        return len(self.trips) >= min(FEWEST_JUDGED, self.options.rounds) \
            and (time.monotonic() > self.end or is_over(self.options))

    def run_until(self, count):
        while len(self.trips) < count and not self.is_late():
            self.say(f"{self.row.name}: round {len(self.trips) + 1} of "
                     f"{count}")
            self.trips.append(self.round_trip.run() * 1e9
                              if self.round_trip else 0.0)
            running = [e for e in self.entries if not e.problem]
            if running:
                measure_round(running, self.order)


def measure(row, entries, options, round_trip, say, seconds=math.inf,
            most_rounds=0):
    """Measures a row until its bars are decided, at most `most_rounds`.

    After `seconds` no round begins beyond the least number.
    """
    if options.check:
        return check_row(row, entries, options, say)
    if is_over(options):
        return Result(row, [], [], [], None, [NOT_MEASURED])
    rounds = Rounds(row, entries, options, round_trip, say, seconds)
    # Where arrays lie in memory can make a program twice as slow, and who asks
    # first may get the same places each time.
    for entry in rounds.order.sample(entries, len(entries)):
        say(f"{row.name}: {entry.label}")
        prepare(entry, options)
    counts = looks(options.rounds, most_rounds or options.most_rounds)
    tail = TAIL / len(counts)
    for count in counts:
        rounds.run_until(count)
        verdicts, notes = judge(row, entries, options, tail)
        if not any(v.word == UNDECIDED for v in verdicts):
            break
        if len(rounds.trips) < count:
            notes.append(f"{len(rounds.trips)} rounds of {counts[-1]}: out of "
                         "time")
            break
    for entry in entries:
        finish(entry)
    verdicts, more = judge(row, entries, options, tail)
    return Result(row, entries, verdicts, rounds.trips, spread(entries),
                  list(dict.fromkeys([*notes, *more])))
