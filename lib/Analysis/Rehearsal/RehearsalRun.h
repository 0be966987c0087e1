//===- RehearsalRun.h - Following a program from its start ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One class, whose parts are in several files: following code, calls, teams,
// tasks and memory all change the same state.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REHEARSAL_REHEARSALRUN_H
#define SLUICE_LIB_ANALYSIS_REHEARSAL_REHEARSALRUN_H

#include "RehearsalState.h"

namespace sluice::rehearsal {

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

  // Calls. All of these return true if the instruction is complete.
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
  /// Called where code begins, and ends, that any thread of the team may run.
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
  /// Continues in a new strand that begins when `others` have ended, too.
  void split(Thread &thread, llvm::ArrayRef<Strand *> others);
  bool isBefore(const Strand *one, const Strand *other) const;
  /// True if only the length of a 'simd' loop's vectors orders the two.
  bool isFar(const Strand *one, const Strand *other) const;
  /// True if only a barrier that OpenMP does not guarantee orders the two.
  bool isUnpromised(const Strand *first, const Strand *second) const;
  /// True if one access stores the last values of a loop's variables, and the
  /// other one loads their first values.
  bool isLastOfFirst(const Thread &thread, const Cell &cell,
                     const FollowedAccess &access,
                     const FollowedAccess &other) const;
  /// True if one thread runs both iterations, because their loops have the same
  /// schedule.
  static bool isSharedAlike(const Strand &one, const Strand &other);
  /// True if two iterations of a loop may belong to one chunk.
  static bool mayShareChunk(const Strand &one, const Strand &other);
  static bool isOfLane(const FollowedObject &object, const Strand &strand);
  /// True if clang has made the object as a copy of a variable that the loop's
  /// directive names.
  static bool isCopyOfLanes(const FollowedObject &object, const Strand &strand);
  bool isDangling(uint64_t address);
  /// Notes which bytes of copies the iterations of one task pass on.
  void noteCopies(FollowedObject &object, uint64_t offset, uint64_t bytes,
                  bool isWrite);
  /// True if the object is neither reduced nor a copy, so that the join of a
  /// reduction must not change it.
  bool isBesideJoin(Thread &thread, const FollowedObject &object);
  /// The strands of one team that contain the two.
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
  /// Notes an access, and returns what the value that it reads depends on.
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
  /// The dependence of a value when it is stored.
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
  /// The function of the program at an address; null if there is none.
  llvm::Function *functionAt(uint64_t address);
  bool areOfOne(uint64_t address, uint64_t other);
  void poke(uint64_t address, uint64_t value, unsigned bytes);
  bool exclude(const FollowedAccess &one, const FollowedAccess &other) const;
  static constexpr uint64_t joins = uint64_t(1) << 62;
  bool isWithin(unsigned locks, unsigned others) const;

  void stop(std::string reason);
  /// Gives a reason why the program is not proven. Races found so far count.
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
  /// The instruction that is followed now.
  const llvm::Instruction *here = nullptr;
  llvm::DenseMap<const llvm::Value *, bool> updatedOnly;
  Rehearsal result;
  bool isStopped = false;
  /// Teams may have fewer threads than the program requests.
  bool isDynamic = false;
  /// The program sets the schedule of loops with `schedule(runtime)`.
  bool isScheduleSet = false;
  /// There is a barrier that OpenMP does not guarantee.
  bool hasUnpromised = false;
  /// The greatest number of nested teams with several threads.
  unsigned mostLevels = 1;
  uint64_t numSteps = 0, sliceEnd = 0, numBits = 0, numBytes = 0, numCells = 0,
           numObjects = 0, freedBytes = 0;
  unsigned numStacks = 0, numTaskLoops = 0, numHeap = 0;
  llvm::DenseMap<uint64_t, llvm::Function *> functions;
  /// The functions that are called when the program ends, in reverse order.
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
    /// The strand that has taken it.
    Strand *taken = nullptr;
    /// The strands that took and released it before.
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
  /// The pairs of places with a reported race.
  std::set<std::pair<SourcePlace, SourcePlace>> reported;
};

} // namespace sluice::rehearsal

#endif // SLUICE_LIB_ANALYSIS_REHEARSAL_REHEARSALRUN_H
