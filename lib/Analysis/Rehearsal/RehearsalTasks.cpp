//===- RehearsalTasks.cpp - Tasks and what they wait for ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task runs where it is created, which is one of the possible orders. It
// follows the code before its creation and the tasks that its dependences name.
// Code that waits for the task follows it.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

std::vector<std::pair<uint64_t, unsigned>>
RehearsalRun::readDepends(uint64_t list, uint64_t number) {
  std::vector<std::pair<uint64_t, unsigned>> depends;
  constexpr unsigned bytes = 24;
  auto isOpen = [&](uint64_t address, unsigned size) {
    return dependsAt(address, size) != None;
  };
  for (uint64_t i = 0; i != number && !isStopped; ++i) {
    uint64_t at = list + bytes * i;
    if (isOpen(at, 8) || isOpen(at + 16, 1))
      doubt("what a task depends on depends on its input, or on the order of "
            "threads");
    depends.push_back({peek(at, 8), unsigned(peek(at + 16, 1))});
    if (FollowedObject *object = find(depends.back().first))
      object->isName = true;
  }
  return depends;
}

void RehearsalRun::joinTasks(Thread &thread, ArrayRef<Strand *> tasks) {
  if (isParallel(thread))
    split(thread, tasks);
}

/// 'omp_all_memory': a dependence on all memory.
static constexpr unsigned ofAllMemory = 0x80;

/// Returns the tasks that a new task with these dependences waits for, and
/// registers the new task.
static std::vector<Strand *>
findEarlier(TaskContext &context,
            ArrayRef<std::pair<uint64_t, unsigned>> depends) {
  std::vector<Strand *> earlier;
  if (context.ofAll && !depends.empty())
    earlier.push_back(context.ofAll);
  for (auto [address, kind] : depends) {
    if (kind & ofAllMemory)
      for (const auto &[other, place] : context.places) {
        append_range(earlier, place.writers);
        append_range(earlier, place.readers);
      }
    auto found = context.places.find(address);
    if (found == context.places.end())
      continue;
    const TaskContext::Place &place = found->second;
    // 'in', and sets whose tasks may run at the same time or in any order.
    bool isSet = kind == 4 || kind == 8;
    bool isSame = isSet && place.kind == kind && place.readers.empty();
    append_range(earlier, isSame ? place.before : place.writers);
    if (kind != 1 && !isSame)
      append_range(earlier, place.readers);
  }
  return earlier;
}

static void keep(TaskContext &context,
                 ArrayRef<std::pair<uint64_t, unsigned>> depends,
                 Strand *task) {
  if (any_of(depends, [](const std::pair<uint64_t, unsigned> &one) {
        return (one.second & ofAllMemory) != 0;
      })) {
    context.places.clear();
    context.ofAll = task;
    return;
  }
  for (auto [address, kind] : depends) {
    TaskContext::Place &place = context.places[address];
    if (kind == 1) {
      place.readers.push_back(task);
      continue;
    }
    bool isSet = kind == 4 || kind == 8;
    if (!isSet || place.kind != kind || !place.readers.empty()) {
      place.before = place.writers;
      append_range(place.before, place.readers);
      place.writers.clear();
    }
    place.readers.clear();
    place.writers.push_back(task);
    place.kind = kind;
  }
}

