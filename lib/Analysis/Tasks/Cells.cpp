//===- Cells.cpp - Parts as sets of cells ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a dataset may be strided and may overlap. This file cuts a dataset
// into cells that each part contains either completely or not at all, so that
// parts can be compared as sets of numbers.
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

using namespace sluice;

namespace {
/// The indices of one dimension, grouped by the progressions that contain them.
class Classes {
public:
  Classes(llvm::ArrayRef<Progression> ranges, int64_t &budget)
      : ranges(ranges), budget(budget), byRange(ranges.size()) {
    sweep();
  }

  uint64_t size() const { return numbers.size(); }
  llvm::ArrayRef<unsigned> of(unsigned range) const { return byRange[range]; }

private:
  void sweep();
  void addInterval(int64_t begin, int64_t end);
  void addIndex(int64_t index);

  llvm::ArrayRef<Progression> ranges;
  int64_t &budget;
  std::set<unsigned> active;
  std::map<std::vector<unsigned>, unsigned> numbers;
  std::vector<std::vector<unsigned>> byRange;
};
} // namespace

void Classes::addIndex(int64_t index) {
  budget -= int64_t(active.size()) + 1;
  std::vector<unsigned> inside;
  for (unsigned range : active)
    if (ranges[range].contains(index))
      inside.push_back(range);
  auto [it, isNew] = numbers.try_emplace(std::move(inside), numbers.size());
  if (isNew)
    for (unsigned range : it->first)
      byRange[range].push_back(it->second);
}

/// Adds indices in which no range begins or ends: memberships repeat with the
/// least common multiple of the steps.
void Classes::addInterval(int64_t begin, int64_t end) {
  int64_t period = 1;
  for (unsigned range : active) {
    int64_t factor = ranges[range].step / std::gcd(period, ranges[range].step);
    if (llvm::MulOverflow(period, factor, period))
      period = end - begin;
    period = std::min(period, end - begin);
  }
  for (int64_t i = 0; i < period && budget >= 0; ++i)
    addIndex(begin + i);
}

void Classes::sweep() {
  // (index, whether the range ends there, range)
  std::vector<std::tuple<int64_t, bool, unsigned>> events;
  for (auto [number, range] : llvm::enumerate(ranges)) {
    if (!range.count)
      continue;
    events.push_back({range.first, false, number});
    events.push_back({range.last() + 1, true, number});
  }
  llvm::sort(events);
  for (size_t i = 0; i != events.size() && budget >= 0; ++i) {
    auto [index, isEnd, range] = events[i];
    if (isEnd)
      active.erase(range);
    else
      active.insert(range);
    if (i + 1 != events.size() && std::get<0>(events[i + 1]) > index)
      addInterval(index, std::get<0>(events[i + 1]));
  }
}

/// All combinations of the classes of a part's ranges.
static void addCells(llvm::ArrayRef<llvm::ArrayRef<unsigned>> classes,
                     llvm::ArrayRef<uint64_t> sizes, uint64_t number,
                     std::vector<uint64_t> &cells) {
  if (classes.empty()) {
    cells.push_back(number);
    return;
  }
  for (unsigned index : classes.front())
    addCells(classes.drop_front(), sizes.drop_front(),
             number * sizes.front() + index, cells);
}

std::optional<Cells> sluice::findCells(const TaskData &data, int64_t limit) {
  std::vector<std::vector<llvm::ArrayRef<unsigned>>> byPart(data.parts.size());
  std::vector<std::unique_ptr<Classes>> dimensions;
  std::vector<uint64_t> sizes;
  for (size_t dimension = 0; dimension != data.shape.size(); ++dimension) {
    std::map<Progression, unsigned> numbers;
    std::vector<Progression> ranges;
    for (const Part &part : data.parts)
      if (numbers.try_emplace(part[dimension], ranges.size()).second)
        ranges.push_back(part[dimension]);
    dimensions.push_back(std::make_unique<Classes>(ranges, limit));
    if (limit < 0)
      return std::nullopt;
    sizes.push_back(dimensions.back()->size());
    for (auto [number, part] : llvm::enumerate(data.parts))
      byPart[number].push_back(dimensions.back()->of(numbers[part[dimension]]));
  }
  Cells result;
  for (const auto &classes : byPart) {
    int64_t count = 1;
    for (llvm::ArrayRef<unsigned> list : classes)
      if (llvm::MulOverflow(count, int64_t(list.size()), count))
        return std::nullopt;
    if ((limit -= count) < 0)
      return std::nullopt;
    addCells(classes, sizes, 0, result.byPart.emplace_back());
  }
  return result;
}
