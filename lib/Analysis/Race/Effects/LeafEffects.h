//===- LeafEffects.h - What a leaf reads and writes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The race check knows leaves only through these summaries: which memory an
// instance touches, where in it, and under which conditions. They hold for
// every graph that the leaf is part of; the check puts in the ids, extents and
// arguments of a node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFEFFECTS_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFEFFECTS_H

#include "../Terms/Polynomial.h"

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
    /// What pointer parameter `index` points to.
    Parameter,
    /// The mutable global variable `name`.
    Global,
    /// What call `index` of `llvm.hpvm.malloc` gave this instance.
    Malloc,
    /// Behind a pointer about which nothing is known.
    Unknown,
  };
  Kind kind = Kind::Unknown;
  unsigned index = 0;
  std::string name;

  friend auto operator<=>(const LeafMemory &, const LeafMemory &) = default;
  friend bool operator==(const LeafMemory &, const LeafMemory &) = default;
};

/// Holds wherever the access is executed: `value` compared with zero.
struct Condition {
  enum class Kind { NotPositive, Zero, NotZero };
  Kind kind = Kind::NotPositive;
  Polynomial value;
  /// The loop that it keeps going, if not negative: it also holds in all turns
  /// of it before this one.
  int loop = -1;

  friend bool operator==(const Condition &, const Condition &) = default;
  friend bool operator<(const Condition &a, const Condition &b) {
    return std::tie(a.kind, a.loop, a.value) <
           std::tie(b.kind, b.loop, b.value);
  }
};

/// What keeps other instances away, or makes them wait, wherever the access is
/// executed.
struct LeafGuard {
  enum class Kind {
    /// The lock there is held.
    Held,
    /// It is held together with others that only read.
    Shared,
    /// This instance, and no other one ever, initialises the static that is
    /// guarded there.
    Once,
    /// The static has been initialised.
    Done,
  };
  Kind kind = Kind::Held;
  LeafMemory memory;
  /// Bytes from the start of the memory. What is loaded is a value like any
  /// other here, see LeafAccess::followed.
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
  /// Code that is not known, which may touch anything and wait for anyone.
  bool isUnknownCode = false;
  /// Of atomic updates that commute with their like, the operator: "+"; empty
  /// for all others.
  std::string update;
  /// Bytes from the start of the memory, and number of bytes; none: anywhere
  /// in it.
  std::optional<Polynomial> offset;
  int64_t size = 1;
  /// Of accesses without a known offset: one in which what is loaded from
  /// memory is a function of its place. So it is where nobody writes there.
  std::optional<Polynomial> followed;
  std::vector<Condition> conditions;
  /// Executed by every instance that fulfils the conditions; otherwise what
  /// memory holds may also decide.
  bool isCertain = true;
  /// Loops (see Symbol::Kind::Turn) of which only the first turn is certain.
  std::vector<unsigned> firstTurns;
  /// Loops around it that hold a barrier.
  std::vector<unsigned> barrierLoops;
  /// In leaves with barriers: points of the code after which it may run
  /// without a barrier between. Accesses that share none are ordered among the
  /// instances of a work-group. `forward`: of those, points in the same turn of
  /// all loops with barriers and with certainly no barrier between; `next`:
  /// the same for points in the turn before.
  std::vector<unsigned> intervals, forward, next;
  /// In leaves with barriers: all ways to it have passed one; all ways on from
  /// it to the end will.
  bool isBehindBarrier = false, isBeforeBarrier = false;
  /// The sides of calls of sluice_assume_disjoint that it goes through: 2 n for
  /// `a` of call n, and 2 n + 1 for `b`.
  std::vector<unsigned> sides;
  std::vector<LeafGuard> guards;
  /// The calls of sluice_assume_ordered that it goes through.
  std::vector<unsigned> vouches;
  llvm::DebugLoc place;
  /// The instruction of the prepared leaf.
  const llvm::Instruction *origin = nullptr;
  /// Why memory or offset are not known.
  std::string reason;
};

/// What a leaf does to memory.
struct LeafEffects {
  unsigned numParameters = 0;
  std::vector<LeafAccess> accesses;
  /// For every output: the memory it may point to; empty for other types.
  std::vector<std::vector<LeafMemory>> outputs;
  /// For every output: its value, where that follows from the arguments.
  std::vector<std::optional<Polynomial>> values;
  /// For calls of malloc: their places.
  std::vector<llvm::DebugLoc> mallocs;
  /// For calls of sluice_assume_ordered: what they say.
  std::vector<LeafVouch> vouches;
  /// The number of calls of sluice_assume_disjoint; sides of further ones are
  /// of memory that instances fold into, of which each has a copy.
  unsigned numDisjointCalls = 0;
  bool hasBarrier = false;
  /// All ways to the end pass one.
  bool passesBarrier = false;
  /// No access goes through an unknown pointer or into an unknown function:
  /// nothing is touched but what `accesses` say.
  bool isComplete = true;
};

/// The leaf code in the form that is analysed: a copy, with helpers inlined and
/// variables in registers. `code` stays as it is.
class LeafCode {
public:
  /// `leaves` are the names of the leaves, and the numbers of parameters that
  /// differ between the instances of a work-group.
  using Leaves = std::map<std::string, std::vector<unsigned>, std::less<>>;

  LeafCode(const llvm::Module &code, Leaves leaves);
  ~LeafCode();

  /// The effects of the leaf with that name; null if the code lacks it. The
  /// first call analyses it.
  const LeafEffects *effectsOf(llvm::StringRef leaf);
  /// The form of the leaf that its effects are about. After effectsOf.
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
