//===- Rehearsal.h - Races of a program that has no input -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a program in OpenMP from its start, instruction by instruction, and
// records the accesses to each place in memory. Each iteration, section and
// task counts as a thread of its own, so that results do not depend on which
// thread runs it. Only directives order accesses. Locks exclude each other in
// any order.
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
  /// Its thread holds a lock.
  bool isLocked = false;
  /// The kind of code; `Thread` is code outside of the others.
  enum class Unit { Thread, Iteration, Single, Task, Lane } unit = Unit::Thread;
  /// Equal for the iterations of one loop.
  unsigned construct = 0;
};

struct RehearsedRace {
  RehearsedAccess first = {}, second = {};
  std::string variable = {};
};

struct Rehearsal {
  std::vector<RehearsedRace> races = {};
  /// Why other runs may have other races: the program may behave differently,
  /// or could not be followed. Empty if all runs have exactly these races.
  std::string reason = {};
  SourcePlace reasonPlace = {};
  /// The places at which followed teams start.
  std::set<SourcePlace> reached = {};
  /// The program was followed at all.
  bool isDone = false;

  bool isProof() const { return isDone && races.empty() && reason.empty(); }
};

/// Follows a whole program from `main`; does nothing without a `main`.
/// `isBrief`: only for a short time, because its races are already known.
Rehearsal rehearse(llvm::Module &module, bool isBrief = false);

namespace rehearsal {
/// The words of a loop's directive without those in parentheses, with a blank
/// before and after each. None if a word may be a macro.
std::optional<std::string> directiveAt(const SourcePlace &loop);
/// The same for the directive that the instruction at `place` belongs to.
std::optional<std::string> directiveOf(const llvm::Instruction &instruction,
                                       SourcePlace place);
/// The code that clang generates for a loop with `scan`: two loops, with a
/// barrier between them that OpenMP does not guarantee.
enum class ScanKind {
  None,
  Shared, ///< The first thread adds up one buffer of all threads.
  Wrong,  ///< Each thread adds up its own buffer, as for `omp for`.
};
/// The kind of `scan` in a function.
ScanKind scanOf(const llvm::Function &function);
/// True if a block begins to add up the values before `scan`.
bool isScanStart(const llvm::BasicBlock &block);
/// Why a loop with `scan` is not proven.
llvm::StringRef reasonOf(ScanKind scan);
/// The number of consecutive iterations that one thread runs, beginning at each
/// multiple of this number, as OpenMP guarantees it. Negative: this holds only
/// for the first iterations. 0: unknown. `schedule` is clang's number of a
/// schedule, and `length` the schedule's argument, if it is known.
int64_t chunkOf(uint64_t schedule, std::optional<int64_t> length,
                const std::optional<std::string> &directive);
/// The start of the loop before which clang has added this barrier, because a
/// variable of the loop is both `firstprivate` and `lastprivate`. OpenMP
/// guarantees only the order of these two accesses. Null for other barriers.
const llvm::CallBase *loopOfBarrier(const llvm::CallBase &barrier);
} // namespace rehearsal

} // namespace sluice

#endif // SLUICE_ANALYSIS_REHEARSAL_H
