//===- ElementCheck.cpp - Tasks access what they were given ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address alone identifies what is accessed: each field is surrounded by
// unused memory (FieldRanges), and pointers may have come through any function.
//
//===----------------------------------------------------------------------===//

#include "ElementCheck.h"

#include "FieldRanges.h"
#include "Grant.h"

#include "../../Execution/KernelCall.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <deque>
#include <mutex>

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Running tasks
//===----------------------------------------------------------------------===//

namespace {
/// One argument of a statement.
struct WatchedArgument {
  const Root *root;
  std::vector<uint32_t> fields;
  SluicePrivilege privilege;
  std::string part;
};

/// A statement, as its checked tasks find it.
struct WatchedStatement {
  SluiceTaskBody body;
  const void *closure;
  std::shared_ptr<void> ownedClosure;
  std::vector<WatchedArgument> arguments;
  const ElementCheck::Roots &roots;
};

/// A task, while it runs.
class WatchedTask {
public:
  WatchedTask(const WatchedStatement &statement, const SluiceView *views);
  ~WatchedTask();
  WatchedTask(const WatchedTask &) = delete;
  WatchedTask &operator=(const WatchedTask &) = delete;

  void access(const SluiceCheckSite &site, uintptr_t address, uint64_t size);
  /// The first wrong access; empty: there is none.
  std::string problem;

private:
  bool accessPiece(const SluiceCheckSite &site, uintptr_t &at, uintptr_t end,
                   bool isWrite);
  void refuse(const SluiceCheckSite &site, bool isWrite,
              std::string_view object, std::string_view why);
  void refuseOther(const SluiceCheckSite &site, uintptr_t at, uint64_t size,
                   bool isWrite);
  const Grant *findGrant(const Root &root, uint32_t field) const;

  const WatchedStatement &statement;
  std::deque<Grant> grants;
  /// The tasks that wait while this one runs.
  WatchedTask *const before, *const latestBefore;
};

/// Never destroyed: tasks may still run while the process ends.
struct Watching {
  /// Tasks run one after another; a waiting task may run another one.
  std::recursive_mutex turn;
  /// Threads of a task may access its memory at the same time.
  std::mutex access;
  /// The task that runs, on whatever thread.
  WatchedTask *latest = nullptr;

  static Watching &get() {
    static Watching &watching = *new Watching;
    return watching;
  }
};
} // namespace

static constinit std::atomic<uint32_t> numWatched{0};
/// The task that this thread runs.
static constinit thread_local WatchedTask *watchedHere = nullptr;

WatchedTask::WatchedTask(const WatchedStatement &statement,
                         const SluiceView *views)
    : statement(statement), before(watchedHere),
      latestBefore(Watching::get().latest) {
  for (size_t a = 0; a < statement.arguments.size(); ++a) {
    const WatchedArgument &argument = statement.arguments[a];
    for (size_t f = 0; f < argument.fields.size(); ++f)
      grants.emplace_back(*argument.root, argument.fields[f],
                          argument.privilege, argument.part, *views[a].domain,
                          views[a].fields[f]);
  }
  for (Grant &grant : grants)
    if (grant.discards())
      grant.hideValues();
  std::lock_guard lock(Watching::get().access);
  watchedHere = this;
  Watching::get().latest = this;
  ++numWatched;
}

WatchedTask::~WatchedTask() {
  {
    std::lock_guard lock(Watching::get().access);
    --numWatched;
    Watching::get().latest = latestBefore;
    watchedHere = before;
    runningProblem =
        before && !before->problem.empty() ? before->problem.c_str() : nullptr;
  }
  for (Grant &grant : grants)
    if (grant.discards())
      grant.restoreValues();
}

