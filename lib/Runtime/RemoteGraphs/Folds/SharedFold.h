//===- SharedFold.h - Nodes with folds that ranks share -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank runs some consecutive chunks of such a node, and its kernels join
// their copies as far as both halves of the tree are on this rank. The ranks
// join the remaining copies along the same tree, so the results are bitwise
// those of one machine:
//
//   chunks   0 1 2 | 3 4 5 | 6 7        of three ranks
//   joined   0-1 2 | 3 4-5 | 6-7        by the kernels
//   sent     3 to the rank of 2, 2-3 is there with 0-1; 6-7 to that of 4-5, and
//            4-7 to that of 0-3, which is rank 0
//
// For a scan, a rank receives the total of all earlier chunks from the previous
// rank, and sends the total including its own chunks to the next.
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
  /// For all ranks. Ranks with a share have the copies in the frame. `shares`:
  /// in chunk order.
  SharedFold(RankLink &link, const SluicePlanNode &node, const int64_t *extents,
             unsigned char *frame, std::span<const RankShare> shares);

  /// Call it before this rank runs its chunks, if it has any.
  void begin();

  /// Runs `body`, which may call functions of the program; returns false if it
  /// has failed.
  using Call = std::function<bool(const std::function<void()> &body)>;
  /// The same for the indices below `count`, on all workers.
  using CallAll = std::function<bool(
      const std::function<void(uint64_t index)> &body, uint64_t count)>;
  /// Call it afterwards on all ranks: joins the copies, and rank 0 folds the
  /// result into the memory. `hasFailed`: whether the chunks of this rank
  /// failed. Returns false if this rank, or a rank that sent it copies, has
  /// failed.
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
  /// The chunks of this rank.
  UnitRange chunks = {0, 0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_SHAREDFOLD_H
