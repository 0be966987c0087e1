//===- RehearsalLoops.cpp - Loops that a team shares ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread gets its iterations one by one: for each iteration, the code between
// the first and the last call of a shared loop runs again.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

/// True if a loop stands for sections, which threads may share in any way.
static bool isOfSections(const CallBase &call) {
  const auto *place = dyn_cast<GlobalVariable>(call.getArgOperand(0));
  if (!place || !place->hasInitializer())
    return true;
  const auto *flags = dyn_cast_or_null<ConstantInt>(
      place->getInitializer()->getAggregateElement(1u));
  constexpr uint64_t ofSections = 0x400;
  return !flags || (flags->getZExtValue() & ofSections);
}

static int64_t signedOf(uint64_t bits, unsigned bytes) {
  return bytes == 4 ? int64_t(int32_t(uint32_t(bits))) : int64_t(bits);
}

void RehearsalRun::beginIteration(Thread &thread, Share &share) {
  if (thread.team->numThreads == 1)
    return;
  // The thread continues its chunk.
  if (share.hasChunks && share.next % share.chunk != 0)
    return;
  beginOpen(thread);
  Strand *strand = newStrand(thread.phase, thread, Unit::Iteration);
  strand->chunk = share.chunk;
  if (share.hasChunks)
    strand->length = std::min(share.chunk, share.numIterations - share.next);
  strand->construct = share.construct;
  strand->iteration = share.next;
  strand->numIterations = share.numIterations;
  strand->sharing = share.sharing;
  strand->isSharingSaid = share.isSharingSaid;
  thread.strand = strand;
  share.hasWaited |= thread.hasWaited;
  thread.hasWaited = share.hadWaited;
  thread.context = &contexts.emplace_back();
}

void RehearsalRun::beginOpen(Thread &thread) {
  if (!thread.outside) {
    thread.hasOpenLocks = thread.lockSet != thread.team->locks;
    thread.outside = {std::move(thread.groups), thread.locks};
  }
  thread.groups.clear();
  thread.lockSet = thread.team->locks;
  thread.locks = lockSets[thread.lockSet];
}

void RehearsalRun::endOpen(Thread &thread) {
  if (!thread.outside)
    return;
  thread.groups = std::move(thread.outside->groups);
  thread.locks = std::move(thread.outside->locks);
  thread.outside.reset();
  thread.hasOpenLocks = false;
  setLocks(thread);
}

/// Code that uses the results of the last iteration belongs to this iteration,
/// on whichever thread it runs.
void RehearsalRun::beginLast(Thread &thread, Frame &frame) {
  BasicBlock *after = afterOf(frame);
  if (!thread.lastOfLoop || thread.team->numThreads == 1 ||
      thread.lastOfLoop->phase != thread.phase)
    return;
  beginOpen(thread);
  frame.lastUntil = after;
  thread.strand = thread.lastOfLoop;
  split(thread, {});
}

void RehearsalRun::endShare(Thread &thread) {
  bool hasWaited = thread.shares.back().hasWaited;
  thread.lastFlag = thread.shares.back().lastFlag;
  thread.lastLoop = thread.shares.back().start;
  thread.lastDepth = thread.frames.size();
  thread.shares.pop_back();
  if (thread.team->numThreads == 1)
    return;
  // Clang adds a barrier for the last values in any case.
  const FollowedObject *flag = find(thread.lastFlag);
  if (flag && flag->variable &&
      any_of(flag->variable->users(),
             [](const User *user) { return isa<LoadInst>(user); })) {
    const std::optional<std::string> &directive =
        learnt.directiveOf(*thread.lastLoop);
    if (!directive)
      doubt("whether threads wait for the last values of a loop is not known");
    else
      thread.hasFreeBarrier = StringRef(*directive).contains(" nowait ") &&
                              StringRef(*directive).contains(" lastprivate ");
    // Clang's variables for 'conditional' rely on the barrier.
    if (thread.hasFreeBarrier &&
        any_of(thread.lastLoop->getModule()->globals(),
               [](const GlobalVariable &variable) {
                 return variable.getName().starts_with("pl_cond.");
               })) {
      thread.hasFreeBarrier = false;
      doubt("whether threads wait for the last values of a loop is not known");
    }
  }
  thread.lastOfLoop = thread.strand == thread.own ? nullptr : thread.strand;
  thread.strand = thread.own;
  endOpen(thread);
  // It is unknown which thread has waited in an iteration.
  thread.hasWaited |= hasWaited;
  thread.context = thread.ownContext;
}