void RehearsalRun::runTask(Thread &thread, Function &function,
                           ArrayRef<FollowedNumber> arguments, uint64_t flags,
                           ArrayRef<std::pair<uint64_t, unsigned>> depends,
                           bool isNow, Strand *maker) {
  constexpr uint64_t finalFlag = 2;
  // The task may be merged with its creator, or not.
  if (!isParallel(thread))
    doubt("it makes tasks without a team");
  // No other thread can run it, or it is part of a final task.
  bool isAlone = !isParallel(thread) || thread.isFinal;
  std::vector<Strand *> earlier = findEarlier(*thread.context, depends);
  Strand *outer = thread.strand;
  TaskContext *context = thread.context;
  std::vector<Share> shares = std::move(thread.shares);
  thread.shares.clear();
  bool wasFinal = thread.isFinal, wasInTask = thread.isInTask;
  bool hadWaited = thread.hasWaited;
  unsigned defaultThreads = thread.defaultThreads;
  unsigned oldLocks = thread.lockSet;
  std::vector<uint64_t> locks = thread.locks;
  Strand *own = thread.own;
  if (!isAlone) {
    // Later code of the creator does not precede the task.
    if (!maker)
      split(thread, {});
    Strand *after = thread.strand;
    own = thread.own;
    Strand *task = newStrand(outer->phase, thread, Unit::Task);
    task->stack = ++numStacks;
    task->construct = 0;
    std::vector<Strand *> before = earlier;
    before.push_back(maker ? maker : outer);
    thread.strand = task;
    thread.own = nullptr;
    split(thread, before);
    thread.strand->unit = Unit::Task;
    if (maker)
      thread.strand->construct = numTaskLoops;
    thread.context = &contexts.emplace_back();
    // The creator waits for it, and keeps its locks meanwhile.
    if (!isNow)
      thread.locks.clear();
    for (auto [address, kind] : depends)
      if (kind == 4)
        thread.locks.push_back(address ^ (uint64_t(1) << 63));
    setLocks(thread);
    outer = after;
  }
  thread.isFinal |= (flags & finalFlag) != 0;
  thread.isInTask = true;
  callNow(thread, function, arguments);
  thread.isFinal = wasFinal;
  thread.isInTask = wasInTask;
  thread.defaultThreads = defaultThreads;
  if (!isAlone)
    thread.hasWaited = hadWaited;
  thread.shares = std::move(shares);
  if (isAlone || isStopped)
    return;
  Strand *end = thread.strand;
  thread.locks = locks;
  thread.lockSet = oldLocks;
  thread.strand = outer;
  thread.own = own;
  thread.context = context;
  keep(*context, depends, end);
  context->children.push_back(end);
  // A group also waits for tasks of its tasks.
  for (auto &group : thread.groups)
    group.push_back(end);
  if (isNow)
    split(thread, end);
}

/// The number of first iterations, and of last ones, that certainly belong to
/// one task, however the others are divided.
static int64_t inOneTask(uint64_t kind, uint64_t wish, int64_t numIterations) {
  constexpr uint64_t bySize = 1, byNumber = 2;
  if (kind == byNumber)
    return wish == 1 ? std::max<int64_t>(numIterations, 1) : 1;
  if (kind != bySize || wish <= 1)
    return 1;
  // A task has at least this number, and less than twice this number.
  return wish > uint64_t(numIterations) / 2
             ? std::max<int64_t>(numIterations, 1)
             : int64_t(wish);
}

