//===- SharedFold.h - Ranks that share a node which reduces or scans ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank runs some chunks of such a node, one behind the other, and its
// kernels join the copies of those as far as both halves of the tree are here.
// What is left is joined by ranks along the same tree, so the bits are those of
// one machine:
//
//   chunks   0 1 2 | 3 4 5 | 6 7        of three ranks
//   joined   0-1 2 | 3 4-5 | 6-7        by the kernels
//   sent     3 to the rank of 2, 2-3 is there with 0-1; 6-7 to that of 4-5, and
//            4-7 to that of 0-3, which is rank 0
//
// Of a scan, a rank gets what all chunks before its own come to from the rank
// before it, and hands on what those and its own do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_SHAREDFOLD_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_SHAREDFOLD_H

#include "../NodeShares.h"
#include "../RankLink.h"

#include "sluice-c/Reductions.h"

#include <functional>
#include <span>

namespace sluice {

class SharedFold {
public:
  /// For all ranks. Those that have a share have the copies in the frame.
  /// `shares`: in the order of their chunks.
  SharedFold(RankLink &link, const SluicePlanNode &node, const int64_t *extents,
             unsigned char *frame, std::span<const RankShare> shares);

  /// Before this rank runs its chunks, if it has any.
  void begin();

  /// Runs something that may call functions of the program; false: it has
  /// failed.
  using Call = std::function<bool(const std::function<void()> &body)>;
  /// The same for the indices below `count`, on all workers.
  using CallAll = std::function<bool(
      const std::function<void(uint64_t index)> &body, uint64_t count)>;
  /// After that, on all ranks: joins what they have, and rank 0 folds it into
  /// the memory. `hasFailed`: the chunks of this rank have. False: this rank,
  /// or one that it got copies from, has failed.
  Result<bool> finish(bool hasFailed, const Call &call, const CallAll &callAll);

private:
  struct Transfer {
    bool isSend;
    uint32_t peer;
    uint64_t chunk;
  };

  bool hasChunks() const { return chunks.begin < chunks.end; }
  uint32_t rankOf(uint64_t chunk) const;
  Status transfer(const Transfer &transfer, bool &hasFailed);
  Status finishScan(bool &hasFailed, const Call &call, const CallAll &callAll);
  Status finishTree(bool &hasFailed, const Call &call);
  void clearFlags();

  RankLink &link;
  const SluicePlanFold &fold;
  unsigned char *const frame;
  const std::span<const RankShare> shares;
  SluiceCopies copies = {};
  /// This rank's.
  UnitRange chunks = {0, 0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_SHAREDFOLD_H