void RehearsalRun::setChunk(Share &share, uint64_t schedule,
                            const FollowedNumber &chunk) {
  const std::optional<std::string> &directive =
      learnt.directiveOf(*share.start);
  std::optional<int64_t> length;
  if (!chunk.depends)
    length = signedOf(chunk.bits, share.bytes);
  share.chunk = chunkOf(schedule, length, directive);
  constexpr uint64_t ofRun = 37;
  if ((schedule & 0xffff) == ofRun && isScheduleSet)
    share.chunk = 0;
  // Unknown words may let iterations of a chunk run at the same time.
  share.hasChunks = directive && share.chunk > 1;
}

/// Selects the iterations that a thread runs.
static void shareOut(Share &share, unsigned number, unsigned numThreads) {
  int64_t length = share.hasChunks ? share.chunk : 1;
  int64_t numChunks =
      share.numIterations / length + (share.numIterations % length != 0);
  auto until = [&](unsigned threads) {
    return std::min(numChunks * threads / numThreads * length,
                    share.numIterations);
  };
  share.next = until(number);
  share.end = until(number + 1);
}

/// Stores the bounds of a thread's iterations for the code of a static loop.
void RehearsalRun::setBounds(Thread &thread, const Share &share) {
  auto place = [&](unsigned index) {
    return valueOf(thread, share.start->getArgOperand(index)).bits;
  };
  bool isAll = thread.team->numThreads == 1;
  int64_t lower = share.next, upper = isAll ? share.end - 1 : share.next;
  bool isEmpty = share.next >= share.end;
  poke(place(3), !isEmpty && upper == share.numIterations - 1, 4);
  if (isEmpty) {
    lower = 1;
    upper = 0;
    if (share.first > 0)
      lower += share.first, upper += share.first;
    else if (share.first < 0)
      upper = share.first, lower = share.first + 1;
  } else {
    lower += share.first;
    upper += share.first;
  }
  poke(place(4), uint64_t(lower), share.bytes);
  poke(place(5), uint64_t(upper), share.bytes);
  poke(place(6), uint64_t(std::max<int64_t>(share.numIterations, 1)),
       share.bytes);
}

