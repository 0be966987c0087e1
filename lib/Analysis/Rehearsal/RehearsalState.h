//===- RehearsalState.h - Threads, memory and order of a run ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of a rehearsal: values, teams, threads and their strands, memory and
// the accesses to it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REHEARSAL_REHEARSALSTATE_H
#define SLUICE_LIB_ANALYSIS_REHEARSAL_REHEARSALSTATE_H

#include "sluice/Analysis/Rehearsal.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace sluice::rehearsal {

using Unit = RehearsedAccess::Unit;

/// The largest value, in bytes, that clang copies for each lane.
inline constexpr uint64_t mostOfNumber = 8;

/// The depth of nested teams that is followed. The order of two strands is
/// found team by team.
inline constexpr unsigned deepestTeam = 500;

/// What a value depends on besides the program itself.
enum Dependence : uint8_t {
  None = 0,
  Input = 1,     ///< what the program reads
  Order = 2,     ///< the order of threads
  OwnNumber = 4, ///< the value is the number of the thread
  ByThread = 8   ///< each thread may have a different value
};

/// Facts that are found while a program is followed, but hold from its start.
/// A program with new facts is followed again.
struct Learnt {
  /// The values that these read depend on the order of threads.
  std::set<const llvm::Instruction *> ordered = {};
  /// Variables of each thread that are set by code that any thread may run.
  std::set<const llvm::Value *> moved = {};
  /// Variables that only some threads write.
  std::set<const llvm::Value *> differing = {};
  /// Kept because finding a file takes as long as following hundreds of
  /// instructions, and so does reading it.
  llvm::DenseMap<const llvm::Instruction *, SourcePlace> places;
  llvm::DenseMap<const llvm::Instruction *, std::optional<std::string>>
      directives;
  llvm::DenseMap<const llvm::CallBase *, const llvm::CallBase *> barriers;
  /// The number of instructions followed in earlier attempts.
  uint64_t numSteps = 0;

  const SourcePlace &placeAt(const llvm::Instruction &instruction) {
    auto [found, isNew] = places.try_emplace(&instruction);
    if (isNew)
      found->second = placeOf(instruction);
    return found->second;
  }

  /// The directive that an instruction belongs to.
  const std::optional<std::string> &
  directiveOf(const llvm::Instruction &instruction) {
    auto [found, isNew] = directives.try_emplace(&instruction);
    if (isNew)
      found->second = rehearsal::directiveOf(instruction, placeAt(instruction));
    return found->second;
  }

  /// The loop with `firstprivate` variables for which clang has added this
  /// barrier.
  const llvm::CallBase *loopOf(const llvm::CallBase &barrier) {
    auto [found, isNew] = barriers.try_emplace(&barrier, nullptr);
    if (isNew)
      found->second = loopOfBarrier(barrier);
    return found->second;
  }

  size_t size() const {
    return ordered.size() + moved.size() + differing.size();
  }
};

/// The dependence of a value that is computed from values with `depends`. It is
/// no longer the number of a thread.
inline uint8_t madeOf(uint8_t depends) {
  return depends & OwnNumber ? (depends & ~OwnNumber) | Input : depends;
}

/// A number or an address; `high` is the second member of a pair.
struct FollowedNumber {
  uint64_t bits = 0, high = 0;
  uint8_t depends = None;
};

/// The lowest `width` bits; at least 64: all.
uint64_t cut(uint64_t bits, unsigned width);
/// The same bits, sign-extended.
int64_t extended(uint64_t bits, unsigned width);
/// True for the C library's files, which programs do not change.
inline bool isOutput(llvm::StringRef variable) {
  return variable == "stdout" || variable == "stderr";
}

/// True for numbers and pointers that fit a FollowedNumber.
bool isSimple(const llvm::Type *type);
/// True if `write` stores an address in a task's list of dependences, where it
/// is only compared.
bool isOfDependence(const llvm::StoreInst &write);

struct Strand;

