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
#include "Reporting.h"

#include "../../Execution/KernelCall.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <deque>
#include <mutex>
#include <new>

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

/// An access that a task may not make.
struct WrongAccess {
  const SluiceCheckSite *site = nullptr; ///< null: there is none
  uintptr_t at = 0;
  uint64_t size = 0;
  bool isWrite = false;
  /// Whose element it is; null: no element of the task.
  const Grant *refusing = nullptr;
};

/// A task, while it runs. Threads of the task report to it as well, even after
/// its end.
class WatchedTask {
public:
  WatchedTask(const WatchedStatement &statement, const SluiceView *views);
  ~WatchedTask();
  WatchedTask(const WatchedTask &) = delete;
  WatchedTask &operator=(const WatchedTask &) = delete;

  /// The first wrong access; later calls find none.
  WrongAccess access(const SluiceCheckSite &site, uintptr_t address,
                     uint64_t size);
  /// Makes the problem of a wrong access, without the lock: functions of the
  /// program that allocate memory may wait for threads that report.
  void tell(const WrongAccess &wrong);
  /// No access counts from now on. Returns the problem; empty: there is none.
  const std::string &endAccesses();
  /// If there is a problem, prints it; `access` must be locked.
  void printProblem() const;
  /// The task that waits while this one runs, on whatever thread.
  const WatchedTask *waiting() const { return latestBefore; }

private:
  WrongAccess accessPiece(const SluiceCheckSite &site, uintptr_t &at,
                          uintptr_t end, bool isWrite);
  std::string textOf(const WrongAccess &wrong) const;
  std::string textOfOther(const WrongAccess &wrong) const;
  const Grant *findGrant(const Root &root, uint32_t field) const;

  const WatchedStatement &statement;
  std::deque<Grant> grants;
  /// The tasks that wait while this one runs.
  WatchedTask *const before, *const latestBefore;
  /// Of the thread that runs it.
  const TableTask *const task;
  std::atomic<const char *> &problemOfThread;

  bool isOver = false, isTelling = false;
  std::string name, problem;
};

/// Never destroyed: tasks may still run while the process ends.
struct Watching {
  /// Tasks run one after another; a waiting task may run another one.
  std::recursive_mutex turn;
  /// Threads of a task may access its memory at the same time. Nobody allocates
  /// memory under this lock.
  std::mutex access;
  /// The problem of a task is complete.
  std::condition_variable told;
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
      latestBefore(Watching::get().latest), task(runningCode.task),
      problemOfThread(runningProblem) {
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
  const Reporting reporting;
  std::lock_guard lock(Watching::get().access);
  watchedHere = this;
  Watching::get().latest = this;
  ++numWatched;
}

WatchedTask::~WatchedTask() {
  endAccesses();
  {
    const Reporting reporting;
    std::lock_guard lock(Watching::get().access);
    --numWatched;
    Watching::get().latest = latestBefore;
    watchedHere = before;
    problemOfThread =
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
    // The end of the thread, and therefore of the process.
    watched.endAccesses();
    watched.printProblem();
    throw;
  } catch (...) {
    if (watched.endAccesses().empty())
      throw;
  }
  if (const std::string &problem = watched.endAccesses(); !problem.empty())
    throw KernelFailure{problem};
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
  for (const StatementArgument &argument : statement.arguments)
    watched->arguments.push_back({argument.root, argument.fields,
                                  argument.privilege,
                                  argument.partition->name});
  statement.body = runWatched;
  statement.closure = watched.get();
  statement.ownedClosure = std::move(watched);
}

/// A task that ends the process never ends itself, and what was found would be
/// lost. Any of its threads may do this.
static void sayAtExit() {
  if (isReporting) // this thread may hold the lock
    return;
  const Reporting reporting;
  Watching &watching = Watching::get();
  std::lock_guard lock(watching.access);
  for (const WatchedTask *task = watching.latest; task; task = task->waiting())
    task->printProblem();
}

static void registerSayAtExit() {
  static const int registered =
      std::atexit(sayAtExit) | std::at_quick_exit(sayAtExit);
  (void)registered;
}

void ElementCheck::accessed(const SluiceCheckSite &site, const void *address,
                            uint64_t size) {
  if (size == 0 || numWatched.load(std::memory_order_acquire) == 0 ||
      isReporting)
    return;
  // Folds and projections of this program may run at the same time as a task;
  // a thread that nobody knows is one of the task.
  if (!watchedHere && (runningCode.task || runningCode.code))
    return;
  const Reporting reporting;
  Watching &watching = Watching::get();
  WatchedTask *task;
  WrongAccess wrong;
  {
    std::lock_guard lock(watching.access);
    task = watchedHere ? watchedHere : watching.latest;
    if (task)
      wrong = task->access(site, reinterpret_cast<uintptr_t>(address), size);
  }
  if (!wrong.site)
    return;
  registerSayAtExit();
  task->tell(wrong); // its end waits for this
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

WrongAccess WatchedTask::access(const SluiceCheckSite &site, uintptr_t address,
                                uint64_t size) {
  if (isOver)
    return {};
  for (bool isWrite : {false, true}) {
    if (!(site.kind & (isWrite ? SLUICE_CHECK_WRITE : SLUICE_CHECK_READ)))
      continue;
    const uintptr_t end = address + size;
    for (uintptr_t at = address; at < end;) {
      const WrongAccess wrong = accessPiece(site, at, end, isWrite);
      if (!wrong.site)
        continue;
      isOver = isTelling = true;
      return wrong;
    }
  }
  return {};
}

void WatchedTask::tell(const WrongAccess &wrong) {
  std::string nameHere, problemHere;
  try {
    nameHere = task ? taskText(*task) : "a task";
    problemHere = textOf(wrong);
  } catch (const std::bad_alloc &) {
    problemHere = "no memory"; // short enough to need none
  }
  Watching &watching = Watching::get();
  // The lock is held to the end: the task may go when it gets it.
  std::lock_guard lock(watching.access);
  name.swap(nameHere);
  problem.swap(problemHere);
  problemOfThread = problem.c_str();
  isTelling = false;
  watching.told.notify_all();
}

const std::string &WatchedTask::endAccesses() {
  const Reporting reporting;
  Watching &watching = Watching::get();
  std::unique_lock lock(watching.access);
  isOver = true;
  watching.told.wait(lock, [&] { return !isTelling; });
  return problem;
}

void WatchedTask::printProblem() const {
  if (!problem.empty())
    std::fprintf(stderr, "sluice: error: %s: %s\n", name.c_str(),
                 problem.c_str());
}

static std::string namedElement(const Root &root, uint32_t field,
                                int64_t position) {
  return concat("element ", root.shape.elementText(position), " of field ",
                quoted(root.fields[field].name), " of root ",
                quoted(root.name));
}

/// Checks the bytes at `at` that lie in one element, and goes behind them; to
/// the end if all bytes from there on are none of the check's business.
WrongAccess WatchedTask::accessPiece(const SluiceCheckSite &site, uintptr_t &at,
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
      return {};
    }
    refusing = &grant;
  }
  if (refusing || FieldRanges::around(at).contains(at))
    return {&site, at, end - at, isWrite, refusing};
  at = end;
  return {};
}

