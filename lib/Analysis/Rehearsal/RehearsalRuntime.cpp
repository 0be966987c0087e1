//===- RehearsalRuntime.cpp - Teams, shared loops and locks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the calls that clang's code makes to the OpenMP runtime library. A
// thread gets its iterations one by one: for each iteration, the code between
// the first and the last call of a shared loop runs again.
//
//===----------------------------------------------------------------------===//

#include "RehearsalState.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

/// In a team of its own, a thread is the first one, whatever it is outside.
static unsigned numberIn(const Thread &thread) {
  return thread.team->numThreads == 1 ? 0 : thread.number;
}

/// Whether a loop's description says that it is made of sections, which may be
/// shared out in any way.
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

bool RehearsalRun::runtime(Thread &thread, Frame &frame, CallBase &call,
                           StringRef name) {
  if (sharing(thread, frame, call, name) ||
      ordering(thread, frame, call, name) ||
      locking(thread, frame, call, name) ||
      tasking(thread, frame, call, name) || asking(thread, call, name))
    return true;
  stop("it uses '" + name.str() + "'");
  return true;
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

void RehearsalRun::fork(Thread &thread, CallBase &call, unsigned numThreads,
                        int mostNamed, bool isLeague, bool isOpen) {
  auto *work = dyn_cast<Function>(call.getArgOperand(2));
  if (!work)
    return stop("a team is started in an unusual way");
  result.reached.insert(learnt.placeAt(call));
  FollowedTeam &team = teams.emplace_back();
  team.parent = thread.strand;
  team.depth = thread.strand->phase->team->depth + 1;
  team.numThreads = numThreads;
  bool isOuter = isParallel(thread);
  team.isParallel = isOuter || numThreads > 1;
  team.isLeague = isLeague;
  unsigned numOuter = thread.team->numActive;
  // The number of a thread may be one of an outer team.
  team.mostNamed = numOuter != 0 ? -1 : mostNamed;
  team.numLevels = thread.team->numLevels + !isLeague;
  team.locks = thread.lockSet;
  if (team.depth > deepestTeam)
    return stop("its teams are too deep in each other");
  team.numActive = numOuter + (!isLeague && numThreads > 1);
  team.isDoubtful = thread.team->isDoubtful || isOpen ||
                    (numOuter >= mostLevels && !isLeague && numThreads > 1);
  team.isExact = team.mostNamed == int(numThreads) && !team.isDoubtful;
  Phase *phase = newPhase(&team);
  std::vector<Thread> threads(numThreads);
  for (unsigned number = 0; number != numThreads; ++number) {
    Thread &one = threads[number];
    one.team = &team;
    one.phase = phase;
    one.number = number;
    one.stack = ++numStacks;
    one.strand = one.own = newStrand(phase, one, Unit::Thread);
    one.context = one.ownContext = &contexts.emplace_back();
    one.locks = thread.locks;
    one.lockSet = thread.lockSet;
    one.defaultThreads = thread.defaultThreads;
    one.mostThreads = isLeague ? thread.nextLimit : thread.mostThreads;
    one.numDoubts = thread.numDoubts;
    one.hasWaited = thread.hasWaited;
    SmallVector<FollowedNumber> arguments;
    for (unsigned i = 0; i != 2; ++i) {
      arguments.push_back({allocate(4, "", &one)});
      poke(arguments.back().bits, number, 4);
      // Teams of many sizes are possible, so nothing may depend on numbers.
      objects[arguments.back().bits].depends.assign(4, Input);
    }
    for (unsigned i = 3; i != call.arg_size(); ++i) {
      arguments.push_back(valueOf(thread, call.getArgOperand(i)));
      // The number is that of another team.
      uint8_t &depends = arguments.back().depends;
      if (depends & (OwnNumber | ByThread))
        depends = (depends & ~(OwnNumber | ByThread)) | Input;
    }
    push(one, *work, arguments, nullptr);
  }
  if (!isStopped)
    runTeam(threads);
  bool isOver = all_of(threads, [](const Thread &one) {
    return one.state == Thread::State::Over;
  });
  if (!isStopped && !isOver)
    stop("its threads wait for each other");
}

void RehearsalRun::runTeam(std::vector<Thread> &threads) {
  constexpr uint64_t slice = 3000000;
  unsigned numIdle = 0;
  while (!isStopped) {
    bool hasRun = false;
    for (Thread &thread : threads) {
      if (thread.state == Thread::State::Over ||
          thread.state == Thread::State::AtBarrier)
        continue;
      thread.state = Thread::State::Runs;
      uint64_t before = numSteps, oldEnd = sliceEnd;
      sliceEnd = numSteps + slice;
      execute(thread, 0);
      sliceEnd = oldEnd;
      hasRun |= thread.state != Thread::State::Waits || numSteps > before + 2;
      if (thread.frames.empty())
        thread.state = Thread::State::Over;
    }
    bool isWaiting = any_of(threads, [](const Thread &thread) {
      return thread.state == Thread::State::Runs ||
             thread.state == Thread::State::Waits;
    });
    if (isWaiting) {
      numIdle = hasRun ? 0 : numIdle + 1;
      if (numIdle > 2)
        return stop("its threads wait for each other");
      continue;
    }
    bool isAtBarrier = any_of(threads, [](const Thread &thread) {
      return thread.state == Thread::State::AtBarrier;
    });
    if (!isAtBarrier)
      return;
    FollowedTeam *team = threads.front().team;
    Phase *phase = newPhase(team);
    if (team->awaited) {
      hasUnpromised = true;
      phase->unpromised = threads.front().phase;
      if (const DebugLoc &place = team->awaited->getDebugLoc())
        phase->scope = place->getScope();
      team->awaited = nullptr;
    }
    for (Thread &thread : threads) {
      thread.phase = phase;
      thread.hasWaited = false;
      thread.strand = thread.own = newStrand(phase, thread, Unit::Thread);
      thread.context = thread.ownContext = &contexts.emplace_back();
      if (thread.state == Thread::State::AtBarrier)
        thread.state = Thread::State::Runs;
    }
  }
}

/// At a barrier: first the thread stops, and when it goes on, it is over.
bool RehearsalRun::wait(Thread &thread, Frame &frame) {
  if (thread.team->numThreads == 1) {
    split(thread, thread.context->children);
    thread.context->children.clear();
    return true;
  }
  if (thread.isInTask) {
    stop("a task waits for a team");
    return false;
  }
  if (frame.stage % 2 == 1) {
    ++frame.stage;
    return true;
  }
  ++frame.stage;
  thread.state = Thread::State::AtBarrier;
  return false;
}

//===----------------------------------------------------------------------===//
// Shared loops
//===----------------------------------------------------------------------===//

void RehearsalRun::beginIteration(Thread &thread, Share &share) {
  if (thread.team->numThreads == 1)
    return;
  // The thread goes on with its chunk.
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

/// What is done with the results of the last iteration is part of it, whichever
/// thread that is.
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
  // Clang lets the threads wait for the last values, whatever the program says.
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
    // Clang's own variables for conditions count on the barrier.
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
  // Which of the threads has waited in an iteration is not known.
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
  // Other words may say that iterations of a chunk are run at once.
  share.hasChunks = directive && share.chunk > 1;
}

/// Which iterations a thread runs here.
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

/// Tells the code of a static loop which iterations are its own.
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
    // Two that are not named are looked at, unless there are no others. If it
    // is not said here how many there are, the first one may be the only one.
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
    // Four are as good as any number if there may be as many.
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
    result.reached.insert(learnt.placeAt(call));
    meetScan(call);
    Share share;
    share.start = &call;
    share.depth = thread.frames.size();
    share.bytes = name.contains("_8") ? 8 : 4;
    uint64_t from = argument(4).bits, to = argument(5).bits;
    share.first = signedOf(peek(from, share.bytes), share.bytes);
    int64_t last = signedOf(peek(to, share.bytes), share.bytes);
    if (name.ends_with("u") && share.bytes == 4) {
      share.first = uint32_t(share.first);
      last = uint32_t(last);
    } else if (name.ends_with("u") && (share.first < 0 || last < -1)) {
      stop("a loop is too long");
      return true;
    }
    openBounds(dependsAt(from, share.bytes) | dependsAt(to, share.bytes));
    share.numIterations = last < share.first ? 0 : last - share.first + 1;
    // 33 is schedule(static, chunk), 34 schedule(static), 92 that of teams.
    constexpr uint64_t ofChunks = 33, ofThreads = 34, ofTeams = 92;
    uint64_t schedule = argument(2).bits & 0xffff;
    FollowedNumber chunk = argument(8);
    // OpenMP promises it only for loops that say how they are shared out, and
    // of threads, not of teams.
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
    share.hadWaited = thread.hasWaited;
    share.construct = ++thread.numConstructs;
    if (share.numIterations > INT64_MAX / 64) {
      stop("a loop is too long");
      return true;
    }
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
    result.reached.insert(learnt.placeAt(call));
    meetScan(call);
    Share share;
    share.start = &call;
    share.depth = thread.frames.size();
    share.bytes = name.contains("_8") ? 8 : 4;
    FollowedNumber from = argument(3), to = argument(4);
    openBounds(from.depends | to.depends | argument(5).depends);
    share.first = signedOf(from.bits, share.bytes);
    share.step = signedOf(argument(5).bits, share.bytes);
    share.hadWaited = thread.hasWaited;
    int64_t last = signedOf(to.bits, share.bytes);
    bool isUnsigned = name.ends_with("u");
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
    share.construct = ++thread.numConstructs;
    if (share.numIterations > INT64_MAX / 64) {
      stop("a loop is too long");
      return true;
    }
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

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool RehearsalRun::ordering(Thread &thread, Frame &frame, CallBase &call,
                            StringRef name) {
  auto argument = [&](unsigned index) {
    return valueOf(thread, call.getArgOperand(index));
  };
  FollowedNumber value;
  if (name == "__kmpc_barrier" || name == "__kmpc_cancel_barrier") {
    if (thread.team->isLeague)
      doubt("teams do not wait for each other");
    if (frame.stage % 2 == 0 && name == "__kmpc_barrier")
      thread.team->awaited = learnt.loopOf(call);
    if (thread.hasFreeBarrier)
      thread.hasFreeBarrier = false;
    else if (!wait(thread, frame))
      return true;
    frame.stage = 0;
  } else if (name == "__kmpc_single") {
    Construct &single = constructOf(thread, ++thread.numConstructs);
    value.bits = !single.isTaken;
    if (!single.isTaken && thread.team->numThreads > 1) {
      beginOpen(thread);
      thread.strand = newStrand(thread.phase, thread, Unit::Single);
      thread.strand->construct = thread.numConstructs;
      thread.context = &contexts.emplace_back();
    }
    single.isTaken = true;
  } else if (name == "__kmpc_end_single") {
    if (thread.team->numThreads > 1) {
      thread.strand = thread.own;
      thread.context = thread.ownContext;
      endOpen(thread);
    }
  } else if (name == "__kmpc_master") {
    value = {numberIn(thread) == 0, 0, ByThread};
  } else if (name == "__kmpc_masked") {
    FollowedNumber filter = argument(2);
    uint32_t number = uint32_t(filter.bits);
    bool isKnown = number == 0 || thread.team->numThreads == 1 ||
                   int64_t(number) <= int64_t(thread.team->mostNamed);
    if (filter.depends || !isKnown)
      doubt("which thread it takes depends on its input, or on the number of "
            "threads");
    value = {numberIn(thread) == number, 0, ByThread};
  } else if (name == "__kmpc_copyprivate") {
    bool isGiver = argument(5).bits != 0;
    if (frame.stage == 0 && isGiver)
      given[thread.team] = argument(3).bits;
    if (frame.stage < 2 && !wait(thread, frame))
      return true;
    auto *function = dyn_cast<Function>(call.getArgOperand(4));
    if (frame.stage == 2) {
      if (!isGiver && function)
        callNow(thread, *function, {argument(3), {given[thread.team]}});
      if (isStopped)
        return true;
    }
    Frame &here = thread.frames.back();
    if (thread.team->numThreads > 1 && !wait(thread, here))
      return true;
    here.stage = 0;
  } else if (name == "__kmpc_ordered" || name == "__kmpc_end_ordered") {
    if (thread.team->numThreads > 1) {
      if (thread.shares.empty()) {
        stop("it has 'ordered' without a loop");
        return true;
      }
      const Share &share = thread.shares.back();
      Construct &loop = constructOf(thread, share.construct);
      if (name == "__kmpc_ordered") {
        if (share.next < loop.nextOrdered) {
          stop("it has 'ordered' in an unusual way");
          return true;
        }
        if (loop.lastOrdered)
          split(thread, loop.lastOrdered);
        else
          split(thread, {});
        loop.nextOrdered = share.next;
      } else {
        loop.lastOrdered = thread.strand;
        split(thread, {});
      }
    }
  } else if (name == "__kmpc_doacross_init" || name == "__kmpc_doacross_fini") {
    thread.isCrossed = name == "__kmpc_doacross_init";
  } else if (name == "__kmpc_doacross_post" || name == "__kmpc_doacross_wait") {
    if (thread.team->numThreads > 1) {
      if (thread.shares.empty()) {
        stop("it has 'ordered' without a loop");
        return true;
      }
      const Share &share = thread.shares.back();
      Construct &loop = constructOf(thread, share.construct);
      std::vector<int64_t> at;
      FollowedObject *list = find(argument(2).bits);
      uint64_t bytes = list ? list->begin + list->size - argument(2).bits : 0;
      if (dependsAt(argument(2).bits, unsigned(bytes)))
        doubt("which iteration it waits for depends on its input");
      for (uint64_t i = 0; i < bytes / 8; ++i)
        at.push_back(int64_t(peek(argument(2).bits + 8 * i, 8)));
      if (name == "__kmpc_doacross_post") {
        loop.posted[at] = thread.strand;
        split(thread, {});
      } else if (auto found = loop.posted.find(at);
                 found != loop.posted.end()) {
        split(thread, found->second);
      }
    }
  } else if (name == "__kmpc_flush" || name == "__kmpc_end_master" ||
             name == "__kmpc_end_masked") {
    value = {};
  } else {
    return false;
  }
  give(thread, call, value);
  return true;
}

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

bool RehearsalRun::locking(Thread &thread, Frame &, CallBase &call,
                           StringRef name) {
  auto argument = [&](unsigned index) {
    return valueOf(thread, call.getArgOperand(index));
  };
  FollowedNumber value;
  bool isCritical = name.starts_with("__kmpc_critical");
  bool isReduce = name == "__kmpc_reduce" || name == "__kmpc_reduce_nowait";
  bool isSet = name == "omp_set_lock" || name == "omp_set_nest_lock" ||
               name == "omp_test_lock" || name == "omp_test_nest_lock";
  bool isUnset = name == "omp_unset_lock" || name == "omp_unset_nest_lock";
  bool isEnd = name == "__kmpc_end_critical" || name == "__kmpc_end_reduce" ||
               name == "__kmpc_end_reduce_nowait";
  if (isCritical || isReduce || isSet) {
    FollowedNumber which = argument(isReduce ? 6 : isCritical ? 2 : 0);
    if (which.depends & ~ByThread)
      doubt("which lock it takes depends on its input, or on the order of "
            "threads");
    uint64_t lock = which.bits;
    if (FollowedObject *object = find(lock)) {
      object->isName = true;
      // Another thread would take another one.
      if (isSet && isParallel(thread) && !isFixed(thread.strand) &&
          isOwn(*object, thread.strand))
        doubt("a thread takes a lock that no other thread has");
    }
    auto &[holder, depth, taken, earlier] = held[lock];
    if (depth != 0 && holder != &thread) {
      // It is tried again when the other one has had its turn.
      thread.state = Thread::State::Waits;
      return true;
    }
    if (depth != 0 && !name.contains("nest")) {
      stop("a thread waits for its own lock");
      return true;
    }
    if (depth == 0 && isSet && isParallel(thread)) {
      // Who certainly had it before has given it back.
      std::vector<Strand *> before;
      for (auto [from, to] : earlier)
        if (isBefore(from, thread.strand))
          before.push_back(to);
      split(thread, before);
      taken = thread.strand;
    }
    holder = &thread;
    ++depth;
    thread.locks.push_back(isReduce ? lock | joins : lock);
    setLocks(thread);
    if (isReduce) {
      thread.isJoining = true;
      thread.joinDepth = thread.frames.size();
    }
    value.bits = 1;
    if (name.contains("test")) {
      value.depends = Order;
      // In another order, it goes on without the lock.
      if (isParallel(thread))
        doubt("whether a thread gets a lock depends on the order of threads");
    }
  } else if (isUnset || isEnd) {
    uint64_t lock = argument(isEnd ? 2 : 0).bits;
    // The join of a reduction ends with a barrier.
    if (name == "__kmpc_end_reduce") {
      Frame &here = thread.frames.back();
      if (here.stage == 1) {
        here.stage = 0;
        give(thread, call, value);
        return true;
      }
    }
    auto found = held.find(lock);
    if (found == held.end() || found->second.depth == 0) {
      stop("a thread gives back a lock that it does not have");
      return true;
    }
    Lock &state = found->second;
    if (state.holder != &thread)
      doubt("a thread gives back the lock of another one");
    if (--state.depth == 0 && isUnset && isParallel(thread)) {
      constexpr size_t mostKept = 16;
      if (state.taken)
        state.earlier.push_back({state.taken, thread.strand});
      if (state.earlier.size() > mostKept)
        state.earlier.pop_front();
      split(thread, {});
    }
    auto last =
        std::find(thread.locks.rbegin(), thread.locks.rend(),
                  name.starts_with("__kmpc_end_reduce") ? lock | joins : lock);
    if (last != thread.locks.rend())
      thread.locks.erase(std::next(last).base());
    setLocks(thread);
    if (name.starts_with("__kmpc_end_reduce"))
      thread.isJoining = false;
    if (name == "__kmpc_end_reduce") {
      Frame &here = thread.frames.back();
      if (thread.team->numThreads > 1 && !wait(thread, here))
        return true;
    }
  } else if (!name.starts_with("omp_init_") &&
             !name.starts_with("omp_destroy_")) {
    return false;
  }
  give(thread, call, value);
  return true;
}
