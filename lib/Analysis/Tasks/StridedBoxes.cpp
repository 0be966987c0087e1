//===- StridedBoxes.cpp - Strided boxes of elements -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds all pairs of parts that share an element without visiting each element
// or each pair: datasets have millions of elements, and graphs thousands of
// tasks.
//
//===----------------------------------------------------------------------===//

#include "StridedBoxes.h"

#include "sluice/Analysis/TaskOrder.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <set>

using namespace sluice;

/// The product of two steps does not fit in 64 bits.
using Wide = __int128;

//===----------------------------------------------------------------------===//
// Progressions
//===----------------------------------------------------------------------===//

bool Progression::contains(const Progression &other) const {
  if (!other.count)
    return true;
  return contains(other.first) && contains(other.last()) &&
         (other.count == 1 || other.step % step == 0);
}

/// The inverse of `value` modulo `modulus`, which must be coprime.
static Wide invert(Wide value, Wide modulus) {
  Wide a = modulus, b = value % modulus, x = 0, y = 1;
  while (b) {
    Wide quotient = a / b;
    std::tie(a, b) = std::pair(b, a - quotient * b);
    std::tie(x, y) = std::pair(y, x - quotient * y);
  }
  return x < 0 ? x + modulus : x;
}

/// The smallest index >= `low` that is congruent to `first.first` and
/// `second.first` modulo their steps. Both agree modulo `divisor` of the steps.
static Wide firstCommon(const Progression &first, const Progression &second,
                        Wide divisor, Wide low) {
  Wide modulus = second.step / divisor;
  Wide distance = (Wide(second.first) - first.first) / divisor % modulus;
  if (distance < 0)
    distance += modulus;
  Wide steps = distance * invert(first.step / divisor, modulus) % modulus;
  Wide common = first.first + first.step * steps;
  Wide period = first.step * modulus;
  if (common < low)
    common += (low - common + period - 1) / period * period;
  return common;
}

