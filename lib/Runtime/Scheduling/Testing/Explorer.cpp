//===- Explorer.cpp - All orders of what a few threads do -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each run repeats the choices of the run before, up to the last one with an
// alternative, and takes that alternative. It ends at a state that was seen
// before. A state is what each thread has read so far, which determines where
// the thread is, and what each thread could still read.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace sluice;
using namespace sluice::model;

Explorer *Explorer::active = nullptr;

static constexpr size_t stackBytes = 64 << 10;
static constexpr unsigned maxSteps = 5000;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

unsigned Explorer::choose(unsigned count) {
  if (count <= 1)
    return 0;
  if (depth == choices.size())
    choices.push_back({count, 0});
  return choices[depth++].taken;
}

bool Explorer::nextRun() {
  while (!choices.empty() && choices.back().taken + 1 == choices.back().count)
    choices.pop_back();
  if (choices.empty())
    return false;
  ++choices.back().taken;
  return true;
}

Explorer::Result
Explorer::explore(const std::function<std::unique_ptr<Scenario>()> &make) {
  result = {};
  choices.clear();
  known.clear();
  traces = false;
  do {
    replayed = choices.size();
    active = this;
    locations.clear();
    locks.clear();
    setUpView = heavyView = lightView = fullView = View();
    running = -1;
    std::unique_ptr<Scenario> made = make();
    runOnce(*made);
    ++result.numRuns;
    if (!runFailure.empty() && !traces) {
      // Runs it again, and records every step.
      result.failure = runFailure;
      traces = true;
      choices.resize(depth);
      --result.numRuns;
      replayed = choices.size();
      locations.clear();
      locks.clear();
      setUpView = heavyView = lightView = fullView = View();
      running = -1;
      made = make();
      runOnce(*made);
      break;
    }
    if (known.size() > maxStates) {
      result.failure = "more states than this explorer takes";
      break;
    }
  } while (nextRun());
  result.numStates = known.size();
  active = nullptr;
  return result;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void Explorer::enterThread() {
  Explorer &explorer = *active;
  explorer.threads[explorer.running]->body();
  explorer.endThread();
}

void Explorer::runOnce(Scenario &what) {
  scenario = &what;
  depth = 0;
  numSteps = numPreemptions = 0;
  isWhole = false;
  runFailure.clear();
  threads.clear();
  for (std::function<void()> &body : what.threads()) {
    if (stacks.size() == threads.size())
      stacks.push_back(std::make_unique<char[]>(stackBytes));
    auto thread = std::make_unique<Thread>();
    thread->body = std::move(body);
    thread->view = setUpView;
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = stacks[threads.size()].get();
    thread->context.uc_stack.ss_size = stackBytes;
    makecontext(&thread->context, &Explorer::enterThread, 0);
    threads.push_back(std::move(thread));
  }
  for (Location &location : locations)
    location.newestSequential = location.messages.size() - 1;
  changeTo(pickThread());
  if (runFailure.empty() && isWhole)
    runFailure = what.problem();
}

bool Explorer::canRun(const Thread &thread) const {
  return !thread.isDone && (!thread.waitsFor || thread.waitsFor->open);
}

/// The thread that goes on, or -1.
int Explorer::pickThread() {
  std::array<int, 8> ready;
  unsigned count = 0;
  bool isAny = false;
  for (const auto &thread : threads)
    isAny |= canRun(*thread) && !thread->yielded;
  bool staysReady = false;
  // The running one comes first: taking it interrupts nobody.
  for (unsigned i = 0; i < threads.size(); ++i) {
    int number = (std::max(running, 0) + i) % threads.size();
    const Thread &thread = *threads[number];
    if (!canRun(thread) || (isAny && thread.yielded))
      continue;
    if (number == running)
      staysReady = true;
    ready[count++] = number;
  }
  if (count == 0)
    return -1;
  if (staysReady && numPreemptions >= maxPreemptions)
    count = 1;
  int next = ready[choose(count)];
  if (staysReady && next != running)
    ++numPreemptions;
  return next;
}

/// Contexts only begin threads: they make system calls, which jumps do not.
void Explorer::changeTo(int next) {
  std::jmp_buf &here = running < 0 ? outside : threads[running]->place;
  running = next;
  if (_setjmp(here) != 0)
    return;
  if (next < 0)
    _longjmp(outside, 1);
  Thread &thread = *threads[next];
  if (std::exchange(thread.hasBegun, true))
    _longjmp(thread.place, 1);
  setcontext(&thread.context);
}

void Explorer::endRun() { changeTo(-1); }

void Explorer::fail(const std::string &text) {
  if (runFailure.empty())
    runFailure = text;
  endRun();
}

void Explorer::endAsleep() {
  for (unsigned number = 0; number < threads.size(); ++number)
    if (!threads[number]->isDone && !scenario->maySleepForGood(number))
      fail("thread " + std::to_string(number) + " sleeps for good");
  isWhole = true;
  endRun();
}

/// Any thread may go on here; the running one does once the gate is open.
void Explorer::point(const Gate *gate) {
  if (running < 0)
    return;
  Thread &self = *threads[running];
  if (!self.beginsBlock && (!gate || gate->open))
    return;
  self.beginsBlock = false;
  self.waitsFor = gate;
  if (++numSteps > maxSteps)
    fail("a run has no end");
  if (isKnownState())
    endRun();
  int next = pickThread();
  if (next < 0)
    endAsleep();
  if (next != running)
    changeTo(next);
  self.waitsFor = nullptr;
  for (auto &thread : threads)
    if (thread.get() != &self && thread->numYields <= maxYields)
      thread->yielded = false;
}

/// The thread did what others may see.
void Explorer::endBlock() {
  if (running >= 0)
    threads[running]->beginsBlock = true;
}

void Explorer::endThread() {
  threads[running]->isDone = true;
  bool allDone = std::all_of(threads.begin(), threads.end(),
                             [](const auto &thread) { return thread->isDone; });
  isWhole = allDone;
  if (allDone || isKnownState())
    endRun();
  int next = pickThread();
  if (next < 0)
    endAsleep();
  changeTo(next);
}

void Explorer::yield() {
  if (running < 0)
    return;
  threads[running]->yielded = true;
  ++threads[running]->numYields;
}

uint64_t Explorer::seen() const {
  return running < 0 ? 0 : threads[running]->seen;
}

void Explorer::forget(uint64_t seen) {
  if (running >= 0)
    threads[running]->seen = mix(seen, 23);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

uint64_t Explorer::stateHash() const {
  // Forgets values that no thread may read any more.
  View base;
  base.oldest.fill(UINT16_MAX);
  for (const auto &thread : threads)
    if (!thread->isDone)
      for (unsigned i = 0; i < locations.size(); ++i)
        base.oldest[i] = std::min(base.oldest[i], thread->view.oldest[i]);
  auto mixView = [&](uint64_t hash, const View &view) {
    for (unsigned i = 0; i < locations.size(); ++i)
      if (view.oldest[i] > base.oldest[i])
        hash = mix(hash, i << 16 | (view.oldest[i] - base.oldest[i]));
    return mix(hash, 1);
  };
  uint64_t hash = scenario->state();
  for (const auto &thread : threads) {
    hash = mix(hash, thread->isDone);
    if (thread->isDone)
      continue;
    hash = mix(hash, thread->seen);
    hash = mix(hash, thread->waitsFor && thread->waitsFor->open);
    hash = mix(hash, thread->yielded);
    hash = mix(hash, std::min(thread->numYields, maxYields + 1));
    hash = mixView(hash, thread->view);
  }
  for (unsigned i = 0; i < locations.size(); ++i) {
    const Location &location = locations[i];
    hash = mix(hash, std::max(location.newestSequential, base.oldest[i]) -
                         base.oldest[i]);
    for (size_t m = base.oldest[i]; m < location.messages.size(); ++m) {
      const Message &message = location.messages[m];
      hash = mixView(mix(hash, message.value), message.view);
    }
    hash = mix(hash, 3);
  }
  for (const Gate *gate : locks)
    hash = mixView(mix(hash, gate->open), gate->view);
  hash = mixView(hash, heavyView);
  hash = mixView(hash, lightView);
  hash = mixView(hash, fullView);
  if (maxPreemptions != UINT32_MAX)
    hash = mix(hash, running);
  return hash;
}

bool Explorer::isKnownState() {
  if (depth < replayed || traces)
    return false;
  auto [place, isNew] = known.try_emplace(stateHash(), numPreemptions);
  if (isNew)
    return false;
  if (place->second <= numPreemptions)
    return true;
  place->second = numPreemptions;
  return false;
}