/// A loop whose iterations may run at the same time as lanes of vectors.
struct SimdLoop {
  const llvm::BasicBlock *latch = nullptr;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> blocks;
  /// The number of iterations that may run at the same time; 0: all.
  int64_t safeLength = 0;
  bool isLengthSaid = false;
  /// The scope of all that the directive and its loop declare.
  const llvm::DILocalScope *scope = nullptr;
  /// Some of its code runs in the order of the iterations.
  bool isOrdered = false;
  bool isOverChunks = false;
  /// Variables that only the loop uses. Each iteration has its own.
  std::map<const llvm::AllocaInst *, bool> own = {};
  /// Copies that clang has made of variables that the directive names.
  std::map<const llvm::AllocaInst *, bool> copies = {};
};

struct FollowedTeam {
  Strand *parent = nullptr;
  unsigned depth = 0, numThreads = 1;
  /// Threads with numbers up to this one are followed one by one. Threads with
  /// larger numbers, if there are any, all do the same.
  int mostNamed = -1;
  /// The program states the number of threads, and all are followed.
  bool isExact = false;
  /// A team of teams, each of which has its own locks.
  bool isLeague = false;
  /// The number of teams around it, itself included, that have several
  /// threads.
  unsigned numActive = 0;
  /// The number of 'parallel' regions around it.
  unsigned numLevels = 0;
  /// Threads of an outer team run at the same time, so there may be more teams
  /// like this one.
  bool isParallel = false;
  /// Of a 'simd' loop: iterations at this distance, or a larger one, are
  /// ordered.
  int64_t safeLength = 0;
  SimdLoop *loop = nullptr;
  /// The locks of the thread that has made the team. They exclude other
  /// threads, but not the team's threads from each other.
  unsigned locks = 0;
  /// A nested team, which exists only in some runs.
  bool isDoubtful = false;
  /// The loop before which its threads wait now, at a barrier that only clang
  /// adds.
  const llvm::CallBase *awaited = nullptr;
};

/// The code of a team between two barriers.
struct Phase {
  FollowedTeam *team = nullptr;
  unsigned numStrands = 0;
  /// The phase before, if it ends only at a barrier that clang adds to a loop
  /// with `firstprivate` variables; `scope` is that of the loop's directive.
  const Phase *unpromised = nullptr;
  const llvm::DILocalScope *scope = nullptr;
};

/// Code that runs in order, without waiting for other threads.
struct Strand {
  Phase *phase = nullptr;
  unsigned index = 0;
  /// Strands of the phase that have ended when this one begins, by index.
  llvm::BitVector before = {};
  Unit unit = Unit::Thread;
  /// Equal for the iterations of one loop.
  unsigned construct = 0;
  int64_t iteration = 0, numIterations = 0;
  /// The schedule by which threads share the iterations; 0: unknown.
  uint64_t sharing = 0;
  /// The program states the schedule, and OpenMP guarantees its effect.
  bool isSharingSaid = false;
  /// One thread runs this number of consecutive iterations, beginning at each
  /// multiple of it. Negative: this holds only for the first ones. 0: unknown.
  int64_t chunk = 1;
  /// The number of consecutive iterations that this strand runs.
  int64_t length = 1;
  /// Iterations may wait for single other ones, by `sink` and `source`.
  bool isCrossed = false;
  /// The numbers of the stack on which it runs, and of its thread.
  unsigned stack = 0, thread = 0;
  /// The first strand of this iteration, this task, or this thread's own code.
  const Strand *origin = nullptr;
};

struct FollowedAccess {
  Strand *strand = nullptr;
  const llvm::Instruction *place = nullptr;
  unsigned locks = 0;
  bool isWrite = false, isAtomic = false, isDoubtful = false;
};

/// An earlier access by a strand or, if `isWhole`, by any strand of its phase.
struct Mark {
  Strand *strand = nullptr;
  const llvm::Instruction *place = nullptr;
  bool isWhole = false;
};

struct Cell {
  std::vector<FollowedAccess> accesses = {};
  Strand *writer = nullptr;
  /// Writers of which each may be the last one in some run.
  std::vector<Mark> writers = {};
  /// Readers that may run after a later writer in another run.
  std::vector<Mark> readers = {};
};

