//===- SharedPack.cpp - Several threads for one large pack ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of helpers, parked on a condition variable. One pack uses it at a
// time; the caller works, too, and leaves when all parts are done.
//
//===----------------------------------------------------------------------===//

#include "SharedPack.h"

#include "Threads.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

using namespace sluice::pack;

namespace {

/// Parts of one pack, handed out in order.
struct PackJob {
  const PartSource &source;
  const std::byte *in;
  std::byte *out;
  bool isPack;
  int64_t total;
  int64_t partBytes;
  std::atomic<int64_t> next = 0;

  /// Takes parts until there are none left.
  void work() {
    for (int64_t from = next.fetch_add(partBytes); from < total;
         from = next.fetch_add(partBytes)) {
      int64_t length = std::min(partBytes, total - from);
      if (isPack)
        packPlanned(source.layout, source.kernel, source.plan, in, from, length,
                    out + from);
      else
        unpackPlanned(source.layout, source.kernel, source.plan, in + from,
                      from, length, out);
    }
  }
};

/// Helper threads. Each start makes a new team, so that a forked child need not
/// access its parent's.
struct Team {
  std::mutex mutex;
  std::condition_variable hasJob;
  std::condition_variable isDone;
  std::vector<std::thread> threads;
  PackJob *job = nullptr;
  /// Counts jobs, so that no helper takes one twice.
  uint64_t serial = 0;
  size_t busy = 0;
  bool mustStop = false;

  void help();
  bool addThreads(size_t wanted);
  void run(PackJob &job);
  void stop();
};

/// The team and its current user. Never destroyed: packing may continue while
/// the process ends.
struct PackHelpers {
  PackHelpers();
  static PackHelpers &get() {
    static PackHelpers &helpers = *new PackHelpers;
    return helpers;
  }
  /// Ends the threads; `inUse` must be held.
  void stop();

  /// Held by the pack that is currently shared.
  std::mutex inUse;
  Team *team = nullptr;
  std::vector<Team *> ofParents;
  bool hasEnded = false;
};

} // namespace

void Team::help() {
  std::unique_lock lock(mutex);
  uint64_t seen = 0;
  while (true) {
    hasJob.wait(lock, [&] { return mustStop || (job && serial != seen); });
    if (mustStop)
      return;
    seen = serial;
    PackJob &mine = *job;
    ++busy;
    lock.unlock();
    mine.work();
    lock.lock();
    if (--busy == 0)
      isDone.notify_one();
  }
}

/// Whether there is at least one helper.
bool Team::addThreads(size_t wanted) {
  while (threads.size() < wanted) {
    std::thread thread;
    if (!startThread(thread, [this] { help(); }))
      break;
    threads.push_back(std::move(thread));
  }
  return !threads.empty();
}

void Team::run(PackJob &shared) {
  {
    std::lock_guard lock(mutex);
    job = &shared;
    ++serial;
  }
  hasJob.notify_all();
  shared.work();
  std::unique_lock lock(mutex);
  job = nullptr; // A helper that wakes up late finds no job.
  isDone.wait(lock, [&] { return busy == 0; });
}

void Team::stop() {
  {
    std::lock_guard lock(mutex);
    mustStop = true;
  }
  hasJob.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

PackHelpers::PackHelpers() {
  pthread_atfork([] { get().inUse.lock(); }, [] { get().inUse.unlock(); },
                 [] {
                   // The threads exist in the parent only, and their objects
                   // may not be destroyed here.
                   get().ofParents.push_back(get().team);
                   get().team = nullptr;
                   get().inUse.unlock();
                 });
  std::atexit([] {
    std::lock_guard lock(get().inUse);
    get().hasEnded = true;
    get().stop();
  });
}

void PackHelpers::stop() {
  if (!team)
    return;
  team->stop();
  delete team;
  team = nullptr;
}

void sluice::pack::stopHelperThreads() {
  PackHelpers &helpers = PackHelpers::get();
  std::lock_guard lock(helpers.inUse);
  helpers.stop();
}

/// Parts are large enough that taking one costs nothing, and small enough that
/// all threads end at about the same time.
static int64_t sizeOfParts(int64_t total, int64_t threads, int64_t instance) {
  int64_t part = std::max<int64_t>(total / (threads * 4), 256 << 10);
  // Whole instances go through the kernel; otherwise whole pages, so that two
  // threads do not write to the same cache line of the packed bytes.
  int64_t unit = instance <= part / 4 ? instance : 4096;
  return part / unit * unit;
}

static bool shareJob(const PartSource &source, const std::byte *in,
                     std::byte *out, int64_t count, bool isPack) {
  int64_t size = source.layout.size(), total = size * count;
  PackHelpers &helpers = PackHelpers::get();
  std::unique_lock lock(helpers.inUse, std::try_to_lock);
  int threads = packOptions().threads;
  if (!lock || helpers.hasEnded || threads < 2 || total == 0 ||
      source.layout.form->hasCustom)
    return false;
  if (!helpers.team)
    helpers.team = new Team;
  if (!helpers.team->addThreads(size_t(threads - 1)))
    return false;
  PackJob job{source, in,    out,
              isPack, total, sizeOfParts(total, threads, size)};
  helpers.team->run(job);
  return true;
}

bool sluice::pack::packWithThreads(const PartSource &source,
                                   const std::byte *in, int64_t count,
                                   std::byte *out) {
  return shareJob(source, in, out, count, true);
}

bool sluice::pack::unpackWithThreads(const PartSource &source,
                                     const std::byte *in, std::byte *out,
                                     int64_t count) {
  return shareJob(source, in, out, count, false);
}
