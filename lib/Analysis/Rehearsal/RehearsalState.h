//===- RehearsalState.h - Threads, memory and order of a run ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the rehearsal, whose parts share one class: following code, calls,
// teams, tasks and memory all change the same state.
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

/// Of lanes, clang copies numbers, and not what is longer.
inline constexpr uint64_t mostOfNumber = 8;

/// Who is in order is found team by team.
inline constexpr unsigned deepestTeam = 500;

/// What a value depends on beside the program: what it reads, and the order in
/// which threads come.
/// The number of a thread is told apart from what is made of it; `ByThread` is
/// what each thread may have another value of.
enum Dependence : uint8_t {
  None = 0,
  Input = 1,
  Order = 2,
  OwnNumber = 4,
  ByThread = 8
};

/// What is only known when a program has been followed, and counts from its
/// start: it is followed again then.
struct Learnt {
  /// What these read depends on the order of threads.
  std::set<const llvm::Instruction *> ordered = {};
  /// Variables that each thread has one of, and that are left by code that any
  /// thread may run.
  std::set<const llvm::Value *> moved = {};
  /// Those that only some threads write.
  std::set<const llvm::Value *> differing = {};
  /// To look for a file takes longer than to follow hundreds of instructions.
  llvm::DenseMap<const llvm::Instruction *, SourcePlace> places;
  /// And to read it.
  llvm::DenseMap<const llvm::Instruction *, std::optional<std::string>>
      directives;
  llvm::DenseMap<const llvm::CallBase *, const llvm::CallBase *> barriers;
  /// Instructions that were followed before.
  uint64_t numSteps = 0;

  const SourcePlace &placeAt(const llvm::Instruction &instruction) {
    auto [found, isNew] = places.try_emplace(&instruction);
    if (isNew)
      found->second = placeOf(instruction);
    return found->second;
  }

  /// The directive of what an instruction belongs to.
  const std::optional<std::string> &
  directiveOf(const llvm::Instruction &instruction) {
    auto [found, isNew] = directives.try_emplace(&instruction);
    if (isNew)
      found->second = rehearsal::directiveOf(instruction, placeAt(instruction));
    return found->second;
  }

