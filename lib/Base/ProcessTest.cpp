//===- ProcessTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests programs and functions as children: files, environments, limits, and
// ends.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Process.h"

#include "TestFolder.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using sluice::test::contentOf;

namespace {
class ProcessTest : public testing::Test {
protected:
  /// Runs a shell command; `output` receives its output.
  ProcessEnd shell(const std::string &line, ProcessOptions options = {}) {
    options.program = "/bin/sh";
    options.arguments = {"-c", line};
    if (options.output.path.empty())
      options.output = Redirect::file(folder.file("out"));
    Result<ProcessEnd> end = runProgram(options);
    EXPECT_TRUE(end.ok()) << end.status().message();
    output = contentOf(folder.file("out"));
    return end.ok() ? *end : ProcessEnd();
  }

  test::TestFolder folder;
  std::string output;
};
} // namespace

TEST_F(ProcessTest, SaysHowAProgramEnded) {
  EXPECT_TRUE(shell("true").succeeded());
  ProcessEnd end = shell("exit 3");
  EXPECT_FALSE(end.succeeded());
  EXPECT_EQ(end.exitStatus, 3);
  EXPECT_EQ(end.text(), "exit status 3");
  end = shell("kill -SEGV $$");
  EXPECT_FALSE(end.succeeded());
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.text(), "signal 11 (Segmentation fault)");
}

TEST_F(ProcessTest, SaysWhatCannotBeStarted) {
  EXPECT_EQ(runProgram({.program = "/nowhere/program"}).status().message(),
            "cannot start '/nowhere/program': No such file or directory");
  EXPECT_EQ(runProgram({.program = folder.path}).status().message(),
            "cannot start '" + folder.path + "': Permission denied");
}