static void runWatched(const SluiceTask *task, const SluiceView *views,
                       const void *closure) {
  const auto &statement = *static_cast<const WatchedStatement *>(closure);
  std::lock_guard turn(Watching::get().turn);
  WatchedTask watched(statement, views);
  try {
    statement.body(task, views, statement.closure);
  } catch (abi::__forced_unwind &) {
    throw; // the end of the thread
  } catch (...) {
    if (watched.problem.empty())
      throw;
  }
  if (!watched.problem.empty())
    throw KernelFailure{watched.problem};
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

ElementCheck::ElementCheck(const Roots &roots) : roots(roots) {
  FieldRanges::begin();
}

ElementCheck::~ElementCheck() {
  for (const void *memory : added)
    FieldRanges::remove(memory);
}

void ElementCheck::addMemory(const void *memory, uint64_t bytes) {
  FieldRanges::add(memory, bytes);
  added.push_back(memory);
}

void ElementCheck::watch(Statement &statement) const {
  auto watched = std::make_shared<WatchedStatement>(
      WatchedStatement{statement.body,
                       statement.closure,
                       std::move(statement.ownedClosure),
                       {},
                       roots});
  for (const Argument &argument : statement.arguments)
    watched->arguments.push_back({argument.root, argument.fields,
                                  argument.privilege,
                                  argument.partition->name});
  statement.body = runWatched;
  statement.closure = watched.get();
  statement.ownedClosure = std::move(watched);
}

/// A task that calls exit never ends, and what was found would be lost.
static void sayAtExit() {
  if (runningProblem && runningCode.task)
    std::fprintf(stderr, "sluice: error: %s: %s\n",
                 taskText(*runningCode.task).c_str(), runningProblem);
}

void ElementCheck::accessed(const SluiceCheckSite &site, const void *address,
                            uint64_t size) {
  if (size == 0 || numWatched.load(std::memory_order_acquire) == 0)
    return;
  // Folds and projections of this program may run at the same time as a task;
  // a thread that nobody knows is one of the task.
  if (!watchedHere && (runningCode.task || runningCode.code))
    return;
  Watching &watching = Watching::get();
  std::lock_guard lock(watching.access);
  WatchedTask *task = watchedHere ? watchedHere : watching.latest;
  if (!task || !task->problem.empty()) // the first one counts
    return;
  task->access(site, reinterpret_cast<uintptr_t>(address), size);
  if (watchedHere && !task->problem.empty()) {
    static const int registered = std::atexit(sayAtExit);
    (void)registered;
    runningProblem = task->problem.c_str();
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void WatchedTask::access(const SluiceCheckSite &site, uintptr_t address,
                         uint64_t size) {
  for (bool isWrite : {false, true}) {
    if (!(site.kind & (isWrite ? SLUICE_CHECK_WRITE : SLUICE_CHECK_READ)))
      continue;
    const uintptr_t end = address + size;
    for (uintptr_t at = address; at < end;)
      if (!accessPiece(site, at, end, isWrite))
        return;
  }
}

static std::string namedElement(const Root &root, uint32_t field,
                                int64_t position) {
  return concat("element ", root.shape.elementText(position), " of field ",
                quoted(root.fields[field].name), " of root ",
                quoted(root.name));
}

/// Checks the bytes at `at` that lie in one element, and goes behind them.
/// Returns false if they, or all bytes from there on, are none of the check's
/// business or a problem.
bool WatchedTask::accessPiece(const SluiceCheckSite &site, uintptr_t &at,
                              uintptr_t end, bool isWrite) {
  const Grant *refusing = nullptr;
  for (Grant &grant : grants) {
    const int64_t element = grant.elementAt(at);
    if (element < 0)
      continue;
    const uintptr_t next = std::min(end, grant.endOfElement(at));
    if (isWrite ? grant.allowsWrite()
                : !grant.discards() ||
                      grant.isWritten(element, at, next - at,
                                      site.kind & SLUICE_CHECK_COPY)) {
      if (isWrite && grant.discards())
        grant.noteWritten(element, at, next - at);
      at = next;
      return true;
    }
    refusing = &grant;
  }
  if (refusing)
    refuse(
        site, isWrite,
        namedElement(refusing->root, refusing->field, refusing->positionAt(at)),
        isWrite ? ", which it only reads"
                : ", which it discards, before it writes it");
  else if (FieldRanges::contains(at))
    refuseOther(site, at, end - at, isWrite);
  return false;
}

void WatchedTask::refuse(const SluiceCheckSite &site, bool isWrite,
                         std::string_view object, std::string_view why) {
  const std::string_view location = site.location;
  problem = concat(isWrite ? "it writes " : "it reads ", object,
                   location.starts_with("in ") ? " " : " at ", location, why);
}

const Grant *WatchedTask::findGrant(const Root &root, uint32_t field) const {
  for (const Grant &grant : grants)
    if (&grant.root == &root && grant.field == field)
      return &grant;
  return nullptr;
}

static std::string strayBytes(uint64_t size, uint64_t distance, bool isBehind,
                              const std::string &object) {
  if (distance == 0)
    return concat(countOf(size, "byte", "bytes"),
                  isBehind ? " right behind the end of " : " of ", object);
  return concat(countOf(size, "byte", "bytes"), " that begin ",
                countOf(distance, "byte", "bytes"),
                isBehind ? " behind the end of " : " before the start of ",
                object);
}

/// The access is in a field, in a private copy, or near one, but not where the
/// task has elements.
void WatchedTask::refuseOther(const SluiceCheckSite &site, uintptr_t at,
                              uint64_t size, bool isWrite) {
  // Fields, and the nearest of them.
  const Root *nearRoot = nullptr;
  uint32_t nearField = 0;
  uint64_t distance = UINT64_MAX;
  bool isBehind = false;
  for (const auto &root : statement.roots)
    for (uint32_t field = 0; field < root->fields.size(); ++field) {
      const auto start =
          reinterpret_cast<uintptr_t>(root->fields[field].memory.get());
      const uint64_t bytes =
          root->stored.count() * root->fields[field].elementBytes();
      if (at >= start && at - start < bytes) {
        int64_t index = static_cast<int64_t>(
            (at - start) / root->fields[field].elementBytes());
        int64_t coordinates[SLUICE_MAX_RANK];
        for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
          coordinates[d] = root->stored.lower[d] + index / root->stride(d);
          index %= root->stride(d);
        }
        const Grant *grant = findGrant(*root, field);
        refuse(site, isWrite,
               namedElement(*root, field, root->shape.position(coordinates)),
               grant ? concat(", which is outside of its part of ",
                              quoted(grant->part))
                     : ", a field that it was not given");
        return;
      }
      const bool follows = at >= start;
      const uint64_t away = follows ? at - (start + bytes) : start - at;
      if (away < distance) {
        nearRoot = root.get();
        nearField = field;
        distance = away;
        isBehind = follows;
      }
    }
  const Grant *nearCopy = nullptr;
  for (const Grant &grant : grants)
    if (grant.isPrivate() && grant.distanceTo(at) < distance) {
      nearCopy = &grant;
      distance = grant.distanceTo(at);
    }
  if (nearCopy) {
    const int64_t position = nearCopy->positionAt(at);
    if (position < 0)
      refuse(site, isWrite, countOf(size, "byte", "bytes"),
             concat(", which no element of root ", quoted(nearCopy->root.name),
                    " has"));
    else
      refuse(
          site, isWrite,
          namedElement(nearCopy->root, nearCopy->field, position),
          concat(", which is outside of its part of ", quoted(nearCopy->part)));
    return;
  }
  if (!nearRoot || distance >= FieldRanges::margin()) {
    refuse(site, isWrite, countOf(size, "byte", "bytes"),
           " of memory into which other tasks reduce");
    return;
  }
  refuse(site, isWrite,
         strayBytes(size, distance, isBehind,
                    concat(nearRoot->isWhole() ? "" : "what this rank has of ",
                           "field ", quoted(nearRoot->fields[nearField].name),
                           " of root ", quoted(nearRoot->name))),
         "");
}
