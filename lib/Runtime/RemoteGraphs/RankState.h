//===- RankState.h - What a rank knows of the program's memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each byte is that the program tracks, as all ranks know it, and where
// this rank has what it has of it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_RANKSTATE_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_RANKSTATE_H

#include "Directory.h"
#include "RankLink.h"
#include "RankMemory.h"

#include <span>

namespace sluice {

/// What a rank knows of the memory of the program.
struct RankState {
  explicit RankState(RankLink &link) : link(link), memory(link.rank() == 0) {}

  RankLink &link;
  Directory directory;
  RankMemory memory;

  /// Sends and receives what this rank has to of `moves`, which all ranks know.
  Status move(std::span<const RankMove> moves);
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RANKSTATE_H