bool RehearsalRun::tasking(Thread &thread, Frame &, CallBase &call,
                           StringRef name) {
  auto argument = [&](unsigned index) {
    return valueOf(thread, call.getArgOperand(index));
  };
  FollowedNumber value;
  auto entryOf = [&](uint64_t task) -> Function * {
    if (Function *function = functionAt(peek(task + 8, 8)))
      return function;
    stop("a task is started in an unusual way");
    return nullptr;
  };
  auto flagsOf = [&](uint64_t task) {
    FollowedObject *object = find(task);
    return object && !object->name.empty() ? std::stoull(object->name.substr(1))
                                           : uint64_t(0);
  };
  if (name == "__kmpc_omp_task_alloc") {
    uint64_t bytes = (argument(3).bits + 7) / 8 * 8;
    uint64_t task = allocate(bytes + argument(4).bits, "", nullptr);
    objects[task].name = "." + std::to_string(argument(2).bits);
    objects[task].depends.assign(objects[task].size, Input);
    poke(task, task + bytes, 8);
    poke(task + 8, argument(5).bits, 8);
    value.bits = task;
    if (argument(2).depends)
      doubt("which tasks are final depends on its input");
  } else if (name == "__kmpc_omp_task" || name == "__kmpc_omp_task_with_deps") {
    uint64_t task = argument(2).bits;
    std::vector<std::pair<uint64_t, unsigned>> depends;
    if (name != "__kmpc_omp_task")
      depends = readDepends(argument(4).bits, argument(3).bits);
    if (name != "__kmpc_omp_task" && argument(3).depends)
      doubt("what a task depends on depends on its input");
    if (Function *entry = entryOf(task))
      runTask(thread, *entry,
              {FollowedNumber{thread.number}, FollowedNumber{task}},
              flagsOf(task), depends, /*isNow=*/false);
  } else if (name == "__kmpc_omp_task_begin_if0") {
    // Clang calls the task itself, which ends here.
    uint64_t task = argument(2).bits;
    if (Function *entry = entryOf(task)) {
      runTask(thread, *entry,
              {FollowedNumber{thread.number}, FollowedNumber{task}},
              flagsOf(task), {}, /*isNow=*/true);
      if (isStopped)
        return true;
      Frame &here = thread.frames.back();
      BasicBlock::iterator at = here.at;
      for (; at != here.block->end(); ++at)
        if (const auto *other = dyn_cast<CallBase>(&*at))
          if (const Function *callee = other->getCalledFunction();
              callee && callee->getName() == "__kmpc_omp_task_complete_if0")
            break;
      if (at == here.block->end()) {
        stop("a task is started in an unusual way");
        return true;
      }
      here.at = at;
      return true;
    }
  } else if (name == "__kmpc_omp_wait_deps" ||
             name == "__kmpc_omp_taskwait_deps_51") {
    joinTasks(thread,
              findEarlier(*thread.context,
                          readDepends(argument(3).bits, argument(2).bits)));
  } else if (name == "__kmpc_omp_taskwait") {
    joinTasks(thread, thread.context->children);
    thread.context->children.clear();
  } else if (name == "__kmpc_taskgroup") {
    thread.groups.emplace_back();
  } else if (name == "__kmpc_end_taskgroup") {
    if (thread.groups.empty()) {
      stop("a group of tasks ends in an unusual way");
      return true;
    }
    std::vector<Strand *> tasks = std::move(thread.groups.back());
    thread.groups.pop_back();
    joinTasks(thread, tasks);
  } else if (name == "__kmpc_taskloop") {
    uint64_t task = argument(2).bits;
    int64_t first = int64_t(peek(argument(4).bits, 8));
    int64_t last = int64_t(peek(argument(5).bits, 8));
    int64_t step = int64_t(argument(6).bits);
    if (dependsAt(argument(4).bits, 8) || dependsAt(argument(5).bits, 8) ||
        argument(3).depends || argument(6).depends)
      doubt("which tasks it makes depends on its input, or on the order of "
            "threads");
    bool isNow = argument(3).bits == 0, hasGroup = argument(7).bits == 0;
    auto *duplicate = dyn_cast<Function>(call.getArgOperand(10));
    Function *entry = entryOf(task);
    FollowedObject *object = find(task);
    if (!entry || !object || step <= 0) {
      stop("shares a loop in an unusual way");
      return true;
    }
    uint64_t bytes = object->size, shareds = peek(task, 8) - task;
    std::string flags = object->name;
    if (hasGroup)
      thread.groups.emplace_back();
    LoopCopies &copies = loopCopies.emplace_back();
    copies.read.resize(unsigned(shareds));
    copies.written.resize(unsigned(shareds));
    Strand *maker = nullptr;
    if (isParallel(thread) && !isNow) {
      maker = thread.strand;
      split(thread, {});
      ++numTaskLoops;
    }
    int64_t numIterations = first <= last ? (last - first) / step + 1 : 0;
    int64_t ofOne =
        inOneTask(argument(8).bits, argument(9).bits, numIterations);
    if (ofOne > 1 && argument(9).depends)
      doubt("how many iterations a task has depends on its input");
    int64_t length = 1;
    for (int64_t at = first, left = numIterations; left > 0 && !isStopped;
         at += step * length, left -= length) {
      length = left == numIterations || left == ofOne ? ofOne : 1;
      int64_t end = at + step * (length - 1);
      // All copies are complete before the first task begins.
      Strand *here = thread.strand;
      if (maker)
        thread.strand = maker;
      uint64_t copied = allocate(bytes, flags, nullptr);
      copy(thread, {copied}, {task}, bytes, &call);
      poke(copied, copied + shareds, 8);
      constexpr unsigned lower = 40, upper = 48, stride = 56, isLast = 64;
      poke(copied + lower, uint64_t(at), 8);
      poke(copied + upper, uint64_t(end), 8);
      poke(copied + stride, uint64_t(step), 8);
      poke(copied + isLast, left == length, 4);
      unsigned oldHeap = numHeap;
      if (duplicate)
        callNow(thread, *duplicate,
                {FollowedNumber{copied}, FollowedNumber{task},
                 FollowedNumber{left == length}});
      if (numHeap != oldHeap)
        doubt("copies of a task of a loop have memory elsewhere");
      if (maker)
        thread.strand = here;
      if (FollowedObject *made = find(copied);
          made && length != numIterations) {
        made->copies = &copies;
        made->written.resize(unsigned(shareds));
      }
      runTask(thread, *entry,
              {FollowedNumber{thread.number}, FollowedNumber{copied}},
              flagsOf(copied), {}, isNow, maker);
    }
    if (isStopped)
      return true;
    if (hasGroup) {
      std::vector<Strand *> tasks = std::move(thread.groups.back());
      thread.groups.pop_back();
      joinTasks(thread, tasks);
    }
  } else if (name != "__kmpc_omp_task_complete_if0" &&
             name != "__kmpc_omp_taskyield") {
    return false;
  }
  give(thread, call, value);
  return true;
}
