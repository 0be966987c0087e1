# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians of paired ratios, their bounds, and when to look at them.

The bounds of a median are two of the ordered values (order statistics): with
n independent values, as many lie below their median as heads fall in n throws
of a coin, whatever the distribution is. So the k-th smallest is above the
median with the probability of fewer than k heads, which is summed up exactly.
Fewer than six values have no bounds of 95 %.

Who looks after 15 rounds, and again after more until something is decided,
is wrong more often than who looks once. So the 5 % are divided among the
looks that may happen: whichever of them decides, and however it came to that,
all of their bounds hold together with 95 % (Bonferroni's inequality).
"""

import dataclasses
import math

ERROR = 0.05         # both sides together
FEWEST_JUDGED = 15   # rounds
TAIL = ERROR / 2


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


@dataclasses.dataclass
class Ratio:
    """The median of paired ratios, with bounds of that median: 0 and infinity
    where there are too few values for any. `count` values made it."""

    median: float
    lower: float
    upper: float
    count: int = 0

    def text(self):
        if math.isinf(self.upper) and self.lower == 0:
            return f"{shown(self.median)} [no bounds]"
        return (f"{shown(self.median)} [{shown(self.lower)}, "
                f"{shown(self.upper)}]")


def shown(value):
    """Two decimals, but two digits of small values."""
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def bound_rank(count, tail=TAIL):
    """The largest k for which the k-th smallest of `count` values is above
    the median with a probability of at most `tail`; 0 if there is none."""
    below = 0.0
    for k in range(count + 1):
        below += math.comb(count, k) / 2 ** count
        if below > tail:
            return k
    return count


def bounded(values, lower_tail=TAIL, upper_tail=TAIL):
    """The median of the values with its bounds."""
    ordered = sorted(values)
    count = len(ordered)
    low, high = bound_rank(count, lower_tail), bound_rank(count, upper_tail)
    return Ratio(median(ordered), ordered[low - 1] if low else 0.0,
                 ordered[-high] if high else math.inf, count)


def paired(slower, faster):
    """How many times `faster` is as fast as `slower`, round by round."""
    return [a / b for a, b in zip(slower, faster)]


def paired_ratio(slower, faster, tail=TAIL):
    return bounded(paired(slower, faster), tail, tail)


def least_ratio(groups, tail=TAIL):
    """Of several lists of ratios, the least median, and bounds of it.

    Its lower bound is the least of the lower bounds, which needs no
    correction: where it is too high, so is that of the truly least one. Its
    upper bound is the least of the upper ones, any of which may be too low:
    they share the tail. Returns the ratio and the index of its list.
    """
    found = [bounded(values, tail, tail / len(groups)) for values in groups]
    index = min(range(len(found)), key=lambda i: found[i].median)
    return Ratio(found[index].median, min(r.lower for r in found),
                 min(r.upper for r in found),
                 min(r.count for r in found)), index


def looks(rounds, most):
    """After how many rounds to look: `rounds`, then twice as many each time,
    at last `most`."""
    counts = [rounds]
    while counts[-1] < most:
        counts.append(min(2 * counts[-1], most))
    return counts


REACHED, MISSED, UNDECIDED = "reached", "missed", "undecided"
NO_OPPONENT = "no opponent"


def verdict_of(ratio, factor):
    """What a bar says: the speed must be `factor` times the other one's."""
    if ratio is None:
        return NO_OPPONENT
    if ratio.count < FEWEST_JUDGED:
        return UNDECIDED
    if ratio.lower >= factor:
        return REACHED
    return MISSED if ratio.upper < factor else UNDECIDED