  /// The loop for the first values of which clang has put a barrier.
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

/// What is made of the number of a thread is not that number.
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
/// The same as a number with a sign.
int64_t extended(uint64_t bits, unsigned width);
/// The C library's files, which nobody changes.
inline bool isOutput(llvm::StringRef variable) {
  return variable == "stdout" || variable == "stderr";
}

/// Types of numbers that fit.
bool isSimple(const llvm::Type *type);
/// Whether something is what a task depends on, which is only compared.
bool isOfDependence(const llvm::StoreInst &write);

struct Strand;

/// A loop of which some iterations may be run at once, instruction by
/// instruction.
struct SimdLoop {
  const llvm::BasicBlock *latch = nullptr;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> blocks;
  /// How many; 0: all.
  int64_t safeLength = 0;
  bool isLengthSaid = false;
  /// What the directive and its loop declare is in here.
  const llvm::DILocalScope *scope = nullptr;
  /// Some of its code is run in the order of the iterations.
  bool isOrdered = false;
  bool isOverChunks = false;
  /// Variables that only the loop uses, of which each iteration has its own.
  std::map<const llvm::AllocaInst *, bool> own = {};
  /// Those that clang has made of what the directive names.
  std::map<const llvm::AllocaInst *, bool> copies = {};
};

struct FollowedTeam {
  Strand *parent = nullptr;
  unsigned depth = 0, numThreads = 1;
  /// Numbers of threads up to this one may be told apart: there are others with
  /// larger numbers that are all alike, or none.
  int mostNamed = -1;
  /// The program says how many threads there are, and all are followed.
  bool isExact = false;
  /// Teams of teams: locks are each team's own.
  bool isLeague = false;
  /// How many of the teams around it, and itself, have threads that run beside
  /// each other.
  unsigned numActive = 0;
  /// How many 'parallel' regions it is in.
  unsigned numLevels = 0;
  /// Threads of an outer team run beside, so there may be others.
  bool isParallel = false;
  /// Of a 'simd' loop: iterations that are so far from each other are in order.
  int64_t safeLength = 0;
  SimdLoop *loop = nullptr;
  /// What its maker holds keeps others out, but not its threads from each
  /// other.
  unsigned locks = 0;
  /// A team in a team, which there is only if the program is run so.
  bool isDoubtful = false;
  /// The loop before which its threads wait now, though only clang says so.
  const llvm::CallBase *awaited = nullptr;
};

/// What is between two barriers.
struct Phase {
  FollowedTeam *team = nullptr;
  unsigned numStrands = 0;
  /// The one before, if it ends only since clang gives the first values of a
  /// loop, whose directive is this.
  const Phase *unpromised = nullptr;
  const llvm::DILocalScope *scope = nullptr;
};

/// Code that is run in order: nothing in it waits for others.
struct Strand {
  Phase *phase = nullptr;
  unsigned index = 0;
  /// Those of the phase that are over when it begins.
  llvm::BitVector before = {};
  Unit unit = Unit::Thread;
  /// Equal for the iterations of one loop.
  unsigned construct = 0;
  int64_t iteration = 0, numIterations = 0;
  /// How iterations are shared out, if all threads know it; 0: they do not.
  uint64_t sharing = 0;
  /// The program says so, and OpenMP promises it.
  bool isSharingSaid = false;
  /// So many iterations in a row are one thread's, from multiples of it on; if
  /// it is negative, only the first ones; 0: it is not known how many.
  int64_t chunk = 1;
  /// This is so many iterations, one after the other.
  int64_t length = 1;
  /// Iterations may wait for single other ones.
  bool isCrossed = false;
  /// Whose stack it is run on, and whose thread.
  unsigned stack = 0, thread = 0;
  /// Equal for all parts of an iteration, a task, or a thread's own code.
  const Strand *origin = nullptr;
};

struct FollowedAccess {
  Strand *strand = nullptr;
  const llvm::Instruction *place = nullptr;
  unsigned locks = 0;
  bool isWrite = false, isAtomic = false, isDoubtful = false;
};

/// Who has been somewhere; or that somebody of a phase has, whoever it was.
struct Mark {
  Strand *strand = nullptr;
  const llvm::Instruction *place = nullptr;
  bool isWhole = false;
};

struct Cell {
  std::vector<FollowedAccess> accesses = {};
  Strand *writer = nullptr;
  /// Any of these writers may be the last one in some run.
  std::vector<Mark> writers = {};
  /// Readers that a later writer may come before in another run.
  std::vector<Mark> readers = {};
};

/// A task of a loop may take several iterations, which then share its copies:
/// the bytes of copies that some iteration reads before it writes them, and
/// that some iteration writes.
struct LoopCopies {
  llvm::BitVector read, written;
};

/// A variable or a block of memory.
struct FollowedObject {
  uint64_t begin = 0, size = 0;
  std::string name = {};
  std::unique_ptr<char[]> memory = {};
  /// Whose stack it is on; 0: nobody's.
  unsigned stack = 0;
  /// A copy that only this thread gets.
  unsigned thread = 0;
  /// The stack of the thread that has it from the heap for itself.
  unsigned home = 0;
  /// What makes it: each thread has one of these.
  const llvm::Value *made = nullptr;
  /// How many there were before.
  uint64_t stamp = 0;
  Strand *birth = nullptr;
  /// Others may have its address.
  bool isPublished = false;
  /// A thread's own code updates it, so there are as many updates as threads.
  bool isByThreads = false;
  bool isFreed = false;
  /// Bytes of a cell; 0: there are none.
  unsigned grain = 0;
  std::vector<Cell> cells = {};
  std::vector<uint8_t> depends = {};
  bool isConstant = false, isForeign = false;
  /// Its address is the name of a lock or of a dependence.
  bool isName = false;
  const llvm::AllocaInst *variable = nullptr;
  /// Of a task of a loop: what it has for itself, and has written there.
  LoopCopies *copies = nullptr;
  llvm::BitVector written = {};
};

/// What tasks of one task, or of an iteration, wait for.
struct TaskContext {
  std::vector<Strand *> children = {};
  struct Place {
    std::vector<Strand *> writers = {}, readers = {}, before = {};
    unsigned kind = 0;
  };
  std::map<uint64_t, Place> places = {};
  /// The last one that depends on all memory.
  Strand *ofAll = nullptr;
};

/// The part of a shared loop that a thread takes.
struct Share {
  llvm::CallBase *start = nullptr;
  size_t depth = 0;
  int64_t first = 0, step = 1, next = 0, end = 0, numIterations = 0;
  unsigned construct = 0;
  uint64_t sharing = 0;
  bool isSharingSaid = false;
  int64_t chunk = 1;
  /// Iterations of a chunk are in order.
  bool hasChunks = false;
  /// Whether its thread, or an iteration, has waited for others.
  bool hadWaited = false, hasWaited = false;
  /// Where it says that an iteration is the last one; 0: nowhere.
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
  /// Until here, code is run because of the order of threads.
  std::optional<llvm::BasicBlock *> orderedUntil = std::nullopt;
  /// Where branches meet again, and what they depend on.
  llvm::SmallVector<std::pair<llvm::BasicBlock *, uint8_t>, 2> chosenUntil;
  uint8_t resultDepends = None;
  /// Until here, it is run because of the thread's number.
  std::optional<llvm::BasicBlock *> namedUntil = std::nullopt;
  /// Until here, it is run by the thread that has had the last iteration.
  std::optional<llvm::BasicBlock *> lastUntil = std::nullopt;
  /// How far a call that waits has come.
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
  /// Younger variables are known only where the thread's number matters.
  uint64_t namedSince = 0;
  /// 0: as many as the library likes.
  unsigned defaultThreads = 0;
  /// A number that may be any other one.
  static constexpr unsigned openNumber = ~0u;
  /// Threads of a team, of those of a league, and of the next league; 0: any.
  unsigned mostThreads = 0, nextLimit = 0;
  /// The number that is asked for next is not known.
  bool isOpenNumber = false;
  bool isCrossed = false;
  bool isFinal = false, isInTask = false;
  /// It has waited for others in a loop of its own, so it may come after them.
  bool hasWaited = false;
  /// It adds its copy to a reduced variable.
  bool isJoining = false;
  /// The frame of the join.
  size_t joinDepth = 0;
  std::vector<std::vector<Strand *>> groups = {};
  /// What the thread has outside of code that any thread may run.
  struct Outside {
    std::vector<std::vector<Strand *>> groups = {};
    std::vector<uint64_t> locks = {};
  };
  std::optional<Outside> outside = std::nullopt;
  /// Whether the thread that runs such code has a lock, is not known.
  bool hasOpenLocks = false;
  /// Of the shared loop that was over last: its last strand here, and where it
  /// says whether that was the last iteration.
  Strand *lastOfLoop = nullptr;
  uint64_t lastFlag = 0;
  const llvm::CallBase *lastLoop = nullptr;
  size_t lastDepth = 0;
  /// Clang has the threads wait next, though the program does not say so.
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

/// What the threads of a team know of a construct.
struct Construct {
  bool isTaken = false;
  Strand *lastOrdered = nullptr;
  int64_t nextOrdered = 0;
  std::map<std::vector<int64_t>, Strand *> posted = {};
};

class RehearsalRun {
public:
  RehearsalRun(llvm::Module &module, Learnt &learnt, uint64_t mostSteps)
      : module(module), layout(module.getDataLayout()), learnt(learnt),
        mostSteps(mostSteps) {}

