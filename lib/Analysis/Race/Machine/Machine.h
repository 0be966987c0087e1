//===- Machine.h - Executing leaf code at compile time ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A race is only reported if two instances of a real execution meet. So
// instances are executed, instruction by instruction, with the numbers that the
// machine would compute. The initial contents of memory are made up.
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

/// A lock that an instance holds. `isShared`: other instances may hold it too.
struct Lock {
  MemoryObject object;
  int64_t offset = 0;
  bool isShared = false;
};

/// The iteration of a loop around a touch.
struct LoopTurn {
  const llvm::Loop *loop = nullptr;
  int64_t count = 0;
  /// Arguments determine the number of iterations.
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
  /// Barriers passed before.
  unsigned barriers = 0;
  /// With other contents of memory, it might not have happened.
  bool dependsOnMemory = false;
  /// Arguments determine the touched memory.
  bool dependsOnArguments = false;
  /// Arguments determine the number of touched bytes.
  bool isSizeOpen = false;
  /// One bit per dimension: arguments determine how large the ids in it are.
  unsigned openDimensions = 0;
  /// Index into Execution::turns: the loops around it, outermost first.
  unsigned turns = 0;
  /// Possibly no other instance runs at the same time.
  bool mayBeOrdered = false;
  std::vector<Lock> locks = {};
};

/// One instance, from its start to its end.
struct Execution {
  std::vector<Touch> touches;
  std::vector<std::vector<LoopTurn>> turns;
  /// The list of touches is complete, for any arguments and contents of memory.
  bool isAlways = true;
  /// It ran to the end of the leaf.
  bool isComplete = false;
  /// The execution may differ with other contents of memory.
  bool dependsOnMemory = false;
  /// It has undefined behavior, such as a division by zero or an access outside
  /// of all memory, and ends there: no program behaves this way.
  bool isUndefined = false;
  unsigned steps = 0;
  /// The number of branches that memory decided, with InstanceNumbers::ways.
  unsigned numWays = 0;
};

/// The numbers of one instance.
struct InstanceNumbers {
  /// By level from the root and dimension.
  std::vector<std::array<int64_t, 3>> ids, extents;
  /// True for extents that arguments determine, and whether there is one.
  std::vector<std::array<bool, 3>> isExtentOpen;
  bool areExtentsOpen = false;
  /// By input of the leaf: its value, if known.
  struct Argument {
    std::optional<int64_t> value;
    bool isOpen = true;
  };
  std::vector<Argument> arguments;
  /// Selects one of several made-up contents of memory.
  unsigned contents = 0;
  static constexpr unsigned numContents = 8;
  /// If not null, memory may have any contents: the direction to take at each
  /// branch that memory decides. After the last entry, the second direction is
  /// taken.
  const std::vector<bool> *ways = nullptr;
};

/// Executes instances of one leaf.
class Machine {
public:
  explicit Machine(const TreeNode &leaf, llvm::Function &code);
  ~Machine();

  /// Stops after `maxSteps`.
  Execution run(const InstanceNumbers &numbers, unsigned maxSteps);

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
