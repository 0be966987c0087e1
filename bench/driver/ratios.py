# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians of paired ratios with distribution-free bounds."""

import dataclasses
import math

from .program import median


@dataclasses.dataclass
class Ratio:
    """The median of paired ratios, with the 95 % bounds of that median."""

    median: float
    lower: float
    upper: float

    def text(self):
        return (f"{shown(self.median)} [{shown(self.lower)}, "
                f"{shown(self.upper)}]")


def shown(value):
    """Two decimals, but two digits of small values."""
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def bound_rank(count):
    """The largest k for which the k-th smallest and k-th largest of `count`
    values enclose the median with at least 95 % probability; 1 if none does.
    """
    below = 0.0
    for k in range(count + 1):
        below += math.comb(count, k) / 2 ** count
        if below > 0.025:
            return max(k, 1)
    return 1


def paired_ratio(slower, faster):
    """How many times `faster` is as fast as `slower`, round by round."""
    ratios = sorted(a / b for a, b in zip(slower, faster))
    rank = bound_rank(len(ratios))
    return Ratio(median(ratios), ratios[rank - 1], ratios[-rank])
