//===- LeafEffects.h - Reads and writes of a leaf ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The race check uses only these summaries of leaves: the memory that an
// instance accesses, the offsets in it, and the conditions. A summary applies
// to every graph that contains the leaf; the check substitutes the ids, extents
// and arguments of a node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFEFFECTS_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFEFFECTS_H

#include "../Terms/Polynomial.h"
#include "sluice/Analysis/LeafOrder.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <tuple>

namespace sluice {
struct PassAnalyses;
}

namespace sluice::races {

/// Memory as a leaf names it.
struct LeafMemory {
  enum class Kind {
    /// The memory that pointer parameter `index` points to.
    Parameter,
    /// The mutable global variable `name`.
    Global,
    /// The memory that call `index` of `llvm.hpvm.malloc` returned to this
    /// instance.
    Malloc,
    /// Behind a pointer about which nothing is known.
    Unknown,
  };
  Kind kind = Kind::Unknown;
  unsigned index = 0;
  std::string name = {};
  /// The number of pointers that were loaded on the way: 1 for memory that
  /// pointers in the named memory lead to, 2 for memory that pointers there
  /// lead to.
  unsigned depth = 0;

  friend auto operator<=>(const LeafMemory &, const LeafMemory &) = default;
  friend bool operator==(const LeafMemory &, const LeafMemory &) = default;
};

/// Holds wherever the access is executed: a comparison of `value` with zero.
struct Condition {
  enum class Kind { NotPositive, Zero, NotZero };
  Kind kind = Kind::NotPositive;
  Polynomial value;
  /// If not negative, the loop that this condition continues: the condition
  /// then also holds in all earlier iterations of the loop.
  int loop = -1;
  /// It only follows from the execution, as that a divisor is not 0, and does
  /// not decide about it.
  bool isResult = false;

  friend bool operator==(const Condition &, const Condition &) = default;
  friend bool operator<(const Condition &a, const Condition &b) {
    return std::tie(a.kind, a.loop, a.isResult, a.value) <
           std::tie(b.kind, b.loop, b.isResult, b.value);
  }
};

/// Excludes other instances, or makes them wait, wherever the access is
/// executed.
struct LeafGuard {
  enum class Kind {
    /// The lock there is held.
    Held,
    /// The lock is held, shared with others that only read.
    Shared,
    /// Only this instance ever initialises the static that is guarded there.
    Once,
    /// The static has been initialised.
    Done,
  };
  Kind kind = Kind::Held;
  LeafMemory memory;
  /// Bytes from the start of the memory. Loaded values count as any other value
  /// here, see LeafAccess::followed.
  Polynomial offset;