  Rehearsal run();

private:
  // The code.
  void execute(Thread &thread, size_t depth);
  bool step(Thread &thread, Frame &frame, llvm::Instruction &instruction);
  void enter(Thread &thread, llvm::BasicBlock *next);
  void decide(Thread &thread, Frame &frame, const FollowedNumber &choice);
  llvm::BasicBlock *afterOf(const Frame &frame);
  FollowedNumber valueOf(Thread &thread, const llvm::Value *value);
  FollowedNumber constant(Thread &thread, const llvm::Constant &value);
  FollowedNumber compute(Thread &thread, llvm::Instruction &instruction);
  FollowedNumber convert(const FollowedNumber &value, unsigned opcode,
                         llvm::Type *from, llvm::Type *to);
  bool compare(const llvm::CmpInst &comparison, const FollowedNumber &left,
               const FollowedNumber &right);
  FollowedNumber binary(unsigned opcode, llvm::Type *type,
                        const FollowedNumber &left,
                        const FollowedNumber &right);
  FollowedNumber addressOf(Thread &thread, llvm::GEPOperator &place);
  void push(Thread &thread, llvm::Function &function,
            llvm::ArrayRef<FollowedNumber> arguments, llvm::CallBase *call);
  void leave(Thread &thread, std::optional<FollowedNumber> result);
  FollowedNumber callNow(Thread &thread, llvm::Function &function,
                         llvm::ArrayRef<FollowedNumber> arguments);
  uint8_t doubtOf(const Thread &thread) const {
    return thread.numDoubts ? Order : None;
  }
  bool isDoubtful(const Thread &thread, const FollowedNumber &address) const {
    return thread.numDoubts || thread.hasWaited || thread.hasOpenLocks ||
           (address.depends & Order);
  }
  std::map<const llvm::BasicBlock *, SimdLoop> &
  simdLoopsOf(llvm::Function &function);
  void enterLanes(Thread &thread, const llvm::BasicBlock *previous,
                  const llvm::BasicBlock *next);
  void endLanes(Thread &thread);
  bool isHarmless(const Thread &thread, const llvm::BasicBlock *block,
                  const llvm::BasicBlock *after) const;

