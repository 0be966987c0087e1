//===- RehearsalRuntime.cpp - Teams, shared loops and locks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's code asks of the OpenMP runtime library. A thread gets its
// iterations one by one: the code between the first and the last call of a
// shared loop is run anew for each.
//
//===----------------------------------------------------------------------===//

#include "RehearsalState.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

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
                        int mostNamed, bool isLeague) {
  auto *work = dyn_cast<Function>(call.getArgOperand(2));
  if (!work)
    return stop("a team is started in an unusual way");
  result.reached.insert(placeOf(call));
  FollowedTeam &team = teams.emplace_back();
  team.parent = thread.strand;
  team.depth = thread.strand->phase->team->depth + 1;
  team.numThreads = numThreads;
  bool isOuter = isParallel(thread);
  team.isParallel = isOuter || numThreads > 1;
  team.isLeague = isLeague;
  team.mostNamed = mostNamed;
  unsigned numOuter = thread.team->numActive;
  team.numActive = numOuter + (!isLeague && numThreads > 1);
  team.isDoubtful =
      thread.team->isDoubtful || (numOuter != 0 && !isLeague && !isNested);
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
    Phase *phase = newPhase(threads.front().team);
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
  Strand *strand = newStrand(thread.phase, thread, Unit::Iteration);
  strand->construct = share.construct;
  strand->iteration = share.next;
  strand->numIterations = share.numIterations;
  strand->isStatic = share.isStatic;
  thread.strand = strand;
  thread.hasWaited = false;
  thread.context = &contexts.emplace_back();
}

