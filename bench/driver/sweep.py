# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from large down to nothing: efficiency, and where it is one half."""

import dataclasses
import math

from .ratios import TAIL, UNDECIDED, bounded, median, paired_ratio
from .outcome import verdict_json
from .table import Verdict

HALF = 0.5


@dataclasses.dataclass
class Sweep:
    """One pattern of a grid with kernels of several sizes.

    `results` holds a row for each of `grains`, the kernels' times in seconds
    in ascending order. The rows' times are per task, and the program `ideal`
    does nothing but the kernels.
    """

    name: str
    title: str
    grains: list
    results: list
    ideal: str
    threads: int
    verdicts: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)

    def labels(self):
        seen = {e.label: None for r in self.results for e in r.entries}
        return [label for label in seen if label != self.ideal]

    def drawn(self):
        """What the curves show: each program once."""
        again = {e.label for r in self.results for e in r.entries if e.is_again}
        return [label for label in self.labels() if label not in again]

    def times(self, index, label):
        """The times of a program at one grain, round by round."""
        named = [e for e in self.results[index].entries if e.label == label]
        return named[0].times if named else []

    def efficiency(self, index, label):
        """Ideal over actual time, or None without numbers."""
        ideal, actual = self.times(index, self.ideal), self.times(index, label)
        return paired_ratio(ideal, actual) if ideal and actual else None

    def metg(self, label):
        """The minimum effective task granularity of every round.

        As Task Bench defines it: the smallest time that a core spends on
        average per task, overhead included, at which half of it is the task's
        own. Seconds; infinite if no grain gets there.
        """
        rounds = min((len(self.times(i, label)) and
                      len(self.times(i, self.ideal)))
                     for i in range(len(self.results)))
        return [half_point(
            [self.times(i, self.ideal)[r] / self.times(i, label)[r]
             for i in range(len(self.results))],
            [self.times(i, label)[r] * self.threads
             for i in range(len(self.results))]) for r in range(rounds)]

    def grain_at_half(self, label):
        """The kernel's time at half efficiency: of what was measured, the
        median; None without numbers."""
        shares = [self.efficiency(i, label) for i in range(len(self.results))]
        if not shares or None in shares:
            return None
        return half_point([share.median for share in shares], self.grains)

    def judge(self, label, against, tail=TAIL):
        """METG below that of `against`, in paired rounds."""
        self.verdicts = [v for r in self.results for v in r.verdicts]
        if not against:
            return
        ours, theirs = self.metg(label), self.metg(against)
        ratio = ratio_of(theirs, ours, tail) if ours and theirs else None
        self.verdicts.append(Verdict(label, f"{against}, METG(50 %)", ratio,
                                     1.0))

    def is_undecided(self):
        return any(verdict.word == UNDECIDED for verdict in self.verdicts)

    def extend(self, more):
        """Adds the rounds of the same rows, measured once more."""
        for result, other in zip(self.results, more):
            result.trips += other.trips
            for entry, again in zip(result.entries, other.entries):
                entry.times += again.times
                entry.problem = entry.problem or again.problem


def ratio_of(larger, smaller, tail=TAIL):
    """Like paired_ratio for values that may be infinite: who never reaches
    half reaches no bar."""
    return bounded([0.0 if math.isinf(b) else a / b
                    for a, b in zip(larger, smaller)], tail, tail)


def half_point(shares, values):
    """Where `shares`, over ascending sizes, come to one half: the value there,
    interpolated in its logarithm.

    The first crossing counts: other programs on the machine make a share
    smaller, never larger. The smallest value if the first share is above,
    infinite if none is.
    """
    above = next((i for i, share in enumerate(shares) if share >= HALF), None)
    if above is None:
        return math.inf
    if above == 0:
        return values[0]
    low, high = shares[above - 1], shares[above]
    part = (HALF - low) / (high - low)
    if values[above - 1] <= 0:
        return values[above] * part
    below = math.log(values[above - 1])
    return math.exp(below + part * (math.log(values[above]) - below))


def time_text(seconds):
    if math.isinf(seconds):
        return "never"
    for unit, scale in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def metg_text(times):
    """The median and its bounds."""
    if not times:
        return "-"
    found = bounded(times)
    if found.lower == 0 and math.isinf(found.upper):
        return f"{time_text(found.median)} [no bounds]"
    return (f"{time_text(found.median)} "
            f"[{time_text(found.lower)}, {time_text(found.upper)}]")


def print_sweep(sweep):
    labels = sweep.labels()
    width = max(len(label) for label in labels)
    print(f"\n{sweep.title}  [efficiency: ideal / actual time]")
    heads = "".join(f"{time_text(grain):>8}" for grain in sweep.grains)
    print(f"  {'kernel':{width}}{heads}  {'grain at 50 %':>13}  METG(50 %)")
    for label in labels:
        cells = ""
        for index in range(len(sweep.grains)):
            share = sweep.efficiency(index, label)
            cells += f"{share.median:8.2f}" if share else f"{'-':>8}"
        grain = sweep.grain_at_half(label)
        grain = time_text(grain) if grain is not None else "-"
        print(f"  {label:{width}}{cells}  {grain:>13}  "
              f"{metg_text(sweep.metg(label))}")
    for entry, problem in problems(sweep):
        print(f"  {entry}: NO NUMBERS: {problem}")
    for verdict in sweep.verdicts:
        print(f"  {verdict.text()}")
    fewest = min(len(result.trips) for result in sweep.results)
    if 0 < fewest < max(len(result.trips) for result in sweep.results):
        print(f"  note: only {fewest} rounds of some kernels: the machine is "
              "busy")
    for note in sweep.notes:
        print(f"  note: {note}")


def problems(sweep):
    """Programs with wrong results, each once."""
    found = {e.label: e.problem for r in sweep.results for e in r.entries
             if e.problem}
    return list(found.items())


def sweep_json(sweep):
    def finite(values):
        return [None if math.isinf(v) else v for v in values]
    return {
        "name": sweep.name, "title": sweep.title, "ideal": sweep.ideal,
        "kernelSeconds": sweep.grains,
        "programs": [
            {"label": label, "isAgain": label not in
             [sweep.ideal, *sweep.drawn()],
             "secondsPerTask": [sweep.times(i, label)
                                for i in range(len(sweep.grains))],
             "efficiency": [share and share.median for share in
                            (sweep.efficiency(i, label)
                             for i in range(len(sweep.grains)))],
             "metgSeconds": finite(sweep.metg(label)),
             "metg": metg_text(sweep.metg(label))}
            for label in [sweep.ideal, *sweep.labels()]],
        "bars": [verdict_json(verdict) for verdict in sweep.verdicts],
        "problems": [{"label": label, "problem": problem}
                     for label, problem in problems(sweep)],
        "notes": sweep.notes}
