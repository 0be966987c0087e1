//===- HostThreadsTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts threads of the host and of the runtime, and threads that end.
//
//===----------------------------------------------------------------------===//

#include "HostThreads.h"
#include "Pool.h"

#include <condition_variable>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace sluice;

namespace {
/// Lives until the end of the scope.
class IdleThread {
public:
  IdleThread()
      : thread([this] {
          std::unique_lock lock(mutex);
          changed.wait(lock, [this] { return ends; });
        }) {}
  ~IdleThread() {
    {
      std::lock_guard lock(mutex);
      ends = true;
    }
    changed.notify_one();
    thread.join();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool ends = false;

public:
  std::thread thread;
};

/// Another name for this thread until the end of the scope.
class OtherName {
public:
  explicit OtherName(const char *name) {
    pthread_getname_np(pthread_self(), before, sizeof(before));
    pthread_setname_np(pthread_self(), name);
  }
  ~OtherName() { pthread_setname_np(pthread_self(), before); }

private:
  char before[16];
};

class NoTasks : public TaskRunner {
  void runTask(Worker &, WorkItem) override {}
};
} // namespace

TEST(HostThreadsTest, ThreadsOfTheHostCountWhileTheyLive) {
  EXPECT_FALSE(hasOtherHostThreads());
  for (int i = 0; i < 100; ++i) {
    {
      IdleThread other;
      EXPECT_TRUE(hasOtherHostThreads());
    }
    EXPECT_FALSE(hasOtherHostThreads());
  }
}

TEST(HostThreadsTest, ThreadsOfTheRuntimeNeverCount) {
  NoTasks runner;
  for (int i = 0; i < 100; ++i) {
    // Its threads may not have run yet.
    Pool pool(8, runner);
    EXPECT_FALSE(hasOtherHostThreads());
  }
  IdleThread helper;
  EXPECT_TRUE(hasOtherHostThreads());
  nameRuntimeThread(helper.thread, "variants");
  EXPECT_FALSE(hasOtherHostThreads());
}

TEST(HostThreadsTest, TheProgramMayHaveANameLikeTheRuntimes) {
  OtherName name("sluice-radar");
  NoTasks runner;
  Pool pool(3, runner);
  EXPECT_FALSE(hasOtherHostThreads());
  IdleThread other;
  EXPECT_TRUE(hasOtherHostThreads());
}

/// Ends the first thread of the process, which stays in /proc as a zombie; then
/// ends the process with the number of threads found.
[[noreturn]] static void endFirstThread() {
  pid_t first = ::gettid();
  std::thread([first] {
    std::string path = "/proc/self/task/" + std::to_string(first) + "/stat";
    std::string state;
    while (state != "Z") {
      std::string number, name;
      std::ifstream(path) >> number >> name >> state;
    }
    ::_exit(hasOtherHostThreads() ? 1 : 0);
  }).detach();
  while (true)
    ::syscall(SYS_exit, 0);
}

TEST(HostThreadsDeathTest, ThreadsThatEndedDoNotCount) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(endFirstThread(), testing::ExitedWithCode(0), "");
}