bool RehearsalRun::sharing(Thread &thread, Frame &frame, CallBase &call,
                           StringRef name) {
  auto argument = [&](unsigned index) {
    return valueOf(thread, call.getArgOperand(index));
  };
  FollowedNumber value;
  unsigned numThreads = thread.team->numThreads, number = numberIn(thread);
  auto openBounds = [&](uint8_t depends) {
    if (depends == None)
      return;
    doubt(depends & Order ? "what it does depends on the order of threads"
                          : "what it does depends on its input, or on the "
                            "number of threads");
    decide(thread, thread.frames.back(), {0, 0, depends});
  };
  // The iterations that a loop shares. `depends`: what decides on them.
  auto openShare = [&](uint64_t first, uint64_t end, uint64_t step,
                       uint8_t depends) {
    result.reached.insert(learnt.placeAt(call));
    meetScan(call);
    openBounds(depends);
    Share share;
    share.start = &call;
    share.depth = thread.frames.size();
    share.bytes = name.contains("_8") ? 8 : 4;
    share.first = signedOf(first, share.bytes);
    share.step = signedOf(step, share.bytes);
    share.hadWaited = thread.hasWaited;
    share.construct = ++thread.numConstructs;
    int64_t last = signedOf(end, share.bytes);
    const bool isUnsigned = name.ends_with("u");
    if (isUnsigned && share.bytes == 4) {
      share.first = uint32_t(share.first);
      last = uint32_t(last);
    }
    if (isUnsigned && (share.first < 0 || last < -1))
      stop("a loop is too long");
    else if (share.step <= 0)
      stop("shares a loop in an unusual way");
    else
      share.numIterations =
          last < share.first ? 0 : (last - share.first) / share.step + 1;
    if (share.numIterations > INT64_MAX / 64)
      stop("a loop is too long");
    return share;
  };
  if (name == "__kmpc_fork_call") {
    bool isInner = thread.team->numActive != 0;
    constexpr unsigned mostThreads = 8, usual = 4, ofInner = 2;
    bool isPushed = thread.numPushed != 0;
    number = isPushed ? thread.numPushed : thread.defaultThreads;
    bool isSaid = number != 0 && number != Thread::openNumber;
    bool isOpen =
        thread.isOpenNumber || (!isPushed && number == Thread::openNumber);
    if (number == 0 || number == Thread::openNumber)
      number = usual;
    if (isInner && !isSaid)
      number = std::min(number, ofInner);
    if (thread.mostThreads != 0 && thread.mostThreads < number) {
      number = thread.mostThreads;
      isSaid = false;
    }
    // Two threads stand for all that are not followed one by one. If the number
    // of threads is not stated, the first one may be the only one.
    int known = int(std::min(number, mostThreads));
    if (isDynamic && number != 1)
      isSaid = false;
    int mostNamed = !isSaid ? 0 : number <= mostThreads ? known : known - 3;
    thread.numPushed = 0;
    thread.isOpenNumber = false;
    fork(thread, call, unsigned(known), mostNamed, /*isLeague=*/false, isOpen);
  } else if (name == "__kmpc_fork_teams") {
    constexpr unsigned mostTeams = 3;
    number = thread.numTeams ? std::min(thread.numTeams, mostTeams) : mostTeams;
    thread.numTeams = 0;
    bool isOpen = thread.isOpenNumber;
    thread.isOpenNumber = false;
    fork(thread, call, number, /*mostNamed=*/-1, /*isLeague=*/true, isOpen);
    thread.nextLimit = 0;
  } else if (name == "__kmpc_push_num_threads") {
    FollowedNumber wanted = argument(2);
    // Four threads stand for any number that the environment permits.
    constexpr uint64_t usual = 4;
    thread.isOpenNumber =
        wanted.depends != None &&
        ((wanted.depends & Order) || uint32_t(wanted.bits) != usual);
    thread.numPushed =
        wanted.depends ? Thread::openNumber : unsigned(wanted.bits);
  } else if (name.starts_with("__kmpc_push_num_teams")) {
    unsigned most = name.ends_with("_51") ? 3 : 2;
    FollowedNumber wanted = argument(most), limit = argument(most + 1);
    thread.isOpenNumber = (wanted.depends | limit.depends) != None;
    thread.numTeams = wanted.depends ? 0 : unsigned(wanted.bits);
    thread.nextLimit = limit.depends ? 0 : unsigned(limit.bits);
  } else if (name == "__kmpc_push_proc_bind") {
    value = {};
  } else if (name == "__kmpc_serialized_parallel") {
    result.reached.insert(learnt.placeAt(call));
    FollowedTeam &team = teams.emplace_back();
    team.parent = thread.strand;
    team.depth = thread.strand->phase->team->depth + 1;
    team.isParallel = isParallel(thread);
    team.numActive = thread.team->numActive;
    team.numLevels = thread.team->numLevels + 1;
    team.isDoubtful = thread.team->isDoubtful;
    thread.serial.push_back({thread.team, thread.phase, thread.strand,
                             thread.own, thread.numConstructs,
                             thread.defaultThreads, thread.context,
                             std::move(thread.groups)});
    thread.groups.clear();
    thread.context = &contexts.emplace_back();
    if (team.depth > deepestTeam)
      stop("its teams are too deep in each other");
    thread.numPushed = thread.numConstructs = 0;
    thread.isOpenNumber = false;
    thread.team = &team;
    thread.phase = newPhase(&team);
    thread.strand = thread.own = newStrand(thread.phase, thread, Unit::Thread);
  } else if (name == "__kmpc_end_serialized_parallel") {
    if (thread.serial.empty()) {
      stop("a team ends in an unusual way");
      return true;
    }
    Thread::Serial outer = thread.serial.back();
    thread.serial.pop_back();
    thread.team = outer.team;
    thread.phase = outer.phase;
    thread.strand = outer.strand;
    thread.own = outer.own;
    thread.numConstructs = outer.numConstructs;
    thread.defaultThreads = outer.defaultThreads;
    thread.context = outer.context;
    thread.groups = std::move(outer.groups);
  } else if (name.starts_with("__kmpc_for_static_init_")) {
    const unsigned bytes = name.contains("_8") ? 8 : 4;
    uint64_t from = argument(4).bits, to = argument(5).bits;
    Share share = openShare(peek(from, bytes), peek(to, bytes), 1,
                            dependsAt(from, bytes) | dependsAt(to, bytes));
    if (isStopped)
      return true;
    // 33 is schedule(static, chunk), 34 schedule(static), 92 that of teams.
    constexpr uint64_t ofChunks = 33, ofThreads = 34, ofTeams = 92;
    uint64_t schedule = argument(2).bits & 0xffff;
    FollowedNumber chunk = argument(8);
    // OpenMP guarantees it only for loops with a stated schedule, and for
    // threads, not for teams.
    auto isSaid = [&] {
      if (schedule == ofTeams)
        return false;
      const std::optional<std::string> &directive = learnt.directiveOf(call);
      return directive && StringRef(*directive).contains(" schedule ") &&
             !StringRef(*directive).contains(" simd ");
    };
    share.isSharingSaid = numThreads > 1 && isSaid();
    if (isOfSections(call))
      share.sharing = 0;
    else if (schedule == ofThreads || schedule == ofTeams)
      share.sharing = schedule;
    else if (schedule == ofChunks && !chunk.depends)
      share.sharing = schedule | chunk.bits << 8;
    share.lastFlag = argument(3).bits;
    setChunk(share, schedule, chunk);
    shareOut(share, number, numThreads);
    if (share.next < share.end)
      beginIteration(thread, share);
    setBounds(thread, share);
    thread.shares.push_back(share);
  } else if (name == "__kmpc_for_static_fini") {
    if (thread.shares.empty() ||
        thread.shares.back().depth != thread.frames.size()) {
      stop("shares a loop in an unusual way");
      return true;
    }
    Share &share = thread.shares.back();
    if (numThreads > 1 && share.next + 1 < share.end) {
      ++share.next;
      beginIteration(thread, share);
      setBounds(thread, share);
      frame.block = share.start->getParent();
      frame.at = std::next(share.start->getIterator());
      return true;
    }
    endShare(thread);
  } else if (name.starts_with("__kmpc_dispatch_init_")) {
    FollowedNumber from = argument(3), to = argument(4), step = argument(5);
    Share share = openShare(from.bits, to.bits, step.bits,
                            from.depends | to.depends | step.depends);
    if (isStopped)
      return true;
    setChunk(share, argument(2).bits, argument(6));
    shareOut(share, number, numThreads);
    --share.next;
    thread.shares.push_back(share);
  } else if (name.starts_with("__kmpc_dispatch_next_")) {
    if (thread.shares.empty()) {
      stop("shares a loop in an unusual way");
      return true;
    }
    Share &share = thread.shares.back();
    share.lastFlag = argument(2).bits;
    if (++share.next < share.end) {
      beginIteration(thread, share);
      int64_t at = share.first + share.step * share.next;
      if (share.lastFlag)
        poke(share.lastFlag, share.next == share.numIterations - 1, 4);
      poke(argument(3).bits, uint64_t(at), share.bytes);
      poke(argument(4).bits, uint64_t(at), share.bytes);
      poke(argument(5).bits, uint64_t(share.step), share.bytes);
      value.bits = 1;
    } else {
      endShare(thread);
    }
  } else if (!name.starts_with("__kmpc_dispatch_fini_") &&
             name != "__kmpc_dispatch_deinit") {
    return false;
  }
  give(thread, call, value);
  return true;
}
