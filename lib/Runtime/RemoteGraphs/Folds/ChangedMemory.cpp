//===- ChangedMemory.cpp - What ranks write where nobody knows ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only rank 0 has the memory afterwards. What it has changed itself is taken
// back first, so that all changes are treated alike.
//
//===----------------------------------------------------------------------===//

#include "ChangedMemory.h"
#include "JoinTree.h"

#include "../../Plan/Extents.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace sluice;

/// into = into ^ from, of `size` bytes.
static void exclusiveOr(char *into, const char *from, size_t size) {
  for (size_t i = 0; i < size; ++i)
    into[i] = static_cast<char>(into[i] ^ from[i]);
}

size_t sluice::joinChanges(std::span<char> changes, const char *others) {
  auto isConflict = [&](size_t i) {
    const char mine = changes[i], its = others[i];
    return mine != 0 && its != 0 && mine != its;
  };
  size_t conflict = changes.size();
  constexpr size_t blockSize = 4096;
  for (size_t begin = 0; begin < changes.size(); begin += blockSize) {
    const size_t end = std::min(begin + blockSize, changes.size());
    // Without a branch, so that it becomes a few instructions for many bytes.
    bool hasConflict = false;
    for (size_t i = begin; i < end; ++i)
      hasConflict |= isConflict(i);
    for (size_t i = begin; hasConflict && i < end; ++i)
      if (isConflict(i))
        conflict = std::min(conflict, i);
    for (size_t i = begin; i < end; ++i)
      changes[i] = static_cast<char>(changes[i] | others[i]);
  }
  return conflict;
}

ChangedMemory::ChangedMemory(RankState &state, const SharedLaunch &launch,
                             const SluicePlanNode &node,
                             std::span<const RankShare> shares,
                             std::span<const ComparedMemory> memory)
    : state(state), launch(launch), node(node), shares(shares), memory(memory),
      own(shareOf(state.link, shares)) {}

char *ChangedMemory::dataOf(const ComparedMemory &each) const {
  return reinterpret_cast<char *>(state.memory.at(each.bytes.begin));
}

/// Calls `body(each, offset)` with the offset of its bytes in `copy`.
template <typename Body>
static void forEachMemory(std::span<const ComparedMemory> memory, Body body) {
  uint64_t offset = 0;
  for (const ComparedMemory &each : memory) {
    body(each, offset);
    offset += each.bytes.size();
  }
}

void ChangedMemory::begin() {
  if (own == shares.size() || memory.empty())
    return;
  uint64_t size = 0;
  for (const ComparedMemory &each : memory)
    size += each.bytes.size();
  copy.reset(new (std::nothrow) char[size]);
  if (!copy)
    state.link.endForDefect(concat("no memory on rank ", state.link.rank(),
                                   " for a copy of ", size, " bytes that ",
                                   nodeText(node), " writes"));
  copySize = size;
  forEachMemory(memory, [&](const ComparedMemory &each, uint64_t offset) {
    std::memcpy(copy.get() + offset, dataOf(each), each.bytes.size());
  });
}

Status ChangedMemory::finish() {
  if (!copy)
    return {};
  const std::span<char> changes = {copy.get(), copySize};
  forEachMemory(memory, [&](const ComparedMemory &each, uint64_t offset) {
    exclusiveOr(copy.get() + offset, dataOf(each), each.bytes.size());
    if (own == 0)
      exclusiveOr(dataOf(each), copy.get() + offset, each.bytes.size());
  });
  size_t conflict = copySize;
  auto join = [&](const char *others) {
    conflict = std::min(conflict, joinChanges(changes, others));
  };
  if (Status status = joinAlongTree(state.link, shares, own, changes, join);
      !status.ok())
    return status;
  if (own == 0)
    forEachMemory(memory, [&](const ComparedMemory &each, uint64_t offset) {
      exclusiveOr(dataOf(each), copy.get() + offset, each.bytes.size());
    });
  Status result;
  forEachMemory(memory, [&](const ComparedMemory &each, uint64_t offset) {
    if (conflict < offset || conflict - offset >= each.bytes.size())
      return;
    const PointerArgument &argument =
        launch.info.pointers[launch.info.pointerOf[each.argument]];
    result = Status::error(
        StatusCode::NodeFailed,
        concat(nodeText(node), " has a race: instances on two ranks write ",
               "different values to byte ", conflict - offset, " of argument ",
               quoted(argument.name)));
  });
  return result;
}
