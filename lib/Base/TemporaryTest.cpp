//===- TemporaryTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that destructors and signals remove temporary files, and that the next
// process removes those of a killed one.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Temporary.h"

#include "TestFolder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace sluice;
using sluice::test::contentOf;
namespace fs = std::filesystem;

namespace {
class TemporaryTest : public testing::Test {
protected:
  TemporaryTest() {
    ::setenv("SLUICE_CACHE_DIR", own.file("cache").c_str(), 1);
  }
  ~TemporaryTest() override {
    removeWorkFolder();
    ::unsetenv("SLUICE_CACHE_DIR");
  }

  /// All files below the folder, without directories.
  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (!entry.is_directory())
        found.insert(entry.path().filename());
    return found;
  }

  test::TestFolder own;
  const std::string &folder = own.path;
};
} // namespace

TEST_F(TemporaryTest, StaysOnlyWhenItIsKept) {
  std::string place = folder + "/a";
  for (bool mayBeNameless : {false, true}) {
    auto create = [&] {
      return TemporaryFile::create(place, 0640, mayBeNameless);
    };
    {
      Result<TemporaryFile> file = create();
      ASSERT_TRUE(file.ok());
      EXPECT_TRUE(file->write("text").ok());
      EXPECT_EQ(files().size(), file->getPath().empty() ? 0u : 1u);
      EXPECT_FALSE(fs::exists(place));
    }
    EXPECT_EQ(files(), std::set<std::string>());
    mode_t before = ::umask(027);
    // The second text replaces the first.
    for (const char *text : {"text", "another text"}) {
      Result<TemporaryFile> file = create();
      ASSERT_TRUE(file->write(text).ok());
      ASSERT_TRUE(file->keep().ok());
      EXPECT_EQ(files(), std::set<std::string>{"a"});
      EXPECT_EQ(contentOf(place), text);
      EXPECT_EQ(fs::status(place).permissions(), fs::perms(0640));
    }
    ::umask(before);
    fs::remove(place);
  }
}

TEST_F(TemporaryTest, KeptProgramsCanBeStartedAtOnce) {
  std::string place = folder + "/program";
  Result<TemporaryFile> file = TemporaryFile::create(place, 0700);
  ASSERT_TRUE(file->write("#!/bin/sh\nexit 7\n").ok());
  ASSERT_TRUE(file->keep().ok());
  int status = std::system(place.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST_F(TemporaryTest, NamesCannotBeGuessed) {
  std::set<std::string> names;
  for (int i = 0; i != 100; ++i)
    names.insert(TemporaryFile::create(folder + "/a", 0600, false)->getPath());
  EXPECT_EQ(names.size(), 100u);
}

/// Kills a child with `signal` while it has open files; returns the remaining
/// files.
static void endBySignal(int signal, const std::string &place,
                        bool mayBeNameless = false) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(signal, SIG_DFL);
    removeTemporariesOnSignals();
    Result<TemporaryFile> file =
        TemporaryFile::create(place, 0600, mayBeNameless);
    std::ofstream(*workPath(".o")) << "object";
    fs::create_directory(*workFolder() + "/below");
    std::ofstream(*workFolder() + "/below/file") << "object";
    bool isReady = file.ok() && ::write(ends[1], "r", 1) == 1;
    while (isReady)
      ::pause();
    ::_exit(9);
  }
  ::close(ends[1]);
  char ready = 0;
  EXPECT_EQ(::read(ends[0], &ready, 1), 1);
  ::close(ends[0]);
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

TEST_F(TemporaryTest, SignalsRemoveFilesAndFolders) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    endBySignal(signal, folder + "/a");
    EXPECT_EQ(files(), std::set<std::string>()) << signal;
    EXPECT_TRUE(fs::is_empty(folder + "/cache/tmp")) << signal;
  }
}

TEST_F(TemporaryTest, SignalsRemoveWhatOtherThreadsAreMaking) {
  for (int round = 0; round != 50; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGHUP, SIG_DFL);
      removeTemporariesOnSignals();
      auto make = [this] {
        for (;;)
          (void)TemporaryFile::create(folder + "/a", 0600, false);
      };
      std::vector<std::thread> threads(3);
      for (std::thread &thread : threads)
        thread = std::thread(make);
      (void)!::write(ends[1], "r", 1);
      for (;;) {
        (void)workPath(".o");
        removeWorkFolder();
      }
    }
    ::close(ends[1]);
    char ready = 0;
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    ::close(ends[0]);
    ::usleep(unsigned(round) * 40);
    ::kill(child, SIGHUP);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP) << status;
    EXPECT_EQ(files(), std::set<std::string>()) << round;
    if (fs::exists(folder + "/cache/tmp"))
      EXPECT_TRUE(fs::is_empty(folder + "/cache/tmp")) << round;
  }
}

