//===- SPIRVLoops.cpp - Keeping SPIR-V loops from being unrolled ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's back end drops the metadata of a kernel's loops. So this file adds it
// to the SPIR-V words: OpLoopMerge with DontUnroll in the first block of the
// loop.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/SPIRVWords.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {

/// Numbers of the SPIR-V specification.
enum LoopOpcode : uint32_t {
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpControlBarrier = 224,
  OpLoopMerge = 246,
  OpLabel = 248,
  OpBranch = 249,
  OpBranchConditional = 250,
};
constexpr uint32_t dontUnroll = 2;

/// The labels of a block's successors. Switches are already branches.
ArrayRef<uint32_t> successors(SPIRVInstruction terminator) {
  if (codeOf(terminator) == OpBranch && terminator.size() == 2)
    return terminator.slice(1, 1);
  if (codeOf(terminator) == OpBranchConditional && terminator.size() >= 4)
    return terminator.slice(2, 2);
  return {};
}

class FunctionLoops {
public:
  void add(SPIRVInstruction op);
  /// Appends the function.
  void finish(SmallVectorImpl<uint32_t> &result);

private:
  struct Loop {
    uint32_t latch; ///< the block with the back edge
    uint32_t exit;  ///< where it ends
  };
  void findLoops();
  void addLoop(uint32_t header, uint32_t latch);

  SmallVector<SPIRVInstruction> instructions;
  bool hasBarrier = false;
  /// The last instruction of each block, by the block's label.
  MapVector<uint32_t, SPIRVInstruction> terminators;
  DenseMap<uint32_t, SmallVector<uint32_t, 2>> predecessors;
  DenseMap<uint32_t, Loop> loops; ///< by their first blocks
};

void FunctionLoops::add(SPIRVInstruction op) {
  instructions.push_back(op);
  hasBarrier |= codeOf(op) == OpControlBarrier;
  if (codeOf(op) == OpLabel && op.size() == 2)
    terminators.insert({op[1], op});
  else if (!terminators.empty() && codeOf(op) != OpFunctionEnd)
    terminators.back().second = op;
}

/// The loop consists of the blocks from which `latch` is reached without
/// passing `header`. Its exit is the first block outside that one of them
/// branches to.
void FunctionLoops::addLoop(uint32_t header, uint32_t latch) {
  DenseSet<uint32_t> inside{header};
  SmallVector<uint32_t> worklist{latch};
  while (!worklist.empty()) {
    uint32_t block = worklist.pop_back_val();
    if (inside.insert(block).second)
      append_range(worklist, predecessors[block]);
  }
  for (const auto &[block, terminator] : terminators)
    for (uint32_t next : successors(terminator))
      if (inside.contains(block) && !inside.contains(next)) {
        loops.try_emplace(header, Loop{latch, next});
        return;
      }
}

void FunctionLoops::findLoops() {
  for (const auto &[block, terminator] : terminators)
    for (uint32_t next : successors(terminator))
      predecessors[next].push_back(block);
  struct Visit {
    uint32_t block;
    size_t next = 0;
  };
  DenseSet<uint32_t> seen, open;
  SmallVector<Visit> path;
  auto enter = [&](uint32_t block) {
    seen.insert(block);
    open.insert(block);
    path.push_back({block});
  };
  enter(terminators.front().first);
  while (!path.empty()) {
    uint32_t block = path.back().block;
    ArrayRef<uint32_t> after = successors(terminators.lookup(block));
    if (path.back().next == after.size()) {
      open.erase(block);
      path.pop_back();
      continue;
    }
    uint32_t next = after[path.back().next++];
    if (open.contains(next))
      addLoop(next, block);
    else if (!seen.contains(next) && terminators.contains(next))
      enter(next);
  }
}

void FunctionLoops::finish(SmallVectorImpl<uint32_t> &result) {
  if (hasBarrier && !terminators.empty())
    findLoops();
  uint32_t block = 0;
  bool hasMerge = false;
  for (SPIRVInstruction op : instructions) {
    if (codeOf(op) == OpLabel && op.size() == 2) {
      block = op[1];
      hasMerge = false;
    }
    hasMerge |= codeOf(op) == OpLoopMerge;
    auto loop = loops.find(block);
    if (!hasMerge && loop != loops.end() &&
        op.data() == terminators.lookup(block).data())
      append_values(result, 4u << 16 | OpLoopMerge, loop->second.exit,
                    loop->second.latch, dontUnroll);
    append_range(result, op);
  }
  *this = FunctionLoops();
}

} // namespace

Expected<std::string> codegen::keepLoopsNearBarriers(StringRef spirv) {
  FunctionLoops function;
  bool isInside = false;
  Expected<std::string> rewritten = rewriteSPIRV(
      spirv, [&](SPIRVInstruction op, SmallVectorImpl<uint32_t> &result) {
        isInside |= codeOf(op) == OpFunction;
        if (!isInside) {
          append_range(result, op);
          return;
        }
        function.add(op);
        isInside = codeOf(op) != OpFunctionEnd;
        if (!isInside)
          function.finish(result);
      });
  if (rewritten && isInside)
    return createStringError("SPIR-V breaks off in a function");
  return rewritten;
}