  // Calls. All of these return whether the instruction is over.
  bool call(Thread &thread, Frame &frame, llvm::CallBase &call);
  bool intrinsic(Thread &thread, llvm::CallBase &call, llvm::StringRef name);
  bool library(Thread &thread, llvm::CallBase &call, llvm::StringRef name);
  bool mathematics(Thread &thread, llvm::CallBase &call, llvm::StringRef name);
  bool runtime(Thread &thread, Frame &frame, llvm::CallBase &call,
               llvm::StringRef name);
  void meetScan(const llvm::CallBase &start);
  bool sharing(Thread &thread, Frame &frame, llvm::CallBase &call,
               llvm::StringRef name);
  bool ordering(Thread &thread, Frame &frame, llvm::CallBase &call,
                llvm::StringRef name);
  bool locking(Thread &thread, Frame &frame, llvm::CallBase &call,
               llvm::StringRef name);
  bool tasking(Thread &thread, Frame &frame, llvm::CallBase &call,
               llvm::StringRef name);
  bool asking(Thread &thread, llvm::CallBase &call, llvm::StringRef name);
  void give(Thread &thread, llvm::CallBase &call, FollowedNumber value);

  // Teams.
  void fork(Thread &thread, llvm::CallBase &call, unsigned numThreads,
            int mostNamed, bool isLeague, bool isOpen);
  void runTeam(std::vector<Thread> &threads);
  bool wait(Thread &thread, Frame &frame);
  void beginIteration(Thread &thread, Share &share);
  void endShare(Thread &thread);
  /// Code begins, and ends, that any thread of the team may run.
  void beginOpen(Thread &thread);
  void endOpen(Thread &thread);
  void beginLast(Thread &thread, Frame &frame);
  void setBounds(Thread &thread, const Share &share);
  void setChunk(Share &share, uint64_t schedule, const FollowedNumber &chunk);
  Construct &constructOf(Thread &thread, unsigned number) {
    return constructs[{thread.team, number}];
  }
  void runTask(Thread &thread, llvm::Function &function,
               llvm::ArrayRef<FollowedNumber> arguments, uint64_t flags,
               llvm::ArrayRef<std::pair<uint64_t, unsigned>> depends,
               bool isNow, Strand *maker = nullptr);
  void joinTasks(Thread &thread, llvm::ArrayRef<Strand *> tasks);
  std::vector<std::pair<uint64_t, unsigned>> readDepends(uint64_t list,
                                                         uint64_t number);
  void setLocks(Thread &thread);

