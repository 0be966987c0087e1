//===- SharedFilesTest.cpp - Files that ranks write together --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads here. Until all of them have finished, and when one of them
// fails, the old file is what it was and nothing else is left.
//
//===----------------------------------------------------------------------===//

#include "SharedFiles.h"

#include "../../Cluster/Testing/ThreadCluster.h"
#include "TestFolder.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sys/stat.h>
#include <thread>

using namespace sluice;
using namespace sluice::regions;
using sluice::test::contentOf;

namespace fs = std::filesystem;

namespace {
class SharedFilesTest : public testing::Test {
protected:
  void start(uint32_t numRanks) {
    ranks.clear();
    cluster = std::make_unique<sluice::test::ThreadCluster>(numRanks);
    ranks.resize(numRanks);
    onAll([&](uint32_t rank) {
      ranks[rank] = std::make_unique<SharedFiles>(
          numRanks > 1 ? &cluster->of(rank) : nullptr);
    });
  }
  void onAll(const std::function<void(uint32_t)> &function) {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
      threads.emplace_back([&, rank] { function(rank); });
    for (std::thread &thread : threads)
      thread.join();
  }
  Status write(uint32_t rank, const std::string &path, uint64_t offset,
               const std::string &text) {
    Result<int> file = ranks[rank]->open(path);
    if (!file.ok())
      return file.takeStatus();
    return writeFully(*file, path, text.data(), text.size(), offset);
  }
  /// What each rank is told, which is the same.
  std::string finish() {
    std::vector<std::string> said(ranks.size());
    onAll([&](uint32_t rank) { said[rank] = ranks[rank]->finish().message(); });
    for (const std::string &each : said)
      EXPECT_EQ(each, said[0]);
    return said[0];
  }
  /// The names in the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto &entry : fs::directory_iterator(folder.path))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }
  using Names = std::vector<std::string>;

  sluice::test::TestFolder folder;
  std::unique_ptr<sluice::test::ThreadCluster> cluster;
  std::vector<std::unique_ptr<SharedFiles>> ranks;
};
} // namespace

TEST_F(SharedFilesTest, PartsOfAllRanksBecomeOneFile) {
  std::mt19937 random(1);
  for (uint32_t numRanks : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE(numRanks);
    start(numRanks);
    for (int round = 0; round < 20; ++round) {
      // Pieces of two files, dealt to ranks by chance; one may get none.
      std::string expected[2];
      std::vector<std::vector<std::pair<int, std::pair<uint64_t, std::string>>>>
          parts(numRanks);
      for (int file = 0; file < 2; ++file)
        for (int piece = 0; piece < 7; ++piece) {
          std::string text(random() % 100 + 1, char('a' + random() % 26));
          parts[random() % numRanks].push_back(
              {file, {expected[file].size(), text}});
          expected[file] += text;
        }
      const std::string paths[] = {folder.file("x"), folder.file("./y")};
      onAll([&](uint32_t rank) {
        for (const auto &[file, part] : parts[rank])
          EXPECT_EQ(write(rank, paths[file], part.first, part.second).message(),
                    "");
      });
      EXPECT_EQ(finish(), "");
      EXPECT_EQ(contentOf(paths[0]), expected[0]);
      EXPECT_EQ(contentOf(paths[1]), expected[1]);
      EXPECT_EQ(names(), (Names{"x", "y"}));
    }
  }
}

TEST_F(SharedFilesTest, TheOldFileIsThereUntilAllHaveFinished) {
  const std::string path = folder.file("x");
  for (uint32_t numRanks : {1, 3}) {
    std::ofstream(path) << "old and longer";
    ::chmod(path.c_str(), 0640);
    start(numRanks);
    EXPECT_EQ(write(numRanks - 1, path, 2, "new").message(), "");
    EXPECT_EQ(contentOf(path), "old and longer");
    EXPECT_EQ(names().size(), 2u);
    EXPECT_EQ(finish(), "");
    EXPECT_EQ(contentOf(path), std::string("\0\0new", 5));
    EXPECT_EQ(names(), Names{"x"});
    struct stat info;
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0640u);
    // Another graph begins anew.
    EXPECT_EQ(write(0, path, 0, "x").message(), "");
    EXPECT_EQ(finish(), "");
    EXPECT_EQ(contentOf(path), "x");
  }
}