std::optional<Progression> sluice::intersect(const Progression &first,
                                             const Progression &second) {
  if (!first.count || !second.count)
    return std::nullopt;
  Wide low = std::max(first.first, second.first);
  int64_t high = std::min(first.last(), second.last());
  if (low > high)
    return std::nullopt;
  if (first.step == 1 && second.step == 1)
    return Progression{int64_t(low), high - int64_t(low) + 1, 1};
  int64_t divisor = std::gcd(first.step, second.step);
  if ((second.first - first.first) % divisor)
    return std::nullopt;
  Wide begin = firstCommon(first, second, divisor, low);
  if (begin > high)
    return std::nullopt;
  Wide period = Wide(first.step) * (second.step / divisor);
  int64_t count = (high - begin) / period + 1;
  return Progression{int64_t(begin), count, count > 1 ? int64_t(period) : 1};
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Part sluice::partOf(dfg::TaskArgAttr argument, llvm::ArrayRef<int64_t> shape) {
  Part part;
  for (size_t i = 0; i != shape.size(); ++i)
    part.push_back(argument.isPart() ? Progression{argument.getOffsets()[i],
                                                   argument.getSizes()[i],
                                                   argument.getSteps()[i]}
                                     : Progression{0, shape[i], 1});
  return part;
}

bool sluice::isEmpty(const Part &part) {
  return llvm::any_of(part, [](const Progression &p) { return !p.count; });
}

bool sluice::sharesElements(const Part &first, const Part &second) {
  for (auto [a, b] : llvm::zip_equal(first, second))
    if (!intersect(a, b))
      return false;
  return true;
}

bool sluice::sharesElements(dfg::TaskArgAttr first, dfg::TaskArgAttr second,
                            llvm::ArrayRef<int64_t> shape) {
  return sharesElements(partOf(first, shape), partOf(second, shape));
}

bool sluice::contains(const Part &outer, const Part &inner) {
  if (isEmpty(inner))
    return true;
  for (auto [a, b] : llvm::zip_equal(outer, inner))
    if (!a.contains(b))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

namespace {
/// Examines the indices of one dimension after another: indices in the same
/// parts are equivalent, so only one of them is followed into the next
/// dimension.
class PartCoverage {
public:
  PartCoverage(const Part &part, llvm::ArrayRef<Part> others)
      : part(part), others(others) {}

  /// True if the elements with the indices chosen so far are in `alive`.
  bool isCovered(unsigned dimension, llvm::ArrayRef<unsigned> alive) {
    if (alive.empty())
      return false;
    if (dimension == part.size() || holdsRest(dimension, alive))
      return true;
    std::set<std::vector<unsigned>> seen;
    const Progression &range = part[dimension];
    for (int64_t i = 0; i != range.count; ++i) {
      int64_t index = range.first + i * range.step;
      if ((budget -= int64_t(alive.size()) + 1) < 0)
        return true;
      std::vector<unsigned> inside;
      for (unsigned other : alive)
        if (others[other][dimension].contains(index))
          inside.push_back(other);
      if (seen.insert(inside).second && !isCovered(dimension + 1, inside))
        return false;
    }
    return true;
  }
  bool hasGivenUp() const { return budget < 0; }

private:
  /// True if one of the parts contains all remaining elements.
  bool holdsRest(unsigned dimension, llvm::ArrayRef<unsigned> alive) const {
    return llvm::any_of(alive, [&](unsigned other) {
      for (unsigned i = dimension; i != part.size(); ++i)
        if (!others[other][i].contains(part[i]))
          return false;
      return true;
    });
  }

  const Part &part;
  llvm::ArrayRef<Part> others;
  int64_t budget = 2'000'000;
};
} // namespace

std::optional<bool> sluice::isCovered(const Part &part,
                                      llvm::ArrayRef<Part> others) {
  if (isEmpty(part))
    return true;
  std::vector<unsigned> alive;
  for (auto [index, other] : llvm::enumerate(others))
    if (sharesElements(part, other))
      alive.push_back(index);
  PartCoverage coverage(part, others);
  bool result = coverage.isCovered(0, alive);
  if (coverage.hasGivenUp() && result)
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Overlaps
//===----------------------------------------------------------------------===//

/// The dimension in which the parts have the most different starts: sweeping in
/// it leaves the fewest parts to compare.
static unsigned bestDimension(llvm::ArrayRef<Part> parts) {
  unsigned best = 0;
  size_t most = 0;
  for (unsigned i = 0; i != parts.front().size(); ++i) {
    std::set<int64_t> firsts;
    for (const Part &part : parts)
      firsts.insert(part[i].first);
    if (firsts.size() > most)
      std::tie(best, most) = std::pair(i, firsts.size());
  }
  return best;
}

std::vector<std::vector<unsigned>>
sluice::findOverlaps(llvm::ArrayRef<Part> parts) {
  std::vector<std::vector<unsigned>> result(parts.size());
  if (parts.empty())
    return result;
  std::vector<unsigned> open, order;
  for (unsigned i = 0; i != parts.size(); ++i)
    if (!isEmpty(parts[i]))
      order.push_back(i);
  bool isScalar = parts.front().empty();
  unsigned dimension = isScalar ? 0 : bestDimension(parts);
  if (!isScalar)
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(parts[a][dimension].first, a) <
             std::pair(parts[b][dimension].first, b);
    });
  for (unsigned i : order) {
    if (!isScalar)
      llvm::erase_if(open, [&](unsigned other) {
        return parts[other][dimension].last() < parts[i][dimension].first;
      });
    for (unsigned other : open)
      if (sharesElements(parts[i], parts[other])) {
        result[i].push_back(other);
        result[other].push_back(i);
      }
    result[i].push_back(i);
    open.push_back(i);
  }
  for (std::vector<unsigned> &list : result)
    llvm::sort(list);
  return result;
}