  // Order.
  Phase *newPhase(FollowedTeam *team);
  Strand *newStrand(Phase *phase, const Thread &thread, Unit unit);
  /// Goes on in a strand that begins when these, too, are over.
  void split(Thread &thread, llvm::ArrayRef<Strand *> others);
  bool isBefore(const Strand *one, const Strand *other) const;
  /// Whether only the length of a 'simd' loop's vectors puts the two in order.
  bool isFar(const Strand *one, const Strand *other) const;
  /// Whether only a barrier that OpenMP does not promise puts the two in order.
  bool isUnpromised(const Strand *first, const Strand *second) const;
  /// Whether the one is where variables get the last values of a loop, and the
  /// other one is where its threads take the first ones.
  bool isLastOfFirst(const Thread &thread, const Cell &cell,
                     const FollowedAccess &access,
                     const FollowedAccess &other) const;
  /// Whether two iterations are one thread's, since their loops are shared out
  /// alike.
  static bool isSharedAlike(const Strand &one, const Strand &other);
  /// Whether two iterations of a loop may be in one chunk.
  static bool mayShareChunk(const Strand &one, const Strand &other);
  static bool isOfLane(const FollowedObject &object, const Strand &strand);
  /// Whether clang has made a variable of what the directive of the loop names.
  static bool isCopyOfLanes(const FollowedObject &object, const Strand &strand);
  bool isDangling(uint64_t address);
  /// What iterations of one task leave to each other.
  void noteCopies(FollowedObject &object, uint64_t offset, uint64_t bytes,
                  bool isWrite);
  /// Whether the join of a reduction changes what is neither a copy nor
  /// reduced.
  bool isBesideJoin(Thread &thread, const FollowedObject &object);
  /// What the two are in, in the same team.
  std::pair<const Strand *, const Strand *>
  partingOf(const Strand *one, const Strand *other) const;
  bool isParallel(const Thread &thread) const;

  // Memory.
  FollowedObject *find(uint64_t address);
  uint64_t allocate(uint64_t size, std::string name, Thread *thread);
  uint64_t allocateHeap(Thread &thread, uint64_t size,
                        const llvm::CallBase &call, bool isZero);
  void release(Thread &thread, uint64_t address,
               const llvm::Instruction *place);
  void endOf(FollowedObject &object, Thread &thread);
  uint64_t globalOf(Thread &thread, const llvm::GlobalVariable &variable,
                    bool isThreads);
  void initialize(Thread &thread, uint64_t address,
                  const llvm::Constant &value);
  FollowedNumber load(Thread &thread, const FollowedNumber &address,
                      llvm::Type *type, const llvm::Instruction *place,
                      bool isAtomic);
  void store(Thread &thread, const FollowedNumber &address,
             const FollowedNumber &value, llvm::Type *type,
             const llvm::Instruction *place, bool isAtomic);
  void copy(Thread &thread, const FollowedNumber &to,
            const FollowedNumber &from, uint64_t bytes,
            const llvm::Instruction *place);
  void fill(Thread &thread, const FollowedNumber &to,
            const FollowedNumber &byte, uint64_t bytes,
            const llvm::Instruction *place);
  /// Notes an access, and returns what the value read depends on.
  uint8_t note(Thread &thread, FollowedObject &object, uint64_t address,
               uint64_t bytes, bool isWrite, bool isAtomic, bool isDoubtful,
               const llvm::Instruction *place);
  uint8_t noteCell(Thread &thread, FollowedObject &object, Cell &cell,
                   const FollowedAccess &access);
  uint8_t noteMarks(Thread &thread, FollowedObject &object, Cell &cell,
                    const FollowedAccess &access);
  uint8_t noteOwn(Thread &thread, const FollowedObject &object, bool isWrite,
                  const Strand *writer);
  bool isUpdatedOnly(const FollowedObject &object);
  bool isOver(const Mark &mark, const Strand *strand) const;
  void addMark(std::vector<Mark> &marks, const Mark &mark);
  bool isApart(const FollowedObject &object, const Strand *one,
               const Strand *other, bool &isUnsure) const;
  /// What is known of a value when it is stored.
  uint8_t keptOf(const Thread &thread, const FollowedObject &object,
                 uint8_t depends) const;
  void publish(const Thread &thread, const FollowedObject &target,
               uint64_t value);
  void setGrain(FollowedObject &object, uint64_t offset, uint64_t bytes);
  void report(FollowedObject &object, const FollowedAccess &first,
              const FollowedAccess &second);
  RehearsedAccess describe(const FollowedAccess &access) const;
  uint64_t peek(uint64_t address, unsigned bytes);
  uint8_t dependsAt(uint64_t address, unsigned bytes);
  /// The functions of the program by their addresses.
  llvm::Function *functionAt(uint64_t address);
  bool areOfOne(uint64_t address, uint64_t other);
  void poke(uint64_t address, uint64_t value, unsigned bytes);
  bool exclude(const FollowedAccess &one, const FollowedAccess &other) const;
  static constexpr uint64_t joins = uint64_t(1) << 62;
  bool isWithin(unsigned locks, unsigned others) const;