void RehearsalRun::endShare(Thread &thread) {
  thread.shares.pop_back();
  if (thread.team->numThreads == 1)
    return;
  thread.strand = thread.own;
  thread.hasWaited = false;
  thread.context = thread.ownContext;
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
  unsigned numThreads = thread.team->numThreads;
  if (name == "__kmpc_fork_call") {
    bool isInner = thread.team->numActive != 0;
    bool isSaid = thread.numPushed != 0;
    unsigned number = thread.numPushed ? thread.numPushed
                      : isInner        ? 2
                                       : defaultThreads;
    thread.numPushed = 0;
    constexpr unsigned mostThreads = 8;
    // Two that are not named are looked at, unless there are no others.
    int mostNamed =
        isSaid && number <= mostThreads ? int(number) : int(number) - 3;
    fork(thread, call, std::min(number, mostThreads), mostNamed,
         /*isLeague=*/false);
  } else if (name == "__kmpc_fork_teams") {
    constexpr unsigned mostTeams = 3;
    unsigned number =
        thread.numTeams ? std::min(thread.numTeams, mostTeams) : mostTeams;
    thread.numTeams = 0;
    fork(thread, call, number, /*mostNamed=*/-1, /*isLeague=*/true);
  } else if (name == "__kmpc_push_num_threads") {
    thread.numPushed = unsigned(argument(2).bits);
  } else if (name.starts_with("__kmpc_push_num_teams")) {
    unsigned most = name.ends_with("_51") ? 3 : 2;
    thread.numTeams = unsigned(argument(most).bits);
  } else if (name == "__kmpc_push_proc_bind") {
    value = {};
  } else if (name == "__kmpc_serialized_parallel") {
    FollowedTeam &team = teams.emplace_back();
    team.parent = thread.strand;
    team.depth = thread.strand->phase->team->depth + 1;
    team.isParallel = isParallel(thread);
    team.numActive = thread.team->numActive;
    team.isDoubtful = thread.team->isDoubtful;
    thread.serial.push_back(
        {thread.team, thread.phase, thread.strand, thread.own});
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
  } else if (name.starts_with("__kmpc_for_static_init_")) {
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
    }
    for (uint64_t bound : {from, to})
      if (FollowedObject *object = find(bound);
          object && !object->depends.empty()) {
        uint8_t depends = object->depends[bound - object->begin];
        Frame &here = thread.frames.back();
        if (depends)
          decide(thread, here, {0, 0, depends});
      }
    share.numIterations = last < share.first ? 0 : last - share.first + 1;
    // 34 is schedule(static), 92 that of teams.
    uint64_t schedule = argument(2).bits & 0xffff;
    share.isStatic = schedule == 34 || schedule == 92;
    share.construct = ++thread.numConstructs;
    if (share.numIterations > INT64_MAX / 64) {
      stop("a loop is too long");
      return true;
    }
    share.next = share.numIterations * thread.number / numThreads;
    share.end = share.numIterations * (thread.number + 1) / numThreads;
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
    Share share;
    share.start = &call;
    share.depth = thread.frames.size();
    share.bytes = name.contains("_8") ? 8 : 4;
    FollowedNumber from = argument(3), to = argument(4);
    if (from.depends | to.depends)
      decide(thread, frame, {0, 0, uint8_t(from.depends | to.depends)});
    share.first = signedOf(from.bits, share.bytes);
    share.step = signedOf(argument(5).bits, share.bytes);
    int64_t last = signedOf(to.bits, share.bytes);
    if (share.step <= 0)
      stop("shares a loop in an unusual way");
    else
      share.numIterations =
          last < share.first ? 0 : (last - share.first) / share.step + 1;
    share.construct = ++thread.numConstructs;
    share.next = share.numIterations * thread.number / numThreads - 1;
    share.end = share.numIterations * (thread.number + 1) / numThreads;
    thread.shares.push_back(share);
  } else if (name.starts_with("__kmpc_dispatch_next_")) {
    if (thread.shares.empty()) {
      stop("shares a loop in an unusual way");
      return true;
    }
    Share &share = thread.shares.back();
    if (++share.next < share.end) {
      beginIteration(thread, share);
      int64_t at = share.first + share.step * share.next;
      if (argument(2).bits)
        poke(argument(2).bits, share.next == share.numIterations - 1, 4);
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
    if (!wait(thread, frame))
      return true;
    frame.stage = 0;
  } else if (name == "__kmpc_single") {
    Construct &single = constructOf(thread, ++thread.numConstructs);
    value.bits = !single.isTaken;
    if (!single.isTaken && thread.team->numThreads > 1) {
      thread.strand = newStrand(thread.phase, thread, Unit::Single);
      thread.strand->construct = thread.numConstructs;
      thread.context = &contexts.emplace_back();
    }
    single.isTaken = true;
  } else if (name == "__kmpc_end_single") {
    if (thread.team->numThreads > 1) {
      thread.strand = thread.own;
      thread.context = thread.ownContext;
    }
  } else if (name == "__kmpc_master") {
    value = {thread.number == 0, 0, ByThread};
  } else if (name == "__kmpc_masked") {
    value = {thread.number == uint32_t(argument(2).bits), 0, ByThread};
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
    value = {};
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
    if (which.depends & Order)
      doubt("which lock it takes depends on the order of threads");
    uint64_t lock = which.bits;
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
    thread.isJoining |= isReduce;
    value.bits = 1;
    if (name.contains("test"))
      value.depends = Order;
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

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool RehearsalRun::asking(Thread &thread, CallBase &call, StringRef name) {
  FollowedNumber value;
  if (name == "__kmpc_global_thread_num") {
    // Clang only hands it on to the library.
    value.bits = thread.number;
  } else if (name == "omp_get_thread_num" || name == "omp_get_team_num") {
    value.bits = thread.number;
    bool isFixed = thread.strand->unit == Unit::Thread;
    value.depends =
        thread.team->numThreads == 1 && !thread.team->isParallel ? None
        : isFixed ? (name == "omp_get_thread_num" ? OwnNumber : Input)
                  : Order;
  } else if (name == "omp_get_num_threads" || name == "omp_get_num_teams" ||
             name == "omp_get_max_threads" || name == "omp_get_num_procs" ||
             name == "omp_get_thread_limit") {
    value.bits =
        name.contains("max") ? defaultThreads : thread.team->numThreads;
    value.depends = Input;
  } else if (name == "omp_set_num_threads") {
    FollowedNumber number = valueOf(thread, call.getArgOperand(0));
    defaultThreads = unsigned(std::clamp<uint64_t>(number.bits, 1, 8));
  } else if (name == "omp_set_nested" || name == "omp_set_max_active_levels") {
    isNested = true;
  } else if (name == "omp_get_wtime" || name == "omp_get_wtick" ||
             name == "omp_get_num_devices" || name == "omp_get_level" ||
             name == "omp_in_parallel" || name == "omp_get_dynamic" ||
             name == "omp_get_nested" || name == "omp_get_active_level" ||
             name == "omp_get_default_device") {
    value.depends = Input;
  } else if (name == "omp_is_initial_device") {
    value.bits = 1;
  } else if (name != "omp_set_dynamic" && name != "omp_set_schedule") {
    return false;
  }
  give(thread, call, value);
  return true;
}
