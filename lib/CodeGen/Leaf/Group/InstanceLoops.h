//===- InstanceLoops.h - Loops over the instances of a box ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits counted loops, and the metadata that describes loops over instances to
// LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_INSTANCELOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_INSTANCELOOPS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace sluice::codegen {

/// A loop `for (index = begin; index < end; index += step)`.
struct CountedLoop {
  llvm::PHINode *index;
  llvm::BasicBlock *next;  ///< where the end of the body goes
  llvm::BranchInst *latch; ///< the branch back, where metadata belongs
  llvm::BasicBlock *exit;
};

/// Starts a loop at the builder's position, the end of an open block, and moves
/// the builder into the empty body. If `mayBeEmpty` is false, the caller
/// guarantees begin < end.
CountedLoop beginCountedLoop(llvm::IRBuilderBase &builder, llvm::Value *begin,
                             llvm::Value *end, const llvm::Twine &name,
                             bool mayBeEmpty, uint64_t step = 1);

/// Ends the body of `loop` at the builder's position and moves the builder into
/// the block after the loop.
void endCountedLoop(llvm::IRBuilderBase &builder, const CountedLoop &loop);

/// Marks a loop over instances: disables early unrolling, and declares accesses
/// of `accessGroup` independent. `extent`: an upper bound of its ids, if known.
/// `hasBarriers`: instances of the leaf wait for each other, so the loop may
/// run again later and then reads values that other instances have written.
void markInstanceLoop(const CountedLoop &loop, llvm::MDNode *accessGroup,
                      std::optional<int64_t> extent, bool hasBarriers);

/// The metadata of a copy of a loop with metadata `loopId` that only runs few
/// instances, or hardly ever: no loop over instances to later passes, and no
/// vector, which would only make more code. The marks of independent accesses
/// stay.
llvm::MDNode *rareLoopId(llvm::LLVMContext &context,
                         const llvm::MDNode *loopId);

/// The metadata of a copy that is to be a vector, but not to be unrolled.
llvm::MDNode *shortLoopId(llvm::MDNode &loopId);
bool isShortLoop(const llvm::MDNode &loopId);

/// Whether a loop was marked as one of a leaf with barriers.
bool waitsAtBarriers(const llvm::MDNode &loopId);

/// The extent with which a loop was marked.
std::optional<int64_t> instanceExtent(const llvm::MDNode &loopId);

/// Keeps the loops around loops over instances unchanged: these are long
/// enough, especially with unrolled loops inside. Short outer loops that change
/// the trip count of the loops inside, as in a reduction by halving, are
/// unrolled instead.
void protectOuterLoops(llvm::Function &function);

/// Whether an operand of a loop's metadata is the property `name`.
bool isProperty(const llvm::Metadata *operand, llvm::StringRef name);

/// Whether an operand of a loop's metadata is the mark of `markInstanceLoop`.
bool isInstanceMark(const llvm::Metadata *operand);

/// Whether `loopId`, a loop's metadata, comes from `markInstanceLoop`.
bool isInstanceLoop(const llvm::MDNode *loopId);

/// True if there is such a loop in `loop`, at any depth.
bool hasInstanceLoop(const llvm::Loop &loop);

/// Whether a loop is an innermost one of an instance's own: some loop around it
/// runs through instances.
bool isInnermostOwnLoop(const llvm::Loop &loop);

/// Marks an array that has one element for each instance of a box.
void markInstanceArray(llvm::AllocaInst &array);
bool isInstanceArray(const llvm::AllocaInst &array);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_INSTANCELOOPS_H