  friend bool operator==(const LeafGuard &, const LeafGuard &) = default;
};

/// A call of sluice_assume_ordered.
struct LeafVouch {
  std::string reason;
  llvm::DebugLoc place;
};

/// One access of one instance.
struct LeafAccess {
  LeafMemory memory;
  bool isWrite = false;
  bool isAtomic = false;
  /// Unknown code, which may access anything and wait for anything.
  bool isUnknownCode = false;
  /// For atomic updates that commute with updates of the same kind: the
  /// operator, such as "+"; empty for all other accesses.
  std::string update;
  /// Bytes from the start of the memory, and number of bytes. Without a value,
  /// the access may be anywhere in the memory.
  std::optional<Polynomial> offset;
  int64_t size = 1;
  /// For accesses without a known offset: an offset in which a loaded value is
  /// a function of its address. This is valid if nothing writes that memory.
  std::optional<Polynomial> followed;
  /// The same, with unknown values as arbitrary numbers of their types: an
  /// offset in a row, such as `row[hash & 63]`.
  std::optional<Polynomial> within;
  /// For memory of some depth: the offsets of the pointers that were loaded, in
  /// their order.
  std::vector<Polynomial> pointers;
  std::vector<Condition> conditions;
  /// For accesses that also depend on other conditions: all conditions, with
  /// loaded values. A condition that guards the load of another one comes
  /// first. Valid if nothing writes that memory.
  std::optional<std::vector<Condition>> followedConditions;
  /// True if every instance that satisfies the conditions executes the access;
  /// otherwise, the contents of memory may also decide.
  bool isCertain = true;
  /// Loops (see Symbol::Kind::Turn) of which only the first iteration is
  /// certain.
  std::vector<unsigned> firstTurns;
  /// Loops around it that contain a barrier.
  std::vector<unsigned> barrierLoops;
  /// In leaves with barriers: program points after which the access may run
  /// without a barrier in between. Accesses without a common point are ordered
  /// among the instances of a work-group. `forward`: those of the points that
  /// are in the same iteration of all loops with barriers and certainly have no
  /// barrier in between; `next`: the same for points in the previous iteration.
  std::vector<unsigned> intervals, forward, next;
  /// In leaves with barriers: every path to the access has passed a barrier;
  /// every path from it to the end passes one.
  bool isBehindBarrier = false, isBeforeBarrier = false;
  /// The sides of calls of sluice_assume_disjoint through which the access
  /// goes: 2 n for `a` of call n, and 2 n + 1 for `b`.
  std::vector<unsigned> sides;
  std::vector<LeafGuard> guards;
  /// The calls of sluice_assume_ordered through which the access goes.
  std::vector<unsigned> vouches;
  /// With LeafEffects::order: the instance has waited for earlier ones before;
  /// later ones wait for it to have done this.
  bool awaits = false, isAwaited = false;
  llvm::DebugLoc place;
  /// The instruction of the prepared leaf.
  const llvm::Instruction *origin = nullptr;
  /// The reason why memory or offset are not known.
  std::string reason;
};

/// A variable of the program that counts the instances of one dimension, as
/// that of a parallel loop; of several collapsed loops, one of theirs.
struct LeafCounter {
  std::string name;
  unsigned dimension = 0;
  /// Follows from the ids of the leaf's own level alone.
  Polynomial value;

  /// True if it is the id itself.
  bool isId() const;
};

/// The effects of a leaf on memory.
struct LeafEffects {
  unsigned numParameters = 0;
  std::vector<LeafAccess> accesses;
  /// For every output: the memory it may point to; empty for other types.
  std::vector<std::vector<LeafMemory>> outputs;
  /// For every output: its value, if it follows from the arguments.
  std::vector<std::optional<Polynomial>> values;
  /// Of each dimension that has some, the first in the code; of collapsed
  /// loops, all.
  std::vector<LeafCounter> counters;
  /// For calls of malloc: their locations.
  std::vector<llvm::DebugLoc> mallocs;
  /// For calls of sluice_assume_ordered: their statements.
  std::vector<LeafVouch> vouches;
  /// The number of calls of sluice_assume_disjoint. Sides with higher numbers
  /// belong to memory that instances fold into; each instance has a copy of it.
  unsigned numDisjointCalls = 0;
  bool hasBarrier = false;
  /// Which instances wait for which, if any do.
  std::optional<LeafOrder> order;
  /// Every path to the end passes a barrier.
  bool passesBarrier = false;
  /// No access goes through an unknown pointer or into an unknown function:
  /// `accesses` is a complete list.
  bool isComplete = true;
};

/// The leaf code in the form for analysis: a copy, with helpers inlined and
/// variables in registers. `code` stays unchanged.
class LeafCode {
public:
  /// `leaves` are the names of the leaves, and the numbers of the parameters
  /// that differ between the instances of a work-group.
  using Leaves = std::map<std::string, std::vector<unsigned>, std::less<>>;

  LeafCode(const llvm::Module &code, Leaves leaves);
  ~LeafCode();

  /// The effects of the leaf with that name; null if the code lacks it. The
  /// first call analyses the leaf.
  const LeafEffects *effectsOf(llvm::StringRef leaf);
  /// The form of the leaf that its effects describe. Call effectsOf first.
  llvm::Function *preparedLeaf(llvm::StringRef leaf);

private:
  llvm::Function *prepare(llvm::StringRef leaf);

  Leaves leaves;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<PassAnalyses> analyses;
  std::map<std::string, std::unique_ptr<LeafEffects>, std::less<>> known;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFEFFECTS_H
