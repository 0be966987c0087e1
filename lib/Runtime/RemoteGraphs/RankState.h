//===- RankState.h - A rank's knowledge of the program's memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks that have each tracked byte, which is common knowledge of all
// ranks, and the local addresses of the bytes on this rank.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_RANKSTATE_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_RANKSTATE_H

#include "Directory.h"
#include "RankLink.h"
#include "RankMemory.h"

#include <span>

namespace sluice {

/// A rank's knowledge of the program's memory.
struct RankState {
  explicit RankState(RankLink &link) : link(link), memory(link.rank() == 0) {}

  RankLink &link;
  Directory directory;
  RankMemory memory;

  /// Performs this rank's part of `moves`, which all ranks know.
  Status move(std::span<const RankMove> moves);
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RANKSTATE_H
