//===- BuildCacheTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes from a folder of built modules when it is full.
//
//===----------------------------------------------------------------------===//

#include "../BuildCache.h"

#include "TestFolder.h"
#include "sluice/Base/Table.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace sluice::device;

namespace fs = std::filesystem;

namespace {
class BuildCacheTest : public testing::Test {
protected:
  void add(const std::string &name, uint64_t size, int minutesAgo) {
    std::ofstream(folder / name, std::ios::binary) << std::string(size, 'x');
    fs::last_write_time(folder / name, fs::file_time_type::clock::now() -
                                           std::chrono::minutes(minutesAgo));
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder))
      found.insert(entry.path().filename());
    return found;
  }
  BuildCache entry(const char *hash) const {
    SluiceDeviceImage image = {SLUICE_DEVICE_SPIR, 0, "", "code", 4};
    SluiceDeviceModule module = {
        tableHead<SluiceDeviceModule>, "module", hash, &image, 1, 0};
    return BuildCache(folder, module, image, Properties(), "");
  }

  sluice::test::TestFolder own;
  const fs::path folder = own.path;
};

using Names = std::set<std::string>;
} // namespace

TEST_F(BuildCacheTest, WhatWasNotUsedForLongestGoes) {
  add("old.device", 100, 30);
  add("new.device", 100, 1);
  add("middle.device", 100, 10);
  BuildCache::trim(folder, 300);
  EXPECT_EQ(names().size(), 3u);
  BuildCache::trim(folder, 299);
  EXPECT_EQ(names(), (Names{"middle.device", "new.device"}));
  BuildCache::trim(folder, 100);
  EXPECT_EQ(names(), Names{"new.device"});
  BuildCache::trim(folder, 0);
  EXPECT_EQ(names(), Names{});
  BuildCache::trim(folder / "nowhere", 0);
}

TEST_F(BuildCacheTest, OtherFilesStay) {
  add("history", 100, 30);
  add("a.device", 100, 1);
  add("unknown.tmp", 100, 30);
  add(".sluice-0123456789abcdef.tmp", 100, 30); // of a process that was killed
  BuildCache::trim(folder, 0);
  EXPECT_EQ(names(), (Names{"history", "unknown.tmp"}));
}

TEST_F(BuildCacheTest, DamageIsSeen) {
  entry("1").write("what a driver made");
  fs::path path = folder / *names().begin();
  std::string whole(fs::file_size(path), 0);
  std::ifstream(path, std::ios::binary).read(whole.data(), whole.size());
  auto put = [&](const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
  };
  for (size_t i = 0; i != whole.size(); ++i) {
    put(whole.substr(0, i));
    EXPECT_EQ(entry("1").read(), "") << i;
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 1 << i % 8);
    put(changed);
    EXPECT_EQ(entry("1").read(), "") << i;
  }
  put(whole);
  EXPECT_EQ(entry("1").read(), "what a driver made");
  entry("2").write("something else");
  for (const std::string &name : names())
    if (name != path.filename())
      fs::copy_file(path, folder / name, fs::copy_options::overwrite_existing);
  EXPECT_EQ(entry("2").read(), "");
}

TEST_F(BuildCacheTest, ReadingCountsAsUse) {
  entry("1").write("first");
  entry("2").write("second");
  for (const std::string &name : names())
    fs::last_write_time(folder / name, fs::file_time_type::clock::now() -
                                           std::chrono::minutes(5));
  EXPECT_EQ(entry("1").read(), "first");
  uint64_t size = fs::file_size(folder / *names().begin());
  BuildCache::trim(folder, size + 1);
  EXPECT_EQ(entry("1").read(), "first");
  EXPECT_EQ(entry("2").read(), "");
}

TEST_F(BuildCacheTest, ManyMayUseAFolder) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      for (int k = 0; k < 50; ++k) {
        std::string hash = std::to_string((i + k) % 7);
        std::string content = entry(hash.c_str()).read();
        EXPECT_TRUE(content.empty() || content == "content " + hash);
        entry(hash.c_str()).write("content " + hash);
        BuildCache::trim(folder, 200);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &name : names())
    EXPECT_TRUE(name.ends_with(".device")) << name;
}
