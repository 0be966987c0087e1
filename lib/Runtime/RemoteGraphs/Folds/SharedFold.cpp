//===- SharedFold.cpp - Nodes with folds that ranks share -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels need not know about ranks. A chunk of another rank never reaches its
// place in the tree, so the other half arrives first and continues. A chunk
// after an unscanned one is scanned alone and left.
//
//===----------------------------------------------------------------------===//

#include "SharedFold.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

SharedFold::SharedFold(RankLink &link, const SluicePlanNode &node,
                       const int64_t *extents, unsigned char *frame,
                       std::span<const RankShare> shares)
    : link(link), fold(node.share->fold), frame(frame), shares(shares) {
  // Extents of the first levels: chunks, and bytes of a copy.
  copies.numChunks = static_cast<uint64_t>(extents[0]);
  copies.size = static_cast<uint64_t>(extents[3]);
  copies.numUnits = numInstancesOfChunks(node, extents);
  copies.chunkUnits = instancesPerChunk(node, extents);
  // In the form for kernels (CodeGen/ReductionNodes.h).
  unsigned char *place = frame + node.outputs[node.numOutputs - 1].arrayOffset;
  std::memcpy(&copies.copies, place, sizeof copies.copies);
  copies.next = reinterpret_cast<uint64_t *>(place + sizeof(uint64_t));
  copies.flags = place + 2 * sizeof(uint64_t);
  for (const RankShare &share : shares)
    if (share.rank == link.rank())
      chunks = share.units;
}

uint32_t SharedFold::rankOf(uint64_t chunk) const {
  auto found = std::partition_point(
      shares.begin(), shares.end(),
      [&](const RankShare &share) { return share.units.end <= chunk; });
  return found->rank;
}

void SharedFold::begin() {
  if (!hasChunks() || !fold.join)
    return;
  *copies.next = chunks.begin;
  // See sluiceEndScan: nobody here waits for the previous chunk.
  constexpr unsigned char isAlone = 4;
  if (chunks.begin != 0)
    copies.flags[chunks.begin - 1] |= isAlone;
}

void SharedFold::clearFlags() {
  *copies.next = 0;
  std::memset(copies.flags, 0, copies.numChunks);
}

//===----------------------------------------------------------------------===//
// Between ranks
//===----------------------------------------------------------------------===//

/// Sends the copy of a chunk from its rank to another one, with a flag that
/// tells whether the sender has failed.
Status SharedFold::transfer(const Transfer &transfer, bool &hasFailed) {
  char flag = char(hasFailed);
  // There are no copies if memory for them was missing.
  char *copy = copies.copies ? reinterpret_cast<char *>(
                                   copies.copies + transfer.chunk * copies.size)
                             : nullptr;
  RankMessage message = {
      transfer.isSend, transfer.peer, {{&flag, 1}, {copy, copies.size}}};
  Status status = link.exchange({&message, 1});
  hasFailed |= flag != 0;
  return status;
}

Status SharedFold::finishScan(bool &hasFailed, const Call &call,
                              const CallAll &callAll) {
  const uint64_t first = chunks.begin;
  if (first != 0) {
    if (Status status =
            transfer({false, rankOf(first - 1), first - 1}, hasFailed);
        !status.ok())
      return status;
    hasFailed = hasFailed || !call([&] {
                  for (uint64_t chunk = first; chunk < chunks.end; ++chunk)
                    fold.join(frame, &copies, chunk, SLUICE_JOIN_COPY);
                });
  }
  // Later chunks need not wait for the elements.
  if (chunks.end != copies.numChunks)
    if (Status status =
            transfer({true, rankOf(chunks.end), chunks.end - 1}, hasFailed);
        !status.ok())
      return status;
  if (first != 0)
    hasFailed = hasFailed || !callAll(
                                 [&](uint64_t index) {
                                   fold.join(frame, &copies, first + index,
                                             SLUICE_JOIN_ELEMENTS);
                                 },
                                 chunks.end - first);
  return {};
}

Status SharedFold::finishTree(bool &hasFailed, const Call &call) {
  auto copyOf = [&](uint64_t chunk) {
    return copies.copies + chunk * copies.size;
  };
  for (uint64_t width = 1; width < copies.numChunks; width *= 2)
    for (uint64_t left = chunks.begin / (2 * width) * (2 * width);
         left < chunks.end && left + width < copies.numChunks;
         left += 2 * width) {
      const uint64_t right = left + width;
      const uint64_t end = std::min(right + width, copies.numChunks);
      const uint32_t into = rankOf(left), from = rankOf(right);
      const bool isOwn = chunks.begin <= left && left < chunks.end;
      if (isOwn && end <= chunks.end)
        continue; // The kernels have already joined them.
      if (into != from && from == link.rank()) {
        if (Status status = transfer({true, into, right}, hasFailed);
            !status.ok())
          return status;
      } else if (isOwn) {
        if (into != from)
          if (Status status = transfer({false, from, right}, hasFailed);
              !status.ok())
            return status;
        hasFailed = hasFailed || !call([&] {
                      fold.combine(frame, copyOf(left), copyOf(right));
                    });
      }
    }
  if (chunks.begin == 0)
    hasFailed = hasFailed || !call([&] { fold.store(frame, copies.copies); });
  return {};
}

Result<bool> SharedFold::finish(bool hasFailed, const Call &call,
                                const CallAll &callAll) {
  if (!hasChunks())
    return true;
  if (fold.join)
    if (Status status = finishScan(hasFailed, call, callAll); !status.ok())
      return status;
  if (fold.combine)
    if (Status status = finishTree(hasFailed, call); !status.ok())
      return status;
  clearFlags();
  return !hasFailed;
}
