//===- RehearsalRuntime.cpp - Teams, order and locks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the calls that clang's code makes to the OpenMP runtime library:
// here those that start teams, and those by which threads wait for each other.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

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
  // The number of a thread may be that of an outer team.
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

/// Handles a barrier: the first call stops the thread, the second one continues
/// after the barrier. Returns true if the barrier is over.
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
      // Another thread would take its own lock.
      if (isSet && isParallel(thread) && !isFixed(thread.strand) &&
          isOwn(*object, thread.strand))
        doubt("a thread takes a lock that no other thread has");
    }
    auto &[holder, depth, taken, earlier] = held[lock];
    if (depth != 0 && holder != &thread) {
      // The call is repeated when the holder has run.
      thread.state = Thread::State::Waits;
      return true;
    }
    if (depth != 0 && !name.contains("nest")) {
      stop("a thread waits for its own lock");
      return true;
    }
    if (depth == 0 && isSet && isParallel(thread)) {
      // Strands that certainly held the lock before have released it.
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
      // In another order, the thread continues without the lock.
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
