//===- OutputTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs replace regular files only, never an input, and follow links.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Output.h"

#include "TestFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace sluice;
using sluice::test::contentOf;
namespace fs = std::filesystem;

namespace {
class OutputTest : public testing::Test {
protected:
  OutputTest() { std::ofstream(source) << "source"; }

  std::string at(const char *name) const { return folder + "/" + name; }
  size_t numFiles() const {
    return size_t(std::distance(fs::directory_iterator(folder), {}));
  }
  bool isRefused(const std::string &path) const {
    return !checkOutput(path, std::vector{at("missing"), source}).ok();
  }

  test::TestFolder own;
  const std::string &folder = own.path;
  const std::string source = own.file("a.c");
};
} // namespace

TEST_F(OutputTest, RefusesInputsUnderAllNames) {
  fs::create_symlink("a.c", at("link"));
  fs::create_symlink("link", at("link2"));
  fs::create_hard_link(source, at("hard"));
  fs::create_directory(at("d"));
  fs::create_directory_symlink(folder, at("d/up"));
  for (const char *name :
       {"a.c", "link", "link2", "hard", "./a.c", "d/../a.c", "d/up/a.c", "d"})
    EXPECT_TRUE(isRefused(at(name))) << name;
  EXPECT_FALSE(isRefused(at("b.c")));
  EXPECT_FALSE(isRefused("/dev/null"));
  EXPECT_FALSE(isRefused(""));
  EXPECT_TRUE(isRefused(at("missing")));
  EXPECT_TRUE(checkOutput("-", std::vector<std::string>{"-"}).ok());
  EXPECT_EQ(checkOutput(source, std::vector{source}).message(),
            "the output '" + source +
                "' is also an input; name another output");
}

TEST_F(OutputTest, FollowsLinks) {
  fs::create_symlink("target", at("link"));
  ASSERT_TRUE(writeOutput(at("link"), "one").ok());
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(contentOf(at("target")), "one");
  ASSERT_TRUE(writeOutput(at("link"), "two").ok());
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(contentOf(at("target")), "two");
  EXPECT_EQ(numFiles(), 3u);
  fs::create_symlink("loop", at("loop"));
  EXPECT_FALSE(writeOutput(at("loop"), "x").ok());
}

TEST_F(OutputTest, WritesToWhatIsNoRegularFile) {
  // Uses its own device node, so that a failure does not damage the system's.
  if (::mknod(at("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    struct stat before, after;
    ASSERT_EQ(::stat(at("null").c_str(), &before), 0);
    // The folder may be mounted with nodev.
    (void)writeOutput(at("null"), "text");
    (void)copyToOutput(source, at("null"), true);
    ASSERT_EQ(::stat(at("null").c_str(), &after), 0);
    EXPECT_TRUE(S_ISCHR(after.st_mode));
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(before.st_mode, after.st_mode);
  }

  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = contentOf(at("pipe")); });
  EXPECT_TRUE(writeOutput(at("pipe"), "through a pipe").ok());
  reader.join();
  EXPECT_EQ(got, "through a pipe");
  EXPECT_FALSE(fs::is_regular_file(at("pipe")));
}

TEST_F(OutputTest, ReportsFullDisksAndLeavesWhatWas) {
  Status status = writeOutput("/dev/full", "text");
  EXPECT_EQ(status.message(),
            "cannot write '/dev/full': No space left on device");
  EXPECT_FALSE(copyToOutput(source, 1000, at("b"), true).ok());
  EXPECT_FALSE(fs::exists(at("b")));
  EXPECT_FALSE(writeOutput(at("none/b"), "x").ok());
  EXPECT_FALSE(writeOutput(folder, "x").ok());
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(OutputTest, KeepsModes) {
  ::chmod(source.c_str(), 0640);
  ASSERT_TRUE(writeOutput(source, "x").ok());
  struct stat info;
  ASSERT_EQ(::stat(source.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  ASSERT_TRUE(copyToOutput(source, at("b"), /*isProgram=*/true).ok());
  ASSERT_EQ(::stat(at("b").c_str(), &info), 0);
  EXPECT_TRUE(info.st_mode & 0100);
}

TEST_F(OutputTest, ParallelWritersLeaveOneWholeFile) {
  std::vector<std::thread> threads;
  for (char c : {'a', 'b', 'c', 'd'})
    threads.emplace_back([&, c] {
      for (int i = 0; i != 50; ++i)
        EXPECT_TRUE(writeOutput(at("out"), std::string(100000, c)).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  std::string text = contentOf(at("out"));
  EXPECT_EQ(text, std::string(100000, text.empty() ? 'x' : text[0]));
  EXPECT_EQ(numFiles(), 2u);
}
