//===- ReductionNodes.h - Nodes that fold into memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In its plan, a node with reductions has two levels before those of its graph:
// the number of chunks of units for which its kernel is called, and the bytes
// of a copy. An output without users spans both levels, so that the runtime
// allocates the copies in the same way as arrays of outputs. After the address
// of the copies, the frame holds the number of the next chunk and a flag for
// each chunk. The same holds for nodes with scans.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REDUCTIONNODES_H
#define SLUICE_LIB_CODEGEN_REDUCTIONNODES_H

#include "sluice/CodeGen/PlanModel.h"

namespace sluice::codegen {

/// Levels of a plan's node that its graph does not have.
constexpr unsigned numCopyLevels = 2;
/// FlatOutput::arrayLevels of the copies.
constexpr unsigned copiesMark = ~0u;
/// Results depend on the number of chunks. Those of scans stay in the cache.
constexpr unsigned maxReductionChunks = 256, maxScanChunks = 1024;
/// Offsets of the next chunk and of the flags from the address of the copies.
constexpr unsigned nextChunkOffset = 8, chunkFlagsOffset = 16;

/// Whether `node` has reductions or scans: its last output holds the copies.
inline bool isReduction(const FlatNode &node) {
  return !node.outputs.empty() && node.outputs.back().arrayLevels == copiesMark;
}

/// Levels of the plan's node before those of the graph.
inline unsigned firstLevel(const FlatNode &node) {
  return isReduction(node) ? numCopyLevels : 0;
}

/// Emits an error if the leaves at and below `node` contain declarations that
/// cannot be run.
mlir::LogicalResult checkReductions(const FlatNode &node,
                                    const llvm::Module &leaves);

/// Whether a leaf at or below `callee` has reductions.
bool hasReductions(mlir::Operation *callee, const llvm::Module &leaves);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REDUCTIONNODES_H
