//===- CoordinateLines.cpp - Values along one coordinate ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that repeat are computed once, and those that are not asked for cost
// no memory.
//
//===----------------------------------------------------------------------===//

#include "CoordinateLines.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::regions;

static Wide floorOf(Wide a, Wide b) {
  const auto narrowA = int64_t(a), narrowB = int64_t(b);
  if (narrowA == a && narrowB == b && narrowA != INT64_MIN)
    return narrowA / narrowB -
           (narrowA % narrowB != 0 && (narrowA < 0) != (narrowB < 0));
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static Wide remainderOf(Wide a, Wide b) { return a - floorOf(a, b) * b; }

Wide CoordinateLine::quotient(int64_t x) const {
  return floorOf(Wide(factor) * x + rest, divisor);
}

Wide CoordinateLine::value(int64_t x) const {
  return modulus ? remainderOf(quotient(x), modulus) : quotient(x);
}

/// Values repeat after so many x; factor and modulus are not 0.
Wide CoordinateLine::period() const {
  const Wide whole = Wide(modulus) * divisor;
  Wide a = factor < 0 ? -factor : factor, b = whole % a;
  while (b != 0)
    std::swap(a, b), b %= a;
  return whole / a;
}

void sluice::regions::tidy(CoordinateRanges &intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const CoordinateRange &a, const CoordinateRange &b) {
              return a.begin < b.begin;
            });
  size_t size = 0;
  for (const CoordinateRange &each : intervals) {
    if (each.begin >= each.end)
      continue;
    if (size && each.begin <= intervals[size - 1].end)
      intervals[size - 1].end = std::max(intervals[size - 1].end, each.end);
    else
      intervals[size++] = each;
  }
  intervals.resize(size);
}

/// low <= quotient < high for some number from `least` to `most` that is added
/// to the sum; the factor is not 0.
CoordinateRange CoordinateLine::solveQuotient(CoordinateRange range, Wide low,
                                              Wide high, Wide least,
                                              Wide most) const {
  // The sum lies in [low * divisor, high * divisor).
  const Wide first = low * divisor - rest - most;
  const Wide limit = high * divisor - rest - least;
  Wide begin, end;
  if (factor > 0) {
    begin = -floorOf(-first, factor);
    end = -floorOf(-limit, factor);
  } else {
    begin = floorOf(limit, factor) + 1;
    end = floorOf(first, factor) + 1;
  }
  return {int64_t(std::clamp<Wide>(begin, range.begin, range.end)),
          int64_t(std::clamp<Wide>(end, range.begin, range.end))};
}

void CoordinateLine::solve(CoordinateRange range, CoordinateRange values,
                           CoordinateRanges &out) const {
  if (range.begin >= range.end)
    return;
  if (modulus == 0 && factor != 0) {
    out.push_back(solveQuotient(range, values.begin, values.end));
    return;
  }
  if (modulus)
    values.end = std::min(values.end, modulus);
  if (values.begin >= values.end)
    return;
  if (modulus && values.end - values.begin == modulus) {
    out.push_back(range);
    return;
  }
  if (factor == 0) {
    if (Wide first = value(range.begin);
        first >= values.begin && first < values.end)
      out.push_back(range);
    return;
  }
  const Wide step = period();
  if (range.end - range.begin < 2 * step)
    return solvePeriods(range, values, out);
  CoordinateRanges pattern;
  const int64_t size = int64_t(step);
  solvePeriods({range.begin, range.begin + size}, values, pattern);
  tidy(pattern);
  if (pattern.empty())
    return;
  if (pattern.size() == 1 && pattern[0].end - pattern[0].begin == size) {
    out.push_back(range);
    return;
  }
  for (int64_t shift = 0; shift < range.end - range.begin; shift += size) {
    const int64_t left = range.end - shift;
    for (const CoordinateRange &each : pattern)
      if (each.begin < left)
        out.push_back({each.begin + shift, std::min(each.end, left) + shift});
    if (size > left - range.begin)
      break;
  }
}

/// The least k >= 0 for which factor * k modulo `modulus` is in [low, high], or
/// -1; all numbers are less than the modulus, and that is less than 2^62. Each
/// step at least halves the modulus, as Euclid's algorithm does.
static Wide firstWithin(Wide factor, Wide modulus, Wide low, Wide high) {
  if (low == 0)
    return 0;
  if (2 * factor > modulus) {
    factor = modulus - factor;
    std::swap(low, high);
    low = modulus - low;
    high = modulus - high;
  }
  if (factor == 0)
    return -1;
  const Wide direct = -floorOf(-low, factor);
  if (direct * factor <= high)
    return direct;
  // No multiple of the factor is in [low, high]. So factor * k is in it after
  // the fewest turns for which the factor divides a number of [low, high] more.
  const Wide turns = firstWithin(remainderOf(-modulus, factor), factor,
                                 low % factor, high % factor);
  return turns < 0 ? -1 : -floorOf(-(modulus * turns + low), factor);
}

