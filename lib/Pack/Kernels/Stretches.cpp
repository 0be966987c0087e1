//===- Stretches.cpp - Consecutive runs of equal length -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the lengths: a stretch continues while cutting its runs into
// blocks of their common divisor results in few more blocks than runs.
//
//===----------------------------------------------------------------------===//

#include "Stretches.h"

#include <numeric>

using namespace sluice::pack::kernels;

static constexpr size_t shortestStretch = 32;

/// The longest stretch of one unit from `begin`.
static Stretch stretchFrom(const std::vector<int64_t> &lengths, size_t begin) {
  Stretch stretch = {begin, begin, lengths[begin]};
  int64_t bytes = 0;
  for (; stretch.end != lengths.size(); ++stretch.end) {
    int64_t length = lengths[stretch.end];
    int64_t unit = std::gcd(stretch.unit, length);
    auto runs = int64_t(stretch.end - begin + 1);
    if ((bytes + length) / unit > runs + runs / 2)
      break;
    bytes += length;
    stretch.unit = unit;
  }
  return stretch;
}

std::vector<Stretch>
sluice::pack::kernels::stretchesOf(const std::vector<int64_t> &lengths) {
  std::vector<Stretch> stretches;
  for (size_t begin = 0; begin != lengths.size();) {
    Stretch stretch = stretchFrom(lengths, begin);
    begin = stretch.end;
    if (stretch.end - stretch.begin < shortestStretch)
      stretch.unit = 0;
    if (stretch.unit == 0 && !stretches.empty() && stretches.back().unit == 0)
      stretches.back().end = stretch.end;
    else
      stretches.push_back(stretch);
  }
  return stretches;
}
