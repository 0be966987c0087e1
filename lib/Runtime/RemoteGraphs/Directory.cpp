//===- Directory.cpp - The ranks that have each byte ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each object is divided into intervals with the same holders; adjacent
// intervals are joined when they become equal.
//
//===----------------------------------------------------------------------===//

#include "Directory.h"

#include <algorithm>

using namespace sluice;

void Directory::track(uintptr_t start, uint64_t size) {
  objects[start] = {size, {{start, {0}}}};
}

void Directory::untrack(uintptr_t start) { objects.erase(start); }

Directory::Objects::const_iterator Directory::find(uintptr_t address) const {
  auto found = objects.upper_bound(address);
  if (found == objects.begin())
    return objects.end();
  --found;
  return address - found->first < found->second.size ? found : objects.end();
}

ByteRange Directory::objectOf(ByteRange bytes) const {
  auto found = find(bytes.begin);
  if (found == objects.end() || bytes.end > found->first + found->second.size)
    return {};
  return {found->first, found->first + found->second.size};
}

std::vector<ByteRange> Directory::trackedIn(ByteRange bytes) const {
  std::vector<ByteRange> parts;
  auto first = find(bytes.begin);
  if (first == objects.end())
    first = objects.lower_bound(bytes.begin);
  for (; first != objects.end() && first->first < bytes.end; ++first)
    parts.push_back(
        bytes.intersect({first->first, first->first + first->second.size}));
  return parts;
}

std::vector<ByteRange> Directory::all() const {
  std::vector<ByteRange> ranges;
  for (const auto &[start, object] : objects)
    ranges.push_back({start, start + object.size});
  return ranges;
}

/// Calls `visitor(part, holders)` for the parts of tracked bytes, in order.
template <typename Visitor>
void Directory::visit(ByteRange bytes, Visitor &&visitor) const {
  auto found = find(bytes.begin);
  if (found == objects.end() || bytes.isEmpty())
    return;
  const Object &object = found->second;
  for (auto it = std::prev(object.starts.upper_bound(bytes.begin));
       it != object.starts.end() && it->first < bytes.end;) {
    const auto &[begin, holders] = *it++;
    uint64_t end =
        it == object.starts.end() ? found->first + object.size : it->first;
    visitor(ByteRange{begin, end}.intersect(bytes), holders);
  }
}

/// Replaces the holders of all parts of tracked bytes by `change(holders)`.
template <typename Change>
void Directory::update(ByteRange bytes, Change &&change) {
  auto found = find(bytes.begin);
  if (found == objects.end() || bytes.isEmpty())
    return;
  auto &object = const_cast<Object &>(found->second);
  auto &starts = object.starts;
  auto split = [&](uintptr_t at) {
    if (at == found->first + object.size)
      return starts.end();
    auto before = std::prev(starts.upper_bound(at));
    return before->first == at ? before
                               : starts.emplace(at, before->second).first;
  };
  auto first = split(bytes.begin), end = split(bytes.end);
  for (auto it = first; it != end; ++it)
    change(it->second);
  // From the interval before the first one to the one after the last.
  auto it = first == starts.begin() ? first : std::prev(first);
  while (it != starts.end()) {
    auto next = std::next(it);
    if (next == starts.end())
      break;
    bool isLast = next == end;
    if (next->second == it->second)
      starts.erase(next);
    else
      it = next;
    if (isLast)
      break;
  }
}

void Directory::findMissing(uint32_t rank, ByteRange bytes,
                            std::vector<RankMove> &moves) const {
  // Objects that are adjacent here need not be adjacent on other ranks.
  const size_t numBefore = moves.size();
  visit(bytes, [&](ByteRange part, const Holders &holders) {
    if (std::binary_search(holders.begin(), holders.end(), rank))
      return;
    const uint32_t from = holders.front();
    if (moves.size() > numBefore && moves.back().from == from &&
        moves.back().bytes.end == part.begin)
      moves.back().bytes.end = part.end;
    else
      moves.push_back({from, rank, part});
  });
}

void Directory::arrived(std::span<const RankMove> moves) {
  for (const RankMove &move : moves)
    update(move.bytes, [&](Holders &holders) {
      auto place = std::lower_bound(holders.begin(), holders.end(), move.to);
      if (place == holders.end() || *place != move.to)
        holders.insert(place, move.to);
    });
}

void Directory::write(uint32_t rank, ByteRange bytes) {
  update(bytes, [&](Holders &holders) { holders.assign(1, rank); });
}

bool Directory::isHomeOnly(ByteRange bytes) const {
  bool isHome = true;
  visit(bytes, [&](ByteRange, const Holders &holders) {
    isHome &= holders.size() == 1 && holders.front() == 0;
  });
  return isHome;
}

bool Directory::isAnyAway() const {
  for (const auto &[start, object] : objects)
    for (const auto &[begin, holders] : object.starts)
      if (holders.front() != 0)
        return true;
  return false;
}