static std::string problemText(const WrongAccess &wrong,
                               std::string_view object, std::string_view why) {
  const std::string_view location = wrong.site->location;
  return concat(wrong.isWrite ? "it writes " : "it reads ", object,
                location.starts_with("in ") ? " " : " at ", location, why);
}

std::string WatchedTask::textOf(const WrongAccess &wrong) const {
  const Grant *refusing = wrong.refusing;
  if (!refusing)
    return textOfOther(wrong);
  return problemText(wrong,
                     namedElement(refusing->root, refusing->field,
                                  refusing->positionAt(wrong.at)),
                     wrong.isWrite
                         ? ", which it only reads"
                         : ", which it discards, before it writes it");
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
std::string WatchedTask::textOfOther(const WrongAccess &wrong) const {
  const uintptr_t at = wrong.at;
  const uint64_t size = wrong.size;
  const FieldRange range = FieldRanges::around(at);
  // Fields, and the nearest of those in the same memory.
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
        return problemText(
            wrong,
            namedElement(*root, field, root->shape.position(coordinates)),
            grant ? concat(", which is outside of its part of ",
                           quoted(grant->part))
                  : ", a field that it was not given");
      }
      if (!range.contains(start))
        continue;
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
    if (grant.isPrivate() && range.contains(grant.start()) &&
        grant.distanceTo(at) < distance) {
      nearCopy = &grant;
      distance = grant.distanceTo(at);
    }
  if (nearCopy) {
    const int64_t position = nearCopy->positionAt(at);
    if (position < 0)
      return problemText(wrong, countOf(size, "byte", "bytes"),
                         concat(", which no element of root ",
                                quoted(nearCopy->root.name), " has"));
    return problemText(
        wrong, namedElement(nearCopy->root, nearCopy->field, position),
        concat(", which is outside of its part of ", quoted(nearCopy->part)));
  }
  if (!nearRoot)
    return problemText(wrong, countOf(size, "byte", "bytes"),
                       " of memory into which other tasks reduce");
  return problemText(
      wrong,
      strayBytes(size, distance, isBehind,
                 concat(nearRoot->isWhole() ? "" : "what this rank has of ",
                        "field ", quoted(nearRoot->fields[nearField].name),
                        " of root ", quoted(nearRoot->name))),
      "");
}