  void stop(std::string reason);
  /// What has been found holds, but there may be more.
  void doubt(std::string reason) {
    if (!result.reason.empty())
      return;
    result.reason = std::move(reason);
    if (here)
      result.reasonPlace = learnt.placeAt(*here);
  }

  llvm::Module &module;
  const llvm::DataLayout &layout;
  Learnt &learnt;
  uint64_t mostSteps = 0;
  /// What is followed now.
  const llvm::Instruction *here = nullptr;
  llvm::DenseMap<const llvm::Value *, bool> updatedOnly;
  Rehearsal result;
  bool isStopped = false;
  /// Teams may have less threads than the program says.
  bool isDynamic = false;
  /// It says how loops are shared out that leave it to the run.
  bool isScheduleSet = false;
  /// Some barrier is not promised.
  bool hasUnpromised = false;
  /// How many teams in each other may have several threads.
  unsigned mostLevels = 1;
  uint64_t numSteps = 0, sliceEnd = 0, numBits = 0, numBytes = 0, numCells = 0,
           numObjects = 0, freedBytes = 0;
  unsigned numStacks = 0, numTaskLoops = 0, numHeap = 0;
  llvm::DenseMap<uint64_t, llvm::Function *> functions;
  /// What is called when the program ends, the last first.
  std::vector<std::pair<llvm::Function *, FollowedNumber>> atExit;
  std::deque<FollowedTeam> teams;
  std::deque<Phase> phases;
  std::deque<Strand> strands;
  std::deque<TaskContext> contexts;
  std::deque<LoopCopies> loopCopies;
  std::map<uint64_t, FollowedObject> objects;
  FollowedObject *lastFound = nullptr;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> globals;
  std::map<std::pair<const llvm::GlobalVariable *, unsigned>, uint64_t> copies;
  std::map<std::pair<const FollowedTeam *, unsigned>, Construct> constructs;
  struct Lock {
    const Thread *holder = nullptr;
    unsigned depth = 0;
    /// Since when it is held.
    Strand *taken = nullptr;
    /// Who took it before, and gave it back.
    std::deque<std::pair<Strand *, Strand *>> earlier = {};
  };
  std::map<uint64_t, Lock> held;
  std::vector<std::vector<uint64_t>> lockSets = {{}};
  std::map<const FollowedTeam *, uint64_t> given;
  llvm::DenseMap<const llvm::Function *,
                 std::unique_ptr<llvm::PostDominatorTree>>
      dominators;
  llvm::DenseMap<const llvm::Function *,
                 std::unique_ptr<std::map<const llvm::BasicBlock *, SimdLoop>>>
      simdLoops;
  /// An update is one place, whatever it does there.
  std::set<std::pair<SourcePlace, SourcePlace>> reported;
};

/// The iteration, task or thread that some code is part of, whatever loops of
/// lanes and teams of one thread are in between.
inline const Strand *unitOf(const Strand *strand) {
  for (const Strand *outer = strand->phase->team->parent;
       outer && outer->stack == strand->stack;
       outer = outer->phase->team->parent)
    strand = outer;
  return strand->origin;
}

/// The code of the thread with a stack that an access is part of.
inline const Strand *onStack(const Strand *strand, unsigned stack) {
  for (; strand && stack != 0; strand = strand->phase->team->parent)
    if (strand->stack == stack)
      return strand;
  return nullptr;
}

/// The number of a thread in its team. In a team of its own, a thread is the
/// first one, whatever it is outside.
inline unsigned numberIn(const Thread &thread) {
  return thread.team->numThreads == 1 ? 0 : thread.number;
}

/// It is run by the same thread in all runs.
inline bool isFixed(const Strand *strand) {
  return unitOf(strand)->unit == Unit::Thread;
}

/// A thread has it for itself, and this is code that the thread runs.
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