TEST_F(SharedFilesTest, WhoEndsWithoutFinishingLeavesNothing) {
  const std::string path = folder.file("x");
  std::ofstream(path) << "old";
  start(2);
  EXPECT_EQ(write(0, path, 0, "ne").message(), "");
  EXPECT_EQ(write(1, path, 2, "w!").message(), "");
  EXPECT_EQ(names().size(), 2u); // one temporary file for both
  ranks.clear();
  EXPECT_EQ(contentOf(path), "old");
  EXPECT_EQ(names(), Names{"x"});
}

TEST_F(SharedFilesTest, LinksAreFollowed) {
  fs::create_directory(folder.file("far"));
  std::ofstream(folder.file("far/real")) << "old";
  fs::create_symlink("far/real", folder.file("link"));
  start(2);
  EXPECT_EQ(write(0, folder.file("link"), 0, "ne").message(), "");
  // By its own name it is the same file.
  EXPECT_EQ(write(1, folder.file("far/real"), 2, "w").message(), "");
  EXPECT_EQ(finish(), "");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(contentOf(folder.file("far/real")), "new");
}

TEST_F(SharedFilesTest, WhatCannotBeWrittenIsNamed) {
  start(2);
  EXPECT_EQ(write(0, folder.file("none/x"), 0, "a").message(),
            "cannot write '" + folder.file("none/x") +
                "': No such file or directory");
  EXPECT_EQ(write(0, folder.path, 0, "a").message(),
            "cannot write '" + folder.path + "': it is a folder");
  EXPECT_EQ(write(1, "/dev/null", 0, "a").message(),
            "cannot write '/dev/null': it is no regular file, and is written "
            "in parts");
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(names(), Names{});
}

TEST_F(SharedFilesTest, AllRanksAreToldWhatOneCannotDo) {
  const std::string path = folder.file("x");
  for (uint32_t numRanks : {1, 3}) {
    start(numRanks);
    EXPECT_EQ(write(numRanks - 1, path, 0, "new").message(), "");
    // Something that cannot be replaced comes in the way.
    fs::create_directories(path + "/inside");
    EXPECT_EQ(finish(), "cannot write '" + path + "': Is a directory");
    EXPECT_EQ(names(), Names{"x"});
    fs::remove_all(path);
  }
}

TEST_F(SharedFilesTest, FilesOfKilledProcessesAreRemovedByTheNext) {
  const std::string left = folder.file(".sluice-0123456789abcdef.tmp"),
                    used = folder.file(".sluice-0123456789abcdee.tmp");
  std::ofstream(left) << "half";
  std::ofstream(used) << "half";
  const auto before = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(left, before);
  start(1);
  EXPECT_EQ(write(0, folder.file("y"), 0, "y").message(), "");
  EXPECT_EQ(finish(), "");
  EXPECT_FALSE(fs::exists(left));
  // One that was begun just now may be in use.
  EXPECT_TRUE(fs::exists(used));
}

TEST_F(SharedFilesTest, ReadsSayWhereAFileEnds) {
  const std::string path = folder.file("x");
  std::ofstream(path) << "0123456789";
  const int file = ::open(path.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  char text[8];
  EXPECT_EQ(readFully(file, path, text, 4, 6).message(), "");
  EXPECT_EQ(std::string(text, 4), "6789");
  EXPECT_EQ(readFully(file, path, text, 5, 6).message(),
            "cannot read '" + path +
                "': it ends at byte 10, and 1 more are expected");
  ::close(file);
}

/// Of two ranks, one takes the link and one what it leads to.
TEST_F(SharedFilesTest, LinksLeadToFilesThatAreMade) {
  fs::create_directory(folder.file("far"));
  fs::create_symlink("far/real", folder.file("link"));
  start(2);
  EXPECT_EQ(write(0, folder.file("link"), 0, "new").message(), "");
  EXPECT_EQ(write(1, folder.file("far/real"), 3, "er").message(), "");
  EXPECT_EQ(finish(), "");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(contentOf(folder.file("far/real")), "newer");
}

TEST_F(SharedFilesTest, TheModeOfTheOldFileStays) {
  const std::string path = folder.file("old");
  std::ofstream(path) << "old";
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  start(3);
  for (uint32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(write(rank, path, rank, "x").message(), "");
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(contentOf(path), "xxx");
  struct stat found;
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0444u);
}
