//===- NodeShares.h - Which rank runs what of a node ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks find the same shares of a node, with what each one reads and
// writes, from the plan, the frame and the directory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_NODESHARES_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_NODESHARES_H

#include "../Plan/Extents.h"
#include "../Plan/Partition.h"
#include "../Plan/PlanInfo.h"
#include "Directory.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// What one rank runs of a node. Bytes are addresses on rank 0, and tracked.
struct RankShare {
  uint32_t rank = 0;
  UnitRange units = {0, 0};
  /// Needed before: what is read, and what is written only in part.
  std::vector<ByteRange> read;
  std::vector<ByteRange> written;
};

/// Memory of an argument of which ranks write parts, each its own, that follow
/// from more than ids, extents and arguments.
struct ComparedMemory {
  uint32_t argument;
  ByteRange bytes;
};

/// What ranks run of a node.
struct NodeShares {
  std::vector<RankShare> shares;
  /// Each share needs all of it before; then what it has changed is found by a
  /// comparison, and rank 0 gets that.
  std::vector<ComparedMemory> compared;
};

/// A launch as all ranks know it.
struct SharedLaunch {
  const PlanInfo &info;
  /// The values of this rank.
  const unsigned char *frame;
  /// The values of the pointer arguments on rank 0, in the order of
  /// PlanInfo::pointers.
  std::span<const uintptr_t> pointers;
  const Directory &directory;
  uint32_t numRanks;
};

/// Whether the units of a node that ranks may share are chunks, with copies.
inline bool isFold(const SluicePlanNode &node) {
  return node.share && (node.share->fold.combine || node.share->fold.join);
}
/// The number of instances in all chunks of such a node, and in one chunk; the
/// last chunk may have fewer.
uint64_t numInstancesOfChunks(const SluicePlanNode &node,
                              const int64_t *extents);
uint64_t instancesPerChunk(const SluicePlanNode &node, const int64_t *extents);

/// Whether some node of the plan may be run by several ranks.
bool mayBeShared(const PlanInfo &info);

/// Why a node runs on rank 0 only. It is a function, since few ask; it is
/// called before the launch goes on, if at all.
using ShareReason = std::function<std::string()>;

/// The shares of a node with instances: equal slabs on as many ranks as it has
/// slabs for. If it cannot be split, all of it on rank 0, and `reason` says
/// why; there is none where it has one slab only.
NodeShares shareNode(const SharedLaunch &launch, const NodeInfo &node,
                     const int64_t *extents, const NodeCounts &counts,
                     ShareReason &reason);

/// The memory of an argument of which pointer and size are known.
ByteRange memoryOf(const SharedLaunch &launch, uint32_t argument);

/// What a node uses when one rank, which need not be rank 0, runs all of it.
RankShare wholeNode(const SharedLaunch &launch, const NodeInfo &node,
                    const NodeCounts &counts);

/// Sorts ranges and joins those that meet.
void join(std::vector<ByteRange> &ranges);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_NODESHARES_H
