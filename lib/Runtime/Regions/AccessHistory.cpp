//===- AccessHistory.cpp - The last accesses ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that only grow at their heads.
//
//===----------------------------------------------------------------------===//

#include "AccessHistory.h"

#include <algorithm>
#include <unordered_set>

using namespace sluice::regions;

History::Part &History::part(Store store, const RootPartition &partition) {
  for (Part &part : heads[store])
    if (part.partition == &partition)
      return part;
  return heads[store].emplace_back(Part{&partition, {}});
}

uint32_t &History::ColorHeads::at(uint32_t color) {
  if (heads.empty())
    begin = color;
  if (color < begin) {
    // Twice as many as needed, since colors may come in descending order.
    const uint32_t more = std::min<uint64_t>(
        begin, std::max<uint64_t>(begin - color, heads.size()));
    heads.insert(heads.begin(), more, none);
    begin -= more;
  }
  if (color - begin >= heads.size())
    heads.resize(color - begin + 1, none);
  return heads[color - begin];
}

void History::add(Store store, const RootPartition &partition, uint32_t color,
                  uint32_t task, bool isWrite, uint32_t stamp) {
  Part &through = part(store, partition);
  through.hasWrites |= isWrite;
  uint32_t &head = through.heads.at(partition.firstAlike(color));
  if (head != none && !isWrite && entries[head].task == task &&
      entries[head].stamp == stamp)
    return;
  if (isWrite)
    head = none;
  prepend(head, {task, stamp, none, isWrite});
}

void History::prepend(uint32_t &head, Entry entry) {
  const bool isFirst = head == none;
  entry.next = head;
  entry.nextWrite =
      isFirst || entries[head].isWrite ? head : entries[head].nextWrite;
  entries.push_back(entry);
  head = static_cast<uint32_t>(entries.size() - 1);
}

void History::forget(Store store, size_t part, uint32_t color, uint32_t stamp) {
  ColorHeads &known = heads[store][part].heads;
  if (known.get(color) == none)
    return;
  uint32_t &head = known.at(color);
  uint32_t rest = none;
  bool isChanged = false;
  for (uint32_t i = head; i != none; i = entries[i].next)
    isChanged |= entries[i].stamp < stamp;
  if (!isChanged)
    return;
  for (uint32_t i = head; i != none; i = entries[i].next)
    if (entries[i].stamp >= stamp)
      prepend(rest, entries[i]);
  head = rest;
}

void History::joinList(uint32_t &head, uint32_t other) {
  if (head == other || other == none)
    return;
  std::unordered_set<uint64_t> known;
  auto key = [&](const Entry &entry) {
    return uint64_t(entry.task) << 1 | entry.isWrite;
  };
  for (uint32_t i = head; i != none; i = entries[i].next)
    known.insert(key(entries[i]));
  for (uint32_t i = other; i != none; i = entries[i].next) {
    if (known.insert(key(entries[i])).second)
      prepend(head, entries[i]);
  }
}

void History::join(const Heads &other) {
  for (Store store = 0; store < other.size(); ++store)
    for (const Part &before : other[store]) {
      Part &now = part(store, *before.partition);
      now.hasWrites |= before.hasWrites;
      before.heads.forEach([&](uint32_t color, uint32_t head) {
        joinList(now.heads.at(color), head);
      });
    }
}
