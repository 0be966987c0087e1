//===- HelperThreads.cpp - Threads for work that may block ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the maximum number of threads that were ever needed at the same time;
// idle threads sleep.
//
//===----------------------------------------------------------------------===//

#include "HelperThreads.h"

#include "HostThreads.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

using namespace sluice;

namespace {
class HelperThread {
public:
  void give(std::function<void()> next) {
    std::lock_guard lock(mutex);
    work = std::move(next);
    hasWork.notify_one();
  }
  [[noreturn]] void loop();

private:
  std::mutex mutex;
  std::condition_variable hasWork;
  std::function<void()> work;
};

/// Never destroyed: its threads may still sleep there when the process ends.
struct AllHelpers {
  std::mutex mutex;
  std::vector<HelperThread *> idle;
  /// Keeps all of them.
  std::vector<HelperThread *> all;

  static AllHelpers &get() {
    static AllHelpers &helpers = *new AllHelpers;
    return helpers;
  }
};
} // namespace

void HelperThread::loop() {
  while (true) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex);
      hasWork.wait(lock, [&] { return static_cast<bool>(work); });
      next = std::exchange(work, nullptr);
    }
    // A thread that waits for the work may continue shortly before this thread
    // becomes idle.
    next();
    next = nullptr;
    AllHelpers &helpers = AllHelpers::get();
    std::lock_guard lock(helpers.mutex);
    helpers.idle.push_back(this);
  }
}

static HelperThread *makeHelper(AllHelpers &helpers) {
  auto *helper = new HelperThread;
  helpers.all.push_back(helper);
  helpers.idle.reserve(helpers.all.size());
  try {
    std::thread thread([helper] { helper->loop(); });
    sluice::nameRuntimeThread(thread, "stage");
    thread.detach();
  } catch (const std::system_error &) {
    helpers.all.pop_back();
    delete helper;
    return nullptr;
  }
  return helper;
}

bool sluice::runOnHelper(std::function<void()> work) {
  AllHelpers &helpers = AllHelpers::get();
  HelperThread *helper;
  {
    std::lock_guard lock(helpers.mutex);
    if (helpers.idle.empty()) {
      helper = makeHelper(helpers);
    } else {
      helper = helpers.idle.back();
      helpers.idle.pop_back();
    }
  }
  if (!helper)
    return false;
  helper->give(std::move(work));
  return true;
}
