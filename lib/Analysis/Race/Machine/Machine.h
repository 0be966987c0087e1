//===- Machine.h - Leaf code, executed at compile time ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check reports a race only if two instances of a real execution meet. So
// it executes instances instruction by instruction, with the numbers that the
// machine would compute. The initial content of memory is made up.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_MACHINE_MACHINE_H
#define SLUICE_LIB_ANALYSIS_RACE_MACHINE_MACHINE_H

#include "../Graph/Tree.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"

#include <array>

namespace sluice::races {

/// A lock that an instance holds; `isShared`: others may, too.
struct Lock {
  MemoryObject object;
  int64_t offset = 0;
  /// Touch::pointer.
  std::optional<int64_t> pointer = {};
  bool isShared = false;
};

/// How often a loop around a touch has turned.
struct LoopTurn {
  const llvm::Loop *loop = nullptr;
  int64_t count = 0;
  /// Arguments decide how often it turns.
  bool isOpen = false;

  friend bool operator==(const LoopTurn &, const LoopTurn &) = default;
};

/// Memory that one instance touched.
struct Touch {
  const llvm::Instruction *origin = nullptr;
  bool isWrite = false;
  MemoryObject object;
  /// Bytes from its start.
  int64_t begin = 0, end = 0;
  /// For memory behind a pointer: the offset at which that was loaded.
  std::optional<int64_t> pointer = {};
  /// Barriers passed before.
  unsigned barriers = 0;
  /// With other contents of memory, it might not have happened.
  bool dependsOnMemory = false;
  /// Arguments decide what it touched.
  bool dependsOnArguments = false;
  /// Arguments decide how many bytes it touched.
  bool isSizeOpen = false;
  /// One bit each: of the dimensions, ids got this far as arguments decided.
  unsigned openDimensions = 0;
  /// Index into Execution::turns: the loops around it, outermost first.
  unsigned turns = 0;
  /// It may be that no other instance runs at the same time.
  bool mayBeOrdered = false;
  std::vector<Lock> locks = {};
  /// LeafAccess::awaits, LeafAccess::isAwaited.
  bool awaits = false, isAwaited = false;
};

/// One instance, from its start to its end.
struct Execution {
  std::vector<Touch> touches;
  std::vector<std::vector<LoopTurn>> turns;
  /// All touches of the instance are here, whatever arguments and memory are.
  bool isAlways = true;
  /// It ran to the end of the leaf.
  bool isComplete = false;
  /// It may be another one with other contents of memory.
  bool dependsOnMemory = false;
  /// It does what C does not define, like a division by zero or an access
  /// outside of all memory, and ends there: no program behaves like this.
  bool isUndefined = false;
  unsigned steps = 0;
  /// The branches that memory decided, with InstanceNumbers::ways.
  unsigned numWays = 0;
};

/// The numbers of one instance.
struct InstanceNumbers {
  /// By level from the root and dimension.
  std::vector<std::array<int64_t, 3>> ids, extents;
  /// True for extents that arguments decide, and whether there is one.
  std::vector<std::array<bool, 3>> isExtentOpen;
  bool areExtentsOpen = false;
  /// By input of the leaf: its value, if it is a known number.
  struct Argument {
    std::optional<int64_t> value;
    bool isOpen = true;
  };
  std::vector<Argument> arguments;
  /// Which of some made-up contents memory has.
  unsigned contents = 0;
  static constexpr unsigned numContents = 8;
  /// Keeps touches at places that memory decides.
  bool keepsPlaces = false;
  /// If not null, memory may have any: the way to go at each branch that it
  /// decides. Behind the last of them, it is the second one.
  const std::vector<bool> *ways = nullptr;
};

/// Executes instances of one leaf.
class Machine {
public:
  explicit Machine(const TreeNode &leaf, llvm::Function &code);
  ~Machine();

  /// Stops after `maxSteps`.
  Execution run(const InstanceNumbers &numbers, unsigned maxSteps);
  /// True for loops of OpenMP: their host computes numbers as it likes.
  bool isLoop() const;
  /// True if the code does not look at that input.
  bool usesNot(unsigned input) const;

private:
  class Run;
  const TreeNode &leaf;
  llvm::Function &code;
  llvm::PostDominatorTree postDominators;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  /// Calls of unknown code.
  llvm::SmallPtrSet<const llvm::Instruction *, 4> unknownCalls;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_MACHINE_MACHINE_H