/// The copies of a task of a loop, which its iterations share: the bytes that
/// some iteration reads before it writes them, and the bytes that some
/// iteration writes.
struct LoopCopies {
  llvm::BitVector read, written;
};

/// A variable or a block of memory.
struct FollowedObject {
  uint64_t begin = 0, size = 0;
  std::string name = {};
  std::unique_ptr<char[]> memory = {};
  /// The stack that contains it; 0: none.
  unsigned stack = 0;
  /// The thread whose copy of a variable this is.
  unsigned thread = 0;
  /// The stack of the thread that has allocated it, as long as no other thread
  /// uses it.
  unsigned home = 0;
  /// The variable, or the call that allocates, of which each thread has its own
  /// object.
  const llvm::Value *made = nullptr;
  /// The number of objects before it.
  uint64_t stamp = 0;
  Strand *birth = nullptr;
  /// Other threads may know its address.
  bool isPublished = false;
  /// Each thread updates it, so there are as many updates as threads.
  bool isByThreads = false;
  bool isFreed = false;
  /// Bytes of a cell; 0: there are no cells.
  unsigned grain = 0;
  std::vector<Cell> cells = {};
  std::vector<uint8_t> depends = {};
  bool isConstant = false, isForeign = false;
  /// Its address is the name of a lock or of a dependence.
  bool isName = false;
  const llvm::AllocaInst *variable = nullptr;
  /// If it belongs to a task of a loop: the copies of that loop, and the bytes
  /// that the current iteration has written.
  LoopCopies *copies = nullptr;
  llvm::BitVector written = {};
};

/// The tasks that one task, or one iteration, has made, and their dependences.
struct TaskContext {
  std::vector<Strand *> children = {};
  struct Place {
    std::vector<Strand *> writers = {}, readers = {}, before = {};
    unsigned kind = 0;
  };
  std::map<uint64_t, Place> places = {};
  /// The last task that depends on all memory.
  Strand *ofAll = nullptr;
};

/// The part of a shared loop that a thread runs.
struct Share {
  llvm::CallBase *start = nullptr;
  size_t depth = 0;
  int64_t first = 0, step = 1, next = 0, end = 0, numIterations = 0;
  unsigned construct = 0;
  uint64_t sharing = 0;
  bool isSharingSaid = false;
  int64_t chunk = 1;
  /// Iterations of a chunk are ordered.
  bool hasChunks = false;
  /// Whether its thread, or an iteration, has waited for other threads.
  bool hadWaited = false, hasWaited = false;
  /// The address of the flag of the last iteration; 0: none.
  uint64_t lastFlag = 0;
  unsigned bytes = 4;
};

struct Frame {
  llvm::Function *function = nullptr;
  llvm::BasicBlock *block = nullptr, *previous = nullptr;
  llvm::BasicBlock::iterator at = llvm::BasicBlock::iterator();
  llvm::DenseMap<const llvm::Value *, FollowedNumber> values;
  llvm::SmallVector<uint64_t, 8> variables;
  llvm::CallBase *call = nullptr;
  /// Up to this block, code runs because of the order of threads.
  std::optional<llvm::BasicBlock *> orderedUntil = std::nullopt;
  /// The blocks at which branches join again, and what the branches depend on.
  llvm::SmallVector<std::pair<llvm::BasicBlock *, uint8_t>, 2> chosenUntil;
  uint8_t resultDepends = None;
  /// Up to this block, code runs because of the thread's number.
  std::optional<llvm::BasicBlock *> namedUntil = std::nullopt;
  /// Up to this block, code runs in the thread of the last iteration.
  std::optional<llvm::BasicBlock *> lastUntil = std::nullopt;
  /// The state of a call that waits.
  unsigned stage = 0;
};

