//===- ChildJobTest.cpp - Work in copies of the process -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of a job arrives completely, however the job ends. An abandoned
// job is killed, with everything that it started. Timers fire in order.
//
//===----------------------------------------------------------------------===//

#include "ChildJob.h"
#include "EditorInput.h"
#include "gtest/gtest.h"

#include <csignal>
#include <memory>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace sluice::driver;
using llvm::raw_ostream;

namespace {
struct Ended {
  std::string output;
  int status = 0;
};

/// A loop that ends on request.
struct Jobs : testing::Test {
  Jobs() { EXPECT_EQ(::pipe(ends), 0); }
  ~Jobs() override {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void stop() { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  void wait() {
    loop.waitFor(ends[0]);
    char c;
    EXPECT_EQ(::read(ends[0], &c, 1), 1);
  }
  /// Runs a job to its end, where the job is destroyed.
  Ended run(std::function<void(raw_ostream &)> work) {
    Ended ended;
    std::unique_ptr<ChildJob> job;
    job = std::make_unique<ChildJob>(loop, std::move(work),
                                     [&](std::string output, int status) {
                                       ended = {std::move(output), status};
                                       job.reset();
                                       stop();
                                     });
    wait();
    return ended;
  }

  EventLoop loop;
  int ends[2];
};
} // namespace

TEST_F(Jobs, SayWhatTheyHaveToSay) {
  Ended ended = run([](raw_ostream &os) {
    for (int i = 0; i != 100000; ++i)
      os << "many words ";
    // This goes nowhere.
    EXPECT_EQ(::write(STDOUT_FILENO, "lost", 4), 4);
  });
  EXPECT_EQ(ended.output.size(), 1100000u);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

TEST_F(Jobs, ThatEndBadlySayHow) {
  Ended killed = run([](raw_ostream &os) {
    os << "half";
    os.flush();
    ::raise(SIGKILL);
  });
  EXPECT_EQ(killed.output, "half");
  EXPECT_TRUE(WIFSIGNALED(killed.status));
  EXPECT_EQ(WTERMSIG(killed.status), SIGKILL);
  Ended thrown = run([](raw_ostream &) { throw 1; });
  EXPECT_TRUE(WIFEXITED(thrown.status));
  EXPECT_EQ(WEXITSTATUS(thrown.status), 1);
}

TEST_F(Jobs, AreKilledWithWhatTheyHaveStarted) {
  int alive[2];
  ASSERT_EQ(::pipe(alive), 0);
  auto job = std::make_unique<ChildJob>(
      loop,
      [&](raw_ostream &) {
        ::close(alive[0]);
        pid_t other = ::fork();
        EXPECT_EQ(::write(alive[1], "y", 1), 1);
        if (other)
          ::waitpid(other, nullptr, 0);
        for (;;)
          ::pause();
      },
      [](std::string, int) { FAIL() << "it does not end by itself"; });
  ::close(alive[1]);
  char c;
  for (int i = 0; i != 2; ++i)
    EXPECT_EQ(::read(alive[0], &c, 1), 1);
  job.reset();
  // The pipe ends when both processes are gone.
  EXPECT_EQ(::read(alive[0], &c, 1), 0);
  ::close(alive[0]);
}

TEST_F(Jobs, TimersComeInOrderAndOnce) {
  std::string order;
  EventLoop::Clock::time_point now = EventLoop::Clock::now();
  auto add = [&](const std::string &name, int milliseconds) {
    loop.setTimer(name, now + std::chrono::milliseconds(milliseconds),
                  [&order, name] { order += name; });
  };
  add("c", 30);
  add("a", 10);
  add("b", 20);
  add("never", 15);
  add("a", 12); // replaces the other one
  loop.clearTimer("never");
  loop.setTimer("end", now + std::chrono::milliseconds(40), [this] { stop(); });
  wait();
  EXPECT_EQ(order, "abc");
}

TEST_F(Jobs, MessagesMayComeInPieces) {
  int input[2];
  ASSERT_EQ(::pipe(input), 0);
  std::string text = "Content-Length: 2\r\nContent-Type: x\r\n\r\n{}"
                     "nonsense\r\n\r\ncontent-length: 4\r\n\r\n[12]"
                     "Content-Length: 99999999999999999999\r\n\r\n"
                     "Content-Length: 9\r\n\r\nshort";
  size_t sent = 0;
  std::function<void()> sendNext = [&] {
    if (sent == text.size()) {
      ::close(input[1]);
      return;
    }
    EXPECT_EQ(::write(input[1], &text[sent++], 1), 1);
    loop.setTimer("next", EventLoop::Clock::now(), sendNext);
  };
  sendNext();
  EditorInput messages(input[0], loop);
  std::vector<std::string> seen;
  while (!messages.isEndOfInput()) {
    std::string json;
    if (llvm::succeeded(messages.readMessage(json)))
      seen.push_back(json);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"{}", "[12]"}));
  ::close(input[0]);
}
