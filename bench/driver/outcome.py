# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What running a benchmark gives."""

import dataclasses
import math


@dataclasses.dataclass
class Outcome:
    """Rows, sweeps, facts about the programs, and what could not be run.

    Rows that `tables` hold are in `results` too.
    """

    results: list
    facts: dict
    missing: list
    sweeps: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    tables: list = dataclasses.field(default_factory=list)
    scales: list = dataclasses.field(default_factory=list)
    scalings: list = dataclasses.field(default_factory=list)
    problems: list = dataclasses.field(default_factory=list)  # beyond rows

    def verdicts(self):
        return [verdict for part in [*self.results, *self.sweeps, *self.tables,
                                   *self.scales, *self.scalings]
                for verdict in part.verdicts]

    def rows(self):
        return [*self.results, *(r for s in self.sweeps for r in s.results)]

    def is_complete(self):
        """Whether no row was left out because the time was spent."""
        return (all(row.entries for row in self.rows()) and
                not any("not measured" in note for note in self.notes))

    def has_wrong_results(self):
        return bool(self.problems) or any(
            e.problem for row in self.rows() for e in row.entries)

    def has_failed(self):
        return (self.has_wrong_results() or
                not all(verdict.passed for verdict in self.verdicts()))


def ratio_json(ratio):
    """Bounds that do not exist are null."""
    if ratio is None:
        return None
    def finite(value):
        return value if math.isfinite(value) else None
    return {"median": finite(ratio.median), "lower": ratio.lower or None,
            "upper": finite(ratio.upper), "rounds": ratio.count}


def verdict_json(verdict):
    return {"program": verdict.label, "against": verdict.against,
            "required": verdict.factor, "verdict": verdict.word,
            "ratio": ratio_json(verdict.ratio)}