struct Thread {
  FollowedTeam *team = nullptr;
  Phase *phase = nullptr;
  unsigned number = 0, stack = 0;
  std::vector<Frame> frames = {};
  Strand *strand = nullptr, *own = nullptr;
  TaskContext *context = nullptr, *ownContext = nullptr;
  std::vector<Share> shares = {};
  std::vector<uint64_t> locks = {};
  unsigned lockSet = 0, numConstructs = 0, numPushed = 0, numTeams = 0,
           numDoubts = 0, numNamed = 0;
  /// Objects with a later stamp belong to code that runs because of the
  /// thread's number.
  uint64_t namedSince = 0;
  /// 0: the library decides.
  unsigned defaultThreads = 0;
  /// Stands for any number of a thread.
  static constexpr unsigned openNumber = ~0u;
  /// The greatest number of threads of a team that this thread makes, and of
  /// the teams of its next league; 0: any.
  unsigned mostThreads = 0, nextLimit = 0;
  /// The number of threads that the next team requests is unknown.
  bool isOpenNumber = false;
  bool isCrossed = false;
  bool isFinal = false, isInTask = false;
  /// It has waited for other threads in a loop that reads a variable, so later
  /// code may run after theirs.
  bool hasWaited = false;
  /// It adds its copy to a reduced variable.
  bool isJoining = false;
  /// The frame of the join.
  size_t joinDepth = 0;
  std::vector<std::vector<Strand *>> groups = {};
  /// The state of the thread around code that any thread may run.
  struct Outside {
    std::vector<std::vector<Strand *>> groups = {};
    std::vector<uint64_t> locks = {};
  };
  std::optional<Outside> outside = std::nullopt;
  /// The thread that runs such code may or may not hold a lock.
  bool hasOpenLocks = false;
  /// Of the shared loop that has ended last: its last strand in this thread,
  /// and the address of the flag of the last iteration.
  Strand *lastOfLoop = nullptr;
  uint64_t lastFlag = 0;
  const llvm::CallBase *lastLoop = nullptr;
  size_t lastDepth = 0;
  /// The next barrier is one that only clang adds.
  bool hasFreeBarrier = false;
  struct Serial {
    FollowedTeam *team;
    Phase *phase;
    Strand *strand, *own;
    unsigned numConstructs, defaultThreads;
    TaskContext *context;
    std::vector<std::vector<Strand *>> groups;
  };
  std::vector<Serial> serial = {};
  /// The 'simd' loops that it is in.
  struct Lanes {
    size_t depth;
    SimdLoop *loop;
    Phase *phase;
    Strand *strand, *own;
    int64_t iteration;
  };
  std::vector<Lanes> lanes = {};
  enum class State { Runs, Waits, AtBarrier, Over } state = State::Runs;
};

/// The state of a construct that the threads of a team share.
struct Construct {
  bool isTaken = false;
  Strand *lastOrdered = nullptr;
  int64_t nextOrdered = 0;
  std::map<std::vector<int64_t>, Strand *> posted = {};
};

/// The iteration, task or thread that a strand is part of, outside of 'simd'
/// loops and of teams of one thread.
inline const Strand *unitOf(const Strand *strand) {
  for (const Strand *outer = strand->phase->team->parent;
       outer && outer->stack == strand->stack;
       outer = outer->phase->team->parent)
    strand = outer;
  return strand->origin;
}

/// The strand on `stack` that contains a strand; null if there is none.
inline const Strand *onStack(const Strand *strand, unsigned stack) {
  for (; strand && stack != 0; strand = strand->phase->team->parent)
    if (strand->stack == stack)
      return strand;
  return nullptr;
}

/// The number of a thread in its team: 0 in a team of one thread.
inline unsigned numberIn(const Thread &thread) {
  return thread.team->numThreads == 1 ? 0 : thread.number;
}

/// True if the same thread runs it in all runs.
inline bool isFixed(const Strand *strand) {
  return unitOf(strand)->unit == Unit::Thread;
}

/// True if the object belongs to one thread, which runs this strand.
inline bool isOwn(const FollowedObject &object, const Strand *strand) {
  if (object.stack != 0 && object.stack == strand->stack)
    return true;
  if (object.home != 0 && object.home == strand->stack && !object.isPublished)
    return true;
  // Any thread may run a task.
  return object.thread != 0 && object.thread == strand->thread &&
         unitOf(strand)->unit != Unit::Task;
}

} // namespace sluice::rehearsal

#endif // SLUICE_LIB_ANALYSIS_REHEARSAL_REHEARSALSTATE_H