/// From one range of numbers with these values to the next. The sum modulo
/// `whole` is in [low, high] there.
void CoordinateLine::solveSteps(CoordinateRange range, CoordinateRange values,
                                Wide whole, CoordinateRanges &out) const {
  const Wide low = Wide(values.begin) * divisor;
  const Wide high = Wide(values.end) * divisor - 1;
  const Wide step = remainderOf(factor, whole);
  for (Wide x = range.begin; x < range.end;) {
    Wide at = remainderOf(Wide(factor) * x + rest, whole);
    if (at < low || at > high) {
      const Wide next = firstWithin(step, whole, remainderOf(low - at, whole),
                                    remainderOf(high - at, whole));
      if (next < 0 || next >= range.end - x)
        return;
      x += next;
      at = remainderOf(Wide(factor) * x + rest, whole);
    }
    Wide more = range.end - x;
    if (step != 0)
      more = 1 + std::max((high - at) / step, (at - low) / (whole - step));
    const Wide end = std::min<Wide>(x + more, range.end);
    out.push_back({int64_t(x), int64_t(end)});
    x = end;
  }
}

/// From range to range of numbers that are found. If the modulus is very large,
/// period by period, or element by element if these are fewer.
void CoordinateLine::solvePeriods(CoordinateRange range, CoordinateRange values,
                                  CoordinateRanges &out) const {
  if (const Wide whole = Wide(modulus) * divisor; whole < Wide(1) << 62) {
    solveSteps(range, values, whole, out);
    return;
  }
  Wide first = floorOf(quotient(range.begin), modulus);
  Wide last = floorOf(quotient(range.end - 1), modulus);
  if (first > last)
    std::swap(first, last);
  if (last - first < range.end - range.begin) {
    for (Wide each = first; each <= last; ++each)
      if (CoordinateRange found =
              solveQuotient(range, values.begin + each * modulus,
                            values.end + each * modulus);
          found.begin < found.end)
        out.push_back(found);
    return;
  }
  for (int64_t x = range.begin; x < range.end; ++x)
    if (Wide at = value(x); at >= values.begin && at < values.end)
      out.push_back({x, x + 1});
}

void CoordinateLine::narrow(CoordinateRange range, CoordinateRange values,
                            Wide least, Wide most,
                            CoordinateRanges &out) const {
  if (range.begin >= range.end)
    return;
  if (modulus)
    values.end = std::min(values.end, modulus);
  if (values.begin >= values.end)
    return;
  Wide a = Wide(factor) * range.begin + rest;
  Wide b = Wide(factor) * (range.end - 1) + rest;
  if (a > b)
    std::swap(a, b);
  const Wide low = floorOf(a + least, divisor);
  const Wide high = floorOf(b + most, divisor);
  Wide first = 0, last = 0;
  if (modulus) {
    first = floorOf(low, modulus);
    last = floorOf(high, modulus);
    const Wide reach = Wide(values.end - values.begin) * divisor + most - least;
    if (last - first >= range.end - range.begin ||
        reach >= Wide(modulus) * divisor) {
      out.push_back(range);
      return;
    }
  }
  for (Wide each = first; each <= last; ++each) {
    const Wide begin = values.begin + each * modulus;
    const Wide end = values.end + each * modulus;
    if (factor != 0) {
      out.push_back(solveQuotient(range, begin, end, least, most));
    } else if (low < end && high >= begin) {
      out.push_back(range);
      return;
    }
  }
}

CoordinateRanges CoordinateLine::valuesOf(CoordinateRange range,
                                          CoordinateRange values) const {
  CoordinateRanges result;
  if (modulus)
    values.end = std::min(values.end, modulus);
  else if (factor != 0)
    range = solveQuotient(range, values.begin, values.end);
  if (range.begin >= range.end || values.begin >= values.end)
    return result;
  size_t limit = 1 << 16;
  auto add = [&](Wide begin, Wide end) {
    result.push_back(
        {int64_t(std::clamp<Wide>(begin, values.begin, values.end)),
         int64_t(std::clamp<Wide>(end, values.begin, values.end))});
    if (result.size() < limit)
      return;
    tidy(result);
    limit = std::max(limit, 2 * result.size());
  };
  Wide low = quotient(range.begin), high = quotient(range.end - 1);
  if (low > high)
    std::swap(low, high);
  const bool isDense = (factor < 0 ? -factor : factor) <= divisor;
  if (!isDense) {
    if (modulus)
      range.end = range.begin +
                  int64_t(std::min<Wide>(range.end - range.begin, period()));
    // In pieces, as many x may have values that are not asked for.
    constexpr int64_t piece = 1 << 16;
    for (CoordinateRange part = range; part.begin < range.end;
         part.begin = part.end) {
      part.end = part.begin + std::min(piece, range.end - part.begin);
      CoordinateRanges found;
      solve(part, values, found);
      for (const CoordinateRange &each : found)
        for (int64_t x = each.begin; x < each.end; ++x)
          add(value(x), value(x) + 1);
    }
  } else if (modulus == 0) {
    add(low, high + 1);
  } else if (high - low + 1 >= modulus) {
    add(0, modulus);
  } else {
    const Wide begin = remainderOf(low, modulus);
    const Wide end = begin + (high - low + 1);
    add(begin, std::min<Wide>(end, modulus));
    add(0, end - modulus);
  }
  tidy(result);
  return result;
}
