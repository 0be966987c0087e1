//===- LastWordsTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Crashes copies of the process and reads what they have written.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/LastWords.h"

#include "TestFolder.h"
#include "sluice/Base/Process.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace sluice;

namespace {
class LastWords : public testing::Test {
protected:
  /// Runs `work` in a copy of this process and returns how the copy ends.
  static ProcessEnd endOf(const std::function<void()> &work) {
    Result<Process> process = Process::fork(work);
    EXPECT_TRUE(process.ok());
    return process->wait();
  }

  std::string written() const { return test::contentOf(path); }

  test::TestFolder folder;
  const std::string path = folder.file("words");
};
} // namespace

TEST_F(LastWords, AreSaidWhenACallEndsTheProcess) {
  ProcessEnd end = endOf([&] {
    setLastWords("earlier", path);
    setLastWords("good bye\n", path);
    std::abort();
  });
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_EQ(written(), "good bye\n");
}

TEST_F(LastWords, AreSaidWhenTheProcessorEndsIt) {
  ProcessEnd end = endOf([&] {
    setLastWords(std::string(100000, 'x'), path);
    __builtin_trap();
  });
  EXPECT_EQ(end.signal, SIGILL);
  EXPECT_EQ(written(), std::string(100000, 'x'));
}

TEST_F(LastWords, AreNotSaidByOthers) {
  ProcessEnd end = endOf([&] {
    setLastWords("cleared", path);
    clearLastWords();
    std::abort();
  });
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_EQ(written(), "");
  end = endOf([&] {
    setLastWords("of the first process", path);
    if (::fork() == 0)
      std::abort();
    ::_exit(3);
  });
  EXPECT_EQ(end.exitStatus, 3);
  EXPECT_EQ(written(), "");
}
