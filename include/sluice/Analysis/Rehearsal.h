//===- Rehearsal.h - Races of a program that has no input -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a program in OpenMP from its start, instruction by instruction, and
// keeps for each place in memory who uses it. Iterations, sections and tasks
// are looked at as if each had a thread of its own, so that what is found does
// not depend on which thread takes which. Only what directives order is in
// order: locks exclude each other, but nobody counts on who comes first.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REHEARSAL_H
#define SLUICE_ANALYSIS_REHEARSAL_H

#include "sluice/Diagnostics/Diagnostics.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class CallBase;
class Instruction;
class Module;
} // namespace llvm

namespace sluice {

/// One of two accesses that meet.
struct RehearsedAccess {
  SourcePlace place = {};
  /// "iteration 3 of a shared loop", "a task".
  std::string user = {};
  bool isWrite = false, isAtomic = false;
  /// It has a lock.
  bool isLocked = false;
  /// It is an iteration, a task, a 'single', or else the code of a thread.
  enum class Unit { Thread, Iteration, Single, Task, Lane } unit = Unit::Thread;
  /// Iterations of one loop have the same.
  unsigned construct = 0;
};

struct RehearsedRace {
  RehearsedAccess first = {}, second = {};
  std::string variable = {};
};

struct Rehearsal {
  std::vector<RehearsedRace> races = {};
  /// Why the program may do something else in another run, or what could not be
  /// followed; empty: no run has other races than these.
  std::string reason = {};
  SourcePlace reasonPlace = {};
  /// Where teams start that were followed.
  std::set<SourcePlace> reached = {};
  /// It has been tried at all.
  bool isDone = false;

  bool isProof() const { return isDone && races.empty() && reason.empty(); }
};

/// Follows a whole program from `main`; nothing is done if there is none.
/// `isBrief`: only for a short time, since its races are known in another way.
Rehearsal rehearse(llvm::Module &module, bool isBrief = false);

namespace rehearsal {
/// The words of the directive of a loop, but for those in parentheses, if none
/// of them may be a macro; a blank before and after each.
std::optional<std::string> directiveAt(const SourcePlace &loop);
/// The same of what an instruction, which is at a place, belongs to.
std::optional<std::string> directiveOf(const llvm::Instruction &instruction,
                                       SourcePlace place);
/// What clang makes of a loop with `scan`: two loops, with a barrier between
/// them that OpenMP does not promise.
enum class ScanKind {
  None,
  Shared, ///< The first thread adds up what all have left in one buffer.
  Wrong,  ///< Each thread adds up a buffer of its own, as for `omp for`.
};
/// What a function has of it.
ScanKind scanOf(const llvm::Function &function);
/// Whether a block begins to add up what is before `scan`.
bool isScanStart(const llvm::BasicBlock &block);
/// Why nothing is proven of a loop with `scan`.
llvm::StringRef reasonOf(ScanKind scan);
/// How many iterations in a row are one thread's, from multiples of that on, as
/// the program says, and OpenMP promises; if it is negative, only the first
/// ones; 0: it is not known how many. `schedule` is clang's number for the way
/// in which a loop is shared out, and `length` what goes with it, if it is
/// known.
int64_t chunkOf(uint64_t schedule, std::optional<int64_t> length,
                const std::optional<std::string> &directive);
/// The start of the loop before which clang has put a barrier, since the loop
/// gets the first value of a variable that it gives the last one to. OpenMP
/// promises the order of the two alone. Null: it is another barrier.
const llvm::CallBase *loopOfBarrier(const llvm::CallBase &barrier);
} // namespace rehearsal

} // namespace sluice

#endif // SLUICE_ANALYSIS_REHEARSAL_H