/// Runs `end` in a child while the child has a file that other code knows.
static void endWhileKnown(int signal, const std::string &path,
                          const std::function<void()> &end) {
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(signal, SIG_DFL);
    removeTemporariesOnSignals();
    removeTemporariesOnCrashes();
    removeTemporariesOnCrashes(); // once is enough
    TemporaryPath known(path);
    { TemporaryPath over(path + ".kept"); }
    std::ofstream(path) << "half";
    std::ofstream(path + ".kept") << "whole";
    end();
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
}

TEST_F(TemporaryTest, CrashesRemoveFilesThatOthersKnow) {
  const std::string path = folder + "/a";
  const std::set<std::string> kept = {"a.kept"};
  endWhileKnown(SIGTERM, path, [] { ::raise(SIGTERM); });
  EXPECT_EQ(files(), kept);
  endWhileKnown(SIGABRT, path, [] { std::abort(); });
  EXPECT_EQ(files(), kept);
  endWhileKnown(SIGSEGV, path, [] { ::raise(SIGSEGV); });
  EXPECT_EQ(files(), kept);
  endWhileKnown(SIGSEGV, path,
                [] { *reinterpret_cast<volatile int *>(16) = 1; });
  EXPECT_EQ(files(), kept);
}

TEST_F(TemporaryTest, CrashesRemoveAnyNumberOfFiles) {
  const std::set<std::string> kept = {"a.kept"};
  std::vector<std::unique_ptr<TemporaryPath>> all;
  endWhileKnown(SIGABRT, folder + "/a", [&] {
    for (int i = 0; i < 500; ++i) {
      const std::string path = folder + "/" + std::to_string(i);
      all.push_back(std::make_unique<TemporaryPath>(path));
      std::ofstream(path) << "half";
    }
    std::abort();
  });
  EXPECT_EQ(files(), kept);
}

TEST_F(TemporaryTest, KilledProcessesLeaveNothingWithoutAName) {
  Result<TemporaryFile> file = TemporaryFile::create(folder + "/a", 0600);
  if (!file->getPath().empty())
    GTEST_SKIP() << "here all files have names";
  endBySignal(SIGKILL, folder + "/a", /*mayBeNameless=*/true);
  for (const std::string &name : files())
    EXPECT_FALSE(name.starts_with(".sluice-")) << name;
}

TEST_F(TemporaryTest, OutputsAreClearedOfWhatWasKilled) {
  endBySignal(SIGKILL, folder + "/a");
  std::string left = folder + "/.sluice-0.tmp";
  for (const auto &entry : fs::directory_iterator(folder))
    if (!entry.is_directory())
      fs::rename(entry, left);
  removeUnfinished(folder);
  EXPECT_TRUE(fs::exists(left)); // young
  fs::last_write_time(left, fs::file_time_type::clock::now() -
                                std::chrono::minutes(1));
  fs::create_symlink(left, folder + "/.sluice-1.tmp");
  std::ofstream(folder + "/.sluice-2.txt") << "somebody else's";
  removeUnfinished(folder);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::is_symlink(folder + "/.sluice-1.tmp"));
  EXPECT_TRUE(fs::exists(folder + "/.sluice-2.txt"));
}

TEST_F(TemporaryTest, KilledProcessesAreClearedAfter) {
  fs::create_directories(folder + "/cache/programs");
  ::chmod((folder + "/cache").c_str(), 0700);
  endBySignal(SIGKILL, folder + "/cache/programs/a");
  EXPECT_EQ(files().size(), 4u); // both files, the lock and the temporary file
  // A new file may belong to a process that has not locked it yet.
  for (const auto &entry : fs::directory_iterator(folder + "/cache/programs"))
    fs::last_write_time(entry, fs::file_time_type::clock::now() -
                                   std::chrono::minutes(1));
  ASSERT_TRUE(workFolder().ok());
  EXPECT_EQ(files(), std::set<std::string>{"lock"});
  removeWorkFolder();
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(TemporaryTest, LivingProcessesKeepTheirs) {
  Result<std::string> mine = workFolder();
  ASSERT_TRUE(mine.ok());
  std::string path = *workPath(".o");
  std::ofstream(path) << "object";
  pid_t child = ::fork();
  if (child == 0) {
    bool isOther = *workFolder() != *mine;
    removeWorkFolder();
    ::_exit(isOther && fs::exists(path) ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(TemporaryTest, AFolderThatIsGoneIsMadeAgain) {
  Result<std::string> first = workFolder();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*workFolder(), *first);
  fs::remove_all(folder + "/cache");
  Result<std::string> second = workFolder();
  ASSERT_TRUE(second.ok());
  EXPECT_NE(*second, *first);
  EXPECT_TRUE(fs::is_directory(*second));
  EXPECT_EQ(files(), std::set<std::string>{"lock"});
}

TEST_F(TemporaryTest, WorksWithoutACache) {
  ::setenv("SLUICE_CACHE_DIR", "/proc/none", 1);
  ::setenv("TMPDIR", folder.c_str(), 1);
  Result<std::string> made = workFolder();
  ::unsetenv("TMPDIR");
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->starts_with(folder + "/sluice-"));
}
