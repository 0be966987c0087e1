# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What running a benchmark gives."""

import dataclasses


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

    def verdicts(self):
        return [verdict for part in [*self.results, *self.sweeps, *self.tables,
                                   *self.scales]
                for verdict in part.verdicts]

    def has_wrong_results(self):
        parts = [*self.results, *(r for s in self.sweeps for r in s.results)]
        return any(e.problem for part in parts for e in part.entries)

    def has_failed(self):
        return (self.has_wrong_results() or
                not all(verdict.passed for verdict in self.verdicts()))