TEST_F(ProcessTest, RedirectsFiles) {
  std::ofstream(folder.file("in")) << "input";
  EXPECT_TRUE(shell("cat; echo error >&2",
                    {.program = "",
                     .input = Redirect::file(folder.file("in")),
                     .errors = Redirect::file(folder.file("err"))})
                  .succeeded());
  EXPECT_EQ(output, "input");
  EXPECT_EQ(contentOf(folder.file("err")), "error\n");
  EXPECT_TRUE(
      shell("cat; echo 1; echo 2 >&2", {.program = "",
                                        .input = Redirect::nowhere(),
                                        .errors = Redirect::descriptor(1)})
          .succeeded());
  EXPECT_EQ(output, "1\n2\n");
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  EXPECT_TRUE(
      shell("echo further >&7", {.program = "", .files = {{ends[1], 7}}})
          .succeeded());
  char text[16] = {};
  EXPECT_EQ(::read(ends[0], text, sizeof text), 8);
  EXPECT_STREQ(text, "further\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ProcessTest, GivesArgumentsAndEnvironment) {
  ProcessOptions options{.program = "/usr/bin/env",
                         .environment = {{"ONE=1", "TWO=a b"}},
                         .output = Redirect::file(folder.file("out"))};
  EXPECT_TRUE(runProgram(options)->succeeded());
  EXPECT_EQ(contentOf(folder.file("out")), "ONE=1\nTWO=a b\n");
  options.program = "/usr/bin/printf";
  options.arguments = {"%s|", "", "a b", "'\"$"};
  EXPECT_TRUE(runProgram(options)->succeeded());
  EXPECT_EQ(contentOf(folder.file("out")), "|a b|'\"$|");
  ::setenv("SLUICE_TEST_INHERITED", "yes", 1);
  EXPECT_TRUE(shell("echo $SLUICE_TEST_INHERITED").succeeded());
  EXPECT_EQ(output, "yes\n");
  ::unsetenv("SLUICE_TEST_INHERITED");
}

TEST_F(ProcessTest, HasLimitsAndGroups) {
  EXPECT_TRUE(
      shell("ps -o pgid= $$; echo $$", {.program = "", .hasOwnGroup = true})
          .succeeded());
  size_t line = output.find('\n');
  EXPECT_EQ(std::stoi(output), std::stoi(output.substr(line)));
  ProcessEnd end =
      shell("exec sleep 1000", {.program = "", .secondsAtMost = 0.1});
  EXPECT_TRUE(end.wasStopped);
  EXPECT_EQ(end.signal, SIGKILL);
  // Kills all processes that it started.
  end = shell("sleep 1000 & echo $!; wait",
              {.program = "", .hasOwnGroup = true, .secondsAtMost = 0.5});
  EXPECT_TRUE(end.wasStopped);
  const std::string stat =
      "/proc/" + std::to_string(std::stoi(output)) + "/stat";
  auto isGone = [&] {
    std::string state = contentOf(stat);
    return state.empty() || state.find(") Z ") != state.npos;
  };
  for (int i = 0; i != 1000 && !isGone(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(isGone()) << contentOf(stat);
  // Within the time limit.
  end = shell("exit 4", {.program = "", .secondsAtMost = 1000});
  EXPECT_FALSE(end.wasStopped);
  EXPECT_EQ(end.exitStatus, 4);
}

TEST_F(ProcessTest, WaitsLater) {
  Result<Process> process =
      Process::start({.program = "/bin/sleep", .arguments = {"1000"}});
  ASSERT_TRUE(process.ok());
  Process moved = std::move(*process);
  moved.kill();
  EXPECT_EQ(moved.wait().signal, SIGKILL);
}

TEST(RunInFork, ReturnsWhatAFunctionWrites) {
  auto result = runInFork(
      [](int output) {
        for (int i = 0; i != 1000; ++i)
          writeAll(output, std::string(1000, char('a' + i % 26)));
      },
      1000);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->isComplete);
  EXPECT_EQ(result->text.size(), 1000000u);
  EXPECT_TRUE(result->text.ends_with(std::string(1000, 'a' + 999 % 26)));
  int changed = 0;
  result = runInFork([&](int) { changed = 1; }, 1000);
  EXPECT_TRUE(result->isComplete && result->text.empty());
  EXPECT_EQ(changed, 0);
}

TEST(RunInFork, SurvivesWhatAFunctionDoes) {
  auto result = runInFork(
      [](int output) {
        writeAll(output, "before");
        ::raise(SIGSEGV);
      },
      1000);
  EXPECT_FALSE(result->isComplete);
  EXPECT_EQ(result->text, "before");
  EXPECT_EQ(result->end.signal, SIGSEGV);
  result = runInFork([](int) { ::_exit(3); }, 1000);
  EXPECT_FALSE(result->isComplete);
  EXPECT_EQ(result->end.exitStatus, 3);
  result = runInFork(
      [](int) {
        while (true)
          ::pause();
      },
      0.1);
  EXPECT_FALSE(result->isComplete);
  EXPECT_TRUE(result->end.wasStopped);
}

TEST(RunInFork, KeepsErrorsWhereTheyBelong) {
  test::TestFolder folder;
  auto write = [](int) { writeAll(STDERR_FILENO, "to errors"); };
  EXPECT_TRUE(runInFork(write, 1000)->isComplete) << "nobody sees it";
  EXPECT_TRUE(
      runInFork(write, 1000, Redirect::file(folder.file("err")))->isComplete);
  EXPECT_EQ(contentOf(folder.file("err")), "to errors");
}

/// If other code waits for all children, for example by ignoring SIGCHLD.
TEST(RunInFork, NeedsNoStatus) {
  auto before = ::signal(SIGCHLD, SIG_IGN);
  auto result = runInFork([](int output) { writeAll(output, "text"); }, 1000);
  EXPECT_TRUE(result->isComplete);
  EXPECT_EQ(result->text, "text");
  EXPECT_FALSE(result->end.succeeded());
  ::signal(SIGCHLD, before);
}
