# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times over the number of simulated ranks, and how they are shown."""

import dataclasses

from .outcome import verdict_json
from .ratios import FEWEST_JUDGED, Ratio
from .table import Verdict

WEAK, STRONG = "weak", "strong"  # as much for each rank, or in all


@dataclasses.dataclass
class Scaling:
    """On one network, by ascending ranks: seconds of a sweep, by program."""

    network: str
    kind: str
    work: list   # seconds of a sweep without messages, for each number of ranks
    points: dict = dataclasses.field(default_factory=dict)  # by ranks
    verdicts: list = dataclasses.field(default_factory=list)

    @property
    def label(self):
        return f"{self.network}, {self.kind} scaling"

    def efficiency(self, ranks, label):
        index = list(self.points).index(ranks)
        return self.work[index] / self.points[ranks][label]

    def judge(self, label, against, ratio, factor):
        """A simulation gives the same each time: the bounds are the value."""
        self.verdicts.append(Verdict(
            label, against,
            ratio and Ratio(ratio, ratio, ratio, FEWEST_JUDGED), factor))


def print_scaling(scaling):
    labels = list(next(iter(scaling.points.values())))
    width = max(map(len, labels))
    print(f"\nsimulated sweeps: {scaling.label}  [us a sweep, and the share "
          "that is not messages]")
    print(f"  {'ranks':{width}}" + "".join(f"{n:>16}" for n in scaling.points))
    for label in labels:
        cells = "".join(
            f"{point[label] * 1e6:9.1f} ({scaling.efficiency(ranks, label):.2f})"
            .rjust(16) for ranks, point in scaling.points.items())
        print(f"  {label:{width}}{cells}")
    for verdict in scaling.verdicts:
        print(f"  {verdict.text()}")


def scaling_json(scaling):
    return {"network": scaling.network, "kind": scaling.kind,
            "points": [{"ranks": ranks, "work": work, "seconds": point}
                       for work, (ranks, point) in zip(scaling.work,
                                                       scaling.points.items())],
            "bars": [verdict_json(verdict) for verdict in scaling.verdicts]}
